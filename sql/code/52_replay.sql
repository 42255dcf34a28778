-- What a replay of the journal would bill, before it does.
--
-- The figures are those of ads.clicks_ration, summed up: a level that cannot
-- pay for all of its clicks is taken for what it has, so the last click of it
-- may be unfunded although part of its price is there.

create or replace function ads.replay_preview(
    p_clicks uuid[],
    p_ads uuid[],
    p_prices bigint[],
    p_times timestamptz[])
returns table (
    account_id uuid,
    name text,
    clicks bigint,
    billed bigint,
    asked_micros bigint,
    paid_micros bigint)
language sql
stable
security definer
set search_path = ''
set enable_nestloop = off
as $$
    with click as (
        select distinct on (u.click, u.ad) u.*
        from unnest(p_clicks, p_ads, p_prices, p_times) u (click, ad, price, at)
        order by u.click, u.ad, u.at
    ), found as (
        select
            a.account_id,
            a.campaign_id,
            (c.at at time zone cp.timezone)::date as day,
            case when cp.pricing = 'cpm' then 0 else c.price end as price,
            k.click_id is not null as billed
        from click c
        left join ads.ads a on a.id = c.ad
        left join ads.campaigns cp on cp.id = a.campaign_id
        left join ads.clicks k
            on k.issue_day = ads.uuid_day(c.click)
            and k.click_id = c.click
            and k.account_id = a.account_id
            and k.class = 0
    ), day as (
        select
            f.account_id,
            f.campaign_id,
            f.day,
            count(*) as clicks,
            count(*) filter (where f.billed) as billed,
            coalesce(sum(f.price) filter (where not f.billed), 0) as asked
        from found f
        group by f.account_id, f.campaign_id, f.day
    ), campaign as (
        select
            d.account_id,
            d.campaign_id,
            sum(d.clicks) as clicks,
            sum(d.billed) as billed,
            sum(d.asked) as asked,
            sum(least(d.asked,
                greatest(coalesce(cp.daily_budget_micros - coalesce(cd.spent_micros, 0), d.asked), 0))) as paid
        from day d
        left join ads.campaigns cp on cp.id = d.campaign_id
        left join ads.campaign_days cd
            on cd.campaign_id = d.campaign_id
            and cd.day = d.day
        group by d.account_id, d.campaign_id
    ), account as (
        select
            c.account_id,
            sum(c.clicks) as clicks,
            sum(c.billed) as billed,
            sum(c.asked) as asked,
            sum(least(c.paid,
                greatest(coalesce(cp.lifetime_budget_micros - coalesce(cs.spent_micros, 0), c.paid), 0))) as paid
        from campaign c
        left join ads.campaigns cp on cp.id = c.campaign_id
        left join ads.campaign_spend cs on cs.campaign_id = c.campaign_id
        group by c.account_id
    )
    select
        x.account_id,
        a.name,
        x.clicks::bigint,
        x.billed::bigint,
        x.asked::bigint,
        case when x.account_id is null then 0 else least(x.paid, la.balance_micros) end::bigint
    from account x
    left join ads.accounts a on a.id = x.account_id
    left join ads.ledger_accounts la
        on la.account_id = x.account_id
        and la.kind = 'advertiser_balance'
    order by a.name nulls first, x.account_id
$$;

comment on function ads.replay_preview(uuid[], uuid[], bigint[], timestamptz[]) is
    'per advertiser, what these clicks would cost and what is there to pay it; no advertiser: the ads are not known';
