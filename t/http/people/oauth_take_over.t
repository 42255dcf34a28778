#!/usr/bin/perl
#
# Who lies in wait for somebody else's account, or takes it by an e-mail that
# no one proved.  The five ways of pre-hijacking (Sudhodanan and Paverd, USENIX
# Security 2022) and a friend left in the account, each ended by the owner of
# the address coming with a provider that vouches for it and, again, by mail;
# then nOAuth and forced links.  Afterwards nothing that Mallory holds opens
# anything of the owner's.
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
my $tenant = $Ads::Idp::tenant;
my $secret = "the owner's own secret";
my $n      = 0;

# ---- what Mallory prepares -------------------------------------------------

# An account with the owner's address and a password that Mallory knows.
sub squat
{
    my ($email) = @_;
    my $browser = Ads::Browser->new;
    my $answer  = $browser->ask('POST', $world->url('/v1/auth/signup'),
        ['Content-Type' => 'application/json'],
        encode_json({ email => $email, password => $Ads::SignIn::password }));
    is $answer->{status}, 201, 'Mallory signs up with an address of another';
    return { email => $email, browser => $browser, %{ $answer->{json} } };
}

my %ways = (
    'classic and federated merge' => \&squat,

    'session that does not end' => sub {
        my $loot = squat(@_);
        ok $world->refresh($loot->{browser}), 'a session is kept alive';
        $loot->{key} = $ads->post('/v1/auth/api-key', $loot->{access_token},
            { name => 'spare' })->{json}{key};
        ok $loot->{key}, 'and an API key made';
        return $loot;
    },

    'friend in the same account' => sub {
        my $loot = squat(@_);
        is $ads->post('/v1/account/members', $loot->{access_token},
            { email => "friend-$n\@evil.example", role => 'owner' })
            ->{json}{code}, 'email_unverified',
            'an account that is not confirmed invites nobody';
        return $loot;
    },

    'trojan identifier' => sub {
        my $loot = squat(@_);
        $google->account(sub => "mallory-$n", email => "m-$n\@evil.example",
            email_verified => JSON::PP::true);
        is $world->link_from_profile('google', $loot->{access_token})->{error},
            'email_unverified',
            'an account that is not confirmed takes no provider';

        # and if it had one
        $ads->db->do('insert into ads.oauth_identities'
                . ' (user_id, provider, issuer, subject) values (?, ?, ?, ?)',
            undef, $loot->{user}{id}, 'google', $google->{origin},
            "mallory-$n");
        is $world->me($world->sign_in('google')->{browser})->{user}{id},
            $loot->{user}{id}, 'if it had one, that would sign Mallory in';
        $loot->{google} = "mallory-$n";
        return $loot;
    },

    'change of address under way' => sub {
        my $loot = squat(@_);
        my $mine = "mallory-$n\@evil.example";
        is $ads->post('/v1/auth/email', $loot->{access_token}, {
                email => $mine, password => $Ads::SignIn::password
            })->{status}, 202, 'a change to another address is begun';
        $loot->{code} = $world->mail_code($mine, 'email_change');
        ok $loot->{code}, 'and its code kept';
        return $loot;
    },

    'provider that does not vouch' => sub {
        my ($email) = @_;
        $microsoft->account(sub => "mallory-$n", tid => $tenant,
            email => $email);
        my $in = $world->sign_in('microsoft');
        ok $in->{in}, 'Mallory signs up by way of a tenant of his own';
        my $me = $world->me($in->{browser});
        ok !$me->{user}{email_verified}, 'with an address nobody proved';
        return { email => $email, browser => $in->{browser},
            microsoft => "mallory-$n", %$me };
    },
);

# ---- how the owner comes ---------------------------------------------------

my %owners = (
    'with a provider that vouches' => sub {
        my ($email) = @_;
        $google->account(sub => "owner-$n", email => $email,
            email_verified => JSON::PP::true);
        my $in = $world->sign_in('google');
        ok $in->{in}, 'the owner signs in with Google';
        return $in->{browser};
    },

    'by mail' => sub {
        my ($email) = @_;
        is $ads->post('/v1/auth/password/reset', undef, { email => $email })
            ->{status}, 202, 'the owner asks for a new password';
        is $ads->post('/v1/auth/password/reset/confirm', undef,
            { code => $world->mail_code($email, 'reset'), password => $secret })
            ->{status}, 204, 'and sets it';
        my $browser = Ads::Browser->new;
        is $browser->ask('POST', $world->url('/v1/auth/login'),
            ['Content-Type' => 'application/json'],
            encode_json({ email => $email, password => $secret }))->{status},
            200, 'and signs in';
        return $browser;
    },
);

# ---- what is left to Mallory -----------------------------------------------

