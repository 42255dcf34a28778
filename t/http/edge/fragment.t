#!/usr/bin/perl
#
# ads_fragment: ads as HTML for pages without a back end, by SSI and by loading.
# The key stays in nginx, hostile texts stay texts, and whatever is wrong the
# page stays whole.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $hostile = q{Vexor "teapot" <script>alert('x')</script> <!--# echo var="args" --> &};
my $firefox = ['User-Agent' => 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0'];

my $ads = Ads::Test->new(
    parts      => [qw(postgres adsd)],
    rates      => 1,
    nginx_http => "    limit_req_zone \$ads_address zone=few:1m rate=1r/m;\n",
);
my $pub  = $ads->seed_publisher;
my $late = $ads->adsctl('key', 'create', '--account', $pub->{account});
my $shop = $ads->seed_shop(
    name     => 'Quillon & Sons "Store"',
    products => [
        @{ $ads->products },
        {
            id          => 'hostile',
            title       => $hostile,
            price       => 12.5,
            currency    => 'USD',
            category    => ['Kitchen'],
            description => 'A teapot by Vexor',
            image_url   => 'https://img.example/a?b=1&c=2',
            url         => 'https://shop.example/p/h',
        },
    ],
);

# three pages of a site: one that includes ads, one that includes them twice,
# one that does so where SSI is on for the fragments, too
my $site = "$ads->{dir}/site";
mkdir $site or die "$site: $!\n";
my $include = '<!--# include virtual="/ads/fragment?q=$arg_q&max=$arg_max" -->';
$ads->write_file("$site/one.html", "<main>A${include}B</main>\n", 0644);
$ads->write_file("$site/two.html",
    '<main>A<!--# include virtual="/ads/fragment?q=buy+an+espresso+machine" -->B'
    . '<!--# include virtual="/ads/fragment?q=buy+running+shoes" -->C</main>', 0644);
$ads->write_file("$site/few.html",
    '<main>A<!--# include virtual="/few?q=buy+running+shoes" -->B</main>', 0644);
$ads->own($site);
chmod 0755, $site;

sub site
{
    my ($key) = @_;
    my $text = $ads->embed_conf($key);
    return <<"END";
    ssi on;
    location /pages/ { alias $site/; }
    location = /few {
        limit_req     zone=few;
        ads_fragment  \$arg_q;
        error_page    429  = \@ads_nothing;
    }
    location = /test { ads_fragment \$http_x_query session=\$http_x_session
        placement=\$arg_placement currency=\$arg_currency; }
    ads_fragment_key_file $ads->{dir}/publisher.key;
$text
END
}

$ads->{nginx} = site($late->{key});
$ads->write_configs;
$ads->start_nginx;
$ads->wait_ready(30);

# All that it says is kept: see the end.
my $said = '';

sub get
{
    my ($path, @headers) = @_;
    my $answer = $ads->http('GET', $path, [@$firefox, @headers]);
    $said .= join "\n", %{ $answer->{headers} }, $answer->{body};
    return $answer;
}

sub fragment
{
    return get('/ads/fragment?' . shift);
}

# ---- what it answers -------------------------------------------------------

my $one = fragment('q=buy+a+laser%20printer');
is $one->{status}, 200, 'a question that has ads is answered with them';
is $one->{headers}{'content-type'}, 'text/html; charset=utf-8', 'in HTML';
is $one->{headers}{'cache-control'}, 'no-store', 'that is not kept';
is $one->{headers}{'content-security-policy'},
    "default-src 'none'; frame-ancestors 'none'", 'and of no use in a frame';
like $one->{body}, qr{<a\x20href="\Q$ads->{base_url}\E/v1/click/[\w-]+"\x20
    rel="sponsored\x20nofollow\x20noopener"><bdi>Quillon\x20laser\x20printer</bdi></a>}x,
    'the title is a signed link';
like $one->{body}, qr{<div class="ads" role="group" aria-label="Sponsored">},
    'the group has the label as its name';
like $one->{body}, qr{<p class="ads-label">Sponsored</p>}, 'each card shows it';
like $one->{body}, qr{<p class="ads-price">189 USD</p>}, 'the price has its currency';
like fragment('q=buy+running+shoes')->{body}, qr{>79\.95 USD<}, 'and its cents';
like fragment('q=buy+a+vexor+teapot')->{body}, qr{>12\.50 USD<}, 'two of them';
like $one->{body}, qr{Quillon &amp; Sons &quot;Store&quot;}, 'for whom is said';
unlike $one->{body}, qr/style=|<style|<script|\son\w+=/,
    'no style and no script is in it';

my ($click) = $one->{body} =~ m{href="([^"]+)"};
is $ads->click($click)->{status}, 302, 'the link leads on';
my ($seen) = $one->{body} =~ m{data-ads-seen="[^"]+?(/v1/i/[\w-]+)"};
is $ads->http('POST', $seen, $firefox)->{status}, 204, 'its page reports the view';
my $id = $one->{headers}{'x-request-id'};
$ads->wait_until(sub {
    $ads->sql_value('select count(*) from ads.impressions where request_id = $1', $id)
}, 20, 'the impression');
pass 'which is recorded of the request that the answer names';

