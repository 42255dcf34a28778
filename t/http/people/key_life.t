#!/usr/bin/perl
#
# Keys with an end: bound to addresses, expired, revoked.  Under load a revoked
# key is refused by every worker within a second.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Load;
use Ads::Test;
use File::Temp qw(tempdir);
use IO::Socket::UNIX;
use JSON::PP;
use Test::More;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep time);

my $workers = 2;
my $folder  = tempdir(CLEANUP => 1);
chmod 0777, $folder;
my $ads = Ads::Test->new(
    workers    => $workers,
    nginx_http => Ads::Load::realip(),
    nginx      => "        listen unix:$folder/socket;\n"
        . "        location = /pid { return 200 \$pid; }\n",
);
my $pub  = $ads->seed_publisher;
my $shop = $ads->seed_shop;
my $body = encode_json({ query => 'buy a laser printer' });

sub ask
{
    my ($key, $from, $path) = @_;
    return $ads->http('POST', $path // '/v1/ads/recommend',
        ['Content-Type' => 'application/json', 'X-API-Key' => $key,
            ($from ? ('X-Forwarded-For' => $from) : ())],
        $body);
}

# ---- addresses -------------------------------------------------------------

my @conversion = ('/v1/events/conversion');
my @cases      = (
    # ranges, addresses inside, outside
    ['192.0.2.0/24', ['192.0.2.1', '192.0.2.255'],
        ['192.0.3.1', '2001:db8::1', undef]],
    ['192.0.2.64/26,198.51.100.7', ['192.0.2.127', '198.51.100.7'],
        ['192.0.2.128', '198.51.100.8']],
    ['2001:db8:1::/48', ['2001:db8:1:ffff::1'],
        ['2001:db8:2::1', '192.0.2.1']],
    ['192.0.2.0/24,2001:db8::/32', ['::ffff:192.0.2.1', '2001:db8::'],
        ['::ffff:192.0.3.1', '::192.0.2.1']],
    ['0.0.0.0/0', ['192.0.2.1', undef], ['2001:db8::1']],
);
for my $case (@cases) {
    my ($ranges, $in, $out) = @$case;
    my $key = $ads->key($pub->{account}, '--cidrs', $ranges);
    for my $from (@$in) {
        my $name = "$ranges holds " . ($from // '127.0.0.1');
        is ask($key, $from)->{status}, 200, "a worker: $name";
        isnt ask($key, $from, @conversion)->{status}, 401, "adsd: $name";
    }
    for my $from (@$out) {
        my $name = "$ranges does not hold " . ($from // '127.0.0.1');
        $ads->is_problem(ask($key, $from), 401, 'credential_invalid',
            "a worker: $name");
        $ads->is_problem(ask($key, $from, @conversion), 401,
            'credential_invalid', "adsd: $name");
    }
}

# the same headers twice on one connection: each request has its own address
my $bound   = $ads->key($pub->{account}, '--cidrs', '192.0.2.0/24');
my @several = map {
    my ($head, $text) = Ads::Http::bytes(
        $ads->{port},
        'POST',
        '/v1/ads/recommend',
        ['Content-Type' => 'application/json', 'X-API-Key' => $bound,
            'X-Forwarded-For' => $_, 'Connection' => 'keep-alive'],
        $body
    );
    "$head$text";
} qw(192.0.2.1 198.51.100.1 192.0.2.2);
my $line = Ads::Http::connect($ads->{port});
my @status;
for my $request (@several) {
    syswrite $line, $request;
    push @status, Ads::Http::answer($line)->{status};
}
close $line;
is "@status", '200 401 200', 'an address is that of its request';

# "unix:" is no address
for my $case ([$ads->key($pub->{account}, '--cidrs', '0.0.0.0/0,::/0'), 401],
    [$pub->{key}, 200])
{
    my $local = IO::Socket::UNIX->new(Peer => "$folder/socket")
        or die "$folder/socket: $!\n";
    syswrite $local, join '',
        Ads::Http::bytes($ads->{port}, 'POST', '/v1/ads/recommend',
        ['Content-Type' => 'application/json', 'X-API-Key' => $case->[0]],
        $body);
    is Ads::Http::answer($local)->{status}, $case->[1],
        "over a Unix socket: $case->[1]";
}

my $hundred = join ',', map { "10.0.$_.0/24" } 1 .. 100;
is ask($ads->key($pub->{account}, '--cidrs', $hundred), '10.0.100.9')->{status},
    200, 'a key has up to a hundred ranges';

for my $bad (
    "$hundred,192.0.2.0/24", '192.0.2.1/24', '192.0.2.0/33', 'localhost',
    '::ffff:192.0.2.0/120', ','
) {
    my ($code) = $ads->try_adsctl('key', 'create', '--account',
        $pub->{account}, '--cidrs', $bad);
    is $code, 1, substr($bad, -30) . ' is refused';
}

# ---- time ------------------------------------------------------------------

sub at
{
    my ($seconds) = @_;
    my ($s, $min, $h, $day, $month, $year) = gmtime(time + $seconds);
    return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $year + 1900,
        $month + 1, $day, $h, $min, $s;
}

my $past = $ads->adsctl('key', 'create', '--account', $pub->{account},
    '--expires', at(-10));
is ask($past->{key})->{status}, 401, 'an expired key is refused';
is ask($past->{key}, undef, @conversion)->{status}, 401, 'by adsd too';

# by the worker's own clock: no one publishes while it runs out
my $end   = int(time) + 6;
my $short = $ads->adsctl('key', 'create', '--account', $pub->{account},
    '--expires', at($end - time));
is ask($short->{key})->{status}, 200, 'a key is good before its end';
$ads->stop('adsd');
my ($last_good, $first_bad);
$ads->wait_until(
    sub {
        my $before = time;
        my $status = ask($short->{key})->{status};
        $last_good = $before if $status == 200;
        $first_bad //= $before if $status == 401;
        return $first_bad;
    },
    10,
    'the key to expire'
);
cmp_ok $last_good, '<', $end, 'not a moment longer';
cmp_ok $first_bad - $end, '<', Ads::Test::patience(),
    'and refused within a second, adsd down'
    or diag $first_bad - $end;
$ads->start_adsd;

# ---- another in its place --------------------------------------------------

my $old = $ads->adsctl('key', 'create', '--account', $pub->{account},
    '--name', 'main', '--cidrs', '127.0.0.0/8');
my $next = $ads->adsctl('key', 'rotate', '--grace', 2, $old->{id});
like $next->{key}, qr/^ads_live_p/, 'a key is replaced by one of its kind';
is ask($_->{key})->{status}, 200, 'for a while both work' for $old, $next;
is ask($next->{key}, '192.0.2.1')->{status}, 401, 'from the same addresses';
$ads->wait_until(sub { ask($old->{key})->{status} == 401 }, 5,
    'the grace to end');
is ask($next->{key})->{status}, 200, 'then the new one alone';
my $sharp = $ads->adsctl('key', 'rotate', '--grace', 0, $next->{id});
is ask($next->{key})->{status}, 401, 'without a grace the old one ends at once';
is ask($sharp->{key})->{status}, 200, 'and the new one works';
is_deeply [map { "$_->{name} $_->{state}" }
        grep { $_->{name} } $ads->adsctl('key', 'list', '--account',
            $pub->{account})],
    ['main expired', 'main revoked', 'main active'], 'all of this is listed';
for my $bad (['--grace', 604801, $sharp->{id}], ['--grace', 'x', $sharp->{id}],
    [$old->{id}], ['00000000-0000-4000-8000-000000000000'])
{
    is +($ads->try_adsctl('key', 'rotate', @$bad))[0], 1, "@$bad is refused";
}

# ---- revocation under load -------------------------------------------------

# Open connections, at least three to each worker.
sub lines
{
    my ($head) = Ads::Http::bytes($ads->{port}, 'GET', '/pid',
        ['Connection' => 'keep-alive']);
    my (%n, @lines);
    until (keys %n == $workers && !grep { $_ < 3 } values %n) {
        die "connections go to few workers\n" if @lines > 500;
        my $line = Ads::Http::connect($ads->{port});
        syswrite $line, $head;
        my $pid = Ads::Http::answer($line)->{body};
        push @lines, $line if ++$n{$pid} <= 8;
    }
    return @lines;
}

# Each round: a key that both workers have answered, revoked by a committed
# statement; then asks on connections to both until all refuse.
my $load = Ads::Load->begin($ads, key => $pub->{key},
    queries => ['buy a laser printer'], clicks => 100, recommends => 150);

my @took;
for my $round (1 .. 10) {
    my $key = $ads->adsctl('key', 'create', '--account', $pub->{account});
    my ($head, $text) = Ads::Http::bytes(
        $ads->{port}, 'POST', '/v1/ads/recommend',
        ['Content-Type' => 'application/json', 'X-API-Key' => $key->{key},
            'Connection' => 'keep-alive'],
        $body
    );
    my @lines = lines();
    for my $line (@lines) {
        syswrite $line, "$head$text";
        Ads::Http::answer($line)->{status} == 200
            or die "a new key is refused\n";
    }
    $ads->db->do('update ads.api_keys set revoked_at = now() where id = ?',
        undef, $key->{id});
    my $revoked = clock_gettime(CLOCK_MONOTONIC);
    my $last    = $revoked;
    my %refused;
    $ads->wait_until(
        sub {
            for my $i (0 .. $#lines) {
                syswrite $lines[$i], "$head$text";
                my $status = Ads::Http::answer($lines[$i])->{status};
                my $now    = clock_gettime(CLOCK_MONOTONIC);
                $refused{$i} = 1 if $status == 401;
                $last = $now if $status != 401;
            }
            return keys %refused == @lines;
        },
        10,
        'all connections to refuse'
    );
    push @took, $last - $revoked;
    close $_ for @lines;
}
@took = sort { $a <=> $b } @took;
cmp_ok $took[-1], '<', Ads::Test::patience(),
    sprintf 'a revoked key is refused everywhere, under load, after %.2f s'
    . ' at most (median %.2f s)', $took[-1], $took[$#took / 2];
my @bad = $load->end->bad;
is "@bad[0 .. ($#bad > 4 ? 4 : $#bad)]", '', 'and nobody else notices';

$ads->done;
