package Ads::H2;

# A small HTTP/2 client, frame by frame: the bytes of one request on a
# connection of its own, to be cut where a test likes, and its answer.

use strict;
use warnings;
use Ads::Http;
use IO::Select;
use JSON::PP;
use Time::HiRes qw(time);

my $timeout_s = 30;
my %type = (DATA => 0, HEADERS => 1, RST_STREAM => 3, SETTINGS => 4);
my %flag = (END_STREAM => 1, ACK => 1, END_HEADERS => 4);

sub frame
{
    my ($name, $flags, $stream, $bytes) = @_;
    return pack('CnCCN', length($bytes) >> 16, length($bytes) & 0xffff,
        $type{$name}, $flags, $stream)
        . $bytes;
}

# What a client says first.
sub hello
{
    return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" . frame('SETTINGS', 0, 0, '');
}

# A text of a header: its length in 7 bits and what is left, no Huffman.
sub text
{
    my ($text) = @_;
    my $len = length $text;
    return pack('C', $len) . $text if $len < 127;
    my ($bytes, $left) = (pack('C', 127), $len - 127);
    while ($left >= 128) {
        $bytes .= pack 'C', $left % 128 + 128;
        $left = int($left / 128);
    }
    return $bytes . pack('C', $left) . $text;
}

# The frames of a request, DATA in pieces of that many bytes (all in one when
# none is named); the stream ends with the last of them, or, when `late`, with
# an empty one.  Of a body longer than `window` it does not end: so much comes
# and no more.  No content-length unless the headers have it.
sub frames
{
    my ($port, $method, $path, $headers, $body, %opt) = @_;
    my $stream = $opt{stream} || 1;
    my @headers = (
        ':method'    => $method,
        ':scheme'    => 'http',
        ':path'      => $path,
        ':authority' => "127.0.0.1:$port",
        @{ $headers || [] }
    );
    my $head = '';
    while (my ($name, $value) = splice @headers, 0, 2) {
        $head .= "\0" . text(lc $name) . text($value);
    }

    my $size   = $opt{size} || length($body // '') || 1;
    my $cut    = defined $opt{window} && length($body // '') > $opt{window};
    my @pieces = unpack "(a$size)*",
        $cut ? substr $body, 0, $opt{window} : $body // '';
    push @pieces, '' if $opt{late};
    my $last = $cut ? undef : pop @pieces;
    return (
        frame('HEADERS',
            $flag{END_HEADERS} | (defined $last || $cut ? 0 : $flag{END_STREAM}),
            $stream, $head),
        (map { frame('DATA', 0, $stream, $_) } @pieces),
        (map { frame('DATA', $flag{END_STREAM}, $stream, $_) }
                grep { defined } $last)
    );
}

# Ends a stream with CANCEL.
sub reset_stream
{
    my ($stream) = @_;
    return frame('RST_STREAM', 0, $stream, pack 'N', 8);
}

# The status of a block of headers: nginx puts it first, from the static table
# or as digits.
sub status
{
    my ($block) = @_;
    my ($first) = unpack 'C', $block;
    $block = substr $block, 1 if ($first & 0xe0) == 0x20;    # a table's size
    $first = unpack 'C', $block;
    my %indexed = (0x88 => 200, 0x89 => 204, 0x8b => 304, 0x8c => 400,
        0x8d => 404, 0x8e => 500);
    return $indexed{$first} // substr $block, 2, 3;
}

# Reads until the stream ends; undef when it is reset or the peer closes.
sub answer
{
    my ($socket, $stream) = @_;
    my $select   = IO::Select->new($socket);
    my $deadline = time + $timeout_s;
    my ($bytes, $status, $body) = ('', undef, '');

    while ((my $left = $deadline - time) > 0) {
        while (length $bytes >= 9) {
            my ($high, $low, $kind, $flags, $id) = unpack 'CnCCN', $bytes;
            my $len = $high * 65536 + $low;
            last if length $bytes < 9 + $len;
            my $part = substr $bytes, 9, $len;
            substr $bytes, 0, 9 + $len, '';
            next if $id != ($stream || 1);
            return undef if $kind == $type{RST_STREAM} && !defined $status;
            $status = status($part) if $kind == $type{HEADERS};
            $body .= $part if $kind == $type{DATA};
            return {
                status => $status,
                body   => $body,
                json   => scalar eval { decode_json($body) }
            } if $flags & $flag{END_STREAM} && $kind <= $type{HEADERS};
        }
        next unless $select->can_read($left);
        return undef unless sysread $socket, $bytes, 65536, length $bytes;
    }
    die "no whole answer in $timeout_s s\n";
}

# As Ads::Http::raw, of frames.
sub raw
{
    my ($port, @pieces) = @_;
    return Ads::Http::exchange($port, \&answer, @pieces);
}

1;
