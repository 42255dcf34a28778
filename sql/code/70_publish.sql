-- What the ad tables are compiled from: stable column lists, one view each.
--
-- changed_n is the greatest change number that touches the row, so rows with
-- changed_n above the last number published are the ones to read again.  Rows
-- that stop being served stay here and say so, because a reader of changes
-- must learn of it.
create or replace view ads.publish_publishers
with (security_invoker = true)
as
select
    a.id as publisher_id,
    a.name,
    a.status = 'active' as live,
    a.currency,
    a.timezone,
    a.changed_n
from ads.accounts a
where a.type = 'publisher';

comment on view ads.publish_publishers is 'publishers; live: may be served';

create or replace view ads.publish_keys
with (security_invoker = true)
as
select
    k.id as key_id,
    k.account_id,
    k.type,
    case when a.type = 'publisher' and a.earns_since is null then 'test' else k.mode end as mode,
    k.hash,
    k.explain,
    k.cidrs,
    k.expires_at,
    k.revoked_at is null and a.status = 'active' as live,
    greatest(k.changed_n, a.changed_n) as changed_n
from ads.api_keys k
join ads.accounts a on a.id = k.account_id
where (k.revoked_at is null or k.revoked_at > now() - interval '30 days')
    and (k.expires_at is null or k.expires_at > now() - interval '30 days');

comment on view ads.publish_keys is
    'keys by hash; live: usable until expires_at (a set grace of a rotated key); test: also of a publisher not approved';

create or replace view ads.publish_campaigns
with (security_invoker = true)
as
select
    c.id as campaign_id,
    c.account_id,
    a.name as advertiser,
    c.name,
    c.status,
    c.status = 'active' and a.status = 'active' as live,
    c.pricing,
    c.bid_micros,
    c.daily_budget_micros,
    c.lifetime_budget_micros,
    c.start_at,
    c.end_at,
    c.timezone,
    c.pacing,
    c.targeting,
    c.version,
    c.archived_at,
    greatest(c.changed_n, a.changed_n) as changed_n,
    c.frequency_count,
    c.frequency_window_s
from ads.campaigns c
join ads.accounts a on a.id = c.account_id
where c.archived_at is null
    or c.archived_at > now() - interval '31 days';

comment on view ads.publish_campaigns is 'campaigns with their advertiser; live: may be sold, in its schedule';

create or replace view ads.publish_ads
with (security_invoker = true)
as
select
    d.id as ad_id,
    d.account_id,
    d.campaign_id,
    d.product_id,
    case
        when r.retired_at is not null then 'retired'
        when p.review_status <> 'approved' or p.availability = 'out_of_stock' then 'held'
        else 'live'
    end as state,
    r.retired_at,
    p.sku,
    p.title,
    p.description,
    p.brand,
    p.gtin,
    p.category,
    p.url,
    p.image_url,
    p.price_micros,
    p.currency,
    p.availability,
    p.attributes,
    greatest(d.changed_n, p.changed_n, case when c.archived_at is not null then c.changed_n end) as changed_n,
    p.keywords,
    p.sale_price_micros,
    p.price_valid_until,
    p.language
from ads.ads d
join ads.products p on p.id = d.product_id
join ads.campaigns c on c.id = d.campaign_id
cross join lateral (
    select least(d.archived_at, p.archived_at, c.archived_at)
) r (retired_at)
where r.retired_at is null
    or r.retired_at > now() - interval '30 days';

comment on view ads.publish_ads is
    'ads with their product; live: served while its campaign is, held: in review or out of stock, retired: its links still work for 30 days';
