package Ads::Delay;

# PostgreSQL far away: a proxy on a Unix socket that hands on what it gets in
# either direction half a round trip later, jitter included, in order.
#
#     my $delay = Ads::Delay->begin("$run/far", "$run/.s.PGSQL.5432", $seed);
#     ... host=$run/far ...
#     $delay->round_trip(0.2);
#
# A process of its own; it ends with the one that began it.

use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);

my $jitter = 0.2;    # of the delay, up or down

sub begin
{
    my ($class, $folder, $server, $seed) = @_;
    mkdir $folder;
    chmod 0777, $folder;
    my $self = bless {
        socket => "$folder/.s.PGSQL.5432",
        server => $server,
        file   => "$folder/round-trip",
        owner  => $$
    }, $class;
    my $listen = IO::Socket::UNIX->new(
        Local  => $self->{socket},
        Listen => 64
    ) or die "$self->{socket}: $!\n";
    chmod 0777, $self->{socket};

    $self->{pid} = fork // die "fork: $!\n";
    if ($self->{pid} == 0) {
        srand $seed;
        my $ok = eval { run($self, $listen); 1 };
        print STDERR "delay: $@" unless $ok;
        POSIX::_exit($ok ? 0 : 1);
    }
    return $self;
}

# Seconds that a round trip takes longer from now on.
sub round_trip
{
    my ($self, $seconds) = @_;
    open my $out, '>', "$self->{file}.new" or die "$self->{file}: $!\n";
    print {$out} $seconds;
    close $out;
    rename "$self->{file}.new", $self->{file} or die "$self->{file}: $!\n";
    sleep 0.1;    # it looks twenty times a second
}

sub end
{
    my ($self) = @_;
    return if !$self->{pid} || $self->{owner} != $$;
    local ($?, $!);
    kill 'KILL', $self->{pid};
    waitpid delete $self->{pid}, 0;
}

sub DESTROY
{
    my ($self) = @_;
    $self->end;
}

# ---- the process -----------------------------------------------------------

sub now
{
    return clock_gettime(CLOCK_MONOTONIC);
}

sub run
{
    my ($self, $listen) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my $select = IO::Select->new($listen);
    my %end;    # by descriptor: {socket, peer, queue: [[due, bytes], ...]}
    my ($half, $looked) = (0, 0);
    my $ppid = getppid;

    while (1) {
        if (now() - $looked > 0.05) {
            $looked = now();
            POSIX::_exit(0) if getppid != $ppid;
            if (open my $in, '<', $self->{file}) {
                $half = (<$in> // 0) / 2;
            }
        }
        for my $socket ($select->can_read(wait_for(\%end))) {
            if ($socket == $listen) {
                take_up($self, $listen, $select, \%end);
                next;
            }
            my $from = $end{ fileno $socket } or next;
            my $n = sysread $socket, my $bytes, 65536;
            my $due = now() + $half * (1 - $jitter + rand 2 * $jitter);
            my $queue = $from->{peer}{queue};
            $due = $queue->[-1][0] if @$queue && $queue->[-1][0] > $due;
            push @$queue, [$due, $n ? $bytes : undef];
            $select->remove($socket) if !$n;
        }
        for my $fd (keys %end) {
            hand_on($end{$fd}, $select, \%end) if $end{$fd};
        }
    }
}

sub take_up
{
    my ($self, $listen, $select, $end) = @_;
    my $client = $listen->accept or return;
    my $server = IO::Socket::UNIX->new(Peer => $self->{server});
    return close $client if !$server;    # it is away: so are we
    my ($one, $other) =
        map { { socket => $_, queue => [] } } $client, $server;
    $one->{peer}   = $other;
    $other->{peer} = $one;
    $end->{ fileno $client } = $one;
    $end->{ fileno $server } = $other;
    $select->add($client, $server);
}

# Seconds until something is due.
sub wait_for
{
    my ($end) = @_;
    my $least = 0.05;
    for my $one (values %$end) {
        next unless @{ $one->{queue} };
        my $left = $one->{queue}[0][0] - now();
        $least = $left if $left < $least;
    }
    return $least > 0 ? $least : 0;
}

# Writes to an end what is due there; its peer's end is the last of it.
sub hand_on
{
    my ($one, $select, $end) = @_;
    my $queue = $one->{queue};
    while (@$queue && $queue->[0][0] <= now()) {
        my (undef, $bytes) = @{ shift @$queue };
        if (defined $bytes) {
            my $done = 0;
            while ($done < length $bytes) {
                my $n = syswrite $one->{socket}, $bytes, length($bytes) - $done,
                    $done;
                last if !defined $n;
                $done += $n;
            }
            next if $done == length $bytes;
        }
        for my $gone ($one, $one->{peer}) {
            $select->remove($gone->{socket});
            delete $end->{ fileno $gone->{socket} };
            close $gone->{socket};
        }
        delete $_->{peer} for $one->{peer}, $one;
        return;
    }
}

1;
