#!/usr/bin/perl
#
# Campaigns over HTTP: all fields there and back, legal moves only, changes
# that meet, pages that stay, and no one else's campaign.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use List::Util qw(shuffle);
use Test::More;

my $ads   = Ads::Test->new;
my $shop  = $ads->seed_shop;
my $other = $ads->seed_shop(name => 'Other shop', products => []);
my $pub   = $ads->seed_publisher;
my $boss  = $ads->seed_platform;

sub call
{
    my ($method, $path, $body, @headers) = @_;
    push @headers, 'X-API-Key' => $shop->{key}
        unless grep { $_ eq 'X-API-Key' } @headers;
    return $ads->http($method, "/v1/campaigns$path",
        ['Content-Type' => 'application/json', @headers],
        ref $body ? encode_json($body) : $body);
}

sub fields
{
    my (%more) = @_;
    return { name => 'Printers', bid => 0.25, budget => { daily => 20 }, %more };
}

sub create
{
    my (%more) = @_;
    my $answer = call('POST', '', fields(%more));
    die "$answer->{status}: $answer->{body}" if $answer->{status} != 201;
    return $answer->{json};
}

sub errors
{
    my ($answer) = @_;
    return { map { $_->{pointer} => $_->{code} } @{ $answer->{json}{errors} } };
}

# ---- there and back --------------------------------------------------------

my $made = call('POST', '', fields());
is $made->{status}, 201, 'the least a campaign needs is enough';
like $made->{headers}{location}, qr{^/v1/campaigns/\Q$made->{json}{id}\E$},
    'Location leads to it';
like $made->{headers}{etag}, qr/^"\d+"$/, 'it has an ETag';
like $made->{headers}{'x-ads-generation'}, qr/^\d+$/,
    'and it is served at once';
my $json = $made->{json};
is $json->{status}, 'paused', 'it is paused until somebody says active';
is $json->{serving_status}, 'paused', 'so it does not serve';
is_deeply $json->{reasons}, ['paused', 'no_products'], 'and all reasons are told';
is "$json->{bid} $json->{bid_micros}", '0.25 250000', 'money has its twin';
is_deeply $json->{budget},
    { daily => 20, daily_micros => 20000000, lifetime => undef,
        lifetime_micros => undef }, 'in the budget too';
is $json->{timezone}, 'UTC', 'its time zone is the account\'s';
is $json->{currency}, 'USD', 'its currency is the installation\'s';
is_deeply $json->{attribution}, { click_window_days => 30 }, 'thirty days';
my $got = call('GET', "/$json->{id}");
is $got->{status}, 200, 'it can be read';
is_deeply $got->{json}, $json, 'as it was answered';
is $got->{headers}{etag}, $made->{headers}{etag}, 'with the same ETag';

my $full = {
    name          => "M\x{fc}ller & S\x{f6}hne \x{1f5a8}",
    status        => 'active',
    pricing       => 'cpc',
    bid           => 0.000001,
    budget        => { daily => 1, lifetime => 1000000000 },
    start_at      => '2026-01-01T00:00:00Z',
    end_at        => '2030-06-30T23:59:59.5+02:00',
    timezone      => 'Europe/Berlin',
    pacing        => 'asap',
    targeting     => {
        locations         => ['DE', 'US-CA'],
        not_locations     => ['DE-BY'],
        placements        => ['inline', 'my.own_place-1'],
        publishers        => [$pub->{account}],
        keywords          => ['laser printer', 'toner'],
        negative_keywords => ['free'],
        categories        => ['Printers'],
        languages         => ['de', 'pt-BR'],
    },
    frequency_cap => { count => 3, window_s => 3600 },
    attribution   => { click_window_days => 7 },
    external_id   => 'crm-77',
};
my $answer = call('POST', '', $full);
is $answer->{status}, 201, 'all fields together are taken';
$json = $answer->{json};
is_deeply { map { $_ => $json->{$_} } qw(name status pricing timezone pacing
        targeting frequency_cap attribution external_id) },
    { map { $_ => $full->{$_} } qw(name status pricing timezone pacing
        targeting frequency_cap attribution external_id) }, 'and come back';
