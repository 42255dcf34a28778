#!/usr/bin/perl
#
# relevance_floor_bps: how likely an ad is a good answer at least.  A floor that
# nothing reaches shows nothing, and says why.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads = Ads::Test->new(adsd => { relevance_floor_bps => 10_000 });
$ads->seed_shop;
my $pub = $ads->seed_publisher;

my $answer = $ads->recommend($pub->{key}, 'buy a laser printer');
is $answer->{status}, 200, 'a shopping query is answered';
is $answer->{json}{decision}, 'NO_AD', 'with no ad at the highest floor';
is $answer->{json}{reason}, 'below_relevance', 'which is why';

$ads->done;
