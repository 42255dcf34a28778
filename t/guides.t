#!/usr/bin/perl
#
# The guides, word by word: the shell blocks of each are one script, which runs
# against a real service and must end well and print what a reader expects.
# Each guide is at most two pages.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Cwd qw(getcwd);
use Test::More;

my $ads  = Ads::Test->new(parts => [qw(postgres adsd nginx)]);
my $shop = $ads->seed_shop;
my $site = $ads->seed_publisher;

# adsctl by its name, for the node that runs here and with the logins of the
# harness
my $dir = "$ads->{dir}/guides";
mkdir $dir or die "$dir: $!\n";
my ($adsctl, @options)  = $ads->adsctl_argv('status');
my (undef, @of_operator) = $ads->adsctl_argv('balance');
pop @options;
pop @of_operator;
sub quoted { return join ' ', map {"'$_'"} @_ }
$ads->write_file("$dir/adsctl", "#!/bin/sh\ncase \$1 in\n"
        . 'balance) exec ' . quoted($adsctl, @of_operator) . " \"\$@\" ;;\n"
        . '*) exec ' . quoted($adsctl, @options) . " \"\$@\" ;;\nesac\n");
chmod 0755, "$dir/adsctl" or die "chmod: $!\n";
chmod 01777, $dir or die "chmod: $!\n";
$ENV{PATH} = "$dir:$ENV{PATH}";
$ENV{ADS}  = $ads->{base_url};

my %expected = (
    publisher => [qr/\ASHOW\n\[Sponsored\] .*\nhttp/,
        qr/^accepted\n(?:recorded|accepted)$/m, qr/"requests":/],
    advertiser => [qr/^approved$/m, qr/^pending$/m, qr/"pending": 100\b/,
        qr/^why is the sky blue: NO_AD not_commercial$/m, qr/^no_funds$/m,
        qr/"spend": 0\b/, qr/^id,at,kind,/m, qr/^paused$/m],
    operator => [qr/generation/, qr/"decision":"SHOW"/],
);
for my $name (sort keys %expected) {
    my $text = Ads::Stack::read_file("docs/guide-$name.md");
    my @blocks = $text =~ /^```sh\n(.*?)^```$/msg;
    cmp_ok scalar @blocks, '>=', 4, "$name: it has examples";
    local $ENV{KEY} = $name eq 'publisher' ? $site->{key} : '';
    my $script = join '', "set -euo pipefail\ncd '$dir'\n", @blocks;
    my ($status, $said) = $ads->try_as($ads->{user}, 'timeout', '60', 'bash', '-c', $script);
    is $status, 0, "$name: its examples work" or diag $said;
    like $said, $_, "$name: prints what is expected" for @{ $expected{$name} };
}

for my $guide (glob 'docs/guide-*.md') {
    my @words = split ' ', Ads::Stack::read_file($guide);
    cmp_ok scalar @words, '<=', 900, "$guide: two pages";
}

$ads->done;
