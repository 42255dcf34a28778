#!/usr/bin/perl
#
# Products over HTTP: one, many, lines; the sku as key; what is shown of them
# and for how much; reviews; and no one else's product.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use File::Basename qw(basename);
use JSON::PP;
use Test::More;

my $ads   = Ads::Test->new;
my $shop  = $ads->seed_shop(products => []);
my $other = $ads->seed_shop(name => 'Other shop', products =>
        [$ads->products->[3]]);
my $pub   = $ads->seed_publisher;
my $boss  = $ads->seed_platform;
my $campaign = $shop->{campaign};
my $code     = JSON::PP->new->utf8->canonical;

sub call
{
    my ($method, $path, $body, @headers) = @_;
    push @headers, 'X-API-Key' => $shop->{key}
        unless grep { $_ eq 'X-API-Key' } @headers;
    push @headers, 'Content-Type' => 'application/json'
        unless grep { $_ eq 'Content-Type' } @headers;
    return $ads->http($method, "/v1/products$path", \@headers,
        ref $body ? $code->encode($body) : $body);
}

sub uri
{
    my ($text) = @_;
    utf8::encode($text);
    return join '', map { sprintf '%%%02X', ord } split //, $text;
}

sub fields
{
    my (%more) = @_;
    return { campaign_id => $campaign, title => 'Quillon laser printer',
        url => 'https://shop.example/p/1', price => 189, currency => 'USD', %more };
}

sub errors
{
    my ($answer) = @_;
    return { map { $_->{pointer} => $_->{code} } @{ $answer->{json}{errors} } };
}

# Why nothing is shown for a query, or "shown".
sub found
{
    my ($query) = @_;
    return $ads->recommend($pub->{key}, $query)->{json}{reason} // 'shown';
}

# Title and price of what is shown for a query.
sub shown
{
    my ($query, %more) = @_;
    my $answer = $ads->recommend($pub->{key}, $query, max_results => 20, %more);
    return map { "$_->{title} $_->{price}" } @{ $answer->{json}{ads} };
}

# ---- one -------------------------------------------------------------------

my $full = fields(
    sku => 'p-1', title => "M\x{fc}hle coffee grinder", description =>
        "Two\nlines \x{2615}", brand => 'Mahlwerk', gtin => '4006381333931',
    category => ['Kitchen', 'Grinders'], keywords => ['zassenhaus zwilling'],
    image_url => 'http://img.example/1.jpg', price => 79.9, sale_price => 59.5,
    price_valid_until => '2090-01-01T00:00:00.000Z', availability => 'in_stock',
    language => 'de-AT', attributes => { colour => 'red', watts => 150,
        ratio => 1.5, eco => JSON::PP::true },
);
my $made = call('POST', '', $full);
is $made->{status}, 201, 'a product with all its fields';
like $made->{headers}{location}, qr{^/v1/products/\Q$made->{json}{id}\E$},
    'Location leads to it';
my $json = $made->{json};
my @same = grep { !/^(?:campaign_id|price)$/ } keys %$full;
is_deeply { map { $_ => $json->{$_} } @same }, { map { $_ => $full->{$_} } @same },
    'as it was given';
is "$json->{price_micros} $json->{sale_price_micros}", '79900000 59500000',
    'money has its twins';
is_deeply $json->{review}, { status => 'approved', reason => undef },
    'without manual review it is approved';
is_deeply [map { "$_->{campaign_id} $_->{status}" } @{ $json->{ads} }],
    ["$campaign active"], 'it is an ad of its campaign';
my $got = call('GET', "/$json->{id}");
is_deeply $got->{json}, $json, 'it can be read';
is $got->{headers}{etag}, $made->{headers}{etag}, 'with its ETag';
like $made->{headers}{'x-ads-generation'}, qr/^\d+$/, 'and is served at once';
is_deeply [shown('buy a coffee grinder')], ["M\x{fc}hle coffee grinder 59.5"],
    'for the price of the sale';
