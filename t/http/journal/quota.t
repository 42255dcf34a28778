#!/usr/bin/perl
#
# The journal's quota while the database is away: counters are shed first, then
# nothing is sold, at last clicks go unbilled; visitors notice none of it, and
# everything that was written is made up for afterwards.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep);

my $chaos = Ads::Chaos->new(adsd => { journal_max_mb => 1 });
my $ads   = $chaos->{ads};
my $key   = $chaos->{publisher}{key};
my $maker = Ads::Journal::maker($ads);

sub pressure_is
{
    my ($level, $name) = @_;
    $ads->wait_until(sub { $ads->metric('ads_pressure') == $level }, 10, $name);
    pass $name;
}

sub recommend
{
    return $ads->recommend($key, 'buy a mountain bike')->{json};
}


my @links = map { $_->{click_url} } map { @{ recommend()->{ads} } } 1 .. 20;
my @ids   = map { $_->[0] } @{ $ads->sql('select id from ads.ads order by id') };
Ads::Journal::wait_drained($ads);
my $waits = 0;

# adsd has to have seen the database, else it cannot tell what is new
my $away = delete $ads->{parts}{postgres};
$away->signal('QUIT');
$ads->wait_until(sub { $away->ended }, 10, 'the database to end');
$ads->bury($away);
delete $ads->{db};

sub make
{
    my ($n) = @_;
    $ads->run($maker, "$ads->{dir}/state", "$ads->{dir}/click.keys",
        $chaos->{publisher}{account}, $n, 'c', @ids);
    $waits += $n - 1;    # the first record is the decision
}

make(5400);    # 160 bytes each: 82 %
pressure_is(1, '80 % of the quota: counters are shed');
is recommend()->{decision}, 'SHOW', 'and ads are shown';
my $shed = $ads->metric('ads_journal_unjournaled_total{kind="counts"}');
$ads->recommend($key, 'who wrote hamlet');
$ads->wait_until(
    sub { $ads->metric('ads_journal_unjournaled_total{kind="counts"}') > $shed }, 10,
    'a counter to be shed');
pass 'a request without an ad is not counted in the journal';

make(900);     # 96 %
pressure_is(2, '95 %: nothing is sold');
is recommend()->{reason}, 'overloaded', 'no ad is shown';
is $ads->click(shift @links)->{status}, 302, 'a click is redirected';

make(400);     # 102 %
pressure_is(3, '100 %: nothing is journalled');
is $ads->http('GET', '/readyz')->{json}{journal}{pressure}, 3,
    'which /readyz says as its description allows';
my $lost = $ads->metric('ads_journal_unjournaled_total{kind="click"}');
is scalar(grep { $ads->click($_)->{status} == 302 } splice @links, 0, 10), 10,
    'visitors are redirected all the same';
is $ads->metric('ads_journal_unjournaled_total{kind="click"}') - $lost, 10,
    'and their clicks counted as unjournaled';
$lost = () = Ads::Journal::click_ids(Ads::Journal::segments("$ads->{dir}/state"));
is $lost, $waits + 1, 'only the one before is written';

# an adsd that starts now cannot know what is committed, and says nothing of it
# before the database answers
$ads->begin('postgres');
pressure_is(0, 'the database is back: no pressure');
$chaos->drained(20, 'after the outage');
is recommend()->{decision}, 'SHOW', 'ads are shown again';
is $ads->sql_value('select count(*) from ads.clicks'), $waits + 1,
    'everything that was written is there';
is $ads->click(shift @links)->{status}, 302, 'clicks are journalled again';
$chaos->drained(10, 'at the end');
$chaos->agree('quota');

$chaos->done;
