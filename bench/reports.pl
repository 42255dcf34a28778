#!/usr/bin/perl

# How long the reports of a large account take, over HTTP.
#
#     bench/reports.pl [CAMPAIGNS] [ROUNDS]
#
# The account has a year of CAMPAIGNS (1000) campaigns, every one shown every
# day, two ads each on 3 placements in 5 countries, and a month of quarters of
# an hour; the rows are written straight into the reports' tables, each level
# from the same numbers.  Prints the median and the worst of ROUNDS (7), and
# the CPU time PostgreSQL's backend had, which is what a busy machine does not
# change.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib";

use Ads::Test;
use POSIX qw(strftime);
use Time::HiRes qw(time);

chdir "$FindBin::Bin/.." or die "$!\n";
my ($campaigns, $rounds) = ($ARGV[0] // 1000, $ARGV[1] // 7);

my $ads  = Ads::Test->new(adsd => { api_threads => 1 });
my $shop = $ads->seed_shop(products => []);
my $from = strftime('%Y-%m-%d', gmtime(time - 364 * 86400));
my $to   = strftime('%Y-%m-%d', gmtime);

my $account = $shop->{account};

# the rows of one level out of those of another
sub fold
{
    my ($level, $grain, $dims) = @_;
    my $at = $grain eq 'm' ? "date_trunc('month', at, 'UTC')" : 'at';
    my $nil = "'00000000-0000-0000-0000-000000000000'::uuid";
    my ($campaign, $ad, $placement, $country) =
        map { $dims =~ /$_/ ? $_ : /_id/ ? $nil : "''" } qw(campaign_id ad_id placement country);
    $ads->sql_value(<<"SQL");
with put as (
    insert into ads.reports
    select account_id, '$grain', $level, $at, $campaign, $ad, $placement, $country, sum(impressions), sum(clicks),
        sum(invalid_clicks), sum(duplicate_clicks), sum(free_clicks), sum(spend_micros), sum(conversions),
        sum(value_micros)
    from ads.reports
    where account_id = '$account' and grain = 'd' and level = 15
    group by 1, 2, 3, 4, 5, 6, 7, 8
    returning 1
)
select count(*) from put
SQL
}

sub quarters
{
    my ($level, $days, $one_in, $campaign) = @_;
    $ads->sql_value(<<"SQL");
with put as (
    insert into ads.reports
    select '$account', 'q', $level, t.at, $campaign, '00000000-0000-0000-0000-000000000000', '', '',
        40, 1, 0, 0, 0, 250000, 0, 0
    from generate_series(date_trunc('day', now(), 'UTC') - interval '$days days', now(), interval '15 minutes') t (at),
        generate_series(1, $one_in) n (c)
    returning 1
)
select count(*) from put
SQL
}

my $rows = $ads->sql_value(<<"SQL");
with put as (
    insert into ads.reports
    select
        '$account', 'd', 15, d.day, md5('campaign' || c)::uuid, md5('ad' || c || '-' || x)::uuid,
        (array['inline', 'card', 'voice'])[1 + (c + x) % 3], (array['US', 'DE', 'FR', 'GB', 'JP'])[1 + c % 5],
        400, 9, 1, 1, 0, 2250000, 1, 30000000
    from generate_series('$from'::timestamptz at time zone 'UTC' at time zone 'UTC', '$to'::timestamptz, interval '1 day')
            d (day),
        generate_series(1, $campaigns) n (c), generate_series(1, 2) x
    returning 1
)
select count(*) from put
SQL
$rows += fold(@$_)
    for [0, 'd', ''], [0, 'm', ''], [1, 'd', 'campaign_id'], [1, 'm', 'campaign_id'],
    [12, 'd', 'placement country'], [12, 'm', 'placement country'],
    [15, 'm', 'campaign_id ad_id placement country'];
$rows += quarters(0, 364, 1, "'00000000-0000-0000-0000-000000000000'");
$rows += quarters(1, 30, int($campaigns / 5) || 1, "md5('campaign' || c)::uuid");
$ads->db->do('vacuum analyze ads.reports');
printf "%d campaigns, %d rows, %s\n", $campaigns, $rows,
    $ads->sql_value("select pg_size_pretty(pg_total_relation_size('ads.reports'))");

sub backend_cpu
{
    my $pid = $ads->sql_value("select pid from pg_stat_activity where application_name = 'adsd/api'") or return 0;
    my @stat = Ads::Process::stat_of($pid);
    return ($stat[11] + $stat[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

sub measure
{
    my ($name, $query) = @_;
    my @curl = ('curl', '-s', '-o', '/dev/null', '-w', '%{http_code} %{time_total}', '-H', "X-API-Key: $shop->{key}",
        '-g', "$ads->{base_url}/v1/analytics/advertiser?$query");
    my @ms;
    my $cpu;
    for my $round (0 .. $rounds) {
        $cpu = backend_cpu() if $round == 1;
        open my $out, '-|', @curl or die "curl: $!\n";
        my ($status, $seconds) = split ' ', <$out>;
        die "$name: $status\n" if $status != 200;
        push @ms, 1000 * $seconds if $round;
    }
    $cpu = 1000 * (backend_cpu() - $cpu) / $rounds;
    @ms = sort { $a <=> $b } @ms;
    printf "%-44s median %6.1f ms, worst %6.1f ms, CPU of PostgreSQL %6.1f ms\n", $name, $ms[@ms / 2], $ms[-1], $cpu;
}

my $year = "from=$from&to=$to";
measure('a year', $year);
measure('a year by day',                 "$year&granularity=day");
measure('a year by month and placement', "$year&granularity=month&group_by=placement");
measure('a year by campaign',            "$year&group_by=campaign");
measure('a year by month and campaign',  "$year&granularity=month&group_by=campaign");
measure('a year by day and campaign',    "$year&group_by=date,campaign");
measure('a year by product',             "$year&group_by=product");
measure('a year of one campaign by day', "$year&granularity=day&filter[campaign]="
        . $ads->sql_value("select md5('campaign7')::uuid"));
measure('a year by day in Kathmandu',    "$year&granularity=day&timezone=Asia/Kathmandu");
measure('a week by hour and campaign',   'group_by=hour,campaign');
$ads->clean;
