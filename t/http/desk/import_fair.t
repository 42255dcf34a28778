#!/usr/bin/perl
#
# Imports of one account never keep another's waiting: what cannot become
# products is given up early, whatever it unpacks to; small feeds overtake large
# ones; the accounts alternate.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Compress::Gzip qw(gzip);
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);

my $ads   = Ads::Test->new;
my $loud  = $ads->seed_shop(name => 'Loud shop', products => []);
my $quiet = $ads->seed_shop(name => 'Quiet shop', products => []);
my $path  = '/v1/products/import';

sub row
{
    my ($sku) = @_;
    return encode_json({ sku => $sku, title => "Kettle $sku", price => 12.5,
        currency => 'USD', url => "https://shop.example/$sku" }) . "\n";
}

sub post
{
    my ($shop, $feed) = @_;
    return $ads->http('POST', "$path?campaign_id=$shop->{campaign}",
        ['X-API-Key' => $shop->{key}, 'Content-Type' => 'application/x-ndjson'],
        $feed);
}

sub look
{
    my ($shop, $answer) = @_;
    return $ads->http('GET', "$path/$answer->{json}{id}",
        ['X-API-Key' => $shop->{key}])->{json};
}

# The import once it has ended, and the seconds until then.
sub ended
{
    my ($shop, $answer, $most_s) = @_;
    my $began = time;
    my $seen;
    $ads->wait_until(sub { ($seen = look($shop, $answer))->{status}
                =~ /^(?:done|failed)$/ }, $most_s || 60, 'the import to end');
    return ($seen, time - $began);
}

# A stream that packs thousand to one: that text again and again.
sub bomb
{
    my ($mib, $text) = @_;
    my $bytes = $text x ((1 << 20) / length $text);
    my $gz    = IO::Compress::Gzip->new(\my $packed, -Level => 1);
    $gz->print($bytes) for 1 .. $mib;
    $gz->close;
    return $packed;
}

# ---- bombs -----------------------------------------------------------------

for my $case (
    ['empty rows',  "{}\n",                'all_bad'],
    ['empty lines', "\n",                  'too_large'],
    ['one row',     row('same') x 40,      'too_large'],
    ['spaces',      ' ' x 4096,            'too_large'],
) {
    my ($what, $text, $code) = @$case;
    my $bomb = bomb(400, $text);
    my $sent = post($loud, $bomb);
    is $sent->{status}, 202, sprintf 'a feed of %s, %d KiB packed', $what,
        length($bomb) >> 10;
    $ads->wait_until(sub { look($loud, $sent)->{status} ne 'queued' }, 20,
        'its begin');
    my ($small, $waited) = ended($quiet, post($quiet, row("Q-$what")));
    is $small->{status}, 'done', "another's import, meanwhile";
    cmp_ok $waited, '<', 5 * Ads::Test::patience(), 'soon';
    my ($seen, $took) = ended($loud, $sent);
    is "$seen->{status} " . ($seen->{failure}{code} // ''), "failed $code",
        'it ends';
    cmp_ok $took, '<', 20 * Ads::Test::patience(), 'soon';
}

# ---- large ones, of one account and of several -----------------------------

my $large = join '', map { row("L-$_") . ' ' x 400 . "\n" } 1 .. 40_000;
my @large = map { post($loud, $large) } 1 .. 3;
is join(' ', map { $_->{status} } @large), '202 202 202', 'three large feeds';
$ads->wait_until(sub { look($loud, $large[0])->{status} ne 'queued' }, 20,
    'their begin');
my ($small) = ended($quiet, post($quiet, row('Q-small')));
is $small->{status}, 'done', "another's small one is imported";
isnt look($loud, $large[2])->{status}, 'done', 'before the last of them';
my ($seen) = map { (ended($loud, $_, 120))[0] } @large;
is $seen->{status}, 'done', 'they are imported too' or diag explain $seen;
is $ads->sql_value(q{select count(*) from ads.imports a
        join ads.imports b on a.account_id = b.account_id and a.id <> b.id
        where a.created_at < b.created_at and a.started_at > b.started_at}), 0,
    'those of one account in the order they came';

# ---- many accounts that fill the queue -------------------------------------

$ads->db->do(q{insert into ads.imports (account_id, campaign_id, source, body_len)
        select account_id, id, 'api', 1 from ads.campaigns, generate_series(1, 100)
        where account_id = ?}, {}, $loud->{account});
my $more = post($quiet, row('Q-more'));
is $more->{status}, 202, 'who has none waiting is taken, however many others have';
is post($loud, row('L-more'))->{status}, 429, 'they are not';

$ads->done;
