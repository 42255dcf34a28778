#!/usr/bin/perl
#
# /docs, /docs/errors and /v1/openapi.json: what is served, to whom, with which
# policy; the type of every problem leads to its row of /docs/errors; Swagger UI
# in a real browser, which authorises with a key and tries out the API without
# a word in its console.

use strict;
use warnings;
use lib 't/lib';

use Ads::Npm;
use Ads::Test;
use Digest::SHA qw(sha256_base64);
use IO::Socket::INET;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop;
my $site = $ads->seed_publisher;

# ---- what is served --------------------------------------------------------

my $file = $ads->http('GET', '/v1/openapi.json');
is $file->{status}, 200, 'the description is served';
is $file->{headers}{'content-type'}, 'application/json', 'as JSON';
is $file->{body}, Ads::Stack::read_file('docs/openapi.json'),
    'byte for byte the file of the docs';
like $file->{headers}{'x-request-id'} // '', qr/^[0-9a-f-]{36}$/,
    'with a request id';
is $ads->http('GET', '/v1/openapi.json',
    ['If-None-Match' => $file->{headers}{etag}])->{status}, 304,
    'who has it need not load it again';
$ads->is_problem($ads->http('GET', '/v1/openapi.json', ['If-Match' => '"1"']),
    412, 'etag_mismatch', 'who wants another is told so');

my $page = $ads->http('GET', '/docs');
is $page->{status}, 200, '/docs is a page';
is $page->{headers}{'content-type'}, 'text/html', 'in HTML';
like $page->{headers}{'x-request-id'} // '', qr/^[0-9a-f-]{36}$/,
    'with a request id';
unlike $page->{body}, qr{<script(?![^>]*\bsrc=)|\bon\w+=|\bstyle=|https?://},
    'with nothing inline and nothing from elsewhere';
my $policy = $page->{headers}{'content-security-policy'} // '';
like $policy, qr/^default-src 'none'; script-src 'self'; style-src 'self';/,
    'its policy allows its own files only';
unlike $policy, qr/unsafe|https?:|\*/, 'and makes no exception';
for my $asset ($page->{body} =~ m{(?:src|href)="(/[^"]+)"}g) {
    is $ads->http('GET', $asset)->{status}, 200, "$asset is there";
}
is $ads->http('GET', '/docs/')->{headers}{location} // '',
    "http://127.0.0.1:$ads->{port}/docs", '/docs/ leads to /docs';
$ads->is_problem($ads->http('GET', '/docs/none'), 404, 'not_found',
    'what is not there is a problem');
$ads->is_problem($ads->http('GET', '/docs/../openapi.json'), 404, 'not_found',
    'and so is what lies beside the pages');

for my $path (qw(/docs /v1/openapi.json)) {
    my $answer = $ads->http('POST', $path, ['Content-Type' => 'text/plain'],
        'x');
    $ads->is_problem($answer, 405, 'method_not_allowed', "$path is read only");
    is $answer->{headers}{allow}, 'GET, HEAD', 'which is said';
    is $ads->http('HEAD', $path)->{body}, '', 'HEAD has no body';
}

# ---- where the type of a problem leads --------------------------------------

my @codes = Ads::Stack::read_file('core/ads_problem.c')
    =~ /^ {4}ENTRY\(\s*\w+, \d+,\s+"(\w+)"/mg;
cmp_ok scalar @codes, '>', 50, 'the codes are read from the table';
my $refused = $ads->http('GET', '/v1/none')->{json};
is $refused->{type}, "/docs/errors#$refused->{code}", 'a type is its page';
my $errors = $ads->http('GET', $refused->{type} =~ s/#.*//r);
is $errors->{status}, 200, 'which is there';
is $errors->{headers}{'content-type'}, 'text/html; charset=utf-8', 'in HTML';
my %anchor;
$anchor{$_}++ for $errors->{body} =~ /\bid="([^"]*)"/g;
is_deeply [grep { !$anchor{$_} } @codes], [], 'each code has its anchor';
is_deeply [grep { $anchor{$_} > 1 } keys %anchor], [], 'and no other has it';
is_deeply [grep { !$anchor{$_} } $errors->{body} =~ /href="#([^"]*)"/g], [],
    'links within the page lead somewhere';
