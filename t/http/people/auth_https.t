#!/usr/bin/perl
#
# Signing in on an installation with a public name: the cookie is bound to the
# host and to TLS, links and tokens have that name whatever a request says, and
# the keys of tokens change without a restart.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use MIME::Base64 qw(decode_base64url);
use Test::More;

my $base = 'https://ads.example';
my $ads  = Ads::Test->new(base_url => $base);
my $good = 'a long enough secret';

sub auth
{
    my ($what, $body, @headers) = @_;
    return $ads->post("/v1/auth/$what", undef, $body, @headers);
}

sub me
{
    my ($token) = @_;
    return $ads->http('GET', '/v1/auth/me',
        ['Authorization' => "Bearer $token"])->{status};
}

sub kid
{
    my ($token) = @_;
    return decode_json(decode_base64url((split /\./, $token)[0]))->{kid};
}

my $signed = auth('signup', { email => 'ada@shop.example', password => $good },
    Host => 'evil.example');
my $cookie = $signed->{headers}{'set-cookie'};
like $cookie, qr/^__Host-ads_refresh=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$/,
    'the cookie is bound to the host and to TLS';
my ($refresh) = $cookie =~ /=([\w-]{43});/;
my $token = $signed->{json}{access_token};
is decode_json(decode_base64url((split /\./, $token)[1]))->{iss}, $base,
    'tokens are from the public name';

$ads->is_problem(
    auth('refresh', undef, Cookie => "ads_refresh=$refresh"),
    401, 'credential_missing', 'another cookie is none');
for my $origin ('http://ads.example', 'https://ads.example.evil.example',
    'https://ads.example:8443', 'http://localhost', 'null') {
    $ads->is_problem(
        auth('refresh', undef, Cookie => "__Host-ads_refresh=$refresh",
            Origin => $origin),
        403, 'origin_mismatch', "another origin is refused: $origin");
}
is auth('refresh', undef, Cookie => "x=1; __Host-ads_refresh=$refresh",
    Origin => 'https://ads.example')->{status}, 200, 'our own is not';

my $mail;
$ads->wait_until(sub { ($mail) = glob "$ads->{dir}/mail/*.eml" }, 10, 'a mail');
my $text = Ads::Stack::read_file($mail);
like $text, qr{^    https://ads\.example/dashboard/#verify=[\w-]{43}\r$}m,
    'links have the public name';
unlike $text, qr/evil/, 'not the one a request had';
like $text, qr/^From: no-reply\@ads\.example\r$/m, 'and so has the sender';

# ---- other keys ------------------------------------------------------------

my $old = kid($token);
my $new = $ads->adsctl('jwt-key', 'add')->{kid};
isnt $new, $old, 'there is another key';
is kid(auth('login', { email => 'ada@shop.example', password => $good })
        ->{json}{access_token}), $old, 'which does not sign yet';
$ads->adsctl('jwt-key', 'promote', $new);
my $next = auth('login', { email => 'ada@shop.example', password => $good })
    ->{json}{access_token};
is kid($next), $new, 'promoted it signs, without a restart';
is me($next),  200,  'what it signs is good';
is me($token), 200,  'and so is what the old one signed';
is join(' ', sort map { $_->{kid} }
        @{ $ads->http('GET', '/v1/auth/jwks.json')->{json}{keys} }),
    join(' ', sort $old, $new), 'both are published';
$ads->adsctl('jwt-key', 'retire', $old);
is me($token), 401, 'once it is gone its tokens are';
is me($next),  200, 'others are not';

# ---- without the database --------------------------------------------------

$ads->stop('postgres');
my $away = auth('login', { email => 'ada@shop.example', password => $good });
$ads->is_problem($away, 503, 'unavailable', 'nobody signs in meanwhile');
ok $away->{headers}{'retry-after'}, 'but may come again';
is me($next), 503, 'a token is neither good nor bad';

$ads->done;
