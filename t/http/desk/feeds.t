#!/usr/bin/perl
#
# Feeds of twenty kinds, as shops in several countries write them: how many rows
# are products, and what each costs.

use strict;
use warnings;
use utf8;
use lib 't/lib';

use Ads::Test;
use Encode qw(encode);
use JSON::PP;
use Test::More;

binmode $_, ':utf8'
    for Test::More->builder->output, Test::More->builder->failure_output;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop(products => []);
my $n    = 0;

# What adsctl says of a file of those bytes, and the products by sku.
sub feed
{
    my ($bytes, @words) = @_;
    my $path = "$ads->{dir}/tmp/feed-" . ++$n;
    $ads->write_file($path, $bytes);
    my ($code, $out) = $ads->try('sh', '-c', 'exec "$@" 2>/dev/null', 'sh',
        $ads->adsctl_argv('--json', 'import', '--campaign',
            $shop->{campaign}, @words, $path));
    my @json = map { decode_json($_) } split /\n/, $out;
    my ($totals) = grep { exists $_->{rows} } @json;
    return {
        code => $code, totals => $totals || {},
        faults => [grep { exists $_->{line} } @json]
    };
}

sub products
{
    my ($like) = @_;
    return { map { $_->[0] => "$_->[1] $_->[2]" } @{ $ads->sql(
            'select sku, coalesce(sale_price_micros, price_micros)::numeric / 1000000, currency'
            . ' from ads.products where sku like ?', "$like-%") } };
}

# A kind of feed: its products' prices, and its bad rows as "line field".
sub kind
{
    my ($name, $like, $text, $prices, $bad, @words) = @_;
    my $done = feed(utf8::is_utf8($text) ? encode('UTF-8', $text) : $text, @words);
    my $got = products($like);
    s/(\.\d*?)0+ /$1 /, s/\. / / for values %$got;
    is_deeply $got, $prices, "$name: products and their prices";
    is_deeply [map { "$_->{line} $_->{field}" } @{ $done->{faults} }], $bad, "$name: bad rows";
    return $done;
}

sub one
{
    my ($sku, $what) = @_;
    return $ads->sql_value("select $what from ads.products where sku = ?", $sku);
}

my $at = 'https://shop.example';

kind('a German shop', 'DE', "Artikelnummer;Bezeichnung;Produktlink;Preis;Währung;Farbe;Größe;Marke\n"
        . "DE-1;Kessel;$at/1;12,99;EUR;rot;L;Ada\nDE-2;Sofa;$at/2;1.234;EUR;;;\nDE-3;Bett;$at/3;2.345,50;EUR;;;\n",
    { 'DE-1' => '12.99 EUR', 'DE-2' => '1234 EUR', 'DE-3' => '2345.5 EUR' }, []);
is one('DE-1', "attributes ->> 'color' || ' ' || (attributes ->> 'size')"), 'rot L', 'with colour and size';

my $doubt = "sku,title,url,price\nDU-1,Sofa,$at/1,1.234 EUR\nDU-2,Bed,$at/2,2.000 EUR\nDU-3,Cup,$at/3,5 EUR\n";
my $told = kind('a feed that leaves it open', 'DU', $doubt, { 'DU-3' => '5 EUR' }, ['2 price', '3 price']);
is_deeply [@{ $told->{faults}[0] }{qw(sku value)}], ['DU-1', '1.234 EUR'], 'tells sku and value';
like $told->{faults}[0]{why}, qr/decimal=comma/, 'and how to settle it';
kind('and is settled', 'DU', $doubt, { 'DU-1' => '1234 EUR', 'DU-2' => '2000 EUR', 'DU-3' => '5 EUR' }, [],
    '--decimal', 'comma');

kind('both marks in one column', 'MX', "sku,title,url,price,currency\nMX-1,A,$at/1,12.99,EUR\n"
        . "MX-2,B,$at/2,\"12,99\",EUR\nMX-3,C,$at/3,1.500,EUR\n",
    { 'MX-1' => '12.99 EUR', 'MX-2' => '12.99 EUR' }, ['4 price']);

kind('a French shop', 'FR', "Référence;Titre;Lien;Prix TTC;Prix promo;Marque\n"
        . "FR-1;Théière;$at/1;1\x{202f}299,00 €;999,00 €;Émile\nFR-2;Bol;$at/2;7,5\xa0€;;\n",
    { 'FR-1' => '999 EUR', 'FR-2' => '7.5 EUR' }, []);

