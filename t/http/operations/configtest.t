#!/usr/bin/perl
#
# `nginx -t`, a hundred times beside a live server, with good and bad files
# and by another user; logs reopened all the time.  Neither touches one of our
# files, and no visitor notices.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Load;
use Ads::Test;
use Digest::MD5 qw(md5_hex);
use Test::More;
use Time::HiRes qw(sleep time);

# an nginx -t that refuses a file frees nothing of its own
$ENV{ASAN_OPTIONS} .= ':detect_leaks=0' if $ENV{ASAN_OPTIONS};

my $long = $ENV{ADS_LONG};
my $ads  = Ads::Test->new(nginx_http => Ads::Load::realip());
my $pub  = $ads->seed_publisher;
$ads->seed_shop(topup => 100_000, lifetime => 100_000);

my @load = (
    key     => $pub->{key},
    queries => ['buy a laser printer', 'buy a mountain bike'],
    clicks  => 100
);

# ---- nginx -t --------------------------------------------------------------

# What may not change, by path: all of a file but its content where workers or
# adsd write to it.
sub state_of
{
    my %state;
    for my $file (glob "$ads->{dir}/state/* $ads->{dir}/state/.[a-z]*"
        . " $ads->{run_path}/* $ads->{dir}/click.keys") {
        next if $file =~ m{/committed(?:\.new)?$};    # adsd's, at any time
        my @stat = lstat $file;
        my $kind = join ' ', @stat[ 0 .. 5 ];
        $kind .= ' ' . join ' ', @stat[7, 9], md5_hex(Ads::Stack::read_file($file))
            if $file =~ m{/(?:head|base-\w+|node|click\.keys)$};
        $state{$file} = $kind;
    }
    return \%state;
}

# Whose segments there are; workers may begin one for their counters.
sub segments
{
    my %by = map { /-(\d+)\.seg$/ ? ($1 => 1) : () } glob "$ads->{dir}/state/journal/*.seg";
    return join ' ', sort keys %by;
}

my $good = "$ads->{dir}/nginx.conf";
my $bad  = "$ads->{dir}/tmp/bad.conf";
$ads->write_file($bad,
    Ads::Stack::read_file($good) =~ s/ads_status  readyz/ads_status nix/r);

# As root, who could leave files behind that a worker cannot write; undef when
# the tests do not run as root.
sub as_root
{
    my (@argv) = @_;
    return undef if $> != 0;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>', '/dev/null';
        exec {$argv[0]} @argv or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    return $? >> 8;
}

my $load = Ads::Load->begin($ads, @load);
sleep 0.5;
my $before   = state_of();
my $segments = segments();
my %code;
for my $n (1 .. 50) {
    for my $file ($good, $bad) {
        my @argv = ($ads->nginx_program, '-t', '-q', '-p', $ads->{dir},
            '-e', "$ads->{dir}/tmp/test.log", '-c', $file);
        my $code = $n % 5 == 0 ? as_root(@argv) : undef;
        ($code) = $ads->try(@argv) unless defined $code;
        $code{$file}{$code}++;
    }
}
my $after = state_of();
is_deeply $code{$good}, { 0 => 50 }, 'N9: 50 good configurations are accepted';
is_deeply $code{$bad},  { 1 => 50 }, 'N9: 50 bad ones are refused';
is_deeply $after, $before, 'N9: no file of ours is touched by nginx -t';
is segments(), $segments, 'N9: nor is a segment begun';
is_deeply [$load->end->bad], [], 'N9: no visitor notices';
ok !$ads->log_lines('nginx.log', qr/ads: /), 'N9: nor does a worker';

# ---- reopened logs ---------------------------------------------------------

my $over_s = $long ? 10 : 2;
$segments = segments();
$load     = Ads::Load->begin($ads, @load);
my $end = time + $over_s;
my $n   = 0;
while (time < $end) {
    $ads->part('nginx')->signal('USR1');
    $n++;
    sleep 0.1;
}
$load = $load->end;
is_deeply [$load->bad], [], "N11: logs reopened $n times, no visitor notices";
is segments(), $segments, 'N11: the journal goes on in the same segments';
Ads::Journal::wait_drained($ads, 20);
my @answered = $load->answered;
is $ads->sql_value('select count(distinct click_id) from ads.clicks'
        . ' where click_id = any($1::uuid[])',
    '{' . join(',', @answered) . '}'), scalar @answered,
    'N11: every click that was answered is stored: ' . @answered;

$ads->done;
