#!/usr/bin/perl
#
# What holds for every verb of adsctl alike, asked form by form as --help lists
# them: an option that is not known is wrong usage and does nothing, and with
# --json what is printed is an object a line.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new(parts => ['postgres', 'adsd']);
my $shop = $ads->seed_shop;
$ads->adsctl(qw(user create --email ann@shop.example));

# Exit code, standard output and standard error.
sub ctl
{
    my (@words) = @_;
    my $errors = "$ads->{dir}/tmp/errors";
    my ($code, $out) = $ads->try('sh', '-c', 'exec "$@" 2>"$0"', $errors,
        $ads->adsctl_argv(@words));
    return ($code, $out, Ads::Stack::read_file($errors));
}

# ---- the forms ---------------------------------------------------------------

# [words that say what to do, words that follow], each choice apart.
my @forms;
my ($help) = (ctl('--help'))[1] =~ /^usage: .*?\n\n(.*?)\n\n/s;
$help =~ s/\n {6,}/ /g;
for my $line (split /\n/, $help // '') {
    my ($verb, @rest) = split ' ', $line =~ s/^ +//r =~ s/ {2,}.*//r;
    my @actions = @rest && $rest[0] =~ /^[a-z]/ ? split /\|/, shift @rest : ();
    push @forms, map { [[$verb, $_], @rest] } @actions;
    push @forms, [[$verb], @rest] if !@actions;
}
cmp_ok scalar(@forms), '>=', 50, 'help lists the forms of all verbs';

# What a verb that went on would have changed.
sub traces
{
    return join ' ', $ads->sql_value('select count(*) from ads.audit_log'),
        $ads->sql_value('select n from ads.change'),
        map { Ads::Stack::read_file($_) } "$ads->{dir}/click.keys",
        "$ads->{dir}/state/jwt.keys";
}

my $before = traces();
for my $form (@forms) {
    my ($words) = @$form;
    my ($code, $out, $err) = ctl(@$words, '--frobnicate', 'x');
    is $code, 2, "@$words: an unknown option is wrong usage";
    is $out, '', 'answered with nothing';
    like $err, qr/^usage: adsctl \Q$words->[0]\E\b/m, 'but how it is used';
}
is traces(), $before, 'and nothing was done';

# ---- as JSON -----------------------------------------------------------------

# for people these have a heading, also where there is nothing below
my %headed = (report => 1, 'journal status' => 1);

for my $form (@forms) {
    my ($words, @rest) = @$form;
    my $needs = join(' ', @rest) =~ s/\[[^]]*\]//gr =~ s/^\s+|\s+$//gr;
    my @more =
          $needs eq ''             ? ()
        : $needs eq '--account ID' ? ('--account', $shop->{account})
        : $needs eq 'QUERY'        ? ('buy a laser printer')
        :                            next;
    next if $words->[0] eq 'completion';    # for a shell to read

    my ($code, $out, $err) = ctl('--json', @$words, @more);
    like $code, qr/^[01]$/, "--json @$words" or diag $err;
    my @lines = split /\n/, $out;
    is_deeply [grep { ref(eval { decode_json($_) }) ne 'HASH' } @lines], [],
        'prints objects only';
    my ($as_text, $text) = ctl(@$words, @more);
    is $as_text, $code, 'and ends as it does for people';
    $text =~ s/^.*\n// if $headed{"@$words"};
    ok @lines || $text eq '', 'who are told no more' or diag $text;
}

$ads->done;
