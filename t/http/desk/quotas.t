#!/usr/bin/perl
#
# No account makes objects without end: what it may have at most is in
# adsd.conf, and more is a clear 409, or an import that fails and changes
# nothing.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads = Ads::Test->new(
    adsd => { campaigns_max => 3, products_max => 8, members_max => 2 });
my $shop  = $ads->seed_shop;                       # 1 campaign, 6 products
my $other = $ads->seed_shop(name => 'Other shop', products => []);

sub campaign
{
    my ($who) = @_;
    return $ads->post('/v1/campaigns', $who->{key}, { name => 'One more',
        pricing => 'cpc', bid => 0.5, budget => { daily => 5 } });
}

my @made = map { campaign($shop) } 1 .. 3;
is join(' ', map { $_->{status} } @made), '201 201 409',
    'as many campaigns as an account may have';
$ads->is_problem($made[2], 409, 'quota_exceeded', 'the next one');
is campaign($other)->{status}, 201, 'another account is not concerned';
is $ads->http('DELETE', "/v1/campaigns/$made[0]{json}{id}",
    ['X-API-Key' => $shop->{key}])->{status} < 300 ? 1 : 0, 1, 'one is archived';
is campaign($shop)->{status}, 201, 'which makes room';

sub imported
{
    my (@skus) = @_;
    my $path = '/v1/products/import';
    my $feed = join '', map { encode_json({ sku => $_, title => "Kettle $_",
        price => 12.5, currency => 'USD', url => "https://shop.example/$_" })
        . "\n" } @skus;
    my $id = $ads->http('POST', "$path?campaign_id=$shop->{campaign}",
        ['X-API-Key' => $shop->{key}, 'Content-Type' => 'application/x-ndjson'],
        $feed)->{json}{id};
    my $seen;
    $ads->wait_until(sub {
        $seen = $ads->http('GET', "$path/$id", ['X-API-Key' => $shop->{key}])
            ->{json};
        return $seen->{status} =~ /^(?:done|failed)$/;
    }, 30, 'the import to end');
    return "$seen->{status} " . ($seen->{failure}{code} // $seen->{counts}{added});
}

is imported('A', 'B'), 'done 2', 'as many products as it may have';
is imported('A', 'B', 'C'), 'failed quota_exceeded', 'not one more';
is $ads->sql_value('select count(*) from ads.products where account_id = ?',
    $shop->{account}), 8, 'and nothing of that feed is kept';

$ads->done;
