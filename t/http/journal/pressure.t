#!/usr/bin/perl
#
# What a worker does when adsd says that room for the journal is running out:
# first counts are shed, then nothing is sold, at last nothing is written.
# Visitors are redirected whatever it is, and their clicks recorded but at the
# last.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;
use Time::HiRes qw(sleep);

my $ads = Ads::Test->new(workers => 1);
my $pub = $ads->seed_publisher;
$ads->seed_shop;
my @links;
for (1 .. 4) {
    my $json = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    push @links, $json->{ads}[0]{click_url};
}
my $event = {
    request_id => $ads->recommend($pub->{key}, 'buy a laser printer')
        ->{json}{request_id},
    ad_id => '00000000-0000-4000-8000-000000000001'
};

# from here on the word is ours
is $ads->stop('adsd'), 0, 'adsd ends cleanly';
open my $live, '+<:raw', "$ads->{run_path}/live" or die "live: $!\n";

sub press
{
    my ($level) = @_;
    sysseek $live, 512 + 8 * 5, 0;    # ADS_LIVE_PRESSURE
    syswrite $live, pack 'Q<', $level;
}

sub decision
{
    my $json = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    return join ' ', grep { defined } @{$json}{qw(decision reason)};
}

# Counts of answers without ads are written every few seconds.
sub counts_written
{
    my $before = -s ((glob "$ads->{dir}/state/journal/t-*.seg")[0] // '') // 0;
    my $lost   = $ads->metric('ads_journal_unjournaled_total{kind="counts"}');
    $ads->recommend($pub->{key}, 'why is the sky blue');
    my $outcome;
    $ads->wait_until(
        sub {
            my ($segment) = glob "$ads->{dir}/state/journal/t-*.seg";
            $outcome =
                  $segment && -s $segment > $before ? 'written'
                : $ads->metric('ads_journal_unjournaled_total{kind="counts"}') > $lost ? 'shed'
                :                                                   undef;
        },
        15,
        'counts to be written or shed'
    );
    return $outcome;
}

sub records
{
    return $ads->metric('ads_journal_records_total');
}

for my $case ([0, 'SHOW', 'written'], [1, 'SHOW', 'shed'],
    [2, 'NO_AD overloaded', 'shed']) {
    my ($level, $decision, $counts) = @$case;
    press($level);
    is decision(), $decision, "at pressure $level: $decision";
    my $no_ad = $ads->metric('ads_no_ad_total{reason="overloaded"}');
    my $before = records();
    is $ads->click(shift @links)->{status}, 302,
        "at pressure $level: a visitor is redirected";
    is records() - $before, 1, 'and the click recorded';
    is $ads->post('/v1/events/impression', $pub->{key}, $event)->{status},
        202, 'an impression is taken';
    is counts_written(), $counts, "counts are $counts";
    is $no_ad, $level < 2 ? 0 : 1, 'the metrics tell of refused sales';
}

my $paused = $ads->recommend($pub->{key}, 'buy a laser printer');
is $paused->{status}, 200, 'who asks gets an answer, not an error';
is_deeply $paused->{json}{ads}, [], 'without ads';

press(3);
is decision(), 'NO_AD overloaded', 'at pressure 3: NO_AD overloaded';
my ($before, $lost) = (records(), $ads->metric('ads_journal_unjournaled_total{kind="click"}'));
is $ads->click(shift @links)->{status}, 302,
    'at pressure 3: a visitor is redirected';
is records() - $before, 0, 'the click is not recorded';
is $ads->metric('ads_journal_unjournaled_total{kind="click"}') - $lost, 1, 'which is counted';
$ads->is_problem($ads->post('/v1/events/impression', $pub->{key}, $event),
    503, 'journal_unavailable', 'an impression has to wait');

press(0);
is decision(), 'SHOW', 'sales go on when there is room again';

$ads->done;
