#!/usr/bin/perl
#
# How nginx serves the dashboard: the page at every screen's address, the policy
# on all of it, nothing beside it.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads = Ads::Test->new(parts => [qw(postgres adsd nginx)]);

my %type = (
    'app.js'    => 'application/javascript',
    'theme.js'  => 'application/javascript',
    'style.css' => 'text/css',
    'icon.svg'  => 'image/svg+xml',
);
my $page = $ads->http('GET', '/dashboard/');
for my $path (qw(/dashboard/ /dashboard/campaigns/new /dashboard/index.html)) {
    my $answer = $ads->http('GET', $path);
    is $answer->{status}, 200, "$path is the page";
    is $answer->{headers}{'content-type'}, 'text/html', 'in HTML';
    is $answer->{body}, $page->{body}, 'the same one';
}
is $ads->http('GET', '/dashboard')->{headers}{location} // '',
    "http://127.0.0.1:$ads->{port}/dashboard/", '/dashboard leads to it';

my %refers = map { $_ => 1 } $page->{body} =~ m{(?:src|href)="/dashboard/([^"]+)"}g;
is_deeply [sort keys %refers], [sort keys %type], 'it asks for these files';
for my $name (sort keys %type) {
    my $answer = $ads->http('GET', "/dashboard/$name");
    is $answer->{status}, 200, "$name is there";
    is $answer->{headers}{'content-type'}, $type{$name}, 'of its type';
    is $ads->http('GET', "/dashboard/$name",
        ['If-None-Match' => $answer->{headers}{etag}])->{status}, 304,
        'who has it need not load it again';
}

for my $path ('/dashboard/', '/dashboard/reports', '/dashboard/app.js') {
    my $headers = $ads->http('GET', $path)->{headers};
    my $policy  = $headers->{'content-security-policy'} // '';
    like $policy, qr/^default-src 'none'; script-src 'self'; style-src 'self';/,
        "$path runs its own files only";
    unlike $policy, qr/unsafe|\*|http:|data:/, 'without an exception';
    like $policy, qr/$_/, "policy: $_"
        for "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        "connect-src 'self'", "require-trusted-types-for 'script'";
    is $headers->{'x-content-type-options'}, 'nosniff', 'types are not guessed';
    is $headers->{'referrer-policy'}, 'no-referrer', 'addresses are kept';
    is $headers->{'cross-origin-opener-policy'}, 'same-origin',
        'no window of others holds it';
    like $headers->{'x-request-id'} // '', qr/^[0-9a-f-]{36}$/,
        'with a request id';
}

for my $path (qw(/dashboard/none.js /dashboard/../adsd.conf.example
    /dashboard/%2e%2e/build.mjs))
{
    $ads->is_problem($ads->http('GET', $path), 404, 'not_found',
        "$path is not there");
}
$ads->is_problem($ads->http('POST', '/dashboard/app.js',
    ['Content-Type' => 'text/plain'], 'x'), 405, 'method_not_allowed',
    'it is read only');

$ads->done;
