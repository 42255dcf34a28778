#!/usr/bin/perl
#
# What products are taken for: how often the shipped ontology and model are
# right on labelled products of the demo catalogue that were held back.

use strict;
use warnings;

use File::Temp qw(tempdir);
use Test::More;

my $build  = $ENV{ADS_BUILD} // 'build';
my $folder = tempdir(CLEANUP => 1);
plan skip_all => "no $build/kind_train" unless -x "$build/kind_train";

my $catalog = 'data/demo-catalog.jsonl.zst';
system("zstd -dcq $catalog > $folder/demo.jsonl") == 0
    or plan skip_all => 'no zstd';

my $told = qx($build/kind_train -c data/kinds/demo.held.tsv $folder/demo.jsonl 2>&1);
is $?, 0, 'the held products are scored';
my ($n, $kind, $right, $said) =
    $told =~ /^(\d+) products, ([\d.]+) % with a kind, ([\d.]+) % of these right \(said ([\d.]+) %\)/;
is $n, 325, 'each is in the catalogue';
cmp_ok $kind,  '>=', 94, 'nearly all have a kind';
cmp_ok $right, '>=', 75, 'three of four kinds are right, rare ones among them';
cmp_ok $said,  '<=', 90, 'and no more is said of how sure they are';
done_testing;
