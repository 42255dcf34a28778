#!/usr/bin/perl
#
# Twenty accounts send hopeless feeds at once: all bad rows, packed empty rows,
# ten million packed empty lines.  An honest small feed beside them takes at
# most twice as long as alone, and each hopeless one ends as what it is.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Compress::Gzip qw(gzip);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $ads   = Ads::Test->new;
my $quiet = $ads->seed_shop(name => 'Quiet shop', products => []);
my @loud  = map { $ads->seed_shop(name => "Loud shop $_", products => []) }
    1 .. 20;
my $path = '/v1/products/import';
my $n    = 0;

sub post
{
    my ($shop, $feed) = @_;
    return $ads->http('POST', "$path?campaign_id=$shop->{campaign}",
        ['X-API-Key' => $shop->{key}, 'Content-Type' => 'application/x-ndjson'],
        $feed);
}

sub look
{
    my ($shop, $id) = @_;
    return $ads->http('GET', "$path/$id", ['X-API-Key' => $shop->{key}])
        ->{json};
}

# Seconds until a feed of ten products is imported.
sub honest
{
    my $feed = join '', map { $n++; encode_json({ sku => "Q$n",
        title => "Kettle $n", price => 12.5, currency => 'USD',
        url => "https://shop.example/$n" }) . "\n" } 1 .. 10;
    my $began = time;
    my $id    = post($quiet, $feed)->{json}{id};
    my $seen;
    $ads->wait_until(sub { ($seen = look($quiet, $id))->{status}
                =~ /^(?:done|failed)$/ }, 60, 'the import to end');
    is $seen->{status}, 'done', 'an honest feed is imported';
    return time - $began;
}

sub packed
{
    my ($text, $times) = @_;
    my $gz = IO::Compress::Gzip->new(\my $bytes, -Level => 1);
    $gz->print($text) for 1 .. $times;
    $gz->close;
    return $bytes;
}

sub median { return (sort { $a <=> $b } @_)[ @_ / 2 ] }

my @hopeless = (
    [qr/^all_bad$/, join '', map { qq({"sku":"b$_"}\n) } 1 .. 50_000],
    [qr/^all_bad$/, packed("{}\n" x 100_000, 100)],
    [qr/^(?:done|unreadable)$/, packed("\n" x 100_000, 100)],
    [qr/^too_large$/, packed(' ' x 1_000_000, 400)],
);

my @alone = map { honest() } 1 .. 5;

# The honest one ten times, while each of the twenty always has a feed waiting.
my (@sent, @beside);
for my $round (1 .. 10) {
    for my $i (0 .. $#loud) {
        my ($code, $feed) = @{ $hopeless[ $i % @hopeless ] };
        my $answer = post($loud[$i], $feed);
        push @sent, [$loud[$i], $answer->{json}{id}, $code]
            if $answer->{status} == 202;
    }
    push @beside, honest();
}
note sprintf 'alone %.2f s, beside %.2f s (medians); longest %.2f s',
    median(@alone), median(@beside), (sort { $a <=> $b } @beside)[-1];
cmp_ok scalar @sent, '>=', 40, scalar(@sent) . ' hopeless feeds were taken';

# less than half a second is when the threads look for feeds
my $base = median(@alone) > 0.5 ? median(@alone) : 0.5;
cmp_ok median(@beside), '<=', 2 * $base * Ads::Test::patience(),
    'it takes at most twice as long beside them';

for my $one (@sent) {
    my ($shop, $id, $code) = @$one;
    my $seen;
    $ads->wait_until(sub { ($seen = look($shop, $id))->{status}
                =~ /^(?:done|failed)$/ }, 120, 'a hopeless feed to end');
    $one->[3] = $seen->{failure}{code} // $seen->{status};
}
is join(' ', map { $_->[3] } grep { $_->[3] !~ $_->[2] } @sent), '',
    'each hopeless one ends as what it is';

$ads->done;
