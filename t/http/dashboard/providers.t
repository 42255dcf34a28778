#!/usr/bin/perl
#
# Google, GitHub and Microsoft in a real browser on the dashboard: signing in,
# linking another, unlinking, a session that ends, and what is said when it goes
# wrong.

use strict;
use warnings;
use lib 't/lib';

use Ads::Dashboard;
use Ads::SignIn;
use JSON::PP;
use Test::More;

Ads::Dashboard::need();
my $world = Ads::SignIn->new(qw(google github microsoft));

$world->{google}->account(sub => 'g-ada', email => 'ada@shop.example',
    email_verified => JSON::PP::true, name => 'Ada Lovelace');
$world->{github}->account(id => 4711, login => 'ada', name => 'Ada',
    emails => [
        {
            email    => 'ada@shop.example',
            primary  => JSON::PP::true,
            verified => JSON::PP::true
        }
    ]);
$world->{microsoft}->account(sub => 'm-cy', tid => $Ads::Idp::tenant,
    email => 'cy@shop.example', xms_edov => JSON::PP::true, name => 'Cy');

my $said = Ads::Dashboard::walk({ ads => $world->{ads} }, 'providers.mjs',
    qw(google github microsoft));
is_deeply $said->{in}, ['google in', 'github linked', 'google unlinked',
    'github in', 'microsoft in', 'microsoft again', 'refusal said'],
    'every way in, and out';
is join("\n", @{ $said->{complaints} || ['none'] }), '',
    'no word in the console';

$world->{ads}->done;
