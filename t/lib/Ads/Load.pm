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
# It is a process of its own, so that what a test does never delays it, and
# writes down each attempt: what, token number, status, click id, when it was
# due, begun and answered (monotonic), ad, where it led.

use strict;
use warnings;
use Errno qw(EINPROGRESS);
use JSON::PP;
use POSIX ();
use Socket qw(:DEFAULT SOCK_NONBLOCK);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my $agent      = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0';
my $ripe_s     = 0.25;    # nobody clicks sooner
my $patience_s = 10;      # for one answer
my $drain_s    = 20;      # at the end, for those under way
my $retry_s    = 0.02;
my $open_max   = 400;     # a backlog holds 511
my $burst_max  = 40;      # begun before answers are looked at

# Lines for the http block: who may name the visitor.
sub realip
{
    return "    set_real_ip_from 127.0.0.1;\n"
        . "    real_ip_header X-Forwarded-For;\n";
}

# Begins at once.  Options: key and queries, clicks and recommends (a second),
# retry (a link whose connection broke is followed again), stock (links to
# have before the first click; they are followed first), max (links followed
# at most), seed.
sub begin
{
    my ($class, $ads, %opt) = @_;
    my $self = bless {
        clicks     => 200,
        recommends => 40,
        stock      => 200,
        ports      => [$ads->{port}],
        seed       => 1,
        max        => 1e9,
        %opt,
        file => "$ads->{dir}/tmp/load-" . ++$ads->{n_loads},
    }, $class;

    $self->{pid} = fork // die "fork: $!\n";
    if ($self->{pid} == 0) {
        my $ok = eval { $self->run; 1 };
        print STDERR "load: $@" unless $ok;
        POSIX::_exit($ok ? 0 : 1);
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

# Links that never were: nobody may be left without an answer.
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

# ---- the process -----------------------------------------------------------

sub now
{
    return clock_gettime(CLOCK_MONOTONIC);
}

sub run
{
    my ($self) = @_;
    srand $self->{seed};
    local $SIG{PIPE} = 'IGNORE';
    local $SIG{TERM} = sub { $self->{stopping} = 1 };
    open $self->{log}, '>', $self->{file} or die "$self->{file}: $!\n";
    $self->{links} = [];
    $self->{open}  = {};
    $self->{again} = [];
    $self->{token} = 0;
    my $ppid = getppid;

    $self->fill;
    open my $begun, '>', "$self->{file}.begun" or die "$self->{file}: $!\n";
    close $begun;

    my $now = now();
    $self->{due} = { click => $now, recommend => $now };
    until ($self->{stopping} || $self->{token} >= $self->{max}) {
        $self->schedule('recommend', $self->{recommends});
        $self->schedule('click',     $self->{clicks});
        $self->turn;
        die "alone\n" if getppid != $ppid;
    }
    my $deadline = now() + $drain_s;
    while (%{ $self->{open} } || @{ $self->{again} }) {
        die "requests do not end\n" if now() > $deadline;
        $self->turn;
    }
    close $self->{log} or die "$self->{file}: $!\n";
}

# The stock: links before the load begins, a few requests at a time.
sub fill
{
    my ($self) = @_;
    my $deadline = now() + 30;
    my $next     = now();
    while (@{ $self->{links} } < $self->{stock}) {
        die "no links\n" if now() > $deadline;
        if (now() >= $next && keys %{ $self->{open} } < 4) {
            $self->launch({ kind => 'recommend', due => now() });
            $next = now() + 0.004;
        }
        $self->turn;
    }
}

# Begins what is due by now.  A generator that was kept from the processor does
# not make up for it in one go: what is left is still due, and counts as late.
sub schedule
{
    my ($self, $kind, $rate) = @_;
    return if $rate <= 0;
    my $begun = 0;
    while ($self->{due}{$kind} <= now()
        && $begun++ < $burst_max
        && keys %{ $self->{open} } < $open_max)
    {
        my $request = { kind => $kind, due => $self->{due}{$kind} };
        $self->{due}{$kind} += 1 / $rate;
        if ($kind eq 'click') {
            my $link = $self->{links}[0];
            next if !$link || $link->{ripe} > now();
            last if $self->{token} >= $self->{max};
            $request->{link}  = shift @{ $self->{links} };
            $request->{token} = ++$self->{token};
        }
        $self->launch($request);
    }
}

sub launch
{
    my ($self, $request) = @_;
    $request->{begin} = now();
    $request->{bytes} = '';
    my $port = $self->{ports}[ rand @{ $self->{ports} } ];
    my $text = $request->{kind} eq 'click'
        ? $self->click_text($request, $port)
        : $self->recommend_text($port);

    socket my $socket, PF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0
        or die "socket: $!\n";
    # loopback answers at once: refused, or into the queue
    if (!connect($socket, pack_sockaddr_in($port, INADDR_LOOPBACK))
        && $! != EINPROGRESS)
    {
        return $self->broken($request, "$!");
    }
    if ((syswrite($socket, $text) // -1) != length $text) {
        return $self->broken($request, "$!");
    }
    $request->{socket} = $socket;
    $self->{open}{ fileno $socket } = $request;
}

sub visitor
{
    return join '.', 10, map { int rand 256 } 1 .. 3;
}

sub click_text
{
    my ($self, $request, $port) = @_;
    return "GET $request->{link}{path} HTTP/1.1\r\n"
        . "Host: 127.0.0.1:$port\r\nConnection: close\r\n"
        . "User-Agent: $agent\r\nX-Forwarded-For: " . visitor() . "\r\n\r\n";
}

sub recommend_text
{
    my ($self, $port) = @_;
    my $query = $self->{queries}[ rand @{ $self->{queries} } ];
    my $body  = encode_json({ query => $query, max_results => 20 });
    return "POST /v1/ads/recommend HTTP/1.1\r\n"
        . "Host: 127.0.0.1:$port\r\nConnection: close\r\n"
        . "Authorization: Bearer $self->{key}\r\n"
        . "X-Forwarded-For: " . visitor() . "\r\n"
        . "Content-Type: application/json\r\n"
        . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}

# Waits for the first answer or the next due time, and takes what came.
sub turn
{
    my ($self) = @_;
    my $now = now();
    while (@{ $self->{again} } && $self->{again}[0]{at} <= $now) {
        my $again = shift @{ $self->{again} };
        $self->launch({ map { $_ => $again->{$_} } qw(kind due link token) });
    }

    my $vector = '';
    for my $request (values %{ $self->{open} }) {
        if ($now - $request->{begin} > $patience_s) {
            $self->broken($request, 'no answer in time');
            next;
        }
        vec($vector, fileno $request->{socket}, 1) = 1;
    }
    my $n = select my $ready = $vector, undef, undef, 0.002;
    return if $n <= 0;
    for my $request (values %{ $self->{open} }) {
        next unless vec $ready, fileno $request->{socket}, 1;
        my $got = sysread $request->{socket}, $request->{bytes}, 65536,
            length $request->{bytes};
        if (!defined $got) {
            $self->broken($request, "$!");
        }
        elsif ($got == 0) {
            $self->answered_whole($request);
        }
    }
}

sub forget
{
    my ($self, $request) = @_;
    my $socket = delete $request->{socket} or return;
    delete $self->{open}{ fileno $socket };
    close $socket;
}

# No answer: the connection was refused, reset or closed without a word.
sub broken
{
    my ($self, $request, $why) = @_;
    $self->forget($request);
    $self->put($request, 0, '-', '-', $why);
    return unless $self->{retry} && $request->{kind} eq 'click';
    push @{ $self->{again} }, { %$request, at => now() + $retry_s };
}

# The peer closed; an answer that was cut is none.
sub answered_whole
{
    my ($self, $request) = @_;
    my ($head, $body) = split /\r\n\r\n/, $request->{bytes}, 2;
    my ($status) = ($head // '') =~ m{^HTTP/1\.1 (\d{3}) };
    my ($length) = ($head // '') =~ /^content-length: (\d+)/im;
    if (!defined $status || !defined $body
        || defined $length && length $body < $length)
    {
        return $self->broken($request, 'cut');
    }
    $self->forget($request);

    if ($request->{kind} eq 'click') {
        my ($to) = $head =~ /^location: (\S+)/im;
        my ($id) = ($to // '') =~ /[?&]ads_click_id=([0-9a-f-]{36})/;
        $self->put($request, $status, $id // '-', $request->{link}{ad},
            $to // '-');
    }
    else {
        $self->put($request, $status, '-', '-', $self->take_links($body));
    }
}

# What a recommendation brings is followed later, in a seeded order.
sub take_links
{
    my ($self, $body) = @_;
    my $json = eval { decode_json($body) } or return 'no JSON';
    for my $ad (@{ $json->{ads} || [] }) {
        my ($path) = $ad->{click_url} =~ m{^https?://[^/]+(/.*)$};
        push @{ $self->{links} },
            { path => $path, ad => $ad->{ad_id}, ripe => now() + $ripe_s };
    }
    return $json->{reason} // $json->{decision} // 'no decision';
}

sub put
{
    my ($self, $request, $status, $id, $ad, $to) = @_;
    printf { $self->{log} } "%s %d %d %s %.6f %.6f %.6f %s %s\n",
        $request->{kind}, $request->{token} // 0, $status, $id,
        $request->{due}, $request->{begin}, now(), $ad, $to;
}

1;
