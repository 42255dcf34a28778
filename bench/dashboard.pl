#!/usr/bin/perl

# How long people wait for the dashboard in a real browser: first paint, typing,
# scrolling, going between screens.
#
#     bench/dashboard.pl [PRODUCTS] [ROUNDS]
#
# The account has PRODUCTS (5000) products in 20 campaigns and a year of reports.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib", "$FindBin::Bin/lib";

use Ads::Dashboard;
use Ads::Desk;
use POSIX qw(strftime);

chdir "$FindBin::Bin/.." or die "$!\n";
my ($products, $rounds) = ($ARGV[0] // 5000, $ARGV[1] // 5);

Ads::Dashboard::need();
my $ads  = Ads::Test->new;
my $self = bless { ads => $ads }, 'Ads::Dashboard';
my $shop = $ads->seed_shop(products => [], topup => 1000);
$self->person('advertiser', $shop->{account});
Ads::Desk::catalogue($ads, $shop->{account}, 20, $products);
Ads::Desk::year($ads, $shop->{account}, 20,
    strftime('%Y-%m-%d', gmtime(time - 364 * 86400)),
    strftime('%Y-%m-%d', gmtime));

$ENV{ADS_PASSWORD} = $Ads::Dashboard::password;
system('node', 'dashboard/test/browser/speed.mjs', $ads->{base_url},
    "$ads->{dir}/tmp", $rounds) == 0
    or die "speed.mjs failed\n";
$ads->clean;
