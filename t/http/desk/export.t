#!/usr/bin/perl
#
# adsctl export: what it writes is taken by adsctl import as it was, as lines of
# JSON and as a table, of a campaign and of an account, without the others'.
#
# Runs: tsan

use strict;
use warnings;
use utf8;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new(parts => [qw(postgres adsd)]);
my $shop = $ads->seed_shop(products => []);
my $json = JSON::PP->new->canonical;

my @products = (
    { sku => 'a-1', title => 'Teapot', price => 12.5, currency => 'USD', url => 'https://shop.example/a-1' },
    {
        sku => 'a-2', title => "Grüner \"Tee\" \\ 茶", price => 0.000001, currency => 'EUR',
        url => 'https://shop.example/a-2?x=1&y=2', description => "Two\nlines\tand a tab", brand => 'Brüder',
        gtin => '4006381333931', category => ['Tea', 'Green'], keywords => ['grün', 'leaf'],
        image_url => 'https://shop.example/a-2.png', availability => 'in_stock', sale_price => 0,
        price_valid_until => '2030-01-31T12:00:00Z', language => 'de', attributes => { size => '100 g' }
    },
    { sku => 'a-3', title => '=cmd', price => 999999999, currency => 'JPY', url => 'https://shop.example/a-3' },
    { sku => 'a-4', title => "''+cmd", price => 1, currency => 'USD', url => 'https://shop.example/a-4' },
);
$ads->import_products($shop->{campaign}, \@products);
my $second = $ads->campaign($shop->{account}, campaign_name => 'Second');
$ads->import_products($second, [{ %{ $products[0] }, sku => 'b-1' }]);
my $other = $ads->seed_shop(name => 'Other');

# the lines on standard output
sub export
{
    my (@words) = @_;
    my ($code, $out) = $ads->try_adsctl('export', @words);
    is $code, 0, "export @words";
    return $out;
}

# all that is said of a shop's products, but what differs by shop and time
sub rows_of
{
    my ($account) = @_;
    return $ads->sql(<<'SQL', $account);
select sku, title, description, brand, gtin, category::text, keywords::text, url, image_url, price_micros, currency,
    availability, sale_price_micros, price_valid_until, language, attributes::text
from ads.products
where account_id = ?
order by sku
SQL
}

my $lines = export('--campaign', $shop->{campaign});
my @rows  = map { decode_json($_) } split /\n/, $lines;
is_deeply [sort map { $_->{sku} } @rows], [qw(a-1 a-2 a-3 a-4)], "the campaign's products and no others";
my ($plain) = grep { $_->{sku} eq 'a-1' } @rows;
is_deeply [sort keys %$plain], [qw(currency price sku title url)], 'a field that is not known is left out';
is scalar(() = export('--account', $shop->{account}) =~ /\n/g), 5, "an account's are all of them";

my $copy = $ads->seed_shop(name => 'Copy', products => []);
$ads->write_file("$ads->{dir}/tmp/out.jsonl", export('--account', $shop->{account}));
$ads->adsctl('import', '--campaign', $copy->{campaign}, "$ads->{dir}/tmp/out.jsonl");
is_deeply rows_of($copy->{account}), rows_of($shop->{account}), 'imported again they are the same';
my $again = $ads->adsctl('import', '--campaign', $copy->{campaign}, "$ads->{dir}/tmp/out.jsonl");
is_deeply rows_of($copy->{account}), rows_of($shop->{account}), 'and once more';

my $tsv   = $ads->seed_shop(name => 'Table', products => []);
my $table = export('--account', $shop->{account}, '--format', 'tsv');
is scalar(() = $table =~ /\n/g), 6, 'a line each and one of titles';
like $table, qr/^a-3\t'=cmd\t/m, 'and no cell is a formula';
$ads->write_file("$ads->{dir}/tmp/out.tsv", $table);
$ads->adsctl('import', '--campaign', $tsv->{campaign}, "$ads->{dir}/tmp/out.tsv");
my $in = 'select sku, title, brand, gtin, category::text, keywords::text, url, image_url, price_micros, currency,'
    . ' availability, language from ads.products where account_id = ? order by sku';
is_deeply $ads->sql($in, $tsv->{account}), $ads->sql($in, $shop->{account}), 'as a table likewise';

$ads->sql("update ads.products set status = 'archived' where account_id = ? and sku = 'a-3' returning 1", $shop->{account});
unlike export('--account', $shop->{account}), qr/a-3/, 'what is archived is left out';
is export('--account', $ads->seed_publisher->{account}), '', 'who sells nothing has none';
is(($ads->try_adsctl('export'))[0], 2, 'of whom must be said');
is(($ads->try_adsctl('export', '--account', $shop->{account}, '--campaign', $second))[0], 2, 'once');
is(($ads->try_adsctl('export', '--campaign', $shop->{account}))[0], 1, 'an account is no campaign');
is(($ads->try_adsctl('export', '--account', $shop->{account}, '--format', 'xml'))[0], 1, 'in no other format');

$ads->done;
