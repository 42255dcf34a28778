#!/usr/bin/perl
#
# A database that is 200 ms away: who asks for ads and who clicks
# notices nothing, management is slow and answers, and what is journalled is
# committed as fast as it comes.
#
# ADS_LONG=1 runs it at full rate for two minutes.
#
# Runs: long tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Ads::Delay;
use Test::More;
use Time::HiRes qw(sleep time);

# adsd and adsctl reach the database by the proxy.
{
    package Ads::Far;
    use parent -norequire, 'Ads::Test';

    sub conninfo
    {
        my ($self, @login) = @_;
        return $self->SUPER::conninfo(@login) =~ s{^host=\S+}{$&/far}r;
    }

    sub start_database
    {
        my ($self) = @_;
        $self->SUPER::start_database;
        $self->{delay} ||= Ads::Delay->begin("$self->{db_path}/far",
            "$self->{db_path}/.s.PGSQL.5432", $ENV{ADS_SEED} // 1);
    }
}

my $calm_s = Ads::Chaos::short_or_long(2, 30);
my $far_s  = Ads::Chaos::short_or_long(6, 90);
my $chaos  = Ads::Chaos->new(class => 'Ads::Far');
my $ads    = $chaos->{ads};

# Seconds and status of a management request, a sale that is new each time.
sub manage
{
    my ($n)    = @_;
    my $id     = $ads->sql_value('select click_id from ads.clicks limit 1');
    my $begin  = time;
    my $answer = $ads->post('/v1/events/conversion', $chaos->{publisher}{key},
        { click_id => $id, value => $n, currency => 'USD' });
    return (time - $begin, $answer->{status});
}

# In how many transactions the clicks came that are there.
sub transactions
{
    return $ads->sql_value('select count(distinct xmin::text) from ads.clicks');
}

$chaos->begin;
my ($before, $since) = (transactions(), time);
sleep $calm_s;
my $n = transactions() - $before;
my $ticks = int((time - $since) / 0.02) + 2;
cmp_ok $n, '>', 0, 'clicks are committed as they come';
my $journals = () = $chaos->workers;
cmp_ok $n, '<=', $ticks * $journals,
    'those of 20 ms in one transaction for each journal';

my $from = Ads::Chaos::now();
$ads->{delay}->round_trip(0.2);
my @managed;
my $end = time + $far_s;
while (time < $end) {
    push @managed, [manage(scalar @managed)];
    sleep 0.5;
}
my $to   = Ads::Chaos::now();
my $load = $chaos->end;

is_deeply [$load->bad], [], 'a database far away: no visitor notices';
Ads::Chaos::is_as_fast('far away', $load, $from, $to);
my ($slowest) = sort { $b <=> $a } map { $_->[0] } @managed;
is_deeply [grep { $_->[1] != 200 } @managed], [],
    sprintf 'all of %d management requests are answered', scalar @managed;
cmp_ok $slowest, '<', 3 * Ads::Test::patience(),
    sprintf 'the slowest after %.1f s', $slowest;
cmp_ok $slowest, '>', 0.2, 'though the database is far indeed';

# still far: what waits is committed all the same
$chaos->check('far away', 30);
$ads->{delay}->round_trip(0);
is $ads->stop($_), 0, "$_ ends cleanly" for qw(nginx adsd);
$ads->{delay}->end;
$chaos->done;
