#!/usr/bin/perl
#
# Each statement of the interface's specification names a check that is there;
# docs/specification.md is what tools/specification makes of that list now.

use strict;
use warnings;

use File::Temp qw(tempdir);
use Test::More;

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$in>;
}

my (%seen, %tests, @lost);
for my $line (split /\n/, slurp('t/specification.tsv')) {
    my ($number, $sense, $file, $check, @more) = split /\t/, $line;
    ok defined $check && !@more && !$seen{$number}++, "$number: once, with a check";
    $tests{$file} //= -e $file ? slurp($file) : '';
    push @lost, "$number: $file: $check"
        unless length $check && index($tests{$file}, $check) >= 0;
}
is join("\n", @lost), '', 'every check is in its test';

my $dir = tempdir(CLEANUP => 1);
mkdir "$dir/$_" or die "$dir/$_: $!\n" for qw(tools t docs);
is system('cp', 'tools/specification', "$dir/tools"), 0;
is system('cp', 't/specification.tsv', "$dir/t"), 0;
is system("$dir/tools/specification"), 0, 'the page is made';
is slurp("$dir/docs/specification.md"), slurp('docs/specification.md'),
    'docs/specification.md is up to date';

SKIP: {
    my $file = ($ENV{ADS_SHARED} || '../shared') . '/spec/interface-specification.md';
    skip "$file is not there", 1 if !-e $file;
    is qx(tools/specification --check '$file'), '', 'no statement is without a test';
}

done_testing();
