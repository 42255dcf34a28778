package Ads::Honest;

# Honest traffic that is timed: visitors who ask for ads and follow their links
# (Ads::Load), sites that report impressions, advertisers at their campaigns,
# and now and then a feed of one product.
#
#     my $honest = Ads::Honest->begin($ads, $shop, $pub, $seed);
#     ... $honest->end;
#     $honest->p99_ms('event', $from, $to);     # of those begun between
#     $honest->failed;                          # a line each
#     $honest->clicks                           # ids that were redirected

use strict;
use warnings;
use Ads::Http;
use Ads::Load;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep);

my $firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0';
my $import_most_s = 20;

sub begin
{
    my ($class, $ads, $shop, $pub, %opt) = @_;
    my $self = bless { ads => $ads, shop => $shop, pub => $pub, owner => $$,
        file => "$ads->{dir}/tmp/honest" }, $class;
    $self->{load} = Ads::Load->begin(
        $ads,
        key        => $pub->{key},
        queries    => ['buy running shoes', 'buy a mountain bike'],
        seed       => $opt{seed},
        clicks     => 30,
        recommends => 40,
        first      => $> == 0,
    );
    $self->{pid} = fork // die "fork: $!\n";
    return $self if $self->{pid} != 0;

    my $ended = 0;
    local $SIG{TERM} = sub { $ended = 1 };
    local $SIG{PIPE} = 'IGNORE';
    open $self->{out}, '>', $self->{file} or POSIX::_exit(1);
    POSIX::nice(-5) if $> == 0;
    my $due = Ads::Load::now();
    for (my $n = 0 ; !$ended ; $n++) {
        $self->each_once($n);
        $due += 0.05;
        my $left = $due - Ads::Load::now();
        $left > 0 ? sleep $left : ($due = Ads::Load::now());
    }
    close $self->{out};
    POSIX::_exit(0);
}

# One request of each kind in turn, twenty in a second.
sub each_once
{
    my ($self, $n) = @_;
    my ($shop, $pub) = @{$self}{qw(shop pub)};
    if ($n % 2) {
        my @path = ('/v1/campaigns', "/v1/campaigns/$shop->{campaign}",
            '/v1/balance');
        $self->ask(management => 200, 'GET', $path[ $n / 2 % @path ],
            $shop->{key});
        $self->import_one($n) if $n % 100 == 99;
        return;
    }
    my $shown = $self->ask(other => 200, 'POST', '/v1/ads/recommend',
        $pub->{key}, { query => 'buy running shoes' })->{json} || {};
    for my $ad (@{ $shown->{ads} || [] }[0]) {
        $self->ask(event => 202, 'POST', '/v1/events/impression', $pub->{key},
            { request_id => $shown->{request_id}, ad_id => $ad->{ad_id} })
            if $ad;
    }
}

# Asks, and writes down how it went.
sub ask
{
    my ($self, $what, $good, $method, $path, $key, $body, $type) = @_;
    my $began  = Ads::Load::now();
    my $answer = eval {
        Ads::Http::request($self->{ads}{port}, $method, $path,
            ['X-API-Key' => $key, 'X-Forwarded-For' => '198.19.0.1',
                'Content-Type' => $type // 'application/json'],
            ref $body ? encode_json($body) : $body);
    } || { status => 0 };
    $self->note($what, $began, $answer->{status} == $good ? 'ok'
        : "$method $path: $answer->{status}");
    return $answer;
}

sub note
{
    my ($self, $what, $began, $how) = @_;
    printf { $self->{out} } "%s %.6f %.6f %s\n", $what, $began,
        Ads::Load::now(), $how;
}

# A feed of one row is polled until it is done, a little later each time.
sub import_one
{
    my ($self, $n) = @_;
    if (my $import = $self->{import}) {
        my $seen = $self->ask(other => 200, 'GET',
            "/v1/products/import/$import->{id}", $self->{shop}{key})->{json};
        my $status = ($seen || {})->{status} // '';
        my $over = Ads::Load::now() - $import->{began}
            > $import_most_s * Ads::Test::patience();
        return if !$over && $status ne 'done' && $status ne 'failed';
        $self->note('import', $import->{began},
            $status eq 'done' ? 'ok' : "an import is $status");
        delete $self->{import};
        return;
    }
    my $began = Ads::Load::now();
    my $made  = $self->ask(other => 202, 'POST',
        "/v1/products/import?campaign_id=$self->{shop}{campaign}",
        $self->{shop}{key},
        encode_json({ sku => "honest-$n", title => "Tent $n", price => 9,
                currency => 'USD', url => "https://shop.example/tent/$n" }),
        'application/x-ndjson')->{json};
    $self->{import} = { id => $made->{id}, began => $began } if $made->{id};
}

# No new requests; the times are read.
sub end
{
    my ($self) = @_;
    kill 'TERM', $self->{pid};
    waitpid delete $self->{pid}, 0;
    $self->{load}->end;
    $self->{asked} = [];
    open my $in, '<', $self->{file} or die "$self->{file}: $!\n";
    while (my $line = <$in>) {
        chomp $line;
        my %asked;
        @asked{qw(what begin end how)} = split / /, $line, 4;
        push @{ $self->{asked} }, \%asked;
    }
    return $self;
}

# a test that dies takes its traffic with it
sub DESTROY
{
    my ($self) = @_;
    return if !$self->{pid} || $self->{owner} != $$;
    local ($?, $!);
    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}

# ---- what was seen ---------------------------------------------------------

my %of_load = map { $_ => 1 } qw(click recommend);

# Of requests of a kind that were due in [from, to).
sub p99_ms
{
    my ($self, $what, $from, $to) = @_;
    return 1000 * $self->{load}->seconds($what, 0.99, $from, $to)
        if $of_load{$what};
    my @took = sort { $a <=> $b } map { $_->{end} - $_->{begin} }
        grep { $_->{what} eq $what && $_->{begin} >= $from && $_->{begin} < $to }
        @{ $self->{asked} };
    return @took ? 1000 * $took[ $#took * 0.99 ] : 0;
}

# How many there were of a kind that ended well.
sub served
{
    my ($self, $what) = @_;
    return scalar grep { $_->{what} eq $what && $_->{how} eq 'ok' }
        @{ $self->{asked} };
}

sub failed
{
    my ($self) = @_;
    return ($self->{load}->bad,
        map { "$_->{what}: $_->{how}" } grep { $_->{how} ne 'ok' }
            @{ $self->{asked} });
}

sub clicks
{
    my ($self) = @_;
    return $self->{load}->answered;
}

1;
