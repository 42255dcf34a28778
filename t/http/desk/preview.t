#!/usr/bin/perl
#
# Before a cent is spent: what a campaign would show, from the code that
# serves; and what the code that serves says about itself.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads   = Ads::Test->new(nginx => "        ads_explain on;\n");
my $shop  = $ads->seed_shop(bid => '0.50');
my $other = $ads->seed_shop(name => 'Other shop', bid => '0.20');
my $pub   = $ads->seed_publisher;
my @as    = ('Content-Type' => 'application/json');

sub call
{
    my ($method, $path, $body, $key) = @_;
    return $ads->http($method, $path, ['X-API-Key' => $key // $shop->{key}, @as],
        $body && encode_json($body));
}

sub preview
{
    my ($campaign, $queries, %more) = @_;
    return call('POST', "/v1/campaigns/$campaign/preview",
        { queries => $queries, %more });
}

# "decision reason rank price titles" of one query.
sub line
{
    my ($campaign, $query, %more) = @_;
    my $is = preview($campaign, [$query], %more)->{json}{results}[0];
    return join ' ', map { $_ // '-' } @{$is}{qw(decision reason rank price_micros)},
        map { $_->{title} } @{ $is->{ads} };
}

sub clicks_and_shows
{
    my $text = $ads->http('GET', '/metrics')->{body};
    return join "\n", grep { /^ads_(?:recommend|show|journal|appended|decisions)/ }
        split /\n/, $text;
}

my $query = 'buy a laser printer';
my $draft = call('POST', '/v1/campaigns', { name => 'Draft', status => 'draft',
        bid => 0.9, budget => { daily => 5 } })->{json}{id};
call('POST', '/v1/products', { campaign_id => $draft, title =>
        'Zephyr laser printer', url => 'https://shop.example/z', price => 99,
    currency => 'USD' });

my $before = clicks_and_shows();
is line($draft, $query), 'SHOW - 1 900000 Zephyr laser printer',
    'a draft is previewed as if it were active and funded';
my $mixed = preview($draft, [$query, 'how old is the moon', 'buy running shoes'])
    ->{json};
is_deeply [map { "$_->{query}: $_->{decision} " . ($_->{reason} // '-') }
        @{ $mixed->{results} }],
    ["$query: SHOW -", 'how old is the moon: NO_AD not_commercial',
    'buy running shoes: NO_AD ' . $mixed->{results}[2]{reason}],
    'each query has its own result';
like $mixed->{results}[2]{reason}, qr/^(?:no_match|below_relevance)$/,
    'and what it has nothing for is told so';
like $mixed->{generation}, qr/^\d+$/, 'from the tables that are served';

call('PATCH', "/v1/campaigns/$draft", { targeting => { locations => ['DE'],
            negative_keywords => ['cheap'] }, start_at => '2099-01-01T00:00:00Z' });
is line($draft, $query), 'NO_AD location - -', 'its targeting is obeyed';
is line($draft, $query, context => { location => 'DE' }),
    'SHOW - 1 900000 Zephyr laser printer', 'its schedule is not: it would run';
is line($draft, 'buy a cheap laser printer', context => { location => 'DE' }),
    'NO_AD blocked - -', 'words neither';
is line($draft, $query, context => { location => 'DE', currency => 'EUR' }),
    'NO_AD currency - -', 'nor currencies';
call('PATCH', "/v1/campaigns/$draft", { targeting => undef, bid => 0.01 });
is line($draft, $query, max_results => 1),
    'NO_AD outranked 3 10000 Zephyr laser printer',
    'where others stand before it, that is told, with its place';
is line($draft, $query), 'SHOW - 3 10000 Zephyr laser printer',
    'among three it has one';
my $unborn = $ads->recommend($pub->{key}, $query, max_results => 20)->{json};
ok !(grep { $_->{title} =~ /Zephyr/ } @{ $unborn->{ads} }),
    'and is not shown to anybody';

# a campaign of which nothing is served says why, not that nothing matches
my $bare = call('POST', '/v1/campaigns', { name => 'Bare', bid => 0.9,
        budget => { daily => 5 } })->{json}{id};
is line($bare, $query), 'NO_AD no_products - -', 'one without products';
$ads->sql(q(select ads.settings_put('USD', 7000, 'manual', 'instant')));
call('POST', '/v1/products', { campaign_id => $bare, title =>
        'Quagga laser printer', url => 'https://shop.example/q', price => 99,
    currency => 'USD' });
is line($bare, $query), 'NO_AD in_review - -', 'one that waits for a reviewer';
is line($draft, 'buy a zebra'), 'NO_AD no_match - -', 'else it is the words';

is preview($other->{campaign}, [$query])->{status}, 404,
    "another account's campaign is absent";
is preview($draft, [])->{status}, 400, 'queries are needed';
is preview($draft, [map {"q $_"} 1 .. 51])->{status}, 400, 'fifty at most';
is preview($draft, ['x' x 1001])->{status}, 400, 'of a thousand characters';
is preview($draft, [$query], colour => 1)->{status}, 400, 'and nothing unknown';
is preview($draft, [$query], context => { currency => $_ })->{json}{errors}[0]{pointer},
    '/context/currency', "no currency: $_" for qw(usd US U$D);
call('DELETE', "/v1/campaigns/$draft");
is preview($draft, [$query])->{json}{code}, 'invalid_transition',
    'what is archived is not previewed';
is $ads->sql_value('select count(*) from ads.clicks'), 0, 'nobody clicked';

# what would be shown is what is shown
my $mine = preview($shop->{campaign}, [$query])->{json}{results}[0];
my $real = $ads->recommend($pub->{key}, $query)->{json}{ads};
is $real->[$mine->{rank} - 1]{ad_id}, $mine->{ads}[0]{ad_id},
    'a running campaign is served as its preview says';
is $real->[0]{title}, $mine->{ads}[0]{title}, 'word for word';

# ---- explain ---------------------------------------------------------------

my $curious = $ads->key($pub->{account}, '--explain');
sub explained
{
    my ($key, $text, $header, %fields) = @_;
    return $ads->post('/v1/ads/recommend', $key, { query => $text, %fields },
        $header ? ('Ads-Explain' => $header) : ())->{json};
}

my $told = explained($curious, $query, 1)->{explain};
is $told->{decision}, 'SHOW', 'a key with that right is told';
is_deeply [sort keys %$told], [sort qw(generation decision reason guard intent understood
        match refused below_relevance candidates shown times)], 'stage by stage';
is $told->{shown}[0]{ad_id}, $real->[0]{ad_id}, 'what was shown';
is $told->{candidates}[0]{state}, 'shown', 'among whom';
is_deeply [grep { exists $_->{bid_micros} } @{ $told->{candidates} }], [],
    'and no bid of an advertiser';
is_deeply [grep { exists $_->{price_micros} || exists $_->{rank} }
        @{ $told->{shown} }], [], 'no price, and no rank, which holds it';
unlike encode_json($told), qr/(?:bid|budget|rank|\w+_micros)"/,
    'by no other name either';
like $told->{times}{decide_us}, qr/^\d+$/, 'and how long it took';
is_deeply explained($curious, 'how old is the moon', 1)->{explain}{intent}{passed},
    JSON::PP::false, 'also why there is no ad';
is explained($curious, 'how to kill myself', 1)->{explain}{guard}{passed},
    JSON::PP::false, 'whatever it is';
cmp_ok explained($curious, $query, 1, context => { currency => 'EUR' })->{explain}
    {refused}{currency}, '>=', 2, 'who was refused, and for what';
is explained($curious, $query)->{explain}, undef, 'only who asks';
is explained($curious, $query, 0)->{explain}, undef, 'with a 1';
is explained($pub->{key}, $query, 1)->{explain}, undef, 'and may';
my ($line) = grep { $_->{candidates} } $ads->adsctl('explain', $query);
is_deeply [map { $_->{ad_id} } @{ $line->{shown} }],
    [map { $_->{ad_id} } @{ $told->{shown} }], 'adsctl tells the same';
is $line->{shown}[0]{price_micros}, 500000, 'and the operator for how much';
ok $line->{candidates}[0]{bid_micros}, 'among which bids';

$ads->done;
