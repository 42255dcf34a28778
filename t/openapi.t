#!/usr/bin/perl
#
# docs/openapi.json is the published truth: every route of the code is in it
# and nothing else, every reference leads somewhere, and every operation says
# who may call it and what can go wrong.  That answers fit it is asked of each
# answer by the tests in t/http (Ads::Schema).

use strict;
use warnings;
use lib 'tools/lib';

use Ads::Stack;
use JSON::PP;
use Test::More;

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$in>;
}

open my $file, '<:raw', 'docs/openapi.json' or die "docs/openapi.json: $!\n";
my $doc = do { local $/ = undef; decode_json(<$file>) };
is $doc->{openapi}, '3.1.0', 'it is OpenAPI 3.1';

# ---- routes ----------------------------------------------------------------

my $build = $ENV{ADS_BUILD} || 'build';
my (%code, %creates);
for my $line (qx("$build/adsctl" --json routes)) {
    my $route = decode_json($line);
    next if $route->{method} eq 'HEAD';
    $code{"$route->{method} $route->{path}"} = 1;
    $creates{"$route->{method} $route->{path}"} = 1 if $route->{creates};
}
ok keys %code > 20, 'adsctl tells the routes of the daemon';

# the worker's, as the example configuration places them
my $text = Ads::Stack::nginx_example('.');
my %methods = (recommend => ['POST'], click => ['GET'],
    impression => ['GET', 'POST'], event => ['POST'], status => ['GET'],
    docs => ['GET']);
while ($text =~ /location (?:= )?(\S+) \{((?:[^{}]|\{[^{}]*\})*)\}/g) {
    my ($path, $body) = ($1, $2);
    my ($kind) = $body =~ /^\s*ads_(recommend|click|impression|event|status|docs)\b/m
        or next;
    $path =~ s{(?<=^/docs)/.*}{} if $kind eq 'docs';    # the page, not its parts
    $path .= '{}' if $path =~ m{/$};
    $code{"$_ $path"} = 1 for @{ $methods{$kind} };
}

my %said;
for my $path (keys %{ $doc->{paths} }) {
    (my $plain = $path) =~ s/\{\w+\}/{}/g;
    $said{ uc($_) . " $plain" } = 1 for keys %{ $doc->{paths}{$path} };
}
is join("\n", sort grep { !$said{$_} } keys %code), '',
    'every route of the code is described';
is join("\n", sort grep { !$code{$_} } keys %said), '',
    'every route that is described is in the code';

