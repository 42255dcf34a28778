#!/usr/bin/perl
#
# The newcomer's path, from an empty installation to money in the ledger:
# accounts and keys by adsctl, real products imported, then recommend,
# impression, click and conversion as a client would send them, and every
# refusal a client may meet on the way.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Compress::Zlib qw(crc32 uncompress);
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use Test::More;
use Time::HiRes qw(time);

my $uuid = qr/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

# neither divides the other: what is left over must go somewhere
my $bid       = '0.333333';
my $share_bps = 6789;

my $ads = Ads::Test->new(adsd => { publisher_share_bps => $share_bps });

# ---- accounts, keys, a campaign, products ----------------------------------

my $advertiser = $ads->tenant('advertiser', 'Kitchen "Corner" & Co');
my $publisher  = $ads->tenant('publisher',  'Travel assistant');
my $ad_key     = $ads->key($advertiser, '--name', 'shop server');
my $pub_key    = $ads->key($publisher,  '--name', 'assistant');
like $ad_key,  qr/^ads_live_a[0-9A-Za-z]{36}$/, "an advertiser's key";
like $pub_key, qr/^ads_live_p[0-9A-Za-z]{36}$/, "a publisher's key";

my $campaign = $ads->adsctl('campaign', 'create', '--account', $advertiser,
    '--name', 'Kitchen', '--bid', $bid, '--lifetime', '100', '--status',
    'active')->{id};

my @wanted = qw(ic-489536 ic-1996680 ic-3590190 ic-3961684);
my $file   = "$ads->{dir}/tmp/products.jsonl";
open my $catalog, '-|', 'zstd', '-qdc', '--', 'data/demo-catalog.jsonl.zst'
    or die "zstd: $!\n";
my %lines = map { /^\{"id":"([^"]+)"/ ? ($1 => $_) : () } <$catalog>;
close $catalog or die "zstd failed\n";
my %product = map { $_->{id} => $_ } map { decode_json($_) } @lines{@wanted};
$ads->write_file($file, join '', @lines{@wanted});
undef %lines;

my $imported = $ads->adsctl('import', '--campaign', $campaign, $file);
is $imported->{added}, 4, 'four products of the demo catalogue are imported';
is $imported->{bad},   0, 'none of them is bad';

my $query = 'buy an espresso machine';
is $ads->recommend($pub_key, $query)->{json}{reason}, 'no_budget',
    'without money nothing is shown';
$ads->adsctl('balance', 'topup', '--account', $advertiser, '--amount', '50',
    '--reference', 'invoice 1');
$ads->wait_until(
    sub { $ads->recommend($pub_key, $query)->{json}{decision} eq 'SHOW' },
    5, 'the top-up to be served');
pass 'with money it is';

# ---- recommend -------------------------------------------------------------

# "text" or "number" as the JSON says it, not as Perl sees it.
sub type_in_json
{
    my ($json, $name) = @_;
    my ($first) = $json =~ /"\Q$name\E":(.)/ or return 'absent';
    return
          $first eq '"'      ? 'text'
        : $first eq '['      ? 'array'
        : $first =~ /[tf]/   ? 'boolean'
        : $first =~ /[-0-9]/ ? 'number'
        :                      $first;
}

my $shown = $ads->recommend($pub_key, $query,
    context   => { currency => 'USD', location => 'US', session_id => 's-1' },
    placement => 'inline', max_results => 3);
is $shown->{status}, 200, 'a shopping query is answered';
is $shown->{json}{decision}, 'SHOW', 'with ads';
like $shown->{json}{request_id}, qr/^$uuid$/, 'the request has an id';
is $shown->{headers}{'x-request-id'}, $shown->{json}{request_id},
    'which is the X-Request-Id';
is scalar @{ $shown->{json}{ads} }, 1, 'one product is what was asked for';

my $ad   = $shown->{json}{ads}[0];
my $want = $product{'ic-489536'};
my %type = (
    ad_id          => 'text',
    title          => 'text',
    price          => 'number',
    price_micros   => 'number',
    currency       => 'text',
    description    => 'text',
    brand          => 'text',
    image_url      => 'text',
    advertiser     => 'text',
    sponsored      => 'boolean',
    disclosure     => 'text',
    position       => 'number',
    expires_at     => 'text',
    click_url      => 'text',
    impression_url => 'text',
);
is_deeply { map { $_ => type_in_json($shown->{body}, $_) } keys %type },
    \%type, 'an ad has every member, each of its type';
is_deeply [sort keys %$ad], [sort keys %type], 'and no other';
like $ad->{ad_id}, qr/^$uuid$/, 'the ad has an id';
is_deeply { map { $_ => $ad->{$_} } qw(title description brand image_url) },
    { map { $_ => $want->{$_} } qw(title description brand image_url) },
    'its texts are those of the product';
