#!/usr/bin/perl
#
# An advertiser's money over HTTP: top-ups are announced, and are money once
# the platform or the payment provider says so, once; reversals; movements and
# statements add up to the micro; each tenant sees its own.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Digest::SHA qw(hmac_sha256_hex);
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);

my $secret = 'whsec_0123456789abcdef0123456789abcdef';
my $ads = Ads::Test->new(
    parts => ['postgres'],
    adsd  => { topup_settlement => 'webhook' },
);
my $file = "$ads->{dir}/webhook.secret";
$ads->{adsd}{topup_webhook_secret_file} = $file;
$ads->write_configs;
$ads->write_file($file, "# the old one\nwhsec_of_last_year_xxxxxxxxxxxxxxxxxx\n$secret\n", 0600);
$ads->start_adsd;
$ads->start_nginx;
$ads->wait_ready(30);

my $shop  = $ads->seed_shop(bid => '0.333333', topup => 50);
my $other = $ads->seed_shop(name => 'Other', products => [], topup => 7);
my $pub   = $ads->seed_publisher;
my $boss  = $ads->seed_platform;

sub get
{
    my ($who, $path, @headers) = @_;
    return $ads->http('GET', $path, ['X-API-Key' => $who->{key}, @headers]);
}

sub topup
{
    my ($who, $amount, $reference, @headers) = @_;
    return $ads->post('/v1/balance/topup', $who->{key},
        qq({"amount":$amount,"currency":"USD","reference":"$reference"}), @headers);
}

sub balance { return get($_[0], '/v1/balance')->{json} }

sub reconciles
{
    my ($when) = @_;
    my $rows = $ads->sql("select rule, detail from ads.reconcile(current_date - 1, current_date + 1) where not ok");
    is_deeply $rows, [], "$when: everything adds up";
}

# ---- top-ups ---------------------------------------------------------------

my $b = balance($shop);
is $b->{currency}, 'USD', 'the balance has a currency';
is $b->{available_micros}, 50_000_000, 'what was topped up';
is $b->{available}, 50, 'as a number too';
is $b->{$_}, 0, "$_ is nothing yet" for qw(pending spent_today spent_total);
is $b->{status}, 'active', 'it is active';
like $b->{as_of}, qr/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'as of a time';

my $made = topup($shop, '12.5', 'inv-1');
is $made->{status}, 201, 'a top-up is made';
is $made->{json}{status}, 'pending', 'and waits';
is $made->{json}{balance_micros}, 50_000_000, 'it is not money';
is balance($shop)->{pending_micros}, 12_500_000, 'but seen to wait';
my $again = topup($shop, '12.500', 'inv-1');
is $again->{status}, 200, 'the same reference again finds it';
is $again->{json}{transaction_id}, $made->{json}{transaction_id}, 'it is that one';
$ads->is_problem(topup($shop, '12.51', 'inv-1'), 409, 'reference_reused',
    'a reference with another amount is refused');
is topup($other, '3', 'inv-1')->{status}, 201, 'another account has its own references';

my @key = ('Idempotency-Key' => 'k1');
my $one = topup($shop, '20', 'inv-2', @key);
is $one->{status}, 201, 'with a key';
my $two = topup($shop, '20', 'inv-2', @key);
is $two->{status}, 201, 'its repeat is answered the same';
is $two->{body}, $one->{body}, 'byte for byte';
is topup($shop, '21', 'inv-2', @key)->{status}, 422, 'another body is refused';
is $ads->sql_value('select count(*) from ads.topups where account_id = ?', $shop->{account}), 3,
    'each was made once';

for my $bad (['0.99', 'out_of_range'], ['1000000.01', 'out_of_range'], ['"5"', 'wrong_type'],
    ['1.0000001', 'invalid_format'], ['null', 'required'], ['-5', 'out_of_range|invalid_format']) {
    my $r = topup($shop, $bad->[0], 'bad');
    is $r->{status}, 400, "amount $bad->[0] is refused";
    like $r->{json}{errors}[0]{code} // '', qr/^(?:$bad->[1])$/, 'with its code';
}
my $r = $ads->post('/v1/balance/topup', $shop->{key},
    { amount => 5, currency => 'EUR', reference => 'x', extra => 1 });
