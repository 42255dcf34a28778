#!/usr/bin/perl
#
# adsd and PostgreSQL end, hang and come back in every order under load: who
# asks for ads and who clicks notices nothing; who manages gets 503 with
# Retry-After within 3 seconds, and is served as soon as both are there.
#
# Then two thousand management requests at once.
#
# ADS_LONG=1 runs the orders three times, at five times the load.

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Load;
use Ads::Test;
use IO::Poll qw(POLLIN);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $long = $ENV{ADS_LONG};
my $ads  = Ads::Test->new(nginx_http => Ads::Load::realip());
my $pub  = $ads->seed_publisher;
$ads->seed_shop(topup => 100_000, lifetime => 100_000);

my $id   = '01000000-0000-8000-8000-000000000000';
my $sale = encode_json({ click_id => $id, request_id => $id, ad_id => $id,
        value => 1, currency => 'USD' });
my @json = ('Content-Type' => 'application/json', 'X-API-Key' => $pub->{key});

sub manage
{
    my $begin  = time;
    my $answer = $ads->http('POST', '/v1/events/conversion', [@json], $sale);
    $answer->{seconds} = time - $begin;
    return $answer;
}

sub is_down
{
    my ($when) = @_;
    my $answer = manage();
    $ads->is_problem($answer, 503, 'unavailable', "$when: management is told");
    like $answer->{headers}{'retry-after'} // '', qr/^[1-9]\d*$/,
        "$when: when to come back";
    cmp_ok $answer->{seconds}, '<', 3, sprintf '%s: after %.1f s', $when,
        $answer->{seconds};
}

sub is_up
{
    my ($when) = @_;
    my $begin = time;
    $ads->wait_until(sub { manage()->{status} != 503 }, 20,
        "$when: management");
    pass sprintf '%s: management is served after %.1f s', $when, time - $begin;
}

# ---- what can happen to each -----------------------------------------------

# Hung: every process of the part stands still.
sub hang
{
    my ($name) = @_;
    kill 'STOP', $ads->part($name)->session($ads->{dir});
}

sub wake
{
    my ($name) = @_;
    kill 'CONT', $ads->part($name)->session($ads->{dir});
}

sub end
{
    my ($name) = @_;
    delete $ads->{db};
    $ads->kill_part($name);
    $ads->bury(delete $ads->{parts}{$name});
}

my %fault = (
    end  => [\&end,  sub { $ads->begin($_[0]) }],
    hang => [\&hang, \&wake]
);

# Two faults, in the order in which they come and in which they go.
my @orders = (
    [[postgres => 'end'],  [adsd     => 'hang'], 'first'],
    [[adsd     => 'end'],  [postgres => 'hang'], 'first'],
    [[adsd     => 'hang'], [postgres => 'hang'], 'last'],
    [[postgres => 'end'],  [adsd     => 'end'],  'last'],
);

my $load = Ads::Load->begin(
    $ads,
    key        => $pub->{key},
    queries    => ['buy a laser printer', 'buy a mountain bike'],
    clicks     => $long ? 500 : 100,
    recommends => $long ? 200 : 40
);
for my $order ((@orders) x ($long ? 3 : 1)) {
    my ($one, $two, $back) = @$order;
    my $name = join ', ', map { "$_->[0] $_->[1]s" } $one, $two;
    my @return = $back eq 'first' ? ($one, $two) : ($two, $one);

    $fault{ $_->[1] }[0]->($_->[0]) for $one, $two;
    is_down($name);
    $fault{ $return[0][1] }[1]->($return[0][0]);
    is_down("$name, $return[0][0] comes back")
        if $return[1][0] eq 'adsd' || $return[1][1] eq 'hang';
    $fault{ $return[1][1] }[1]->($return[1][0]);
    is_up("$name, both are back");
}
$load = $load->end;
is_deeply [$load->bad], [], sprintf
    'no visitor notices: %d clicks, %d recommendations',
    scalar(() = $load->clicks), scalar(() = $load->recommends);

Ads::Journal::wait_drained($ads, 30);
my @answered = $load->answered;
is $ads->sql_value('select count(distinct click_id) from ads.clicks'
        . ' where click_id = any($1::uuid[])',
    '{' . join(',', @answered) . '}'), scalar @answered,
    'every click that was answered is stored: ' . @answered;

# ---- a crowd ---------------------------------------------------------------

my $request = join '', Ads::Http::bytes($ads->{port}, 'POST',
    '/v1/events/conversion', [@json], $sale);

sub median
{
    my @sorted = sort { $a <=> $b } @_;
    return $sorted[ @sorted / 2 ];
}

sub visit
{
    my $begin = time;
    my $json  = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
    my $click = $ads->click($json->{ads}[0]{click_url});
    die "a visitor got $click->{status}\n" if $click->{status} != 302;
    return time - $begin;
}

# That many requests at once; what is answered within some seconds, and what
# a visitor meets meanwhile.
sub crowd
{
    my ($n, $seconds) = @_;
    my $poll = IO::Poll->new;
    my %left;
    for (1 .. $n) {
        my $socket = Ads::Http::connect($ads->{port});
        syswrite $socket, $request;
        $poll->mask($socket => POLLIN);
        $left{$socket} = $socket;
    }
    my @visits = map { visit() } 1 .. 20;

    my $deadline = time + $seconds;
    my %status;
    while (%left && time < $deadline) {
        $poll->poll(0.1);
        for my $socket ($poll->handles(POLLIN)) {
            my $answer = Ads::Http::answer($socket);
            $status{ $answer ? $answer->{status} : 0 }++;
            $poll->remove($socket);
            delete $left{$socket};
            close $socket;
        }
    }
    $status{none} = keys %left if %left;
    return (\%status, median(@visits));
}

sub told
{
    my ($status) = @_;
    return join ', ', map { "$status->{$_} of $_" } sort keys %$status;
}

my $crowd = 2000;
SKIP: {
    # each has a descriptor here
    my ($limit) = Ads::Stack::read_file('/proc/self/limits')
        =~ /^Max open files\s+(\d+)/m;
    skip "no more than $limit files may be open", 6 if $limit < $crowd + 100;

    my $calm = median(map { visit() } 1 .. 20);
    my ($status, $visit) = crowd($crowd, 20);
    my $refused = manage()->{status};
    is scalar(grep { !/^(?:$refused|429|503)$/ } keys %$status), 0,
        "N19: $crowd at once are answered or shed: " . told($status);
    cmp_ok $visit, '<', 0.1, sprintf
        'N19: a visit takes %.1f ms beside them, %.1f else', 1000 * $visit,
        1000 * $calm;

    hang('adsd');
    ($status, $visit) = crowd($crowd, 6);
    is_deeply [keys %$status], [503],
        "N19: while adsd hangs all are shed: " . told($status);
    cmp_ok $visit, '<', 0.1, sprintf
        'N19: a visit takes %.1f ms beside them', 1000 * $visit;

    # its backlog is still full of those that gave up
    my @shed = map { manage() } 1 .. 9;
    is scalar(grep { $_->{status} != 503 } @shed), 0,
        'N19: with its queue full the next are shed';
    my $shed = median(map { $_->{seconds} } @shed);
    cmp_ok $shed, '<=', 0.1, sprintf 'N19: at once, after %.1f ms',
        1000 * $shed;
    wake('adsd');
    is_up('after the crowd');
}

$ads->done;
