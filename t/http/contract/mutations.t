#!/usr/bin/perl
#
# The contract against hostile requests made out of docs/openapi.json: every
# parameter of a query and every field of a body, as it should be and in each
# way that it should not.  Never is one answered 5xx or with a status that the
# file does not name; what the file's schema refuses, the server refuses too,
# and it says which parameter or field it is.
#
# Runs: first long

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

plan skip_all => 'JSON::Validator is not installed'
    unless eval { require JSON::Validator; 1 };

my $ads   = Ads::Test->new;
my $code  = JSON::PP->new->utf8->canonical->allow_nonref;
my $spec  = $code->decode(Ads::Stack::read_file('docs/openapi.json'));
my $shop  = $ads->seed_shop;
my $pub   = $ads->seed_publisher;
my $boss  = $ads->seed_platform;
my $nobody = '00000000-0000-4000-8000-000000000000';
my $secret = 'a long enough secret';
my ($serial, $asked) = (0, 0);

# ADS_LONG=1 tries every body, else a third of them, others each time; ADS_SEED
# repeats a run.
srand(my $seed = $ENV{ADS_SEED} || time);

# A machine too busy to hash a password in time says 503: it is asked again.
sub send_until
{
    my ($method, $path, $who, $body, $type) = @_;
    my $answer;
    for (1 .. 30) {
        $asked++;
        $answer = $ads->http($method, $path,
            [@{ $who || [] }, defined $body ? ('Content-Type' => $type // 'application/json') : ()], $body);
        last unless $answer && $answer->{status} == 503 && $path =~ m{/auth/};
    }
    return $answer || { status => 0, body => '', headers => {} };
}

my %ada = (email => 'ada@mutations.example', password => $secret);
my $person;
$ads->wait_until(sub {
    $ads->post('/v1/auth/signup', undef, \%ada)->{status} =~ /^(?:201|409)$/
}, 60, 'an account');
$ads->wait_until(sub {
    my $login = $ads->post('/v1/auth/login', undef, \%ada);
    $person = $login->{json};
    return $login->{status} == 200;
}, 60, 'a login');
$ads->adsctl('user', 'verify', $person->{user}{id});
my $eve = $ads->adsctl('user', 'create', '--email', 'eve@mutations.example', '--verified');
$ads->adsctl('member', 'add', '--account', $person->{account}{id}, '--user', $eve->{id}, '--role', 'viewer');

my %who = (
    shop   => ['X-API-Key' => $shop->{key}],
    pub    => ['X-API-Key' => $pub->{key}],
    boss   => ['X-API-Key' => $boss->{key}],
    for    => ['X-API-Key' => $boss->{key}, 'X-Ads-Account' => $shop->{account}],
    person => [Authorization => "Bearer $person->{access_token}"],
    nobody => [],
);

sub who_of
{
    my ($path) = @_;
    return $who{
        $path =~ m{^/v1/platform/topups/webhook|^/v1/auth/(?:signup|login|password/reset|email/verify$|oauth)} ? 'nobody'
        : $path =~ m{^/v1/platform/}                                           ? 'boss'
        : $path =~ m{^/v1/(?:publisher|analytics/publisher|ads|events/(?:impression|click))} ? 'pub'
        : $path =~ m{^/v1/(?:account$|auth/api-key)}                           ? 'for'
        : $path =~ m{^/v1/(?:account/members|auth/)}                           ? 'person'
        :                                                                        'shop' };
}

my $made = send_until(POST => '/v1/products', $who{shop}, $code->encode({ campaign_id => $shop->{campaign},
        title => 'One', url => 'https://shop.example/1', price => 1, currency => 'USD' }))->{json};
my $import = send_until(POST => "/v1/products/import?campaign_id=$shop->{campaign}", $who{shop},
    "id,title\n1,x\n", 'text/csv')->{json}{id};
my $topup = send_until(POST => '/v1/balance/topup', $who{shop},
    '{"amount":5,"currency":"USD","reference":"mutations"}')->{json}{transaction_id};
my $shown = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
my $ad    = $shown->{ads}[0];
my ($click) = $ads->click($ad->{click_url})->{headers}{location} =~ /ads_click_id=([0-9a-f-]{36})/;
$ads->wait_until(sub { $ads->sql_value('select count(*) from ads.clicks where click_id = ?', $click) }, 20, 'the click');

my $event = send_until(POST => '/v1/events/conversion', $who{shop}, $code->encode({ click_id => $click, value => 1,
        currency => 'USD', order_id => 'first' }))->{json}{event_id};

my %object = (
    '/v1/campaigns/{id}' => $shop->{campaign}, '/v1/campaigns/{id}/preview' => $shop->{campaign},
    '/v1/products/{id}' => $made->{id}, '/v1/products/import/{id}' => $import,
    '/v1/products/import/{id}/errors' => $import, '/v1/account/members/{id}' => $eve->{id},
    '/v1/platform/accounts/{id}/approve' => $pub->{account},
    '/v1/platform/topups/{id}/reject' => $topup, '/v1/platform/topups/{id}/settle' => $topup,
);

sub path_of
{
    my ($path) = @_;
    my $id = $object{$path} // $nobody;
    return $path =~ s/\{id\}/$id/r =~ s/\{provider\}/google/r =~ s/\{token\}/x/r;
}

sub follow
{
    my ($node) = @_;
    while (ref $node eq 'HASH' && $node->{'$ref'}) {
        my $found = $spec;
        $found = $found->{$_} for grep { $_ ne '#' } split m{/}, $node->{'$ref'};
        $node = $found;
    }
    return $node;
}

my %wrong;
sub wrong { my ($name, $what) = @_; $wrong{"$name: $what"}++; return }

# True: the status is one of the operation's and no 5xx.
sub is_declared
{
    my ($name, $operation, $answer, $how) = @_;
    my $status = $answer->{status};
    return 1 if $status < 500 && $status && ($operation->{responses}{$status} || $status == 414);
    wrong($name, "$how: $status");
    return 0;
}

# ---- queries ---------------------------------------------------------------

# What is right where the schema does not say it.
my %right = (
    month => '2026-01', group_by => 'date', timezone => 'UTC', currency => 'USD',
    base_url => 'https://shop.example', campaign_id => $shop->{campaign}, account_id => $shop->{account},
    object => 'campaigns', object_id => $shop->{campaign}, status => 'active',
    map => 'Preis:price',
);

sub right_of
{
    my ($name, $schema) = @_;
    return @{ $schema->{enum} } if $schema->{enum};
    return ($schema->{minimum}, $schema->{maximum}, $schema->{default} // $schema->{minimum})
        if ($schema->{type} // '') eq 'integer';
    return '2026-01-02T03:04:05Z' if ($schema->{format} // '') eq 'date-time';
    return ()      if $name eq 'cursor';
    return $right{$name} if defined $right{$name};
    return ('x', 'x' x $schema->{maxLength}, '%C3%BC', '100%25', "'%3B--", '%3D%26') if $schema->{maxLength};
    return ();
}

# [what, value] that must be refused.
sub wrong_of
{
    my ($name, $schema) = @_;
    my $type = $schema->{type} // '';
    my @bad = (['empty', ''], ['a NUL', '%00'], ['a NUL within', 'a%00b'], ['bytes', '%ff%fe'],
        ['half a character', '%c3%28'], ['a surrogate', '%ed%a0%80'], ['half a percent', '%4'], ['no percent', '%zz'],
        ['a line', '%0d%0a'], ['10 kB', 'a' x 10240]);
    push @bad, ['a word', 'x'], ['a fraction', '1.5'], ['a sign', '-'], ['hex', '0x10'],
        ['endless', '9' x 40], ['a space', '%205'], map { ['outside', $_] } $schema->{minimum} - 1, $schema->{maximum} + 1
        if $type eq 'integer';
    push @bad, ['another word', 'nope'], ['capitals', uc $schema->{enum}[0]], ['two words', join ',', @{ $schema->{enum} }]
        if $schema->{enum};
    push @bad, ['no id', 'x'], ['a longer id', "${nobody}0"] if ($schema->{format} // '') eq 'uuid';
    push @bad, ['no time', 'yesterday'], ['no month', '2026-13-01T00:00:00Z'] if ($schema->{format} // '') eq 'date-time';
    push @bad, ['too long', 'x' x ($schema->{maxLength} + 1)] if $schema->{maxLength};
    push @bad, ['no form', '1'] if $schema->{pattern};
    return @bad;
}

for my $path (sort keys %{ $spec->{paths} }) {
    for my $method (qw(get post)) {
        my $operation = $spec->{paths}{$path}{$method} or next;
        my @params = grep { $_->{in} eq 'query' } map { follow($_) } @{ $operation->{parameters} || [] };
        next unless @params;
        my $callback = $path =~ /callback/;    # a person's browser: it is sent on
        my $name = uc($method) . " $path";
        my ($to, $who) = (path_of($path), who_of($path));
        my %base = map { $_->{name} => $right{ $_->{name} } } grep { $_->{required} } @params;
        my $body = $method eq 'post' ? '' : undef;    # no feed: nothing is imported
        my $ask  = sub {
            my ($query, $without) = @_;
            my $rest = join '', map { "&$_=$base{$_}" } grep { $_ ne $without } sort keys %base;
            my $answer = send_until(uc $method, "$to?$query$rest", $who, $body, 'application/x-ndjson');
            is_declared($name, $operation, $answer, substr $query, 0, 60);
            return $answer;
        };
        my $refused = sub {
            my ($query, $param, $how) = @_;
            my $answer = $ask->($query, $param);
            return if $callback || $answer->{status} == 414;
            my @named = map { $_->{pointer} } @{ $answer->{json}{errors} || [] };
            wrong($name, "$param, $how: $answer->{status} names (@named)")
                if $answer->{status} != 400 || !grep { $_ eq "?$param" } @named;
        };
        for my $param (@params) {
            my @fields = $param->{schema}{properties}
                ? map { ["$param->{name}\[$_]", $param->{schema}{properties}{$_}] } sort keys %{ $param->{schema}{properties} }
                : [$param->{name}, $param->{schema}];
            for my $field (@fields) {
                my ($key, $schema) = @$field;
                for my $value (right_of($key, $schema)) {
                    my $answer = $ask->("$key=$value", $key);
                    my @named = map { $_->{pointer} } @{ $answer->{json}{errors} || [] };
                    wrong($name, "$key=" . substr($value, 0, 20) . " is right: $answer->{status}")
                        if !$callback && (grep { $_ eq "?$key" } @named
                            or $answer->{status} >= 400 && $method eq 'get');
                }
                $refused->("$key=" . $_->[1], $key, $_->[0]) for wrong_of($key, $schema);
                my ($value) = (right_of($key, $schema), 'x');
                $refused->("$key=$value&$key=$value", $key, 'twice');
                next if @fields > 1;
                $refused->("${key}[]=$value", "${key}[]", 'as an array');
                $refused->("${key}[x]=$value", "${key}[x]", 'as an object');
            }
        }
        $refused->('colour=red', 'colour', 'unknown');
        my $answer = $ask->(join('&', map { "a$_=1" } 1 .. 41), '');
        wrong($name, "41 parameters: $answer->{status}") if !$callback && $answer->{status} != 400;
    }
}
cmp_ok $asked, '>', 800, "$asked queries were asked";
is join("\n", sort keys %wrong), '', 'and each was answered as the file says';
%wrong = ();

# ---- bodies ----------------------------------------------------------------

my %field = (
    campaign_id => $shop->{campaign}, product_id => $made->{id}, request_id => $shown->{request_id},
    ad_id => $ad->{ad_id}, click_id => $click, currency => 'USD', budget => { daily => 5, lifetime => 50 }, url => 'https://shop.example/2',
    image_url => 'https://shop.example/2.png', timezone => 'UTC', language => 'en',
    locations => ['US'], not_locations => ['DE'], location => 'US', placements => ['inline'], publishers => [$pub->{account}],
    languages => ['en'], negative_keywords => ['free'], cidrs => ['127.0.0.0/8'], session_id => 's-1',
    password => $secret, current_password => $secret, new_password => "$secret, another", email => sub { 'm' . ++$serial . '@mutations.example' },
    reference => sub { 'm-' . ++$serial }, value => 5, order_id => sub { 'o-' . ++$serial },
    occurred_at => sub { my @t = gmtime time - 5; sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0] },
    start_at => '2026-01-01T00:00:00Z', end_at => '2036-01-01T00:00:00Z', price_valid_until => '2036-01-01T00:00:00Z',
    expires_at => '2036-01-01T00:00:00Z', blocked_advertisers => [$shop->{account}], blocked_categories => ['Cars'],
    queries => ['buy a laser printer'], query => 'buy a laser printer', attributes => { colour => 'red' },
    sku => sub { 'm-' . ++$serial }, external_id => sub { 'm-' . ++$serial }, price => 9, sale_price => 0.25,
    gtin => '4006381333931', ip => '198.51.100.7', country => 'US', user_agent => 'Mozilla/5.0',
    ad_ids => [$ad->{ad_id}], advertisers => ['Quillon'], categories => ['Printers'], daily => 5, lifetime => 50, bid => 1,
    adjusts => $event, topup_id => $topup, amount => 5, floor => 0.1, category => 'Printers', keywords => ['printer'], accept_lang => 'en',
);

# An instance of a schema with all members, or those that must be there.
sub instance
{
    my ($schema, $all, $name) = @_;
    $schema = follow($schema);
    if (defined $name && exists $field{$name}) {
        my $value = $field{$name};
        return ref $value eq 'CODE' ? $value->() : $value;
    }
    return instance($schema->{oneOf}[0], $all, $name) if $schema->{oneOf};
    return instance($schema->{anyOf}[0], $all, $name) if $schema->{anyOf};
    return $schema->{enum}[0] if $schema->{enum};
    my $type = ref $schema->{type} ? $schema->{type}[0] : $schema->{type} // 'object';
    if ($type eq 'object') {
        my %must = map { $_ => 1 } @{ $schema->{required} || [] };
        my %of   = %{ $schema->{properties} || {} };
        return { map { $_ => instance($of{$_}, $all, $_) } grep { $all || $must{$_} } keys %of };
    }
    return [instance($schema->{items}, $all)] if $type eq 'array';
    return JSON::PP::true if $type eq 'boolean';
    return 0 + ($schema->{default} // $schema->{minimum} // 1) if $type =~ /^(?:integer|number)$/;
    return $nobody if ($schema->{format} // '') eq 'uuid';
    return 'x' x ($schema->{minLength} // 1) . 'yz';
}

sub raw { return "\@RAW:$_[0]\@" }    # bytes that JSON::PP would not write

sub encoded
{
    my ($value) = @_;
    my $text = $code->encode($value);
    $text =~ s/"\@RAW:(.*?)\@"/unescaped($1)/ges;
    return $text;
}

sub unescaped { my ($t) = @_; $t =~ s/\\"/"/g; $t =~ s/\\\\/\\/g; return $t }

# All members of an instance: [pointer, setter, schema, name].
sub members
{
    my ($schema, $instance, $pointer) = @_;
    $schema = follow($schema);
    ($schema) = map { follow($_) } grep { (follow($_)->{type} // '') ne 'null' } @{ $schema->{oneOf} } if $schema->{oneOf};
    my @found;
    if (ref $instance eq 'HASH') {
        for my $name (sort keys %$instance) {
            my $inner = $schema->{properties}{$name} // {};
            push @found, [$instance, $name, follow($inner), "$pointer/$name"],
                members($inner, $instance->{$name}, "$pointer/$name");
        }
    } elsif (ref $instance eq 'ARRAY' && ref $instance->[0]) {
        push @found, members($schema->{items} // {}, $instance->[0], "$pointer/0");
    }
    return @found;
}

# A member that is null is absent: the schema says nothing of it.
sub without_nulls
{
    my ($json) = @_;
    if (ref $json eq 'HASH') {
        delete @$json{ grep { !defined $json->{$_} } keys %$json };
        without_nulls($_) for values %$json;
    }
    elsif (ref $json eq 'ARRAY') {
        without_nulls($_) for @$json;
    }
}

my $long = 'a' x 10240;
sub mutations
{
    my ($schema) = @_;
    my @types = ref $schema->{type} ? @{ $schema->{type} } : ($schema->{type} // ());
    return (
        ['null', undef], ['text', 'x'], ($schema->{format} // '') eq 'uri' ? () : ['empty', ''],    # empty: none
        ['blank', "  \t"], ['long', $long], ['a number', 7], ['a fraction', 0.5],
        ['negative', -1], ['true', JSON::PP::true], ['an array', []], ['an array of arrays', [[]]], ['an object', {}],
        ['an object of objects', { x => { y => 1 } }], ['a NUL', raw('"a\u0000b"')], ['half a pair', raw('"\ud800"')],
        ['bytes', raw("\"\xff\xfe\"")], ['a turn', raw('"a\u202eb"')], ['endless', raw('1e400')], ['tiny', raw('1e-400')],
        ['seven places', raw('1.0000001')], ['digits', raw('9' x 400)], ['no number', raw('NaN')], ['zeros', raw('007')],
        ['20 deep', raw('[' x 20 . ']' x 20)], ['5000 deep', raw('[' x 5000 . ']' x 5000)],
        ['objects 20 deep', raw('{"a":' x 20 . '1' . '}' x 20)], ['no end', raw('{"a":')],
        ['2001 elements', ['x' x 3, map { "e$_" } 1 .. 2000]],
        (defined $schema->{maximum} ? ['over', 0 + $schema->{maximum} + 1] : ()),
        (defined $schema->{minimum} ? ['under', 0 + $schema->{minimum} - 1] : ()),
        ($schema->{maxLength} ? ['too long', 'x' x ($schema->{maxLength} + 1)] : ()),
    );
}

# Values that would end what the rest of the test stands on, or what is asked
# for once; their fields are tried while the rest is refused anyway.
my %trim = (
    'PATCH /v1/campaigns/{id}'   => sub { $_[0]{status} = 'active' },
    'POST /v1/platform/reviews'  => sub {
        $_[0]{decision} = 'reject' if exists $_[0]{reason};
        $_[0]{updated_at} = $ads->sql_value(q(select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            from ads.products where id = ?), $made->{id}) if exists $_[0]{updated_at};
    },
);
# of two fields that must fit each other either may be named
my %pair = ('/rotate' => '/grace_s', '/price' => '/sale_price', '/decision' => '/reason');
my %spoil = (
    'POST /v1/auth/password' => ['current_password', 'not the password at all'],
    'POST /v1/auth/email'    => ['password', 'not the password at all'],
);
# bases that are well-formed and yet refused: there is no such code or sign-in
my %base_refused = map { $_ => 1 } ('POST /v1/auth/invitations/accept', 'POST /v1/auth/password/reset/confirm',
    'POST /v1/auth/email/verify', 'POST /v1/auth/refresh', 'POST /v1/auth/password', 'POST /v1/auth/email',
    'POST /v1/platform/topups/webhook', 'POST /v1/auth/logout', 'POST /v1/platform/reversals', 'POST /v1/auth/email/verify/resend',
    'POST /v1/platform/topups/{id}/reject', 'POST /v1/auth/login', 'POST /v1/auth/api-key');
my $validators = 0;
binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

for my $path (sort keys %{ $spec->{paths} }) {
    for my $method (qw(post patch put)) {
        my $operation = $spec->{paths}{$path}{$method} or next;
        my $content = follow($operation->{requestBody} || {})->{content}{'application/json'} or next;
        my $name = uc($method) . " $path";
        next if $name eq 'POST /v1/auth/logout';    # it would end the session; it takes one text
        my ($to, $who) = (path_of($path), who_of($path));
        my $validator = JSON::Validator->new;
        $validator->formats->{password} = sub { return };
        $validator->schema({ '$schema' => 'https://json-schema.org/draft/2019-09/schema',
                allOf => [$content->{schema}], components => $spec->{components} });
        $validators++;
        my $post = sub {
            my ($body) = @_;
            return send_until(uc $method, $to, $who, $body);
        };
        my $schema = follow($content->{schema});
        for my $kind ($schema->{oneOf} ? 0 .. $#{ $schema->{oneOf} } : -1) {
            my $of = $kind < 0 ? $schema : follow($schema->{oneOf}[$kind]);
            my @members;
            for my $all (0, 1) {
                my $base = sub {
                    my $it = instance($of, $all);
                    $trim{$name}->($it) if $trim{$name};
                    my $s  = $spoil{$name};
                    $it->{ $s->[0] } = $s->[1] if $s && ref $it eq 'HASH' && exists $it->{ $s->[0] };
                    return $it;
                };
                my $first = $post->(encoded($base->()));
                is_declared($name, $operation, $first, 'as it should be');
                wrong($name, ($all ? 'all' : 'the least') . " of it: $first->{status} " . substr $first->{body}, 0, 400)
                    if $first->{status} >= 400 && !$base_refused{$name};
                next if !$all;

                my $try = sub {
                    my ($body, $pointer, $how) = @_;
                    my $answer = $post->($body);
                    return unless is_declared($name, $operation, $answer, "$pointer, $how");
                    my $status = $answer->{status};
                    my $told   = $answer->{json};
                    if ($status == 200 && ref $told->{results} eq 'ARRAY' && $kind > 0) {    # of a batch, its one row
                        $told   = $told->{results}[0] || {};
                        $status = 400 if ($told->{status} // '') eq 'rejected';
                    }
                    my $json   = eval { JSON::PP->new->utf8->allow_nonref->decode($body) };
                    without_nulls($json);
                    my @misfit = defined $json || $body eq 'null'
                        ? $validator->validate($json) : ('no JSON');
                    wrong($name, "$pointer, $how: $status, and the schema says $misfit[0]")
                        if @misfit && $status < 400;
                    return if $status != 400;
                    my $is = $told->{code} // '';
                    return if $is =~ /^(?:malformed_json|code_invalid|currency_unsupported|campaign_not_found)$/;
                    return if $pointer eq '/events';    # without them it is one event, or none
                    my @named = map { $_->{pointer} } @{ $told->{errors} || [] };
                    push @named, map { "/events/0$_" } @named if $pointer =~ m{^/events/0};
                    wrong($name, "$pointer, $how: 400 $is names (@named)")
                        if !grep { $_ eq $pointer || index($_, "$pointer/") == 0
                                || index("$pointer/", "$_/") == 0 || $_ eq ($pair{$pointer} // '-') } @named;
                };
                @members = members($of, $base->(), '');
                for my $i (0 .. $#members) {
                    my ($pointer, $its) = @{ $members[$i] }[3, 2];
                    for my $mutation (['missing'], mutations($its)) {
                        next if !$ENV{ADS_LONG} && rand() < 2 / 3;
                        # a fresh instance each time: names that must be new are
                        my $whole = $code->decode($code->encode($base->()));
                        my ($in, $key) = @{ (members($of, $whole, ''))[$i] };
                        @$mutation == 1 ? delete $in->{$key} : ($in->{$key} = $mutation->[1]);
                        $try->(encoded($whole), $pointer, $mutation->[0]);
                    }
                }
                my $extra = $base->();
                if (ref $extra eq 'HASH') {
                    $try->(encoded({ %$extra, zzz => 1 }), '', 'a member more');
                    my $text = encoded($extra);
                    $try->($text =~ s/^\{/{"zzz":1,"zzz":2,/r, '', 'a member twice');
                }
            }
        }
        for my $body ('', 'null', '7', '"x"', '[]', '[[]]', '[null]', '{', '{}x', "\xef\xbb\xbf{}", "\0", '[' x 100_000,
            '{"a":' x 50_000, "{\"a\":\"\xff\"}", ' ' x 20_000) {
            my $answer = $post->($body);
            is_declared($name, $operation, $answer, 'the body ' . substr $body, 0, 10);
        }
    }
}
cmp_ok $validators, '>', 20,
    "bodies of $validators operations, $asked requests in all (ADS_SEED=$seed)";
is join("\n", sort keys %wrong), '', 'and each was answered as the file says';

$ads->done;
