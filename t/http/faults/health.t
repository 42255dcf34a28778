#!/usr/bin/perl
#
# Health tells the truth: what is appended, waits and fits the quota is known to
# the workers with adsd dead or hanging; the heartbeat is that of the thread that
# commits; a thread that hangs is named by another one.

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(time);

my $shim = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0777, $shim;
system($ENV{CC} || 'cc', qw(-shared -fPIC -O1 -Wall -Wextra -o),
    "$shim/shim.so", 't/http/journal/shim.c', '-ldl') == 0
    or die "t/http/journal/shim.c does not build\n";

my $ads = Ads::Test->new(
    adsd => { journal_max_mb => 1 },
    env  => {
        Ads::Test::sanitizer_options("$shim/sanitizer"),
        ADS_SHIM_FOLDER => $shim
    }
);
my $pub = $ads->seed_publisher;
$ads->seed_shop(bid => '0.01', topup => 1000);

sub link_of
{
    my $ad = $ads->recommend($pub->{key}, 'buy a laser printer')
        ->{json}{ads}[0];
    return $ad ? $ad->{click_url} : undef;
}

sub journal
{
    return $ads->http('GET', '/readyz')->{json}{journal};
}

sub settles
{
    my ($name, $test) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok eval { $ads->wait_until($test, 20, $name); 1 }, $name;
}

# Bytes of all segments that no cursor has passed.
sub waiting
{
    my %cursor = map { @$_ } @{
        $ads->sql('select segment, off from ads.journal_cursor') };
    my $n = 0;
    for my $segment (Ads::Journal::segments("$ads->{dir}/state")) {
        my $from = $cursor{ $segment->{uuid} } || 64;
        $n += $segment->{end} - $from;
    }
    return $n;
}

# ---- all is well -----------------------------------------------------------

my @links = map { link_of() } 1 .. 8;
$ads->click($_) for splice @links, 0, 2;
settles('all is committed', sub { journal()->{pending_bytes} == 0 });
is journal()->{age_s}, 0, 'nothing is old';
is $ads->metric('ads_ingest_age_seconds'), 0, 'as the metrics say';
settles('the way of a click to the ledger is known',
    sub { $ads->metric('ads_ledger_delay_ms') > 0 });

# ---- adsd hangs ------------------------------------------------------------

$ads->part('adsd')->signal('STOP');
my $begin = time;
$ads->click($_) for splice @links, 0, 2;
is journal()->{pending_bytes}, waiting(),
    'adsd hangs: what waits is what was written since';
cmp_ok journal()->{pending_bytes}, '>=', 320, 'which is something';
settles('the heartbeat is missed',
    sub { $ads->metric('ads_adsd_heartbeat_age_ms') > 5000 });
my $ready = $ads->http('GET', '/readyz')->{json};
ok !$ready->{adsd}{alive},   'adsd is not alive';
ok !$ready->{database}{up}, 'nor is the database known to be up';
my $age = $ads->metric('ads_ingest_age_seconds');
cmp_ok $age, '>=', 4, 'the oldest record is as old as the hang';
cmp_ok $age, '<=', time - $begin + 1, 'and no older';
cmp_ok abs($ready->{journal}{age_s} - $age), '<=', 1, 'as /readyz says';
$ads->part('adsd')->signal('CONT');
settles('it goes on: nothing waits', sub { journal()->{pending_bytes} == 0 });
settles('it is alive', sub { $ads->http('GET', '/readyz')->{json}{adsd}{alive} });
is scalar(() = $ads->log_lines('adsd.out', qr/ hangs:/)), 0,
    'no thread is blamed for a process that stood still';

# ---- adsd is dead: the quota is kept ---------------------------------------

