#!/usr/bin/perl
#
# PostgreSQL dies, hangs and comes back under load: no visitor notices, who
# manages gets an answer in time, and everything is made up for afterwards.
#
# Runs: long tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep time);

my $chaos = Ads::Chaos->new;
my $ads   = $chaos->{ads};
my $load;
my $id   = '01000000-0000-8000-8000-000000000000';
my $sale = {
    click_id   => $id,
    request_id => $id,
    ad_id      => $id,
    value      => 1,
    currency   => 'USD'
};

# A management request meets a problem document, soon.
sub is_refused
{
    my ($name, $seconds) = @_;
    my $begin  = time;
    my $answer = $ads->post('/v1/events/conversion',
        $chaos->{publisher}{key}, $sale);
    my $took = time - $begin;
    $ads->is_problem($answer, 503, 'unavailable', "$name: management is told");
    cmp_ok $answer->{headers}{'retry-after'} // 0, '>', 0,
        "$name: and when to come back";
    cmp_ok $took, '<', $seconds * Ads::Test::patience(),
        sprintf "$name: after %.1f s", $took;
}

sub stop_database
{
    my $part = delete $ads->{parts}{postgres};
    $part->signal('QUIT');    # pg_ctl stop -m immediate
    $ads->wait_until(sub { $part->ended }, 10, 'the database to end');
    $ads->bury($part);
    delete $ads->{db};
}

# ---- gone ------------------------------------------------------------------

# the first answer has docs/openapi.json read, which takes its time
$ads->post('/v1/events/conversion', $chaos->{publisher}{key}, $sale);
my $rounds = Ads::Chaos::short_or_long(1, 3);
my $away_s = Ads::Chaos::short_or_long(2, 60);
my $calm_s = Ads::Chaos::short_or_long(2, 20);

$chaos->begin;
sleep $calm_s;
my $from = Ads::Chaos::now();
for my $round (1 .. $rounds) {
    stop_database();
    is_refused('database gone', 3);
    sleep $away_s;
    $ads->begin('postgres');
    sleep $calm_s;
}
my $to = Ads::Chaos::now();
$load = $chaos->end;
is_deeply [$load->bad], [], 'database gone: no visitor notices';
Ads::Chaos::is_as_fast('database gone', $load, $from, $to);
$chaos->check('database gone', 30);

# ---- hung ------------------------------------------------------------------

my $hung_s = Ads::Chaos::short_or_long(1, 30);
$chaos->begin;
sleep $calm_s;
my @processes = $ads->processes('postgres');
kill 'STOP', @processes;
$from = Ads::Chaos::now();
is_refused('database hung', 3);
sleep $hung_s;
kill 'CONT', @processes;
$to = Ads::Chaos::now();
sleep 1;
$load = $chaos->end;
is_deeply [$load->bad], [], 'database hung: no visitor notices';
Ads::Chaos::is_as_fast('database hung', $load, $from, $to);
$chaos->check('database hung', 30);

$chaos->done;
