#!/usr/bin/perl
#
# However many campaigns there are, `live` has room for those that can be sold
# now: drafts take none of it, and it grows while workers answer.
#
# Runs: first

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Ads::Many;
use Ads::Test;
use Test::More;

my $ads  = Ads::Test->new;
my $many = Ads::Many->new($ads, 'buy a laser printer');
my $pub  = $many->{publisher};
my $shop = $many->{shop};

sub used { return $ads->metric('ads_live_slots_used') }

is $many->everywhere, 'SHOW', 'the shop is shown';

# ---- drafts ----------------------------------------------------------------

$many->make(Ads::Chaos::short_or_long(9_000, 66_000), 'draft ',
    status => "'draft'");
$many->make(
    100, 'over ',
    status   => "'active'",
    start_at => "now() - interval '2 days'",
    end_at   => "now() - interval '1 day'"
);
$many->make(
    100, 'later ',
    status   => "'active'",
    start_at => "now() + interval '1 day'"
);
$many->works('with many drafts');
is used(), 1, 'drafts, and what is over or begins later, take no room';

$many->make(
    1, 'soon ',
    status   => "'active'",
    start_at => "now() + interval '63 seconds'"
);
$many->soon(sub { used() == 2 }, 'what begins soon has its place before');

# ---- growing ---------------------------------------------------------------

my $live = "$ads->{run_path}/live";
my $file = (stat $live)[1];
my $room = $ads->metric('ads_live_slots');
my $link = $ads->recommend($pub->{key}, $many->{query})
    ->{json}{ads}[0]{click_url};
$ads->click($link);
my $clicks = $ads->metric('ads_click_total');
my $n      = 9_000;

$many->make($n, 'active ', status => "'active'");
my %said;
$many->soon(
    sub {
        $said{ $many->everywhere } = 1;
        return used() == 2 + $n;
    },
    'all that can be sold have their places');
is join(' ', sort keys %said), 'SHOW', 'meanwhile ads are shown';
cmp_ok $ads->metric('ads_live_slots'), '>=', 2 * $room, 'it has grown';
is((stat $live)[1], $file, 'it is the same file');
is $ads->metric('ads_click_total'), $clicks, 'with what workers counted';
$many->works('after it has grown');

# a campaign whose place came with the growth is sold by all workers
my $other = $ads->campaign($shop->{account}, bid => '0.20');
$ads->import_products($other, [{
            %{ $ads->products->[0] },
            id          => 'hammock',
            title       => 'Garden hammock',
            description => 'Hammock of cotton'
        }]);
$many->{query} = 'buy a garden hammock';
$many->soon(sub { $many->everywhere eq 'SHOW' }, 'a new place is sold');

# ---- nothing is forgotten --------------------------------------------------

$ads->kill_and_restart('adsd');
is $many->everywhere, 'SHOW', 'a killed adsd goes on with it';
is((stat $live)[1], $file, 'the same file');
is used(), 3 + $n, 'with the same places';
$ads->reload;
is $many->everywhere, 'SHOW', 'and so do new workers';

$ads->done;
