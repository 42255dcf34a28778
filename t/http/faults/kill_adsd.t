#!/usr/bin/perl
#
# adsd is killed at random moments of a load of clicks: no visitor notices, and
# what was answered is what is billed, to the unit.
#
# Runs: long tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use Test::More;

my $chaos = Ads::Chaos->new;
my $ads   = $chaos->{ads};
my $kills = Ads::Chaos::short_or_long(6, 20);
my $over  = Ads::Chaos::short_or_long(18, 300);

$chaos->begin;
$chaos->at_moments($kills, $over, sub { $ads->kill_and_restart('adsd') });
my $load = $chaos->end;

is_deeply [$load->bad], [], "$kills kills of adsd: no request fails";
cmp_ok scalar(() = $load->clicks), '>', 0.98 * $over * $load->{clicks},
    'the load had its full rate';
$chaos->check('adsd killed');

$chaos->done;
