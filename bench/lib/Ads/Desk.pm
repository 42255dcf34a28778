package Ads::Desk;

# The rows of an advertiser that is large: campaigns, products, a year of
# reports, and events.  Written straight into the tables, each level of the
# reports from the same numbers.

use strict;
use warnings;

my $nil = "'00000000-0000-0000-0000-000000000000'::uuid";

# The rows of one level and grain out of those of the days with all dimensions.
sub fold
{
    my ($ads, $account, $level, $grain, $dims) = @_;
    my $at = $grain eq 'm' ? "date_trunc('month', at, 'UTC')" : 'at';
    my ($campaign, $ad, $placement, $country) =
        map { $dims =~ /$_/ ? $_ : /_id/ ? $nil : "''" } qw(campaign_id ad_id placement country);
    return $ads->db->do(<<"SQL");
insert into ads.reports
select account_id, '$grain', $level, $at, $campaign, $ad, $placement, $country, sum(impressions), sum(clicks),
    sum(invalid_clicks), sum(duplicate_clicks), sum(free_clicks), sum(spend_micros), sum(conversions),
    sum(value_micros)
from ads.reports
where account_id = '$account' and grain = 'd' and level = 15
group by 1, 2, 3, 4, 5, 6, 7, 8
SQL
}

sub quarters
{
    my ($ads, $account, $level, $days, $one_in, $campaign) = @_;
    return $ads->db->do(<<"SQL");
insert into ads.reports
select '$account', 'q', $level, t.at, $campaign, $nil, '', '', 40, 1, 0, 0, 0, 250000, 0, 0
from generate_series(date_trunc('day', now(), 'UTC') - interval '$days days', now(), interval '15 minutes') t (at),
    generate_series(1, $one_in) n (c)
SQL
}

# A year in which every campaign is shown every day, two ads each on 3
# placements in 5 countries, and a month of quarters of an hour.  The number of
# rows.
sub year
{
    my ($ads, $account, $campaigns, $from, $to) = @_;
    my $rows = $ads->db->do(<<"SQL");
insert into ads.reports
select
    '$account', 'd', 15, d.day, md5('campaign' || c)::uuid, md5('ad' || c || '-' || x)::uuid,
    (array['inline', 'card', 'voice'])[1 + (c + x) % 3], (array['US', 'DE', 'FR', 'GB', 'JP'])[1 + c % 5],
    400, 9, 1, 1, 0, 2250000, 1, 30000000
from generate_series('$from'::timestamptz at time zone 'UTC' at time zone 'UTC', '$to'::timestamptz, interval '1 day')
        d (day),
    generate_series(1, $campaigns) n (c), generate_series(1, 2) x
SQL
    $rows += fold($ads, $account, @$_)
        for [0, 'd', ''], [0, 'm', ''], [1, 'd', 'campaign_id'], [1, 'm', 'campaign_id'],
        [12, 'd', 'placement country'], [12, 'm', 'placement country'],
        [15, 'm', 'campaign_id ad_id placement country'];
    $rows += quarters($ads, $account, 0, 364, 1, $nil);
    $rows += quarters($ads, $account, 1, 30, int($campaigns / 5) || 1, "md5('campaign' || c)::uuid");
    $ads->db->do('vacuum analyze ads.reports');
    return $rows;
}

# Campaigns whose ids are md5('campaign' || n), products md5('product' || n),
# each in one campaign as ad md5('ad' || campaign || '-' || n of it).
sub catalogue
{
    my ($ads, $account, $campaigns, $products) = @_;
    $ads->db->do(<<"SQL");
insert into ads.campaigns (
    id, account_id, name, bid_micros, daily_budget_micros, lifetime_budget_micros, status, targeting, created_at)
select md5('campaign' || n)::uuid, '$account', 'Campaign ' || n || (array[' shoes', ' printers', ' coffee'])[1 + n % 3],
    250000 + n, 100000000, case when n % 2 = 0 then 10000000000 end,
    (array['active', 'active', 'active', 'paused'])[1 + n % 4],
    case when n % 5 = 0 then '{"locations": ["US"]}' else '{}' end::jsonb, now() - n * interval '1 hour'
from generate_series(1, $campaigns) n
SQL
    $ads->db->do(<<"SQL");
insert into ads.products (id, account_id, sku, title, description, brand, category, url, price_micros, currency, created_at)
select md5('product' || n)::uuid, '$account', 'sku-' || n,
    (array['Laser printer', 'Running shoes', 'Espresso machine', 'Mountain bike', 'Headphones'])[1 + n % 5]
        || ' model ' || n, repeat('A thing that many want and few have. ', 6), 'Brand ' || n % 200,
    array['Things', 'Kind ' || n % 40], 'https://shop.example/p/' || n, 1000000 + n * 10000, 'USD',
    now() - n * interval '1 second'
from generate_series(1, $products) n
SQL
    $ads->db->do(<<"SQL");
insert into ads.ads (id, account_id, campaign_id, product_id)
select md5('ad' || 1 + n % $campaigns || '-' || 1 + n / $campaigns)::uuid, '$account',
    md5('campaign' || 1 + n % $campaigns)::uuid, md5('product' || n)::uuid
from generate_series(1, $products) n
SQL
}

