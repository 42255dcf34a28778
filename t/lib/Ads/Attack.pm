package Ads::Attack;

# An attacker beside honest traffic: what all of t/lib/Ads/Attack/ share.
#
#     my $attack = Ads::Attack::Robots->new($day);   # its accounts, if any
#     $attack->begin; ... ; $attack->end;            # as often as wanted
#     $attack->bounded;                              # Test::More, afterwards
#
# An attacker has three things of its own: prepare() makes what it needs while
# no time is measured, move() is one move, made again and again at its rate
# by a process of its own, and bounded() checks the figure that
# docs/threat-model.md promises.  It acts from outside, over HTTP alone, from
# the addresses that it says.  A process keeps what it saw by seen(); the test
# reads it by count().
#
# Attackers yield the processors to what they attack (nice 19): it is the
# service that is measured, not the cost of making requests.

use strict;
use warnings;
use Ads::Http;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep time);

my $firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101'
    . ' Firefox/128.0';

# Of the day: ads (Ads::Test), seed.
sub new
{
    my ($class, $day) = @_;
    my ($name) = $class =~ /(\w+)$/;
    my $self = bless { ads => $day->{ads}, seed => $day->{seed}, name => $name,
        rounds => 0, seconds => 0,
        file   => "$day->{ads}{dir}/tmp/attack-$name" }, $class;
    $self->prepare;
    return $self;
}

sub prepare { }

# moves a second, at most
sub rate { return 10 }

sub begin
{
    my ($self) = @_;
    $self->{rounds}++;
    $self->{began} = time;
    $self->{pid} = fork // die "fork: $!\n";
    $self->{owner} = $$;
    return $self if $self->{pid} != 0;

    delete $self->{pid};
    my $ended = 0;
    local $SIG{TERM} = sub { $ended = 1 };
    local $SIG{PIPE} = 'IGNORE';
    POSIX::nice(19);
    srand $self->{seed} + $self->{rounds};
    my $due = time;
    while (!$ended) {
        eval { $self->move; 1 } or $self->seen('failed');
        $due += 1 / $self->rate;
        my $left = $due - time;
        $left > 0 ? sleep $left : ($due = time);
    }
    open my $out, '>>', $self->{file} or POSIX::_exit(1);
    print {$out} encode_json($self->{seen} || {}), "\n";
    close $out;
    POSIX::_exit(0);
}

# The move under way is made to its end.
sub end
{
    my ($self) = @_;
    kill 'TERM', $self->{pid};
    waitpid delete $self->{pid}, 0;
    $self->{seconds} += time - $self->{began};
    return $self;
}

# a test that dies takes its attackers with it
sub DESTROY
{
    my ($self) = @_;
    return if !$self->{pid} || $self->{owner} != $$;
    local ($?, $!);
    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}

# ---- what was seen ---------------------------------------------------------

sub seen
{
    my ($self, $what, $n) = @_;
    $self->{seen}{$what} += $n // 1;
}

# How often all of its processes together saw that.
sub count
{
    my ($self, $what) = @_;
    open my $in, '<', $self->{file} or return 0;
    my $sum = 0;
    while (my $line = <$in>) {
        $sum += decode_json($line)->{$what} // 0;
    }
    return $sum;
}

# Clicks of a publisher or campaign by their class.
sub classes
{
    my ($self, $column, $id) = @_;
    return { map { $_->[0] => 0 + $_->[1] } @{ $self->{ads}->sql(
                "select k.name, count(*) from ads.clicks c
                 join ads.click_classes k on k.code = c.class
                 where c.$column = ? group by 1", $id) } };
}

# ---- requests --------------------------------------------------------------

# Headers as [name => value, ...]; the answer as of Ads::Http, which has
# status 0 where there was none.
sub ask
{
    my ($self, $from, $method, $path, $headers, $body) = @_;
    $body = encode_json($body) if ref $body;
    my $answer = eval {
        Ads::Http::request($self->{ads}{port}, $method, $path,
            ['X-Forwarded-For' => $from,
                defined $body ? ('Content-Type' => 'application/json') : (),
                @{ $headers || [] }], $body);
    };
    return $answer || { status => 0, headers => {} };
}

# As somebody with a key.
sub ask_as
{
    my ($self, $from, $key, $method, $path, $body) = @_;
    return $self->ask($from, $method, $path, ['X-API-Key' => $key], $body);
}

# The ads of an answer, and its request id.
sub shown
{
    my ($self, $from, $key, $query, %fields) = @_;
    my $answer = $self->ask_as($from, $key, 'POST', '/v1/ads/recommend',
        { query => $query, %fields })->{json} || {};
    return ($answer->{request_id}, @{ $answer->{ads} || [] });
}

# As long as a person needs before a click; the end of the attack, a signal,
# does not shorten it.
sub think
{
    my $until = time + 0.6;
    while ((my $left = $until - time) > 0) {
        sleep $left;
    }
    return;
}

# Follows a link as a person's browser does.
sub click
{
    my ($self, $from, $url, @headers) = @_;
    my ($path) = $url =~ m{^https?://[^/]+(/.*)$};
    return $self->ask($from, 'GET', $path,
        [@headers ? @headers : ('User-Agent' => $firefox)]);
}

# Another address each time, in a network that is the attacker's.
sub address
{
    my ($self, $network) = @_;
    return sprintf '%s.%d.%d', $network, rand 256, 1 + rand 254;
}

1;
