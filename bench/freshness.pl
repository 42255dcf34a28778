#!/usr/bin/perl

# How long a change of a product takes until every worker serves it, on a large
# catalogue, and what heads, merges and rebuilds cost the daemon.
#
#     bench/freshness.pl [ADS [WRITES [CAMPAIGNS]]]
#
# ADS (1,000,000) products are grown inside PostgreSQL from the catalogue of
# ../shared/data, each title with another number and another maker; beside their
# campaign stand CAMPAIGNS (0) others, each with 20 keywords.  WRITES (200)
# products are then changed, made and archived in turn over HTTP; a write
# answers once it is served, and 1 in 10 is asked for, to see that it is.  Then
# so many rows are imported at once that the head is merged, while 5 writes a
# second go on, whether those before are answered or not.
# Times are of a whole request; the rest is read from the daemon's log and
# /proc.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib",
    "$FindBin::Bin/../tools/lib";

use Ads::Test;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(time sleep);

chdir "$FindBin::Bin/.." or die "$!\n";
my $n_ads    = shift // 1_000_000;
my $n_writes = shift // 200;
my $n_campaigns = shift // 0;
my $n_writers   = 10;
my $writes_a_second = 5;
my $source   = '../shared/data/catalog.jsonl.zst';
my $json     = JSON::PP->new->utf8->canonical;

my $ads  = Ads::Test->new(adsd => { log_level => 'debug' });
my $pub  = $ads->seed_publisher;
my $shop = $ads->seed_shop(products => []);
my $other = $ads->seed_shop(products => []);    # writes while $shop imports

sub note_line { printf "%s\n", join ' ', @_ }

