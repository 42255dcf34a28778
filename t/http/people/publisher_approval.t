#!/usr/bin/perl
#
# Publishers are known before they earn: test ads until the address is confirmed
# and the operator approved a named site; what was shown before a suspension
# costs nothing after it.

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use JSON::PP;
use Test::More;

my $ads   = Ads::Test->new;
my $shop  = $ads->seed_shop;
my $us    = $ads->seed_platform;
my $query = 'buy a laser printer';

# {token, account, key} of somebody who signs up and makes a key.
sub sign_up
{
    my ($email, %fields) = @_;
    my $in = $ads->post('/v1/auth/signup', undef,
        { email => $email, password => 'correct horse battery 9',
            account_type => 'publisher', %fields })->{json};
    my $who = { token => $in->{access_token}, account => $in->{account}{id} };
    $who->{key} = $ads->post('/v1/auth/api-key', $who->{token},
        { name => 'site' })->{json}{key};
    $ads->wait_until(
        sub { $ads->recommend($who->{key}, $query)->{status} == 200 },
        10, 'the key to be known');
    return $who;
}

sub account
{
    my ($who) = @_;
    return $ads->http('GET', '/v1/account',
        [Authorization => "Bearer $who->{token}"])->{json};
}

sub approve
{
    my ($account, $body) = @_;
    return $ads->post("/v1/platform/accounts/$account/approve", $us->{key},
        $body // {});
}

# n links; are they of test ads?
sub links
{
    my ($who, $n) = @_;
    my @answers = map { $ads->recommend($who->{key}, $query) } 1 .. $n;
    return (
        scalar(grep { $_->{headers}{'x-ads-test'} } @answers),
        map { $_->{json}{ads}[0]{click_url} // () } @answers
    );
}

sub classes
{
    my ($who) = @_;
    Ads::Journal::wait_drained($ads);
    return { map { $_->[0] => 0 + $_->[1] } @{ $ads->sql(
                'select k.name, count(*) from ads.clicks c
                 join ads.click_classes k on k.code = c.class
                 where c.publisher_id = ? group by 1', $who->{account}) } };
}

sub confirm
{
    my ($email) = @_;
    $ads->sql_value('update ads.users set email_verified_at = now()
        where email = ? returning 1', $email);
}

sub name_site
{
    my ($who, $name) = @_;
    return $ads->http('PATCH', '/v1/account',
        [Authorization => "Bearer $who->{token}", 'Content-Type' =>
            'application/json'], encode_json({ site => $name }));
}

sub wait_live
{
    my ($who, $what) = @_;
    $ads->wait_until(sub { (links($who, 1))[0] == 0 }, 10, $what);
    pass $what;
}

# ---- a stranger earns nothing ------------------------------------------------

my $site = sign_up('site@example.com');
my ($tests, @links) = links($site, 20);
is $tests, 20, 'who has just signed up gets test ads';
$ads->click($_) for @links;
is_deeply [map { $ads->recommend($site->{key}, $query,
            floor_micros => $_)->{json}{decision} } 250_000, 250_001],
    ['SHOW', 'SHOW'], 'and learns by no floor what others bid';
is_deeply classes($site), { test => scalar @links },
    'a click on them is a test';
is $ads->sql_value('select count(*) from ads.ledger_accounts
    where account_id = ?', $site->{account}), 0, 'nothing is earned';
is_deeply [@{ account($site) }{qw(site approved_at earns_since)}],
    [undef, undef, undef], 'the account says so';

# ---- until all three are there ------------------------------------------------

$ads->is_problem(approve($site->{account}), 409, 'conflict',
    'nobody is approved without a site or app name');
my $named = name_site($site, 'Printer Talk');
is $named->{json}{site}, 'Printer Talk', 'it names its site';
$ads->is_problem(
    $ads->post("/v1/platform/accounts/$site->{account}/approve", $shop->{key},
        {}), 403, 'wrong_scope', 'only the platform approves');
$ads->is_problem(approve($shop->{account}), 404, 'not_found',
    'and only publishers');

my $answer = approve($site->{account});
is $answer->{status}, 200, 'the platform approves it';
ok $answer->{json}{approved_at}, 'which has its time';
is $answer->{json}{earns_since}, undef,
    'the address is not confirmed: it earns nothing';
is +(links($site, 1))[0], 1, 'and gets test ads';
confirm('site@example.com');
wait_live($site, 'its address confirmed it gets ads that pay');
ok account($site)->{earns_since}, 'the account says since when';

# ---- another site is not what was approved --------------------------------------

is name_site($site, 'Printer talk')->{json}{earns_since},
    account($site)->{earns_since}, 'another spelling of its site changes nothing';
ok account($site)->{earns_since}, 'it still earns';
$named = name_site($site, 'Free Prizes');
is_deeply [@{ $named->{json} }{qw(site approved_at earns_since)}],
    ['Free Prizes', undef, undef], 'with another site it waits for approval';
($tests, @links) = links($site, 1);
is $tests, 1, 'and gets test ads';
ok approve($site->{account}, { site => 'Printer Talk' })->{json}{earns_since},
    'the platform approves it with the site that it says';
is account($site)->{site}, 'Printer Talk', 'under that name';
wait_live($site, 'it gets ads that pay again');

# ---- and until it is suspended -------------------------------------------------

($tests, @links) = links($site, 20);
is $tests, 0, 'no test ads';
$ads->click($_) for @links[ 0 .. 9 ];
Ads::Journal::wait_drained($ads);
$ads->adsctl('tenant', 'suspend', $site->{account});
is scalar(grep { $ads->click($_)->{status} == 302 } @links[ 10 .. 19 ]), 10,
    'suspended, its links redirect';
my $got = classes($site);
is_deeply [@$got{ 'valid', 'invalid:not_approved' }], [10, 10],
    'and earn nothing from that moment';
is $ads->sql_value('select sum(billed_micros) from ads.clicks
    where publisher_id = ?', $site->{account}), 10 * 250_000,
    'the advertiser pays for what was before';

my $earned = 10 * 0.25 * 0.7;
is_deeply [@{ $ads->adsctl('balance', 'show', '--account', $site->{account}) }{
        qw(balance held payable)}], [$earned, $earned, 0],
    'what it earned is held back';
$ads->sql_value('update ads.settings set payout_hold_days = 0 returning 1');
is_deeply [@{ $ads->adsctl('balance', 'show', '--account', $site->{account}) }{
        qw(balance held payable)}], [$earned, 0, $earned],
    'until its time is over';

# ---- the operator may leave it to the address -----------------------------------

$ads->stop('adsd');
$ads->{adsd} = { publisher_approval => 'auto' };
$ads->write_configs;
$ads->start_adsd;
$ads->wait_until(
    sub {
        $ads->http('GET', '/v1/account', ['X-API-Key' => $us->{key}])->{status}
            == 200;
    },
    30,
    'adsd to be ready'
);
my $auto = sign_up('auto@example.com', company => 'Auto News');
is +(links($auto, 1))[0], 1, 'also with publisher_approval auto: not yet';
confirm('auto@example.com');
wait_live($auto, 'confirmed it earns by itself');
is account($auto)->{site}, 'Auto News', 'under the name it signed up with';

my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'adsctl reconcile agrees' or diag $out;

$ads->done;
