#!/usr/bin/perl
#
# No free delivery: what is left of a day, a lifetime budget or a balance is
# only sold while it pays the bid.  Prices that do not divide their budgets,
# every link followed at once, and adsd away.

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
        products => [{ %{ $all->[$product] }, id => "p-$name" }],
        %opt
    );
}

# Asks for so many seconds and follows every link at once; shown, by campaign.
sub follow
{
    my ($query, $seconds) = @_;
    my %shown;
    my $end = time + $seconds;
    while (time < $end) {
        for my $ad (@{ $ads->recommend($pub->{key}, $query)->{json}{ads} }) {
            $shown{ $ad->{campaign_id} // $ad->{advertiser} }++;
            $ads->click($ad->{click_url});
        }
        sleep 0.01;
    }
    Ads::Journal::wait_drained($ads);
    return \%shown;
}

# class => number of the campaign's clicks, and what they cost
sub verdicts
{
    my ($shop) = @_;
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

sub status
{
    my ($shop) = @_;
    my $json = $ads->http('GET', "/v1/campaigns/$shop->{campaign}",
        ['X-API-Key' => $shop->{key}])->{json};
    return "$json->{serving_status}: @{ $json->{reasons} }";
}

# ---- a bid above its budget ------------------------------------------------

# Neither form accepts it; a database of before may hold it.
my $dear = shop('Dear', 0, bid => '5.00', daily => '10');
$ads->sql('update ads.campaigns set daily_budget_micros = 1000000
    where id = ? returning 1', $dear->{campaign});
my $rival = shop('Rival', 0, bid => '0.50');
my (%shown, $latest);
$latest = time + 60;
do {
    my $more = follow('buy a laser printer', 3);
    $shown{$_} += $more->{$_} for keys %$more;
} until ($shown{Rival} // 0) > 10 or time > $latest;
is $shown{Dear}, undef, 'a bid above its budget is never shown';
cmp_ok $shown{Rival} // 0, '>', 10, 'its rival is';
is_deeply verdicts($dear), { billed => 0 }, 'it gives nothing away';
is status($dear), 'out_of_budget_today: out_of_budget_today',
    'and says that the day does not pay it';

# ---- a remainder below the bid ---------------------------------------------

my @levels = (
    ['day',      3, 'buy running shoes',       'out_of_budget_today',
        daily => '1.00'],
    ['lifetime', 2, 'buy an espresso machine', 'budget_exhausted',
        lifetime => '1.00'],
    ['balance',  4, 'buy wireless headphones', 'no_funds', topup => '1.00'],
);
for my $level (@levels) {
    my ($name, $product, $query, $reason, @budget) = @$level;
    my $odd = shop("Odd $name", $product, bid => '0.07', @budget);
    $latest = time + 60;
    do { follow($query, 3) }
        until status($odd) ne 'serving: ' or time > $latest;
    follow($query, 1); # anything more would be free
    my $is = verdicts($odd);
    is_deeply $is, { billed => 980_000, valid => 14 },
        "$name: 14 clicks of 0.07 are sold of 1.00, and none is free"
        or diag explain $is;
    is status($odd), "$reason: $reason", 'the 0.02 that are left are its end';
    is $ads->recommend($pub->{key}, $query)->{json}{reason}, 'no_budget',
        'and buy nothing';
}

# ---- adsd away -------------------------------------------------------------

# Workers know what the links they serve will cost, and stop by themselves.
my $bikes = 'buy a mountain bike';
my $away  = shop('Away', 5, bid => '0.07', lifetime => '1.00');
my @late  = map { $_->{click_url} } map {
    @{ $ads->recommend($pub->{key}, $bikes)->{json}{ads} }
} 1 .. 10;
is $ads->stop('adsd'), 0, 'adsd ends cleanly';
my $begin = time;
my $n     = 0;
while (time - $begin < 15) {
    for my $ad (@{ $ads->recommend($pub->{key}, $bikes)->{json}{ads} }) {
        $n++;
        push @late, $ad->{click_url};
    }
    sleep 0.02;
}
cmp_ok $n, '>=', 10, 'ads are shown while adsd is away';
cmp_ok $n, '<=', 140, 'but not without end';
$ads->start_adsd;
$ads->click($_) for @late[ map { 4 * $_ } 0 .. 4 ];
follow($bikes, 4);
my $now = verdicts($away);
is $now->{unfunded}, undef, 'nothing is given away when it is back'
    or diag explain $now;
cmp_ok $now->{valid}, '>=', 5, 'and clicks are sold';

my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'adsctl reconcile agrees' or diag $out;

$ads->done;
