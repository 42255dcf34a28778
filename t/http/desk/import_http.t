#!/usr/bin/perl
#
# Feeds over HTTP: they wait, are read in the background, survive whatever
# dies, and tell how far they are and what came of them.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Compress::Gzip qw(gzip);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $ads   = Ads::Test->new;
my $shop  = $ads->seed_shop(products => []);
my $other = $ads->seed_shop(name => 'Other shop', products => []);
my $pub   = $ads->seed_publisher;
my $path  = '/v1/products/import';

sub row
{
    my ($sku, %fields) = @_;
    return JSON::PP->new->canonical->encode({
        sku => $sku, title => "Kettle $sku", price => 12.5, currency => 'USD',
        url => "https://shop.example/$sku", %fields }) . "\n";
}

# The answer to a feed; %how: query, key, headers.
sub post
{
    my ($feed, %how) = @_;
    my %query = (campaign_id => $shop->{campaign}, %{ $how{query} || {} });
    my $query = join '&', map { "$_=$query{$_}" }
        grep { defined $query{$_} } sort keys %query;
    return $ads->http('POST', "$path?$query",
        ['X-API-Key' => $how{key} || $shop->{key},
            'Content-Type' => 'application/x-ndjson', @{ $how{headers} || [] }], $feed);
}

sub get
{
    my ($rest, @headers) = @_;
    return $ads->http('GET', "$path$rest", ['X-API-Key' => $shop->{key}, @headers]);
}

# The import once it has ended.
sub ended
{
    my ($answer) = @_;
    my $id = $answer->{json}{id};
    my $seen;
    $ads->wait_until(sub {
        my $got = get("/$id");
        $seen = $got->{json} if $got->{status} == 200;
        return $seen && $seen->{status} =~ /^(?:done|failed)$/;
    }, 60, 'the import to end');
    return $seen;
}

sub imported { return ended(post(@_)) }

sub stored
{
    my ($like) = @_;
    return $ads->sql_value('select count(*) from ads.products where sku like ?', $like);
}

# ---- one feed --------------------------------------------------------------

my $answer = post(join '', map { row("A-$_") } 1 .. 10);
is $answer->{status}, 202, 'a feed is taken';
my $id = $answer->{json}{id};
is $answer->{headers}{location}, "$path/$id", 'Location leads to it';
is $answer->{json}{status}, 'queued', 'it waits';
my $done = ended($answer);
is $done->{status}, 'done', 'and is imported';
is_deeply $done->{counts}, { rows => 10, added => 10, changed => 0, unchanged => 0,
    repeated => 0, gone => 0, archived => 0, bad => 0 }, 'all of it';
is "$done->{format} $done->{progress}{percent} $done->{source}", 'jsonl 100 api', 'as it says';
is stored('A-%'), 10, 'the products are there';
is $ads->sql_value('select count(*) from ads.import_bodies'), 0, 'the feed itself is not kept';
like $ads->sql_value("select actor from ads.audit_log where action = 'import' order by id desc limit 1"),
    qr/^key:/, 'the audit log says who';
$ads->wait_until(sub {
    $ads->recommend($pub->{key}, 'buy a kettle a-3')->{json}{decision} eq 'SHOW'
}, 20, 'the products to be shown');
pass 'and shown';

# ---- bad rows, reports, pages ----------------------------------------------

my $mixed = join '', map { $_ % 10 ? row("B-$_") : row("B-$_", price => -1) } 1 .. 2000;
my $bad = imported($mixed);
is "$bad->{status} $bad->{counts}{added} $bad->{counts}{bad}", 'done 1800 200',
    'bad rows lose none of the others';
is scalar @{ $bad->{errors} }, 100, 'the first hundred are told';
is_deeply $bad->{errors}[0], { line => 10, column => 0, field => 'price',
    rule => 'must be from 0 to 1000000000',
    sku => 'B-10', value => '-1' }, 'by line, field, rule, sku and value';
my $csv = get("/$bad->{id}/errors", Accept => 'text/csv');
like $csv->{headers}{'content-type'}, qr{^text/csv}, 'the report is a CSV';
my @lines = split /\r\n/, $csv->{body};
is scalar @lines, 201, 'of all of them';
is $lines[200], '2000,0,price,"must be from 0 to 1000000000",B-2000,"\'-1"', 'to the last';
my $page = get("/$bad->{id}/errors?limit=150");
is scalar @{ $page->{json}{data} }, 150, 'or as JSON, by pages';
my $next = get("/$bad->{id}/errors?limit=150&cursor=$page->{json}{next_cursor}");
is_deeply [map { $_->{line} } @{ $next->{json}{data} }], [map { $_ * 10 } 151 .. 200],
    'which go on';
