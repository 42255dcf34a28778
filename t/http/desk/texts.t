#!/usr/bin/perl
#
# Hostile texts in every field that people fill in: none breaks the service,
# and what is accepted comes back as it went in, without the white space around
# it.  What is refused is said once, below, and holds for all fields alike.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use List::Util qw(shuffle uniq);
use Test::More;

my $vectors = ($ENV{ADS_SHARED} || '../shared') . '/vectors/public';
plan skip_all => 'no vectors here' unless -e "$vectors/naughty_strings.json";

my $code  = JSON::PP->new->utf8->canonical;
my @texts = uniq @{
    $code->decode(Ads::Stack::read_file("$vectors/naughty_strings.json"))
        ->{cases} };
cmp_ok scalar @texts, '>', 250, 'hostile texts were read';

srand(my $seed = $ENV{ADS_SEED} // 4711);
diag "seed $seed" if $ENV{ADS_SEED};

binmode Test::More->builder->$_, ':encoding(UTF-8)'
    for qw(output failure_output todo_output);

my $ads  = Ads::Test->new(adsd => { conversions_per_click => 10000,
        topups_max => 1000 });
my $shop = $ads->seed_shop(products => [$ads->products->[0]]);
my $pub  = $ads->seed_publisher;
my $boss = $ads->seed_platform;

sub ask
{
    my ($who, $method, $path, $body, @headers) = @_;
    push @headers, Authorization => 'Bearer '
        . ($who->{access_token} // $who->{key}) if $who;
    return $ads->http($method, "/v1/$path",
        ['Content-Type' => 'application/json', @headers],
        defined $body ? $code->encode($body) : undef);
}

# What a field keeps of a text, undef when it is refused: no control character
# and no mark that turns text around, 1 to `most` characters.  A field of lines
# takes line breaks and tabs.
sub kept
{
    my ($text, $most, $lines) = @_;
    my $control = $lines ? qr/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/
        : qr/[\x00-\x1f\x7f-\x9f]/;
    return undef if $text =~ $control
        || $text =~ /[\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]/;
    $text =~ s/^[ \t\r\n]+|[ \t\r\n]+$//g;
    return length $text >= 1 && length $text <= $most ? $text : undef;
}

# The pointers that an answer, or an item of one, complains about.
sub refused
{
    my ($answer) = @_;
    return map { $_->{pointer} } @{ $answer->{errors} || [] };
}

sub same
{
    my ($is, $want) = @_;
    return defined $is && defined $want ? $is eq $want : !defined $is && !defined $want;
}

# One request a text: accepted when the text may be kept, and answered with it;
# else refused for that field alone.  What was kept, in the order of sending.
sub field
{
    my ($what, $most, $pointer, $send, $read) = @_;
    my (@bad, @kept);
    for my $text (@texts) {
        my $want   = kept($text, $most);
        my $answer = $send->($text);
        if ($answer->{status} =~ /^20[01]$/) {
            my $is = $read->($answer->{json}, $text);
            push @kept, $is;
            push @bad,  "kept: $text" unless same($is, $want);
        } elsif ($answer->{status} != 400 || defined $want
            || join(' ', refused($answer->{json})) ne $pointer)
        {
            push @bad, "$answer->{status} $answer->{body}: $text";
        }
    }
    cmp_ok scalar @kept, '>=', 200, "$what: most are accepted";
    is_deeply \@bad, [], 'and come back as they went in, or are refused'
        or diag explain \@bad;
    return @kept;
}

# ---- one field a request ---------------------------------------------------

my $owner = ask(undef, POST => 'auth/signup', { email => 'owner@shop.example',
        password => 'Quince-7-Umbrella' })->{json};
my @names = field('name of an account', 200, '/name',
    sub { ask($owner, PATCH => 'account', { name => $_[0] }) },
    sub { $_[0]{name} });
is ask($owner, GET => 'account')->{json}{name}, $names[-1], 'and stays';

my $n_keys = 0;
my @keys = field(
    'name of a key', 200, '/name',
    sub {
        $ads->db->do(q(update ads.api_keys set revoked_at = now()
            where account_id = ? and name <> '' and revoked_at is null),
            undef, $pub->{account}) if $n_keys++ % 8 == 0;
        return ask($boss, POST => 'auth/api-key', { name => $_[0] },
            'X-Ads-Account' => $pub->{account});
    },
    sub { $_[0]{name} }
);

my @references = field('reference of a top-up', 200, '/reference',
    sub { ask($shop, POST => 'balance/topup',
            { amount => 1, currency => 'USD', reference => $_[0] }) },
    sub { kept($_[1], 200) });    # which the answer does not tell
is_deeply [map { $_->[0] } @{ $ads->sql(q(select reference from ads.topups
        where account_id = ? and reference not like 'seed-%' order by
        reference collate "C"), $shop->{account}) }],
    [map { utf8::decode($_); $_ } sort map { utf8::encode(my $b = $_); $b }
        uniq @references], 'each of them is one';

# ---- many fields at once ---------------------------------------------------

my (@bad, %n, @campaigns);
for my $text (@texts) {
    my %campaign = (name => $text, external_id => $text, bid => 1,
        budget => { daily => 1 }, targeting =>
            { keywords => [$text], negative_keywords => [$text] });
    my $made = ask($shop, POST => 'campaigns', \%campaign);
    if ($made->{status} == 400) {
        for (refused($made->{json})) {
            m{^/name$} ? ($campaign{name} = 'Campaign')
                : m{^/external_id$} ? delete $campaign{external_id}
                : m{^/targeting/(keywords|negative_keywords)/0$}
                ? delete $campaign{targeting}{$1}
                : push @bad, "$_: $text";
        }
        $made = ask($shop, POST => 'campaigns', \%campaign);
    }
    if ($made->{status} != 201) {
        push @bad, "$made->{status} $made->{body}: $text";
        next;
    }
    my $json = $made->{json};
    my $want = kept($text, 200);
    push @bad, "name: $text" unless $json->{name} eq ($want // 'Campaign');
    push @bad, "external_id: $text" unless same($json->{external_id}, $want);
    for my $list (qw(keywords negative_keywords)) {
        my $is = $json->{targeting}{$list};
        push @bad, "$list: $text" if $is && !same($is->[0], kept($text, 80));
        $n{$list}++ if $is && @$is;
    }
    push @campaigns, $want if defined $want;
}
cmp_ok scalar @campaigns, '>=', 200, 'campaigns: most are accepted';
cmp_ok $n{$_} // 0, '>=', 120, "$_: what has words is"
    for qw(keywords negative_keywords);
is_deeply \@bad, [], 'and come back as they went in, or are refused'
    or diag explain \@bad;

# A product a text, in all its fields; again without those that were refused.
my %most = (title => 1000, description => 5000, brand => 200, sku => 200,
    gtin => 50, category => 200, keywords => 80, attributes => 500);
my @products = map { {
        campaign_id => $shop->{campaign}, url => 'https://shop.example/p',
        price => 1, currency => 'USD', title => $_, description => $_,
        brand => $_, gtin => $_, category => $_, keywords => [$_],
        attributes => { text => $_ }
    } } @texts;
my $made = ask($shop, POST => 'products', \@products);
is $made->{status}, 200, 'products of all texts at once';
my @again;
(@bad, %n) = ();
for my $i (0 .. $#texts) {
    for (refused($made->{json}{results}[$i])) {
        my ($name) = m{^/(?:$i/)?(\w+)} or next;
        delete $products[$i]{$name};
        $products[$i]{title} //= 'Product';
    }
    push @again, $i if $made->{json}{results}[$i]{status} eq 'rejected';
}
my $more = ask($shop, POST => 'products', [@products[@again]]);
$made->{json}{results}[ $again[$_] ] = $more->{json}{results}[$_]
    for 0 .. $#again;
my %is;
my $cursor = '';
do {
    my $page = ask($shop, GET => "products?limit=100$cursor")->{json};
    $is{ $_->{id} } = $_ for @{ $page->{data} };
    $cursor = $page->{has_more} ? "&cursor=$page->{next_cursor}" : undef;
} while defined $cursor;
for my $i (0 .. $#texts) {
    my $is = $is{ $made->{json}{results}[$i]{id} // '' };
    if (!$is) {
        push @bad, $code->encode($made->{json}{results}[$i]);
        next;
    }
    for my $name (qw(title description brand gtin category keywords attributes)) {
        my $want = kept($texts[$i], $most{$name}, $name eq 'description');
        my $value = $is->{$name};
        $value = ref $value eq 'HASH' ? $value->{text}
            : ref $value ? $value->[0] : $value;
        $want = 'Product' if $name eq 'title' && !defined $want;
        $n{$name}++ if exists $products[$i]{$name};
        push @bad, "$name: $texts[$i]" unless ($value // '') eq ($want // '');
    }
}
cmp_ok $n{$_}, '>=', 180, "$_: most are accepted" for grep { $_ ne 'gtin' } sort keys %n;
is_deeply \@bad, [], 'and come back as they went in, or are refused'
    or diag explain \@bad;

# ---- publishers ------------------------------------------------------------

my @categories = uniq grep { defined } map { kept($_, 200) } @texts;
(@bad) = ();
while (my @some = splice @categories, 0, 150) {
    my $set = ask($pub, PATCH => 'publisher/settings',
        { blocked_categories => \@some });
    push @bad, "$set->{status} $set->{body}" if $set->{status} != 200;
    my $is = ask($pub, GET => 'publisher/settings')->{json}{blocked_categories};
    push @bad, map { "lost: $_" } grep {
        my $one = $_;
        !grep { $_ eq $one } @$is
    } @some;
}
for my $text (grep { !defined kept($_, 200) } @texts) {
    my $set = ask($pub, PATCH => 'publisher/settings',
        { blocked_categories => [$text] });
    push @bad, "$set->{status}: $text" if $set->{status} != 400
        || join(' ', refused($set->{json})) ne '/blocked_categories/0';
}
is_deeply \@bad, [], 'blocked categories come back, or are refused'
    or diag explain \@bad;
ask($pub, PATCH => 'publisher/settings', { blocked_categories => [] });

# The query and what stands beside it, with the text as User-Agent too.
sub agent
{
    my ($text) = @_;
    utf8::encode($text);
    return $text =~ /[\0\r\n]/ ? () : ('User-Agent' => $text);
}
(@bad, %n) = ();
for my $text (@texts) {
    for my $body ({ query => $text }, { query => 'buy a laser printer',
            keywords => [$text], context => { user_agent => $text,
                location => $text, language => $text }, exclude =>
                { categories => [$text], advertisers => [$text] } })
    {
        my $answer = ask($pub, POST => 'ads/recommend', $body, agent($text));
        my $kind = $body->{keywords} ? 'fields' : 'query';
        $n{$kind}++ if $answer->{status} == 200;
        push @bad, "$kind $answer->{status} $answer->{body}: $text"
            if $answer->{status} !~ /^(?:200|400)$/;
    }
}
cmp_ok $n{query}, '>=', 200, 'query of recommend: most are answered';
is_deeply \@bad, [], 'and each has an answer' or diag explain \@bad;

my $preview = 0;
my @queries = uniq grep { defined } map { kept($_, 1000) } @texts;
while (my @some = splice @queries, 0, 50) {
    my $answer = ask($shop, POST => "campaigns/$shop->{campaign}/preview",
        { queries => \@some });
    $preview++ if $answer->{status} != 200;
}
is $preview, 0, 'previews of all of them';

# ---- conversions -----------------------------------------------------------

my $ad   = $ads->recommend($pub->{key}, 'buy a laser printer')->{json}{ads}[0];
my ($id) = ($ads->click($ad->{click_url})->{headers}{location} // '')
    =~ /[?&]ads_click_id=([0-9a-f-]{36})/;
$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks where click_id = ?',
            $id);
    },
    10,
    'the click to be committed'
);
my @orders;
@bad = ();
my @left = @texts;
while (my @some = splice @left, 0, 50) {
    my $answer = ask($shop, POST => 'events/conversion', { events => [map { {
            click_id => $id, value => 1, currency => 'USD', order_id => $_
        } } @some] });
    my $results = $answer->{json}{results} || [];
    push @bad, "$answer->{status} $answer->{body}" if @$results != @some;
    for my $k (0 .. $#$results) {
        my $is = $results->[$k];
        if (($is->{status} // '') =~ /^(?:recorded|duplicate)$/) {
            push @orders, $some[$k];
        } elsif (join(' ', map { $_->{code} } @{ $is->{errors} || [] })
            !~ /^(?:empty|too_long|invalid_format|pii_not_allowed|nul_not_allowed)$/)
        {
            push @bad, $code->encode($is) . ": $some[$k]";
        }
    }
}
cmp_ok scalar @orders, '>=', 200, 'order of a conversion: most are accepted';
is_deeply \@bad, [], 'or say why not' or diag explain \@bad;
is_deeply [sort map { $_->[0] } @{ $ads->sql('select order_id from
    ads.conversions where click_id = ?', $id) }], [sort +uniq @orders],
    'and are kept as they are';

# ---- people ----------------------------------------------------------------

my @long  = shuffle grep { length(kept($_, 200) // '') > 4 } @texts;
my @agent = shuffle grep { agent($_) && /\S/ } @texts;
(@bad) = ();
my $person;
for my $n (1 .. 12) {
    my ($name, $company, $agent) = (pop @long, pop @long, pop @agent);
    my $in = ask(undef, POST => 'auth/signup', { email => "p$n\@shop.example",
            password => 'Quince-7-Umbrella', name => $name, company => $company },
        agent($agent));
    if ($in->{status} != 201) {
        push @bad, "$in->{status} $in->{body}: $name, $company";
        next;
    }
    $person = $in->{json};
    my $me = ask($person, GET => 'auth/me')->{json};
    push @bad, "name: $name"
        unless same($me->{user}{name}, kept($name, 200));
    push @bad, "company: $company"
        unless same($me->{account}{name}, kept($company, 200));
    my $session = ask($person, GET => 'auth/sessions')->{json}{data}[0];
    utf8::encode($agent);
    $agent =~ s/^[ \t]+|[ \t]+$//g;
    $agent =~ s/[^ -~]/?/g;
    push @bad, "agent: $agent is $session->{user_agent}"
        unless $session->{user_agent} eq substr $agent, 0, 256;
}
for my $text (grep { !defined kept($_, 200) } @texts) {
    my $in = ask(undef, POST => 'auth/signup', { email => 'q@shop.example',
            password => 'Quince-7-Umbrella', name => $text, company => $text });
    push @bad, "$in->{status} $in->{body}: $text" if $in->{status} != 400
        || join(' ', sort +refused($in->{json})) ne '/company /name';
}
is_deeply \@bad, [], 'names of people, companies and browsers come back'
    or diag explain \@bad;

@bad = ();
for my $text ((shuffle @texts)[0 .. 79]) {
    my $invited = ask($person, POST => 'account/members',
        { email => $text, role => 'viewer' });
    push @bad, "$invited->{status}: $text" if $invited->{status} != 400
        || join(' ', refused($invited->{json})) ne '/email';
}
is_deeply \@bad, [], 'none is an address of somebody to invite'
    or diag explain \@bad;

# ---- filters ---------------------------------------------------------------

# A list asked for a text holds what has that name, and nothing without it.
sub url
{
    my ($text) = @_;
    utf8::encode($text);
    return $text =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger;
}
my %list = (campaigns => [$shop, name => \@campaigns],
    products => [$shop, title => \@campaigns], 'auth/api-key' =>
        [$boss, name => \@keys, 'X-Ads-Account' => $pub->{account}]);
@bad = ();
for my $path (sort keys %list) {
    my ($who, $name, $values, @headers) = @{ $list{$path} };
    for my $text ((shuffle @$values)[0 .. 39]) {
        my $answer = ask($who, GET => "$path?limit=20&q=" . url($text), undef,
            @headers);
        my @is = map { $_->{$name} } @{ $answer->{json}{data} || [] };
        push @bad, "$path $answer->{status}: $text" if $answer->{status} != 200;
        push @bad, "$path without $text" unless $answer->{json}{has_more}
            || grep { $_ eq $text } @is;
        push @bad, map { "$path $text: $_" }
            grep { index(lc, lc $text) < 0 } @is if $text =~ /^[ -~]+$/;
    }
}
for my $text ((shuffle @campaigns)[0 .. 39]) {
    my $answer = ask($shop, GET => 'campaigns?external_id=' . url($text));
    my @is = uniq map { $_->{external_id} } @{ $answer->{json}{data} || [] };
    push @bad, "external_id $text: @is" if "@is" ne $text;
}
for my $text (grep { !defined kept($_, 200) } @texts) {
    my $answer = ask($shop, GET => 'campaigns?q=' . url($text));
    push @bad, "$answer->{status}: $text"
        if $answer->{status} !~ /^(?:200|400)$/;
}
is_deeply \@bad, [], 'lists are filtered by any text' or diag explain \@bad;

$ads->done;