kind('a Spanish shop', 'ES', "Referencia\tNombre\tEnlace\tPrecio\tMoneda\tExistencias\n"
        . "ES-1\tTaza\t$at/1\t1.299,00\tEUR\t4\nES-2\tPlato\t$at/2\t15,00\tEUR\t0\n",
    { 'ES-1' => '1299 EUR', 'ES-2' => '15 EUR' }, []);
is one('ES-2', 'availability'), 'out_of_stock', 'stock 0 is out of stock';

kind('Windows-1252', 'WI', encode('cp1252', "Artikelnummer;Titel;URL;Preis\nWI-1;Größe für Käse;$at/1;4,50 €\n"),
    { 'WI-1' => '4.5 EUR' }, []);
is one('WI-1', 'title'), 'Größe für Käse', 'with its umlauts';

kind('UTF-16 without a mark', 'UL', encode('UTF-16LE', "sku,title,url,price\nUL-1,Čaj,$at/1,\"5,5 Kč\"\n"),
    { 'UL-1' => '5.5 CZK' }, []);
kind('UTF-16 of the other order', 'UB', encode('UTF-16BE', "sku,title,url,price\nUB-1,Чай,$at/1,50.5 RUB\n"),
    { 'UB-1' => '50.5 RUB' }, []);

kind('Switzerland', 'CH', "sku,title,url,price\nCH-1,Uhr,$at/1,CHF 1’299.-\nCH-2,Käse,$at/2,CHF 7.50\n"
        . "CH-3,Messer,$at/3,CHF 1'049.95\n",
    { 'CH-1' => '1299 CHF', 'CH-2' => '7.5 CHF', 'CH-3' => '1049.95 CHF' }, []);

kind('India', 'IN', "sku,title,url,price\nIN-1,Sari,$at/1,\"₹ 1,23,456.00\"\nIN-2,Chai,$at/2,₹99.50\n"
        . "IN-3,Lamp,$at/3,\"₹1,500\"\n",
    { 'IN-1' => '123456 INR', 'IN-2' => '99.5 INR', 'IN-3' => '1500 INR' }, []);

kind('the United States', 'US', "id\ttitle\tlink\tprice\nUS-1\tDesk\t$at/1\t\$1,299.00\nUS-2\tPen\t$at/2\tUS\$2\n"
        . "US-3\tChair\t$at/3\t\$1,299\n",
    { 'US-1' => '1299 USD', 'US-2' => '2 USD', 'US-3' => '1299 USD' }, [], '--currency', 'USD');

kind('Google Merchant TSV', 'GM', "id\ttitle\tlink\tprice\tsale_price\titem_group_id\tcolor\tsize\tbrand\tproduct_type\n"
        . "GM-1\tShirt red\t$at/1\t19.90 EUR\t15.90 EUR\tshirt\tred\tM\tAda\tWear > Shirts\n"
        . "GM-2\tShirt blue\t$at/2\t19.90 EUR\t\tshirt\tblue\tL\t\t\n",
    { 'GM-1' => '15.9 EUR', 'GM-2' => '19.9 EUR' }, []);
is one('GM-2', "brand || ' ' || array_to_string(category, '/') || ' ' || (attributes ->> 'item_group_id')"
        . " || ' ' || (attributes ->> 'color')"),
    'Ada Wear/Shirts shirt blue', 'a variant has what its group has';

kind('Google XML', 'GX', '<?xml version="1.0" encoding="ISO-8859-1"?><rss xmlns:g="http://base.google.com/ns/1.0">'
        . "<channel><item><g:id>GX-1</g:id><title>Caf\xe9</title><link>$at/1</link><g:price>8,50 EUR</g:price></item>"
        . "<item><g:id>GX-2</g:id><title>Sofa</title><link>$at/2</link><g:price>1.850 EUR</g:price></item></channel></rss>",
    { 'GX-1' => '8.5 EUR', 'GX-2' => '1850 EUR' }, []);
is one('GX-1', 'title'), 'Café', 'in Latin-1';

