#!/usr/bin/perl
#
# Click keys are replaced under load without breaking a link, and nothing that
# the service writes holds a secret that could be used: not the database, the
# ad tables, the journal, `live` or a log.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Load;
use Ads::Test;
use File::Find qw(find);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);

my $ads  = Ads::Test->new(nginx_http => Ads::Load::realip());
my $shop = $ads->seed_shop(topup => 100_000, lifetime => 100_000);
my $pub  = $ads->seed_publisher;
my $boss = $ads->seed_platform;
my $ring = "$ads->{dir}/click.keys";

# Both read a changed ring: nginx at a reload, adsd at a start.
sub ring_reread
{
    $ads->reload;
    $ads->restart('adsd');
    $ads->wait_ready(10);
}

sub shown
{
    my $answer = $ads->recommend($pub->{key}, 'buy a laser printer');
    return $answer->{json}{ads}[0]{click_url} // die "no ad\n";
}

sub kid
{
    my ($token) = $_[0] =~ m{/v1/click/(\S+)$};
    require MIME::Base64;
    my @bytes = unpack 'C2', MIME::Base64::decode_base64url($token);
    return $bytes[1];
}

# ---- another click key, under load -----------------------------------------

my $load = Ads::Load->begin($ads, key => $pub->{key}, clicks => 60,
    recommends => 40, queries => ['buy a laser printer'], retry => 1);
my @old = map { shown() } 1 .. 3;
my $first = kid($old[0]);

my $new = $ads->adsctl(qw(click-key add))->{kid};
ring_reread();
my $between = shown();
is kid($between), $first, 'a key that was added opens, the old one seals';
$ads->adsctl('click-key', 'promote', $new);
ring_reread();
my $young = shown();
is kid($young), $new, 'one that was promoted seals';
is $ads->click($_)->{status}, 302, 'links of both keys work'
    for $old[0], $between, $young;
sleep 1;
my $stopped = $load->end;
is_deeply [$stopped->unanswered], [], 'no visitor was left without an answer';
my @bad = grep { !/^\S+ \d+: 0 / } $stopped->bad;
is "@bad[0 .. ($#bad > 3 ? 3 : $#bad)]", '', 'nor got a wrong one';
$ads->wait_until(
    sub {
        return $ads->sql_value(
            'select count(*) from ads.clicks where class = 0') >= 3;
    },
    20,
    'the clicks'
);
is $ads->sql_value('select count(*) from ads.ingest_reject'), 0,
    'and none was set aside';

$ads->adsctl('click-key', 'retire', $first);
ring_reread();
is $ads->click($old[1])->{status}, 404, 'a link of a retired key is none';
is $ads->click(shown())->{status}, 302, 'others go on';

# ---- what could be used ----------------------------------------------------

# adsd has just been started again: asked until it answers.
sub ask
{
    my ($path, $body, @headers) = @_;
    my $answer;
    $ads->wait_until(
        sub {
            $answer = $ads->http('POST', $path,
                ['Content-Type' => 'application/json', @headers],
                encode_json($body));
            return $answer->{status} != 503;
        },
        20, $path
    );
    return $answer;
}

my %who = (email => 'eve@shop.example', password => 'canary horse staple');
my $person = ask('/v1/auth/signup', \%who)->{json};
my $login  = ask('/v1/auth/login',  \%who);
my ($refresh) = ($login->{headers}{'set-cookie'} // '') =~ /=([^;]+)/;
my $made = ask('/v1/auth/api-key', { name => 'made' },
    'X-API-Key' => $boss->{key}, 'X-Ads-Account' => $pub->{account},
    'Idempotency-Key' => 'once')->{json};
$ads->recommend($made->{key}, 'buy a laser printer');
$ads->recommend('ads_live_p' . 'z' x 36, 'x');

my %secret = (
    'key of a publisher'    => $pub->{key},
    'key of an advertiser'  => $shop->{key},
    'key of the platform'   => $boss->{key},
    'key made over HTTP'    => $made->{key},
    'password'              => 'canary horse staple',
    'access token'          => $person->{access_token},
    'refresh token'         => $refresh,
);
ok length($_ // ''), 'a secret is known' for values %secret;
my $n = 0;
for my $line (split /\n/, Ads::Stack::read_file($ring)) {
    my ($hex) = $line =~ /\b([0-9a-f]{64})\b/ or next;
    $secret{ 'click key ' . ++$n } = $hex;
}
for my $line (split /\n/, Ads::Stack::read_file("$ads->{dir}/state/jwt.keys")) {
    my ($hex) = $line =~ /\b([0-9a-f]{64})\b/ or next;
    $secret{ 'key of tokens ' . ++$n } = $hex;
}
cmp_ok $n, '>=', 2, 'keys of both files are looked for';
for my $name (grep { $secret{$_} =~ /^[0-9a-f]{64}$/ } keys %secret) {
    $secret{"$name, raw"} = pack 'H*', $secret{$name};
}

# ---- where they are looked for ---------------------------------------------

my %place = ('the dump of the database' =>
        $ads->run_postgres('pg_dump', '--inserts', 'ads'));
my @files;
find(
    {
        no_chdir => 1,
        wanted   => sub {
            push @files, $File::Find::name
                if -f && !m{/(?:click|jwt)\.keys$} && !m{/pg/}
                && !m{/tmp/load-\d+\.spec$};    # what visitors read
        }
    },
    $ads->{dir}, $ads->{run_path}
);
$place{$_} = Ads::Stack::read_file($_) for @files;
my $places = join ' ', sort keys %place;
like $places, qr{/state/head }, 'the ad tables are looked at';
like $places, qr{/journal/m-\S+\.seg}, 'the journal';
like $places, qr{/live }, 'the shared page';
like $places, qr{/log/access\.log}, 'and the logs';

my @found;
for my $place (sort keys %place) {
    for my $name (sort keys %secret) {
        push @found, "$name in $place"
            if index($place{$place}, $secret{$name}) >= 0;
    }
}
is join("\n", @found), '', scalar(keys %secret) . ' secrets, none in '
    . scalar(keys %place) . ' places';

# the check would find one
ok index($place{'the dump of the database'}, substr $pub->{key}, -4) >= 0,
    'its last four characters are';

# ---- nor in a core file ----------------------------------------------------

# A worker holds keys and visitors' addresses, adsd the rest.
my @programs = ($ads->part('adsd')->{pid}, $ads->workers);
cmp_ok scalar @programs, '>', 1, 'there are workers';
my @cores = grep { Ads::Stack::read_file("/proc/$_/limits")
        !~ /^Max core file size\s+0\s+0\s/m } @programs;
is_deeply \@cores, [], 'adsd and workers write no core file';

$ads->done;
