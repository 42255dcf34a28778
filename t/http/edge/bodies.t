#!/usr/bin/perl
#
# Request bodies: the same answer however the bytes travel, a refusal for what
# is no request, and nothing left behind by a client that goes away.

use strict;
use warnings;
use lib 't/lib';

use Ads::H2;
use Ads::Test;
use Compress::Zlib qw(uncompress);
use JSON::PP;
use List::Util qw(min);
use MIME::Base64 qw(decode_base64);
use Test::More;
use Time::HiRes qw(time sleep);

my %port = map { $_ => Ads::Test::free_port() } qw(file tiny early h2);

# since 1.31.5 nginx reads a body before anything reads the request
my $early = Ads::Stack::nginx_version() >= 1_031_005;
my $ads  = Ads::Test->new(
    nginx => "        listen 127.0.0.1:$port{h2} http2;\n"
        . "        location = /connections { stub_status; access_log off; }\n"
        . "        location = /mirrored { mirror /mirror; ads_recommend; }\n"
        . "        location = /mirror { internal; proxy_pass"
        . " http://127.0.0.1:$port{file}/v1/ads/recommend; }\n",
    nginx_http => join '',
    map { own_server(@$_) }[file => 'client_body_in_file_only clean;'],
    [tiny => 'client_body_buffer_size 16;'],
    ([early => 'client_body_early_read 1; client_body_buffer_size 256;'])
        x $early
);
my $pub = $ads->seed_publisher;
$ads->seed_shop;

sub own_server
{
    my ($name, $line) = @_;
    return <<"END";
    server {
        listen 127.0.0.1:$port{$name};
        access_log off;
        $line
        location = /v1/ads/recommend { ads_recommend; }
        location = /v1/events/impression { ads_event impression; }
    }
END
}

my @json = (
    'Content-Type' => 'application/json',
    'X-API-Key'    => $pub->{key}
);
my $path = '/v1/ads/recommend';

# Every way a body can travel: name => sub (body) -> answer.
my %way = (
    'in one piece' => sub { $ads->http('POST', $path, \@json, $_[0]) },
    'in two pieces' => sub {
        my @bytes = Ads::Http::bytes($ads->{port}, 'POST', $path, \@json,
            $_[0]);
        my $half = int(length($bytes[1]) / 2);
        $ads->raw($bytes[0] . substr($bytes[1], 0, $half),
            substr($bytes[1], $half));
    },
    'after its head' => sub {
        $ads->raw(Ads::Http::bytes($ads->{port}, 'POST', $path, \@json,
                $_[0]));
    },
    'in chunks' => sub {
        my @head = Ads::Http::bytes($ads->{port}, 'POST', $path,
            [@json, 'Transfer-Encoding' => 'chunked']);
        $ads->raw($head[0], join '', Ads::Http::chunked($_[0], 100));
    },
    'by a file' => sub {
        Ads::Http::request($port{file}, 'POST', $path, \@json, $_[0]);
    },
    'by a tiny buffer' => sub {
        Ads::Http::request($port{tiny}, 'POST', $path, \@json, $_[0]);
    },
    'before its time' => sub {
        Ads::Http::request($port{early}, 'POST', $path, \@json, $_[0]);
    },
    'over HTTP/2' => sub { h2($_[0]) },
);
delete $way{'before its time'} unless $early;

# As curl sends it: its length first, then as much as may be sent before the
# server has said more, 16 KiB a frame.  What is refused is answered before all of
# it is there; curl itself then loses the answer now and then.
sub h2
{
    my ($body) = @_;
    return Ads::H2::raw($port{h2}, Ads::H2::hello(),
        Ads::H2::frames($port{h2}, 'POST', $path,
            [@json, 'Content-Length' => length $body],
            $body, size => 16_384, window => 65_535));
}

