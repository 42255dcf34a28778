#!/usr/bin/perl
#
# The shipped nginx.conf.example, rates included: what it limits, what it
# hides, whom it lets see the inside.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Socket::INET;
use Test::More;

my $ads  = Ads::Test->new(rates => 1);
my $shop = $ads->seed_shop;
my $site = $ads->seed_publisher;
my $text = Ads::Stack::nginx_example('.');

# ---- as it is written ------------------------------------------------------

my ($format) = $text =~ /log_format ads (.*?);/s;
unlike $format,
    qr/\$(?:request|request_uri|uri|args|query_string|http_\w+|request_body)\b/,
    'the log holds no query, header, body or link';
like $text, qr/^\s*server_tokens\s+off;/m, 'the version of nginx is not told';

unlike $text, qr/^\s*ads_explain\s+on;/m, 'nothing is explained unless asked for';

for my $listen ($text =~ /^\s*listen\s+([^;]+);/mg) {
    like $listen, qr/^127\.0\.0\.1:/, 'what is not encrypted stays on loopback';
}
for my $location ($text =~ /^ +location [^\n]*\{\n(.*?)^ +\}/msg) {
    next unless $location =~ /client_max_body_size\s+(\w+);/;
    my $max = $1;
    my ($buffer) = $location =~ /client_body_buffer_size\s+(\w+);/;
    next unless $location =~ /^\s*ads_(?:recommend|event)\b/m;
    is $buffer, $max, 'a body of a worker never goes to disk';
}

# ---- who may look inside ---------------------------------------------------

for my $path (qw(/healthz /readyz /metrics)) {
    is $ads->http('GET', $path)->{status}, 200, "$path answers loopback";

    my $socket = IO::Socket::INET->new(
        PeerAddr  => "127.0.0.1:$ads->{port}",
        LocalAddr => '127.0.0.2'
    );
    print {$socket} join '', Ads::Http::bytes($ads->{port}, 'GET', $path);
    $ads->is_problem(Ads::Http::answer($socket), 403, 'forbidden',
        "$path refuses other addresses");
}

# ---- what it is --------------------------------------------------------------

my $page = $ads->http('GET', '/', [Host => 'any.example']);
is $page->{status}, 200, '/ says what this is';
like $page->{headers}{'content-type'}, qr{^text/html; charset=utf-8$},
    'to people';
like $page->{headers}{'x-request-id'}, qr/^[0-9a-f-]{36}$/, 'with an id';
for my $path ($page->{body} =~ /href="([^"]+)"/g) {
    is $ads->http('GET', $path)->{status}, 200, "and leads to $path";
}
unlike $page->{body}, qr{<(?:script|style)|style=|https?://},
    'it loads nothing';
$ads->is_problem($ads->http('POST', '/', [], 'x'), 405, 'method_not_allowed',
    'it is only read');
$ads->is_problem($ads->http('GET', $_), 404, 'not_found', "$_ is not there")
    for qw(/welcome.html /index.html /nowhere);

# ---- rates -----------------------------------------------------------------

my $answer = $ads->recommend($site->{key}, 'buy a laser printer',
    context => { session_id => 'canary-session' });
is $answer->{json}{decision}, 'SHOW', 'an ad is shown';
is $answer->{headers}{'ratelimit-policy'}, '"recommend";q=500;w=1',
    'the limit is told';

# one connection, many requests: far over 500 in a second and 500 in advance
my @refused = grep { $_->{status} == 429 } flood(3000,
    'POST', '/v1/ads/recommend',
    ['X-API-Key' => $site->{key}, 'Content-Type' => 'application/json'],
    '{"query":"hello"}');
cmp_ok scalar(@refused), '>', 500, 'who asks too often is refused';

my $other = $ads->seed_publisher;
is $ads->recommend($other->{key}, 'buy a laser printer')->{status}, 200,
    'another key of the same address is not';

$ads->is_problem($refused[0], 429, 'rate_limited', 'the refusal is a problem');
like $refused[0]{headers}{'retry-after'} // '', qr/^\d+$/,
    'it says when to come again';
is $refused[0]{headers}{'ratelimit-policy'}, '"recommend";q=500;w=1',
    'and what the limit is';

my ($link) = $answer->{json}{ads}[0]{click_url} =~ m{(/v1/click/.*)};
my @clicks = flood(60, 'GET', $link,
    ['User-Agent' => 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0']);
is scalar(grep { $_->{status} == 302 } @clicks), 60,
    'a visitor who clicks too often is still redirected';
my @marked = $ads->log_lines('access.log', qr/"rate":"REJECTED_DRY_RUN"/);
cmp_ok scalar(@marked), '>', 10, 'and the log marks it';
is scalar(grep { !/"click":"invalid:rate"/ } @marked), 0,
    'as a click that is not billed';

# Answers to that many equal requests, sent at once on one connection.
sub flood
{
    my ($n, $method, $path, $headers, $body) = @_;
    my $one = join '', Ads::Http::bytes($ads->{port}, $method, $path,
        [@$headers, Connection => 'keep-alive'], $body);
    my $last = join '', Ads::Http::bytes($ads->{port}, $method, $path,
        $headers, $body);
    my $socket = Ads::Http::connect($ads->{port});
    my $pid    = fork // die "fork: $!\n";
    if ($pid == 0) {
        print {$socket} $one for 2 .. $n;
        print {$socket} $last;
        $socket->flush;
        POSIX::_exit(0);
    }
    local $/;
    my $answers = <$socket>;
    waitpid $pid, 0;
    return map { Ads::Http::parse($_, 1) }
        split m{(?=HTTP/1\.1 \d{3} )}, $answers;
}

# ---- what the log holds ----------------------------------------------------

my $log = Ads::Stack::read_file("$ads->{dir}/log/access.log");
for my $secret (
    [key     => $site->{key}],
    [link    => substr($link, 10, 60)],
    [query   => 'laser printer'],
    [session => 'canary-session']
    )
{
    unlike $log, qr/\Q$secret->[1]\E/, "the log holds no $secret->[0]";
}
like $log, qr/"path":"\/v1\/click\/","status":302/, 'a click is in the log';
like $log, qr/"method":"POST","path":"\/v1\/ads\/recommend","status":429/,
    'a refusal is in the log as it was asked';

$ads->done;
