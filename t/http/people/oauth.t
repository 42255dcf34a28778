#!/usr/bin/perl
#
# Signing in with Google and Microsoft, the whole way: who gets which account,
# what a browser gets, what the profile can do.  GitHub: oauth_github.t, what
# providers may do wrong: oauth_faults.t, who lies in wait: oauth_take_over.t.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::SignIn;
use JSON::PP;
use Test::More;

my $world = Ads::SignIn->new('google', 'microsoft');
my ($ads, $google, $microsoft) = @{$world}{qw(ads google microsoft)};

# ---- what is offered -------------------------------------------------------

is_deeply $ads->http('GET', '/v1/auth/oauth')->{json}{data}, [
    { provider => 'google',    url => '/v1/auth/oauth/google' },
    { provider => 'microsoft', url => '/v1/auth/oauth/microsoft' }
    ], 'what is configured is offered';
$ads->is_problem($ads->http('GET', "/v1/auth/oauth/$_"), 404,
    'provider_not_configured', "$_ is not")
    for qw(github myspace github/callback);
is $ads->http('POST', '/v1/auth/oauth/google', [], '')->{status}, 405,
    'only a GET begins';

# ---- the way there ---------------------------------------------------------

my $begun = $ads->http('GET', '/v1/auth/oauth/google');
is $begun->{status}, 302, 'a browser is sent to the provider';
my ($to, $query) = split /\?/, $begun->{headers}{location};
is $to, "$google->{origin}/auth", 'to the address it named';
my %sent = map { split /=/, $_, 2 } split /&/, $query;
my ($state, $challenge, $nonce) =
    delete @sent{qw(state code_challenge nonce)};
is_deeply \%sent, {
    response_type         => 'code',
    client_id             => 'client-google',
    scope                 => 'openid%20email%20profile',
    code_challenge_method => 'S256',
    redirect_uri          => $google->{redirect_uri} =~
        s/([:\/])/sprintf '%%%02X', ord $1/egr,
}, 'for a code, with PKCE, to our one address there';
like $_, qr/^[\w-]{43}$/, 'with a secret' for $state, $challenge, $nonce;
is keys %{ { map { $_ => 1 } $state, $challenge, $nonce } }, 3, 'each its own';
like $begun->{headers}{'set-cookie'},
    qr/^ads_oauth=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    'bound to this browser by a cookie';
is $begun->{headers}{'cache-control'},   'no-store',    'nobody caches it';
is $begun->{headers}{'referrer-policy'}, 'no-referrer', 'nobody is told of it';
my ($cookie) = $begun->{headers}{'set-cookie'} =~ /=([\w-]{43})/;
my $rows = encode_json($ads->sql(
    "select encode(hash, 'base64'), encode(browser_hash, 'base64'), s::text"
        . ' from ads.oauth_states s'));
unlike $rows, qr/\Q$_\E/, 'no secret of it is in the database'
    for $state, $cookie, $nonce;
my $again = $ads->http('GET', '/v1/auth/oauth/google')->{headers}{location};
unlike $again, qr/\Q$state\E|\Q$challenge\E|\Q$nonce\E/, 'no two are alike';

# ---- a new person ----------------------------------------------------------

$google->account(sub => 'g-ada', email => 'ada@shop.example',
    email_verified => JSON::PP::true, name => 'Ada Lovelace');
my $ada = $world->sign_in('google');
ok $ada->{in}, 'a new person comes to the dashboard';
is $ada->{answer}{headers}{'cache-control'}, 'no-store', 'uncached';
like $ada->{answer}{headers}{'set-cookie'},
    qr/ads_refresh=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict/,
    'with the cookie of a session';
is $ada->{browser}->cookie($ads->{port}, 'ads_oauth'), undef,
    'that of the sign-in is gone';
my $me = $world->me($ada->{browser});
is_deeply [@{ $me->{user} }{qw(email name email_verified has_password)}],
    ['ada@shop.example', 'Ada Lovelace', JSON::PP::true, JSON::PP::false],
    'as whom the provider says';
is_deeply [@{ $me->{account} }{qw(type role)}], ['advertiser', 'owner'],
    'with an account of their own';
is $world->mails('ada@shop.example'), 'link_added', 'a mail tells them';
is $ads->sql_value('select method from ads.sessions where user_id = ?',
    $me->{user}{id}), 'google', 'the session says how they came';
is $ads->sql_value('select count(*) from ads.oauth_states s where '
        . 'browser_hash = sha256(?::bytea)', $cookie), 1,
    'a sign-in that nobody ended waits';