# What two answers to the same body must have in common.
sub gist
{
    my ($answer) = @_;
    return 'nothing' unless $answer;
    my $json = $answer->{json} || {};
    return join ' ', $answer->{status}, map { $json->{$_} // '-' }
        qw(code decision reason);
}

# ---- vectors ---------------------------------------------------------------

my $query = encode_json({ query => 'buy a laser printer',
        context => { location => 'US', session_id => 's-1' } });

for my $name (sort keys %way) {
    is gist($way{$name}->($query)), '200 - SHOW -', "a body $name is read";
}
is gist($ads->raw(
        (Ads::Http::bytes($ads->{port}, 'POST', $path,
            [@json, 'Transfer-Encoding' => 'chunked']))[0],
        Ads::Http::chunked($query, 1)
    )), '200 - SHOW -', 'a body in chunks of one byte, a packet each';
is gist($ads->raw(split //, join '',
        Ads::Http::bytes($ads->{port}, 'POST', $path, \@json, $query))),
    '200 - SHOW -', 'a request of packets of one byte';

my $vectors = ($ENV{ADS_SHARED} || '../shared') . '/vectors/request_bodies.json';
SKIP: {
    skip "$vectors is not there", 1 unless -e $vectors;
    for my $case (@{ decode_json(Ads::Stack::read_file($vectors))->{cases} }) {
        my $body =
            exists $case->{b64}
            ? decode_base64($case->{b64})
            : uncompress(decode_base64($case->{zlib_b64}));
        check($case, $body);
    }
}

sub check
{
    my ($case, $body) = @_;
    my $expect = {
        '2xx'     => qr/^2/,
        '4xx'     => qr/^4/,
        'not-5xx' => qr/^[234]/
    }->{ $case->{expect} };

    subtest "body $case->{id}, $case->{why}" => sub {
        my ($answer, @seconds);
        for (1 .. 3) {
            my $begin = time;
            $answer = $way{'in one piece'}->($body);
            push @seconds, time - $begin;
        }
        like $answer->{status}, $expect, $case->{expect};
        cmp_ok min(@seconds), '<', 0.05 * Ads::Test::patience(), 'within 50 ms';
        if ($answer->{status} >= 400) {
            is $answer->{headers}{'content-type'}, 'application/problem+json',
                'as a problem';
            is $answer->{json}{status}, $answer->{status}, 'of that status';
        }
        for my $name (sort keys %way) {
            is gist($way{$name}->($body)), gist($answer), "the same $name";
        }
        is gist($way{'in one piece'}->($query)), '200 - SHOW -',
            'the next request is right';
    };
}

# ---- sizes -----------------------------------------------------------------

for my $size (16_383, 16_384) {
    my $body = $query . ' ' x ($size - length $query);
    for my $name (sort keys %way) {
        is gist($way{$name}->($body)), '200 - SHOW -', "$size bytes $name";
    }
}
my $long = $query . ' ' x (16_385 - length $query);
for my $name (sort keys %way) {
    like gist($way{$name}->($long)), qr/^413 /, "16385 bytes $name are refused";
}
$ads->is_problem($way{'in one piece'}->($long), 413, 'body_too_large',
    'as a problem');
$ads->is_problem($way{'in chunks'}->($long), 413, 'body_too_large',
    'also when the length is not told before');
$ads->is_problem($way{'by a file'}->($long), 413, 'body_too_large',
    'also when nginx would take more');
for my $body ('', '{', '[' x 100_000) {
    like gist($way{'in one piece'}->($body)), qr/^4/,
        length($body) . ' bytes that are no request';
}
like gist($way{'in one piece'}->('{"a":' x 17 . '1' . '}' x 17)), qr/^400 mal/,
    'seventeen levels are too deep';
is gist($ads->http('POST', $path, \@json)), '400 malformed_json - -',
    'no body at all';

my $events = '/v1/events/impression';
my $big = '{"events":[]' . ' ' x (65_536 - 13) . '}';
is gist(Ads::Http::request($port{file}, 'POST', $events, \@json, $big)),
    '200 - - -', 'an event body of 64 KiB is read';
like gist(Ads::Http::request($port{file}, 'POST', $events, \@json, " $big")),
    qr/^413 /, 'and a byte more refused';

# ---- Expect ----------------------------------------------------------------

my ($head) = Ads::Http::bytes($ads->{port}, 'POST', $path,
    [@json, Expect => '100-continue', 'Content-Length' => length $query]);
my $socket = Ads::Http::connect($ads->{port});
syswrite $socket, $head;
sysread $socket, my $go_on, 1000;
like $go_on, qr{^HTTP/1\.1 100 }, 'Expect: 100-continue is answered';
syswrite $socket, $query;
is gist(Ads::Http::answer($socket)), '200 - SHOW -', 'and the body awaited';

$socket = Ads::Http::connect($ads->{port});
$head =~ s/X-API-Key: /X-API-Key: x/;
syswrite $socket, $head;
is gist(Ads::Http::answer($socket)), '401 credential_invalid - -',
    'who is refused is not asked for the body';

# two requests on one connection, the second sent before the first is answered
$socket = Ads::Http::connect($ads->{port});
my $two = join '',
    Ads::Http::bytes($ads->{port}, 'POST', $path,
    [@json, Connection => 'keep-alive'], $query);
syswrite $socket, $two . join '',
    Ads::Http::bytes($ads->{port}, 'POST', $path, \@json, $query);
my $both = do { local $/; <$socket> };
is scalar(() = $both =~ /"decision":"SHOW"/g), 2,
    'pipelined requests are both answered';

# ---- clients that go away --------------------------------------------------

sub connections
{
    my $text = $ads->http('GET', '/connections')->{body};
    my ($n) = $text =~ /Active connections: (\d+)/;
    return $n;
}

my $whole = join '', Ads::Http::bytes($ads->{port}, 'POST', $path, \@json,
    $query);
my $before = connections();
for (my $at = 1; $at <= length $whole; $at += 7) {
    my $gone = Ads::Http::connect($ads->{port});
    syswrite $gone, substr $whole, 0, $at;
    close $gone;
}
for my $n (1 .. 50) {
    my $gone = Ads::Http::connect($ads->{port});
    setsockopt $gone, Socket::SOL_SOCKET(), Socket::SO_LINGER(),
        pack('ii', 1, 0);
    syswrite $gone, $whole;
    close $gone;    # a reset, while the answer waits or is on its way
}
SKIP: {
    skip 'h2load is not there', 1 unless qx(h2load --version 2>&1) =~ /h2load/;
    $ads->write_file("$ads->{dir}/tmp/body", $query);
    for my $n (1 .. 9) {
        my $pid = open my $out, '-|', 'h2load', '-n', '100000', '-c', '4',
            '-m', '50', '-d', "$ads->{dir}/tmp/body",
            (map { ('-H', "$json[2 * $_]: $json[2 * $_ + 1]") } 0 .. 1),
            "http://127.0.0.1:$port{h2}$path"
            or die "h2load: $!\n";
        sleep 0.01 * $n;
        kill 'KILL', $pid;
        close $out;
    }
    pass 'HTTP/2 clients went away in the middle of it';
}
$ads->wait_until(sub { connections() <= $before }, 10,
    'the connections to be closed');
pass 'requests of clients that went away are gone too';

for my $pid (grep { /\d/ } split /\s+/, qx(pgrep -P $ads->{parts}{nginx}{pid})) {
    ok -e "/proc/$pid", 'the worker lives';
}
is gist($way{'in one piece'}->($query)), '200 - SHOW -', 'and serves';

# ---- what is refused is counted --------------------------------------------

sub counted
{
    my ($name) = @_;
    return ($ads->get('/metrics'))[1] =~ /^ads_${name}_total (\d+)/m ? $1 : 0;
}

sub refused { return counted('refused') }

my $was  = refused();
my @none = @json[2, 3];
my @refused = map { $_->{status} }
    $ads->http('POST', $path, [@none, 'Content-Type' => 'text/plain'], $query),
    Ads::Http::request($port{file}, 'POST', $path, \@json, 'x' x 16_385),
    $ads->http('POST', $path, \@json, '{'),
    $ads->http('POST', $path, [@json[0, 1]], $query),
    $ads->http('POST', '/v1/events/impression', \@json, '{}');
is_deeply \@refused, [415, 413, 400, 401, 400], 'five are refused';
$ads->wait_until(sub { refused() == $was + 5 }, 10, 'all of them to count');

# ---- a copy for another server ---------------------------------------------

my ($shown, $bad) = (counted('recommend'), refused());
is gist($ads->http('POST', '/mirrored', \@json,
        encode_json({ query => 'buy a "laser" printer' }))), '200 - SHOW -',
    'a request is answered that is mirrored';
$ads->wait_until(sub { counted('recommend') + refused() >= $shown + $bad + 2 },
    10, 'the mirror to answer');
is refused(), $bad, 'whose body is the same';

$ads->done;