my %keyed;
for my $path (keys %{ $doc->{paths} }) {
    (my $plain = $path) =~ s/\{\w+\}/{}/g;
    for my $method (keys %{ $doc->{paths}{$path} }) {
        $keyed{ uc($method) . " $plain" } = 1
            if grep { ($_->{'$ref'} // '') =~ /IdempotencyKey$/
                || ($_->{name} // '') eq 'Idempotency-Key' }
            @{ $doc->{paths}{$path}{$method}{parameters} || [] };
    }
}
is_deeply [sort keys %keyed], [sort keys %creates],
    'an Idempotency-Key is described for the routes that look at it';

# ---- parameters of the query ------------------------------------------------

# Whatever a file of handlers reads from the query string is described for one
# of its paths, and nothing else is: both under the name that is told.
my %queried;
open my $routes, '<', 'adsd/api/routes.c' or die "adsd/api/routes.c: $!\n";
my $table = do { local $/ = undef; <$routes> };
my %home;
for my $source (glob 'adsd/api/*.c') {
    open my $code, '<', $source or die "$source: $!\n";
    my $lines = do { local $/ = undef; <$code> };
    $home{$1} = $source while $lines =~ /^(api_\w+)\(struct request/mg;
    my @names = $lines =~
        /\b(?:query_(?:text|words|int|uuid|time|choice)\((?:&list->|&)?query|list_(?:word|time|uuid)\(list, &args), "(\w+)"/g;
    push @names, qw(limit cursor) if $lines =~ /\blist_begin\(/;
    $queried{$source}{$_} = 1 for @names;
}
$queried{'adsd/api/analytics.c'}{$_} = 1    # read by report.c
    for qw(from to timezone granularity group_by filter limit cursor);
my %described;
while ($table =~ /\{"(\w+)", "([^"]+)",[^}]*?\b(api_\w+),\s+ROUTE_\w+\}/g) {
    my ($method, $path, $handler) = (lc $1, $2, $3);
    next if $method eq 'head';
    my ($full) = grep { (my $p = $_) =~ s/\{\w+\}/{}/g; $p eq $path }
        keys %{ $doc->{paths} };
    my $parameters = $doc->{paths}{$full}{$method}{parameters} || [];
    for my $one (@$parameters) {
        my ($shared) = ($one->{'$ref'} // '') =~ m{(\w+)$};
        my $at = $shared ? $doc->{components}{parameters}{$shared} : $one;
        $described{ $home{$handler} }{ $at->{name} } = 1 if $at->{in} eq 'query';
    }
}
for my $source (sort keys %queried) {
    is_deeply [sort keys %{ $described{$source} || {} }],
        [sort keys %{ $queried{$source} }],
        "$source: its parameters are described, and no others";
}

# ---- references ------------------------------------------------------------

my (%used, @lost);

sub walk
{
    my ($node) = @_;
    if (ref $node eq 'ARRAY') {
        walk($_) for @$node;
        return;
    }
    return unless ref $node eq 'HASH';
    if (defined $node->{'$ref'} && !ref $node->{'$ref'}) {
        my $at = $doc;
        $used{ $node->{'$ref'} } = 1;
        for my $step (grep { $_ ne '#' } split m{/}, $node->{'$ref'}) {
            $at = ref $at eq 'HASH' ? $at->{$step} : undef;
        }
        push @lost, $node->{'$ref'} unless defined $at;
    }
    walk($_) for values %$node;
}
walk($doc);
is_deeply \@lost, [], 'every reference leads somewhere';
my @idle = grep { !$used{"#/components/$_"} }
    map { my $kind = $_; map {"$kind/$_"} keys %{ $doc->{components}{$kind} } }
    qw(schemas parameters headers responses);
is join("\n", sort @idle), '', 'and nothing is described for nobody';

# ---- columns ---------------------------------------------------------------

# What a list has as JSON it has as CSV, in any order.
sub follow
{
    my ($node) = @_;
    while ($node->{'$ref'}) {
        my $at = $doc;
        $at = $at->{$_} for grep { $_ ne '#' } split m{/}, $node->{'$ref'};
        $node = $at;
    }
    return $node;
}

sub leaves
{
    my ($schema, $before) = @_;
    $schema = follow($schema);
    return ((map { leaves($_, $before) } @{ $schema->{allOf} || [] }),
        map {
            my $inner = follow($schema->{properties}{$_});
            $inner->{properties} ? leaves($inner, "$before$_.") : "$before$_";
        } keys %{ $schema->{properties} || {} });
}

my $n_tables = 0;
for my $path (sort keys %{ $doc->{paths} }) {
    my $get = $doc->{paths}{$path}{get} || next;
    my $found = follow($get->{responses}{200} || {});
    my $csv = ($found->{'x-by-accept'} || next)->{'text/csv'};
    my $json = follow($found->{content}{'application/json'}{schema})->{properties};
    my $rows = $json->{data} || $json->{movements} || next;
    my ($header) = $csv->{example} =~ /^(.*)\r\n\z/;
    $n_tables++;
    is_deeply [sort split /,/, $header], [sort grep { "$path $_" ne '/v1/auth/api-key key' }    # never shown again
            leaves($rows->{items}, '')],
        "$path: columns for all that a row has";
}
is $n_tables, 14, 'of every list';

# ---- why a campaign is not served -------------------------------------------

open my $states, '<', 'sql/code/22_campaign_states.sql' or die "$!\n";
my $view = do { local $/ = undef; <$states> };
my ($as_paused) = $view =~ /reasons\[1\] in \(([^)]*)\) then 'paused'/;
my %as_paused = map { $_ => 1 } ($as_paused // '') =~ /'(\w+)'/g;
my @reasons   = $view =~ /then '(\w+)' end\b/g;
my $campaign  = $doc->{components}{schemas}{Campaign}{properties};
is_deeply $campaign->{reasons}{items}{enum}, \@reasons, 'every reason is listed';
is_deeply $campaign->{serving_status}{enum},
    ['serving', grep { !$as_paused{$_} } @reasons], 'and every status';

# ---- error codes --------------------------------------------------------------

# Clients act on codes: the lists are those of the code and of docs/errors.md.
my $schemas = $doc->{components}{schemas};
my @problems = slurp('core/ads_problem.c')
    =~ /\bENTRY\(\s*[A-Z_]+,\s*\d+,\s*"(\w+)"/g;
is_deeply $schemas->{ErrorCode}{enum}, \@problems, 'every error code is listed';
my ($field_errors) = slurp('docs/errors.md') =~ /^## Field errors\n(.*?)(?=^## )/ms;
is_deeply $schemas->{FieldError}{properties}{code}{enum},
    [$field_errors =~ /^\| `(\w+)` \|/mg], 'and every code of a field';

# ---- for generated types ------------------------------------------------------

# A default would make generators require the field of who sends it; an answer
# that is JSON or CSV would have no type that a client can use.
my (@defaults, @mixed);

sub defaults_find
{
    my ($node, $at) = @_;
    push @defaults, $at if exists $node->{default} && !ref $node->{default};
    for my $name (keys %$node) {
        defaults_find($node->{$name}, "$at/$name") if ref $node->{$name} eq 'HASH';
    }
}

defaults_find($schemas, '');
is_deeply \@defaults, [], 'no field of a body has a default';
for my $path (sort keys %{ $doc->{paths} }) {
    for my $method (sort keys %{ $doc->{paths}{$path} }) {
        my $answers = $doc->{paths}{$path}{$method}{responses};
        push @mixed, map {"$method $path $_"}
            grep { keys %{ follow($answers->{$_})->{content} || {} } > 1 } keys %$answers;
    }
}
is_deeply \@mixed, [], 'an answer has one type, others stand apart';

# ---- reasons for no ad, and targeting ----------------------------------------

# Each list of reasons is that of the code; so are the fields of targeting.
open my $header, '<', 'core/ads_reason.h' or die "$!\n";
my $rows = do { local $/ = undef; <$header> };
my @no_ad = $rows =~ /ROW\(\d+, \w+, "(\w+)", \w+\)/g;
my %lists;

sub lists_find
{
    my ($node, $at) = @_;
    if (ref $node eq 'ARRAY') {
        lists_find($node->[$_], "$at/$_") for 0 .. $#$node;
        return;
    }
    return unless ref $node eq 'HASH';
    my $enum = $node->{enum};
    $lists{$at} = [grep { defined } @$enum]
        if ref $enum eq 'ARRAY' && grep { ($_ // '') eq $no_ad[0] } @$enum;
    lists_find($node->{$_}, "$at/$_") for keys %$node;
}

lists_find($doc->{components}{schemas}, '');
is keys %lists, 3, 'there are lists of reasons for no ad';
is_deeply $lists{$_}, \@no_ad, "$_: each reason, in its order"
    for sort keys %lists;

open my $page, '<', 'docs/targeting.md' or die "$!\n";
my %field = map { $_ => 1 } map { /`(\w+)`/g }
    map { /^\| (`[^|]*)\|/ ? $1 : () } <$page>;
is join(' ', sort grep { !$field{$_} } keys %{ $doc->{components}{schemas}{Targeting}{properties} }),
    '', 'docs/targeting.md has a row for each field';

# how many of each, and how long: as the daemon and the database have it
my $targeting = $doc->{components}{schemas}{Targeting}{properties};
my %limits    = map {
    my $list  = $targeting->{$_};
    my $items = $list->{items} || {};
    my $each  = ($items->{format} // '') eq 'uuid' ? 36 : $items->{maxLength};
    ($list->{type} || [''])->[0] eq 'array'
        ? ($_ => "$list->{maxItems}, " . ($each // 'any'))
        : ();
} keys %$targeting;
my %coded = slurp('adsd/catalog/campaign.c') =~ /^    \{"(\w+)", (\d+, \d+), \w+\},$/mg;
is_deeply \%limits, \%coded, 'targeting: the limits of the daemon';
my %stored = slurp('sql/migrations/0004_campaigns.sql') =~ /@\.(\w+)\.size\(\) > (\d+)/g;
my %written = slurp('docs/targeting.md') =~ /^\| `(\w+)`, at most ([\d,]+) \|/mg;
tr/,//d for values %written;
s/,.*// for values %limits;
is_deeply \%stored, \%limits, 'those of the database';
is_deeply \%written, \%limits, 'and those of the page';

# ---- operations ------------------------------------------------------------

my (%ids, @bare, @plain);
for my $path (sort keys %{ $doc->{paths} }) {
    for my $method (sort keys %{ $doc->{paths}{$path} }) {
        my $operation = $doc->{paths}{$path}{$method};
        my $status    = $operation->{responses} || {};
        $ids{ $operation->{operationId} // '' }++;
        push @bare, "$method $path"
            unless $operation->{summary} && $operation->{description}
            && ref $operation->{security} eq 'ARRAY'
            && grep({/^[23]/} keys %$status)
            && ($path !~ m{^/v1/} || $status->{503} || $status->{429});

        # what is sent and what is answered, as t/http/contract/examples.t has it
        my $sent = ($operation->{requestBody} || {})->{content} || {};
        my @said = grep {$_} map { follow($status->{$_})->{content}{'application/json'} }
            grep {/^2/} keys %$status;
        push @plain, "$method $path"
            if %$sent && !grep({ $_->{example} || $_->{examples} } values %$sent)
            || @said && $path ne '/v1/openapi.json' && !grep { $_->{example} } @said;
        push @bare, "$method $path: 401"
            if $path =~ m{^/v1/} && @{ $operation->{security} || [] }
            && !$status->{401};
    }
}
is join("\n", @bare), '', 'every operation is whole';
is join("\n", @plain), '', 'every operation has examples';
is join("\n", grep { $ids{$_} > 1 || $_ eq '' } keys %ids), '',
    'and has an id of its own';

done_testing();
