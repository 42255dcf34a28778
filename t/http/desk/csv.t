#!/usr/bin/perl
#
# Lists as CSV: each path has its own columns, those of its example in
# docs/openapi.json, on every page, with rows and without.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

open my $file, '<:raw', 'docs/openapi.json' or die "docs/openapi.json: $!\n";
my $paths = do { local $/ = undef; decode_json(<$file>)->{paths} };

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop;
my $none = $ads->seed_shop(products => [], name => 'Empty');
my $boss = $ads->seed_platform;
my $ada  = $ads->post('/v1/auth/signup', undef,
    { email => 'ada@example.com', password => 'a long enough secret' })->{json};

sub csv
{
    my ($token, $path, @headers) = @_;
    my $answer = $ads->http('GET', $path,
        ['Authorization' => "Bearer $token", 'Accept' => 'text/csv', @headers]);
    is $answer->{status}, 200, "$path answers";
    return $answer->{body};
}

sub header
{
    my ($path) = @_;
    return unless $paths->{$path}{get};
    return $paths->{$path}{get}{responses}{200}{'x-by-accept'}{'text/csv'}{example};
}

# ---- every list ------------------------------------------------------------

my @acting = ('X-Ads-Account' => $shop->{account});
my $n_asked = 0;
for my $path (sort keys %$paths) {
    my $first = header($path) // next;
    next if $path =~ /\{/;
    $n_asked++;
    my ($of) = $path =~ m{^/v1/(platform|auth|account/members|\w+)};
    my ($token, @more) = $of eq 'platform' ? $boss->{key}
        : $of eq 'auth' || $of eq 'account/members' ? $ada->{access_token}
        : ($boss->{key}, @acting);
    like csv($token, $path, @more), qr/\A\Q$first\E/, 'with the columns of its path';
}
is $n_asked, 13, 'all were asked';

my %empty = (campaigns => 'archived', products => 'archived',
    'products/import' => 'failed');
is csv($none->{key}, "/v1/$_?status=$empty{$_}"), header("/v1/$_"),
    "no row of $_, and the same columns"
    for sort keys %empty;

# ---- rows that hold different things ---------------------------------------

$ads->http('POST', '/v1/products',
    ['X-API-Key' => $shop->{key}, 'Content-Type' => 'application/json'],
    encode_json({ campaign_id => $shop->{campaign}, title => 'Espresso cup',
        url => 'https://shop.example/cup', price => 7.5, currency => 'USD',
        attributes => { colour => 'red', 'a-b' => 1 } }));
my ($with, $without) = map { csv($shop->{key}, "/v1/products?$_") }
    'q=espresso', 'status=archived';
like $with, qr/,"\{""a-b"":1,""colour"":""red""\}",active,/,
    'what differs from row to row is JSON in its column';
like $with, qr/"\[\{""ad_id"":""[0-9a-f-]{36}"",/, 'objects in an array as well';
is $without, (split /(?<=\r\n)/, $with)[0], 'a page without it has the same columns';

my @pages = map { csv($shop->{key}, "/v1/account/audit?object=$_") }
    'campaigns', 'products', 'nothing';
is scalar(keys %{ { map { (split /\r\n/)[0] => 1 } @pages } }), 1,
    'each page of the log has the same columns';
like $pages[0], qr/,create,campaigns,[0-9a-f-]{36},,"\{""/, 'what was before is empty';

# ---- what is asked for -----------------------------------------------------

for my $case (['text/csv;q=0.5, application/json', 'application/json'],
    ['application/json;q=0.5, text/csv', 'text/csv'],
    ['application/json;q=0, */*', 'text/csv'],
    ['text/csv;q=0, */*', 'application/json'],
    ['text/csv;q=0', 'application/json'],
    ['image/png', 'application/json'])
{
    my ($accept, $type) = @$case;
    is $ads->http('GET', '/v1/products',
        ['X-API-Key' => $shop->{key}, 'Accept' => $accept])->{headers}{'content-type'} =~ s/;.*//r,
        $type, "$accept is answered as $type";
}
my $ndjson = $ads->http('GET', '/v1/analytics/advertiser?group_by=campaign',
    ['X-API-Key' => $shop->{key}, 'Accept' => 'text/csv;q=0.1, application/x-ndjson;q=0.2']);
is $ndjson->{headers}{'content-type'}, 'application/x-ndjson', 'the better of two';

# ---- reports ---------------------------------------------------------------

for my $of (['advertiser', $shop->{key}, 'campaign'],
    ['publisher', $ads->seed_publisher->{key}, 'placement'])
{
    my ($kind, $key, $group) = @$of;
    my $examples = $paths->{"/v1/analytics/$kind"}{get}{responses}{200}{'x-by-accept'}{'text/csv'}{examples};
    is csv($key, "/v1/analytics/$kind?granularity=day&group_by=$group"),
        $examples->{by_day}{value}, "a $kind report without rows has its columns";
}

$ads->done;
