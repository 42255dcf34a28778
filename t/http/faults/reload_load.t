#!/usr/bin/perl
#
# Reload after reload under load, each with another text and another number of
# workers: every answer is good, no old worker stays, nothing grows, and what
# the workers count is exact across all of them.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep);

my $chaos   = Ads::Chaos->new;
my $ads     = $chaos->{ads};
my $reloads = Ads::Chaos::short_or_long(10, 50);
my $over    = Ads::Chaos::short_or_long(8, 60);
my $master  = $ads->part('nginx');

sub metric
{
    my ($name) = @_;
    my $text = $ads->http('GET', '/metrics')->{body};
    my $sum;    # of all its labels
    $sum += $1 while $text =~ /^\Q$name\E(?:\{.*\})? (\d+)$/mg;
    return $sum;
}

sub descriptors
{
    my @fds = glob "/proc/$master->{pid}/fd/*";
    return scalar @fds;
}

my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");

sub reload
{
    my ($workers, $text) = @_;
    $ads->write_file("$ads->{dir}/nginx.conf",
        $conf =~ s/^worker_processes .*$/worker_processes $workers; # $text/mr);
    $master->signal('HUP');
}

sub settled
{
    my ($workers) = @_;
    $ads->wait_until(sub { $chaos->workers == $workers }, 15,
        "$workers workers");
}

# the first reload may open what stays open
reload(2, 'first');
sleep 0.3;
settled(2);

my $clicks  = metric('ads_click_total');
my $written = metric('ads_journal_records_total');
my $records = () = map { @{ $_->{records} } }
    Ads::Journal::segments("$ads->{dir}/state");
my $fds = descriptors();
my $n   = 0;

$chaos->begin;
$chaos->at_moments($reloads, $over, sub {
    $n++;
    reload((1, 4, 2)[ $n % 3 ], "text $n");
});
reload(2, 'last');
my $load = $chaos->end;
settled(2);

is_deeply [$load->bad], [], "$n reloads: no bad answer";
$chaos->check('reloads');

is metric('ads_click_total') - $clicks, scalar(() = $load->clicks),
    'clicks are counted to the unit across reloads';
is metric('ads_journal_records_total') - $written,
    (() = map { @{ $_->{records} } }
        Ads::Journal::segments("$ads->{dir}/state")) - $records,
    'and so are the records of the journal';
is metric('ads_journal_unjournaled_total'), 0, 'none is missing there';
is descriptors(), $fds, 'the master keeps no descriptor more';
my @signals = $ads->log_lines('nginx.log', qr/exited on signal/);
is "@signals", '', 'no worker dies';

$chaos->done;