kind('a JSON array', 'JA', qq([\n{"id":"JA-1","name":"Vase","permalink":"$at/1","regular_price":"1.299,00","sale_price":"",)
        . qq("categories":[{"id":9,"name":"Home"}],"images":[{"src":"$at/v.png"}],"stock_status":"outofstock"},\n)
        . qq({"id":"JA-2","name":"Bowl","permalink":"$at/2","regular_price":"1.500"}\n]\n),
    { 'JA-1' => '1299 EUR', 'JA-2' => '1500 EUR' }, [], '--currency', 'EUR');
is_deeply $ads->sql("select category, image_url, availability from ads.products where sku = 'JA-1'"),
    [[['Home'], "$at/v.png", 'out_of_stock']], 'with what WooCommerce has';
kind('a JSON object', 'JO', qq({"shop":{"name":"Ada"},\n "products": [\n  {"sku":"JO-1","title":"Fork","url":"$at/1","price":2.5,"currency":"USD"},\n)
        . qq(  {"offerId":"x","sku":"JO-2","title":"Knife","link":"$at/2","price":{"value":"3.50","currency":"USD"}},\n  {"sku":"JO-3"}\n ]\n}\n),
    { 'JO-1' => '2.5 USD', 'JO-2' => '3.5 USD' }, ['5 title']);

kind('Atom', 'AT', '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><entry>'
        . "<g:id>AT-1</g:id><title>Lamp</title><g:link>$at/1</g:link><g:price>12.00 GBP</g:price></entry></feed>",
    { 'AT-1' => '12 GBP' }, []);

kind('Google Local', 'GL', "store_code\tid\ttitle\tlink_template\tprice\tquantity\n"
        . "berlin\tGL-1\tHammer\t$at/1?store={store_code}\t9.95 EUR\t3\nberlin\tGL-2\tSaw\t$at/2?store={store_code}\t19.95 EUR\t0\n",
    { 'GL-1' => '9.95 EUR', 'GL-2' => '19.95 EUR' }, []);
is one('GL-1', 'url'), "$at/1?store=berlin", 'with the address of the store';
is one('GL-2', 'availability'), 'out_of_stock', 'and what the store has not';

kind('Shopify', 'SH', 'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,'
        . "Option2 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src,Status\n"
        . "tee,Tee,<p>Soft</p>,Ada,Shirts,\"cotton, summer\",TRUE,Color,Red,Size,M,SH-1,shopify,5,deny,20.00,$at/i.png,active\n"
        . "tee,,,,,,,,Blue,,L,SH-2,shopify,0,deny,22.00,,\n" . "tee,,,,,,,,Green,,L,SH-3,shopify,0,continue,22.00,,\n"
        . "tee,,,,,,,,Grey,,L,SH-4,,0,deny,22.00,,\n" . "tee,,,,,,,,,,,,,,,,$at/j.png,\n"
        . "old,Old,,,,,FALSE,Title,Default Title,,,SH-5,,1,deny,5.00,,active\n",
    { 'SH-1' => '20 USD', 'SH-2' => '22 USD', 'SH-3' => '22 USD', 'SH-4' => '22 USD' }, [],
    '--base-url', $at, '--currency', 'USD');
is_deeply $ads->sql("select title, description, brand, category, image_url, attributes ->> 'color', attributes ->> 'size',"
        . " attributes ->> 'item_group_id', availability from ads.products where sku = 'SH-2'"),
    [['Tee - Blue / L', 'Soft', 'Ada', ['Shirts'], "$at/i.png", 'Blue', 'L', 'tee', 'out_of_stock']],
    'a variant carries everything of its product';
is one('SH-3', "coalesce(availability, 'none')") . ' ' . one('SH-4', "coalesce(availability, 'none')"), 'none none',
    'what is sold on, or not counted, is in stock';

kind('WooCommerce', 'WC', "ID,Type,SKU,Name,Published,Short description,Description,\"In stock?\",Stock,Sale price,Regular price,"
        . "Categories,Tags,Images,Parent,Attribute 1 name,Attribute 1 value(s)\n"
        . "10,simple,WC-1,Mug,1,Nice,,1,,,\"1.250,00\",\"Home > Kitchen, Sale\",tea,\"$at/a.png, $at/b.png\",,,\n"
        . "11,variable,WC-2,Hoodie,1,,Warm,1,,,,Clothing,,$at/h.png,,Color,\"Blue, Red\"\n"
        . "12,variation,WC-3,Hoodie - Blue,1,,,1,4,\"35,00\",\"45,50\",,,,WC-2,Color,Blue\n"
        . "13,variation,WC-4,Hoodie - Red,1,,,0,0,,45,,,,id:11,Color,Red\n"
        . "14,simple,WC-5,Draft,-1,,,1,,,5,,,,,,\n" . "15,variation,WC-6,Lost,1,,,1,,,5,,,,id:99,,\n",
    { 'WC-1' => '1250 EUR', 'WC-3' => '35 EUR', 'WC-4' => '45 EUR' }, ['7 parent'],
    '--base-url', $at, '--currency', 'EUR');
