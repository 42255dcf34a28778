package Ads::Test;

# The end-to-end harness: a private PostgreSQL, adsd and nginx in a temporary
# folder, and short words for what tests do to them.
#
#     my $ads = Ads::Test->new;              # started, migrated, ready
#     my $shop = $ads->seed_shop;            # advertiser, campaign, products
#     my $pub  = $ads->seed_publisher;       # account and key
#     my $r    = $ads->recommend($pub->{key}, 'buy a printer');
#     is $ads->click($r->{json}{ads}[0]{click_url})->{status}, 302, '...';
#     $ads->done;
#
# done() ends both programs, checks that they ended cleanly and that no log
# holds an alert or a sanitizer report, and closes the list of tests.  A test
# that dies leaves nothing running either.

use strict;
use warnings;
use lib 'tools/lib';

use Ads::Cluster;
use Ads::Http;
use Ads::Schema;
use Ads::Stack;
use Cwd qw(getcwd);
use DBI;
use File::Basename qw(basename);
use File::Path qw(remove_tree);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use IO::Socket::UNIX;
use JSON::PP;
use Test::More;
use Time::HiRes qw(time sleep);

our @ISA = qw(Ads::Stack);

my %running;

# Options of Ads::Stack (workers, rates, nginx, nginx_http, adsd), and
# parts => [...] to start fewer of them.
sub new
{
    my ($class, %opt) = @_;
    my $dir   = tempdir('ads-XXXXXX', TMPDIR => 1);
    my $parts = delete $opt{parts} || [qw(postgres adsd nginx)];
    my $self  = Ads::Stack::new(
        $class,
        root  => getcwd(),
        build => $ENV{ADS_BUILD} || 'build',
        dir   => $dir,
        memory($dir),
        port  => free_port(),
        rates => 0,
        env   => { sanitizer_options("$dir/log/sanitizer") },
        log_at_once => 1,
        %opt,
    );
    $running{$self} = $self;
    $SIG{$_} ||= sub { exit 1 }    # so that END runs
        for qw(INT TERM HUP);
    $self->{owner} = $$;

    my %start = map { $_ => 1 } @$parts;
    Ads::Stack::give($self->{database_user}, $self->{memory})
        if $self->{memory};
    $self->prepare;

    # workers report there, too
    chmod 01777, "$dir/log" if $ENV{ADS_CFLAGS};
    $self->make_database if $start{postgres};
    $self->start_adsd    if $start{adsd};
    $self->start_nginx   if $start{nginx};
    $self->wait_ready(30) if $start{adsd} && $start{nginx};
    return $self;
}

# The cluster need not be on a disk, where its many files cost much of what a
# test takes: nothing that is tested is in it, and it is never synced.
sub memory
{
    my ($dir) = @_;
    return if !$ENV{ADS_MEMORY} || $ENV{ADS_KEEP};
    my $folder = $ENV{ADS_MEMORY} . '/' . basename($dir);
    mkdir $folder, 0700 or die "$folder: $!\n";
    return (memory => $folder, pg_path => "$folder/pg");
}

# Reports go to files when a path is given: a program's standard error may be
# read elsewhere.  A preloaded library may stand before the sanitizer's, and a
# mapped file that somebody cut short ends a worker as it would without.
# Nothing for programs without sanitizers.
sub sanitizer_options
{
    my ($path) = @_;
    return if !$ENV{ADS_CFLAGS};
    my $log   = defined $path ? "log_path=$path:" : '';
    my $leaks = getcwd() . '/t/lib/lsan.supp';
    return (
        ASAN_OPTIONS => $log . 'exitcode=99:handle_sigbus=0'
            . ':verify_asan_link_order=0',
        LSAN_OPTIONS  => "suppressions=$leaks:print_suppressions=0",
        UBSAN_OPTIONS => $log . 'print_stacktrace=1',
        # a stop leaves threads that wait for a database behind
        TSAN_OPTIONS  => $log . 'exitcode=99:report_thread_leaks=0',
    );
}

# what a test itself runs, such as nginx -t
{
    my %options = sanitizer_options();
    @ENV{ keys %options } = values %options;
}

# How much longer a thing may take here than was promised: sanitized programs do
# each several times slower, and where more processes want a processor than there
# are, each gets its share of them: those of the last minute, or of this moment.
sub patience
{
    my ($minute, $now) = Ads::Stack::read_file('/proc/loadavg') =~ m{^(\S+) \S+ \S+ (\d+)/};
    my $share = ($minute > $now ? $minute : $now) / processors();
    return ($ENV{ADS_CFLAGS} ? 4 : 1) * ($share > 1 ? $share : 1);
}