# Billed clicks and impressions of the last days, as ingest leaves them:
# events in their partitions, ledger transactions of some clicks each with their
# entries, spend by day and campaign, rollups.  Triggers are off: they would check
# what is made here to fit.
sub events
{
    my ($ads, $account, $publisher, $campaigns, $events, $days) = @_;
    my $db = $ads->db;
    my $day = int $events / $days;
    my $clicks = int $day / 50;

    $db->do('set session_replication_role = replica');
    $db->do(<<"SQL");
select ads.partition_days(p, array_agg((now() at time zone 'UTC')::date - d order by d desc))
from generate_series(0, $days) d, unnest(array['clicks', 'impressions']) p
group by p
SQL
    for my $ago (reverse 0 .. $days - 1) {
        my $begin = "(date_trunc('day', now(), 'UTC') - interval '$ago days')";
        my $span = $ago ? '86400.0' : 'extract(epoch from now() - ' . $begin . ')';
        my $some = sub {
            return "(select n, $begin + n * $span / $_[0] * interval '1 second' as at, 1 + n % $campaigns as c"
                . " from generate_series(1, $_[0]) n) t";
        };
        my ($seen, $clicked) = ($some->($day - $clicks), $some->($clicks));
        $db->do(<<"SQL");
insert into ads.impressions
select 1, 8 * n, t.at, n, md5('segment$ago')::uuid, md5('i$ago-' || n)::uuid, md5('ad' || c || '-1')::uuid, '$account',
    md5('campaign' || c)::uuid, '$publisher', (t.at at time zone 'UTC')::date, 0, 'inline', 'US'
from $seen
SQL
        $db->do(<<"SQL");
insert into ads.clicks
select 1, 8 * n, t.at, 250000, 250000, $ago * $clicks + n, n, n, md5('segment$ago')::uuid, md5('c$ago-' || n)::uuid,
    md5('r$ago-' || n)::uuid, md5('ad' || c || '-1')::uuid, '$account', md5('campaign' || c)::uuid, '$publisher',
    (t.at at time zone 'UTC')::date, (t.at at time zone 'UTC')::date, 1, 0, 'redirect', 'inline', 'US'
from $clicked
SQL
    }
    $db->do(<<"SQL");
insert into ads.ledger_transactions (
    id, kind, at, account_id, campaign_id, publisher_id, node, segment, off_from, off_to, share_bps, amount_micros,
    balance_after_micros)
select 1000000 + row_number() over (order by k.at), 'spend', k.at, k.account_id, k.campaign_id, k.publisher_id, 1,
    k.segment, k.off, k.off + 8, 7000, -250000, 1000000000000 - 250000 * row_number() over (order by k.at)
from ads.clicks k
SQL
    $db->do(<<"SQL");
insert into ads.ledger_entries (tx_id, ledger_account_id, amount_micros)
select t.id, la.id, -250000
from ads.ledger_transactions t
join ads.ledger_accounts la on la.kind = 'advertiser_balance' and la.account_id = t.account_id
where t.kind = 'spend'
SQL
    $db->do(<<"SQL");
insert into ads.campaign_days (campaign_id, day, account_id, spent_micros, budget_micros)
select k.campaign_id, k.budget_day, '$account', least(sum(k.billed_micros), 100000000), 100000000
from ads.clicks k
group by k.campaign_id, k.budget_day
SQL
    $db->do(<<"SQL");
insert into ads.campaign_spend (campaign_id, account_id, spent_micros)
select d.campaign_id, d.account_id, sum(d.spent_micros)
from ads.campaign_days d
group by d.campaign_id, d.account_id
on conflict (campaign_id) do update set spent_micros = excluded.spent_micros
SQL
    $db->do(<<"SQL");
insert into ads.spend_rollups (
    account_id, bucket_at, campaign_id, publisher_id, placement, country, impressions, clicks, spend_micros,
    revenue_micros)
select k.account_id, ads.bucket(k.at), k.campaign_id, k.publisher_id, 'inline', 'US', 49 * count(*), count(*),
    sum(k.billed_micros), sum(k.billed_micros) * 7 / 10
from ads.clicks k
group by 1, 2, 3, 4
SQL
    $db->do('set session_replication_role = origin');
    $db->do('analyze');
}

1;
