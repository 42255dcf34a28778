#!/usr/bin/perl
#
# Who checks the checkers?  One thing at a time is damaged behind the service's
# back, and both `adsctl reconcile` and the independent checker find it; after
# each repair both find nothing.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Check;
use Ads::Journal;
use Ads::Test;
use Test::More;

my $ads = Ads::Test->new;
my $pub = $ads->seed_publisher;
$ads->seed_shop;
for (1 .. 5) {
    my $json = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    $ads->click($json->{ads}[0]{click_url});
}
Ads::Journal::wait_drained($ads, 20);
$ads->wait_until(
    sub { $ads->sql_value('select count(*) from ads.spend_rollups') > 0 },
    10, 'the report');

sub found
{
    my ($code) = $ads->try_adsctl('reconcile');
    return ($code, scalar(() = Ads::Check::differences($ads)));
}

# What guards these tables (triggers, keys) would refuse such changes.
sub change
{
    my (@statements) = @_;
    my $db = $ads->db;
    $db->begin_work;
    $db->do('set local session_replication_role = replica');
    for my $statement (@statements) {
        my $rows = $db->do($statement);
        cmp_ok $rows, '>', 0, "it is there: $statement"
            if $statement !~ /^drop /;
    }
    $db->commit;
}

sub is_found
{
    my ($name, $damage, $repair) = @_;
    subtest $name => sub {
        change(@$damage);
        my ($code, $n) = found();
        is $code, 1, 'adsctl reconcile finds it';
        cmp_ok $n, '>', 0, 'the independent checker finds it';
        change(@$repair);
    };
}

# Numbers of one row, one more and one less.
sub off_by_one
{
    my ($name, $table, $columns, $where) = @_;
    my $by = sub {
        my ($n) = @_;
        return "update $table set "
            . join(', ', map { "$_ = $_ + $n" } split ' ', $columns)
            . " where $where";
    };
    is_found("$name, one too " . ($_ > 0 ? 'many' : 'few'),
        [$by->($_)], [$by->(-$_)])
        for 1, -1;
}

# A row with that key, taken away and put back.
sub gone
{
    my ($name, $table, $where) = @_;
    is_found($name,
        ["create table keep as select * from $table where $where",
            "delete from $table where $where"],
        ["insert into $table select * from keep", 'drop table keep']);
}

sub key_of
{
    my ($table, $column, $where) = @_;
    my $value =
        $ads->sql_value("select $column from $table where $where limit 1");
    return "$column = '$value'";
}

# ---- while files are written -----------------------------------------------

is_deeply [found()], [0, 0], 'nothing is wrong yet';
is_found('a cursor is ahead of its file',
    ['create table keep as select node, segment, off from ads.journal_cursor',
        'update ads.journal_cursor set off = off + 160'],
    ['update ads.journal_cursor c set off = k.off from keep k
        where k.node = c.node and k.segment = c.segment', 'drop table keep']);

# ---- when they have ended --------------------------------------------------

is $ads->stop('nginx'), 0, 'nginx ends cleanly';
$ads->wait_until(
    sub { $ads->sql_value('select bool_and(final) from ads.journal_cursor') },
    20, 'the cursors to close');
is $ads->stop('adsd'), 0, 'adsd ends cleanly';


my $click = key_of('ads.clicks', 'click_id', 'class = 0');
my $tx    = key_of('ads.ledger_transactions', 'id', q{kind = 'spend'})
    =~ s/^id/tx_id/r;
my $purse = key_of('ads.ledger_accounts', 'id',
    q{kind = 'advertiser_balance'});
gone('a click row is gone', 'ads.clicks', $click);
is_found('a click has another id',
    ["update ads.clicks set click_id = '01000000-0000-8000-8000-000000000000'
      where $click"],
    [qq{update ads.clicks set $click
        where click_id = '01000000-0000-8000-8000-000000000000'}]);
off_by_one('what a click cost', 'ads.clicks',
    'price_micros billed_micros', $click);
off_by_one('an entry', 'ads.ledger_entries', 'amount_micros',
    "$tx and amount_micros > 0");
gone('a transaction lost its entries', 'ads.ledger_entries', $tx);
off_by_one('a balance', 'ads.ledger_accounts', 'balance_micros', $purse);
off_by_one("a campaign's spend", 'ads.campaign_spend', 'spent_micros',
    key_of('ads.campaign_spend', 'campaign_id', 'true'));
off_by_one("a day's spend", 'ads.campaign_days', 'spent_micros',
    key_of('ads.campaign_days', 'campaign_id', 'spent_micros > 0'));
my $rollup = key_of('ads.spend_rollups', 'campaign_id', 'clicks > 0');
off_by_one("a report's clicks", 'ads.spend_rollups', 'clicks',
    "$rollup and clicks > 0");
off_by_one("a report's spend", 'ads.spend_rollups', 'spend_micros',
    "$rollup and clicks > 0");
gone('a report is gone', 'ads.spend_rollups', $rollup);

my $cursor = key_of('ads.journal_cursor', 'segment', 'off > 64');
is_found('a cursor is behind',
    ["update ads.journal_cursor set off = off - 160 where $cursor"],
    ["update ads.journal_cursor set off = off + 160 where $cursor"]);
change("update ads.journal_cursor set off = off + 160 where $cursor");
like +($ads->try_adsctl('reconcile'))[1],
    qr/160 were committed and then lost/,
    'a cursor behind the end of a cut file: adsctl reconcile tells of it';
cmp_ok scalar(() = Ads::Check::differences($ads)), '>', 0,
    'the independent checker takes it for a difference';
change("update ads.journal_cursor set off = off - 160 where $cursor");
is_found('a cursor is open though its file ended',
    ["update ads.journal_cursor set final = false where $cursor"],
    ["update ads.journal_cursor set final = true where $cursor"]);
gone('a cursor is gone', 'ads.journal_cursor', $cursor);

is_deeply [found()], [0, 0], 'nothing is wrong any more';
$ads->done;
