package Ads::Bench;

# What the measurements share: installations whose worker has a core of its
# own, the peers, and rounds of load on one target.
#
# Load and everything else run on the other cores, because a worker's speed in
# requests a second says more about the neighbours than about the worker.  The
# figure to trust is its processor time per request: the kernel's count of the
# nanoseconds it ran, divided by the requests it answered.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib";

use Ads::Process;
use Ads::Test;
use File::Path qw(make_path);
use JSON::PP;
use Time::HiRes qw(sleep time);

my $connections = 64;
my $rate_max    = 150_000;
my $firefox =
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

sub cores
{
    my $n = () = Ads::Stack::read_file('/proc/cpuinfo') =~ /^processor\h*:/gm;
    die "a worker and its load need two cores, this machine has $n\n"
        if $n < 2;
    return (0, $n == 2 ? 1 : '1-' . ($n - 1));
}

sub quietly
{
    my (@argv) = @_;
    open my $out, '-|', @argv or die "$argv[0]: $!\n";
    local $/;
    my $text = <$out>;
    close $out or die "@argv: exit ", $? >> 8, "\n$text";
    return $text;
}

# Binds a running part, its children and threads.
sub pin
{
    my ($ads, $name, $cpus) = @_;
    quietly('taskset', '-a', '-c', '-p', $cpus, $_)
        for $ads->processes($name);
}

# An installation with one worker on core 0, `limit` beside it on a port of its
# own: nginx alone, giving answers of the same form to the same requests; and
# `long`, whose recommendation is as long as one of the module.
sub installation
{
    my (%opt) = @_;
    my ($limit, $long) = map { Ads::Test::free_port() } 1 .. 2;
    my ($body, $rest)  = ('x' x 800, 'x' x 1000);
    my $ads   = Ads::Test->new(
        workers    => 1,
        nginx      => "        access_log off;\n",
        nginx_http => <<"END", %opt);
    server {
        listen 127.0.0.1:$limit;
        access_log off;
        location /v1/limit/ {
            return 302 https://shop.example/p/1?from=ads&ads_click_id=01234567-89ab-8def-8123-456789abcdef#top;
        }
        location = /v1/ads/recommend { return 200 $body; }
    }
    server {
        listen 127.0.0.1:$long;
        access_log off;
        location = /v1/ads/recommend { return 200 $body$rest; }
    }
END
    @{$ads}{qw(limit long)} = ($limit, $long);
    pin_all($ads);
    return $ads;
}

sub pin_all
{
    my ($ads) = @_;
    my ($worker, $rest) = cores();
    pin($ads, 'nginx', $worker);
    pin($ads, $_, $rest) for grep { $ads->part($_) } qw(postgres adsd);
}

# nginx with Lua and njs, in the folder of an installation.
sub peers
{
    my ($ads) = @_;
    my %port = map { $_ => Ads::Test::free_port() } qw(LUA NJS);
    my $conf = Ads::Stack::read_file('bench/peers/nginx.conf');

    $conf =~ s/\bDIR\b/$ads->{dir}/g;
    $conf =~ s/\b$_\b(?=;)/$port{$_}/g for keys %port;
    make_path("$ads->{dir}/peers");
    for my $file (qw(peer.lua peer.js)) {
        $ads->write_file("$ads->{dir}/peers/$file",
            Ads::Stack::read_file("bench/peers/$file"), 0644);
    }
    $ads->own("$ads->{dir}/peers");
    $ads->write_file("$ads->{dir}/peers.conf", $conf);

    my $part = Ads::Process->start(
        name   => 'peers',
        argv   => [
            '/usr/sbin/nginx', '-p', $ads->{dir}, '-c',
            "$ads->{dir}/peers.conf", '-e', "$ads->{dir}/log/peers.log", '-g',
            'daemon off;'
        ],
        user   => $ads->{user},
        dir    => $ads->{dir},
        log    => "$ads->{dir}/log/peers.out",
        signal => 'QUIT',
    );
    $ads->wait_until(
        sub {
            die "the peers did not start:\n", $ads->tail('peers.log')
                if $part->ended;
            return IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port{NJS}");
        },
        30,
        'the peers'
    );
    $ads->{parts}{peers} = $part;
    pin($ads, 'peers', (cores())[0]);
    return \%port;
}

sub peers_stop
{
    my ($ads) = @_;
    my $part = delete $ads->{parts}{peers} or return;
    $part->stop('QUIT', 10);
    $ads->bury($part);
}

# The one child of the part's master that serves.
sub worker_of
{
    my ($ads, $name) = @_;
    my $pid = $ads->part($name)->{pid};
    my @children =
        split ' ', Ads::Stack::read_file("/proc/$pid/task/$pid/children");
    die "$name: @children are not one worker\n" if @children != 1;
    return $children[0];
}

sub cpu_ns
{
    my ($pid) = @_;
    return (split ' ', Ads::Stack::read_file("/proc/$pid/schedstat"))[0];
}

# Every journalled byte is in the database.
sub wait_drained
{
    my ($ads) = @_;
    my $pending = -1;
    $ads->wait_until(
        sub {
            my (undef, $text) = $ads->get('/metrics');
            my ($now) = $text =~ /^ads_journal_pending_bytes (\d+)/m;
            my $drained = $now == 0 && $pending == 0;
            $pending = $now;
            sleep 0.05;
            return $drained;
        },
        300,
        'the journal to be committed'
    );
}

