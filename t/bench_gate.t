#!/usr/bin/perl
#
# No change makes a request dearer unseen: a click and a recommendation cost
# the worker at most 3 % more instructions than bench/instructions.tsv says.  The
# table is of one compiler and one set of libraries.  Where these are others, CI
# (ADS_CI) counts the commit that wrote the table in the same run, so that a new
# library does not end the gate; elsewhere it is skipped.

use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib 'bench/lib', 't/lib', 'tools/lib';

use Test::More;

plan skip_all => 'valgrind is not there' if system('which valgrind >/dev/null');
plan skip_all => 'counted on the plain build with Debian\'s nginx only'
    if $ENV{ADS_NGINX} || ($ENV{ADS_BUILD} // 'build') ne 'build';

require Ads::Instructions;
my ($machine, $table) = Ads::Instructions::table();
if ($machine ne Ads::Instructions::machine()) {
    plan skip_all => "the table is of $machine" if !$ENV{ADS_CI};
    $table = Ads::Instructions::counted_again(
        tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1));
    note "the table is of $machine: its commit was counted anew";
}

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
