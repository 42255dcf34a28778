#!/usr/bin/perl
#
# Conversions belong to who reported them: a publisher's are kept and shown
# apart, give way to the advertiser's own, cancel nothing of it, and beyond the
# caps neither side's count.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop;
my $pub  = $ads->seed_publisher;

# The id of a click that is committed.
sub clicked
{
    my $ad =
        $ads->recommend($pub->{key}, 'buy a laser printer')->{json}{ads}[0];
    my ($id) = $ads->click($ad->{click_url})->{headers}{location}
        =~ /[?&]ads_click_id=([0-9a-f-]{36})/;
    $ads->wait_until(
        sub {
            $ads->sql_value(
                'select count(*) from ads.clicks where click_id = ?', $id);
        },
        10,
        'the click to be committed'
    );
    return $id;
}

sub convert
{
    my ($who, $click, $value, %fields) = @_;
    return $ads->post('/v1/events/conversion', $who->{key},
        { click_id => $click, value => $value, currency => 'USD', %fields });
}

# The advertiser's totals, once they count that many that were reported.
sub totals
{
    my ($n) = @_;
    my $totals;
    $ads->wait_until(
        sub {
            $totals = $ads->http('GET', '/v1/analytics/advertiser',
                ['X-API-Key' => $shop->{key}])->{json}{totals};
            return $n == $totals->{conversions}
                + ($totals->{publisher_conversions} // 0)
                + ($totals->{held_conversions} // 0);
        },
        10,
        "$n conversions in the report"
    );
    return [@$totals{
            qw(conversions conversion_value publisher_conversions
                publisher_conversion_value held_conversions)
    }];
}

# ---- whose is whose ---------------------------------------------------------

my $click = clicked();
my $own   = convert($shop, $click, 50, order_id => 'A-1');
my $site  = convert($pub,  $click, 50, order_id => 'P-1');
is $own->{json}{status}, 'recorded', 'the advertiser reports an order';
is $site->{json}{status}, 'recorded', 'the publisher another one';
is_deeply totals(2), [1, 50, 1, 50, 0], 'each is shown as who reported it';

$ads->is_problem(
    convert($pub, $click, 0, adjusts => $own->{json}{event_id}),
    400, 'invalid_fields',
    "the publisher does not cancel the advertiser's order");
$ads->is_problem(
    convert($shop, $click, 0, adjusts => $site->{json}{event_id}),
    400, 'invalid_fields', 'nor the other way round');
is convert($pub, $click, 1, order_id => 'A-1')->{json}{reason}, 'replaced',
    "an order that the advertiser reported counts as the advertiser's";
is_deeply totals(2), [1, 50, 1, 50, 0], 'and as nothing else';

my $later = convert($shop, $click, 70, order_id => 'P-1');
is $later->{json}{status}, 'recorded', 'so it does when reported later';
isnt $later->{json}{event_id}, $site->{json}{event_id}, 'by its own id';
$ads->wait_until(sub { totals(2)->[0] == 2 }, 10, 'the report');
is_deeply totals(2), [2, 120, 0, 0, 0],
    "it takes the place of the publisher's";
is convert($pub, $click, 50, order_id => 'P-1')->{json}{event_id},
    $site->{json}{event_id}, 'a repeat finds the own event, whatever it counts';

# ---- caps -------------------------------------------------------------------

$click = clicked();
my %got;
$got{ convert($pub, $click, 1_000_000_000, order_id => "F-$_")
        ->{json}{status} }++
    for 1 .. 60;
is_deeply \%got, { held => 60 }, 'orders of a billion are held';
is_deeply totals(62), [2, 120, 0, 0, 60], 'shown, and counted as nothing';

%got = ();
$got{ convert($pub, clicked(), 1, order_id => 'O')->{json}{status} }++;
$click = clicked();
for (1 .. 25) {
    my $answer = convert($pub, $click, 1, order_id => "M-$_")->{json};
    $got{ $answer->{reason} // $answer->{status} }++;
}
is_deeply \%got, { recorded => 21, conversions_per_click => 5 },
    'a click has at most 20 of a reporter';
my $order = convert($shop, $click, 99_000, order_id => 'M-1');
is $order->{json}{status}, 'recorded', "which takes nothing from the other's";
is convert($shop, $click, 2000)->{json}{reason}, 'conversion_value_max',
    'a campaign has at most 100,000 a day';
is convert($shop, $click, 200_000, adjusts => $order->{json}{event_id})
    ->{json}{status}, 'held', 'also by an adjustment';
is convert($shop, $click, 10, adjusts => $order->{json}{event_id})
    ->{json}{status}, 'recorded', 'which may lower it';
is convert($shop, $click, 2001)->{json}{status}, 'recorded',
    'and make room for another one';

$ads->done;