unlike $errors->{body}, qr{<script|\bon\w+=|\bstyle=|https?://|(?<=href=")[^#]},
    'it runs nothing and leads nowhere else';
my ($style) = $errors->{body} =~ m{<style>(.*?)</style>}s;
is $errors->{headers}{'content-security-policy'}, "default-src 'none'; "
    . "style-src 'sha256-" . sha256_base64($style) . "='; base-uri 'none'; "
    . "form-action 'none'; frame-ancestors 'none'",
    'its policy allows its one style';

# ---- to whom ---------------------------------------------------------------

# as another client's address: realip believes this machine
my $stranger = ['X-Forwarded-For' => '203.0.113.9'];
is $ads->http('GET', '/docs', $stranger)->{status}, 200,
    'a header alone makes nobody a stranger';
my $trusting = "    set_real_ip_from 127.0.0.1;\n"
    . "    real_ip_header X-Forwarded-For;\n";
$ads->{nginx_http} = $trusting;
$ads->write_configs;
$ads->reload;
$ads->is_problem($ads->http('GET', $_, $stranger), 403, 'forbidden',
    "$_ refuses other machines")
    for (qw(/docs /docs/start.js));
is $ads->http('GET', '/v1/openapi.json', $stranger)->{status}, 200,
    'the description is for everybody';
is $ads->http('GET', '/docs/errors', $stranger)->{status}, 200,
    'and so is what errors mean';
is $ads->http('GET', '/docs', ['X-Forwarded-For' => $_])->{status}, 200,
    "$_ is this machine"
    for (qw(127.0.0.9 ::1 ::ffff:127.0.0.1));
is $ads->http('GET', '/docs', ['X-Forwarded-For' => $_])->{status}, 403,
    "$_ is not"
    for (qw(128.0.0.1 ::2 ::ffff:10.0.0.1));

my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");
$conf =~ s/ads_docs\h+off/ads_docs on/ or die "no ads_docs off\n";
$ads->write_file("$ads->{dir}/nginx.conf", $conf);
$ads->reload;
is $ads->http('GET', '/docs', $stranger)->{status}, 200,
    'ads_docs on: everybody reads';

# ---- in a browser ----------------------------------------------------------

SKIP: {
    my ($dir, $why) = Ads::Npm::install('t/openapi');
    skip $why, 11 if !$dir;

    for my $name (qw(swagger-ui.css swagger-ui-bundle.js LICENSE NOTICE)) {
        is Ads::Stack::read_file("docs/swagger-ui/$name"),
            Ads::Stack::read_file("$dir/node_modules/swagger-ui-dist/$name"),
            "$name is as its makers packed it";
    }

    my ($status, $said) = Ads::Npm::script($dir, 'docs.mjs', $ads->{base_url},
        $shop->{key}, $site->{key}, $dir);
    is $status, 0, 'a browser reads and tries' or diag $said;
    my $seen = $status == 0 ? decode_json($said) : {};
    is $seen->{balance}{status}, 200, 'GET /v1/balance is tried out';
    like $seen->{balance}{body}, qr/"available": 1000\b/, 'and answers';
    is $seen->{recommend}{status}, 200,
        'POST /v1/ads/recommend is tried out with its example';
    like $seen->{recommend}{body}, qr/"decision": "SHOW"/, 'and shows an ad';
    is join("\n", @{ $seen->{complaints} || ['none'] }), '',
        'no word in the console: neither an error nor a breach of the policy';
    cmp_ok $seen->{wider} // 999, '<=', 0,
        'a narrow screen needs no scrolling to the side';
}

$ads->done;
