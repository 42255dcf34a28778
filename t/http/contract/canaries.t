#!/usr/bin/perl
#
# What people and browsers send stays where it must be: a word of its own is
# put into each header, query string, body and credential, and then looked for
# in each table, ad table, journal, shared page and log.  A table below says
# where each may be; it must be there, and nowhere else.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use File::Find qw(find);
use JSON::PP;
use List::Util qw(uniq);
use Test::More;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop;
my $pub  = $ads->seed_publisher;
my $boss = $ads->seed_platform;
my $made = $ads->post('/v1/auth/api-key', $boss->{key}, { name => 'cnrkeyname' },
    'X-Ads-Account' => $pub->{account}, 'Idempotency-Key' => 'cnr-idempotency')
    ->{json};

# Canary => places where it is kept; every other place is wrong.
my %canary;
sub canary
{
    my ($name, $value, @places) = @_;
    $canary{$name} = { value => $value, places => [sort @places] };
    return $value;
}

# ---- in headers and the query string of everything -------------------------

my @headers = (
    'User-Agent'      => canary('User-Agent', 'CnrAgent/7.1 Firefox/128.0'),
    'Referer'         => canary('Referer', 'https://cnr-referer.example/a?b=c',
        'log/nginx.log'),
    'Cookie'          => canary('Cookie', 'cnr=cookie-of-a-visitor'),
    'X-Forwarded-For' => canary('X-Forwarded-For', '198.51.100.213'),
    'Origin'          => canary('Origin', 'https://cnr-origin.example'),
    'Accept-Language' => canary('Accept-Language', 'de-x-cnrlang'),
    'X-Request-Id'    => canary('X-Request-Id', 'cnr-request-id'),
);
my $args = canary('query string', 'cnr_arg=cnr-value', 'log/nginx.log');
canary('key made over HTTP', $made->{key});
canary('name of a key', 'cnrkeyname', 'ads.api_keys', 'ads.audit_log');
canary('Idempotency-Key', 'cnr-idempotency', 'ads.idempotency_keys');

sub ask
{
    my ($method, $path, $key, $body, @more) = @_;
    my $mark = $path =~ /\?/ ? '&' : '?';
    my %other = @more;
    my @all   = map { $headers[ 2 * $_ ], $headers[ 2 * $_ + 1 ] }
        grep { !exists $other{ $headers[ 2 * $_ ] } } 0 .. $#headers / 2;
    return $ads->http($method, "$path$mark$args",
        [@all, 'Content-Type' => 'application/json',
            defined $key ? (Authorization => "Bearer $key") : (), @more],
        ref $body ? encode_json($body) : $body);
}

# What visitors ask for, and what hides a person.
my $card  = canary('card number', '4111111111111111');
my $mail  = canary('e-mail of a visitor', 'cnr.visitor@mail.example');
my $query = canary('query', 'buy a laser printer');
my $other = canary('query without an answer', 'cnrquery');
my $shown = ask('POST', '/v1/ads/recommend', $made->{key},
    { query => $query, context => {
        session_id => canary('session of a visitor', 'cnr-session-41'),
        user_agent => canary('agent in a body', 'CnrBody/1 Firefox/128.0'),
    } })->{json};
ok $shown->{ads}[0], 'an ad is shown' or diag explain $shown;
is ask('POST', '/v1/ads/recommend', $made->{key}, { query => "$other $mail $card" })
    ->{status}, 200, 'a query may hold anything';
is ask('POST', '/v1/ads/recommend', $made->{key}, { query => $other,
        context => { session_id => $_ } })->{status}, 400, "no session is $_"
    for $mail, $card;
my $link = $shown->{ads}[0]{click_url} =~ s{^http://[^/]+}{}r;
my ($click) = (ask('GET', $link)->{headers}{location} // '')
    =~ /ads_click_id=([0-9a-f-]{36})/;
ok $click, 'and clicked';
my %event = (request_id => $shown->{request_id},
    ad_id => $shown->{ads}[0]{ad_id});
is ask('POST', '/v1/events/impression', $made->{key}, \%event)->{status}, 202,
    'and seen';
is ask('POST', '/v1/events/impression', $made->{key},
    { %event, session_id => $_ })->{status}, 400, "no session of an event is $_"
    for $mail, $card;
$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks where click_id = ?',
            $click);
    },
    10,
    'the click to be committed'
);
is ask('POST', '/v1/events/conversion', $shop->{key}, { click_id => $click,
        value => 1, currency => 'USD', order_id => $_->[0] })->{status}, $_->[1],
    "the order $_->[0]: $_->[1]"
    for [$mail, 400], [$card, 400],
    [canary('order', 'cnr-order-9', 'ads.conversions'), 200];

# ---- people ----------------------------------------------------------------

my $email = canary('e-mail', 'cnr.person@shop.example', 'ads.users',
    'ads.audit_log', 'ads.mail_codes');
my $password = canary('password', 'cnr horse staple 9');
my %person = (email => $email, password => $password);
my $in = ask('POST', '/v1/auth/signup', undef, { %person,
    name => canary('name', 'Cnrname Person', 'ads.users', 'ads.audit_log'),
    company => canary('company', 'Cnrcompany', 'ads.accounts', 'ads.audit_log',
        'tables') }, 'User-Agent' =>
        canary('User-Agent of a session', 'CnrSession/1', 'ads.sessions'))
    ->{json};
