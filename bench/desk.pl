#!/usr/bin/perl

# How soon management answers when there is much: requests of several kinds in
# an open loop behind nginx, on one account.
#
#     bench/desk.pl [PRODUCTS [CAMPAIGNS [EVENTS [PER_SECOND [SECONDS]]]]]
#
# Standard: 100,000 products, 1,000 campaigns, 10,000,000 events of the last 30
# days, a year of reports; 50 requests a second for 60 s.  A time runs from the
# moment a request was due, so that one that waits behind another is not
# excused.  Prints for each kind the median, p99 and worst.  Writes wait until
# their change is served; those of a test key do the same work, are rolled back
# and wait for nothing.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib", "$FindBin::Bin/lib";

use Ads::Desk;
use Ads::Test;
use IO::Select;
use JSON::PP;
use POSIX qw(strftime);
use Time::HiRes qw(time sleep);

chdir "$FindBin::Bin/.." or die "$!\n";
my ($products, $campaigns, $events, $rate, $seconds) = map { $ARGV[$_] // (100_000, 1_000, 10_000_000, 50, 60)[$_] } 0 .. 4;
my $n_readers = 8;
my $n_writers = 12;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop(products => [], topup => 1_000_000);
my $pub  = $ads->seed_publisher;
my $test = $ads->key($shop->{account}, '--test');
my $from = strftime('%Y-%m-%d', gmtime(time - 364 * 86400));
my $to   = strftime('%Y-%m-%d', gmtime);

sub seeded
{
    my ($what, $begin) = @_;
    printf "%-28s made in %5.1f s\n", $what, time - $begin;
}

my $begin = time;
Ads::Desk::catalogue($ads, $shop->{account}, $campaigns, $products);
seeded("$campaigns campaigns, $products products", $begin);
$begin = time;
Ads::Desk::events($ads, $shop->{account}, $pub->{account}, $campaigns, $events, 30);
seeded("$events events", $begin);
$begin = time;
my $rows = Ads::Desk::year($ads, $shop->{account}, $campaigns, $from, $to);
seeded("$rows rows of reports", $begin);
$ads->db->do('vacuum analyze');
printf "%s in all\n", $ads->sql_value("select pg_size_pretty(pg_database_size('ads'))");
$ads->wait_until(sub {
    my $get = $ads->http('GET', "/v1/products/" . product(1), ['X-API-Key' => $shop->{key}]);
    return $get->{status} == 200 && !$ads->sql_value('select count(*) from ads.report_deltas');
}, 120, 'adsd to have seen it');

sub id { return $ads->sql_value("select md5('$_[0]')::uuid"); }
sub campaign { return id("campaign$_[0]"); }
sub product { return id("product$_[0]"); }

my @campaign_ids = map { campaign(1 + $_ * int($campaigns / 50 || 1)) } 0 .. 39;
my @product_ids  = map { product(1 + $_ * int($products / 50 || 1)) } 0 .. 39;
my $month = 'from=' . strftime('%Y-%m-%d', gmtime(time - 29 * 86400)) . "&to=$to";

sub one { return $_[rand @_]; }

# name, share, limit in ms, what it asks: [method, path, body, key]
my @kinds = (
    ['campaign, get', 20, 10, sub { ['GET', '/v1/campaigns/' . one(@campaign_ids)] }],
    ['product, get', 20, 10, sub { ['GET', '/v1/products/' . one(@product_ids)] }],
    ['balance, get', 14, 10, sub { ['GET', '/v1/balance'] }],
    ['campaign, patch by a test key', 6, 10,
        sub { ['PATCH', '/v1/campaigns/' . one(@campaign_ids), { bid => 0.3 + int(rand 100) / 1000 }, $test] }],
    ['product, patch by a test key', 6, 10,
        sub { ['PATCH', '/v1/products/' . one(@product_ids), { price => 1 + int rand 100 }, $test] }],
    ['campaigns, a page', 6, 50, sub { ['GET', '/v1/campaigns'] }],
    ['campaigns, by status and name', 4, 50, sub { ['GET', '/v1/campaigns?status=active&q=' . one(qw(coffee shoes 77))] }],
    ['products, a page', 6, 50, sub { ['GET', '/v1/products'] }],
    ['products, by name', 3, 50, sub { ['GET', '/v1/products?q=' . one('espresso', 'model%209999', 'no-such-thing')] }],
    ['products of a campaign', 4, 50, sub { ['GET', '/v1/products?campaign_id=' . one(@campaign_ids)] }],
    ['transactions, a page', 3, 50, sub { ['GET', '/v1/balance/transactions'] }],
    ['transactions of a campaign', 2, 50, sub { ['GET', '/v1/balance/transactions?campaign_id=' . one(@campaign_ids)] }],
    ['a month by day', 3, 50, sub { ['GET', "/v1/analytics/advertiser?$month&granularity=day"] }],
    ['a month by campaign', 2, 50, sub { ['GET', "/v1/analytics/advertiser?$month&group_by=campaign"] }],
    ['a year by day', 1, 200, sub { ['GET', "/v1/analytics/advertiser?from=$from&to=$to&granularity=day"] }],
    ['a year by campaign', 1, 200, sub { ['GET', "/v1/analytics/advertiser?from=$from&to=$to&group_by=campaign"] }],
    ['a year by month and campaign', 1, 200,
        sub { ['GET', "/v1/analytics/advertiser?from=$from&to=$to&granularity=month&group_by=campaign"] }],
    ['campaign, patch and served', 2, 2000,
        sub { ['PATCH', '/v1/campaigns/' . one(@campaign_ids), { bid => 0.3 + int(rand 100) / 1000 }] }],
    ['product, patch and served', 2, 2000,
        sub { ['PATCH', '/v1/products/' . one(@product_ids), { price => 1 + int rand 100 }] }],
);

# when each request is due, shuffled by their shares; writes that wait have
# hands of their own
my $total = 0;
$total += $_->[1] for @kinds;
srand 1;
my (@reads, @writes);
for my $i (0 .. $rate * $seconds - 1) {
    my $at = rand $total;
    my $k = 0;
    $at -= $kinds[$k++][1] while $at >= $kinds[$k][1];
    push @{ $kinds[$k][2] > 1000 ? \@writes : \@reads }, [$i / $rate, $k];
}

# The status of an answer, read to its end and not parsed.
sub exchange
{
    my $socket = Ads::Http::connect($ads->{port});
    print {$socket} Ads::Http::bytes($ads->{port}, @_);
    local $/;
    my $answer = <$socket>;
    return $answer =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0;
}

sub run
{
    my ($start, $out, @jobs) = @_;
    for my $job (@jobs) {
        my ($due, $k) = @$job;
        my ($method, $path, $body, $key) = @{ $kinds[$k][3]->() };
        my $wait = $start + $due - time;
        sleep $wait if $wait > 0;
        my @headers = ('X-API-Key' => $key // $shop->{key}, $body ? ('Content-Type' => 'application/json') : ());
        my $status = exchange($method, $path, \@headers, $body && encode_json($body));
        printf {$out} "%d %.3f %d\n", $k, 1000 * (time - $start - $due), $status;
    }
}

my $start = time + 1;
my @out;
$ads->{db}{AutoInactiveDestroy} = 1;
for my $i (0 .. $n_readers + $n_writers - 1) {
    my @jobs =
        $i < $n_readers
        ? @reads[grep { $_ % $n_readers == $i } 0 .. $#reads]
        : @writes[grep { $_ % $n_writers == $i - $n_readers } 0 .. $#writes];
    my $pid = open my $out, '-|';
    die "fork: $!\n" unless defined $pid;
    if ($pid == 0) {
        srand $i;
        $ads->{owner} = 0;
        run($start, \*STDOUT, @jobs);
        close STDOUT;
        POSIX::_exit(0);
    }
    push @out, $out;
}
my (@ms, %status);
for my $out (@out) {
    while (my $line = <$out>) {
        my ($k, $ms, $status) = split ' ', $line;
        push @{ $ms[$k] }, $ms;
        $status{$status}++;
    }
}
open my $load, '<', '/proc/loadavg' or die "loadavg: $!\n";
printf "%d a second for %d s; answers %s; load average %s\n", $rate, $seconds,
    join(', ', map { "$status{$_} x $_" } sort keys %status), join ' ', (split ' ', <$load>)[ 0, 1 ];
printf "%-32s %6s %8s %8s %8s %8s\n", 'kind', 'n', 'p50 ms', 'p99 ms', 'worst', 'limit';
for my $k (0 .. $#kinds) {
    my @sorted = sort { $a <=> $b } @{ $ms[$k] || [] } or next;
    printf "%-32s %6d %8.1f %8.1f %8.1f %8d%s\n", $kinds[$k][0], scalar @sorted, $sorted[@sorted / 2],
        $sorted[@sorted * 0.99], $sorted[-1], $kinds[$k][2], $sorted[@sorted * 0.99] > $kinds[$k][2] ? '  over' : '';
}
if ($ENV{ADS_HOLD}) {
    printf "%s: held for %d s\n", $ads->conninfo, $ENV{ADS_HOLD};
    sleep $ENV{ADS_HOLD};
}
$ads->clean;