is fragment('q=%C3%A4&language=de&q=x')->{status}, 204, 'no ad is an empty answer';
is fragment($_)->{status}, 204, "so is '" . substr($_, 0, 20) . "'"
    for '', 'q=', 'q=+', 'q=%00', 'q=%ff%fe', 'q=what+is+the+capital+of+France%3F',
    'q=buy+a+laser+printer&placement=%22%7D', 'q=' . 'x' x 8000;
like fragment('q=buy+a+laser+printer&language=de')->{body}, qr{>Anzeige</p>},
    'the label is in the language of the page';
my $n = () = fragment('q=buy+a+quillon+printer+or+ink&max=1')->{body} =~ /ads-card/g;
is $n, 1, 'max is the most cards';
is fragment("q=buy+a+laser+printer&max=$_")->{status}, 200, "max=$_ is no reason for none"
    for 0, 'x', '1,"floor_micros":9', 999;

for my $method (qw(POST PUT DELETE)) {
    $ads->is_problem($ads->http($method, '/ads/fragment?q=x', $firefox), 405,
        'method_not_allowed', "$method is refused");
}
my $before = $ads->metric('ads_recommend_total');
my $head   = $ads->http('HEAD', '/ads/fragment?q=buy+a+laser+printer', $firefox);
is $head->{status}, 204, 'a HEAD chooses nothing';
is $ads->metric('ads_recommend_total'), $before, 'and counts nothing';

# ---- variables -------------------------------------------------------------

is get('/test?placement=sidebar&currency=USD', 'X-Query' => 'buy a laser printer',
    'X-Session' => 's-1')->{status}, 200, 'any variable may hold the values';
is get('/test?currency=EUR', 'X-Query' => 'buy a laser printer')->{status}, 204,
    'each is used';
is get('/test', 'X-Query' => 'buy a laser printer',
    'X-Session' => 'someone@mail.example')->{status}, 204,
    'a session that is an e-mail address is refused';

# ---- hostile texts ---------------------------------------------------------

for my $page ('/ads/fragment', '/pages/one.html') {
    my $body = get("$page?q=buy+a+vexor+teapot")->{body};
    like $body, qr{&lt;script&gt;alert\('x'\)&lt;/script&gt;},
        "$page: a script in a title is text";
    unlike $body, qr{<script|<!--|\[an error}, "$page: and nothing else";
    like $body, qr{src="https://img\.example/a\?b=1&amp;c=2"},
        "$page: an address is escaped, too";
}

# ---- pages -----------------------------------------------------------------

my $page = get('/pages/one.html?q=buy+a+laser+printer');
like $page->{body}, qr{^<main>A<div class="ads".*laser printer.*</div>\nB</main>\n$}s,
    'a page includes ads where it says';
is get('/pages/one.html?q=what+time+is+it')->{body}, "<main>AB</main>\n",
    'or nothing';
is get('/pages/one.html')->{body}, "<main>AB</main>\n", 'or has no question';
my $two = get('/pages/two.html')->{body};
like $two, qr{A<div.*espresso.*B<div.*shoes.*C</main>}s, 'a page has two groups';
my @ids = map { $ads->click($_)->{status} } $two =~ m{href="([^"]+)"}g;
is join(' ', @ids), '302 302', 'whose links lead on';
is $ads->http('HEAD', '/pages/two.html', $firefox)->{status}, 200, 'a HEAD of a page is answered';
is_deeply [map { ($_->[0]) } @{ $ads->sql(
        'select count(distinct request_id)::int from ads.clicks') }], [3],
    'each is a request of its own'
    if $ads->wait_until(sub { $ads->sql_value('select count(*) from ads.clicks') >= 3 },
        20, 'the clicks');

