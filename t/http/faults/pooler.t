#!/usr/bin/perl
#
# A pooler in transaction mode between adsd and PostgreSQL, with fewer
# connections than adsd has threads: who gets one next, no tenant sees
# another's rows, and nothing of a transaction stays behind for the next; adsd
# killed and the pooler restarted under load, what was answered is billed.
#
# Runs: long tsan

use strict;
use warnings;
use lib 't/lib';

use Test::More;

my $program;

BEGIN {
    $program = '/usr/sbin/pgbouncer';
    if (!-x $program && !$^C) {    # not when only checked
        my $why = 'PgBouncer is not installed';
        plan skip_all => $why if !$ENV{ADS_CI};
        plan tests => 1;
        fail $why;
        exit 1;
    }
}

use Ads::Chaos;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep);

my $pool_size = 2;

# adsd and adsctl reach the database by the pooler, from `adsctl init` on.
{
    package Ads::Pooled;
    use parent -norequire, 'Ads::Test';

    sub conninfo
    {
        my ($self, $login) = @_;
        return $self->SUPER::conninfo($login) if defined $login;
        return "host=$self->{run_path} port=6432 dbname=ads user=ads";
    }

    sub start_database
    {
        my ($self) = @_;
        $self->SUPER::start_database;
        return if $self->{pooler};
        my $password = $self->password('ads');
        $self->write_file("$self->{dir}/pooler.ini", <<"END");
[databases]
ads = host=$self->{db_path} port=5432 dbname=ads user=ads password=$password

[pgbouncer]
listen_port = 6432
unix_socket_dir = $self->{run_path}
auth_type = any
pool_mode = transaction
default_pool_size = $pool_size
END
        $self->start_pooler;
    }

    sub start_pooler
    {
        my ($self) = @_;
        my $part = $self->{pooler} = Ads::Process->start(
            name   => 'pooler',
            argv   => [$program, "$self->{dir}/pooler.ini"],
            user   => $self->{user},
            dir    => $self->{dir},
            log    => "$self->{dir}/log/pooler.out",
            signal => 'TERM',
        );
        $self->wait_until(
            sub {
                die "the pooler did not start:\n", $self->tail('pooler.out')
                    if $part->ended;
                return defined IO::Socket::UNIX->new(
                    Peer => "$self->{run_path}/.s.PGSQL.6432");
            },
            10,
            'the pooler'
        );
    }

    # TERM: all connections are dropped, transactions and all
    sub stop_pooler
    {
        my ($self) = @_;
        my $part = delete $self->{pooler} or return 0;
        return $part->stop('TERM', 5);
    }

    sub stop
    {
        my ($self, $name) = @_;
        $self->stop_pooler if $name eq 'postgres';
        return $self->SUPER::stop($name);
    }
}

my $chaos = Ads::Chaos->new(class => 'Ads::Pooled', rates => 0);
my $ads   = $chaos->{ads};

# ---- a newcomer --------------------------------------------------------------

my $boss  = $ads->seed_platform;
my $token = $ads->post('/v1/auth/signup', undef,
    {
        email    => 'ann@kites.example',
        password => 'a long enough secret',
        company  => 'Kites'
    })->{json}{access_token};
ok $token, 'a newcomer signs up';
my $campaign = $ads->post('/v1/campaigns', $token,
    {
        name   => 'Kites',
        bid    => 0.5,
        budget => { daily => 20 },
        status => 'active'
    })->{json}{id};
ok $campaign, 'makes a campaign';
is $ads->post('/v1/products', $token,
    {
        campaign_id => $campaign,
        sku         => 'delta',
        title       => 'Delta stunt kite',
        category    => 'Kites',
        url         => 'https://kites.example/delta',
        price       => 39.9,
        currency    => 'USD'
    })->{status}, 201, 'and a product';

# temporary tables and a COPY, on whatever connection there is
my $feed = $ads->http(
    'POST',
    "/v1/products/import?campaign_id=$campaign",
    ['Authorization' => "Bearer $token",
        'Content-Type' => 'text/tab-separated-values'],
    "id\ttitle\tlink\tprice\n"
        . "box\tBox kite\thttps://kites.example/box\t24.90 USD\n"
)->{json}{id};
my $state;
$ads->wait_until(
    sub {
        $state = $ads->http('GET', "/v1/products/import/$feed",
            ['Authorization' => "Bearer $token"])->{json};
        return $state->{status} =~ /^(?:done|failed)$/;
    },
    10,
    'the feed'
);
is $state->{counts}{added}, 1, 'a feed is read';

my $key = $ads->post('/v1/auth/api-key', $token, { name => 'shop' });
is $key->{status}, 201, 'gets a key';
my $topup = $ads->post('/v1/balance/topup', $key->{json}{key},
    { amount => 50, currency => 'USD', reference => 'bank-1' });
is $ads->post("/v1/platform/topups/$topup->{json}{transaction_id}/settle",
    $boss->{key}, {})->{json}{status}, 'settled', 'and money';

