#!/usr/bin/perl
#
# What the shipped ontology and models decide on a small catalogue, request by
# request, so that a change of relevance is seen in review.  After one that is
# meant to be:
#
#     perl t/golden.t --write

use strict;
use warnings;

use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use Test::More;

my $build  = $ENV{ADS_BUILD} // 'build';
my $folder = tempdir(CLEANUP => 1);
my $golden = 't/golden/answers.tsv';

plan skip_all => "no $build/libadsd.a" unless -r "$build/libadsd.a";

my $sanitize = $build =~ /-san$/ ? '-fsanitize=address,undefined' : '';
my $program  = "$folder/answers";
system("cc -std=gnu11 -O2 $sanitize -Icore -Iadsd -o $program"
        . " tools/answers.c $build/libadsd.a $build/libadscore.a"
        . ' -ljansson -lutf8proc -lstemmer -lsodium -lm -lpq -lexpat -lz'
        . ' -lzstd -lcurl -lssl -lcrypto') == 0
    or BAIL_OUT('tools/answers.c does not build');

my @requests = map { decode_json($_) } lines_of('t/golden/requests.jsonl');
local $ENV{ASAN_OPTIONS} = 'detect_leaks=0';    # it keeps what it reads to the end
open my $pipe, '-|', $program, qw(t/golden/products.jsonl t/golden/requests.jsonl)
    or die "$program: $!\n";
my %line_of;
for my $line (<$pipe>) {
    my $answer = decode_json($line);
    my @titles = map { $_->{title} } @{ $answer->{ads} };
    $line_of{ $answer->{id} } = join "\t", @titles ? @titles : $answer->{reason};
}
ok close $pipe, 'all requests are decided';

my $text = join '', map { utf8("$_->{query}\t$line_of{ $_->{id} }\n") } @requests;
if (@ARGV && $ARGV[0] eq '--write') {
    open my $out, '>:raw', $golden or die "$golden: $!\n";
    print {$out} $text;
    close $out or die "$golden: $!\n";
}
my @was = lines_of($golden);
my @is  = split /^/, $text;
is scalar @is, scalar @was, 'as many as before';
is $is[$_], $was[$_], utf8("decided as before: $requests[$_]{query}") for 0 .. $#is;
done_testing;

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