is $ad->{advertiser}, 'Kitchen "Corner" & Co', 'the advertiser is named';
ok $ad->{sponsored}, 'it says that it is sponsored';
is $ad->{disclosure}, 'Sponsored', 'in words too';
is $ad->{price}, $want->{price}, 'the price is the product\'s';
like $shown->{body}, qr/"price":99\.95,"price_micros":99950000,/,
    'and its twin in micros is exact';
is $ad->{currency}, 'USD', 'in its currency';
is $ad->{position}, 1, 'it is the first';
like $ad->{expires_at}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    'the link says until when it counts';
like $ad->{click_url},
    qr{^\Q$ads->{base_url}\E/v1/click/[A-Za-z0-9_-]{200}$},
    'and is one of ours with a token of 200 characters';

for my $case (
    ['how do I descale a kettle?',    'not_commercial'],
    ['what is the capital of France', 'not_commercial'],
    ['I want to kill myself',         'sensitive_topic'],
    ['buy an inflatable hot tub',     'no_match'],
) {
    my ($text, $reason) = @$case;
    my $answer = $ads->recommend($pub_key, $text);
    my $json   = $answer->{json};
    is_deeply [$answer->{status}, @{$json}{qw(decision reason ads)}],
        [200, 'NO_AD', $reason, []], "\"$text\": $reason";
}

# ---- impression, click, conversion -----------------------------------------

my %seen = (request_id => $shown->{json}{request_id}, ad_id => $ad->{ad_id});
my $impression = $ads->post('/v1/events/impression', $pub_key, \%seen);
is $impression->{status}, 202, 'the impression is accepted';
is_deeply [@{ $impression->{json} }{qw(type status)}],
    ['impression', 'accepted'], 'and says so';
like $impression->{json}{event_id}, qr/^$uuid$/, 'with an event id';
is $ads->post('/v1/events/impression', $pub_key, \%seen)->{json}{event_id},
    $impression->{json}{event_id}, 'which a retry finds again';

my $click = $ads->click($ad->{click_url});
is $click->{status}, 302, 'the click is redirected';
my ($click_id) = $click->{headers}{location} =~
    m{^\Q$want->{url}\E\?ads_click_id=($uuid)$};
ok $click_id, 'to the product, with a click id';
is_deeply { map { $_ => $click->{headers}{$_} }
        qw(cache-control referrer-policy x-robots-tag) },
    {
    'cache-control'   => 'no-store',
    'referrer-policy' => 'no-referrer',
    'x-robots-tag'    => 'noindex'
    },
    'neither kept, nor told on, nor indexed';
is $ads->click($ad->{click_url})->{headers}{location},
    $click->{headers}{location}, 'a second click leads to the same place';

$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks where click_id = ?',
            $click_id) == 2
            && $ads->sql_value('select count(*) from ads.impressions'
                . ' where request_id = ?', $seen{request_id});
    },
    10,
    'the events to be in the database'
);
is $ads->sql_value('select count(*) from ads.impressions'
        . ' where request_id = ? and class = 0', $seen{request_id}), 1,
    'the impression is there, and counts once';

sub convert
{
    my ($key, %fields) = @_;
    return $ads->post('/v1/events/conversion', $key,
        { click_id => $click_id, value => 99.95, currency => 'USD', %fields });
}

my $sale = convert($ad_key, order_id => 'A-1', %seen);
is $sale->{status}, 200, 'the shop reports the sale';
is_deeply $sale->{json}{attributed},
    {
    campaign_id => $campaign,
    ad_id       => $ad->{ad_id},
    click_at    => $sale->{json}{attributed}{click_at}
    },
    'it is attributed to campaign and ad';
is $sale->{json}{status}, 'recorded', 'and recorded';
my $again = convert($ad_key, order_id => 'A-1');
is_deeply [@{ $again->{json} }{qw(status event_id)}],
    ['duplicate', $sale->{json}{event_id}], 'the same order is a duplicate';

# a robot's click sells nothing
my $robot_ad = $ads->recommend($pub_key, 'buy headphones')->{json}{ads}[0];
my ($robot_path) = $robot_ad->{click_url} =~ m{(/v1/click/.*)};
my $robot = $ads->http('GET', $robot_path, ['User-Agent' => 'curl/8.0']);
my ($robot_id) = $robot->{headers}{location} =~ /ads_click_id=($uuid)/;
$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks where click_id = ?',
            $robot_id);
    },
    10,
    "the robot's click to be in the database"
);
my $nothing = convert($ad_key, click_id => $robot_id);
is_deeply [$nothing->{status}, @{ $nothing->{json} }{qw(status attributed)}],
    [200, 'unattributed', undef], "a robot's click is not attributed";
is $nothing->{json}{reason}, 'invalid_click', 'and the reason is given';

