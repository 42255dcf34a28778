package Ads::Engines;

# Search engines that bench/engines compares: each indexes the same products
# and ranks the same queries.
#
# A folder has what all read: products.jsonl, products.tsv (id, title, brand,
# text), queries.tsv and timed.tsv (id, query).  An engine leaves run.tsv there
# (query id and product id, best first) and is measured inside its process: the
# microseconds of each query of timed.tsv to its first products, the best of
# three passes.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib";

use Ads::Bench;
use Ads::Test;
use File::Path qw(make_path);
use JSON::PP;
use POSIX qw(ceil);

my @jars = map { "/usr/share/java/lucene-$_-4.10.4.jar" }
    qw(core analyzers-common);

# Other text than title and brand, as one line.
my @text = qw(category description color material);

# Where they run: a PostgreSQL of its own, and Lucene's program compiled.
sub new
{
    my ($class) = @_;
    my $ads = Ads::Test->new(parts => [], locale => 'C.UTF-8');
    my $self = bless { ads => $ads, dir => "$ads->{dir}/engines" }, $class;

    make_path("$self->{dir}/java");
    Ads::Bench::quietly('javac', '-nowarn', '-cp', join(':', @jars), '-d',
        "$self->{dir}/java", 'bench/peers/Search.java');
    $ads->init_database;
    $ads->start_database;
    return $self;
}

sub clean
{
    my ($self) = @_;
    $self->{ads}->clean;
}

sub package_version
{
    my ($package) = @_;
    my $version =
        Ads::Bench::quietly('dpkg-query', '-W', '-f', '${Version}', $package);
    return $version =~ s/^\d+:|[+-].*//gr;
}

# Names and versions.
sub versions
{
    my $sqlite = Ads::Bench::quietly('/usr/bin/python3', '-c',
        'import sqlite3; print(sqlite3.sqlite_version)');
    return {
        'PostgreSQL'  => package_version('postgresql-15'),
        'Xapian'      => package_version('python3-xapian'),
        'SQLite FTS5' => $sqlite =~ s/\n//r,
        'Lucene'      => package_version('liblucene4.10-java'),
    };
}

# ---- input -----------------------------------------------------------------

sub folded
{
    my (@words) = @_;
    return join(' ', map { ref $_ ? @$_ : $_ // () } @words)
        =~ s/[\s\x00-\x1f]+/ /gr;
}

# A folder with the products of these JSON lines and the queries ([id, words]);
# at most `most` of them, spread evenly, are timed.
sub folder
{
    my ($self, $name, $lines, $queries, $most) = @_;
    my $dir  = "$self->{dir}/$name";
    my $step = @$queries > $most ? @$queries / $most : 1;
    my @timed = map { $queries->[ $_ * $step ] } 0 .. @$queries / $step - 1;

    make_path($dir);
    $self->{ads}->own($dir);
    chmod 0777, $dir;    # PostgreSQL leaves files there
    Ads::BenchReport::write_text("$dir/products.jsonl", join '', @$lines);
    open my $out, '>:utf8', "$dir/products.tsv" or die "$dir: $!\n";
    for my $line (@$lines) {
        my $product = decode_json($line);
        print {$out} join("\t", map { folded($_) } @{$product}{qw(id title)},
            $product->{brand}, [grep { defined } map { ref $_ ? @$_ : $_ }
                @{$product}{@text}]), "\n";
    }
    close $out or die "$dir: $!\n";
    for my $file ([queries => $queries], [timed => \@timed]) {
        open my $out, '>:utf8', "$dir/$file->[0].tsv" or die "$dir: $!\n";
        print {$out} map { $_->[0] . "\t" . folded($_->[1]) . "\n" }
            @{ $file->[1] };
        close $out or die "$dir: $!\n";
    }
    return $dir;
}

# ---- engines ---------------------------------------------------------------

# The median and the 99th percentile of a file of numbers.
sub percentiles
{
    my ($path) = @_;
    my @us = sort { $a <=> $b } split ' ', Ads::Stack::read_file($path);
    return map { $us[ ceil($_ * @us) - 1 ] + 0 } 0.5, 0.99;
}

sub postgresql
{
    my ($self, $dir) = @_;
    my $ads = $self->{ads};
    $ads->psql('postgres', 'drop database if exists search');
    $ads->psql('postgres',
        "create database search template template0 locale 'C.UTF-8'");
    return $ads->run_postgres(Ads::Stack::psql_words('search'), '-v',
        "folder=$dir", '-f',
        "$ads->{root}/bench/peers/search.sql");
}

sub python
{
    my ($self, $dir, $name) = @_;
    return Ads::Bench::quietly('/usr/bin/python3', 'bench/peers/search.py',
        $name, $dir);
}

sub lucene
{
    my ($self, $dir) = @_;
    return Ads::Bench::quietly('java', '-XX:+UseSerialGC', '-Xmx1g', '-cp',
        join(':', "$self->{dir}/java", @jars), 'Search', $dir);
}

# Ours: index bytes and times as it says them itself.
sub ours
{
    my ($dir) = @_;
    Ads::Bench::quietly('sh', '-c', 'build/relevance -n 1000'
            . ' "$0/products.jsonl" "$0/queries.tsv" > "$0/run.tsv"', $dir);
    my %said = map { my ($name, @rest) = split /\t/; ($name => \@rest) }
        split /\n/, Ads::Bench::quietly('sh', '-c',
        'build/relevance -t "$0/products.jsonl" "$0/timed.tsv" 2>&1', $dir);
    return {
        p50_us => $said{both}[0] + 0,
        p99_us => $said{both}[1] + 0,
        bytes  => $said{index}[0] + 0,
        map {
            ("${_}_p50_us" => $said{$_}[0] + 0,
                "${_}_p99_us" => $said{$_}[1] + 0)
        } qw(understand match),
    };
}

my %engine = (
    'PostgreSQL'  => \&postgresql,
    'Xapian'      => sub { python(@_, 'xapian') },
    'SQLite FTS5' => sub { python(@_, 'fts5') },
    'Lucene'      => \&lucene,
);

sub names
{
    return ('ngx-ads', 'PostgreSQL', 'Xapian', 'SQLite FTS5', 'Lucene');
}

# What an engine makes of a folder: {run (a file), p50_us, p99_us, bytes}.
sub measure
{
    my ($self, $name, $dir) = @_;
    my $made;

    unlink "$dir/run.tsv", "$dir/times.tsv";
    if ($engine{$name}) {
        my ($bytes) = $engine{$name}->($self, $dir) =~ /^(\d+)\s*\z/
            or die "$name: no size\n";
        my ($p50, $p99) = percentiles("$dir/times.tsv");
        $made = { p50_us => $p50, p99_us => $p99, bytes => $bytes + 0 };
    } else {
        $made = ours($dir);
    }
    $made->{run} = "$dir/run." . lc($name) =~ s/ /-/gr;
    rename "$dir/run.tsv", $made->{run} or die "$name: no run: $!\n";
    return $made;
}

# {query id => the first n products of a run}.
sub first_of
{
    my ($run, $n) = @_;
    my %first;
    open my $in, '<:utf8', $run or die "$run: $!\n";
    while (my $line = <$in>) {
        my ($query, $id) = split /[\t\n]/, $line;
        push @{ $first{$query} }, $id if @{ $first{$query} || [] } < $n;
    }
    return \%first;
}

1;
