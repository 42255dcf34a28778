#!/usr/bin/perl
#
# Strangers who send bodies byte by byte close nothing: only requests that are
# with the daemon count against its limits, so imports, log-ins and management
# answer others as ever; what needs a credential asks for it before the body;
# and a body that comes too slowly is cut off.
#
# With ADS_LONG=1 two thousand connections send 10 bytes a second each, from one
# address and from many, and honest requests are timed before and meanwhile.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Load;
use Ads::SlowBodies;
use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $ads  = Ads::Test->new(rates => 1, nginx_http => Ads::Load::realip());
my $shop = $ads->seed_shop;
my $pub  = $ads->seed_publisher;
my $json = 'Content-Type: application/json';
my $n_from = 0;

sub from
{
    $n_from++;
    return '198.18.' . ($n_from >> 8 & 255) . '.' . ($n_from & 255);
}

sub honest
{
    my ($method, $path, $type, $body) = @_;
    return $ads->http($method, $path,
        ['X-API-Key' => $shop->{key}, 'Content-Type' => $type,
            'X-Forwarded-For' => from()], $body)->{status};
}

my %served = (
    import => sub {
        honest('POST',
            "/v1/products/import?campaign_id=$shop->{campaign}&dry_run=true",
            'application/x-ndjson', encode_json($ads->products->[0]));
    },
    login => sub {
        honest('POST', '/v1/auth/login', 'application/json',
            '{"email":"a@b.example","password":"no such secret"}');
    },
    management => sub { honest('GET', '/v1/account', 'application/json') },
);
my %status = (import => 202, login => 401, management => 200);

# ---- few connections, no credential ----------------------------------------

# A stranger's head and the first byte of a body, which never ends.
sub hold
{
    my ($method, $path, @headers) = @_;
    my $socket = Ads::Http::connect($ads->{port});
    syswrite $socket, join "\r\n", "$method $path HTTP/1.1", 'Host: x',
        'X-Forwarded-For: ' . from(), $json, 'Content-Length: 1000', @headers,
        '', '{';
    return $socket;
}

my $token = 'Authorization: Bearer ' . Ads::SlowBodies::token(int time + 600);
for my $case (
    [4,   'import',     'POST',  '/v1/products/import'],
    [41,  'login',      'POST',  '/v1/auth/login'],
    [301, 'management', 'PATCH', '/v1/account'],
) {
    my ($n, $what, $method, $path) = @$case;
    my @held = map { hold($method, $path, $token) } 1 .. $n;

    # nginx has read the heads of all of them by then
    is $ads->recommend($pub->{key}, 'buy')->{status}, 200, 'ads are served';
    is $served{$what}->(), $status{$what},
        "$n slow bodies of strangers: $what answers others";
}

# ---- the credential before the body ----------------------------------------

my $dead = $ads->adsctl('key', 'create', '--account', $shop->{account});
$ads->adsctl('key', 'revoke', $dead->{id});

for my $path ('/v1/campaigns', '/v1/products/import', '/v1/events/conversion')
{
    for my $case (
        ['no credential', 'credential_missing'],
        ['a key made up', 'credential_invalid', 'X-API-Key: ads_live_a_nonsense'],
        ['a revoked key', 'credential_invalid', "X-API-Key: $dead->{key}"],
        ['no token', 'credential_invalid', 'Authorization: Bearer x.y.z'],
        ['a token without time', 'credential_invalid',
            'Authorization: Bearer eyJhbGciOiJFZERTQSJ9.e30.made-up'],
        ['a token for ever', 'credential_invalid', 'Authorization: Bearer '
                . Ads::SlowBodies::token(int time + 86_400)],
        ['a token that is over', 'credential_invalid', 'Authorization: Bearer '
                . Ads::SlowBodies::token(int time - 100)],
    ) {
        my ($what, $code, @header) = @$case;
        my $answer = Ads::Http::answer(hold('POST', $path, @header));
        $ads->is_problem($answer, 401, $code, "$path, $what: no body is read");
        ok $answer->{headers}{'www-authenticate'}, 'and it says how to come in';
    }
}

# ---- addresses -------------------------------------------------------------

