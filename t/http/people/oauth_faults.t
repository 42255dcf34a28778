#!/usr/bin/perl
#
# What a provider, or somebody between it and us, may do wrong: down, slow,
# nonsense, tokens that are not for us, answers that were not asked for.  Each
# is distinguished, and none signs anybody in.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::SignIn;
use IO::Socket::INET;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $world = Ads::SignIn->new('google', 'microsoft');
my ($ads, $google, $microsoft) = @{$world}{qw(ads google microsoft)};
my %ada = (sub => 'g-ada', email => 'ada@shop.example',
    email_verified => JSON::PP::true);
my $tenant = $Ads::Idp::tenant;

# The code a sign-in ends with; "in" when it is none.
sub outcome
{
    my ($kind, %opt) = @_;
    my $in = $world->sign_in($kind, %opt);
    return $in->{in} ? 'in' : $in->{error} // 'nothing';
}

# The answer to who asks for JSON.
sub start_json
{
    return $ads->http('GET', "/v1/auth/oauth/$_[0]",
        [Accept => 'application/json']);
}

# An address that tells whether anybody came.
my $trap = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5);
my $trap_url = 'http://127.0.0.1:' . $trap->sockport . '/';

# ---- discovery -------------------------------------------------------------

for my $case (
    ['drop',     'provider_unavailable'],
    ['garbage',  'provider_error'],
    ['empty',    'provider_error'],
    ['big',      'provider_error'],
    ['error',    'provider_error'],
    ['redirect', 'provider_error'],
    ['issuer',   'provider_error'],
    ['host',     'provider_error'],
    ['short',    'provider_error'],
    ) {
    my ($fault, $code) = @$case;
    $google->account(%ada);
    $google->control(discovery => $fault, target => $trap_url);
    is outcome('google'), $code, "discovery: $fault";
}
$google->control(discovery => 'hang');
my $began = time;
my $first = Ads::Http::connect($ads->{port});
print {$first} join '', Ads::Http::bytes($ads->{port}, 'GET',
    '/v1/auth/oauth/google', [Accept => 'application/json']);
sleep 1.5;
my $begun  = time;
my $second = start_json('google');
cmp_ok time - $begun, '<', Ads::Test::patience(),
    'while somebody waits, the next is told at once';
$ads->is_problem($second, 503, 'provider_unavailable', 'that it is slow');
$begun = time;
like start_json('microsoft')->{headers}{location} // '',
    qr{^\Q$microsoft->{origin}\E/}, 'the other provider is asked';
cmp_ok time - $begun, '<', 2 * Ads::Test::patience(), 'and does not wait for it';
my $slow = Ads::Http::answer($first);
$ads->is_problem($slow, 503, 'provider_unavailable', 'discovery: slow');
my $took = time - $began;
ok $took > 4 && $took < 15, sprintf 'after 5 s, not for ever (%.1f s)', $took;

# ---- its keys, when they are asked for first ---------------------------------

my %keys = (drop => 'provider_unavailable', garbage => 'provider_error',
    big => 'provider_error', empty => 'provider_error',
    error => 'provider_error', redirect => 'provider_error',
    hang => 'provider_unavailable');

# Asked for once; the answer, as late as the fault makes it.
sub keys_fault
{
    my ($fault, $when) = @_;
    my $before = $google->asked->{keys} // 0;
    my $start  = time;
    is outcome('google'), $keys{$fault}, "its keys, $when: $fault";
    my $spent = time - $start;
    is $google->asked->{keys}, $before + 1, 'which were asked for once';
    if ($fault eq 'hang') {
        ok $spent > 4 && $spent < 15,
            sprintf 'after 5 s, not for ever (%.1f s)', $spent;
    } else {
        cmp_ok $spent, '<', 4 * Ads::Test::patience(), 'at once';
    }
}

for my $fault (sort keys %keys) {
    $google->account(%ada);
    $google->control(keys => $fault, target => $trap_url);
    keys_fault($fault, 'asked for first');
}

# ---- an answer that no one asked for ---------------------------------------

$google->account(%ada);
is outcome('google'), 'in', 'all is well';
my $browser = Ads::Browser->new;
my $in      = $world->sign_in('google', browser => $browser);
is($browser->go($in->{callback}, qr{/dashboard/})->{url},
    $world->url('/dashboard/#error=state_invalid'), 'an answer counts once');
my $aside = sub { $world->url('/dashboard/') };    # the answer is kept
my $there = $world->sign_in('google', change => $aside);
my $refused = $world->url('/dashboard/#error=state_invalid');
my $stranger = Ads::Browser->new;
is($stranger->go($there->{callback}, qr{/dashboard/})->{url}, $refused,
    'it counts not without the cookie of who began');
