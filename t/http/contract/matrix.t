#!/usr/bin/perl
#
# Every route with every kind of credential.  The list of routes is the
# program's own (`adsctl routes`), which docs/openapi.json completes by what
# workers answer, so a new one is tested the day it lands: who may not is refused
# by rule, another tenant's objects are absent, no answer to one tenant holds
# a byte of another's, and none is a 5xx.  Then the same from inside the
# database.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $uuid   = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
my $nobody = '00000000-0000-4000-8000-000000000000';
my $ads    = Ads::Test->new;

# what the worker serves itself, in the same words
my @worker = map { {
    method => 'POST', path => $_, types => 'p', role => undef, body_max => 16384,
    own_tx => JSON::PP::true, creates => JSON::PP::false,
    no_key => JSON::PP::false, any_type => JSON::PP::false,
    person => JSON::PP::false,
    any_user => JSON::PP::false, test_key => JSON::PP::true, socket => 'worker',
} } qw(/v1/ads/recommend /v1/events/impression /v1/events/click);
my @routes = ($ads->adsctl('routes'), @worker);
my %listed = map { ("$_->{method} $_->{path}" => 1) } @routes;
push @routes, map { {
    method => $_->[0], path => $_->[1], types => undef, body_max => 0,
    socket => 'worker',
} } grep { !$listed{"@$_"} } published();
cmp_ok scalar @routes, '>', 8, 'there are routes';
my %has = map { ("$_->{method} $_->{path}" => 1) } @routes;

# Method and path of each operation of docs/openapi.json.
sub published
{
    my $paths = decode_json(Ads::Stack::read_file('docs/openapi.json'))->{paths};
    return map {
        my $path = $_;
        map { [uc, $path =~ s/\{\w+\}/{}/gr] }
            grep { /^(?:get|post|put|patch|delete)$/ } sort keys %{ $paths->{$path} };
    } sort keys %$paths;
}

# ---- a world of two of each ------------------------------------------------

my %letter = (advertiser => 'a', publisher => 'p', platform => 'x');
my %role   = (viewer => 1, editor => 2, owner => 3);
my %tenant;    # name => {type, letter, account, key, test}

sub tenant_make
{
    my ($name, $type) = @_;
    my $canary = "CANARY-$name";
    my $made =
          $type eq 'advertiser' ? $ads->seed_shop(
            name     => "$canary shop",
            campaign_name => "$canary campaign",
            products => [{ %{ $ads->products->[0] }, title => "$canary printer",
                description => "$canary text" }])
        : $type eq 'publisher' ? $ads->seed_publisher(name => "$canary site")
        :                        $ads->seed_platform(name => "$canary boss");
    $ads->key($made->{account}, '--name', "$canary second key");
    my $test = $ads->key($made->{account}, '--test', '--name', "$canary test key");
    my $dead = $ads->adsctl('key', 'create', '--account', $made->{account},
        '--name', "$canary dead key");
    $ads->adsctl('key', 'revoke', $dead->{id});
    my $user = $ads->adsctl('user', 'create', '--email',
        lc("$canary\@$name.example"), '--name', "$canary person", '--verified');
    $ads->adsctl('member', 'add', '--account', $made->{account}, '--user',
        $user->{id}, '--role', 'owner');
    $tenant{$name} = { %$made, name => $name, type => $type,
        letter => $letter{$type}, test => $test, dead => $dead->{key},
        user => $user->{id} };
}

tenant_make('A', 'advertiser');
tenant_make('B', 'advertiser');
tenant_make('P', 'publisher');
tenant_make('Q', 'publisher');
tenant_make('X', 'platform');
tenant_make('S', 'advertiser');    # to be suspended

