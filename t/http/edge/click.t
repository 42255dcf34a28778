#!/usr/bin/perl
#
# GET /v1/click/{token}: the visitor always gets to the shop and nowhere else;
# every click is recorded in one class, and only an honest first one is valid.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);

my $uuid = qr/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
my $firefox =
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

my $port = Ads::Test::free_port();
my $ads  = Ads::Test->new(
    nginx_http => <<"END");
    server {
        listen 127.0.0.1:$port;
        access_log off;
        error_page 502 504 /ads-problem;
        location = /ads-problem { internal; ads_problem; }
        location \@nobody { scgi_pass unix:/nowhere.sock; }
        location /up/v1/click/ {
            ads_click;
            ads_click_resolve \@nobody;
            ads_click_fallback https://www.example.com/down;
        }
        location /v1/click/ {
            ads_click;
            ads_click_ignore \$http_x_ours;
            ads_click_fallback https://www.example.com/gone;
        }
    }
END
my $pub  = $ads->seed_publisher;
my $shop = $ads->seed_shop;
my $maker = "$ads->{dir}/tmp/make_link";
my $build = $ENV{ADS_BUILD} || 'build';

# links of another age are made by core itself
system($ENV{CC} || 'cc', '-Icore',
    split(' ', $ENV{ADS_CFLAGS} // ''), '-o', $maker,
    't/http/edge/make_link.c', "$build/libadscore.a", '-lsodium') == 0
    or die "make_link does not build\n";

sub link_of_age
{
    my ($age_s, $ad, $price) = @_;
    my $line = qx($maker $ads->{dir}/click.keys $age_s $pub->{account} $ad $price);
    return '/v1/click/' . (split ' ', $line)[1];
}

sub fresh
{
    my $json = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    return $json->{ads}[0];
}

# The class that is logged of the request with that answer.
sub class_of
{
    my ($answer) = @_;
    my $id = $answer->{headers}{'x-request-id'};
    my $line;
    $ads->wait_until(
        sub { ($line) = $ads->log_lines('access.log', qr/$id/); $line },
        5, 'the log line');
    return decode_json($line)->{click};
}

# ---- where it leads --------------------------------------------------------

my $ad     = fresh();
my $answer = $ads->click($ad->{click_url});
is $answer->{status}, 302, 'a click is redirected';
like $answer->{headers}{location},
    qr{\Ahttps://shop\.example/p/1\?from=ads&ads_click_id=$uuid\#top\z},
    'to the product, with the click id before the fragment';
is $answer->{headers}{'cache-control'}, 'no-store', 'not to be cached';
is $answer->{headers}{'referrer-policy'}, 'no-referrer', 'nor to be told on';
is $answer->{headers}{'x-robots-tag'}, 'noindex', 'nor indexed';
is $answer->{body}, '', 'it has no body';
is class_of($answer), 'valid', 'the first click is valid';

my ($click_id) = $answer->{headers}{location} =~ /ads_click_id=($uuid)/;
my $again = $ads->click("$ad->{click_url}?url=https://evil.example/&x=1");
is $again->{headers}{location}, $answer->{headers}{location},
    'the second leads to the same place, whatever the URL adds';
is class_of($again), 'duplicate', 'and is a duplicate';

$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks where click_id = $1',
            $click_id) == 2;
    },
    10,
    'both clicks to be stored'
);
is $ads->sql_value('select billed_micros from ads.clicks'
        . ' where click_id = $1 and class = 0', $click_id), 250_000,
    'the valid one is billed at the bid';

my $macros = $ads->seed_shop(
    name     => 'Macro shop',
    products => [
        {
            id       => 'm-1',
            title    => 'Garden trampoline',
            brand    => 'Jumpfine',
            category => ['Garden'],
            price    => 99,
            currency => 'USD',
            description => 'Trampoline',
            url => 'https://macro.example/{ad_id}/x?c={click_id}&k={campaign_id}'
                . '&p={placement}',
        }
    ]
);
my $jump = $ads->recommend($pub->{key}, 'buy a trampoline',
    placement => 'sidebar')->{json}{ads}[0];