# ---- over the rate ---------------------------------------------------------

like get('/pages/few.html')->{body}, qr{A<div.*shoes.*B}s, 'within the rate a page has ads';
is get('/pages/few.html')->{body}, '<main>AB</main>', 'over it, it has none';
is get('/few?q=buy+running+shoes')->{status}, 204, 'nor does who loads them';

# ---- style and script -------------------------------------------------------

for my $file (['ads.js', 'application/javascript'], ['ads.css', 'text/css']) {
    my $answer = get("/ads/$file->[0]");
    is $answer->{status}, 200, "$file->[0] is served";
    is $answer->{headers}{'content-type'}, $file->[1], 'as what it is';
}
cmp_ok -s 'embed/ads.js', '<=', 1024, 'the script has 1 kB at most';

# ---- the key ---------------------------------------------------------------

$ads->adsctl('key', 'revoke', $late->{id});
ok $ads->wait_until(sub { fragment('q=buy+a+laser+printer')->{status} == 204 }, 10,
    'the key to be gone'), 'a key that is revoked shows nothing';
ok scalar($ads->log_lines('nginx.log', qr/the key of ads_fragment_key_file is refused/)),
    'and the log says so';
is get('/pages/one.html?q=buy+a+laser+printer', 'X-API-Key' => $pub->{key})->{body},
    "<main>AB</main>\n", "a visitor's key is not looked at";

$ads->embed_conf($pub->{key});
$ads->reload;
is fragment('q=buy+a+laser+printer')->{status}, 200, 'a reload reads the new one';

for my $key ($pub->{key}, $late->{key}) {
    is index($said, $key), -1, 'no answer holds the key';
    is scalar($ads->log_lines($_, qr/\Q$key\E/)), 0, "nor does $_"
        for qw(nginx.log access.log adsd.out);
}

# ---- the configuration -----------------------------------------------------

# an nginx -t that refuses a file frees nothing of its own
$ENV{ASAN_OPTIONS} .= ':detect_leaks=0' if $ENV{ASAN_OPTIONS};

my $conf = Ads::Stack::read_file("$ads->{dir}/nginx.conf");
my $file = "$ads->{dir}/publisher.key";

# What nginx -t says to a changed configuration and a key file.
sub tested
{
    my ($change, $key, $mode) = @_;
    local $_ = $conf;
    $change->() if $change;
    $ads->write_file("$ads->{dir}/tmp/test.conf", $_);
    $ads->write_file($file, $key // $pub->{key}, $mode // 0600);
    my $nginx = $ads->nginx_program;
    return qx($nginx -t -p $ads->{dir} -c $ads->{dir}/tmp/test.conf -e $ads->{dir}/tmp/test.log 2>&1);
}

like tested(), qr/test is successful/, 'it is tested as it is';
like tested(undef, $shop->{key}), qr/must hold the API key of a publisher/,
    "an advertiser's key is refused";
like tested(undef, ''), qr/must hold the API key of a publisher/, 'so is an empty file';
like tested(undef, 'x' x 2000), qr/longer than 1024 bytes/, 'and a long one';
like tested(undef, $pub->{key}, 0644), qr/is open to everybody/,
    'a key that everybody may read is refused';
like tested(sub { s/^\h*ads_fragment_key_file.*\n//gm }),
    qr/"ads_fragment_key_file" is not set/, 'a fragment needs a key';
like tested(sub { s/(ads_fragment_key_file .*;)\n/$1 $1\n/ }), qr/is duplicate/,
    'and has one';
like tested(sub { s/session=/sitting=/ }), qr/invalid parameter "sitting=/,
    'an unknown parameter is refused';
like tested(sub { s/session=/placement=/ }), qr/invalid parameter "placement=/,
    'so is one that comes twice';
unlike tested(undef, "$pub->{key}x"), qr/\Q$pub->{key}\E/, 'the key is in no message';

$ads->done;
