#!/usr/bin/perl
#
# The socket that nginx speaks SCGI to: who may connect, what is no request,
# and that slow, silent and many peers cost little.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Scgi;
use Ads::Test;
use Test::More;
use Time::HiRes qw(time);

my $ads    = Ads::Test->new(adsd => { api_threads => 2 });
my $socket = "$ads->{run_path}/api.sock";
my $path   = '/v1/events/conversion';

sub ask
{
    return Ads::Scgi::request($socket, @_);
}

sub said
{
    my ($bytes) = @_;
    my $peer = Ads::Scgi::connect($socket);
    Ads::Scgi::put($peer, $bytes);
    shutdown $peer, 1;
    return Ads::Scgi::all($peer);
}

is sprintf('%04o', (stat $socket)[2] & 07777), '0660',
    'the socket is for owner and group';

# ---- routes ----------------------------------------------------------------

for my $case (
    ['GET',    '/v1/nowhere', 404, 'not_found'],
    ['GET',    '/',           404, 'not_found'],
    ['POST',   "$path/x",     404, 'not_found'],
    ['DELETE', $path,         405, 'method_not_allowed'],
    ['POST',   $path,         401, 'credential_missing'],
    ['GET',    '/v1/click/',  404, 'not_found'],
    ['GET',    '/v1/click/x', 404, 'not_found'],
    ) {
    my ($method, $uri, $status, $code) = @$case;
    my $answer = ask($method, $uri);
    is "$answer->{status} $answer->{json}{code}", "$status $code",
        "$method $uri";
    is $answer->{headers}{'content-length'}, length $answer->{body},
        'with its length';
}

my $id = '00000000-0000-4000-8000-000000000001';
is ask('GET', '/', [ADS_REQUEST_ID => $id])->{json}{request_id}, $id,
    "nginx's request id is the answer's";
isnt ask('GET', '/', [ADS_REQUEST_ID => 'x'])->{json}{request_id}, 'x',
    'what is no id is not repeated';
is ask('POST', $path, [], 'x' x 65537)->{status}, 413, 'more than 64 KiB';
is ask('POST', $path, [], 'x' x 2_000_000)->{status}, 413, 'far more';

# ---- a peer without an address -----------------------------------------------

# nginx says "unix:" of a client that came over a Unix socket.
my $pub  = $ads->seed_publisher;
my $peer = Ads::Scgi::connect($socket);
Ads::Scgi::put($peer, Ads::Scgi::bytes('{}',
    REQUEST_METHOD => 'POST', DOCUMENT_URI => $path,
    CONTENT_TYPE => 'application/json', REMOTE_ADDR => 'unix:',
    HTTP_X_API_KEY => $pub->{key}));
is Ads::Scgi::answer($peer)->{json}{code}, 'invalid_fields',
    'a client without an IP address may use its key';

# ---- a body that no one is to send -----------------------------------------

# Refused by the head alone: the body never comes.
my $shop = $ads->seed_shop(products => []);
my $feed = '/v1/products/import';
my $size = 32 * 1024 * 1024;

sub announced
{
    my (@params) = @_;
    my $bytes = Ads::Scgi::bytes('', REQUEST_METHOD => 'POST', @params);
    my ($head) = $bytes =~ /^\d+:CONTENT_LENGTH\0(?:0)\0(.*),$/s;
    $head = "CONTENT_LENGTH\0$size\0$head";
    my $from = Ads::Scgi::connect("$ads->{run_path}/feed.sock");
    Ads::Scgi::put($from, length($head) . ":$head," . 'x' x 65536);
    my $answer = Ads::Scgi::answer($from);
    return $answer && "$answer->{status} $answer->{json}{code}";
}

sub peak_kib
{
    open my $in, '<', '/proc/' . $ads->part('adsd')->{pid} . '/status' or die "$!\n";
    return join('', <$in>) =~ /^VmHWM:\s+(\d+)/m ? $1 : die "no VmHWM\n";
}

my $key_no = substr($shop->{key}, 0, -1) . (substr($shop->{key}, -1) eq 'A' ? 'B' : 'A');
is announced(DOCUMENT_URI => $feed, @{ $_->[1] }), $_->[0], "$_->[0] before 32 MiB are read"
    for ['401 credential_missing', []],
    ['401 credential_invalid', [HTTP_X_API_KEY => $key_no]],
    ['403 wrong_scope', [HTTP_X_API_KEY => $pub->{key}]],
    ['404 not_found', [HTTP_X_API_KEY => $shop->{key}, HTTP_X_ADS_ACCOUNT => $id]];