sub worthless
{
    my ($loot, $owner) = @_;
    my $id = $owner->{user}{id};
    isnt $world->login($loot->{email})->{status}, 200, 'the password is dead';
    is $world->api('GET', '/v1/auth/me', $loot->{access_token})->{status}, 401,
        'the session is dead';
    is $world->refresh($loot->{browser}), undef, 'its cookie too';
    is $ads->http('GET', '/v1/auth/me', ['X-API-Key' => $loot->{key}])
        ->{status}, 401, 'the key is dead'
        if $loot->{key};
    for my $kind (grep { $loot->{$_} } qw(google microsoft)) {
        $world->{$kind}->account(sub => $loot->{$kind}, tid => $tenant,
            email => $loot->{email});
        my $in = $world->sign_in($kind);
        is $in->{error}, 'email_unverified', "the identity at $kind is dead";
    }
    is $ads->post('/v1/auth/email/verify', undef, { code => $loot->{code} })
        ->{json}{code}, 'code_invalid', 'the code is dead'
        if $loot->{code};

    my $me = $world->me($owner->{browser});
    is $me->{user}{id}, $id, 'and the owner is still in';
    is $me->{user}{email}, $loot->{email}, 'with their address';
    ok $me->{user}{email_verified}, 'which is proven';
    is $ads->sql_value('select count(*) from ads.members m join ads.members o'
            . ' using (account_id) where o.user_id = ? and m.user_id <> ?',
        $id, $id), 0, 'alone in their account';
}

for my $way (sort keys %ways) {
    for my $how (sort keys %owners) {
        $n++;
        subtest "$way; the owner comes $how" => sub {
            my $email   = "owner-$n\@shop.example";
            my $loot    = $ways{$way}->($email);
            my $browser = $owners{$how}->($email);
            my $me      = $world->me($browser);
            worthless($loot, { browser => $browser, %$me });
        };
    }
}

# ---- a confirmed account is no one else's ----------------------------------

my $ann = $world->person('ann@shop.example', verified => 1);

# nOAuth: a tenant's administrator writes any address into a profile
for my $claims (
    {},
    { email_verified => JSON::PP::true },
    { email_verified => JSON::PP::true, xms_edov => JSON::PP::false },
    { xms_edov => 'true' },
    ) {
    $microsoft->account(sub => 'mallory', tid => $tenant,
        email => 'ann@shop.example', %$claims);
    is $world->sign_in('microsoft')->{error}, 'email_unverified',
        'Microsoft: ' . encode_json($claims);
}
$google->account(sub => 'mallory', email => 'ann@shop.example',
    email_verified => 'true', xms_edov => JSON::PP::true);
is $world->sign_in('google')->{error}, 'email_unverified',
    "one provider's word in another's mouth";
is $world->links($ann->{access_token}), '', 'nothing was linked';

# forced links and sign-ins: what Mallory began, Ann's browser cannot end
my $mallory = $world->person('mallory@evil.example', verified => 1);
my $his     = Ads::Browser->new;
my $aside   = sub { $world->url('/dashboard/') };
$google->account(sub => 'g-mallory', email => 'mallory@evil.example',
    email_verified => JSON::PP::true);
my $hers   = Ads::Browser->new;
my $forced = $world->sign_in('google', browser => $his, change => $aside);
is($hers->go($forced->{callback}, qr{/dashboard/})->{url},
    $world->url('/dashboard/#error=state_invalid'),
    'Ann is not signed in as Mallory by a link of his');
$google->account(sub => 'g-ann', email => 'other@shop.example');
my $begun = $world->begin_link($his, 'google', $mallory->{access_token});
my $at    = $hers->go($begun->{json}{url}, qr{/callback\?});
is($hers->go($at->{url}, qr{/dashboard/})->{url},
    $world->url('/dashboard/#error=state_invalid'),
    "nor is Ann's identity linked to his account");
is $world->links($mallory->{access_token}), '', 'nothing is';

# two at once
$google->account(sub => 'g-both', email => 'both@shop.example',
    email_verified => JSON::PP::true);
my @both = map { $world->sign_in('google', change => $aside) } 1 .. 2;
my @sockets = map {
    my $socket = Ads::Http::connect($ads->{port});
    print {$socket} join '', Ads::Http::bytes($ads->{port}, 'GET',
        $_->{callback} =~ s{^http://[^/]+}{}r,
        [Cookie => 'ads_oauth=' . $_->{browser}->cookie($ads->{port},
            'ads_oauth')]);
    $socket
} @both;
is Ads::Http::answer($_)->{headers}{location}, '/dashboard/',
    'two first sign-ins at the same moment both work' for @sockets;
is $ads->sql_value(
    "select count(*) from ads.users where email = 'both\@shop.example'"), 1,
    'and make one person';

$world->done;