my $back = $world->sign_in('google');
is $world->me($back->{browser})->{user}{id}, $me->{user}{id},
    'they come back as the same person';
$google->account(sub => 'g-ada', email => 'countess@shop.example',
    email_verified => JSON::PP::true, name => 'Ada King');
$back = $world->me($world->sign_in('google')->{browser});
is $back->{user}{id}, $me->{user}{id}, 'also with another e-mail there';
is $back->{user}{email}, 'ada@shop.example', 'which is not theirs here';
is $google->asked->{discovery}, 1, 'the provider was asked once who it is';
is $google->asked->{keys}, 1, 'and once for its keys';

# ---- accounts that are there -----------------------------------------------

my $bob = $world->person('bob@shop.example', verified => 1);
$google->account(sub => 'g-bob', email => 'Bob@Shop.example',
    email_verified => JSON::PP::false);
my $in = $world->sign_in('google');
is $in->{error}, 'email_unverified',
    'an e-mail that Google does not vouch for opens no account';
is $in->{browser}->cookie($ads->{port}, 'ads_refresh'), undef, 'no session';
is $world->links($bob->{access_token}), '', 'and links nothing';
$google->account(sub => 'g-bob', email => 'Bob@Shop.example',
    email_verified => JSON::PP::true);
$in = $world->sign_in('google');
is $world->me($in->{browser})->{user}{id}, $bob->{user}{id},
    'one that it vouches for does';
is $world->links($bob->{access_token}), 'google', 'and is linked';
is $world->login('bob@shop.example')->{status}, 200,
    'a confirmed account keeps its password';
$google->account(sub => 'g-other-bob', email => 'bob@shop.example',
    email_verified => JSON::PP::true);
is $world->sign_in('google')->{error}, 'provider_already_linked',
    'whoever has the address there next is not Bob';

$google->account(sub => 'g-none');
is $world->sign_in('google')->{error}, 'email_missing',
    'nobody new without an e-mail';
$google->account(sub => 'g-odd', email => "k\x{212a}\@shop.example",
    email_verified => JSON::PP::true);
is $world->sign_in('google')->{error}, 'email_missing',
    'nor with one that only looks like one';

# ---- Microsoft -------------------------------------------------------------

my $tenant = $Ads::Idp::tenant;
$microsoft->account(sub => 'm-cy', tid => $tenant, email => 'cy@shop.example',
    email_verified => JSON::PP::true);
$in = $world->sign_in('microsoft');
ok $in->{in}, 'a new person of Microsoft';
$me = $world->me($in->{browser});
ok !$me->{user}{email_verified}, 'without xms_edov the e-mail is not proven';
is $world->mails('cy@shop.example'), 'link_added verify',
    'a mail asks to confirm it';
is $ads->sql_value('select issuer from ads.oauth_identities where subject = ?',
    'm-cy'), "$microsoft->{origin}/$tenant/v2.0",
    'their issuer is their tenant';

for my $word ('true', '1', 1, JSON::PP::false, undef) {
    $microsoft->account(sub => 'm-bob', tid => $tenant,
        email => 'bob@shop.example', defined $word ? (xms_edov => $word) : ());
    is $world->sign_in('microsoft')->{error}, 'email_unverified',
        'xms_edov ' . encode_json([$word]) . ' vouches for nothing';
}
$microsoft->account(sub => 'm-bob', tid => $tenant,
    email => 'bob@shop.example', xms_edov => JSON::PP::true);
is $world->me($world->sign_in('microsoft')->{browser})->{user}{id},
    $bob->{user}{id}, 'xms_edov true does';

# ---- the profile -----------------------------------------------------------

my $dan   = $world->person('dan@shop.example', verified => 1);
my $token = $dan->{access_token};
$google->account(sub => 'g-dan', email => 'dan@elsewhere.example');
my $linked = $world->link_from_profile('google', $token);
is $linked->{linked}, 'google', 'a signed-in person links a provider';
is $linked->{browser}->cookie($ads->{port}, 'ads_refresh'), undef,
    'which begins no session';
my $links = $world->api('GET', '/v1/auth/links', $token)->{json};
is_deeply [map { "$_->{provider} $_->{email}" } @{ $links->{data} }],
    ['google dan@elsewhere.example'], 'the profile lists it';
is_deeply [@$links{qw(has_more next_cursor)}], [JSON::PP::false, undef],
    'as a list';
