#!/usr/bin/perl
#
# POST /v1/ads/recommend: what is answered to whom, byte for byte, and that an
# answer which shows ads is in the journal before it leaves.

use strict;
use warnings;
use utf8;
use lib 't/lib';

use Ads::Test;
use Encode qw(encode_utf8);
use JSON::PP;
use Test::More;

my $uuid = qr/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

my $ads = Ads::Test->new(
    nginx_http => qq{    ads_disclosure  de-AT  "Werbung \\"bezahlt\\"";\n});
my $shop = $ads->seed_shop;
my $pub  = $ads->seed_publisher;
my $key  = $pub->{key};

# ---- the answer, byte for byte ---------------------------------------------

my $answer = $ads->recommend($key, 'buy a laser printer',
    context => { session_id => 's-1' });
is $answer->{status}, 200, 'a shopping query is answered';
is $answer->{headers}{'content-type'}, 'application/json', 'as JSON';
is $answer->{headers}{'cache-control'}, 'no-store', 'never to be cached';
like $answer->{headers}{'x-ads-generation'}, qr/^[1-9]\d*$/,
    'the generation it was served from is named';
is $answer->{headers}{'x-request-id'}, $answer->{json}{request_id},
    'the request id is the X-Request-Id';
is $answer->{headers}{'x-ads-test'}, undef, 'it is not marked as a test';

like $answer->{body}, qr/
    \A \{ "request_id":"$uuid", "decision":"SHOW", "ads":\[ \{
    "ad_id":"$uuid", "title":"Quillon\ laser\ printer", "price":189,
    "price_micros":189000000, "currency":"USD",
    "description":"Compact\ mono\ laser\ printer\ with\ duplex\ and
        \ wireless\ network", "brand":"Quillon",
    "advertiser":"Shop", "sponsored":true, "disclosure":"Sponsored",
    "position":1, "expires_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    "click_url":"http:\/\/127\.0\.0\.1:$ads->{port}\/v1\/click\/
        ([A-Za-z0-9_-]{200})",
    "impression_url":"http:\/\/127\.0\.0\.1:$ads->{port}\/v1\/i\/\1"
    \} \] \} \z/x, 'the whole answer is as specified, to the byte';

my $no_ad = $ads->recommend($key, 'why is the sky blue');
like $no_ad->{body}, qr/\A\{"request_id":"$uuid","decision":"NO_AD",
    "ads":\[\],"reason":"not_commercial"\}\z/x,
    'a question that wants nothing gets no ad, and the reason';
is $no_ad->{status}, 200, 'which is no error';

# ---- fields ----------------------------------------------------------------

sub reason
{
    my ($query, %fields) = @_;
    my $json = $ads->recommend($key, $query, %fields)->{json};
    return $json->{reason} // $json->{decision};
}

my $buy = 'buy a laser printer';
is reason($buy, context => { currency => 'USD' }), 'SHOW',
    'an ad in the wanted currency is shown';
is reason($buy, context => { currency => 'EUR' }), 'currency',
    'an ad in another currency is not';
is reason('buy a trampoline'), 'no_match', 'what nobody sells is not shown';
is reason('i want to kill myself'), 'sensitive_topic',
    'no ad beside a sensitive topic';
is reason($buy, placement => 'my.own_place-1'), 'SHOW',
    'an unknown placement works';

my $where = $ads->recommend($key, $buy, context => { location => 'Atlantis' });
is_deeply [map { $_->{code} } @{ $where->{json}{warnings} }],
    ['unrecognised_location'], 'a place that is not known is warned of';
is $where->{json}{decision}, 'SHOW', 'and served';
ok !exists $answer->{json}{warnings}, 'no warning without a cause';

for my $case (
    ['de',    'Anzeige'],
    ['de-CH', 'Anzeige'],
    ['de-AT', 'Werbung "bezahlt"'],
    ['FR-ca', 'Publicité'],
    ['ja',    '広告'],
    ['tlh',   'Sponsored'],
) {
    my ($language, $label) = @$case;
    my $json = $ads->recommend($key, $buy,
        context => { language => $language })->{json};
    is $json->{ads}[0]{disclosure}, $label,
        encode_utf8("in $language the label is $label");
}

$ads->seed_shop(
    name     => 'Trampoline shop',
    products => [
        map {
            {
                id       => "t-$_",
                title    => "Garden trampoline model $_",
                brand    => 'Jumpfine',
                category => ['Garden'],
                price    => 90 + $_,
                currency => 'USD',
                url      => "https://jump.example/$_",
            }
        } 1 .. 5
    ]
);
my $jump = $ads->recommend($key, 'buy a garden trampoline', max_results => 20);
is scalar @{ $jump->{json}{ads} }, 2,
    'no advertiser has more than two ads in one answer';
