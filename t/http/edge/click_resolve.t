#!/usr/bin/perl
#
# Links whose ad the workers do not know: adsd opens them and finds where they
# lead, or says that there is nothing any more.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Scgi;
use Ads::Test;
use Test::More;

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop;
my $pub  = $ads->seed_publisher;

sub link_of
{
    my ($query) = @_;
    my $ad = $ads->recommend($pub->{key}, $query)->{json}{ads}[0];
    my ($path) = $ad->{click_url} =~ m{^https?://[^/]+(/.*)$};
    return ($path, $ad->{ad_id});
}

sub resolve
{
    my ($path, $method) = @_;
    return Ads::Scgi::request("$ads->{run_path}/api.sock", $method // 'GET',
        $path);
}

my ($link, $ad) = link_of('buy a laser printer');
my $answer = resolve($link);
is $answer->{status}, 302, 'a link is resolved';
like $answer->{headers}{location},
    qr{^https://shop\.example/p/1\?from=ads&ads_click_id=[0-9a-f-]{36}\#top$},
    'to its product, with the click id';
is $answer->{headers}{location}, $ads->click($link)->{headers}{location},
    'to the very address that a worker sends to';
is $answer->{headers}{'cache-control'},   'no-store',    'not to be kept';
is $answer->{headers}{'referrer-policy'}, 'no-referrer', 'without referrer';
is $answer->{headers}{'x-robots-tag'},    'noindex',     'not for robots';
is resolve($link, 'HEAD')->{status}, 302, 'also for HEAD';
is resolve($link, 'POST')->{status}, 405, 'not for POST';

my $forged = $link;
substr($forged, -3, 1) = substr($forged, -3, 1) eq 'A' ? 'B' : 'A';
is resolve($forged)->{status}, 404, 'a forged link leads nowhere';
is resolve("$link/x")->{status}, 404, 'nor does a longer one';

# ---- retired ---------------------------------------------------------------

$ads->psql('ads', "set session_replication_role = replica;
    update ads.ads set status = 'archived',
        archived_at = now() - interval '29 days' where id = '$ad'");
is resolve($link)->{status}, 302, 'a retired ad still leads to its product';
$ads->psql('ads', "set session_replication_role = replica;
    update ads.ads set archived_at = now() - interval '31 days'
    where id = '$ad'");
is resolve($link)->{status}, 410, 'after 30 days it is gone';
is resolve($link)->{json}{code}, 'link_expired', 'as a problem';

$answer = resolve($link, 'DELETE');
is $answer->{status}, 405, 'a link is only looked up';
is $answer->{headers}{allow}, 'GET, HEAD', 'every method is named';

# ---- through nginx ---------------------------------------------------------

my ($other) = link_of('buy a mountain bike');
is $ads->stop('adsd'), 0, 'adsd stops';
is $ads->click($other)->{status}, 302, 'known links need no adsd';
$ads->start_adsd;
$ads->wait_until(sub { resolve($link)->{status} != 503 },
    30, 'adsd has the database');
$ads->wait_until(
    sub { ($ads->try_adsctl('--json', 'status'))[1] =~ /"inside":\{.*"generation":[1-9]/ },
    30, 'the tables that it makes at its start'
);

$ads->stop('nginx');
unlink "$ads->{dir}/state/head" or die "head: $!\n";
$ads->start_nginx;
$answer = $ads->click($other);
is $answer->{status}, 302, 'a worker without ad tables has adsd resolve a link';
like $answer->{headers}{location}, qr{^https://shop\.example/p/6\?},
    'and the visitor gets there';
like $answer->{headers}{'x-request-id'}, qr/^[0-9a-f-]{36}$/,
    'with one request id';
is $answer->{headers}{'cache-control'}, 'no-store', 'not to be kept';
$ads->is_problem($ads->click($link), 410, 'link_expired',
    'a link to an ad that is gone');
$ads->wait_until(
    sub {
        $ads->sql_value(
            'select count(*) from ads.clicks where ad_id = ?', $ad) >= 2;
    },
    10,
    'both clicks to be recorded'
);
pass 'and their clicks are recorded';

is $ads->stop('postgres'), 0, 'PostgreSQL stops';
$answer = resolve($other);
is $answer->{status}, 503, 'without a database a link cannot be resolved';
ok $answer->{headers}{'retry-after'}, 'but later';
is $ads->click($link)->{status}, 503, 'the visitor is told so too';
$ads->start_database;

$ads->done;
