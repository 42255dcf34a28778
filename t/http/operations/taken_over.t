#!/usr/bin/perl
#
# A worker that was taken over: with its user and group it is refused all that
# is the daemon's, the database's and other tenants', and what it can forge, its
# own journal, spends budgets and nothing beyond.  Only root can start three
# users, so only root can run it.

use strict;
use warnings;
use lib 't/lib';

use Ads::Journal;
use Ads::Scgi;
use Ads::Test;
use DBI;
use IO::Socket::UNIX;
use JSON::PP;
use MIME::Base64 qw(encode_base64url);
use POSIX ();
use Test::More;

plan skip_all => 'only root can become a worker' if $> != 0;

my $ads   = Ads::Test->new;
my $dir   = $ads->{dir};
my $state = "$dir/state";
my $run   = $ads->{run_path};
my $shop  = $ads->seed_shop(lifetime => 1, topup => 5);
my $rich  = $ads->seed_shop(name => 'Rich', topup => 100);
my $pub   = $ads->seed_publisher;
my ($uid, $gid) = @{ Ads::Stack::worker_user() };

# a secret of a provider, and an account with a mail
$ads->write_file("$dir/google.secret", "hush\n", 0600);
my $ada = $ads->post('/v1/auth/signup', undef,
    { email => 'ada@shop.example', password => 'correct-horse-battery' })->{json};
$ads->wait_until(sub { glob "$dir/mail/*.eml" }, 20, 'a mail');
$ads->click($ads->recommend($pub->{key}, 'buy a laser printer')
        ->{json}{ads}[0]{click_url});
Ads::Journal::wait_drained($ads);

# What `work` answers when a worker does it; what it dies of is there as well.
sub as_worker
{
    my ($work) = @_;
    return as_group($gid, $work);
}

sub as_group
{
    my ($gid, $work) = @_;
    pipe my $from, my $to or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        close $from;
        $( = $gid;
        $) = "$gid $gid";
        POSIX::setuid($uid);
        my $answer = eval { $work->() };
        syswrite $to, encode_json({ answer => $answer, died => "$@", uid => $> });
        POSIX::_exit(0);
    }
    close $to;
    local $/;
    my $said = decode_json(<$from>);
    waitpid $pid, 0;
    die "not a worker\n" if $said->{uid} != $uid;
    return $said;
}

sub refused
{
    my ($name, $work, $group) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $said = as_group($group // $gid,
        sub { $work->() ? 'done' : "refused: $!" });
    like $said->{answer} // $said->{died},
        qr/^refused: (?:Permission denied|Operation not permitted)/,
        "refused: $name";
}

sub can_read
{
    my ($path) = @_;
    return open my $in, '<', $path;
}

# ---- it is a worker --------------------------------------------------------

for my $worker ($ads->worker_processes) {
    my $status = Ads::Stack::read_file("/proc/$worker->{pid}/status");
    is +($status =~ /^Uid:\s+(\d+)/m)[0], $uid, 'a worker is this user';
    is +($status =~ /^Gid:\s+(\d+)/m)[0], $gid, 'with this group';
}
isnt $uid, $ads->{user}[0],          'which is not that of adsd';
isnt $uid, $ads->{database_user}[0], 'nor that of PostgreSQL';
ok !grep({ $_ eq getpwuid $uid } split ' ', (getgrgid $gid)[3]),
    'and nothing else of this user is in the group';

my ($base) = glob "$state/base-*";
for my $path ("$state/head", $base, "$state/node") {
    is as_worker(sub { can_read($path) ? 1 : 0 })->{answer}, 1,
        'it reads ' . $path =~ s{.*/}{}r;
}

# ---- keys and secrets ------------------------------------------------------

my ($mail) = glob "$dir/mail/*.eml";
for my $path (
    "$state/jwt.keys", "$dir/click.keys", "$dir/google.secret", $mail,
    "$dir/ads.pgpass", "$dir/operator.pgpass",
    "$ads->{pg_path}/passwords", "$ads->{pg_path}/PG_VERSION",
    "$state/lock",
) {
    ok -e $path, "$path is there";
    refused($path =~ s{^\Q$dir\E/}{}r, sub { can_read($path) });
}
for my $folder ($state, $run, "$dir/mail", $ads->{pg_path}, $ads->{db_path}) {
    refused('the names in ' . $folder =~ s{^\Q$dir\E/}{}r,
        sub { opendir my $in, $folder });
}
for my $name (qw(adsd postgres)) {
    my $pid = $ads->part($name)->{pid};
    refused("the memory of $name", sub { can_read("/proc/$pid/mem") });
    refused("the environment of $name", sub { can_read("/proc/$pid/environ") });
    refused("a signal to $name", sub { kill 0, $pid });
}

