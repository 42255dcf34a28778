#!/usr/bin/perl
#
# adsd and PostgreSQL are killed in the middle of 1,000 clicks: every visitor
# is redirected, exactly the answered clicks are billed, to the unit, and what
# the client saw, the raw files, the tables and the ledger agree.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use POSIX ();
use Test::More;
use Time::HiRes qw(time sleep);

my $tokens   = 1000;
my $again    = 50;     # clicked twice
my $step_s   = 0.004;  # between clicks
my $ads      = Ads::Test->new;
my $pub      = $ads->seed_publisher;
my $shop     = $ads->seed_shop(bid => '0.10', topup => 5000, lifetime => 5000);
my @queries  = (
    'buy a laser printer', 'buy ink cartridge black',
    'buy an espresso machine', 'buy running shoes',
    'buy wireless headphones', 'buy a mountain bike'
);

# ---- links -----------------------------------------------------------------

my @urls;
while (@urls < $tokens) {
    my $answer = $ads->recommend($pub->{key}, $queries[ @urls % @queries ]);
    my @shown  = @{ $answer->{json}{ads} || [] }
        or BAIL_OUT("no ad: $answer->{body}");
    push @urls, map { $_->{click_url} } @shown;
}
$#urls = $tokens - 1;

# ---- clicks in one process, murder in the other ----------------------------

my $seen = "$ads->{dir}/answered";
my $pid  = fork // die "fork: $!\n";
if ($pid == 0) {
    open my $out, '>', $seen or POSIX::_exit(1);
    for my $url (@urls, @urls[ 0 .. $again - 1 ]) {
        my $answer = eval { $ads->click($url) } || { status => 0 };
        my ($id) = ($answer->{headers}{location} // '') =~
            /[?&]ads_click_id=([0-9a-f-]{36})/;
        print {$out} $answer->{status}, ' ', $id // '-', "\n";
        sleep $step_s;
    }
    close $out;
    POSIX::_exit(0);
}

srand(my $seed = $ENV{ADS_SEED} || time);
note "seed $seed";
my $ended = 0;
my %kills = (adsd => 0, postgres => 0);
until ($ended) {
    sleep 0.1 + rand 0.3;
    if ($kills{adsd} % 4 == 3 && $kills{postgres} < 2) {
        # both at once: the database the way `stop -m immediate` does it
        $ads->part('postgres')->signal('QUIT');
        $ads->wait_until(sub { $ads->part('postgres')->ended }, 10, 'its end');
        $ads->bury(delete $ads->{parts}{postgres});
        $kills{postgres}++;
        $ads->kill_and_restart('adsd');
        sleep 0.2;
        $ads->begin('postgres');
    }
    else {
        $ads->kill_and_restart('adsd');
    }
    $kills{adsd}++;
    $ended = waitpid($pid, POSIX::WNOHANG()) == $pid;
}
cmp_ok $kills{adsd}, '>=', 3, "adsd was killed $kills{adsd} times";
cmp_ok $kills{postgres}, '>=', 1, "PostgreSQL $kills{postgres} times";
Ads::Journal::wait_drained($ads, 30);

# ---- what each of them says ------------------------------------------------

open my $in, '<', $seen or die "$seen: $!\n";
my @answers = map { [split] } <$in>;
is scalar @answers, $tokens + $again, 'every click was answered';
is scalar(grep { $_->[0] != 302 || $_->[1] eq '-' } @answers), 0,
    'each with a redirect that carries its id';
my @answered = sort map { $_->[1] } @answers;
my %distinct = map { $_ => 1 } @answered;
is scalar keys %distinct, $tokens, 'a link has one id, however often clicked';

my @segments = Ads::Journal::segments("$ads->{dir}/state");
my @journal  = sort(Ads::Journal::click_ids(@segments));
is_deeply \@journal, \@answered, 'R1: answered ids = ids in the raw files';

my @dumped = sort map { $_->{click_id} }
    grep { $_->{type} eq 'click' } $ads->adsctl('journal', 'dump');
is_deeply \@dumped, \@journal, 'adsctl journal dump prints the same';

my @rows = map { join ' ', @$_ }
    @{ $ads->sql('select segment, off, click_id from ads.clicks') };
is_deeply [sort @rows], [sort(Ads::Journal::click_places(@segments))],
    'R2: each record is one row, at its place';

my @valid = map { $_->[0] } @{ $ads->sql(
    'select click_id from ads.clicks where class = 0 order by 1') };
is_deeply \@valid, [sort keys %distinct],
    'exactly the answered clicks are valid, each once';
is $ads->sql_value('select count(*) from ads.clicks where class = 1'), $again,
    'the second click of a link is a duplicate';
is $ads->sql_value(
    'select count(*) from ads.clicks where class = 0 and billed_micros = 0'),
    0, 'every valid click is billed';

my $billed = $ads->sql_value('select sum(billed_micros) from ads.clicks');
is $billed, 100_000 * $tokens, 'at its price, to the micro';
is $ads->sql_value(
    q{select -sum(e.amount_micros)
      from ads.ledger_entries e
      join ads.ledger_transactions t on t.id = e.tx_id and t.kind = 'spend'
      join ads.ledger_accounts a on a.id = e.ledger_account_id
      where a.account_id = ?}, $shop->{account}), $billed,
    'the ledger debits the same';
is $ads->sql_value(
    q{select balance_micros from ads.ledger_accounts
      where kind = 'advertiser_balance' and account_id = ?}, $shop->{account}),
    5_000_000_000 - $billed, 'and the balance is what was paid in less that';

my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'adsctl reconcile agrees' or diag $out;
is scalar(grep { /^FAIL/m } $out), 0, 'on every rule';

# ---- what is committed to its end goes -------------------------------------

sub left
{
    return map { m{([^/]+)$} } glob "$ads->{dir}/state/journal/*.seg";
}

@{ $ads->{adsd} }{qw(journal_retain_h replica_lag_max_s)} = (0, 0);
$ads->write_configs;
$ads->restart('adsd');
$ads->reload;
$ads->click($urls[-1]);
my %written = map { $_ => 1 } left();
$ads->wait_until(sub { left() < keys %written }, 15, 'a segment to go');
delete @written{ left() };
my %final = map { $_->[0] => 1 }
    @{ $ads->sql('select name from ads.journal_cursor where final') };
is_deeply [grep { !$final{$_} } keys %written], [],
    'without retention files go, none but what was read to its end';
Ads::Journal::wait_drained($ads);
is $ads->sql_value('select count(*) from ads.clicks'), $tokens + $again + 1,
    'what they held stays, and the next click is there';
($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'adsctl reconcile does without them' or diag $out;

$ads->done;
