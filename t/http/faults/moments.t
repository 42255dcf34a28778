#!/usr/bin/perl
#
# Moments that a random kill hits too seldom, each held still: a worker dies
# just before and just after its write, adsd in the midst of a batch, a segment
# is seen while it is made, a reload comes when adsd is away, tables are replaced
# while somebody reads them.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(sleep);

my $shim = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $cc   = $ENV{CC} || 'cc';
chmod 0755, $shim;
system($cc, qw(-shared -fPIC -O1 -Wall -Wextra -o), "$shim/shim.so",
    't/http/journal/shim.c', '-ldl') == 0
    or die "t/http/journal/shim.c does not build\n";

my $ads = Ads::Test->new(
    workers => 1,
    parts   => [qw(postgres adsd)],
    env     => {
        Ads::Test::sanitizer_options("$shim/sanitizer"),
        ADS_SHIM_FOLDER => $shim
    },
);
{
    local $ENV{LD_PRELOAD} = "$shim/shim.so";
    $ads->start_nginx;
}
$ads->wait_ready(30);
my $pub  = $ads->seed_publisher;
my $shop = $ads->seed_shop(bid => '0.10', lifetime => '1000');

sub holding
{
    my ($fault, $do) = @_;
    open my $on, '>', "$shim/$fault" or die "$shim/$fault: $!\n";
    close $on;
    my $result = $do->();
    unlink "$shim/$fault";
    return $result;
}

sub links
{
    my ($query, $n) = @_;
    return map {
        $ads->recommend($pub->{key}, $query)->{json}{ads}[0]{click_url}
    } 1 .. $n;
}

sub status
{
    my ($url) = @_;
    my $answer = eval { $ads->click($url) };
    return $answer ? $answer->{status} : 0;
}

sub records
{
    my @ids = Ads::Journal::click_ids(
        Ads::Journal::segments("$ads->{dir}/state"));
    return scalar @ids;
}

# ---- a worker dies at its write --------------------------------------------

for my $moment (['before', 0], ['after', 1]) {
    my ($fault, $written) = @$moment;
    my ($url) = links('buy a laser printer', 1);
    my $before = records();
    is holding($fault, sub { status($url) }), 0,
        "a worker that dies $fault its write has answered nobody";
    is records() - $before, $written, "and has written $written records";
    $ads->wait_until(sub { status($url) == 302 }, 10, 'another worker');
    pass 'the visitor who tries again is redirected';
}
Ads::Journal::wait_drained($ads);
is $ads->sql_value('select count(*) from ads.clicks where class = 0'), 2,
    'each link is billed once';

# ---- adsd dies in the midst of a batch -------------------------------------

sub committed
{
    return $ads->sql(q{select count(*), (select sum(off) from ads.journal_cursor
        where class = 'm') from ads.clicks})->[0];
}

# somebody holds what the batch needs: it has done all before that, and waits
for my $table (qw(journal_cursor ledger_accounts)) {
    my ($url)  = links('buy a laser printer', 1);
    Ads::Journal::wait_drained($ads);
    my $before = committed();
    my $holder = $ads->db->clone;
    $holder->begin_work;
    $holder->do("select 1 from ads.$table for update");
    is status($url), 302, "a click while ads.$table is held";
    $ads->wait_until(
        sub {
            $ads->sql_value(q{select count(*) from pg_locks where not granted})
        },
        10,
        'its batch to wait'
    );
    is_deeply committed(), $before, 'neither it nor its cursor is committed';
    $ads->kill_part('adsd');
    $ads->bury(delete $ads->{parts}{adsd});
    $holder->rollback;
    $ads->start_adsd;
    Ads::Journal::wait_drained($ads);
    is committed()->[0], $before->[0] + 1,
        'adsd is killed there: it is stored once';
}

# ---- a segment that is being made ------------------------------------------

my @links = links('buy a laser printer', 5);
my %old   = map { $_ => 1 } Ads::Chaos::workers({ ads => $ads });
$ads->part('nginx')->signal('HUP');
$ads->wait_until(
    sub {
        my @now = Ads::Chaos::workers({ ads => $ads });
        return @now == 1 && !$old{ $now[0] };
    },
    15,
    'a new worker'
);
is holding('rename', sub { status($links[0]) }), 302,
    'the first click waits for its segment';
is scalar(grep { status($_) == 302 } @links[ 1 .. 4 ]), 4, 'more follow';
Ads::Journal::wait_drained($ads);
is $ads->sql_value('select count(*) from ads.clicks where class = 0'), 9,
    'no reader took the new segment for a dead one';

# ---- a reload while adsd is away -------------------------------------------

