#!/usr/bin/perl
#
# A client that was written from the specification's words alone: it sends
# every field, null for those it has nothing for, spells as its users do and
# calculates in floating point.  It is served, and told what was folded.

use strict;
use warnings;
use utf8;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads   = Ads::Test->new;
my $shop  = $ads->seed_shop;
my $pub   = $ads->seed_publisher;
my $query = 'buy a laser printer';
my $path  = '/v1/ads/recommend';

# ---- recommendations ---------------------------------------------------------

sub warned
{
    my ($answer) = @_;
    return [map { "$_->{pointer} $_->{code}" }
            @{ $answer->{json}{warnings} || [] }];
}

my $null = '{"query":"' . $query . '","context":{"currency":null,'
    . '"location":null,"session_id":null},"placement":null,'
    . '"max_results":null}';
my $answer = $ads->post($path, $pub->{key}, $null);
is $answer->{json}{decision}, 'SHOW', 'a field that is null is absent';
is_deeply warned($answer), [], 'which needs no warning';

$answer = $ads->recommend($pub->{key}, $query,
    context => { currency => 'usd', location => '', session_id => 'q1+/8A==' },
    placement => 'Chat Inline', max_results => 50);
is $answer->{json}{decision}, 'SHOW', 'other spellings are served';
is_deeply warned($answer),
    ['/context/currency folded', '/placement folded', '/max_results clamped'],
    'and each has its warning';
ok !(grep { !length $_->{detail} } @{ $answer->{json}{warnings} }),
    'with a sentence';
my ($request_id, $ad) = ($answer->{json}{request_id}, $answer->{json}{ads}[0]);

is $ads->recommend($pub->{key}, 'why is the sky blue', max_results => 21)
    ->{json}{warnings}[0]{code}, 'clamped', 'an answer without ads warns, too';

my @unknown = grep {
    @{ warned($ads->recommend($pub->{key}, $query,
                context => { location => $_ })) }
} 'New York, NY', 'London, UK', 'Paris, France', 'Munich, Germany',
    'Austin, Texas', 'DEU', 'en-US';
is_deeply \@unknown, [], 'places are known as people write them';
$ads->is_problem(
    $ads->post('/v1/campaigns', $shop->{key},
        { name => 'Aimed', bid => 0.1, budget => { daily => 5 },
          targeting => { locations => ['Munich'] } }),
    400, 'invalid_fields', 'but a campaign is not aimed at a guess');

# ---- events ------------------------------------------------------------------

my %seen = (request_id => $request_id, ad_id => $ad->{ad_id});
is $ads->post('/v1/events/impression', $pub->{key},
    { %seen, session_id => undef, occurred_at => undef })->{status},
    202, 'an event may say null';
is $ads->post('/v1/events/impression', $pub->{key},
    { %seen, session_id => 'q1+/8A==' })->{status},
    202, 'and a session id may be base64';
$ads->is_problem(
    $ads->post('/v1/events/impression', $pub->{key},
        { ad_id => $ad->{ad_id}, request_id => undef }),
    400, 'invalid_fields', 'what is required may not be null');

my $click = $ads->click($ad->{click_url});
my ($click_id) = $click->{headers}{location} =~ /ads_click_id=([0-9a-f-]+)/;
$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks where click_id = ?',
            $click_id);
    },
    10,
    'the click to be in the database'
);

for my $case (
    ['139.92999999999998',  139_930_000],
    ['0.30000000000000004', 300_000],
    ['33.333333333333336',  33_333_333],
) {
    my ($value, $micros) = @$case;
    my $sale = $ads->post('/v1/events/conversion', $shop->{key},
        '{"click_id":"' . $click_id . '","value":' . $value
        . ',"currency":"USD","order_id":"o-' . $value . '","ad_id":null}');
    is $sale->{json}{status}, 'recorded', "a value of $value is recorded";
    is $ads->sql_value(
        'select value_micros from ads.conversions where order_id = ?',
        "o-$value"), $micros, "as $micros micros";
}

# ---- campaigns ---------------------------------------------------------------

my $made = $ads->post('/v1/campaigns', $shop->{key},
    '{"name":"Nulls","pricing":null,"bid":0.30000000000000004,'
    . '"budget":{"daily":139.92999999999998,"lifetime":null},"end_at":null,'
    . '"timezone":null,"targeting":null,"frequency_cap":null}');
is $made->{status}, 201, 'a campaign may be made of nulls';
is_deeply [$made->{json}{bid_micros}, $made->{json}{budget}{daily_micros}],
    [300_000, 139_930_000], 'and its money is exact';
my $its = "/v1/campaigns/$made->{json}{id}";
$ads->is_problem(
    $ads->post('/v1/campaigns', $shop->{key},
        '{"name":"Fine","bid":0.1000004,"budget":{"daily":1.0000004}}'),
    400, 'invalid_fields', 'what is really finer than a micro is refused');

sub patch
{
    my ($text) = @_;
    return $ads->http('PATCH', $its,
        ['Content-Type' => 'application/json',
         'Authorization' => "Bearer $shop->{key}"], $text);
}
is patch('{"end_at":"2030-01-01T00:00:00Z"}')->{status}, 200,
    'a PATCH sets a field';
is patch('{"end_at":null}')->{json}{end_at}, undef, 'and null takes it away';
$answer = patch('{"name":null}');
$ads->is_problem($answer, 400, 'invalid_fields', 'but not what must stay');
like $answer->{json}{errors}[0]{detail}, qr/null/, 'and says so';

$ads->done;
