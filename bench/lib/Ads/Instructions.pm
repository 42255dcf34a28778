package Ads::Instructions;

# Instructions that one request costs a worker outside the kernel, counted by
# callgrind: the same to a tenth of a percent on a busy machine and an idle
# one.  A count is the difference between a run of many requests and one of
# few, so that starting and ending cancel out.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../bench/lib", "$FindBin::Bin/../tools/lib";

use Ads::Bench;

our @ISA = ('Ads::Test');

my $few   = 500;
my $many  = 1500;
my $query = 'buy a hp toner cartridge';

# the decision but for what it asks before it matches
my @matched = ([+1, 'ads_decide'], [-1, 'ads_guard_check'],
    [-1, 'ads_intent_score']);

# What the counts depend on beside our sources.
sub machine
{
    my ($gcc)    = `cc -dumpfullversion`     =~ /(\S+)/;
    my ($nginx)  = `/usr/sbin/nginx -v 2>&1` =~ m{nginx/(\S+)};
    my ($sodium) = `dpkg-query -W -f '\${Version}' libsodium23` =~ /(\S+)/;
    my ($libc)   = `dpkg-query -W -f '\${Version}' libc6`       =~ /(\S+)/;
    return "cc $gcc, nginx $nginx, libsodium $sodium, libc $libc";
}

# The committed table: of what machine, {name => instructions}.
sub table
{
    return table_of(Ads::Stack::read_file('bench/instructions.tsv'));
}

# The same, counted here and now with the commit that wrote it: what it says of
# another machine tells nothing about this one.
sub counted_again
{
    my ($dir) = @_;
    my $commit = `git log -1 --format=%H -- bench/instructions.tsv` =~ s/\n//r;
    die "no history to count: run bench/instructions --write\n" if !$commit;
    local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};
    chmod 0755, $dir;    # adsd and nginx run as somebody else there, too
    Ads::Bench::quietly('sh', '-ec', "git archive $commit | tar -x -C '$dir'"
            . " && make -s -C '$dir' all tools"
            . " && '$dir/bench/instructions' >'$dir/counted'");
    return (table_of(Ads::Stack::read_file("$dir/counted")))[1];
}

sub table_of
{
    my ($text) = @_;
    my ($machine, %table) = ('');
    for my $line (split /\n/, $text) {
        if ($line =~ /^# (.*)/) {
            $machine = $1;
            next;
        }
        my ($name, $n) = split /\t/, $line;
        $table{$name} = $n;
    }
    return ($machine, \%table);
}

# An installation whose nginx is one process under callgrind: shops that sell
# the first products of the demo catalogue, and a publisher.
sub new
{
    my ($class) = @_;
    my $ads = Ads::Test::new(
        $class,
        parts   => [qw(postgres adsd)],
        workers => 1,
        nginx   => "        access_log off;\n",
    );

    # one process changes no user
    $ads->{as}{nginx} = $ads->{user};
    my @lines = split /^/m,
        Ads::Bench::quietly('sh', '-c',
        'zstd -qdc data/demo-catalog.jsonl.zst | head -n 2000');
    $ads->{publisher} = $ads->seed_publisher;
    Ads::Bench::seed_catalogue($ads, 10, \@lines);
    return $ads;
}

sub argv
{
    my ($ads, $name) = @_;
    my $argv = $ads->SUPER::argv($name);
    return $argv if $name ne 'nginx';
    $argv->[-1] = 'daemon off; master_process off;';
    return [
        'valgrind', '--tool=callgrind',
        "--callgrind-out-file=$ads->{dir}/log/callgrind.out", @$argv
    ];
}

# Totals of one run of n requests: {total, matched}.
sub run_of
{
    my ($ads, $target, $n) = @_;
    my $out = "$ads->{dir}/log/callgrind.out";

    $ads->start_nginx;
    $ads->wait_ready(60);
    Ads::Bench::shows($ads, $ads->{publisher}{key}, $query, 3);
    my $text = Ads::Bench::quietly('h2load', '--h1', '-c1', "-n$n",
        @{ $target->{h2load} });
    my ($ok) = $text =~ /(\d+) succeeded/;
    my ($good) = $text =~ /status codes: (.*)/;
    die "$target->{name}: $good\n$text" if $ok != $n;
    $ads->stop('nginx') == 0 or die "nginx under valgrind failed\n";

    my %cost = (total => 0, matched => 0);
    my $annotated = Ads::Bench::quietly('callgrind_annotate',
        '--inclusive=yes', '--auto=no', '--threshold=100', $out);
    rename $out, "$out.$target->{name}.$n";
    ($cost{total}) = $annotated =~ /^\h*([\d,]+).*PROGRAM TOTALS/m;
    for my $part (@matched) {
        my ($sign, $name) = @$part;
        my ($n) = $annotated =~ /^\h*([\d,]+)\h+\([^)]*\)\h+\S*:\Q$name\E\b/m;
        $cost{matched} += $sign * ($n // 0) =~ tr/,//dr;
    }
    $cost{total} =~ tr/,//d;
    return \%cost;
}

# Instructions a request: {total, matched}.
sub count
{
    my ($ads, $target) = @_;
    my ($less, $more) = map { run_of($ads, $target, $_) } $few, $many;
    return {
        map { $_ => ($more->{$_} - $less->{$_}) / ($many - $few) }
            qw(total matched)
    };
}

# {name => instructions a request} of everything that is gated.
sub counts
{
    my ($ads) = @_;
    my $url   = "http://127.0.0.1:$ads->{port}";
    my $links = Ads::Bench::links($ads, $ads->{publisher}{account},
        $many, $url);
    my $body  = Ads::Bench::body($query);
    $ads->write_file("$ads->{dir}/tmp/body", $body, 0644);

    my $click = count(
        $ads,
        {
            name   => 'click',
            h2load => [
                '-H', 'user-agent: ' . Ads::Bench::firefox(), '-i', $links
            ]
        }
    );
    my $recommend = count(
        $ads,
        {
            name   => 'recommend',
            h2load => [
                '-H', 'content-type: application/json', '-H',
                "authorization: Bearer $ads->{publisher}{key}", '-d',
                "$ads->{dir}/tmp/body", "$url/v1/ads/recommend"
            ]
        }
    );
    return {
        'click'                            => $click->{total},
        'recommend'                        => $recommend->{total},
        'recommend without match and rank' =>
            $recommend->{total} - $recommend->{matched},
    };
}

1;