isnt found('buy zassenhaus zwilling'), 'no_match', 'its keywords find it, too';
call('PATCH', "/$json->{id}", { keywords => [] });
is found('buy zassenhaus zwilling'), 'no_match', 'without them nothing does';
$json = call('PATCH', "/$json->{id}", { keywords => ['zassenhaus zwilling'] })->{json};
$made = call('GET', "/$json->{id}");

$ads->is_problem(call('POST', '', fields(title => '', url => 'http://x.example/',
            price => -1, currency => 'usd', campaign_id => 'x', sku => 7,
            language => 'x', availability => 'maybe', category => {},
            attributes => { a => [] }, size => 1, image_url => 'ftp://x.example/',
            price_valid_until => 'soon')), 400, 'invalid_fields', 'many mistakes');
is_deeply errors(call('POST', '', fields(title => '', url => 'http://x.example/',
            price => -1, currency => 'usd', campaign_id => 'x', sku => 7,
            language => 'x', availability => 'maybe', category => {},
            attributes => { a => [] }, size => 1, image_url => 'ftp://x.example/',
            price_valid_until => 'soon'))),
    { '/title' => 'empty', '/url' => 'invalid_format', '/price' => 'out_of_range',
    '/currency' => 'invalid_format', '/campaign_id' => 'invalid_format',
    '/sku' => 'wrong_type', '/language' => 'invalid_format', '' => 'unknown_field',
    '/availability' => 'not_allowed', '/category' => 'wrong_type',
    '/attributes/a' => 'wrong_type', '/image_url' => 'invalid_format',
    '/price_valid_until' => 'invalid_format' }, 'are told at once';
is errors(call('POST', '', fields(price => 1, sale_price => 1.01)))->{
    '/sale_price'}, 'out_of_range', 'a sale is no dearer than the price';
is errors(call('POST', '', fields(currency => $_)))->{'/currency'},
    'invalid_format', "no currency: $_" for qw(ABC XXX BTC);
is errors(call('POST', '', fields(campaign_id => $other->{campaign})))->{
    '/campaign_id'}, 'not_found', "another account's campaign is none";
is errors(call('POST', '', qq({"campaign_id":"$campaign","title":"x","url":
    "https://x.example/","price":1,"currency":"USD","attributes":{"n":1e999}}))
    )->{'/attributes/n'}, 'out_of_range', 'no number is endless';

$ads->is_problem(call('POST', '', fields(), 'Content-Type' => $_,
        'Content-Encoding' => 'gzip'),
    415, 'unsupported_media_type', "packed $_")
    for 'application/json', 'application/x-ndjson';

# ---- the sku is the key ----------------------------------------------------

my $again = call('POST', '', $full);
is $again->{status}, 200, 'the same sku again is no new product';
is_deeply $again->{json}, $json, 'and changes nothing';
is $again->{headers}{etag}, $made->{headers}{etag}, 'not even its ETag';
my $changed = call('POST', '', { %$full, price => 70 });
is "$changed->{status} $changed->{json}{id} $changed->{json}{price_micros}",
    "200 $json->{id} 70000000", 'what differs is changed';
is call('DELETE', "/$json->{id}")->{json}{status}, 'archived', 'DELETE archives';
is_deeply [shown('buy a coffee grinder')], [], 'and it is not shown any more';
is call('DELETE', "/$json->{id}")->{status}, 200, 'again is fine';
$ads->is_problem(call('PATCH', "/$json->{id}", { brand => 'x' }), 409,
    'invalid_transition', 'what is archived is not changed');
my $back = call('POST', '', $full);
is_deeply $back->{json}{ads}, $json->{ads}, 'it comes back as the same ad';
is scalar(my @now = shown('buy a coffee grinder')), 1, 'and is shown';
my $second = $ads->campaign($shop->{account}, status => 'paused');
is_deeply [map { $_->{campaign_id} } @{ call('POST', '', { %$full,
                campaign_id => $second })->{json}{ads} }], [$campaign, $second],
    'a product may be in two campaigns';
is call('POST', '', fields(title => 'No key'))->{status}, 201,
    'without a sku it is new';
