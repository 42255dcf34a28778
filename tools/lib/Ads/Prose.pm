# Prose in source files: the comments and texts that people read.  Of C and SQL
# these are comments and string literals, of scripts the comments.
package Ads::Prose;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(prose_of);

# Pieces of C that have prose.
my $comment  = qr{/\*.*?\*/}s;
my $literal  = qr{"(?:[^"\\\n]|\\.)*"}s;
my $literals = qr{$literal(?:\s+$literal)*};

sub line_of
{
    my ($text, $at) = @_;
    return 1 + (substr($text, 0, $at) =~ tr/\n//);
}

# Comments and literals of C as [line, text]; literals that follow each other
# are one text, and no text has the marks of its language.
sub prose_of_c
{
    my ($text) = @_;
    my @prose;

    # an include has a file's name in quotes; a match costs a copy of the text
    $text =~ s/^[ ]*#[ ]*include[^\n]*//gm;
    while ($text =~ m{($comment)|($literals)|'(?:\\.|[^'\\\n])+'}g) {
        my ($remark, $said, $at) = ($1, $2, $-[0]);
        next if !defined $remark && !defined $said;
        if (defined $remark) {
            $remark =~ s{^/\*|\*/$}{}g;
            $remark =~ s{^[ ]*\*[ ]?}{}gm;
        } else {
            $said =~ s/"(\s*)"/$1/g;
            $said =~ s/^"|"$//g;
        }
        push @prose, [line_of($text, $at), $remark // $said];
    }
    return @prose;
}

# Comments of SQL, and its literals, which are comments on objects and errors.
sub prose_of_sql
{
    my ($text) = @_;
    my @prose;
    while ($text =~ m{((?:^[ ]*--[^\n]*\n)+)|--([^\n]*)|'((?:[^']|'')*)'}gm) {
        my $said = $1 // $2 // $3;
        next if !defined $said;
        my $at = $-[0];
        $said =~ s/^[ ]*--[ ]?//gm if defined $1;
        push @prose, [line_of($text, $at), $said];
    }
    return @prose;
}

# Comments behind a mark, which of a script is #; those of lines that follow
# each other are one text.
sub prose_of_script
{
    my ($text, $mark) = @_;
    my (@prose, $n, $open);
    for my $line (split /\n/, $text) {
        $n++;
        my ($own, $said) = $line =~ /^(.*?)(?:^|(?<=\s))$mark(?!!)(?:\s(.*)|$)/;
        undef $open if !defined $own || $own =~ /\S/;
        next if !defined $own;
        push @prose, $open = [$n, ''] if !$open;
        $open->[1] .= ($said // '') . "\n";
    }
    return @prose;
}

# The prose of the file named: a list of [line it begins on, text].  Lines end in
# \n, so that the line of a match can be counted.  Dies when it cannot be read.
sub prose_of
{
    my ($file) = @_;
    open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
    local $/ = undef;
    my $text = <$in>;
    close $in;

    return prose_of_c($text) if $file =~ /\.[ch]$/;
    return prose_of_sql($text) if $file =~ /\.(?:sql|inc)$/;
    return prose_of_script($text, $file =~ /\.(?:mjs|js)$/ ? '//' : '#');
}

1;
