package Ads::Scgi;

# adsd's socket without nginx in between: one SCGI request, and connections
# that misbehave.

use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;
use JSON::PP;
use Time::HiRes qw(time);

my $timeout_s = 15;

sub connect
{
    my ($path) = @_;
    return IO::Socket::UNIX->new(Peer => $path)
        // die "connect to $path: $!\n";
}

# The bytes of a request; params are name => value, in that order.
sub bytes
{
    my ($body, @params) = @_;
    my $head = join '', map { "$_\0" } CONTENT_LENGTH => length $body,
        SCGI => 1, @params;
    return length($head) . ":$head,$body";
}

# Writes what the peer takes: it may have closed already.
sub put
{
    my ($socket, $bytes) = @_;
    local $SIG{PIPE} = 'IGNORE';
    return syswrite $socket, $bytes;
}

# {status, headers, body, json}, or undef when adsd closed without a word.
sub request
{
    my ($path, $method, $uri, $params, $body) = @_;
    my $socket = &connect($path);
    put($socket, bytes(
        $body // '',
        REQUEST_METHOD => $method,
        DOCUMENT_URI   => $uri,
        REMOTE_ADDR    => '127.0.0.1',
        @{ $params || [] }
    ));
    return answer($socket);
}

# Everything until adsd closes, as an answer.
sub answer
{
    my ($socket) = @_;
    my $bytes = all($socket);
    my ($head, $body) = split /\r\n\r\n/, $bytes, 2;
    return undef unless defined $body;

    my %headers;
    for my $line (split /\r\n/, $head) {
        my ($name, $value) = split /:\s*/, $line, 2;
        $headers{ lc $name } = $value;
    }
    my ($status) = $headers{status} =~ /^(\d+)/;
    my $json =
        ($headers{'content-type'} // '') =~ /json/
        ? eval { decode_json($body) }
        : undef;
    return {
        status  => $status,
        headers => \%headers,
        body    => $body,
        json    => $json
    };
}

sub all
{
    my ($socket) = @_;
    my $select   = IO::Select->new($socket);
    my $deadline = time + $timeout_s;
    my $bytes    = '';
    while ((my $left = $deadline - time) > 0) {
        next unless $select->can_read($left);
        my $n = sysread $socket, $bytes, 65536, length $bytes;
        return $bytes if !$n;
    }
    die "adsd did not close in $timeout_s s\n";
}

1;