is $world->mails('dan@shop.example'), 'link_added verify', 'a mail tells';
is $ads->sql_value('select count(*) from ads.audit_log where account_id = ?'
        . " and object = 'oauth_identities' and actor = ?",
    $dan->{account}{id}, "user:$dan->{user}{id}"), 1, 'and the audit log';
is $world->me($world->sign_in('google')->{browser})->{user}{id},
    $dan->{user}{id}, 'and signs them in';
is $world->link_from_profile('google', $token)->{linked}, 'google',
    'linking it once more changes nothing';
$google->account(sub => 'g-dan-2', email => 'x@elsewhere.example');
is $world->link_from_profile('google', $token)->{error},
    'provider_already_linked', 'a second identity there is refused';
$google->account(sub => 'g-bob', email => 'bob@shop.example');
is $world->api('DELETE', '/v1/auth/links/google', $token)->{status}, 204,
    'a link is removed';
is $world->link_from_profile('google', $token)->{error}, 'identity_taken',
    "somebody else's identity cannot be linked";
is $world->mails('dan@shop.example'), 'link_added link_removed verify',
    'a mail tells that too';
$ads->is_problem($world->api('DELETE', "/v1/auth/links/$_", $token), 404,
    'not_found', "what is not linked cannot be removed: $_")
    for qw(google github myspace);

$google->account(sub => 'g-ada', email => 'ada@shop.example');
$me = $world->me($world->sign_in('google')->{browser});
$ads->is_problem(
    $world->api('DELETE', '/v1/auth/links/google', $me->{access_token}), 409,
    'last_way_in', 'the last way in stays');

my $eve = $world->person('eve@shop.example');
$google->account(sub => 'g-eve', email => 'eve@elsewhere.example');
is $world->link_from_profile('google', $eve->{access_token})->{error},
    'email_unverified', 'nobody links whose own address is not confirmed';

my $browser = Ads::Browser->new;
my $url = $world->begin_link($browser, 'microsoft', $token)->{json}{url};
is $world->api('POST', '/v1/auth/logout', $token)->{status}, 204,
    'who signs out';
$microsoft->account(sub => 'm-dan', tid => $tenant);
is $world->sign_in('microsoft', browser => $browser, start => $url)->{error},
    'state_invalid', 'ends the link that was under way';
is $world->begin_link($browser, 'google', $token)->{status}, 401,
    'and begins none';

# signed out everywhere, as by a reset, while the provider was asked
$token = $world->login('dan@shop.example')->{json}{access_token};
$google->account(sub => 'g-mallory', email => 'mallory@elsewhere.example');
$browser = Ads::Browser->new;
$url = $world->begin_link($browser, 'google', $token)->{json}{url};
my ($path) = $browser->go($url, qr{/callback\?})->{url} =~ m{(/v1/.*)};
my $oauth = $browser->cookie($ads->{port}, 'ads_oauth');
$ads->db->begin_work;
$ads->db->do('select from ads.users where id = ? for update', undef,
    $dan->{user}{id});
my $socket = Ads::Http::connect($ads->{port});
syswrite $socket, join '', Ads::Http::bytes($ads->{port}, 'GET', $path,
    [Cookie => "ads_oauth=$oauth"]);
$ads->wait_for_lock(10, 'the link to wait');
$ads->db->do('select ads.session_end(?, null, null)', undef, $dan->{user}{id});
$ads->db->commit;
is Ads::Http::answer($socket)->{headers}{location},
    '/dashboard/#error=state_invalid',
    'so does a session that ended while the provider was asked';
is $ads->sql_value(
    "select count(*) from ads.oauth_identities where subject = 'g-mallory'"),
    0, 'and nothing is linked';
my $shop = $ads->seed_shop(products => []);
$ads->is_problem($world->api('GET', '/v1/auth/links', $shop->{key}), 403,
    'wrong_scope', 'a key has no links');

# ---- who asks for JSON -----------------------------------------------------

$google->account(sub => 'g-none');
$in = $world->sign_in('google', headers => [Accept => 'application/json']);
$ads->is_problem($in->{answer}, 409, 'email_missing',
    'who asks for JSON gets the problem');
is $in->{answer}{headers}{location}, undef, 'and is sent nowhere';

# ---- an account that is closed ---------------------------------------------

$ads->db->do("update ads.accounts set status = 'suspended' where id = ?",
    undef, $bob->{account}{id});
$google->account(sub => 'g-bob', email => 'bob@shop.example');
is $world->sign_in('google')->{error}, 'forbidden',
    'nobody signs in whose account is closed';

$world->done;
