#!/usr/bin/perl
#
# `make demo` as a newcomer meets it: it becomes ready, its printed lines
# work, its parts come back when killed, and nothing is left at the end,
# whoever was killed before.

use strict;
use warnings;
use lib 't/lib', 'tools/lib';

use Ads::Process;
use Ads::Stack;
use Ads::Test;
use Cwd qw(getcwd);
use File::Temp qw(tempdir);
use JSON::PP;
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(time sleep);

my $demo = getcwd() . '/.demo';
my $logs = tempdir(CLEANUP => 1);
my $n    = 0;

if (($ENV{ADS_BUILD} // 'build') ne 'build') {
    plan skip_all => 'the demo runs what `make` builds, not these programs';
}
if (-l $demo || -e $demo) {
    plan skip_all => 'a demo is running here, or was killed: make demo-stop';
}

# ---- tools -----------------------------------------------------------------

# Starts it and waits until it says that it is ready.
sub start_demo
{
    my $port = Ads::Test::free_port();
    my $log  = "$logs/" . ++$n;
    my $make = Ads::Process->start(
        name   => 'make',
        argv   => ['make', 'demo'],
        dir    => getcwd(),
        log    => $log,
        signal => 'TERM',
        env    => { PORT => $port, MAKEFLAGS => '', DEMO_CATALOG => small() },
    );
    wait_for(sub { -e "$demo/env" || $make->ended }, 120);
    wait_for(sub { text($log) =~ /make demo-stop/ || $make->ended }, 10)
        && !$make->ended
        or die "the demo does not start:\n", text($log);
    return { make => $make, port => $port, log => $log };
}

# Some hundred products are enough here.
sub small
{
    my $file = "$logs/small.jsonl";
    system "zstd -qdc data/demo-catalog.jsonl.zst | head -n 3000 >$file"
        if !-e $file;
    return $file;
}

sub text
{
    my ($file) = @_;
    return -e $file ? Ads::Stack::read_file($file) : '';
}

sub wait_for
{
    my ($test, $seconds) = @_;
    my $deadline = time + $seconds;
    until ($test->()) {
        return 0 if time > $deadline;
        sleep 0.02;
    }
    return 1;
}

# The last recorded process of that name.
sub part
{
    my ($name) = @_;
    my ($line) = grep { /^$name / } reverse split /^/, text("$demo/pids");
    return Ads::Process->from_record($line // '');
}

sub ready
{
    my ($port) = @_;
    my $answer = eval { Ads::Http::request($port, 'GET', '/readyz') };
    return $answer && $answer->{status} == 200;
}

# Processes of the demo, by the folder they work in.
sub processes
{
    my $dir = -l $demo ? readlink $demo : $demo;
    return grep {
        my $at = readlink("$_/cwd") // '';
        index($at, $dir) == 0 && defined Ads::Process::start_time(m{(\d+)$})
    } glob '/proc/[0-9]*';
}

# PostgreSQL's System V segment, which a killed one leaves behind.
sub segment
{
    my @lines = split /^/, text("$demo/pg/postmaster.pid");
    return (split " ", $lines[6])[1];
}

sub segment_exists
{
    my ($id) = @_;
    return grep { (split)[1] eq $id } split /^/, text('/proc/sysvipc/shm');
}

sub nothing_is_left
{
    my ($name, $outside) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok !-l $demo && !-e $demo, "$name: .demo is gone";
    is scalar(processes()), 0, "$name: no process is left";
    is join(' ', glob '/tmp/ads-demo-*'), $outside, "$name: nothing in /tmp";
}

sub demo_stop
{
    return system "make -s demo-stop >$logs/stop 2>&1";
}

my $outside = join ' ', glob '/tmp/ads-demo-*';

# ---- a good day ------------------------------------------------------------

my $run = start_demo();
my $out = text($run->{log});
ok ready($run->{port}), 'it becomes ready' or diag $out;

for my $line ($out =~ /^  (curl .*)$/mg) {
    my ($what) = $line =~ m{/v1/([a-z/]+)};
    my $answer = qx($line);
    like $answer, qr/"decision":"SHOW"|"status":"(?:accepted|recorded)"|302
        |"access_token":/x,
        "the printed line for $what works";
}

my ($docs) = $out =~ m{^  http://127\.0\.0\.1:\d+(/docs)$}m;
is $docs, '/docs', 'it says where the API is to be tried out';
like $out, qr{^  http://127\.0\.0\.1:\d+/dashboard/$}m,
    'and where the dashboard is';
like $out, qr{^  http://127\.0\.0\.1:\d+/shop/\?q=}m, 'and where the shop is';
for my $path ('/docs', '/docs/swagger-ui-bundle.js', '/v1/openapi.json',
    '/dashboard/', '/dashboard/app.js', '/shop/', '/shop/chat.html', '/ads/ads.js')
{
    is Ads::Http::request($run->{port}, 'GET', $path)->{status}, 200,
        "the demo serves $path";
}

like text("$demo/env"), qr/^ADS_PUBLISHER_KEY='ads_live_p\w{36}'$/m,
    '.demo/env holds the keys';

# who runs what, by the names that processes have
SKIP: {
    skip 'the demo is one user unless root starts it', 4 if $> != 0;
    my %uid;
    for my $dir (processes()) {
        my ($name) = text("$dir/status") =~ /^Name:\t(\S+)/m;
        my ($said) = text("$dir/cmdline") =~ /^nginx: (\w+)/;
        $uid{ $said // $name }{ (stat $dir)[4] } = 1;
    }
    my %one = map { $_ => join ' ', keys %{ $uid{$_} || {} } }
        qw(worker adsd postgres);
    is scalar(keys %{ { reverse %one } }), 3,
        'workers, adsd and PostgreSQL are three users'
        or diag explain \%uid;
    is scalar(grep { $_ eq '' || $_ eq '0' } values %one), 0,
        'none of them is root';
    is $one{worker}, scalar(getpwnam 'www-data'), 'workers are www-data';
    is join(' ', grep { $uid{$_}{0} } sort keys %uid), 'master',
        "root is nginx's master only";
}
is sprintf('%o', (stat "$demo/env")[2] & 07777), '600',
    '.demo/env is private';

my %env = text("$demo/env") =~ /^(\w+)='(.*)'$/mg;
is_deeply [grep { !defined $env{$_} }
        qw(ADS_BASE_URL ADS_PUBLISHER_KEY ADS_ADVERTISER_KEY ADS_PLATFORM_KEY
        ADS_DEMO_EMAIL ADS_DEMO_PUBLISHER_EMAIL ADS_DEMO_OPERATOR_EMAIL
        ADS_DEMO_PASSWORD PGHOST PGPORT PGDATABASE PGUSER PGPASSWORD)], [],
    'it has every name that scripts rely on';
{
    my $psql = Ads::Stack::postgres_path() . '/psql';
    my @names = grep { /^PG/ } keys %env;
    local @ENV{@names} = @env{@names};
    cmp_ok qx($psql -XAtwc 'select count(*) from ads.accounts' 2>&1), '>=', 3,
        'its log-in sees all rows of the database';
    local $ENV{PGPASSWORD} = 'wrong';
    like qx($psql -XAtwc 'select 1' 2>&1), qr/password authentication failed/,
        'with its password only';
}
for my $who (['', 'advertiser'], ['PUBLISHER_', 'publisher'],
    ['OPERATOR_', 'platform'])
{
    my $in = Ads::Http::request($run->{port}, 'POST', '/v1/auth/login',
        ['Content-Type' => 'application/json'],
        encode_json({
            email    => $env{"ADS_DEMO_$who->[0]EMAIL"},
            password => $env{ADS_DEMO_PASSWORD}
        }));
    is $in->{json}{account}{type}, $who->[1],
        "the demo's $who->[1] can sign in";
}

system "PORT=$run->{port} make demo >$logs/second 2>&1";
like text("$logs/second"), qr/already running at http/,
    'a second demo says that one is running';

# ---- parts come back -------------------------------------------------------

for my $name (qw(adsd nginx postgres)) {
    my $old = part($name);
    kill 'KILL', $old->{pid};
    my $from = time;
    ok wait_for(
        sub {
            my $new = part($name);
            $new && $new->{pid} != $old->{pid} && ready($run->{port});
        },
        10
        ),
        "$name comes back when it is killed";
    cmp_ok time - $from, '<', 2, "$name comes back within 2 s"
        if $name ne 'postgres';
}

# ---- every way to end ------------------------------------------------------

kill 'INT', part('supervisor')->{pid};
ok wait_for(sub { $run->{make}->ended }, 30), 'Ctrl-C ends it';
nothing_is_left('Ctrl-C', $outside);

start_demo();
is demo_stop(), 0, 'make demo-stop ends a running demo';
nothing_is_left('demo-stop', $outside);
is demo_stop(), 0, 'make demo-stop is content when there is nothing';

for my $victims (['supervisor'], [qw(supervisor postgres adsd nginx)]) {
    $run = start_demo();
    my $segment = segment();
    ok segment_exists($segment), 'PostgreSQL holds shared memory';
    my @parts = map { part($_) } @$victims;
    kill 'KILL', map { $_->{pid} } @parts;
    wait_for(sub { $run->{make}->ended }, 10);
    is demo_stop(), 0, "make demo-stop after kill -9 of @$victims"
        or diag text("$logs/stop");
    nothing_is_left("kill -9 of @$victims", $outside);
    ok !segment_exists($segment), "kill -9 of @$victims: no shared memory";
}

# ---- why it ended is the last thing to read -----------------------------------

# Starts one that something happens to; what it said at its end.
sub failing_demo
{
    my ($port, $happens) = @_;
    my $log  = "$logs/" . ++$n;
    my $make = Ads::Process->start(
        name   => 'make',
        argv   => ['make', 'demo'],
        dir    => getcwd(),
        log    => $log,
        signal => 'TERM',
        env    => { PORT => $port, MAKEFLAGS => '', DEMO_CATALOG => small() },
    );
    $happens->($make);
    ok wait_for(sub { $make->ended }, 120), 'it ends';
    isnt $make->{status}, 0, 'and not well';
    return text($log) =~ s/^make\b.*\n//gmr;
}

my $taken = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1:0');
like failing_demo($taken->sockport, sub { }),
    qr/^port ${\$taken->sockport} is in use; try another: .*\n\z/m,
    'a port in use';
close $taken;

my $later = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1:' . Ads::Test::free_port(),
    Proto     => 'tcp',
    ReuseAddr => 1
) or die "no port: $!\n";
like failing_demo($later->sockport, sub {
        my ($make) = @_;
        wait_for(sub { part('supervisor') || $make->ended }, 60);
        listen $later, 1;
    }),
    qr/^stopping\ndemo:[ ]failed,[ ]programs:[ ]nginx[ ]ended
        [ ]with[ ]exit[ ]code[ ]1:\n
        (?:.*\n)*.*could[ ]not[ ]bind\(\).*\n\z/mx,
    'a port that somebody else takes meanwhile';
close $later;

like failing_demo(Ads::Test::free_port(), sub {
        my ($make) = @_;
        wait_for(sub { part('postgres') || $make->ended }, 60);
        part('postgres')->signal('KILL');
    }),
    qr/^stopping\ndemo: failed, database: .+\n\z/ms,
    'a program that dies at the start';
nothing_is_left('the failures', $outside);

done_testing();