like $ads->click($jump->{click_url})->{headers}{location},
    qr{\Ahttps://macro\.example/$jump->{ad_id}/x\?c=$uuid
       &k=$macros->{campaign}&p=sidebar\z}x, 'macros in the URL are filled';

# ---- methods ---------------------------------------------------------------

my $next = fresh()->{click_url};
my ($path) = $next =~ m{(/v1/click/.*)};
my @browser = ('User-Agent' => $firefox);

my $head = $ads->http('HEAD', $path, [@browser]);
is $head->{status}, 302, 'HEAD is redirected';
is class_of($head), '', 'and not counted';

for my $header (
    ['Sec-Purpose' => 'prefetch;prerender'],
    ['Purpose'     => 'prefetch'],
    ['X-Moz'       => 'prefetch']
) {
    my $early = $ads->http('GET', $path, [@browser, @$header]);
    $ads->is_problem($early, 503, 'prefetch', "$header->[0] is put off");
    is $early->{headers}{'cache-control'}, 'no-store', 'and not cached';
}

my $options = $ads->http('OPTIONS', $path, [@browser]);
is $options->{status}, 204, 'OPTIONS is answered';
is $options->{headers}{allow}, 'GET, HEAD, OPTIONS', 'with the methods';
my $post = $ads->http('POST', $path, [@browser], 'x' x 20000);
$ads->is_problem($post, 405, 'method_not_allowed', 'POST is not one');
is $post->{headers}{allow}, 'GET, HEAD, OPTIONS', 'which is said';

is class_of($ads->click($next)), 'valid',
    'after all that the first click is still the first';

# a body on a GET is not taken for the next request
my $with_body = fresh()->{click_url};
my $socket = Ads::Http::connect($ads->{port});
my ($token_path) = $with_body =~ m{(/v1/click/.*)};
print {$socket} "GET $token_path HTTP/1.1\r\nHost: x\r\nUser-Agent: $firefox\r\n"
    . "Content-Length: 26\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n\r\n"
    . "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
$socket->flush;
my $bytes = do { local $/; <$socket> };
is_deeply [$bytes =~ m{^HTTP/1\.1 (\d+)}mg], [302, 200],
    'the body of a GET is dropped, and the next request answered';
unlike $bytes, qr/HELP/, 'which is not what stood in the body';

# ---- classes ---------------------------------------------------------------

sub class_with
{
    my (@headers) = @_;
    my ($path) = fresh()->{click_url} =~ m{(/v1/click/.*)};
    my $answer = $ads->http('GET', $path, \@headers);
    is $answer->{status}, 302, 'redirected like any other';
    return class_of($answer);
}

is class_with(), 'invalid:empty_ua', 'a click without a user agent';
is class_with('User-Agent' => ''), 'invalid:empty_ua', 'or an empty one';
is class_with('User-Agent' => 'curl/7.88.1'), 'invalid:bot_ua', 'of curl';
is class_with('User-Agent' => 'x' x 5000), 'invalid:bot_ua',
    'of something very long';

my $repeat = fresh();
my ($first) = $repeat->{click_url} =~ m{(/v1/click/.*)};
is class_of($ads->http('GET', $first, ['User-Agent' => 'Googlebot/2.1'])),
    'invalid:bot_ua', 'a robot that comes first';
is class_of($ads->http('GET', $first, [@browser])), 'valid',
    'does not take the click from the human who follows';

my $ours = fresh();
my ($our_path) = $ours->{click_url} =~ m{(/v1/click/.*)};
my $ignored = Ads::Http::request($port, 'GET', $our_path,
    [@browser, 'X-Ours' => 'yes']);