# Answers to so many requests from one address, each the next of the list.
sub sign_ins
{
    my ($n, @from) = @_;
    return map {
        $ads->http('POST', '/v1/auth/login',
            ['Content-Type' => 'application/json',
                'X-Forwarded-For' => $from[$_ % @from]], '{')->{status}
    } 1 .. $n;
}

my @network = map { "2001:db8:1:2:$_\::1" } 1 .. 16;
cmp_ok scalar(grep { $_ == 429 } sign_ins(48, @network)), '>', 0,
    'the addresses of one /64 share a rate';
is join(' ', grep { $_ == 429 } sign_ins(16,
    map { "2001:db8:1:$_\::1" } 16 .. 31)), '', 'those of others do not';
cmp_ok scalar(grep { $_ == 429 } sign_ins(48, '198.51.100.7',
        '::ffff:198.51.100.7')), '>', 0,
    'an IPv4 address is the same in both forms';

# ---- the least rate of a body ----------------------------------------------

my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");
cmp_ok $conf =~ s/^(\h+ads_body_rate\h+\w+)(?:\h+\w+)?;/$1 1s;/mg, '>=', 2,
    'the example has a least rate';
$ads->write_file("$ads->{dir}/nginx.conf", $conf);
$ads->reload;

my $good = "X-API-Key: $pub->{key}";
for my $case (
    ['of adsd',     '/v1/auth/login'],
    ['of a feed',   '/v1/products/import', "X-API-Key: $shop->{key}"],
    ['of a worker', '/v1/ads/recommend', $good],
) {
    my ($what, $path, @header) = @$case;
    my $socket = hold('POST', $path, @header);
    my $bytes  = my $sent = 0;
    my $began  = time;
    local $SIG{PIPE} = 'IGNORE';
    while (!IO::Select->new($socket)->can_read(0.1)
        && time - $began < 8 * Ads::Test::patience())
    {
        syswrite $socket, ' ';
        $sent++;
    }
    is +(sysread $socket, $bytes, 99) || 0, 0,
        "a body $what, 10 bytes a second: cut off";
    cmp_ok time - $began, '<', 8 * Ads::Test::patience(), 'within seconds';
}
cmp_ok honest('POST', '/v1/campaigns', 'application/json',
    '{}'), '==', 400, 'one that comes at once is not';

# ---- many connections ------------------------------------------------------

my $n_slow   = $ENV{ADS_LONG} ? 2000 : 400;
my $n_times  = $ENV{ADS_LONG} ? 100  : 20;
my $n_rounds = $ENV{ADS_LONG} ? 5    : 1;

sub median
{
    my @sorted = sort { $a <=> $b } @_;
    return $sorted[ $#sorted / 2 ];
}

# Without and with the attack in turn: what each of both saw, a list a kind.
sub rounds
{
    my ($one_address) = @_;
    my (%before, %during);
    for (1 .. $n_rounds) {
        my $was    = Ads::SlowBodies::times($ads, $shop, $pub, $n_times);
        my $attack = Ads::SlowBodies->begin($ads, $n_slow, $one_address);
        my $is     = Ads::SlowBodies::times($ads, $shop, $pub, $n_times);
        cmp_ok $attack->end, '>', $n_slow, "$n_slow slow bodies were sent";
        push @{ $before{$_} }, $was->{$_} for keys %$was;
        push @{ $during{$_} }, $is->{$_}  for keys %$is;
    }
    return (\%before, \%during);
}

for my $one (0, 1) {
    my ($before, $during) = rounds($one);
    for my $what (sort keys %$before) {
        my $from = $one ? 'one address' : 'many addresses';
        is scalar(grep { $_->{failed} } @{ $during->{$what} }), 0,
            "slow bodies from $from: no $what fails";
        my ($was, $is) = map { median(map { $_->{p99_ms} } @{ $_->{$what} }) }
            $before, $during;
        note sprintf '%s, %s: p99 %.1f ms before, %.1f ms during', $from,
            $what, $was, $is;
        next if !$ENV{ADS_LONG};    # else the machine does other things too
        my $base = $was > 3 ? $was : 3;    # less is the scheduler's
        cmp_ok $is, '<=', 2 * $base, "$what: p99 within twice of before";
    }
}

$ads->done;
