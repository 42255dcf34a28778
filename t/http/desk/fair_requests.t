#!/usr/bin/perl
#
# One account's requests never keep another's waiting for long: who sends many
# slow ones at once gets half of the threads, and waits for its own.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $ads   = Ads::Test->new;
my $loud  = $ads->seed_shop(name => 'Loud shop');
my $quiet = $ads->seed_shop(name => 'Quiet shop');

# A thousand products in one request, again and again, on 40 connections.
sub shout
{
    my ($i) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid != 0;
    my $ended = 0;
    local $SIG{TERM} = sub { $ended = 1 };
    POSIX::nice(19);
    for (my $n = 0 ; !$ended ; $n++) {
        my $body = encode_json([map { {
                        campaign_id => $loud->{campaign}, sku => "s$_",
                        title => "Kettle $i $n $_", price => 9, currency => 'USD',
                        url => "https://shop.example/$_" } } 1 .. 1000]);
        eval {
            Ads::Http::request($ads->{port}, 'POST', '/v1/products',
                ['X-API-Key' => $loud->{key}, 'Content-Type' =>
                    'application/json'], $body);
        };
    }
    POSIX::_exit(0);
}

my @shouting = map { shout($_) } 1 .. 40;
$ads->wait_until(
    sub {
        $ads->sql_value(q{select count(*) from ads.products
            where account_id = ?}, $loud->{account}) >= 1000;
    },
    30,
    'the noise to begin'
);
my (%status, @took);
for (1 .. 60) {
    my $began = time;
    $status{ $ads->http('GET', '/v1/campaigns', ['X-API-Key' => $quiet->{key}])
            ->{status} }++;
    push @took, 1000 * (time - $began);
    sleep 0.05;
}
kill 'TERM', @shouting;
waitpid $_, 0 for @shouting;
@took = sort { $a <=> $b } @took;
note sprintf 'p50 %.0f ms, p99 %.0f ms', $took[ $#took / 2 ], $took[-1];
is_deeply \%status, { 200 => 60 }, 'another account is answered, beside 40 loud ones';

# alone, it is served too, more than half of the threads at once
my @asked = map {
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        my $answer = Ads::Http::request($ads->{port}, 'GET', '/v1/account',
            ['X-API-Key' => $quiet->{key}]);
        POSIX::_exit($answer->{status} == 200 ? 0 : 1);
    }
    $pid;
} 1 .. 30;
my $failed = 0;
for my $pid (@asked) {
    waitpid $pid, 0;
    $failed++ if $?;
}
is $failed, 0, 'thirty requests of one at once are all answered';

$ads->done;