is $next->{json}{has_more}, JSON::PP::false, 'and end';
my $list = get('?limit=1');
is $list->{json}{data}[0]{id}, $bad->{id}, 'imports are listed, newest first';
is get("?cursor=$list->{json}{next_cursor}")->{json}{data}[0]{id}, $id, 'by pages';
is scalar @{ get('?status=failed')->{json}{data} }, 0, 'by status';
like get('', Accept => 'text/csv')->{body}, qr/^id,campaign_id,status,/, 'as CSV too';

# ---- what is asked of it ---------------------------------------------------

my $table = "id,title,link,price,notes\nC-1,Cup,https://shop.example/c,5 USD,red\n";
my $dry = imported($table, query => { dry_run => 'true' });
is "$dry->{status} $dry->{counts}{added} $dry->{format}", 'done 1 table', 'a dry run tells';
is_deeply $dry->{mapping}[2], { column => 3, name => 'link', field => 'url' },
    'which column is read as what';
is $dry->{mapping}[4]{field}, undef, 'and which as nothing';
is stored('C-%'), 0, 'and changes nothing';
gzip \$table => \my $gz;
is imported($gz, headers => ['Content-Encoding' => 'gzip'])->{counts}{added}, 1, 'a packed feed';
is imported("Handle,Title,Variant Price\nmug,Mug,3\n", query =>
        { base_url => 'https://shop.example', currency => 'USD' })->{counts}{added}, 1,
    "Shopify's with what it lacks";
my $few = imported($table, query => { gone => 'archive' });
is "$few->{status} $few->{failure}{code}", 'failed too_many_gone', 'too much gone is refused';
is imported($table, query => { gone => 'archive', gone_max => 100 })->{counts}{archived},
    1811, 'unless that is allowed';
is imported("\x1f\x8bnot gzip")->{failure}{code}, 'damaged', 'a damaged feed is told';
is imported("a,b\n1,2\n")->{failure}{code}, 'unreadable', 'as is what is no feed';
is imported($table, query => { format => 'xml' })->{failure}{code}, 'unreadable',
    'or not of the format that was said';

my $cut_shop = $ads->seed_shop(name => 'Cut shop', products => []);

# What came of a feed of that shop, of which the rest may be archived.
sub archived
{
    my ($feed) = @_;
    my $put = $ads->http('POST', "$path?campaign_id=$cut_shop->{campaign}&gone=archive",
        ['X-API-Key' => $cut_shop->{key}], $feed);
    my $seen;
    $ads->wait_until(sub {
        $seen = $ads->http('GET', "$path/$put->{json}{id}", ['X-API-Key' => $cut_shop->{key}])->{json};
        return $seen->{status} =~ /^(?:done|failed)$/;
    }, 30, 'the import to end');
    return join ' ', $seen->{status}, map { "$_ $seen->{counts}{$_}" } qw(bad gone archived);
}
my @rows = map { row("G-$_") } 1 .. 10;
is archived(join '', @rows), 'done bad 0 gone 0 archived 0', 'ten products';
is archived(join '', @rows[0 .. 7], substr $rows[8], 0, 40), 'done bad 1 gone 2 archived 0',
    'of a feed that is cut nothing is gone for good';
is archived(join '', @rows[0 .. 8], row('')), 'done bad 1 gone 1 archived 1',
    'of one with a row that is no product it is';

my $nul = imported("id,title,link,price,a\0b\nN-1,Cup,https://shop.example/n,5 USD,x\n");
is "$nul->{status} $nul->{counts}{added} $nul->{mapping}[4]{name}", 'done 1 a',
    'a NUL in the name of a column is no fault of ours';

my $cr = imported($table =~ s/\n/\r/gr);
is_deeply [$cr->{failure}{code}, $cr->{errors}[0]{rule}],
    ['unreadable', 'its lines end by CR alone, and not by LF or CRLF'],
    'a file that is all one line is no feed without products';

is_deeply [map { $_->{pointer} } @{ post($table, query => { campaign_id => $other->{campaign} })->{json}{errors} }],
    ['?campaign_id'], 'a campaign that is not there is named as the parameter that it is';
