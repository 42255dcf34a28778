#!/usr/bin/perl
#
# adsctl import: products come in from plain and packed files, a bad row is
# reported by line, field and rule and loses no other, and importing again is
# always safe.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Compress::Gzip qw(gzip);
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(time sleep);

my $ads  = Ads::Test->new;
my $pub  = $ads->seed_publisher;
my $shop = $ads->seed_shop(products => []);
my $n    = 0;

# A file of those bytes, in the folder that adsctl may read.
sub file
{
    my ($text, $suffix) = @_;
    my $path = "$ads->{dir}/tmp/import-" . ++$n . ($suffix // '.jsonl');
    $ads->write_file($path, $text);
    return $path;
}

sub row
{
    my ($sku, %fields) = @_;
    return JSON::PP->new->canonical->encode({
        sku      => $sku,
        title    => "Kettle $sku",
        price    => 12.5,
        currency => 'USD',
        url      => "https://shop.example/$sku",
        %fields
    });
}

sub lines { return join '', map { "$_\n" } @_ }

# Exit code, totals, faults and what was said of one import.
sub import_file
{
    my ($path, @words) = @_;
    my $errors = "$ads->{dir}/tmp/errors";
    my ($code, $out) = $ads->try('sh', '-c', 'exec "$@" 2>"$0"', $errors,
        $ads->adsctl_argv('--json', 'import', '--campaign',
            $shop->{campaign}, @words, $path));
    my @json = map { decode_json($_) } split /\n/, $out;
    my ($totals) = grep { exists $_->{rows} } @json;
    return {
        code   => $code,
        totals => $totals || {},
        faults => [grep { exists $_->{line} } @json],
        said   => Ads::Stack::read_file($errors)
    };
}

sub counts
{
    my ($result) = @_;
    return { map { $_ => $result->{totals}{$_} }
            qw(rows added changed unchanged repeated bad) };
}

sub told
{
    my ($result) = @_;
    return [map { "$_->{line} $_->{field}: $_->{why}" }
            @{ $result->{faults} }];
}

sub stored
{
    return $ads->sql_value('select count(*) from ads.products');
}

sub all_of
{
    my ($rows, %of) = @_;
    return { rows => $rows, map { $_ => $of{$_} // 0 }
            qw(added changed unchanged repeated bad) };
}

# ---- upsert ----------------------------------------------------------------

my @skus = map { "A-$_" } 1 .. 3;
my $file = file(lines(map { row($_) } @skus));
my $done = import_file($file);
is $done->{code}, 0, 'good rows are imported';
is_deeply counts($done), all_of(3, added => 3), 'all of them as new';
is_deeply $done->{totals}{served}, JSON::PP::true, 'and served on return';

my $change = $ads->sql_value('select n from ads.change');
is_deeply counts(import_file($file)), all_of(3, unchanged => 3),
    'the same file again changes nothing';
is $ads->sql_value('select n from ads.change'), $change,
    'so nothing is published again';

my $ids = $ads->sql('select sku, id from ads.products order by sku');
is_deeply counts(import_file(file(lines(row('A-1', price => 13), row('A-2'),
                row('A-9'))))),
    all_of(3, added => 1, changed => 1, unchanged => 1),
    'changed, unchanged and new rows are told apart';
is_deeply [grep { $_->[0] ne 'A-9' }
        @{ $ads->sql('select sku, id from ads.products order by sku') }],
    $ids, 'and products keep their ids';

is_deeply counts(import_file(file(lines(row('B-1', price => 1),
                row('B-2'), row('B-1', price => 2))))),
    all_of(3, added => 2, repeated => 1), 'a sku that comes twice counts once';
is $ads->sql_value("select price_micros from ads.products where sku = 'B-1'"),
    2_000_000, 'and its last row is taken';
is_deeply counts(import_file(file(lines(row('C-1', sku => undef, id => 'C-1'),
                row(' C-1 ', url => 'https://shop.example/C-1'))))),
    all_of(2, added => 1, repeated => 1),
    'an id stands in for the sku, and space around it is nothing';

# ---- bad rows --------------------------------------------------------------

my $before = stored();
my @mixed  = (
    row('D-1'),
    '{"sku":"D-2","title":"cut',
    row('D-3', url => 'http://shop.example/'),
    row('D-4'),
    row('D-5', price => -1),
    '',
    'not json',
    row('D-6', title => "bell \a"),
    '[]',
    row('D-7', currency => 'usd'),
    row('D-8', title => ' '),
    row('D-9', image_url => 'data:,x'),
    "{\"sku\":\"D-10\xff\"}",
    row('D-11', description => 'x' x 5001),
    row('D-12'),
);
my $bad = import_file(file(lines(@mixed)));
is $bad->{code}, 1, 'bad rows make the exit code 1';
is_deeply counts($bad), all_of(14, added => 3, bad => 11),
    'but lose none of the others';
is stored(), $before + 3, 'which are stored';
is_deeply [map { s/:.*//r } @{ told($bad) }],
    [
    '2 ', '3 url', '5 price', '7 ', '8 title', '9 ', '10 currency',
    '11 title', '12 image_url', '13 ', '14 description'
    ],
    'every bad row is told by its line and field';
is scalar(grep { $_->{why} !~ /\w{3}/ } @{ $bad->{faults} }), 0,
    'and the rule';
unlike $bad->{said}, qr/bell|5001|data:/, 'none of their content is printed';

my ($code, $out) = $ads->try_adsctl('import', '--campaign', $shop->{campaign},
    file(lines(@mixed)));
is $code, 1, 'the same for people';
like $out, qr/^line 3: url \S/m, 'line, field and rule on a line';
like $out, qr/^14\ rows\ in\ \S+\ s:\ 0\ added,\ 0\ changed,
    \ 3\ unchanged,\ 0\ repeated,\ \d+\ gone,\ 0\ archived,\ 11\ bad$/mx, 'and the totals';

# what the database refuses would take its whole batch with it, so everything
# that the table checks must have been checked before
my @edge = (
    row('E-1', title       => 'x' x 1000),
    row('E-2', description => "\x{e9}" x 5000),
    row('E-3', brand       => "\x{e9}" x 200),
    row('E-4', gtin        => '1' x 50),
    row('E-5', category    => [map { "c$_" } 1 .. 50]),
    row('E-6', url         => 'https://shop.example/' . 'a' x 2027),
    row('E-7', price       => 1e9),
    row('E-8', price       => 0),
    row('E-9', image_url   => 'http://shop.example/' . 'a' x 2028),
    row('x' x 200, url     => 'https://shop.example/x'),
    row('E-11', title      => "snow \x{2603} \x{1f600} e\x{301}"),
    row('E-12', category   => "a\tb\"c\\d"),
    row('E-13', url => 'https://xn--bcher-kva.example/?q={click_id}&a=%20#x'),
);
is_deeply counts(import_file(file(lines(map { utf8::encode(my $x = $_); $x }
                @edge)))),
    all_of(13, added => 13), 'rows at the bounds are taken';

# ---- forms of files --------------------------------------------------------

my @plain  = map { row("F-$_") } 1 .. 20;
my $packed = lines(@plain);
gzip \$packed => \my $gz;

# Packed by the zstd program.
sub zstd
{
    my ($text) = @_;
    my $path = file($text);
    system('zstd', '-q', '-f', $path, '-o', "$path.zst") == 0
        or die "zstd failed\n";
    return Ads::Stack::read_file("$path.zst");
}

is_deeply counts(import_file(file($gz, '.gz'))), all_of(20, added => 20),
    'a file packed by gzip';
is_deeply counts(import_file(file(zstd($packed), '.zst'))),
    all_of(20, unchanged => 20), 'or by zstd';
is_deeply counts(import_file(file(zstd($packed), '.txt'))),
    all_of(20, unchanged => 20), 'is known by its content, not its name';
is_deeply counts(import_file(file(join "\r\n", @plain))),
    all_of(20, unchanged => 20), 'CRLF, and no end of line at the end';
is_deeply counts(import_file(file("\xef\xbb\xbf$packed"))),
    all_of(20, unchanged => 20), 'a byte order mark';
is_deeply counts(import_file(file(lines($plain[0], '', '', $plain[1])))),
    all_of(2, unchanged => 2), 'empty lines';
is_deeply counts(import_file(file(''))), all_of(0), 'an empty file';

my $long = import_file(file(lines(row('G-1'),
            row('G-2', description => 'x' x (1 << 20)), row('G-3'))));
is_deeply counts($long), all_of(3, added => 2, bad => 1),
    'a line over 1 MiB is stepped over';
is_deeply told($long), ['2 : is longer than 1 MiB'], 'and told';

for my $form (['gzip', $gz], ['zstd', zstd($packed)]) {
    my ($name, $bytes) = @$form;
    my $cut = import_file(file(substr($bytes, 0, length($bytes) - 6)));
    is $cut->{code}, 1, "a cut file of $name is refused";
    like $cut->{said}, qr/cut or damaged after row \d+/, 'and said to be cut';
}

# long enough that rows come out before the cut is reached
my $many = zstd(lines(map { row("H-$_", brand => 'b' . rand) } 1 .. 12_000));
my $cut  = import_file(file(substr $many, 0, length($many) / 2));
is $cut->{code}, 1, 'a large file that is cut is refused';
my ($told) = $cut->{said} =~ /after row (\d+)/;
cmp_ok $told, '>', 1000, 'after the rows before the cut';
is $ads->sql_value("select count(*) from ads.products where sku like 'H-%'"), 0,
    'none of which is imported';

# ---- dry run, and what is not imported at all ------------------------------

$before = stored();
$change = $ads->sql_value('select n from ads.change');
my $dry = import_file(file(lines(row('I-1'), 'x', row('I-2'))), '--dry-run');
is $dry->{code}, 1, 'a dry run checks';
is_deeply told($dry), ['2 : ' . $dry->{faults}[0]{why}], 'tells';
is_deeply [stored(), $ads->sql_value('select n from ads.change')],
    [$before, $change], 'and writes nothing';
is import_file(file(lines(row('I-1'))), '--dry-run')->{code}, 0,
    'good rows alone pass it';

for my $case (
    ['no such file',  '/nowhere/at/all.jsonl', qr/No such file/],
    ['a folder',      $ads->{dir},             qr/Is a directory/],
) {
    my ($what, $path, $said) = @$case;
    my $refused = import_file($path);
    is $refused->{code}, 1, "$what is refused";
    like $refused->{said}, $said, 'and the reason told';
}

my $archived = $ads->campaign($shop->{account}, status => 'paused');
$ads->adsctl('campaign', 'archive', $archived);
for my $id ($archived, $pub->{account}) {
    my ($code, $out) = $ads->try_adsctl('import', '--campaign', $id, $file);
    is $code, 1, 'nothing is imported into what is no campaign any more';
    like $out, qr/no campaign/, 'which is told';
}

# ---- a killed import -------------------------------------------------------

my $kettles = 40_000;
my @rows = map { row("K-$_", title => "Kettle $_ of many") } 1 .. $kettles;
my $path = file(lines(@rows));
my (%seen, $kills);
srand(my $seed = $ENV{ADS_SEED} || time);
note "seed $seed";
for (1 .. 8) {
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        $ads->become($ads->adsctl_argv('import', '--campaign',
                $shop->{campaign}, $path));
    }
    sleep 0.05 + rand 0.5;
    kill 'KILL', $pid;
    waitpid $pid, 0;
    $kills++ if $? == 9;
    $seen{ $ads->sql_value(
            "select count(*) from ads.products where sku like 'K-%'") }++;
}
cmp_ok $kills // 0, '>', 0, 'an import was killed ' . ($kills // 0) . ' times';
is_deeply [grep { $_ != 0 && $_ != $kettles } keys %seen], [],
    'there is the old catalogue or the new one';
my $again = import_file($path);
is $again->{totals}{added} + $again->{totals}{unchanged}, $kettles,
    'imported again it is complete';
is $ads->sql_value("select count(*) from ads.products where sku like 'K-%'"),
    $kettles, 'and every product is there once';

# ---- the demo catalogue ----------------------------------------------------

my $demo   = "$ads->{root}/data/demo-catalog.jsonl.zst";
my $began  = time;
my $result = import_file($demo);
note sprintf '%d rows in %.1f s', $result->{totals}{rows} // 0, time - $began;
is $result->{code}, 0, 'the demo catalogue is imported';
is_deeply counts($result), all_of(22_697, added => 22_697),
    'all 22,697 products of it';
is $ads->recommend($pub->{key}, 'buy a gaggia baby twin espresso machine')
    ->{json}{ads}[0]{title}, 'Gaggia Baby Twin Espresso machine 1.6 L',
    'and they are served when the import returns';
is_deeply counts(import_file($demo)), all_of(22_697, unchanged => 22_697),
    'importing it again changes nothing';

# ---- without the database --------------------------------------------------

is $ads->stop('postgres'), 0, 'PostgreSQL stops';
is import_file($file)->{code}, 3, 'without a database the exit code is 3';
$ads->begin('postgres');
$ads->wait_until(sub { import_file($file)->{code} == 0 }, 20,
    'the import to work again');
pass 'with it the import works again';

# ---- other formats ---------------------------------------------------------

my $tsv = file(
    "\xef\xbb\xbfid\ttitle\tlink\tprice\tproduct_type\n"
        . "G1\t55\" TV\thttps://shop.example/g1\t1,299.00 USD\tHome > TV\n"
        . "G2\t\thttps://shop.example/g2\t5 USD\t\n",
    '.tsv'
);
my $google = import_file($tsv);
is_deeply counts($google),
    { rows => 2, added => 1, changed => 0, unchanged => 0, repeated => 0,
    bad => 1 }, "Google's TSV is read";
is_deeply told($google), ['3 title: must be there'], 'its bad row is told';
is_deeply $ads->sql(
    'select title, price_micros, category from ads.products where sku = ?',
    'G1'), [['55" TV', 1_299_000_000, ['Home', 'TV']]], 'with price and category';

my $xml = file(
    '<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>'
        . '<item><g:id>X1</g:id><g:title>A &amp; B</g:title>'
        . '<g:link>https://shop.example/x1</g:link><g:price>3 USD</g:price></item>'
        . '<item><g:id>X2</g:id></item></channel></rss>',
    '.xml'
);
is_deeply counts(import_file($xml)),
    { rows => 2, added => 1, changed => 0, unchanged => 0, repeated => 0,
    bad => 1 }, 'and its XML';

my $broken = import_file(file('<rss><item><id>Y1</id><title>Y</title>'
            . '<link>https://shop.example/y1</link><price>3 USD</price></item><item>'));
is $broken->{code}, 1, 'a cut document is told';
is $ads->sql_value("select count(*) from ads.products where sku = 'Y1'"), 0,
    'and nothing of it imported';
is @{ $broken->{faults} }, 1, 'and the place is known';

my $shopify = file(
    "Handle,Title,Body (HTML),Vendor,Option1 Value,Variant SKU,Variant Price,Image Src\n"
        . "mug,Mug,\"<p>Nice,\nwarm</p>\",Ours,Red,,9.50,https://shop.example/m.png\n"
        . "mug,,,,Blue,M-2,10.00,\n"
        . "mug,,,,,,,https://shop.example/2.png\n",
    '.csv'
);
is import_file($shopify)->{code}, 1, "Shopify's file alone says no address";
is_deeply counts(import_file($shopify, '--base-url', 'https://shop.example/',
    '--currency', 'USD')),
    { rows => 2, added => 2, changed => 0, unchanged => 0, repeated => 0,
    bad => 0 }, 'with the address of the shop it is read';
is_deeply $ads->sql('select title, url, description from ads.products '
        . 'where sku = ?', 'mug-1'),
    [['Mug - Red', 'https://shop.example/products/mug', "Nice,\nwarm"]],
    'variants are products';

my $utf16 = file("\xff\xfe" . join('', map { "$_\0" } split //,
    "sku;title;url;price;currency\r\n"
        . "U1;Cup;https://shop.example/u1;4,50;USD\r\n"), '.csv');
is_deeply counts(import_file($utf16)),
    { rows => 1, added => 1, changed => 0, unchanged => 0, repeated => 0,
    bad => 0 }, 'UTF-16 with semicolons is read';

my $report = "$ads->{dir}/tmp/report.csv";
import_file($tsv, '--report', $report);
is Ads::Stack::read_file($report),
    "line,column,field,rule,sku,value\r\n3,2,title,\"must be there\",\"G2\",\"\"\r\n",
    'the report is a CSV of the bad rows';
is import_file($tsv, '--report', $report)->{code}, 1,
    'and never written over';

# ---- what is gone ----------------------------------------------------------

my $feed = $ads->campaign($shop->{account}, status => 'paused');
my $was  = $shop->{campaign};
$shop->{campaign} = $feed;
my @full = map { row("G2-$_") } 1 .. 10;
my $all  = file(lines(@full));
my $most = file(lines(@full[0 .. 7], '{"sku":"G2-9","title":7}'));
my $few  = file(lines(@full[0 .. 3]));

sub active
{
    return $ads->sql_value('select count(*) from ads.ads d join ads.products p on p.id = d.product_id '
            . "where d.campaign_id = ? and d.status = 'active' and p.status = 'active'", $feed);
}
import_file($all);
is import_file($few)->{totals}{gone}, 6, 'what a feed has not any more is counted';
is active(), 10, 'and kept, unless asked otherwise';
my $much = import_file($few, '--gone', 'archive');
is $much->{code}, 1, 'more than a fifth of it is not archived at once';
like $much->{said}, qr/6 of 10 products .* --gone-max 60/, 'which is told';
is active(), 10, 'and nothing is';
my $less = import_file($most, '--gone', 'archive');
is "$less->{totals}{gone} $less->{totals}{archived} $less->{code}", '1 1 1',
    'a product whose row is bad is not gone';
is active(), 9, 'the others are archived';
is import_file($few, '--gone', 'archive', '--gone-max', 100)->{totals}{archived}, 5,
    'all of it when the limit says so';
my $ids_before = $ads->sql('select id from ads.ads where campaign_id = ? order by id', $feed);
is import_file($all)->{totals}{changed}, 6, 'what returns';
is active(), 10, 'is there again';
is_deeply $ads->sql('select id from ads.ads where campaign_id = ? order by id', $feed),
    $ids_before, 'under its old ids';
is import_file($all, '--gone', 'burn')->{code}, 1, 'nothing else can be done with it';
is import_file($all, '--gone-max', '101')->{code}, 1, 'and a share is a percentage';
$shop->{campaign} = $was;

# ---- an import takes time: who waits for it --------------------------------

# Stops in the middle of writing, with all its locks: no one else may wait.
my $dbh = $ads->db->clone;
$dbh->begin_work;
$dbh->do('select ads.import_begin(null, 0)');
$dbh->do(q{insert into pg_temp.import_rows (n, bad, sku, title, description, brand, gtin, category, url, price_micros,
    currency, attributes, keywords, product_id, ad_id)
    select 1, false, 'A-1', 'Slow', '', '', '', '{}', 'https://shop.example/slow', 1, 'USD', '{}', '{}',
    gen_random_uuid(), gen_random_uuid()});
$dbh->do('select ads.import_compare(?, ?, ?)', undef, $shop->{account}, $shop->{campaign}, '{}');
$dbh->do('select ads.import_products(?)', undef, $shop->{account});
$dbh->do('select ads.import_ads(?, ?, false)', undef, $shop->{account}, $shop->{campaign});
my $other = $ads->seed_shop(name => 'Somebody else', products => []);
my $from  = time;
my $put   = sub {
    my ($to) = @_;
    return $ads->http('POST', '/v1/products', ['X-API-Key' => $to->{key},
            'Content-Type' => 'application/json'],
        encode_json({ campaign_id => $to->{campaign}, title => 'Cup', price => 1,
                currency => 'USD', url => 'https://shop.example/cup' }));
};
is $put->($other)->{status}, 201, 'others write products meanwhile';
my $named = $ads->http('PATCH', "/v1/campaigns/$shop->{campaign}", ['X-API-Key' => $shop->{key},
        'Content-Type' => 'application/json'], '{"name":"While it is imported"}');
is $named->{status}, 200, 'and the same account its campaign';
my $held = $put->($shop);
$ads->is_problem($held, 409, 'import_running', 'only its products cannot be written');
is $held->{headers}{'retry-after'}, 5, 'for some seconds';
my $id = $ads->sql_value("select id from ads.products where sku = 'A-2'");
for my $way ([PATCH => "/$id", '{"title":"Now"}'], [DELETE => "/$id"],
    [POST => '', encode_json([{ campaign_id => $shop->{campaign}, title => 'Cup',
        price => 1, currency => 'USD', url => 'https://shop.example/cup' }])])
{
    my ($method, $path, $body) = @$way;
    my $is = $ads->http($method, "/v1/products$path", ['X-API-Key' => $shop->{key},
            'Content-Type' => 'application/json'], $body);
    is "$is->{status} $is->{json}{code} " . ($is->{headers}{'retry-after'} // 'none'),
        '409 import_running 5', "nor by $method";
}
cmp_ok time - $from, '<', 5 * Ads::Test::patience(), 'and nobody waited';
$dbh->do(q{select ads.import_end(null, 0, ?, ?, false, 50, 'jsonl', '[]', '[]', 1, 0, 1, 0, 0, 0, 0, 0, null, null,
    '{}', '{}', '{}', '{}', '{}', '{}')}, undef, $shop->{account}, $shop->{campaign});
$dbh->commit;
is $put->($shop)->{status}, 201, 'after it they can';

my (undef, $shown) = $ads->try($ads->adsctl_argv('import', '--campaign',
    $shop->{campaign}, '--dry-run', $tsv));
like $shown, qr/^format: table\ncolumn 1: id -> sku\n/m,
    'a dry run shows what is read as what';

is import_file(file("colour,size\nred,5\n"))->{code}, 1,
    'a table without titles is refused';

$ads->done;
