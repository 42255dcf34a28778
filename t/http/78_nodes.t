#!/usr/bin/perl
#
# Two nodes, each an nginx and an adsd, on one database: a budget is billed
# exactly once however the clicks fall on them and whoever is killed, and of
# two readers of one node only the later goes on.

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;
use Time::HiRes qw(sleep);

my $chaos  = Ads::Chaos->new(money => 20);
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
        adsd       => { database => $ads->conninfo }
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
