package Ads::Cluster;

# A migrated PostgreSQL cluster, made once and copied: initdb and the migrations
# take a second of a processor, a copy a tenth of that.
#
#     Ads::Cluster::copy($ads);    # into $ads->{pg_path}, not started
#
# It lies under build/cluster/ with a name made of all that went into it, so
# that another build, another migration or another day makes another one; the
# one of before is removed.  Files that run beside each other wait for the first
# of them to make it.

use strict;
use warnings;
use Ads::Stack;
use Digest::SHA;
use Fcntl qw(:flock);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use POSIX qw(strftime);

sub copy
{
    my ($ads) = @_;
    my $folder = "$ads->{root}/$ads->{build}/cluster";
    my $kept   = "$folder/" . name($ads);

    make_path($folder);
    open my $lock, '>>', "$folder/lock" or die "$folder/lock: $!\n";
    flock $lock, LOCK_SH or die "$folder/lock: $!\n";
    if (!-d $kept) {
        flock $lock, LOCK_EX or die "$folder/lock: $!\n";
        make($ads, $kept) if !-d $kept;
    }
    copy_tree($kept, $ads->{pg_path});
}

# The locale and who runs it, readable, then a digest.
sub name
{
    my ($ads) = @_;
    my $digest = Digest::SHA->new(256);
    my @program = stat $ads->program('adsd')
        or die $ads->program('adsd'), ": $!\n";

    $digest->addfile($_)
        for sort glob("$ads->{root}/sql/*.sql $ads->{root}/sql/*/*.sql"),
        $INC{'Ads/Stack.pm'}, $INC{'Ads/Cluster.pm'};
    $digest->add(join ' ', @program[ 1, 7, 9 ], Ads::Stack::postgres_path(),
        strftime('%F', gmtime));
    return join '-', $ads->{locale} // 'C', $>,
        substr $digest->hexdigest, 0, 16;
}

# An installation without nginx and adsd, that ends once its database is there.
sub make
{
    my ($ads, $kept) = @_;
    my $dir   = tempdir('ads-XXXXXX', TMPDIR => 1);
    my $stack = Ads::Stack->new(
        root   => $ads->{root},
        build  => $ads->{build},
        dir    => $dir,
        port   => 1,
        locale => $ads->{locale},
        env    => $ads->{env},
    );

    my $ok = eval {
        $stack->prepare;
        $stack->init_database;
        $stack->start_database;
        $stack->create_database;
        $stack->adsctl('migrate');
        1;
    };
    my $why = $@;
    $stack->stop('postgres') == 0 or $ok = 0;
    if ($ok) {
        my ($kind) = $kept =~ m{^(.*-)};
        remove_tree(glob "$kind*");
        copy_tree($stack->{pg_path}, "$kept.new");
        rename "$kept.new", $kept or die "$kept: $!\n";
    }
    remove_tree($dir);
    die "the cluster to copy: $why\n" if !$ok;
}

# Holes stay holes: most of PostgreSQL's own log is one.
sub copy_tree
{
    my ($from, $to) = @_;
    system('cp', '-a', '--sparse=always', $from, $to) == 0
        or die "cp $from $to: $?\n";
}

1;