for my $case (
    [{ campaign_id => undef }, 'no campaign'],
    [{ campaign_id => $other->{campaign} }, "another account's campaign"],
    [{ campaign_id => 'x' }, 'no id'],
    [{ gone => 'burn' }, 'an unknown word'],
    [{ gone_max => 101 }, 'no percentage'],
    [{ base_url => 'http://shop.example' }, 'an address without TLS'],
    [{ base_url => 'https://shop.example/' . 'x' x 2048 }, 'a long one'],
    [{ currency => 'usd' }, 'no currency'],
    [{ colour => 'red' }, 'an unknown parameter'],
) {
    is post($table, query => $case->[0])->{status}, 400, "$case->[1] is 400";
}
is post('')->{status}, 400, 'so is no feed';
is imported('<html><body>Not found</body></html>')->{failure}{code}, 'damaged',
    "a page of the shop's server is no empty feed";
# MiB that adsd has held at most
sub most_held
{
    open my $status, '<', '/proc/' . $ads->part('adsd')->{pid} . '/status' or die $!;
    return (map { /^VmHWM:\s+(\d+)/ ? $1 >> 10 : () } <$status>)[0];
}

# 1 MiB each, of which each character makes a value of some 50 bytes
my $before = most_held();
my $zeros = '{"sku":"Z","category":[' . join(',', (0) x 524_000) . "]}\n";
gzip \($zeros x 24) => \my $much;
my $wide = imported($much);
is "$wide->{status} $wide->{counts}{bad}", 'done 24', 'rows that hold too much are bad';
my $more = most_held() - $before;
cmp_ok $more, '<', 500, "and do not pile up in memory: $more MiB";

is post($table, headers => ['Content-Encoding' => 'br'])->{status}, 415, 'what is packed otherwise is 415';
my $form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.csv\"\r\n\r\n$table\r\n--x--\r\n";
my $as_form = $ads->http('POST', "$path?campaign_id=$shop->{campaign}", ['X-API-Key' => $shop->{key},
        'Content-Type' => 'multipart/form-data; boundary=x'], $form);
$ads->is_problem($as_form, 415, 'unsupported_media_type', 'a form is no feed');
like $as_form->{json}{detail}, qr{text/csv.*application/x-ndjson.*application/xml}, 'and what is one is told';
my $large = post('x' x (33 << 20));
$ads->is_problem($large, 413, 'body_too_large', 'more than 32 MiB');
like encode_json($large->{json}), qr/gzip/, 'with what helps';
is post($table, key => $pub->{key})->{status}, 403, 'a publisher has no feeds';

# ---- repeated, and somebody else -------------------------------------------

my @key = (headers => ['Idempotency-Key' => 'feed-1']);
my $first = post($table, @key);
my $same  = post($table, @key);
is $same->{json}{id}, $first->{json}{id}, 'the same request again is the same import';
is post($table, @key, query => { gone => 'archive' })->{status}, 422, 'with other parameters it is not';
ended($first);
for my $rest ("/$id", "/$id/errors", '/' . $shop->{campaign}) {
    my $key = $rest =~ /\Q$shop->{campaign}\E/ ? $shop->{key} : $other->{key};
    is $ads->http('GET', "$path$rest", ['X-API-Key' => $key])->{status}, 404,
        'what is not there, or not ours, is 404';
}
is scalar(grep { $_->{campaign_id} ne $other->{campaign} }
        @{ $ads->http('GET', $path, ['X-API-Key' => $other->{key}])->{json}{data} }), 0,
    'nor listed';

# ---- kills -----------------------------------------------------------------

my $n = 0;
for my $victim (qw(adsd postgres adsd)) {
    my $like = 'K' . ++$n . '-%';
    my $sent = post(join '', map { row("K$n-$_", description => "$_ " x 40) } 1 .. 20_000);
    is $sent->{status}, 202, 'a larger feed';
    $ads->wait_until(sub { get("/$sent->{json}{id}")->{json}{status} ne 'queued' }, 20, 'its begin');
    sleep 0.2 * $n;
    $ads->kill_and_restart($victim);
    $ads->wait_until(sub { (stored($like) // 1) =~ /^(?:0|20000)$/ }, 20, 'the database')
        if $victim eq 'postgres';
    like stored($like), qr/^(?:0|20000)$/, "$victim killed: there is none of it, or all";
    my $end = ended($sent);
    is "$end->{status} $end->{counts}{rows}", 'done 20000', 'it is taken up again';
    is stored($like), 20_000, 'and all there';
}

# ---- one after the other, and not too many ---------------------------------

my @sent = map { post(row("L-$_")) } 1 .. 7;
my ($refused) = grep { $_->{status} == 429 } @sent;
ok !$refused || $refused->{headers}{'retry-after'}, 'who sends too many is told to wait';
is scalar(grep { ended($_)->{status} eq 'done' } grep { $_->{status} == 202 } @sent),
    scalar(grep { $_->{status} == 202 } @sent), 'the others are all imported';

$ads->done;
