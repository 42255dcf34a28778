#!/usr/bin/perl
#
# A publisher that floods: its events are limited by how many they are, in
# batches too, and those for ads that the request did not show are counted and
# not stored.

use strict;
use warnings;
use lib 't/lib';

use Ads::Check;
use Ads::Load;
use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);

my $ads  = Ads::Test->new(rates => 1, nginx_http => Ads::Load::realip());
my $shop = $ads->seed_shop;
my $pub  = $ads->seed_publisher;
my $rest = $ads->seed_publisher(name => 'Another');
my $path = '/v1/events/impression';

sub shown
{
    return $ads->recommend($_[0]{key}, 'buy a laser printer')->{json};
}

my $n_made = 0;

# An ad that no one knows, each time another one.
sub made_up
{
    return sprintf '00000000-0000-4000-8000-%012x', ++$n_made;
}

sub batch
{
    my ($request, @ads) = @_;
    return { events => [map { { request_id => $request, ad_id => $_ } } @ads] };
}

# ---- junk is counted -------------------------------------------------------

my $show  = shown($pub);
my $id    = $show->{request_id};
my ($ad)  = map { $_->{ad_id} } @{ $show->{ads} };
my $known = $ads->sql_value(
    'select id from ads.ads where not id = any(?::uuid[]) limit 1',
    '{' . join(',', map { $_->{ad_id} } @{ $show->{ads} }) . '}');

is $ads->post($path, $pub->{key}, batch($id, $ad))->{status}, 200, 'one is true';
my $n_taken = 0;
for my $kind ('impression', 'click') {
    for (1 .. 4) {
        my $answer = $ads->post("/v1/events/$kind", $pub->{key},
            batch($id, $known, map { made_up() } 1 .. 99));
        $n_taken += grep { $_->{status} eq 'accepted' }
            @{ $answer->{json}{results} };
    }
}
is $n_taken, 800, 'junk gets the same answer as the truth';
$ads->wait_until(sub { $ads->sql_value('select coalesce(sum(n), 0) from ads.events_counted') == 800 },
    20, 'all of it to be counted');
is $ads->sql_value('select count(*) from ads.impressions'), 1,
    'of impressions only the true one is a row';
is $ads->sql_value('select count(*) from ads.clicks'), 0, 'of clicks none';
is $ads->sql_value('select count(*) from ads.event_pending'), 0, 'none waits';
cmp_ok $ads->sql_value('select count(*) from ads.events_counted'), '<=', 16,
    'the counts take few rows';
is join(' ', map { "@$_" } @{ $ads->sql('select c.kind, k.name, sum(c.n)
            from ads.events_counted c join ads.click_classes k on k.code = c.class
            where c.publisher_id = ? group by 1, 2 order by 1, 2', $pub->{account}) }),
    'click invalid:not_shown 4 click invalid:unknown_ad 396 '
    . 'impression invalid:not_shown 4 impression invalid:unknown_ad 396',
    'by kind and by what is wrong with them';
my ($failed) = $ads->try_adsctl('reconcile');
is $failed, 0, 'the journal and the rows reconcile';
is_deeply [Ads::Check::differences($ads)], [], 'as the independent checker says';

# ---- the rate counts events ------------------------------------------------

# As many batches as come until one is refused: events taken, the refusal.
sub flood
{
    my ($where, $from, $most, $batch) = @_;
    my ($taken, $refused) = (0);
    my $began = time;
    while ($taken < $most) {
        my $answer = $ads->post($where, $from->{key}, $batch->());
        if ($answer->{status} == 429) {
            $refused = $answer;
            last;
        }
        $taken += 100;
    }
    return ($taken, $refused, time - $began);
}

my ($n, $refused, $took) = flood($path, $pub, 60_000,
    sub { batch($id, map { made_up() } 1 .. 100) });
my $full_at = time;
ok $refused, 'batches meet a limit';
cmp_ok $n, '<=', 2000 + 1000 * ($took + 1),
    "of events: $n are taken in a row";
$ads->is_problem($refused // {}, 429, 'rate_limited', 'the refusal');
like +($refused // {})->{headers}{'retry-after'} // '', qr/^[1-9]\d*$/,
    'says when to come again';
is +($refused // {})->{headers}{'ratelimit-policy'}, '"events";q=1000;w=1',
    'and what the rate is';
# alone, clicks would have as much as 20 batches at once
my $clicks = 0;
for (1 .. 19) {
    my $answer = $ads->post('/v1/events/click', $pub->{key}, batch($id, map { made_up() } 1 .. 100));
    last if $answer->{status} == 429;
    $clicks++;
}
cmp_ok $clicks * 100, '<=', 1000 * (time - $full_at + 1),
    'clicks and impressions share it';
is $ads->post($path, $rest->{key}, batch(shown($rest)->{request_id}, made_up()))
    ->{status}, 200, 'another publisher has its own';
my $second = $ads->key($pub->{account});
is $ads->post($path, $second, batch($id, made_up()))->{status}, 200,
    'as has another key';

# ---- conversions are events too --------------------------------------------

sub conversions
{
    return { events => [map { { click_id => made_up(), value => 1,
        currency => 'USD' } } 1 .. $_[0]] };
}

my $convert = '/v1/events/conversion';
($n, $refused, $took) = flood($convert, $shop, 60_000,
    sub { conversions(100) });
ok $refused, 'conversions meet a limit';
cmp_ok $n, '<=', 2000 + 1000 * ($took + 1), "of events: $n are taken in a row";
$ads->is_problem($refused // {}, 429, 'rate_limited', 'the refusal');
like +($refused // {})->{headers}{'retry-after'} // '', qr/^[1-9]\d*$/,
    'says when to come again';
($n, $refused) = flood($convert, $pub, 60_000, sub { conversions(100) });
cmp_ok $n, '<=', 2000 + 1000 * ($took + 1),
    'a publisher has one rate for all kinds of events';
my $third = $ads->seed_shop(name => 'Third shop', products => []);
my $answer = $ads->post($convert, $third->{key}, conversions(2));
is $answer->{status}, 200, 'another account has its own';
is join(' ', map { $_->{code} } @{ $answer->{json}{results} }),
    'click_not_found click_not_found', 'and adsd gets the body whole';
$ads->is_problem($ads->post($convert, $third->{key}, '{"events":[{'),
    400, 'malformed_json', 'also one that is no JSON');

$ads->done;
