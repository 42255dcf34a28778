#!/usr/bin/perl
#
# The worker's life: reloads, kills, reopened logs, configuration tests beside
# a live server, tables that go bad.  Visitors notice none of it, and nothing
# that was answered is missing.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use POSIX ();
use Test::More;
use Time::HiRes qw(time sleep);

# an nginx -t that refuses a file frees nothing of its own
$ENV{ASAN_OPTIONS} .= ':detect_leaks=0' if $ENV{ASAN_OPTIONS};

my $ads  = Ads::Test->new;
my $pub  = $ads->seed_publisher;
my $shop = $ads->seed_shop;
my $nginx = $ads->part('nginx');

sub workers
{
    open my $in, '<', "/proc/$nginx->{pid}/task/$nginx->{pid}/children"
        or return;
    return split ' ', <$in> // '';
}

sub shown
{
    my $json = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    return $json->{ads}[0]{click_url};
}

# ---- a client that clicks all the time -------------------------------------

# Clicks new links until the file goes away; writes down what was answered.
# Links come from a list, so that each is clicked once.
sub begin_clicking
{
    my (@urls) = @_;
    my $file = "$ads->{dir}/tmp/clicking";
    $ads->write_file($file, '');
    my $pid = fork // die "fork: $!\n";
    return ($pid, $file) if $pid;

    open my $out, '>', "$file.seen" or POSIX::_exit(1);
    $out->autoflush;
    while (-e $file && @urls) {
        my $url = shift @urls;
        my $answer = eval { $ads->click($url) };
        my ($id) = ($answer ? $answer->{headers}{location} // '' : '') =~
            /ads_click_id=([0-9a-f-]{36})/;
        print {$out} $answer ? $answer->{status} : 0, ' ', $id // '-', "\n";
        sleep 0.002;
    }
    close $out;
    POSIX::_exit(0);
}

# Not before there were more than so many redirects.
sub end_clicking
{
    my ($least, $pid, $file) = @_;
    $ads->wait_until(
        sub {
            my $seen = eval { Ads::Stack::read_file("$file.seen") } // '';
            return $least < (() = $seen =~ /^302 /mg);
        },
        30,
        "$least clicks"
    );
    unlink $file;
    waitpid $pid, 0;
    return map { [split] } split /\n/, Ads::Stack::read_file("$file.seen");
}

# All of these click ids are in the database.
sub stored
{
    my ($n, @ids) = @_;
    my $list = '{' . join(',', @ids) . '}';
    $ads->wait_until(
        sub {
            return $ads->sql_value('select count(distinct click_id)'
                    . ' from ads.clicks where click_id = any($1::uuid[])',
                $list) == $n;
        },
        20,
        "$n clicks to be stored"
    );
}

my @urls = map { shown() } 1 .. 1500;
is scalar(grep { defined } @urls), 1500, 'there are links to click';

# ---- reloads ---------------------------------------------------------------

my @idle = map { my $c = $ads->connect; syswrite $c,
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"; $c } 1 .. 100;
my @client = begin_clicking(@urls[ 0 .. 999 ]);
my $slowest = 0;
for my $n (1 .. 20) {
    my %old = map { $_ => 1 } workers();
    my $begin = time;
    $nginx->signal('HUP');
    $ads->wait_until(
        sub {
            my @now = workers();
            return @now == 2 && !grep { $old{$_} } @now;
        },
        10,
        'the old workers to go'
    );
    $slowest = time - $begin if time - $begin > $slowest;
}
pass '20 reloads under clicks';
cmp_ok $slowest, '<', 5 * Ads::Test::patience(),
    sprintf 'the slowest took %.2f s', $slowest;
close $_ for @idle;

my @seen = end_clicking(100, @client);
cmp_ok scalar(@seen), '>', 100, scalar(@seen) . ' clicks were answered';
is scalar(grep { $_->[0] != 302 } @seen), 0, 'every one with its redirect';
stored(scalar(@seen), map { $_->[1] } @seen);
pass 'every one is stored';

# ---- a killed worker -------------------------------------------------------

@client = begin_clicking(@urls[ 1000 .. 1249 ]);
for (1 .. 5) {
    my @now = workers();
    kill 'KILL', $now[0];
    $ads->wait_until(
        sub { my @new = workers(); @new == 2 && !grep { $_ == $now[0] } @new },
        5, 'a new worker');
    sleep 0.03;
}
@seen = grep { $_->[0] == 302 } end_clicking(10, @client);
cmp_ok scalar(@seen), '>', 10, scalar(@seen) . ' clicks beside killed workers';
stored(scalar(@seen), map { $_->[1] } @seen);
pass 'whatever was answered is stored';

# the master minds a killed worker, and should mind nothing else
my @alerts = $ads->log_lines('nginx.log', qr/\[(?:alert|emerg)\]/);
is scalar(@alerts), 5, 'five workers were killed';
is scalar(grep { !/exited on signal 9/ } @alerts), 0, 'and nothing else';
rename "$ads->{dir}/log/nginx.log", "$ads->{dir}/log/killed.log";

# ---- reopened logs ---------------------------------------------------------

@client = begin_clicking(@urls[ 1250 .. 1499 ]);
for (1 .. 20) {
    $nginx->signal('USR1');
    sleep 0.02;
}
@seen = end_clicking(10, @client);
is scalar(grep { $_->[0] != 302 } @seen), 0, 'reopened logs disturb no click';
stored(scalar(@seen), map { $_->[1] } @seen);
pass 'nor the journal';

# ---- nginx -t beside it ----------------------------------------------------

$ads->stop('adsd');
sub state_of
{
    my %state;
    for my $file (glob "$ads->{dir}/state/* $ads->{dir}/state/journal/*"
        . " $ads->{dir}/state/journal/.* $ads->{run_path}/*") {
        my @stat = lstat $file;
        $state{$file} = join ' ', @stat[0, 1, 7, 9];
    }
    return \%state;
}
$ads->write_file("$ads->{dir}/tmp/bad.conf",
    Ads::Stack::read_file("$ads->{dir}/nginx.conf")
        =~ s/ads_status  readyz/ads_status nix/r);
my $before = state_of();
for my $file ('nginx.conf', 'tmp/bad.conf') {
    for (1 .. 5) {
        my ($code) = $ads->try($ads->nginx_program, '-t', '-q', '-p',
            $ads->{dir}, '-e', "$ads->{dir}/tmp/test.log",
            '-c', "$ads->{dir}/$file");
        is $code, $file eq 'nginx.conf' ? 0 : 1, "nginx -t of $file";
    }
}
delete @{$_}{ grep { /nginx\.pid/ } keys %$_ } for $before, my $after = state_of();
is_deeply $after, $before, 'touches no file of ours';

# ---- tables that go bad ----------------------------------------------------

my $head = "$ads->{dir}/state/head";
my $good = Ads::Stack::read_file($head);
my ($base) = glob "$ads->{dir}/state/base-*";

# Puts these bytes in place of the head and waits until both workers mind.
sub refused
{
    my ($what, $bytes, $pattern) = @_;
    my $seen = () = $ads->log_lines('nginx.log', qr/refused/);
    $ads->write_file($head, $bytes);
    $ads->wait_until(
        sub { (() = $ads->log_lines('nginx.log', qr/refused/)) == $seen + 2 },
        10, "both workers to refuse tables that are $what");
    my $line = ($ads->log_lines('nginx.log', qr/refused/))[-1];
    like $line, $pattern, "tables that are $what are refused";
    is $ads->recommend($pub->{key}, 'buy a laser printer')->{json}{decision},
        'SHOW', 'the old ones serve on';
}

sub flipped
{
    my ($bytes, $at) = @_;
    substr($bytes, $at, 1) ^= "\x01";
    return $bytes;
}

refused('damaged', flipped($good, unpack 'x136 Q<', $good), qr/damaged/);
refused('damaged in their header', flipped($good, 24), qr/damaged/);
refused('cut', substr($good, 0, length($good) / 2), qr/damaged/);
refused('of another layout', flipped($good, 4), qr/unsupported|damaged/);
refused('something else', "hello, world\n" x 100, qr/unsupported|damaged/);
refused('the base', Ads::Stack::read_file($base), qr/unsupported|damaged/);

my $lines = () = $ads->log_lines('nginx.log', qr/refused/);
sleep 2.2;
is scalar(() = $ads->log_lines('nginx.log', qr/refused/)), $lines,
    'what stays bad is not logged again';

$ads->write_file($head, $good);
$ads->start_adsd;
my $fresh = $ads->seed_publisher(name => 'Fresh');
is $ads->recommend($fresh->{key}, 'buy a laser printer')->{json}{decision},
    'SHOW', 'good ones are taken again';

# a request whose body comes after other tables is served from those
my ($begun, $rest) = Ads::Http::bytes($ads->{port}, 'POST',
    '/v1/ads/recommend',
    ['Content-Type' => 'application/json', 'X-API-Key' => $pub->{key}],
    '{"query":"buy a laser printer"}');
my $slow = $ads->connect;
syswrite $slow, $begun;
sleep 0.1;
my $later = $ads->seed_publisher(name => 'Later');
syswrite $slow, $rest;
my $late = Ads::Http::answer($slow);
is $late->{json}{decision}, 'SHOW', 'a request outlives its tables';
is $late->{headers}{'x-ads-generation'},
    $ads->recommend($later->{key}, 'buy a laser printer')
    ->{headers}{'x-ads-generation'}, 'and is served from those of now';

$ads->done;
