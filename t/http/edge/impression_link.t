#!/usr/bin/perl
#
# GET or POST /v1/i/{token}: the page itself tells that an ad was seen.  It
# needs no key, counts once, and together with the publisher's own event once.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $firefox =
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
my @person = ('User-Agent' => $firefox);

my $ads   = Ads::Test->new;
my $pub   = $ads->seed_publisher;
my $shop  = $ads->seed_shop;
my $build = $ENV{ADS_BUILD} || 'build';
my $maker = "$ads->{dir}/tmp/make_link";

# links of another age are made by core itself
system($ENV{CC} || 'cc', '-Icore',
    split(' ', $ENV{ADS_CFLAGS} // ''), '-o', $maker,
    't/http/edge/make_link.c', "$build/libadscore.a", '-lsodium') == 0
    or die "make_link does not build\n";

# An ad, its request and the path of its impression_url.
sub shown
{
    my $json = $ads->recommend(shift // $pub->{key}, 'buy a laser printer')
        ->{json};
    my $ad = $json->{ads}[0];
    my ($path) = $ad->{impression_url} =~ m{^https?://[^/]+(/.*)$};
    return { request => $json->{request_id}, ad => $ad, path => $path };
}

sub link_of_age
{
    my ($age_s, $ad) = @_;
    my $line =
        qx($maker $ads->{dir}/click.keys $age_s $pub->{account} $ad 1000);
    return '/v1/i/' . (split ' ', $line)[1];
}

# The classes of what is recorded of a request: 0 is valid, 1 a duplicate.
sub recorded
{
    my ($request) = @_;
    return $ads->sql_value(
        q{select coalesce(string_agg(class::text, ' ' order by class), 'none')}
        . ' from ads.impressions where request_id = $1', $request);
}

# ---- what it answers -------------------------------------------------------

my $shown = shown();
my ($click) = $shown->{ad}{click_url} =~ m{/v1/click/(.*)$};
is $shown->{path}, "/v1/i/$click", 'one token, the path says what for';

my $seen = $ads->http('GET', $shown->{path}, [@person]);
is $seen->{status}, 204, 'an image asks for it: nothing to show';
is $seen->{body}, '', 'indeed nothing';
is $seen->{headers}{'cache-control'}, 'no-store', 'and asks again next time';
is $seen->{headers}{'access-control-allow-origin'}, '*', 'so may any page';
like $seen->{headers}{'x-request-id'}, qr/^[0-9a-f-]{36}$/, 'it has an id';

my $beacon = shown();
is $ads->http('POST', $beacon->{path},
    [@person, 'Content-Type' => 'text/plain', Origin => 'https://x.example'],
    'x' x 5000)->{status}, 204, 'so may a beacon, whatever it says';

# ---- what is no impression -------------------------------------------------

my $unseen = shown();
is $ads->http('HEAD', $unseen->{path}, [@person])->{status}, 204,
    'a HEAD shows nothing';
is $ads->http('GET', $unseen->{path}, ['User-Agent' => $_])->{status}, 204,
    'nobody sees it as "' . substr($_, 0, 12) . '"'
    for 'Googlebot/2.1', '';
my $ahead = $ads->http('GET', $unseen->{path},
    [@person, 'Sec-Purpose' => 'prefetch;prerender']);
$ads->is_problem($ahead, 503, 'prefetch', 'a page fetched ahead is unseen');
my $options = $ads->http('OPTIONS', $unseen->{path}, [@person]);
is $options->{status}, 204, 'OPTIONS is answered';
is $options->{headers}{allow}, 'GET, HEAD, POST, OPTIONS', 'with the methods';
$ads->is_problem($ads->http('PUT', $unseen->{path}, [@person]), 405,
    'method_not_allowed', 'others are refused');

my $forged = $unseen->{path} =~ s/.$/_/r;
$forged = $unseen->{path} =~ s/.$/-/r if $forged eq $unseen->{path};
for my $path ($forged, '/v1/i/', '/v1/i/x', "$unseen->{path}/") {
    my $answer = $ads->http('GET', $path, [@person]);
    $ads->is_problem($answer, 404, 'click_not_found', 'no link of ours');
    is $answer->{headers}{'access-control-allow-origin'}, '*',
        'and the page may know';
}

is $ads->http('GET', link_of_age(23 * 3600, $shown->{ad}{ad_id}), [@person])
    ->{status}, 204, 'within a day it is taken';
$ads->is_problem(
    $ads->http('GET', link_of_age(25 * 3600, $shown->{ad}{ad_id}), [@person]),
    410, 'too_late', 'later it is not');

# ---- what is stored --------------------------------------------------------

my $own = shown();
is $ads->post('/v1/events/impression', $pub->{key},
    { request_id => $own->{request}, ad_id => $own->{ad}{ad_id} })->{status},
    202, 'a publisher tells it itself';
is $ads->http('GET', $own->{path}, [@person])->{status}, 204,
    'and so does the page';

my $test = shown($ads->key($pub->{account}, '--test'));
is $ads->http('GET', $test->{path}, [@person])->{status}, 204,
    'an ad of a test key is seen';
is $ads->http('GET', $shown->{path}, [@person])->{status}, 204,
    'a page asks twice';

$ads->wait_until(
    sub { recorded($shown->{request}) ne '0'
        && recorded($own->{request}) =~ / /
        && recorded($test->{request}) ne 'none' },
    15, 'the impressions to be stored');
is recorded($shown->{request}), '0 1', 'a page that asks twice counts once';
is recorded($own->{request}), '0 1', 'so do publisher and page together';
is recorded($beacon->{request}), '0', 'a beacon counts';
is recorded($test->{request}), '5', 'that of a test key does not';
is recorded($unseen->{request}), 'none', 'what nobody saw is not recorded';

$ads->done;
