#!/usr/bin/perl
#
# Workers and the master are killed under a load of clicks.  A visitor whose
# connection breaks tries again, as browsers do: each link is billed once,
# none that was answered is missing, and service is back within two seconds.

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep);

my $chaos = Ads::Chaos->new;
my $ads   = $chaos->{ads};

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
cmp_ok $load->gap, '<', 2, 'there is always somebody who answers';
is_deeply [grep { $_->{status} != 302 && $_->{status} != 0 } $load->clicks],
    [], 'nobody gets another answer';
is_deeply [Ads::Check::unrecorded($ads, $load->answered)], [],
    'every answered click is recorded';
$chaos->judge('workers killed');
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
cmp_ok $load->gap, '<', 2, sprintf 'service is back within %.2f s', $load->gap;
is_deeply [Ads::Check::unrecorded($ads, $load->answered)], [],
    'every answered click is recorded';
$chaos->judge('master killed');

$chaos->done;
