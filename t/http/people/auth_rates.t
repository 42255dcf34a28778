#!/usr/bin/perl
#
# The example's rates of signing in: 30 a minute for each client address, told
# to the client, and not for what costs nothing.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Load;
use Ads::Test;
use Test::More;

my $ads = Ads::Test->new(rates => 1, nginx_http => Ads::Load::realip());

sub ask
{
    my ($path, $address) = @_;
    return $ads->post("/v1/auth/$path", undef, '{}',
        'X-Forwarded-For' => $address);
}

my %seen;
my $first = ask('login', '192.0.2.1');
like $first->{headers}{'ratelimit-policy'}, qr/"sign-in";q=30;w=60/,
    'the rate is told';
$seen{ ask($_, '192.0.2.1')->{status} }++
    for map { ($_) x 10 } qw(login signup password/reset);
is_deeply [sort keys %seen], [400], 'thirty tries are answered';
my $over;
for (1 .. 5) {
    $over = ask('login', '192.0.2.1');
    last if $over->{status} == 429;
}
$ads->is_problem($over, 429, 'rate_limited', 'then they are refused');
ok $over->{headers}{'retry-after'}, 'with a time to come again';
for my $path (qw(signup password/reset password/reset/confirm email/verify)) {
    my $answer = ask($path, '192.0.2.1');
    $answer = ask($path, '192.0.2.1') if $answer->{status} == 400;
    is $answer->{status}, 429, "whichever is tried: $path";
}
is ask('login', '192.0.2.2')->{status}, 400, 'another address is let in';
is ask('refresh', '192.0.2.1')->{status}, 401, 'refreshing goes on';
is ask('logout', '192.0.2.1')->{status}, 401, 'and signing out';

$ads->done;
