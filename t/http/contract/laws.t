#!/usr/bin/perl
#
# Laws that hold for every list, every PATCH, every sku and every state, tried
# by seeded random walks against models that share no code with the program:
# pages while rows come and go, changes that meet, writing again, moves.
#
# Runs: first long tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use List::Util qw(first shuffle);
use Test::More;

srand(my $seed = $ENV{ADS_SEED} // 20261122);
note "seed $seed";

my $ads  = Ads::Test->new(rates => 0);
my $code = JSON::PP->new->utf8->canonical;
my $boss = $ads->seed_platform;
my $shop = $ads->seed_shop(products => []);
my $pub  = $ads->seed_publisher;

# Who reviews; top-ups are settled by hand, and programs may click.
sub review
{
    return $ads->sql(q{select ads.settings_put('USD', 7000, ?, 'manual', p_too_fast_ms => 0,
        p_burst_clicks => 0, p_crowd_clicks => 0, p_repeat_s => 0)}, $_[0]);
}
review('auto');

# 503 where the machine is too busy to hash a password in time
my ($person, $login);
my %ada = (email => 'ada@laws.example', password => 'a long enough secret');
sub login { return ($login = $ads->post('/v1/auth/login', undef, \%ada))->{status} == 200 }
$ads->wait_until(sub {
    $ads->post('/v1/auth/signup', undef, \%ada)->{status} =~ /^(?:201|409)$/
}, 60, 'an account');
$ads->wait_until(\&login, 60, 'a login');
$person = $login->{json};
$ads->adsctl('user', 'verify', $person->{user}{id});

my $serial = 0;
my @as_shop = ('X-API-Key' => $shop->{key});
my @as_boss = ('X-API-Key' => $boss->{key});
my @for_shop = (@as_boss, 'X-Ads-Account' => $shop->{account});
my @as_person = (Authorization => "Bearer $person->{access_token}");

sub ask
{
    my ($who, $method, $path, $body, @headers) = @_;
    push @headers, 'Content-Type' => 'application/json'
        if defined $body && !grep { $_ eq 'Content-Type' } @headers;
    return $ads->http($method, "/v1/$path", [@$who, @headers],
        ref $body ? $code->encode($body) : $body);
}

# What must go well.
sub must
{
    my $answer = ask(@_);
    die "@_[1, 2]: $answer->{status} $answer->{body}\n"
        if $answer->{status} >= 300;
    return $answer;
}

sub product
{
    my (%more) = @_;
    return { campaign_id => $shop->{campaign}, title => 'Thing ' . ++$serial,
        url => 'https://shop.example/p', price => 1, currency => 'USD', %more };
}

# ---- pages -----------------------------------------------------------------

# A list: who asks for it, how a row is added, and how one is taken out of it
# (of what its filter keeps); undef: nothing ever leaves.
my $import = must(\@as_shop, POST => "products/import?campaign_id=$shop->{campaign}",
    join('', map { $code->encode({ sku => "bad $_" }) . "\n" } 1 .. 30),
    'Content-Type' => 'application/x-ndjson')->{json}{id};
$ads->wait_until(sub {
    must(\@as_shop, GET => "products/import/$import")->{json}{status} eq 'done'
}, 30, 'an import of bad rows');

my %list = (
    '/v1/campaigns' => {
        path => 'campaigns?status=paused', who => \@as_shop,
        add  => sub { must(\@as_shop, POST => 'campaigns', { name => 'c ' . ++$serial,
                    bid => 1, budget => { daily => 1 } }) },
        take => sub { must(\@as_shop, DELETE => "campaigns/$_[0]") },
    },
    '/v1/products' => {
        path => 'products?status=active', who => \@as_shop,
        add  => sub { must(\@as_shop, POST => 'products', product()) },
        take => sub { must(\@as_shop, DELETE => "products/$_[0]") },
    },
    '/v1/products/import' => {
        path => 'products/import?', who => \@as_shop,
        add  => sub {
            my $answer;
            $ads->wait_until(sub {
                $answer = ask(\@as_shop, POST => "products/import?campaign_id=$shop->{campaign}&dry_run=true",
                    '{}', 'Content-Type' => 'application/x-ndjson');
                return $answer->{status} == 202;    # at most five wait
            }, 30, 'room for an import');
        },
    },
    '/v1/products/import/{id}/errors' => {
        path => "products/import/$import/errors?", who => \@as_shop,
        id   => sub { "$_[0]{line} $_[0]{field}" },
    },
    '/v1/balance/transactions' => {
        path => 'balance/transactions?', who => \@as_shop,
        add  => sub { $ads->topup($shop->{account}, 1) },
    },
    '/v1/auth/api-key' => {
        path => 'auth/api-key?status=active', who => \@for_shop, n => 7,
        add  => sub { $ads->key($shop->{account}, '--name', 'k ' . ++$serial) },
        take => sub { must(\@for_shop, DELETE => "auth/api-key/$_[0]") },
        keep => sub { $_[0]{last_four} eq substr $shop->{key}, -4 },
    },
    '/v1/account/audit' => {
        path => 'account/audit?', who => \@as_shop,
        add  => sub { must(\@as_shop, PATCH => "campaigns/$shop->{campaign}",
                    { name => 'audited ' . ++$serial }) },
        id   => sub { $code->encode($_[0]) },
    },
    '/v1/account/members' => {
        path => 'account/members?', who => \@as_person,
        add  => sub { must(\@as_person, POST => 'account/members',
                    { email => 'm' . ++$serial . '@laws.example', role => 'viewer' }) },
        take => sub { must(\@as_person, DELETE => "account/members/$_[0]") },
        keep => sub { $_[0]{status} eq 'active' },
    },
    '/v1/auth/sessions' => {
        path => 'auth/sessions?', who => \@as_person, n => 6,
        add  => sub { $ads->wait_until(\&login, 60, 'a login') },
        take => sub { must(\@as_person, DELETE => "auth/sessions/$_[0]") },
        keep => sub { $_[0]{current} },
    },
    '/v1/platform/accounts' => {
        path => 'platform/accounts?status=active&q=Law%20', who => \@as_boss,
        add  => sub { $ads->adsctl(qw(tenant create --type advertiser --name),
                'Law ' . ++$serial) },
        take => sub { $ads->adsctl('tenant', 'suspend', $_[0]) },
    },
    '/v1/platform/topups' => {
        path => 'platform/topups?status=pending', who => \@as_boss,
        add  => sub { must(\@as_shop, POST => 'balance/topup', { amount => 5,
                    currency => 'USD', reference => 'law ' . ++$serial }) },
        take => sub { must(\@as_boss, POST => "platform/topups/$_[0]/reject",
                    { reason => 'no' }) },
        id   => sub { $_[0]{id} // $_[0]{transaction_id} },
    },
    '/v1/platform/reviews' => {
        path => 'platform/reviews?status=pending', who => \@as_boss,
        add  => sub { must(\@as_shop, POST => 'products', product()) },
        take => sub { must(\@as_boss, POST => 'platform/reviews',
                    { product_id => $_[0], decision => 'approve' }) },
        id   => sub { $_[0]{product_id} },
        review => 'manual',
    },
);

my $spec = decode_json(Ads::Stack::read_file('docs/openapi.json'));
my @cursors = grep {
    grep { ($_->{'$ref'} // '') =~ m{/Cursor$} }
        @{ $spec->{paths}{$_}{get}{parameters} || [] }
} sort keys %{ $spec->{paths} };
is_deeply [sort keys %list], [grep { !m{^/v1/analytics/} } @cursors],
    'every list with a cursor is tried';

# One page after the other; between them `meddle` is called with what came.
sub pages
{
    my ($list, $limit, $meddle) = @_;
    my (@rows, $cursor);
    for (1 .. 1000) {
        my $n = $limit->();
        my $page = must($list->{who}, GET => "$list->{path}&limit=$n"
                . ($cursor ? "&cursor=$cursor" : ''))->{json};
        push @rows, @{ $page->{data} };
        die "a page of " . @{ $page->{data} } . ", asked for $n\n"
            if @{ $page->{data} } > $n || $page->{has_more} && @{ $page->{data} } != $n;
        $cursor = $page->{next_cursor};
        return @rows if !$page->{has_more};
        $meddle->(\@rows) if $meddle;
    }
    die "the pages do not end\n";
}

for my $name (sort keys %list) {
    my $list = $list{$name};
    my $id   = $list->{id} || sub { $_[0]{id} };
    review($list->{review} // 'auto');
    $list->{add}->() for 1 .. ($list->{add} ? $list->{n} // 14 : 0);
    my @all    = pages($list, sub { 500 });
    my %kept   = map { $id->($_) => 1 } grep { $list->{keep} && $list->{keep}->($_) } @all;
    my @before = map { $id->($_) } @all;
    my (%gone, $came, $left);
    my @paged = map { $id->($_) } pages($list, sub { 1 + int rand 3 }, sub {
        my ($rows) = @_;
        my %seen = map { $id->($_) => 1 } @$rows;
        if ($list->{take} && rand() < 0.7) {
            # before or behind the place of the cursor
            my ($victim) = sort { $left ? 0 : ($seen{$a} // 0) <=> ($seen{$b} // 0) }
                shuffle grep { !$kept{$_} } @before;
            if (defined $victim) {
                $list->{take}->($victim);
                $kept{$victim} = 1;
                $gone{$victim} = $left = 1 if !$seen{$victim};
            }
        }
        if ($list->{add} && rand() < 0.7) {
            $list->{add}->();
            $came++;
        }
    });
    cmp_ok scalar @before, '>=', 6, "$name: there are rows";
    ok !$list->{add} || $came, "$name: rows came between the pages";
    ok !$list->{take} || $left, "$name: and rows left";
    is_deeply \@paged, [grep { !$gone{$_} } @before],
        "$name: every row that stayed comes once and in order, and none that came later";
}
review('auto');

# ---- If-Match --------------------------------------------------------------

my $other = $ads->adsctl('user', 'create', '--email', 'eve@laws.example', '--verified');
$ads->adsctl('member', 'add', '--account', $person->{account}{id}, '--user', $other->{id},
    '--role', 'viewer');
my $one = must(\@as_shop, POST => 'products', product(sku => 'locked'))->{json}{id};
my $text = sub { { name => 'Name ' . ++$serial } };
my %patch = (
    '/v1/campaigns/{id}' => ["campaigns/$shop->{campaign}", \@as_shop, $text],
    '/v1/products/{id}'  => ["products/$one", \@as_shop,
        sub { { title => 'Title ' . ++$serial } }],
    '/v1/account' => ['account', \@for_shop, $text],
    '/v1/account/members/{id}' => ["account/members/$other->{id}", \@as_person,
        sub { { role => must(\@as_person, GET => "account/members/$other->{id}")->{json}{role} eq 'viewer'
                ? 'editor' : 'viewer' } }],
    '/v1/publisher/settings' => ['publisher/settings', ['X-API-Key' => $pub->{key}],
        sub { { floor => ++$serial / 100 } }],
);
is_deeply [sort keys %patch], [sort grep { $spec->{paths}{$_}{patch} } keys %{ $spec->{paths} }],
    'every PATCH is tried';
for my $name (sort keys %patch) {
    my ($path, $who, $body) = @{ $patch{$name} };
    my $get = sub { must($who, GET => $path) };
    my $tag = $get->()->{headers}{etag};
    like $tag // '', qr/^"-?\d+"$/, "$name has an ETag";
    my $done = ask($who, PATCH => $path, $body->(), 'If-Match' => $tag);
    is $done->{status}, 200, "$name: the current one lets a change pass" or diag $done->{body};
    my $now = $get->();
    isnt $now->{headers}{etag}, $tag, "$name: which has another";
    is $done->{headers}{etag}, $now->{headers}{etag}, "$name: that is told at once";
    $ads->is_problem(ask($who, PATCH => $path, $body->(), 'If-Match' => $_), 412, 'etag_mismatch',
        "$name: $_ lets none pass")
        for $tag, "W/$now->{headers}{etag}", '"x"', $now->{headers}{etag} =~ s/"//gr;
    is_deeply $get->()->{json}, $now->{json}, "$name: and nothing is changed";
    is ask($who, PATCH => $path, $body->(), 'If-Match' => "$tag, $now->{headers}{etag}")->{status}, 200,
        "$name: one of a list is enough";
    is ask($who, PATCH => $path, $body->(), 'If-Match' => '*')->{status}, 200, "$name: as is any";
    is ask($who, PATCH => $path, $body->())->{status}, 200, "$name: or none";

    # four at once with the same tag
    my $same = $get->()->{headers}{etag};
    my @pids;
    for my $n (1 .. 4) {
        my $change = $body->();
        my $pid = fork // die $!;
        if ($pid == 0) {
            my $is = ask($who, PATCH => $path, $change, 'If-Match' => $same)->{status};
            require POSIX;
            POSIX::_exit($is == 200 ? 1 : $is == 412 ? 2 : 3);
        }
        push @pids, $pid;
    }
    my %is;
    for my $pid (@pids) {
        waitpid $pid, 0;
        $is{ $? >> 8 }++;
    }
    is_deeply \%is, { 1 => 1, 2 => 3 }, "$name: of four that meet one wins";
}

# ---- the sku is the key, and what may become of it ---------------------------

# A model: sku => {id, ad, title, price, archived}.  Each step is one of the
# ways in; what it says and what is read back must be the model's.
my %model;
my @wrong;

sub said
{
    my ($step, $want, $is) = @_;
    push @wrong, "$step: $is, not $want" if $is ne $want;
}

sub read_back
{
    my ($step, $sku) = @_;
    my $m    = $model{$sku};
    my $rows = must(\@as_shop, GET => "products?sku=$sku")->{json}{data};
    said("$step, rows", 1, scalar @$rows);
    my $r = $rows->[0] or return;
    $m->{id} //= $r->{id};
    $m->{ad} //= $r->{ads}[0]{ad_id};
    said("$step, read", "$m->{id} $m->{title} $m->{price} " . ($m->{archived} ? 'archived' : 'active'),
        "$r->{id} $r->{title} $r->{price} $r->{status}");
    my $full = must(\@as_shop, GET => "products/$r->{id}");
    said("$step, ad", $m->{ad}, $full->{json}{ads}[0]{ad_id} // 'none') if !$m->{archived};
    return $full->{headers}{etag};
}

my %moves;
for my $n (1 .. ($ENV{ADS_LONG} ? 160 : 80)) {
    my $sku = 'law-' . int rand 6;
    my $m   = $model{$sku};
    my $was = !$m ? 'none' : $m->{archived} ? 'archived' : 'active';
    my %new = (title => "T$n", price => 1 + int rand 100);
    %new = (title => $m->{title}, price => $m->{price}) if $m && rand() < 0.4;
    my $row = product(sku => $sku, %new);
    my $same = $m && $m->{title} eq $new{title} && $m->{price} == $new{price} && !$m->{archived};
    my $tag  = $m ? read_back("$n before", $sku) : undef;
    my $move = (qw(post array lines feed patch delete))[rand 6];
    my $step = "$n $move of $was $sku";
    $moves{"$move $was"}++;
    my $word = !$m ? 'created' : $same ? 'unchanged' : 'updated';
    if ($move eq 'post') {
        said($step, $m ? 200 : 201, ask(\@as_shop, POST => 'products', $row)->{status});
    } elsif ($move eq 'array' || $move eq 'lines') {
        my $line = $code->encode($row);
        my $is = $move eq 'array' ? must(\@as_shop, POST => 'products', "[$line]")
            : must(\@as_shop, POST => 'products', "$line\n", 'Content-Type' => 'application/x-ndjson');
        said($step, $word, $is->{json}{results}[0]{status});
    } elsif ($move eq 'feed') {
        my $at = must(\@as_shop, POST => "products/import?campaign_id=$shop->{campaign}",
            $code->encode($row), 'Content-Type' => 'application/x-ndjson')->{json}{id};
        my $end;
        $ads->wait_until(sub {
            $end = must(\@as_shop, GET => "products/import/$at")->{json};
            return $end->{status} =~ /^(?:done|failed)$/;
        }, 20, 'a feed');
        said($step, !$m ? 'added' : $same ? 'unchanged' : 'changed',
            join ' ', grep { $end->{counts}{$_} } qw(added changed unchanged bad));
    } elsif ($move eq 'patch') {
        next if !$m;
        my $is = ask(\@as_shop, PATCH => "products/$m->{id}", { title => $new{title}, price => $new{price} });
        said($step, $m->{archived} ? '409 invalid_transition' : '200 ', "$is->{status} " . ($is->{json}{code} // ''));
        %new = (title => $m->{title}, price => $m->{price}) if $m->{archived};
    } else {
        next if !$m;
        said($step, '200 archived', join ' ', @{ ask(\@as_shop, DELETE => "products/$m->{id}") }{'status'},
            must(\@as_shop, GET => "products/$m->{id}")->{json}{status});
        $m->{archived} = 1;
        read_back("$step after", $sku);
        next;
    }
    my $stays = $move eq 'patch' && $m->{archived};
    $model{$sku} = { %{ $m || {} }, %new, archived => $stays ? 1 : 0 };
    my $after = read_back("$step after", $sku);
    said("$step, ETag", 'the same', 'another') if ($same || $stays) && $tag ne $after;
}
is join("\n", @wrong), '', 'whatever way a sku comes, it is the same product and the same ad';
cmp_ok scalar(keys %moves), '>=', 14, 'most moves from most states were taken'
    or diag explain \%moves;

# every pair of state and move, once each: review and status are independent
my %after = (approve => 'approved', reject => 'rejected', touch => 'pending');
for my $state (qw(pending approved rejected)) {
    for my $move (qw(approve reject touch price)) {
        review('manual');
        my $id = must(\@as_shop, POST => 'products', product())->{json}{id};
        my $decide = sub { must(\@as_boss, POST => 'platform/reviews', { product_id => $id,
                decision => $_[0], $_[0] eq 'reject' ? (reason => 'no') : () }) };
        $decide->('approve') if $state eq 'approved';
        $decide->('reject')  if $state eq 'rejected';
        $move eq 'touch'   ? must(\@as_shop, PATCH => "products/$id", { title => 'Other ' . ++$serial })
            : $move eq 'price' ? must(\@as_shop, PATCH => "products/$id", { price => 2 + ++$serial })
            :                    $decide->($move);
        is must(\@as_shop, GET => "products/$id")->{json}{review}{status},
            $after{$move} // $state, "a review that is $state: $move";
    }
}
review('auto');

# a long walk of campaigns; the pairs one by one are in desk/campaigns.t
my %to = (draft => [qw(draft active paused archived)], active => [qw(active paused archived)],
    paused => [qw(paused active archived)], archived => ['archived']);
my @bad;
for my $first (qw(draft paused active) x 3) {
    my $id = must(\@as_shop, POST => 'campaigns', { name => 'Walk', bid => 1,
            budget => { daily => 1 }, status => $first })->{json}{id};
    my $at = $first;
    for (1 .. 12) {
        my $next = (qw(draft active paused archived))[rand() < 0.9 ? int rand 3 : 3];
        my $ok   = first { $_ eq $next } @{ $to{$at} };
        my $is   = ask(\@as_shop, PATCH => "campaigns/$id", { status => $next });
        push @bad, "$at to $next: $is->{status}" if $is->{status} != ($ok ? 200 : 409);
        $at = $next if $ok;
        my $now = must(\@as_shop, GET => "campaigns/$id")->{json}{status};
        push @bad, "after $at to $next it is $now" if $now ne $at;
    }
}
is "@bad", '', 'campaigns move where they may and nowhere else';
is ask(\@as_shop, POST => 'campaigns', { name => 'x', bid => 1, budget => { daily => 1 },
        status => 'archived' })->{status}, 400, 'none begins archived';

# ---- links and money of vectors ----------------------------------------------

sub vectors
{
    my ($name) = @_;
    my $path = ($ENV{ADS_SHARED} || '../shared') . "/vectors/$name";
    return -e $path ? @{ decode_json(Ads::Stack::read_file($path))->{cases} } : ();
}

# Rows by a feed; the field of each that was kept, by its place.
sub fed
{
    my ($column, @rows) = @_;
    my $prefix = 'v' . ++$serial;
    my $n      = 0;
    my $at = must(\@as_shop, POST => "products/import?campaign_id=$shop->{campaign}&format=jsonl",
        join('', map { s/"sku":""/"sku":"$prefix-@{[$n++]}"/r . "\n" } @rows),
        'Content-Type' => 'application/x-ndjson')->{json}{id};
    $ads->wait_until(sub { must(\@as_shop, GET => "products/import/$at")->{json}{status} eq 'done' },
        30, 'the feed');
    my %kept = map { $_->[0] => $_->[1] } @{ $ads->sql(
            "select split_part(sku, '-', 2), $column from ads.products where sku like ?", "$prefix-%") };
    return @kept{ 0 .. $#rows };
}

SKIP: {
    my @own = vectors('destination_urls.json');
    my @wpt = vectors('public/url_parsing.json');
    skip 'no vectors here', 5 unless @own && @wpt;
    my @urls = map { $_->{url} // $_->{input} } @own, @wpt;
    my @kept = fed('url', map { $code->encode(product(sku => '', url => $_)) } @urls);
    my (@bad, $taken);
    for my $i (0 .. $#own) {
        my $is = defined $kept[$i] ? 'accept' : 'reject';
        push @bad, "$is $urls[$i]" if $own[$i]{result} ne 'either' && $is ne $own[$i]{result};
        push @bad, "$urls[$i] became $kept[$i]" if $is eq 'accept' && $kept[$i] ne $urls[$i];
    }
    is_deeply \@bad, [], 'feeds: links are checked as by the API';
    @bad = ();
    for my $i (grep { defined $kept[$_] } @own .. $#urls) {
        my $case = $wpt[$i - @own];
        my ($host) = $kept[$i] =~ m{^https://([^/?#:]+)};
        $taken++;
        push @bad, [$kept[$i], $case] if $case->{failure}
            || lc($host // '') ne ($case->{hostname} // $case->{host} // '');
    }
    cmp_ok $taken, '>', 0, 'feeds: links of others are taken';
    is_deeply \@bad, [], 'and everybody reads them with the same host';
    my @api;
    for (my $i = 0; $i < @urls; $i += 200) {
        my $last = $i + 199 < $#urls ? $i + 199 : $#urls;
        push @api, map { $_->{status} } @{ must(\@as_shop, POST => 'products',
                [map { product(url => $_) } @urls[$i .. $last]])->{json}{results} };
    }
    @bad = grep { ($api[$_] eq 'created') != (defined $kept[$_]) } 0 .. $#urls;
    is scalar @api, scalar @urls, 'the API answered each';
    is_deeply [map { "$urls[$_]: $api[$_]" } @bad], [], 'feed and API take the same links';
}

# What a field holds in micros after a number was sent to it; undef: refused.
my %money = (
    'bid'             => [1, 1e15, sub { campaign_money('bid', $_[0]) }],
    'budget daily'    => [1e6, 1e15, sub { campaign_money('daily', $_[0]) }],
    'budget lifetime' => [1e6, 1e15, sub { campaign_money('lifetime', $_[0]) }],
    'price'           => [0, 1e15, sub { product_money('price', $_[0]) }],
    'sale price'      => [0, 1e15, sub { product_money('sale_price', $_[0]) }],
    'floor'           => [0, 1e12, sub {
        my $is = ask(['X-API-Key' => $pub->{key}], PATCH => 'publisher/settings', qq({"floor":$_[0]}));
        return $is->{status} == 200 ? ($is, $is->{json}{floor_micros}, 'floor') : ($is);
    }],
    'top-up'          => [1e6, 1e12, sub {
        my $is = ask(\@as_shop, POST => 'balance/topup',
            qq({"amount":$_[0],"currency":"USD","reference":"money ${\++$serial}"}));
        return $is->{status} == 201 ? ($is, $ads->sql_value('select amount_micros from ads.topups where id = ?',
                $is->{json}{transaction_id})) : ($is);
    }],
);

sub campaign_money
{
    my ($field, $number) = @_;
    my ($bid, $daily, $life) = map { $field eq $_->[0] ? $number : $_->[1] }
        ['bid', 1], ['daily', $field eq 'bid' ? 1000000000 : 1], ['lifetime', 1000000000];
    my $is = ask(\@as_shop, POST => 'campaigns',
        qq({"name":"m","bid":$bid,"budget":{"daily":$daily,"lifetime":$life}}));
    return $is if $is->{status} != 201;
    return ($is, $is->{json}{bid_micros}, 'bid') if $field eq 'bid';
    return ($is, $is->{json}{budget}{"${field}_micros"}, $field);
}

sub product_money
{
    my ($field, $number) = @_;
    my $body = $code->encode(product(price => 7, sale_price => 6));
    $body =~ s/"$field":\d/"$field":$number/;
    $body =~ s/"price":7/"price":1000000000/ if $field eq 'sale_price';
    $body =~ s/"sale_price":6,//             if $field eq 'price';
    my $is = ask(\@as_shop, POST => 'products', $body);
    return $is->{status} == 201 ? ($is, $is->{json}{"${field}_micros"}, $field) : ($is);
}

# The number as it must be written, from its micros.
sub written
{
    my ($micros) = @_;
    my $text = sprintf '%d.%06d', int($micros / 1e6), $micros % 1_000_000;
    return $text =~ s/\.?0+$//r;
}

SKIP: {
    my @cases = grep { length $_->{json} } vectors('money_micros.json');
    skip 'no vectors here', keys(%money) + 1 unless @cases;
    for my $name (sort keys %money) {
        my ($least, $most, $try) = @{ $money{$name} };
        my (@bad, $taken);
        for my $case (@cases) {
            my ($answer, $micros, $member) = $try->($case->{json});
            my $want = $case->{micros};
            my $fits = $want =~ /^\d+$/ && $want >= $least && $want <= $most;
            my $line = "$case->{json}: $answer->{status} " . ($micros // '-');
            push @bad, $line if $answer->{status} >= 500;
            if (defined $micros) {
                $taken++;
                push @bad, $line if $want ne 'either' && (!$fits || $micros != $want);
                push @bad, "$line, written otherwise" if $member
                    && $answer->{body} !~ /"\Q$member\E":\Q@{[written($micros)]}\E[,}]/;
            } elsif ($case->{json} ne 'null' || $name !~ /budget|sale/) {    # these may be none
                push @bad, $line if $answer->{status} != 400 || $fits;
            }
        }
        is "@bad", '', "$name: to the micro, or refused";
        cmp_ok $taken, '>=', 3, "$name: $taken were taken";
    }

    my @texts = map { my $c = $_; $code->encode(product(sku => '', price => 7)) =~ s/"price":7/"price":$c->{json}/r } @cases;
    my @kept  = fed('price_micros', @texts);
    my @bad;
    for my $i (0 .. $#cases) {
        my $want = $cases[$i]{micros};
        next if $want eq 'either';
        my $is = $kept[$i] // 'reject';
        # feeds have prices as texts too
        $want = $1 * 1_000_000 if $cases[$i]{json} =~ /^"(\d+(?:\.\d+)?)"$/;
        $want = 'reject' if $want ne 'reject' && ($want < 0 || $want > 1e15);
        push @bad, "$cases[$i]{json}: $is" if $is ne $want;
    }
    is "@bad", '', 'prices of a feed too';
}

# ---- money into a report -------------------------------------------------------

SKIP: {
    my @cases = grep { $_->{micros} =~ /^\d+$/ && $_->{micros} <= 1e15 && $_->{json} !~ /^-/ }
        vectors('money_micros.json');
    skip 'no vectors here', 3 unless @cases;
    my $seller = $ads->seed_shop(name => 'Seller', products => [{ %{ $ads->products->[4] },
                title => 'Zwirnblatt wireless headphones', description => 'Zwirnblatt wireless headphones' }]);
    my $shown;
    $ads->wait_until(sub {
        $shown = $ads->recommend($pub->{key}, 'buy zwirnblatt wireless headphones')->{json};
        return $shown->{decision} eq 'SHOW';
    }, 20, 'an ad') if must(['X-API-Key' => $pub->{key}], PATCH => 'publisher/settings', { floor => 0 });
    my $ad = $shown->{ads}[0];
    my ($click) = $ads->click($ad->{click_url})->{headers}{location} =~ /ads_click_id=([0-9a-f-]{36})/;
    $ads->wait_until(sub { $ads->sql_value('select count(*) from ads.clicks where click_id = ?', $click) },
        20, 'the click');
    my ($sum, @bad) = (0);
    $ads->sql('update ads.settings set conversions_per_click = 1000,
        conversion_value_max_micros = 9000000000000000000 returning 1');
    for my $case (@cases) {
        my $is = ask(['X-API-Key' => $seller->{key}], POST => 'events/conversion',
            qq({"request_id":"$shown->{request_id}","ad_id":"$ad->{ad_id}","click_id":"$click",)
            . qq("value":$case->{json},"currency":"USD","order_id":"o-${\++$serial}"}));
        $sum += $case->{micros} if $is->{status} == 200;
        push @bad, "$case->{json}: $is->{status}" if $is->{status} != 200;
    }
    is "@bad", '', scalar(@cases) . ' values are recorded';
    my $report;
    $ads->wait_until(sub {
        $report = ask(['X-API-Key' => $seller->{key}], GET => 'analytics/advertiser?group_by=campaign');
        return $report->{json}{totals}{conversions} == @cases;
    }, 30, 'the report');
    is $report->{json}{totals}{conversion_value_micros}, $sum, 'and reported to the micro';
    my $want = written($sum);
    like $report->{body}, qr/"conversion_value":\Q$want\E[,}]/, 'as a number too';
}

# ---- personal data ---------------------------------------------------------------

SKIP: {
    my @cases = vectors('pii_values.json');
    skip 'no vectors here', 3 unless @cases;
    my $shown = $ads->recommend($pub->{key}, 'buy zwirnblatt wireless headphones')->{json};
    my $ad = $shown->{ads}[0]{ad_id};
    my (@bad, $refused);
    for my $case (@cases) {
        my $fits = $case->{value} =~ /^[A-Za-z0-9._:~-]{1,128}\z/;
        my %ways = (
            recommend  => [$pub, 'ads/recommend', { query => 'x', context => { session_id => $case->{value} } }],
            impression => [$pub, 'events/impression', { request_id => $shown->{request_id}, ad_id => $ad,
                    session_id => $case->{value} }],
        );
        for my $way (sort keys %ways) {
            my ($who, $path, $body) = @{ $ways{$way} };
            my $is = ask(['X-API-Key' => $who->{key}], POST => $path, $body);
            my $ok = $is->{status} =~ /^20[02]$/;
            push @bad, "$way $case->{value}: $is->{status}" if $ok != ($fits && !$case->{pii})
                || !$ok && $is->{status} != 400;
            push @bad, "$way $case->{value} comes back" if !$ok && index($is->{body}, $case->{value}) >= 0;
            $refused++ if !$ok;
        }
    }
    is "@bad", '', 'a session that looks like a person is refused, and nothing else that fits';
    cmp_ok $refused, '>', 10, "$refused were";
    my @found = grep { my $v = $_->{value}; $_->{pii} && length $v > 5 && grep { $ads->log_lines($_, qr/\Q$v\E/) }
            qw(nginx.log nginx.out adsd.out access.log) } @cases;
    is_deeply \@found, [], 'none is in a log';
}

$ads->done;
