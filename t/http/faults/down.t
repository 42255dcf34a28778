#!/usr/bin/perl
#
# adsd and PostgreSQL end, hang, slow down and come back in every order under
# load: who asks for ads and who clicks notices nothing; who manages gets 503
# with Retry-After within 3 seconds, and is served as soon as both are there.
# After each order what was answered is what is billed.
#
# Then two thousand management requests at once.
#
# ADS_LONG=1 goes through all orders there are, else a few that differ most.
#
# Runs: first long tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use IO::Poll qw(POLLIN);
use JSON::PP;
use List::Util qw(sum0);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $long  = Ads::Chaos::long();
my $chaos = Ads::Chaos->new(rates => 0);
my $ads   = $chaos->{ads};
my $pub   = $chaos->{publisher};

my $id   = '01000000-0000-8000-8000-000000000000';
my $sale = encode_json({ click_id => $id, request_id => $id, ad_id => $id,
        value => 1, currency => 'USD' });
my @json = ('Content-Type' => 'application/json', 'X-API-Key' => $pub->{key});

sub manage
{
    my $begin  = time;
    my $answer = $ads->http('POST', '/v1/events/conversion', [@json], $sale);
    $answer->{seconds} = time - $begin;
    return $answer;
}

sub is_down
{
    my ($when) = @_;
    my $answer = manage();
    $ads->is_problem($answer, 503, 'unavailable', "$when: management is told");
    like $answer->{headers}{'retry-after'} // '', qr/^[1-9]\d*$/,
        "$when: when to come back";
    cmp_ok $answer->{seconds}, '<', 3 * Ads::Test::patience(),
        sprintf '%s: after %.1f s', $when, $answer->{seconds};
}

# One that is slow answers, or says in time that it does not.
sub is_told
{
    my ($when) = @_;
    my $answer = manage();
    cmp_ok $answer->{seconds}, '<', 3 * Ads::Test::patience(),
        sprintf '%s: %d after %.1f s', $when,
        $answer->{status}, $answer->{seconds};
}

sub is_up
{
    my ($when) = @_;
    my $begin = time;
    $ads->wait_until(sub { manage()->{status} != 503 }, 20,
        "$when: management");
    pass sprintf '%s: management is served after %.1f s', $when, time - $begin;
}

# ---- what can happen to each -----------------------------------------------

# Hung: every process of the part stands still.
sub hang
{
    my ($name) = @_;
    kill 'STOP', $ads->processes($name);
}

sub wake
{
    my ($name) = @_;
    kill 'CONT', $ads->processes($name);
}

sub end
{
    my ($name) = @_;
    delete $ads->{db};
    $ads->kill_part($name);
    $ads->bury(delete $ads->{parts}{$name});
}

# Slow: it stands still half of the time, whatever processes it has.
my $beat_s = 0.05;
my %slowed;

sub slow
{
    my ($name) = @_;
    my $test = $$;
    $slowed{$name} = fork // die "fork: $!\n";
    return if $slowed{$name} != 0;
    my $on = 1;
    local $SIG{TERM} = sub { $on = 0 };
    while ($on && getppid == $test) {
        hang($name);
        sleep $beat_s;
        wake($name);
        sleep $beat_s;
    }
    POSIX::_exit(0);
}

sub quicken
{
    my ($name) = @_;
    my $pid = delete $slowed{$name};
    kill 'TERM', $pid;
    waitpid $pid, 0;
    wake($name);
}

my %fault = (
    end  => [\&end,  sub { $ads->begin($_[0]) }],
    hang => [\&hang, \&wake],
    slow => [\&slow, \&quicken],
);

# Two faults, in the order in which they come, and which of them goes first.
sub orders
{
    my @orders;
    for my $adsd (sort keys %fault) {
        for my $postgres (sort keys %fault) {
            my @pair = ([adsd => $adsd], [postgres => $postgres]);
            push @orders,
                map { [@$_, 'first'], [@$_, 'last'] } [@pair], [reverse @pair];
        }
    }
    return @orders;
}

my @few = (
    [[postgres => 'end'],  [adsd     => 'hang'], 'first'],
    [[adsd     => 'end'],  [postgres => 'hang'], 'first'],
    [[adsd     => 'hang'], [postgres => 'hang'], 'last'],
    [[postgres => 'end'],  [adsd     => 'end'],  'last'],
    [[adsd     => 'slow'], [postgres => 'slow'], 'first'],
);

# What management gets while these faults are there.
sub is_felt
{
    my ($when, @faults) = @_;
    grep({ $_->[1] ne 'slow' } @faults) ? is_down($when) : is_told($when);
}

manage();    # reads docs/openapi.json, which takes its time
for my $order ($long ? orders() : @few) {
    my ($one, $two, $back) = @$order;
    my $name = join ', ', map { "$_->[0] $_->[1]s" } $one, $two;
    my ($early, $late) = $back eq 'first' ? ($one, $two) : ($two, $one);

    $chaos->begin(
        clicks     => Ads::Chaos::rate(100, 200),
        recommends => Ads::Chaos::rate(40,  80)
    );
    $fault{ $_->[1] }[0]->($_->[0]) for $one, $two;
    is_felt($name, $one, $two);
    $fault{ $early->[1] }[1]->($early->[0]);
    is_felt("$name, $early->[0] comes back", $late);
    $fault{ $late->[1] }[1]->($late->[0]);
    is_up("$name, both are back");
    my $load = $chaos->end;
    is_deeply [$load->bad], [], "$name: no visitor notices";
    $chaos->check($name, 30);
}

# ---- a crowd ---------------------------------------------------------------

my $request = join '', Ads::Http::bytes($ads->{port}, 'POST',
    '/v1/events/conversion', [@json], $sale);