is $json->{end_at}, '2030-06-30T21:59:59.500Z', 'times come back in UTC';
is_deeply [@{$json}{qw(bid_micros)}, @{ $json->{budget} }{qw(daily_micros
        lifetime_micros)}], [1, 1000000, 1000000000000000],
    'the smallest and the largest amounts are exact';

# ---- refusals: all at once -------------------------------------------------

$answer = call('POST', '', {
    name => ' ', bid => 0, budget => {}, start_at => 'now', pricing => 'cpa',
    colour => 'red', timezone => 'Berlin', status => 'archived',
    targeting => { locations => ['DE', 'Atlantis'], publishers => ['x'] },
    frequency_cap => { count => 0 }, attribution => { click_window_days => 91 },
});
$ads->is_problem($answer, 400, 'invalid_fields', 'many mistakes');
is_deeply errors($answer), {
    '/name' => 'empty', '/bid' => 'out_of_range', '/budget' => 'required',
    '/start_at' => 'invalid_format', '/pricing' => 'not_allowed',
    '' => 'unknown_field', '/timezone' => 'not_allowed',
    '/status' => 'not_allowed', '/targeting/locations/1' => 'invalid_format',
    '/targeting/publishers/0' => 'invalid_format',
    '/frequency_cap/count' => 'out_of_range',
    '/frequency_cap/window_s' => 'required',
    '/attribution/click_window_days' => 'out_of_range',
}, 'are answered in one go';

for my $case (
    [name => 'x' x 201, 'too_long'], [name => "a\x{202e}b", 'control_characters'],
    [name => "a\0b", 'nul_not_allowed'], [name => 7, 'wrong_type'],
    [bid => '0.25', 'wrong_type'], [bid => -1, 'out_of_range'],
    [end_at => '1999-01-01T00:00:00Z', 'out_of_range'],
    [external_id => '', 'empty'], [name => "\x{200b}\x{a0}", 'empty'],
) {
    my ($name, $value, $code) = @$case;
    is errors(call('POST', '', fields($name => $value)))->{"/$name"}, $code,
        "$name: $code";
}
$ads->is_problem(call('POST', '', fields(), 'Content-Encoding' => 'gzip'), 415,
    'unsupported_media_type', 'a body is read in its own bytes only');
is call('POST', '', fields(), 'Content-Encoding' => 'identity')->{status}, 201,
    'which may be said';
is errors(call('POST', '', fields(start_at => '2027-01-02T00:00:00Z',
    end_at => '2027-01-02T00:00:00Z')))->{'/end_at'}, 'out_of_range',
    'it ends after it starts';
is errors(call('POST', '', fields(budget => { daily => 0.99 })))->{
    '/budget/daily'}, 'out_of_range', 'a budget is at least 1.00';
for my $case ([bid => 1.01, daily => 1], [bid => 1.000001, lifetime => 1],
    [bid => 5.07, daily => 100, lifetime => 5]) {
    my ($what, $bid, %budget) = @$case;
    is errors(call('POST', '', fields(bid => $bid, budget => \%budget)))->{
        '/bid'}, 'out_of_range', "a bid of $bid is above its budget";
}
is call('POST', '', fields(bid => 1, budget => { daily => 1 }))->{status}, 201,
    'a budget may be one click';
is call('POST', '', fields(targeting => { keywords => [map {"k$_"} 1 .. 2000] })
    )->{status}, 201, '2,000 keywords are taken';
is errors(call('POST', '', fields(targeting =>
    { keywords => [map {"k$_"} 1 .. 2001] })))->{'/targeting/keywords'},
    'too_many', 'one more is not';
is call('POST', '', '{"name":"x","name":"y"}')->{json}{code}, 'malformed_json',
    'a key twice is refused';
is call('POST', '', '[]')->{status}, 400, 'an array is no campaign';
is call('POST', '', 'x' x 1048577)->{status}, 413, 'a body has its limit';
is $ads->http('POST', '/v1/campaigns', ['X-API-Key' => $shop->{key},
    'Content-Type' => 'text/plain'], '{}')->{status}, 415, 'and its type';

