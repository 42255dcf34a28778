#!/usr/bin/perl
#
# The committed intent model on t/intent_hard.tsv: natural requests of which no
# training line was written, in four languages and both styles.  The floor is a
# little below what the model reached when it was committed.

use strict;
use warnings;

use Test::More;

my $build = $ENV{ADS_BUILD} // 'build';
my $least = 0.77; # F1 of SHOW

open my $lines, '<:raw', 't/intent_hard.tsv' or die "$!\n";
my @lines = map { chomp; [split /\t/, $_, 5] } <$lines>;
my %trained = map { $_ => 1 } map { chomp; (split /\t/, $_, 5)[4] }
    split /^/, qx(cat data/intent/lines/*.tsv);
cmp_ok scalar @lines, '>=', 600, 'lines enough to tell';
is_deeply [grep { $trained{$_} } map { $_->[4] } @lines], [],
    'no training line is among them';

my @decided = map { chomp; (split /\t/)[1] }
    split /^/, qx(cut -f5 t/intent_hard.tsv | $build/adsctl intent);
is scalar @decided, scalar @lines, 'every line has a decision';

my %seen;
$seen{"$lines[$_][0] $decided[$_]"}++ for 0 .. $#lines;
my $right = $seen{'SHOW SHOW'} // 0;
my $wrong = ($seen{'SHOW NO_AD'} // 0) + ($seen{'NO_AD SHOW'} // 0);
my $f1 = 2 * $right / (2 * $right + $wrong);
note sprintf 'F1 %.3f, %d of them wrong', $f1, $wrong;
cmp_ok $f1, '>=', $least, 'wishes and near misses are told apart';

done_testing;
