#!/usr/bin/perl
#
# No account makes objects without end: what it may have at most, and make in
# a day, is in adsd.conf.  More is a clear 409 or 429 that names the quota, or an
# import that fails and changes nothing.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads = Ads::Test->new(
    adsd => { campaigns_max => 3, products_max => 8, members_max => 2,
        keys_max => 4, topups_max => 3, campaigns_per_day => 8,
        products_per_day => 15, keys_per_day => 6 });
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
is $made[2]{json}{detail}, 'campaigns_max is 3, and the account has as many',
    'which names the quota';
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

# ---- products, whatever the way --------------------------------------------

sub product
{
    my (%more) = @_;
    return { campaign_id => $shop->{campaign}, title => 'Kettle', price => 1,
        currency => 'USD', url => 'https://shop.example/k', %more };
}

sub products { $ads->sql_value(q{select count(*) from ads.products
    where account_id = ? and status <> 'archived'}, $shop->{account}) }

sub post_products
{
    my ($body) = @_;
    return $ads->post('/v1/products', $shop->{key}, $body);
}

for my $case (['one product', product()],
    ['a batch', [map { product(sku => "new $_") } 1 .. 3]]) {
    my ($what, $body) = @$case;
    my $answer = post_products($body);
    $ads->is_problem($answer, 409, 'quota_exceeded', "$what beyond");
    is $answer->{json}{detail}, 'products_max is 8, and the account has as many',
        'which names the quota';
}
my $lines = $ads->http('POST', '/v1/products', ['X-API-Key' => $shop->{key},
        'Content-Type' => 'application/x-ndjson'],
    join '', map { encode_json(product(sku => "line $_")) . "\n" } 1 .. 3);
ok $lines->{status} == 409 || !grep({ ($_->{status} // '') eq 'created' }
        map { decode_json($_) } split /\n/, $lines->{body}),
    'lines beyond are not taken';
is products(), 8, 'none was kept';
my $a = post_products(product(sku => 'A', title => 'Other'));
is $a->{status} < 300 ? 1 : 0, 1, 'one that is there is changed all the same';
my $gone = $ads->http('DELETE', "/v1/products/$a->{json}{id}",
    ['X-API-Key' => $shop->{key}]);
is $gone->{status}, 200, 'one is archived';
is post_products(product(sku => 'C'))->{status}, 201, 'which makes room';
$ads->is_problem(post_products(product(sku => 'A')), 409, 'quota_exceeded',
    'not for the archived one to return');
is imported('A', 'B'), 'failed quota_exceeded', 'nor by an import';
is products(), 8, 'there are as many as may be';

# ---- made and archived, again and again ------------------------------------

sub ends_with
{
    my ($name, $make, $most) = @_;
    my ($n, $answer) = (0);
    $n++ while $n < $most && ($answer = $make->($n))->{status} == 201;
    $ads->is_problem($answer, 429, 'rate_limited', "$name ends it");
    like $answer->{json}{detail}, qr/^$name is \d+$/, 'and is named';
    cmp_ok $answer->{headers}{'retry-after'}, '>', 60, 'Retry-After is its time';
    return $n;
}

sub remove
{
    my ($path, $made, $who) = @_;
    $ads->http('DELETE', "$path/$made->{json}{id}",
        $who || ['X-API-Key' => $shop->{key}]) if defined $made->{json}{id};
    return $made;
}

my $last = $made[1];    # one of the three that there are
ends_with('campaigns_per_day', sub {
    remove('/v1/campaigns', $last);
    $last = campaign($shop);
}, 30);
cmp_ok $ads->sql_value('select count(*) from ads.campaigns where account_id = ?',
    $shop->{account}), '<=', 8, 'are as many as the quota says';

ends_with('products_per_day', sub {
    my $made = post_products(product(sku => "S$_[0]"));
    remove('/v1/products', $made) if $made->{status} == 201;
    if ($made->{status} == 409) {    # full: make room, once
        my $id = $ads->sql_value(q{select id from ads.products
            where account_id = ? and status <> 'archived' limit 1}, $shop->{account});
        remove('/v1/products', { json => { id => $id } });
        $made = post_products(product(sku => "S$_[0]"));
        remove('/v1/products', $made);
    }
    $made;
}, 60);

# ---- top-ups and keys ------------------------------------------------------

my $boss = $ads->seed_platform;
my @asked = map { $ads->post('/v1/balance/topup', $shop->{key},
    { amount => 5, currency => 'USD', reference => "r$_" }) } 1 .. 4;
is join(' ', map { $_->{status} } @asked), '201 201 201 409',
    'as many top-ups may wait';
$ads->is_problem($asked[3], 409, 'quota_exceeded', 'the next one');
is $ads->post('/v1/balance/topup', $shop->{key},
    { amount => 5, currency => 'USD', reference => 'r1' })->{status}, 200,
    'one that waits may be asked for again';
$ads->post("/v1/platform/topups/$asked[0]{json}{transaction_id}/reject",
    $boss->{key}, { reason => 'no' });
is $ads->post('/v1/balance/topup', $shop->{key},
    { amount => 5, currency => 'USD', reference => 'r5' })->{status}, 201,
    'one that is decided makes room';

my @as_boss = ('X-API-Key' => $boss->{key}, 'X-Ads-Account' => $shop->{account});
sub key
{
    return $ads->http('POST', '/v1/auth/api-key',
        [@as_boss, 'Content-Type' => 'application/json'], '{"name":"k"}');
}
my @keys = map { key() } 1 .. 4;
is join(' ', map { $_->{status} } @keys), '201 201 201 409',
    'as many keys may be usable';
is $keys[3]{json}{detail}, 'keys_max is 4: revoke one, or replace it with rotate',
    'which names the quota';
remove('/v1/auth/api-key', $_, \@as_boss) for @keys[ 0 .. 2 ];
ends_with('keys_per_day', sub { remove('/v1/auth/api-key', key(), \@as_boss) }, 20);

$ads->done;
