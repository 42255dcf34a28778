-- Where a click leads whose ad no worker knows.
--
-- Before a tenant is known, so with the owner's rights; only adsd's API asks,
-- with the ad id of a link that it has opened.
create or replace function ads.click_resolve(p_ad uuid)
returns table (url text, campaign_id uuid)
language sql
stable
security definer
set search_path = ''
as $$
    select p.url, d.campaign_id
    from ads.ads d
    join ads.products p on p.account_id = d.account_id and p.id = d.product_id
    join ads.campaigns c on c.account_id = d.account_id and c.id = d.campaign_id
    where d.id = p_ad
        and coalesce(least(d.archived_at, p.archived_at, c.archived_at), 'infinity')
            > now() - interval '30 days'
$$;

comment on function ads.click_resolve(uuid) is
    'destination of an ad, also for 30 days after it was retired; no row: gone';