is $ignored->{status}, 302, 'a click that the operator marks is redirected';
my $our_id = ($ignored->{headers}{location} =~ /ads_click_id=($uuid)/)[0];
$ads->wait_until(
    sub {
        ($ads->sql_value('select class from ads.clicks where click_id = $1',
                $our_id) // -1) == 22;
    },
    10,
    'the click to be stored as the operator\'s'
);
pass 'and stored as his';
is Ads::Http::request($port, 'GET', $our_path, [@browser, 'X-Ours' => '0'])
    ->{status}, 302, 'nought does not mark';

my $test_key = $ads->key($pub->{account}, '--test');
my $test_ad =
    $ads->recommend($test_key, 'buy a laser printer')->{json}{ads}[0];
is class_of($ads->click($test_ad->{click_url})), 'test',
    'a click on what a test key was shown';

my $id = $ad->{ad_id};
is class_of($ads->click(link_of_age(25 * 3600, $id, 250_000))), 'late',
    'a click on a link of yesterday';
is $ads->click(link_of_age(29 * 86400, $id, 250_000))->{status}, 302,
    'a link of 29 days still leads there';
$ads->is_problem($ads->click(link_of_age(31 * 86400, $id, 250_000)), 410,
    'link_expired', 'one of 31 days does not');
is class_of($ads->click(link_of_age(-5, $id, 250_000))), 'valid',
    'a clock that goes wrong by seconds costs nobody a click';

$ads->adsctl('campaign', 'pause', $macros->{campaign});
my $paused = $ads->click($ads->{base_url}
        . link_of_age(1, $jump->{ad_id}, 250_000));
is $paused->{status}, 302, 'a paused campaign\'s links still lead there';
is class_of($paused), 'paused', 'and PostgreSQL decides since when';

# ---- only navigations ------------------------------------------------------

# A page that makes its visitors' browsers load its own links, without a click.
for my $fetch (
    [dest => 'image'], [dest => 'script'], [dest => 'iframe'],
    [dest => 'empty'], [dest => 'style'], [dest => 'Document; x=1'],
    [mode => 'cors'], [mode => 'no-cors'], [mode => 'same-origin'],
    )
{
    my $loaded =
        $ads->click(fresh()->{click_url}, "Sec-Fetch-\u$fetch->[0]" => $fetch->[1]);
    is "$loaded->{status} " . class_of($loaded), '302 invalid:not_navigation',
        "loaded as $fetch->[0] $fetch->[1]: redirected, no click";
}
for my $fetch (
    [dest => 'document', mode => 'navigate'],
    [dest => 'document'], [mode => 'navigate'], [site => 'cross-site']
    )
{
    my %header = @$fetch;
    my $opened = $ads->click(fresh()->{click_url},
        map { ("Sec-Fetch-\u$_" => $header{$_}) } sort keys %header);
    is class_of($opened), 'valid', "opened: @$fetch";
}

# ---- what is no link -------------------------------------------------------

my ($token) = $ad->{click_url} =~ m{/v1/click/(.*)};
my %bad = (
    'flipped bit'    => flip($token),
    'cut'            => substr($token, 0, 199),
    'grown'          => "${token}A",
    'empty'          => '',
    'other alphabet' => ('+' x 200),
    'zeros'          => ('A' x 200),
    'other version'  => 'B' . substr($token, 1),
    'other key'      => 'AQI' . substr($token, 3),
    'deeper'         => "x/$token",
    'twice'          => $token . $token,
    'raw bytes'      => '%ff%0d%0a' . $token,
);
my %bodies;
for my $what (sort keys %bad) {
    my $answer = $ads->http('GET', "/v1/click/$bad{$what}", [@browser]);
    is $answer->{status}, 404, "$what is no link";
    is $answer->{headers}{location}, undef, 'and leads nowhere';
    $bodies{ $answer->{body} }++;
}
is scalar keys %bodies, 1, 'the page is the same whatever is wrong';
like((keys %bodies)[0], qr/<!doctype html>/, 'and made for people');

my $json = $ads->http('GET', "/v1/click/$bad{cut}",
    [@browser, Accept => 'application/json']);
$ads->is_problem($json, 404, 'click_not_found', 'or a problem, when asked');
like $ads->http('GET', "/v1/click/$bad{cut}", [@browser, Accept => $_])->{body},
    qr/<!doctype html>/, "a page for $_"
    for '*/*', 'text/html, application/json;q=0.9', 'application/json;q=0', 'image/png';

my $fallback = Ads::Http::request($port, 'GET', "/v1/click/$bad{cut}",
    [@browser]);
is $fallback->{status}, 302, 'the operator may redirect them';
is $fallback->{headers}{location}, 'https://www.example.com/gone',
    'where he says';

sub flip
{
    my ($text) = @_;
    my $at = 150;
    substr($text, $at, 1) = substr($text, $at, 1) eq 'A' ? 'B' : 'A';
    return $text;
}

# our link to an ad that the tables do not know
my $unknown = link_of_age(1, '00000000-0000-4000-8000-000000000001', 1);
my $lost = Ads::Http::request($port, 'GET', $unknown, [@browser]);
is $lost->{headers}{location}, 'https://www.example.com/gone',
    'an ad unknown here goes to the fallback, when there is no other way';
$ads->wait_until(
    sub { $ads->sql_value('select count(*) from ads.clicks where class = 25') },
    10, 'the click on an unknown ad to be stored');
pass 'and its click is stored';
$lost = $ads->click($unknown);
$ads->is_problem($lost, 410, 'link_expired',
    'adsd is asked where there is a way to it');
$lost = Ads::Http::request($port, 'GET', "/up$unknown", [@browser]);
is $lost->{headers}{location}, 'https://www.example.com/down',
    'when it does not answer, the fallback stands in';
is $lost->{status}, 302, 'with a redirect';

# ---- robots ----------------------------------------------------------------

my @people = (
    $firefox,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.87',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.6478.108 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 7.0; CUBOT_NOTE_S Build/NRD90M) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/96.0.4664.45 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 12; SM-G991B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.6422.165 Mobile Safari/537.36 Instagram 334.0.0.42.95 Android',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/421.0.0.29.64;FBBV/489]',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 OPR/110.0.0.0',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 YaBrowser/24.6.0.0 Safari/537.36',
    'Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; SLCC2; .NET CLR 2.0.50727; .NET4.0C; rv:11.0) like Gecko',
    'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)',
    'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.0; Trident/4.0; .NET CLR 3.5.30729)',
    'Opera/9.80 (Windows NT 6.1; U; en) Presto/2.12.388 Version/12.18',
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
    'Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0',
    'Mozilla/5.0 (PlayStation; PlayStation 5/9.20) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) 94.0.4606.31/7.0 TV Safari/537.36',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36 NAVER(inapp; search; 1000; 11.0.0)',
    'Mozilla/5.0 (Linux; U; Android 11; en-US; RMX2185) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 UCBrowser/15.5.2.1346 Mobile Safari/537.36',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 Ddg/17.4',
);

