#!/usr/bin/perl
#
# Time-outs, connections and rates of the example configuration, scaled down:
# without one of the lines this is red.  Who is too slow is cut off without a
# word while others are served, a crowd is turned away before adsd's queue, and
# each rate ends in a 429 that says when to come again.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Load;
use Ads::Test;
use IO::Select;
use Socket qw(SOL_SOCKET SO_ERROR SO_RCVBUF);
use Test::More;
use Time::HiRes qw(sleep time);

my $ads = Ads::Test->new(rates => 1, nginx_http => Ads::Load::realip());
my $pub = $ads->seed_publisher;
my $key = "X-API-Key: $pub->{key}\r\nContent-Type: application/json\r\n";

# A connection on which that was said.
sub say_to
{
    my ($text) = @_;
    my $socket = Ads::Http::connect($ads->{port});
    syswrite $socket, $text;
    return $socket;
}

sub head
{
    my ($method, $path, $from, $more) = @_;
    return "$method $path HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: $from\r\n"
        . ($more // '') . "\r\n";
}

# ---- connections -----------------------------------------------------------

# The statuses that come within that time.
sub statuses
{
    my ($seconds, @sockets) = @_;
    my $select   = IO::Select->new(@sockets);
    my $deadline = time + $seconds;
    my @status;
    while ((my $left = $deadline - time) > 0) {
        for my $socket ($select->can_read($left)) {
            sysread $socket, my $bytes, 65536;
            push @status, ($bytes // '') =~ m{^HTTP/1\.1 (\d+)} ? $1 : 'none';
            $select->remove($socket);
        }
        last if !$select->count;
    }
    return @status;
}

my $adsd = $ads->part('adsd');
$adsd->signal('STOP');
for my $case (
    ['management requests', 700, sub { head('GET', '/v1/account', $_[0]) }],
    ['sign-ins', 200, sub { head('POST', '/v1/auth/login', $_[0],
                "Content-Type: application/json\r\nContent-Length: 2\r\n")
                . '{}' }],
) {
    my ($name, $n, $text) = @$case;
    my @sockets = map { say_to($text->('192.0.' . ($_ >> 7) . '.' . ($_ & 127)))
        } 1 .. $n;
    my @now = statuses(1, @sockets);
    cmp_ok scalar(grep { $_ eq '503' } @now), '>', 0,
        "of $n $name that adsd leaves alone some are refused at once";
    cmp_ok scalar(@now), '<', $n / 2, 'and the others wait';
}
$adsd->signal('CONT');

my @held = map { say_to(head('POST', '/v1/events/impression', '192.0.2.1',
        "${key}Content-Length: 9\r\n") . '{') } 1 .. 1001;
is join(' ', statuses(1, @held)), '429',
    'one address has a thousand connections';
is $ads->recommend($pub->{key}, 'buy')->{status}, 200, 'another is served';
@held = ();

# ---- time-outs and rates ---------------------------------------------------

my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");
for my $name (qw(client_header_timeout client_body_timeout send_timeout)) {
    is $conf =~ s/^(\h+$name\h+)10s;/${1}1s;/mg, 1, "there is a $name";
}
for my $zone (qw(ads_event ads_convert ads_sign_in)) {
    cmp_ok $conf =~ s/(zone=$zone:10m\h+rate=)\w+\/[sm];/${1}1r\/s;/, '>', 0,
        "there is a zone $zone";
    $conf =~ s/(zone=$zone burst=)\d+/${1}3/g;
}
$conf =~ s/^(\h+listen\h+127\.0\.0\.1:\d+)/$1 sndbuf=4k/mg;
$ads->write_file("$ads->{dir}/nginx.conf", $conf);
$ads->reload;

my @slow = (
    ['half a head', say_to("GET /v1/account HTTP/1.1\r\nHost: x\r\n")],
    ['half a body', say_to(head('POST', '/v1/ads/recommend', '192.0.2.9',
        "${key}Content-Length: 99\r\n") . '{"que')],
    ['half a body for adsd', say_to(head('PATCH', '/v1/account', '192.0.2.9',
        "${key}Content-Length: 99\r\n") . '{"na')],
);
my $deaf = Ads::Http::connect($ads->{port});
setsockopt $deaf, SOL_SOCKET, SO_RCVBUF, 4096;
syswrite $deaf, head('GET', '/v1/openapi.json', '192.0.2.9');

my $began = time;
for my $case (@slow) {
    my ($name, $socket) = @$case;
    is $ads->recommend($pub->{key}, 'buy')->{status}, 200, 'others are served';
    my $there = IO::Select->new($socket)->can_read(3 * Ads::Test::patience());
    my $bytes = "";
    my $n = $there ? sysread $socket, $bytes, 4096 : -1;
    ok !$n, "$name: closed without a byte" or diag $n < 0 ? "still open" : $bytes;
}
cmp_ok time - $began, '<', 3 * Ads::Test::patience(), 'within seconds';
$ads->wait_until(sub { unpack 'i', getsockopt $deaf, SOL_SOCKET, SO_ERROR },
    4, 'who never reads to be reset');
pass 'who never reads is reset';

for my $case (
    ['POST', '/v1/events/impression', 429],
    ['POST', '/v1/events/click',      429],
    ['POST', '/v1/events/conversion', 429],
    ['GET',  '/v1/auth/oauth',        429],
    ['GET',  '/v1/auth/links',        429],
) {
    my ($method, $path, $status) = @$case;
    my @answers = map { $ads->http($method, $path,
            ['X-API-Key' => $pub->{key}, 'X-Forwarded-For' => '192.0.3.1']) }
        1 .. 30;
    my ($over) = grep { $_->{status} == $status } @answers;
    $ads->is_problem($over // {}, $status, 'rate_limited', "$path has a rate");
    like +($over // {})->{headers}{'retry-after'} // '', qr/^\d+$/,
        'and says when to come again';
}

$ads->done;
