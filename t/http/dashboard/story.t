#!/usr/bin/perl
#
# A stranger's way through the dashboard in a real browser: from signing up to
# the first ad, a session that ends in the middle of a form, other tabs, a change
# made elsewhere, the keyboard alone.

use strict;
use warnings;
use lib 't/lib';

use Ads::Dashboard;
use POSIX ();
use Test::More;

Ads::Dashboard::need();
my $world = Ads::Dashboard->new;
my $ads   = $world->{ads};
my $boss  = $world->{boss}{key};

# the operator, who settles what is announced
my $operator = fork // die "fork: $!\n";
if ($operator == 0) {
    $ads->{owner} = -1;    # the test ends the programs, not this process
    $ads->wait_until(sub {
        my $list = $ads->http('GET', '/v1/platform/topups?status=pending',
            [Authorization => "Bearer $boss"])->{json};
        my ($topup) = @{ $list->{data} || [] } or return 0;
        return $ads->post("/v1/platform/topups/$topup->{id}/settle", $boss, {})
            ->{status} == 200;
    }, 300, 'a top-up to settle');
    POSIX::_exit(0);
}

my $said = $world->walk('story.mjs', "$ads->{dir}/mail");
kill 'TERM', $operator if !$said->{steps};
waitpid $operator, 0;

is_deeply $said->{steps}, ['signed up', 'confirmed', 'campaign', 'imported',
    'money', 'started', 'tabs', 'session', 'conflict', 'out', 'keyboard'],
    'every step is gone';
is join("\n", @{ $said->{complaints} || ['none'] }), '',
    'no word in the console: neither an error nor a breach of the policy';

my $key    = $world->{site}{key};
my $answer = $ads->recommend($key, 'buy a quiet desk fan')->{json};
is $answer->{ads}[0]{title}, 'Zephyr desk fan quiet', 'the ad is shown';
is $answer->{ads}[0]{advertiser}, 'Zephyr Fans', 'for whom is said';

$ads->done;
