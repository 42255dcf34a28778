#!/usr/bin/perl
#
# A record that PostgreSQL refuses, or that no one knows, is set aside whole,
# said so, and never stops the others.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use Test::More;

my $ads   = Ads::Test->new;
my $pub   = $ads->seed_publisher;
my $shop  = $ads->seed_shop;
my $maker = Ads::Journal::maker($ads);

# 20,000 records, among them 20 of each bad kind
my $mix  = 'd' . 'ic' x 250 . 'p' . 'ic' x 124 . 't' . 'ic' x 124 . 'u';
my $name = Ads::Journal::make($ads, $maker, $pub->{account},
    20 * length $mix, mix => $mix);
Ads::Journal::wait_drained($ads);

my ($segment) = grep { $_->{name} eq $name }
    Ads::Journal::segments("$ads->{dir}/state");
my %bad = map { $_->{off} => $_ } grep {
           $_->{type} == 99
        || $_->{at_us} > 9e18
        || ($_->{type} == 1 && unpack('x64 q<', $_->{payload}) < 0)
} @{ $segment->{records} };
is scalar keys %bad, 60, 'sixty records are bad';

my @rejects = @{ $ads->sql(
    'select off, type, bytes, reason from ads.ingest_reject order by off') };
is_deeply [map { $_->[0] } @rejects], [sort { $a <=> $b } keys %bad],
    'exactly these are set aside';
my $bytes = Ads::Journal::slurp("$ads->{dir}/state/journal/$name");
is scalar(grep {
    $_->[2] ne substr $bytes, $_->[0], $bad{ $_->[0] }{len}
} @rejects), 0, 'whole, byte by byte';
my %reasons = map { $_->[3] =~ /^(\w+)/ ? ($1 => 1) : () } @rejects;
is_deeply [sort keys %reasons], ['22008', '23514', 'unknown'],
    'with what was wrong';

is $ads->sql_value('select count(*) from ads.clicks where segment = ?',
    $segment->{uuid}), 20 * 498, 'every good click is a row';
is $ads->sql_value('select count(*) from ads.impressions where segment = ?',
    $segment->{uuid}), 20 * 498, 'every good impression too';

# ---- it is said, and life goes on ------------------------------------------

my (undef, $metrics) = $ads->get('/metrics');
like $metrics, qr/^ads_journal_rejected_records(?:_total)? 60$/m,
    'the metric counts them';
is scalar $ads->log_lines('adsd.out', qr/"level":"error".*set aside/), 60,
    'the log names each';
my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 1, 'adsctl reconcile does not agree';
like $out, qr/^FAIL R7 no record was set aside/m, 'and says why';
like $out, qr/^ok   R2 clicks in the journal = click rows/m,
    'though every click is accounted for';

my $ad = $ads->recommend($pub->{key}, 'buy a laser printer')->{json}{ads}[0];
is $ads->click($ad->{click_url})->{status}, 302, 'a click after that';
Ads::Journal::wait_drained($ads);
is $ads->sql_value('select class from ads.clicks where segment <> ?',
    $segment->{uuid}), 0, 'is billed';

$ads->restart('adsd');
Ads::Journal::wait_drained($ads);
is $ads->sql_value('select count(*) from ads.ingest_reject'), 60,
    'a restart sets nothing aside again';

$ads->done;
