#!/usr/bin/perl
#
# The end of the money: a budget of N clicks bills exactly N of many links, new
# ads stop within a second, also with adsd away, and come back with new money;
# links of a paused campaign redirect and are billed for late_click_s.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use Test::More;
use Time::HiRes qw(time sleep);

my $ads = Ads::Test->new;
my $pub = $ads->seed_publisher;
my $all = $ads->products;

sub shop
{
    my ($name, $product, %opt) = @_;
    return $ads->seed_shop(
        name     => $name,
        bid      => '0.10',
        products => [{ %{ $all->[$product] }, id => "p-$name" }],
        %opt
    );
}

sub links
{
    my ($query, $n) = @_;
    my @urls;
    while (@urls < $n) {
        my $ad = $ads->recommend($pub->{key}, $query)->{json}{ads}[0]
            or BAIL_OUT("no ad for $query");
        push @urls, $ad->{click_url};
    }
    return @urls;
}

sub decision
{
    my ($query) = @_;
    my $json = $ads->recommend($pub->{key}, $query)->{json};
    return $json->{reason} // $json->{decision};
}

# Seconds until the decision is that, every time for a while, or only once.
sub seconds_until
{
    my ($query, $wanted, $once) = @_;
    my $begin = time;
    my $since;
    while (time - $begin < 10) {
        if (decision($query) eq $wanted) {
            $since //= time;
            return $since - $begin if $once || time - $since > 0.5;
        }
        else {
            $since = undef;
        }
        sleep 0.005;
    }
    return 99;
}

sub redirected
{
    my (@urls) = @_;
    return scalar grep { $ads->click($_)->{status} == 302 } @urls;
}

# class => number of the campaign's clicks, and what they cost
sub verdicts
{
    my ($shop) = @_;
    Ads::Journal::wait_drained($ads);
    return {
        billed => 0 + ($ads->sql_value(
            'select sum(billed_micros) from ads.clicks where campaign_id = ?',
            $shop->{campaign}) // 0),
        map { $_->[0] => 0 + $_->[1] } @{ $ads->sql(
            'select k.name, count(*) from ads.clicks c
             join ads.click_classes k on k.code = c.class
             where c.campaign_id = ? group by 1', $shop->{campaign}) }
    };
}

# ---- a budget of 50 clicks -------------------------------------------------

my $printers = 'buy a laser printer';
my $budget   = shop('Budget', 0, lifetime => '5.00');
my @links    = links($printers, 300);

is redirected(@links[ 0 .. 49 ]), 50, 'the clicks of a budget are redirected';
my $seconds = seconds_until($printers, 'no_budget');
cmp_ok $seconds, '<=', Ads::Test::patience(), 'new ads stop within a second'
    or diag "after $seconds s";
is redirected(@links[ 50 .. 299 ]), 250, 'later ones are redirected as well';
is_deeply verdicts($budget),
    { billed => 5_000_000, valid => 50, unfunded => 250 },
    'exactly the budget is billed, the rest is free';

# ---- a balance of 20 clicks, with adsd away --------------------------------

my $shoes   = 'buy running shoes';
my $balance = shop('Balance', 3, lifetime => '1000', topup => '2.00');
@links = links($shoes, 60);

is $ads->stop('adsd'), 0, 'adsd ends cleanly';
is redirected(@links[ 0 .. 29 ]), 30, 'clicks are redirected without adsd';
is decision($shoes), 'no_budget', 'and workers stop by themselves';
$ads->start_adsd;
is redirected(@links[ 30 .. 39 ]), 10, 'a late click is redirected';
is_deeply verdicts($balance),
    { billed => 2_000_000, valid => 20, unfunded => 20 },
    'exactly the balance is billed';

$ads->topup($balance->{account}, '1.00');

# one ad: of two links in three followed, a hundred unfollowed would be too many
cmp_ok seconds_until($shoes, 'SHOW', 1), '<=', Ads::Test::patience(),
    'ads come back within a second of new money';
is redirected(@links[ 40 .. 44 ]), 5, 'its clicks are redirected';
is verdicts($balance)->{billed}, 2_500_000, 'and billed';

# ---- a day's budget --------------------------------------------------------

my $bikes = 'buy a mountain bike';
my $daily = shop('Daily', 5, lifetime => '1000', daily => '1.00');
@links = links($bikes, 25);
is redirected(@links), 25, 'clicks beyond the day are redirected';
cmp_ok seconds_until($bikes, 'no_budget'), '<=', Ads::Test::patience(),
    'a spent day stops new ads within a second';
is_deeply verdicts($daily), { billed => 2_500_000, valid => 25 },
    'and the links that were out by then are billed';

# ---- paused ----------------------------------------------------------------

my $coffee = 'buy an espresso machine';
my $paused = shop('Paused', 2, lifetime => '1000');
@links = links($coffee, 20);
$ads->adsctl('campaign', 'pause', $paused->{campaign});
isnt decision($coffee), 'SHOW', 'a paused campaign is not shown';
is redirected(@links), 20, 'its links still redirect';
is_deeply verdicts($paused), { billed => 2_000_000, valid => 20 },
    'and are billed, as they were served before';

my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'adsctl reconcile agrees' or diag $out;

$ads->done;
