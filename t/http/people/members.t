#!/usr/bin/perl
#
# An account and the people in it: who may look, who may change what, how
# somebody joins, and that an account keeps an owner.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new;
my $good = 'a long enough secret';

sub signup
{
    my ($email, %fields) = @_;
    return $ads->post('/v1/auth/signup', undef,
        { email => $email, password => $good, %fields })->{json};
}

sub ask
{
    my ($who, $method, $path, $body, @headers) = @_;
    return $ads->http($method, "/v1/$path",
        ['Authorization' => 'Bearer ' . ($who->{access_token} // $who->{key}),
            defined $body ? ('Content-Type' => 'application/json') : (),
            @headers],
        defined $body ? encode_json($body) : undef);
}

# The code of the last invitation to that address.
sub invited
{
    my ($email) = @_;
    my $code;
    $ads->wait_until(
        sub {
            my ($mail) = grep { /^To: \Q$email\E\r$/m && /^Subject: You are invited\b/m }
                reverse map { Ads::Stack::read_file($_) }
                sort glob "$ads->{dir}/mail/*.eml";
            like $mail, qr/^\A(?!.*(?:Caf|casino))/s,
                'an invitation holds nothing that a stranger wrote'
                if defined $mail;
            ($code) = ($mail // '') =~ /#invite=([\w-]{43})\r?$/m;
        },
        10,
        "an invitation to $email"
    );
    return $code;
}

my $ada = signup('ada@shop.example', company => 'Win at casino.example');
my $eve = signup('eve@shop.example');
my $bob = signup('bob@shop.example');
my $key = { key => $ads->key($ada->{account}{id}) };
my @acting = ('X-Ads-Account' => $ada->{account}{id});

# ---- the account -----------------------------------------------------------

my $account = ask($ada, GET => 'account');
is $account->{status}, 200, 'an account is shown';
is_deeply [@{ $account->{json} }{qw(id type name status currency timezone)}],
    [$ada->{account}{id}, 'advertiser', 'Win at casino.example', 'active', 'USD',
    'UTC'], 'as it is';
is ask($key, GET => 'account')->{status}, 200, 'to its keys too';
my $changed = ask($ada, PATCH => 'account',
    { name => 'Shop', timezone => 'Asia/Kathmandu' });
is "$changed->{status} @{ $changed->{json} }{qw(name timezone)}",
    '200 Shop Asia/Kathmandu', 'name and zone are changed';
cmp_ok $changed->{headers}{'x-ads-generation'} // 0, '>', 0,
    'which the workers know at once';
$ads->is_problem(
    ask($ada, PATCH => 'account', { timezone => 'Mars/Olympus' }),
    400, 'invalid_fields', 'to one that exists');
$ads->is_problem(ask($ada, PATCH => 'account', { $_->[0] => $_->[1] }),
    400, 'invalid_fields', "not its $_->[0]")
    for ['type', 'platform'], ['currency', 'EUR'], ['status', 'active'];
$ads->is_problem(
    ask($ada, PATCH => 'account', { name => 'Late' },
        'If-Match' => $account->{headers}{etag}),
    412, 'etag_mismatch', 'and not over somebody\'s change');
$ads->is_problem(ask($key, PATCH => 'account', { name => 'Key' }),
    403, 'wrong_scope', 'nor by a key');
ask($ada, PATCH => 'account', { name => "Caf\x{e9} \x{2603}" });

# ---- inviting --------------------------------------------------------------

$ads->is_problem(
    ask($ada, POST => 'account/members',
        { email => 'eve@shop.example', role => 'owner' }),
    409, 'email_unverified', 'nobody invites whose own address is not proven');
$ads->sql(q{update ads.users set email_verified_at = now()
    where email = 'ada@shop.example' returning 1});
my $asked = ask($ada, POST => 'account/members',
    { email => 'eve@shop.example', role => 'viewer' });
is $asked->{status}, 201, 'somebody is invited';
is_deeply [@{ $asked->{json} }{qw(email role status)}],
    [qw(eve@shop.example viewer invited)], 'as what';
$ads->is_problem(
    ask($ada, POST => 'account/members',
        { email => 'EVE@shop.example', role => 'owner' }),
    409, 'conflict', 'once');
$ads->is_problem(
    ask($ada, POST => 'account/members',
        { email => 'ada@shop.example', role => 'owner' }),
    409, 'conflict', 'and no member');
$ads->is_problem(ask($ada, POST => 'account/members', $_),
    400, 'invalid_fields', 'with an address and a role')
    for { email => 'x@shop.example', role => 'god' },
    { email => 'x', role => 'owner' }, { role => 'owner' };
$ads->is_problem(ask($eve, GET => 'account/members', undef, @acting),
    404, 'not_found', 'who is only invited sees nothing');

my $code = invited('eve@shop.example');
$ads->is_problem(ask($bob, POST => 'auth/invitations/accept',
        { code => $code }),
    400, 'code_invalid', 'nobody else can accept');
my $joined = ask($eve, POST => 'auth/invitations/accept', { code => $code });
is $joined->{status}, 200, 'who was invited can';
is $joined->{json}{account_id}, $ada->{account}{id}, 'and is told to what';
ok ask($eve, GET => 'auth/me')->{json}{user}{email_verified},
    'which proves the address';
$ads->is_problem(ask($eve, POST => 'auth/invitations/accept',
        { code => $code }),
    400, 'code_invalid', 'once');

my $list = ask($ada, GET => 'account/members')->{json};
is_deeply { map { $_->{email} => "$_->{role} $_->{status}" }
            @{ $list->{data} } },
    { 'ada@shop.example' => 'owner active', 'eve@shop.example' => 'viewer active' },
    'members are listed';
my $page = ask($ada, GET => 'account/members?limit=1')->{json};
ok $page->{has_more}, 'page by page';
is ask($ada, GET => "account/members?limit=1&cursor=$page->{next_cursor}")
    ->{json}{data}[0]{email}, 'ada@shop.example', 'to the last';
$ads->is_problem(
    ask($bob, GET => "account/members?limit=1&cursor=$page->{next_cursor}"),
    400, 'invalid_fields', 'a cursor is no other account\'s');

# ---- roles -----------------------------------------------------------------

my %by = map { $_->{email} => $_->{id} } @{ $list->{data} };
is ask($eve, GET => 'account', undef, @acting)->{status}, 200,
    'a viewer looks';
$ads->is_problem(ask($eve, PATCH => 'account', { name => 'E' }, @acting),
    403, 'wrong_scope', 'and changes nothing');
$ads->is_problem(
    ask($eve, PATCH => "account/members/$by{'eve@shop.example'}",
        { role => 'owner' }, @acting),
    403, 'wrong_scope', 'nor what they may do');
$ads->is_problem(
    ask($eve, DELETE => "account/members/$by{'ada@shop.example'}", undef,
        @acting),
    403, 'wrong_scope', 'and removes nobody');
is ask($ada, PATCH => "account/members/$by{'eve@shop.example'}",
    { role => 'editor' })->{json}{role}, 'editor', 'an owner makes an editor';
is ask($eve, POST => 'auth/api-key', { name => 'E' }, @acting)->{status}, 201,
    'who changes things';
$ads->is_problem(ask($eve, PATCH => 'account', { name => 'E' }, @acting),
    403, 'wrong_scope', 'but not the account');
$ads->is_problem(
    ask($eve, POST => 'account/members',
        { email => 'x@shop.example', role => 'viewer' }, @acting),
    403, 'wrong_scope', 'and invites nobody');
$ads->is_problem(
    ask($bob, DELETE => "account/members/$by{'eve@shop.example'}"),
    404, 'not_found', 'another account\'s members are not there');

for my $way ([PATCH => { role => 'viewer' }], [DELETE => undef]) {
    $ads->is_problem(
        ask($ada, $way->[0] => "account/members/$by{'ada@shop.example'}",
            $way->[1]),
        409, 'last_owner', 'the last owner stays');
}
is ask($ada, PATCH => "account/members/$by{'eve@shop.example'}",
    { role => 'owner' })->{status}, 200, 'with another owner';
is ask($ada, PATCH => "account/members/$by{'ada@shop.example'}",
    { role => 'viewer' })->{status}, 200, 'one can step down';
my $hers = ask($ada, POST => 'auth/api-key', { name => 'mine' }, @acting)->{json};
ok !$hers->{key}, 'a viewer makes no key';
is ask($eve, PATCH => "account/members/$by{'ada@shop.example'}",
    { role => 'editor' }, @acting)->{status}, 200, 'an editor';
$hers = ask($ada, POST => 'auth/api-key', { name => 'mine' }, @acting)->{json};
is ask($hers, GET => 'account')->{status}, 200, 'makes one that works';
is ask($eve, PATCH => "account/members/$by{'ada@shop.example'}",
    { role => 'viewer' }, @acting)->{status}, 200, 'a viewer again';
is ask($hers, GET => 'account')->{status}, 401,
    'has no key left that could do more than its maker';

# who is going has invited another address of their own
ask($eve, PATCH => "account/members/$by{'ada@shop.example'}",
    { role => 'owner' }, @acting);
$ads->sql_value('update ads.users set email_verified_at = now()
    where email = ? returning 1', 'ada@shop.example');
my $second = signup('ada.second@shop.example');
my $door   = ask($ada, POST => 'account/members',
    { email => 'ada.second@shop.example', role => 'owner' }, @acting);
is $door->{status}, 201, 'an owner invites';
$code = invited('ada.second@shop.example');
is ask($eve, PATCH => "account/members/$by{'ada@shop.example'}",
    { role => 'editor' }, @acting)->{status}, 200, 'and is no owner any more';
$ads->is_problem(ask($second, POST => 'auth/invitations/accept',
        { code => $code }), 400, 'code_invalid',
    'which ends the invitations that are out');
$hers = ask($ada, POST => 'auth/api-key', { name => 'mine' }, @acting)->{json};
is ask($ada, DELETE => "account/members/$by{'ada@shop.example'}")->{status},
    204, 'or leave';
is ask($hers, GET => 'account')->{status}, 401, 'which ends the keys they made';
is ask($ada, GET => 'auth/me')->{status}, 401,
    'which ends the sessions that began for this account';
$ads->is_problem(
    $ads->post('/v1/auth/login', undef,
        { email => 'ada@shop.example', password => $good }),
    403, 'forbidden', 'who is in no account cannot sign in');
is ask($key, GET => 'account')->{status}, 200, 'its keys go on';

my $back = ask($eve, POST => 'account/members',
    { email => 'ada@shop.example', role => 'editor' }, @acting)->{json};
is ask($eve, DELETE => "account/members/$back->{id}", undef, @acting)
    ->{status}, 204, 'an invitation is taken back';
is scalar(grep { $_->{status} eq 'invited' }
        @{ ask($eve, GET => 'account/members', undef, @acting)->{json}{data} }),
    0, 'and gone';

# ---- sessions --------------------------------------------------------------

my $two = $ads->http('POST', '/v1/auth/login',
    ['Content-Type' => 'application/json', 'User-Agent' => "Fire\x{1}fox/9"],
    encode_json({ email => 'bob@shop.example', password => $good }))->{json};
my $sessions = ask($bob, GET => 'auth/sessions')->{json};
is scalar(@{ $sessions->{data} }), 2, 'sessions are listed';
is_deeply [map { $_->{current} ? 1 : 0 } @{ $sessions->{data} }], [0, 1],
    'newest first, and which one this is';
is $sessions->{data}[0]{user_agent}, 'Fire?fox/9', 'and with what';
$ads->is_problem(ask($eve, DELETE => "auth/sessions/$sessions->{data}[0]{id}"),
    404, 'not_found', 'another\'s session is not there');
is ask($bob, DELETE => "auth/sessions/$sessions->{data}[0]{id}")->{status},
    204, 'one is ended';
is ask($two, GET => 'auth/me')->{status}, 401, 'at once';
$ads->is_problem(ask($bob, DELETE => "auth/sessions/$sessions->{data}[0]{id}"),
    404, 'not_found', 'once');
$two = $ads->post('/v1/auth/login', undef,
    { email => 'bob@shop.example', password => $good })->{json};
my $there = ask($two, GET => 'auth/me')->{json}{auth}{session_id};
is ask($bob, GET => "auth/sessions/$there")->{json}{id}, $there,
    'one is shown';
$ads->is_problem(ask($eve, GET => "auth/sessions/$there"), 404, 'not_found',
    "not another's");
is ask($bob, DELETE => 'auth/sessions')->{status}, 204, 'or all others';
is ask($two, GET => 'auth/me')->{status}, 401, 'have ended';
is ask($bob, GET => 'auth/me')->{status}, 200, 'but this one';
$ads->is_problem(ask($key, GET => 'auth/sessions'), 403, 'wrong_scope',
    'a key has none');

# ---- a suspended account ---------------------------------------------------

$ads->adsctl('tenant', 'suspend', $bob->{account}{id});
is ask($bob, GET => 'auth/me')->{status}, 401,
    'for a suspended account nobody acts';
$ads->is_problem(
    $ads->post('/v1/auth/login', undef,
        { email => 'bob@shop.example', password => $good }),
    403, 'forbidden', 'nor signs in');

$ads->done;
