#!/usr/bin/perl
#
# Limits of the example configuration, as they are: by key where a key works,
# by address for all else; told to the client, and over them 429.

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

# How many of n requests in a row are refused for their number.
sub refused
{
    my ($n, $from, @headers) = @_;
    my ($first, $over);
    my $answers = 0;
    for (1 .. $n) {
        my $answer = ask($path, $from, @headers);
        $first //= $answer;
        $over  //= $answer if $answer->{status} == 429;
        $answers++ if $answer->{status} == 429;
    }
    return ($answers, $first, $over);
}

my @key = ('X-API-Key' => $shop->{key});
my ($n, $first, $over) = refused(680, '198.51.100.1', @key);
is $first->{headers}{'ratelimit-policy'}, '"manage";q=600;w=60',
    'the rate is told';
cmp_ok $n, '>', 0, 'over 600 at once some are refused';
$ads->is_problem($over, 429, 'rate_limited', 'which says so');
like $over->{headers}{'retry-after'}, qr/^\d+$/, 'and when to come again';
is $over->{headers}{'ratelimit-policy'}, '"manage";q=600;w=60',
    'and what the rate is';

cmp_ok +(refused(20, '198.51.100.2', @key))[0], '>', 0,
    'another address does not help';
is ask($path, '198.51.100.1', 'X-API-Key' => $second)->{status}, 404,
    'another key is not concerned';
is ask($path, '198.51.100.1')->{status}, 404,
    'nor is the address, without a key';

# credentials that anybody can make up share the count of their address
my @made_up = map { "eyJhbGciOiJFZERTQSJ9.e30.made$_" } 1 .. 680;
my $made_n  = 0;
for my $token (@made_up) {
    $made_n++ if ask($path, '203.0.113.1',
        'Authorization' => "Bearer $token")->{status} == 429;
}
cmp_ok $made_n, '>', 0, 'new tokens do not make new counts';
is ask($path, '203.0.113.2', 'Authorization' => "Bearer $made_up[0]")
    ->{status}, 404, 'another address has its own';

# ---- signing in: 30 a minute for each address ------------------------------

sub sign_in
{
    my ($from) = @_;
    return $ads->http('POST', '/v1/auth/login',
        ['Content-Type' => 'application/json', 'X-Forwarded-For' => $from], '{');
}

my @sign_in = map { sign_in('203.0.113.7') } 1 .. 36;
is $sign_in[0]{headers}{'ratelimit-policy'}, '"sign-in";q=30;w=60',
    'signing in tells its rate';
is scalar(grep { $_->{status} == 429 } @sign_in[ 0 .. 29 ]), 0,
    'thirty in a row are taken';
my ($late) = grep { $_->{status} == 429 } @sign_in;
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
