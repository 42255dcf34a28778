#!/usr/bin/perl
#
# What the shipped ontology and models decide on a small catalogue, request by
# request, and what its products are taken for, so that a change of relevance is
# seen in review.  After one that is meant to be:
#
#     perl t/golden.t --write

use strict;
use warnings;

use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use Test::More;

my $build  = $ENV{ADS_BUILD} // 'build';
my $folder = tempdir(CLEANUP => 1);
plan skip_all => "no $build/libadsd.a" unless -r "$build/libadsd.a";

my $sanitize = $build =~ /-san$/ ? '-fsanitize=address,undefined' : '';
my $program  = "$folder/answers";
system("cc -std=gnu11 -O2 $sanitize -Icore -Iadsd -o $program"
        . " tools/answers.c tools/shop.c $build/libadsd.a $build/libadscore.a"
        . ' -ljansson -lutf8proc -lstemmer -lsodium -lm -lpq -lexpat -lz'
        . ' -lzstd -lcurl -lssl -lcrypto') == 0
    or BAIL_OUT('tools/answers.c does not build');

my @requests = map { decode_json($_) } lines_of('t/golden/requests.jsonl');
open my $pipe, '-|', $program, qw(t/golden/products.jsonl t/golden/requests.jsonl)
    or die "$program: $!\n";
my %line_of;
for my $line (<$pipe>) {
    my $answer = decode_json($line);
    my @titles = map { $_->{title} } @{ $answer->{ads} };
    $line_of{ $answer->{id} } = join "\t", @titles ? @titles : $answer->{reason};
}
ok close $pipe, 'all requests are decided';

compare('answers.tsv', map { utf8("$_->{query}\t$line_of{ $_->{id} }\n") } @requests);

# ---- products --------------------------------------------------------------

my @taken = map { join("\t", (split /\t/)[ 0, 4 ]) . "\n" } taken('t/golden/products.jsonl');
compare('kinds.tsv', @taken);

my ($bare) = lines_of('t/golden/products.jsonl');
$bare =~ s/"(?:price|url)": (?:\d+|"[^"]*"), //g;
open my $out, '>:raw', "$folder/bare.jsonl" or die "bare.jsonl: $!\n";
print {$out} $bare;
close $out or die "bare.jsonl: $!\n";
is_deeply [map { (split /\t/)[0] } taken("$folder/bare.jsonl")],
    [(split /\t/, $taken[0])[0]], 'a product without price and link is taken for the same';
done_testing;

# As the lines of a golden file; with --write they become it.
sub compare
{
    my ($name, @is) = @_;
    my $file = "t/golden/$name";
    if (@ARGV && $ARGV[0] eq '--write') {
        open my $golden, '>:raw', $file or die "$file: $!\n";
        print {$golden} @is;
        close $golden or die "$file: $!\n";
    }
    my @was = lines_of($file);
    is scalar @is, scalar @was, "$name: as many as before";
    is $is[$_], $was[$_], "$name: " . (split /\t/, $is[$_])[0] for 0 .. $#is;
}

sub taken
{
    my ($file) = @_;
    return split /^/, qx($build/adsctl kinds $file 2>/dev/null);
}

sub utf8
{
    my ($text) = @_;
    utf8::encode($text);
    return $text;
}

sub lines_of
{
    my ($file) = @_;
    open my $in, '<:raw', $file or return;
    return <$in>;
}
