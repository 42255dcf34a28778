# The C sources as a graph: which file includes and calls which.  A .c and its
# header are one file here, under its name without the ending ("api/key"), and
# a function that is only named, as in a table, counts as called.
package Ads::Sources;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(@floors files_of includes_of include_edges call_edges
    circles_of);

# the floors of adsd/, the lowest first, with what is in each
our @floors = (
    [base    => 'memory, text, time, configuration, logs: knows nothing of ads'],
    [db      => 'PostgreSQL: connections, statements, rows, transactions'],
    [daemon  => 'the process and its node: threads, keys, `live`, migrations, upkeep'],
    [journal => 'files become rows and money'],
    [tables  => 'rows become ad tables'],
    [catalog => 'products, campaigns, feeds: read, check, compare'],
    [http    => 'SCGI, requests, routing, lists, ETags, rates'],
    [auth    => 'who is asking: sessions, keys, passwords, providers'],
    [mail    => 'mails and their texts'],
    [api     => 'one file a noun, and the table of routes'],
    [ctl     => 'the command line'],
);

# The files of a folder, by the names under which they are included.
sub files_of
{
    my ($dir) = @_;
    return sort map { s{^\Q$dir\E/}{}r }
        glob "$dir/*.h $dir/*.c $dir/*/*.h $dir/*/*.c";
}

sub slurp
{
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/ = undef;
    return scalar <$in>;
}

# What a file includes: [line, `"` or `<`, name].
sub includes_of
{
    my ($file) = @_;
    my $n = 0;
    return map { $n++; /^\s*#\s*include\s*([<"])([^>"]+)[>"]/ ? [$n, $1, $2] : () }
        split /\n/, slurp($file);
}

# ads_match_rank.c and ads_match_parts.h belong to ads_match.h
sub idea
{
    my ($dir, $stem) = @_;
    while ($dir eq 'core' && $stem =~ /^(.+)_[^_]+$/ && -e "core/$1.h") {
        $stem = $1;
    }
    return $stem;
}

# Both are {file}{file it uses}; of calls the value is one that is called.
sub include_edges
{
    my ($dir) = @_;
    my %own = map { $_ => 1 } files_of($dir);
    my %edges;
    for my $name (keys %own) {
        my $from = idea($dir, $name =~ s{\.[ch]$}{}r);
        for (includes_of("$dir/$name")) {
            my ($line, $quote, $to) = @$_;
            next unless $own{$to};
            $edges{$from}{ idea($dir, $to =~ s{\.[ch]$}{}r) } = 1;
        }
    }
    delete $edges{$_}{$_} for keys %edges;
    return \%edges;
}

# A function that others may call has its name in the first column, below a line
# without `static`.
sub call_edges
{
    my ($dir) = @_;
    my (%text, %home, %edges);
    for my $name (grep { /\.c$/ } files_of($dir)) {
        my $text = slurp("$dir/$name");
        $text =~ s{/\*.*?\*/}{}sg;
        $text =~ s{"(?:\\.|[^"\\\n])*"}{""}g;
        $text =~ s{\bstruct \w+}{struct}g;
        my $stem = $name =~ s{\.c$}{}r;
        $text{$stem} = $text;
        $home{$_}    = $stem
            for $text =~ /^(?!static\b)\w[^\n;{}]*\n([a-z]\w*)\(/mg;
    }
    for my $stem (keys %text) {
        for my $word ($text{$stem} =~ /\b([a-z]\w+)\b/g) {
            my $to = $home{$word};
            $edges{ idea($dir, $stem) }{ idea($dir, $to) } = $word
                if defined $to;
        }
    }
    delete $edges{$_}{$_} for keys %edges;
    return \%edges;
}

# all that can be reached from a file
sub reach
{
    my ($edges, $from) = @_;
    my %seen;
    my @todo = ($from);
    while (defined(my $stem = pop @todo)) {
        push @todo, grep { !$seen{$_}++ } keys %{ $edges->{$stem} || {} };
    }
    return \%seen;
}

# Files that reach each other are a circle: lists of names.
sub circles_of
{
    my ($edges) = @_;
    my %reach = map { $_ => reach($edges, $_) } keys %$edges;
    my (%told, @circles);
    for my $stem (sort keys %$edges) {
        my @circle = grep { $reach{$stem}{$_} && $reach{$_}{$stem} }
            sort keys %$edges;
        push @circles, \@circle if @circle && !$told{"@circle"}++;
    }
    return @circles;
}

1;
