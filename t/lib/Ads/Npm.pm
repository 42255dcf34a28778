package Ads::Npm;

# Programs in JavaScript that tests use, installed by tools/npm.
#
#     my $dir = Ads::Npm::folder('t/openapi');        # skips all without npm
#     my ($status, $out) = Ads::Npm::run('t/openapi', 'redocly', 'lint', ...);

use strict;
use warnings;
use File::Basename qw(basename);
use Cwd qw(getcwd);
use Test::More;

# The packages' folder, or why there is none.
sub install
{
    my ($from) = @_;
    my @said = split /\n/, qx(tools/npm '$from' 2>&1);
    return (undef, $said[-1] // 'tools/npm fails') if $? != 0;
    return ($said[0]);
}

sub folder
{
    my ($from) = @_;
    my ($dir, $why) = install($from);
    plan skip_all => $why if !$dir;
    return $dir;
}

# A program of the packages: exit code and output, both streams together.
sub run
{
    my ($from, $program, @words) = @_;
    my $dir = getcwd() . '/build/npm/' . basename($from);
    return output("$dir/node_modules/.bin/$program", @words);
}

# One of the folder's own scripts.
sub script
{
    my ($dir, $name, @words) = @_;
    return output('timeout', '300', 'node', "$dir/$name", @words);
}

sub output
{
    my (@argv) = @_;
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT;
        open STDIN, '<', '/dev/null';
        exec {$argv[0]} @argv or exit 127;
    }
    my $text = do { local $/ = undef; <$out> };
    close $out;
    return ($? >> 8 || $? & 127, $text // '');
}

1;