$ads->seed_shop(    # money for ten clicks
    name     => 'Small',
    bid      => '0.10',
    lifetime => '1.00',
    products => [{ %{ $ads->products->[3] }, id => 'small' }]
);
$ads->adsctl('campaign', 'pause', $shop->{campaign});
@links = links('buy running shoes', 10);
is $ads->stop('adsd'), 0, 'adsd ends cleanly';
is scalar(grep { status($_) == 302 } @links[ 0 .. 4 ]), 5, 'five clicks';
%old = map { $_ => 1 } Ads::Chaos::workers({ ads => $ads });
$ads->part('nginx')->signal('HUP');
$ads->wait_until(
    sub {
        my @now = Ads::Chaos::workers({ ads => $ads });
        return @now == 1 && !$old{ $now[0] };
    },
    15,
    'a new worker'
);
is scalar(grep { status($_) == 302 } @links[ 5 .. 9 ]), 5,
    'a reload later the links that are out have their money';
is $ads->recommend($pub->{key}, 'buy running shoes')->{json}{decision},
    'NO_AD', 'what was spent before the reload still counts';
{
    local $ENV{LD_PRELOAD} = "$shim/shim.so";
    $ads->start_adsd;
}

# ---- tables are replaced, not changed --------------------------------------

sub whole
{
    my ($file) = @_;
    local $/;
    seek $file, 0, 0;
    return scalar <$file>;
}

# a base that no head names any more may go while the folder is read
my @held;
for my $path ("$ads->{dir}/state/head", glob "$ads->{dir}/state/base-*") {
    if (open my $file, '<:raw', $path) {
        push @held, [$file, whole($file)];
    } elsif (!$!{ENOENT}) {
        die "$path: $!\n";
    }
}
cmp_ok scalar(@held), '>=', 2, 'a head and its base are held';
my $inode = (stat "$ads->{dir}/state/head")[1];
$ads->seed_shop(name => 'Next', products => [$ads->products->[4]]);
isnt((stat "$ads->{dir}/state/head")[1], $inode, 'there are new tables');
is scalar(grep { whole($_->[0]) ne $_->[1] } @held), 0,
    'who holds the old ones reads them to the end unchanged';

# ---- a head whose folder cannot be synced ----------------------------------

my %generation;    # of each head that was seen
holding(
    'tables-adsd',
    sub {
        $ads->sql('update ads.campaigns set bid_micros = 110000'
                . ' where id = ? returning id', $shop->{campaign});
        $ads->wait_until(
            sub {
                my $head = Ads::Stack::read_file("$ads->{dir}/state/head");
                $generation{$head} = unpack 'x24 Q<', $head;
                return keys %generation == 4;
            },
            20,
            'heads to be tried'
        );
    }
);
my %number = reverse %generation;
is scalar keys %number, 4, 'no two heads have the same number';
$ads->seed_shop(name => 'Last', products => [$ads->products->[5]]);
cmp_ok $ads->adsctl('status')->{generation}, '>', (sort { $a <=> $b } keys %number)[-1],
    'nor has the one that is published then';

# ---- bytes that go bad under a worker ---------------------------------------

# the tables were checked when they were taken; this comes later
my ($url) = links('buy wireless headphones', 1);
my $good = 'https://shop.example/p/5?from=ads';
my $bad  = "https://shop.example\r\nX-Bad: yes!";
is length $bad, length $good, 'a destination of the same length';
my @changed;
for my $path (glob "$ads->{dir}/state/base-*") {
    my $bytes = eval { Ads::Stack::read_file($path) } // next;
    while ($bytes =~ /\Q$good\E/g) {
        push @changed, [$path, $-[0]];
    }
}

sub change
{
    my ($text) = @_;
    for my $place (@changed) {
        my ($path, $off) = @$place;
        chmod 0640, $path;
        open my $file, '+<:raw', $path or die "$path: $!\n";
        sysseek $file, $off, 0;
        syswrite $file, $text;
    }
}
cmp_ok scalar(@changed), '>', 0, 'the tables hold it';
change($bad);
my $answer = $ads->click($url);
change($good);
is $answer->{headers}{'x-bad'}, undef, 'bad bytes never become a header';
like $answer->{headers}{location} // 'none',
    qr{^(?:none$|\Qhttps://shop.example/p/5?\E[!-~]+$)},
    'nor a place to be sent to';

Ads::Journal::wait_drained($ads);
my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'adsctl reconcile finds nothing' or diag $out;
is_deeply [Ads::Check::differences($ads)], [],
    'nor does the independent checker';
is Ads::Chaos::forgive({ ads => $ads }, 'exited on signal 9'), 2,
    'two workers died';

$ads->done;
