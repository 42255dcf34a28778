#!/usr/bin/perl
#
# Two nodes, each an nginx and an adsd, on one database: a budget is billed
# exactly once however the clicks fall on them and who is killed, and of
# two readers of one node only the later goes on.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep);

my $chaos  = Ads::Chaos->new(money => 20, shops => 2);
my $ads    = $chaos->{ads};
my $budget = 200;    # clicks at 0.10 that each shop can pay

# ---- a second node ---------------------------------------------------------

# Another installation on the database of the first, with its click keys.
sub node
{
    my ($id) = @_;
    my $node = Ads::Test->new(
        parts      => [],
        rates      => 1,
        nginx_http => Ads::Load::realip(),
        adsd       => { database => $ads->conninfo, too_fast_ms => 0 }
    );
    $node->write_file("$node->{dir}/click.keys",
        Ads::Stack::read_file("$ads->{dir}/click.keys"));
    $node->write_file("$node->{dir}/state/node", $id) if defined $id;
    $node->adsctl('init');
    $node->start_adsd;
    $node->{db} = $ads->db;
    return $node;
}

sub checked
{
    my ($node) = @_;
    for my $name (qw(nginx adsd)) {
        is $node->stop($name), 0, "the other node's $name ends cleanly";
    }
    $node->check_logs;
    $node->clean;
}

my $other = node();
$other->start_nginx;
$other->wait_ready(30);
is $ads->sql_value('select count(*) from ads.nodes'), 2, 'there are two nodes';

# ---- one budget, two nodes, kills ------------------------------------------

