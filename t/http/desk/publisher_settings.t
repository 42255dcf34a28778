#!/usr/bin/perl
#
# A publisher's settings: what it blocks and the floor it sets hold for its own
# requests at once, and for no one else's.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $path = '/v1/publisher/settings';
my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop(bid => '0.40');
my $pub  = $ads->seed_publisher;
my $other = $ads->seed_publisher(name => 'Other');
my $buy  = 'buy a quillon laser printer';

sub settings { return $ads->http('GET', $path, ['X-API-Key' => $_[0]{key}]) }

sub patch
{
    my ($who, $body) = @_;
    return $ads->http('PATCH', $path, ['X-API-Key' => $who->{key}, 'Content-Type' => 'application/json'],
        ref $body ? encode_json($body) : $body);
}

sub shown
{
    my ($who) = @_;
    my $r = $ads->recommend($who->{key}, $buy)->{json};
    return $r->{decision} eq 'SHOW' ? 'SHOW' : $r->{reason};
}

my $none = settings($pub);
is $none->{status}, 200, 'a new publisher has settings';
is_deeply $none->{json}, { floor => 0, floor_micros => 0, blocked_advertisers => [], blocked_categories => [],
    updated_at => undef }, 'which wish for nothing';
is shown($pub), 'SHOW', 'and everything is shown';

my $set = patch($pub, { floor => 0.5 });
is $set->{status}, 200, 'a floor is set';
is $set->{json}{floor_micros}, 500_000, 'to the micro';
like $set->{headers}{'x-ads-generation'} // '', qr/^\d+$/, 'and served';
is shown($pub), 'below_floor', 'no bid below it is shown';
is shown($other), 'SHOW', 'on its own pages only';
is $ads->recommend($pub->{key}, $buy, floor_micros => 1)->{json}{reason}, 'below_floor',
    "a request's own floor does not lower it";
patch($pub, { floor => 0.4 });
is shown($pub), 'SHOW', 'a bid that reaches it is shown';

$set = patch($pub, { blocked_advertisers => [$shop->{account}] });
is_deeply $set->{json}{blocked_advertisers}, [$shop->{account}], 'an advertiser is blocked';
is $set->{json}{floor}, 0.4, 'what is not named stays';
is shown($pub), 'blocked', 'and not shown';
is shown($other), 'SHOW', 'there only';
patch($pub, { blocked_advertisers => ['00000000-0000-4000-8000-000000000000'] });
is shown($pub), 'SHOW', 'blocking another one does not matter';

patch($pub, { blocked_categories => ['Kitchen', 'PRINTERS'] });
isnt shown($pub), 'SHOW', 'a category is not shown, however it is written' or diag shown($pub);
patch($pub, { blocked_categories => ['Kitchen'] });
is shown($pub), 'SHOW', 'others are';
patch($pub, { blocked_categories => [], blocked_advertisers => [], floor => 0 });
is_deeply [@{ settings($pub)->{json} }{qw(floor blocked_advertisers blocked_categories)}], [0, [], []], 'all of it can be taken back';

is patch($pub, $_)->{status}, 400, "$_ is refused"
    for '{"floor":-1}', '{"floor":1000001}', '{"floor":"1"}', '{"blocked_advertisers":["x"]}', '{"blocked_categories":"x"}',
    '{"blocked_categories":[""]}', '{"colour":1}', '[]';
is patch($pub, { blocked_categories => [map { "c$_" } 1 .. 201] })->{status}, 400, 'too many categories';
is settings($shop)->{status}, 403, 'an advertiser has none';
is $ads->sql_value("select count(*) > 0 from ads.audit_log where object = 'publisher_settings' and account_id = ?", $pub->{account}),
    1, 'changes are in the audit log';

$ads->done;