my $vectors = ($ENV{ADS_SHARED} || '../shared') . '/vectors';
SKIP: {
    skip 'no vectors here', 2 unless -e "$vectors/money_micros.json";
    open my $in, '<', "$vectors/money_micros.json" or die $!;
    my $file = decode_json(do { local $/; <$in> });
    my $cases = ref $file eq 'HASH' ? $file->{cases} : $file;
    my @bad;
    for my $case (@$cases) {
        my ($text, $want) = @{$case}{qw(text micros)};
        $text = $case->{json} // $case->{input} if !defined $text;
        $want = $case->{result} // $case->{expect} if !defined $want;
        my $is = call('POST', '', qq({"name":"m","budget":{"daily":1000000000},"bid":$text}));
        push @bad, "$text: $is->{status}"
            if $want eq 'reject' ? $is->{status} != 400
            : $want eq 'either' ? $is->{status} !~ /^(?:201|400)$/
            : $want > 0 && ($is->{status} != 201 || $is->{json}{bid_micros} != $want);
    }
    ok @$cases > 20, 'vectors of money were read';
    is "@bad", '', 'and hold for the bid';
}

# ---- Idempotency-Key -------------------------------------------------------

my $body = encode_json(fields(name => 'Once'));
my @once = map { call('POST', '', $body, 'Idempotency-Key' => 'c-1') } 1 .. 2;
is_deeply [map { $_->{status} } @once], [201, 201], 'a repeat is answered';
is $once[1]{body}, $once[0]{body}, 'with the first answer, byte for byte';
is $once[1]{headers}{location}, $once[0]{headers}{location}, 'Location too';
is $once[1]{headers}{etag}, $once[0]{headers}{etag}, 'and ETag';
is $ads->sql_value(q(select count(*) from ads.campaigns where name = 'Once')), 1,
    'and there is one campaign';
is call('POST', '', fields(), 'Idempotency-Key' => 'c-1')->{status}, 422,
    'another body is 422';

# ---- moves -----------------------------------------------------------------

my %legal = map { $_ => 1 } qw(draft-draft draft-active draft-paused
    draft-archived active-active active-paused active-archived paused-paused
    paused-active paused-archived archived-archived);
for my $from (qw(draft active paused archived)) {
    for my $to (qw(draft active paused archived)) {
        my $id = create(status => $from eq 'archived' ? 'paused' : $from)->{id};
        call('DELETE', "/$id") if $from eq 'archived';
        my $is = call('PATCH', "/$id", { status => $to });
        my $now = call('GET', "/$id")->{json}{status};
        if ($legal{"$from-$to"}) {
            is "$is->{status} $now", "200 $to", "$from to $to is legal";
        } else {
            is "$is->{status} $is->{json}{code} $now",
                "409 invalid_transition $from", "$from to $to is refused";
        }
    }
}
my $gone = create();
is call('DELETE', "/$gone->{id}")->{json}{status}, 'archived', 'DELETE archives';
is call('DELETE', "/$gone->{id}")->{status}, 200, 'as often as one likes';
is call('PATCH', "/$gone->{id}", { name => 'x' })->{json}{code},
    'invalid_transition', 'what is archived stays as it is';

# ---- changes ---------------------------------------------------------------

my $id = call('POST', '', $full)->{json}{id};
my $patched = call('PATCH', "/$id", { bid => 0.5, budget => { daily => 5 },
    targeting => { locations => ['FR'], keywords => undef }, end_at => undef,
    frequency_cap => undef, external_id => undef })->{json};
is $patched->{bid_micros}, 500000, 'a change changes';
is_deeply $patched->{budget}, { daily => 5, daily_micros => 5000000,
    lifetime => 1000000000, lifetime_micros => 1000000000000000 },
    'what it does not name stays';
my %targeting = (%{ $full->{targeting} }, locations => ['FR']);
delete $targeting{keywords};
is_deeply $patched->{targeting}, \%targeting, 'each list of targeting too';
is_deeply [@{$patched}{qw(end_at frequency_cap external_id)}],
    [undef, undef, undef], 'null takes away';
is errors(call('PATCH', "/$id", { bid => 5.01 }))->{'/bid'}, 'out_of_range',
    'a bid does not rise above its budget';
is errors(call('PATCH', "/$id", { bid => 3, budget => { daily => 2 } }))->{
    '/bid'}, 'out_of_range', 'nor a budget fall below it';
