#!/usr/bin/perl
#
# adsctl doctor finds what is wrong with an installation and says what to do;
# adsctl session signs people out.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new;
my $dir  = $ads->{dir};
our @file = ('--nginx', "$dir/nginx.conf");

# "check found" of those that are bad, and the exit code.
sub look
{
    my ($code, $out) = $ads->try('sh', '-c', 'exec "$@" 2>/dev/null', 'sh',
        $ads->adsctl_argv('--json', 'doctor', @file));
    my @found = map { eval { decode_json($_) } // die "no JSON: $_\n" }
        split /\n/, $out;
    return ($code, \@found);
}

sub bad
{
    my ($code, $found) = look();
    return map { "$_->{check} $_->{found}" }
        grep { $_->{state} eq 'bad' } @$found;
}

# What is broken is found, with advice, and gone once it is mended.
sub finds
{
    my ($name, $said, $break, $mend) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $break->();
    my ($code, $found) = look();
    my @bad = grep { $_->{state} eq 'bad' } @$found;
    is $code, 1, "$name: is bad";
    is scalar(grep { "$_->{check} $_->{found}" =~ $said } @bad), 1,
        'and found' or diag explain \@bad;
    is scalar(grep { !$_->{advice} } @bad), 0, 'with what to do';
    $mend->();
}

my ($code, $found) = look();
is $code, 0, 'a good installation is healthy'
    or diag explain [grep { $_->{state} eq 'bad' } @$found];
my %seen = map { $_->{check} => 1 } @$found;
is_deeply [sort keys %seen],
    [qw(adsd clock config database disk folders keys nginx roles schema tenants)],
    'everything was looked at';
is scalar(grep { $_->{state} eq 'warn' && !$_->{advice} } @$found), 0,
    'each warning has its advice';
like +($ads->try_adsctl('doctor', @file))[1], qr/^ok    schema    \S/m,
    'also for people';

finds('a folder for everybody', qr/^folders .*open to everybody/,
    sub { chmod 0715, "$dir/state" }, sub { chmod 0710, "$dir/state" });
finds('a journal that workers may clear', qr{^folders .*/journal: workers may},
    sub { chmod 0770, "$dir/state/journal" },
    sub { chmod 01770, "$dir/state/journal" });
finds('a journal that nobody can begin a segment of',
    qr{^folders .*/journal: cannot be written},
    sub { chmod 0550, "$dir/state/journal" },
    sub { chmod 01770, "$dir/state/journal" });
finds('click keys for everybody', qr/^keys .*no ring/,
    sub { chmod 0644, "$dir/click.keys" }, sub { chmod 0600, "$dir/click.keys" });
finds('keys of tokens for the group', qr/^keys .*others than its owner/,
    sub { chmod 0640, "$dir/state/jwt.keys" },
    sub { chmod 0600, "$dir/state/jwt.keys" });
my $keys = Ads::Stack::read_file("$dir/state/jwt.keys");
finds('damaged keys of tokens', qr/^keys .*no set of keys/,
    sub { $ads->write_file("$dir/state/jwt.keys", "x\n", 0600) },
    sub { $ads->write_file("$dir/state/jwt.keys", $keys, 0600) });
$ads->{adsd} = { %{ $ads->{adsd} }, oauth_google_client_id => 'us',
    oauth_google_client_secret_file => "$dir/google.secret" };
finds("a provider's secret that is not there", qr/^keys .*no secret/,
    sub { $ads->write_configs },
    sub { $ads->write_file("$dir/google.secret", "x\n", 0640) });
finds("a provider's secret for the group", qr/^keys .*google.*its owner/,
    sub { }, sub { chmod 0600, "$dir/google.secret" });
finds('a role that gets round row-level security', qr/^roles .*ads_api/,
    sub { $ads->psql('ads', 'alter role ads_api bypassrls') },
    sub { $ads->psql('ads', 'alter role ads_api nobypassrls') });
finds('a login that may do too much', qr/^database .*more than its duties/,
    sub { $ads->psql('ads', 'grant ads_pay to ads') },
    sub { $ads->psql('ads', 'revoke ads_pay from ads') });
finds('a table without row-level security', qr/^tenants .*campaigns/,
    sub { $ads->psql('ads', 'alter table ads.campaigns no force row level security') },
    sub { $ads->psql('ads', 'alter table ads.campaigns force row level security') });
$ads->seed_publisher;
finds('a policy too many', qr/^tenants .*without a tenant/,
    sub { $ads->psql('ads', 'create policy leak on ads.accounts to ads_api using (true)') },
    sub { $ads->psql('ads', 'drop policy leak on ads.accounts') });
my $conf = Ads::Stack::read_file("$dir/nginx.conf");
finds('another path in nginx', qr{^nginx ads_state_path /elsewhere},
    sub { $ads->write_file("$dir/nginx.conf",
            $conf =~ s{ads_state_path\s+\S+;}{ads_state_path /elsewhere;}r) },
    sub { $ads->write_file("$dir/nginx.conf", $conf) });
finds('no adsd', qr/^adsd not running/,
    sub {
        $ads->stop('adsd');
        $ads->wait_until(sub { grep { /not running/ } bad() }, 10,
            'its last sign of life to be old');
    },
    sub { $ads->start_adsd; $ads->wait_until(sub { !bad() }, 10, 'adsd') });

is_deeply [bad()], [], 'mended, it is healthy again';
$ads->write_file("$dir/nginx.conf", "events { }\n");
($code, $found) = look();
is $code, 0, 'what may stand elsewhere is a hint only';
cmp_ok scalar(grep { $_->{check} eq 'nginx' && $_->{state} eq 'warn' } @$found),
    '>=', 8, 'for each directive';
$ads->write_file("$dir/nginx.conf", $conf);

# ---- layouts of nginx --------------------------------------------------------

# What is said of nginx, without the line of the file that was read.
sub of_nginx
{
    my (@words) = @_;
    local @file = @words;
    my (undef, $found) = look();
    return join '', map { "$_->{state} $_->{found}\n" }
        grep { $_->{check} eq 'nginx' && $_->{state} ne 'ok' } @$found;
}

my $full = do { local $ads->{rates} = 1; $ads->nginx_conf };

# as Debian has it: a file of each kind, some lines with several statements
mkdir "$dir/etc";
mkdir "$dir/etc/$_" for qw(modules-enabled conf.d sites-enabled);
my ($http)   = $full =~ /^http \{\n(.*?)^    server \{/ms;
my ($server) = $full =~ /^http \{.*?(^    server \{.*)^\}/ms;
my ($main)   = $full =~ /^(.*?)^events/ms;
$ads->write_file("$dir/etc/nginx.conf", <<'END');
include modules-enabled/*.conf; events { worker_connections 64; }
http { include conf.d/*.conf; include sites-enabled/*; include nothing/*; }
END
$ads->write_file("$dir/etc/modules-enabled/60-ads.conf", $main);
$ads->write_file("$dir/etc/conf.d/ads.conf", $http);
$ads->write_file("$dir/etc/sites-enabled/ads", $server);
my @debian = ('--nginx', "$dir/etc/nginx.conf");
is of_nginx(@debian), '', "Debian's layout: nothing is missing";

$ads->write_file("$dir/etc/conf.d/ads.conf",
    $http =~ s{(ads_state_path\s+)\S+;}{$1"/else where";}r);
is of_nginx(@debian), "bad ads_state_path /else where\n",
    'what is wrong in an included file is found, whatever its quotes';
$ads->write_file("$dir/etc/conf.d/ads.conf", "include ads.conf;\n$http");
is of_nginx(@debian), '', 'a file that includes itself is no end';
$ads->write_file("$dir/etc/conf.d/ads.conf", $http);

# all of it on one line, with comments
$ads->write_file("$dir/etc/one.conf",
    $full =~ s/^\s*#.*\n//gmr =~ s/\s*\n\s*/ /gr . "# user nobody;\n");
is of_nginx('--nginx', "$dir/etc/one.conf"), '', 'on one line: nothing is missing';

# as `nginx -T` prints it, over standard input
my (undef, $dump) = $ads->try($ads->nginx_program, '-T', '-p', $dir, '-e',
    "$dir/tmp/test.log", '-c', "$dir/etc/nginx.conf");
like $dump, qr{^# configuration file \S+/etc/sites-enabled/ads:}m,
    'nginx -T takes that layout and prints it';
$ads->write_file("$dir/tmp/dump", $dump);
my (undef, $said) = $ads->try('sh', '-c', 'exec "$@" <"$0" 2>/dev/null',
    "$dir/tmp/dump", $ads->adsctl_argv('doctor', '--nginx', '-'));
is join('', $said =~ /^(?:warn|bad) +nginx .*\n/mg), '',
    'nginx -T | adsctl doctor --nginx -: nothing is missing';

my $group = getgrgid((stat $ads->{run_path})[5]);
$ads->write_file("$dir/etc/one.conf",
    "user www-data nogroup;\n" . $full =~ s/^user\h.*\n//mr);
like of_nginx('--nginx', "$dir/etc/one.conf"), qr/\Abad user nogroup\n\z/,
    "workers without adsd's group, $group, are found";

my $kept = $ads->{adsd};
$ads->{adsd} = { %$kept, base_url => 'https://ads.example.com' };
$ads->write_configs;
is join('', grep { /^config/ } bad()), 'config base_url is that of the example',
    'the address of the example is found';
$ads->write_file("$dir/etc/one.conf",
    $full =~ s{(ads_base_url\s+)\S+;}{$1https://ads.example.com/;}r);
like +($ads->try($ads->nginx_program, '-t', '-p', $dir, '-e',
        "$dir/tmp/test.log", '-c', "$dir/etc/one.conf"))[1],
    qr/\[warn\] .*"ads_base_url" is that of the example: no visitor/,
    'nginx warns of it';
$ads->{adsd} = $kept;
$ads->write_configs;

# a database over a network: what is said does not need it to answer
sub unverified
{
    my ($database) = @_;
    my $kept = $ads->{adsd};
    $ads->{adsd} = { %$kept, database => $database };
    $ads->write_configs;
    my (undef, $found) = look();
    $ads->{adsd} = $kept;
    $ads->write_configs;
    return scalar grep { $_->{state} eq 'warn'
            && $_->{found} =~ /certificate is not verified/ } @$found;
}
is unverified('host=db.invalid dbname=ads user=ads'), 1,
    'a database over a network is verified';
is unverified('host=db.invalid dbname=ads user=ads sslmode=verify-ca'), 1,
    'by its name too';
is unverified('host=db.invalid dbname=ads user=ads sslmode=verify-full'), 0,
    'with verify-full it is';
is unverified("host=/nowhere dbname=ads user=ads"), 0,
    'a socket needs nothing';

$ads->stop('postgres');
($code, $found) = look();
is $code, 3, 'without its database there is another exit code';
is scalar(grep { $_->{check} eq 'database' && $_->{state} eq 'bad' } @$found), 1,
    'and it says so';
is scalar(grep { $_->{check} =~ /schema|roles|tenants/ } @$found), 0,
    'what needs it is not asked for';
$ads->start_database;
is +($ads->try_adsctl('doctor', 'x'))[0], 2, 'wrong usage is told apart';

# ---- sessions --------------------------------------------------------------

my $made = $ads->http('POST', '/v1/auth/signup',
    ['Content-Type' => 'application/json'],
    encode_json({ email => 'ann@shop.example', password => 'a long enough one' }));
is $made->{status}, 201, 'somebody signs up';
my @token = ('Authorization' => "Bearer $made->{json}{access_token}");
my $user  = $made->{json}{user}{id};

sub me
{
    return $ads->http('GET', '/v1/auth/me', [@token])->{status};
}

is me(), 200, 'and is signed in';
my @sessions = $ads->adsctl('session', 'list', '--user', $user);
is_deeply [map { [@{$_}{qw(user email)}] } @sessions],
    [[$user, 'ann@shop.example']], 'where is listed';
like +($ads->try_adsctl(qw(session list)))[1], qr/ann\@shop\.example$/m,
    'also for people';
is $ads->adsctl('session', 'end', $sessions[0]{id})->{ended}, 1,
    'a session is ended';
is me(), 401, 'and refused at once';
is scalar(my @left = $ads->adsctl(qw(session list))), 0, 'and no more listed';

for (1 .. 2) {
    my $in = $ads->http('POST', '/v1/auth/login',
        ['Content-Type' => 'application/json'],
        encode_json({ email => 'ann@shop.example',
                password => 'a long enough one' }));
    @token = ('Authorization' => "Bearer $in->{json}{access_token}");
}
is me(), 200, 'signed in twice';
is $ads->adsctl('session', 'end', '--user', $user)->{ended}, 2,
    'all sessions of a person are ended';
is me(), 401, 'and refused';
is +($ads->try_adsctl('session', 'end', $user))[0], 1,
    'a session that is not is refused';
is +($ads->try_adsctl(qw(session end)))[0], 2, 'somebody must be named';

$ads->done;
