#!/usr/bin/perl
#
# adsctl for people and locks: users, members, locked accounts, keys of access
# tokens, the audit log, completion.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);

my $uuid = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
my $ads  = Ads::Test->new;

sub refused
{
    my ($said, $name, @words) = @_;
    my ($code, $out) = $ads->try_adsctl(@words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is $code, 1, $name;
    like $out, $said, 'and says why';
}

# ---- people ----------------------------------------------------------------

my $account = $ads->tenant('advertiser', 'Acme');
my $ann = $ads->adsctl(qw(user create --email Ann@acme.example --name), 'Ann A',
    '--verified');
my $bob = $ads->adsctl(qw(user create --email bob@acme.example));
like $_->{id}, qr/^$uuid$/, 'a person has an id' for $ann, $bob;
is_deeply [map { [@{$_}{qw(email name accounts)}, $_->{verified} ? 1 : 0] }
        $ads->adsctl(qw(user list))],
    [['Ann@acme.example', 'Ann A', 0, 1], ['bob@acme.example', undef, 0, 0]],
    'people are listed';
is scalar(my @one = $ads->adsctl(qw(user list --email ANN@ACME.EXAMPLE))), 1,
    'and found by address, however it is written';
refused(qr/somebody has this address already/, 'an address is one person\'s',
    qw(user create --email ann@ACME.example));
refused(qr/./, 'an address has a form', qw(user create --email nobody));
$ads->adsctl('user', 'verify', $bob->{id});
is scalar(grep { $_->{verified} } $ads->adsctl(qw(user list))), 2,
    'an address is vouched for';

# ---- members ---------------------------------------------------------------

my @of = ('--account', $account);
sub roles
{
    return join ' ', map { "$_->{role}:$_->{email}" }
        $ads->adsctl('member', 'list', @of);
}

refused(qr/without an owner/, 'the first is an owner', qw(member add), @of,
    '--user', $bob->{id}, qw(--role viewer));
$ads->adsctl(qw(member add), @of, '--user', $ann->{id}, qw(--role owner));
$ads->adsctl(qw(member add), @of, '--user', $bob->{id}, qw(--role viewer));
is roles(), 'owner:Ann@acme.example viewer:bob@acme.example', 'members';
$ads->adsctl(qw(member add), @of, '--user', $bob->{id}, qw(--role editor));
is roles(), 'owner:Ann@acme.example editor:bob@acme.example', 'a new role';
refused(qr/without an owner/, 'the last owner is not removed',
    qw(member remove), @of, '--user', $ann->{id});
refused(qr/without an owner/, 'nor made less', qw(member add), @of, '--user',
    $ann->{id}, qw(--role editor));
is roles(), 'owner:Ann@acme.example editor:bob@acme.example',
    'nothing of it happened';
$ads->adsctl(qw(member add), @of, '--user', $bob->{id}, qw(--role owner));
$ads->adsctl(qw(member remove), @of, '--user', $ann->{id});
is roles(), 'owner:bob@acme.example', 'with another owner it may';
refused(qr/no member/, 'nobody is removed twice', qw(member remove), @of,
    '--user', $ann->{id});
refused(qr/not one of/, 'there are three roles', qw(member add), @of, '--user',
    $ann->{id}, qw(--role boss));
refused(qr/no account/, 'an account that is not', qw(member add --account),
    $ann->{id}, '--user', $ann->{id}, qw(--role owner));

# two owners who remove each other: one stays
$ads->adsctl(qw(member add), @of, '--user', $ann->{id}, qw(--role owner));
my @pids;
for my $who ($ann, $bob) {
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        $ads->become($ads->adsctl_argv('member', 'remove', @of, '--user',
                $who->{id}));
    }
    push @pids, $pid;
}
waitpid $_, 0 for @pids;
is $ads->sql_value(q{select count(*) from ads.members where role = 'owner'}), 1,
    'two owners cannot remove each other at the same time';

# ---- a locked account ------------------------------------------------------

my $shop = $ads->seed_shop(name => 'Shop');
my $pub  = $ads->seed_publisher;
my $shown = $ads->recommend($pub->{key}, 'buy a laser printer');
is $shown->{json}{decision}, 'SHOW', 'an ad is shown';
my $link = $shown->{json}{ads}[0]{click_url};

# Seconds from the commit until that is so; adsctl itself waits for it.
sub after
{
    my ($test, $account, $status) = @_;
    $ads->sql('update ads.accounts set status = ? where id = ? returning 1',
        $status, $account);
    my $begin = time;
    $ads->wait_until($test, 10, $status);
    return time - $begin;
}

