#!/usr/bin/perl
#
# Who may ask: keys in either header, of the right kind, alive, and never in a
# URL; none of them ends up in a log.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $port = Ads::Test::free_port();
my $ads  = Ads::Test->new(
    nginx      => "        access_log log/combined.log combined;\n",
    nginx_http => <<"END");
    limit_req_zone \$ads_publisher zone=mine:1m rate=1r/m;
    server {
        listen 127.0.0.1:$port;
        access_log off;
        error_page 413 429 /ads-problem;
        location = /ads-problem { internal; ads_problem; }
        location = /v1/ads/recommend {
            client_max_body_size 1;
            limit_req zone=mine nodelay;
            limit_req_status 429;
            ads_recommend;
        }
    }
END
my $pub   = $ads->seed_publisher;
my $other = $ads->seed_publisher(name => 'Other');
my $shop  = $ads->seed_shop;
my $key   = $pub->{key};
my $body  = encode_json({ query => 'buy a laser printer' });
my @paths = qw(/v1/ads/recommend /v1/events/impression /v1/events/click);

sub ask
{
    my ($path, @headers) = @_;
    return $ads->http('POST', $path,
        ['Content-Type' => 'application/json', @headers], $body);
}

# ---- both headers ----------------------------------------------------------

for my $headers (
    ['Authorization' => "Bearer $key"],
    ['authorization' => "bearer $key"],
    ['X-API-Key'     => $key],
    ['x-api-key'     => $key],
    ['Authorization' => "Bearer $key", 'X-API-Key' => $key],
    ['X-API-Key'     => $key, 'X-API-Key' => $key],
) {
    my $shown = join ', ', map { s/ads_live.*/KEY/r } @$headers;
    is ask($paths[0], @$headers)->{status}, 200, "$shown is a credential";
}

# ---- refusals, the same on every path --------------------------------------

# a key of the right form that no one has: the form is checked by its digits
my $revoked = $ads->adsctl('key', 'create', '--account', $pub->{account});
$ads->adsctl('key', 'revoke', $revoked->{id});
my $wrong_digit = $key =~ s/(.)$/$1 eq 'A' ? 'B' : 'A'/er;

for my $path (@paths) {
    my $none = ask($path);
    $ads->is_problem($none, 401, 'credential_missing', "$path wants a key");
    is $none->{headers}{'www-authenticate'}, 'Bearer realm="ads"',
        'and says what kind';

    for my $case (
        ['revoked',         $revoked->{key}],
        ['mistyped',        $wrong_digit],
        ['short',           substr $key, 0, 45],
        ['long',            "${key}0"],
        ['a JWT',           'eyJhbGciOiJFZERTQSJ9.e30.c2ln'],
        ['something',       'x'],
        ['very long',       'a' x 4000],
        ['other letters',   "\xff" x 46],
    ) {
        my ($what, $bad) = @$case;
        my $refused = ask($path, 'Authorization' => "Bearer $bad");
        $ads->is_problem($refused, 401, 'credential_invalid',
            "a key that is $what");
        like $refused->{headers}{'www-authenticate'}, qr/invalid_token/,
            'is told so';
    }
    for my $form ('Basic YTpi', "$key", 'Bearer', "Bearer $key $key") {
        is ask($path, 'Authorization' => $form)->{status}, 401,
            'an Authorization that is not Bearer and a key';
    }

    $ads->is_problem(ask($path, 'X-API-Key' => $shop->{key}), 403,
        'wrong_scope', 'the key of an advertiser is of the wrong kind');
    $ads->is_problem(
        ask($path, 'Authorization' => "Bearer $key",
            'X-API-Key' => $other->{key}),
        400, 'credentials_conflict', 'two different credentials');
    $ads->is_problem(
        ask($path, 'X-API-Key' => $key, 'X-API-Key' => $other->{key}),
        400, 'credentials_conflict', 'also in one header');
    $ads->is_problem(ask("$path?key=$key"), 400, 'key_in_url',
        'a key in the URL');
    $ads->is_problem(ask("$path?a=1&b=$key", 'X-API-Key' => $key), 400,
        'key_in_url', 'even beside a good one');
    is $ads->http('GET', $path)->{status}, 405, 'GET needs no key to be wrong';
}

# in the path it is refused wherever that leads, and no log holds it
for my $path ("/v1/ads/recommend/$key", "/v1/campaigns/$key", "/$key", "/v1/$key/x",
    '/v1/campaigns/%61' . substr($key, 1), "/v1/click/$key")
{
    $ads->is_problem($ads->http('GET', $path, ['X-API-Key' => $key]), 400,
        'key_in_url', 'a key in the path');
}
$ads->http('GET', "/v1/nothing?key=$key");
for my $log (qw(nginx.log access.log combined.log adsd.out)) {
    my @told = $ads->log_lines($log, qr/\Q$key\E|\Q@{[substr $key, 1, 40]}\E/);
    is scalar(@told), 0, "$log holds no key";
}

# ---- a key's life ----------------------------------------------------------

my $mortal = $ads->adsctl('key', 'create', '--account', $pub->{account});
is ask($paths[0], 'X-API-Key' => $mortal->{key})->{status}, 200,
    'a new key works as soon as it is told';
$ads->adsctl('key', 'revoke', $mortal->{id});
my @status = map { ask($paths[0], 'X-API-Key' => $mortal->{key})->{status} }
    1 .. 8;
is "@status", join(' ', (401) x 8),
    'a revoked one is refused by every worker at once';

# the key is right when its body is asked for, and revoked before that comes
for my $path (@paths) {
    my $late = $ads->adsctl('key', 'create', '--account', $pub->{account});
    my ($head, $body) = Ads::Http::bytes(
        $ads->{port}, 'POST', $path,
        ['Content-Type' => 'application/json', 'X-API-Key' => $late->{key},
            Expect => '100-continue'],
        '{}'
    );
    my $socket = Ads::Http::connect($ads->{port});
    syswrite $socket, $head;
    sysread $socket, my $go_on, 1000;
    like $go_on, qr{^HTTP/1\.1 100 }, "$path asks for the body";
    $ads->adsctl('key', 'revoke', $late->{id});
    syswrite $socket, $body;
    $ads->is_problem(Ads::Http::answer($socket), 401, 'credential_invalid',
        'which comes too late');
}

# ---- limits by publisher, before the body ----------------------------------

sub limited
{
    my ($key) = @_;
    return Ads::Http::request($port, 'POST', $paths[0],
        ['Content-Type' => 'application/json', 'X-API-Key' => $key], '{');
}

is limited($key)->{status}, 400, 'a first request is taken';
my $second = limited($key);
$ads->is_problem($second, 429, 'rate_limited',
    'a second of the same publisher is over its rate');
like $second->{headers}{'retry-after'} // '', qr/^\d+$/,
    'and told when to come again';
is limited($other->{key})->{status}, 400, 'another publisher is not';
is limited('nonsense')->{status}, 401, 'nor does a bad key count for anybody'
    for 1 .. 2;

# ---- secrets ---------------------------------------------------------------

my @seen = map { my $log = $_; $ads->log_lines($log, qr/\Q$key\E/) }
    qw(access.log nginx.log nginx.out adsd.out);
is scalar(@seen), 0, 'no log holds a key';

$ads->done;
