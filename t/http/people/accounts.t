#!/usr/bin/perl
#
# GET /v1/platform/accounts: the operator finds accounts by type, state and
# name, page by page; no one else gets one.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads  = Ads::Test->new;
my $boss = $ads->seed_platform;
my $shop = $ads->seed_shop(name => 'Acme Shop', products => []);
my $pub  = $ads->seed_publisher(name => 'Assistant');
my @more = map { $ads->adsctl(qw(tenant create --type advertiser --name),
    "Shop $_")->{id} } 1 .. 5;
$ads->adsctl('tenant', 'suspend', $more[0]);

sub accounts
{
    my ($query, @headers) = @_;
    return $ads->http('GET', "/v1/platform/accounts?$query",
        ['X-API-Key' => $boss->{key}, @headers]);
}

sub names { return join ' ', map { $_->{name} } @{ accounts(@_)->{json}{data} } }

my %all = map { $_->{id} => $_ } @{ accounts('')->{json}{data} };
is scalar keys %all, 8, 'all of them are listed';
is_deeply [@{ $all{ $shop->{account} } }{qw(type name status currency suspended_at approved_at)}],
    ['advertiser', 'Acme Shop', 'active', 'USD', undef, undef], 'an advertiser';
ok $all{ $pub->{account} }{approved_at}, 'a publisher with its approval';
ok $all{ $more[0] }{suspended_at}, 'a suspended one with when';
is names('type=publisher'), 'Assistant', 'by type';
is names('status=suspended'), 'Shop 1', 'by state';
is names('q=aCMe'), 'Acme Shop', 'by name, whatever the case';
is names('type=publisher&q=shop'), '', 'by all of them at once';

my ($seen, $query, $pages) = ('', 'limit=3&type=advertiser', 0);
my $cursor = '';
do {
    my $page = accounts($query . $cursor)->{json};
    $seen .= join('', map { "$_->{name}," } @{ $page->{data} });
    $cursor = $page->{has_more} ? "&cursor=$page->{next_cursor}" : undef;
    $pages++;
} while (defined $cursor && $pages < 9);
is $seen, 'Shop 5,Shop 4,Shop 3,Shop 2,Shop 1,Acme Shop,', 'newest first, by pages';
is $pages, 2, 'no more than needed';

my $csv = accounts('type=publisher', Accept => 'text/csv');
like $csv->{body}, qr/^id,type,name,status,.*\r\n\Q$pub->{account}\E,publisher,Assistant,/,
    'as CSV too';
$ads->is_problem(accounts('type=pope'), 400, 'invalid_fields', 'a type there is');
$ads->is_problem($ads->http('GET', '/v1/platform/accounts', ['X-API-Key' => $_->{key}]),
    403, 'wrong_scope', 'for the platform only') for $shop, $pub;

$ads->done;