# ---- the money, to the micro -----------------------------------------------

my $price = 333_333;
my $share = int($price * $share_bps / 10_000);
my %moved = map { $_->[0] => $_->[1] } @{ $ads->sql(
        q{select a.kind, sum(e.amount_micros)
          from ads.ledger_entries e
          join ads.ledger_transactions t on t.id = e.tx_id and t.kind = 'spend'
          join ads.ledger_accounts a on a.id = e.ledger_account_id
          group by a.kind}) };
is_deeply \%moved,
    {
    advertiser_balance => -$price,
    publisher_revenue  => $share,
    platform_revenue   => $price - $share
    },
    'one click was billed: the advertiser pays its bid, the publisher gets'
    . ' its share rounded down, the platform the rest';
is_deeply $ads->sql(
    'select tx_id from ads.ledger_entries group by tx_id'
        . ' having sum(amount_micros) <> 0'), [],
    'every transaction sums to zero';
is $ads->adsctl('balance', 'show', '--account', $advertiser)->{balance_micros},
    50_000_000 - $price, 'the balance is the top-up less the click';
is_deeply $ads->sql(
    'select class, billed_micros from ads.clicks where click_id = ?'
        . ' order by class', $click_id),
    [[0, $price], [1, 0]], 'the second click was a duplicate and free';

# ---- credentials -----------------------------------------------------------

# A key of the right form that no one was given: base62 of the CRC-32.
sub unknown_key
{
    my ($type)   = @_;
    my @digits   = ('0' .. '9', 'A' .. 'Z', 'a' .. 'z');
    my $text     = "ads_live_$type" . 'Nobody' x 5;
    my ($n, @at) = crc32($text);
    for (1 .. 6) {
        unshift @at, $digits[$n % 62];
        $n = int($n / 62);
    }
    return $text . join '', @at;
}

my $last     = substr $pub_key, -1;
my $mistyped = substr($pub_key, 0, -1) . ($last eq '0' ? '1' : '0');
my $retired  = $ads->key($publisher);
my ($retired_id) = map { $_->{id} }
    grep { $_->{last_four} eq substr $retired, -4 }
    $ads->adsctl('key', 'list', '--account', $publisher);
is $ads->recommend($retired, $query)->{status}, 200, 'a second key works';
$ads->adsctl('key', 'revoke', $retired_id);

my $other_pub = $ads->seed_publisher(name => 'Another assistant');
my $recommend = '/v1/ads/recommend';
my $convert   = '/v1/events/conversion';
my $json      = ['Content-Type' => 'application/json'];
my $body      = encode_json({ query => $query });
my $sold      = encode_json(
    { click_id => $click_id, value => 1, currency => 'USD' });

sub bearer { return ['Authorization' => "Bearer $_[0]"] }
sub header { return ['X-API-Key' => $_[0]] }

my @refused = (
    ['no credential',         [],                          401, 'missing'],
    ['an empty X-API-Key',    header(''),                  401, 'missing'],
    ['a word that is no key', bearer('secret'),            401, 'invalid'],
    ['the wrong scheme', ['Authorization' => "Basic $pub_key"], 401, 'invalid'],
    ['a mistyped key',   bearer($mistyped),           401, 'invalid'],
    ['an unknown key',   header(unknown_key('p')),    401, 'invalid'],
    ['a revoked key',    bearer($retired),            401, 'invalid'],
    ['a very long key',  header('ads_live_p' . 'x' x 4000), 401, 'invalid'],
);
for my $case (@refused) {
    my ($what, $headers, $status, $code) = @$case;
    for my $target ([$recommend, $body], ['/v1/events/impression', '{}'],
        [$convert, $sold]) {
        my ($path, $text) = @$target;
        my $answer = $ads->http('POST', $path, [@$json, @$headers], $text);
        $ads->is_problem($answer, $status, "credential_$code",
            "$what: $path");
        like $answer->{headers}{'www-authenticate'} // '', qr/^Bearer\b/,
            'and says how to authenticate';
        unlike $answer->{body}, qr/\Q$pub_key\E|\Q$retired\E|secret/,
            'without telling the credential';
    }
}

$ads->is_problem($ads->post($recommend, $ad_key, $body), 403, 'wrong_scope',
    "an advertiser's key may not ask for ads");
$ads->is_problem($ads->post('/v1/events/impression', $ad_key, \%seen), 403,
    'wrong_scope', 'nor report impressions');
$ads->is_problem($ads->post($recommend, unknown_key('a'), $body), 401,
    'credential_invalid', 'an unknown one is not even told that');
$ads->is_problem($ads->post($convert, $other_pub->{key}, $sold), 404,
    'click_not_found', "another publisher's click is not there");
$ads->is_problem(
    $ads->post('/v1/events/impression', $other_pub->{key}, \%seen), 404,
    'request_not_found', "nor is another publisher's request");
