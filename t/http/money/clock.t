#!/usr/bin/perl
#
# A node whose clock is two days ahead: its clicks are billed today, it does not
# say that it has seen the days to come, and it raises an alarm.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use File::Temp qw(tempdir);
use Test::More;

plan skip_all => 'preloading does not go with sanitizers'
    if $ENV{ADS_CFLAGS};

my $ahead_s = 2 * 86400;
my $folder  = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $folder;
system($ENV{CC} || 'cc', qw(-shared -fPIC -O1 -Wall -Wextra -o),
    "$folder/clock.so", 't/http/money/clock.c', '-ldl') == 0
    or die "t/http/money/clock.c does not build\n";

my $ads = Ads::Test->new;
my $pub = $ads->seed_publisher;

# enough for links that are out: until adsd has entered a click, it counts twice
my $shop =
    $ads->seed_shop(bid => '0.30', daily => '10.00', lifetime => '100.00');
is $ads->metric('ads_journal_clamped_records'), 0, 'clocks agree';
$ads->stop($_) for qw(nginx adsd);

sub begin_with
{
    my ($seconds) = @_;
    local $ads->{env} = {
        %{ $ads->{env} },
        LD_PRELOAD        => "$folder/clock.so",
        ADS_CLOCK_AHEAD_S => $seconds
    };
    $ads->begin($_) for qw(adsd nginx);
}

sub clicks
{
    my ($n) = @_;
    my $before = $ads->sql_value('select count(*) from ads.clicks');
    my $made   = 0;
    for (1 .. $n) {
        my $ad = $ads->recommend($pub->{key}, 'buy a laser printer')
            ->{json}{ads}[0] or next;
        $made++ if $ads->click($ad->{click_url})->{status} == 302;
    }
    $ads->wait_until(
        sub {
            $ads->sql_value('select count(*) from ads.clicks')
                == $before + $made;
        },
        20,
        'the clicks to be entered'
    );
    return $made;
}

my $begun = $ads->sql_value('select clock_timestamp()');
begin_with($ahead_s);
$ads->wait_until(
    sub {
        ($ads->recommend($pub->{key}, 'buy a laser printer')->{json}{decision}
                // '') eq 'SHOW';
    },
    20,
    'ads to be shown'
);
is clicks(2), 2, 'visitors are sent on';
is_deeply $ads->sql('select distinct d.day - (now() at time zone ?)::date'
        . ' from ads.campaign_days d where d.campaign_id = ?',
    'UTC', $shop->{campaign}), [[0]], 'and billed today, not in two days';
is $ads->sql_value('select count(*) from ads.clicks where at > now()'), 0,
    'no click is of a time to come';
cmp_ok $ads->sql_value('select sum(billed_micros) from ads.clicks'), '>', 0,
    'they are billed';
is $ads->sql_value('select count(*) from ads.report_deltas'
        . ' where bucket_at > now()'), 0, 'nor is anything of the reports';
$ads->wait_until(
    sub {
        $ads->sql_value('select drained_to > ? from ads.nodes', $begun);
    },
    20,
    'the node to say how far it is since'
);
is $ads->sql_value('select count(*) from ads.nodes where drained_to > now()'),
    0, 'which is not ahead';

# adsd sets its metrics at the end of a cycle, after what that has entered
$ads->wait_until(
    sub { ($ads->metric('ads_journal_clamped_records') // 0) >= 2 },
    20, 'the metrics of what is entered');
cmp_ok $ads->metric('ads_journal_clamped_records'), '>=', 2,
    'such records are counted';
cmp_ok abs($ads->metric('ads_clock_off_ms') - 1000 * $ahead_s), '<', 2000,
    'the metric says how far the clock is off';
is scalar($ads->log_lines('adsd.out', qr/ahead of the database's/)), 1,
    'and the log says so once';

$ads->stop($_) for qw(nginx adsd);
$ads->begin($_) for qw(adsd nginx);
$ads->wait_until(sub { ($ads->metric('ads_clock_off_ms') // 9999) < 1000 },
    20, 'the clock to be right again');
pass 'which ends with the fault';

$ads->done;
