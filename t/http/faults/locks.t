#!/usr/bin/perl
#
# Somebody holds the lock on an advertiser's balance: the clicks of all others
# are billed, its own wait in the database and are billed once it is let go,
# each once, whatever is killed meanwhile.

use strict;
use warnings;
use lib 't/lib';

use Ads::Check;
use Ads::Journal;
use Ads::Test;
use DBI;
use Test::More;
use Time::HiRes qw(time);

my $ads = Ads::Test->new(adsd => { lock_holder_max_s => 5 });
my $pub = $ads->seed_publisher;
my $all = $ads->products;

my @shops = map {
    $ads->seed_shop(
        name     => "Shop $_->[0]",
        bid      => '0.10',
        topup    => $_->[1],
        products => [{ %{ $all->[$_->[0]] }, id => "p-$_->[0]" }]
    )
} [0, 1], [2, 100];
my @queries = ('buy a laser printer', 'buy an espresso machine');
my ($held, $free) = @shops;

# Links of both shops, gathered while they have money, and followed later.
my (@links, @answered);

sub gather
{
    my ($n) = @_;
    for my $shop (0, 1) {
        for (1 .. $n) {
            my $ad =
                $ads->recommend($pub->{key}, $queries[$shop])->{json}{ads}[0]
                or BAIL_OUT("no ad for $queries[$shop]");
            push @{ $links[$shop] }, $ad->{click_url};
        }
    }
}

sub clicks
{
    my ($shop, $n) = @_;
    for my $url (splice @{ $links[$shop] }, 0, $n) {
        my $to = $ads->click($url)->{headers}{location} // '';
        push @answered, $to =~ /ads_click_id=([0-9a-f-]{36})/;
    }
}

sub billed
{
    my ($shop) = @_;
    return $ads->sql_value('select count(*) from ads.clicks
        where account_id = ? and billed_micros > 0', $shop->{account});
}

sub is_billed
{
    my ($shop, $n, $name) = @_;
    my $begin = time;
    eval {
        $ads->wait_until(sub { billed($shop) >= $n }, 10, 'the bill');
    };
    is billed($shop), $n, sprintf '%s, after %.1f s', $name, time - $begin;
}

# A session of that login that holds the balance of a shop.
sub holder
{
    my ($user, $shop) = @_;
    my $db = DBI->connect(
        "dbi:Pg:host=$ads->{db_path};port=5432;dbname=ads;application_name=test",
        $user, $ads->password($user),
        { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
    $db->begin_work;
    $db->do('set local role ads_owner') if $user eq 'postgres';
    $db->do("select from ads.ledger_accounts
        where kind = 'advertiser_balance' and account_id = ? for update", {},
        $shop->{account});
    return $db;
}

# ---- one holds a lock, and all others go on --------------------------------

gather(15);
my $db  = holder('postgres', $held);
my $pid = $db->{pg_pid};

clicks($_ % 2, 1) for 1 .. 20;
is_billed($free, 10, 'the other advertiser is billed');
is billed($held), 0, 'the one whose balance is locked is not';
Ads::Journal::wait_drained($ads, 10);
pass 'and nothing of the journal waits';

clicks($_ % 2, 1) for 1 .. 6;
is_billed($free, 13, 'the others also go on being billed');

$ads->wait_until(
    sub { $ads->log_lines('adsd.out', qr/backend $pid\b/) },
    10, 'the holder to be named');
is scalar(() = $ads->log_lines('adsd.out', qr/backend $pid\b.*may not/)), 1,
    'the log names its backend once, which is not adsd\'s to end';
like(($ads->log_lines('adsd.out', qr/backend $pid\b/))[0],
    qr/$held->{account}/, 'and the account');
is $ads->metric('ads_blocked_accounts'), 1, 'the metrics say that one waits';

# what waits is in the database: its end and a new beginning change nothing
$ads->kill_and_restart('adsd');
clicks(0, 2);
clicks(1, 2);
is_billed($free, 15, 'so also after adsd was killed');
Ads::Journal::wait_drained($ads, 10);
is billed($held), 0, 'the locked one waits on';
is $ads->sql_value('select count(*) from ads.clicks_held'), 15,
    'all its clicks are set aside';
my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'reconcile knows where they are' or diag $out;
is_deeply [Ads::Check::differences($ads)], [], 'so does the other checker';

# ---- a budget that is not billed yet is not sold again ---------------------

# its balance of 1.00 pays ten of fifteen clicks: nothing of it is offered
$ads->wait_until(
    sub {
        ($ads->recommend($pub->{key}, $queries[0])->{json}{reason} // '')
            eq 'no_budget';
    },
    10,
    'the allowance to be used up'
);
pass 'what waits is taken off the allowance';

# ---- let go ----------------------------------------------------------------

$db->rollback;
is_billed($held, 10, 'once let go, it is billed as far as its money reaches');
$ads->wait_until(
    sub { !$ads->sql_value('select count(*) from ads.clicks_held') },
    10, 'the rest');
is $ads->sql_value('select count(*) from ads.clicks where account_id = ?
    and class = 4', $held->{account}), 5, 'and the rest is unfunded';
is_deeply $ads->sql('select c.class from ads.clicks c where account_id = ?
    order by c.at', $held->{account}), [([0]) x 10, ([4]) x 5],
    'in the order of the clicks';
$ads->wait_until(sub { $ads->metric('ads_blocked_accounts') == 0 },
    10, 'the metric to go down');
pass 'the metrics say that nobody waits';
is_deeply [Ads::Check::unrecorded([$ads], @answered)], [],
    'every answered click is recorded';

# ---- a lock of adsd's own login --------------------------------------------

$ads->topup($held->{account}, 10);
$ads->wait_until(
    sub {
        ($ads->recommend($pub->{key}, $queries[0])->{json}{decision} // '')
            eq 'SHOW';
    },
    10,
    'new money'
);
gather(4);
$ads->psql('ads', 'grant update on ads.ledger_accounts to ads_ops');
$db = DBI->connect(
    "dbi:Pg:host=$ads->{db_path};port=5432;dbname=ads;application_name=lost",
    'ads', $ads->password('ads'),
    { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
is $db->selectrow_array('show idle_in_transaction_session_timeout'), '1min',
    'a session of adsd\'s login does not idle in a transaction for ever';
$db->do('set idle_in_transaction_session_timeout = 0');
$db->begin_work;
$db->do('set local role ads_ops');
$db->do("select from ads.ledger_accounts
    where kind = 'advertiser_balance' and account_id = ? for update", {},
    $held->{account});
$pid = $db->{pg_pid};

clicks($_ % 2, 1) for 1 .. 8;
is_billed($free, 19, 'the others are billed while that one is held');
is_billed($held, 14, 'and it as soon as adsd has ended who held it');
ok !$db->ping, 'that session is gone';
is scalar(() = $ads->log_lines('adsd.out', qr/ended backend $pid\b/)), 1,
    'the log says that';
$db->{InactiveDestroy} = 1;

Ads::Journal::wait_drained($ads, 10);
($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'reconcile finds nothing' or diag $out;
is_deeply [Ads::Check::differences($ads)], [], 'nor does the other checker';
is_deeply [Ads::Check::unrecorded([$ads], @answered)], [],
    'every answered click is recorded';

$ads->done;