# one link for all: only the first can be valid, so the class tells the rule
sub classified
{
    my ($agent) = @_;
    my $answer = $ads->http('GET', $first, ['User-Agent' => $agent]);
    return $answer->{headers}{'x-request-id'};
}

sub classes
{
    my (%agent) = @_;
    my %class;
    $ads->wait_until(
        sub {
            for my $line ($ads->log_lines('access.log', qr/click/)) {
                my $log = decode_json($line);
                $class{ $log->{request_id} } = $log->{click};
            }
            return !grep { !exists $class{$_} } keys %agent;
        },
        10,
        'the log lines'
    );
    return map { $agent{$_} => $class{$_} } keys %agent;
}

# Apps that show pages themselves, on the way from a post or a chat.
push @people,
    'Mozilla/5.0 (Linux; Android 16; Pixel 10 Pro; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/146.0.7680.174 Mobile Safari/537.36 MetaIAB Facebook',
    'Mozilla/5.0 (Linux; Android 15; CPH2557 Build/AP3A.240617.008; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.7444.142 Mobile Safari/537.36 Instagram 406.0.0.58.159 Android (35/15; 480dpi; 1080x2400; OPPO; CPH2557; OP573DL1; mt6833; en_MY; 822918295; IABMV/1) NV/1',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21F90 Instagram 339.0.3.12.91 (iPhone14,5; iOS 17_5_1; en_US; en; scale=3.00; 1170x2532; 615560394; IABMV/1)',
    'Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/468.0.0.41.76;]',
    'Mozilla/5.0 (Linux; Android 14; Pixel 7 Build/AP1A.240505.004; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.6422.113 Mobile Safari/537.36 [FB_IAB/Orca-Android;FBAV/460.0.0.30.109;]',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21E219 Barcelona 333.0.0.33.98 (iPhone15,3; iOS 17_4; de_DE; de; scale=3.00; 1290x2796; 601541612)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 musical_ly_34.5.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US isDarkMode/0 WKWebView/1 RevealType/Dialog BytedanceWebview/d8a21c6 FalconTag/6F0E',
    'Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.6422.165 Mobile Safari/537.36 trill_2023409030 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly app_version/34.9.3 ByteLocale/en ByteFullLocale/en Region/GB AppId/1233 Spark/1.5.9 AppVersion/34.9.3 BytedanceWebview/d8a21c6',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1 Twitter for iPhone/10.45',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240605.024; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36 TwitterAndroid',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Snapchat/12.94.0.35 (like Safari/8618.2.12.11.6, panda)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]',
    'Mozilla/5.0 (Linux; Android 14; SM-G998B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.6422.165 Mobile Safari/537.36 [Pinterest/Android]',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.29.8962',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/14.8.0',
    'Mozilla/5.0 (Linux; Android 14; SO-51D Build/67.2.A.2.118; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.6422.165 Mobile Safari/537.36 Line/14.8.0/IAB',
    'Mozilla/5.0 (Linux; Android 14; 23127PN0CC Build/UKQ1.230804.001; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160117 MMWEBSDK/20240404 MMWEBID/7845 MicroMessenger/8.0.49.2600(0x2800315A) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/116.0.0.0 Safari/537.36 NetType/WIFI MicroMessenger/7.0.20.1781(0x6700143B) WindowsWechat(0x63090a13) XWEB/9129 Flue',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 KAKAOTALK 10.8.5',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 NAVER(inapp; search; 2000; 12.6.3; 14PRO)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Weibo (iPhone15,2__weibo__14.6.0__iphone__os17.5)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/322.0.642 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36 Reddit/Version 2024.23.0/Build 1680105/Android 14',
    'Mozilla/5.0 (Linux; Android 14; SM-S921B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36 Telegram-Android/10.14.5 (Samsung SM-S921B; Android 14; SDK 34; HIGH)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Viber/22.5.0',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.38.125 Chrome/124.0.6367.207 Electron/30.0.6 Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko';

