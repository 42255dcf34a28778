#!/usr/bin/perl
#
# A new nginx binary takes over under load and gives back again (SIGUSR2,
# WINCH, QUIT): no visitor notices, every click is billed once, no budget is
# exceeded, and the two generations share journal and allowances.
#
# Runs: long

package Upgradable;

use strict;
use warnings;
use lib 't/lib';
use Ads::Test;

our @ISA = ('Ads::Test');

# nginx takes USR2 and WINCH only as a daemon; what the harness holds in its
# place just sleeps.
sub argv
{
    my ($self, $name) = @_;
    my $argv = $self->SUPER::argv($name);
    return $argv if $name ne 'nginx';
    return ['bash', '-c', '"$@" && exec sleep infinity', 'bash',
        map { s/daemon off/daemon on/r } @$argv];
}

sub is_master
{
    my ($self, $part, $pid) = @_;
    return (readlink("/proc/$pid/cwd") // '') eq $self->{dir};
}

# A daemon has a session of its own: it is known by the folder it works in.
sub bury
{
    my ($self, $part) = @_;
    my $deadline = time + 30;
    while ($part->{name} eq 'nginx' && time < $deadline) {
        my @left = grep {
            (readlink("/proc/$_/cwd") // '') eq $self->{dir}
                && (readlink("/proc/$_/exe") // '') =~ m{/nginx$}
        } map { m{(\d+)$} } glob '/proc/[0-9]*';
        last unless kill 'KILL', @left;
    }
    return $self->SUPER::bury($part);
}

package main;

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep);

my $chaos = Ads::Chaos->new(class => 'Upgradable');
my $ads   = $chaos->{ads};
my $pid   = "$ads->{run_path}/nginx.pid";

sub pid_of
{
    my ($file) = @_;
    my $text = eval { Ads::Stack::read_file($file) } // '';
    return $text =~ /^(\d+)$/ ? $1 : 0;
}

sub gone
{
    my ($process, $what) = @_;
    $ads->wait_until(
        sub { !defined Ads::Process::start_time($process) }, 15, $what);
}

sub workers_are
{
    my ($master, $n) = @_;
    $ads->wait_until(sub { $chaos->workers($master) == $n }, 15,
        "$n workers of $master");
}

# A second master beside the first, with its workers.
sub begin_upgrade
{
    my $old = pid_of($pid);
    kill 'USR2', $old;
    $ads->wait_until(
        sub { pid_of("$pid.oldbin") == $old && pid_of($pid) }, 10,
        'the new master');
    my $new = pid_of($pid);
    workers_are($new, 2);
    return ($old, $new);
}

# budgets that run out between two generations: links enough for each to go
# over, had one forgotten what the other spent
my $unit  = Ads::Chaos::short_or_long(5, 20);
my @tight = map {
    $ads->seed_shop(
        name     => "Tight $_",
        bid      => '0.50',
        topup    => 1000,
        lifetime => $_ * $unit,
        products => [{
                id       => "tight-$_",
                title    => "Tight$_ laser printer",
                brand    => "Tight$_",
                category => ['Printers'],
                price    => 99,
                currency => 'USD',
                url      => "https://tight$_.example/p",
            }])
} 1 .. 3;

my $rounds = Ads::Chaos::short_or_long(1, 5);
$ads->wait_until(sub { pid_of($pid) }, 10, 'the pid file');
$chaos->begin(clicks => Ads::Chaos::rate(600, 1000), stock => 1200);
for my $round (1 .. $rounds) {
    my ($old, $new) = begin_upgrade();
    sleep 0.3;
    kill 'WINCH', $old;
    workers_are($old, 0);
    sleep 0.3;

    # back: the old workers first, then the new master goes
    kill 'HUP', $old;
    workers_are($old, 2);
    kill 'QUIT', $new;
    gone($new, 'the new master to go');
    $ads->wait_until(sub { pid_of($pid) == $old }, 10, 'the old pid file');
    is pid_of($pid), $old, "round $round: rolled back";

    # and again, this time for good
    ($old, $new) = begin_upgrade();
    kill 'QUIT', $old;
    gone($old, 'the old master to go');
    is pid_of($pid), $new, "round $round: upgraded";
}

# how much of them comes meanwhile is left to chance
my $budgets = 1_000_000 * $unit * (1 + 2 + 3);
$ads->wait_until(
    sub {
        $ads->sql_value('select sum(billed_micros) from ads.clicks '
                . 'where campaign_id = any($1)',
            '{' . join(',', map { $_->{campaign} } @tight) . '}') >= $budgets;
    },
    60,
    'the tight budgets to run out'
);
my $load = $chaos->end;

is_deeply [$load->bad], [], "$rounds upgrades and roll-backs: no request fails";

# what a tight budget could not pay was redirected, recorded and not billed
$chaos->drained(10, 'upgrade');
my %campaign = map { @$_ } @{ $ads->sql(
    'select campaign_id, sum(billed_micros) from ads.clicks group by 1') };
for my $n (1 .. @tight) {
    my $budget = 1_000_000 * $n * $unit;
    is $campaign{ $tight[ $n - 1 ]{campaign} }, $budget,
        "budget $n is billed to the unit, and nothing over it";
}
$chaos->check('upgrade', 10, free => 'unfunded');

# the harness holds a stand-in only
my $master = pid_of($pid);
kill 'QUIT', $master;
gone($master, 'nginx to end');
my $stand_in = $ads->part('nginx');
$stand_in->stop('TERM', 5);
delete $ads->{parts}{nginx};

$chaos->done;
