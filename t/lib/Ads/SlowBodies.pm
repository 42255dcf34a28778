package Ads::SlowBodies;

# Slow strangers: connections without a credential, each in the middle of a
# body that comes at 10 bytes a second, and comes again when it is cut off.
#
#     my $attack = Ads::SlowBodies->begin($ads, 2000, 1);   # one address
#     ... time what others ask ...
#     my $n_bytes = $attack->end;
#
# The attack is a process of its own.  nginx has to take X-Forwarded-For
# (Ads::Load::realip); connections come from 127.0.0.x, because one address has
# too few ports for more than some ten thousand.

use strict;
use warnings;
use Ads::Http;
use Errno qw(EAGAIN EINPROGRESS);
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64 qw(encode_base64url);
use POSIX ();
use Time::HiRes qw(sleep time);

# A token that no one signed, in the right form, over at that time.
sub token
{
    my ($expires) = @_;
    return join '.', map { encode_base64url($_) }
        '{"alg":"EdDSA","typ":"at+jwt"}', qq({"exp":$expires}), "\0" x 64;
}

# What strangers may begin to send: a log-in needs no credential at all, and of
# a token in the right form only the daemon can tell that it was made up.
my @doors = (
    ['POST',  '/v1/auth/login'],
    ['POST',  '/v1/auth/signup'],
    ['PATCH', '/v1/account'],
    ['POST',  '/v1/products/import'],
    ['POST',  '/v1/events/conversion'],
    ['POST',  '/v1/events/impression'],
);

sub begin
{
    my ($class, $ads, $n, $one_address) = @_;
    pipe my $ready, my $tell or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        close $ready;
        my $ended = 0;
        local $SIG{TERM} = sub { $ended = 1 };
        local $SIG{PIPE} = 'IGNORE';
        my $sent = attack($ads->{port}, $n, $one_address, $tell, \$ended);
        syswrite $tell, "$sent\n";
        POSIX::_exit(0);
    }
    close $tell;
    defined(my $line = <$ready>) or die "the attack did not begin\n";
    return bless { pid => $pid, ready => $ready, owner => $$ }, $class;
}

# Ends it; the bytes of bodies that were sent.
sub end
{
    my ($self) = @_;
    kill 'TERM', $self->{pid};
    my $line = readline $self->{ready};
    waitpid delete $self->{pid}, 0;
    return defined $line ? $line + 0 : 0;
}

sub DESTROY
{
    my ($self) = @_;
    return if !$self->{pid} || $self->{owner} != $$;
    local ($?, $!);
    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}

sub open_one
{
    my ($port, $i, $one_address) = @_;
    my ($method, $path) = @{ $doors[ $i % @doors ] };
    my $from = $one_address ? '198.51.100.99'
        : sprintf '203.%d.%d.%d', $i >> 16 & 255, $i >> 8 & 255, $i & 255;
    my $socket = IO::Socket::INET->new(
        PeerAddr  => "127.0.0.1:$port",
        LocalAddr => '127.0.0.' . (2 + $i % 200),
        Timeout   => 10
    ) or return;
    syswrite $socket, join "\r\n", "$method $path HTTP/1.1", 'Host: x',
        "X-Forwarded-For: $from", 'Content-Type: application/json',
        'Authorization: Bearer ' . token(time + 600 | 0),
        'Content-Length: 8000', '', '';
    $socket->blocking(0);
    return $socket;
}

# Ten bytes a second on each, in ten parts a second; the bytes sent.
sub attack
{
    my ($port, $n, $one_address, $tell, $ended) = @_;
    my @socket = map { open_one($port, $_, $one_address) } 0 .. $n - 1;
    my ($sent, $next) = (0, $n);
    syswrite $tell, "begun\n";
    for (my $part = 0 ; !$$ended ; $part = ($part + 1) % 10) {
        my $due = time + 0.1;
        for (my $i = $part ; $i < $n && !$$ended ; $i += 10) {
            my $done = $socket[$i]
                ? syswrite $socket[$i], ' ' x 10
                : undef;
            if (defined $done) {
                $sent += $done;
            } elsif (!$socket[$i] || $! != EAGAIN) {
                $socket[$i] = open_one($port, $next++, $one_address);
            }
        }
        my $left = $due - time;
        sleep $left if $left > 0;
    }
    return $sent;
}

# ---- what others see -------------------------------------------------------

my $n_asked = 0;

# Asks each n times, in turn: {what => {p99_ms, failed}}.  Each log-in is
# somebody else's, or the account would be closed after ten.
sub times
{
    my ($ads, $shop, $pub, $n) = @_;
    my %ask = honest($ads, $shop, $pub);
    my (%took, %failed);
    for my $i (1 .. $n) {
        for my $what (sort keys %ask) {
            my ($good, $method, $path, $headers, $body) = @{ $ask{$what} };
            my @headers = (@$headers, 'X-Forwarded-For' => "198.19.$i.1");
            my $began   = time;
            my $answer  = eval {
                Ads::Http::request($ads->{port}, $method, $path, \@headers,
                    $body =~ s/nobody/nobody-$n_asked/r);
            };
            $n_asked++;
            push @{ $took{$what} }, (time - $began) * 1000;
            $failed{$what}++ if ($answer->{status} // 0) != $good;
        }
    }
    return {
        map {
            my @sorted = sort { $a <=> $b } @{ $took{$_} };
            $_ => {
                p99_ms => $sorted[ int($#sorted * 0.99) ],
                failed => $failed{$_} // 0
            }
        } keys %took
    };
}

# {what => [status, method, path, headers, body]}
sub honest
{
    my ($ads, $shop, $pub) = @_;
    my @json = ('Content-Type' => 'application/json');
    my $import = '/v1/products/import?dry_run=true&campaign_id='
        . $shop->{campaign};
    return (
        login => [401, 'POST', '/v1/auth/login', [@json],
            '{"email":"nobody@shop.example","password":"no such secret"}'],
        management => [200, 'GET', '/v1/account',
            ['X-API-Key' => $shop->{key}], ''],
        import => [400, 'POST', $import, ['X-API-Key' => $shop->{key},
                'Content-Type' => 'application/x-ndjson'], ''],
        events => [404, 'POST', '/v1/events/impression',
            [@json, 'X-API-Key' => $pub->{key}],
            encode_json({ request_id => '00000000-0000-8000-8000-000000000000',
                ad_id => '00000000-0000-8000-8000-000000000001' })],
        recommend => [200, 'POST', '/v1/ads/recommend',
            [@json, 'X-API-Key' => $pub->{key}], '{"query":"buy shoes"}'],
    );
}

1;
