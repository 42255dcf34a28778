#!/usr/bin/perl
#
# Conversions: who may report them, what they are attributed to, what counts
# as a repeat, and that nothing but what API.md allows gets in.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);

my $path  = '/v1/events/conversion';
my $ads   = Ads::Test->new;
my $shop  = $ads->seed_shop;
my $other = $ads->seed_shop(name => 'Other shop', products => []);
my $pub   = $ads->seed_publisher;
my $rival = $ads->seed_publisher(name => 'Rival');

# A click that is committed: {click_id, request_id, ad_id}.
sub clicked
{
    my ($query, $agent) = @_;
    my $shown = $ads->recommend($pub->{key}, $query)->{json};
    my $ad    = $shown->{ads}[0];
    my ($link) = $ad->{click_url} =~ m{^https?://[^/]+(/.*)$};
    my $to = $ads->http('GET', $link,
        ['User-Agent' => $agent // 'Mozilla/5.0 Firefox/128.0'])
        ->{headers}{location};
    my ($id) = $to =~ /[?&]ads_click_id=([0-9a-f-]{36})/;
    return {
        click_id   => $id,
        request_id => $shown->{request_id},
        ad_id      => $ad->{ad_id}
    };
}

sub committed
{
    my ($click) = @_;
    $ads->wait_until(
        sub {
            $ads->sql_value(
                'select count(*) from ads.clicks where click_id = ?',
                $click->{click_id});
        },
        10,
        'the click to be committed'
    );
    return $click;
}

sub convert
{
    my ($key, $click, %fields) = @_;
    return $ads->post($path, $key,
        { %$click, value => 12.5, currency => 'USD', %fields });
}

my $click = committed(clicked('buy a laser printer'));
my $first = convert($shop->{key}, $click);
is $first->{status}, 200, 'a conversion of a committed click is recorded';
is $first->{json}{status}, 'recorded', 'and says so';
is_deeply [@{ $first->{json}{attributed} }{qw(campaign_id ad_id)}],
    [$shop->{campaign}, $click->{ad_id}], 'it names campaign and ad';
like $first->{json}{attributed}{click_at}, qr/^\d{4}-.*Z$/, 'and the time';
is $first->{headers}{'x-request-id'} =~ /^[0-9a-f-]{36}$/, 1,
    'the answer carries a request id';

# ---- repeats ---------------------------------------------------------------

my $again = convert($shop->{key}, $click);
is $again->{json}{status}, 'duplicate', 'the same one again is a duplicate';
is $again->{json}{event_id}, $first->{json}{event_id}, 'of the same event';
is convert($shop->{key}, $click, value => 13)->{json}{status}, 'recorded',
    'another value is another conversion';
my $order = convert($shop->{key}, $click, order_id => 'A-1');
is $order->{json}{status}, 'recorded', 'an order is recorded';
is convert($shop->{key}, $click, order_id => 'A-1', value => 99)
    ->{json}{event_id}, $order->{json}{event_id},
    'an order counts once, at whatever value it is repeated';

my $adjusted = convert($shop->{key}, $click, value => 0,
    adjusts => $order->{json}{event_id});
is $adjusted->{json}{status}, 'recorded', 'an earlier event is adjusted';
is $ads->sql_value(
    'select value_micros from ads.conversions_counted where event_id = ?',
    $order->{json}{event_id}), 0, 'and counts with its new value';
$ads->is_problem(
    convert($shop->{key}, $click, adjusts => $click->{ad_id}),
    400, 'invalid_fields', 'an event that is not there cannot be adjusted');

# ---- who may ---------------------------------------------------------------

is convert($pub->{key}, $click, order_id => 'P-1')->{status}, 200,
    'the publisher of the click may report too';
$ads->is_problem(convert($other->{key}, $click), 404, 'click_not_found',
    "another advertiser's click is not there");
$ads->is_problem(convert($rival->{key}, $click), 404, 'click_not_found',
    "another publisher's click is not there");

my $forged = $click->{click_id};
substr($forged, -1) = substr($forged, -1) eq '0' ? '1' : '0';
$ads->is_problem(convert($shop->{key}, { click_id => $forged }), 404,
    'click_not_found', 'a click id we never made is not there');
$ads->is_problem(convert($shop->{key}, { %$click, ad_id => $forged }),
    400, 'invalid_fields', 'an ad that is not the click\'s is a mismatch');
$ads->is_problem(
    convert($shop->{key}, {
            click_id => $click->{click_id}, ad_id => $forged
        }),
    400, 'invalid_fields', 'also without the request');

my $missing = $ads->post($path, undef, {});
$ads->is_problem($missing, 401, 'credential_missing', 'no key');
like $missing->{headers}{'www-authenticate'}, qr/^Bearer/, 'says which';
$ads->is_problem($ads->post($path, 'ads_live_a' . 'x' x 36, {}), 401,
    'credential_invalid', 'a key that is none');
my $platform = $ads->key($ads->tenant('platform', 'Platform'));
$ads->is_problem(convert($platform, $click), 403, 'wrong_scope',
    'a platform key has the wrong scope');
$ads->is_problem(
    $ads->post($path, $shop->{key}, {}, 'X-API-Key' => $pub->{key}),
    400, 'credentials_conflict', 'two different keys');
$ads->is_problem($ads->post("$path?key=$shop->{key}", undef, {}),
    400, 'key_in_url', 'a key in the URL');
is convert($shop->{key}, $click)->{json}{status}, 'duplicate', 'still fine';

my $spare = $ads->key($shop->{account});
is convert($spare, $click)->{status}, 200, 'a second key works';
$ads->adsctl('key', 'revoke', $_->{id})
    for grep { $_->{last_four} eq substr $spare, -4 }
    $ads->adsctl('key', 'list', '--account', $shop->{account});
$ads->is_problem(convert($spare, $click), 401, 'credential_invalid',
    'a revoked key is refused at once');

# ---- test keys -------------------------------------------------------------

my $test = $ads->key($shop->{account}, '--test');
my $tried = convert($test, $click, order_id => 'T-1');
is "$tried->{status} $tried->{json}{status}", '200 recorded',
    'a test key is told what would be recorded';
is $tried->{headers}{'x-ads-test'}, 1, 'in an answer marked as a test';
is $ads->sql_value(q{select count(*) from ads.conversions
    where order_id = 'T-1'}), 0, 'and nothing is';
is convert($test, $click)->{json}{status}, 'duplicate',
    'what is there already is a duplicate';
is $ads->post($path, $test, { events =>
            [{ %$click, value => 1, currency => 'USD', order_id => 'T-2' }] })
    ->{headers}{'x-ads-test'}, 1, 'a batch is a test as well';
is convert($shop->{key}, $click, order_id => 'T-1')->{json}{status},
    'recorded', 'the same with a live key is the first';
is $first->{headers}{'x-ads-test'}, undef, 'whose answers carry no mark';

# ---- clicks on their way, and those that do not count ----------------------

my $db = $ads->db;
$db->begin_work;
$db->do('lock table ads.clicks in exclusive mode');
my $late     = clicked('buy an espresso machine');
my $accepted = convert($shop->{key}, $late);
is $accepted->{status}, 202, 'a click that is not committed yet: accepted';
is_deeply $accepted->{json},
    {
    event_id   => $accepted->{json}{event_id},
    status     => 'accepted',
    attributed => undef
    },
    'with nothing attributed';
$db->rollback;
$ads->wait_until(
    sub {
        $ads->sql_value(
            'select status from ads.conversions where event_id = ?',
            $accepted->{json}{event_id}) eq 'recorded';
    },
    10,
    'the conversion to be attributed'
);
is convert($shop->{key}, $late)->{json}{attributed}{ad_id}, $late->{ad_id},
    'and attributed once the click is there';

my $robot = committed(clicked('buy a mountain bike', ''));
my $none  = convert($shop->{key}, $robot);
is $none->{json}{status}, 'unattributed', "a robot's click gets nothing";
is $none->{json}{reason}, 'invalid_click', 'and the reason is said';
is $none->{json}{attributed}, undef, 'attributed is null';

# ---- bodies ----------------------------------------------------------------

is convert($shop->{key}, $late, session_id => 's-1')->{status}, 200,
    'the session of the request may be said here as in other events';

my $errors = $ads->post($path, $shop->{key},
    { value => '5', currency => 'usd', email => 'x' })->{json}{errors};
is_deeply [sort map { "$_->{pointer} $_->{code}" } @$errors],
    [
    ' unknown_field',
    '/click_id required',
    '/currency invalid_format',
    '/value wrong_type'
    ],
    'all field errors come at once';
$ads->is_problem($ads->post($path, $shop->{key}, $_->[1]), 400,
    'malformed_json', $_->[0])
    for ['cut JSON', '{"a"'], ['no object', '[]'], ['nothing', ''],
    ['a key twice', '{"value":1,"value":1}'], ['not UTF-8', "{\"\xff\":1}"],
    ['deep nesting', '{"a":' x 40 . '1' . '}' x 40];

my $secret = 'canary.person@example.com';
$ads->is_problem(convert($shop->{key}, $click, order_id => $secret), 400,
    'invalid_fields', 'personal data is refused');
ok !(grep { $ads->log_lines($_, qr/canary/) } qw(adsd.out access.log nginx.log)),
    'and stands in no log';

$ads->is_problem(
    $ads->post($path, $shop->{key}, '{"a":"' . 'x' x 65536 . '"}'),
    413, 'body_too_large', 'more than 64 KiB');
$ads->is_problem(
    $ads->http('POST', $path,
        ['X-API-Key' => $shop->{key}, 'Content-Type' => 'text/plain'], '{}'),
    415, 'unsupported_media_type', 'only JSON');
my $get = $ads->http('GET', $path, ['X-API-Key' => $shop->{key}]);
$ads->is_problem($get, 405, 'method_not_allowed', 'only POST');
is $get->{headers}{allow}, 'POST', 'and says so';

# ---- batches ---------------------------------------------------------------

my @items = (
    { %$click, value => 1, currency => 'USD', order_id => 'B-1' },
    { %$click, value => -1, currency => 'USD' },
    { click_id => $forged, value => 1, currency => 'USD' },
    { %$click, ad_id => $forged, value => 1, currency => 'USD' },
    { %$click, value => 1, currency => 'USD', order_id => 'B-1' },
);
my $batch = $ads->post($path, $shop->{key}, { events => \@items });
is $batch->{status}, 200, 'a batch is answered as a whole';
is_deeply [map { $_->{code} || $_->{status} } @{ $batch->{json}{results} }],
    [qw(recorded invalid_fields click_not_found invalid_fields duplicate)],
    'with a result for each, in order';
is_deeply [map { $batch->{json}{results}[$_]{errors}[0]{pointer} } 1, 3],
    ['/events/1/value', '/events/3/request_id'], 'errors point into the batch';
is_deeply $ads->post($path, $shop->{key}, { events => [] })->{json},
    { results => [] }, 'an empty batch has no results';
$ads->is_problem(
    $ads->post($path, $shop->{key}, { events => [map { $items[0] } 1 .. 101] }),
    400, 'invalid_fields', 'more than 100');

# ---- test vectors ----------------------------------------------------------

my $vectors = ($ENV{ADS_SHARED} || '../shared') . '/vectors';
sub vectors
{
    my ($name) = @_;
    open my $in, '<', "$vectors/$name" or return;
    local $/;
    return @{ decode_json(<$in>)->{cases} };
}

SKIP: {
    skip "$vectors is not there", 2 unless -e "$vectors/pii_values.json";
    my (@money, @pii);
    for my $case (vectors('money_micros.json')) {
        next if $case->{micros} eq 'either';
        my $body = encode_json({ %$click, currency => 'USD',
                order_id => "M-$case->{id}" });
        $body =~ s/\}$/,"value":$case->{json}}/;
        my $answer = $ads->post($path, $shop->{key}, $body);
        my $micros =
            $answer->{status} == 200
            ? $ads->sql_value(
                'select value_micros from ads.conversions where event_id = ?',
                $answer->{json}{event_id})
            : $answer->{status} == 400 ? 'reject'
            :                            $answer->{status};
        push @money, "$case->{json}: $micros" if $micros ne $case->{micros};
    }
    is "@money", '', 'money is taken to the micro or refused';

    for my $case (vectors('pii_values.json')) {
        my $answer = convert($shop->{key}, $click, order_id => $case->{value});
        push @pii, "$case->{value}: $answer->{status}"
            if $answer->{status} != ($case->{pii} ? 400 : 200);
    }
    is "@pii", '', 'personal data is told from other values';
}

# ---- the database goes away ------------------------------------------------

is $ads->stop('postgres'), 0, 'PostgreSQL stops';
my @slow;
for (1 .. 20) {
    my $began  = time;
    my $answer = convert($shop->{key}, $click);
    push @slow, $answer->{status}
        if $answer->{status} != 503
        || !$answer->{headers}{'retry-after'}
        || time - $began > 1;
}
is "@slow", '', 'without it: 503 with Retry-After, and quickly';
$ads->start_database;
delete $ads->{db};
$ads->wait_until(sub { convert($shop->{key}, $click)->{status} == 200 },
    10, 'adsd to come back');
pass 'with it everything works again';

$ads->done;
