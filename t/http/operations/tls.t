#!/usr/bin/perl
#
# Served by TLS, the example tells browsers to come back by TLS only, with every
# answer of each location, refusals too; without TLS it says nothing of it.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use File::Temp qw(tempdir);
use Test::More;

my $made = tempdir(CLEANUP => 1);
my $port = Ads::Test::free_port();
system("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        . " -days 2 -subj /CN=127.0.0.1 -keyout $made/key -out $made/cert"
        . ' 2>/dev/null') == 0
    or BAIL_OUT('no certificate');

my $ads = Ads::Test->new(nginx => "        listen 127.0.0.1:$port ssl;\n"
        . "        ssl_certificate $made/cert;\n"
        . "        ssl_certificate_key $made/key;\n");
my $key = $ads->seed_publisher->{key};

# Status and the headers of that name.
sub asked
{
    my ($scheme, $path, @more) = @_;
    my $to = $scheme eq 'https' ? $port : $ads->{port};
    open my $curl, '-|', 'curl', '-sk', '--max-time', 30, '-D', '-', '-o',
        '/dev/null', @more, "$scheme://127.0.0.1:$to$path"
        or die "curl: $!\n";
    my @lines = <$curl>;
    close $curl or die "curl: $path\n";
    my ($status) = $lines[0] =~ / (\d{3})/;
    return ($status, map { /^Strict-Transport-Security: (.*?)\r?$/i } @lines);
}

my @all = (
    [200, '/v1/ads/recommend', '-H', "X-API-Key: $key", '-H',
        'Content-Type: application/json', '-d', '{"query":"a printer"}'],
    [400, '/v1/events/impression', '-H', "X-API-Key: $key", '-H',
        'Content-Type: application/json', '-d', '{}'],
    [200, '/v1/auth/me', '-H', "X-API-Key: $key"],
    [401, '/v1/account'],
    [400, '/v1/auth/login', '-H', 'Content-Type: application/json', '-d', '{}'],
    [404, '/v1/auth/oauth/google'],
    [404, '/v1/click/x'],
    [404, '/v1/i/x'],
    [200, '/v1/openapi.json'],
    [200, '/docs'],
    [200, '/healthz'],
    [404, '/else'],
);
for my $one (@all) {
    my ($status, @request) = @$one;
    is_deeply [asked('https', @request)], [$status, 'max-age=31536000'],
        "once by TLS: $request[0]";
    is_deeply [asked('http', @request)], [$status],
        'and not at all without';
}

$ads->done;
