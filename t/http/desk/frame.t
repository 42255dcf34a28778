#!/usr/bin/perl
#
# The frame around all management requests: credentials, accounts to act for,
# the audit log and its list, cursors, CSV.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $path  = '/v1/account/audit';
my $ads   = Ads::Test->new;
my $shop  = $ads->seed_shop;
my $other = $ads->seed_shop(name => 'Other shop', products => []);
my $pub   = $ads->seed_publisher;
my $boss  = $ads->seed_platform;

sub get
{
    my ($key, $query, @headers) = @_;
    return $ads->http('GET', $path . ($query // ''),
        [($key ? ('X-API-Key' => $key) : ()), @headers]);
}

# ---- credentials -----------------------------------------------------------

is get(undef)->{status}, 401, 'no credential is 401';
is get('ads_live_a' . 'x' x 36)->{status}, 401, 'a mistyped key is 401';
is get('eyJhbGciOiJub25lIn0.e30.')->{status}, 401, 'and so is a token of nobody';
is get($shop->{key}, '?x=ads_live_a')->{json}{code}, 'key_in_url',
    'a key in the URL is refused';
is $ads->http('PUT', $path, ['X-API-Key' => $shop->{key}])->{headers}{allow},
    'GET', 'another method learns which there are';
is get($shop->{key}, '/x')->{status}, 404, 'no other path fits';

# ---- headers ---------------------------------------------------------------

my $plain = get($shop->{key});
is $plain->{headers}{'cache-control'}, 'no-store', 'no cache keeps an answer';
is $plain->{headers}{'x-content-type-options'}, 'nosniff',
    'and no browser guesses what it is';
is get(undef)->{headers}{'cache-control'}, 'no-store', 'nor a refusal';
is $ads->http('GET', '/v1/auth/jwks.json')->{headers}{'cache-control'}, 'max-age=300',
    'public keys may be kept a while';

my @acting = ('X-API-Key' => $boss->{key}, 'X-Ads-Account' => $shop->{account});
my $spare  = $ads->http('POST', '/v1/auth/api-key',
    [@acting, 'Content-Type' => 'application/json'], '{"name":"spare"}');
my $ended = $ads->http('DELETE', "/v1/auth/api-key/$spare->{json}{id}", \@acting);
is_deeply [$ended->{status}, $ended->{headers}{'content-length'}], [204, undef],
    'what has no content tells no length';

# ---- what is logged, and who sees it ---------------------------------------

my $mine = get($shop->{key})->{json};
ok @{ $mine->{data} } >= 2, 'an account sees what was changed for it';
my ($made) = grep { $_->{object} eq 'campaigns' } @{ $mine->{data} };
is $made->{action}, 'create', 'a campaign was created';
is $made->{after}{account_id}, $shop->{account}, 'with its values';
like $made->{actor}, qr/^(?:ctl:|system)/, 'by the command line';
my $text = get($shop->{key})->{body};
unlike $text, qr/password_hash|"hash"/, 'no secret is in the log';
unlike $text, qr/$other->{account}/, 'no other account is in it';

my $acting = get($boss->{key}, '', 'X-Ads-Account' => $shop->{account});
is_deeply $acting->{json}, $mine, 'the platform sees the same in its name';
is get($shop->{key}, '', 'X-Ads-Account' => $other->{account})->{status}, 404,
    'nobody else acts for another account';
is get($boss->{key}, '',
    'X-Ads-Account' => '00000000-0000-4000-8000-000000000000')->{status}, 404,
    'an account that does not exist is as absent';
is get($shop->{key}, '', 'X-Ads-Account' => $shop->{account})->{status}, 200,
    'naming the own account is fine';

# ---- pages -----------------------------------------------------------------

my (@seen, $cursor);
for (1 .. 50) {
    my $page = get($shop->{key}, '?limit=1' . ($cursor ? "&cursor=$cursor" : ''));
    push @seen, @{ $page->{json}{data} };
    $cursor = $page->{json}{next_cursor};
    last unless $page->{json}{has_more};
}
is_deeply \@seen, $mine->{data}, 'page by page it is the same list';
is $cursor, undef, 'and the last page has no cursor';

my $first = get($shop->{key}, '?limit=1')->{json}{next_cursor};
for my $bad (substr($first, 1), $first . 'A', 'A' x length $first) {
    is get($shop->{key}, "?cursor=$bad")->{status}, 400, 'a made-up cursor is 400';
}
is get($other->{key}, "?cursor=$first")->{status}, 400,
    "another account's cursor is 400";
is get($shop->{key}, "?limit=$_")->{status}, 400, "limit $_ is 400"
    for 0, 501, 'x', '1.5', '';
is get($shop->{key}, '?colour=red')->{json}{errors}[0]{code}, 'unknown_field',
    'an unknown parameter is 400';
for my $bad (['colour=red', '?colour unknown_field'], ['limit=1&limit=2', '?limit too_many'],
    ['object=%zz', '?object invalid_format'], ['object=%00', '?object invalid_format'],
    ['%ff=1', '? invalid_format'], ['ada@example.com=1', '? unknown_field'])
{
    my $answer = get($shop->{key}, "?$bad->[0]");
    $ads->is_problem($answer, 400, 'invalid_fields', "$bad->[0] is refused");
    is join(' ', @{ $answer->{json}{errors}[0] }{qw(pointer code)}), $bad->[1],
        'by its name, if it is one of ours';
}
like get($shop->{key}, '?' . join '&', map { "x$_=1" } 1 .. 41)->{json}{detail},
    qr/too many/, 'too many are refused';
is scalar @{ get($shop->{key}, '?object=campaigns')->{json}{data} }, 1,
    'a filter filters';

# ---- CSV -------------------------------------------------------------------

my $csv = get($shop->{key}, '', Accept => 'text/csv');
like $csv->{headers}{'content-type'}, qr{^text/csv}, 'CSV on request';
like $csv->{body}, qr/^at,actor,action,object,object_id,/, 'with a header';
is scalar(() = $csv->{body} =~ /\r\n/g) >= 1 + @{ $mine->{data} }, 1,
    'and a line for each row';

$ads->done;
