#!/usr/bin/perl
#
# One Idempotency-Key, one effect: two hundred clients repeat the same creating
# request while adsd is killed.  Each ends up with the same answer, and the
# database holds the thing once.
#
# ADS_LONG=1: ten kills on each route and twenty new keys with one, else ten on
# one route, three on the others, and two new keys.
#
# Runs: first long tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Select;
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $seed = $ENV{ADS_SEED} // int rand 1e9;
srand $seed;
note "ADS_SEED=$seed repeats this run";

my $ads  = Ads::Test->new(adsd => { api_threads => 8 });
my $boss = $ads->seed_platform;
my $shop = $ads->seed_shop;
my @as   = ('X-API-Key' => $boss->{key}, 'X-Ads-Account' => $shop->{account});

# Creating routes: a body, another one, and what counts the effects.
my %case = (
    'POST /v1/auth/api-key' => {
        body   => '{"name":"NAME"}',
        other  => '{"name":"NAME other"}',
        effect => 'select count(*) from ads.api_keys where name like ?',
        secret => 1,
        undo   => q{update ads.api_keys set revoked_at = now()
            where name like ?},
    },
    'POST /v1/account/members' => {
        body   => '{"email":"NAME@x.example","role":"viewer"}',
        other  => '{"email":"NAME@x.example","role":"editor"}',
        effect => 'select count(*) from ads.invitations where email like ?',
    },
    'POST /v1/balance/topup' => {
        body   => '{"amount":5,"currency":"USD","reference":"NAME"}',
        other  => '{"amount":6,"currency":"USD","reference":"NAME"}',
        effect => 'select count(*) from ads.topups where reference like ?',
    },
    'POST /v1/campaigns' => {
        body => '{"name":"NAME","pricing":"cpc","bid":1,"budget":{"daily":5}}',
        other => '{"name":"NAME","pricing":"cpc","bid":2,"budget":{"daily":5}}',
        effect => 'select count(*) from ads.campaigns where name like ?',
    },
    'POST /v1/products' => {
        body  => product('9.5'),
        other => product('9.6'),
        effect => 'select count(*) from ads.products where sku like ?',
    },
    'POST /v1/platform/topups/{}/settle' => {
        as    => ['X-API-Key' => $boss->{key}],
        path  => sub { '/v1/platform/topups/' . topup($_[0]) . '/settle' },
        body  => '{}',
        other => '{"now":true}',
        effect => 'select count(*) from ads.ledger_transactions
            where reference like ?',
    },
    'POST /v1/platform/topups/{}/reject' => {
        as    => ['X-API-Key' => $boss->{key}],
        path  => sub { '/v1/platform/topups/' . topup($_[0]) . '/reject' },
        body  => '{"reason":"NAME"}',
        other => '{"reason":"NAME other"}',
        effect => q{select count(*) from ads.audit_log
            where object = 'topups' and after ->> 'reject_reason' like ?},
    },
    'POST /v1/platform/reversals' => {
        as     => ['X-API-Key' => $boss->{key}],
        of     => \&settled,
        body   => '{"transaction_id":"ID","amount":2,"reference":"NAME",'
            . '"reason":"paid back"}',
        other  => '{"transaction_id":"ID","amount":3,"reference":"NAME",'
            . '"reason":"paid back"}',
        effect => 'select count(*) from ads.reversals where reference like ?',
    },
);

sub product
{
    my ($price) = @_;
    return qq({"campaign_id":"$shop->{campaign}","sku":"NAME","title":"NAME",)
        . qq("url":"https://shop.example/p","price":$price,"currency":"USD"});
}