# ---- what is asked ---------------------------------------------------------

sub firefox
{
    return $firefox;
}

# A request for the query with the usual context, padded to 256 bytes.
sub body
{
    my ($query) = @_;
    my $head = JSON::PP->new->utf8->canonical->encode({
        query       => $query,
        placement   => 'inline',
        max_results => 3,
        context     => {
            currency   => 'USD',
            language   => 'en',
            location   => 'US',
            session_id => 's-0123456789abcdef0123456789abcdef',
        },
    });
    my $room = 256 - length($head) - length ',"note":""';
    substr $head, -1, 0, ',"note":"' . 'x' x $room . '"' if $room >= 0;
    return $head;
}

# Shops that share the products (JSON lines) evenly, with money enough.
sub seed_catalogue
{
    my ($ads, $n_shops, $lines) = @_;
    for my $n (1 .. $n_shops) {
        my @part = @$lines[grep { $_ % $n_shops == $n - 1 } 0 .. $#$lines];
        my $shop = $ads->tenant('advertiser', "Shop $n");
        $ads->topup($shop, 1_000_000);
        my $campaign = $ads->campaign($shop, bid => 0.10 + $n / 100,
            lifetime => 1_000_000);
        my $file = "$ads->{dir}/tmp/products.jsonl";
        $ads->write_file($file, join '', @part);

        # 3: committed; on a busy machine the tables take longer than adsctl
        # waits for them
        my ($code, $text) =
            $ads->try_adsctl('import', '--campaign', $campaign, $file);
        die "import: exit $code\n$text" if $code != 0 && $code != 3;
    }
    my $n = $ads->sql_value('select count(*) from ads.ads');
    $ads->wait_until(
        sub { $ads->log_lines('adsd.out', qr/base of $n ads,/) > 0 },
        120, 'the catalogue to be served');
}

# The query is answered with that many ads, or this measures something else.
sub shows
{
    my ($ads, $key, $query, $n) = @_;
    my $shown = $ads->recommend($key, $query)->{json}{ads} || [];
    die "\"$query\" is to be answered with $n ads\n" if @$shown != $n;
}

# A file of n links, each of another request, all to one ad.
sub links
{
    my ($ads, $publisher, $n, $prefix) = @_;
    my $path = "$ads->{dir}/tmp/links";
    my $ad   = $ads->sql_value('select id from ads.ads order by id limit 1');
    quietly('sh', '-c', 'exec build/links "$@" > "$0"', $path,
        "$ads->{dir}/click.keys", $publisher, $ad, $n, $prefix // '');
    chmod 0644, $path;
    return $path;
}

# The same file with links that only look like ours: our module masks a link
# in the request line, and a limit must not pay for that.
sub limit_links
{
    my ($ads, $links) = @_;
    my $path = "$ads->{dir}/tmp/limit-links";
    my $text = Ads::Stack::read_file($links);
    $text =~ s{^/v1/click/}{/v1/limit/}gm or die "$links: no links\n";
    $ads->write_file($path, $text, 0644);
    return $path;
}

# ---- load ------------------------------------------------------------------

# One round of load on a target {ads, part, port, and post => {file, key} or
# get => file, whose links are made again for `publisher` where one is named, so
# that none is used twice}.  Returns processor microseconds a request, requests
# a second, and latencies in microseconds.
sub load
{
    my ($target, $seconds) = @_;
    my $worker = worker_of($target->{ads}, $target->{part} // 'nginx');
    my @what   =
        $target->{post}
        ? ('post', @{ $target->{post} }{qw(file key)})
        : ($target->{publisher} ? 'once' : 'loop', $target->{get});
    links($target->{ads}, $target->{publisher}, $rate_max * $seconds)
        if $target->{publisher};

    my $cpu  = cpu_ns($worker);
    my $text = quietly('taskset', '-c', (cores())[1], 'wrk', '-t1',
        "-c$connections", "-d${seconds}s", '-s', 'bench/load.lua',
        "http://127.0.0.1:$target->{port}", '--', @what);
    $cpu = cpu_ns($worker) - $cpu;
    my ($requests, $errors, $p50, $p99) =
        $text =~ /^result (\d+) (\d+) (\d+) (\d+) (\d+)$/m
        or die "wrk:\n$text";

    die "$target->{name}: $errors errors\n$text" if $errors;
    return {
        cpu_us => $cpu / 1000 / $requests,
        rate   => $requests / $seconds,
        n      => $requests,
        p50    => $p50,
        p99    => $p99
    };
}

# The decision by itself over a file of queries: microseconds of a whole one,
# of guard and intent in it, and the share answered with ads.
sub decision
{
    my ($ads, $file, $rounds) = @_;
    my $text = quietly('taskset', '-c', (cores())[0], 'build/decide',
        "$ads->{dir}/state", $file, $rounds);
    return split ' ', $text;
}

sub median
{
    my @sorted = sort { $a <=> $b } @_;
    my $middle = int(@sorted / 2);
    return @sorted % 2
        ? $sorted[$middle]
        : ($sorted[ $middle - 1 ] + $sorted[$middle]) / 2;
}

1;