my %people = classes(map { classified($_) => $_ } @people);
my @wrong = grep { $people{$_} =~ /bot_ua/ } sort keys %people;
is "@wrong", '', scalar(@people) . ' browsers are people';

# Programs that sign what a browser would say.
my @signed = (
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/76.0.3809.87 Safari/537.36 LinkTiger',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_14_6) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.212 Safari/537.36 Hardenize',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10; rv:60.0) Gecko/20100101 Firefox/60.0 Collapsify',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.182 Safari/537.36 PlayStore-Google',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 SomeNewName',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; GeedoShopProductFinder) Chrome/142.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko, Foregenix) Chrome/91.0.4472.77 Safari/537.36',
    'Mozilla/5.0 (Linux; Android 15; GEC77) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36 Nitro-Optimizer-Agent',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/96.0.4664.110 Safari/537.36 Edg/96.0.1054.57 PWABuilderHttpAgent',
    'Mozilla/5.0 (feeder.co; Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/106.0.0.0 Safari/537.36',
    'Mozilla/5.0 (X11; Datanyze; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/65.0.3325.181 Safari/537.36',
    'Mozilla/5.0 (Windows; U; Windows NT 6.1; en-GB; rv:1.9.2.3) Gecko/20100401 Firefox/3.6.3 (NetShelter ContentScan)',
);
my %signed = classes(map { classified($_) => $_ } @signed);
my @billed = grep { $signed{$_} ne 'invalid:bot_ua' } sort keys %signed;
is join("\n", @billed), '', scalar(@signed) . ' programs are programs';

SKIP: {
    my $file = ($ENV{ADS_SHARED} || '../shared')
        . '/vectors/public/crawler_agents.json';
    skip "$file is not there", 1 unless -e $file;
    # that list has an in-app browser among its crawlers
    my $cases = [grep { $_->{ua} !~ /MetaIAB Facebook$/ }
            @{ decode_json(Ads::Stack::read_file($file))->{cases} }];
    my %robots = classes(map { classified($_->{ua}) => $_->{ua} } @$cases);
    my @missed = grep { $robots{$_} ne 'invalid:bot_ua' } sort keys %robots;
    is join("\n", @missed), '', scalar(@$cases) . ' robots are robots';
}

$ads->done;
