#!/usr/bin/perl
#
# Reload after reload, each with another text: old workers go at once, at the
# latest when worker_shutdown_timeout says so, the master grows by nothing, and
# clients that keep their connections notice nothing but their end.
#
# ADS_LONG=1: 200 reloads for the master, 1,000 clients over 50 reloads.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use IO::Select;
use JSON::PP;
use List::Util qw(max sum0);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $long = $ENV{ADS_LONG};
my $ads  = Ads::Test->new;
my $pub  = $ads->seed_publisher;
$ads->seed_shop;

my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");
$conf =~ s/^worker_shutdown_timeout\h.*/worker_shutdown_timeout 1s;/m
    or die "nginx.conf.example: no worker_shutdown_timeout\n";
unlike $conf, qr/\breuseport\b/,
    'the example shares its sockets: none is lost with a worker';

# Seconds until the old workers were gone.
my $n_reloads = 0;
sub reload
{
    $n_reloads++;
    $ads->write_file("$ads->{dir}/nginx.conf", "$conf# reload $n_reloads\n");
    return $ads->reload;
}

sub median
{
    my @sorted = sort { $a <=> $b } @_;
    return $sorted[ @sorted / 2 ];
}

my ($head, $body) = Ads::Http::bytes($ads->{port}, 'POST',
    '/v1/ads/recommend',
    ['Content-Type' => 'application/json', 'X-API-Key' => $pub->{key},
        Connection => 'keep-alive'],
    '{"query":"buy a laser printer"}');

# ---- old workers go --------------------------------------------------------

reload();
my @idle = map { reload() } 1 .. 20;
cmp_ok median(@idle), '<=', Ads::Test::patience(), sprintf
    'N1: idle workers are gone in %.2f s, median of 20 reloads', median(@idle);
cmp_ok max(@idle), '<=', 2 * Ads::Test::patience(), sprintf
    'N1: the slowest in %.2f s: no timer kept it', max(@idle);

my @kept;
for (1 .. 5) {
    my @clients = map { Ads::Http::connect($ads->{port}) } 1 .. 100;
    syswrite $_, $head . $body for @clients;
    Ads::Http::answer($_)->{status} == 200 or die "no answer\n" for @clients;
    push @kept, reload();
}
cmp_ok median(@kept), '<=', Ads::Test::patience(), sprintf
    'N1: with 100 kept connections in %.2f s', median(@kept);
cmp_ok max(@kept), '<=', 2 * Ads::Test::patience(), sprintf
    'N1: the slowest in %.2f s', max(@kept);

my @half = map { Ads::Http::connect($ads->{port}) } 1 .. 5;
syswrite $_, $head . substr $body, 0, 9 for @half;
sleep 0.2;
my $busy = reload();
cmp_ok $busy, '<=', 1 + Ads::Test::patience(), sprintf
    'N1: with half a request in %.2f s, worker_shutdown_timeout 1s', $busy;
close $_ for @half;

# all kinds at once, and the processes themselves: a worker that lost its master
# would not be in its list
my @old     = $ads->worker_processes;
my @silent  = map { Ads::Http::connect($ads->{port}) } 1 .. 20;
my @waiting = map { Ads::Http::connect($ads->{port}) } 1 .. 20;
my @writing = map { Ads::Http::connect($ads->{port}) } 1 .. 20;
syswrite $_, $head . $body for @waiting;
Ads::Http::answer($_)->{status} == 200 or die "no answer\n" for @waiting;
syswrite $_, $head . substr $body, 0, 9 for @writing;
sleep 0.2;
my $held = reload();
cmp_ok $held, '<=', 1 + Ads::Test::patience(), sprintf
    'N25: with connections held in every state in %.2f s', $held;
is_deeply [map { $_->{pid} } grep { $_->alive } @old], [],
    'N25: no old worker is left';
is scalar(grep { IO::Select->new($_)->can_read(1) && !sysread $_, my $end, 1 }
        @silent, @waiting, @writing), 60, 'N25: nor a connection to one';
my ($code, $said) = $ads->try_adsctl(qw(journal status));
my %now = map { $_ => 1 } $ads->workers;
is_deeply [grep { !$now{$_} } $said =~ /-(\d+)\.seg +live/g], [],
    'N25: nor a segment that one still writes';

is_deeply [$ads->log_lines('nginx.log', qr/\[alert\]|open socket/)], [],
    'N2: no socket was left open';
is_deeply [$ads->log_lines('nginx.log', qr/exited on signal/)], [],
    'N5: no worker died';

# ---- the master grows by nothing -------------------------------------------

sub footprint
{
    my $proc = '/proc/' . $ads->part('nginx')->{pid};
    my ($rss) = Ads::Stack::read_file("$proc/status") =~ /^VmRSS:\s+(\d+)/m;
    my @fds  = glob "$proc/fd/*";
    my @maps = split /\n/, Ads::Stack::read_file("$proc/maps");
    return { rss_kib => $rss, fds => scalar @fds, maps => scalar @maps };
}

