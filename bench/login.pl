#!/usr/bin/perl

# What logins cost others, and what they tell.
#
#     bench/login.pl [--times N] [--rounds N] [--seconds S] [PART ...]
#
# PART is one or more of: time storm; without it both.
#
# time: does an answer tell, by its time, whether somebody has an e-mail?  N
# (1,000) wrong passwords each for addresses that have an account and ones that
# have none, then N requests each to reset a password, in random order.  The
# medians may differ by 1 ms.
#
# storm: 200 logins a second with the right password from as many addresses, many
# times what two processes can hash, against clicks and recommendations from
# visitors, in alternating rounds without, with, and with as many requests that
# adsd refuses before any hash: what the generator itself costs, which runs on
# the same machine.  Visitors do not wait for a processor themselves: what they
# measure is the answer.  p99 of a click, of a recommendation, and of the time from a
# click's answer to its commit; medians of the rounds may differ by a fifth.
# The limits are those of nginx.conf.example.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib";

use Ads::Load;
use Ads::Test;
use Getopt::Long;
use JSON::PP;
use List::Util qw(max shuffle);
use Time::HiRes qw(clock_gettime sleep time CLOCK_MONOTONIC);

my ($times, $rounds, $seconds) = (1000, 5, 10);
GetOptions(
    'times=i'   => \$times,
    'rounds=i'  => \$rounds,
    'seconds=i' => \$seconds
) or die "usage: bench/login.pl [--times N] [--rounds N] [--seconds S] [PART ...]\n";
my %part = map { $_ => 1 } @ARGV ? @ARGV : qw(time storm);

chdir "$FindBin::Bin/.." or die "$!\n";
system('make', '-s', 'build/shed', 'build/visitors') == 0 or die "make\n";
$| = 1;
my $secret = 'a long enough secret';
my $ads = Ads::Test->new(
    rates      => $part{time} ? 0 : 1,
    nginx_http => Ads::Load::realip());
my $fit = 1;

