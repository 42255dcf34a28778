#!/usr/bin/perl
#
# Reports against a recount: events at seeded times around the clock changes of
# several zones are counted again here, by libc's zones, out of the raw rows;
# every step, dimension, filter and page must say the same.  Then the whole way
# from requests to a publisher's and an advertiser's report, tenants, bad
# questions, CSV, and that adsd killed in between counts nothing twice.
#
# Runs: first tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use POSIX qw(strftime tzset);
use Test::More;
use Time::HiRes qw(time);

my $seed = $ENV{ADS_SEED} // 20261122;
srand $seed;
note "seed $seed";

my $ads  = Ads::Test->new;
my $shop = $ads->seed_shop(topup => 900000, lifetime => 900000);
my $second = $ads->campaign($shop->{account}, campaign_name => 'Second', lifetime => 500000);
$ads->import_products($second, [@{ $ads->products }[0 .. 2]]);
for my $n (3 .. 8) {
    my $small = $ads->campaign($shop->{account}, campaign_name => "Number $n", lifetime => 500000);
    $ads->import_products($small, [$ads->products->[0]]);
}
my $other = $ads->seed_shop(name => 'Other', topup => 1000);
my $pub   = $ads->seed_publisher;
my $pub2  = $ads->seed_publisher(name => 'Second site');

sub get
{
    my ($who, $side, $query, @headers) = @_;
    return $ads->http('GET', "/v1/analytics/$side" . (length $query ? "?$query" : ''),
        ['X-API-Key' => $who->{key}, @headers]);
}

# ---- local time, without PostgreSQL -----------------------------------------

# [date, hour with offset, Monday of the week, first of the month]
sub local_of
{
    my ($us, $zone) = @_;
    local $ENV{TZ} = $zone;
    tzset();
    my @t    = localtime(int($us / 1e6));
    my $date = strftime('%Y-%m-%d', @t);
    my $hour = strftime('%Y-%m-%dT%H:00:00%z', @t) =~ s/(\d\d)$/:$1/r;
    my $month = strftime('%Y-%m-01', @t);
    $ENV{TZ} = 'UTC';
    tzset();
    my ($y, $m, $d) = split /-/, $date;
    my $noon = POSIX::mktime(0, 0, 12, $d, $m - 1, $y - 1900);
    my $monday = $noon - 86400 * (((gmtime $noon)[6] + 6) % 7);
    my $week = strftime('%Y-%m-%d', gmtime $monday);
    delete $ENV{TZ};
    tzset();
    return { date => $date, hour => $hour, week => $week, month => $month };
}

# Times of the last 380 days at which a zone's offset changes.
sub changes
{
    my ($zone) = @_;
    my $now = int(time / 900) * 900;
    my ($last, @found);
    local $ENV{TZ} = $zone;
    tzset();
    for (my $t = $now - 380 * 86400; $t < $now - 2 * 86400; $t += 900) {
        my $offset = strftime('%z', localtime $t);
        push @found, $t if defined $last && $offset ne $last;
        $last = $offset;
    }
    delete $ENV{TZ};
    tzset();
    return @found;
}

my @zones = qw(UTC Asia/Kolkata America/New_York Australia/Lord_Howe Asia/Kathmandu);
my %around = map { $_ => [changes($_)] } qw(America/New_York Australia/Lord_Howe);
is scalar @{ $around{$_} }, 2, "$_: two changes in a year" for sort keys %around;

# ---- events ---------------------------------------------------------------------

my @ads_of = @{ $ads->sql(
    'select a.id, a.campaign_id, a.product_id, a.account_id from ads.ads a where a.account_id in (?, ?) order by a.campaign_id, a.product_id',
    $shop->{account}, $other->{account}) };
my @places    = ('inline', 'card', 'voice');
my @countries = ('US', 'DE', undef);
my $n_segments = 0;
my @classes    = ((0) x 12, 2, 3, 5, 16, 18, 21);