# ---- another program of that user, which has not the group ------------------

my $plain = (getpwnam 'www-data')[3];
isnt $plain, $gid, 'others who run as www-data are not in the group';
for my $path ("$state/head", $base, "$run/live", "$state/jwt.keys") {
    refused('PHP reading ' . $path =~ s{.*/}{}r, sub { can_read($path) }, $plain);
}
refused("PHP at $_", sub { IO::Socket::UNIX->new(Peer => "$run/$_") }, $plain)
    for qw(api.sock auth.sock oauth.sock admin.sock);
refused('PHP writing a journal',
    sub { open my $out, '>', "$state/journal/m-1.seg" }, $plain);
for my $worker ($ads->worker_processes) {
    refused('PHP reading the memory of a worker',
        sub { can_read("/proc/$worker->{pid}/mem") }, $plain);
}

# ---- files that others believe ---------------------------------------------

my $journal = "$state/journal";
$ads->write_file("$journal/of-adsd", 'x', 0600);
refused('writing the head',    sub { open my $out, '>>', "$state/head" });
refused('writing a base',      sub { open my $out, '>>', $base });
refused('writing the node id', sub { open my $out, '>>', "$state/node" });
refused('a new file beside them',  sub { open my $out, '>', "$state/head.new" });
refused('removing the head',       sub { unlink "$state/head" });
refused('a socket of its own',     sub { open my $out, '>', "$run/api.sock.new" });
refused('removing a socket',       sub { unlink "$run/api.sock" });
refused('removing live',           sub { unlink "$run/live" });
refused('removing what is adsd\'s in the journal',
    sub { unlink "$journal/of-adsd" });
refused('renaming it', sub { rename "$journal/of-adsd", "$journal/of-worker" });

# adsd writes one file of its own there: no link leads it elsewhere
my $before = Ads::Stack::read_file("$state/jwt.keys");
is $ads->stop('adsd'), 0, 'adsd ends';
unlink "$journal/.ballast";
is as_worker(sub {
        symlink("$state/jwt.keys", "$journal/.ballast")
            && symlink($run, "$journal/quarantine") ? 1 : 0;
    })->{answer}, 1, 'a worker leaves links in the journal';
as_worker(sub {
    open my $out, '>', "$journal/m-00000000-0000000000000000-1.seg";
    print {$out} 'x' x 5000;
});
$ads->start_adsd;
$ads->wait_until(
    sub { $ads->log_lines('adsd.out', qr/m-00000000-0000000000000000-1\.seg/) },
    20, 'adsd to meet its segment');
is Ads::Stack::read_file("$state/jwt.keys"), $before,
    'adsd followed neither: its keys are as they were';
is join(' ', glob "$run/*.seg"), '', 'and nothing was put elsewhere';
unlink map { "$journal/$_" }
    qw(.ballast quarantine m-00000000-0000000000000000-1.seg);

# ---- the database ----------------------------------------------------------

for my $login (qw(ads operator postgres ads_owner ads_api www-data)) {
    my $said = as_worker(sub {
        return scalar grep {
            DBI->connect("dbi:Pg:host=$ads->{db_path};port=5432;dbname=ads",
                $login, $_, { PrintError => 0 })
        } '', 'ads', 'postgres', $login;
    });
    is $said->{answer}, 0, "no password, no database as $login";
}
like as_worker(sub {
        DBI->connect("dbi:Pg:host=$ads->{db_path};port=5432;dbname=ads", 'ads',
            'x', { PrintError => 0 });
        return DBI->errstr;
    })->{answer}, qr/password authentication failed/,
    'though its server answers';

# what the daemon itself may not do, should somebody have its password
my ($code, $said) = $ads->try($ads->program('adsctl'), '-c', "$dir/adsd.conf",
    qw(balance topup --amount 100 --reference minted --account),
    $shop->{account});
is $code, 1, 'not even the login of adsd books a top-up';
like $said, qr/permission denied to set role "ads_pay".*-d DATABASE/s,
    'and adsctl says what is missing';