sub median
{
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[ $#sorted / 2 ] + $sorted[ @sorted / 2 ]) / 2;
}

sub verdict
{
    my ($ok) = @_;
    $fit &&= $ok;
    return $ok ? 'holds' : 'DOES NOT HOLD';
}

sub sign_up
{
    my ($email) = @_;
    my $answer = $ads->post('/v1/auth/signup', undef,
        { email => $email, password => $secret });
    die "$email: $answer->{status}\n" if $answer->{status} != 201;
}

# ---- what it tells ---------------------------------------------------------

# Every thread of a process and of its children.
sub threads
{
    my ($pid) = @_;
    my @tasks = glob "/proc/$pid/task/*";
    return (@tasks, map { threads($_) } map {
        open my $in, '<', "$_/children" or next;
        split ' ', <$in> // ''
    } @tasks);
}

# Milliseconds that those of adsd and adsd-hash have run so far.
sub cpu_ms
{
    my $ns = 0;
    for my $task (threads($ads->part('adsd')->{pid})) {
        open my $in, '<', "$task/schedstat" or next;
        $ns += (split ' ', <$in>)[0];
    }
    return $ns / 1e6;
}

# [milliseconds, of CPU] of each request, by kind, asked in random order.
sub ask
{
    my ($path, $status, %body_of) = @_;
    my (%took, %bodies);
    for my $kind (shuffle map { ($_) x $times } sort keys %body_of) {
        my $n    = @{ $took{$kind} || [] };
        my $cpu  = cpu_ms();
        my $from = clock_gettime(CLOCK_MONOTONIC);
        my $answer = $ads->post($path, undef, $body_of{$kind}->($n));
        push @{ $took{$kind} },
            [1000 * (clock_gettime(CLOCK_MONOTONIC) - $from), cpu_ms() - $cpu];
        die "$path: $answer->{status}\n" if $answer->{status} != $status;
        delete @{ $answer->{json} }{qw(request_id)};
        $bodies{ JSON::PP->new->canonical->encode($answer->{json}) } = 1;
    }
    die "$path: answers differ\n" if keys %bodies != 1;
    return %took;
}

sub report
{
    my ($what, %took) = @_;
    for my $unit (0, 1) {
        my ($known, $unknown) = map {
            median(map { $_->[$unit] } @{ $took{$_} })
        } qw(known unknown);
        printf "%-15s %-5s known %7.2f ms, unknown %7.2f ms, differ %5.2f ms%s\n",
            $what, $unit ? 'CPU' : 'time', $known, $unknown,
            abs $known - $unknown,
            $unit ? '' : ': ' . verdict(abs($known - $unknown) <= 1);
    }
}

if ($part{time}) {
    my $n = max(10, int($times / 9) + 1);    # nine failures each block no one
    sign_up("p$_\@shop.example") for 0 .. $n - 1;
    report('wrong password', ask('/v1/auth/login', 401,
        known => sub {
            +{ email => 'p' . $_[0] % $n . '@shop.example', password => 'wrong' };
        },
        unknown => sub {
            +{ email => 'x' . $_[0] % $n . '@shop.example', password => 'wrong' };
        }));
    report('reset', ask('/v1/auth/password/reset', 202,
        known   => sub { +{ email => 'p' . $_[0] % $n . '@shop.example' } },
        unknown => sub { +{ email => 'x' . $_[0] % $n . '@shop.example' } }));
}

# ---- what it costs ---------------------------------------------------------

# p99 in milliseconds from a click's answer to its commit.
sub commit_p99
{
    my ($load) = @_;
    my $offset = time - clock_gettime(CLOCK_MONOTONIC);
    my %at = map { @$_ } @{ $ads->sql(
        'select click_id, extract(epoch from pg_xact_commit_timestamp(xmin))
         from ads.clicks') };
    my @lag = sort { $a <=> $b } map {
        defined $at{ $_->{id} } ? 1000 * ($at{ $_->{id} } - $offset - $_->{end})
            : ()
    } grep { $_->{status} == 302 } $load->clicks;
    return $lag[ $#lag * 0.99 ];
}

my $storm_rate = 200;
my %storm_body = (
    storm   => { email => 'storm@shop.example', password => $secret },
    refused => { email => 'storm@shop.example' },
);

sub storm_begin
{
    my ($kind) = @_;
    my $body = encode_json($storm_body{$kind});
    my $file = "$ads->{dir}/tmp/login";
    $ads->write_file($file, join "\r\n", 'POST /v1/auth/login HTTP/1.1',
        "Host: 127.0.0.1:$ads->{port}", 'Connection: close',
        'X-Forwarded-For: %a', 'Content-Type: application/json',
        'Content-Length: ' . length $body, '', $body);
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', "$ads->{dir}/tmp/storm";
        exec 'build/shed', $ads->{port}, $storm_rate * $seconds, 'each', $file,
            $storm_rate;
    }
    return $pid;
}

sub round_run
{
    my ($publisher, $kind) = @_;
    my $load = Ads::Load->begin($ads,
        key        => $publisher->{key},
        queries    => ['buy a laser printer', 'buy wireless headphones'],
        clicks     => 200,
        recommends => 80,
        first      => 1,
        seed       => time);
    my $pid = $kind eq 'calm' ? undef : storm_begin($kind);
    my $from = clock_gettime(CLOCK_MONOTONIC);
    sleep $seconds;
    my $to = clock_gettime(CLOCK_MONOTONIC);
    waitpid $pid, 0 if $pid;
    $load->end;
    $ads->wait_until(
        sub { ($ads->get('/metrics'))[1] =~ /^ads_journal_pending_bytes 0$/m },
        30, 'the journal to be committed');
    die 'load: ', ($load->bad)[0], "\n" if $load->bad;
    return {
        click     => 1000 * $load->seconds('click', 0.99, $from, $to),
        recommend => 1000 * $load->seconds('recommend', 0.99, $from, $to),
        commit    => commit_p99($load),
    };
}

if ($part{storm}) {
    my $conf = "$ads->{pg_path}/postgresql.conf";
    $ads->write_file($conf, Ads::Stack::read_file($conf)
            . "track_commit_timestamp = on\n", 0600, $ads->{database_user});
    $ads->stop('postgres');
    delete $ads->{db};
    $ads->start_database;
    $ads->wait_ready(30);
    $ads->wait_until(
        sub { ($ads->get('/metrics'))[1] =~ /^ads_database_up 1$/m },
        30, 'the database');

    $ads->seed_shop(topup => 1_000_000, lifetime => 1_000_000);
    my $publisher = $ads->seed_publisher;
    sign_up('storm@shop.example');

    my %seen;
    my @kinds = qw(calm storm refused);
    for my $round (1 .. $rounds) {
        push @kinds, shift @kinds;
        for my $kind (@kinds) {
            my $one = round_run($publisher, $kind);
            push @{ $seen{$_}{$kind} }, $one->{$_} for keys %$one;
            printf "round %d %-7s", $round, $kind;
            printf "  %s %.1f ms", $_, $one->{$_} for sort keys %$one;
            if ($kind ne 'calm') {
                print map { ', ' . join ' x ', (split ' ')[0, 1] } split /\n/,
                    Ads::Stack::read_file("$ads->{dir}/tmp/storm");
            }
            print "\n";
        }
    }
    for my $what (qw(click recommend commit)) {
        my ($calm, $storm, $refused) =
            map { median(@{ $seen{$what}{$_} }) } qw(calm storm refused);
        printf "%-10s p99 %6.1f ms alone, %6.1f ms in a storm, %.2f x"
            . " (refused before a hash %.1f ms, %.2f x): %s\n",
            $what, $calm, $storm, $storm / $calm, $refused, $refused / $calm,
            verdict($storm / $calm <= 1.2);
    }
}

$ads->done;
exit($fit ? 0 : 1);