sub seed_events
{
    my ($n, $center, $spread) = @_;
    my (@clicks, @impressions);
    for (1 .. $n) {
        my $us = int(($center + (rand() * 2 - 1) * $spread) * 1e6);
        my $ad = $ads_of[rand @ads_of];
        my $id = sprintf '%012x%s', $us / 1000, join '', map { sprintf '%02x', rand 256 } 1 .. 10;
        my %e = (
            us => $us, id => $id, ad => $ad->[0], campaign => $ad->[1], account => $ad->[3],
            publisher => ($pub, $pub2)[rand 2]{account}, placement => $places[rand 3],
            country => $countries[rand 3], class => $classes[rand @classes], price => 1 + int rand 700000,
        );
        if (rand() < 0.4) {
            push @clicks, \%e;
            push @clicks, { %e, us => $us + 1000 } if rand() < 0.1;    # once more: a duplicate
        } else {
            push @impressions, { %e, class => rand() < 0.9 ? 0 : 2 };
        }
    }
    my $segment = sprintf '%012x', ++$n_segments;
    $ads->sql(<<'SQL', $segment, encode_json(\@clicks), $segment, encode_json(\@impressions));
select p.*
from (
    select
        (select array_agg(row(1, 64 + 160 * c.o, ads.from_us((c.e ->> 'us')::bigint), (c.e ->> 'price')::bigint, 0, null, 1, 1,
            ('00000000-0000-4000-8000-' || ?)::uuid, (c.e ->> 'id')::uuid, (c.e ->> 'id')::uuid, (c.e ->> 'ad')::uuid,
            (c.e ->> 'account')::uuid, (c.e ->> 'campaign')::uuid, (c.e ->> 'publisher')::uuid,
            ads.uuid_day((c.e ->> 'id')::uuid), ads.uuid_day((c.e ->> 'id')::uuid), 1, (c.e ->> 'class')::smallint, 'redirect',
            c.e ->> 'placement', c.e ->> 'country')::ads.clicks order by c.o)
        from jsonb_array_elements(?::jsonb) with ordinality c (e, o)) as clicks,
        (select array_agg(row(1, 64 + 160 * i.o, ads.from_us((i.e ->> 'us')::bigint), 1,
            ('00000000-0000-4000-8000-' || ?)::uuid, (i.e ->> 'id')::uuid, (i.e ->> 'ad')::uuid,
            (i.e ->> 'account')::uuid, (i.e ->> 'campaign')::uuid, (i.e ->> 'publisher')::uuid,
            ads.uuid_day((i.e ->> 'id')::uuid), (i.e ->> 'class')::smallint,
            i.e ->> 'placement', i.e ->> 'country')::ads.impressions order by i.o)
        from jsonb_array_elements(?::jsonb) with ordinality i (e, o)) as impressions
) x
cross join lateral ads.events_post(1, x.clicks, x.impressions) p
SQL
}

my $today = int(time / 86400) * 86400;
my @centers = ((map { @$_ } values %around), $today - 43200);
seed_events(400, $_, 30 * 3600) for @centers;

sub caught_up
{
    $ads->wait_until(
        sub { !$ads->sql_value('select count(*) from ads.report_deltas')
                && !$ads->sql_value('select count(*) from ads.report_conversion_queue')
                && !$ads->sql_value('select count(*) from ads.report_zones where stale') },
        30, 'the reports to catch up');
}
caught_up();

