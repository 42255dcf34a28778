#!/usr/bin/perl
#
# The journal's disk fills up, turns read-only, answers EIO: every visitor is
# redirected all the same, what is not journalled is counted, nothing is billed
# that was not answered, and all goes on by itself once the disk does.
#
# A tmpfs of limited size in a mount namespace of our own is the
# disk, so this needs root; errors come from a preloaded library.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Test::More;

# CI has to be able to: the promise of a full disk is proven nowhere else
sub cannot
{
    my ($why) = @_;
    plan skip_all => $why if !$ENV{ADS_CI};
    plan tests => 1;
    fail "$why: run CI as root, in a container that may mount";
    exit 1;
}

BEGIN {
    cannot('mounting needs root') if $> != 0 && !$^C;
    if (!$ENV{ADS_PRIVATE_MOUNTS} && !$^C) {    # not when only checked
        system('unshare', '-m', '--propagation', 'private', 'true') == 0
            or cannot('no mount namespace can be made here');
        $ENV{ADS_PRIVATE_MOUNTS} = 1;
        exec 'unshare', '-m', '--propagation', 'private', '--', $^X, $0
            or die "unshare: $!\n";
    }
}

use Ads::Chaos;
use File::Temp qw(tempdir);
use POSIX ();
use Time::HiRes qw(sleep);

my $shim  = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $cc    = $ENV{CC} || 'cc';
chmod 0755, $shim;
system($cc, qw(-shared -fPIC -O1 -Wall -Wextra -o), "$shim/shim.so",
    't/http/journal/shim.c', '-ldl') == 0
    or die "t/http/journal/shim.c does not build\n";

my $chaos = Ads::Chaos->new(
    parts => [qw(postgres adsd)],
    env   => {
        Ads::Test::sanitizer_options("$shim/sanitizer"),
        ADS_SHIM_FOLDER => $shim
    },
);
my $ads     = $chaos->{ads};
my $journal = "$ads->{dir}/state/journal";

sub mount
{
    my (@words) = @_;
    system('mount', @words) == 0 or die "mount @words: $?\n";
}

END {
    local $?;
    system 'umount', '-l', $journal if $journal && -e "$journal/.mounted";
}

# adsd opened the folder that is to be hidden
$ads->stop('adsd');
mount('-t', 'tmpfs', '-o', 'size=320m,mode=1770,uid='
        . $ads->{user}[0] . ',gid=' . $ads->{user}[1], 'ads', $journal);
open my $mark, '>', "$journal/.mounted" or die "$journal: $!\n";
close $mark;
$ads->start_adsd;
start_nginx();

sub start_nginx
{
    local $ENV{LD_PRELOAD} = "$shim/shim.so";
    $ads->start_nginx;
    $ads->wait_ready(30);
}

sub pressure_is
{
    my ($level) = @_;
    $ads->wait_until(sub { $ads->metric('ads_pressure') == $level }, 10,
        "pressure $level");
    pass "pressure is $level";
}

# Until all workers sell again: each finds out by itself.
sub wait_for_ads
{
    $ads->wait_until(sub { !grep { decision() ne 'SHOW' } 1 .. 8 }, 30,
        'ads to be shown again');
}

# Fills the disk but for that many KiB; 0 takes all.
sub leave
{
    my ($kib) = @_;
    unlink "$journal/ballast";
    my ($free) = `df -k --output=avail '$journal'` =~ /(\d+)\s*$/;
    system('dd', 'if=/dev/zero', "of=$journal/ballast", 'bs=1K',
        'count=' . ($kib ? $free - $kib : $free), 'status=none')
        if $kib < $free;
}

# Takes all of it, what adsd gives back then included.
sub fill_up
{
    leave(0);
    $ads->wait_until(sub { !-e "$journal/.ballast" }, 10, 'the ballast to go');
    system "dd if=/dev/zero of='$journal/more' bs=1K status=none 2>&1"
        . ' | grep -v "No space left"';
}

sub room
{
    unlink "$journal/ballast", "$journal/more";
}

sub decision
{
    my $json = $ads->recommend($chaos->{publisher}{key}, 'buy a mountain bike')
        ->{json};
    return $json->{reason} // $json->{decision};
}

