#!/usr/bin/perl
#
# A page of a list has a bound in bytes besides the one in rows: an advertiser
# decides how long the rows are, and what answers holds each page in memory.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $n    = 60;
my $ads  = Ads::Test->new(adsd => { api_threads => 1 });
my $shop = $ads->seed_shop(products => []);

# Megabytes that adsd held at most since it started.
sub peak_mb
{
    my $status = Ads::Stack::read_file(
        '/proc/' . $ads->part('adsd')->{pid} . '/status');
    return $status =~ /^VmHWM:\s+(\d+) kB/m ? $1 / 1024 : die;
}

sub page
{
    my ($path, @headers) = @_;
    return $ads->http('GET', $path, ['X-API-Key' => $shop->{key}, @headers]);
}

# ---- rows as long as a body may make them ----------------------------------

my @words = map { "\x{1f600}" x 70 . " $_" } 1 .. 2000;
my $made = $ads->post('/v1/campaigns', $shop->{key}, {
    name => 'long', pricing => 'cpc', bid => 0.1, budget => { lifetime => 5 },
    targeting => { keywords => \@words, negative_keywords => [@words[0 .. 999]] }
});
is $made->{status}, 201, 'a campaign of 850 KB';
my $columns = join ', ', map { $_->[0] } @{ $ads->sql(q{
    select attname from pg_attribute
    where attrelid = 'ads.campaigns'::regclass and attnum > 0
        and not attisdropped and attname not in ('id', 'name')}) };

# so that there are n of them
sub copies
{
    my ($n) = @_;
    $ads->db->do(qq{insert into ads.campaigns (name, $columns)
        select 'long ' || n, $columns
        from ads.campaigns c,
            generate_series((select count(*) from ads.campaigns) + 1, $n) n
        where c.id = '$made->{json}{id}'});
}

copies(7);
my ($cursor, %seen, $pages);
do {
    my $page = page('/v1/campaigns?limit=500'
            . ($cursor ? "&cursor=$cursor" : ''))->{json};
    $seen{ $_->{id} }++ for @{ $page->{data} };
    $cursor = $page->{next_cursor};
    $pages++;
} while ($cursor && $pages < 7);
cmp_ok $pages, '>', 1, 'seven of them do not fit on one page';
is keys %seen, 7, 'each of them stands on one';
is_deeply [grep { $_ != 1 } values %seen], [], 'and on no other';

copies($n);
for my $accept ('application/json', 'text/csv') {
    my $before = peak_mb();
    my $long   = page('/v1/campaigns?limit=500', Accept => $accept);
    my $grown  = peak_mb() - $before;
    is $long->{status}, 200, "as $accept they are listed";
    note sprintf '%d bytes, adsd grew by %d MB', length $long->{body}, $grown;
    cmp_ok length $long->{body}, '<', 6e6, 'on a page of a few megabytes';
SKIP: {
        skip 'a sanitizer keeps what was freed', 1 if $ENV{ADS_CFLAGS};
        cmp_ok $grown, '<', 150, 'for which adsd grows by little more';
    }
}

# ---- rows as short as they mostly are --------------------------------------

$ads->db->do(q{update ads.campaigns set targeting = '{}'});
my $short = page('/v1/campaigns?limit=500')->{json};
is_deeply [scalar @{ $short->{data} }, $short->{has_more}],
    [$n, JSON::PP::false], 'short rows stand on one page';
for my $limit (1, 50, 51, 52, $n - 1, $n) {
    $short = page("/v1/campaigns?limit=$limit")->{json};
    is_deeply [scalar @{ $short->{data} }, !!$short->{has_more}],
        [$limit, $limit < $n], "$limit of them when so many are asked for";
}

$ads->done;
