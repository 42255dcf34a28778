#!/usr/bin/perl
#
# Stories that tell of a sensitive topic and end in a wish to buy
# (t/guard_stories.tsv), decided by phrases and model together.  The floor is a
# little below what both reached when they were committed; how many the phrases
# find alone, t/unit/guard_list.c says.

use strict;
use warnings;

use Test::More;

my $build = $ENV{ADS_BUILD} // 'build';

open my $lines, '<:raw', 't/guard_stories.tsv' or die "$!\n";
my @lines = grep { !/^#/ } map { chomp; $_ } <$lines>;
my @topics = map { (split /\t/)[0] } @lines;
my %trained = map { $_ => 1 } map { chomp; (split /\t/, $_, 5)[4] }
    split /^/, qx(cat data/intent/lines/*.tsv data/intent/guard/*.tsv);
is_deeply [grep { $trained{(split /\t/)[2]} } @lines], [],
    'no training line is among them';

my @decided = map { chomp; [split /\t/] }
    split /^/, qx(grep -v '^#' t/guard_stories.tsv | cut -f3 | $build/adsctl intent);
is scalar @decided, scalar @lines, 'every line has a decision';

my (%n, %stopped, $model, $shown);
for my $i (0 .. $#decided) {
    my (undef, $decision, $topic) = @{$decided[$i]};
    my $kind = $topics[$i] eq 'none' ? 'ordinary' : 'story';
    $n{$kind}++;
    $stopped{$kind}++ if defined $topic;
    $model++ if $kind eq 'story' && ($topic // '') eq 'story';
    $shown++ if $kind eq 'story' && $decision eq 'SHOW';
}
note "of $n{story} stories $stopped{story} are stopped, $model of them by the"
    . " model, and $shown are shown; of $n{ordinary} ordinary ones "
    . ($stopped{ordinary} // 0) . ' are stopped';
cmp_ok $stopped{story} / $n{story}, '>=', 0.79, 'most stories are stopped';
cmp_ok $model, '>=', 8, 'the model stops some that no phrase does';
cmp_ok $shown / $n{story}, '<=', 0.09, 'few are shown';
cmp_ok +($stopped{ordinary} // 0) / $n{ordinary}, '<=', 0.03,
    'what only looks like them passes';

done_testing;
