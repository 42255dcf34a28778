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
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib", "$FindBin::Bin/lib";

use Ads::Desk;
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

my $rows = Ads::Desk::year($ads, $account, $campaigns, $from, $to);
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