is call('PATCH', "/$id", { budget => { daily => undef } })->{status}, 200,
    'one of the budgets may go';
is errors(call('PATCH', "/$id", { budget => { lifetime => undef } }))->{
    '/budget'}, 'required', 'not both';
is errors(call('PATCH', "/$id", { name => undef }))->{'/name'}, 'wrong_type',
    'nor the name';
is errors(call('PATCH', "/$id", { id => $id }))->{''}, 'unknown_field',
    'an id is no field';

my $seen = call('GET', "/$id");
my $tag = $seen->{headers}{etag};
is call('PATCH', "/$id", { name => $seen->{json}{name} })->{headers}{etag}, $tag,
    'a change that changes nothing keeps the ETag';
is call('PATCH', "/$id", { name => 'A' }, 'If-Match' => $tag)->{status}, 200,
    'If-Match with the current ETag';
$ads->is_problem(call('PATCH', "/$id", { name => 'B' }, 'If-Match' => $tag), 412,
    'etag_mismatch', 'with the old one');
is call('DELETE', "/$id", undef, 'If-Match' => $tag)->{status}, 412,
    'DELETE obeys it too';
is call('PATCH', "/$id", { name => 'C' }, 'If-Match' => '*')->{status}, 200,
    'any is any';
is call('PATCH', "/$id", { name => 'D' }, 'If-Match' => "W/$tag")->{status}, 412,
    'a weak one never matches';
is call('GET', "/$id")->{json}{name}, 'C', 'what was refused left nothing';

# many at once, each with the ETag it read: every one answered 200 counted
my $counter = create(external_id => '0')->{id};
my @pids;
for my $child (1 .. 4) {
    my $pid = fork // die $!;
    if ($pid == 0) {
        my $won = 0;
        for (1 .. 15) {
            my $now = call('GET', "/$counter");
            my $is = call('PATCH', "/$counter",
                { external_id => '' . ($now->{json}{external_id} + 1) },
                'If-Match' => $now->{headers}{etag});
            $won++ if $is->{status} == 200;
        }
        require POSIX;
        POSIX::_exit($won);
    }
    push @pids, $pid;
}
my $won = 0;
for my $pid (@pids) {
    waitpid $pid, 0;
    $won += $? >> 8;
}
cmp_ok $won, '>=', 15, 'of changes that meet, some win';
is call('GET', "/$counter")->{json}{external_id}, $won,
    'and none is lost or undone';

# ---- whose -----------------------------------------------------------------

for my $method (qw(GET PATCH DELETE)) {
    my $is = call($method, "/$id", $method eq 'PATCH' ? { name => 'Mine' } : undef,
        'X-API-Key' => $other->{key});
    $ads->is_problem($is, 404, 'not_found', "$method of another's campaign");
}
is call('GET', '/00000000-0000-4000-8000-000000000000')->{status}, 404,
    'as of one that does not exist';
is call('GET', '/x')->{status}, 404, 'or no id at all';
is call('GET', '', undef, 'X-API-Key' => $pub->{key})->{json}{code},
    'wrong_scope', 'a publisher has no campaigns';
is call('GET', "/$id", undef, 'X-API-Key' => $boss->{key}, 'X-Ads-Account' =>
    $shop->{account})->{status}, 200, 'the platform may look for an account';
is scalar @{ call('GET', '', undef, 'X-API-Key' => $other->{key})->{json}{data} },
    1, 'a list holds the own ones only';

# ---- lists -----------------------------------------------------------------

is_deeply [map { $_->{external_id} } @{ call('GET', '?external_id=crm-77')->{json}
        {data} }], ['crm-77'], 'by external id';
is scalar @{ call('GET', '?q=ONCE')->{json}{data} }, 1, 'by a part of the name';
create(name => "Stra\x{df}e \x{c9}CRAN", external_id => 'case');
is_deeply [map { $_->{external_id} } @{ call('GET', "?q=$_")->{json}{data} }],
    ['case'], "$_, whatever its case" for 'STRASSE', '%C3%A9cran', 'stra%C3%9Fe%20%C3%A9';
