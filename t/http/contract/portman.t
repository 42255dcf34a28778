#!/usr/bin/perl
#
# The contract as strangers read it: Portman makes requests and checks out
# of docs/openapi.json, Newman sends them to a running server and checks.  None
# of our own readers of the file has a part in it (t/openapi/contract.mjs).
#
# Runs: first

use strict;
use warnings;
use lib 't/lib';

use Ads::Npm;
use Ads::Test;
use JSON::PP;
use Test::More;

my $dir  = Ads::Npm::folder('t/openapi');
my $ads  = Ads::Test->new;
my $site = $ads->seed_publisher;
my $boss = $ads->seed_platform;
$ads->seed_shop;

my ($status, $said) = Ads::Npm::script($dir, 'contract.mjs',
    'docs/openapi.json', $ads->{base_url}, $site->{key}, $boss->{key});
is $status, 0, 'the contract is asked' or diag $said;

my ($line) = $said =~ /^(\{"requests".*\})$/m;
my $seen = decode_json($line // '{}');
cmp_ok $seen->{requests} // 0, '>=', 120, 'with many requests';
cmp_ok $seen->{checks} // 0, '>=', 700, 'and many checks';
is join("\n", @{ $seen->{failures} || ['none was made'] }), '',
    'and every one is for us';
note "the examples lack, so this was not varied: $_"
    for @{ $seen->{idle} || [] };

$ads->done;
