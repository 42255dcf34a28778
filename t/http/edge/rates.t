#!/usr/bin/perl
#
# Limits of the example configuration, as they are: by key where a key works,
# by address for all else; told to the client, and over them 429.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Load;
use Ads::Test;
use JSON::PP;
use Test::More;

my $port = Ads::Test::free_port();
my $ads  = Ads::Test->new(
    rates      => 1,
    nginx_http => Ads::Load::realip() . <<"END");
    server {
        listen 127.0.0.1:$port;
        access_log off;
        location / { return 200 "\$ads_credential"; }
    }
END
my $shop  = $ads->seed_shop;
my $pub   = $ads->seed_publisher;
my $bound = $ads->key($shop->{account}, '--cidrs', '192.0.2.0/24');
my $path  = '/v1/nothing/here';

sub ask
{
    my ($path, $from, @headers) = @_;
    return $ads->http('GET', $path, ['X-Forwarded-For' => $from, @headers]);
}

# ---- the variable ----------------------------------------------------------

sub name_of
{
    return Ads::Http::request($port, 'GET', '/',
        ['X-Forwarded-For' => '198.51.100.1', @_])->{body};
}

my $name = name_of('X-API-Key' => $shop->{key});
like $name, qr/^[0-9a-f]{16}$/, 'a key has a name';
is name_of('Authorization' => "Bearer $shop->{key}"), $name,
    'the same in the other header';
isnt name_of('X-API-Key' => $pub->{key}), $name, 'another key another one';
unlike $shop->{key}, qr/$name/, 'which is no part of it';
my $second = $ads->key($shop->{account});
isnt name_of('X-API-Key' => $second), $name, 'also one of the same account';
my $dead = $ads->adsctl('key', 'create', '--account', $shop->{account});
like name_of('X-API-Key' => $dead->{key}), qr/./, 'a new key has a name';
$ads->adsctl('key', 'revoke', $dead->{id});

for my $case (
    ['none'],
    ['a revoked one',     'X-API-Key'     => $dead->{key}],
    ['a mistyped one',   'X-API-Key'     => $shop->{key} =~ s/.$/_/r],
    ['one from elsewhere', 'X-API-Key'    => $bound],
    ['a token',           'Authorization' => 'Bearer eyJhbGciOiJFZERTQSJ9.e30.c2'],
    ['another scheme',    'Authorization' => 'Basic YTpi'],
    ['two', 'Authorization' => "Bearer $shop->{key}", 'X-API-Key' => $second],
) {
    my ($what, @headers) = @$case;
    is name_of(@headers), '', "no name without a key that works: $what";
}

# ---- management: 600 a minute, 600 at once ---------------------------------

# Asks until that is refused: how many were taken, the first and last answer.
# A slow machine asks slowly, and ten more are taken each second.
sub refused
{
    my ($most, $ask) = @_;
    my $first = my $last = $ask->(0);
    my $n = 0;
    while ($last->{status} != 429 && $n < $most) {
        $last = $ask->(++$n);
    }
    return ($n, $first, $last);
}

my @key = ('X-API-Key' => $shop->{key});
my ($n, $first, $over) =
    refused(6000, sub { ask($path, '198.51.100.1', @key) });
is $first->{headers}{'ratelimit-policy'}, '"manage";q=600;w=60',
    'the rate is told';
cmp_ok $n, '>=', 600, '600 at once are taken';
$ads->is_problem($over, 429, 'rate_limited', 'which says so');
like $over->{headers}{'retry-after'}, qr/^\d+$/, 'and when to come again';
is $over->{headers}{'ratelimit-policy'}, '"manage";q=600;w=60',
    'and what the rate is';

cmp_ok +(refused(6000, sub { ask($path, '198.51.100.2', @key) }))[0], '<', 600,
    'another address does not help';
is ask($path, '198.51.100.1', 'X-API-Key' => $second)->{status}, 404,
    'another key is not concerned';
is ask($path, '198.51.100.1')->{status}, 404,
    'nor is the address, without a key';

# credentials that anybody can make up share the count of their address
(undef, undef, my $refused) = refused(6000,
    sub { ask($path, '203.0.113.1', 'Authorization' => "Basic made-up-$_[0]") });