my $login = ask('POST', '/v1/auth/login', undef, \%person, Origin =>
    $ads->{base_url}, 'User-Agent' => 'CnrSession/1');
is $login->{status}, 200, 'somebody signs in';
my ($refresh) = ($login->{headers}{'set-cookie'} // '') =~ /=([^;]+)/;
canary('access token', $login->{json}{access_token});
canary('its signature', ($login->{json}{access_token} =~ /\.([^.]+)$/)[0]);
canary('refresh token', $refresh);
is ask('POST', '/v1/auth/refresh', undef, undef, Cookie =>
    "ads_refresh=$refresh")->{status}, 403, 'no other origin refreshes';
is ask('POST', '/v1/auth/login', undef, { email => $email, password =>
    canary('wrong password', 'cnr donkey staple') })->{status}, 401, 'or guesses';
is ask('POST', '/v1/auth/login', undef, { email => canary('e-mail of nobody',
        'cnr.nobody@shop.example'), password => $password })->{status}, 401,
    'or is nobody';
is ask('POST', '/v1/auth/email/verify', undef, { code =>
    canary('code', 'cnrcode' . 'x' x 36) })->{status}, 400, 'a made-up code';
my $token = $login->{json}{access_token};
is ask('GET', '/v1/auth/me', $token)->{status}, 200, 'who that is';
is ask('GET', '/v1/campaigns?q=' . canary('filter', 'cnrfilter'),
    $shop->{key})->{status}, 400, 'a parameter that is none';

# ---- what goes wrong -------------------------------------------------------

my $wrong = canary('key that is none', 'ads_live_pcnrwrong' . 'y' x 28);
is ask('POST', '/v1/ads/recommend', $wrong, { query => $query })->{status}, 401,
    'a wrong key';
is ask('GET', '/v1/campaigns', $wrong)->{status}, 401, 'for adsd too';
is ask('GET', '/v1/click/' . canary('token of a link', 'cnrtoken'))->{status},
    404, 'a link that is none';
is ask('GET', "/v1/campaigns?key=$wrong")->{status}, 400, 'a key in the URL';
is ask('POST', '/v1/ads/recommend', $made->{key}, '{"cnrquery":')->{status}, 400,
    'half a body';
is ask('POST', '/v1/campaigns', $shop->{key}, '{"cnrquery":')->{status}, 400,
    'of adsd too';
is ask('POST', '/v1/campaigns', $shop->{key}, 'x' x 2_000_000)->{status}, 413,
    'a huge one';
ask('GET', '/nowhere', $wrong);
$ads->raw("GET /v1/click/x?$args HTTP/1.1\r\nHost: x\r\n"
    . "Referer: https://cnr-referer.example/a?b=c\r\nCnr bad: 1\r\n\r\n");
is $ads->stop('adsd'), 0, 'adsd ends';
is ask('GET', '/v1/campaigns', $shop->{key})->{status}, 503,
    'which is told while it is away';
$ads->start_adsd;
$ads->wait_ready(30);
$ads->wait_until(sub { !$ads->sql_value('select count(*) from ads.mails') }, 10,
    'the mails to be out');

# ---- where they are --------------------------------------------------------

my %place;
for my $table (map { $_->[0] } @{ $ads->sql(q{select c.relname from
        pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'ads' and c.relkind in ('r', 'm')}) }) {
    $place{"ads.$table"} = join "\n", map { $_->[0] // '' }
        @{ $ads->sql("select t::text from ads.$table t") };
}
find(
    {
        no_chdir => 1,
        wanted   => sub {
            return if !-f || m{/pg/} || m{/mail/} || m{/(?:click|jwt)\.keys$};
            $place{ s{^(?:\Q$ads->{dir}\E|\Q$ads->{run_path}\E)/}{}r } =
                Ads::Stack::read_file($_);
        }
    },
    $ads->{dir}, $ads->{run_path}
);
my $places = join ' ', sort keys %place;
like $places, qr/$_/, "$_ is looked at"
    for 'ads\.users ', 'ads\.audit_log ', 'state/head', 'state/base',
    'journal/m-\S+\.seg', 'live', 'log/access\.log', 'log/adsd\.out',
    'log/nginx\.log';

# In capitals or not, and as a table shows bytes.
my %low = map { $_ => lc $place{$_} } keys %place;
my @wrong;
for my $name (sort keys %canary) {
    my ($value, $may) = @{ $canary{$name} }{qw(value places)};
    my @is = uniq map { s{^state/(?:head|base).*}{tables}r } grep {
        my $place = $_;
        grep { index($low{$place}, $_) >= 0 } lc $value, unpack 'H*', $value
    } sort keys %low;
    push @wrong, "$name in @is" unless "@is" eq "@$may";
}
is join("\n", @wrong), '', scalar(keys %canary) . ' canaries in '
    . scalar(keys %place) . ' places: each where it may be';

# nginx itself tells of a request that failed with its first line and Referer
my @told = grep { /cnr/i } split /\n/, $place{'log/nginx.log'};
is scalar(grep { /connect\(\) to unix:|intended to send too large body/ } @told),
    2, 'the error log names what adsd did not answer and what was too large';
is scalar @told, 2, 'and no other request';

$ads->done;
