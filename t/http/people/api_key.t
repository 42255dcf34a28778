#!/usr/bin/perl
#
# /v1/auth/api-key: made, shown once, listed, replaced with a grace, revoked;
# who may, and what test keys may.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $path = '/v1/auth/api-key';
my $uuid = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
my $ads  = Ads::Test->new;
my $boss = $ads->seed_platform;
my $pub  = $ads->seed_publisher;
my $shop = $ads->seed_shop;
my @for  = ('X-Ads-Account' => $pub->{account});

sub call
{
    my ($method, $rest, $body, @headers) = @_;
    return $ads->http(
        $method, $path . ($rest // ''),
        [
            'X-API-Key' => $boss->{key},
            (defined $body ? ('Content-Type' => 'application/json') : ()), @headers
        ],
        ref $body ? encode_json($body) : $body
    );
}

sub make
{
    my ($body, @headers) = @_;
    return call('POST', '', $body, @for, @headers);
}

sub works
{
    my ($key) = @_;
    return $ads->recommend($key, 'buy a laser printer')->{status};
}

# ---- one is made -----------------------------------------------------------

my $made = make({ name => 'Backend', cidrs => ['127.0.0.0/8', '192.0.2.7'],
        explain => JSON::PP::true, expires_at => '2099-01-01T00:00:00Z' });
is $made->{status}, 201, 'a key is made';
my $new = $made->{json};
like $new->{id}, qr/^$uuid$/, 'with an id';
like $new->{key}, qr/^ads_live_p\w{36}$/, 'the key itself';
is_deeply [@{$new}{qw(name type mode status expires_at)}],
    ['Backend', 'publisher', 'live', 'active', '2099-01-01T00:00:00.000Z'],
    'and what it is';
is $new->{last_four}, substr($new->{key}, -4), 'its last four characters';
is_deeply $new->{cidrs}, ['127.0.0.0/8', '192.0.2.7/32'], 'its addresses';
is $made->{headers}{location}, "$path/$new->{id}", 'and where it is';
is $made->{headers}{'cache-control'}, 'no-store', 'it is not for caches';
like $made->{headers}{'x-ads-generation'} // '', qr/^\d+$/, 'it is served';
is works($new->{key}), 200, 'and works at once';

my $plain = make({ name => 'x' })->{json};
is_deeply [@{$plain}{qw(expires_at explain)}, scalar @{ $plain->{cidrs} }],
    [undef, JSON::PP::false, 0], 'most may be left out';
my $test = make({ name => 'try', test => JSON::PP::true })->{json};
like $test->{key}, qr/^ads_test_p/, 'a test key says so';
is $test->{mode}, 'test', 'twice';
like call('POST', '', { name => 'n' }, 'X-Ads-Account' => $shop->{account})
    ->{json}{key}, qr/^ads_live_a/, 'an advertiser gets its own kind';
like call('POST', '', { name => 'n' })->{json}{key}, qr/^ads_live_x/,
    'and so does the platform';

# ---- explain is the operator's to give --------------------------------------

my $site = $ads->post('/v1/auth/signup', undef,
    { email => 'site@site.example', password => 'a long enough secret',
        account_type => 'publisher' })->{json};
sub as_site
{
    return $ads->post($path, $site->{access_token}, $_[0]);
}
$ads->is_problem(as_site({ name => 'spy', explain => JSON::PP::true }), 403,
    'wrong_scope', 'a publisher makes no key that explains');
my $dull = as_site({ name => 'dull', explain => JSON::PP::false })->{json};
is $dull->{explain}, JSON::PP::false, 'only one that does not';
$ads->is_problem(as_site({ rotate => $dull->{id}, explain => JSON::PP::true }),
    403, 'wrong_scope', 'nor makes one of another');
my $given = $ads->http('POST', $path, ['X-API-Key' => $boss->{key},
        'Content-Type'  => 'application/json',
        'X-Ads-Account' => $site->{account}{id}],
    encode_json({ name => 'given', explain => JSON::PP::true }))->{json};
is $given->{explain}, JSON::PP::true, 'the operator gives the right';
is as_site({ rotate => $given->{id} })->{json}{explain}, JSON::PP::true,
    'which goes on with the next key';

# the key of the platform acts as an owner of any account, its own included
my $secret = 'a long enough secret';
my $helper = $ads->post('/v1/auth/signup', undef,
    { email => 'helper@platform.example', password => $secret })->{json}{user}{id};
my $owner = $ads->adsctl('user', 'create', '--email', 'owner@platform.example')
    ->{id};
$ads->adsctl('member', 'add', '--account', $boss->{account}, '--user', $_->[0],
    '--role', $_->[1])
    for [$owner, 'owner'], [$helper, 'editor'];
sub as_helper
{
    my ($body) = @_;
    my $in = $ads->post('/v1/auth/login', undef,
        { email => 'helper@platform.example', password => $secret,
            account_id => $boss->{account} })->{json};
    return $ads->post($path, $in->{access_token}, $body);
}
my $spare = call('POST', '', { name => 'spare' })->{json}{id};
$ads->is_problem(as_helper($_), 403, 'wrong_scope',
    'an editor of the platform makes none')
    for { name => 'more than I may' }, { rotate => $spare };
$ads->sql(q{update ads.members set role = 'owner' where user_id = ?
    and account_id = ? returning 1}, $helper, $boss->{account});
is as_helper({ rotate => $spare })->{status}, 201, 'an owner does';

# ---- what is refused -------------------------------------------------------

for my $case (
    [{},                                        '/name',       'required'],
    [{ name => '' },                            '/name',       'empty'],
    [{ name => 'x' x 201 },                     '/name',       'too_long'],
    [{ name => 1 },                             '/name',       'wrong_type'],
    [{ name => 'x', test => 'yes' },            '/test',       'wrong_type'],
    [{ name => 'x', colour => 'red' },          '',            'unknown_field'],
    [{ name => 'x', type => 'x' },              '',            'unknown_field'],
    [{ name => 'x', account_id => $boss->{account} }, '',      'unknown_field'],
    [{ name => 'x', expires_at => 'tomorrow' }, '/expires_at', 'invalid_format'],
    [{ name => 'x', expires_at => '2001-01-01T00:00:00Z' },
        '/expires_at', 'out_of_range'],
    [{ name => 'x', cidrs => '192.0.2.0/24' },  '/cidrs',      'wrong_type'],
    [{ name => 'x', cidrs => ['localhost'] },   '/cidrs',      'invalid_format'],
    [{ name => 'x', cidrs => ['192.0.2.1/24'] }, '/cidrs',     'invalid_format'],
    [{ name => 'x', cidrs => [map { "10.0.0.$_" } 0 .. 100] }, '/cidrs', 'too_many'],
    [{ name => 'x', grace_s => 5 },             '/grace_s',    'not_allowed'],
    [{ rotate => 'x' },                         '/rotate',     'invalid_format'],
    [{ rotate => $new->{id}, grace_s => 604801 }, '/grace_s',  'out_of_range'],
) {
    my ($body, $pointer, $code) = @$case;
    my $answer = make($body);
    is $answer->{status}, 400, "$pointer $code is refused";
    is_deeply [map { "$_->{pointer} $_->{code}" } @{ $answer->{json}{errors} }],
        ["$pointer $code"], 'and told so';
}
is make('{"name":"x"')->{json}{code}, 'malformed_json', 'half a body is refused';
is make('[]')->{status}, 400, 'an array is none';
is $ads->http('POST', $path, ['X-API-Key' => $boss->{key}, @for,
        'Content-Type' => 'text/plain'], '{"name":"x"}')->{status}, 415,
    'nor is text';

# ---- who may ---------------------------------------------------------------

for my $who (
    ['nobody',            401, undef],
    ['a publisher\'s key', 403, $pub->{key}],
    ['an advertiser\'s key', 403, $shop->{key}],
) {
    my ($name, $status, $key) = @$who;
    my @key = $key ? ('X-API-Key' => $key) : ();
    for my $call (['POST', '', '{"name":"x"}'], ['GET', ''],
        ['GET', "/$new->{id}"], ['DELETE', "/$new->{id}"])
    {
        my ($method, $rest, $body) = @$call;
        my $answer = $ads->http($method, "$path$rest",
            [@key, 'Content-Type' => 'application/json'], $body);
        is $answer->{status}, $status, "$name, $method: $status";
        unlike $answer->{body}, qr/\Q$new->{last_four}\E/, 'and nothing is told';
    }
}

# ---- shown, listed ---------------------------------------------------------

my $shown = call('GET', "/$new->{id}", undef, @for);
is $shown->{status}, 200, 'a key is shown';
my %without = %$new;
delete $without{key};
my %again = %{ $shown->{json} };
delete $_->{last_used_at} for \%without, \%again;
is_deeply \%again, \%without, 'as it was made, without the key';

my $list = call('GET', '', undef, @for)->{json};
is_deeply [map { $_->{id} } @{ $list->{data} }[ 0 .. 2 ]],
    [map { $_->{id} } $test, $plain, $new], 'keys are listed, newest first';
unlike call('GET', '', undef, @for)->{body}, qr/ads_(?:live|test)_|hash/,
    'without the keys';
is scalar @{ call('GET', '?q=BACK', undef, @for)->{json}{data} }, 1,
    'found by name';
is scalar @{ call('GET', '?status=revoked', undef, @for)->{json}{data} }, 0,
    'and by state';
is scalar @{ call('GET', '?limit=2', undef, @for)->{json}{data} }, 2, 'in pages';
is call('GET', '?colour=red', undef, @for)->{status}, 400,
    'an unknown filter is refused';

my $formula = make({ name => '=1+1', cidrs => ['192.0.2.0/24', '2001:db8::/32'] })
    ->{json};
my $csv = call('GET', '?q=%3D1', undef, @for, 'Accept' => 'text/csv');
like $csv->{headers}{'content-type'}, qr{^text/csv}, 'also as CSV';
my ($head, $row) = split /\r\n/, $csv->{body};
like $head, qr/^id,name,type,mode,last_four,/, 'with a head';
like $row, qr/^$formula->{id},"?'=1\+1/, 'and no formula';
call('DELETE', "/$formula->{id}", undef, @for);

# another account's key is no key
for my $id ($new->{id}, '00000000-0000-4000-8000-000000000000', 'x') {
    for my $method (qw(GET DELETE)) {
        is call($method, "/$id", undef, 'X-Ads-Account' => $shop->{account})
            ->{status}, 404, "$method of what is not this account's is 404";
    }
}
is works($new->{key}), 200, 'and it goes on';

# ---- use is noted ----------------------------------------------------------

my $used = $ads->sql_value(
    'select extract(epoch from now() - last_used_at) from ads.api_keys
     where account_id = ?', $boss->{account});
ok defined $used && $used < 60, 'last use is noted by adsd';
my $changes = $ads->sql_value('select n from ads.change');
my $stamp   = 'select last_used_at from ads.api_keys k
    join ads.accounts a on a.id = k.account_id
    where a.id = ? and k.last_used_at is not null';
my $before = $ads->sql_value($stamp, $boss->{account});
call('GET') for 1 .. 5;
is $ads->sql_value($stamp, $boss->{account}), $before, 'once a minute';
is $ads->sql_value('select n from ads.change'), $changes,
    'and changes nothing that is served';

# ---- replaced --------------------------------------------------------------

my $old = make({ name => 'Old', cidrs => ['127.0.0.0/8'] })->{json};
my $next = make({ rotate => $old->{id}, grace_s => 2 });
is $next->{status}, 201, 'a key is replaced';
is_deeply [@{ $next->{json} }{qw(name mode)}, @{ $next->{json}{cidrs} }],
    ['Old', 'live', '127.0.0.0/8'], 'by one like it';
is works($_), 200, 'both work' for $old->{key}, $next->{json}{key};
$ads->wait_until(sub { works($old->{key}) == 401 }, 10, 'the grace to end');
is works($next->{json}{key}), 200, 'then only the new one';
is make({ rotate => $old->{id} })->{status}, 404,
    'what has ended is not replaced';
my $sharp = make({ rotate => $next->{json}{id}, grace_s => 0, name => 'New' });
is works($next->{json}{key}), 401, 'without a grace the old one ends at once';
is $sharp->{json}{name}, 'New', 'and what is said goes first';
is make({ rotate => '00000000-0000-4000-8000-000000000000' })->{status}, 404,
    'what is not there is not replaced';
is call('POST', '', { rotate => $new->{id} }, 'X-Ads-Account' => $shop->{account})
    ->{status}, 404, 'nor what is another\'s';
is works($new->{key}), 200, 'which goes on';

# ---- revoked ---------------------------------------------------------------

is call('DELETE', "/$plain->{id}", undef, @for)->{status}, 204,
    'a key is revoked';
is works($plain->{key}), 401, 'and refused at once';
is call('DELETE', "/$plain->{id}", undef, @for)->{status}, 204,
    'once more changes nothing';
is call('GET', "/$plain->{id}", undef, @for)->{json}{status}, 'revoked',
    'it stays in the list';

# ---- ten are enough --------------------------------------------------------

my @status;
while (@status < 20) {
    push @status, make({ name => 'more' })->{status};
    last if $status[-1] != 201;
}
is $status[-1], 409, 'there is a limit';
is scalar @{ call('GET', '?status=active', undef, @for)->{json}{data} }, 10,
    'of ten usable keys';
is make({ name => 'more' })->{json}{code}, 'too_many_keys', 'which has a code';
my ($one) = @{ call('GET', '?status=active&q=more', undef, @for)->{json}{data} };
is make({ rotate => $one->{id} })->{status}, 201, 'one can still be replaced';
call('DELETE', "/$_->{id}", undef, @for)
    for @{ call('GET', '?status=active&q=more', undef, @for)->{json}{data} };

# ten at once where there is room for a few
my $room = 10 - @{ call('GET', '?status=active', undef, @for)->{json}{data} };
my @pids;
for my $n (1 .. 12) {
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        my $answer = make({ name => "race $n" });
        POSIX::_exit($answer->{status} == 201 ? 1 : 0);
    }
    push @pids, $pid;
}
my $made_n = 0;
for (@pids) {
    waitpid $_, 0;
    $made_n += $? >> 8;
}
is $made_n, $room, "twelve at once make the $room there is room for";
call('DELETE', "/$_->{id}", undef, @for)
    for @{ call('GET', '?status=active&q=race', undef, @for)->{json}{data} };

# ---- Idempotency-Key -------------------------------------------------------

my @once  = ('Idempotency-Key' => 'make-it-once');
my $first = make({ name => 'once' }, @once);
is $first->{status}, 201, 'a first request';
my $repeat = make({ name => 'once' }, @once);
$ads->is_problem($repeat, 409, 'already_done', 'a repeat makes nothing');
is $repeat->{headers}{'x-ads-object'}, $first->{json}{id},
    'and names what there is';
like $repeat->{json}{detail}, qr/\b$first->{json}{id}\b/, 'also in its text';
unlike $repeat->{body}, qr/ads_live/, 'without the key';
is scalar @{ call('GET', '?q=once', undef, @for)->{json}{data} }, 1, 'once';
$ads->is_problem(make({ name => 'other' }, @once), 422,
    'idempotency_key_reused', 'another body is another request');
is $ads->sql_value(q{select count(*) from ads.idempotency_keys
    where body is not null and convert_from(body, 'UTF8') like '%ads_live%'}), 0,
    'no answer with a key is kept';

# ---- people ----------------------------------------------------------------

my $person = $ads->http('POST', '/v1/auth/signup',
    ['Content-Type' => 'application/json'],
    encode_json({ email => 'ann@shop.example', password => 'a long enough one' }))
    ->{json};
my @token = ('Authorization' => "Bearer $person->{access_token}",
    'Content-Type' => 'application/json');
my $by_hand = $ads->http('POST', $path, \@token, '{"name":"by hand"}');
is $by_hand->{status}, 201, 'an owner makes a key';
like $by_hand->{json}{key}, qr/^ads_live_a/, 'of the account\'s type';
is $ads->http('GET', '/v1/campaigns', ['X-API-Key' => $by_hand->{json}{key}])
    ->{status}, 200, 'which works';
is $ads->http('GET', $path, ['X-API-Key' => $by_hand->{json}{key}])->{status},
    403, 'but makes and sees no keys itself';
is $ads->http('DELETE', "$path/$by_hand->{json}{id}", \@token)->{status}, 204,
    'and is revoked';
is $ads->http('GET', '/v1/campaigns', ['X-API-Key' => $by_hand->{json}{key}])
    ->{status}, 401, 'at once';

# ---- test keys -------------------------------------------------------------

my $dry = $ads->key($boss->{account}, '--test');
my $tried = $ads->http('POST', $path,
    ['X-API-Key' => $dry, 'Content-Type' => 'application/json', @for,
        'Idempotency-Key' => 'dry'], '{"name":"dry"}');
is $tried->{status}, 201, 'a test key is answered like any other';
is $tried->{headers}{'x-ads-test'}, 1, 'and told what it is';
is scalar @{ call('GET', '?q=dry', undef, @for)->{json}{data} }, 0,
    'but nothing of it is kept';
is works($tried->{json}{key}), 401, 'and the key is none';
is $ads->sql_value(q{select count(*) from ads.idempotency_keys where key = 'dry'}),
    0, 'nor is its Idempotency-Key';
is $ads->http('DELETE', "$path/$new->{id}", ['X-API-Key' => $dry, @for])
    ->{status}, 204, 'revoking is tried';
is works($new->{key}), 200, 'only';
is $ads->http('GET', "$path/$new->{id}", ['X-API-Key' => $dry, @for])
    ->{json}{name}, 'Backend', 'reading is the same';

# ---- secrets ---------------------------------------------------------------

my @rows = map { $_->[0] } map { @{ $ads->sql($_) } }
    'select l::text from ads.audit_log l', 'select k::text from ads.api_keys k';
is scalar(grep { /ads_live_\w{37}|ads_test_\w{37}/ } @rows), 0,
    'the database holds no key';
my @log = map { $ads->log_lines($_, qr/ads_(?:live|test)_[pax]\w{36}/) }
    qw(access.log nginx.log adsd.out);
is scalar @log, 0, 'nor does a log';
my ($last) = @{ $ads->http('GET', '/v1/account/audit?object=api_keys',
        ['X-API-Key' => $boss->{key}, @for])->{json}{data} };
like $last->{actor}, qr/^key:$uuid$/, 'the audit log says who';

$ads->done;
