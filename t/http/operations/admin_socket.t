#!/usr/bin/perl
#
# The operator's socket: who may use it, what it tells, and that bad questions
# and silent peers cost nothing.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Scgi;
use Ads::Test;
use JSON::PP qw(decode_json);
use Test::More;
use Time::HiRes qw(time);

my $ads    = Ads::Test->new(adsd => { api_threads => 2, log_level => 'info' });
my $socket = "$ads->{run_path}/admin.sock";
my $keys   = "$ads->{dir}/click.keys";

sub ask
{
    my ($line) = @_;
    my $peer = Ads::Scgi::connect($socket);
    Ads::Scgi::put($peer, $line);
    return Ads::Scgi::all($peer);
}

sub json_of
{
    my ($code, $out) = $ads->try_adsctl('--json', @_);
    is $code, 0, "adsctl @_" or diag $out;
    return decode_json($out);
}

# ---- who ---------------------------------------------------------------------

is sprintf('%04o', (stat $socket)[2] & 07777), '0600', 'it is for one user only';

SKIP: {
    skip 'needs root to become somebody else', 2 if $> != 0;

    # even where the mode would let them in, the kernel says who they are
    my ($uid, $gid) = (getpwnam 'nobody')[2, 3];
    my @folders = ($ads->{dir}, $ads->{run_path});
    my @modes   = map { (stat)[2] & 07777 } @folders;
    chmod 0755, @folders;
    chmod 0666, $socket;
    pipe my $from, my $to or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        $( = $) = "$gid $gid";
        $< = $> = $uid;
        my $said = eval { ask("status\n") };
        syswrite $to, defined $said ? "<$said>" : "failed: $@";
        require POSIX;
        POSIX::_exit(0);
    }
    close $to;
    waitpid $pid, 0;
    is join('', <$from>), '<>', 'another user is told nothing';
    $ads->wait_until(sub {
            $ads->log_lines('adsd.out', qr/refused a connection of another user/);
        },
        5, 'the log to say so');
    pass 'and the log says so';
    chmod 0600, $socket;
    chmod $modes[$_], $folders[$_] for 0 .. $#folders;
}

# ---- what ----------------------------------------------------------------------

my $status = decode_json(ask("status\n"));
is $status->{ok}, JSON::PP::true, 'status';
is $status->{pid}, $ads->part('adsd')->{pid}, 'of the process that runs';
is $status->{database},  'up', 'which reaches the database';
is $status->{log_level}, 'info', 'logs at the level of its configuration';
is $status->{click_key_seals}, 1, 'and has the click keys';
is_deeply [map { "$_->{name} $_->{threads} $_->{busy} $_->{waiting}" }
        @{ $status->{servers} }], ['api 2 0 0', 'auth 4 0 0', 'oauth 2 0 0',
        'feed 2 0 0'],
    'its threads are idle';

# two that say nothing hold both threads, a third waits
my @silent = map { Ads::Scgi::connect("$ads->{run_path}/api.sock") } 1 .. 3;
$ads->wait_until(
    sub {
        my ($api) = @{ decode_json(ask("status\n"))->{servers} };
        return $api->{busy} == 2 && $api->{waiting} == 1;
    }, 2, 'the status to show them');
pass 'who is served and who waits is seen';
close $_ for @silent;

is decode_json(ask("log-level error\n"))->{log_level}, 'error', 'log-level';
is json_of('status')->{inside}{log_level}, 'error', 'is what it says';
is json_of('log-level', 'debug')->{log_level}, 'debug', 'and can be set again';
is json_of('reload')->{ok}, JSON::PP::true, 'reload';

my ($code, $out) = $ads->try_adsctl('status');
is $code, 0, 'adsctl status';
like $out, qr/^\s+process $status->{pid} since \d+ s, click key 1 seals$/m,
    'tells people the same';
like $out, qr/^\s+api\s+\d of 2 threads busy, \d waiting, \d+ refused$/m,
    'server by server';

# ---- what it refuses -----------------------------------------------------------

for my $line ("\n", "stop\n", "status now\n", "log-level\n", "log-level loud\n",
    "reload \0\n", "\xff\xfe\n", 'GET / HTTP/1.1' . "\r\n\r\n") {
    my $answer = decode_json(ask($line));
    my $shown  = $line =~ s/[^ -~]/?/gr;
    is $answer->{ok}, JSON::PP::false, "refused: $shown";
    like $answer->{error}, qr/\w/, 'with a reason';
}
is ask('x' x 200), '', 'a line without end is not waited for';
is json_of('log-level', 'info')->{log_level}, 'info', 'the next one is served';

my $ring = Ads::Stack::read_file($keys);
$ads->write_file($keys, "1 seal\n", 0600);
($code, $out) = $ads->try_adsctl('reload');
is $code, 1, 'keys that cannot be read are not taken';
like $out, qr/those that were there go on/, 'and it says so';
$ads->write_file($keys, $ring, 0600);
is json_of('reload')->{click_key_seals}, 1, 'mended, they are';

# ---- those who say nothing -----------------------------------------------------

my $mute  = Ads::Scgi::connect($socket);
my $begin = time;
is json_of('status')->{inside}{ok}, JSON::PP::true, 'a silent peer holds it up';
cmp_ok time - $begin, '<', 3 * Ads::Test::patience(), 'for a second only';
close $mute;

# ---- without adsd --------------------------------------------------------------

is $ads->stop('adsd'), 0, 'adsd ends cleanly';
ok !-e $socket, 'the socket goes with it';
($code, $out) = $ads->try_adsctl('reload');
is $code, 3, 'adsctl says that nobody is there';
like $out, qr/adsd does not answer here/, 'in words';

$ads->done;