is_deeply $ads->sql("select title, description, category, image_url, url, attributes ->> 'color', availability"
        . " from ads.products where sku = 'WC-4'"),
    [['Hoodie - Red', 'Warm', ['Clothing'], "$at/h.png", "$at/?p=11", 'Red', 'out_of_stock']],
    'a variation carries everything of its parent';
is_deeply $ads->sql("select category, image_url from ads.products where sku = 'WC-1'"),
    [[['Home', 'Kitchen', 'Sale'], "$at/a.png"]], 'lists are taken apart';

kind('addresses of other letters', 'IR', "sku,title,url,price\nIR-1,Buch,HTTPS://bücher.example/straße?q=ä b,5 EUR\n",
    { 'IR-1' => '5 EUR' }, []);
is one('IR-1', 'url'), 'https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4%20b', 'become URLs';

kind('names of its own, with a map', 'MA', "Nr.;Was;Wo;Netto;Brutto;Ton\nMA-1;Tisch;$at/1;100;119,00;Eiche\n",
    { 'MA-1' => '119 EUR' }, [], '--currency', 'EUR', '--map', 'Nr.:sku,Was:title,Wo:url,Brutto:price,Ton:color');
is one('MA-1', "attributes ->> 'color'"), 'Eiche', 'attributes too';
is feed('x', '--map', 'a:nothing')->{code}, 1, 'a map to what is no field is refused';

kind('two currencies', 'CU', "sku,title,url,price,currency\nCU-1,A,$at/1,5 USD,EUR\nCU-2,B,$at/2,£5,GBP\n",
    { 'CU-2' => '5 GBP' }, ['2 price']);

# ---- over HTTP: what was found is shown -------------------------------------

my $put = $ads->http('POST', "/v1/products/import?campaign_id=$shop->{campaign}&decimal=comma&map=Netto:price&dry_run=true",
    ['X-API-Key' => $shop->{key}, 'Content-Type' => 'text/csv'],
    "sku,title,url,Netto,currency\nH-1,A,$at/1,1.234,EUR\nH-2,A,$at/2,12.99,EUR\n");
my $seen;
$ads->wait_until(sub {
    $seen = $ads->http('GET', "/v1/products/import/$put->{json}{id}", ['X-API-Key' => $shop->{key}])->{json};
    return $seen->{status} eq 'done';
}, 30, 'the import to end');
is "$seen->{decimal} $seen->{map} $seen->{counts}{added}", 'comma Netto:price 1', 'what was asked for is kept';
is_deeply $seen->{prices}, [{ field => 'price', decimal => 'comma', asked => JSON::PP::true, point => 1, comma => 0,
    doubtful => 1, line => 3, value => '12.99' }], 'and what the prices show';
is_deeply $seen->{errors}, [{ line => 3, column => 4, field => 'price', sku => 'H-2', value => '12.99',
    rule => 'has another decimal mark than asked for' }], 'a price that does not fit is reported';

# ---- a group is shown once -------------------------------------------------

my $pub = $ads->seed_publisher;
kind('variants with titles of their own', 'VA', "id,title,link,price,item_group_id\n"
        . "VA-1,Gaming laptop Nova,$at/1,999 USD,nova\nVA-2,Laptop for gaming Nova office,$at/2,1099 USD,nova\n",
    { 'VA-1' => '999 USD', 'VA-2' => '1099 USD' }, []);
my $shown;
$ads->wait_until(sub {
    $shown = $ads->recommend($pub->{key}, 'i want to buy a gaming laptop')->{json}{ads};
    return $shown && @$shown;
}, 20, 'a laptop to be shown');
is scalar @$shown, 1, 'one product of a group is shown in an answer';

$ads->done;