sub percentile
{
    my ($share, @times) = @_;
    @times = sort { $a <=> $b } @times;
    return 1000 * $times[$share * $#times];
}

sub logged
{
    my ($pattern) = @_;
    return map { /$pattern/ ? $1 : () } $ads->log_lines('adsd.out', $pattern);
}

sub memory
{
    my $pid = $ads->part('adsd')->{pid};
    my ($text) = Ads::Stack::read_file("/proc/$pid/status");
    my %kb = $text =~ /^(VmHWM|RssAnon|RssFile):\s+(\d+)/mg;
    return join ', ', map { sprintf '%s %d MB', $_, $kb{$_} / 1024 }
        sort keys %kb;
}

# The CPU seconds of the daemon so far.
sub cpu
{
    my $pid = $ads->part('adsd')->{pid};
    my @stat = split ' ', Ads::Stack::read_file("/proc/$pid/stat") =~
        s/^.*\) //sr;
    return ($stat[11] + $stat[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# ---- the catalogue ---------------------------------------------------------

my $lines = "$ads->{dir}/tmp/catalogue.jsonl";
if (-e $source) {
    system("zstd -dcq $source > $lines") == 0 or die "zstd failed\n";
}
else {
    $ads->write_file($lines, join '', map { $json->encode($_) . "\n" }
            @{ $ads->products });
}
my ($code, $text) =
    $ads->try_adsctl('import', '--campaign', $shop->{campaign}, $lines);
die "import: exit $code\n$text" if $code != 0 && $code != 3;
$ads->stop('adsd');

my $have = $ads->sql_value('select count(*) from ads.ads');
my $times = POSIX::ceil($n_ads / $have);
my $began = time;
$ads->db->do('set session_replication_role = replica');
$ads->db->do(<<"SQL");
insert into ads.products (id, account_id, sku, title, description, brand, category, url, image_url, price_micros,
    currency)
select md5(p.id::text || k)::uuid, p.account_id, p.sku || '-' || k,
    regexp_replace(p.title, '[0-9]+', (abs(hashtext(p.id::text || k)) % 9000)::text)
        || ' ' || chr(97 + k % 26) || abs(hashtext(p.sku || k)) % 500,
    p.description, p.brand, p.category, p.url || '?k=' || k, p.image_url, p.price_micros + k * 10000, p.currency
from ads.products p, generate_series(1, $times - 1) k
limit greatest($n_ads - $have, 0)
SQL
$ads->db->do(<<"SQL");
insert into ads.ads (id, account_id, campaign_id, product_id)
select md5('ad' || p.id)::uuid, p.account_id, '$shop->{campaign}', p.id
from ads.products p
where not exists (select from ads.ads d where d.product_id = p.id)
SQL
$ads->db->do(<<"SQL");
insert into ads.campaigns (id, account_id, name, bid_micros, lifetime_budget_micros, status, targeting)
select md5('campaign' || k)::uuid, c.account_id, 'Campaign ' || k, c.bid_micros, c.lifetime_budget_micros, 'active',
    jsonb_build_object('keywords', (
        select jsonb_agg('running shoes by maker ' || k * j % 997) from generate_series(1, 20) j))
from ads.campaigns c, generate_series(1, $n_campaigns) k
where c.id = '$shop->{campaign}'
SQL
$ads->db->do('set session_replication_role = origin');
$ads->db->do('analyze ads.campaigns');
$ads->db->do('analyze ads.products');
$ads->db->do('analyze ads.ads');
my $total = $ads->sql_value('select count(*) from ads.ads');
note_line sprintf '%d ads, from %d, of %d campaigns, in PostgreSQL after %.0f s',
    $total, $have, $ads->sql_value('select count(*) from ads.campaigns'),
    time - $began;

unlink glob "$ads->{dir}/state/base-*";
$began = time;
$ads->begin('adsd');
$ads->wait_until(sub { logged(qr/(base of $total ads, from rows)/) > 0 }, 600,
    'the base');
$ads->wait_until(sub { ($ads->try_adsctl('campaign', 'pause', $shop->{campaign}))[0]
        == 0 }, 60, 'it to be served');
$ads->adsctl('campaign', 'activate', $shop->{campaign});
note_line sprintf 'base from rows after %.1f s, CPU of adsd %.1f s; %s',
    time - $began, cpu(), memory();
note_line sprintf 'base %d MB', (-s (glob "$ads->{dir}/state/base-*")[0]) / 1e6;

# ---- writes ----------------------------------------------------------------

my @made;

sub call
{
    my ($method, $path, $body, $key) = @_;
    my $from   = time;
    my $answer = $ads->http($method, "/v1/products$path",
        ['X-API-Key' => $key // $shop->{key}, 'Content-Type' => 'application/json'],
        $body ? $json->encode($body) : undef);
    my $took = time - $from;
    die "$method $path: $answer->{status} $answer->{body}\n"
        if $answer->{status} >= 300;
    return ($took, $answer);
}

my ($unserved, $unnamed) = (0, 0);

sub write_one
{
    my ($n) = @_;
    my ($took, $answer);
    if ($n % 4 == 0 && @made > 3) {
        ($took, $answer) = call('DELETE', '/' . shift @made);
    }
    elsif ($n % 4 < 2) {
        ($took, $answer) = call('POST', '',
            { campaign_id => $shop->{campaign}, sku => "fresh-$n-$$",
                title => "Freshling kettle zq$n", price => 20, currency => 'USD',
                url => "https://shop.example/fresh/$n" });
        push @made, $answer->{json}{id};
        if ($n % 10 == 1) {
            my $shown = $ads->recommend($pub->{key}, "buy a freshling zq$n kettle")
                ->{json}{ads}[0]{title} // '';
            $unserved++ if $shown ne "Freshling kettle zq$n";
        }
    }
    else {
        ($took, $answer) = call('PATCH', "/$made[-1]", { price => $n });
    }
    $unnamed++ if !$answer->{headers}{'x-ads-generation'};
    return $took;
}

# A write answers after a second at most, served or not: what counts then is how
# many could not name their generation.
sub times_line
{
    my (@times) = @_;
    my $line = sprintf 'p50 %.0f ms, p99 %.0f ms, most %.0f ms;'
        . ' %d not served, %d without a generation', percentile(0.5, @times),
        percentile(0.99, @times), percentile(1, @times), $unserved, $unnamed;
    ($unserved, $unnamed) = (0, 0);
    return $line;
}

my $cpu   = cpu();
my @times = map { write_one($_) } 1 .. $n_writes;
note_line sprintf '%d writes: %s; CPU of adsd %.0f ms each', $n_writes,
    times_line(@times), 1000 * (cpu() - $cpu) / $n_writes;

# ---- writes while rows come at once ----------------------------------------

# A process that writes at its time in a schedule, so that all of them together
# write $writes_a_second times a second.  The pipe that is returned gives a line
# for each write: when, after how many seconds it was answered, whether its
# generation was named, after how many it was served.
sub writer
{
    my ($number) = @_;
    my (undef, $answer) = call('POST', '',
        { campaign_id => $other->{campaign}, sku => "turn-$number", price => 1,
            title => "Freshling kettle zt$number", currency => 'USD',
            url => "https://shop.example/turn/$number" }, $other->{key});
    my $pid = open(my $pipe, '-|') // die "fork: $!\n";
    return { pid => $pid, pipe => $pipe } if $pid;

    $| = 1;
    my $stop = 0;
    local $SIG{TERM} = sub { $stop = 1 };
    my $next = time + $number / $writes_a_second;
    for (my $n = 1; !$stop; $n++) {
        my $left = $next - time;
        sleep $left if $left > 0;
        my ($took, $written) =
            call('PATCH', "/$answer->{json}{id}", { price => 10 + $n },
                $other->{key});
        my $named  = $written->{headers}{'x-ads-generation'} ? 1 : 0;
        my $served = time - $next;
        while (!$named && shown("zt$number") != 10 + $n && $served < 60) {
            sleep 0.02;
            $served = time - $next;
        }
        print "$next $took $named $served\n";
        $next += $n_writers / $writes_a_second;
    }
    POSIX::_exit(0);
}

# The price at which the product of that word is shown.
sub shown
{
    my ($word) = @_;
    return $ads->recommend($pub->{key}, "buy a freshling $word kettle")
        ->{json}{ads}[0]{price} // 0;
}

sub writers_line
{
    my (@writers) = @_;
    kill TERM => map { $_->{pid} } @writers;
    my @lines = map { my $pipe = $_->{pipe}; map { [split] } <$pipe> } @writers;
    my @served = map { $_->[3] } @lines;
    return sprintf '%d writes meanwhile: %d without a generation; served after'
        . ' p50 %.0f ms, p99 %.0f ms, most %.0f ms', scalar @lines,
        scalar(grep { !$_->[2] } @lines),
        map { percentile($_, @served) } 0.5, 0.99, 1;
}

# So many products of the catalogue come with another price.
sub import_changed
{
    my ($n) = @_;
    open my $in, '<', $lines or die "$lines: $!\n";
    my @changed;
    while (@changed < $n && defined(my $line = <$in>)) {
        my $product = decode_json($line);
        $product->{price} += 1;
        push @changed, $json->encode($product) . "\n";
    }
    my $file = "$ads->{dir}/tmp/changed.jsonl";
    $ads->write_file($file, join '', @changed);
    my ($code, $text) =
        $ads->try_adsctl('import', '--campaign', $shop->{campaign}, $file);
    die "import: exit $code\n$text" if $code != 0 && $code != 3;
}

# ---- a large head, a merge, writes meanwhile -------------------------------

my $most = $n_ads / 20 < 5_000 ? int($n_ads / 20) : 5_000;
my $many = $most - 2 * @times;
$ads->db->do(<<"SQL");
update ads.products set price_micros = price_micros + 10000
where id in (select id from ads.products order by id limit $many)
SQL
my ($n) = (0);
$ads->wait_until(sub { write_one(++$n + $n_writes); $n > 2 }, 60, 'writes');
($unserved, $unnamed) = (0, 0);
$cpu   = cpu();
@times = map { write_one($_ + 1000) } 1 .. 100;
note_line sprintf 'with %d ads in the head: %s; CPU of adsd %.0f ms each,'
    . ' head %d MB; %s', $many, times_line(@times),
    1000 * (cpu() - $cpu) / @times, (-s "$ads->{dir}/state/head") / 1e6,
    memory();

my $merges = logged(qr/(ads, merged)/);
my @writers = map { writer($_) } 0 .. $n_writers - 1;
$many = 4 * $most;
$cpu  = cpu();
sleep 5;
my $before = () = logged(qr/(head of)/);
$began = time;
import_changed($many);
my $imported = time - $began;
$ads->wait_until(sub { logged(qr/(ads, merged)/) > $merges }, 600, 'the merge');
my $merged = time - $began;
sleep 5;
note_line sprintf '%d rows imported in %.1f s, merged after %.1f s (%s ms for'
    . ' the base); %s; CPU of adsd %.1f s; %s', $many, $imported, $merged,
    (logged(qr/ads, merged, .*?(\d+) ms"/))[-1], writers_line(@writers),
    cpu() - $cpu, memory();
my @heads = map { $_ / 1000 } logged(qr/head of .*? (\d+) ms, then/);
note_line "heads, ms: ", sprintf 'p50 %.0f, most %.0f',
    map { percentile($_, @heads[$before .. $#heads]) } 0.5, 1;
note_line 'load average ', Ads::Stack::read_file('/proc/loadavg') =~ /^(.*?) \d+\//;
note_line 'base and head are what a base from rows is'
    if logged(qr/(base and head held what)/);
die "base and head differ from a rebuild\n" if logged(qr/(is not what base)/);
$ads->done;
