#!/usr/bin/perl
#
# Free delivery, simulated (bench/delivery.c): odd prices, one to four nodes,
# clicks up to an hour late, adsd away for 15 s.  Under 0.5 free clicks come to
# 100 billed ones, and at least 98 % of what can be sold is.
#
# Runs: long

use strict;
use warnings;

use Test::More;

my $build = $ENV{ADS_BUILD} // 'build';
my $seed  = $ENV{ADS_SEED}  // 1;
my $n     = $ENV{ADS_LONG} ? 10000 : 140;
diag "ADS_SEED=$seed" if $ENV{ADS_SEED};

open my $in, '-|', "$build/delivery", $n, $seed or die "delivery: $!\n";
my ($stories, $free, $old) = (0, 0, 0);
while (<$in>) {
    chomp;
    my ($name, $now, $sold, $before) = split /\t/;
    $stories++;
    $free += $now;
    $old  += $before;
    # a few campaigns are a matter of luck, many are not
    cmp_ok $now, '<', $ENV{ADS_LONG} ? 0.5 : 1,
        "$name: $now free clicks per 100 billed ones, $before before";
    cmp_ok $sold, '>=', 98, "$name: $sold % of what can be sold is";
}
close $in;
is $?, 0, 'the simulation ends well';
is $stories, 7, 'with all its stories';
cmp_ok $free / $stories, '<', 0.5, 'few clicks are free on the whole';
cmp_ok $old / $stories, '>', 100, 'where the rule of before gave away without end';

done_testing;
