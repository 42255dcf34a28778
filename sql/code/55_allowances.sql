-- Allowances: what each campaign may still sell now.
--
-- Called every 200 ms by each node; the answer limits free delivery only,
-- since PostgreSQL bills by itself.  Every node gets the whole remainder:
-- splitting it by traffic is the node's part.  A campaign that is not in the
-- answer may sell nothing.  Nor may one whose balance, lifetime budget or day
-- does not pay its bid: what it sells then would be free, for as long as that
-- stays so.
-- so.  Clicks that are set aside (ads.clicks_held) are as good as billed.  A
create or replace function ads.allowances(p_node bigint)
returns table (campaign_id uuid, remaining_micros bigint)
language plpgsql
stable
security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
    if not exists (select from ads.nodes n where n.id = p_node) then
        raise exception 'no node has this id'
            using errcode = 'ADN01';
    end if;
    return query
        with held as materialized (
            select h.account_id, h.campaign_id, sum(h.price_micros)::bigint as micros
            from ads.clicks_held h
            group by h.account_id, h.campaign_id
        )
        select
            c.id,
            case when r.micros >= c.bid_micros then r.micros else 0 end
        from ads.campaigns c
        join ads.accounts a on a.id = c.account_id and a.status = 'active'
        join ads.ledger_accounts la
            on la.kind = 'advertiser_balance'
            and la.account_id = c.account_id
            and la.node = 0
        join ads.campaign_spend s on s.campaign_id = c.id
        left join ads.campaign_days d
            on d.campaign_id = c.id
            and d.day = (now() at time zone c.timezone)::date
        cross join lateral (
            select least(
                la.balance_micros,
                c.lifetime_budget_micros - s.spent_micros,
                c.daily_budget_micros - coalesce(d.spent_micros, 0))
        ) r (micros)
        left join held hc on hc.campaign_id = c.id
        left join (
            select h.account_id, sum(h.micros)::bigint as micros
            from held h
            group by h.account_id
        ) ha on ha.account_id = c.account_id
        cross join lateral (
            select
                la.balance_micros - coalesce(ha.micros, 0),
                c.lifetime_budget_micros - s.spent_micros - coalesce(hc.micros, 0),
                c.daily_budget_micros - coalesce(d.spent_micros, 0) - coalesce(hc.micros, 0)
        ) r (balance, lifetime, day)
        where c.status = 'active'
            and (c.start_at is null or c.start_at <= now())
            and (c.end_at is null or c.end_at > now());
end
$$;

comment on function ads.allowances(bigint) is
    'for active campaigns in their schedule: the least of balance, lifetime and day left, 0 when it does not pay the bid';
