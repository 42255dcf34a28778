#!/usr/bin/perl
#
# Health, readiness and metrics with everything up and with everything down;
# nginx's own errors as problem documents; bad configuration refused with the
# line that is wrong.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

# an nginx -t that refuses a file frees nothing of its own
$ENV{ASAN_OPTIONS} .= ':detect_leaks=0' if $ENV{ASAN_OPTIONS};

my $ads = Ads::Test->new(parts => []);

# ---- configuration ---------------------------------------------------------

my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");

# `nginx -t` with some text of the configuration replaced.
sub configtest
{
    my ($from, $to) = @_;
    my $text = $conf;
    $text =~ s/$from/$to/m or die "nothing like $from\n";
    my $file = "$ads->{dir}/tmp/test.conf";
    $ads->write_file($file, $text);
    my ($code, $out) = $ads->try(
        $ads->nginx_program, '-t', '-p', $ads->{dir},
        '-e', "$ads->{dir}/tmp/test.log", '-c', $file
    );
    return "$code $out";
}

sub ring
{
    my ($text, $mode) = @_;
    $ads->write_file("$ads->{dir}/click.keys", $text, $mode);
}

my $hex = '0123456789abcdef' x 4;
ring("1 seal $hex\n");
like configtest('^http', 'http'), qr/^0 .*test is successful/s,
    'the example configuration is accepted';

