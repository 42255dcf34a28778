#!/usr/bin/perl
#
# `live` cannot grow, as its disk is full: campaigns without a place are not
# sold, and are counted; pauses, revocations and all other campaigns go on.
#
# A tmpfs of limited size in a mount namespace of our own is that disk; making
# one needs root.

use strict;
use warnings;
use lib 't/lib';

use Test::More;

BEGIN {
    plan skip_all => 'mounting needs root' if $> != 0 && !$^C;
    if (!$ENV{ADS_PRIVATE_MOUNTS} && !$^C) {    # not when only checked
        system('unshare', '-m', '--propagation', 'private', 'true') == 0
            or plan skip_all => 'no mount namespace can be made here';
        $ENV{ADS_PRIVATE_MOUNTS} = 1;
        exec 'unshare', '-m', '--propagation', 'private', '--', $^X, $0
            or die "unshare: $!\n";
    }
}

use Ads::Many;
use Ads::Test;
use File::Temp qw(tempdir);

my $run = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0711, $run;

END {
    local $?;
    system 'umount', '-l', $run if $run && -e "$run/.mounted";
}

sub mount
{
    my (@words) = @_;
    system('mount', @words) == 0 or die "mount @words: $?\n";
}

mount('-t', 'tmpfs', '-o', 'size=6m', 'ads', $run);
open my $mark, '>', "$run/.mounted" or die "$run: $!\n";
close $mark;

my $ads  = Ads::Test->new(run_path => $run);
my $many = Ads::Many->new($ads, 'buy a laser printer');

sub slotless { return $ads->metric('ads_live_slotless_campaigns') }

is slotless(), 0, 'all have their places';
$many->make(20_000, 'active ', status => "'active'");
$many->soon(sub { slotless() > 0 }, 'those that have no place are counted');
is slotless() + $ads->metric('ads_live_slots_used'), 20_001,
    'which is all others';
cmp_ok $ads->metric('ads_live_slots_used'), '>', 8_192,
    'the room that there was is used';
is $many->everywhere, 'SHOW', 'meanwhile ads are shown';
$many->works('without room');
is scalar($ads->log_lines('adsd.out', qr/has no room for more than/)), 1,
    'which is said once';

$ads->kill_and_restart('adsd');
is $many->everywhere, 'SHOW', 'a killed adsd goes on with it';
$many->works('after that');
$ads->reload;
is $many->everywhere, 'SHOW', 'and so do new workers';

mount('-o', 'remount,size=32m', $run);
$many->soon(sub { slotless() == 0 }, 'with room again all have their places');
is $ads->metric('ads_live_slots_used'), 20_001, 'and there are no more';
$many->works('with room again');

$ads->done;
