#!/usr/bin/perl
#
# adsd's life: what it says about its configuration, that it waits for the
# database instead of dying, refuses what is not its own, and stops cleanly.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Scgi;
use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $ads = Ads::Test->new(parts => []);
my $dir = $ads->{dir};

sub adsd
{
    my (@words) = @_;
    return $ads->try($ads->program('adsd'), @words);
}

# ---- the configuration -----------------------------------------------------

is_deeply [adsd('-c', "$dir/adsd.conf", '-t')], [0, "configuration ok\n"],
    'a good file is ok';

$ads->write_file("$dir/bad.conf", <<'END');
database = dbname=ads
colour = blue
api_threads = many
END
my ($rc, $said) = adsd('-c', "$dir/bad.conf", '-t');
is $rc, 1, 'a bad file is refused';
like $said, qr{^\Q$dir\E/bad\.conf:2: unknown key "colour"}m,
    'with the line of an unknown key';
like $said, qr{:3: not a value of "api_threads" \(1 to 256}m,
    'and of a bad value, with a hint';
like $said, qr{: missing: "base_url" \(the public address}m,
    'and what is missing, all at once';
($rc, $said) = adsd('-c', "$dir/bad.conf");
is $rc, 1, 'adsd does not start with it';
is [adsd('-c', "$dir/none.conf", '-t')]->[0], 1, 'nor without a file';
is [adsd('-x')]->[0], 2, 'an unknown option is a mistake in usage';

# ---- what it needs ---------------------------------------------------------

($rc, $said) = adsd('-c', "$dir/adsd.conf");
is $rc, 1, 'without a key ring it does not start';
like $said, qr/could not open the key ring.*adsctl init/, 'and says why';

$ads->try_adsctl('init');    # the database is not there: the rest is made
ok -s "$dir/click.keys", 'init makes the key ring';
chmod 0644, "$dir/click.keys";
($rc, $said) = adsd('-c', "$dir/adsd.conf");
is $rc, 1, 'a key ring that others may read is refused';
like $said, qr/open to others: chmod 640/, 'with what to do';
chmod 0640, "$dir/click.keys";

# ---- without a database ----------------------------------------------------

sub log_has
{
    my ($pattern, $name) = @_;
    $ads->wait_until(sub { $ads->log_lines('adsd.out', $pattern) }, 15, $name);
    pass $name;
}

sub ask
{
    return Ads::Scgi::request("$ads->{run_path}/api.sock", @_);
}

$ads->start_adsd;
log_has(qr/"database does not answer: /, 'it says that the database is away');
log_has(qr/"waiting: the database does not answer"/, 'and waits');
my $began  = time;
my $answer = ask('POST', '/v1/events/conversion', [], '{}');
is $answer->{status}, 503, 'the API answers 503 meanwhile';
ok $answer->{headers}{'retry-after'}, 'with Retry-After';
is $answer->{json}{code}, 'unavailable', 'and a problem document';
cmp_ok time - $began, '<', 0.5 * Ads::Test::patience(), 'at once';

$ads->init_database;
$ads->start_database;
$ads->create_database;
log_has(qr/waiting: the database is not set up: run \\u0022adsctl migrate/,
    'an empty database is told, with what to do');
is ask('POST', '/v1/events/conversion', [], '{}')->{status}, 503,
    'and not worked on';
is [$ads->try_adsctl('migrate')]->[0], 0, 'it is migrated under adsd';
log_has(qr/"database ready"/, 'and adsd goes on by itself');
is ask('POST', '/v1/events/conversion', [], '{}')->{status}, 401,
    'the API answers';
ok 10 > $ads->log_lines('adsd.out', qr/"level":"error"/),
    'waiting does not fill the log';

# ---- a database that takes no writes -----------------------------------------

sub connect_again
{
    my ($setting) = @_;
    $ads->psql('ads',
        "begin read write; alter database ads $setting; commit");
    $ads->psql('ads', q{select pg_terminate_backend(pid)
        from pg_stat_activity where application_name like 'adsd/%'});
}

connect_again('set default_transaction_read_only = on');
log_has(qr/25006/, 'a database that takes no writes is told');
my $told = $ads->log_lines('adsd.out', qr/25006/);
sleep 2;    # nothing else tells that nothing happens
$told = $ads->log_lines('adsd.out', qr/25006/) - $told;
ok $told < 20, 'and tried again at leisure' or diag "$told times in 2 s";
connect_again('reset default_transaction_read_only');

# ---- one adsd a node -------------------------------------------------------

my $lock = "$dir/state/lock";
ok -e $lock, 'the node is locked';
$ads->write_file("$dir/two.conf",
    Ads::Stack::read_file("$dir/adsd.conf") =~ s/^run_path = .*/run_path = $dir\/run2/mr);
$began = time;
($rc, $said) = adsd('-c', "$dir/two.conf");
is $rc, 1, 'a second adsd on the same node ends';
like $said, qr/another adsd runs on/, 'and says why';
ok time - $began < 15 * Ads::Test::patience(), 'after a while';

# ---- the log ---------------------------------------------------------------

my @bad;
for my $line ($ads->log_lines('adsd.out', qr/./)) {
    my $entry = eval { decode_json($line) };
    push @bad, $line
        unless $entry
        && $entry->{at} =~ /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
        && $entry->{level} =~ /^(debug|info|warn|error)$/
        && length $entry->{duty}
        && length $entry->{msg};
}
is "@bad", '', 'every line of the log is a JSON object with its members';

# ---- stop and start --------------------------------------------------------

my $slow = Ads::Scgi::connect("$ads->{run_path}/api.sock");
my $bytes = Ads::Scgi::bytes('{}', REQUEST_METHOD => 'POST',
    DOCUMENT_URI => '/v1/events/conversion');
syswrite $slow, substr $bytes, 0, 20;
$ads->part('adsd')->signal('TERM');
$ads->wait_until(sub { $ads->log_lines('adsd.out', qr/"stopping"/) },
    10, 'adsd to begin its stop');
syswrite $slow, substr $bytes, 20;
is Ads::Scgi::answer($slow)->{status}, 401,
    'a request at hand is finished after SIGTERM';
is $ads->stop('adsd'), 0, 'and adsd ends cleanly';
ok !-e "$ads->{run_path}/api.sock", 'its socket is gone';
ok -e "$ads->{run_path}/live", 'live stays for the workers';

my $node = Ads::Stack::read_file("$dir/state/node");
like $node, qr/^[0-9a-f]{16}\n$/, 'the node id is 16 hex digits';
$ads->start_adsd;
$ads->wait_until(
    sub { ask('POST', '/v1/events/conversion', [], '{}')->{status} == 401 },
    15, 'adsd to answer again');
is Ads::Stack::read_file("$dir/state/node"), $node, 'and stays the same';

$ads->kill_and_restart('adsd');
$ads->wait_until(
    sub { ask('POST', '/v1/events/conversion', [], '{}')->{status} == 401 },
    15, 'adsd to answer after a kill');
pass 'a stale socket and lock do not keep it from starting';

# ---- the database dies under it --------------------------------------------

$ads->kill_and_restart('postgres');
$ads->wait_until(
    sub { $ads->sql_value('select 1') }, 15, 'PostgreSQL');
$ads->wait_until(
    sub {
        $ads->sql_value(
            "select count(*) from pg_stat_activity where application_name like 'adsd/%'"
        ) >= 3;
    },
    15,
    'adsd to reconnect'
);
pass 'adsd reconnects after PostgreSQL was killed';

# Stopped processes answer nothing, and their sockets stay open.
my $shop  = $ads->tenant('advertiser', 'Shop');
my $key   = $ads->key($shop);
my $known = ['HTTP_X_API_KEY' => $key, 'CONTENT_TYPE' => 'application/json'];
is ask('POST', '/v1/events/conversion', $known, '{}')->{status}, 400,
    'a key is found';
my @servers = map { $_->[0] } @{ $ads->sql(
    "select pid from pg_stat_activity where application_name like 'adsd/%'") };
push @servers, $ads->part('postgres')->{pid};
kill 'STOP', @servers;
$began = time;
my @status = map { ask('POST', '/v1/events/conversion', $known, '{}') } 1 .. 2;
cmp_ok time - $began, '<', 16 * Ads::Test::patience(),
    'a hung database costs a request a few seconds';
is $status[0]{status}, 503, 'which is then answered 503';
$began = time;
is ask('POST', '/v1/events/conversion', [], '{}')->{status}, 401,
    'who needs no database is answered';
cmp_ok time - $began, '<', 0.5 * Ads::Test::patience(), 'at once';
kill 'CONT', @servers;
$ads->wait_until(
    sub {
        ask('POST', '/v1/events/conversion', $known, '{}')->{status} == 400;
    },
    20, 'the database to be used again');
pass 'and the database is used again when it goes on';

# Every thread waits for it: whose turn it is, and a request.
@servers = map { $_->[0] } @{ $ads->sql(
    "select pid from pg_stat_activity where application_name like 'adsd/%'") };
push @servers, $ads->part('postgres')->{pid};
kill 'STOP', @servers;
$slow  = Ads::Scgi::connect("$ads->{run_path}/api.sock");
$bytes = Ads::Scgi::bytes('{}', @$known, REQUEST_METHOD => 'POST',
    DOCUMENT_URI => '/v1/events/conversion');
syswrite $slow, $bytes;
sleep 1;
$began = time;
is $ads->stop('adsd'), 0, 'adsd ends cleanly while the database hangs';
my $took = time - $began;
cmp_ok $took, '<=', 5 * Ads::Test::patience(), sprintf 'after %.1f s', $took;
kill 'CONT', @servers;
$ads->start_adsd;
$ads->wait_until(
    sub {
        ask('POST', '/v1/events/conversion', $known, '{}')->{status} == 400;
    },
    20, 'adsd to answer again');
pass 'and starts again';

# ---- reopening the log -----------------------------------------------------

$ads->{adsd}{log_file} = "$dir/log/adsd.json";
$ads->write_configs;
$ads->restart('adsd');
$ads->wait_until(sub { -s "$dir/log/adsd.json" }, 10, 'the log file');
rename "$dir/log/adsd.json", "$dir/log/adsd.json.1";
$ads->part('adsd')->signal('HUP');
$ads->wait_until(sub { -s "$dir/log/adsd.json" }, 10, 'the log to be reopened');
like Ads::Stack::read_file("$dir/log/adsd.json"), qr/"log opened and click keys read again"/,
    'SIGHUP opens the log again';

# ---- two databases ---------------------------------------------------------

# The first takes the connection and says nothing, like one that is stopped.
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 16)
    // die "listen: $!\n";
my $two = $ads->conninfo =~ s/host=/host=127.0.0.1,/r
    =~ s/port=/'port=' . $silent->sockport . ','/er;
my $conf = Ads::Stack::read_file("$dir/adsd.conf");
is $ads->stop('adsd'), 0, 'adsd ends cleanly';
$ads->write_file("$dir/adsd.conf", $conf =~ s/^database = .*/database = $two/mr);
$ads->start_adsd;
$ads->wait_until(
    sub { ask('POST', '/v1/events/conversion', [], '{}')->{status} == 401 },
    20, 'adsd to find the database that answers');
pass 'the next host is tried where the first says nothing';

$ads->done;
