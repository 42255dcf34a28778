package Ads::Process;

# Processes that never outlive their purpose.  Each runs in a session of its
# own, so that a Ctrl-C reaches only its starter, and gets a signal when its
# parent dies.  A process is known by its id and its start time together: an id
# alone may already belong to somebody else.
#
# Nothing is ever ended by name.

use strict;
use warnings;
use POSIX qw(setsid _exit WNOHANG);
use Time::HiRes qw(time sleep);

# Fields of /proc/PID/stat from the third on; nothing when it is gone.
sub stat_of
{
    my ($pid) = @_;
    open my $in, '<', "/proc/$pid/stat" or return;
    my $line = <$in>;
    return unless defined $line;
    $line =~ s/^.*\) //s;
    return split ' ', $line;
}

# In clock ticks since the machine began; undef for a dead or zombie process.
sub start_time
{
    my ($pid) = @_;
    my @stat = stat_of($pid) or return undef;
    return $stat[0] =~ /[ZX]/ ? undef : $stat[19];
}

# Starts argv.  Options: log (file for both outputs), user ([uid, gid] or
# undef), dir (working folder), signal (sent when the parent dies), env.
sub start
{
    my ($class, %opt) = @_;

    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        setsid();
        $ENV{$_} = $opt{env}{$_} for keys %{ $opt{env} || {} };
        my $ok = chdir($opt{dir})
            && open(STDIN, '<', '/dev/null')
            && open(STDOUT, '>>', $opt{log})
            && open(STDERR, '>&', \*STDOUT);
        my @run = ('setpriv', '--pdeathsig', $opt{signal}, identity($opt{user}),
            '--', @{ $opt{argv} });
        exec {'setpriv'} @run if $ok;
        _exit(127);
    }

    my $self = bless {
        name  => $opt{name},
        pid   => $pid,
        start => start_time($pid),
    }, $class;
    return $self;
}

# The arguments of setpriv that change root into this user.
sub identity
{
    my ($user) = @_;
    return $user
        ? ("--reuid=$user->[0]", "--regid=$user->[1]", '--clear-groups')
        : ();
}

# What a record of an earlier process says: name, pid, start time.
sub from_record
{
    my ($class, $line) = @_;
    my ($name, $pid, $start) = $line =~ /^(\S+) (\d+) (\d+)$/ or return;
    return bless { name => $name, pid => $pid, start => $start }, $class;
}

sub record
{
    my ($self) = @_;
    return "$self->{name} $self->{pid} $self->{start}\n";
}

# Running, and still the one that was started.
sub alive
{
    my ($self) = @_;
    my $start = start_time($self->{pid});
    return defined $start && $start == $self->{start};
}

# True once it has ended; its wait status is then in {status}.
sub ended
{
    my ($self) = @_;
    return 1 if defined $self->{status};
    my $pid = waitpid $self->{pid}, WNOHANG;
    if ($pid == $self->{pid}) {
        $self->{status} = $?;
        return 1;
    }
    return $pid < 0 && !$self->alive ? 1 : 0;
}

sub signal
{
    my ($self, $signal) = @_;
    return if $self->ended || !$self->alive;
    kill $signal, $self->{pid};
}

# Asks it to end and waits; kills it after that many seconds.  Returns the
# wait status, or undef when it had to be killed.
sub stop
{
    my ($self, $signal, $seconds) = @_;
    $self->signal($signal);

    my $deadline = time + $seconds;
    while (!$self->ended && time < $deadline) {
        sleep 0.01;
    }
    return $self->{status} if $self->ended;

    $self->signal('KILL');
    $deadline = time + 10;
    while (!$self->ended && time < $deadline) {
        sleep 0.01;
    }
    return undef;
}

# What is left of its session, and its children, by process id: PostgreSQL puts
# each of its own into a session.  `below` is the folder in which our processes
# work: a number may have been given out again.
sub session
{
    my ($self, $below) = @_;
    my $leader = start_time($self->{pid});
    return if defined $leader && $leader != $self->{start};

    my @members;
    for my $dir (glob '/proc/[0-9]*') {
        my ($pid) = $dir =~ /(\d+)$/;
        my @stat = stat_of($pid) or next;
        next unless grep { $_ == $self->{pid} } @stat[ 1, 3 ];
        next if $stat[0] =~ /[ZX]/;
        my $work = readlink("$dir/cwd") // next;
        push @members, $pid if index("$work/", "$below/") == 0;
    }
    return @members;
}

# Kills what is left of the session; true when nothing is.
sub sweep
{
    my ($self, $below) = @_;
    my $deadline = time + 10;
    while (my @members = $self->session($below)) {
        return 0 if time > $deadline;
        kill 'KILL', @members;
        sleep 0.02;
    }
    return 1;
}

1;
