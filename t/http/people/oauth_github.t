#!/usr/bin/perl
#
# Signing in with GitHub, which has no ID tokens: the person is its number, and
# only the primary address counts.  Our double of it is held against GitHub's
# own description of its API.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::GitHub;
use Ads::SignIn;
use JSON::PP;
use Test::More;

my $world = Ads::SignIn->new('github');
my ($ads, $github) = @{$world}{qw(ads github)};

sub address
{
    my ($email, %is) = @_;
    return { email => $email, primary => 1, verified => 1, %is };
}

# ---- the double ------------------------------------------------------------

# Members of a schema that GitHub publishes: name => has to be there.
sub schema
{
    my ($name) = @_;
    my $types = Ads::Idp::slurp(
        Ads::Idp::packages() . '/node_modules/@octokit/openapi-types/types.d.ts');
    my ($text) = $types =~ /^    "?\Q$name\E"?: \{\n(.*?)^    \};/ms
        or BAIL_OUT("no schema $name");
    return map { /^      (\w+)(\??):/ ? ($1 => !$2) : () } split /\n/, $text;
}

my %account = (id => 1, login => 'octocat', name => 'Octo',
    emails => [address('o@shop.example'), address('p@x.example', primary => 0)]);
my %said = (
    'private-user' => [Ads::GitHub::user(\%account)],
    email          => Ads::GitHub::emails(\%account),
);
for my $name (sort keys %said) {
    my %schema = schema($name);
    for my $item (@{ $said{$name} }) {
        is_deeply [grep { $schema{$_} && !exists $item->{$_} }
                sort keys %schema], [], "the double's $name lacks nothing";
        is_deeply [grep { !exists $schema{$_} } sort keys %$item], [],
            'and says nothing of its own';
    }
}

# ---- signing in ------------------------------------------------------------

my $begun = $ads->http('GET', '/v1/auth/oauth/github')->{headers}{location};
like $begun, qr{^$github->{origin}/login/oauth/authorize\?}, 'GitHub is asked';
like $begun, qr{[?&]scope=read%3Auser%20user%3Aemail(?:&|$)}, 'for little';
like $begun, qr{[?&]code_challenge=[\w-]{43}&code_challenge_method=S256(?:&|$)},
    'with PKCE';
unlike $begun, qr{nonce}, 'a nonce would be for an ID token';

$github->account(id => 583231, login => 'ada', name => 'Ada',
    emails => [address('old@shop.example', primary => 0),
        address('ada@shop.example')]);
my $in = $world->sign_in('github');
ok $in->{in}, 'a new person';
like $in->{callback}, qr{[?&]iss=}, 'GitHub names itself in its answer';
my $ada = $world->me($in->{browser});
is_deeply [@{ $ada->{user} }{qw(email name email_verified)}],
    ['ada@shop.example', 'Ada', JSON::PP::true], 'with the primary address';
is_deeply $ads->sql('select issuer, subject from ads.oauth_identities'),
    [["$github->{origin}/login/oauth", '583231']], 'known by a number';

$github->account(id => 583231, login => 'countess', name => undef,
    emails => [address('new@shop.example')]);
is $world->me($world->sign_in('github')->{browser})->{user}{id},
    $ada->{user}{id}, 'whatever they call themselves by now';
$github->account(id => 7, login => 'ada', emails => []);
is $world->sign_in('github')->{error}, 'email_missing',
    'whoever has the old name is somebody else';

# it becomes the account's, which is read under its ads
for my $case (
    ["E\x{202e}ve\n Ltd", 'Eve Ltd'], ["\x{200b} \x{3164}", undef],
    ) {
    my ($name, $taken) = @$case;
    my $email = ($taken ? 'eve' : 'unseen') . '@shop.example';
    $github->account(id => $taken ? 300 : 301, login => 'eve', name => $name,
        emails => [address($email)]);
    my $me = $world->me($world->sign_in('github')->{browser});
    is $me->{user}{name}, $taken,
        'a name as a form would take it: ' . ($taken // 'none');
    like $me->{account}{name}, defined $taken ? qr/^\Q$taken\E$/ : qr/^Advertiser [0-9a-f]{8}$/,
        'for the account too, and never the address';
}

my $bob = $world->person('bob@shop.example', verified => 1);
for my $case (
    ['not verified', address('bob@shop.example', verified => 0)],
    ['not primary', address('bob@shop.example', primary => 0)],
    ['public, not listed'],
    ) {
    my ($name, @emails) = @$case;
    $github->account(id => 99, login => 'mallory', public => 1,
        emails => [@emails, @emails ? () : address('m@x.example')]);
    $world->sign_in('github');
    is $world->links($bob->{access_token}), '',
        "an address that is $name opens no account";
    $ads->db->do("delete from ads.oauth_identities where subject = '99'");
    $ads->db->do("update ads.users set email = 'gone-' || id || '\@x.example'"
            . " where email = 'm\@x.example'");
}
$github->account(id => 100, login => 'bob', emails =>
        [address('bob@shop.example'), address('m@x.example', primary => 0)]);
is $world->me($world->sign_in('github')->{browser})->{user}{id},
    $bob->{user}{id}, 'a primary and verified one does';

# ---- what GitHub may do wrong ----------------------------------------------

$github->account(id => 200, login => 'cy', emails => [address('cy@x.example')]);
for my $case (
    ['token',  'drop',     'provider_unavailable'],
    ['token',  'garbage',  'provider_error'],
    ['token',  'empty',    'provider_error'],
    ['token',  'big',      'provider_error'],
    ['user',   'drop',     'provider_unavailable'],
    ['user',   'error',    'provider_error'],
    ['user',   'empty',    'provider_error'],
    ['user',   'list',     'provider_error'],
    ['emails', 'garbage',  'provider_error'],
    ['emails', 'empty',    'provider_error'],
    ['emails', 'redirect', 'provider_error'],
    ) {
    my ($which, $fault, $code) = @$case;
    $github->control($which => $fault, target => $world->url('/healthz'));
    is $world->sign_in('github')->{error}, $code, "its $which: $fault";
}
$github->control(deny => 1);
is $world->sign_in('github')->{error}, 'sign_in_denied', 'the person says no';
$github->control(user => 'error');
$in = $world->sign_in('github', headers => [Accept => 'application/json']);
$ads->is_problem($in->{answer}, 502, 'provider_error', 'as JSON: 502');
$github->control(user => 'drop');
$in = $world->sign_in('github', headers => [Accept => 'application/json']);
$ads->is_problem($in->{answer}, 503, 'provider_unavailable', 'or 503');
like $in->{answer}{headers}{'retry-after'}, qr/^\d+$/, 'with when to try again';

$github->control;
is $world->sign_in('github',
    change => sub { $_[0] =~ s/iss=[^&]*/iss=https%3A%2F%2Faccounts.google.com/r })
    ->{error}, 'provider_mismatch', "another provider's answer is refused";
is $world->sign_in('github', change => sub { $_[0] =~ s/code=\w+/code=code1/r })
    ->{error}, 'provider_error', 'so is a code of another sign-in';
is $ads->sql_value(
    "select count(*) from ads.oauth_identities where subject = '200'"), 0,
    'none of this made an account';
ok $world->sign_in('github', change => sub { $_[0] =~ s/&?iss=[^&]*//r })->{in},
    'an answer of GitHub without iss, as it used to be, is fine';

$world->done;