is($there->{browser}->go($there->{callback}, qr{/dashboard/})->{url},
    $world->url('/dashboard/'), 'which is no loss to them');
$there = $world->sign_in('google', change => $aside);
$stranger->go($world->url('/v1/auth/oauth/google'), qr{/auth\?});
is($stranger->go($there->{callback}, qr{/dashboard/})->{url}, $refused,
    "nor with the cookie of another browser's sign-in");
is($there->{browser}->go($there->{callback}, qr{/dashboard/})->{url}, $refused,
    'and then it is used up');
my %change = (
    'a made-up state' => sub { $_[0] =~ s/state=[\w-]*/'state=' . 'A' x 43/er },
    'half a state'    => sub { $_[0] =~ s/(state=[\w-]{20})[\w-]*/$1/r },
    'a longer state'  => sub { $_[0] =~ s/(state=[\w-]*)/$1A/r },
    'no state'        => sub { $_[0] =~ s/state=[\w-]*//r },
    'an empty answer' => sub { $_[0] =~ s/\?.*/?/r },
);
is outcome('google', change => $change{$_}), 'state_invalid', $_
    for sort keys %change;
is $world->sign_in('google', change => sub { $_[0] =~ s/(state=[\w-]*)/$1&$1/r })
    ->{error}, 'invalid_fields', 'two states';
$there = $world->sign_in('google', change => $aside);
$ads->db->do('update ads.oauth_states set expires_at = now()');
is($there->{browser}->go($there->{callback}, qr{/dashboard/})->{url}, $refused,
    'nor after ten minutes');

# ---- another provider's answer ---------------------------------------------

$microsoft->account(sub => 'm-ada', tid => $tenant, email => 'ada@shop.example');
my $codes = $google->asked->{token};
is outcome('google', change => sub { $_[0] =~ s{/google/}{/microsoft/}r }),
    'state_invalid', "one provider's answer at the other's address";
is outcome('google',
    change => sub { $_[0] =~ s/iss=[^&]*/iss=https%3A%2F%2Fevil.example/r }),
    'provider_mismatch', 'an answer that names another issuer';
is outcome('google', change => sub { $_[0] =~ s/&?iss=[^&]*//r }),
    'provider_mismatch', 'one that names none, though that was promised';
my $other = '11111111-2222-4333-8444-555555555555';
is outcome('microsoft', change => sub { $_[0] =~ s/$tenant/$other/r }),
    'provider_mismatch', 'one that names another tenant';
is outcome('microsoft', change => sub { $_[0] =~ s/$tenant/common/r }),
    'provider_mismatch', 'or something that is none';
is $google->asked->{token}, $codes, 'no code of these was given to anybody';

# ---- the person, and the provider, say no ----------------------------------

$google->control(deny => 1);
is outcome('google'), 'sign_in_denied', 'the person says no';
$google->control;
is outcome('google', change => sub {
        $_[0] =~ s/code=[^&]*/error=server_error&error_description=%3Cb%3E/r
    }), 'provider_error', 'the provider has a problem';
is outcome('google', change => sub { $_[0] =~ s/code=[^&]*/code=/r }),
    'provider_error', 'an answer without a code';
is outcome('google', change => sub { $_[0] =~ s/code=[^&]*/code=made-up/r }),
    'provider_error', 'a code that is none';

# ---- tokens ----------------------------------------------------------------

for my $case (
    ['drop',     'provider_unavailable'],
    ['garbage',  'provider_error'],
    ['empty',    'provider_error'],
    ['big',      'provider_error'],
    ['error',    'provider_error'],
    ['redirect', 'provider_error'],
    ) {
    my ($fault, $code) = @$case;
    $google->control(token => $fault, target => $trap_url);
    is outcome('google'), $code, "its token: $fault";
}
my $now    = time;
my %tokens = (
    'another nonce'        => { claims => { nonce => 'A' x 43 } },
    'no nonce'             => { claims => { nonce => undef } },
    'for another client'   => { claims => { aud => 'client-other' } },
    'for others too'       => { claims => { aud => ['client-google', 'x'] } },
    'for nobody'           => { claims => { aud => [] } },
    'given to another'     => { claims => { azp => 'client-other' } },
    'of another issuer'    => { claims => { iss => 'https://evil.example' } },
    'of the issuer, nearly' => { claims => { iss => "$google->{origin}/" } },
    'over'                 => { claims => { exp => int($now) - 120 } },
    'of tomorrow'          => { claims => { iat => int($now) + 86400 } },
    'without an end'       => { claims => { exp => undef } },
    'of nobody'            => { claims => { sub => '' } },
    'not signed'           => { sign => 'none' },
    'signed with the public key' => { sign => 'hs256' },
    "with a stranger's key"      => { sign => 'stranger' },
);
for my $name (sort keys %tokens) {
    $google->control(%{ $tokens{$name} });
    is outcome('google'), 'provider_error', "a token $name";
}
$google->control(sign => 'es256');
is outcome('google'), 'in', 'a token signed with ES256 is as good';

for my $case (
    ['another tenant', { tid => $other }],
    ['no tenant', { tid => undef }],
    ['another issuer', { iss => "$microsoft->{origin}/$other/v2.0" }],
    ["another tenant's issuer",
        { tid => $other, iss => "$microsoft->{origin}/$other/v2.0" }],
    ['the template', { iss => "$microsoft->{origin}/{tenantid}/v2.0" }],
    ) {
    my ($name, $claims) = @$case;
    $microsoft->control(claims => $claims);
    my $got = outcome('microsoft');
    ok $got eq 'provider_error' || $got eq 'provider_mismatch',
        "Microsoft's token of $name";
}

# ---- new keys --------------------------------------------------------------

my $asked = $google->asked->{keys};
$google->control(rotate => 1);
is outcome('google'), 'in', 'a new key is asked for at once';
is $google->asked->{keys}, $asked + 1, 'once';
$google->control(rotate => 1);
is outcome('google'), 'provider_error', 'but not twice within a minute';
is $google->asked->{keys}, $asked + 1, 'whoever makes up key ids';

# A new key that cannot be had: a minute later it is asked for again, or now by
# an adsd that starts.
for my $fault (qw(drop garbage big hang)) {
    is +($world->stop)[0], 0, 'adsd ends';
    $google->control;
    $world->begin;
    is outcome('google'), 'in', 'a start asks for the keys';
    $google->control(rotate => 1, keys => $fault);
    keys_fault($fault, 'new ones');
}
$google->control;

# ---- slow ------------------------------------------------------------------

$microsoft->control(token => 'hang');
my @slow = map { $world->sign_in('microsoft', change => $aside) } 1 .. 2;
$world->person('quick@shop.example');
$began = time;
$world->login('quick@shop.example');
my $usual = time - $began;
my @waiting = map {
    my $socket = Ads::Http::connect($ads->{port});
    print {$socket} join '', Ads::Http::bytes($ads->{port}, 'GET',
        $_->{callback} =~ s{^http://[^/]+}{}r, [Accept => 'application/json',
            Cookie => 'ads_oauth=' . $_->{browser}->cookie($ads->{port},
                'ads_oauth')]);
    $socket
} @slow;
$began = time;
is $world->login('quick@shop.example')->{status}, 200,
    'a slow provider holds up no login';
cmp_ok time - $began, '<', 2 * $usual + 3, 'not at all';
$ads->is_problem(Ads::Http::answer($_), 503, 'provider_unavailable',
    'who waits for it is told') for @waiting;

is $ads->sql_value('select count(*) from ads.oauth_identities'), 1,
    'nobody but Ada was signed in';
ok !IO::Select->new($trap)->can_read(0), 'no redirect was followed';

# ---- a stop in between -----------------------------------------------------

my $last = $world->sign_in('microsoft', change => $aside);
$codes = $microsoft->asked->{token};
my $waits = Ads::Http::connect($ads->{port});
print {$waits} join '', Ads::Http::bytes($ads->{port}, 'GET',
    $last->{callback} =~ s{^http://[^/]+}{}r, [Accept => 'application/json',
        Cookie => 'ads_oauth='
            . $last->{browser}->cookie($ads->{port}, 'ads_oauth')]);
$ads->wait_until(sub { $microsoft->asked->{token} > $codes }, 10,
    'the code to be exchanged');
(my $status, $took) = $world->stop;
is $status, 0, 'adsd stops while it waits for a provider';
cmp_ok $took, '<', 4, 'without waiting longer';
$ads->is_problem(Ads::Http::answer($waits), 503, 'provider_unavailable',
    'and says so');

# ---- an address inside -----------------------------------------------------

$google->account(%ada);
$ads->{adsd}{oauth_allow_private} = 'off';
$ads->{adsd}{oauth_google_issuer} =~ s/^http:/https:/;
$world->begin;
$asked = $google->asked->{discovery};
$ads->is_problem(start_json('google'), 502, 'provider_error',
    'a provider at a private address is not asked');
$ads->is_problem(start_json('microsoft'), 502, 'provider_error',
    'nor one by plain http');
is $google->asked->{discovery}, $asked, 'not at all';
is scalar(() = $ads->log_lines('adsd.out', qr/its address is not public/)), 1,
    'and the log says why';
$google->stop;
$microsoft->stop;

$world->done;
