#!/usr/bin/perl
#
# What happens to the files of the ad tables: swapped fifty times a second,
# written over, cut, deleted, moved in from another disk.  Whatever happens, a
# request has the tables it began with, and no ad is shown that is put together
# of two.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $long = $ENV{ADS_LONG};
my $ads  = Ads::Test->new;
my $pub  = $ads->seed_publisher;
my $buy  = 'buy a laser printer';
my $state = "$ads->{dir}/state";

# the generation of a head, the id of its base, and both files
sub tables
{
    my $head = Ads::Stack::read_file("$state/head");
    my ($generation, $base) = unpack 'x24 Q< x16 Q<', $head;
    my $name = sprintf 'base-%016x', $base;
    return {
        generation => $generation,
        head       => $head,
        name       => $name,
        base       => Ads::Stack::read_file("$state/$name")
    };
}

# Who is shown, or why no one is.
sub shown
{
    my ($json) = @_;
    my %shop = map { $_->{advertiser} => 1 } @{ $json->{ads} };
    return join(' and ', sort keys %shop) || $json->{reason};
}

sub ask
{
    return shown($ads->recommend($pub->{key}, $buy)->{json});
}

# ---- two shops, one after the other ----------------------------------------

$ads->seed_shop(name => 'One');
is ask(), 'One', 'the first tables show one shop';
my $first = tables();
$ads->seed_shop(name => 'Two');
is ask(), 'One and Two', 'the second tables two';
my $second = tables();
isnt $first->{name}, $second->{name}, 'their bases differ';
my %shop = (
    $first->{generation}  => 'One',
    $second->{generation} => 'One and Two'
);

for my $name ('head', $second->{name}) {
    is sprintf('%o', (stat "$state/$name")[2] & 0777), '440',
        "N12: $name is read-only for its owner too";
}
isnt((($ads->try('cp', $ads->{dir} . '/adsd.conf', "$state/head"))[0]), 0,
    'N12: so a cp over it is refused')
    if $ads->{user} || $> != 0;

# what is done to the files from here on adsd has no part in
is $ads->stop('adsd'), 0, 'adsd ends cleanly';
$ads->write_file("$state/$_->{name}", $_->{base}) for $first, $second;

# ---- swaps -----------------------------------------------------------------

# Tells the workers which generation to serve, as adsd does.
open my $live, '+<:raw', "$ads->{run_path}/live" or die "live: $!\n";

sub publish
{
    my ($tables) = @_;
    $ads->write_file("$state/head", $tables->{head});
    sysseek $live, 512, 0;
    syswrite $live, pack 'Q<', $tables->{generation};
}

my ($begun, $rest) = Ads::Http::bytes($ads->{port}, 'POST',
    '/v1/ads/recommend',
    ['Content-Type' => 'application/json', 'X-API-Key' => $pub->{key},
        Connection => 'keep-alive'],
    encode_json({ query => $buy }));

# Is an answer of one generation only?  Between the two that are swapped lie
# those that made the second shop, step by step; a worker that no one asked
# meanwhile may begin with one of them, and each shows the same every time.
sub consistent
{
    my ($answer) = @_;
    my $generation = $answer->{headers}{'x-ads-generation'} or return 0;
    my $shown      = shown($answer->{json});
    $shop{$generation} //= $shown;
    return $shown =~ /^One(?: and Two)?$/ && $shop{$generation} eq $shown;
}

