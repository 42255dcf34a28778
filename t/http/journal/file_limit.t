#!/usr/bin/perl
#
# The disk takes no more of the journal: short writes and refused ones.  Every
# visitor is redirected all the same, every click is either stored or counted
# as unjournaled, and the journal goes on by itself.
#
# A limit on the size of files acts as the full disk: a write stops in
# the middle of a record, as it does there.

package SmallFiles;

use strict;
use warnings;
use lib 't/lib';
use Ads::Test;

our @ISA = ('Ads::Test');

# Workers that may not write files longer than 16 KiB, and learn that by
# write() and not by a signal.
sub argv
{
    my ($self, $name) = @_;
    my $argv = $self->SUPER::argv($name);
    return $name eq 'nginx'
        ? ['bash', '-c', "trap '' XFSZ; ulimit -f 16; exec \"\$@\"", 'bash',
        @$argv]
        : $argv;
}

package main;

use JSON::PP;
use Test::More;

my $ads = SmallFiles->new(workers => 1);
my $pub = $ads->seed_publisher;
my $shop = $ads->seed_shop(topup => 5000, lifetime => 5000);

# the log has the same limit
my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");
$ads->write_file("$ads->{dir}/nginx.conf",
    $conf =~ s/^\s+access_log .* ads;$/access_log off;/mr);
$ads->part('nginx')->signal('HUP');
$ads->wait_until(
    sub { $ads->log_lines('nginx.log', qr/exited with code 0/) },
    10, 'the reload');

my $lost_before = $ads->metric('ads_journal_unjournaled_total');
my (%status, %reason, @clicked);
my $shows = 0;

# Many requests at once: the segment is full before the second is over in which
# no further one begins, however slow the machine.
sub answers
{
    my ($n) = @_;
    my $request = join '',
        Ads::Http::bytes($ads->{port}, 'POST', '/v1/ads/recommend',
        ['Content-Type' => 'application/json', 'X-API-Key' => $pub->{key}],
        encode_json({ query => 'buy a laser printer' }));
    my @sockets = map { $ads->connect } 1 .. $n;
    syswrite $_, $request for @sockets;
    return map { Ads::Http::answer($_)->{json} } @sockets;
}

sub segments
{
    my @segments = glob "$ads->{dir}/state/journal/m-*.seg";
    return @segments;
}

until ($shows > 80 && $reason{overloaded} && segments() > 1 || keys %reason > 1) {
    for my $json (answers(100)) {
        if ($json->{decision} eq 'NO_AD') {
            $reason{ $json->{reason} }++;
            next;
        }
        $shows++;
        for my $ad (@{ $json->{ads} }) {
            my $answer = $ads->click($ad->{click_url});
            $status{ $answer->{status} }++;
            push @clicked, $answer->{headers}{location} =~ /ads_click_id=(.{36})/;
        }
    }
}
is_deeply [keys %status], [302], 'every click is redirected: ' . @clicked;
is_deeply [keys %reason], ['overloaded'],
    'no ad is shown that nobody could bill';
cmp_ok $shows, '>', 80, "and $shows times ads are shown";

my $lost = $ads->metric('ads_journal_unjournaled_total') - $lost_before;
cmp_ok $lost, '>', 0, 'the disk was full for some';
is $ads->metric('ads_journal_unjournaled_total{kind="decision"}'), $reason{overloaded},
    'what was not shown is counted by its kind';
my @segments = segments();
cmp_ok scalar(@segments), '>', 1, scalar(@segments) . ' segments';
is scalar(grep { -s > 16384 } @segments), 0, 'none is longer than it may be';

# clicks and shown decisions are journalled; what is not is counted
my $stored;
my $sum = sub {
    $stored =
        $ads->sql_value('select count(distinct click_id) from ads.clicks');
    return $stored;
};
$ads->wait_until(
    sub {
        return $ads->http('GET', '/readyz')->{json}{journal}{pending_bytes} == 0
            && $sum->() + $lost - $reason{overloaded} == @clicked;
    },
    20,
    'every click to be stored or counted'
);
pass "$stored clicks are stored and the others counted";
is $ads->sql_value('select count(*) from ads.clicks where class <> 0'), 0,
    'each once';
is $ads->metric('ads_journal_corrupt_records'), 0, 'and nothing is taken as damaged';

# one product fits the query, so each request is an auction of one campaign
my $report;
$ads->wait_until(
    sub {
        $report = $ads->http('GET', '/v1/analytics/advertiser',
            ['X-API-Key' => $shop->{key}])->{json}{totals};
        return ($report->{auctions} // 0) == $shows + $reason{overloaded};
    },
    20,
    'the auctions to be in the report'
);
is $report->{wins}, $shows, 'a campaign won what it was shown in';
is $report->{lost_reason}{other}, $reason{overloaded}, 'and not the others';

$ads->wait_until(
    sub {
        $ads->recommend($pub->{key}, 'buy a laser printer')->{json}{decision}
            eq 'SHOW';
    },
    5,
    'the journal to go on'
);
pass 'the journal goes on without a restart';

$ads->done;
