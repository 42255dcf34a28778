#!/usr/bin/perl

# How many journalled events a second adsd commits into PostgreSQL, exactly
# once, with bills, ledger and reports.
#
#     bench/ingest.pl [EVENTS]
#
# The mix of kinds is shown in brackets: d decision, i impression, c click.
# CPU per event is the figure to compare on a busy machine: the inverse of its
# sum is the ceiling of an idle one.
# Segments are written beforehand by bench/ingest.c; the clock runs from the
# first committed byte to the last.  PostgreSQL syncs every commit and writes
# full pages, unlike in the tests.  At the end `adsctl reconcile` must agree.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib";

use Ads::Journal;
use Ads::Test;
use POSIX ();
use Time::HiRes qw(time sleep);

chdir "$FindBin::Bin/.." or die "$!\n";
my $events = shift // 400_000;

# what a publisher's page makes of ten events, and clicks alone
my @mixes = (
    [served => 'diicdiiddi'],
    [clicks => 'dccccccccc'],
    [decisions => 'd'],
);

sub durable
{
    my ($ads) = @_;
    my $conf = "$ads->{pg_path}/postgresql.conf";
    $ads->write_file($conf,
        Ads::Stack::read_file($conf) . <<'END', 0600, $ads->{database_user});
fsync = on
full_page_writes = on
synchronous_commit = on
shared_buffers = 256MB
END
    $ads->stop('postgres');
    delete $ads->{db};
    $ads->start_database;
}

sub committed
{
    my ($ads) = @_;
    return @{
        $ads->sql(
            'select coalesce(sum(off), 0), bool_and(final)
             from ads.journal_cursor'
        )->[0]
    };
}

# CPU seconds of a process so far.
sub cpu
{
    my ($pid) = @_;
    my @stat = Ads::Process::stat_of($pid);
    return ($stat[11] + $stat[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

sub measure
{
    my ($ads, $maker, $publisher, $name, $mix) = @_;
    my ($before) = committed($ads);
    Ads::Journal::make($ads, $maker, $publisher, $events, mix => $mix);

    # no faster than it can be seen: a look costs adsd nothing
    my ($begin, $bytes, $final);
    $ads->start_adsd;
    do {
        sleep 0.01;
        ($bytes, $final) = committed($ads);
        $begin //= time if $bytes > $before;
    } until $begin && $final;
    my $seconds = time - $begin;
    my $server  = $ads->sql_value(
        q{select pid from pg_stat_activity
          where application_name = 'adsd/ingest'});
    my @cpu = map { cpu($_) * 1e6 / $events } $ads->part('adsd')->{pid}, $server;

    $ads->stop('adsd');
    printf "%-10s %8d events in %6.2f s: %7.0f events/s, CPU %.1f us each"
        . " in adsd, %.1f in PostgreSQL  (%s)\n",
        $name, $events, $seconds, $events / $seconds, @cpu, $mix;
}

my $ads       = Ads::Test->new(parts => ['postgres']);
my $maker     = Ads::Journal::maker($ads);
my $publisher = $ads->seed_publisher->{account};
$ads->seed_shop(lifetime => 1_000_000, topup => 1_000_000, name => "Shop $_")
    for 1 .. 5;
durable($ads);

measure($ads, $maker, $publisher, @$_) for @mixes;

my ($code, $out) = $ads->try_adsctl('reconcile');
print $code == 0 ? "reconcile: everything adds up\n" : $out;
$ads->clean;
exit $code;
