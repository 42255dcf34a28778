#!/usr/bin/perl

# What a number of campaigns costs: making the ad tables, memory, `live`, a
# change of one campaign, and a recommendation.
#
#     bench/campaigns.pl [CAMPAIGNS...]
#
# For each number (10,000 and 1,000,000) an installation of its own, with as
# many ads as the greatest of them: products of the test catalogue, grown inside
# PostgreSQL as in bench/freshness.pl, all ads spread over the campaigns, which
# are all active and of one advertiser with money.  Requests are titles of
# products, one after the other on one connection; a pause is measured until
# the request that it was made with is answered.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib",
    "$FindBin::Bin/../tools/lib";

use Ads::Test;
use HTTP::Tiny;
use JSON::PP;
use List::Util qw(max);
use POSIX ();
use Time::HiRes qw(time);

chdir "$FindBin::Bin/.." or die "$!\n";
my @numbers  = @ARGV ? @ARGV : (10_000, 1_000_000);
my $n_ads    = max @numbers;
my $requests = 1000;
my $source   = '../shared/data/catalog.jsonl.zst';
my $json     = JSON::PP->new->utf8->canonical;
my $ads;

sub note_line { printf "%s\n", join ' ', @_ }

sub percentile
{
    my ($share, @times) = @_;
    @times = sort { $a <=> $b } @times;
    return $times[$share * $#times];
}

sub logged
{
    my ($pattern) = @_;
    return map { /$pattern/ ? $1 : () } $ads->log_lines('adsd.out', $pattern);
}

sub memory
{
    my ($pid) = @_;
    my %kb = Ads::Stack::read_file("/proc/$pid/status") =~
        /^(VmHWM|RssAnon):\s+(\d+)/mg;
    return sprintf '%d MB, at most %d MB', $kb{RssAnon} / 1024,
        $kb{VmHWM} / 1024;
}

sub cpu
{
    my $pid  = $ads->part('adsd')->{pid};
    my @stat = split ' ',
        Ads::Stack::read_file("/proc/$pid/stat") =~ s/^.*\) //sr;
    return ($stat[11] + $stat[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# Rows of products, campaigns and ads, past the triggers.
sub rows_make
{
    my ($shop, $n) = @_;
    my $lines = "$ads->{dir}/tmp/catalogue.jsonl";
    system("zstd -dcq $source 2>&1 | head -n 20000 > $lines") == 0
        or die "zstd failed\n";
    my ($code, $text) =
        $ads->try_adsctl('import', '--campaign', $shop->{campaign}, $lines);
    die "import: exit $code\n$text" if $code != 0 && $code != 3;
    $ads->stop('adsd');

    my $db = $ads->db;
    $db->do('set session_replication_role = replica');
    $db->do('delete from ads.ads');
    my $have  = $ads->sql_value('select count(*) from ads.products');
    my $times = POSIX::ceil($n_ads / $have);
    $db->do(<<"SQL");
insert into ads.products (id, account_id, sku, title, description, brand, category, url, price_micros, currency)
select md5(p.id::text || k)::uuid, p.account_id, p.sku || '-' || k,
    p.title || ' ' || chr(97 + k % 26) || abs(hashtext(p.sku || k)) % 500,
    p.description, p.brand, p.category, p.url || '?k=' || k, p.price_micros + k * 10000, p.currency
from ads.products p, generate_series(1, $times - 1) k
limit greatest($n_ads - $have, 0)
SQL
    $db->do(<<"SQL");
insert into ads.campaigns (id, account_id, name, bid_micros, lifetime_budget_micros, status)
select md5('campaign' || k)::uuid, c.account_id, 'Campaign ' || k, 50000 + k % 1000 * 100, 1000000000, 'active'
from ads.campaigns c, generate_series(1, $n) k
where c.id = '$shop->{campaign}'
SQL
    $db->do(<<"SQL");
insert into ads.campaign_spend (campaign_id, account_id)
select c.id, c.account_id from ads.campaigns c where c.name like 'Campaign _%'
SQL
    $db->do(<<"SQL");
insert into ads.ads (id, account_id, campaign_id, product_id)
select md5('ad' || p.id)::uuid, p.account_id,
    md5('campaign' || (1 + (row_number() over (order by p.id)) % $n))::uuid, p.id
from ads.products p
SQL
    $db->do('set session_replication_role = origin');
    $db->do("analyze ads.$_") for qw(campaigns campaign_spend products ads);
}

# Milliseconds of each request, and how many were answered with ads.
sub ask
{
    my ($pub, @titles) = @_;
    my $client = HTTP::Tiny->new(keep_alive => 1, timeout => 30);
    my ($shows, @times) = 0;
    for my $n (1 .. $requests) {
        my $body = $json->encode({ query => 'buy ' . $titles[$n % @titles] });
        my $from = time;
        my $answer = $client->post(
            "http://127.0.0.1:$ads->{port}/v1/ads/recommend",
            {
                content => $body,
                headers => {
                    'content-type' => 'application/json',
                    'x-api-key'    => $pub->{key}
                }
            });
        push @times, 1000 * (time - $from);
        $shows++ if $answer->{content} =~ /"decision":\s*"SHOW"/;
    }
    return ($shows, @times);
}

sub measure
{
    my ($n) = @_;
    $ads = Ads::Test->new(
        adsd    => { log_level => 'debug', campaigns_max => 1_000_000 },
        workers => 1);
    my $pub  = $ads->seed_publisher;
    my $shop = $ads->seed_shop(products => [], topup => 1_000_000);
    my $began = time;
    rows_make($shop, $n);
    note_line sprintf '%d campaigns, %d ads: in PostgreSQL after %.0f s', $n,
        $ads->sql_value('select count(*) from ads.ads'), time - $began;

    unlink glob "$ads->{dir}/state/base-*";
    $began = time;
    $ads->begin('adsd');
    $ads->wait_until(
        sub { ($ads->metric('ads_live_slots_used') // 0) >= $n }, 900,
        'slots for all');
    $ads->wait_until(
        sub { ($ads->try_adsctl('campaign', 'pause', $shop->{campaign}))[0] == 0 },
        300, 'a pause to be served');
    note_line sprintf '  tables served after %.1f s, CPU of adsd %.1f s; %s',
        time - $began, cpu(), join ', ', logged(qr/(base of \d+ ads[^"]*)/);
    note_line sprintf '  base %d MB, head %d MB, live %d MB for %d campaigns',
        (-s (glob "$ads->{dir}/state/base-*")[0]) / 1e6,
        (-s "$ads->{dir}/state/head") / 1e6,
        (-s "$ads->{run_path}/live") / 1e6, $ads->metric('ads_live_slots');

    my @titles = map { $_->[0] } @{
        $ads->sql('select title from ads.products order by md5(id::text)'
                . ' limit 300') };
    ask($pub, @titles);    # once for what is read from the disk
    my ($shows, @times) = ask($pub, @titles);
    note_line sprintf
        '  recommend: p50 %.2f ms, p99 %.2f ms, %.0f %% with ads',
        percentile(0.5, @times), percentile(0.99, @times),
        100 * $shows / $requests;

    my $cpu = cpu();
    my @pauses;
    for my $verb (('activate', 'pause') x 3) {
        my $from = time;
        $ads->adsctl('campaign', $verb, $shop->{campaign});
        push @pauses, time - $from;
    }
    note_line sprintf '  a change of one campaign: %.2f s, CPU of adsd %.2f s',
        percentile(0.5, @pauses), (cpu() - $cpu) / @pauses;
    note_line '  adsd ' . memory($ads->part('adsd')->{pid});
    note_line '  a worker ' . memory(($ads->workers)[0]);
    $ads->stop($_) for qw(nginx adsd postgres);
    $ads->clean;
    return map { percentile($_, @times) } 0.5, 0.99;
}

my @first;
for my $n (@numbers) {
    my @these = measure($n);
    @first = @these if !@first;
    note_line sprintf '  against %d: p50 x %.2f, p99 x %.2f', $numbers[0],
        $these[0] / $first[0], $these[1] / $first[1];
}
