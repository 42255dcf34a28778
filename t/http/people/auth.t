#!/usr/bin/perl
#
# Signing up, in and out: what is answered, what is refused, and that a session
# that ended is refused at once.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use MIME::Base64 qw(decode_base64url encode_base64url);
use Test::More;

my $ads  = Ads::Test->new;
my $good = 'a long enough secret';

sub auth
{
    my ($what, $body, %opt) = @_;
    return $ads->post("/v1/auth/$what", $opt{token}, $body,
        map { $_ => $opt{headers}{$_} } sort keys %{ $opt{headers} || {} });
}

sub get
{
    my ($path, $token, @headers) = @_;
    return $ads->http('GET', $path,
        ['Authorization' => "Bearer $token", @headers]);
}

sub cookie_of
{
    my ($answer) = @_;
    my ($token) = ($answer->{headers}{'set-cookie'} // '') =~
        /^ads_refresh=([^;]*);/;
    return $token;
}

sub refresh
{
    my ($token, %headers) = @_;
    return auth('refresh', undef,
        headers => { Cookie => "a=b; ads_refresh=$token; c=d", %headers });
}

# ---- signing up ------------------------------------------------------------

my $signed = auth('signup', {
    email        => 'Ada@shop.example', password => $good, name => 'Ada',
    company      => 'Shop & Sons',      account_type => 'advertiser',
    timezone     => 'Europe/Berlin',    currency => 'USD'
});
is $signed->{status}, 201, 'somebody signs up';
my $ada = $signed->{json};
is $ada->{token_type}, 'Bearer', 'and has a token';
is $ada->{expires_in}, 900, 'of 15 minutes';
is_deeply [@{ $ada->{user} }{qw(email name email_verified has_password)}],
    ['Ada@shop.example', 'Ada', JSON::PP::false, JSON::PP::true],
    'the person is told';
is_deeply [@{ $ada->{account} }
        {qw(type name status currency timezone role)}],
    ['advertiser', 'Shop & Sons', 'active', 'USD', 'Europe/Berlin', 'owner'],
    'and the account';
is $signed->{headers}{'cache-control'}, 'no-store', 'nobody caches that';
like $signed->{headers}{'set-cookie'},
    qr/^ads_refresh=[\w-]{43}; Path=\/; Max-Age=25919\d\d; HttpOnly; SameSite=Strict$/,
    'the refresh token is in a strict cookie';

$ads->is_problem(
    auth('signup', { email => 'ada@SHOP.example', password => $good }),
    409, 'email_taken', 'an e-mail signs up once, whatever its case');
$ads->is_problem(
    auth('signup', { email => 'a@b.example', password => $good,
        currency => 'EUR' }),
    400, 'currency_unsupported', 'another currency is not supported');

my %refused = (
    'no field'             => [{}, '/email /password'],
    'a short password'     => [{ password => 'nine char' }, '/password'],
    'a long password'      => [{ password => 'ab1' x 43 . 'abc' }, '/password'],
    'a common password'    => [{ password => '1q2w3e4r5t' }, '/password'],
    'one with a tail'      => [{ password => 'Password1234' }, '/password'],
    'a repeated one'       => [{ password => 'abcabcabcabc' }, '/password'],
    'one like the address' => [{ password => 'new@b.example' }, '/password'],
    'a number as password' => [{ password => 1234567890 }, '/password'],
    'no address'           => [{ email => 'nobody' }, '/email'],
    'a header in it'       => [{ email => "a\@b.example\r\nBcc: x\@y.example" },
        '/email'],
    'two addresses'        => [{ email => 'a@b.example,c@d.example' },
        '/email'],
    'the platform'         => [{ account_type => 'platform' },
        '/account_type'],
    'no such zone'         => [{ timezone => 'Mars/Olympus' }, '/timezone'],
    'what is not known'    => [{ role => 'owner' }, ''],
);
for my $name (sort keys %refused) {
    my ($fields, $pointers) = @{ $refused{$name} };
    my $answer = auth('signup', {
        %$fields ? (email => 'new@b.example', password => $good) : (),
        %$fields
    });
    $ads->is_problem($answer, 400, 'invalid_fields', "refused: $name");
    is join(' ', sort map { $_->{pointer} } @{ $answer->{json}{errors} }),
        $pointers, 'the fields are named';
}
is $ads->sql_value('select count(*) from ads.users'), 1, 'nobody was made';
is auth('signup', { email => 'x@y.example', password => 'ten chars!' })
    ->{json}{account}{type}, 'advertiser', 'an advertiser when not said';

# ---- tokens ----------------------------------------------------------------

my ($head, $claims) = map { decode_json(decode_base64url($_)) }
    (split /\./, $ada->{access_token})[ 0, 1 ];
is_deeply [@$head{qw(alg typ)}], ['EdDSA', 'at+jwt'], 'a signed access token';
is $claims->{iss}, $ads->{base_url}, 'from us';
is $claims->{exp} - $claims->{iat}, 900, 'for 15 minutes';
is_deeply [@$claims{qw(sub acc)}], [$ada->{user}{id}, $ada->{account}{id}],
    'for this person and account';

my $jwks = $ads->http('GET', '/v1/auth/jwks.json');
is $jwks->{status}, 200, 'the public keys are there for everybody';
is $jwks->{json}{keys}[0]{kid}, $head->{kid}, 'with the key of the token';
is join(' ', sort keys %{ $jwks->{json}{keys}[0] }),
    'alg crv kid kty use x', 'and nothing secret';

my $me = get('/v1/auth/me', $ada->{access_token});
is $me->{status}, 200, 'the token says who I am';
is $me->{json}{user}{id}, $ada->{user}{id}, 'the person';
is $me->{json}{account}{id}, $ada->{account}{id}, 'the account';
is $me->{json}{auth}{method}, 'session', 'by a session';
is_deeply $me->{json}{auth}{scopes},
    [qw(campaigns products balance conversions analytics:advertiser)],
    'and what it may do';
like $me->{json}{auth}{expires_at}, qr/^\d{4}-.*Z$/, 'until when';

my $key = $ads->key($ada->{account}{id});
my $program = get('/v1/auth/me', $key)->{json};
is $program->{user}, undef, 'a key is nobody';
is_deeply [$program->{account}{id}, $program->{auth}{method}],
    [$ada->{account}{id}, 'api_key'], 'but has an account';

for my $broken (
    ['a changed one', $ada->{access_token} =~ s/(.)$/$1 eq 'A' ? 'B' : 'A'/re],
    ['one without a signature', $ada->{access_token} =~ s/[^.]*$//r],
    ['alg none', encode_base64url('{"alg":"none","typ":"at+jwt"}')
            . '.' . (split /\./, $ada->{access_token})[1] . '.'],
    ['no token', 'x.y.z'])
{
    $ads->is_problem(get('/v1/auth/me', $broken->[1]), 401,
        'credential_invalid', "refused: $broken->[0]");
}

# ---- signing in ------------------------------------------------------------

my $login = auth('login', { email => 'ada@shop.example', password => $good });
is $login->{status}, 200, 'the same person signs in';
is $login->{json}{user}{id}, $ada->{user}{id}, 'as who they are';
isnt $login->{json}{access_token}, $ada->{access_token}, 'with another token';

my $wrong   = auth('login', { email => 'ada@shop.example', password => 'x' });
my $unknown = auth('login', { email => 'eve@shop.example', password => $good });
my $strange = auth('login', { email => '; drop', password => "\x{1F600}" x 300 });
$ads->is_problem($wrong, 401, 'login_failed', 'a wrong password is refused');
for my $other ($unknown, $strange) {
    delete $other->{json}{request_id};
    my %wanted = %{ $wrong->{json} };
    delete $wanted{request_id};
    is_deeply $other->{json}, \%wanted,
        'in the same words as somebody unknown';
}

my $nfc = auth('signup', { email => 'n@shop.example',
    password => "Z\x{fc}rich caf\x{e9} pass" });
is $nfc->{status}, 201, 'a password beyond ASCII';
is auth('login', { email => 'n@shop.example',
        password => "Zu\x{308}rich cafe\x{301} pass" })->{status},
    200, 'is the same however a keyboard spells it';
is auth('login', { email => 'n@shop.example',
        password => "Zu\x{308}rich cafe\x{301} pass " })->{status},
    401, 'and nothing is trimmed';

# ---- refreshing ------------------------------------------------------------

my $first = cookie_of($login);
my $second = refresh($first);
is $second->{status}, 200, 'the cookie gives the next tokens';
is get('/v1/auth/me', $second->{json}{access_token})->{json}{auth}{session_id},
    get('/v1/auth/me', $login->{json}{access_token})->{json}{auth}{session_id},
    'of the same session';
isnt cookie_of($second), $first, 'and another cookie';
is $ads->sql_value('select count(*) from ads.refresh_tokens
    where encode(hash, \'escape\') like ?', "%$first%"), 0,
    'which is stored as a hash only';
$ads->is_problem(
    refresh(cookie_of($second), Origin => 'https://evil.example'),
    403, 'origin_mismatch', 'no other site can use it');
$ads->is_problem(refresh(cookie_of($second), Origin => 'null'),
    403, 'origin_mismatch', 'nor one that hides itself');
my $third = refresh(cookie_of($second), Origin => $ads->{base_url});
is $third->{status}, 200, 'our own can';
my $fourth = refresh(cookie_of($third),
    Origin => "http://localhost:$ads->{port}");
is $fourth->{status}, 200, 'by any name of loopback';
$ads->is_problem(refresh('x' x 43), 401, 'credential_invalid',
    'a cookie nobody made is refused');
$ads->is_problem(auth('refresh', undef), 401, 'credential_missing',
    'and so is none');

my $reused = refresh($first);
$ads->is_problem($reused, 401, 'credential_invalid',
    'a cookie that was used is refused');
like $reused->{headers}{'set-cookie'}, qr/^ads_refresh=; .*Max-Age=0/,
    'and taken away';
$ads->is_problem(refresh(cookie_of($fourth)), 401, 'credential_invalid',
    'with the whole family');
$ads->is_problem(get('/v1/auth/me', $fourth->{json}{access_token}), 401,
    'credential_invalid', 'and the session');
is get('/v1/auth/me', $ada->{access_token})->{status}, 200,
    'other sessions go on';

# ---- signing out -----------------------------------------------------------

my @in = map {
    auth('login', { email => 'ada@shop.example', password => $good })
} 1 .. 3;
my @tokens = map { $_->{json}{access_token} } @in;
my $out = auth('logout', undef, token => $tokens[0]);
is $out->{status}, 204, 'somebody signs out';
like $out->{headers}{'set-cookie'}, qr/Max-Age=0/, 'the cookie goes';
$ads->is_problem(get('/v1/auth/me', $tokens[0]), 401, 'credential_invalid',
    'the token is refused at once');
$ads->is_problem(refresh(cookie_of($in[0])), 401, 'credential_invalid',
    'and so is the cookie');
is get('/v1/auth/me', $tokens[1])->{status}, 200, 'elsewhere one stays in';
is auth('logout', undef,
    headers => { Cookie => 'ads_refresh=' . cookie_of($in[1]) })->{status},
    204, 'the cookie alone signs out';
$ads->is_problem(get('/v1/auth/me', $tokens[1]), 401, 'credential_invalid',
    'that session');
is auth('logout', { all => JSON::PP::true }, token => $tokens[2])->{status},
    204, 'or everywhere';
$ads->is_problem(get('/v1/auth/me', $_), 401, 'credential_invalid',
    'nobody is in')
    for $tokens[2], $ada->{access_token};
$ads->is_problem(auth('logout', undef), 401, 'credential_missing',
    'nobody signs out nobody');

# what was done so far is in the audit log: beginnings and ends, by whom and in
# which request, and no use of a session
my @lines = @{ $ads->sql(q{select action, actor, request_id is not null
    from ads.audit_log where object = 'sessions' and object_id in (
        select id::text from ads.sessions where user_id = ?)}, $ada->{user}{id}) };
my %count;
$count{"$_->[0] $_->[1]"}++ for @lines;
my ($begun, $ended) = @{ $ads->sql('select count(*), count(revoked_at)
    from ads.sessions where user_id = ?', $ada->{user}{id})->[0] };
is $count{"create user:$ada->{user}{id}"}, $begun, 'each sign-in is logged';
is $count{"update user:$ada->{user}{id}"} + ($count{'update system'} // 0),
    $ended, 'and each end';
is $count{'update system'}, 1, 'that of a token used twice is nobody\'s doing';
is scalar(@lines), $begun + $ended, 'refreshing and using leave no line';
is scalar(grep { !$_->[2] } @lines), 0, 'each names its request';
is $ads->sql_value(q{select count(*) from ads.audit_log l, ads.refresh_tokens r
    where strpos(l::text, encode(r.hash, 'hex')) > 0}), 0,
    'no refresh token is in it';

# ---- whose account ---------------------------------------------------------

my $again = auth('login', { email => 'ada@shop.example', password => $good })
    ->{json}{access_token};
my $strangers = $ads->tenant('publisher', 'Site');
$ads->is_problem(
    get('/v1/auth/me', $again, 'X-Ads-Account' => $strangers),
    404, 'not_found', "another's account is not there");
$ads->adsctl('member', 'add', '--account', $strangers, '--user', @$_)
    for [$nfc->{json}{user}{id}, '--role', 'owner'],
    [$ada->{user}{id}, '--role', 'viewer'];
is_deeply [@{ get('/v1/auth/me', $again, 'X-Ads-Account' => $strangers)
            ->{json}{account} }{qw(id role)}],
    [$strangers, 'viewer'], 'a member acts for it';
is auth('login', { email => 'ada@shop.example', password => $good,
        account_id => $strangers })->{json}{account}{id},
    $strangers, 'or signs in there';

# ---- failures --------------------------------------------------------------

$ads->sql('delete from ads.login_failures returning 1');
for my $email ('x@y.example', 'nobody@y.example') {
    my %seen;
    $seen{ auth('login', { email => $email, password => "wrong $_" })
            ->{status} }++
        for 1 .. 10;
    is_deeply \%seen, { 401 => 10 }, "ten wrong passwords for $email";
    my $blocked = auth('login', { email => $email, password => 'ten chars!' });
    $ads->is_problem($blocked, 429, 'login_blocked',
        'then not even the right one');
    ok $blocked->{headers}{'retry-after'}, 'for a while';
}
is auth('login', { email => 'ada@shop.example', password => $good })->{status},
    200, 'others sign in';
$ads->sql(q{update ads.login_failures set last_at = last_at
    - interval '1 minute' returning 1});
is auth('login', { email => 'x@y.example', password => 'ten chars!' })
    ->{status}, 200, 'then it works again';

$ads->done;