sub billed
{
    return map { $_->[0] } @{ $ads->sql(
        'select sum(billed_micros) from ads.clicks
         group by campaign_id order by 1') };
}

my $most = 0;
my $load = $chaos->begin(
    ports      => [$ads->{port}, $other->{port}],
    retry      => 1,
    clicks     => Ads::Chaos::short_or_long(150, 800),
    recommends => 0,
    stock      => Ads::Chaos::short_or_long(900, 10000),
);
$chaos->at_moments(6, Ads::Chaos::short_or_long(5, 15), sub {
    my $node = rand(2) < 1 ? $ads : $other;
    if (rand(2) < 1) {
        $node->kill_and_restart('adsd');
    }
    else {
        my @workers = $chaos->workers($node->part('nginx')->{pid});
        kill 'KILL', $workers[ rand @workers ];
    }
    for my $billed (billed()) {
        $most = $billed if $billed > $most;
    }
});
$load = $chaos->end;
Ads::Journal::wait_drained($_, 20) for $ads, $other;

is_deeply [$load->unanswered], [], 'every visitor is redirected by one of them';
cmp_ok scalar(() = $load->answered), '>', 2 * $budget,
    'more links were followed than the budgets can pay';
cmp_ok $most, '<=', $budget * 100_000, 'at no time more than a budget is billed';
is_deeply [billed()], [(100_000 * $budget) x 2],
    'in the end exactly each budget is';
is_deeply [Ads::Check::unrecorded([$ads, $other], $load->answered)], [],
    'every answered click is recorded';
is $ads->sql_value('select min(balance_micros) from ads.ledger_accounts
                    where kind = ?', 'advertiser_balance'), 0,
    'the balances are used up, and no more';
is $_->recommend($chaos->{publisher}{key}, 'buy a mountain bike')
    ->{json}{reason}, 'no_budget', 'neither node sells any more'
    for $ads, $other;
$chaos->agree('two nodes', $ads, $other);

# ---- a node that is away ---------------------------------------------------

# What one node showed is in its journal; its adsd is away when the events
# come to the other node.
$ads->psql('ads', "update ads.accounts set manual_clicks_billable = true
    where id = '$chaos->{publisher}{account}'");
$ads->seed_shop(products => [$ads->products->[4]]);    # with money
my ($gone) = Ads::Stack::read_file("$other->{dir}/state/node") =~ /(\w+)/;

# The other node has been silent for so long.
sub silent
{
    my ($interval) = @_;
    $ads->psql('ads', "update ads.nodes
        set heartbeat_at = now() - interval '$interval'
        where id = ('x' || '$gone')::bit(64)::bigint");
}

sub shown
{
    my ($node) = @_;
    my $json = {};
    $ads->wait_until(
        sub {
            $json = $node->recommend($chaos->{publisher}{key},
                'buy wireless headphones')->{json};
            return $json->{decision} eq 'SHOW';
        },
        10,
        'ads to be shown again'
    );
    return $json;
}
shown($_) for $ads, $other;
Ads::Journal::wait_drained($other, 20);
$other->part('adsd')->signal('STOP');
my @shown = map { shown($other) } 1 .. 5;
$other->kill_part('adsd');
$other->bury(delete $other->{parts}{adsd});
silent('3 hours');

sub event
{
    my ($type, $json) = @_;
    return $ads->post("/v1/events/$type", $chaos->{publisher}{key},
        { request_id => $json->{request_id}, ad_id => $json->{ads}[0]{ad_id} });
}

# [class, price] of the clicks that the publisher reported
sub manual
{
    return $ads->sql("select class, billed_micros > 0 from ads.clicks
        where via = 'event'");
}
is event('click', $_)->{status}, 202, 'a click of the other node\'s request'
    for @shown;
Ads::Journal::wait_drained($ads, 20);
sleep 2;    # four ticks
is_deeply manual(), [], 'is not classified while that node is silent';
is $ads->sql_value('select count(*) from ads.event_pending'), 5, 'but waits';
$other->start_adsd;
$ads->wait_until(sub { @{ manual() } == 5 }, 20, 'the clicks');
is_deeply manual(), [([0, 1]) x 5], 'when it is back they are billed';

# one that does not come back
my ($code, $said) = $ads->try_adsctl('node', 'retire', 'x');
is $code, 1, "a node that is none: $said";
($code, $said) = $ads->try_adsctl('node', 'retire', '0123456789abcdef');
like $said, qr/no node 0123456789abcdef/, 'one that never was';
($code, $said) = $ads->try_adsctl('node', 'retire', $gone);
like $said, qr/was alive/, 'one that is alive is not retired';
my $lost = shown($other);
Ads::Journal::wait_drained($other, 20);
$other->part('adsd')->signal('STOP');
$lost = shown($other);
$other->kill_part('adsd');
$other->bury(delete $other->{parts}{adsd});
silent('1 hour');
is event('click', $lost)->{status}, 202, 'a click of a node that is gone';
my %node = map { $_->{node} => $_ } $ads->adsctl('node', 'list');
cmp_ok $node{$gone}{silent_s}, '>=', 3600, 'the list knows it';
is $ads->adsctl('node', 'retire', $gone)->{retired}, JSON::PP::true, 'retired';
my $counted = q{select coalesce(sum(n), 0) from ads.events_counted
    where kind = 'click' and class = 23};
$ads->wait_until(sub { $ads->sql_value($counted) == 1 }, 20, 'the click');
is scalar @{ manual() }, 5, 'nobody waits for it any more: it is counted';
$other->start_adsd;
$ads->wait_until(
    sub {
        my %now = map { $_->{node} => $_ } $ads->adsctl('node', 'list');
        return !$now{$gone}{retired};
    },
    10,
    'the node to count again'
);
pass 'it counts again when it comes back';
Ads::Journal::wait_drained($_, 20) for $ads, $other;
$chaos->agree('nodes away', $ads, $other);

my $text = qr/exited on signal 9/;
for my $node ($ads, $other) {
    my $log = "$node->{dir}/log/nginx.log";
    my $all = Ads::Stack::read_file($log) =~ s/^.*$text.*\n//mgr;
    open my $out, '+<', $log or die "$log: $!\n";
    truncate $out, 0;
    syswrite $out, $all;
}

# ---- two readers of one node -----------------------------------------------

checked($other);
my $epoch = $ads->sql_value('select sum(epoch) from ads.nodes');
my $id    = Ads::Stack::read_file("$ads->{dir}/state/node");
my $twin  = node($id);
my $first = $ads->part('adsd');
$ads->wait_until(sub { $first->ended }, 15, 'the first adsd to give way');
is $first->{status}, 0, 'an adsd whose node another one took over ends';
cmp_ok scalar(() = $ads->log_lines('adsd.out', qr/has taken over this node/)),
    '>', 0, 'and says why';
ok !$twin->part('adsd')->ended, 'the later one goes on';
cmp_ok $ads->sql_value('select sum(epoch) from ads.nodes'), '>', $epoch,
    'in an epoch of its own';
$ads->bury(delete $ads->{parts}{adsd});

# the first again: now the other one is the old one
$ads->start_adsd;
my $second = $twin->part('adsd');
$ads->wait_until(sub { $second->ended }, 15, 'the twin to give way');
is $second->{status}, 0, 'the other way round as well';
$twin->bury(delete $twin->{parts}{adsd});
$twin->clean;

$chaos->done;