my $http = '^    ads_base_url\b';    # where a line of the http block fits
for my $mode (qw(interval always off)) {
    like configtest($http, "    ads_journal_sync $mode;\n    ads_base_url"),
        qr/^0 .*test is successful/s, "so is ads_journal_sync $mode";
}
for my $case (
    ['ads_state_path [^;]*;', '', qr/"ads_state_path" is not set/],
    ['ads_run_path [^;]*;',   '', qr/"ads_run_path" is not set/],
    ['ads_base_url [^;]*;',   '', qr/"ads_base_url" is not set/],
    ['ads_token_key_file [^;]*;', '', qr/"ads_token_key_file" is not set/],
    ['ads_base_url [^;]*;', 'ads_base_url ftp://x;',
        qr/must begin with "https:.*:\d+$/m],
    ['ads_base_url [^;]*;', "ads_base_url 'https://x/\"';",
        qr/invalid character at position 11 .*:\d+$/m],
    ['ads_base_url [^;]*;', 'ads_base_url https://;', qr/has no host .*:\d+$/m],
    ['ads_state_path [^;]*;', 'ads_state_path /' . 'x' x 100 . ';',
        qr/is too long.*:\d+$/m],
    ['ads_event impression;', 'ads_event view;',
        qr/must be "impression" or "click" .*:\d+$/m],
    ['ads_status  readyz;', 'ads_status health;', qr/must be "healthz".*:\d+$/m],
    ['ads_click;', "ads_click;\nads_click_resolve adsd;",
        qr/must be a named location.*:\d+$/m],
    ['ads_click;', "ads_click;\nads_click_fallback /gone;",
        qr/must begin with "https:.*:\d+$/m],
    ['ads_click;', "ads_click;\nads_recommend;",
        qr/meets another handler.*:\d+$/m],
    [$http, "ads_disclosure de '';\n    ads_base_url",
        qr/label of 1 to 64 bytes.*:\d+$/m],
    [$http, "ads_disclosure de \"a\xffb\";\n    ads_base_url",
        qr/label of 1 to 64 bytes.*:\d+$/m],
    [$http, "ads_disclosure d_e x;\n    ads_base_url",
        qr/language tag.*:\d+$/m],
    [$http, "ads_journal_sync never;\n    ads_base_url",
        qr/invalid value "never".*:\d+$/m],
    [$http, "ads_journal_sync off;\n    ads_journal_sync off;\n    ads_base_url",
        qr/"ads_journal_sync" directive is duplicate.*:\d+$/m],
    [$http, "ads_journal_sync 100;\n    ads_base_url",
        qr/invalid value "100".*:\d+$/m],
    [$http, "ads_journal_sync;\n    ads_base_url",
        qr/invalid number of arguments in "ads_journal_sync".*:\d+$/m],
    ['ads_click;', "ads_click;\nads_journal_sync interval;",
        qr/"ads_journal_sync" directive is not allowed here.*:\d+$/m],
    [$http, "ads_run_path /x;\n    ads_base_url", qr/is duplicate.*:\d+$/m],
) {
    my ($from, $to, $message) = @$case;
    my $said = configtest($from, $to);
    like $said, $message, ($to =~ /(\S.*)/ ? $1 : "without $from") =~ s/[^ -~]/?/gr;
    like $said, qr/^1 /, 'and nginx does not start';
}

for my $case (
    ["1 seal $hex\n2 seal $hex\n",  qr/click\.keys:\d+: /],
    ["# none\n",                    qr/click\.keys:\d+: /],
    ["1 seal 0123\n",               qr/click\.keys:1: /],
    ["1 seal $hex\n1 open $hex\n",  qr/click\.keys:2: /],
    ["1 seal $hex\nnonsense\n",     qr/click\.keys:2: /],
    ['#' x 9000,                    qr/longer than 8192 bytes/],
) {
    ring($case->[0]);
    like configtest('^http', 'http'), $case->[1],
        'a bad key file is refused with its line';
}
ring("1 seal $hex\n", 0644);
like configtest('^http', 'http'), qr/open to everybody/,
    'so is one that everybody may read';
unlink "$ads->{dir}/click.keys";
like configtest('^http', 'http'), qr/open\(\) .* failed/, 'or a missing one';

# ---- nothing there yet -----------------------------------------------------

ring("1 seal $hex\n");
$ads->start_nginx;

# a key of the right form, as good as any while there are no tables
my $key = 'ads_live_p' . 'A' x 30;
$key .= base62(crc32($key));

sub crc32
{
    my ($text) = @_;
    my $crc = 0xffffffff;
    for my $byte (unpack 'C*', $text) {
        $crc ^= $byte;
        $crc = $crc & 1 ? $crc >> 1 ^ 0xedb88320 : $crc >> 1 for 1 .. 8;
    }
    return $crc ^ 0xffffffff;
}

sub base62
{
    my ($number) = @_;
    my @digits = (0 .. 9, 'A' .. 'Z', 'a' .. 'z');
    my $text = '';
    for (1 .. 6) {
        $text   = $digits[$number % 62] . $text;
        $number = int($number / 62);
    }
    return $text;
}

is $ads->http('GET', '/healthz')->{status}, 200, 'without adsd: healthy';
my $ready = $ads->http('GET', '/readyz');
is $ready->{status}, 503, 'not ready';
is $ready->{json}{status}, 'starting', 'but starting';
like $ready->{headers}{'retry-after'}, qr/^\d+$/, 'to be asked again';
ok !$ready->{json}{$_->[0]}{ $_->[1] }, "$_->[0] is not $_->[1]"
    for [tables => 'loaded'], [live => 'mapped'], [adsd => 'alive'],
    [database => 'up'];
is $ads->http('GET', '/metrics')->{status}, 200, 'metrics are answered';

my $none = $ads->recommend($key, 'buy a laser printer');
is_deeply [@{ $none->{json} }{qw(decision reason)}],
    [qw(NO_AD snapshot_missing)], 'no ads without tables, and no error';
$ads->is_problem($ads->post('/v1/events/impression', $key, { }), 503,
    'unavailable', 'events have to wait');
is $ads->http('GET', '/v1/click/x')->{status}, 404, 'a bad link is a bad link';
my $down = $ads->http('GET', '/v1/balance');
$ads->is_problem($down, 503, 'unavailable', 'what adsd serves is unavailable');
like $down->{headers}{'retry-after'} // '', qr/^\d+$/, 'and says when to retry';

# ---- nginx's own errors ----------------------------------------------------

for my $case (
    ["GET / HTTP/1.1\r\n\r\n",                       400, 'bad_request'],
    ["GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n",         400, 'bad_request'],
    ["GET /v1/x HTTP/1.1\r\nHost: x\r\n"
            . "Content-Length: x\r\n\r\n",           400, 'bad_request'],
    ['GET /' . 'x' x 9000 . " HTTP/1.1\r\nHost: x\r\n\r\n",
                                                     414, 'uri_too_long'],
    ["GET / HTTP/2.1\r\nHost: x\r\n\r\n",            400, 'bad_request'],
    ["POST / HTTP/1.1\r\nHost: x\r\n"
            . "Transfer-Encoding: gzip\r\n\r\n",       400, 'bad_request'],
    ["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n"
            . "Transfer-Encoding: chunked\r\n\r\n",    400, 'bad_request'],
    ["TRACE / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n",
                                                     405,
        'method_not_allowed'],
    ["TRACE / HTTP/1.1\r\nHost: x\r\n\r\n",          405,
        'method_not_allowed'],
    ["GET /nowhere HTTP/1.1\r\nHost: x\r\n"
            . "Connection: close\r\n\r\n",           404, 'not_found'],
) {
    my ($bytes, $status, $code) = @$case;
    my $answer = $ads->raw($bytes);
    $ads->is_problem($answer, $status, $code,
        'nginx\'s own ' . $status . ' to ' . substr($bytes, 0, 20) =~ s/\s/ /gr);
    ok $answer->{headers}{allow}, 'with the methods' if $status == 405;
}
for my $case ([GET => '/v1', 404], [POST => '/v1?x=1', 404], [DELETE => '/v1', 404], [TRACE => '/v1/campaigns', 405],
    [GET => '/v1/../v1', 404], [GET => '//v1', 404], [GET => '/v1/ads/recommend', 405], [PUT => '/v1/click/x', 405],
    [GET => '/v1/' . 'x' x 9000, 414], [POST => '/v1/ads/recommend', 413, 'x' x 20_000])
{
    my ($method, $path, $status, $body) = @$case;
    my $answer = $ads->http($method, $path, ['X-API-Key' => $key, 'Content-Type' => 'application/json'], $body);
    is "$answer->{status} $answer->{headers}{'content-type'}", "$status application/problem+json",
        "$method " . substr($path, 0, 20) . ': no page of nginx';
}
my $headers = $ads->http('GET', '/v1/x', ['X-Long' => 'x' x 9000]);
$ads->is_problem($headers, 431, 'headers_too_large',
    'headers too long are refused as such');

# ---- everything up ---------------------------------------------------------

$ads->stop('nginx');
unlink "$ads->{dir}/click.keys";
$ads->make_database;
$ads->start_adsd;
$ads->start_nginx;
$ads->wait_ready(30);

my $pub = $ads->seed_publisher;
$ads->seed_shop;
my $shown = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
$ads->click($shown->{ads}[0]{click_url});
$ads->recommend($pub->{key}, 'why is the sky blue');

$ready = $ads->http('GET', '/readyz')->{json};
is $ready->{status}, 'ready', 'with everything up: ready';
cmp_ok $ready->{tables}{generation}, '>', 0, 'with a generation';
ok $ready->{$_->[0]}{ $_->[1] }, "$_->[0] is $_->[1]"
    for [tables => 'loaded'], [live => 'mapped'], [adsd => 'alive'],
    [database => 'up'], [journal => 'writable'];

# ---- one id through all logs -----------------------------------------------

my $theirs = '00000000-0000-4000-8000-00000000c0de';
for my $path (qw(/v1/account /v1/auth/jwks.json /v1/nowhere /nowhere)) {
    my $answer = $ads->http('GET', $path, ['X-Request-Id' => $theirs,
            'X-API-Key' => $pub->{key}, 'ADS-Request-Id' => $theirs]);
    my $id = $answer->{headers}{'x-request-id'} // '';
    like $id, qr/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        "$path: $answer->{status} with an id";
    isnt $id, $theirs, 'not the client\'s';
    $ads->wait_until(sub { $ads->log_lines('access.log', qr/"request_id":"$id"/) },
        5, 'the access log to tell it');
    next if $path !~ m{^/v1/};
    $ads->wait_until(sub { $ads->log_lines('adsd.out', qr/"request_id":"$id"/) },
        5, 'adsd\'s log to tell it');
}
is scalar(map { $ads->log_lines($_, qr/$theirs/) } qw(access.log adsd.out)), 0,
    'what a client calls its request is in no log';

sub metrics
{
    my $text = $ads->http('GET', '/metrics')->{body};
    my %value = $text =~ /^(\w+(?:\{[^}]*\})?) (\d+)$/mg;
    return ($text, \%value);
}

my ($text, $value) = metrics();
is scalar(grep { !/^#/ && !/^\w+(?:\{\w+="\w+"\})? \d+$/ } split /\n/, $text),
    0, 'every line of the metrics is of the exposition format';
for my $name (grep { !/\{/ } keys %$value) {
    like $text, qr/^# HELP $name \S.*\n# TYPE $name (?:counter|gauge)\n$name /m,
        "$name is explained";
}
is $value->{ads_recommend_total}, 2, 'two recommendations';
is $value->{ads_recommend_show_total}, 1, 'one of them with ads';
is $value->{'ads_no_ad_total{reason="not_commercial"}'}, 1, 'one without';
is $value->{ads_click_total}, 1, 'one click';
is $value->{"ads_journal_unjournaled_total{kind=\"$_\"}"}, 0, "nothing was lost: $_"
    for qw(click impression decision counts);
cmp_ok scalar(keys %$value), '<', 600, 'there are less than 600 series';

$ads->wait_until(
    sub {
        return ($ads->sql_value('select sum(n) from ads.no_ad_counts'
                    . ' where reason = \'not_commercial\'') // 0) == 1;
    },
    15,
    'the count of an answer without ads to be stored'
);
pass 'counts of answers without ads follow within seconds';

$ads->stop('adsd');
is $ads->http('GET', '/readyz')->{status}, 200, 'without adsd still ready';
$ads->wait_until(
    sub { !$ads->http('GET', '/readyz')->{json}{adsd}{alive} },
    10, 'adsd to be missed');
ok !$ads->http('GET', '/readyz')->{json}{database}{up},
    'nobody there reaches the database';
is $ads->recommend($pub->{key}, 'buy a laser printer')->{status}, 200,
    'and serving';
is $ads->click($shown->{ads}[0]{click_url})->{status}, 302, 'and redirecting';

my $post = $ads->http('POST', '/readyz');
$ads->is_problem($post, 405, 'method_not_allowed', 'status pages are read only');
is $post->{headers}{allow}, 'GET, HEAD', 'which is said';
is $ads->http('HEAD', '/readyz')->{body}, '', 'HEAD has no body';

$ads->done;