sub median
{
    my @sorted = sort { $a <=> $b } @_;
    return $sorted[ @sorted / 2 ];
}

sub visit
{
    my $begin = time;
    my $json  = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    my $click = $ads->click($json->{ads}[0]{click_url});
    die "a visitor got $click->{status}\n" if $click->{status} != 302;
    my ($click_id) = $click->{headers}{location} =~ /ads_click_id=([0-9a-f-]+)/;
    push @{ $chaos->{answered} }, $click_id;
    return time - $begin;
}

# That many requests at once; what is answered within some seconds, and what
# a visitor meets meanwhile.
sub crowd
{
    my ($n, $seconds) = @_;
    my $poll = IO::Poll->new;
    my %left;
    for (1 .. $n) {
        my $socket = Ads::Http::connect($ads->{port});
        syswrite $socket, $request;
        $poll->mask($socket => POLLIN);
        $left{$socket} = $socket;
    }
    my @visits = map { visit() } 1 .. 20;

    my $deadline = time + $seconds;
    my %status;
    while (%left && time < $deadline) {
        $poll->poll(0.1);
        for my $socket ($poll->handles(POLLIN)) {
            my $answer = Ads::Http::answer($socket);
            $status{ $answer ? $answer->{status} : 0 }++;
            $poll->remove($socket);
            delete $left{$socket};
            close $socket;
        }
    }
    $status{none} = keys %left if %left;
    return (\%status, median(@visits));
}

sub told
{
    my ($status) = @_;
    return join ', ', map { "$status->{$_} of $_" } sort keys %$status;
}

# with nginx's limits lifted it is adsd's own queue that is met
my $crowd = 2000;
SKIP: {
    # each has a descriptor here
    my ($limit) = Ads::Stack::read_file('/proc/self/limits')
        =~ /^Max open files\s+(\d+)/m;
    skip "no more than $limit files may be open", 6 if $limit < $crowd + 100;

    my $calm = median(map { visit() } 1 .. 20);
    my ($status, $visit) = crowd($crowd, 20);
    my $refused = manage()->{status};
    is scalar(grep { !/^(?:$refused|429|503)$/ } keys %$status), 0,
        "N19: $crowd at once are answered or shed: " . told($status);
    cmp_ok $visit, '<', 0.1 * Ads::Test::patience(), sprintf
        'N19: a visit takes %.1f ms beside them, %.1f else', 1000 * $visit,
        1000 * $calm;

    hang('adsd');
    ($status, $visit) = crowd($crowd, 6);
    is_deeply [keys %$status], [503],
        "N19: while adsd hangs all are shed: " . told($status);
    cmp_ok $visit, '<', 0.1 * Ads::Test::patience(), sprintf
        'N19: a visit takes %.1f ms beside them', 1000 * $visit;

    # its backlog is still full of those that gave up
    my @shed = map { manage() } 1 .. 9;
    is scalar(grep { $_->{status} != 503 } @shed), 0,
        'N19: with its queue full the next are shed';
    my $shed = median(map { $_->{seconds} } @shed);
    cmp_ok $shed, '<=', 0.1, sprintf 'N19: at once, after %.1f ms',
        1000 * $shed;
    wake('adsd');
    is_up('after the crowd');
}

# ---- a crowd that signs in -------------------------------------------------

# with nginx.conf.example's limits, each from an address of its own; each that
# is not shed costs a hash
my $login = encode_json({ email => 'u%number@x.example', password => 'x' x 12 });
$ads->write_file("$ads->{dir}/tmp/login", join "\r\n",
    'POST /v1/auth/login HTTP/1.1', "Host: 127.0.0.1:$ads->{port}",
    'Connection: close', 'X-Forwarded-For: %a',
    'Content-Type: application/json', 'Content-Length: ' . length $login, '',
    $login);
$ads->{rates} = 1;
$ads->write_configs;
$ads->reload;
$chaos->begin;
sleep 0.5;
my $from = Ads::Chaos::now();
my %row = map { my ($status, @row) = split ' '; ($status => \@row) }
    split /\n/, $ads->run($ads->program('shed'), $ads->{port}, $crowd, 'each',
    "$ads->{dir}/tmp/login", $crowd / 2);
my $to   = Ads::Chaos::now();
my $load = $chaos->end;
is_deeply [grep { !/^(?:401|429|503)$/ } sort keys %row], [],
    "N19: $crowd sign in within two seconds, and are answered or shed: "
    . join ', ', map { "$row{$_}[0] of $_" } sort keys %row;
# by nginx (503) or by adsd (429); who waited for a hash without success is among these
my %shed = map { $_ => $row{$_} } grep { $row{$_} } 429, 503;
cmp_ok sum0(map { $_->[0] } values %shed), '>', $crowd / 2,
    'N19: most are shed';
my ($often) = sort { $shed{$b}[0] <=> $shed{$a}[0] } keys %shed;
cmp_ok $shed{$often}[1], '<=', 100 * Ads::Test::patience(), sprintf
    'N19: at once, %d with %d: median %.1f ms, p99 %.1f, slowest %.1f',
    $shed{$often}[0], $often, @{ $shed{$often} }[ 1 .. 3 ];
for my $status (grep { $row{$_} } 401, 429) {
    cmp_ok $row{$status}[3], '<=', 3000, sprintf
        'N19: who waits for a hash gets %d within %.0f ms', $status,
        $row{$status}[3];
}
is_deeply [$load->bad], [], 'N19: no visitor notices';
note sprintf 'N19: p99 of clicks %.1f ms meanwhile',
    1000 * $load->seconds('click', 0.99, $from, $to);
$chaos->check('after the crowd');

$chaos->done;
