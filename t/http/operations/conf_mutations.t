#!/usr/bin/perl
#
# nginx.conf.example with our lines of it changed at random, through
# `nginx -t`: taken or refused with a reason, never a crash, and never a report
# of a sanitizer (`make test SANITIZE=1`).
#
# ADS_LONG=1 goes on for a minute; ADS_SEED repeats a run.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;
use Time::HiRes qw(time);

# an nginx -t that refuses a file frees nothing of its own
$ENV{ASAN_OPTIONS} .= ':detect_leaks=0' if $ENV{ASAN_OPTIONS};

my $seed = $ENV{ADS_SEED} // int rand 1e9;
srand $seed;
note "ADS_SEED=$seed repeats this run";

my $ads   = Ads::Test->new(parts => ['postgres']);    # its keys are there
my $good  = Ads::Stack::read_file("$ads->{dir}/nginx.conf");
my $file  = "$ads->{dir}/tmp/mutated.conf";
my @lines = split /^/m, $good;
my @ours  = grep { $lines[$_] =~ /^\h*(?:ads_|\w.*\$ads_)/ } 0 .. $#lines;

# what a value may turn into
my @values = (
    qw(0 -1 1 00 1.5 18446744073709551616 99999999999999999999 1k 1g 9999999g
        1ms 1h 999999999999y on off yes always interval none / /nonexistent
        /dev/null . .. unix: unix:/x http:// https://a https://[ * _ $ads_ $x
        ${ads_request_id} impression click readyz), '""', q{' '}, '"', '{',
    '}', '#', "\\", "\xff\xfe", 'x' x 300, 'x' x 5000, '%s%n', "a\tb"
);

sub any
{
    return $_[ rand @_ ];
}

# One or two changes of our lines.
sub mutated
{
    my @text = @lines;
    for (0 .. int rand 2) {
        my $at = any(@ours);
        my ($indent, @words) = $text[$at] =~ /^(\h*)|(\S+)/g;
        @words = grep { defined } @words;
        my $kind = int rand 6;
        if ($kind == 0) {
            $text[$at] = '';
        }
        elsif ($kind == 1) {
            $text[$at] .= $text[$at];
        }
        elsif ($kind == 2) {    # in another place, another block perhaps
            $text[ rand @text ] .= $text[$at];
        }
        elsif ($kind == 3) {    # a word more
            $text[$at] =~ s/\h*;/' ' . any(@values) . ';'/e;
        }
        elsif ($kind == 4) {    # a word less
            $text[$at] =~ s/\h+\S+;/;/;
        }
        else {
            $text[$at] =~ s/(\h)[^\s;]+(\s*;)/$1 . any(@values) . $2/e;
        }
    }
    return join '', @text;
}

my $over_s = $ENV{ADS_LONG} ? 60 : 3;
my $end    = time + $over_s;
my ($n, %code, @crashed, @silent) = (0);
while (time < $end || $n < 40) {
    my $text = $n == 0 ? $good : mutated();
    $ads->write_file($file, $text);
    my ($code, $said) = $ads->try($ads->nginx_program, '-t', '-p', $ads->{dir},
        '-e', "$ads->{dir}/tmp/test.log", '-c', $file);
    is $code, 0, 'F16: the file is taken as it is' if $n++ == 0;
    $code{$code}++;
    if ($code > 1) {
        push @crashed, "$code: $said";
        $ads->write_file("$ads->{dir}/log/crash-$n.conf", $text);
    }
    push @silent, $text if $code == 1 && $said !~ /\[emerg\]/;
}
is_deeply \@crashed, [], "F16: $n changed files, none crashes nginx -t";
is scalar(@silent), 0, 'F16: each that is refused is refused with a reason';
cmp_ok $code{1} // 0, '>', 0, 'F16: some are refused, ' . ($code{1} // 0);
note $code{0} // 0, ' were taken';
my @left = glob "$ads->{dir}/state/journal/*";
is "@left", '', 'F16: no file of ours is made by any of them';

$ads->done;
