-- Clicks: the final verdict and the bill.
--
-- A batch of clicks travels as one array of ads.clicks rows in record order,
-- already resolved: account, campaign, price, provisional class (0 stands for
-- "would be billed"), and budget_day where its campaign pays by the click.
-- ads.events_post (sql/code/48_events.sql) calls these in turn while it holds
-- the balances of the advertisers concerned.  A function that bills a campaign
-- holds that lock, so its spending, its budget days and "was this click billed
-- before" stand still until commit.
--   clicks_judge finds repeats of valid clicks, in the table and in the batch;
--   ration  sees whether each account, campaign and day can pay all of its
--           part; where one cannot, the clicks of its campaigns are billed one
--           by one in record order while all three have funds, and the rest
--           are unfunded.  All days of a campaign go together: a click and its
--           repeat may lie on both sides of midnight;
--   bill    writes the ledger, spend the spending.
-- Arrays that go along with the clicks have one element for each, in order.
-- The planner knows nothing of their length, so joins between two arrays are
-- kept out of the queries, or nested loops are switched off for them.

create or replace function ads.share_micros(p_price_micros bigint, p_bps int)
returns bigint
language sql
immutable
strict
parallel safe
return p_price_micros / 10000 * p_bps + p_price_micros % 10000 * p_bps / 10000;

comment on function ads.share_micros(bigint, int) is
    'floor(price * bps / 10,000) without leaving 64 bits: the publisher''s share of one click';

create or replace function ads.clicks_judge(p_clicks ads.clicks[])
returns smallint[]
language plpgsql
security definer
set search_path = ''
as $$
begin
    return (
        select array_agg(j.state order by j.ordinality)
        from (
            select
                c.ordinality,
                case
                    when c.class <> 0 then c.class
                    when s.seen then 1
                    when row_number() over (
                        partition by c.click_id, c.account_id, c.class
                        order by c.ordinality) > 1 then -1
                    else 0
                end::smallint as state
            from unnest(p_clicks) with ordinality c
            left join lateral (
                select true as seen
                from ads.clicks k
                where c.class = 0
                    and k.issue_day = c.issue_day
                    and k.click_id = c.click_id
                    and k.account_id = c.account_id
                    and k.class = 0
                limit 1
            ) s on true
        ) j);
end
$$;

comment on function ads.clicks_judge(ads.clicks[]) is
    'state of each click: its class, 0 for the first that may be billed, -1 for its repeats in the batch';

create or replace function ads.clicks_queue(
    p_clicks ads.clicks[],
    p_state smallint[],
    p_campaigns uuid[],
    p_days date[],
    p_account_nos int[],
    p_campaign_nos int[],
    p_account_left bigint[],
    p_campaign_left bigint[],
    p_day_left bigint[])
returns smallint[]
language plpgsql
security definer
set search_path = ''
set enable_nestloop = off
as $$
declare
    v_state smallint[] := p_state;
    v_account_left bigint[];
    v_campaign_left bigint[];
    v_day_left bigint[] := p_day_left;
    v_billed boolean[];
    v_click record;
begin
    for v_i in 1..cardinality(p_campaigns) loop
        v_account_left[p_account_nos[v_i]] := p_account_left[v_i];
        v_campaign_left[p_campaign_nos[v_i]] := p_campaign_left[v_i];
    end loop;

    for v_click in
        select
            c.ordinality::int as ord,
            c.price_micros as price,
            g.account_no,
            g.campaign_no,
            g.ordinality::int as day_no,
            dense_rank() over (order by c.click_id)::int as click_no
        from unnest(p_clicks) with ordinality c
        join unnest(p_campaigns, p_days, p_account_nos, p_campaign_nos) with ordinality
            as g (campaign_id, day, account_no, campaign_no)
            on g.campaign_id = c.campaign_id
            and g.day = c.budget_day
        where p_state[c.ordinality] in (0, -1)
        order by c.ordinality
    loop
        if v_billed[v_click.click_no] then
            v_state[v_click.ord] := 1;
        elsif v_click.price <= v_account_left[v_click.account_no]
            and v_click.price <= v_campaign_left[v_click.campaign_no]
            and v_click.price <= v_day_left[v_click.day_no] then
            v_account_left[v_click.account_no] := v_account_left[v_click.account_no] - v_click.price;
            v_campaign_left[v_click.campaign_no] := v_campaign_left[v_click.campaign_no] - v_click.price;
            v_day_left[v_click.day_no] := v_day_left[v_click.day_no] - v_click.price;
            v_billed[v_click.click_no] := true;
            v_state[v_click.ord] := 0;
        else
            v_state[v_click.ord] := 4;
        end if;
    end loop;
    return v_state;
