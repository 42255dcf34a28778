#!/usr/bin/perl
#
# A backup goes into another cluster, by the lines of docs/operations.md word by
# word, and by somebody who forgot the roles.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop;
my $site = $ads->seed_publisher;
my $dump = "$ads->{dir}/tmp/ads.dump";

# The lines that do it, from a heading of the page on.
my $page = Ads::Stack::read_file("$ads->{root}/docs/operations.md");
my ($backup, $restore) = map { [/^    (.+)$/mg] }
    $page =~ /^## Backup and restore\n(.*?)^Into a new cluster(.*?)^A backup/ms;
is @$backup + @$restore, 4, 'the page has a line to back up and three to restore';

sub shell
{
    my ($line) = @_;
    my %place = (
        '/usr/share/ngx-ads/' => "$ads->{root}/sql/",
        '/var/backups/ads.dump' => $dump,
        'adsctl ' => $ads->program('adsctl') . " -c $ads->{dir}/adsd.conf ",
    );
    $line =~ s/^sudo -u postgres //;
    $line =~ s/\Q$_\E/$place{$_}/ for keys %place;
    local $ENV{PATH} = Ads::Stack::postgres_path() . ":$ENV{PATH}";
    local @ENV{qw(PGHOST PGPORT PGUSER PGPASSWORD)} =
        ($ads->{db_path}, 5432, 'postgres', $ads->password('postgres'));
    return $ads->try('sh', '-c', $line);
}

sub serve
{
    my ($n) = @_;
    my $before = $ads->sql_value('select count(*) from ads.clicks');
    for (1 .. $n) {
        my $answer = $ads->recommend($site->{key}, 'buy a laser printer');
        $ads->click($answer->{json}{ads}[0]{click_url});
    }
    $ads->wait_until(
        sub { $ads->sql_value('select count(*) from ads.clicks') == $before + $n },
        10, 'clicks in the database');
}

sub figures
{
    return $ads->sql(q{
        select 'balance', sum(balance_micros)::text from ads.ledger_accounts where kind <> 'cash'
        union all select 'clicks', count(*)::text from ads.clicks
        union all select 'billed', sum(billed_micros)::text from ads.clicks
        union all select 'ledger', md5(string_agg(t::text, ' ' order by id)) from ads.ledger_transactions t
        union all select 'keys', md5(string_agg(k.id::text || encode(k.hash, 'hex'), ' ' order by id)) from ads.api_keys k
        union all select 'products', md5(string_agg(p::text, ' ' order by id)) from ads.products p
        order by 1});
}

# Every right, policy and owner in the schema; partitions have the rights of the
# day they were made.
sub rights
{
    return [map { $_->[0] } @{ $ads->sql(q{
        select format('%s %s %s', c.relname, c.relowner::regrole, array(select x::text from unnest(c.relacl) x order by 1)) as line
        from pg_class c where c.relnamespace = 'ads'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
            and not c.relispartition
        union all
        select format('%s %s %s', p.oid::regprocedure, p.proowner::regrole, array(select x::text from unnest(p.proacl) x order by 1))
        from pg_proc p where p.pronamespace = 'ads'::regnamespace
        union all
        select format('%s %s %s %s', tablename, policyname, roles, qual) from pg_policies where schemaname = 'ads'
        union all
        select format('%s %s', n.nspowner::regrole, array(select x::text from unnest(n.nspacl) x order by 1))
        from pg_namespace n where n.nspname = 'ads'
        order by 1}) }];
}

# Another cluster in the place of the one that is lost.
sub new_cluster
{
    is $ads->stop($_), 0, "$_ ends" for qw(adsd postgres);
    delete $ads->{db};
    rename $ads->{pg_path}, "$ads->{pg_path}.lost." . ++$ads->{n_lost}
        or die "$ads->{pg_path}: $!\n";
    $ads->init_database;
    $ads->start_database;
}

sub passwords
{
    $ads->psql('postgres', "create role operator login in role ads_owner, ads_ops, ads_pay password '"
        . $ads->password('operator') . "'");
    $ads->psql('postgres', "alter role ads password '" . $ads->password('ads') . "'");
    $ads->write_logins;
}

sub works
{
    my ($n) = @_;
    $ads->start_adsd;
    serve($n);
    my ($rc, $said) = $ads->try_adsctl('reconcile');
    is $rc, 0, 'it sells again, and reconcile is content' or diag $said;
}

# ---- by the page -----------------------------------------------------------

serve(3);
$ads->stop('adsd');
my ($rc, $said) = shell(@$backup);
is $rc, 0, 'the backup is written' or diag $said;
my ($figures, $rights) = (figures(), rights());
$ads->start_adsd;

new_cluster();
for my $line (@$restore) {
    ($rc, $said) = shell($line);
    is $rc, 0, $line or diag $said;
    unlike $said, qr/error/i, 'not one error';
}
is_deeply figures(), $figures, 'every figure is what it was';
is_deeply rights(), $rights, 'and every owner, right and policy';
passwords();
works(2);

# ---- without the roles -----------------------------------------------------

$ads->stop('adsd');
shell(@$backup);
($figures, $rights) = (figures(), rights());
$ads->start_adsd;

new_cluster();
$ads->psql('postgres', 'create database ads');
($rc, $said) = $ads->try_postgres('pg_restore', '-d', 'ads', $dump);
cmp_ok scalar(() = $said =~ /error:/g), '>', 100, 'without roles pg_restore complains';
($rc, $said) = shell($restore->[-1]);
is $rc, 0, 'adsctl migrate makes them afterwards' or diag $said;
is_deeply figures(), $figures, 'every figure is there';
is_deeply rights(), $rights, 'and every owner, right and policy';
passwords();
works(2);

$ads->done;