sub decision
{
    return $ads->recommend($pub->{key}, 'buy a laser printer')
        ->{json}{decision} // 'refused';
}

$ads->adsctl('tenant', 'suspend', $shop->{account});
is decision(), 'NO_AD', 'ads of a locked account are not shown';
is $ads->click($link)->{status}, 302, 'a link that is out still works';
$ads->is_problem(
    $ads->post('/v1/events/conversion', $shop->{key}, {}),
    401, 'credential_invalid', 'its keys do not');

$ads->adsctl('tenant', 'suspend', $pub->{account});
my @status = map { $ads->recommend($pub->{key}, 'x')->{status} } 1 .. 8;
is "@status", join(' ', (401) x 8),
    'a locked publisher\'s key is refused by every worker';
$ads->adsctl('tenant', 'activate', $_) for $pub->{account}, $shop->{account};
is decision(), 'SHOW', 'unlocked, everything is as before';
for my $case ([$shop, 'NO_AD'], [$pub, 'refused']) {
    my ($who, $wanted) = @$case;
    my $s = after(sub { decision() eq $wanted }, $who->{account}, 'suspended');
    cmp_ok $s, '<', Ads::Test::patience(),
        sprintf '%s within a second: %.2f s', $wanted, $s;
    $s = after(sub { decision() eq 'SHOW' }, $who->{account}, 'active');
    cmp_ok $s, '<', Ads::Test::patience(), sprintf 'and back: %.2f s', $s;
}
refused(qr/no account/, 'an account that is not', 'tenant', 'suspend',
    $ann->{id});

# people of a locked account
my $person = $ads->http('POST', '/v1/auth/signup',
    ['Content-Type' => 'application/json'],
    encode_json({ email => 'eve@shop.example', password => 'a long enough one' }))
    ->{json};
sub campaigns
{
    return $ads->http('GET', '/v1/campaigns',
        ['Authorization' => "Bearer $person->{access_token}"])->{status};
}
is campaigns(), 200, 'somebody is signed in';
$ads->adsctl('tenant', 'suspend', $person->{account}{id});
like campaigns(), qr/^40[13]$/, 'and refused once the account is locked';
isnt $ads->http('POST', '/v1/auth/login', ['Content-Type' => 'application/json'],
    encode_json({ email => 'eve@shop.example', password => 'a long enough one' }))
    ->{status}, 500, 'signing in is no mistake of ours';
$ads->adsctl('tenant', 'activate', $person->{account}{id});
is campaigns(), 200, 'until it is unlocked';

# an operator ends what is open: refused at once, and in the audit log
my ($session) = $ads->adsctl('session', 'list', '--user', $person->{user}{id});
my $n_ended = $ads->adsctl('session', 'end', '--user', $person->{user}{id})->{ended};
cmp_ok $n_ended, '>', 0, 'sessions are ended';
is campaigns(), 401, 'and refused at once';
my @ends = grep { $_->{object} eq 'sessions' && $_->{action} eq 'update' }
    $ads->adsctl(qw(audit list --max 1000 --account), $person->{account}{id});
is scalar(@ends), $n_ended, 'each is in the audit log';
like $ends[0]{actor}, qr/^ctl:\S+$/, 'with who did it';
is_deeply [map { exists decode_json($ends[0]{$_})->{revoked_at} ? 1 : 0 }
        qw(before after)], [1, 1], 'and what it changed';
is $ads->adsctl('session', 'end', $session->{id})->{ended}, 1,
    'once more changes nothing';
is scalar(grep { $_->{object} eq 'sessions' && $_->{action} eq 'update' }
        $ads->adsctl(qw(audit list --max 1000 --account), $person->{account}{id})),
    $n_ended, 'and is not logged';

# ---- keys of access tokens -------------------------------------------------

my $file = "$ads->{dir}/state/jwt.keys";
my @before = $ads->adsctl(qw(jwt-key list));
is scalar(grep { $_->{sign} } @before), 1, 'one key signs';
my $new = $ads->adsctl(qw(jwt-key add))->{kid};
is scalar(my @keys = $ads->adsctl(qw(jwt-key list))), @before + 1,
    'another one is made';
refused(qr/promote another/, 'the one that signs stays', 'jwt-key', 'retire',
    $before[0]{kid});
$ads->adsctl('jwt-key', 'promote', $new);
is_deeply [map { $_->{kid} } grep { $_->{sign} } $ads->adsctl(qw(jwt-key list))],
    [$new], 'it signs';
$ads->adsctl('jwt-key', 'retire', $before[0]{kid});
is_deeply [map { $_->{kid} } $ads->adsctl(qw(jwt-key list))], [$new],
    'and the old one goes';
