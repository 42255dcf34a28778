package Ads::Load;

# Open-loop load: asks for ads and follows their links at fixed rates, each
# request on a connection of its own at its own time, however slow the answers
# are.  Every link is followed once.  Visitors have addresses of their own
# (X-Forwarded-For, see `realip`), so that limits keep their defaults.
#
#     my $ads  = Ads::Test->new(nginx_http => Ads::Load::realip, ...);
#     my $load = Ads::Load->begin($ads, key => $key, queries => [...]);
#     ... break something ...
#     my @clicks = $load->end->clicks;
#
# It is a process of its own (bench/visitors.c), so that what a test does never
# delays it, and writes down each attempt: what, token number, status, click id,
# when it was due, begun and answered (monotonic), ad, where it led.

use strict;
use warnings;
use POSIX ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

# Lines for the http block: who may name the visitor.
sub realip
{
    return "    set_real_ip_from 127.0.0.1;\n"
        . "    real_ip_header X-Forwarded-For;\n";
}

# Begins at once.  Options: key and queries, clicks and recommends (a second),
# retry (a link whose connection broke is followed again), stock (links to
# have before the first click; they are followed first), max (links followed
# at most), seed, first (never waits for a processor itself; only as root).
sub begin
{
    my ($class, $ads, %opt) = @_;
    my $self = bless {
        clicks     => 200,
        recommends => 40,
        stock      => 200,
        ports      => [$ads->{port}],
        seed       => 1,
        max        => 1_000_000_000,
        %opt,
        file => "$ads->{dir}/tmp/load-" . ++$ads->{n_loads},
    }, $class;

    $self->write_spec("$self->{file}.spec");
    my $program = $ads->program('visitors');
    $self->{pid} = fork // die "fork: $!\n";
    if ($self->{pid} == 0) {
        open STDIN, '<', "$self->{file}.spec" or POSIX::_exit(1);
        exec $program, $self->{file} or print STDERR "$program: $!\n";
        POSIX::_exit(1);
    }
    $self->{owner} = $$;
    $ads->wait_until(
        sub {
            die "load: could not begin\n"
                if waitpid($self->{pid}, POSIX::WNOHANG()) != 0;
            return -e "$self->{file}.begun";
        },
        60,
        'links to follow'
    );
    return $self;
}

# What the program reads, a line each.
sub write_spec
{
    my ($self, $path) = @_;
    open my $out, '>', $path or die "$path: $!\n";
    printf {$out} "%s %s\n", $_, $self->{$_} || 0
        for qw(key clicks recommends stock max seed retry first);
    print {$out} "port $_\n"  for @{ $self->{ports} };
    print {$out} "query $_\n" for @{ $self->{queries} };
    close $out or die "$path: $!\n";
}

# Waits until as many links as `max` says were followed.
sub finish
{
    my ($self) = @_;
    waitpid $self->{pid}, 0;
    die "load: failed\n" if $?;
    return $self->read_back;
}

# No new requests; those under way are waited for.
sub end
{
    my ($self) = @_;
    kill 'TERM', $self->{pid};
    return $self->finish;
}

sub read_back
{
    my ($self) = @_;
    delete $self->{pid};
    open my $in, '<', $self->{file} or die "$self->{file}: $!\n";
    $self->{attempts} = [];
    while (my $line = <$in>) {
        chomp $line;
        my %attempt;
        @attempt{qw(kind token status id due begin end ad to)} =
            split / /, $line, 9;
        push @{ $self->{attempts} }, \%attempt;
    }
    return $self;
}

# a test that dies takes its load with it
sub DESTROY
{
    my ($self) = @_;
    return if !$self->{pid} || ($self->{owner} // 0) != $$;
    local ($?, $!);
    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}

# ---- what was seen ---------------------------------------------------------

sub clicks
{
    my ($self) = @_;
    return grep { $_->{kind} eq 'click' } @{ $self->{attempts} };
}

sub recommends
{
    my ($self) = @_;
    return grep { $_->{kind} eq 'recommend' } @{ $self->{attempts} };
}

# Ids of the clicks that were answered with a redirect, each once.
sub answered
{
    my ($self) = @_;
    my %id = map { $_->{id} => 1 } grep { $_->{status} == 302 } $self->clicks;
    return sort keys %id;
}

# Links that never were: no one may be left without an answer.
sub unanswered
{
    my ($self) = @_;
    my (%seen, %answered);
    for my $click ($self->clicks) {
        $seen{ $click->{token} } = 1;
        $answered{ $click->{token} } = 1 if $click->{status} == 302;
    }
    return grep { !$answered{$_} } sort { $a <=> $b } keys %seen;
}

# Attempts that did not end as they should, told in a line each.
sub bad
{
    my ($self) = @_;
    my %good = (click => 302, recommend => 200);
    return map { "$_->{kind} $_->{token}: $_->{status} $_->{to}" }
        grep { $_->{status} != $good{ $_->{kind} } } @{ $self->{attempts} };
}

# Seconds from when it was due to its answer, for this share of the answered
# requests of a kind that were due in [from, to).
sub seconds
{
    my ($self, $kind, $share, $from, $to) = @_;
    my @took = sort { $a <=> $b } map { $_->{end} - $_->{due} }
        grep {
               $_->{kind} eq $kind
            && $_->{status} != 0
            && (!defined $from || $_->{due} >= $from)
            && (!defined $to   || $_->{due} < $to)
        } @{ $self->{attempts} };
    return @took ? $took[ $#took * $share ] : 0;
}

# The longest time without any answer.
sub gap
{
    my ($self) = @_;
    my ($longest, $last) = (0);
    for my $end (sort { $a <=> $b } map { $_->{end} }
        grep { $_->{status} != 0 } @{ $self->{attempts} })
    {
        $longest = $end - $last if defined $last && $end - $last > $longest;
        $last = $end;
    }
    return $longest;
}

sub now
{
    return clock_gettime(CLOCK_MONOTONIC);
}

1;
