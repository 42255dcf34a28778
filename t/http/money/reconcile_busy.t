#!/usr/bin/perl
#
# `adsctl reconcile` beside a busy adsd: what is written and committed after it
# has measured the files, and before it reads the cursors, is no difference.

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Test;
use POSIX ();
use Test::More;

my $ads = Ads::Test->new;
my $pub = $ads->seed_publisher;
$ads->seed_shop;

sub click
{
    my $ad = $ads->recommend($pub->{key}, 'buy a laser printer')
        ->{json}{ads}[0];
    return $ads->click($ad->{click_url})->{status};
}

# The backend that waits for the cursors, of that program.
sub waits
{
    my ($program) = @_;
    return $ads->sql_value(q{select pid from pg_stat_activity
        where application_name = ? and wait_event_type = 'Lock'}, $program);
}

is click(), 302, 'a click';
Ads::Journal::wait_drained($ads, 20);

# a second session: the first one asks who waits
my $gate = $ads->db->clone;
$gate->begin_work;
$gate->do('lock table ads.journal_cursor in access exclusive mode');

my $out = "$ads->{dir}/tmp/reconcile";
my $pid = fork // die "fork: $!\n";
if ($pid == 0) {
    open STDOUT, '>', $out or POSIX::_exit(9);
    my ($code, $said) = $ads->try_adsctl('reconcile');
    print STDOUT $said;
    close STDOUT;
    POSIX::_exit($code);
}
my $backend;
$ads->wait_until(sub { $backend = waits('adsctl') }, 20,
    'reconcile to have read the files');

# it is held there, while more is written and committed
kill 'STOP', $backend;
is click(), 302, 'a click after it looked';
$gate->commit;
$gate->disconnect;
$ads->wait_until(
    sub { $ads->sql_value('select count(*) from ads.clicks') == 2 },
    20, 'the click to be committed');
kill 'CONT', $backend;
waitpid $pid, 0;
is $? >> 8, 0, 'it finds no difference'
    or diag Ads::Stack::read_file($out);

$ads->done;
