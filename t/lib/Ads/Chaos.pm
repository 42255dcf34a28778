package Ads::Chaos;

# What the fault scripts share: a world to break, faults at seeded moments, and
# the check after them.
#
#     my $chaos = Ads::Chaos->new(workers => 2);
#     $chaos->begin(retry => 1);          # load
#     ... faults ...
#     $chaos->end;                        # the load's own words
#     $chaos->check('after the kills');   # files, tables, ledger agree
#     $chaos->done;
#
# Short by default, so that all of them fit into `make test`; ADS_LONG=1 (`make
# test-long`) runs each at its full length and rate.  ADS_SEED repeats a run,
# ADS_RATE=500 halves the rate of a long one.

use strict;
use warnings;
use Ads::Check;
use Ads::Journal;
use Ads::Load;
use Ads::Test;
use Test::More;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep time);

my @goods = (
    ['laser printer',    'Printers'],
    ['espresso machine', 'Kitchen'],
    ['mountain bike',    'Sports'],
);

sub long
{
    return $ENV{ADS_LONG} ? 1 : 0;
}

# The second value when the run is long.
sub short_or_long
{
    my ($short, $long) = @_;
    return long() ? $long : $short;
}

# Options as of Ads::Test, class (a class derived from it), money (what each
# shop pays in) and shops (how many; each has a campaign).
sub new
{
    my ($class, %opt) = @_;
    my $test  = delete $opt{class} || 'Ads::Test';
    my $money = delete $opt{money} // 1_000_000;
    my $shops = delete $opt{shops} // short_or_long(2, 20);
    my $self  = bless { seed => $ENV{ADS_SEED} // int rand 1e9 }, $class;
    srand $self->{seed};
    diag "seed $self->{seed}" if long();
    note "ADS_SEED=$self->{seed} repeats this run";

    $self->{ads} = $test->new(
        rates => 1,
        %opt,
        # a test's own clicks come from one address
        adsd       => {
            too_fast_ms  => 0,
            burst_clicks => 0,
            crowd_clicks => 0,
            %{ $opt{adsd} // {} }
        },
        nginx_http => Ads::Load::realip() . ($opt{nginx_http} // ''),
    );
    $self->{publisher} = $self->{ads}->seed_publisher;
    $self->{shops} = [map { $self->shop($_, $money) } 1 .. $shops];
    return $self;
}

# A shop with two products of each kind: an answer shows both.  In a long run
# all shops together have a thousand.
sub shop
{
    my ($self, $n, $money) = @_;
    my @products;
    for my $good (@goods) {
        push @products, map {
            {
                id       => "p-$n-" . @products . "-$_",
                title    => "Maker$n$_ $good->[0]",
                brand    => "Maker$n$_",
                category => [$good->[1]],
                price    => 99,
                currency => 'USD',
                url      => "https://shop$n.example/p/" . @products . "-$_",
            }
        } 1 .. short_or_long(2, 17);
    }
    return $self->{ads}->seed_shop(
        name     => "Shop $n",
        bid      => '0.10',
        topup    => $money,
        lifetime => $money,
        products => \@products
    );
}

sub queries
{
    return [map { "buy a $_->[0]" } @goods];
}

# ---- load ------------------------------------------------------------------

# Requests a second; of a long run less where ADS_RATE says how many clicks the
# machine can be asked for, generator and all.
sub rate
{
    my ($short, $long) = @_;
    return $short if !long();
    return $long * ($ENV{ADS_RATE} // 1000) / 1000;
}

sub begin
{
    my ($self, %opt) = @_;
    return $self->{load} = Ads::Load->begin(
        $self->{ads},
        key        => $self->{publisher}{key},
        queries    => queries(),
        seed       => $self->{seed},
        clicks     => rate(150, 1000),
        recommends => rate(50,  250),
        %opt
    );
}

# Ends the load and returns it; what it saw is added to what is known.
sub end
{
    my ($self) = @_;
    my $load = delete($self->{load})->end;
    my %id = map { $_ => 1 } @{ $self->{answered} || [] }, $load->answered;
    $self->{answered} = [sort keys %id];
    push @{ $self->{redirects} },
        grep { $_->{status} == 302 } $load->clicks;
    note sprintf '%d clicks, %d recommendations, p99 %.1f ms, longest gap %.0f ms',
        scalar(() = $load->clicks), scalar(() = $load->recommends),
        1000 * $load->seconds('click', 0.99), 1000 * $load->gap;
    return $load;
}

# Waits like a Poisson process would, or to the deadline.
sub pause
{
    my ($mean_s) = @_;
    sleep -log(1 - rand) * $mean_s;
}

sub now
{
    return clock_gettime(CLOCK_MONOTONIC);
}

# n moments, seeded, spread over that many seconds; calls the fault at each.
sub at_moments
{
    my ($self, $n, $seconds, $fault) = @_;
    my $begin = now();
    for my $at (sort { $a <=> $b } map { rand $seconds } 1 .. $n) {
        my $left = $begin + $at - now();
        sleep $left if $left > 0;
        $fault->();
    }
    my $left = $begin + $seconds - now();
    sleep $left if $left > 0;
}

# What 99 of 100 visitors waited for at most while something was away, between
# two moments, against before: no more than a fifth longer in a long run.  Below
# a few milliseconds it is the kernel's scheduler that is measured.
my $noise_ms = 5;

sub is_as_fast
{
    my ($name, $load, $from, $to) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $kind (qw(click recommend)) {
        my $before = 1000 * $load->seconds($kind, 0.99, undef, $from);
        my $while  = 1000 * $load->seconds($kind, 0.99, $from, $to);
        my $told   = sprintf '%s: p99 of a %s %.2f ms before, %.2f ms meanwhile',
            $name, $kind, $before, $while;
        my $most = 1.2 * $before;
        $most = $noise_ms if $most < $noise_ms;
        long() ? cmp_ok $while, '<=', $most, $told : note $told;
    }
}

# ---- processes -------------------------------------------------------------

sub workers
{
    my ($self, $master) = @_;
    $master //= $self->{ads}->part('nginx')->{pid};
    open my $in, '<', "/proc/$master/task/$master/children" or return;
    # a new master is the old one's child too
    return grep {
        (eval { Ads::Stack::read_file("/proc/$_/cmdline") } // '') =~ /worker/
    } split ' ', <$in> // '';
}

# The master tells of each killed worker; those lines are expected.
sub forgive
{
    my ($self, $pattern) = @_;
    my $log  = "$self->{ads}{dir}/log/nginx.log";
    my $text = Ads::Stack::read_file($log);
    my $n    = $text =~ s/^.*$pattern.*\n//mg;
    open my $out, '+<', $log or die "$log: $!\n";    # nginx appends to it
    truncate $out, 0;
    syswrite $out, $text;
    return $n || 0;
}

# ---- the check -------------------------------------------------------------

# Everything committed within that many seconds.
sub drained
{
    my ($self, $seconds, $name) = @_;
    my $begin = now();
    my $ok = eval { Ads::Journal::wait_drained($self->{ads}, $seconds); 1 };
    ok $ok, sprintf '%s: nothing waits after %.1f s', $name, now() - $begin;
}

# What was answered is what was billed, where it led is where it should have,
# and both checkers find nothing.  Option: free, the class of clicks that are
# answered, recorded and not billed.
sub check
{
    my ($self, $name, $seconds, %opt) = @_;
    my $ads = $self->{ads};
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    $self->drained($seconds // 10, $name);
    my %free     = $self->of_class($opt{free} // '');
    my @answered = grep { !$free{$_} } @{ $self->{answered} };
    note scalar(keys %free), " clicks were $opt{free}" if $opt{free};
    is_deeply [Ads::Check::against($ads, @answered)], [],
        "$name: answered = billed, " . @answered . ' clicks';
    is_deeply [$self->misled], [], "$name: every redirect leads to its product";
    $self->logged($name);
    $self->agree($name);
}

sub of_class
{
    my ($self, $class) = @_;
    return map { $_->[0] => 1 } @{ $self->{ads}->sql(
        'select c.click_id from ads.clicks c
         join ads.click_classes k on k.code = c.class where k.name = ?',
        $class) };
}

# nginx's own log has the clicks that were answered.  A worker that is killed
# between answer and line leaves none: `unlogged` such moments there were.
sub logged
{
    my ($self, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %logged;
    open my $in, '<', "$self->{ads}{dir}/log/access.log"
        or die "access.log: $!\n";
    while (my $line = <$in>) {
        $logged{$1} = 1
            if $line =~ /"status":302,/ && $line =~ /"click_id":"([0-9a-f-]{36})"/;
    }
    my %answered = map { $_ => 1 } @{ $self->{answered} };
    my @missing  = grep { !$logged{$_} } sort keys %answered;
    cmp_ok scalar(@missing), '<=', $self->{unlogged} // 0,
        "$name: answered clicks are in the access log, " . keys %logged
        or diag "not in the log: @missing[0 .. ($#missing < 4 ? $#missing : 4)]";
    is_deeply [grep { !$answered{$_} } sort keys %logged], [],
        "$name: and no others are";
}

# Both checkers; the files of the nodes given, or of the one there is.
sub agree
{
    my ($self, $name, @ads) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    @ads = ($self->{ads}) unless @ads;
    my ($code, $out);
    for my $ads (@ads) {
        ($code, $out) = $ads->try_adsctl('reconcile');
        is $code, 0, "$name: adsctl reconcile finds nothing" or diag $out;
    }

    # workers write counters every two seconds: some may just be on their way
    my $until = time + 30;
    my @found = Ads::Check::differences(@ads);
    while (@found && time < $until) {
        sleep 0.5;
        @found = Ads::Check::differences(@ads);
    }
    is_deeply \@found, [], "$name: nor does the independent checker";
}

# Redirects that led elsewhere than to the product of their ad.
sub misled
{
    my ($self) = @_;
    my %url = map { @$_ } @{ $self->{ads}->sql(
        'select a.id, p.url from ads.ads a
         join ads.products p on p.id = a.product_id') };
    return grep { defined } map {
        my $to = $_->{to} =~ s/[?&]ads_click_id=.*//r;
        $to eq ($url{ $_->{ad} } // '-') ? undef : "$_->{ad}: $_->{to}";
    } @{ $self->{redirects} || [] };
}

sub done
{
    my ($self) = @_;
    $self->{ads}->done;
}

1;