sub processors
{
    my $there = Ads::Stack::read_file('/proc/cpuinfo');
    return scalar(() = $there =~ /^processor\h*:/gm) || 1;
}

# A port that is no one's now, and no other test's as long as this one lives: of
# each that is given out a socket with its number in the abstract namespace is
# held.  Not one of those from 32768 on, which connections get for their own
# end.
my ($port_next, @port_held) = 10_000 + $$ * 61 % 20_000;

sub free_port
{
    for (1 .. 20_000) {
        my $port = $port_next;
        $port_next = 10_000 + ($port - 10_000 + 1) % 20_000;
        my $mine = IO::Socket::UNIX->new(
            Local  => "\0ads-test-port-$port",
            Listen => 1
        ) or next;
        IO::Socket::INET->new(
            LocalAddr => "127.0.0.1:$port",
            Listen    => 1
        ) or next;
        push @port_held, $mine;
        return $port;
    }
    die "no free port\n";
}

# A deadline ends a wait that would never end.  It is long enough for a machine
# that has other work: what has to be quick is measured by who promises it.
my $wait_least_s = 30;

sub wait_until
{
    my ($self, $test, $seconds, $what) = @_;
    $seconds = $wait_least_s if $seconds < $wait_least_s;
    $self->SUPER::wait_until($test, $seconds * patience(), $what);
}

# Until some backend waits for a lock, such as one that the test holds.
sub wait_for_lock
{
    my ($self, $seconds, $what) = @_;
    $self->wait_until(
        sub {
            # within a transaction they are those of the first look
            $self->sql_value('select pg_stat_clear_snapshot()');
            return $self->sql_value(q{select count(*) from pg_stat_activity
                where wait_event_type = 'Lock'});
        },
        $seconds, $what
    );
}

# A migrated database.
sub make_database
{
    my ($self) = @_;
    Ads::Cluster::copy($self);
    $self->write_logins;
    $self->start_database;
    $self->adsctl('init');
}

# ---- HTTP ------------------------------------------------------------------

# One request on its own connection.  Headers as [name => value, ...].  The
# answer: {status, reason, headers (by lower-case name), body, json}.
sub http
{
    my ($self, $method, $path, $headers, $body) = @_;
    my $answer =
        Ads::Http::request($self->{port}, $method, $path, $headers, $body);
    $self->{schema} = Ads::Schema->new unless exists $self->{schema};
    $self->{misfits}{$_}++
        for $self->{schema}
        ? $self->{schema}->faults($method, $path, $answer)
        : ();
    $self->{misfits}{"$method $path: $answer->{status} without X-Request-Id"}++
        if $answer && $path =~ m{^/v1/} && !$answer->{headers}{'x-request-id'};
    return $answer;
}

# Bytes as given, in the pieces given, with a flush between them.
sub raw
{
    my ($self, @pieces) = @_;
    return Ads::Http::raw($self->{port}, @pieces);
}

# POST with a JSON body: a Perl structure, or text as it is.
sub post
{
    my ($self, $path, $key, $body, @headers) = @_;
    push @headers, 'Authorization' => "Bearer $key" if defined $key;
    $body = encode_json($body) if ref $body;
    return $self->http('POST', $path,
        ['Content-Type' => 'application/json', @headers], $body);
}

# POST /v1/ads/recommend; fields beside the query as they go into the body.
sub recommend
{
    my ($self, $key, $query, %fields) = @_;
    return $self->post('/v1/ads/recommend', $key,
        { query => $query, %fields });
}