is announced(DOCUMENT_URI => $feed, HTTP_X_API_KEY => $shop->{key}), undef,
    'from who may, it is waited for';

my $peak = peak_kib();
for (1 .. 3) {
    my $answer = $ads->http('POST', $feed, ['X-API-Key' => $key_no,
        'Content-Type' => 'application/octet-stream'], 'x' x $size);
    is "$answer->{status} $answer->{json}{code}", '401 credential_invalid',
        'nginx, which holds all of it, tells the answer';
}
cmp_ok peak_kib() - $peak, '<', 8192, 'and adsd read next to nothing of it';

# ---- what is no request ----------------------------------------------------

is said($_->[1]), '', "$_->[0] gets no answer"
    for ['HTTP', "GET / HTTP/1.1\r\n\r\n"], ['silence', ''],
    ['a cut head', '70:CONTENT_LENGTH'], ['noise', "\0" x 1000],
    ['a head without CONTENT_LENGTH', "7:SCGI\0" . "1\0,"],
    ['less body than announced', Ads::Scgi::bytes('{}',
        REQUEST_METHOD => 'POST', DOCUMENT_URI => $path, HTTP_X_API_KEY => $pub->{key},
        CONTENT_TYPE => 'application/json') =~ s/\}$//r],
    ['a request without a method',
    Ads::Scgi::bytes('', DOCUMENT_URI => '/')];
like said('65600:' . 'x' x 65600 . ','),
    qr/^Status: 431 Request Header Fields Too Large\r/,
    'a head that is too large is refused';
is ask('GET', '/')->{status}, 404, 'and the next one is answered';

# ---- other users -----------------------------------------------------------

SKIP: {
    skip 'needs root to become somebody else', 1 if $> != 0;
    my ($uid, $gid) = (getpwnam 'nobody')[2, 3];
    chmod 0666, $socket;    # the last door must hold too
    chmod 0755, $ads->{dir}, $ads->{run_path};
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        $( = $) = "$gid $gid";
        $< = $> = $uid;
        my $got = eval { said(Ads::Scgi::bytes('', REQUEST_METHOD => 'GET',
            DOCUMENT_URI => '/')) } // "$@";
        POSIX::_exit($got eq '' ? 0 : 1);
    }
    waitpid $pid, 0;
    is $?, 0, 'another user of this machine is refused';
    $ads->wait_until(
        sub { $ads->log_lines('adsd.out', qr/connection of another user/) },
        5, 'adsd to say so');
}

# ---- slow and many ---------------------------------------------------------

my $began = time;
my @idle  = map { Ads::Scgi::connect($socket) } 1 .. 2;
is ask('GET', '/')->{status} // 0, 404,
    'two threads held by silent peers come free';
cmp_ok time - $began, '<', 8 * Ads::Test::patience(), 'in a few seconds';

my @many = map { Ads::Scgi::connect($socket) } 1 .. 300;

# nginx writes when it has connected: it must not find the socket closed
my $late = Ads::Scgi::connect($socket);
ok(IO::Select->new($late)->can_read(5),
    'one more than the queue holds is refused before it asks');
my $text =
    Ads::Scgi::bytes('', REQUEST_METHOD => 'GET', DOCUMENT_URI => '/');
is Ads::Scgi::put($late, $text), length $text, 'which can ask all the same';
is Ads::Scgi::answer($late)->{json}{code}, 'unavailable', 'and reads why not';

my $refused = grep { defined } map {
    my $select = IO::Select->new($_);
    $select->can_read(0.02) ? $_ : undef
} @many;
ok $refused >= 20, 'what the queue does not hold is refused at once';
my @full = grep { $_->{status} == 503 }
    map { $ads->http('GET', '/v1/account', ['X-Request-Id' => $id]) } 1 .. 10;
cmp_ok scalar @full, '>', 0, 'so is who comes by way of nginx';
is_deeply [map { $_->{headers}{'x-request-id'} // '' } @full],
    [map { $_->{json}{request_id} } @full],
    'with the id of the request, in header and document';
for my $answer (@full) {
    my $line = qr/"$answer->{json}{request_id}".*"status":503/;
    $ads->wait_until(sub { $ads->log_lines('access.log', $line) }, 5,
        'nginx to log a refusal with its id');
}
pass 'and in the log, which nginx writes after the answer';
@many = ();
@idle = ();
$ads->wait_until(
    sub {
        my $answer = eval { ask('GET', '/') };
        return $answer && $answer->{status} == 404;
    },
    15,
    'the queue to be worked off'
);
pass 'and when they are gone all is well again';
my ($status) = $ads->get('/readyz');
is $status, 200, 'the workers never noticed';

$ads->done;
