#!/usr/bin/perl
#
# A request at each of its bytes: cut in two there, or ended there, by one byte
# a packet, a chunk or a frame, over HTTP/1.1 and HTTP/2, into memory and into a
# file.  The transport never shows in the answer, and who goes away leaves
# nothing behind.

use strict;
use warnings;
use lib 't/lib';

use Ads::H2;
use Ads::Test;
use JSON::PP;
use Socket qw(SOL_SOCKET SO_LINGER);
use Test::More;
use Time::HiRes qw(time sleep);

my %port = map { $_ => Ads::Test::free_port() } qw(file tiny single);
my %line = (
    file => 'client_body_in_file_only clean;',
    tiny => 'client_body_buffer_size 16;',

    # headers in a buffer that is too small for them, too
    single => 'client_body_in_single_buffer on; client_header_buffer_size 64;',
);
my $ads = Ads::Test->new(
    nginx_http => join '',
    map { own_server($_) } sort keys %port
);
my $pub = $ads->seed_publisher;
$ads->seed_shop;

# Each speaks HTTP/2 on a port of its own.
sub own_server
{
    my ($name) = @_;
    $port{"$name h2"} = Ads::Test::free_port();
    return <<"END";
    server {
        listen 127.0.0.1:$port{$name};
        listen 127.0.0.1:$port{"$name h2"} http2;
        access_log off;
        $line{$name}
        location = /v1/ads/recommend { ads_recommend; }
        location = /connections { stub_status; }
    }
END
}

my $path = '/v1/ads/recommend';
my @json = ('Content-Type' => 'application/json', 'X-API-Key' => $pub->{key});
my $query = encode_json({ query => 'buy a laser printer' });

sub gist
{
    my ($answer) = @_;
    return 'nothing' unless $answer;
    my $json = $answer->{json} || {};
    return join ' ', $answer->{status}, $json->{decision} // $json->{code} // '-';
}

# The same answers for each of the pieces, else those that were not.
sub all_say
{
    my ($want, $n, $name, $ask) = @_;
    my %other;
    for my $at (0 .. $n - 1) {
        my $gist = gist($ask->($at));
        push @{ $other{$gist} }, $at if $gist ne $want;
    }
    is_deeply \%other, {}, "N14: $name: $n times $want";
}

sub connections
{
    my ($n) = Ads::Http::request($port{file}, 'GET', '/connections', [])
        ->{body} =~ /Active connections: (\d+)/;
    return $n;
}

sub cut { return (substr($_[0], 0, $_[1]), substr $_[0], $_[1]) }

# ---- the wires -------------------------------------------------------------

# name => [port, bytes, whose answer it is]
my %wire;
for my $name (sort keys %line) {
    my ($port, $h2) = @port{ $name, "$name h2" };
    my ($head) = Ads::Http::bytes($port, 'POST', $path,
        [@json, 'Transfer-Encoding' => 'chunked']);
    $wire{"$name, a length"} = [
        $port, join('', Ads::Http::bytes($port, 'POST', $path, \@json, $query)),
        'Ads::Http'
    ];
    $wire{"$name, chunks of 5"} =
        [$port, join('', $head, Ads::Http::chunked($query, 5)), 'Ads::Http'];
    $wire{"$name, Expect"} = [
        $port, join('', Ads::Http::bytes($port, 'POST', $path,
                [@json, Expect => '100-continue'], $query)),
        'Ads::Http'
    ];
    $wire{"$name, HTTP/2"} = [
        $h2,
        Ads::H2::hello() . join('', Ads::H2::frames($h2, 'POST', $path, \@json,
            $query, size => 5, late => 1)),
        'Ads::H2'
    ];
}

# ---- cut in two at each byte -----------------------------------------------

