#!/usr/bin/perl
#
# The demo's shop in a real browser: the cards of ads_fragment look right and are
# accessible, each is reported once when it was in view, and nothing moves.

use strict;
use warnings;
use lib 't/lib';

use Ads::Dashboard;
use Ads::Test;
use Test::More;

Ads::Dashboard::need();
my $ads = Ads::Test->new(parts => [qw(postgres adsd)]);
my $pub = $ads->seed_publisher(name => 'Desk & Den');
my @products = @{ $ads->products };
$_->{image_url} = "https://img.example/$_->{id}.svg" for @products;
$ads->seed_shop(name => 'Quillon Store', products => \@products);

$ads->{nginx} = $ads->shop_conf($pub->{key});
$ads->write_configs;
$ads->start_nginx;
$ads->wait_ready(30);

my $said = Ads::Dashboard::browse($ads, 'shop.mjs');

is join("\n", @{ $said->{complaints} || ['none'] }), '',
    'no word in the console: neither an error nor a breach of the policy';
is join("\n", @{ $said->{axe} || ['none'] }), '', 'axe finds nothing';
is join("\n", @{ $said->{wider} || ['none'] }), '', 'no page is wider than its window';
is $said->{words}, 'buy a laser printer or ink', 'the search keeps its words';
cmp_ok $said->{cards}, '>', 0, 'a page includes ads';
is $said->{early}, 0, 'an ad that is out of view is not reported';
is $said->{seen}, $said->{cards}, 'each is when it comes into view';
is $said->{again}, 0, 'and once only';
ok $said->{focused}, 'the keyboard comes to an ad';
is $said->{chat}, 1, 'a chat loads an ad, which is reported';
is_deeply $said->{moved}, [0, 0], 'nothing moves on the way';

my $all = ($said->{seen} // 0) + ($said->{chat} // 0);
$ads->wait_until(sub { $ads->sql_value('select count(*) from ads.impressions') >= $all },
    20, 'the impressions');
is $ads->sql_value('select count(*) from ads.impressions where class = 0'), $all,
    'and each counts';

$ads->done;