# events of both sides, and an invitation where people can be invited
for my $publisher (qw(P Q)) {
    my $answer = $ads->recommend($tenant{$publisher}{key}, 'buy a printer',
        max_results => 5);
    $ads->click($_->{click_url}) for @{ $answer->{json}{ads} };
}
$ads->sql("insert into ads.invitations (account_id, email, role)
    select id, 'canary-invited-' || id || '\@x.example', 'viewer'
    from ads.accounts returning id")
    if $ads->sql_value(q{select to_regclass('ads.invitations')});
$ads->wait_until(
    sub { $ads->sql_value('select count(*) from ads.clicks') >= 2 },
    20, 'the clicks to be ingested');

# ---- everything that is a tenant's -----------------------------------------

my @tables = map { $_->[0] } @{ $ads->sql(q{
    select c.relname from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relnamespace = 'ads'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition
    order by 1}) };

# Rows of a tenant as text; volatile are only times of use.
sub rows_of
{
    my ($name) = @_;
    my $account = $tenant{$name}{account};
    my @rows = map { $_->[0] } @{ $ads->sql(
        'select to_jsonb(a)::text from ads.accounts a where id = ?', $account) };
    # what auctions were like is counted by and by
    for my $table (
        grep {
            !/^(?:idempotency_keys|sessions|auction_(?:reports|deltas))$/
        } @tables)
    {
        push @rows, map { "$table $_->[0]" } @{ $ads->sql(
            "select (to_jsonb(t) - 'last_used_at')::text from ads.$table t
             where account_id = ? order by 1", $account) };
    }
    return @rows;
}

# Ids and texts that only this tenant may read.
sub canaries
{
    my ($name) = @_;
    my @rows = rows_of($name);
    my %shared = map { $_ => 1 } map { /($uuid)/g } map { rows_of($_) }
        grep { $_ ne $name } keys %tenant;
    my %own = map { $_ => 1 } grep { !$shared{$_} } map { /($uuid)/g } @rows;
    return ("CANARY-$name", lc "canary-$name", sort keys %own);
}

my %canaries = map { $_ => [canaries($_)] } keys %tenant;
cmp_ok scalar @{ $canaries{B} }, '>', 12, 'a tenant has something to hide';

# one id of each kind of thing, to ask for
sub objects
{
    my ($name) = @_;
    my $account = $tenant{$name}{account};
    my @ids = ($account, $tenant{$name}{user});
    for my $table (@tables) {
        my ($column) = grep { $ads->sql_value(
                'select count(*) from information_schema.columns
                 where table_schema = ? and table_name = ? and column_name = ?',
                'ads', $table, $_) } qw(id click_id event_id);
        push @ids, map { $_->[0] } @{ $ads->sql(
                "select ${column}::text from ads.$table where account_id = ?
                 order by 1 limit 2", $account) } if $column;
    }
    my %seen;
    return grep { !$seen{$_}++ } @ids;
}

# ---- people, once they can sign in -----------------------------------------

my %session;    # "tenant role" => token

sub sign_up
{
    my ($name, $type) = @_;
    my $answer = $ads->http('POST', '/v1/auth/signup',
        ['Content-Type' => 'application/json'],
        encode_json({ email => "$name\@people.example",
                password => "correct horse $name", name => "Person $name",
                account_type => $type }));
    die "signup: $answer->{status} $answer->{body}\n" if $answer->{status} != 201;
    return $answer->{json};
}

if ($has{'POST /v1/auth/signup'}) {
    for my $name (qw(A B P S)) {
        for my $role (sort keys %role) {
            my $made = sign_up(lc "$name$role", $tenant{$name}{type});
            $ads->adsctl('user', 'verify', $made->{user}{id});
            $ads->adsctl('member', 'add', '--account', $tenant{$name}{account},
                '--user', $made->{user}{id}, '--role', $role);
            $session{"$name $role"} = $made->{access_token};
        }
    }
    $canaries{$_} = [canaries($_)] for keys %tenant;
}

# Who was an editor of A until now, and who signed out.
my $ended = sign_up('ended', 'advertiser');
$ads->adsctl('member', 'add', '--account', $tenant{A}{account}, '--user',
    $ended->{user}{id}, '--role', 'editor');
my $joined = $ads->http('GET', '/v1/account',
    ['Authorization' => "Bearer $ended->{access_token}",
        'X-Ads-Account' => $tenant{A}{account}]);
is $joined->{status}, 200, 'a member acts for the account';
$ads->adsctl('member', 'remove', '--account', $tenant{A}{account}, '--user',
    $ended->{user}{id});
my $gone = sign_up('gone', 'advertiser');
$ads->adsctl('session', 'end', '--user', $gone->{user}{id});
$ads->adsctl('tenant', 'suspend', $tenant{S}{account});
$ads->wait_until(sub { $ads->recommend($tenant{S}{key}, 'x')->{status} == 401 },
    10, 'the suspension to be known');

# ---- requests --------------------------------------------------------------

my $asked = 0;

sub ask
{
    my ($route, $path, $who, $body) = @_;
    my @headers = @{ $who->{headers} };
    push @headers, 'Content-Type' => 'application/json' if defined $body;
    $asked++;
    return $ads->http($route->{method}, $path, \@headers, $body);
}

sub path_of
{
    my ($route, @ids) = @_;
    return $route->{path} =~ s/\{\}/shift @ids \/\/ $nobody/ger;
}

# What an answer must not hold: every other tenant's canaries.
sub leaks
{
    my ($answer, @mine) = @_;
    my %mine = map { $_ => 1 } @mine;
    my $text = join ' ', $answer->{body} // '', %{ $answer->{headers} };
    my @found;
    for my $name (grep { !$mine{$_} } sort keys %tenant) {
        push @found, grep { index($text, $_) >= 0 } @{ $canaries{$name} };
    }
    return @found;
}

# Everybody who asks.  `acts` is the tenant acted for.
sub key_of { return ['X-API-Key' => $_[0]] }
my @who = (
    { name => 'nobody', headers => [], status => 401 },
    { name => 'a made-up key', headers => key_of('ads_live_a' . 'x' x 36),
        status => 401 },
    { name => 'a revoked key', headers => key_of($tenant{A}{dead}),
        status => 401 },
    { name => 'a token of nobody', status => 401,
        headers => ['Authorization' => 'Bearer eyJhbGciOiJub25lIn0.e30.'] },
);
for my $name (qw(A P X)) {
    my $t = $tenant{$name};
    push @who,
        { name => "key of $name", acts => $name, headers => key_of($t->{key}) },
        { name => "test key of $name", acts => $name, test => 1,
        headers => key_of($t->{test}) };
}
for my $name (qw(A P)) {
    push @who, {
        name => "platform for $name", acts => $name, platform => 1,
        headers => [@{ key_of($tenant{X}{key}) },
            'X-Ads-Account' => $tenant{$name}{account}] };
}
push @who, {
    name => 'key of A for B', status => 404, header => 1,
    headers => [@{ key_of($tenant{A}{key}) },
        'X-Ads-Account' => $tenant{B}{account}] };
for my $key (grep { !/^S / } sort keys %session) {
    my ($name, $role) = split ' ', $key;
    push @who, {
        name => "$role of $name", acts => $name, role => $role{$role},
        session => 1,
        own => [map { $ads->sql_value('select s.id from ads.sessions s
                join ads.users u on u.id = s.user_id where u.email = ?', $_) }
                lc "$name$role\@people.example"],
        headers => ['Authorization' => "Bearer $session{$key}",
            'X-Ads-Account' => $tenant{$name}{account}] };
}
push @who, {
    name => 'owner of A for B', status => 404, header => 1, session => 1,
    headers => ['Authorization' => "Bearer $session{'A owner'}",
        'X-Ads-Account' => $tenant{B}{account}] } if $session{'A owner'};

push @who,
    { name => 'a member of A of before', status => 404, header => 1, session => 1,
    headers => ['Authorization' => "Bearer $ended->{access_token}",
        'X-Ads-Account' => $tenant{A}{account}] },
    { name => 'who signed out', status => 401,
    headers => ['Authorization' => "Bearer $gone->{access_token}"] },
    { name => 'key of suspended S', status => 401,
    headers => key_of($tenant{S}{key}) },
    { name => 'test key of suspended S', status => 401,
    headers => key_of($tenant{S}{test}) },
    map { {
        name => "$_ of suspended S", status => 404, header => 1, session => 1,
        headers => ['Authorization' => "Bearer $session{\"S $_\"}",
            'X-Ads-Account' => $tenant{S}{account}]
    } } sort keys %role;

# Whose bytes somebody may see: their own.  What is the platform's business
# alone shows it all tenants.
sub may_see
{
    my ($route, $who) = @_;
    return () if !defined $who->{acts};
    return keys %tenant if ($route->{types} // '') eq 'x';
    return ($who->{acts}, $who->{platform} ? 'X' : ());
}

# Routes whose handler asks for more: only one's own membership may be ended
# by those who are no owners.
my %stricter = ('DELETE /v1/account/members/{}' => 1);

# Rule: 401, 403, 404 or undef: the handler decides.
sub expected
{
    my ($route, $who) = @_;
    return undef if !defined $route->{types};
    if ($route->{socket} eq 'worker') {
        return $who->{status} if $who->{status} && !$who->{header};
        return 401 if $who->{session};    # no token is good there
        my $letter = $who->{platform} || $who->{header}
            ? $who->{platform} ? 'x' : 'a' : $tenant{ $who->{acts} }{letter};
        return $route->{types} =~ /$letter/ ? undef : 403;
    }
    return $who->{status} if $who->{status};
    my $letter = $tenant{ $who->{acts} }{letter};
    return 403 if !$route->{any_user} && $route->{types} !~ /$letter/;
    if ($who->{role}) {
        return $route->{role} && $who->{role} >= $role{ $route->{role} }
            ? undef : 403;
    }
    return 403 if $who->{test} && $route->{own_tx} && !$route->{test_key}
        && $route->{method} !~ /^(?:GET|HEAD)$/;
    return 403 if $route->{person};
    return undef if $who->{platform} || $letter eq 'x';
    return 403 if $route->{no_key};
    return ($role{ $route->{role} // '' } // 0) <= $role{editor} ? undef : 403;
}

my %before = map { $_ => join "\n", rows_of($_) } qw(B Q);
my (@wrong, @leaked);

# ---- the matrix ------------------------------------------------------------

for my $route (@routes) {
    my $writes = $route->{method} !~ /^(?:GET|HEAD)$/;
    for my $who (@who) {
        my $expected = expected($route, $who);
        # a write that would be let in is asked for with no body that it
        # could take, or for nothing
        my $body = !$writes || !$route->{body_max} ? undef
            : defined $expected ? '{}' : '{"';
        next if !defined $expected && $writes && !$route->{body_max}
            && $route->{path} !~ /\{\}/;
        my $answer = ask($route, path_of($route), $who, $body);
        my $line   = "$who->{name}: $route->{method} $route->{path}";
        my $status = $answer->{status};
        push @wrong, "$line: $status, not $expected"
            if defined $expected && $status != $expected;
        my $refused = $status == 401
            || $status == 403 && !$stricter{"$route->{method} $route->{path}"};
        push @wrong, "$line: $status"
            if !defined $expected && defined $route->{types}
            && $refused;
        push @wrong, "$line: $status" if $status >= 500;
        push @leaked, map { "$line: $_" }
            leaks($answer, may_see($route, $who));
    }
}
is join("\n", @wrong), '', scalar(@routes) . ' routes x ' . scalar(@who)
    . ' credentials: everybody gets what the rule says';
is join("\n", @leaked), '', 'and nobody a byte of another';

# ---- objects and lists, twice ----------------------------------------------

# Row-level security and statements each keep tenants apart alone, so all of it
# is asked again with a role that no policy binds; by fewer, as it is the
# statement that is classified.
my %few = map { $_ => 1 } ('key of A', 'key of P', 'platform for A',
    'owner of A', 'owner of P');
my %asking = (policies => \@who, statements => [grep { $few{ $_->{name} } } @who]);
for my $how (qw(policies statements)) {
    if ($how eq 'statements') {
        $ads->db->do('alter role ads_api bypassrls');
        $ads->restart('adsd');    # what it prepared knows the policies
        $ads->wait_ready(30);
    }
    apart($how, @{ $asking{$how} });
}
$ads->db->do('alter role ads_api nobypassrls');

sub apart
{
    my ($how, @who) = @_;

    my %foreign = map { $_ => [objects($_)] } qw(B Q);
    my (@found, @missing, %shown);
    @leaked = ();
    for my $route (grep { $_->{path} =~ /\{\}/ && defined $_->{types} } @routes) {
        for my $who (grep { defined $_->{acts} && !defined expected($route, $_) } @who)
        {
            my $writes = $route->{method} !~ /^(?:GET|HEAD)$/;
            my @bodies = $writes && $route->{body_max}
                ? ('{}', encode_json({ account_id => $tenant{B}{account},
                        name => 'taken', role => 'owner' })) : (undef);
            my %own = map { $_ => 1 } may_see($route, $who);
            for my $id (map { @{ $foreign{$_} } } grep { !$own{$_} } sort keys %foreign)
            {
                for my $body (@bodies) {
                    my $answer = ask($route, path_of($route, $id, $id), $who, $body);
                    my $line = "$who->{name}: $route->{method} "
                        . path_of($route, $id, $id);
                    my $status = $answer->{status};
                    push @found, "$line: $status"
                        if defined $body ? $status < 400 || $status >= 500
                        : $status != 404
                        && !($status == 403
                        && $stricter{"$route->{method} $route->{path}"});
                    push @leaked, map { "$line: $_" } leaks($answer, keys %own);
                }
            }
        }

        # and what is one's own is there
        next if $route->{method} ne 'GET';
        for my $who (grep { defined $_->{acts} && !defined expected($route, $_) } @who)
        {
            my $ok = 0;
            for my $id (objects($who->{acts}), @{ $who->{own} || [] }) {
                my $answer = ask($route, path_of($route, $id), $who);
                $ok ||= $answer->{status} == 200;
                push @leaked, map { "$who->{name}: $route->{path}: $_" }
                    leaks($answer, may_see($route, $who));
            }
            $shown{ $route->{path} } += $ok;
        }
        push @missing, $route->{path} if !$shown{ $route->{path} };
    }
    is join("\n", @found), '', "$how: an object of another tenant is absent";
    is join("\n", @missing), '', 'and one\'s own is there';
    is join("\n", @leaked), '', 'no answer holds a byte of another tenant';

    # lists
    my @cursors;
    for my $route (grep { $_->{method} eq 'GET' && $_->{path} !~ /\{\}/
                && defined $_->{types} } @routes)
    {
        my %of = map { $_->{acts} => $_ }
            grep { $_->{platform} && !defined expected($route, $_) } @who;
        $of{B} = { acts => 'B', headers => [@{ key_of($tenant{X}{key}) },
                'X-Ads-Account' => $tenant{B}{account}] } if $of{A};
        for my $who (values %of) {
            my $answer = ask($route, $route->{path}, $who);
            push @leaked, map { "$who->{acts}: $route->{path}: $_" }
                leaks($answer, $who->{acts}, 'X');
        }
        next if !$of{A};
        my $cursor = ask($route, "$route->{path}?limit=1", $of{B})
            ->{json}{next_cursor} // next;
        push @cursors, $route->{path};
        my $answer = ask($route, "$route->{path}?cursor=$cursor", $of{A});
        is $answer->{status}, 400, "$route->{path}: another tenant's cursor is none";
        is_deeply [leaks($answer, 'A')], [], 'and shows nothing';
    }
    cmp_ok scalar @cursors, '>', 0, "$how: lists have pages";
    is join("\n", @leaked), '', 'no list holds a byte of another tenant';
}

# ---- nothing was changed ---------------------------------------------------

for my $name (qw(B Q)) {
    is join("\n", rows_of($name)), $before{$name},
        "of all this $name has nothing but what it had";
}
note "$asked requests";

# ---- from inside -----------------------------------------------------------

# As the api role without a tenant: no row of any table, though all of those
# that it may read at all for a tenant are filled.
my $db = $ads->db;
$db->begin_work;
$db->do('set local role ads_api');
my @readable = map { $_->[0] } @{ $ads->sql(q{
    select c.relname from pg_class c
    where c.relnamespace = 'ads'::regnamespace and c.relkind in ('r', 'p', 'v')
        and c.relname not in ('schema_migrations', 'schema_code')
        and has_any_column_privilege(c.oid, 'select')
    order by 1}) };
my %count;
for my $tenant ('', $tenant{A}{account}, $tenant{P}{account}) {
    $db->do(q{select set_config('ads.tenant', ?, true)}, undef, $tenant);
    for my $table (@readable) {
        $count{$tenant}{$table} =
            $ads->sql_value("select count(*) from ads.$table");
    }
}
$db->rollback;
cmp_ok scalar @readable, '>=', 18, 'the api role reads ' . @readable . ' tables';
is_deeply [grep { $count{''}{$_} } @readable], [],
    'without a tenant none of them has a row';
cmp_ok scalar(grep { $count{ $tenant{A}{account} }{$_}
            || $count{ $tenant{P}{account} }{$_} } @readable), '>=', 14,
    'with one most of them have';

$ads->done;
