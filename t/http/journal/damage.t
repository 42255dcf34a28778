#!/usr/bin/perl
#
# What can be wrong with the journal's files: a worker killed at work, a torn
# tail, foreign files, damage in the middle.  Nothing is lost that was a
# record, nothing is believed that was none, and nothing is silent.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use File::Copy qw(copy);
use POSIX ();
use Test::More;
use Time::HiRes qw(time sleep);

my $ads     = Ads::Test->new;
my $pub     = $ads->seed_publisher;
my $shop    = $ads->seed_shop;
my $maker   = Ads::Journal::maker($ads);
my $journal = "$ads->{dir}/state/journal";
my $aside   = "$journal/quarantine";

sub make
{
    return Ads::Journal::make($ads, $maker, $pub->{account}, @_);
}

sub segment
{
    my ($name) = @_;
    return Ads::Journal::read_segment("$journal/$name");
}

sub clicks_of
{
    my ($segment) = @_;
    return [map { "$_->[0]" } @{ $ads->sql(
        'select off from ads.clicks where segment = ? order by off',
        $segment->{uuid}) }];
}

sub offsets
{
    return [map { "$_->{off}" } grep { $_->{type} == 1 } @_];
}

sub metric
{
    my ($name) = @_;
    my (undef, $text) = $ads->get('/metrics');
    return $text =~ /^\Q$name\E(?:_total)? (\d+)$/m ? $1 : undef;
}

sub change_bytes
{
    my ($path, $off, $bytes) = @_;
    open my $out, '+<:raw', $path or die "$path: $!\n";
    seek $out, $off, 0;
    print {$out} $bytes;
    close $out;
}

sub wait_for
{
    my ($test, $what) = @_;
    $ads->wait_until($test, 10, $what);
    pass $what;
}

# ---- a worker is killed while it answers clicks ----------------------------

my @urls = map { $ads->recommend($pub->{key}, 'buy running shoes')
        ->{json}{ads}[0]{click_url} } 1 .. 200;