end
$$;

comment on function ads.clicks_queue(
    ads.clicks[], smallint[], uuid[], date[], int[], int[], bigint[], bigint[], bigint[]) is
    'bills the clicks of scarce campaigns one by one, in record order';

-- Besides the states it answers the budgets it decided by, for the rows of
-- spending to record: a budget changed meanwhile counts from the next batch.
create or replace function ads.clicks_ration(
    p_clicks ads.clicks[],
    p_state smallint[],
    out o_state smallint[],
    out o_campaigns uuid[],
    out o_days date[],
    out o_lifetime_budgets bigint[],
    out o_daily_budgets bigint[])
language plpgsql
security definer
set search_path = ''
as $$
declare
    c_endless constant bigint := 9223372036854775807;
    v_groups record;
begin
    with cost as materialized (
        select
            c.account_id,
            c.campaign_id,
            c.budget_day,
            coalesce(sum(c.price_micros) filter (where p_state[c.ordinality] = 0), 0) as micros
        from unnest(p_clicks) with ordinality c
        where p_state[c.ordinality] in (0, -1)
            and c.budget_day is not null
        group by c.account_id, c.campaign_id, c.budget_day
    ), funds as (
        select
            cost.campaign_id,
            cost.budget_day,
            cp.lifetime_budget_micros as lifetime_budget,
            cp.daily_budget_micros as daily_budget,
            la.balance_micros as account_left,
            coalesce(cp.lifetime_budget_micros - cs.spent_micros, c_endless) as campaign_left,
            coalesce(cp.daily_budget_micros - coalesce(cd.spent_micros, 0), c_endless) as day_left,
            sum(cost.micros) over (partition by cost.account_id) as account_cost,
            sum(cost.micros) over (partition by cost.campaign_id) as campaign_cost,
            cost.micros as day_cost,
            dense_rank() over (order by cost.account_id)::int as account_no,
            dense_rank() over (order by cost.campaign_id)::int as campaign_no
        from cost
        join ads.ledger_accounts la
            on la.kind = 'advertiser_balance'
            and la.account_id = cost.account_id
            and la.node = 0
        join ads.campaigns cp on cp.id = cost.campaign_id
        join ads.campaign_spend cs on cs.campaign_id = cost.campaign_id
        left join ads.campaign_days cd
            on cd.campaign_id = cost.campaign_id
            and cd.day = cost.budget_day
    ), judged as (
        select
            f.*,
            f.account_cost > f.account_left
                or f.campaign_cost > f.campaign_left
                or bool_or(f.day_cost > f.day_left) over (partition by f.campaign_id) as scarce
        from funds f
    )
    select
        array_agg(j.campaign_id) as campaigns,
        array_agg(j.budget_day) as days,
        array_agg(j.lifetime_budget) as lifetime_budgets,
        array_agg(j.daily_budget) as daily_budgets,
        array_agg(j.campaign_id) filter (where j.scarce) as scarce_campaigns,
        array_agg(j.budget_day) filter (where j.scarce) as scarce_days,
        array_agg(j.account_no) filter (where j.scarce) as account_nos,
        array_agg(j.campaign_no) filter (where j.scarce) as campaign_nos,
        array_agg(j.account_left) filter (where j.scarce) as account_left,
        array_agg(j.campaign_left) filter (where j.scarce) as campaign_left,
        array_agg(j.day_left) filter (where j.scarce) as day_left
    into v_groups
    from judged j;

    o_campaigns := v_groups.campaigns;
    o_days := v_groups.days;
    o_lifetime_budgets := v_groups.lifetime_budgets;
    o_daily_budgets := v_groups.daily_budgets;
    o_state := p_state;
    if v_groups.scarce_campaigns is not null then
        o_state := ads.clicks_queue(
            p_clicks, p_state, v_groups.scarce_campaigns, v_groups.scarce_days,
            v_groups.account_nos, v_groups.campaign_nos,
            v_groups.account_left, v_groups.campaign_left, v_groups.day_left);
    end if;
    o_state := array_replace(o_state, -1::smallint, 1::smallint);