my $more   = $long ? 190 : 20;
my $before = footprint();
reload() for 1 .. $more;
my $after = footprint();
is $after->{fds},  $before->{fds},  "N6: $more reloads, no descriptor more";
SKIP: {
    skip 'a sanitizer keeps what was freed', 2 if $ENV{ADS_CFLAGS};
    is $after->{maps}, $before->{maps}, 'N6: no mapping more';
    cmp_ok $after->{rss_kib} - $before->{rss_kib}, '<=', 1024,
        'N6: and at most 1 MiB of memory';
}

# ---- clients that keep their connections -----------------------------------

# Asks on each of n kept connections in turn until the file goes away; as a
# good client it looks whether the server closed one before using it again.
sub client
{
    my ($n, $file) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my %seen = map { $_ => 0 } qw(asked closed broken failed wrong);
    my @kept = map { Ads::Http::connect($ads->{port}) } 1 .. $n;

    while (-e $file) {
        for my $at (0 .. $n - 1) {
            my $reused = 1;    # or idle since it was made, which is the same
            $seen{asked}++;
            if (IO::Select->new($kept[$at])->can_read(0)) {
                $seen{closed}++;
                $kept[$at] = Ads::Http::connect($ads->{port});
                $reused = 0;
            }
            my $answer = ask($kept[$at]);
            if (!$answer) {
                $seen{ $reused ? 'broken' : 'failed' }++;
                $kept[$at] = Ads::Http::connect($ads->{port});
                $answer = ask($kept[$at]) or $seen{failed}++;
            }
            $seen{wrong}++ if $answer && !$answer->{json}{decision};
            $kept[$at] = Ads::Http::connect($ads->{port})
                if ($answer->{headers}{connection} // '') eq 'close';
            sleep 0.002;    # what a request takes is not all there is
        }
    }
    return \%seen;
}

sub ask
{
    my ($socket) = @_;
    return undef unless defined syswrite $socket, $head . $body;
    return Ads::Http::answer($socket);
}

my ($processes, $each) = (4, $long ? 250 : 25);
my $go_on = "$ads->{dir}/tmp/go-on";
$ads->write_file($go_on, '');
my @children;
for my $n (1 .. $processes) {
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        my $seen = eval { client($each, $go_on) } || { failed => "$@" };
        open my $out, '>', "$go_on.$n" or POSIX::_exit(1);
        print {$out} encode_json($seen);
        close $out;
        POSIX::_exit(0);
    }
    push @children, $pid;
}
sleep 0.5;
my $rounds = $long ? 50 : 6;
for (1 .. $rounds) {
    reload();
    sleep($long ? 1 : 0.2);
}
unlink $go_on;
waitpid $_, 0 for @children;

my @seen = map { decode_json(Ads::Stack::read_file("$go_on.$_")) }
    1 .. $processes;
my %sum = map { my $what = $_; $what => sum0(map { $_->{$what} } @seen) }
    keys %{ $seen[0] };
note join ' ', map { "$_=$sum{$_}" } sort keys %sum;
cmp_ok $sum{asked}, '>', 3 * $processes * $each,
    "N20: $sum{asked} requests on kept connections over $rounds reloads";
cmp_ok $sum{closed}, '>', 0, 'N20: idle connections were closed';
# one of ten thousand; a short run has not asked so often
cmp_ok $sum{broken}, '<=', $long ? $sum{asked} / 10_000 : 2 * $rounds,
    "N20: $sum{broken} were closed in the moment they were used again";
is $sum{failed}, 0, 'N20: a second try never fails';
is $sum{wrong},  0, 'N20: every answer is a decision';

# ---- a budget, spent by ever other workers ---------------------------------

my $product = { %{ $ads->products->[4] }, id => 'p-budget' };
my $budget  = $ads->seed_shop(
    name     => 'Budget',
    bid      => '0.10',
    lifetime => '5.00',
    products => [$product]
);
my @links;
while (@links < 120) {
    my ($ad) = grep { $_->{advertiser} eq 'Budget' }
        @{ $ads->recommend($pub->{key}, 'buy wireless headphones')->{json}{ads} };
    push @links, $ad->{click_url} if $ad;
}
my $text = $conf;
my $n_redirected = 0;
for my $at (0 .. $#links) {
    if ($at % 10 == 0) {
        my $workers = (1, 4, 2)[ $at / 10 % 3 ];
        $conf = $text =~ s/^worker_processes\h.*/worker_processes $workers;/mr;
        reload();
    }
    $n_redirected++ if $ads->click($links[$at])->{status} == 302;
}
is $n_redirected, scalar @links,
    "N7: $n_redirected clicks are redirected, by 1, 4 and 2 workers in turn";
Ads::Journal::wait_drained($ads, 20);
is_deeply $ads->sql('select k.name, count(*), sum(c.billed_micros)
        from ads.clicks c join ads.click_classes k on k.code = c.class
        where c.campaign_id = $1 group by 1 order by 1 desc',
    $budget->{campaign}), [['valid', 50, 5_000_000], ['unfunded', 70, 0]],
    'N7: the budget is spent to the unit, and no more';

$ads->done;