# After a start adsd answers 503 until it has seen its database: waits until it
# does not, so that what is asked next is asked of one that works.
sub wait_for_work
{
    $ads->wait_until(
        sub { (($ads->get('/v1/account'))[0] // 503) != 503 },
        10, 'adsd to work');
    return;
}

# The answer of an adsd that may have been killed a moment ago.
sub patient
{
    my (@request) = @_;
    my $answer;
    $ads->wait_until(
        sub {
            $answer = $ads->post(@request);
            return $answer->{status} != 503;
        },
        10, 'adsd to be back');
    return $answer;
}

# A top-up that waits, announced by the advertiser: its id.
sub topup
{
    my ($name) = @_;
    my $answer = patient('/v1/balance/topup', $shop->{key},
        { amount => 5, currency => 'USD', reference => $name },
        'Idempotency-Key' => "topup $name");
    die "topup: $answer->{status} $answer->{body}\n"
        if $answer->{status} != 201;
    return $answer->{json}{transaction_id};
}

# One that was paid.
sub settled
{
    my ($name) = @_;
    my $id = topup("paid $name");
    my $answer = patient("/v1/platform/topups/$id/settle", $boss->{key}, {},
        'Idempotency-Key' => "settle $name");
    die "settle: $answer->{status} $answer->{body}\n"
        if $answer->{status} != 200;
    return $id;
}

my @creating = map { "$_->{method} $_->{path}" }
    grep { $_->{creates} } $ads->adsctl('routes');
cmp_ok scalar @creating, '>', 0, 'some routes create';
# a feed is repeated with its key in desk/import_http.t
is_deeply [grep { !$case{$_} } @creating], ['POST /v1/products/import'],
    'and all of them are asked here';

# ---- the clients -----------------------------------------------------------

# The request of that name, with the body or the other one.
sub bytes
{
    my ($route, $name, $which) = @_;
    my $case = $case{$route};
    my ($method, $path) = split ' ', $route;
    $path = $case->{paths}{$name} //= $case->{path}->($name) if $case->{path};
    my $of = $case->{of} && ($case->{ids}{$name} //= $case->{of}->($name));
    return join '', Ads::Http::bytes(
        $ads->{port}, $method, $path,
        [@{ $case->{as} || \@as }, 'Content-Type' => 'application/json',
            'Idempotency-Key' => $name],
        $case->{$which} =~ s/NAME/$name/gr =~ s/ID/$of/r
    );
}

# An answer that stands: the effect is there, and says so.
sub is_final
{
    my ($answer) = @_;
    return 0 if !$answer;
    my $code = $answer->{status} >= 400 ? $answer->{json}{code} // '' : '';
    return $answer->{status} < 300 || $code eq 'already_done';
}

# In a process of its own: n clients repeat the request until each has a final
# answer and `stop` is there, and then wait for what is under way: else it might
# still hold the key when the next request comes.  Every final answer goes to the
# file.
sub clients
{
    my ($n, $text, $file, $stop) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;

    local $SIG{PIPE} = 'IGNORE';
    open my $out, '>', $file or POSIX::_exit(1);
    my $select   = IO::Select->new;
    my $deadline = time + 90;
    my @again    = map { [0, $_] } 0 .. $n - 1;    # when, who
    my (%open, @done);

    while (time < $deadline) {
        my $over = -e $stop;
        last if $over && !%open && !grep { !$done[$_] } 0 .. $n - 1;
        my $moment = time;
        my @now = grep { $_->[0] <= $moment } @again;
        @again = grep { $_->[0] > $moment } @again;
        for my $one (grep { !$over || !$done[ $_->[1] ] } @now) {
            my $socket = eval { &Ads::Http::connect($ads->{port}) };
            if (!$socket) {
                push @again, [time + 0.02, $one->[1]];
                next;
            }
            syswrite $socket, $text;
            $open{ fileno $socket } = { who => $one->[1], bytes => '' };
            $select->add($socket);
        }
        sleep 0.01 if !%open;    # nothing to wait for is not waited for
        for my $socket ($select->can_read(0.01)) {
            my $one = $open{ fileno $socket };
            next if sysread $socket, $one->{bytes}, 65536, length $one->{bytes};
            my $answer = eval { Ads::Http::parse($one->{bytes}, 1) };
            $select->remove($socket);
            delete $open{ fileno $socket };
            close $socket;
            if (is_final($answer)) {
                $done[ $one->{who} ] = 1;
                print {$out} join("\t", $answer->{status},
                    $answer->{headers}{'x-ads-object'} // '-',
                    $answer->{headers}{location} // '-',
                    unpack 'H*', $answer->{body}), "\n";
            }
            elsif ($answer) {
                print {$out} join("\t", 'again', $answer->{status},
                    $answer->{json}{code} // '-', '-'), "\n";
            }
            push @again, [time + rand $n / 500, $one->{who}];
        }
    }
    close $out;
    POSIX::_exit(grep({ !$done[$_] } 0 .. $n - 1) ? 1 : 0);
}

sub answers
{
    my ($file) = @_;
    return map { [split /\t/] } split /\n/, Ads::Stack::read_file($file);
}

# The answers to one key, classified.
sub check
{
    my ($case, $name, @answers) = @_;
    my @final = grep { $_->[0] ne 'again' } @answers;
    my %body  = map { $_->[3] => 1 } grep { $_->[0] < 300 } @final;
    my %id    = map { $_ => 1 } map {
        $_->[0] < 300 ? $_->[2] =~ m{([^/]+)$} : $_->[1]
    } grep { $case->{secret} } @final;
    my %odd = map { ("$_->[1] $_->[2]" => 1) }
        grep { $_->[0] eq 'again' && "$_->[1] $_->[2]"
            !~ /^(?:503 unavailable|409 idempotency_key_in_flight)$/ } @answers;

    is $ads->sql_value($case->{effect}, "$name%"), 1, "$name: one effect";
    is_deeply [sort keys %odd], [], 'nothing was refused but for being early';
    if ($case->{secret}) {
        cmp_ok scalar(keys %body), '<=', 1, 'at most one answer shows the secret';
        is scalar keys %id, 1, 'all others name the same object';
        is scalar(grep { $_->[0] < 300 } @final) <= 1 ? 1 : 0, 1,
            'it is shown at most once';
    }
    else {
        is scalar keys %body, 1, 'every answer is the same, byte for byte';
    }
    return scalar @final;
}

# Until the request that claimed the key waits for a lock that we hold; adsd's other
# work may wait for them too.
sub wait_for_first
{
    my ($name) = @_;
    $ads->wait_until(
        sub {
            $ads->sql_value('select pg_stat_clear_snapshot()');
            return $ads->sql_value(q{select count(*)
                from pg_stat_activity s
                join pg_locks l using (pid)
                join ads.accounts a on hashtextextended(a.id::text || ?, 7)
                    = l.classid::bigint << 32 | l.objid::bigint
                where s.wait_event_type = 'Lock' and l.granted
                    and l.locktype = 'advisory'}, $name);
        },
        30, 'the first one to wait'
    );
}

# ---- each route ------------------------------------------------------------

my @routes  = grep { $case{$_} } @creating;
my $stormed = $routes[ rand @routes ];
for my $route (@routes) {
    my $case = $case{$route};
    my $word = $route =~ s/\W+/-/gr;
    my $stop = "$ads->{dir}/tmp/stop$word";
    my $file = "$ads->{dir}/tmp/answers$word";

    # two hundred on one key, and kills while they repeat
    my $name = "storm$word";
    my $text = bytes($route, $name, 'body');
    my $pid  = clients(200, $text, $file, $stop);
    for (1 .. ($ENV{ADS_LONG} || $route eq $stormed ? 10 : 3)) {
        sleep 0.05 + rand 0.2;
        $ads->kill_and_restart('adsd');
    }
    $ads->write_file($stop, '');
    waitpid $pid, 0;
    is $? >> 8, 0, "$route: all of 200 clients got their answer";
    wait_for_work();
    my $n = check($case, $name, answers($file));
    note "$n final answers";
    my $other = $ads->raw(bytes($route, $name, 'other'));
    $ads->is_problem($other, 422, 'idempotency_key_reused',
        'another body under that key is refused');
    $ads->sql("$case->{undo} returning 1", "$name%") if $case->{undo};

    # a day later the key is free again
    if (!$case->{secret} && !$case->{path}) {
        $ads->sql(q{update ads.idempotency_keys
            set created_at = created_at - interval '25 hours'
            where key = ? returning 1}, $name);
        my $late = $ads->raw($text);
        is $late->{headers}{'idempotency-replayed'}, undef,
            'after a day it is no repeat';
    }

    # and new keys, each with a kill while it is new
    for my $round (1 .. ($ENV{ADS_LONG} ? 20 : 2)) {
        my $name = "round$round-$word";
        my $text = bytes($route, $name, 'body');
        unlink $stop;
        my $pid = clients(20, $text, "$file-$round", $stop);
        sleep rand 0.06;
        $ads->kill_and_restart('adsd');
        $ads->write_file($stop, '');
        waitpid $pid, 0;
        is $? >> 8, 0, "round $round: all of 20 clients got their answer";
        wait_for_work();
        check($case, $name, answers("$file-$round"));
        $ads->sql("$case->{undo} returning 1", "$name%") if $case->{undo};
    }

    # still running: the first one waits for a lock that we hold
    $name = "slow$word";
    $text = bytes($route, $name, 'body');
    $ads->db->begin_work;
    $ads->db->do('select id from ads.accounts where id = ? for update', undef,
        $shop->{account});
    $ads->db->do('select id from ads.topups for update');
    $ads->db->do('update ads.change set n = n');
    my $first = Ads::Http::connect($ads->{port});
    syswrite $first, $text;
    wait_for_first($name);
    my $early = $ads->raw($text);
    $ads->is_problem($early, 409, 'idempotency_key_in_flight',
        'a repeat while the first one runs is told so');
    like $early->{headers}{'retry-after'}, qr/^\d+$/, 'and when to come again';
    $ads->db->rollback;
    cmp_ok +(Ads::Http::answer($first) // {})->{status}, '<', 300,
        'the first one is answered';
    is $ads->sql_value($case->{effect}, "$name%"), 1, 'with one effect';
    $ads->sql("$case->{undo} returning 1", "$name%") if $case->{undo};
}

# ---- whose key it is -------------------------------------------------------

# A key belongs to an account and to one request: another account's is its own,
# another route is another request.
my $other = $ads->seed_shop(name => 'Other shop');
my %campaign = (name => 'Keyed', pricing => 'cpc', bid => 1,
    budget => { daily => 5 });
my @one = map { $ads->post('/v1/campaigns', $_->{key}, \%campaign,
        'Idempotency-Key' => 'one for all') } $shop, $other, $shop;
is join(' ', map { $_->{status} } @one), '201 201 201',
    'two accounts use one key';
is $one[1]{headers}{'idempotency-replayed'}, undef, 'each for itself';
isnt $one[1]{json}{id}, $one[0]{json}{id}, 'with an object of its own';
is "$one[2]{headers}{'idempotency-replayed'} $one[2]{json}{id}",
    "true $one[0]{json}{id}", 'and repeats its own';
is_deeply $ads->sql('select account_id from ads.campaigns
        where name = ? order by 1', 'Keyed'),
    [map { [$_] } sort $shop->{account}, $other->{account}],
    'which each has once';
$ads->is_problem(
    $ads->post('/v1/balance/topup', $shop->{key}, { amount => 5,
            currency => 'USD', reference => 'keyed' },
        'Idempotency-Key' => 'one for all'),
    422, 'idempotency_key_reused', 'on another route it is another request');
is $ads->sql_value('select count(*) from ads.topups where reference = ?',
    'keyed'), 0, 'which is not done';

$ads->done;