my $shown;
$ads->wait_until(
    sub {
        $shown = $ads->recommend($chaos->{publisher}{key},
            'buy a delta stunt kite')->{json};
        return $shown->{decision} eq 'SHOW';
    },
    10,
    'the kite to be shown'
);
sleep 0.3;    # who clicks within 200 ms is not billed
my $click = $ads->click($shown->{ads}[0]{click_url});
my ($click_id) = ($click->{headers}{location} // '') =~ /ads_click_id=(.{36})$/;
is $click->{status}, 302, 'a visitor clicks';
push @{ $chaos->{answered} }, $click_id;
$ads->wait_until(
    sub {
        $ads->http('GET', '/v1/balance',
            ['X-API-Key' => $key->{json}{key}])->{json}{spent_total_micros}
            == 500_000;
    },
    10,
    'the click to be billed'
);
pass 'and the newcomer sees what was spent';

# ---- two tenants at once -----------------------------------------------------

my @shops = @{ $chaos->{shops} };

# What is wrong with one round of requests of a tenant, a line each.
sub round
{
    my ($own, $other, $name) = @_;
    my ($me, $them) = ($shops[$own], $shops[$other]);
    my $site  = qr{^https://shop${\($own + 1)}\.example/};
    my $ask   = sub {
        my ($method, $path, $body) = @_;
        return Ads::Http::request($ads->{port}, $method, $path,
            ['X-API-Key' => $me->{key}, 'Content-Type' => 'application/json'],
            $body && encode_json($body));
    };
    my @wrong;
    my $expect = sub {
        my ($answer, $status, $what) = @_;
        push @wrong, "$what: $answer->{status}" if $answer->{status} != $status;
        return $answer->{json}{data} || [];
    };

    $expect->($ask->('POST', '/v1/campaigns',
            { name => "T$own $name", bid => 1, budget => { daily => 5 } }),
        201, 'make');
    push @wrong, map { "campaign $_->{name}" }
        grep { $_->{name} !~ /^(?:Campaign|T$own .*)$/
            || $_->{id} eq $them->{campaign} }
        @{ $expect->($ask->('GET', '/v1/campaigns?limit=100'), 200, 'list') };
    my @products =
        @{ $expect->($ask->('GET', '/v1/products?limit=100'), 200, 'products') };
    push @wrong, scalar(@products) . ' products'
        if @products != @{ $me->{products} };
    push @wrong, map { "product $_->{url}" }
        grep { $_->{url} !~ $site } @products;
    $expect->($ask->('GET', "/v1/campaigns/$them->{campaign}"), 404, 'foreign');
    $expect->($ask->('PATCH', "/v1/campaigns/$them->{campaign}",
            { name => 'mine' }), 404, 'foreign change');
    return @wrong;
}

my $clients = 6;
my $rounds  = Ads::Chaos::short_or_long(4, 40);
my @from;
for my $client (1 .. $clients) {
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        for my $n (1 .. $rounds) {
            my $own = ($client + $n) % 2;
            syswrite STDOUT, "$_\n" for round($own, 1 - $own, "$client-$n");
            syswrite STDOUT, "done\n";
        }
        POSIX::_exit(0);
    }
    push @from, $out;
}
my ($most, @said) = (0);
for my $out (@from) {
    while (my $line = <$out>) {
        push @said, $line;
        my $n = $ads->sql_value(
            "select count(*) from pg_stat_activity where usename = 'ads'");
        $most = $n if $n > $most;
    }
    close $out;
}
is scalar(grep { $_ eq "done\n" } @said), $clients * $rounds,
    "$clients clients were two tenants by turns";
is join('', grep { $_ ne "done\n" } @said), '',
    'each saw and changed its own rows only';
is $most, $pool_size, "over $pool_size connections";
is $ads->sql_value("select count(*) from ads.campaigns where name = 'mine'"), 0,
    'no row of others was changed';

# both connections, one transaction each
my @pooled = map {
    DBI->connect('dbi:Pg:' . $ads->conninfo =~ tr/ /;/r, 'ads', '',
        { RaiseError => 1, PrintError => 0, AutoCommit => 0 })
} 1 .. $pool_size;
my %backend;
for my $db (@pooled) {
    my ($pid, @left) = $db->selectrow_array(
        q{select pg_backend_pid(), current_user,
            coalesce(current_setting('ads.tenant', true), ''),
            coalesce(current_setting('ads.actor', true), ''),
            current_setting('statement_timeout'),
            (select count(*) from pg_prepared_statements)});
    $backend{$pid} = 1;
    is_deeply \@left, ['ads', '', '', '0', 0],
        'a connection keeps no role, tenant, person, limit or statement';
}
is keys %backend, $pool_size, 'this was asked of every one';
$_->rollback, $_->disconnect for @pooled;

# ---- faults ------------------------------------------------------------------

$chaos->begin;
$chaos->at_moments(1, 1, sub { $ads->kill_and_restart('adsd') });
$chaos->at_moments(1, 1, sub { $ads->stop_pooler; $ads->start_pooler });
sleep 0.5;
my $load = $chaos->end;
is_deeply [$load->bad], [], 'a kill of adsd and a new pooler: no request fails';
$chaos->check('by the pooler');
is join('', $ads->log_lines('adsd.out', qr/prepared statement|\bAD\d{3}\b/)),
    '', 'no statement met what another connection had made';
is $ads->post('/v1/campaigns', $key->{json}{key},
    { name => 'Later', bid => 1, budget => { daily => 5 } })->{status}, 201,
    'and managing goes on';

$chaos->done;