my $seen = "$ads->{dir}/answered";
my $pid  = fork // die "fork: $!\n";
if ($pid == 0) {
    open my $out, '>', $seen or POSIX::_exit(1);
    for my $url (@urls) {
        my $answer;
        until (($answer->{status} // 0) == 302) {
            $answer = eval { $ads->click($url) } // {};
        }
        my ($id) = $answer->{headers}{location} =~ /ads_click_id=([0-9a-f-]+)/;
        print {$out} "$id\n";
        sleep 0.002;
    }
    close $out;
    POSIX::_exit(0);
}

my $killed = 0;
until (waitpid($pid, POSIX::WNOHANG()) == $pid) {
    sleep 0.06;
    my $master = $ads->part('nginx')->{pid};
    my @workers =
        split ' ', Ads::Stack::read_file("/proc/$master/task/$master/children");
    $killed += kill 'KILL', $workers[ rand @workers ] if @workers;
}
cmp_ok $killed, '>=', 3, "workers were killed $killed times";
Ads::Journal::wait_drained($ads);

my %answered = map { $_ => 1 } split ' ', Ads::Stack::read_file($seen);
is scalar keys %answered, 200, 'every visitor was redirected in the end';
my @valid = map { $_->[0] } @{ $ads->sql(
    'select click_id from ads.clicks where class = 0 order by 1') };
is_deeply \@valid, [sort keys %answered],
    'exactly the answered links are billed, each once';
wait_for(sub {
    my ($code) = $ads->try_adsctl('reconcile');
    return $code == 0;
}, 'reconcile agrees: cursors stand at the ends of dead segments');

# the master tells of each such death; nothing else may have gone wrong
is $ads->stop('nginx'), 0, 'nginx ends cleanly';
my $log = "$ads->{dir}/log/nginx.log";
$ads->write_file($log, join '', grep { !/exited on signal 9$/ }
    $ads->log_lines('nginx.log', qr/^/));
$ads->start_nginx;

# ---- a torn tail -----------------------------------------------------------

is $ads->stop('adsd'), 0, 'adsd ends cleanly';
my $name = make(300);
my $torn = segment($name);
truncate "$journal/$name", $torn->{records}[-1]{off} + 44 or die "$!\n";
$ads->start_adsd;
$torn = segment($name);
is scalar @{ $torn->{records} }, 299, 'one record of 300 is torn';
Ads::Journal::wait_drained($ads);
is_deeply clicks_of($torn), offsets(@{ $torn->{records} }),
    'the whole ones are committed';
is scalar $ads->log_lines('adsd.out', qr/$name ends in 44 bytes of a torn/), 1,
    'the torn one is told';
my ($code) = $ads->try_adsctl('reconcile');
is $code, 0, 'which is no difference';

# ---- files that do not belong there ----------------------------------------

my $other = "$ads->{dir}/other";
for my $dir ($other, "$other/journal") {
    mkdir $dir or die "$dir: $!\n";
    $ads->own($dir);
}
$ads->write_file("$other/node", "0123456789abcdef\n");
$ads->write_file("$other/keys", '1 seal ' . '5a' x 32 . "\n");
my $before  = $ads->sql_value('select count(*) from ads.clicks');
my $corrupt = metric('ads_journal_corrupt_records');

my $foreign = make(30, state => $other);
rename "$other/journal/$foreign", "$journal/$foreign" or die "$!\n";
$ads->write_file("$journal/m-00000000-0000000000000000-1.seg", 'x' x 5000);
$ads->write_file("$journal/t-00000000-0000000000000000-1.seg", '');
copy("$journal/$name", "$journal/m-copy.seg") or die "$!\n";
$ads->own("$journal/m-copy.seg");
$ads->write_file("$journal/notes.txt", 'not looked at');

wait_for(sub { aside() == 4 }, 'four files are put aside');
is_deeply [aside()],
    [sort $foreign, 'm-00000000-0000000000000000-1.seg',
        't-00000000-0000000000000000-1.seg', 'm-copy.seg'],
    'another node\'s, two that are no segments, and a copy';
ok -e "$journal/notes.txt", 'other names are left alone';
is $ads->sql_value('select count(*) from ads.clicks'), $before,
    'nothing in them is billed';
is metric('ads_journal_corrupt_records') - $corrupt, 4, 'the metric counts them';

# a local user without the key signs like one with it would
make(30, keys => "$other/keys");
Ads::Journal::make($ads, $maker, $pub->{account}, 30, mix => 'dc');
wait_for(sub {
    $ads->sql_value('select count(*) from ads.clicks') == $before + 15
        && aside() == 5;
}, 'records of another key are put aside, the next segment is read');

sub aside
{
    my @names = sort map { s{.*/}{}r } glob "$aside/*";
    return @names;
}

# ---- damage in the middle --------------------------------------------------

is $ads->stop('adsd'), 0, 'adsd ends cleanly';
$name = make(400);
my $whole = segment($name);
my @lost  = @{ $whole->{records} }[ 200 .. 209 ];
change_bytes("$journal/$name", $_->{off} + 50, "\0\1\2\3\4\5\6\7") for @lost;
$corrupt = metric('ads_journal_corrupt_records');
$ads->start_adsd;

my %lost = map { $_->{off} => 1 } @lost;
my @kept = grep { !$lost{ $_->{off} } } @{ $whole->{records} };
wait_for(sub {
    ($ads->sql_value('select final from ads.journal_cursor where segment = ?',
        $whole->{uuid}) // 0) == 1;
}, 'a damaged segment is read to its end');
is_deeply clicks_of($whole), offsets(@kept),
    'all records before and behind the damage are committed';

my $hole = $lost[-1]{off} + $lost[-1]{len} - $lost[0]{off};
is_deeply $ads->sql('select off, type, octet_length(bytes), reason
                     from ads.ingest_reject'),
    [[$lost[0]{off}, -1, $hole, 'damaged bytes']], 'the damage is on record';
is -s "$aside/$name.$lost[0]{off}", $hole, 'and its bytes are kept aside';
wait_for(sub { metric('ads_journal_corrupt_records') - $corrupt == 1 },
    'and counted');

($code, my $out) = $ads->try_adsctl('journal', 'dump', "$journal/$name");
is $code, 1, 'adsctl journal dump says that something is wrong';
is scalar(() = $out =~ /"type":"damaged"/g), 1, 'and where';
($code, $out) = $ads->try_adsctl('reconcile');
is $code, 1, 'adsctl reconcile does not agree';
like $out, qr/^FAIL R2 every byte of the journal is a record: $hole bytes/m,
    'and names the damage';
like $out, qr/^ok   R2 clicks in the journal = click rows/m,
    'though what is left adds up';

# ---- a tail that is no records, and nowhere to keep it ----------------------

is $ads->stop('adsd'), 0, 'adsd ends cleanly';
$name  = make(10);
$whole = segment($name);
my $end = -s "$journal/$name";
change_bytes("$journal/$name", $end, 'noise!!!' x 1024);
rename $aside, "$aside.away" or die "$aside: $!\n";
$ads->write_file($aside, 'in its way');
$corrupt = metric('ads_journal_corrupt_records');
$ads->start_adsd;
wait_for(sub {
    $ads->log_lines('adsd.out',
        qr/segment \Q$name\E ends in 8192 bytes that are no records"/);
}, 'a tail that is no records is told, also where it cannot be kept');
wait_for(sub { metric('ads_journal_corrupt_records') > $corrupt },
    'and counted');
is_deeply clicks_of($whole), offsets(@{ $whole->{records} }),
    'and what stands before it is committed';

is $ads->stop('adsd'), 0, 'adsd ends cleanly';
unlink $aside;
rename "$aside.away", $aside or die "$aside: $!\n";
$ads->start_adsd;
wait_for(sub { -e "$aside/$name.$end" }, 'it is kept at the next start');
is -s "$aside/$name.$end", 8192, 'as a whole';

$ads->done;
