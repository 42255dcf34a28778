#!/usr/bin/perl
#
# Every screen of the dashboard, of each kind of account, in both themes and at
# two widths, in a real browser: nothing in the console, no breach of the policy,
# nothing that axe finds, no scrolling to the side.
#
# Runs: first

use strict;
use warnings;
use lib 't/lib';

use Ads::Dashboard;
use Test::More;

Ads::Dashboard::need();
my $world = Ads::Dashboard->new;
my $said  = $world->walk('screens.mjs');

cmp_ok $said->{screens} // 0, '>=', 150, 'screens were seen';
for my $kind (
    [complaints => 'no error in the console, nothing asked elsewhere'],
    [axe        => 'axe finds nothing'],
    [wider      => 'no screen is wider than its window']
    )
{
    is join("\n", @{ $said->{ $kind->[0] } || ['none'] }), '', $kind->[1];
}

$world->walk('pictures.mjs') if $ENV{ADS_PICTURES};

$world->{ads}->done;
