-- Allowances: what each campaign may still sell now.
--
-- Called every 200 ms by each node; the answer limits free delivery only,
-- since PostgreSQL bills by itself.  A campaign that is not in the answer may
-- sell nothing.  Nor may one whose balance, lifetime budget or day does not pay
-- its bid: what it sells then would be free, for as long as that stays so.
-- Clicks that are set aside (ads.clicks_held) are as good as billed.
--
-- Every node gets the whole remainder and what the other nodes said of theirs
-- (ads.node_sales): what their links will probably cost, and how much more they
-- may sell.  Its own part is the node's sum (adsd/journal/allowance.c).  What a
-- node said ten minutes ago counts no more.
create or replace function ads.allowances(p_node bigint)
returns table (
    campaign_id uuid,
    remaining_micros bigint,
    account_id uuid,
    bid_micros bigint,
    balance_micros bigint,
    budget_micros bigint,
    sold_micros bigint,
    billed_micros bigint,
    others bigint,
    others_coming_micros bigint,
    others_room_micros bigint,
    others_pace_micros bigint,
    account_others bigint,
    account_coming_micros bigint,
    account_room_micros bigint,
    account_pace_micros bigint,
    n_nodes bigint,
    node_no bigint,
    turn bigint)
language plpgsql
stable
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    c_endless constant bigint := 9223372036854775807;
    v_nodes bigint[] := array(
        select n.id
        from ads.nodes n
        where n.id = p_node or n.retired_at is null and n.heartbeat_at > now() - interval '1 minute'
        order by n.id);
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
        ), said as materialized (
            select n.*, k.account_id
            from ads.node_sales n
            join ads.campaigns k on k.id = n.campaign_id
            where n.node <> p_node
                and n.said_at > now() - interval '10 minutes'
        ), of_campaign as materialized (
            select
                n.campaign_id,
                count(*) as others,
                sum(n.coming_micros)::bigint as coming,
                sum(n.room_micros)::bigint as room,
                sum(n.pace_micros)::bigint as pace
            from said n
            group by n.campaign_id
        ), of_account as materialized (
            select
                n.account_id,
                count(*) as others,
                sum(n.coming_micros)::bigint as coming,
                sum(n.room_micros)::bigint as room,
                sum(n.pace_micros)::bigint as pace
            from said n
            group by n.account_id
        )
        select
            c.id,
            case when least(r.balance, r.budget) >= c.bid_micros then least(r.balance, r.budget) else 0 end,
            c.account_id,
            c.bid_micros,
            r.balance,
            r.budget,
            case when c.daily_budget_micros is null then s.spent_micros else coalesce(d.spent_micros, 0) end
                + coalesce(hc.micros, 0),
            s.spent_micros + coalesce(hc.micros, 0),
            coalesce(oc.others, 0),
            coalesce(oc.coming, 0),
            coalesce(oc.room, 0),
            coalesce(oc.pace, 0),
            coalesce(oa.others, 0),
            coalesce(oa.coming, 0),
            coalesce(oa.room, 0),
            coalesce(oa.pace, 0),
            cardinality(v_nodes)::bigint,
            array_position(v_nodes, p_node)::bigint - 1,
            floor(extract(epoch from now()) / 2)::bigint
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
        left join of_campaign oc on oc.campaign_id = c.id
        left join of_account oa on oa.account_id = c.account_id
        left join held hc on hc.campaign_id = c.id
        left join (
            select h.account_id, sum(h.micros)::bigint as micros
            from held h
            group by h.account_id
        ) ha on ha.account_id = c.account_id
        cross join lateral (
            select
                la.balance_micros - coalesce(ha.micros, 0),
                coalesce(
                    least(
                        c.lifetime_budget_micros - s.spent_micros - s.unpaid_micros,
                        c.daily_budget_micros - coalesce(d.spent_micros, 0))
                        - coalesce(hc.micros, 0),
                    c_endless)
        ) r (balance, budget)
        where c.status = 'active'
            and (c.start_at is null or c.start_at <= now())
            and (c.end_at is null or c.end_at > now())
        order by c.account_id, c.id;
end
$$;

comment on function ads.allowances(bigint) is
    'active campaigns in their schedule, by account: the least of balance, lifetime and day left, 0 when it does not pay the bid; and what the other nodes sell';

create or replace function ads.sales_put(p_node bigint, p_epoch bigint, p_sales ads.sale_in[])
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform ads.node_check(p_node, p_epoch);
    insert into ads.node_sales as n (
        campaign_id, node, live, served_micros, coming_micros, room_micros, pace_micros)
    select s.campaign, p_node, s.live, s.served, s.coming, s.room, s.pace
    from unnest(p_sales) s
    order by s.campaign
    on conflict (campaign_id, node) do update
    set live = excluded.live,
        served_micros = excluded.served_micros,
        coming_micros = excluded.coming_micros,
        room_micros = excluded.room_micros,
        pace_micros = excluded.pace_micros,
        said_at = now();
end
$$;

comment on function ads.sales_put(bigint, bigint, ads.sale_in[]) is 'what a node says of its campaigns, where it has changed';

create or replace function ads.sales_of(p_node bigint)
returns table (campaign_id uuid, live bigint, served_micros bigint, coming_micros bigint)
language sql
stable
security definer
set search_path = ''
as $$
    select n.campaign_id, n.live, n.served_micros, n.coming_micros
    from ads.node_sales n
    where n.node = p_node
        and n.said_at > now() - interval '1 day'
$$;

comment on function ads.sales_of(bigint) is 'what a node said last, for its adsd that begins again';
