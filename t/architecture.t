#!/usr/bin/perl
#
# docs/architecture.md follows a click, a request, a product and a euro through
# the code: ten steps each, and the file and the function that a step names are
# there.  So are the files that a recipe of CONTRIBUTING.md names.

use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use Test::More;

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or return;
    local $/;
    return scalar <$in>;
}

# Does the text of a file define the function?
sub defines
{
    my ($text, $function) = @_;
    return $text =~ /^create or replace function \Q$function\E\(/m
        if $function =~ /\./;
    return $text =~ /^\Q$function\E\((?:[^;{]*)\)\n\{/m;
}

my $page = slurp('docs/architecture.md');
my %life = $page =~ /^### The life of an? (\w+)\n(.*?)(?=^##|\z)/msg;

is_deeply [sort keys %life], [qw(click euro product request)], 'four lives';

for my $what (sort keys %life) {
    my @steps = $life{$what} =~ /^\| (\d+ \| .*) \|$/mg;

    is_deeply [map { /^(\d+)/ } @steps], [1 .. 10], "$what: ten steps";
    for my $step (@steps) {
        my ($number, $sentence, $where) = split / \| /, $step;
        my ($file, $function) = $where =~ /^`([\w.\/]+)`(?:: `([\w.]+)`)?$/;

        like $sentence, qr/^[A-Z`a-z][^.]*\.$/, "$what $number: one sentence";
        my $text = slurp($file // '');
        ok defined $text, "$what $number: $where";
        ok defines($text // '', $function), "$what $number: $function"
            if defined $function;
    }
}

# ---- recipes -----------------------------------------------------------------

my ($recipes) = slurp('CONTRIBUTING.md') =~ /^## Recipes\n(.*?)(?=^## )/ms;
is scalar(() = $recipes =~ /^### /mg), 8, 'eight recipes';
my %named = map { $_ => 1 }
    $recipes =~ m{`((?:adsd|core|docs|ngx_ads_module|sql|t|tools)/[\w./]*)`}g;
ok -e $_, "CONTRIBUTING.md: $_ is there" for sort keys %named;

done_testing;