for my $name (sort keys %wire) {
    my ($port, $bytes, $client) = @{ $wire{$name} };
    all_say('200 SHOW', length($bytes) - 1, "$name, in two pieces",
        sub { $client->can('raw')->($port, cut($bytes, $_[0] + 1)) });
    is gist($client->can('raw')->($port, split //, $bytes)), '200 SHOW',
        "N14: $name, each byte in a packet of its own";
}

# ---- sizes, by one byte a chunk or frame -----------------------------------

my %size = (
    0      => '400 malformed_json',
    1      => '400 malformed_json',
    16_383 => '200 SHOW',
    16_384 => '200 SHOW',
    16_385 => '413 body_too_large'
);
for my $size (sort { $a <=> $b } keys %size) {
    my $body = substr $size < 2 ? '{' : $query . ' ' x $size, 0, $size;
    for my $name (sort keys %line) {
        my ($port, $h2) = @port{ $name, "$name h2" };
        my ($head) = Ads::Http::bytes($port, 'POST', $path,
            [@json, 'Transfer-Encoding' => 'chunked']);
        my ($length) = Ads::Http::bytes($port, 'POST', $path,
            [@json, 'Content-Length' => $size]);
        my $told = [@json, 'Content-Length' => $size];
        my @hello = Ads::H2::hello();
        my %answer = (
            'with its length' => Ads::Http::raw($port, $length . $body),
            'after its head'  => Ads::Http::raw($port, $length, $body),
            'in chunks of a byte' => Ads::Http::raw(
                $port, join '', $head, Ads::Http::chunked($body, 1)),
            'in frames of a byte' => Ads::H2::raw($h2, join '', @hello,
                Ads::H2::frames($h2, 'POST', $path, \@json, $body, size => 1)),
            'in such frames, its length told' => Ads::H2::raw(
                $h2, join '', @hello,
                Ads::H2::frames($h2, 'POST', $path, $told, $body, size => 1)),
            'in one frame that is not the last' => Ads::H2::raw(
                $h2, join '', @hello,
                Ads::H2::frames($h2, 'POST', $path, \@json, $body, late => 1))
        );
        is gist($answer{$_}), $size{$size}, "N14: $size bytes, $name, $_"
            for sort keys %answer;
    }
}

# ---- ended at each byte ----------------------------------------------------

sub go_away
{
    my ($port, $bytes, $reset) = @_;
    my $socket = Ads::Http::connect($port);
    setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $reset;
    syswrite $socket, $bytes;
    sleep 0.0005;
    close $socket;
}

my @workers = $ads->workers;
my $before  = connections();
for my $name (sort keys %wire) {
    my ($port, $bytes) = @{ $wire{$name} };
    for my $at (1 .. length $bytes) {
        go_away($port, substr($bytes, 0, $at), $_) for 0, 1;
    }
    ok eval {
        $ads->wait_until(sub { connections() <= $before }, 5, 'the base');
        1;
    }, "N14: $name, ended at each byte with a FIN and a reset: all closed";
}

# ---- streams reset ---------------------------------------------------------

# after each frame of the body, the connection asked once more
for my $name (sort keys %line) {
    my $port = $port{"$name h2"};
    my @frames = Ads::H2::frames($port, 'POST', $path, \@json, $query,
        size => 1, late => 1);
    my @next = Ads::H2::frames($port, 'POST', $path, \@json, $query,
        stream => 3);
    my $n = 0;
    for my $sent (1 .. @frames) {
        my $socket = Ads::Http::connect($port);
        syswrite $socket, join '', Ads::H2::hello(), @frames[ 0 .. $sent - 1 ];
        sleep 0.0005;
        syswrite $socket, join '', Ads::H2::reset_stream(1), @next;
        $n++ if gist(Ads::H2::answer($socket, 3)) eq '200 SHOW';
    }
    is $n, scalar @frames,
        "N15: $name, a stream reset after each frame harms no other";
}
my $port   = $port{'file h2'};
my $socket = Ads::Http::connect($port);
syswrite $socket, Ads::H2::hello();
for my $stream (map { 2 * $_ + 1 } 0 .. 99) {
    syswrite $socket, join '',
        Ads::H2::frames($port, 'POST', $path, \@json, $query,
        stream => $stream),
        Ads::H2::reset_stream($stream);
}
syswrite $socket, join '',
    Ads::H2::frames($port, 'POST', $path, \@json, $query, stream => 201);
my $last = eval { Ads::H2::answer($socket, 201) };
like gist($last), qr/^(?:200 SHOW|nothing)$/,
    'N15: after a hundred resets the connection is answered or closed';
close $socket;
ok eval {
    $ads->wait_until(sub { connections() <= $before }, 5, 'the base');
    1;
}, 'N15: and nothing of them is left';

is_deeply [$ads->workers], \@workers, 'N14: no worker died';
is gist($ads->recommend($pub->{key}, 'buy a laser printer')), '200 SHOW',
    'N14: they serve on';

$ads->done;
