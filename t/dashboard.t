#!/usr/bin/perl
#
# The committed files of the dashboard are those that its sources make, and what
# it computes without a browser is right.

use strict;
use warnings;
use lib 't/lib', 'tools/lib';

use Ads::Dashboard;
use Ads::Npm;
use Ads::Stack;
use File::Basename qw(basename);
use File::Temp qw(tempdir);
use Test::More;

my ($dir, $why) = Ads::Npm::install('dashboard');
if (!$dir) {
    die "$why\n" if $ENV{ADS_CI};
    plan skip_all => $why;
}
Ads::Dashboard::link_packages();

my $fresh = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1) . '/dist';
my ($status, $said) =
    Ads::Npm::output('node', 'dashboard/build.mjs', $fresh);
is $status, 0, 'the dashboard builds' or diag $said;
my ($kb) = $said =~ /first screen: ([\d.]+) kB/;
cmp_ok $kb // 999, '<=', 150, 'its first screen has at most 150 kB compressed';

my @committed = map { basename($_) } glob 'dashboard/dist/*';
is_deeply [sort map { basename($_) } glob "$fresh/*"], [sort @committed],
    'the same files are committed';
for my $name (@committed) {
    ok Ads::Stack::read_file("dashboard/dist/$name") eq
        Ads::Stack::read_file("$fresh/$name"), "$name: `make dashboard` was run";
}

my $app = Ads::Stack::read_file('dashboard/dist/app.js');
unlike $app, $_, "nothing in the script fits $_"
    for qr/\beval\(/, qr/new Function\(/, qr/document\.write/,
    qr/sessionStorage/;

($status, $said) = Ads::Npm::output('node', '--test',
    glob('dashboard/test/unit/*.test.mjs'));
is $status, 0, 'what it computes is right' or diag $said;

done_testing;