my @more = map { link_of() } 1 .. 12;
$ads->kill_part('adsd');
$ads->bury(delete $ads->{parts}{adsd});
my $quota = 1 << 20;
my $asked = 0;
my %seen;
while ($asked++ < 20_000) {
    my $json = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    last if ($json->{reason} // '') eq 'overloaded';
    if ($asked % 50 == 0) {
        my $pressure = $ads->metric('ads_pressure');
        $seen{$pressure} //= $ads->metric('ads_journal_pending_bytes');
    }
}
cmp_ok $ads->metric('ads_pressure'), '>=', 2,
    'adsd is dead: at 95 % of the quota nothing is sold any more';
my $pending = $ads->metric('ads_journal_pending_bytes');
is $pending, waiting(), 'what waits is counted to the byte';
cmp_ok $pending, '>=', 0.95 * $quota - 100, 'it is 95 % of the quota';
cmp_ok $pending, '<=', 0.96 * $quota, 'and hardly more';
cmp_ok $seen{1} // 0, '>=', 0.8 * $quota - 100, 'counters were shed from 80 % on';
is $ads->click($more[0])->{status}, 302, 'clicks are still journalled';
is $ads->metric('ads_journal_pending_bytes'), $pending + 160, 'and counted';

# one that starts without the database knows no better
my $database = delete $ads->{parts}{postgres};
delete $ads->{db};
$database->signal('QUIT');
$ads->wait_until(sub { $database->ended }, 10, 'the database to end');
$ads->bury($database);
$ads->start_adsd;
settles('adsd is back without a database: alive, and the database is down',
    sub {
        my $now = $ads->http('GET', '/readyz')->{json};
        return $now->{adsd}{alive} && !$now->{database}{up};
    });
is $ads->metric('ads_journal_pending_bytes'), $pending + 160,
    'what waits is still known';
$ads->begin('postgres');
settles('with the database nothing waits',
    sub { $ads->metric('ads_journal_pending_bytes') == 0 });
settles('and nothing is left out', sub { $ads->metric('ads_pressure') == 0 });

# ---- the database hangs ----------------------------------------------------

my @processes = $ads->processes('postgres');
kill 'STOP', @processes;
$ads->click($more[1]);
settles('the database hangs: it is said to be down',
    sub { $ads->metric('ads_database_up') == 0 });
ok $ads->http('GET', '/readyz')->{json}{adsd}{alive}, 'while adsd is alive';
cmp_ok $ads->metric('ads_journal_pending_bytes'), '>=', 160, 'a click waits';
kill 'CONT', @processes;
settles('it answers again', sub { $ads->metric('ads_database_up') == 1 });

# ---- one thread hangs ------------------------------------------------------

sub fault
{
    my ($name, $on) = @_;
    return unlink "$shim/$name" unless $on;
    open my $out, '>', "$shim/$name" or die "$shim/$name: $!\n";
}

is $ads->stop('adsd'), 0, 'adsd ends cleanly';
{
    local $ENV{LD_PRELOAD} = "$shim/shim.so";
    $ads->start_adsd;
}
settles('adsd is back', sub { $ads->http('GET', '/readyz')->{json}{adsd}{alive} });
settles('nothing waits', sub { journal()->{pending_bytes} == 0 });

# a disk that does not answer one thread
sub is_named
{
    my ($thread) = @_;
    settles("$thread hangs: another thread says so",
        sub { $ads->log_lines('adsd.out', qr/thread $thread hangs/) });
}

fault('hang-adsd', 1);
$ads->click($more[2]);
is_named('sync');
settles('and the age of what is on disk grows',
    sub { $ads->metric('ads_journal_synced_age_ms') > 5000 });
ok $ads->http('GET', '/readyz')->{json}{adsd}{alive},
    'the heartbeat is not that thread\'s';
fault('hang-adsd', 0);
settles('that it goes on is said as well',
    sub { $ads->log_lines('adsd.out', qr/thread sync moves again/) });

fault('stuck-adsd', 1);
$ads->run(Ads::Journal::maker($ads), "$ads->{dir}/state",
    "$ads->{dir}/click.keys", $pub->{account}, 5, 'c',
    map { $_->[0] } @{ $ads->sql('select id from ads.ads order by id') });
is_named('ingest');
ok !$ads->http('GET', '/readyz')->{json}{adsd}{alive},
    'the heartbeat is: adsd is not alive, though its process is';
ok !$ads->part('adsd')->ended, 'it runs';
fault('stuck-adsd', 0);
settles('that it goes on is said as well',
    sub { $ads->log_lines('adsd.out', qr/thread ingest moves again/) });
settles('all is committed', sub { waiting() == 0 });

$ads->done;