# Asks on a kept connection until the file goes away: answers, inconsistent
# ones, and the number of generations seen.  Says when it has seen enough.
sub keep_asking
{
    my ($file) = @_;
    my $socket = Ads::Http::connect($ads->{port});
    my ($n, $bad, %generation) = (0, 0);
    while (-e $file) {
        $ads->write_file("$file.enough", '')
            if $n > 100 && keys %generation > 1 && !-e "$file.enough";
        syswrite $socket, $begun . $rest;
        my $answer = Ads::Http::answer($socket);
        $socket = Ads::Http::connect($ads->{port})
            if ($answer->{headers}{connection} // '') eq 'close';
        $n++;
        $bad++ if !$answer || !consistent($answer);
        $generation{ $answer->{headers}{'x-ads-generation'} // '' } = 1;
    }
    return [$n, $bad, scalar keys %generation];
}

my $go_on = "$ads->{dir}/tmp/go-on";
$ads->write_file($go_on, '');
my $child = fork // die "fork: $!\n";
if ($child == 0) {
    my $seen = eval { keep_asking($go_on) } || [0, "$@", 0];
    open my $out, '>', "$go_on.seen" or POSIX::_exit(1);
    print {$out} encode_json($seen);
    close $out;
    POSIX::_exit(0);
}

# A busy machine swaps and asks less often, so it does both for longer.
my $over_s = $long ? 20 : 3;
my $begun_at = time;
my $next     = $begun_at;
my $swaps_least = ($long ? 50 : 20) * $over_s;
my ($swaps, $held, $held_bad) = (0, 0, 0);
my @slow;
while (time < $begun_at + $over_s
    || ($swaps < $swaps_least || $held <= 20 || !-e "$go_on.enough")
    && time < $begun_at + 60 * Ads::Test::patience())
{
    publish($swaps++ % 2 ? $second : $first);
    if (@slow == 4) {    # held across three swaps
        my $socket = shift @slow;
        syswrite $socket, $rest;
        $held++;
        $held_bad++ unless consistent(Ads::Http::answer($socket));
    }
    push @slow, Ads::Http::connect($ads->{port});
    syswrite $slow[-1], $begun;
    $next += 0.018;    # more than fifty a second, what it takes included
    my $left = $next - time;
    sleep $left if $left > 0;
}
close $_ for @slow;
unlink $go_on;
waitpid $child, 0;
my ($n, $bad, $generations) =
    @{ decode_json(Ads::Stack::read_file("$go_on.seen")) };
cmp_ok $swaps, '>=', $swaps_least, sprintf 'N13: %d swaps in %.0f s', $swaps,
    time - $begun_at;
cmp_ok $n, '>', 100, "N13: $n answers meanwhile";
cmp_ok $generations, '>=', 2, 'N13: of both generations';
is $bad, 0, 'N13: each with the ads of its own generation only';
cmp_ok $held, '>', 20, "N13: $held requests were held across three swaps";
is $held_bad, 0, 'N13: and have the tables they began with';
is_deeply [$ads->log_lines('nginx.log', qr/refused|exited on signal/)], [],
    'N13: no tables are refused, no worker dies';

sub maps
{
    my %maps;
    for my $pid ($ads->workers) {
        $maps{$_}++ for Ads::Stack::read_file("/proc/$pid/maps") =~
            m{ ($state/(?:head|base)\S*)}g;
    }
    return \%maps;
}
publish($second);
wait_for('One and Two', 'N13: the last generation stays');
$ads->wait_until(
    sub {
        my $maps = maps();
        return !grep { !/head$/ && $_ ne "$state/$second->{name}" } keys %$maps;
    },
    5,
    'the older tables to be let go'
);
pass 'N13: tables without a request are let go';

# ---- written over in place -------------------------------------------------

# Opened for writing as `cp` does it, against the file's mode.
sub in_place
{
    my ($name, $flags, $bytes) = @_;
    chmod 0640, "$state/$name";
    sysopen my $out, "$state/$name", POSIX::O_WRONLY() | $flags
        or die "$name: $!\n";
    syswrite $out, $bytes;
    close $out;
}

# Both workers answer so, as far as a dozen answers tell.
sub wait_for
{
    my ($wanted, $name) = @_;
    my $n = 0;
    $ads->wait_until(
        sub {
            $n = (eval { ask() } // '') eq $wanted ? $n + 1 : 0;
            return $n == 12;
        },
        10,
        $name
    );
    pass $name;
}

# Good files again, each by rename, as adsd would.
sub mend
{
    $ads->write_file("$state/$second->{name}", $second->{base});
    publish($second);
    wait_for('One and Two', "N12: good files are taken again: $_[0]");
}

sub workers_died
{
    return scalar(() = $ads->log_lines('nginx.log', qr/exited on signal 7/));
}

in_place($second->{name}, 0, $first->{base});
is ask(), 'snapshot_missing', 'N12: a base that is written over shows no ad'
    for 1 .. 6;
is workers_died(), 0, 'N12: and kills no worker';
cmp_ok scalar(() = $ads->log_lines('nginx.log', qr/written over in place/)),
    '>', 0, 'N12: the log says what happened';
mend('written over');

in_place('head', 0, $first->{head});
is ask(), 'snapshot_missing', 'N12: nor does a head that is written over';
mend('head written over');

# the memory behind it is gone: the kernel ends who looks
in_place($second->{name}, POSIX::O_TRUNC(), '');
my $deadline = time + 30;
my ($reason, $wrong) = ('', 0);
while (time < $deadline && $reason ne 'snapshot_missing') {
    $reason = eval { ask() } // '';
    $wrong++ if $reason !~ /^(?:snapshot_missing|One and Two|)$/;
}
is $wrong, 0, 'N12: a base that is cut shows no wrong ad';
is $reason, 'snapshot_missing',
    'N12: and new workers show none';
mend('cut');
my $died = workers_died();
cmp_ok $died, '<=', 4, "N12: $died restarts of workers";

# each is logged, and nothing else
my @alerts = $ads->log_lines('nginx.log', qr/\[(?:alert|emerg)\]/);
is scalar(grep { !/exited on signal 7/ } @alerts), 0, 'N12: nothing but these';
rename "$ads->{dir}/log/nginx.log", "$ads->{dir}/log/cut.log";
$ads->part('nginx')->signal('USR1');
$ads->wait_until(sub { -e "$ads->{dir}/log/nginx.log" }, 5, 'a new log');

# ---- deleted, and moved from another disk ----------------------------------

rename "$state/$_", "$state/$_.away" for 'head', $second->{name};
sleep 1.2;
is ask(), 'One and Two', 'N12: deleted files are served on';
$ads->reload;
wait_for('snapshot_missing', 'N12: new workers have none');
my $click = eval { $ads->http('GET', '/v1/click/x')->{status} };
is $click, 404, 'N12: and answer';

# `mv` between disks is no rename: the file grows under its name
rename "$state/$second->{name}.away", "$state/$second->{name}";
my $half = length($second->{head}) / 2;
open my $grow, '>:raw', "$state/head" or die "head: $!\n";
chmod 0640, "$state/head";
$ads->own("$state/head");
syswrite $grow, substr $second->{head}, 0, $half;
sleep 1.5;
is ask(), 'snapshot_missing', 'N12: half a file is not taken';
syswrite $grow, substr $second->{head}, $half;
close $grow;
wait_for('One and Two', 'N12: once it is whole it is');

# ---- live ------------------------------------------------------------------

# a file of another layout or size takes the place of the one in use
my $bytes = Ads::Stack::read_file("$ads->{run_path}/live");
for my $case (
    ['another layout', substr($bytes, 0, 4) . pack('V', 9) . substr $bytes, 8],
    ['another size', substr $bytes, 0, length($bytes) / 2],
    ['nothing', ''])
{
    my ($what, $other) = @$case;
    my $n = () = $ads->log_lines('nginx.log', qr/live" refused/);
    $ads->write_file("$ads->{run_path}/live", $other);
    $ads->wait_until(
        sub { (() = $ads->log_lines('nginx.log', qr/live" refused/)) == $n + 2 },
        10,
        "live of $what to be refused"
    );
    is ask(), 'One and Two', "N7: a live file of $what is refused";
}
my $told = () = $ads->log_lines('nginx.log', qr/live" refused/);
sleep 2.2;
is scalar(() = $ads->log_lines('nginx.log', qr/live" refused/)), $told,
    'N7: what stays bad is not logged again';

# ---- and adsd again --------------------------------------------------------

close $live;
$ads->start_adsd;
$ads->seed_publisher(name => 'Another');
is ask(), 'One and Two', 'adsd goes on from what it finds';

$ads->done;