my @raw;
for my $c (@{ $ads->sql('select (extract(epoch from at) * 1000000)::bigint, account_id, campaign_id, ad_id, publisher_id,'
        . ' placement, country, class, billed_micros, ledger_tx from ads.clicks where class not in (5, 25)') }) {
    push @raw, { us => $c->[0], account => $c->[1], campaign => $c->[2], ad => $c->[3], publisher => $c->[4],
        placement => $c->[5] // '', country => $c->[6] // '',
        kind => $c->[7] == 0 ? 'clicks' : $c->[7] == 1 ? 'duplicate_clicks' : $c->[7] >= 16 ? 'invalid_clicks'
            : $c->[7] == 4 ? 'free_clicks' : 'none', spend => $c->[8], gross => $c->[8],
        revenue => int($c->[8] / 10000) * 7000 + int($c->[8] % 10000 * 7000 / 10000) };
}
for my $i (@{ $ads->sql('select (extract(epoch from at) * 1000000)::bigint, account_id, campaign_id, ad_id, publisher_id,'
        . ' placement, country from ads.impressions where class = 0') }) {
    push @raw, { us => $i->[0], account => $i->[1], campaign => $i->[2], ad => $i->[3], publisher => $i->[4],
        placement => $i->[5] // '', country => $i->[6] // '', kind => 'impressions', spend => 0, gross => 0, revenue => 0 };
}
cmp_ok scalar @raw, '>', 1500, scalar(@raw) . ' events';
my %product = map { $_->[0] => $_->[2] } @ads_of;
$_->{product} = $product{ $_->{ad} } for @raw;

# ---- recount -----------------------------------------------------------------------

my @counts = qw(impressions clicks invalid_clicks duplicate_clicks free_clicks);

# {key => {metric => sum}} of events that fit
sub recount
{
    my ($side, $who, $zone, $from, $to, $step, $dims, $filter) = @_;
    my %sum;
    for my $e (@raw) {
        next if $e->{ $side eq 'advertiser' ? 'account' : 'publisher' } ne $who->{account};
        next if grep { my $d = $_; !grep { $_ eq $e->{$d} } @{ $filter->{$d} } } keys %$filter;
        my $local = local_of($e->{us}, $zone);
        next if $local->{date} lt $from || $local->{date} gt $to;
        next if $e->{kind} eq 'none' || $side eq 'publisher' && $e->{kind} !~ /^(?:clicks|impressions)$/;
        my $key = join '|', ($step eq 'none' ? () : $local->{ $step eq 'day' ? 'date' : $step }), map { $e->{$_} } @$dims;
        $sum{$key}{ $e->{kind} }++;
        $sum{$key}{$_} += $e->{$_} for $side eq 'advertiser' ? 'spend' : ('gross', 'revenue');
    }
    return \%sum;
}

sub compare
{
    my ($side, $who, $zone, $from, $to, $step, $dims, $filter, @limits) = @_;
    @limits = (50, 500) if !@limits;
    my $query = join '&', "from=$from", "to=$to", "timezone=$zone", "granularity=$step",
        (@$dims ? 'group_by=' . join ',', @$dims : ()),
        map { "filter[$_]=" . join ',', @{ $filter->{$_} } } sort keys %$filter;
    my %want = %{ recount($side, $who, $zone, $from, $to, $step, $dims, $filter) };
    my (%got, $cursor, $totals, @order);
    for (1 .. 100) {
        my $page = get($who, $side, "$query&limit=$limits[rand @limits]" . ($cursor ? "&cursor=$cursor" : ''))->{json};
        $totals //= $page->{totals};
        for my $row (@{ $page->{rows} }) {
            my $key = join '|', ($step eq 'none' ? () : $row->{ $step eq 'hour' ? 'hour' : 'date' }),
                map { $row->{$_} // $row->{"${_}_id"} // '' } @$dims;
            $got{$key}{twice} = 1 if $got{$key};
            push @order, $key;
            for my $m ($side eq 'advertiser' ? @counts : ('impressions', 'clicks')) {
                $got{$key}{$m} = $row->{$m} if $row->{$m};
            }
            $got{$key}{$_} = $row->{"${_}_micros"} for $side eq 'advertiser' ? 'spend' : ('gross', 'revenue');
        }
        $cursor = $page->{next_cursor} or last;
    }
    my %all;
    for my $key (keys %want) { $all{$_} += $want{$key}{$_} for keys %{ $want{$key} } }
    my $name = "$side $zone $step by " . (join(',', @$dims) || 'nothing') . (%$filter ? ' filtered' : '');
    is_deeply \%got, \%want, "$name: as recounted, " . keys(%want) . ' rows';
    is_deeply { map { $_ => $totals->{$_} + 0 } @counts[0, 1] },
        { map { $_ => $all{$_} // 0 } @counts[0, 1] }, "$name: totals";
    my $money = $side eq 'advertiser' ? 'spend' : 'revenue';
    is $totals->{"${money}_micros"}, $all{$money} // 0, "$name: money to the micro";
    return @order;
}

for my $zone (@zones) {
    $ads->sql('update ads.accounts set timezone = ? where id in (?, ?) returning 1', $zone, $shop->{account}, $pub->{account})
        if $zone eq 'America/New_York' || $zone eq 'Australia/Lord_Howe';    # now days and months are its own
    caught_up();
    my @around = $around{$zone} ? @{ $around{$zone} } : ($today - 43200);
    for my $t (@around) {
        my ($from, $to) = map { local_of($_ * 1e6, $zone)->{date} } $t - 86400, $t + 86400;
        compare('advertiser', $shop, $zone, $from, $to, 'hour', [], {});
        compare('advertiser', $shop, $zone, $from, $to, 'day', ['campaign'], {});
        compare('publisher', $pub, $zone, $from, $to, 'hour', ['placement'], {});
    }
    my ($from, $to) = map { local_of($_ * 1e6, $zone)->{date} } $today - 395 * 86400, $today + 86400;
    compare('advertiser', $shop, $zone, $from, $to, 'week', [], {});
    compare('advertiser', $shop, $zone, $from, $to, 'month', ['placement', 'country'], {});
    compare('advertiser', $shop, $zone, $from, $to, 'none', ['product'], {});
    compare('advertiser', $shop, $zone, $from, $to, $_, ['campaign'], {}, 2, 3) for qw(none month);
    compare('publisher', $pub, $zone, $from, $to, 'month', ['country'], {});
}
{
    my ($from, $to) = map { local_of($_ * 1e6, 'UTC')->{date} } $today - 395 * 86400, $today;
    compare('advertiser', $shop, 'UTC', $from, $to, 'day', ['campaign', 'product', 'country'], {});
    compare('advertiser', $shop, 'UTC', $from, $to, 'none', ['campaign'],
        { placement => ['card', 'voice'], product => [$ads_of[0][2]] });
    compare('advertiser', $shop, 'UTC', $from, $to, 'none', [], { campaign => [$second] });
    compare('advertiser', $shop, 'Australia/Lord_Howe', $from, $to, 'none', ['campaign'],
        { campaign => [$second, map { $_->[1] } @ads_of[0, -1]] }, 1);
    compare('publisher', $pub, 'UTC', $from, $to, 'none', ['placement', 'country'], { placement => ['inline'] });
    compare('advertiser', $other, 'UTC', $from, $to, 'none', ['campaign', 'placement', 'country'], {});
}

# a day that the clock makes longer or shorter
for my $t (@{ $around{'America/New_York'} }) {
    local $ENV{TZ};
    my $day = local_of($t * 1e6, 'America/New_York')->{date};
    my %hours;
    for my $minute (0 .. 30 * 60) {
        my $l = local_of(($t - 10 * 3600 + $minute * 60) * 1e6, 'America/New_York');
        $hours{ $l->{hour} } = 1 if $l->{date} eq $day;
    }
    like scalar(keys %hours), qr/^(?:23|25)$/, "$day has " . keys(%hours) . ' hours in New York';
}

# ---- the ledger -------------------------------------------------------------------

my $year = 'from=' . strftime('%Y-%m-%d', gmtime($today - 395 * 86400)) . '&to=' . strftime('%Y-%m-%d', gmtime($today + 2 * 86400));
my $spent = $ads->sql_value('select 900000000000 - balance_micros from ads.balances where account_id = ?', $shop->{account});
is get($shop, 'advertiser', $year)->{json}{totals}{spend_micros}, $spent, "spend is the ledger's";
is get($pub, 'publisher', "$year&group_by=placement")->{json}{totals}{revenue_micros},
    $ads->sql_value('select balance_micros from ads.balances where account_id = ?', $pub->{account}), 'and revenue';
is join("\n", map { "@$_" } @{ $ads->sql('select rule, detail from ads.reconcile(current_date - 399, current_date + 1) where not ok') }), '',
    'reconcile finds nothing';

# ---- rates -------------------------------------------------------------------------

my $t = get($shop, 'advertiser', $year)->{json}{totals};
sub rounded { my ($n, $d) = @_; return int((2 * $n + $d) / (2 * $d)) }
is $t->{ctr} * 1e6, rounded($t->{clicks} * 1e6, $t->{impressions}), 'ctr';
is $t->{cpc_micros}, rounded($t->{spend_micros}, $t->{clicks}), 'cpc';
is $t->{cpm_micros}, rounded($t->{spend_micros} * 1000, $t->{impressions}), 'cpm';
is $t->{cpa}, undef, 'cpa without conversions is null';
is $t->{cpa_micros}, undef, 'and so is its twin';
is $t->{roas}, 0, 'roas';

# ---- the whole way -----------------------------------------------------------------

my $site = $ads->seed_publisher(name => 'Real site');
my $test = { key => $ads->key($site->{account}, '--test') };
my $buy  = 'buy a quillon laser printer';
my $before = get($shop, 'advertiser', '')->{json}{totals};
my @shown = map { $ads->recommend($site->{key}, $buy, placement => 'card', context => { location => 'US' })->{json} } 1 .. 4;
$ads->recommend($site->{key}, 'what is the capital of france') for 1 .. 3;
$ads->recommend($test->{key}, $buy);
my $first = $shown[0]{ads}[0];
is $ads->post('/v1/events/impression', $site->{key}, { request_id => $_->{request_id}, ad_id => $_->{ads}[0]{ad_id} })->{status},
    202, 'an impression' for @shown[0, 1];
my ($click) = ($ads->click($first->{click_url})->{headers}{location} // '') =~ /ads_click_id=([0-9a-f-]{36})/;
$ads->wait_until(sub { $ads->sql_value('select count(*) from ads.clicks where click_id = ?', $click) }, 10, 'the click');
my $owner = $ads->sql_value('select account_id from ads.clicks where click_id = ?', $click);
my $seller = $owner eq $shop->{account} ? $shop : $other;
$before = get($seller, 'advertiser', '')->{json}{totals} if $seller != $shop;
is $ads->post('/v1/events/conversion', $seller->{key}, { request_id => $shown[0]{request_id}, ad_id => $first->{ad_id},
        click_id => $click, value => 40.5, currency => 'USD' })->{json}{status}, 'recorded', 'a conversion';

my $mine;
$ads->wait_until(
    sub {
        $mine = get($site, 'publisher', 'group_by=placement,reason')->{json};
        my $x = $mine->{totals};
        $x->{requests} == 7 && $x->{impressions} == 2 && $x->{clicks} == 1;
    },
    20, 'requests, impressions and the click to be in the report');
is $mine->{totals}{show},      4,        'four requests were shown ads, without the test key\'s';
is $mine->{totals}{no_ad},     3,        'three were not';
is $mine->{totals}{fill_rate}, 0.571429, 'the fill rate';
my ($none) = grep { ($_->{reason} // '') eq 'not_commercial' } @{ $mine->{rows} };
is $none->{no_ad}, 3, 'by reason';
my ($card) = grep { !defined $_->{reason} && $_->{placement} eq 'card' } @{ $mine->{rows} };
is $card->{show}, 4, 'and placement';
is $mine->{totals}{ecpm_micros}, rounded($mine->{totals}{revenue_micros} * 1000, 2), 'eCPM';
my $sold;
$ads->wait_until(sub { $sold = get($seller, 'advertiser', '')->{json}{totals}; $sold->{conversions} == 1 }, 20, 'the conversion');
is $sold->{conversion_value_micros}, 40_500_000, 'with its value';
is $sold->{cpa_micros}, $sold->{spend_micros}, 'cpa';

$ads->wait_until(sub { $ads->sql_value('select now() - as_of < interval \'5 seconds\' from ads.report_state') }, 20, 'as_of to be within five seconds');
my $as_of = get($shop, 'advertiser', '')->{json}{as_of};
like $as_of, qr/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, "as_of $as_of";

# ---- auctions ----------------------------------------------------------------------

# two shops with the same chair, one of which sells in the US only; one ad an
# answer, so that one of them is outbid where both may be shown
my @chairs = map { { id => "chair-$_", title => 'Velvet armchair', brand => 'Quellbach', category => ['Furniture'],
        price => 300, currency => 'USD', description => 'Armchair with velvet seat', url => "https://shop.example/chair/$_" } } 1 .. 2;
my $east = $ads->seed_shop(name => 'East', products => [$chairs[0]], bid => '0.30');
my $west = $ads->seed_shop(name => 'West', products => [$chairs[1]], bid => '0.30');
my $asleep = $ads->campaign($east->{account}, campaign_name => 'Asleep', status => 'paused');
$ads->import_products($asleep, [$chairs[0]]);
is $ads->http('PATCH', "/v1/campaigns/$west->{campaign}", ['X-API-Key' => $west->{key}, 'Content-Type' => 'application/json'],
    encode_json({ targeting => { locations => ['US'] } }))->{status}, 200, 'a campaign for one country';
my $hall  = $ads->seed_publisher(name => 'Hall');
my $guest = { key => $ads->key($hall->{account}, '--test') };
for my $n (1 .. 30) {
    my @words = ($n % 5 ? 'buy a quellbach velvet armchair' : 'what is the capital of france',
        max_results => 1, placement => 'card', context => { location => $n % 3 ? 'US' : 'DE' });
    $ads->recommend($hall->{key}, @words);
    $ads->recommend($guest->{key}, @words);
}

# counted again from what was shown, out of the decisions' bytes
my %won;
$ads->wait_until(
    sub {
        %won = ();
        my $rows = $ads->sql('select shown from ads.decisions where publisher_id = ?', $hall->{account});
        for my $row (@$rows) {
            my $id = unpack 'H32', $row->[0];
            $won{ $ads->sql_value('select account_id from ads.ads where id = ?::uuid', $id) }++;
        }
        return @$rows == 48;    # the test key's are there too
    },
    20, 'the decisions'
);
my %asked = (DE => 8, US => 16);
my ($e, $w);
$ads->wait_until(
    sub {
        $e = get($east, 'advertiser', 'group_by=campaign')->{json};
        $w = get($west, 'advertiser', 'group_by=campaign')->{json};
        return ($e->{totals}{auctions} // 0) >= 24 && ($w->{totals}{auctions} // 0) >= 24;
    },
    20, 'the auctions to be in the report'
);
is $e->{totals}{auctions}, 24, 'in an auction for each request that wanted to buy, none by a test key';
is $w->{totals}{auctions}, 24, 'and so is the one that may not be shown everywhere';
is $w->{totals}{lost_reason}{location}, $asked{DE}, 'which loses those for its place';
is $e->{totals}{wins} + $w->{totals}{wins}, 24, 'each has one winner';
is $e->{totals}{wins} + $e->{totals}{lost_reason}{outbid}, 24, 'who does not win is outbid';
is $w->{totals}{wins} + $w->{totals}{lost_reason}{outbid}, $asked{US}, 'where it may be shown';
ok $e->{totals}{wins} >= $asked{DE}, 'alone it wins';
is_deeply [map { $_->{campaign_id} } grep { $_->{auctions} } @{ $e->{rows} }], [$east->{campaign}], 'a paused campaign takes no part';
is $e->{totals}{win_rate} * 1e6, rounded($e->{totals}{wins} * 1e6, 24), 'the win rate';
is_deeply $e->{rows}[0]{lost_reason}, $e->{totals}{lost_reason}, 'the reasons of the one campaign are all';
my $by_hour = get($west, 'advertiser', 'group_by=hour,campaign')->{json};
my $sum_of = 0;
$sum_of += $_->{auctions} for @{ $by_hour->{rows} };
is $sum_of, 24, 'hours add up';
is get($west, 'advertiser', "granularity=month&filter[campaign]=$west->{campaign}")->{json}{rows}[0]{auctions}, 24, 'and months';
my $by_place = get($west, 'advertiser', 'group_by=placement')->{json};
is $_->{auctions}, undef, 'by placement they are not known' for @{ $by_place->{rows} };
is $by_place->{totals}{auctions}, 24, 'but in all';
my $hall_rows = get($hall, 'publisher', 'group_by=country,reason')->{json}{rows};
is_deeply { map { ($_->{country} // '') => $_->{no_ad} } grep { defined $_->{reason} } @$hall_rows }, { US => 4, DE => 2 },
    'requests without an ad have their country';

# ---- questions ---------------------------------------------------------------------

my $default = get($shop, 'advertiser', '')->{json};
is $default->{range}{to}, local_of(time * 1e6, $default->{timezone})->{date}, 'by default up to today';
is $default->{timezone}, 'Australia/Lord_Howe', "in the account's zone";
is scalar @{ $default->{rows} }, 1, 'in one row';
is $default->{currency}, 'USD', 'with a currency';
is_deeply $default->{rows}[0], $default->{totals}, 'that is the total';
for my $bad ('from=x', 'from=2026-01-01&to=2025-12-31', 'from=2024-01-01&to=2026-01-01', 'granularity=minute',
    'group_by=colour', 'group_by=campaign,product,placement,country', 'group_by=hour&granularity=day', 'filter[campaign]=x',
    'filter[colour]=red', 'timezone=Mars/Olympus', 'limit=0', 'limit=501', 'cursor=abc', 'x=1',
    'from=2026-01-01T00:01:00Z&to=2026-01-02T00:00:00Z', 'from=2026-01-01T00:00:00Z', 'from=2026-01-01T00:00:00Z&to=2026-01-02',
    'from=2025-01-01&to=2026-02-05', 'from=2025-01-01T00:00:00Z&to=2026-02-05T00:15:00Z', 'from=2026-02-30',
    'group_by=reason') {
    my $r = get($shop, 'advertiser', $bad);
    is $r->{status}, 400, "$bad is refused";
    like $r->{json}{errors}[0]{pointer} // '', qr/^\?/, 'and says what';
}
is get($shop, 'advertiser', $_)->{status}, 200, "$_: 400 days"
    for 'from=2025-01-01&to=2026-02-04', 'from=2025-01-01T00:00:00Z&to=2026-02-05T00:00:00Z';
is get($pub, 'publisher', 'group_by=campaign')->{status}, 400, 'a publisher has no campaigns';
is get($shop, 'publisher', '')->{status}, 403, "an advertiser has no publisher's report";
is get($pub, 'advertiser', '')->{status}, 403, 'nor the other way round';
is get($shop, 'advertiser', "filter[campaign]=$other->{campaign}&$year")->{json}{totals}{clicks}, 0, "another tenant's campaign has nothing";
my $page = get($shop, 'advertiser', "$year&group_by=product,country&limit=2")->{json};
is get($other, 'advertiser', "$year&group_by=product,country&limit=2&cursor=$page->{next_cursor}")->{status}, 400, "another tenant's cursor";
is get($pub, 'publisher', "$year&cursor=$page->{next_cursor}")->{status}, 400, "another report's cursor";
is get($shop, 'advertiser', "$year&group_by=$_&limit=2&cursor=$page->{next_cursor}")->{status}, 400,
    "a cursor of other groups than $_" for 'product', 'product,placement', 'date,product,country';
my $times = get($shop, 'advertiser', 'from=' . strftime('%Y-%m-%dT%H:00:00Z', gmtime(time - 86400)) . '&to=' . strftime('%Y-%m-%dT%H:00:00Z', gmtime(time + 3600)));
is $times->{status}, 200, 'a range of times';

# ---- tables ------------------------------------------------------------------------

$ads->sql(q(update ads.campaigns set name = '=cmd|x' where id = ? returning 1), $second);
my $csv = get($shop, 'advertiser', "$year&group_by=campaign", Accept => 'text/csv');
like $csv->{headers}{'content-type'}, qr{^text/csv}, 'CSV on request';
like $csv->{body}, qr/\Acampaign_id,campaign_name,impressions,clicks,/, 'with its columns';
like $csv->{body}, qr/'=cmd/, 'a formula is none';
my $lines = get($shop, 'advertiser', "$year&group_by=campaign&limit=1", Accept => 'application/x-ndjson');
is scalar(my @l = split /\n/, $lines->{body}), 1, 'NDJSON: an object a line';
is_deeply decode_json($l[0]), get($shop, 'advertiser', "$year&group_by=campaign&limit=1")->{json}{rows}[0], 'the same rows';
ok $lines->{headers}{'x-next-cursor'}, 'and the next page';

# ---- killed in between ----------------------------------------------------------------

my $sum = get($shop, 'advertiser', $year)->{json}{totals};
for (1 .. 3) {
    seed_events(300, $today - 43200, 20 * 3600);
    $ads->kill_and_restart('adsd');
}
$ads->wait_ready(30);
caught_up();
is join("\n", map { "@$_" } @{ $ads->sql('select rule, detail from ads.reconcile_reports() where not ok') }), '',
    'killed in the middle of it, adsd counts everything once';
is get($shop, 'advertiser', $year)->{json}{totals}{spend_micros},
    900000000000 - $ads->sql_value('select balance_micros from ads.balances where account_id = ?', $shop->{account}),
    "and spend is still the ledger's";

$ads->done;
