#!/usr/bin/perl
#
# The schema's version: each migration once, in order, never another one under
# the same number; functions replaced when they changed.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use File::Copy qw(copy);
use File::Path qw(make_path);
use Test::More;

my $ads = Ads::Test->new(parts => []);
my $sql = "$ads->{dir}/sql";

# A copy of the shipped files, to be changed.
for my $folder (qw(migrations code)) {
    make_path("$sql/$folder");
    for my $file (glob "$ads->{root}/sql/$folder/*.sql") {
        copy($file, "$sql/$folder") or die "$file: $!\n";
    }
}
$ads->{adsd}{sql_path} = $sql;
$ads->write_configs;
$ads->init_database;
$ads->start_database;
$ads->create_database;

my @shipped = glob "$sql/migrations/*.sql";
my $n       = @shipped;

sub migrate
{
    return $ads->try_adsctl('--json', 'migrate');
}

sub applied
{
    return $ads->sql_value('select count(*) from ads.schema_migrations');
}

# ---- who -------------------------------------------------------------------

my @as_adsd = ($ads->program('adsctl'), '-c', "$ads->{dir}/adsd.conf", 'migrate');
my ($denied, $why) = $ads->try(@as_adsd);
is $denied, 1, 'the login of adsd cannot migrate';
like $why, qr/may not become ads_owner: run roles\.sql/, 'and what to do is said';

# ---- two at once -----------------------------------------------------------

my @children;
for (1 .. 2) {
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        my ($rc, $said) = migrate();
        print STDERR $said if $rc;
        POSIX::_exit($rc);
    }
    push @children, $pid;
}
my @ends = map { waitpid $_, 0; $? } @children;
is "@ends", '0 0', 'two that migrate at once both succeed';
is applied(), $n, 'and every migration ran once';

my ($rc, $said) = migrate();
is $rc, 0, 'once more changes nothing';
like $said, qr/"version":$n,"applied":0,"code_applied":false/, 'and says so';
is +($ads->try(@as_adsd))[0], 0, 'which any login may see';
is $ads->sql_value(q{select count(*) from pg_roles r, pg_class c
        where r.oid = c.relowner and c.relnamespace = 'ads'::regnamespace
            and r.rolname <> 'ads_owner'}), 0, 'all of it is owned by ads_owner';
$ads->psql('postgres', 'alter role ads createrole; grant ads_owner to ads');
$ads->run_postgres('psql', '-Xq', '-d', 'postgres', '-f', "$ads->{root}/sql/roles.sql");
is $ads->sql_value(q{select rolcreaterole or pg_has_role('ads', 'ads_owner', 'member')
        from pg_roles where rolname = 'ads'}), 0,
    'roles.sql, run again, takes from adsd\'s login what it must not have';

# ---- functions -------------------------------------------------------------

my $mark = "$sql/code/98_mark.sql";
$ads->write_file($mark, <<'END');
create or replace function ads.mark() returns int language sql return 1;
END
($rc, $said) = migrate();
like $said, qr/"applied":0,"code_applied":true/, 'a new function is taken in';
is $ads->sql_value('select ads.mark()'), 1, 'and there';

$ads->write_file($mark, 'create or replace function ads.mark(;');
($rc, $said) = migrate();
is $rc, 1, 'functions that do not parse are refused';
like $said, qr/statement 98_mark\.sql failed: 42601/, 'by name';
is $ads->sql_value('select ads.mark()'), 1, 'and nothing has changed';
unlink $mark;
is [migrate()]->[0], 0, 'without them all is well again';

# ---- migrations ------------------------------------------------------------

my $next = sprintf '%s/migrations/%04d_probe.sql', $sql, $n + 1;
$ads->write_file($next, <<'END');
create table ads.probes (id int primary key);
insert into ads.probes (id) values (1);
select 1 / 0;
END
($rc, $said) = migrate();
is $rc, 1, 'a migration that fails is refused';
like $said, qr/_probe\.sql failed: 22012/, 'by name';
is applied(), $n, 'it is not recorded';
is $ads->sql_value("select to_regclass('ads.probes')"), undef,
    'and has left nothing';

$ads->write_file($next, 'create table ads.probes (id int primary key);');
like [migrate()]->[1], qr/"applied":1/, 'put right, it runs';
$ads->write_file($next, 'create table ads.probes (id bigint primary key);');
($rc, $said) = migrate();
is $rc, 1, 'a migration that changed after it ran is refused';
like $said, qr/_probe\.sql" ran with other contents: never edit one/,
    'and why is said';

unlink $next;
($rc, $said) = migrate();
is $rc, 1, 'an older program does not touch a newer schema';
like $said, qr/version @{[$n + 1]}, this program knows $n/, 'and says so';

my $gap = sprintf '%s/migrations/%04d_gap.sql', $sql, $n + 2;
$ads->write_file($gap, 'select 1;');
($rc, $said) = migrate();
is $rc, 1, 'a gap in the numbers is refused';
like $said, qr/_gap\.sql" stands where a migration \d+_/, 'with its place';
unlink $gap;

# ---- adsd on another schema ------------------------------------------------

$ads->try_adsctl('init');
$ads->start_adsd;
$ads->wait_until(
    sub {
        $ads->log_lines('adsd.out', qr/schema is newer than this program/);
    },
    15,
    'adsd to say that the schema is newer'
);
pass 'adsd waits when the schema is newer than it';
$ads->psql('ads',
    "delete from ads.schema_migrations where version = @{[$n + 1]}");
$ads->wait_until(
    sub { $ads->log_lines('adsd.out', qr/"database ready"/) },
    20, 'adsd to go on');
pass 'and goes on when it is not any more';

$ads->done;
