#!/usr/bin/perl
#
# Pauses, edits and spent days buy no free clicks: a link that was served
# honestly is billed for late_click_s after its campaign stopped.  Only then is
# it `paused`.

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use Test::More;
use Time::HiRes qw(sleep);

my $ads = Ads::Test->new;
my $pub = $ads->seed_publisher;
my $all = $ads->products;

sub classes
{
    my (@campaigns) = @_;
    Ads::Journal::wait_drained($ads);
    my %n;
    for my $campaign (@campaigns) {
        $n{ $_->[0] } += $_->[1]
            for @{ $ads->sql(
                'select k.name, count(*) from ads.clicks c
                 join ads.click_classes k on k.code = c.class
                 where c.campaign_id = ? group by 1', $campaign) };
    }
    return \%n;
}

sub links
{
    my ($query, $n) = @_;
    my @urls;
    $ads->wait_until(
        sub {
            my $ad = $ads->recommend($pub->{key}, $query)->{json}{ads}[0];
            push @urls, $ad->{click_url} if $ad;
            return @urls >= $n;
        },
        10,
        "ads for $query"
    );
    return @urls;
}

sub redirected
{
    my (@urls) = @_;
    return scalar grep { $ads->click($_)->{status} == 302 } @urls;
}

# What is remembered of stops moves to the past.
sub minutes_pass
{
    my ($minutes) = @_;
    $ads->db->begin_work;
    $ads->db->do('set local session_replication_role = replica');
    $ads->db->do("update ads.campaigns set
        stopped_at = stopped_at - interval '$minutes minutes',
        resumed_at = resumed_at - interval '$minutes minutes'");
    $ads->db->commit;
}

# ---- four campaigns of one product, each active in turn ---------------------

my $coffee   = 'buy an espresso machine';
my $shop     = $ads->seed_shop(products => [$all->[2]], status => 'paused');
my @rotating = (
    $shop->{campaign},
    map {
        $ads->campaign($shop->{account}, status => 'paused',
            campaign_name => "Turn $_")
    } 2 .. 4
);
$ads->import_products($_, [$all->[2]]) for @rotating[ 1 .. 3 ];

my $redirected = 0;
my @outstanding;
for my $round (0 .. 7) {
    my $campaign = $rotating[ $round % 4 ];
    $ads->adsctl('campaign', 'activate', $campaign);
    push @outstanding, links($coffee, 5);
    $ads->adsctl('campaign', 'pause', $campaign);
    isnt $ads->recommend($pub->{key}, $coffee)->{json}{decision}, 'SHOW',
        'a paused campaign is not shown'
        if $round == 0;
    $redirected += redirected(splice @outstanding, 0, 5) if $round > 0;
}
$redirected += redirected(@outstanding);
is $redirected, 40, 'clicks after each pause are redirected';
is_deeply classes(@rotating), { valid => 40 },
    'and billed: rotating pauses buy nothing';

# ---- other ways to stop -----------------------------------------------------

my $shoes    = 'buy running shoes';
my $archived = $ads->seed_shop(name => 'Archived', products => [$all->[3]]);
my @links    = links($shoes, 10);
$ads->adsctl('campaign', 'archive', $archived->{campaign});
redirected(@links);
is_deeply classes($archived->{campaign}), { valid => 10 },
    'an archived campaign pays for the links that are out';

my $bikes = 'buy a mountain bike';
my $taken = $ads->seed_shop(name => 'Taken', products => [$all->[5]]);
@links = links($bikes, 10);
my $sku = $ads->http('GET', '/v1/products', ['X-API-Key' => $taken->{key}])
    ->{json}{data}[0]{id};
is $ads->http('DELETE', "/v1/products/$sku", ['X-API-Key' => $taken->{key}])
    ->{status}, 200, 'its product is archived';
redirected(@links);
is_deeply classes($taken->{campaign}), { valid => 10 },
    'so does one whose product was taken away';

my $sound  = 'buy wireless headphones';
my $edited = $ads->seed_shop(name => 'Edited', products => [$all->[4]]);
@links = links($sound, 12);
my @patches = (
    { start_at => '2099-01-01T00:00:00Z' },
    { start_at => undef, end_at => '2020-01-01T00:00:00Z' },
    { end_at   => undef, pricing => 'cpm' },
    { pricing  => 'cpc', budget => { daily => 1, lifetime => 1 } },
);
for my $patch (@patches) {
    my $answer = $ads->http('PATCH', "/v1/campaigns/$edited->{campaign}",
        ['X-API-Key' => $edited->{key}, 'Content-Type' => 'application/json'],
        JSON::PP::encode_json($patch));
    is $answer->{status}, 200, 'an edit that stops it: '
        . join ', ', sort keys %$patch;
    redirected(splice @links, 0, 3);
}
is_deeply classes($edited->{campaign}), { valid => 12 },
    'whatever was edited, links that are out are billed';

# ---- and then it is over ----------------------------------------------------

my $printers = 'buy a laser printer';
my $paused   = $ads->seed_shop(name => 'Paused', products => [$all->[0]]);
@links = links($printers, 10);
$ads->adsctl('campaign', 'pause', $paused->{campaign});
redirected(@links[ 0 .. 4 ]);
Ads::Journal::wait_drained($ads);
minutes_pass(11);
is redirected(@links[ 5 .. 9 ]), 5, 'later its links still redirect';
is_deeply classes($paused->{campaign}), { valid => 5, paused => 5 },
    'and cost nothing';

my ($code, $out) = $ads->try_adsctl('reconcile');
is $code, 0, 'adsctl reconcile agrees' or diag $out;

$ads->done;
