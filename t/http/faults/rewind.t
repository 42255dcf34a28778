#!/usr/bin/perl
#
# The database goes back in time: a replica that lagged, a restored backup.
# The journal is still there, so adsd replays what is missing, without being
# restarted, and nothing is billed twice; what a backup lacks when the operator
# says so.
#
# Runs: long

use strict;
use warnings;
use lib 't/lib';

use Ads::Chaos;
use File::Copy ();
use Test::More;
use Time::HiRes qw(sleep);

my $chaos = Ads::Chaos->new;
my $ads   = $chaos->{ads};

sub load
{
    my ($seconds) = @_;
    $chaos->begin;
    sleep $seconds;
    $chaos->end;
}

sub stored
{
    return $ads->sql_value('select count(*) from ads.clicks');
}

# A worker that ends leaves a segment that is read to its end.
sub new_workers
{
    my %old = map { $_ => 1 } $chaos->workers;
    $ads->part('nginx')->signal('HUP');
    $ads->wait_until(
        sub { my @now = $chaos->workers; @now == 2 && !grep { $old{$_} } @now },
        15, 'new workers');
}

sub stop_database
{
    is $ads->stop('postgres'), 0, 'the database ends';
    delete $ads->{db};
}

# ---- a replica that lagged -------------------------------------------------

load(1);
new_workers();
$chaos->drained(10, 'before');
my $then = stored();

stop_database();
system('cp', '-a', $ads->{pg_path}, "$ads->{pg_path}.then") == 0
    or die "cp: $?\n";
$ads->begin('postgres');
load(1.5);
new_workers();
load(0.5);
$chaos->drained(10, 'meanwhile');
my $epoch = $ads->sql_value('select epoch from ads.nodes');
cmp_ok stored(), '>', $then, 'clicks were committed that will be gone';

stop_database();
rename $ads->{pg_path}, "$ads->{pg_path}.lost" or die "pg: $!\n";
rename "$ads->{pg_path}.then", $ads->{pg_path} or die "pg: $!\n";
$ads->begin('postgres');
$chaos->check('a replica that lagged', 20);
is $ads->sql_value('select epoch from ads.nodes'), $epoch,
    'adsd went on in its epoch';
cmp_ok scalar(() = $ads->log_lines('adsd.out', qr/went back/)), '>', 0,
    'and said that the database went back';
load(0.5);
$chaos->check('and goes on', 10);

# ---- a backup of an earlier epoch ------------------------------------------

my $dump = "$ads->{dir}/tmp/dump";
$ads->run_postgres('pg_dump', '-Fc', '-f', $dump, 'ads');
$ads->restart('adsd');
load(1);
new_workers();
$chaos->drained(10, 'after the backup');
$epoch = $ads->sql_value('select epoch from ads.nodes');

delete $ads->{db};
$ads->psql('postgres', 'alter database ads allow_connections false');
$ads->wait_until(
    sub {
        $ads->psql('postgres',
            q{select pg_terminate_backend(pid) from pg_stat_activity
              where datname = 'ads'});
        return eval {
            $ads->psql('postgres', 'alter database ads rename to lost');
            1;
        };
    },
    20,
    'the old database to be free'
);
$ads->psql('postgres', 'create database restored owner ads_owner');
$ads->run_postgres('pg_restore', '-d', 'restored', $dump);
$ads->psql('postgres', 'alter database restored rename to ads');
$ads->wait_until(
    sub { ($ads->metric('ads_database_behind_seconds') // 0) > 0 },
    20, 'ingest to wait for the operator');
$ads->adsctl('journal', 'replay', '--from-backup');
$chaos->check('a restored backup', 30);
cmp_ok $ads->sql_value('select epoch from ads.nodes'), '>', $epoch,
    'adsd goes on above every epoch there was';
ok !$ads->part('adsd')->ended, 'without a restart';
load(0.5);
$chaos->check('and goes on', 10);

# ---- a machine that was off for ten days -----------------------------------

new_workers();
$chaos->drained(10, 'before it is off');
is $ads->stop('adsd'), 0, 'adsd ends';
$ads->psql('ads',
    q{update ads.journal_cursor set updated_at = now() - interval '10 days'});
$ads->psql('ads', 'select * from ads.maintain()');
$ads->begin('adsd');
load(0.5);
$chaos->check('what was committed long ago is not read again', 20);
is $ads->sql_value('select count(*) from ads.ingest_reject'), 0,
    'and no record of it set aside';

$chaos->done;
