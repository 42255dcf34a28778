#!/usr/bin/perl
#
# Workers and the master are killed under a load of clicks.  A visitor whose
# connection breaks tries again, as browsers do: each link is billed once,
# none that was answered is missing, and service is back within two seconds.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep);

my $chaos = Ads::Chaos->new;
my $ads   = $chaos->{ads};

sub stored
{
    return map { $_->[0] } @{ $ads->sql('select click_id from ads.clicks') };
}

# ---- workers ---------------------------------------------------------------

my $kills = Ads::Chaos::short_or_long(8, 20);
my $over  = Ads::Chaos::short_or_long(6, 60);
my $n     = 0;

$chaos->begin(retry => 1);
$chaos->at_moments($kills, $over, sub {
    my @workers = $chaos->workers;
    $n += kill 'KILL', $workers[ rand @workers ] if @workers;
});
my $load = $chaos->end;

is_deeply [$load->unanswered], [], "$n killed workers: everyone is redirected";
cmp_ok $load->gap, '<', 2 * Ads::Test::patience(),
    'there is always somebody who answers';
is_deeply [grep { $_->{status} != 302 && $_->{status} != 0 } $load->clicks],
    [], 'nobody gets another answer';
is_deeply [Ads::Check::unrecorded($ads, $load->answered)], [],
    'every answered click is recorded';
$chaos->{unlogged} = $n;
$chaos->check('workers killed');
is $chaos->forgive('exited on signal 9'), $n, 'the log tells of each';

# ---- the master ------------------------------------------------------------

$kills = Ads::Chaos::short_or_long(2, 5);
$load  = $chaos->begin(retry => 1);
my @old;
for my $round (1 .. $kills) {
    sleep 0.5;
    push @old, $ads->worker_processes;
    my $held = $ads->connect;    # a client that says nothing holds a worker
    $ads->kill_part('nginx');
    sleep 0.3;    # its workers go on without it
    $ads->bury(delete $ads->{parts}{nginx});
    $ads->begin('nginx');
}
sleep 0.5;

# and once with manners, but at once: `nginx -s stop`
$ads->part('nginx')->signal('TERM');
$ads->wait_until(sub { $ads->part('nginx')->ended }, 10, 'nginx to stop');
is delete($ads->{parts}{nginx})->{status}, 0, 'nginx stops at once';
$ads->begin('nginx');
sleep 0.5;
$load = $chaos->end;

cmp_ok scalar(@old), '>=', 2 * $kills, 'N25: masters that were killed had workers';
is_deeply [map { $_->{pid} } grep { $_->alive } @old], [],
    'N25: no old worker is left';
is_deeply [$load->unanswered], [], "$kills killed masters: everyone is redirected";
cmp_ok $load->gap, '<', 2 * Ads::Test::patience(),
    sprintf 'service is back within %.2f s', $load->gap;
is_deeply [Ads::Check::unrecorded($ads, $load->answered)], [],
    'every answered click is recorded';
$chaos->{unlogged} += @old;
$chaos->check('master killed');

# ---- no one tries again ----------------------------------------------------

# the 302 may die in its socket: recorded, and never seen
my %before = map { $_ => 1 } stored();
# enough at once that some are under way when a worker dies
$load = $chaos->begin(clicks => Ads::Chaos::rate(600, 1000), stock => 1500);
$n    = 0;
$chaos->at_moments($kills * 4, $kills, sub {
    my @workers = $chaos->workers;
    $n += kill 'KILL', $workers[ rand @workers ] if @workers;
});
$load = $chaos->end;
$chaos->drained(10, 'without a second try');
is $chaos->forgive('exited on signal 9'), $n, 'the log tells of each';

my @broken   = grep { $_->{status} == 0 } $load->clicks;
my %answered = map { $_ => 1 } $load->answered;
my @stored   = grep { !$before{$_} } stored();
my @unseen   = grep { !$answered{$_} } @stored;
is_deeply [Ads::Check::unrecorded($ads, keys %answered)], [],
    "$n workers killed, nobody tries again: what was answered is recorded";
is scalar(@stored) - @unseen, scalar keys %answered, 'and is stored';
cmp_ok scalar(@unseen), '<=', scalar(@broken), sprintf
    '%d clicks more, at most the %d under way when a worker died',
    scalar(@unseen), scalar(@broken);
$chaos->agree('without a second try');

$chaos->done;
