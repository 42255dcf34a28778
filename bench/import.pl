#!/usr/bin/perl

# What an import costs: rows a second from file to commit, new and again.
#
#     bench/import.pl [--rows N] [--sync] [FILE]
#
# FILE (../shared/data/catalog.jsonl.zst) is repeated under other keys to N
# rows (100,000), as JSON Lines and as TSV; each is imported into an empty
# account's campaign, and once more unchanged.  Told are rows a second, the
# CPU of adsctl and of PostgreSQL for each row, and adsctl's peak of memory.
# adsd does not run meanwhile.  PostgreSQL is the tests': 64 MB of buffers,
# --sync for fsync and full pages as in production.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib";

use Ads::Test;
use Getopt::Long;
use JSON::PP;
use Time::HiRes qw(sleep time);

my ($rows, $sync) = (100_000, 0);
GetOptions('rows=i' => \$rows, 'sync' => \$sync)
    or die "usage: bench/import.pl [--rows N] [--sync] [FILE]\n";
my $catalogue = $ARGV[0] // "$FindBin::Bin/../../shared/data/catalog.jsonl.zst";
chdir "$FindBin::Bin/.." or die "$!\n";
$| = 1;

my $ads = Ads::Test->new;
if ($sync) {
    $ads->db->do("alter system set $_ = on") for qw(fsync full_page_writes);
    $ads->sql('select pg_reload_conf()');
}
my %shop = map { $_ => $ads->seed_shop(name => $_, products => []) } qw(jsonl tsv);
$ads->stop('adsd');

# ---- files -----------------------------------------------------------------

sub feeds
{
    my $json = JSON::PP->new->utf8->canonical;
    open my $in, '-|', 'zstd', '-dcq', $catalogue or die "zstd: $!\n";
    my @products = map { decode_json($_) } <$in>;
    close $in or die "$catalogue: cannot be read\n";
    my %path = map { $_ => "$ads->{dir}/tmp/feed.$_" } qw(jsonl tsv);
    open my $jsonl, '>', $path{jsonl} or die "$!\n";
    open my $tsv, '>:utf8', $path{tsv} or die "$!\n";
    print $tsv join("\t", qw(id title description link price brand gtin product_type)), "\n";
    for my $n (0 .. $rows - 1) {
        my %product = %{ $products[ $n % @products ] };
        $product{id} .= '-' . int($n / @products);
        print $jsonl $json->encode(\%product), "\n";
        my @cells = (@product{qw(id title description url)},
            "$product{price} $product{currency}", @product{qw(brand gtin)},
            join ' > ', @{ $product{category} || [] });
        print $tsv join("\t", map { my $cell = $_ // ''; $cell =~ s/[\t\r\n"]/ /g; $cell } @cells), "\n";
    }
    close $_ or die "$!\n" for $jsonl, $tsv;
    return %path;
}

# ---- one import ------------------------------------------------------------

# Seconds of CPU that PostgreSQL has used, ended backends included.
sub server_cpu
{
    my $postmaster = $ads->part('postgres')->{pid};
    my $ticks = 0;
    for my $pid ($postmaster, split ' ', slurp("/proc/$postmaster/task/$postmaster/children")) {
        # behind the name: state is the first; utime, stime, cutime, cstime
        my @stat = split ' ', slurp("/proc/$pid/stat") =~ s/^.*\)//r or next;
        $ticks += $stat[11] + $stat[12];
        $ticks += $stat[13] + $stat[14] if $pid == $postmaster;
    }
    return $ticks / 100;
}

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or return '';
    local $/ = undef;
    return scalar(<$in>) // '';
}

sub import_once
{
    my ($format, $path, $what) = @_;
    my ($peak, $from, $server) = (0, time, server_cpu());
    my ($user, $system) = (times)[2, 3];
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        $ads->become($ads->adsctl_argv('import', '--campaign', $shop{$format}{campaign}, $path));
    }
    while (waitpid($pid, 1) == 0) {
        $peak = $1 if slurp("/proc/$pid/status") =~ /^VmHWM:\s+(\d+)/m;
        sleep 0.02;
    }
    die "import: exit " . ($? >> 8) . "\n" if $? >> 8 > 1;
    my $took = time - $from;
    my ($user_after, $system_after) = (times)[2, 3];
    my $cpu = $user_after + $system_after - $user - $system;
    sleep 0.1;    # until the postmaster has buried the backend
    printf "%-6s %-10s %9.0f rows/s  adsctl %5.1f us  postgres %5.1f us  %6d KiB\n",
        $format, $what, $rows / $took, $cpu / $rows * 1e6,
        (server_cpu() - $server) / $rows * 1e6, $peak;
}

my %path = feeds();
print "$rows rows\n";
for my $format (qw(jsonl tsv)) {
    import_once($format, $path{$format}, 'new');
    import_once($format, $path{$format}, 'unchanged');
}