is $refused->{status}, 429, 'new credentials do not make new counts';
is ask($path, '203.0.113.2', 'Authorization' => 'Basic made-up')->{status}, 404,
    'another address has its own';

# tokens: a wider one, so that people behind one address do not share 600
my $made_up = 'Bearer eyJhbGciOiJFZERTQSJ9.e30.made';
($n, undef, $refused) = refused(30000,
    sub { ask($path, '203.0.113.3', 'Authorization' => "$made_up$_[0]") });
is $refused->{status}, 429, 'nor do new tokens';
cmp_ok $n, '>=', 3000, 'whose count is wider';
is ask($path, '203.0.113.3')->{status}, 404,
    'the address itself is not concerned';

my ($ann, $bob) = map {
    $ads->http('POST', '/v1/auth/signup',
        ['Content-Type' => 'application/json', 'X-Forwarded-For' => '192.0.2.9'],
        encode_json({ email => "$_\@shop.example",
            password => 'a long enough secret' }))->{json}{access_token};
} qw(ann bob);

sub ask_as
{
    my ($token, $from) = @_;
    return ask('/v1/account', $from, 'Authorization' => "Bearer $token");
}

($n, $first, $over) = refused(6000, sub { ask_as($ann, '192.0.2.1') });
is $first->{status}, 200, 'somebody is signed in';
cmp_ok $n, '>=', 600, '600 at once are taken of one person';
$ads->is_problem($over, 429, 'rate_limited', 'more are not');
like $over->{headers}{'retry-after'}, qr/^[1-9]\d*$/, 'but later';
cmp_ok +(refused(6000, sub { ask_as($ann, '192.0.2.2') }))[0], '<', 600,
    'another address does not help';
is ask_as($bob, '192.0.2.1')->{status}, 200,
    'another person behind the same address is not concerned';

# ---- signing in: 30 a minute for each address ------------------------------

sub sign_in
{
    my ($from) = @_;
    return $ads->http('POST', '/v1/auth/login',
        ['Content-Type' => 'application/json', 'X-Forwarded-For' => $from], '{');
}

($n, $first, my $late) = refused(200, sub { sign_in('203.0.113.7') });
is $first->{headers}{'ratelimit-policy'}, '"sign-in";q=30;w=60',
    'signing in tells its rate';
cmp_ok $n, '>=', 30, 'thirty in a row are taken';
$ads->is_problem($late, 429, 'rate_limited', 'more are not');
isnt sign_in('203.0.113.8')->{status}, 429, 'from another address they are';
is ask($path, '203.0.113.7')->{status}, 404, 'nor is the rest concerned';

# ---- sizes -----------------------------------------------------------------

for my $case (
    ['/v1/ads/recommend',     16 * 1024,   $pub->{key}],
    ['/v1/events/impression', 64 * 1024,   $pub->{key}],
    ['/v1/events/conversion', 64 * 1024,   $pub->{key}],
    ['/v1/campaigns',         1024 * 1024, $shop->{key}],
) {
    my ($on, $max, $key) = @$case;
    for my $size ($max, $max + 1) {
        my $body = '{' . ' ' x ($size - 2) . '}';
        my $status = $ads->http('POST', $on,
            ['Content-Type' => 'application/json', 'X-API-Key' => $key,
                'X-Forwarded-For' => '203.0.113.9'], $body)->{status};
        is $status == 413 ? 1 : 0, $size > $max ? 1 : 0,
            "$on: $size bytes: $status";
    }
}

# ---- others ----------------------------------------------------------------

for my $case (
    ['/v1/ads/recommend',      '"recommend";q=500;w=1'],
    ['/v1/events/impression',  '"events";q=1000;w=1'],
    ['/v1/events/click',       '"events";q=1000;w=1'],
    ['/v1/events/conversion',  '"events";q=1000;w=1'],
) {
    my ($on, $policy) = @$case;
    my $answer = $ads->http('POST', $on,
        ['Content-Type' => 'application/json', 'X-API-Key' => $pub->{key}],
        '{}');
    is $answer->{headers}{'ratelimit-policy'}, $policy, "$on tells its rate";
}

$ads->done;
