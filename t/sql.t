#!/usr/bin/perl
#
# Runs t/sql/*.sql (pgTAP) in one migrated database, each file a subtest.  A
# file is one transaction that it rolls back, so that order does not matter.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use TAP::Parser;
use Test::More;

my $ads = Ads::Test->new(parts => ['postgres']);
$ads->psql('ads', 'create extension pgtap');

# what tests keep in temporary tables is made in any role
$ads->psql('ads', 'grant temporary on database ads to public');

for my $file (sort glob 't/sql/*.sql') {
    my ($code, $out) = $ads->psql_file('ads', $file);
    subtest $file => sub { repeat($out, $code) };
}

# Says again, as ours, what a TAP stream says.
sub repeat
{
    my ($text, $code) = @_;
    my $parser = TAP::Parser->new({ tap => $text });
    while (my $line = $parser->next) {
        if ($line->is_test) {
            ok $line->is_ok, $line->description =~ s/^- //r;
        } elsif (!$line->is_plan) {
            note $line->as_string;
        }
    }
    is $code, 0, 'psql ends with 0' or diag $text;
    is join('; ', $parser->parse_errors), '', 'every planned test ran'
        or diag $text;
}

$ads->done;