# Clicks through a fault: `break` and `mend` are called within it.  Only clicks
# are lost in it: nothing is asked for meanwhile, counters that wait to be
# written are written by the workers that end, and new ones have met no fault.
sub through
{
    my ($name, $break, $mend, $seconds) = @_;
    my $load = $chaos->begin(
        stock      => 10 * Ads::Chaos::rate(150, 1000),    # links for 10 s
        recommends => 0
    );
    $ads->reload;
    my $lost = $ads->metric('ads_journal_unjournaled_total');
    sleep 0.5;
    $break->();
    $ads->wait_until(
        sub { $ads->metric('ads_journal_unjournaled_total') > $lost },
        10, "$name: the fault to be felt");
    sleep $seconds;
    $mend->();
    sleep 1.5;    # a new segment is tried once a second
    $load = $chaos->end;
    is_deeply [$load->bad], [], "$name: every visitor is redirected";
    $chaos->drained(10, $name);
    $lost = $ads->metric('ads_journal_unjournaled_total') - $lost;

    my %billed = map { $_->[0] => 1 } @{ $ads->sql(
        'select click_id from ads.clicks where class = 0') };
    my @unbilled = grep { !$billed{$_} } $load->answered;
    cmp_ok scalar(@unbilled), '>', 0, "$name: it was a fault indeed";

    is $lost, scalar(@unbilled),
        "$name: exactly what is not billed was counted as unjournaled";
    my %answered = map { $_ => 1 } @{ $chaos->{answered} };
    is_deeply [grep { !$answered{$_} } sort keys %billed], [],
        "$name: nothing is billed that was not answered";
    is_deeply [$chaos->misled], [], "$name: every redirect leads to its product";
    $chaos->agree($name);
    wait_for_ads();
    pass "$name: ads are shown again, without a restart";
}

# ---- full ------------------------------------------------------------------

is decision(), 'SHOW', 'there is room: ads are shown';
leave(200 * 1024);
pressure_is(1);
is decision(), 'SHOW', 'little room: counters are shed, ads are shown';
leave(40 * 1024);
pressure_is(2);
is decision(), 'overloaded', 'hardly any room: nothing is sold';
room();
pressure_is(0);

# a little is given back when nothing is left
ok -e "$journal/.ballast", 'there is a ballast';
leave(0);
$ads->wait_until(sub { !-e "$journal/.ballast" }, 10, 'the ballast to go');
pass 'which a full disk gets back';
pressure_is(2);
is decision(), 'overloaded', 'and still sells nothing';
room();
pressure_is(0);

# pressure is measured once a second: the disk fills up faster than that
through('disk full', \&fill_up, sub { room(); pressure_is(0) }, 1);
$ads->wait_until(sub { -e "$journal/.ballast" }, 10, 'the ballast');
pass 'and lays aside again when there is room';

# ---- read-only -------------------------------------------------------------

# a mounted folder cannot turn read-only while files are open for writing, and
# a worker opens its own at its first event
my @links = map { $_->{click_url} } map {
    @{ $ads->recommend($chaos->{publisher}{key}, 'buy a mountain bike')
        ->{json}{ads} }
} 1 .. 10;
is $ads->stop('nginx'), 0, 'nginx ends cleanly';
mount('-o', 'remount,ro', $journal);
start_nginx();
my $json = $ads->recommend($chaos->{publisher}{key}, 'buy a mountain bike')
    ->{json};
is $json->{reason} // $json->{decision}, 'overloaded',
    'read-only: nothing is sold that cannot be written';
my $lost    = $ads->metric('ads_journal_unjournaled_total');
my @clicked = map { $ads->click($_) } @links;
is scalar(grep { $_->{status} == 302 } @clicked), @links,
    'visitors are redirected';
is $ads->metric('ads_journal_unjournaled_total') - $lost, @links,
    'and exactly what is not written is counted';
mount('-o', 'remount,rw', $journal);
wait_for_ads();
pass 'writable again: ads are shown, without a restart';
$chaos->drained(10, 'read-only');
my @ids = map { $_->{headers}{location} =~ /ads_click_id=([0-9a-f-]{36})/ }
    @clicked;
is scalar(@ids), @links, 'each click has an id';
is $ads->sql_value('select count(*) from ads.clicks where click_id = any($1)',
    '{' . join(',', @ids) . '}'), 0, 'and none of them is billed';
$chaos->agree('read-only');

# a file system that turns itself read-only does so while files are open
through('read-only in the midst', sub { broken('readonly', 1) },
    sub { broken('readonly', 0) }, 1);

# ---- EIO -------------------------------------------------------------------

sub broken
{
    my ($what, $on) = @_;
    return unlink "$shim/$what" unless $on;
    open my $out, '>', "$shim/$what" or die "$shim/$what: $!\n";
}

through('EIO', sub { broken('write', 1) }, sub { broken('write', 0) }, 1);
cmp_ok scalar(() = $ads->log_lines('nginx.log', qr/took -?\d+ bytes of/)), '>',
    0, 'the log tells of it';

# what a short write left stays: a reader may have it already
my $torn = grep { $_->{size} > $_->{end} }
    Ads::Journal::segments("$ads->{dir}/state");
cmp_ok $torn, '>', 0, "$torn segments keep their torn end";

is system('umount', '-l', $journal), 0, 'the disk goes';
$chaos->done;