is_deeply [sort map { $_->{code} } @{ $r->{json}{errors} }],
    ['currency_unsupported', 'unknown_field'], 'all that is wrong at once';
is scalar @{ $ads->post('/v1/balance/topup', $shop->{key}, '{}')->{json}{errors} }, 3, 'nothing at all';

my $vectors = ($ENV{ADS_SHARED} || '../shared') . '/vectors/money_micros.json';
SKIP: {
    skip "$vectors is not there", 1 unless -e $vectors;
    my $n = 0;
    my @wrong;
    for my $case (@{ decode_json(Ads::Stack::read_file($vectors))->{cases} }) {
        next if $case->{json} eq '';
        my $a = topup($shop, $case->{json}, 'vector-' . ++$n);
        my $micros = $case->{micros};
        my $fits = $micros =~ /^\d+$/ && $micros >= 1e6 && $micros <= 1e12;
        my $stored = $ads->sql_value(
            'select amount_micros from ads.topups where account_id = ? and reference = ?',
            $shop->{account}, "vector-$n");
        push @wrong, "$case->{id}: $a->{status} " . ($stored // '-')
            if $fits
            ? ($a->{status} != 201 || $stored != $micros)
            : ($a->{status} != 400 || defined $stored);
    }
    is "@wrong", '', "$n amounts are read exactly or refused";
}
$ads->sql("select r.status from ads.topups t, ads.topup_reject(t.id, 'vector') r where t.reference like 'vector-%'");

# ---- settled by the platform -------------------------------------------------

my $id = $made->{json}{transaction_id};
sub decide { my ($who, $what, $id, $body) = @_; return $ads->post("/v1/platform/topups/$id/$what", $who->{key}, $body // {}) }

is decide($shop, 'settle', $id)->{status}, 403, 'an advertiser does not settle';
is decide($pub,  'settle', $id)->{status}, 403, 'nor a publisher';
is decide($boss, 'settle', '00000000-0000-4000-8000-000000000000')->{status}, 404, 'what is not there is 404';
is decide($boss, 'settle', 'x')->{status}, 404, 'and so is no id';
my $list = get($boss, '/v1/platform/topups?status=pending')->{json}{data};
is_deeply [sort map { $_->{reference} } @$list], ['inv-1', 'inv-1', 'inv-2'], 'the platform sees what waits';
is get($shop, '/v1/platform/topups')->{status}, 403, 'nobody else does';
my $settled = decide($boss, 'settle', $id);
is $settled->{status}, 200, 'the platform settles';
is $settled->{json}{balance_micros}, 62_500_000, 'and it is money';
like $settled->{headers}{'x-ads-generation'} // '', qr/^\d+$/, 'served with its allowance';
is decide($boss, 'settle', $id)->{json}{balance_micros}, 62_500_000, 'settled twice it is settled once';
$ads->is_problem(decide($boss, 'reject', $id, { reason => 'x' }), 409, 'invalid_transition', 'and is not rejected any more');
is decide($boss, 'reject', $one->{json}{transaction_id})->{status}, 400, 'a rejection has a reason';
is decide($boss, 'reject', $one->{json}{transaction_id}, { reason => 'bounced' })->{json}{status}, 'rejected', 'another is rejected';
$ads->is_problem(decide($boss, 'settle', $one->{json}{transaction_id}), 409, 'invalid_transition', 'which is final');
is balance($shop)->{pending_micros}, 0, 'nothing waits any more';
reconciles('top-ups');

# ---- the payment provider ------------------------------------------------------

sub hook
{
    my ($fields, %opt) = @_;
    my $body = ref $fields ? encode_json($fields) : $fields;
    my $t    = $opt{t} // int time;
    my $mac  = hmac_sha256_hex("$t.$body", $opt{secret} // $secret);
    my $text = $opt{header} // "t=$t,v1=$mac";
    return $ads->http('POST', '/v1/platform/topups/webhook',
        ['Content-Type' => 'application/json', 'Ads-Signature' => $text], $opt{body} // $body);
}

my $paid = topup($shop, '30', 'card-1')->{json}{transaction_id};
my %word = (transaction_id => $paid, amount => 30, currency => 'USD', status => 'settled');
my $good = encode_json(\%word);
my $mac  = hmac_sha256_hex(int(time) . ".$good", $secret);
$ads->is_problem($ads->post('/v1/platform/topups/webhook', undef, $good), 401, 'credential_invalid', 'without a signature');
is hook($good, secret => 'x' x 40)->{status}, 401, 'forged: another secret';
is hook($good, body => $good =~ s/30/31/r)->{status}, 401, 'forged: another body';
is hook($good, t => int(time) - 301)->{status}, 401, 'too old';
is hook($good, t => int(time) + 301)->{status}, 401, 'of the future';
is hook($good, header => $_)->{status}, 401, "malformed: $_"
    for '', 't=1', "v1=$mac", 't=x,v1=' . 'a' x 64, 't=' . int(time) . ',v1=abc',
    't=' . int(time) . ',t=' . int(time) . ",v1=$mac", 't=' . int(time) . ',v1=' . 'f' x 64;
is balance($shop)->{available_micros}, 62_500_000, 'none of them moved money';
is hook({ %word, amount => 31 })->{status}, 409, 'another amount';
is hook({ %word, currency => 'EUR' })->{status}, 409, 'another currency';
is hook({ %word, transaction_id => '00000000-0000-4000-8000-000000000000' })->{status}, 404, 'an unknown top-up';
is hook('{"status":"settled"}')->{status}, 400, 'fields are missing';
my $hooked = hook($good);
is $hooked->{status}, 200, 'its signed word settles';
is $hooked->{json}{repeated}, JSON::PP::false, 'at once';
is balance($shop)->{available_micros}, 92_500_000, 'and it is money';
my $replay = hook($good);
is $replay->{status}, 200, 'replayed it is the same';
is $replay->{json}{repeated}, JSON::PP::true, 'and says so';
my $now = int time;
my $old = hmac_sha256_hex("$now.$good", 'whsec_of_last_year_xxxxxxxxxxxxxxxxxx');
is hook($good, header => "t=$now,v1=" . 'f' x 64 . ",v1=$old")->{status}, 200,
    'one of several signatures, by any secret, will do';
is hook({ %word, status => 'rejected' })->{status}, 409, 'the opposite is refused';
is balance($shop)->{available_micros}, 92_500_000, 'it moved money once';
is $ads->sql_value("select actor from ads.audit_log where object = 'topups' and object_id = ? and action = 'update'", $paid),
    'payment provider', 'the audit log says who';
reconciles('the provider');

# ---- clicks, and money back ----------------------------------------------------

my @clicks;
for my $query ('buy a quillon laser printer', 'buy brewmark espresso machine', 'buy strider running shoes') {
    my $shown = $ads->recommend($pub->{key}, $query)->{json};
    my $to = $ads->click($shown->{ads}[0]{click_url})->{headers}{location} // '';
    push @clicks, $to =~ /ads_click_id=([0-9a-f-]{36})/;
}
is scalar @clicks, 3, 'three clicks';
$ads->wait_until(sub { $ads->sql_value('select count(*) from ads.clicks') == 3 }, 10, 'clicks to be billed');
my $spent = $ads->sql_value('select sum(billed_micros)::bigint from ads.clicks where account_id = ?', $shop->{account});
cmp_ok $spent, '>', 0, "they cost $spent";
$b = balance($shop);
is $b->{available_micros}, 92_500_000 - $spent, 'the balance is less';
is $b->{spent_today_micros}, $spent, 'spent today';
is $b->{spent_total_micros}, $spent, 'spent in total';

my $price = $ads->sql_value('select billed_micros from ads.clicks where click_id = ? and class = 0', $clicks[0]);
sub back { my ($who, %fields) = @_; return $ads->post('/v1/platform/reversals', $who->{key}, { reason => 'robots', %fields }) }
is back($shop, click_id => $clicks[0], reference => 'r1')->{status}, 403, 'an advertiser gives itself nothing back';
is back($boss, click_id => $clicks[0])->{status}, 400, 'a reversal has a reference';
is back($boss, reference => 'r1')->{status}, 400, 'and says of what';
is back($boss, click_id => $clicks[0], transaction_id => $paid, reference => 'r1')->{status}, 400, 'of one thing';
my $reversal = back($boss, click_id => $clicks[0], reference => 'r1');
is $reversal->{status}, 201, 'the platform reverses a click';
is $reversal->{json}{amount_micros}, $price, 'its price';
is back($boss, click_id => $clicks[0], reference => 'r1')->{status}, 200, 'repeated it is the same';
is back($boss, click_id => $clicks[0], reference => 'r2')->{status}, 409, 'a click goes back once';
is balance($shop)->{available_micros}, 92_500_000 - $spent + $price, 'the money is back';
is back($boss, transaction_id => $paid, amount => 10, reference => 'r3')->{status}, 201, 'a part of a top-up is taken back';
$ads->is_problem(back($boss, transaction_id => $paid, amount => 21, reference => 'r4'), 409, 'conflict', 'not more than is left of it');
my $small = topup($other, '1000', 'big')->{json}{transaction_id};
decide($boss, 'settle', $small);
$ads->is_problem(back($boss, click_id => '00000000-0000-4000-8000-000000000000', reference => 'r5'), 404, 'not_found', 'an unknown click');
$ads->is_problem(back($boss, transaction_id => $paid, amount => 5, reference => 'r1'), 409, 'reference_reused', 'a reference is for one reversal');
reconciles('reversals');

# ---- the command line ------------------------------------------------------------

my $cash = topup($shop, '4', 'ctl-1')->{json}{transaction_id};
my $bad_one = topup($shop, '5', 'ctl-2')->{json}{transaction_id};
my ($code, $out) = $ads->try_adsctl('topup', 'list', '--status', 'pending', '--account', $shop->{account});
is $code, 0, 'adsctl lists top-ups';
is_deeply [sort $out =~ /ctl-\d/g], ['ctl-1', 'ctl-2'], 'those that wait';
is $ads->adsctl('topup', 'settle', $cash)->{status}, 'settled', 'settles one';
is +($ads->try_adsctl('topup', 'reject', $cash, '--reason', 'x'))[0], 1, 'which is final';
is $ads->adsctl('topup', 'reject', $bad_one, '--reason', 'bounced')->{status}, 'rejected', 'rejects another';
is +($ads->try_adsctl('topup', 'settle', '00000000-0000-4000-8000-000000000000'))[0], 1, 'and knows what is not there';
my @why = qw(--reason robots --reference);
my $given = $ads->adsctl(qw(balance reverse --click), $clicks[1], @why, 'ctl-r1');
cmp_ok $given->{amount_micros}, '>', 0, 'adsctl gives the price of a click back';
is_deeply [@$given{qw(account_id balance_micros created served)}],
    [$shop->{account}, balance($shop)->{available_micros}, JSON::PP::true, JSON::PP::true], 'to its advertiser';
is $ads->adsctl(qw(balance reverse --click), $clicks[1], @why, 'ctl-r1')->{created}, JSON::PP::false, 'once';
is_deeply [@{ $ads->adsctl(qw(balance reverse --amount 400.25 --topup), $small, @why, 'ctl-r2') }{qw(amount_micros balance_micros)}],
    [400_250_000, balance($other)->{available_micros}], 'takes a part of a top-up back';
is $ads->adsctl(qw(balance reverse --topup), $small, @why, 'ctl-r3')->{amount_micros}, 599_750_000, 'and what is left of it';
for my $case ([1, 'click', $clicks[1], 'ctl-r4', 'reversed before'], [1, 'click', $clicks[2], 'ctl-r1', 'something else'],
    [1, 'click', $clicks[2], 'ctl-r4', 'no more than is left', '--amount', 1000],
    [1, 'topup', $small, 'ctl-r4', 'reversed before'], [1, 'topup', $bad_one, 'ctl-r4', 'not settled'],
    [1, 'topup', $clicks[2], 'ctl-r4', 'no top-up or click'], [1, 'topup', $cash, 'ctl-r4', 'more than 0', '--amount', 0],
    [1, 'topup', $cash, '', '--reference'], [2, 'topup', $cash, 'ctl-r4', 'either', '--click', $clicks[2]])
{
    my ($exit, $what, $id, $reference, $why, @more) = @$case;
    my ($rc, $said) = $ads->try('sh', '-c', 'exec "$@" 2>&1', 'sh',
        $ads->adsctl_argv(qw(balance reverse), "--$what", $id, @why, $reference, @more));
    is $rc, $exit, "refused: $why";
    like $said, qr/\Q$why\E/, 'and told';
}
is $ads->sql_value(q(select actor like 'ctl:%' from ads.audit_log where object = 'reversals' order by id desc limit 1)), 1,
    'the log knows who';
reconciles('reversals on the command line');
my $line;
$ads->wait_until(
    sub { $line = $ads->adsctl('report', '--account', $shop->{account}); ($line->{clicks} // 0) == 3 },
    10, 'the report of the command line');
is $line->{spend_micros}, $spent, 'a report on the command line';
is $ads->adsctl('report', '--account', $pub->{account}, '--by', 'placement')->{clicks}, 3, 'a publisher has another';
($code, $out) = $ads->try_adsctl('report', '--account', $shop->{account}, '--by', 'campaign');
like $out, qr/^\{?.*Campaign/m, 'by campaign';
is +($ads->try_adsctl('report', '--account', $pub->{account}, '--by', 'campaign'))[0], 1, 'which a publisher has not';
is +($ads->try_adsctl('report', '--account', $boss->{account}))[0], 1, 'a platform has none';

# ---- movements -------------------------------------------------------------------

sub movements
{
    my ($who, $query) = @_;
    my (@all, $cursor);
    for (1 .. 100) {
        my $page = get($who, '/v1/balance/transactions?' . join '&', grep { length } $query // '', $cursor ? "cursor=$cursor" : '')->{json};
        push @all, @{ $page->{data} };
        $cursor = $page->{next_cursor};
        last unless $page->{has_more};
    }
    return @all;
}

my @all = movements($shop);
is $all[0]{balance_after_micros}, balance($shop)->{available_micros}, 'the last movement left the balance';
my ($sum, $steps) = (0, 0);
for my $m (reverse @all) {
    $sum += $m->{amount_micros};
    $steps++ if $m->{balance_after_micros} != $sum;
}
is $steps, 0, 'each balance after is the one before and its amount';
is $sum, balance($shop)->{available_micros}, 'together they are the balance';
is_deeply [movements($shop, 'limit=1')], \@all, 'page by page it is the same list';
is_deeply [map { $_->{kind} } movements($shop, 'kind=reversal')], [('reversal') x 3], 'a kind';
is_deeply [movements($shop, "campaign_id=$shop->{campaign}")],
    [grep { ($_->{campaign_id} // '') eq $shop->{campaign} } @all], 'a campaign';
is scalar(movements($shop, 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z')), 0, 'a time';
is +(grep { $_->{id} eq $paid && $_->{reference} eq 'card-1' } @all), 1, "a top-up's id and reference";
is get($shop, "/v1/balance/transactions?$_")->{status}, 400, "$_ is refused" for 'kind=gift', 'campaign_id=1', 'limit=0', 'x=1';
my $page = get($shop, '/v1/balance/transactions?limit=1')->{json};
is get($other, "/v1/balance/transactions?cursor=$page->{next_cursor}")->{status}, 400, "another tenant's cursor is refused";
my %mine = map { $_->{id} => 1 } @all;
is +(grep { $mine{ $_->{id} } } movements($other)), 0, 'nobody sees the movements of another';
is get($pub, '/v1/balance')->{status}, 403, 'a publisher has no balance';
is get($boss, '/v1/balance', 'X-Ads-Account' => $shop->{account})->{json}{available_micros}, $sum, 'the platform may look';

decide($boss, 'settle', topup($other, '2', '=1+1')->{json}{transaction_id});
my $csv = get($other, '/v1/balance/transactions', Accept => 'text/csv');
like $csv->{headers}{'content-type'}, qr{^text/csv}, 'CSV on request';
like $csv->{body}, qr/\A(?:\w+,)*balance_after_micros,/, 'with a header';
like $csv->{body}, qr/(?:,|")'=1\+1/, 'a formula is no formula any more';

# ---- statements --------------------------------------------------------------------

my $s = get($shop, '/v1/balance/statement')->{json};
is $s->{opening_micros}, 0, 'a new account opens with nothing';
is $s->{closing_micros}, $sum, 'this month closes with what there is';
my $moved = 0;
$moved += $_->{amount_micros} for @{ $s->{movements} };
is $s->{opening_micros} + $moved, $s->{closing_micros}, 'opening and movements are the closing';
($line) = grep { $_->{kind} eq 'spend' } @{ $s->{movements} };
is $line->{amount_micros}, -$spent, 'by kind';
is $line->{campaign_id}, $shop->{campaign}, 'and campaign';
is $line->{campaign_name}, 'Campaign', 'with its name';
$csv = get($shop, '/v1/balance/statement', Accept => 'text/csv')->{body};
like $csv, qr/\Akind,.*\r\nopening,.*\r\nclosing,[^\r]*\b$sum\r\n\z/s, 'as CSV, from opening to closing';
my @said = map { decode_json($_) } split /\n/, ($ads->try_adsctl('--json', 'statement', '--account', $shop->{account}))[1];
is_deeply [map { [@{$_}{qw(kind campaign_id transactions amount_micros)}] } @said],
    [
        ['opening', undef, undef, $s->{opening_micros}],
        (map { [@{$_}{qw(kind campaign_id transactions amount_micros)}] } @{ $s->{movements} }),
        ['closing', undef, undef, $s->{closing_micros}]
    ],
    'adsctl says the same';
is(($ads->try_adsctl('statement', '--account', $shop->{account}, '--csv'))[1], $csv, 'as CSV to the byte');
like(($ads->try_adsctl('statement', '--account', $shop->{account}))[1], qr/^\d{4}-\d\d, .*\nkind .*\nopening /, 'and as a table');
is(($ads->try_adsctl('statement', '--account', $shop->{account}, '--month', '2026-13'))[0], 1, 'a month is one');
is(($ads->try_adsctl('statement', '--account', $ads->seed_publisher->{account}))[0], 1, 'a publisher has none');
is get($shop, "/v1/balance/statement?month=$_")->{status}, 400, "month $_ is refused" for '2026-13', '2026', '2026-1', 'x', '2026-11-01';

# an account of another zone, with movements around its midnight
my $tokyo = $ads->tenant('advertiser', 'Tokyo');
my $tkey  = { key => $ads->key($tokyo) };
my $after = 0;
$ads->sql("update ads.accounts set timezone = 'Asia/Tokyo' where id = ? returning id", $tokyo);
for my $at ('2026-08-31T14:59:59Z', '2026-08-31T15:00:00Z', '2026-09-30T14:59:59Z', '2026-09-30T15:00:00Z') {
    my $db = $ads->db;
    $after += 1_000_000;
    $db->begin_work;
    my ($tx) = $db->selectrow_array(
        'insert into ads.ledger_transactions'
            . ' (kind, at, account_id, reference, amount_micros, balance_after_micros)'
            . " values ('topup', ?, ?, ?, 1000000, ?) returning id",
        {}, $at, $tokyo, $at, $after);
    $db->do(
        'insert into ads.ledger_entries'
            . " select ?, id, case kind when 'cash' then -1000000 else 1000000 end"
            . " from ads.ledger_accounts where kind = 'cash' or account_id = ?",
        {}, $tx, $tokyo);
    $db->do(
        'insert into ads.topups (account_id, amount_micros, reference, status, ledger_tx, settled_at)'
            . " values (?, 1000000, ?, 'settled', ?, ?)",
        {}, $tokyo, $at, $tx, $at);
    $db->commit;
}
for my $month (['2026-07', 0, 0], ['2026-08', 0, 1], ['2026-09', 1, 3], ['2026-10', 3, 4], ['2030-01', 4, 4]) {
    my $m = get($tkey, "/v1/balance/statement?month=$month->[0]")->{json};
    is_deeply [@{$m}{qw(opening closing)}], [@$month[1, 2]], "$month->[0] in Tokyo";
}
is get($tkey, '/v1/balance/statement?month=2026-09')->{json}{from}, '2026-08-31T15:00:00.000Z',
    'a month begins at its midnight';
reconciles('the end');

$ads->done;