# Follows a link as a browser would; takes the whole URL or the path.
sub click
{
    my ($self, $url, @headers) = @_;
    my ($path) = $url =~ m{^(?:https?://[^/]+)?(/.*)$};
    return $self->http('GET', $path,
        ['User-Agent' => 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0',
            @headers]);
}

# What `GET /metrics` says of a metric, all its labels together, or those of
# the one named in braces; undef: it is not there.
sub metric
{
    my ($self, $name) = @_;
    my $text = $self->http('GET', '/metrics')->{body};
    my $sum;
    $sum += $1 while $text =~ /^\Q$name\E(?:\{.*\})? (\d+)$/mg;
    return $sum;
}

# A problem document with that status and code, its form included.
sub is_problem
{
    my ($self, $answer, $status, $code, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    subtest $name => sub {
        my $problem = $answer->{json} || {};
        is $answer->{status}, $status, 'status';
        like $answer->{headers}{'content-type'} // '',
            qr{^application/problem\+json}, 'media type';
        is $problem->{status}, $status, 'status in the document';
        is $problem->{code}, $code, 'code';
        is $problem->{type}, "/docs/errors#$code", 'type';
        like $problem->{title} // '', qr/\S/, 'title';
        is $problem->{request_id}, $answer->{headers}{'x-request-id'},
            'request id, in the document and in the header';
    };
}

# ---- database and commands -------------------------------------------------

sub db
{
    my ($self) = @_;
    return $self->{db} if $self->{db} && $self->{db}->ping;
    return $self->{db} = DBI->connect(
        "dbi:Pg:host=$self->{db_path};port=5432;dbname=ads",
        'postgres', $self->password('postgres'), { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
}

# Rows of a statement, as array references; for one column and row the value.
sub sql
{
    my ($self, $statement, @values) = @_;
    return $self->db->selectall_arrayref($statement, {}, @values);
}

sub sql_value
{
    my ($self, $statement, @values) = @_;
    return ($self->db->selectrow_array($statement, {}, @values))[0];
}

# Exit code and everything it printed.
sub try_adsctl
{
    my ($self, @words) = @_;
    return $self->try($self->adsctl_argv(@words));
}

# ---- seeds -----------------------------------------------------------------

sub tenant
{
    my ($self, $type, $name) = @_;
    return $self->adsctl('tenant', 'create', '--type', $type, '--name',
        $name)->{id};
}

# {account, key} of a new publisher.
sub seed_publisher
{
    my ($self, %opt) = @_;
    my $account = $self->tenant('publisher', $opt{name} // 'Publisher');
    return { account => $account, key => $self->key($account, @{ $opt{key}
                || [] }) };
}

sub key
{
    my ($self, $account, @words) = @_;
    return $self->adsctl('key', 'create', '--account', $account,
        @words)->{key};
}

# {account, key} of a new platform.
sub seed_platform
{
    my ($self, %opt) = @_;
    my $account = $self->tenant('platform', $opt{name} // 'Platform');
    return { account => $account, key => $self->key($account) };
}

# {account, key, campaign, products} of a new advertiser with money and one
# active campaign.  Options: name, bid, daily, lifetime, topup, products (as
# in the demo catalogue; a few by default), campaign (more words for
# `campaign create`).
sub seed_shop
{
    my ($self, %opt) = @_;
    my $account = $self->tenant('advertiser', $opt{name} // 'Shop');
    my $shop    = { account => $account, key => $self->key($account) };

    $self->topup($account, $opt{topup}) if $opt{topup} // ($opt{topup} = 1000);
    $shop->{campaign} = $self->campaign($account, %opt);
    $shop->{products} = $opt{products} || $self->products;
    $self->import_products($shop->{campaign}, $shop->{products});
    return $shop;
}

sub topup
{
    my ($self, $account, $amount) = @_;
    return $self->adsctl('balance', 'topup', '--account', $account,
        '--amount', $amount, '--reference', 'seed-' . ++$self->{n_topups});
}

sub campaign
{
    my ($self, $account, %opt) = @_;
    return $self->adsctl('campaign', 'create', '--account', $account,
        '--name', $opt{campaign_name} // 'Campaign',
        '--bid', $opt{bid} // '0.25', '--status', $opt{status} // 'active',
        ($opt{daily} ? ('--daily', $opt{daily}) : ()),
        '--lifetime', $opt{lifetime} // '1000',
        @{ $opt{campaign} || [] })->{id};
}

sub import_products
{
    my ($self, $campaign, $products) = @_;
    my $file = "$self->{dir}/tmp/products-" . ++$self->{n_imports} . '.jsonl';
    $self->write_file($file,
        join '', map { encode_json($_) . "\n" } @$products);
    return $self->adsctl('import', '--campaign', $campaign, $file);
}

# Products that tests ask for by words no one else uses.
sub products
{
    my @made = (
        ['laser printer', 'Quillon', 'Printers', '189.00',
            'Compact mono laser printer with duplex and wireless network'],
        ['ink cartridge black', 'Quillon', 'Printer Supplies', '24.50',
            'Original black ink cartridge for Quillon printers, 600 pages'],
        ['espresso machine', 'Brewmark', 'Kitchen', '249.90',
            'Espresso machine with 15 bar pump and milk frother'],
        ['running shoes', 'Strider', 'Sports', '79.95',
            'Light running shoes with cushioned sole for road and track'],
        ['wireless headphones', 'Auralis', 'Audio', '129.00',
            'Over-ear wireless headphones with noise cancelling'],
        ['mountain bike', 'Ridgeway', 'Sports', '899.00',
            'Mountain bike, 29 inch wheels, aluminium frame, disc brakes'],
    );
    my $n = 0;
    return [
        map {
            $n++;
            {
                id          => "test-$n",
                title       => "$_->[1] $_->[0]",
                brand       => $_->[1],
                category    => [$_->[2]],
                price       => 0 + $_->[3],
                currency    => 'USD',
                description => $_->[4],
                url         => "https://shop.example/p/$n?from=ads#top",
            }
        } @made
    ];
}

# ---- faults ----------------------------------------------------------------

# Ends a part and starts it again; it must end cleanly.
sub restart
{
    my ($self, $name) = @_;
    my $status = $self->stop($name);
    is $status, 0, "$name ends cleanly";
    $self->begin($name);
}

# Kill -9 and start again.
sub kill_and_restart
{
    my ($self, $name) = @_;
    $self->kill_part($name);
    $self->bury(delete $self->{parts}{$name});
    $self->begin($name);
}

sub begin
{
    my ($self, $name) = @_;
    delete $self->{db} if $name eq 'postgres';
    return
          $name eq 'postgres' ? $self->start_database
        : $name eq 'adsd'     ? $self->start_adsd
        :                       $self->start_nginx;
}

# The workers of nginx that there are, by process id.
sub workers
{
    my ($self) = @_;
    my $master = $self->part('nginx')->{pid};
    open my $in, '<', "/proc/$master/task/$master/children" or return;
    return split ' ', <$in> // '';
}

# The workers of now, as processes that can be asked for later: an id alone may
# be another's by then.
sub worker_processes
{
    my ($self) = @_;
    return map { Ads::Process->from_record("worker $_ "
            . (Ads::Process::start_time($_) // 0)) } $self->workers;
}

# Reads nginx.conf again and waits until no worker of before is left; the
# seconds that took.
sub reload
{
    my ($self, $deadline_s) = @_;
    my %old   = map { $_ => 1 } $self->workers;
    my $begin = time;
    $self->part('nginx')->signal('HUP');
    $self->wait_until(
        sub {
            my @now = $self->workers;
            return @now && !grep { $old{$_} } @now;
        },
        $deadline_s // 15,
        'the old workers to go'
    );
    return time - $begin;
}

# ---- the end ---------------------------------------------------------------

# Lines of a log that match.
sub log_lines
{
    my ($self, $log, $pattern) = @_;
    open my $in, '<', "$self->{dir}/log/$log" or return;
    return grep { $_ =~ $pattern } <$in>;
}

sub check_logs
{
    my ($self) = @_;
    my $bad = qr/\[(?:alert|emerg)\]|runtime error: |Sanitizer: /;
    my @bad = (
        (map { $self->log_lines($_, $bad) } qw(nginx.log nginx.out adsd.out)),
        map { read_report($_) } glob "$self->{dir}/log/sanitizer.*"
    );
    is "@bad", '', 'no alert and no sanitizer report in any log';
}

sub read_report
{
    my ($path) = @_;
    return Ads::Stack::read_file($path);
}

sub done
{
    my ($self) = @_;
    delete $self->{db};
    for my $name (qw(nginx adsd postgres)) {
        next unless $self->part($name);
        is $self->stop($name), 0, "$name ends cleanly";
    }
    $self->check_logs;
    my @misfits = sort keys %{ $self->{misfits} || {} };
  SKIP: {
        skip 'JSON::Validator is not installed', 1
            if exists $self->{schema} && !$self->{schema} && !@misfits;
        is scalar @misfits, 0, 'every answer fits docs/openapi.json';
    }
    diag $_ for @misfits;
    $self->clean;
    done_testing();
}

sub clean
{
    my ($self) = @_;
    delete $running{$self};
    delete $self->{db};
    for my $name (qw(nginx adsd postgres)) {
        $self->stop($name);
    }
    if ($ENV{ADS_KEEP}) {
        diag "kept $self->{dir}";
        return;
    }
    remove_tree($self->{dir}, grep { defined } $self->{memory});
}

# of the process that made them only: a test may fork
END {
    my $status = $?;
    for my $self (grep { $_->{owner} == $$ } values %running) {
        diag $_, ":\n", $self->tail($_) for qw(nginx.log adsd.out);
        $self->clean;
    }
    $? = $status;
}

1;
