#!/usr/bin/perl
#
# Relevance of the match on public labelled sets: no worse than the floors below.
# The sets are read where they lie and never become part of the project; the
# test is skipped where they are absent.

use strict;
use warnings;

use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use Test::More;

my $build  = $ENV{ADS_BUILD}  // 'build';
my $shared = $ENV{ADS_SHARED} // '../shared';
my $folder = tempdir(CLEANUP => 1);
my $scorer  = "$shared/eval/ndcg.py";

# set, products, options of the program; floors of NDCG@10, NDCG@10 of labelled
# products alone, P@3; most queries without a result; least precision of the
# labelled among the first three above the relevance floor
my @sets = (
    ['retail', 'retail/products.jsonl.zst', '', 0.835, 0.870, 0.830, 0.005,
        0.89],
    ['diy', 'diy/products.jsonl.zst', '', 0.393, 0.740, 0.378, 0.005, 0.90],
    ['electronics', 'catalog.jsonl.zst', '-s icecat', 0.760, 0.850, 0.555,
        0.020, 0.83],
);

plan skip_all => "no labelled sets in $shared" unless -r $scorer;
plan skip_all => "no $build/libadsd.a"       unless -r "$build/libadsd.a";

my $sanitize = $build =~ /-san$/ ? '-fsanitize=address,undefined' : '';
my $program  = "$folder/relevance";
system("cc -std=gnu11 -O2 $sanitize -Icore -Iadsd -o $program"
        . " tools/relevance.c $build/libadsd.a $build/libadscore.a"
        . ' -ljansson -lutf8proc -lstemmer -lsodium -lm') == 0
    or BAIL_OUT('tools/relevance.c does not build');


# The run of one set, in a file.
sub run_of
{
    my ($set, $products, $options) = @_;
    my $run = "$folder/$set.tsv";

    system("zstd -dcq $shared/data/$products | $program $options -"
            . " $shared/data/$set/queries.public.tsv > $run") == 0
        or BAIL_OUT("no run of $set");
    return $run;
}


# Of the labelled among the first three products of each query, the share that
# is relevant; only queries that have a relevant product count.
sub precision
{
    my ($set, $run) = @_;
    my (%gain, %answerable, %seen);
    my ($good, $labelled) = (0, 0);

    open my $labels, '<', "$shared/data/$set/labels.public.tsv" or die $!;
    while (<$labels>) {
        chomp;
        my ($query, $product, $gain) = split /\t/;
        $gain{$query}{$product} = $gain;
        $answerable{$query} = 1 if $gain >= 0.5;
    }
    open my $hits, '<', $run or die $!;
    while (<$hits>) {
        my ($query, $product) = split /\t/;
        next if ++$seen{$query} > 3 || !$answerable{$query};
        next unless defined $gain{$query}{$product};
        $labelled++;
        $good++ if $gain{$query}{$product} >= 0.5;
    }
    return $labelled > 0 ? $good / $labelled : 0;
}


for (@sets) {
    my ($set, $products, $options, $ndcg, $labelled, $p3, $empty, $floor) = @$_;
    my $run    = run_of($set, $products, $options);
    my $report = decode_json(
        qx(python3 $scorer $shared/data/$set/labels.public.tsv $run --json));
    my $precision = precision($set, run_of($set, $products, "$options -f"));

    cmp_ok($report->{ndcg}, '>=', $ndcg, "$set: NDCG\@10");
    cmp_ok($report->{ndcg_judged}, '>=', $labelled,
        "$set: NDCG\@10 of labelled products");
    cmp_ok($report->{p3}, '>=', $p3, "$set: three products of the first page");
    cmp_ok($report->{empty}, '<=', $empty, "$set: queries without a result");
    cmp_ok($precision, '>=', $floor,
        "$set: what is above the relevance floor is relevant");
}

done_testing();
