-- States of campaigns, computed when they are read: never stored, so never
-- stale.
--
-- reasons holds all that stands against serving, the one to act on first in
-- front; serving_status is that one, or serving.  What a worker knows besides
-- (allowance of this node, throttle) only delays.
--
-- offset 0 keeps the planner from writing each part out once more wherever it
-- is named: planning was ten times as long as the work.
create or replace view ads.campaign_states
with (security_invoker = true)
as
select
    c.id as campaign_id,
    c.account_id,
    coalesce(s.spent_micros, 0) as spent_micros,
    coalesce(d.spent_micros, 0) as spent_today_micros,
    case
        when r.reasons = '{}' then 'serving'
        when r.reasons[1] in ('account_suspended', 'pricing_not_sold') then 'paused'
        else r.reasons[1]
    end as serving_status,
    r.reasons
from ads.campaigns c
join ads.accounts a on a.id = c.account_id
left join ads.campaign_spend s on s.campaign_id = c.id
left join ads.campaign_days d
    on d.campaign_id = c.id
    and d.day = (now() at time zone c.timezone)::date
left join ads.ledger_accounts b
    on b.kind = 'advertiser_balance'
    and b.account_id = c.account_id
    and b.node = 0
cross join lateral (
    select
        exists (
            select
            from ads.ads x
            join ads.products p on p.id = x.product_id
            where x.account_id = c.account_id
                and x.campaign_id = c.id
                and x.status = 'active'
                and p.status = 'active'
                and p.review_status = 'approved'
                and p.availability is distinct from 'out_of_stock') as ready,
        exists (
            select
            from ads.ads x
            join ads.products p on p.id = x.product_id
            where x.account_id = c.account_id
                and x.campaign_id = c.id
                and x.status = 'active'
                and p.status = 'active'
                and p.review_status = 'pending') as waiting
    offset 0
) p
cross join lateral (
    select array_remove(array[
        case when c.status = 'archived' then 'archived' end,
        case when a.status <> 'active' then 'account_suspended' end,
        case when c.status in ('draft', 'paused') then 'paused' end,
        case when c.pricing = 'cpm' then 'pricing_not_sold' end,
        case when c.end_at <= now() then 'ended' end,
        case when c.start_at > now() then 'scheduled' end,
        case when s.spent_micros + s.unpaid_micros + c.bid_micros > c.lifetime_budget_micros then 'budget_exhausted' end,
        case when not p.ready and p.waiting then 'in_review' end,
        case when not p.ready and not p.waiting then 'no_products' end,
        case when coalesce(b.balance_micros, 0) < c.bid_micros then 'no_funds' end,
        case when coalesce(d.spent_micros, 0) + c.bid_micros > c.daily_budget_micros then 'out_of_budget_today' end
    ], null) as reasons
    offset 0
) r;

comment on view ads.campaign_states is 'of each campaign: what was spent, is it served, and why not';

-- The same of some campaigns of the tenant: planned once a connection, which is
-- several times the work itself.
create or replace function ads.campaign_states_of(p_campaigns uuid[])
returns table (
    campaign_id uuid,
    spent_micros bigint,
    spent_today_micros bigint,
    serving_status text,
    reasons text[])
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
    return query
    select s.campaign_id, s.spent_micros, s.spent_today_micros, s.serving_status, s.reasons
    from unnest(p_campaigns) p (id)
    join ads.campaign_states s on s.campaign_id = p.id;
end
$$;

comment on function ads.campaign_states_of(uuid[]) is 'of some campaigns: what was spent, is each served, and why not';