# who may, is somebody else on this machine, and sees nothing of the node
chmod 0644, "$dir/adsd.conf";
{
    local $ENV{PGPASSWORD} = $ads->password('postgres');
    ($code, $said) = $ads->try_as($ads->{database_user}, $ads->program('adsctl'),
        '-c', "$dir/adsd.conf", '-d', $ads->server . ' dbname=ads user=postgres',
        qw(balance topup --amount 2 --reference booked --account),
        $shop->{account});
}
is $code, 0, 'one who has the duty does' or diag $said;

# ---- adsd's sockets --------------------------------------------------------

refused('admin.sock', sub {
        IO::Socket::UNIX->new(Peer => "$run/admin.sock");
    });
my @paths = qw(/v1/account /v1/balance /v1/campaigns /v1/platform/topups
    /v1/auth/sessions);
my @claims = (
    REMOTE_USER        => 'operator',
    HTTP_X_ADS_ACCOUNT => $rich->{account},
    ADS_CREDENTIAL     => $rich->{account},
    ADS_ACCOUNT        => $rich->{account},
);
for my $path (@paths) {
    my $answer = as_worker(sub {
        return Ads::Scgi::request("$run/api.sock", 'GET', $path, \@claims)
            ->{status};
    });
    is $answer->{answer}, 401, "names in headers are not believed: $path";
}

# a token signed with all that a worker knows
my ($hex) = Ads::Stack::read_file("$dir/click.keys") =~ /\b([0-9a-f]{64})\b/;
my $claims = encode_base64url(encode_json({
    iss => $ads->{base_url}, aud => $ads->{base_url}, sub => $ada->{user}{id},
    acc => $rich->{account}, iat => time, exp => time + 600,
    sid => '00000000-0000-4000-8000-000000000000',
}));
for my $alg (qw(none HS256 EdDSA)) {
    my $head = encode_base64url(encode_json({ alg => $alg, typ => 'at+jwt',
                kid => 'k1' }));
    my $signature = $alg eq 'none' ? ''
        : encode_base64url(pack 'H*', $hex x ($alg eq 'EdDSA' ? 2 : 1));
    is $ads->http('GET', '/v1/balance',
        [Authorization => "Bearer $head.$claims.$signature"])->{status}, 401,
        "a forged token is refused: $alg";
}

# ---- what it can forge -----------------------------------------------------

# It has the click keys in memory, so its records are believed: 3,000 clicks on
# ads of a campaign that may spend 1.00, at 0.001 each, and it names whose site.
my $maker = Ads::Journal::maker($ads);
my $keys  = "$dir/tmp/of-memory";
$ads->write_file($keys, Ads::Stack::read_file("$dir/click.keys"), 0400,
    [$uid, $gid]);
my $spent = $ads->adsctl('balance', 'show', '--account', $shop->{account})
    ->{balance};
my @ids = map { $_->[0] } @{ $ads->sql(
        'select id from ads.ads where campaign_id = ? order by id',
        $shop->{campaign}) };
($code, $said) = $ads->try_as([$uid, $gid], $maker, $state, $keys,
    $pub->{account}, 6000, 'dc', @ids);
is $code, 0, 'a worker writes a segment with 3,000 clicks of nobody'
    or diag $said;
Ads::Journal::wait_drained($ads);
my $left = $ads->adsctl('balance', 'show', '--account', $shop->{account})
    ->{balance};
my $billed = $ads->sql_value(q{select coalesce(sum(spent_micros), 0)
    from ads.campaign_spend where campaign_id = ?}, $shop->{campaign});
cmp_ok $billed, '<=', 1_000_000, 'billed is what the campaign may spend';
cmp_ok $left, '>=', 6, 'so the rest of the balance is whole';
is $ads->adsctl('balance', 'show', '--account', $rich->{account})->{balance},
    $ads->sql_value(q{select 100 - coalesce(sum(spent_micros), 0) / 1e6
        from ads.campaign_spend where campaign_id = ?}, $rich->{campaign}) + 0,
    'another account pays only for what was followed';
cmp_ok $ads->sql_value(q{select count(*) from ads.clicks k
        join ads.click_classes c on c.code = k.class
        where c.name = 'unfunded' and k.campaign_id = ?}, $shop->{campaign}),
    '>=', 1_900, 'what nobody can pay is a row, and nobody is paid for it';
($code, $said) = $ads->try_adsctl('reconcile');
is $code, 0, 'and everything adds up' or diag $said;

$ads->done;