for my $path ($recommend, $convert) {
    $ads->is_problem(
        $ads->http('POST', $path,
            [@$json, @{ bearer($pub_key) }, @{ header($other_pub->{key}) }],
            $body),
        400, 'credentials_conflict', "two different keys: $path");
    $ads->is_problem($ads->http('POST', "$path?api_key=$pub_key", $json, $body),
        400, 'key_in_url', "a key in the URL: $path");
    $ads->is_problem(
        $ads->http('POST', "$path?x=1&k=$pub_key",
            [@$json, @{ bearer($pub_key) }], $body),
        400, 'key_in_url', "even beside a good one: $path");
}
is $ads->http('POST', $recommend,
    [@$json, @{ bearer($pub_key) }, @{ header($pub_key) }], $body)->{status},
    200, 'the same key in both headers is one credential';
is $ads->http('POST', $recommend, [@$json, @{ header($pub_key) }], $body)
    ->{json}{decision}, 'SHOW', 'X-API-Key alone is as good as Bearer';
for my $method (qw(POST OPTIONS)) {
    my $answer = $ads->http($method, $recommend,
        [@$json, @{ bearer($pub_key) }, 'Origin' => 'https://page.example',
            'Access-Control-Request-Method' => 'POST'], $body);
    is_deeply [grep {/^access-control-/} keys %{ $answer->{headers} }], [],
        "no page of another site may ask with a key: $method";
}
ok !(grep { $ads->log_lines($_, qr/\Q$pub_key\E|\Q$ad_key\E|\Q$retired\E/) }
        qw(nginx.log access.log adsd.out)), 'no log holds a key';

# ---- bodies ----------------------------------------------------------------

my $time_limit_s = 0.050 * Ads::Test::patience();

# The best of a few tries: a test machine may be busy, a slow body is slow
# each time.
sub timed
{
    my ($text) = @_;
    my ($answer, $best);
    for (1 .. 5) {
        my $began = time;
        $answer = $ads->post($recommend, $pub_key, $text);
        my $took = time - $began;
        $best = $took if !defined $best || $took < $best;
        last if $best <= $time_limit_s;
    }
    return ($answer, $best);
}

SKIP: {
    my $vectors = ($ENV{ADS_SHARED} || '../shared')
        . '/vectors/request_bodies.json';
    skip "$vectors is not there", 3 unless -e $vectors;

    my (@wrong, @slow, @after);
    for my $case (@{ decode_json(Ads::Stack::read_file($vectors))->{cases} }) {
        my $text =
            defined $case->{b64}
            ? decode_base64($case->{b64})
            : uncompress(decode_base64($case->{zlib_b64}));
        my ($answer, $took) = timed($text);
        my $status = $answer->{status};
        my $fine =
              $case->{expect} eq '2xx' ? $status == 200
            : $case->{expect} eq '4xx' ? $status >= 400 && $status < 500
            :                            $status < 500;
        $fine &&= $answer->{json}{status} == $status
            && $answer->{headers}{'content-type'} =~ m{^application/problem}
            if $status >= 400;
        push @wrong, "$case->{why}: $status" unless $fine;
        push @slow, "$case->{why}: $took s" if $took > $time_limit_s;
        push @after, $case->{why}
            if $ads->post($recommend, $pub_key, $body)->{json}{decision} ne
            'SHOW';
    }
    is "@wrong", '', 'every body gets what it deserves';
    is "@slow",  '', 'within 50 ms';
    is "@after", '', 'and the next request is right';
}

for my $case (
    ['deep nesting',     '[' x 12_000,                      400],
    ['50 open objects',  '[{"":' x 2000,                    400],
    ['16 KiB and a byte', '"' . 'x' x 16_384,               413],
    ['a duplicate key',  '{"query":"x","query":"y"}',       400],
    ['not UTF-8',        "{\"query\":\"buy \xff\"}",        400],
    ['a cut body',       substr($body, 0, -3),              400],
    ['text behind it',   "$body x",                         400],
    ['an empty query',   '{"query":"  "}',                  400],
    ['a NUL',            '{"query":"a\u0000b"}',            400],
) {
    my ($what, $text, $status) = @$case;
    my ($answer, $took) = timed($text);
    is $answer->{status}, $status, "$what is refused";
    is $answer->{json}{status}, $status, 'with a problem';
    cmp_ok $took, '<=', $time_limit_s, 'within 50 ms';
    is $ads->post($recommend, $pub_key, $body)->{json}{decision}, 'SHOW',
        'and the next request is right';
}

# ---- everything adds up ----------------------------------------------------

$ads->wait_until(sub { ($ads->try_adsctl('reconcile'))[0] == 0 },
    15, 'adsctl reconcile to agree');
pass 'journal, rows and ledger agree';

$ads->done;