end
$$;

comment on function ads.clicks_ration(ads.clicks[], smallint[]) is
    'final class of each click, as far as balance, lifetime and day budgets reach';

-- One ledger transaction for each campaign and publisher of a segment.  The
-- answer has the transaction of each click, 0 for what is not billed.
create or replace function ads.clicks_bill(
    p_node bigint,
    p_share_bps int,
    p_clicks ads.clicks[],
    p_state smallint[],
    out o_txs bigint[],
    out o_billed_micros bigint)
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_currency char(3) := (select s.currency from ads.settings s);
    v_at timestamptz := clock_timestamp();
    v_bill record;
begin
    insert into ads.ledger_accounts (kind, account_id, node, currency)
    select 'publisher_revenue', p.publisher_id, p_node, v_currency
    from (
        select distinct c.publisher_id
        from unnest(p_clicks) with ordinality c
        where p_state[c.ordinality] = 0
            and c.budget_day is not null
            and c.price_micros > 0
    ) p
    where not exists (
        select
        from ads.ledger_accounts la
        where la.kind = 'publisher_revenue'
            and la.account_id = p.publisher_id
            and la.node = p_node)
    order by p.publisher_id
    on conflict do nothing;

    insert into ads.ledger_accounts (kind, node, currency)
    select 'platform_revenue', p_node, v_currency
    where not exists (
        select
        from ads.ledger_accounts la
        where la.kind = 'platform_revenue'
            and la.account_id is null
            and la.node = p_node)
    on conflict do nothing;

    with bill as materialized (
        select nextval('ads.ledger_transactions_id_seq') as tx_id, g.*
        from (
            select
                c.account_id,
                c.campaign_id,
                c.publisher_id,
                c.node,
                c.segment,
                min(c.off) as off_from,
                max(c.off) as off_to,
                sum(c.price_micros)::bigint as spend,
                sum(ads.share_micros(c.price_micros, p_share_bps))::bigint as share,
                array_agg(c.ordinality::int) as ords
            from unnest(p_clicks) with ordinality c
            where p_state[c.ordinality] = 0
                and c.budget_day is not null
                and c.price_micros > 0
            group by c.account_id, c.campaign_id, c.publisher_id, c.node, c.segment
        ) g
    ), tx as (
        insert into ads.ledger_transactions (
            id, kind, at, account_id, campaign_id, publisher_id, node, segment, off_from, off_to, share_bps,
            amount_micros, balance_after_micros)
        select
            b.tx_id, 'spend', greatest(v_at, la.posted_at), b.account_id, b.campaign_id, b.publisher_id,
            b.node, b.segment, b.off_from, b.off_to, p_share_bps,
            -b.spend,
            la.balance_micros - sum(b.spend) over (partition by b.account_id order by b.tx_id)
        from bill b
        join ads.ledger_accounts la
            on la.kind = 'advertiser_balance'
            and la.account_id = b.account_id
            and la.node = 0
    ), side as (
        select b.tx_id, la.id as ledger_account_id, -b.spend as amount
        from bill b
        join ads.ledger_accounts la
            on la.kind = 'advertiser_balance'
            and la.account_id = b.account_id
            and la.node = 0
        union all
        select b.tx_id, la.id, b.share
        from bill b
        join ads.ledger_accounts la
            on la.kind = 'publisher_revenue'
            and la.account_id = b.publisher_id
            and la.node = p_node
        union all
        select b.tx_id, la.id, b.spend - b.share
        from bill b
        join ads.ledger_accounts la
            on la.kind = 'platform_revenue'
            and la.account_id is null
            and la.node = p_node
    ), entry as (
        insert into ads.ledger_entries (tx_id, ledger_account_id, amount_micros)
        select s.tx_id, s.ledger_account_id, s.amount
        from side s
        where s.amount <> 0
        order by s.tx_id, s.ledger_account_id
    )
    select sum(c.spend) as spend, array_agg(c.ord) as ords, array_agg(c.tx_id) as txs
    into v_bill
    from (
        select b.tx_id, o.ord, case o.no when 1 then b.spend else 0 end as spend
        from bill b
        cross join lateral unnest(b.ords) with ordinality o (ord, no)
    ) c;

    o_billed_micros := coalesce(v_bill.spend, 0);
    o_txs := array_fill(0::bigint, array[cardinality(p_clicks)]);
    for v_i in 1..coalesce(cardinality(v_bill.ords), 0) loop
        o_txs[v_bill.ords[v_i]] := v_bill.txs[v_i];
    end loop;
