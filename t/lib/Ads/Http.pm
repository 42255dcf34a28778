package Ads::Http;

# A small HTTP/1.1 client that sends exactly the bytes it gets, in the
# pieces it gets them in, and reads whole answers.

use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Time::HiRes qw(time sleep);

my $timeout_s = 30;

sub connect
{
    my ($port) = @_;
    my $socket = IO::Socket::INET->new(
        PeerAddr => "127.0.0.1:$port",
        Timeout  => $timeout_s
    ) or die "connect to port $port: $!\n";
    setsockopt $socket, IPPROTO_TCP, TCP_NODELAY, 1;
    return $socket;
}

# The bytes of a request on a connection that is closed after it.
sub bytes
{
    my ($port, $method, $path, $headers, $body) = @_;
    my @headers = @{ $headers || [] };
    my $head    = "$method $path HTTP/1.1\r\n";
    my %said;

    while (my ($name, $value) = splice @headers, 0, 2) {
        $said{ lc $name } = 1;
        $head .= "$name: $value\r\n";
    }
    $head .= "Host: 127.0.0.1:$port\r\n"  unless $said{host};
    $head .= "Connection: close\r\n"      unless $said{connection};
    $head .= 'Content-Length: ' . length($body) . "\r\n"
        if defined $body
        && !$said{'content-length'}
        && !$said{'transfer-encoding'};
    return ("$head\r\n", $body // '');
}

sub request
{
    my ($port, $method, $path, $headers, $body) = @_;
    return raw($port, join '', bytes(@_));
}

# Sends the pieces one by one, each in a packet of its own, and what `read` makes
# of the connection then.
sub exchange
{
    my ($port, $read, @pieces) = @_;
    my $socket = &connect($port);
    local $SIG{PIPE} = 'IGNORE';
    for my $piece (@pieces) {
        last unless defined syswrite $socket, $piece;
        sleep 0.0005 if @pieces > 1;
    }
    my $answer = $read->($socket);
    close $socket;
    return $answer;
}

sub raw
{
    my ($port, @pieces) = @_;
    return exchange($port, \&answer, @pieces);
}

# A body as chunks of that many bytes.
sub chunked
{
    my ($body, $size) = @_;
    my @chunks = map { sprintf "%x\r\n%s\r\n", length, $_ }
        unpack "(a$size)*", $body;
    return (@chunks, "0\r\n\r\n");
}

# Reads one answer until it is whole, the peer closes or time is over; undef
# when the peer closed without a word.
sub answer
{
    my ($socket) = @_;
    my $select   = IO::Select->new($socket);
    my $deadline = time + $timeout_s;
    my $bytes    = '';

    while ((my $left = $deadline - time) > 0) {
        my $parsed = parse($bytes, 0);
        return $parsed if $parsed;
        next unless $select->can_read($left);
        my $n = sysread $socket, $bytes, 65536, length $bytes;
        return parse($bytes, 1) if !$n;
    }
    die "no whole answer in $timeout_s s\n";
}

sub parse
{
    my ($bytes, $closed) = @_;
    my ($head, $body) = split /\r\n\r\n/, $bytes, 2;
    return undef unless defined $body;

    my ($first, @lines) = split /\r\n/, $head;
    my ($status, $reason) = $first =~ m{^HTTP/1\.[01] (\d{3}) ?(.*)$}
        or return undef;
    my %headers;
    for my $line (@lines) {
        my ($name, $value) = split /:\s*/, $line, 2;
        $name = lc $name;
        $headers{$name} =
            defined $headers{$name} ? "$headers{$name}, $value" : $value;
    }

    if ($status == 100) {
        return parse($body, $closed);
    }
    $body = whole($body, \%headers, $status, $closed);
    return undef unless defined $body;

    my $json;
    if (($headers{'content-type'} // '') =~ /json/ && length $body) {
        $json = eval { decode_json($body) };
    }
    return {
        status  => $status,
        reason  => $reason,
        headers => \%headers,
        body    => $body,
        json    => $json
    };
}

# The body when all of it is there, else undef.
sub whole
{
    my ($body, $headers, $status, $closed) = @_;
    return '' if $status == 204 || $status == 304;

    if (($headers->{'transfer-encoding'} // '') eq 'chunked') {
        my $text = '';
        while ($body =~ s/^([0-9a-fA-F]+)\r\n//) {
            my $size = hex $1;
            return $text if $size == 0;
            return undef if length $body < $size + 2;
            $text .= substr $body, 0, $size, '';
            $body =~ s/^\r\n//;
        }
        return undef;
    }
    if (defined(my $length = $headers->{'content-length'})) {
        return $body if $closed || length $body >= $length;
        return undef;
    }
    return $closed ? $body : undef;
}

1;
