#!/usr/bin/perl
#
# When the journal is on disk: ads_journal_sync interval, always, off; and what
# a power failure takes in each.
#
# A preloaded library keeps account of what was synced, so that a power failure
# can be played: every program is killed, and what no sync had confirmed is
# taken from the files.  It also makes syncs slow, hang and fail.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep time);

my $mode = 'interval';

# The example with the mode of now.
{
    package Ads::Synced;
    use parent -norequire, 'Ads::Test';

    sub nginx_conf
    {
        my ($self) = @_;
        my $text = $self->SUPER::nginx_conf;
        $text =~ s/^http \{\n\K/    ads_journal_sync $mode;\n/m;
        return $text;
    }
}

my $shim = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0777, $shim;

# adsd and workers, who are two users, note there
open my $notes, '>', "$shim/disk" or die "$shim/disk: $!\n";
chmod 0666, $notes;
close $notes;
system($ENV{CC} || 'cc', qw(-shared -fPIC -O1 -Wall -Wextra -o),
    "$shim/shim.so", 't/http/journal/shim.c', '-ldl') == 0
    or die "t/http/journal/shim.c does not build\n";

my $chaos = Ads::Chaos->new(
    parts => [qw(postgres)],
    env   => {
        Ads::Test::sanitizer_options("$shim/sanitizer"),
        ADS_SHIM_FOLDER => $shim
    },
    class => 'Ads::Synced',
);
my $ads     = $chaos->{ads};
my $journal = "$ads->{dir}/state/journal";
my $agent   = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0';

sub start
{
    local $ENV{LD_PRELOAD} = "$shim/shim.so";
    $ads->write_configs;
    for my $name (@_) {
        $ads->begin($name);
    }
    $ads->wait_ready(30);
}

sub fault
{
    my ($name, $on) = @_;
    return unlink "$shim/$name" unless $on;
    open my $out, '>', "$shim/$name" or die "$shim/$name: $!\n";
}

# What the library noted since it was asked last: [what, program, ...].
my $seen = 0;
sub noted
{
    my ($what, $program) = @_;
    open my $in, '<', "$shim/disk" or return;
    my @lines = map { [split ' '] } <$in>;
    @lines = @lines[$seen .. $#lines];
    return grep { $_->[0] eq $what && $_->[1] eq $program } @lines;
}

sub forget
{
    open my $in, '<', "$shim/disk" or return $seen = 0;
    $seen = () = <$in>;
}

# The segment begun last; its name tells when.
sub newest
{
    return (sort { (split /-/, $a)[-2] cmp (split /-/, $b)[-2] }
            glob "$journal/m-*.seg")[-1];
}

sub links
{
    my ($n) = @_;
    my @links;
    while (@links < $n) {
        push @links, map { $_->{click_url} } @{ $ads->recommend(
            $chaos->{publisher}{key}, 'buy a mountain bike')->{json}{ads} };
    }
    return @links[0 .. $n - 1];
}

# Everything ends at once, and what no sync had confirmed is gone, but for files
# that are spared.  Returns how many bytes that were.
my %spared;
sub power_failure
{
    my @dead = map { $ads->part($_) } grep { $ads->part($_) } qw(nginx adsd);
    $_->signal('KILL') for @dead;    # the workers die with their master
    for my $name (map { $_->{name} } @dead) {
        $ads->kill_part($name);
        $ads->bury(delete $ads->{parts}{$name});
    }

    my (%size, %named, $lost);
    open my $in, '<', "$shim/disk" or die "$shim/disk: $!\n";
    while (<$in>) {
        my ($what, undef, $which, $size) = split ' ';
        $named{$which} = 1 if $what eq 'name';
        $size{$which} = $size
            if $what eq 'synced' && ($size{$which} // 0) < $size;
    }
    for my $path (glob "$journal/*.seg") {
        my ($inode, $size) = (stat $path)[1, 7];
        next if $spared{$inode};
        my $kept = $named{ $path =~ s{.*/}{}r } ? $size{$inode} // 0 : 0;
        $lost += $size - $kept;
        $kept > 0
            ? truncate($path, $kept)
            : unlink($path) or die "$path: $!\n";
    }
    return $lost;
}

# Kills with visitors under way, at a moment of chance.
sub failure_under_load
{
    my (%opt) = @_;
    my $load = $chaos->begin(stock => 400, recommends => 40, %opt);
    $opt{before}->() if $opt{before};
    sleep 1 + rand 0.5;
    my $at   = clock_gettime(CLOCK_MONOTONIC);
    my $lost = power_failure();
    my @answered = grep { $_->{status} == 302 && $_->{end} < $at }
        $load->end->clicks;
    $opt{after}->() if $opt{after};
    start(qw(adsd nginx));
    $chaos->drained(20, $mode);
    my %billed = map { $_->[0] => 1 }
        @{ $ads->sql('select click_id from ads.clicks where class = 0') };
    return ($lost, \@answered, [grep { !$billed{ $_->{id} } } @answered], $at);
}

# ---- interval --------------------------------------------------------------

start(qw(adsd nginx));
my @links = links(20);
is scalar(grep { $ads->click($_)->{status} == 302 } @links), 20, 'clicks';
$ads->wait_until(sub { noted('synced', 'adsd') }, 10, 'adsd to sync');
is_deeply [noted('synced', 'nginx')], [], 'interval: workers do not sync';
$ads->wait_until(
    sub {
        my %kept = map { $_->[2] => $_->[3] } noted('synced', 'adsd');
        return !grep { ($kept{ (stat $_)[1] } // 0) != -s _ }
            glob "$journal/m-*.seg";
    },
    10,
    'adsd to sync all of it'
);
pass 'adsd does, up to the last byte';
is_deeply [grep { my $name = $_; !grep { $_->[2] eq $name } noted('name', 'adsd') }
        map { s{.*/}{}r } glob "$journal/*.seg"], [], 'and the names';
cmp_ok $ads->metric('ads_journal_synced_age_ms'), '<', 5000 * Ads::Test::patience(),
    'the metric knows';

# the database is away: nothing is safe but what is on disk
my ($lost, $answered, $missing, $at) = failure_under_load(
    before => sub { $ads->stop('postgres') },
    after  => sub { $ads->begin('postgres') },
);
cmp_ok scalar(@$answered), '>', 100, 'interval: ' . @$answered . ' were answered';
is_deeply [map { $at - $_->{end} } grep { $at - $_->{end} > 1 } @$missing], [],
    "interval: a power failure takes only what is new ($lost bytes, "
    . @$missing . ' clicks)';

# ---- a disk that refuses adsd's syncs --------------------------------------

sub inodes
{
    return map { (stat $_)[1] => 1 } glob "$journal/*.seg";
}

@links = links(30);
my %before  = inodes();
my $refused = $ads->metric('ads_journal_sync_refused_total');
fault('refuse-adsd', 1);
$ads->click(pop @links);
$ads->wait_until(sub { $ads->metric('ads_journal_sync_refused_total') > $refused },
    10, 'the metric');
pass 'a sync that the disk refuses is counted';
$ads->wait_until(
    sub {
        $ads->click($links[0]);    # a worker leaves what was refused in a second
        return $ads->metric('ads_journal_synced_age_ms') > 500;
    },
    10,
    'the age to grow'
);
pass 'and nothing counts as synced meanwhile';
cmp_ok scalar $ads->log_lines('adsd.out', qr/is not on disk beyond \d+: Input/),
    '>', 0, 'and the log tells';
$ads->wait_until(
    sub {
        $ads->click($links[0]);
        my %now = inodes();
        return grep { !$before{$_} } keys %now;
    },
    10,
    'a new segment'
);
pass 'workers go on to new segments';
fault('refuse-adsd', 0);
$ads->wait_until(sub { $ads->metric('ads_journal_synced_age_ms') < 1000 }, 10,
    'the age to fall');
pass 'once they have, what is written is synced again';
my %tries;
$tries{ $_->[2] }++ for noted('refused', 'adsd');
is_deeply [grep { $tries{$_} > 1 } keys %tries], [],
    'nothing refused is tried again: ' . keys(%tries) . ' segments';
my %refused = map { $_->[2] => 1 } noted('refused', 'adsd');
my $n_refused = () = noted('refused', 'adsd');
$ads->click($_) for @links[10 .. 19];
sleep 0.3;
is scalar(() = noted('refused', 'adsd')), $n_refused, 'nor is any later';

# the names of new files can be refused as well
$refused = $ads->metric('ads_journal_sync_refused_total');
fault('names-adsd', 1);
$ads->reload;
$ads->click($_) for @links[20 .. 23];
$ads->wait_until(sub { $ads->metric('ads_journal_sync_refused_total') > $refused },
    10, 'the metric');
pass 'a folder that the disk refuses is counted';
cmp_ok scalar $ads->log_lines('adsd.out', qr/folder is not on disk: Input/), '>',
    0, 'and told';
$ads->wait_until(sub { $ads->metric('ads_journal_synced_age_ms') > 500 }, 10,
    'the age to grow');
pass 'what has no name on disk is not on disk';
fault('names-adsd', 0);
sleep 1;    # a new segment is begun once a second
$ads->reload;
$ads->click($_) for @links[24 .. 27];
$ads->wait_until(sub { $ads->metric('ads_journal_synced_age_ms') < 900 }, 10,
    'the age to fall');
pass 'with the next names all is well';
is $ads->stop('nginx'), 0, 'nginx ends cleanly';
$chaos->drained(10, 'refused');
%spared = inodes();    # some are committed and will never be on disk

# ---- always ----------------------------------------------------------------

$mode = 'always';
$ads->{workers} = 1;
start('nginx');
forget();
@links = links(60);
is $ads->click(pop @links)->{status}, 302, 'always: a click';
cmp_ok scalar(() = noted('synced', 'nginx')), '>', 0, 'the worker syncs';
my $newest = newest();
my @synced = grep { $_->[2] == (stat $newest)[1] } noted('synced', 'nginx');
is $synced[-1][3], -s $newest, 'and did before it answered';
is_deeply [grep { $_->[2] eq $newest =~ s{.*/}{}r } noted('name', 'nginx')],
    [['name', 'nginx', $newest =~ s{.*/}{}r]], 'the name likewise, once';

# adsd is dead: that changes nothing
$ads->kill_part('adsd');
$ads->bury(delete $ads->{parts}{adsd});
fault('slow-nginx', 1);
my $begin = time;
is $ads->click(pop @links)->{status}, 302, 'a slow disk, adsd dead';
cmp_ok time - $begin, '>=', 0.03, 'the answer waits for it';

# many at once share a sync, and the loop goes on
my $before = () = noted('synced', 'nginx');
my @sockets = map { $ads->connect } 1 .. 40;
for my $socket (@sockets) {
    my ($path) = pop(@links) =~ m{^https?://[^/]+(/.*)$};
    print {$socket} "GET $path HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        . "User-Agent: $agent\r\n\r\n";
    $socket->flush;
}
is $ads->http('GET', '/healthz')->{status}, 200, 'others are answered';
my @lines = map { scalar readline $_ } @sockets;
is scalar(grep { m{^HTTP/1.1 302 } } @lines), 40, '40 at once are redirected';
my $syncs = scalar(() = noted('synced', 'nginx')) - $before;
cmp_ok $syncs, '<=', 20, "with $syncs syncs between them";
close $_ for @sockets;

# a visitor who goes away is no trouble
for my $n (1 .. 3) {
    my $socket = $ads->connect;
    my ($path) = pop(@links) =~ m{^https?://[^/]+(/.*)$};
    print {$socket} "GET $path HTTP/1.1\r\nHost: x\r\n"
        . "User-Agent: $agent\r\n\r\n";
    $socket->flush;
    close $socket;
}
is $ads->click(pop @links)->{status}, 302, 'visitors who go away are no trouble';

# the lights go out while adsd is dead
($lost, $answered, $missing) = failure_under_load(recommends => 100);
cmp_ok $lost, '>', 0, "always: a power failure takes $lost bytes";
cmp_ok scalar(@$answered), '>', 100, 'of ' . @$answered . ' answered clicks';
is_deeply $missing, [], 'none';
fault('slow-nginx', 0);
$chaos->agree('after the power failures');

# ---- a disk that refuses, or says nothing ----------------------------------

sub event
{
    my ($type, $json) = @_;
    return $ads->post("/v1/events/$type", $chaos->{publisher}{key},
        { request_id => $json->{request_id}, ad_id => $json->{ads}[0]{ad_id} });
}

my $shown = $ads->recommend($chaos->{publisher}{key}, 'buy a mountain bike')
    ->{json};
is event('impression', $shown)->{status}, 202, 'an event is accepted';
@links = links(20);
forget();
my $unsynced = $ads->metric('ads_journal_unsynced_total');
$refused = $ads->metric('ads_journal_sync_refused_total');
fault('refuse-nginx', 1);
is $ads->click(pop @links)->{status}, 302,
    'the disk refuses: a visitor is redirected';
sleep 1.1;    # a new segment is begun once a second
$ads->is_problem(event('impression', $shown), 503, 'journal_unavailable',
    'an event is not accepted');
sleep 1.1;
is $ads->recommend($chaos->{publisher}{key}, 'buy a mountain bike')
    ->{json}{reason}, 'overloaded', 'nothing is shown';
sleep 1.1;
is $ads->click(pop @links)->{status}, 302, 'redirected all the same';
fault('refuse-nginx', 0);
%tries = ();
$tries{ $_->[2] }++ for noted('refused', 'nginx');
is_deeply [map { $tries{$_} } sort keys %tries], [1, 1, 1, 1],
    'each time on a new segment, each segment once';
is $ads->metric('ads_journal_unsynced_total') - $unsynced, 4, 'all are counted';
is $ads->metric('ads_journal_sync_refused_total') - $refused, 4, 'and so is the disk';
is scalar(() = $ads->log_lines('nginx.log',
        qr/\[crit\].*ads: the journal is not on disk: fdatasync\(\) failed/)), 4,
    'and told';
sleep 1.1;
is event('impression', $shown)->{status}, 202, 'the disk is well: so are we';
is $ads->recommend($chaos->{publisher}{key}, 'buy a mountain bike')
    ->{json}{decision}, 'SHOW', 'ads are shown';

$unsynced = $ads->metric('ads_journal_unsynced_total');
fault('names-nginx', 1);
$ads->reload;
is $ads->click(pop @links)->{status}, 302, 'the folder is refused: redirected';
is $ads->metric('ads_journal_unsynced_total') - $unsynced, 1, 'and counted';
is scalar(() = $ads->log_lines('nginx.log',
        qr/\[crit\].*ads: the journal is not on disk: fsync\(\) of the folder/)),
    1, 'and told';
fault('names-nginx', 0);
sleep 1.1;
is event('impression', $shown)->{status}, 202, 'until it is not';

fault('hang-nginx', 1);
$begin = time;
is $ads->click(pop @links)->{status}, 302, 'the disk hangs: redirected';
my $took = time - $begin;
cmp_ok $took, '>=', 0.9, 'after its second';
cmp_ok $took, '<', 3 * Ads::Test::patience(), 'and no more';
$begin = time;
is $ads->click(pop @links)->{status}, 302, 'the next one';
is event('impression', $shown)->{status}, 503, 'and an event';
cmp_ok time - $begin, '<', 0.9 * Ads::Test::patience(), 'do not wait for it';
fault('hang-nginx', 0);
$ads->wait_until(sub { event('impression', $shown)->{status} == 202 }, 10,
    'events to be accepted');
pass 'events are accepted again';

# a reload gives the answers that wait, then the old worker goes
fault('hang-nginx', 1);
my $socket = $ads->connect;
my ($path) = pop(@links) =~ m{^https?://[^/]+(/.*)$};
print {$socket} "GET $path HTTP/1.1\r\nHost: x\r\n"
    . "User-Agent: $agent\r\n\r\n";
$socket->flush;
sleep 0.2;
$ads->part('nginx')->signal('HUP');
like scalar(readline $socket), qr{^HTTP/1.1 302 }, 'a reload: the answer comes';
close $socket;
fault('hang-nginx', 0);
$ads->wait_until(sub { $ads->workers == 1 }, 10, 'the old worker to go');
pass 'and the old worker goes';

$chaos->drained(10, 'always');
$chaos->agree('always');
is $ads->stop('nginx'), 0, 'nginx ends cleanly';

# ---- off -------------------------------------------------------------------

$mode = 'off';
start('nginx');
@links = links(10);
forget();
$ads->click($_) for @links;
$ads->wait_until(sub { $ads->metric('ads_journal_synced_age_ms') > 500 }, 10,
    'the age to grow');
is_deeply [noted('synced', 'nginx')], [], 'off: workers do not sync';
$newest = newest();
is_deeply [grep { $_->[2] == (stat $newest)[1] } noted('synced', 'adsd')], [],
    'nor does adsd';
$chaos->drained(10, 'off');
$chaos->agree('off');

# ---- committed, then lost by its file --------------------------------------

is $ads->stop('nginx'), 0, 'nginx ends cleanly';
$mode = 'interval';
start('nginx');
@links = links(30);
$ads->click($_) for @links[0 .. 9];
$ads->wait_until(
    sub {
        my %kept = map { $_->[2] => $_->[3] } noted('synced', 'adsd');
        return ($kept{ (stat newest())[1] } // 0) == -s _;
    },
    10,
    'adsd to sync'
);
fault('hang-adsd', 1);
$ads->click($_) for @links[10 .. 19];
$chaos->drained(10, 'before');
my $valid = 'select count(*) from ads.clicks where class = 0';
my $n     = $ads->sql_value($valid);
cmp_ok power_failure(), '>', 0, 'a power failure takes what is committed';
fault('hang-adsd', 0);
start(qw(adsd nginx));
$ads->click($_) for @links[20 .. 29];
$ads->wait_until(sub { $ads->sql_value($valid) == $n + 10 }, 10, 'new clicks');
pass 'adsd goes on';
my ($code, $said) = $ads->try_adsctl('reconcile');
is $code, 0, 'which is no difference' or diag $said;
like $said, qr/[1-9]\d* were committed and then lost by their file/,
    'and is told';

$chaos->done;
