#!/usr/bin/perl
#
# No change makes a request dearer unseen: a click and a recommendation cost
# the worker at most 3 % more instructions than bench/instructions.tsv says.

use strict;
use warnings;
use FindBin;
use lib 'bench/lib', 't/lib', 'tools/lib';

use Test::More;

plan skip_all => 'valgrind is not there' if system('which valgrind >/dev/null');
plan skip_all => 'counted on the plain build with Debian\'s nginx only'
    if $ENV{ADS_NGINX} || ($ENV{ADS_BUILD} // 'build') ne 'build';

require Ads::Instructions;
my ($machine, $table) = Ads::Instructions::table();
plan skip_all => "the table is of $machine"
    if $machine ne Ads::Instructions::machine();

my $ads    = Ads::Instructions->new;
my $counts = $ads->counts;
for my $name (sort keys %$table) {
    my ($now, $then) = ($counts->{$name} // 0, $table->{$name});
    cmp_ok $now, '>', 0, "$name was counted";
    cmp_ok $now, '<=', $then * 1.03,
        sprintf '%s: %.0f instructions, %+.1f %% of %d', $name, $now,
        100 * ($now / $then - 1), $then;
}
$ads->done;