isnt call('POST', '', fields(title => 'No key'))->{json}{id},
    call('POST', '', fields(title => 'No key'))->{json}{id}, 'each time';
my $body = $code->encode(fields(title => 'Once'));
is_deeply [map { call('POST', '', $body, 'Idempotency-Key' => 'p')->{json}{id} } 1],
    [call('POST', '', $body, 'Idempotency-Key' => 'p')->{json}{id}],
    'unless an Idempotency-Key says so';

# ---- PATCH -----------------------------------------------------------------

my $id = $json->{id};
my $patched = call('PATCH', "/$id", { price => 99.5, sale_price => undef,
        category => 'Mills', keywords => undef, sku => 'p-2' })->{json};
is_deeply [@{$patched}{qw(price_micros sale_price category keywords sku title)}],
    [99500000, undef, ['Mills'], [], 'p-2', $full->{title}],
    'a change changes what it names';
is errors(call('PATCH', "/$id", { campaign_id => $second }))->{''},
    'unknown_field', 'campaigns are not changed here';
is errors(call('PATCH', "/$id", { title => undef }))->{'/title'}, 'wrong_type',
    'a title stays';
call('POST', '', fields(sku => 'taken'));
is call('PATCH', "/$id", { sku => 'taken' })->{status}, 409,
    'a sku is used once';
my $tag = call('GET', "/$id")->{headers}{etag};
is call('PATCH', "/$id", { brand => 'A' }, 'If-Match' => $tag)->{status}, 200,
    'If-Match with the current ETag';
is call('PATCH', "/$id", { brand => 'B' }, 'If-Match' => $tag)->{status}, 412,
    'with the old one';
is call('DELETE', "/$id", undef, 'If-Match' => $tag)->{status}, 412, 'DELETE too';

# ---- what is shown ---------------------------------------------------------

call('POST', '', fields(sku => 'stock', title => 'Brewmark espresso machine',
        availability => 'in_stock'));
is_deeply [shown('buy an espresso machine')], ['Brewmark espresso machine 189'],
    'what is in stock is shown' or diag explain [shown('espresso machine')];
call('POST', '', fields(sku => 'stock', title => 'Brewmark espresso machine',
        availability => 'out_of_stock'));
is scalar(grep { /Brewmark espresso machine 189/ && !/249/ }
        shown('buy an espresso machine')), 0, 'what is sold out is not';
my ($s, $us) = (time + 6, 0);
my @t = gmtime $s;
call('POST', '', fields(sku => 'sale', title => 'Zephyrine hair dryer',
        price => 50, sale_price => 40, price_valid_until => sprintf(
            '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1,
            @t[3, 2, 1, 0])));
is_deeply [shown('buy a hair dryer')], ['Zephyrine hair dryer 40'],
    'a sale has its price';
$ads->wait_until(sub { my @is = shown('buy a hair dryer');
        $is[0] eq 'Zephyrine hair dryer 50' }, 20, 'the sale to end');
pass 'and ends at its time';

# ---- many ------------------------------------------------------------------

my $many = call('POST', '', [
    fields(sku => 'm-1', title => 'One'), fields(sku => 'm-2', title => ''),
    'text', fields(sku => 'm-1', title => 'One more'),
    fields(sku => 'm-3', campaign_id => $other->{campaign}),
    fields(sku => 'taken'),
]);
is $many->{status}, 200, 'an array is taken';
is_deeply [map { $_->{status} } @{ $many->{json}{results} }],
    [qw(repeated rejected rejected created rejected unchanged)],
    'and each row has its result';
is_deeply [map { $_->{index} } @{ $many->{json}{results} }], [0 .. 5], 'in order';
is_deeply $many->{json}{results}[1]{errors}, [{ pointer => '/1/title',
        code => 'empty', detail => 'must not be empty' }], 'with its reason';
is_deeply [map { $_->{code} } @{ $many->{json}{results} }[2, 4]],
    ['invalid_fields', 'campaign_not_found'], 'whatever it is';
