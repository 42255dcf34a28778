#!/usr/bin/perl
#
# Clients that go away while their answer is awaited, at every state, over
# HTTP/1.1 and HTTP/2, while adsd hangs: no request stays behind.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use POSIX ();
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
    my ($bytes, $wait_s, $reset) = @_;
    my $socket = Ads::Http::connect($ads->{port});
    setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $reset;
    syswrite $socket, $bytes;
    sleep $wait_s;
    close $socket;
}

# adsd's whole process stands still
my $adsd   = $ads->part('adsd');
my $before = connections();
$adsd->signal('STOP');

for my $name (sort keys %request) {
    my $bytes = join '', Ads::Http::bytes($ads->{port}, @{ $request{$name} });
    my $n     = 0;
    for (my $at = 1; $at < length $bytes; $at += 13) {
        go_away(substr($bytes, 0, $at), 0.001, $n++ % 2);
    }
    go_away($bytes, $_ / 100, $n++ % 2) for 0 .. 10;

    my $begin = time;
    my $ok = eval {
        $ads->wait_until(sub { connections() <= $before }, 5, 'the base');
        1;
    };
    ok $ok, sprintf 'N16: %s: %d clients went away, all closed after %.1f s',
        $name, $n, time - $begin;
}

SKIP: {
    skip 'this curl does not speak HTTP/2', 1
        unless qx(curl --version 2>&1) =~ /HTTP2/;
    $ads->write_file("$ads->{dir}/tmp/sale", $sale);
    my @curls;
    for my $n (1 .. 20) {
        my $pid = fork // die "fork: $!\n";
        if ($pid == 0) {
            open STDOUT, '>', '/dev/null';
            exec 'curl', '-s', '-m', 0.05 * $n, '--http2-prior-knowledge',
                '-H', "X-API-Key: $pub->{key}", '-H',
                'Content-Type: application/json', '--data-binary',
                "\@$ads->{dir}/tmp/sale",
                "http://127.0.0.1:$h2/v1/events/conversion"
                or POSIX::_exit(1);
        }
        push @curls, $pid;
    }
    waitpid $_, 0 for @curls;
    my $ok = eval {
        $ads->wait_until(sub { connections() <= $before }, 5, 'the base');
        1;
    };
    ok $ok, 'N16: so over HTTP/2';
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