end
$$;

comment on function ads.clicks_bill(bigint, int, ads.clicks[], smallint[]) is
    'ledger transactions of the billed clicks, with the node''s own revenue rows';

create or replace function ads.clicks_spend(
    p_clicks ads.clicks[],
    p_txs bigint[],
    p_campaigns uuid[],
    p_days date[],
    p_lifetime_budgets bigint[],
    p_daily_budgets bigint[])
returns void
language plpgsql
security definer
set search_path = ''
set enable_nestloop = off
as $$
begin
    with spend as materialized (
        select c.account_id, c.campaign_id, c.budget_day, sum(c.price_micros)::bigint as micros
        from unnest(p_clicks) with ordinality c
        where p_txs[c.ordinality] > 0
        group by c.account_id, c.campaign_id, c.budget_day
    ), spend_budget as materialized (
        select s.*, b.lifetime_budget, b.daily_budget
        from spend s
        join unnest(p_campaigns, p_days, p_lifetime_budgets, p_daily_budgets)
            as b (campaign_id, day, lifetime_budget, daily_budget)
            on b.campaign_id = s.campaign_id
            and b.day = s.budget_day
    ), life as (
        insert into ads.campaign_spend as s (campaign_id, account_id, spent_micros, budget_micros)
        select b.campaign_id, b.account_id, sum(b.micros), b.lifetime_budget
        from spend_budget b
        group by b.campaign_id, b.account_id, b.lifetime_budget
        order by b.campaign_id
        on conflict (campaign_id) do update
        set spent_micros = s.spent_micros + excluded.spent_micros,
            budget_micros = excluded.budget_micros
    )
    insert into ads.campaign_days as d (campaign_id, day, account_id, spent_micros, budget_micros)
    select b.campaign_id, b.budget_day, b.account_id, b.micros, b.daily_budget
    from spend_budget b
    order by b.campaign_id, b.budget_day
    on conflict (campaign_id, day) do update
    set spent_micros = d.spent_micros + excluded.spent_micros,
        budget_micros = excluded.budget_micros;
end
$$;

comment on function ads.clicks_spend(ads.clicks[], bigint[], uuid[], date[], bigint[], bigint[]) is
    'adds the billed clicks to their campaigns and budget days';