is_deeply { map { $_ => $many->{json}{$_} } qw(created updated unchanged repeated
        rejected) }, { created => 1, updated => 0, unchanged => 1, repeated => 1,
    rejected => 3 }, 'and they are counted';
is call('GET', '?sku=m-1')->{json}{data}[0]{title}, 'One more',
    'of a sku twice the last one counts';

my $lines = call('POST', '', join("\r\n", $code->encode(fields(sku => 'l-1')),
        '', '{"title":', $code->encode(fields(sku => 'l-2'))),
    'Content-Type' => 'application/x-ndjson; charset=utf-8');
is_deeply [map { $_->{status} } @{ $lines->{json}{results} }],
    [qw(created rejected created)], 'lines are taken, and a broken one is told';
is $lines->{json}{results}[1]{code}, 'malformed_json', 'as what it is';
is call('POST', '', '{}', 'Content-Type' => 'text/csv')->{status}, 415,
    'nothing else';
is call('POST', '', '[]')->{status}, 400, 'none is too few';
my @thousand = map { fields(sku => "t-$_", title => "Thing $_") } 1 .. 1000;
my $bulk = call('POST', '', \@thousand);
is $bulk->{json}{created}, 1000, 'a thousand are taken';
is call('POST', '', \@thousand)->{json}{unchanged}, 1000,
    'and are the same a second time';
is call('POST', '', [@thousand, fields()])->{status}, 400, 'one more is not';
is call('POST', '', '[' x 1000)->{json}{code}, 'malformed_json', 'depth has its end';

# ---- vectors ---------------------------------------------------------------

sub vectors
{
    my ($name) = @_;
    my $shared = $ENV{ADS_SHARED} || '../shared';
    open my $in, '<', "$shared/vectors/$name" or return;
    my $file = decode_json(do { local $/; <$in> });
    return @{ $file->{cases} };
}

# Each as one field of a product of its own; true: it was taken.
sub try_many
{
    my ($field, @values) = @_;
    my @results;
    while (my @some = splice @values, 0, 200) {
        my $answer = call('POST', '', [map { fields($field => $_) } @some]);
        push @results, map { $_->{status} eq 'created' } @{ $answer->{json}{results} };
    }
    return @results;
}