is sprintf('%04o', (stat $file)[2] & 07777), '0600', 'for its owner alone';
refused(qr/no key/, 'a key that is not', 'jwt-key', 'promote', 'k1');
$ads->adsctl(qw(jwt-key add)) for 2 .. 8;
refused(qr/retire one/, 'eight keys are enough', qw(jwt-key add));
my $good = Ads::Stack::read_file($file);
$ads->write_file($file, "nonsense\n", 0600);
refused(qr/no set of keys/, 'a damaged file is left alone', qw(jwt-key add));
is Ads::Stack::read_file($file), "nonsense\n", 'as it is';
$ads->write_file($file, $good, 0600);

# ---- the audit log ---------------------------------------------------------

$ads->adsctl('tenant', $_, $shop->{account}) for qw(suspend activate);
my $login = getpwuid($ads->{user} ? $ads->{user}[0] : $>);
my ($last) = $ads->adsctl(qw(audit list --max 1 --account), $shop->{account});
is_deeply [@{$last}{qw(actor action object object_id account)}],
    ["ctl:$login", 'update', 'accounts', ($shop->{account}) x 2],
    'what adsctl changed is logged, with who';
is_deeply [map { decode_json($last->{$_})->{status} } qw(before after)],
    ['suspended', 'active'], 'before and after';
my @all = $ads->adsctl(qw(audit list --max 1000));
cmp_ok $all[0]{id}, '>', $all[-1]{id}, 'latest first';
is_deeply [grep { $_ !~ /^(?:ctl:\Q$login\E|user:$person->{user}{id}|system)$/ }
        map { $_->{actor} } @all], [], 'nobody else was there';
is scalar(my @none = $ads->adsctl(qw(audit list --since 2999-01-01T00:00:00Z))),
    0, 'nothing is from the future';
is scalar(@none = $ads->adsctl(qw(audit list --actor key:x))), 0,
    'nor by a key';
unlike join(' ', map { encode_json($_) } @all), qr/hash|ads_live/,
    'no secret is in it';
refused(qr/--max/, 'a number is one', qw(audit list --max 0));
refused(qr/--since/, 'a time is one', qw(audit list --since yesterday));
like +($ads->try_adsctl(qw(audit list --max 1)))[1],
    qr/^\S+Z  ctl:\S+  \w+ \w+ .*\n(?:    was .*\n)?(?:    is  .*\n)?\z/,
    'also for people';

# ---- completion ------------------------------------------------------------

# What a shell does with the script in $0 and the words of a line: to
# say what it would offer.  In zsh what replaces compadd picks as that
# does, what replaces _default names no files.
my %offers = (
    bash => '. "$0"; COMP_WORDS=(adsctl "$@"); COMP_CWORD=$#; _adsctl;'
        . ' echo "${COMPREPLY[*]}"',
    zsh => '. "$0"; _default() { }; offered=();'
        . ' compadd() { offered+=(${(M)@[${@[(i)-]}+1,-1]:#$words[CURRENT]*}) };'
        . ' words=(adsctl "$@"); CURRENT=$#words; ${=_comps[adsctl]};'
        . ' print -r -- $offered',
);

for my $shell (sort keys %offers) {
    my ($code, $script) =
        $ads->try($ads->program('adsctl'), 'completion', $shell);
    is $code, 0, "completion for $shell needs no configuration";
  SKIP: {
        skip "there is no $shell", 10 if !-x "/bin/$shell";
        my $file = "$ads->{dir}/tmp/completion.$shell";
        $ads->write_file($file, $script);
        for my $case (
            [['te'], 'tenant'],
            [['tenant', ''], 'create list suspend activate approve quota'],
            [['tenant', 'create', '--type', ''], 'publisher advertiser platform'],
            [['--json', '-c', 'file', 'member', 'add', '--r'], '--role'],
            [['import', '--'], '--campaign --base-url --currency --dry-run'
                . ' --decimal --map --gone --gone-max --report'],
            [['campaign', 'pause', ''], ''],
            [['session', ''], 'list end'],
            [['session', 'end', '--'], '--user'],
            [['export', '--a'], '--account'],
            [['help', 'te'], 'tenant'],
        ) {
            my ($words, $wanted) = @$case;
            local $ENV{ZDOTDIR} = "$ads->{dir}/tmp";
            my ($rc, $out) = $ads->try("/bin/$shell",
                $shell eq 'zsh' ? '-f' : '--norc', '-c', $offers{$shell},
                $file, @$words);
            is $out, "$wanted\n", "$shell: adsctl @$words";
        }
    }
}

$ads->done;
