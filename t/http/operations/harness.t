#!/usr/bin/perl
#
# The ground the other files stand on: both programs start, answer, come back
# after a kill, and nginx takes the example configuration as it is.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads = Ads::Test->new;

for my $path (qw(/healthz /readyz /metrics)) {
    my $answer = $ads->http('GET', $path);
    is $answer->{status}, 200, "$path answers";
    like $answer->{headers}{'x-request-id'} // '',
        qr/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        "$path carries a request id";
}

my $nowhere = $ads->http('GET', '/v1/nowhere');
$ads->is_problem($nowhere, 404, 'not_found', 'an unknown path is a problem');

$ads->kill_and_restart('adsd');
$ads->wait_ready(10);
pass 'adsd comes back after a kill';

$ads->kill_and_restart('nginx');
$ads->wait_ready(10);
pass 'nginx comes back after a kill';

$ads->restart('adsd');
$ads->restart('nginx');
$ads->wait_ready(10);

$ads->kill_and_restart('postgres');
$ads->wait_until(
    sub {
        $ads->http('GET', '/v1/nowhere')->{status} == 404;
    },
    20,
    'adsd to find the database again'
);
pass 'adsd finds the database again';

$ads->done;