my $umlauts = "\x{fc}" x 200;
create(name => $umlauts, external_id => $umlauts);
is scalar @{ call('GET', "?$_=" . '%C3%BC' x 200)->{json}{data} || [] }, 1,
    "200 characters of any kind are a $_" for qw(q external_id);
is call('GET', "?$_=" . '%C3%BC' x 201)->{status}, 400, 'not one more'
    for qw(q external_id);
ok !(grep { $_->{status} ne 'archived' } @{ call('GET', '?status=archived')->{json}
        {data} }), 'by status';
is scalar @{ call('GET', '?updated_since=2099-01-01T00:00:00Z')->{json}{data} }, 0,
    'by time of change';
is call('GET', '?status=gone')->{status}, 400, 'an unknown status is 400';
like call('GET', '?limit=1', undef, Accept => 'text/csv')->{body},
    qr/^id,name,status,serving_status,/, 'as CSV';

# pages while others write: nothing that was there is missed or comes twice
srand(my $seed = $ENV{ADS_SEED} // 4711);
diag "seed $seed" if $ENV{ADS_SEED};
my (@before, @paged, $cursor);
{
    my $all = call('GET', '?limit=500')->{json};
    @before = map { $_->{id} } @{ $all->{data} };
}
for (1 .. 200) {
    my $limit = 1 + int rand 20;
    my $page = call('GET', "?limit=$limit" . ($cursor ? "&cursor=$cursor" : ''));
    push @paged, map { $_->{id} } @{ $page->{json}{data} };
    $cursor = $page->{json}{next_cursor};
    last unless $page->{json}{has_more};
    create(name => "between $_") for 1 .. int rand 3;
    call('PATCH', "/$paged[rand @paged]", { name => 'moved?' }) if rand() < 0.3;
}
is_deeply \@paged, \@before, 'pages are stable while others insert and change';

# ---- what it does now ------------------------------------------------------

sub serving
{
    my ($id) = @_;
    my $json = call('GET', "/$id")->{json};
    return "$json->{serving_status}: @{ $json->{reasons} }";
}

my $mine = $shop->{campaign};
is serving($mine), 'serving: ', 'an active campaign with money serves';
call('PATCH', "/$mine", { start_at => '2099-01-01T00:00:00Z' });
is serving($mine), 'scheduled: scheduled', 'before its time it is scheduled';
call('PATCH', "/$mine", { start_at => '2020-01-01T00:00:00Z',
    end_at => '2021-01-01T00:00:00Z' });
is serving($mine), 'ended: ended', 'after it, ended';
call('PATCH', "/$mine", { start_at => undef, end_at => undef,
    budget => { daily => 10 } });
$ads->sql('update ads.campaign_spend set spent_micros = 1000000000 where
    campaign_id = ? returning 1', $mine);
is serving($mine), 'budget_exhausted: budget_exhausted', 'all spent';
$ads->sql('update ads.campaign_spend set spent_micros = 0 where campaign_id = ?
    returning 1', $mine);
$ads->sql(q(insert into ads.campaign_days (campaign_id, account_id, day,
    spent_micros) values (?, ?, (now() at time zone 'UTC')::date, 10000000)
    returning 1), $mine, $shop->{account});
is serving($mine), 'out_of_budget_today: out_of_budget_today', "the day's spent";
is call('GET', "/$mine")->{json}{spent_today_micros}, 10000000, 'and how much';
$ads->sql('delete from ads.campaign_days where campaign_id = ? returning 1', $mine);
$ads->sql(q(update ads.products set review_status = 'pending' where account_id = ?
    returning 1), $shop->{account});
is serving($mine), 'in_review: in_review', 'nothing approved yet';
$ads->sql(q(update ads.products set status = 'archived' where account_id = ?
    returning 1), $shop->{account});
is serving($mine), 'no_products: no_products', 'nothing to show';
call('PATCH', "/$mine", { status => 'paused' });
is serving($mine), 'paused: paused no_products', 'paused comes first';

my $poor = $ads->seed_shop(name => 'Poor', topup => 0);
is $ads->http('GET', "/v1/campaigns/$poor->{campaign}", ['X-API-Key' =>
    $poor->{key}])->{json}{serving_status}, 'no_funds', 'without money: no_funds';

$ads->done;
