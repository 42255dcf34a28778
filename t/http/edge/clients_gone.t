#!/usr/bin/perl
#
# Clients that go away at each byte of their request and while its answer is
# awaited, over HTTP/1.1 and HTTP/2, while adsd hangs: no request stays behind.

use strict;
use warnings;
use lib 't/lib';

use Ads::H2;
use Ads::Test;
use JSON::PP;
use Socket qw(SOL_SOCKET SO_LINGER);
use Test::More;
use Time::HiRes qw(sleep time);

my $h2  = Ads::Test::free_port();
my $ads = Ads::Test->new(
    nginx => "        listen 127.0.0.1:$h2 http2;\n"
        . "        location = /connections { stub_status; access_log off; }\n");
my $pub = $ads->seed_publisher;
$ads->seed_shop;

my $id   = '01000000-0000-8000-8000-000000000000';
my $sale = encode_json({ click_id => $id, request_id => $id, ad_id => $id,
        value => 1, currency => 'USD' });
my @json = ('Content-Type' => 'application/json', 'X-API-Key' => $pub->{key});
my ($link) = $ads->recommend($pub->{key}, 'buy a laser printer')
    ->{json}{ads}[0]{click_url} =~ m{^https?://[^/]+(/.*)};

my %request = (
    'management'   => ['GET', '/v1/balance', [@json]],
    'a conversion' => ['POST', '/v1/events/conversion', [@json], $sale],
    'a recommendation' =>
        ['POST', '/v1/ads/recommend', [@json], '{"query":"buy a bike"}'],
    'a click' => ['GET', $link, []],
);

sub connections
{
    my ($n) = $ads->http('GET', '/connections')->{body} =~
        /Active connections: (\d+)/;
    return $n;
}

# Sends that much of the request, goes away: with a FIN, or with a reset.
sub go_away
{
    my ($port, $bytes, $wait_s, $reset) = @_;
    my $socket = Ads::Http::connect($port);
    setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $reset;
    syswrite $socket, $bytes;
    sleep $wait_s;
    close $socket;
    return 1;
}

# Resets the stream, the connection stays until then.
sub reset_stream
{
    my ($bytes, $wait_s) = @_;
    my $socket = Ads::Http::connect($h2);
    syswrite $socket, $bytes;
    sleep $wait_s;
    syswrite $socket, Ads::H2::reset_stream(1);
    sleep 0.0005;
    close $socket;
    return 1;
}

# the bytes of each request over both, by port
my %wire = (
    $ads->{port} => sub { join '', Ads::Http::bytes($ads->{port}, @_) },
    $h2          => sub {
        Ads::H2::hello() . join '', Ads::H2::frames($h2, @_[ 0 .. 3 ],
            size => 9, late => defined $_[3]);
    }
);
my %spoken = ($ads->{port} => 'HTTP/1.1', $h2 => 'HTTP/2');

# adsd's whole process stands still
my $adsd   = $ads->part('adsd');
my $before = connections();
$adsd->signal('STOP');

for my $name (sort keys %request) {
    for my $port (sort { $spoken{$a} cmp $spoken{$b} } keys %wire) {
        my $bytes = $wire{$port}->(@{ $request{$name} });
        my $n     = 0;
        for my $at (1 .. length($bytes) - 1) {
            $n += go_away($port, substr($bytes, 0, $at), 0.0005, $_) for 0, 1;
        }
        for my $wait (0 .. 10) {
            $n += go_away($port, $bytes, $wait / 100, $_) for 0, 1;
            $n += reset_stream($bytes, $wait / 100) if $port == $h2;
        }

        my $begin = time;
        ok eval {
            $ads->wait_until(sub { connections() <= $before }, 5, 'the base');
            1;
        }, sprintf 'N16: %s, %s: %d clients went away at each byte,'
            . ' all closed after %.1f s', $name, $spoken{$port}, $n,
            time - $begin;
    }
}

my @workers = $ads->workers;
$adsd->signal('CONT');
is $ads->recommend($pub->{key}, 'buy a laser printer')->{json}{decision},
    'SHOW', 'N16: workers serve on';
$ads->wait_until(
    sub { $ads->http(@{ $request{'a conversion'} })->{status} != 503 },
    10, 'adsd to answer again');
pass 'N16: and so does adsd, when it runs again';
is_deeply [$ads->workers], \@workers, 'N16: no worker died';
is_deeply [$ads->log_lines('nginx.log', qr/request count is/)], [],
    'N16: no request was counted wrong';

$ads->done;
