#!/usr/bin/perl
#
# adsctl: every verb does what it says, as text and as JSON, and its exit code
# tells success, refusal, wrong usage and a missing database apart.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use MIME::Base64 qw(decode_base64url);
use Test::More;

my $uuid    = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
my $nobody  = '00000000-0000-4000-8000-000000000000';
my $ads     = Ads::Test->new;
my $errors  = "$ads->{dir}/tmp/errors";
my $keys    = "$ads->{dir}/click.keys";

# Exit code, standard output and standard error.
sub ctl
{
    my (@words) = @_;
    my ($code, $out) = $ads->try('sh', '-c', 'exec "$@" 2>"$0"', $errors,
        $ads->adsctl_argv(@words));
    return ($code, $out, Ads::Stack::read_file($errors));
}

# The objects it prints with --json, after checking that there is nothing else.
sub json_of
{
    my (@words) = @_;
    my ($code, $out, $err) = ctl('--json', @words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @objects = map { eval { decode_json($_) } // "no JSON: $_" }
        split /\n/, $out;
    is_deeply [$code, grep { !ref } @objects], [0],
        "adsctl --json @words[0 .. (@words > 1 ? 1 : 0)]"
        or diag $err;
    return wantarray ? @objects : $objects[0];
}

sub refused
{
    my ($code, $said, $name, @words) = @_;
    my ($got, $out, $err) = ctl(@words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is $got, $code, $name;
    like $err, $said, 'and says why';
    my $n = () = $err =~ /^adsctl: /mg;
    cmp_ok $n, '<=', 1, 'once';
    is $out, '', 'on standard error alone';
}

# ---- accounts and keys -----------------------------------------------------

my $shop = json_of(qw(tenant create --type advertiser --name), 'A "b" \\ c',
    '--timezone', 'Europe/Vienna');
like $shop->{id}, qr/^$uuid$/, 'a tenant has an id';
is $shop->{served}, JSON::PP::true, 'and is served';
cmp_ok $shop->{generation}, '>', 0, 'from a generation';
my $pub = json_of(qw(tenant create --type publisher --name P));
my ($listed) = grep { $_->{id} eq $shop->{id} } json_of(qw(tenant list));
is_deeply [@{$listed}{qw(type name status timezone)}],
    ['advertiser', 'A "b" \\ c', 'active', 'Europe/Vienna'], 'it is listed';
like +(ctl(qw(tenant list)))[1], qr/^\Q$shop->{id}\E  advertiser /m,
    'also for people';

my $key = json_of(qw(key create --name main --account), $shop->{id});
like $key->{key}, qr/^ads_live_a\w{36}$/, 'a key is shown';
my $test = json_of(qw(key create --test --explain --account), $pub->{id});
like $test->{key}, qr/^ads_test_p\w{36}$/, 'a test key says so';
my ($code, $out, $err) = ctl(qw(key create --account), $pub->{id});
like $out, qr/^ads_live_p\w{36}\n$/, 'a key for people is the key alone';
like $err, qr/^served: generation \d+$/m, 'the generation stands beside it';
chomp(my $pub_key = $out);

is_deeply [map { $_->{state} } json_of(qw(key list --account), $shop->{id})],
    ['active'], 'a key is listed as active';
my $revoked = json_of(qw(key revoke), $key->{id});
is $revoked->{served}, JSON::PP::true, 'a key is revoked';
is_deeply [map { $_->{state} } json_of(qw(key list --account), $shop->{id})],
    ['revoked'], 'and listed so';
is +(ctl(qw(key revoke), $key->{id}))[0], 0, 'revoking again is no mistake';
my $stored = join ' ', map { $_->[0] }
    @{ $ads->sql('select row(k.*)::text from ads.api_keys k') };
unlike $stored, qr/\Q$key->{key}\E|\Q$pub_key\E/, 'the database holds no key';

# ---- campaigns and money ---------------------------------------------------

my $campaign = json_of(qw(campaign create --name Kettles --bid 0.25 --daily 5
        --lifetime 50 --locations), 'US, DE', qw(--not-locations US-CA
        --placements), 'inline,card', qw(--status active --account),
    $shop->{id});
like $campaign->{id}, qr/^$uuid$/, 'a campaign has an id';
is_deeply decode_json($ads->sql_value(
        'select targeting from ads.campaigns where id = ?', $campaign->{id})),
    {
    locations     => ['US', 'DE'],
    not_locations => ['US-CA'],
    placements    => ['inline', 'card']
    },
    'and its targeting';
is $ads->sql_value('select timezone from ads.campaigns where id = ?',
    $campaign->{id}), 'Europe/Vienna', 'its day is that of the account';
for my $step (['pause', 'paused'], ['activate', 'active'], ['pause', 'paused'])
{
    is json_of('campaign', $step->[0], $campaign->{id})->{served},
        JSON::PP::true, "$step->[0] is served";
    is_deeply [map { $_->{status} } json_of(qw(campaign list --account),
            $shop->{id})], [$step->[1]], "and the campaign $step->[1]";
}
my ($row) = json_of(qw(campaign list));
is_deeply [@{$row}{qw(bid bid_micros spent_micros)}], [0.25, 250_000, 0],
    'money comes with its twin in micros';

my $topup = json_of(qw(balance topup --amount 12.345678 --reference R-1
        --account), $shop->{id});
is_deeply [@{$topup}{qw(status balance_micros created served)}],
    ['settled', 12_345_678, JSON::PP::true, JSON::PP::true], 'a top-up';
is_deeply [@{ json_of(qw(balance topup --amount 12.345678 --reference R-1
                --account), $shop->{id}) }{qw(balance_micros created)}],
    [12_345_678, JSON::PP::false], 'of the same reference is booked once';
is json_of(qw(balance show --account), $shop->{id})->{balance_micros},
    12_345_678, 'and the balance says so';
is +(ctl(qw(balance show --account), $shop->{id}))[1], "12.345678 USD\n",
    'also for people';

# what is topped up can be spent when adsctl returns
my $products = "$ads->{dir}/tmp/products.jsonl";
my $quoted   = $ads->products->[0];
$quoted->{title} = 'Quillon 24" laser \\ printer';
$ads->write_file($products, encode_json($quoted) . "\n");
my $late = json_of(qw(tenant create --type advertiser --name Late));
my $late_campaign = json_of(qw(campaign create --name L --bid 1 --lifetime 900
        --status active --account), $late->{id});
is json_of(qw(import --campaign), $late_campaign->{id}, $products)->{added}, 1,
    'an import is told in JSON';
my ($cut, @told) = ctl('--json', qw(import --gone archive --campaign),
    $late_campaign->{id}, '/dev/null');
is $cut, 1, 'a feed that takes all products away is refused';
unlike "@told", qr/served/, 'and nobody says that it is served';
(undef, @told) = ctl('--json', qw(import --campaign), $late_campaign->{id},
    '/nowhere');
is $told[0], '', 'nor that a file is which is not there';
is $ads->recommend($pub_key, 'buy a laser printer')->{json}{reason},
    'no_budget', 'without money nothing is sold';
# enough for the links that are served below and that no one follows: what they
# will probably cost is not sold again until they are old
json_of(qw(balance topup --amount 500 --reference R --account), $late->{id});
is $ads->recommend($pub_key, 'buy a laser printer')->{json}{decision}, 'SHOW',
    'and with it at once';

# ---- what is refused -------------------------------------------------------

my @account  = ('--account', $shop->{id});
my @campaign = (qw(campaign create --name N --bid 1 --lifetime 5), @account);
for my $case (
    [[qw(tenant create --type pope --name N)],
        qr/--type: not one of publisher advertiser platform: pope/],
    [[qw(tenant create --type publisher --name), ''],
        qr/^adsctl: --name: 1 to 200 characters$/],
    [[qw(tenant create --type publisher --name), 'n' x 201],
        qr/--name: 1 to 200 characters/],
    [[qw(tenant create --type publisher --name), "\xe2\x80\x8b"],
        qr/--name: shows nothing/],
    [[qw(tenant create --type publisher --name), "a\e[31m"],
        qr/--name: holds characters/],
    [[qw(tenant create --type publisher --name), "a\xff"],
        qr/--name: not UTF-8/],
    [[qw(tenant create --type publisher --name N --timezone Mars/Base)],
        qr{^adsctl: --timezone: not one such as Europe/Berlin: Mars/Base$}],
    [[qw(user create --email ann)], qr/--email: not an address/],
    [[qw(user create --email a@b.example --name), "a\nb"],
        qr/--name: holds characters/],
    [[qw(member add --role owner --user), $nobody, @account],
        qr/^adsctl: no user has this id$/],
    [[qw(member list --account), $nobody],   qr/no account has this id/],
    [[qw(campaign list --account), $nobody], qr/no account has this id/],
    [[qw(topup list --account), $nobody],    qr/no account has this id/],
    [[qw(export --account), $nobody],        qr/no account has this id/],
    [[qw(report --account), $nobody],        qr/no account has this id/],
    [[qw(report --from 2026-02-31), @account],
        qr/--from: not a day such as 2026-01-31: 2026-02-31/],
    [[qw(report --from 2026-11-02 --to 2026-11-01), @account],
        qr/--from 2026-11-02 is after --to 2026-11-01/],
    [[qw(statement --month 2026-13), @account], qr/--month: not a month/],
    [[qw(key create --account), $nobody], qr/no account has this id/],
    [[qw(key list --account),   $nobody], qr/no account has this id/],
    [[qw(key create --account x)],        qr/--account: not an id: x/],
    [[qw(key revoke), $nobody],           qr/no key has this id/],
    [[qw(key revoke 17)],                 qr/not an id/],
    [[qw(campaign create --name N --bid 1 --lifetime 5 --account),
            $pub->{id}], qr/no advertiser/],
    [[qw(campaign create --name N --bid 1), @account],
        qr/--daily or --lifetime/],
    [[qw(campaign create --name N --bid x --daily 5), @account],
        qr/--bid: not an amount/],
    [[qw(campaign create --name N --bid -1 --daily 5), @account],
        qr/--bid: not an amount/],
    [[qw(campaign create --name N --bid 0 --daily 5), @account],
        qr/^adsctl: --bid: at least 0\.000001$/],
    [[qw(campaign create --name N --bid 1 --daily 0.5), @account],
        qr/^adsctl: --daily: at least 1\.00$/],
    [[qw(campaign create --name N --bid 1 --lifetime 0.999999), @account],
        qr/^adsctl: --lifetime: at least 1\.00$/],
    [[qw(campaign create --bid 1 --lifetime 5 --name), '', @account],
        qr/--name: 1 to 200 characters/],
    [[@campaign, qw(--timezone Mars/Base)],        qr/--timezone: not one such/],
    [[@campaign, qw(--status archived)],           qr/--status: not one of/],
    [[@campaign, qw(--status running)],            qr/--status: not one of/],
    [[@campaign, qw(--locations Atlantis)],        qr/not known: Atlantis/],
    [[@campaign, '--locations',  ' , '],           qr/--locations: names none/],
    [[@campaign, '--placements', 'Side Bar'],      qr/not known: Side Bar/],
    [[qw(campaign pause), $nobody],                qr/no campaign/],
    [[qw(balance topup --amount 0.5 --reference x), @account],
        qr/^adsctl: --amount: from 1 to 1000000: 0\.5$/],
    [[qw(balance topup --amount 1000000.01 --reference x), @account],
        qr/--amount: from 1 to 1000000/],
    [[qw(balance topup --amount 5 --reference), '', @account],
        qr/--reference: 1 to 200 characters/],
    [[qw(topup reject --reason), '', $nobody],     qr/--reason: 1 to 500/],
    [[qw(balance topup --amount 1e9x --reference x), @account],
        qr/not an amount/],
    [[qw(balance topup --amount 2 --reference R-1), @account],
        qr/another amount/],
    [[qw(balance topup --amount 5 --reference x --account), $pub->{id}],
        qr/\S/],
    [[qw(balance show --account), $nobody],        qr/no balance/],
    [[qw(import --campaign), $nobody, $products],  qr/no campaign/],
    [[qw(import --campaign), $late_campaign->{id}, '/nowhere'],
        qr{/nowhere: No such file}],
    [[qw(explain --max 21 kettle)],                qr/--max: 1 to 20/],
    [[qw(explain --max 3x kettle)],                qr/--max: 1 to 20/],
    [[qw(explain --currency usd kettle)],          qr/--currency/],
    [[qw(explain --location Atlantis kettle)],     qr/not known: Atlantis/],
    [[qw(explain --placement), 'Side Bar', 'kettle'], qr/not known: Side/],
    [['explain', ''],                              qr/1 to 8192 bytes/],
    [['explain', 'x' x 8193],                      qr/1 to 8192 bytes/],
    [['explain', "kettle \xff"],                   qr/not UTF-8/],
    [[qw(click-key promote 9)],                    qr/no key has this id: 9/],
    [[qw(click-key promote 1x)],                   qr/no key has this id: 1x/],
    [[qw(click-key retire 1)],                     qr/promote another/],
    [[qw(journal dump /nowhere.seg)],              qr/not a segment of this journal/],
) {
    my ($words, $said) = @$case;
    my $short = join ' ', map { length > 24 ? substr($_, 0, 8) . '...' : $_ }
        @$words;
    $short =~ s/[^ -~]/?/g;
    refused(1, $said, "refused: $short", @$words);
}
is $ads->sql_value('select count(*) from ads.campaigns'), 2,
    'nothing that was refused is there';

# ---- wrong usage -----------------------------------------------------------

for my $case (
    [],
    ['frobnicate'],
    ['--frobnicate', 'status'],
    ['-c'],
    ['tenant'],
    [qw(tenant drop)],
    [qw(tenant create --type publisher)],
    [qw(tenant create --type)],
    [qw(tenant create --type publisher --type advertiser --name N)],
    [qw(tenant create --type publisher --name N extra)],
    [qw(tenant create --kind publisher --name N)],
    [qw(tenant list extra)],
    [qw(key)],
    [qw(key create)],
    [qw(key create --test --test), @account],
    [qw(key list)],
    [qw(key revoke)],
    ['key', 'revoke', $nobody, $nobody],
    [qw(campaign)],
    [qw(campaign create --name N), @account],
    [qw(campaign pause)],
    [qw(campaign stop), $nobody],
    [qw(balance)],
    [qw(balance show)],
    [qw(balance topup --amount 5), @account],
    [qw(balance reverse --reason x --reference y)],
    [qw(balance reverse --reference y --topup), $nobody],
    [qw(import), $products],
    [qw(import --campaign), $nobody],
    [qw(import --campaign), $nobody, $products, $products],
    [qw(status now)],
    [qw(explain)],
    [qw(explain two words)],
    [qw(reconcile --from)],
    [qw(reconcile --from yesterday)],
    [qw(reconcile --from 2026-02-31)],
    [qw(reconcile --from 2026-11-02 --to 2026-11-01)],
    [qw(reconcile --from 2999-01-01)],
    [qw(tenant list --json)],
    [qw(export)],
    ['export', '--campaign', $nobody, '--account', $nobody],
    [qw(help frobnicate)],
    [qw(journal)],
    [qw(journal burn)],
    [qw(journal status extra)],
    [qw(click-key)],
    [qw(click-key add extra)],
    [qw(click-key promote)],
    [qw(click-key drop 1)],
    [qw(tenant suspend)],
    ['tenant', 'activate', $nobody, $nobody],
    [qw(user)],
    [qw(user create)],
    [qw(user verify)],
    [qw(user list extra)],
    [qw(member)],
    [qw(member add --role owner), @account],
    [qw(member list)],
    [qw(member remove), @account],
    [qw(session)],
    [qw(session end)],
    ['session', 'end', $nobody, '--user', $nobody],
    [qw(key rotate)],
    [qw(key rotate --grace)],
    [qw(jwt-key)],
    [qw(jwt-key add extra)],
    [qw(jwt-key promote)],
    [qw(audit)],
    [qw(audit list extra)],
    [qw(doctor extra)],
    [qw(routes extra)],
    [qw(completion)],
    [qw(completion fish)],
    [qw(init extra)],
    [qw(migrate --force)],
) {
    refused(2, qr/^usage: adsctl /m, 'wrong usage: ' . join(' ', @$case),
        @$case);
}
($code, $out, $err) = ctl('--help');
is $code, 0, 'asking for help is no mistake';
for my $verb (qw(init migrate tenant key campaign balance import status explain
    reconcile journal click-key)) {
    like $out, qr/^  \Q$verb\E\b/m, "help names $verb";
}
is_deeply [ctl('help')], [$code, $out, $err], 'help is --help';
for my $words ([qw(help tenant)], [qw(help tenant create)], [qw(tenant --help)],
    [qw(tenant suspend --help)]) {
    ($code, $out, $err) = ctl(@$words);
    is $code, 0, "@$words: asking is no mistake";
    like $out, qr/\Ausage: adsctl tenant create .*^       adsctl tenant list$/ms,
        'how that verb is used is the answer';
    is $err, '', 'and nothing is wrong';
}
like +(ctl(qw(tenant list --json)))[2], qr/^adsctl: --json stands before the/m,
    'where --json belongs is said';
like +(ctl(qw(frobnicate)))[2], qr/unknown verb frobnicate/,
    'a wrong verb is named';
like +(ctl(qw(explain -- --max)))[1], qr/^decision/m,
    'behind -- nothing is an option';

my ($no_conf, $said) = $ads->try($ads->program('adsctl'), '-c', '/nowhere',
    'status');
is $no_conf, 1, 'without a configuration nothing is done';
like $said, qr{/nowhere}, 'and the file is named';

# ---- explain ---------------------------------------------------------------

my ($decision, @more) = json_of('explain', 'buy a laser printer');
my @picks = @{ $decision->{shown} };
is_deeply [@{$decision}{qw(decision reason)}, $decision->{guard}{topic}],
    ['SHOW', undef, undef], 'explain decides as the worker does';
cmp_ok $decision->{intent}{score}, '>=', $decision->{intent}{threshold},
    'it tells what the query was worth';
is scalar(@picks) + @more, 1, 'and what is shown';
my $served = $ads->recommend($pub_key, 'buy a laser printer')->{json}{ads}[0];
is_deeply [@{ $picks[0] }{qw(ad_id position)}],
    [@{$served}{qw(ad_id position)}], 'the same ad is served';
is $picks[0]{price_micros}, 1_000_000, 'at a price';
($code, $out) = ctl('explain', 'buy a laser printer');
like $out, qr/^decision   SHOW$/m, 'the same for people';
like $out, qr/^    Quillon 24" laser \\ printer$/m, 'with readable titles';

for my $case (
    ['why is the sky blue',   'not_commercial'],
    ['I want to kill myself', 'sensitive_topic'],
    ['buy a trampoline',      'no_match'],
) {
    my ($query, $reason) = @$case;
    my ($told, @none) = json_of('explain', $query);
    is_deeply [@{$told}{qw(decision reason)}, @none], ['NO_AD', $reason],
        "explain: \"$query\" is $reason";
    like +(ctl('explain', $query))[1], qr/^decision   NO_AD, $reason$/m,
        'also for people';
}
my ($euro) = json_of(qw(explain --currency EUR), 'buy a laser printer');
is_deeply [$euro->{reason}, $euro->{refused}{currency} > 0], ['currency', 1],
    'and what kept an ad away';

# ---- status, journal, reconcile --------------------------------------------

$ads->click($served->{click_url});
$ads->wait_until(sub { json_of('status')->{journal_pending_bytes} == 0 },
    10, 'the click to be committed');
my $status = json_of('status');
is_deeply { map { $_ => $status->{$_} } qw(adsd database ads campaigns
        campaigns_active products_active records_rejected) },
    {
    adsd             => JSON::PP::true,
    database         => JSON::PP::true,
    ads              => 1,
    campaigns        => 2,
    campaigns_active => 1,
    products_active  => 1,
    records_rejected => 0
    },
    'status counts what there is';
is $status->{change_served}, $status->{change}, 'all of it is served';
like +(ctl('status'))[1], qr/^adsd      running\n.*^database  answers$/ms,
    'also for people';

# workers go on to write their counters
my @segments;
$ads->wait_until(
    sub {
        @segments = json_of(qw(journal status));
        return !grep { $_->{waiting} } @segments;
    },
    10,
    'no journal bytes to wait'
);
my @dumped = json_of(qw(journal dump));
is scalar(grep { $_->{type} eq 'click' } @dumped), 1, 'the click is dumped';
my ($name) = map { $_->{name} } @segments;
is_deeply [json_of(qw(journal dump), "$ads->{dir}/state/journal/$name")],
    [grep { $_->{segment} eq $segments[0]{segment} } @dumped],
    'a file by its name likewise';
is scalar(grep { !$_->{ok} } json_of('reconcile')), 0, 'everything adds up';
json_of(qw(reconcile --from 2026-01-01 --to 2026-01-31));

# ---- the keys of links -----------------------------------------------------

sub fresh
{
    my $answer = $ads->recommend($pub_key, 'buy a laser printer');
    return $answer->{json}{ads}[0];
}

sub kid_of
{
    my ($ad) = @_;
    my ($token) = $ad->{click_url} =~ m{([^/]+)$};
    return (unpack 'CC', decode_base64url($token))[1];
}

# nginx takes the ring again: its new workers serve, and those of before have
# ended, for one that is slow to go would still answer by its old ring.
sub reload_nginx
{
    my ($kid) = @_;
    $ads->reload;
    $ads->wait_until(sub { kid_of(fresh()) == $kid }, 15, "links by key $kid");
}

sub committed
{
    my ($answer) = @_;
    my ($id) = $answer->{headers}{location} =~ /ads_click_id=($uuid)/;
    $ads->wait_until(
        sub {
            $ads->sql_value('select count(*) from ads.clicks'
                    . ' where click_id = ? and class = 0', $id);
        },
        15,
        'the click to be billed'
    );
}

chmod 0600, $keys;
my $first = fresh();
is kid_of($first), 1, 'links are sealed by the first key';
is json_of(qw(click-key add))->{kid}, 2, 'a second is added';
is_deeply [map { [$_->{kid}, $_->{seal}] } json_of(qw(click-key list))],
    [[1, JSON::PP::true], [2, JSON::PP::false]], 'it opens and does not seal';
is +(stat $keys)[2] & 0777, 0600, 'the file is as private as it was';
unlike join('', ctl(qw(click-key list))), qr/[0-9a-f]{64}/, 'no key is printed';
reload_nginx(1);
is json_of(qw(click-key promote 2))->{kid}, 2, 'it is promoted';
reload_nginx(2);
my $second = fresh();
for my $ad ($first, $second) {
    my $answer = $ads->click($ad->{click_url});
    is $answer->{status}, 302, 'links of key ' . kid_of($ad) . ' open';
    committed($answer);
    pass 'and are billed';
}

# a node where the file was copied and adsd does not know
my $copied = Ads::Stack::read_file($keys) =~ s/ seal / open /r;
$ads->write_file($keys, $copied . '3 seal ' . 'c5' x 32 . "\n", 0600);
reload_nginx(3);
my $forgotten = $ads->click(fresh()->{click_url});
is $forgotten->{status}, 302, 'links open that adsd has no key for yet';
is_deeply json_of('reload')->{click_keys}, [1, 2, 3], 'it is told';
committed($forgotten);
pass 'and they are billed';

my $old = $ads->click($first->{click_url})->{status};
is json_of(qw(click-key retire 1))->{kid}, 1, 'the first key is retired';
is_deeply [map { $_->{kid} } json_of(qw(click-key list))], [3, 2],
    'and gone from the ring';
reload_nginx(3);
is $old, 302, 'its links opened until then';
is $ads->click($first->{click_url})->{status}, 404, 'and do not afterwards';
is $ads->click($second->{click_url})->{status}, 302, 'those of the others do';
is json_of(qw(click-key add))->{kid}, 4, 'its id is not given out again';

# what a key signed is read before the key goes
my $third = fresh();
is $ads->stop('adsd'), 0, 'adsd stops';
my $waiting = $ads->click($third->{click_url});
is $waiting->{status}, 302, 'a link is followed meanwhile';
is json_of(qw(click-key promote 4))->{kid}, 4, 'and the key changes';
refused(1, qr/key 3 signed \d+ segments that are not committed/,
    'the key stays that signed what waits', qw(click-key retire 3));
is_deeply [sort map { $_->{kid} } json_of(qw(click-key list))], [2, 3, 4],
    'in the ring';
$ads->begin('adsd');
reload_nginx(4);
is json_of(qw(click-key retire 3))->{kid}, 3,
    'and goes once that is committed';
committed($waiting);
pass 'and billed';
$ads->restart('adsd');
is scalar(grep { !$_->{ok} } json_of('reconcile')), 0,
    'everything adds up where the key is gone';

my $ring = Ads::Stack::read_file($keys);
for my $bad ("1 seal\n", "x\n", '', "1 open " . '0' x 64 . "\n") {
    $ads->write_file($keys, $bad, 0600);
    refused(1, qr/\Q$keys\E:\d+: \S/, 'a bad ring is refused by its line',
        qw(click-key add));
    is Ads::Stack::read_file($keys), $bad, 'and left as it is';
}
$ads->write_file($keys, $ring, 0600);

# ---- init again ------------------------------------------------------------

my $node = Ads::Stack::read_file("$ads->{dir}/state/node");
my $init = json_of('init');
is "$init->{node}\n", $node, 'init again keeps the node';
is $init->{applied}, 0, 'the schema';
is Ads::Stack::read_file($keys), $ring, 'and the keys';
is json_of('migrate')->{applied}, 0, 'migrate again has nothing to do';

# ---- adsd away, database away ----------------------------------------------

is $ads->stop('adsd'), 0, 'adsd stops';
$ads->wait_until(sub { (ctl('status'))[0] == 3 }, 10, 'status to notice');
pass 'status without adsd has exit code 3';
my $unserved = json_of(qw(campaign pause), $late_campaign->{id});
is_deeply $unserved, { served => JSON::PP::false },
    'a change without adsd is done and said not to be served';
like +(ctl(qw(campaign activate), $late_campaign->{id}))[2],
    qr/it will be served when it starts/, 'in words too';

is $ads->stop('postgres'), 0, 'PostgreSQL stops';
for my $words (
    ['init'], ['migrate'],
    [qw(tenant create --type publisher --name N)],
    [qw(tenant list)],
    [qw(key create), @account],
    [qw(key list),   @account],
    [qw(key revoke), $nobody],
    [@campaign],
    [qw(campaign list)],
    [qw(campaign pause), $nobody],
    [qw(balance topup --amount 5 --reference x), @account],
    [qw(balance show), @account],
    [qw(import --campaign), $nobody, $products],
    ['status'],
    ['reconcile'],
    [qw(journal status)],
) {
    my ($code, $out, $err) = ctl('--json', @$words);
    is $code, 3, 'without the database: ' . join ' ', @$words;
    is scalar(grep { !eval { decode_json($_) } } split /\n/, $out), 0,
        'what is printed is JSON';
    like $err, qr/\S/, 'and the reason told';
}
is +(json_of('explain', 'buy a laser printer'))[0]{decision}, 'SHOW',
    'explain needs no database';
is scalar(grep { $_->{type} eq 'click' } json_of(qw(journal dump))) > 1, 1,
    'nor does the dump of the journal';
is +(ctl(qw(click-key list)))[0], 0, 'nor the ring';

$ads->begin('postgres');
$ads->begin('adsd');
$ads->wait_ready(20);
$ads->done;
