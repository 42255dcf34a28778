package Ads::BenchReport;

# What was measured, as a table and as a chart.
#
# A ratio says how close something comes to nginx alone: 1 is as cheap, 0.5
# twice as dear.  A bar is the median, the thin line in it the range of the
# rounds, and the mark what is aimed at.

use strict;
use warnings;

my $begin = qr/<!-- figures: written by [^>]* -->/;
my $end   = qr/<!-- end of figures -->/;

sub new
{
    my ($class) = @_;
    return bless { ratios => [], checks => [], notes => [] }, $class;
}

# Processor time a request against that of a limit.
sub ratio
{
    my ($self, %row) = @_;
    my @each = sort { $a <=> $b } @{ $row{each} };
    push @{ $self->{ratios} },
        { %row, value => $row{of} / $row{cpu_us}, low => $each[0],
            high => $each[-1] };
}

# A figure with a bound: $value $sign $bound, with a remark.
sub check
{
    my ($self, $name, $value, $sign, $bound, $remark) = @_;
    push @{ $self->{checks} },
        {
        name   => $name,
        value  => $value,
        aim    => "$sign " . plain($bound),
        met    => $sign eq '<=' ? $value <= $bound : $value >= $bound,
        remark => $remark // ''
        };
}

# A figure without one, as text or as a number.
sub figure
{
    my ($self, $name, $text, $value) = @_;
    push @{ $self->{checks} },
        { name => $name, remark => $text, value => $value };
}

sub note
{
    my ($self, $text) = @_;
    push @{ $self->{notes} }, $text;
}

sub plain
{
    my ($n) = @_;
    my $text = $n >= 100 ? sprintf('%.0f', $n) : sprintf('%.4g', $n);
    1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
    return $text;
}

sub verdict
{
    my ($met) = @_;
    return !defined $met ? '' : $met ? 'yes' : 'no';
}

# The tables, as Markdown that reads as text too.
sub text
{
    my ($self) = @_;
    my $text = '';
    if (@{ $self->{ratios} }) {
        $text .= "| worker CPU per request | us | limit/this | rounds | aim "
            . "| met |\n|---|---|---|---|---|---|\n";
    }
    for my $row (@{ $self->{ratios} }) {
        $text .= sprintf "| %s | %.2f | %.2f | %.2f to %.2f | %s | %s |\n",
            $row->{name}, $row->{cpu_us}, $row->{value}, $row->{low},
            $row->{high}, $row->{aim} ? sprintf('%.2f', $row->{aim}) : '',
            verdict($row->{aim} ? $row->{value} >= $row->{aim} : undef);
    }
    if (@{ $self->{checks} }) {
        $text .= "\n| figure | value | aim | met | |\n|---|---|---|---|---|\n";
    }
    for my $row (@{ $self->{checks} }) {
        $text .= sprintf "| %s | %s | %s | %s | %s |\n", $row->{name},
            defined $row->{value} ? plain($row->{value}) : '',
            $row->{aim} // '', verdict($row->{met}), $row->{remark};
    }
    $text .= "\n$_.\n" for @{ $self->{notes} };
    return $text;
}

sub spell
{
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;');
    return $text =~ s/([&<>])/$entity{$1}/gr;
}

# One bar: its name, the value, the range and the aim.
sub bar
{
    my ($row, $y) = @_;
    my ($left, $unit) = (270, 400);
    my $kind = $row->{ours} ? 'ours' : 'other';
    my $x    = sub { sprintf '%.1f', $left + $unit * $_[0] };
    my $mid  = $y + 9;
    my $svg  = sprintf qq{<text x="%d" y="%d" class="name">%s</text>\n},
        $left - 8, $y + 13, spell($row->{name});
    $svg .= sprintf qq{<rect x="%d" y="%d" width="%.1f" height="18" }
        . qq{class="%s"/>\n}, $left, $y, $unit * $row->{value}, $kind;
    $svg .= sprintf qq{<path d="M%s %dH%s" class="range"/>\n},
        $x->($row->{low}), $mid, $x->($row->{high});
    $svg .= sprintf qq{<path d="M%s %dv24" class="aim"/>\n},
        $x->($row->{aim}), $y - 3
        if $row->{aim};
    my $far = $row->{value} > $row->{high} ? $row->{value} : $row->{high};
    $svg .= sprintf qq{<text x="%.1f" y="%d">%.2f</text>\n},
        $left + $unit * $far + 10, $y + 13, $row->{value};
    return $svg;
}

# A picture as high as that: what it shows, for who cannot see it, the line on
# top, and the rest.
sub picture
{
    my ($height, $label, $top, $rest) = @_;
    return <<"END" . "$rest</svg>\n";
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 $height" role="img"
 aria-label="$label">
<style>
text { font: 13px sans-serif; fill: #222 }
.name { text-anchor: end }
.ours { fill: #2f6db5 }
.other { fill: #b9c0c8 }
.range { stroke: #222; stroke-width: 1 }
.aim { stroke: #c0392b; stroke-width: 3 }
</style>
<rect width="800" height="$height" fill="#fff"/>
<text x="16" y="24">$top</text>
END
}

sub chart
{
    my ($self) = @_;
    my ($svg, $y) = ('', 44);
    for my $row (@{ $self->{ratios} }) {
        $svg .= bar($row, $y);
        $y += 28;
    }
    return picture($y + 16,
        'Worker CPU per request, nginx alone divided by each',
        "Worker CPU per request: nginx alone / this. 1 is as\n"
            . ' cheap as nginx alone. Red: the aim.', $svg);
}

sub write_text
{
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!\n";
    print {$out} $text;
    close $out or die "$path: $!\n";
}

# Where it was measured, and how.
sub where
{
    my ($rounds, $seconds) = @_;
    my $cpuinfo = Ads::Stack::read_file('/proc/cpuinfo');
    my ($model) = $cpuinfo =~ /^model name\h*:\h*(.*)/m;
    my $cores   = () = $cpuinfo =~ /^processor\h*:/gm;
    my ($load)  = split ' ', Ads::Stack::read_file('/proc/loadavg');
    return sprintf "%s, %d cores, load average %s at the end; %s; medians of "
        . "%d alternating rounds of %d s.\n\n", $model // 'unknown processor',
        $cores, $load, Ads::Instructions::machine(), $rounds, $seconds;
}

sub save
{
    my ($self, $folder, @how) = @_;
    write_text("$folder/table.md", where(@how) . $self->text);
    write_text("$folder/chart.svg", $self->chart);
    print "\nin $folder: table.md chart.svg\n";
}

# Puts a text between the marks of a document.
sub place
{
    my ($path, $text) = @_;
    my $doc = Ads::Stack::read_file($path);
    $doc =~ s/($begin).*($end)/$1\n\n$text\n$2/s
        or die "$path: no place for it\n";
    write_text($path, $doc);
}

# Puts table and chart into the documentation.
sub publish
{
    my ($self, @how) = @_;
    place('docs/performance.md', where(@how) . $self->text);
    write_text('docs/performance.svg', $self->chart);
}

1;
