#!/usr/bin/perl
#
# A backup goes into another cluster, by the lines of docs/operations.md word by
# word, and by somebody who forgot the roles.  Clicks of after the backup wait
# until the operator wants them.

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
    my ($n, $wish) = @_;
    my $before = $ads->sql_value('select count(*) from ads.clicks');
    for (1 .. $n) {
        my $answer;
        $ads->wait_until(
            sub {
                $answer = $ads->recommend($site->{key}, $wish // 'buy a laser printer');
                return @{ $answer->{json}{ads} || [] };
            },
            10, 'an ad');
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
    is $ads->stop($_), 0, "$_ ends" for grep { $ads->part($_) } qw(adsd postgres);
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
is $ads->metric('ads_database_behind_seconds'), 0, 'nothing has to wait';

# ---- without the roles -----------------------------------------------------

$ads->stop('adsd');
shell(@$backup);
($figures, $rights) = (figures(), rights());
$ads->start_adsd;
my $late = $ads->seed_shop(name => 'Late', bid => '0.50', topup => 2, products => [{
    id => 'late-1', title => 'Ulmen garden swing', brand => 'Ulmen', category => ['Garden'],
    price => 99, currency => 'USD', description => 'Garden swing of elm wood', url => 'https://late.example/1' }]);
serve(3);
serve(2, 'buy a garden swing');
my $all = $ads->sql_value('select sum(billed_micros) from ads.clicks');

new_cluster();
$ads->psql('postgres', 'create database ads');
($rc, $said) = $ads->try_postgres('pg_restore', '-d', 'ads', $dump);
cmp_ok scalar(() = $said =~ /error:/g), '>', 100, 'without roles pg_restore complains';
($rc, $said) = shell($restore->[-1]);
is $rc, 0, 'adsctl migrate makes them afterwards' or diag $said;
is_deeply figures(), $figures, 'every figure is there';
is_deeply rights(), $rights, 'and every owner, right and policy';
passwords();

# ---- what came after the backup --------------------------------------------

$ads->start_adsd;
$ads->wait_until(sub { $ads->metric('ads_database_behind_seconds') > 0 }, 20,
    'ingest to wait');
is scalar(() = $ads->log_lines('adsd.out', qr/older than this journal: clicks wait/)), 1,
    'adsd says that the database is older, once';
is_deeply figures(), $figures, 'and commits nothing';

my %row = map { $_->{name} // 'unknown' => $_ }
    $ads->adsctl('journal', 'replay', '--from-backup', '--dry-run');
is_deeply [@{ $row{Shop} }{qw(clicks already_billed billed unfunded)}], [3, 0, 0.75, 0],
    'a dry run says what would be billed';
is_deeply [@{ $row{unknown} }{qw(clicks unknown)}], [2, 1],
    'and what would not, because its ads are not known';
is_deeply figures(), $figures, 'and does nothing';
($rc, $said) = $ads->try_adsctl('reconcile');
is $rc, 1, 'reconcile fails while clicks wait';
like $said, qr/^FAIL R7 the database is as far as this journal/m, 'and says why';
like +($ads->try_adsctl('doctor'))[1], qr/older than the journal/, 'so does doctor';

$ads->adsctl('journal', 'replay', '--from-backup');
$ads->wait_until(sub { $ads->sql_value('select count(*) from ads.clicks') == 10 }, 20,
    'the replay');
is $ads->sql_value('select sum(billed_micros) from ads.clicks'), $all - 1_000_000,
    'what is known is billed then';
is $ads->metric('ads_database_behind_seconds'), 0, 'and nothing waits any more';
serve(1);
($rc, $said) = $ads->try_adsctl('reconcile');
is $rc, 0, 'reconcile is content' or diag $said;
$ads->restart('adsd');
serve(1);

$ads->done;