SKIP: {
    my @cases = vectors('destination_urls.json');
    skip 'no vectors here', 2 unless @cases;
    my @is = try_many(url => map { $_->{url} // $_->{input} } @cases);
    my @bad = grep { my $want = $cases[$_]{expect} // $cases[$_]{result};
        $want eq 'accept' ? !$is[$_] : $want eq 'reject' ? $is[$_] : 0 } 0 .. $#cases;
    is_deeply [map { $cases[$_] } @bad], [], 'links: vectors of our own';
    is scalar @is, scalar @cases, 'all of them';
}
SKIP: {
    my @cases = vectors('public/url_parsing.json');
    skip 'no vectors here', 1 unless @cases;
    my @is = try_many(url => map { $_->{input} } @cases);
    my @bad;
    for my $i (grep { $is[$_] } 0 .. $#cases) {
        my ($host) = $cases[$i]{input} =~ m{^https://([^/?#:]+)};
        push @bad, $cases[$i]
            if $cases[$i]{failure} || $host ne ($cases[$i]{hostname}
            // $cases[$i]{host} // '');
    }
    is_deeply \@bad, [], 'links: what we take, everybody reads with the same host';
}
SKIP: {
    my @cases = vectors('money_micros.json');
    skip 'no vectors here', 1 unless @cases;
    my $base = $code->encode(fields(title => 'Money'));
    my $text = join "\n", map { $base =~ s/"price":189/"price":$_->{json}/r } @cases;
    my $results = call('POST', '', $text, 'Content-Type' =>
            'application/x-ndjson')->{json}{results};
    my @bad;
    for my $i (0 .. $#cases) {
        my ($want, $is) = ($cases[$i]{micros}, $results->[$i]);
        if ($want eq 'reject') {
            push @bad, $cases[$i] if $is->{status} ne 'rejected';
        } elsif ($want ne 'either' && $want >= 0) {
            push @bad, $cases[$i] if $is->{status} ne 'created'
                || call('GET', "/$is->{id}")->{json}{price_micros} != $want;
        }
    }
    is_deeply \@bad, [], 'prices: exact to the micro, or refused';
}
SKIP: {
    my @texts = vectors('public/naughty_strings.json');
    skip 'no vectors here', 1 unless @texts;
    my @bad;
    for my $name (qw(title description brand sku gtin category keywords attributes)) {
        my %short = (gtin => 50);
        my @some = grep { length($_) <= ($short{$name} // 80) } @texts;
        my @results;
        my @rows = map { fields(
                $name eq 'keywords' ? (keywords => [$_])
                : $name eq 'attributes' ? (attributes => { x => $_ }) : ($name => $_)
            ) } @some;
        my $answer = call('POST', '', \@rows);
        for my $i (0 .. $#some) {
            my $is = $answer->{json}{results}[$i];
            (my $kept = $some[$i]) =~ s/^[ \t\r\n]+|[ \t\r\n]+$//g;
            next if $is->{status} =~ /^(?:rejected|repeated)$/;
            my $back = call('GET', "/$is->{id}");
            my $value = $back->{json}{$name};
            $value = $name eq 'attributes' ? $value->{x}
                : ref $value ? $value->[0] : $value;
            push @bad, "$name: $some[$i]" if ($value // '') ne $kept;
        }
        push @bad, "$name: $answer->{status}" if $answer->{status} != 200;
    }
    is scalar @bad, 0, 'hostile texts come back as they went in, or are refused'
        or diag explain \@bad;
}

# ---- whose -----------------------------------------------------------------

for my $method (qw(GET PATCH DELETE)) {
    $ads->is_problem(call($method, "/$id", $method eq 'PATCH' ? { price => 1 }
            : undef, 'X-API-Key' => $other->{key}), 404, 'not_found',
        "$method of another's product");
}
is call('GET', '', undef, 'X-API-Key' => $pub->{key})->{json}{code},
    'wrong_scope', 'a publisher has no products';
is scalar(grep { /p-2/ } map { $_->{sku} // '' } @{ call('GET', '', undef,
            'X-API-Key' => $other->{key})->{json}{data} }), 0,
    'a list holds the own ones only';

# ---- lists -----------------------------------------------------------------

is_deeply [map { $_->{sku} } @{ call('GET', '?q=ESPRESSO')->{json}{data} }],
    ['stock'], 'by a part of the title';
call('POST', '', [map { fields(sku => "case-$_->[0]", title => $_->[1]) }
    ['fr', "Grand \x{c9}CRAN plat"], ['de', "Stra\x{df}enkarte"],
    ['ru', "\x{427}\x{410}\x{419}\x{41d}\x{418}\x{41a}"], ['el', "\x{3bf}\x{3b4}\x{3cc}\x{3c2} map"]]);
for my $case (["\x{e9}cran", 'fr'], ["\x{c9}Cran", 'fr'], ["stra\x{df}e", 'de'],
    ['STRASSE', 'de'], ["\x{447}\x{430}\x{439}\x{43d}", 'ru'],
    ["\x{39f}\x{394}\x{38c}\x{3a3}", 'el'], ['ecran', undef])
{
    my ($q, $want) = @$case;
    my $text = uri($q);
    is_deeply [map { $_->{sku} } @{ call('GET', "?q=$text")->{json}{data} }],
        [defined $want ? "case-$want" : ()], "$text, whatever its case";
    is_deeply [map { $_->{sku} } @{ call('GET', "?q=$text&sku=case-" . ($want // 'fr'))->{json}{data} }],
        [defined $want ? "case-$want" : ()], 'by another statement too';
}
is scalar @{ call('GET', "?campaign_id=$second")->{json}{data} }, 1, 'by campaign';
is scalar @{ call('GET', '?review_status=pending')->{json}{data} }, 0, 'by review';
is scalar @{ call('GET', '?status=archived')->{json}{data} }, 0, 'by status';

# As much larger as large letters get, and titles at the edge of the index.
my @grown = map { [$_, "\x{390}" x $_] } 299, 300, 301, 1000;
is call('POST', '', [map { fields(sku => "grown-$_->[0]", title => $_->[1]) } @grown])->{json}{created},
    4, 'titles that grow to three times their bytes';
is scalar @{ call('GET', '?q=' . uri("\x{399}\x{308}\x{301}" x 50))->{json}{data} }, 4, 'are found';

# All pages of a list.
sub pages
{
    my ($query) = @_;
    my ($cursor, @all) = '';
    for (1 .. 100) {
        my $page = call('GET', "?$query$cursor")->{json};
        push @all, @{ $page->{data} };
        return \@all unless $page->{has_more};
        $cursor = "&cursor=$page->{next_cursor}";
    }
    return undef;
}

# Names of any length: those that the index of titles holds, and longer ones.
my @letters = ([0x61, 26], [0x100, 0x80], [0x4e00, 0x5000], [0x1f300, 0x200]);
my @long = map {
    my ($first, $n) = @$_;
    map { join '', 'Ziermuster', map { chr $first + int rand $n } 1 .. $_ }
        map { $_ - 10 } 11, 200, 209, 400, 800, 801, 1000
} @letters;
my $wrote = call('POST', '', [map { fields(sku => "long-$_", title => $long[$_]) } 0 .. $#long]);
is $wrote->{json}{created}, @long, 'titles of 11 bytes to 4 kB';
call('DELETE', "/$wrote->{json}{results}[$_]{id}") for grep { $_ % 5 == 0 } 0 .. $#long;
my $all = pages('limit=500');
for my $case (
    ['', sub { 1 }],
    ['&status=archived', sub { $_->{status} eq 'archived' }],
    ['&status=active', sub { $_->{status} eq 'active' }],
    ['&review_status=approved', sub { 1 }],
    ['&review_status=rejected', sub { 0 }],
    ['&updated_since=2020-01-01T00:00:00Z', sub { 1 }],
    ['&updated_since=2100-01-01T00:00:00Z', sub { 0 }],
    ['&sku=long-3', sub { $_->{sku} eq 'long-3' }],
    ["&campaign_id=$campaign", sub { 1 }],
    ["&campaign_id=$second", sub { 0 }],
    )
{
    my ($query, $fits) = @$case;
    my @want = map { $_->{sku} } grep { $_->{title} =~ /^ziermuster/i && $fits->() } @$all;
    is_deeply [map { $_->{sku} } @{ pages("q=zierMUSTER&limit=$_$query") }], \@want,
        "by a part of the title, $_ a page$query" for 3, 50;
}
srand($ENV{ADS_SEED} // 4711);
my (@before, @paged, $cursor);
for my $run (\@before, \@paged) {
    undef $cursor;
    for (1 .. 500) {
        my $limit = $run == \@before ? 500 : 50 + int rand 150;
        my $page = call('GET', "?limit=$limit" . ($cursor ? "&cursor=$cursor" : ''));
        push @$run, map { $_->{id} } @{ $page->{json}{data} };
        $cursor = $page->{json}{next_cursor};
        last unless $page->{json}{has_more};
        next if $run == \@before;
        call('POST', '', [map { fields(title => "new $_") } 1 .. 3]) if rand() < 0.5;
        call('PATCH', "/$paged[rand @paged]", { title => 'moved?' }) if rand() < 0.5;
    }
}
cmp_ok scalar @before, '>', 1000, 'there are some';
is_deeply \@paged, \@before, 'pages are stable while others insert and change';

# ---- reviews ---------------------------------------------------------------

sub review
{
    my ($method, $query, $body, $key) = @_;
    return $ads->http($method, "/v1/platform/reviews$query",
        ['X-API-Key' => $key // $boss->{key}, 'Content-Type' =>
                'application/json'], $body && $code->encode($body));
}

$ads->sql(q(select ads.settings_put('USD', 7000, 'manual', 'instant')));
my $new = call('POST', '', fields(sku => 'r-1', title => 'Vornado turntable'));
is $new->{json}{review}{status}, 'pending', 'with manual review what is new waits';
is_deeply [shown('buy a turntable')], [], 'and is not shown';
my $queue = review('GET', '')->{json}{data};
is_deeply [map { "$_->{product_id} $_->{account}" } @$queue],
    ["$new->{json}{id} Shop"], 'the platform sees it';
is review('GET', '', undef, $shop->{key})->{json}{code}, 'wrong_scope',
    'nobody else does';
my $verdict = { product_id => $new->{json}{id}, decision => 'reject' };
is errors(review('POST', '', $verdict))->{'/reason'}, 'required',
    'who rejects says why';
is review('POST', '', { %$verdict, reason => 'blurred picture' })->{status}, 200,
    'rejected';
is_deeply call('GET', "/$new->{json}{id}")->{json}{review},
    { status => 'rejected', reason => 'blurred picture' },
    'the advertiser reads why';
is call('PATCH', "/$new->{json}{id}", { price => 5 })->{json}{review}{status},
    'rejected', 'another price does not undo it';
is_deeply call('PATCH', "/$new->{json}{id}", { title => 'Vornado record turntable' }
    )->{json}{review}, { status => 'pending', reason => undef },
    'another title asks again';
my $seen = review('GET', '')->{json}{data}[0];
is call('PATCH', "/$new->{json}{id}", { title => 'Vornado record turntable' })
    ->{status}, 200, 'the same title again';
my $approval = { product_id => $seen->{product_id}, decision => 'approve',
    updated_at => $seen->{updated_at} };
call('PATCH', "/$new->{json}{id}", { description => 'And a text nobody saw' });
my $unseen = review('POST', '', $approval);
is_deeply [@$unseen{'status'}, $unseen->{json}{code}], [409, 'conflict'],
    'what was changed after the list was read is not approved';
is call('GET', "/$new->{json}{id}")->{json}{review}{status}, 'pending',
    'and waits as before';
is errors(review('POST', '', { %$approval, updated_at => 'now' }))->{'/updated_at'},
    'invalid_format', 'that time is one';
$approval->{updated_at} = review('GET', '')->{json}{data}[0]{updated_at};
is review('POST', '', $approval)->{json}{status}, 'approved', 'approved';
is_deeply [shown('buy a turntable')], ['Vornado record turntable 5'], 'it is shown';
is call('PATCH', "/$new->{json}{id}", { title => 'Vornado turntable' })->{json}
    {review}{status}, 'pending', 'a changed title waits again';
is call('PATCH', "/$new->{json}{id}", { price => 6 })->{json}{review}{status},
    'pending', 'a price neither helps';
is review('POST', '', { %$verdict, product_id => $campaign, reason => 'x' }
    )->{status}, 404, 'what is no product is 404';
$ads->sql(q(select ads.settings_put('USD', 7000, 'auto', 'instant')));
# by none of the workers: each takes new tables when it is next asked
$ads->wait_until(sub { !grep { @{ [shown('buy a turntable')] } } 1 .. 8 }, 10,
    'what waits not to be shown');

# ---- a full rebuild --------------------------------------------------------

my @queries = ('buy a coffee grinder', 'buy a laser printer', 'buy thing 77',
    'buy an espresso machine', 'buy a hair dryer', 'buy a turntable');
my %seen = map { $_ => [sort(shown($_))] } @queries;
is $ads->stop('adsd'), 0, 'adsd ends';
unlink map { glob "$ads->{dir}/state/$_" } 'base-*', 'head';
my $bases = () = $ads->log_lines('adsd.out', qr/base of \d+ ads/);
$ads->start_adsd;
$ads->wait_until(sub { $bases < $ads->log_lines('adsd.out', qr/base of \d+ ads/) },
    30, 'the tables to be built anew');
$ads->wait_until(sub { !grep { !@{ [shown('buy a coffee grinder')] } } 1 .. 8 }, 10,
    'all workers to have them');
is_deeply { map { $_ => [sort(shown($_))] } @queries }, \%seen,
    'tables built anew show what the API made visible';

$ads->done;
