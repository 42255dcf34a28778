#!/usr/bin/perl
#
# What an import changes in one go is served in chunks: no head takes all of
# it, others' writes are served meanwhile, and in the end all of it is, over a
# kill between two chunks, too.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads = Ads::Test->new(
    adsd => { base_small_ads => 100, log_level => 'debug' });
my $pub   = $ads->seed_publisher;
my $rival = $ads->seed_shop(name => 'Rival');
my $shop  = $ads->seed_shop(products => []);
my $code  = JSON::PP->new->utf8->canonical;
my $n_products = 10_000;

sub product
{
    my ($n, $price) = @_;
    return {
        id => "sku-$n", title => "Borealis lantern model zm$n",
        price => $price, currency => 'USD', availability => 'in_stock',
        url => "https://shop.example/p/$n",
    };
}

sub price_of
{
    my ($n) = @_;
    my ($ad) = grep { $_->{title} =~ / zm$n$/ } @{
        $ads->recommend($pub->{key}, "buy borealis lantern model zm$n")
            ->{json}{ads}
    };
    return $ad && $ad->{price};
}

# The sizes of all heads so far.
sub heads
{
    return map { /head of (\d+) changed ads/ } $ads->log_lines('adsd.out', qr/head of/);
}

# Is every change served?
sub is_current
{
    my $status = $ads->adsctl('status');
    return ($status->{inside}{change_published} // 0) >= $status->{change};
}

# a base too large to be compiled as a whole
$ads->import_products($rival->{campaign}, [map { product("base$_", 5) } 1 .. 300]);
$ads->wait_until(sub { is_current() }, 20, 'the base');

# ---- an import, and a write beside it --------------------------------------

my $before = heads();
$ads->import_products($shop->{campaign},
    [map { product($_, 10) } 1 .. $n_products]);
my $answer = $ads->http('POST', '/v1/products',
    ['X-API-Key' => $rival->{key}, 'Content-Type' => 'application/json'],
    $code->encode({ campaign_id => $rival->{campaign}, sku => 'beside',
            title => 'Zyxomma hammock', price => 77, currency => 'USD',
            url => 'https://rival.example/beside' }));
is $answer->{status}, 201, 'another writes beside an import';
cmp_ok $answer->{headers}{'x-ads-generation'} // 0, '>', 0,
    'and is told that it is served';
is $ads->recommend($pub->{key}, 'buy a zyxomma hammock')->{json}{ads}[0]{price},
    77, 'as it is';

$ads->wait_until(sub { is_current() }, 60, 'all chunks');
my @sizes = heads();
@sizes = @sizes[$before .. $#sizes];
my ($last, $most, $largest) = (0, 0, 0);
for my $size (@sizes) {
    $most    = $size - $last if $size - $last > $most;
    $largest = $size if $size > $largest;
    $last    = $size;
}
cmp_ok $largest, '>=', $n_products, 'the head held all that was imported';
cmp_ok $most, '<', 2501, "and grew by no more than a chunk: @sizes";
is scalar(grep { (price_of($_) // 0) != 10 } map { $_ * 997 } 1 .. 10), 0,
    'what was imported is shown';

# ---- a kill between two chunks -------------------------------------------

$ads->wait_until(sub { $ads->log_lines('adsd.out', qr/ads, merged/) }, 60,
    'a merge');
$before = heads();
$ads->import_products($shop->{campaign},
    [map { product($_, 20) } 1 .. $n_products]);
$ads->wait_until(sub { heads() > $before }, 30, 'a chunk');
$ads->kill_and_restart('adsd');
$ads->wait_until(sub { is_current() }, 60, 'all chunks');
is scalar(grep { (price_of($_) // 0) != 20 } map { $_ * 997 } 1 .. 10), 0,
    'what was imported is shown after a kill between chunks';
is $ads->adsctl('status')->{ads}, 301 + @{ $rival->{products} } + $n_products,
    'no more and no less';

# ---- and the same as from rows ---------------------------------------------

my @queries = map { 'buy borealis lantern model zm' . 1237 * $_ } 1 .. 8;

sub explained
{
    my $json = $ads->adsctl('explain', $_[0], '--max', 20);
    delete @$json{qw(generation times)};
    return $json;
}

$ads->wait_until(
    sub {
        my @all = $ads->log_lines('adsd.out', qr/head of/);
        return @all && $all[-1] =~ /head of 0 changed ads/;
    }, 60, 'everything to be merged');
my @merged = map { explained($_) } @queries;
is $ads->stop('adsd'), 0, 'adsd ends cleanly';
unlink glob "$ads->{dir}/state/base-*";
my $n_built = () = $ads->log_lines('adsd.out', qr/ads, from rows/);
$ads->begin('adsd');
$ads->wait_until(
    sub { (() = $ads->log_lines('adsd.out', qr/ads, from rows/)) > $n_built && is_current() },
    60, 'a base from rows');
is_deeply [map { explained($_) } @queries], \@merged,
    'a base from all rows decides the same';

$ads->done;
