#!/usr/bin/perl
#
# Each picture of docs/ that has a source is drawn from that source as it is:
# tools/pictures notes its digest.  Each is shown on a page.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Test::More;

sub slurp
{
    my ($path) = @_;
    open my $in, '<:raw', $path or return '';
    local $/ = undef;
    return scalar <$in>;
}

my $pages = join '', map { slurp($_) } glob 'docs/*.md';
for my $source (glob 'docs/*.dot') {
    my ($name) = $source =~ m{([^/]+)\.dot$};
    my ($digest) = slurp("docs/$name.svg") =~ /<!-- source (\w+) -->/;
    is $digest, sha256_hex(slurp($source)), "$name.svg is up to date: make docs";
    like $pages, qr/\]\(\Q$name\E\.svg\)/, 'and is on a page';
}

done_testing();