isnt $jump->{json}{ads}[0]{ad_id}, $jump->{json}{ads}[1]{ad_id},
    'and no ad comes twice';
is_deeply [map { $_->{position} } @{ $jump->{json}{ads} }], [1, 2],
    'positions count from one';
is scalar @{ $ads->recommend($key, 'buy a garden trampoline',
    max_results => 1)->{json}{ads} }, 1, 'max_results is kept';

my $one = $ads->recommend($key, $buy);
my $two = $ads->recommend($key, $buy);
isnt $one->{json}{request_id}, $two->{json}{request_id},
    'each request has its own id';
isnt $one->{json}{ads}[0]{click_url}, $two->{json}{ads}[0]{click_url},
    'and its own links';

# ---- refusals --------------------------------------------------------------

my $bad = $ads->post('/v1/ads/recommend', $key,
    { max_results => 0, context => { currency => 'dollar' } });
$ads->is_problem($bad, 400, 'invalid_fields', 'bad fields are refused');
is_deeply [sort map { "$_->{pointer} $_->{code}" } @{ $bad->{json}{errors} }],
    [
    '/context/currency invalid_format', '/max_results out_of_range',
    '/query required'
    ], 'all of them at once';

my $personal = $ads->recommend($key, $buy,
    context => { session_id => 'someone@example.com' });
$ads->is_problem($personal, 400, 'invalid_fields', 'no e-mail as a session');
is $personal->{json}{errors}[0]{code}, 'pii_not_allowed', 'and it says why';

for my $type ('text/plain', 'application/jsonx', 'text/json') {
    $ads->is_problem(
        $ads->http('POST', '/v1/ads/recommend',
            ['X-API-Key' => $key, 'Content-Type' => $type], '{"query":"x"}'),
        415, 'unsupported_media_type', "$type is no JSON");
}
$ads->is_problem($ads->http('POST', '/v1/ads/recommend',
        ['X-API-Key' => $key], '{"query":"x"}'),
    415, 'unsupported_media_type', 'nor is nothing');
$ads->is_problem(
    $ads->http('POST', '/v1/ads/recommend',
        ['X-API-Key' => $key, 'Content-Type' => 'application/json',
            'Content-Encoding' => 'gzip'], '{"query":"x"}'),
    415, 'unsupported_media_type', 'nor packed JSON');
is $ads->http('POST', '/v1/ads/recommend',
    ['X-API-Key' => $key, 'Content-Type' => 'Application/JSON; charset=utf-8'],
    encode_json({ query => $buy }))->{status}, 200,
    'a parameter of the type is fine';

# what was decided is answered, whatever the client has already
for my $condition (
    ['If-None-Match'       => '*'],
    ['If-Match'            => '"1"'],
    ['If-Unmodified-Since' => 'Sat, 29 Oct 1994 19:43:31 GMT'],
) {
    my $given = $ads->http('POST', '/v1/ads/recommend',
        ['X-API-Key' => $key, 'Content-Type' => 'application/json',
            @$condition], encode_json({ query => $buy }));
    is join(' ', $given->{status}, $given->{json}{decision} // 'nothing'),
        '200 SHOW', "$condition->[0] takes no answer back";
}

for my $method (qw(GET PUT DELETE)) {
    my $refused = $ads->http($method, '/v1/ads/recommend',
        ['X-API-Key' => $key]);
    $ads->is_problem($refused, 405, 'method_not_allowed',
        "$method is not for this path");
    is $refused->{headers}{allow}, 'POST', 'and which is, is said';
}

# ---- a test key ------------------------------------------------------------

my $test_key = $ads->key($pub->{account}, '--test');
my $test     = $ads->recommend($test_key, $buy);
is $test->{json}{decision}, 'SHOW', 'a test key gets ads';
is $test->{headers}{'x-ads-test'}, '1', 'marked as a test';

# ---- what was shown is known -----------------------------------------------

my $id = $answer->{json}{request_id};
$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.decisions'
                . ' where request_id = $1', $id);
    },
    10,
    'the decision to be stored'
);
pass 'a decision that showed ads is stored';
is $ads->sql_value('select count(*) from ads.decisions where request_id = $1',
    $no_ad->{json}{request_id}), 0, 'one that showed none is only counted';

my $line = ($ads->log_lines('access.log', qr/$id/))[0];
my $log  = decode_json($line);
is_deeply [@{$log}{qw(decision ads reason placement)}],
    ['SHOW', '1', '', 'inline'], 'the log tells what was decided';
unlike $line, qr/printer|s-1|ads_live_/,
    'and neither query, session nor key';

$ads->done;
