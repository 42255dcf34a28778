#!/usr/bin/perl
#
# The reference tells the code's story: directives, variables, keys, verbs,
# options, error codes, reasons, classes and metrics are read out of the tables
# in the code and compared with docs/, both ways; the example configurations
# and every example in the docs use known names only; what the README names is
# there.

use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use lib 'tools/lib';
use Ads::Stack;
use Test::More;

my %doc = map { m{([^/]+)\.md$}; $1 => slurp($_) } glob 'docs/*.md';
my $readme = slurp('README.md');
my %example = (
    nginx => Ads::Stack::nginx_example('.'),
    adsd  => slurp('adsd.conf.example'),
);

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or BAIL_OUT("$path: $!");
    local $/;
    return scalar <$in>;
}

# The text between a line that begins with one thing and the next that begins
# with the other.
sub part
{
    my ($text, $from, $to) = @_;
    my ($part) = $text =~ /^$from.*?\n(.*?)(?=^$to|\z)/ms;
    BAIL_OUT("nothing like $from is there") unless defined $part;
    return $part;
}

# Rows of the first Markdown table, cells without spaces and code marks.
sub table
{
    my ($text) = @_;
    my ($body) = $text =~ /^\|(?:-+\|)+\n((?:\|.*\n)+)/m;
    BAIL_OUT('a table is missing') unless defined $body;
    return map {
        [map { s/^\s+|\s+$//gr =~ s/^`([^`]*)`$/$1/r } (split /\|/, $_, -1)[1 .. tr/|// - 1]]
    } split /\n/, $body;
}

# Both ways: missing from the docs, or there and not in the code.
sub same
{
    my ($code, $docs, $what) = @_;
    cmp_ok scalar @$code, '>', 0, "$what: read from the code";
    is_deeply [sort @$docs], [sort @$code], $what;
}

# ---- nginx -------------------------------------------------------------------

my $module = slurp('ngx_ads_module/ngx_http_ads_module.c');
my $commands = part($module, 'static ngx_command_t', '\};');
my %flags = $commands =~ /ngx_string\("(\w+)"\),\s*([\w|]+),/g;
my %section;
$section{$1} = $2
    while $doc{directives} =~ /^### (ads_\w+)\n(.*?)(?=^#{2,3} |\z)/msg;

same([keys %flags], [keys %section], 'every directive has its section');
same([keys %flags],
    [map { $_->[0] =~ /`(\w+)`/ } table($doc{directives})],
    'every directive is in the list on top');

my %place = (
    NGX_HTTP_MAIN_CONF => 'http',
    NGX_HTTP_SRV_CONF  => 'server',
    NGX_HTTP_LOC_CONF  => 'location',
);
# how many words a syntax has
my %arguments = (NGX_CONF_NOARGS => 0, NGX_CONF_FLAG => 1, NGX_CONF_TAKE1 => 1,
    NGX_CONF_TAKE2 => 2, NGX_CONF_1MORE => 3);
my %n_arguments;

for my $name (sort keys %flags) {
    my $text = $section{$name} // next;
    my @flags = split /\|/, $flags{$name};
    my ($n) = map { $arguments{$_} // () } @flags;
    $n_arguments{$name} = $n;

    my ($context) = $text =~ /^- Context: (.*)$/m;
    is $context, join(', ', map { $place{$_} // () } @flags),
        "$name: context";

    my ($syntax) = $text =~ /^- Syntax: `\Q$name\E(.*?);`$/m;
    my @words = split ' ', ($syntax // '?') =~ s/\s*\|\s*/|/gr;
    is scalar @words, $n, "$name: syntax";
    like $text, qr/^- Default: \S/m, "$name: default";
    like $text, qr/^    .*\b\Q$name\E\b.*;/m, "$name: example";
}

# the words that a directive takes
my %choices = (
    ads_journal_sync => ['ngx_http_ads_journal_syncs'],
    ads_event        => ['ngx_http_ads_events'],
    ads_status       => ['ngx_http_ads_statuses'],
);
for my $name (sort keys %choices) {
    my ($table, @refused) = @{ $choices{$name} };
    my %words = map { $_ => 1 }
        $module =~ /\b$table\[\] = \{(.*?)\n\};/s
        ? $1 =~ /ngx_string\("(\w+)"\)/g : ();
    delete @words{@refused};
    my ($syntax) = $section{$name} =~ /^- Syntax: `\w+ (.*?);`/m;
    same([keys %words], [split / \| /, $syntax], "$name: its words");
}

my @labels = slurp('ngx_ads_module/ngx_http_ads_disclosure.c')
    =~ /\{ ngx_string\("(\w+)"\), ngx_string\("([^"]+)"\) \}/g;
while (my ($language, $label) = splice @labels, 0, 2) {
    like $section{ads_disclosure}, qr/\b$language\b[\w ]*\s\Q$label\E/,
        "ads_disclosure: $language";
}

my @variables = slurp('ngx_ads_module/ngx_http_ads_variables.c')
    =~ /\{ ngx_string\("(\w+)"\), NULL,/g;
same([map { "\$$_" } @variables],
    [map { $_->[0] } table(part($doc{directives}, '## Variables', '## '))],
    'every variable has its row');

# ---- adsd.conf ---------------------------------------------------------------

my %key;
my $keys = part(slurp('adsd/base/conf.c'), 'static const struct conf_key keys', '\};');
for my $row ($keys =~ /\{(\.name = .*?)\},\n(?= {4}\{|\z)/sg) {
    my ($name) = $row =~ /\.name = "(\w+)"/;
    my ($choices) = $row =~ /\.choices = \{(.*?)\}/;
    $key{$name} = {
        default => scalar(($row =~ /\.standard = "(.*?)"/)[0]),
        choices => $choices && join(', ', map { "`$_`" } $choices =~ /"(\w+)"/g),
        range => $row =~ /CONF_NUMBER/
        ? join ' to ', map { $row =~ /\.$_ = (\d+)/ } qw(least most)
        : undef,
    };
}
my %key_row = map { $_->[0] => $_ }
    table(part($doc{'adsd.conf'}, '## Keys', '## '));
same([keys %key], [keys %key_row], 'every key has its row');

# an empty default stands for what the daemon finds by itself
my %found = (
    sql_path => 'next to the program', intent_model => 'next to the program',
    guard_path => 'next to the program', guard_file => 'none',
    goods_path => 'next to the program', goods_file => 'none',
    log_file => 'standard error',
    jwt_key_file => '`jwt.keys` in `state_path`',
    mail_url => 'none', mail_user => 'none', mail_password_file => 'none',
    mail_dir => 'none', mail_from => '`no-reply@` the host of `base_url`',
);
for my $name (sort keys %key) {
    my ($row, $is) = ($key_row{$name} // next, $key{$name});
    is $row->[1], $found{$name} // $is->{default} // '', "$name: default";
    my $values = $is->{choices} // $is->{range} // next;
    is $row->[2], $values, "$name: values";
}

my %said = $example{adsd} =~ /^(?:# )?(\w+) = ?(.*)$/mg;
delete $said{key};    # the example's own explanation
same([keys %key], [keys %said], 'adsd.conf.example shows every key');
my %commented = $example{adsd} =~ /^# (\w+) = ?(.*)$/mg;
delete $commented{key};
for my $name (sort keys %commented) {
    is $commented{$name}, $key{$name}{default}, "adsd.conf.example: $name";
}

# ---- errors ------------------------------------------------------------------

my @problem_rows;
for my $entry (slurp('core/ads_problem.c') =~ /\bENTRY\(\s*[A-Z_]+,\s*(.*?)\),\n/gs) {
    $entry =~ s/"\s+"//g;
    push @problem_rows, join ' | ', grep { defined } $entry =~ /"([^"]*)"|(\d+)/g;
}
same(\@problem_rows,
    [map { join ' | ', @$_[1, 0, 2, 3, 4] }
        table(part($doc{errors}, '## Problem documents', '## '))],
    'every problem has its row: status, code, title, detail, hint');

my %field_code;
for my $text (map { slurp($_) } glob 'core/ads_body*.c adsd/*/*.c') {
    $field_code{$_} = 1 for $text =~ /ads_body_note\(\s*&?\w+,\s*"(\w+)"/g;
    while ($text =~ /field_error\(job,([^;]*);/g) {
        my ($code) = $1 =~ /,\s*"(\w+)",\s*"/;
        $field_code{$code} = 1;
    }
    while ($text =~ /\b(?:form|query)_error\(\s*[^,;]+,[^,;]+,([^;]*);/g) {
        $field_code{$_} = 1 for $1 =~ /"(\w+)"/g;
    }
}
$field_code{$_} = 1 for slurp('adsd/base/form.c') =~ /return (?:[^";]*: )?"(\w+)";/g;
same([keys %field_code],
    [map { $_->[0] } table(part($doc{errors}, '## Field errors', '## '))],
    'every field error has its row');

my ($in_header) = slurp('core/ads_body.h') =~ /Codes of field errors.*?\n \*\n(.*?)\n \*\//s;
my @own = $in_header =~ /^ \* {5}(\w+)  /mg;
is_deeply [grep { !$field_code{$_} } @own], [],
    'core/ads_body.h lists no other codes';

my %warning = map { $_ => 1 }
    slurp('core/ads_warning.h') =~ /ROW\(\w+, "[^"]+", "(\w+)"/g;
same([keys %warning],
    [map { $_->[0] } table(part($doc{errors}, '## Warnings', '## '))],
    'every warning has its row');

my %reason = slurp('core/ads_reason.h') =~ /ROW\(\d+, (\w+), "(\w+)", \w+\)/g;
same([values %reason],
    [map { $_->[0] } table(part($doc{errors}, '## NO_AD', '## '))],
    'every reason has its row');

my ($topics) = $doc{errors} =~ /^\[Sensitive topics\]\(guard\.md\),[^:]*:(.*?)\n\n/ms;
my %topic = slurp('core/ads_guard.c') =~ /\[ADS_GUARD_(\w+)\] = "(\w+)"/g;
delete $topic{NONE};
my @against = slurp('sql/code/22_campaign_states.sql') =~ /then '(\w+)' end\b/g;
my @rows = map { $_->[0] } table(part($doc{errors}, '## Campaigns that', '## '));
same(\@against, \@rows, 'every reason against serving a campaign is told');
is_deeply \@rows, \@against, 'in its order';

same([values %topic], [$topics =~ /`(\w+)`/g], 'every sensitive topic is named');

my %number = slurp('core/ads_event.h') =~ /\bADS_CLICK_(\w+) = (\d+)/g;
my %class = slurp('core/ads_event.c') =~ /case ADS_CLICK_(\w+):\s*return "([\w:]+)"/g;
same([map { "$class{$_} $number{$_}" } keys %class],
    [map { "$_->[0] $_->[1]" } table(part($doc{errors}, '## Click classes', '## '))],
    'every click class has its row, with its number');

my $conversions = slurp('sql/code/60_conversions.sql');
my ($why) = $conversions =~ /function ads\.conversion_reason\((.*?)\nend;/s;
my ($held) = $conversions =~ /function ads\.conversion_held\((.*?)\n\$\$;/s;
my %why    = map { $_ => 1 } "$why$held" =~ /then '(\w+)'/g,
    $conversions =~ /[vo]_reason := '(\w+)'/g;
my ($status_table, $reason_table) =
    part($doc{errors}, '## Conversions', '## ') =~ /(.*\n\n)(\| reason.*)/s;
same([keys %why], [map { $_->[0] } table($reason_table)],
    'every reason of a conversion that does not count has its row');
my ($promised) = $conversions =~ /^-- status: (.*?),\n-- or,/ms;
same([$promised =~ s/\([^)]*\)//gr =~ /(\w+)/g],
    [map { $_->[0] } table($status_table)],
    'every status of a conversion has its row');

# ---- metrics -----------------------------------------------------------------

my $status = slurp('ngx_ads_module/ngx_http_ads_status.c');
my %metric;
for my $list (['counters', 'counter'], ['words', 'gauge']) {
    my $rows = part($status,
        "static const ngx_http_ads_status_metric_t  ngx_http_ads_status_$list->[0]", '\};');
    $metric{$_} = $list->[1] for $rows =~ /"(ads_\w+)"/g;
}
$metric{$2} = $1 while $status =~ /status_(gauge|counter)\(p, "(ads_\w+)"/g;
$metric{$1} = $2 while $status =~ /# TYPE (ads_\w+) (\w+)/g;
same([map { "$_ $metric{$_}" } keys %metric],
    [map { "$_->[0] $_->[1]" } table(part($doc{metrics}, '## GET /metrics', '## '))],
    'every metric has its row, with its type');
my @watched = part($doc{metrics}, '## What to watch', '## ') =~ /\b(ads_\w+)/g;
is_deeply [grep { !$metric{$_} } @watched], [], 'only metrics are watched';

# ---- adsctl ------------------------------------------------------------------

my $ctl = slurp('adsd/ctl/verbs.c');
my %usage = part($ctl, 'static const struct ctl_verb verbs', '\};')
    =~ /\{"([\w-]+)", \w+,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\}/g;
my %verb;
$verb{$1} = $2 while $doc{adsctl} =~ /^## ([\w-]+)\n(.*?)(?=^## |\z)/msg;
same([keys %usage], [keys %verb], 'every verb has its section');

for my $name (sort keys %usage) {
    my $section = $verb{$name} // next;
    my ($lines) = $section =~ /\A\n((?: {4}.*\n)+)/;
    $lines //= '';

    # usage: the words before what two spaces or more set apart
    my @actions = map { /^(\Q$name\E(?: [\w|-]+)?)(?: |$)/ ? $1 : () }
        map { s/ {2,}.*//r } split /\\n|"\s*"/, $usage{$name} =~ s/^"|"$//gr;
    same(\@actions, [$lines =~ /^ {4}adsctl (\Q$name\E(?: [\w|-]+)?)(?= |$)/mg],
        "$name: actions");

    my %other = (migrate => 'init', 'click-key' => 'ring', journal => 'replay');
    my $file  = 'adsd/ctl/' . ($other{$name} // $name =~ tr/-/_/r) . '.c';
    my %options = map { $_ => 1 }
        slurp($file) =~ /\{(?:\.name = )?"([a-z-]+)", (?:true|false|\.value)/g;
    my %in_usage = map { $_ => 1 } $usage{$name} =~ /--([a-z-]+)/g;
    my %in_docs = map { $_ => 1 } $lines =~ /--([a-z-]+)/g;
    is_deeply [sort keys %in_usage], [sort keys %options], "$name: usage names its options";
    is_deeply [sort keys %in_docs], [sort keys %options], "$name: docs name its options";
}

my %exit = slurp('adsd/ctl/ctl.h') =~ /\bCTL_(\w+) = (\d)/g;
same([values %exit], [map { $_->[0] } table($doc{adsctl})], 'every exit code has its row');

# ---- examples ----------------------------------------------------------------

# Lines of code in a page.
sub code_of
{
    my ($text) = @_;
    return join '', map { "$_\n" } $text =~ /^ {4}(.*)$/mg;
}

my %config = (
    'nginx.conf.example' => $example{nginx},
    'README.md'          => code_of($readme),
    map { ("docs/$_.md" => code_of($doc{$_})) } keys %doc,
);
my %known_variable = map { $_ => 1 } @variables;
for my $file (sort keys %config) {
    my $text = $config{$file};
    my @used = $text =~ /(?:^|[{;])[ #]*(ads_\w+)[ ;]/mg;
    is_deeply [grep { !exists $flags{$_} } @used], [], "$file: known directives only"
        if $file !~ /metrics|errors/;

    my %own = map { $_ => 1 } $text =~ /^\s*(?:map|geo) .*\$(\w+) \{/mg, $text =~ /\?<(\w+)>/g;
    is_deeply [grep { !$known_variable{$_} && !$own{$_} } $text =~ /\$(ads_\w+)/g], [],
        "$file: known variables only";
}
my %in_example = map { $_ => 1 } $example{nginx} =~ /^\s*(ads_\w+)[ ;]/mg;
ok $in_example{$_}, "nginx.conf.example has $_"
    for qw(ads_state_path ads_run_path ads_token_key_file ads_base_url
    ads_recommend ads_click ads_click_resolve ads_event ads_status ads_problem);

# ---- README and links --------------------------------------------------------

cmp_ok scalar(split /\n/, $readme), '<=', 250, 'the README has at most 250 lines';

my %top = map { $_ => 1 } grep { !m{^build} } map { s{/$}{}r } glob '* .ci';
for my $name (map { split ' ' } $readme =~ /`([^`\n]+)`/g) {
    my ($first) = split m{/}, $name;
    next unless $name =~ m{^[\w.*/-]+$} && ($top{$name} || $top{ $first // '' } && $name =~ m{/}
        || $name =~ /\.(?:md|example)$|^LICENSE$/);
    ok scalar(grep { -e } glob $name), "README: $name is there";
}

ok $doc{README} =~ m{\]\(\Q$_\E\.md\)}, "docs/README.md: $_.md is in a table"
    for grep { $_ ne 'README' } sort keys %doc;

for my $page (sort keys %doc) {
    for my $link ($doc{$page} =~ /\]\(([^)]+)\)/g) {
        next if $link =~ /^https?:/;
        my ($file, $anchor) = split /#/, $link, 2;
        my $text = !length $file ? $doc{$page} : !-e "docs/$file" ? ''
            : -B _ ? 'a picture' : slurp("docs/$file");
        my @anchors = map { lc s/[^\w -]//gr =~ tr/ /-/r } $text =~ /^#+ (.*)$/mg;
        ok length $text && (!$anchor || grep { $_ eq $anchor } @anchors),
            "docs/$page.md: $link leads somewhere";
    }
}

# a decision opens with what was decided and why; the table on top has all parts
my %toc = map { $_ => 1 } part($doc{decisions}, '# ', '## ') =~ /^\| \[([^]]+)\]/mg;
is_deeply [sort keys %toc], [sort $doc{decisions} =~ /^## (.*)$/mg],
    'decisions: the table on top has every section';
my @decisions = $doc{decisions} =~ /^(### .*?)(?=^#{2,3} |\z)/msg;
is_deeply [map { /^### (.*)/ } grep {
        !/\A### .+\n\n- Decided: \S.*(?:\n  \S.*)?\n- Why: \S.*(?:\n  \S.*)?\n(?:\n|\z)/
    } @decisions], [], 'decisions: each opens with what was decided and why';

# what messages of the programs send people to
for my $source (glob 'core/*.c adsd/*.c adsd/*/*.c ngx_ads_module/*.c') {
    ok -e $_, "$source: $_ is there" for slurp($source) =~ /"[^"\n]*\b(docs\/[\w.]+\.\w+)/g;
}

# the threat model: each threat once, and the evidence that it names is there
my $threats = $doc{'threat-model'};
is_deeply [$threats =~ /^\| (T\d+) \|/mg], [map { "T$_" } 1 .. 31],
    'threat-model: every threat has its row';
for my $row ($threats =~ /^(\| T\d+ \|.*)$/mg) {
    my (undef, $name, undef, $shown) = split / *\| */, $row;
    like $shown, qr/^`[^`]+`(?:, `[^`]+`)*$/, "threat-model: $name names its evidence";
}
for my $file (sort { $a cmp $b } $threats =~ m{`((?:t|bench|tools)/[\w./]+)`}g) {
    ok -e $file, "threat-model: $file is there";
}

# an operator reads what accounts are in one sitting
my $pages = 0;
$pages += -s "docs/$_.md" for qw(access sign-in people);
cmp_ok $pages, '<=', 16384, 'accounts, signing in and people: 16 KiB in sum';

done_testing;
