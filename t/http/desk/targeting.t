#!/usr/bin/perl
#
# What a campaign asks of a request, field by field: from the API into what is
# served, at once, and back.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop;
my $pub  = $ads->seed_publisher;
my $second = $ads->seed_publisher(name => 'Second');

sub aim
{
    my (%fields) = @_;
    my $answer = $ads->http('PATCH', "/v1/campaigns/$shop->{campaign}",
        ['X-API-Key' => $shop->{key}, 'Content-Type' => 'application/json'],
        encode_json(\%fields));
    die "$answer->{status} $answer->{body}" if $answer->{status} != 200;
}

# "SHOW n" or the reason.
sub answer
{
    my ($query, %more) = @_;
    my $key  = delete $more{key} // $pub->{key};
    my $json = $ads->recommend($key, $query, %more)->{json};
    return $json->{decision} eq 'SHOW' ? 'SHOW ' . @{ $json->{ads} }
        : $json->{reason};
}

my $query = 'buy a laser printer';
is answer($query), 'SHOW 1', 'a campaign that asks for nothing is shown';

aim(targeting => { locations => ['DE', 'US-CA'] });
is answer($query), 'location', 'locations: not to who says no place';
is answer($query, context => { location => 'US-CA' }), 'SHOW 1', 'where it is meant';
is answer($query, context => { location => 'US-NY' }), 'location', 'not elsewhere';
aim(targeting => { not_locations => ['DE-BY'] });
is answer($query, context => { location => 'DE' }), 'SHOW 1', 'not_locations';
is answer($query, context => { location => 'DE-BY' }), 'location', 'keep away';
is answer($query, context => { location => 'US-CA' }), 'SHOW 1',
    'and leave locations as they were';
aim(targeting => undef);

aim(targeting => { placements => ['card'] });
is answer($query), 'blocked', 'placements: not in another';
is answer($query, placement => 'card'), 'SHOW 1', 'in this one';

aim(targeting => { placements => undef, publishers => [$second->{account}] });
is answer($query), 'blocked', 'publishers: not at another';
is answer($query, key => $second->{key}), 'SHOW 1', 'at this one';

aim(targeting => { publishers => undef, languages => ['de', 'pt-BR'] });
is answer($query), 'blocked', 'languages: not to who says none';
is answer($query, context => { language => 'en' }), 'blocked', 'nor another';
is answer($query, context => { language => 'de-AT' }), 'SHOW 1', 'to who speaks it';

aim(targeting => { languages => undef, categories => ['printers'] });
is answer($query), 'SHOW 1', 'categories: products that are in one';
is answer('buy running shoes'), 'blocked', 'no others';

aim(targeting => { categories => undef, keywords => ['laser printers', 'toner'] });
is answer($query), 'SHOW 1', 'keywords: a query with one of them';
is answer('buy running shoes'), 'no_match', 'and without';
is answer('buy a printer', keywords => ['laser']), 'SHOW 1',
    "the publisher's keywords count";
aim(targeting => { keywords => undef, negative_keywords => ['running'] });
is answer('buy running shoes'), 'blocked', 'negative keywords';
is answer($query), 'SHOW 1', 'keep nothing else away';

# ---- what others change ----------------------------------------------------

$ads->adsctl('tenant', 'suspend', $shop->{account});
isnt answer($query), 'SHOW 1', 'with its account a campaign stops';
$ads->adsctl('tenant', 'activate', $shop->{account});
is answer($query), 'SHOW 1', 'and goes on';
is answer('buy running shoes'), 'blocked', 'as it was';
$ads->stop('adsd');
$ads->begin('adsd');
$ads->seed_publisher(name => 'Third');
is answer('buy running shoes'), 'blocked', 'after a start of adsd, too';
aim(targeting => undef);

# ---- how often -------------------------------------------------------------

aim(frequency_cap => { count => 2, window_s => 60 });
my %session = (context => { session_id => 'visitor-1' });
is_deeply [map { answer($query, %session) } 1 .. 3],
    ['SHOW 1', 'SHOW 1', 'frequency_capped'], 'a session sees it twice';
is answer('buy running shoes', %session), 'frequency_capped',
    'the campaign, not the product, is counted';
is answer($query, context => { session_id => 'visitor-2' }), 'SHOW 1',
    'another session by itself';
is answer($query), 'SHOW 1', 'without a session nobody counts';
is answer($query, %session, key => $second->{key}), 'SHOW 1',
    'a session of the same name at another publisher is another';
$ads->reload;
is answer($query, %session), 'frequency_capped', 'a reload forgets nothing';
aim(frequency_cap => { count => 3, window_s => 60 });
is_deeply [map { answer($query, %session) } 1 .. 2],
    ['SHOW 1', 'frequency_capped'], 'a new cap holds at once';
aim(frequency_cap => undef);
is answer($query, %session), 'SHOW 1', 'and none is none';

# ---- when ------------------------------------------------------------------

aim(start_at => '2099-01-01T00:00:00Z');
is answer($query), 'no_match', 'before it starts it is not shown';
aim(start_at => undef, end_at => '2020-01-01T00:00:00Z');
is answer($query), 'no_match', 'nor after it ended';
aim(end_at => undef);
is answer($query), 'SHOW 1', 'between, it is';

# ---- the language of products ----------------------------------------------

my $product = $ads->http('POST', '/v1/products', ['X-API-Key' => $shop->{key},
        'Content-Type' => 'application/json'], encode_json({
            campaign_id => $shop->{campaign}, title => 'Vornado turntable',
            url => 'https://shop.example/t', price => 5, currency => 'USD',
            language => 'de-AT' }));
is $product->{status}, 201, 'a product in German';
is answer('buy a turntable'), 'SHOW 1', 'is shown where nobody says a language';
is answer('buy a turntable', context => { language => 'de' }), 'SHOW 1',
    'and to who speaks it';
is answer('buy a turntable', context => { language => 'en' }), 'blocked',
    'not to others';

# ---- a full rebuild asks the same ------------------------------------------

aim(targeting => { keywords => ['laser printer'], languages => ['en'],
    publishers => [$pub->{account}] }, frequency_cap => { count => 1,
        window_s => 60 });
my @asked = ([$query], [$query, context => { language => 'en' }],
    ['buy running shoes', context => { language => 'en' }],
    [$query, context => { language => 'en' }, key => $second->{key}]);
my @before = map { answer(@$_) } @asked;
is_deeply \@before, ['blocked', 'SHOW 1', 'no_match', 'blocked'], 'all at once';
is $ads->stop('adsd'), 0, 'adsd ends';
unlink map { glob "$ads->{dir}/state/$_" } 'base-*', 'head';
$ads->start_adsd;
$ads->wait_until(sub { -e "$ads->{dir}/state/head" }, 20, 'a new head');
$ads->wait_until(sub { answer(@{ $asked[1] }) eq 'SHOW 1' }, 20, 'allowances');
is_deeply [map { answer(@$_) } @asked], \@before, 'and so from new tables';

$ads->done;
