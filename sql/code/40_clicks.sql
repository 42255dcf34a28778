-- Clicks: the final verdict and the bill.
--
-- A batch of clicks travels as one array of ads.clicks rows in record order,
-- already resolved: account, campaign, price, provisional class (0 stands for
-- "would be billed"), and budget_day where its campaign pays by the click.
-- ads.events_post (sql/code/48_events.sql) calls these in turn while it holds
-- the balances of the advertisers concerned.  A function that bills a campaign
-- holds that lock, so its spending, its budget days and "was this click billed
-- before" stand still until commit.
--   clicks_classify finds repeats of valid clicks, in the table and in the batch;
--   clicks_rules  refuses what a person does not do (sql/code/42_click_rules.sql);
--   ration  sees whether each account, campaign and day can pay all of its
--           part; where one cannot, the clicks of its campaigns are billed one
--           by one in record order while all three have funds, and the rest
--           are unfunded.  A day that has run out pays for links that were out
--           by then: for late_click_s.  All days of a campaign go together: a
--           click and its repeat may lie on both sides of midnight;
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

create or replace function ads.clicks_classify(p_clicks ads.clicks[])
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

comment on function ads.clicks_classify(ads.clicks[]) is
    'state of each click: its class, 0 for the first that may be billed, -1 for its repeats in the batch';

-- A day that has run out is no limit for clicks that come within late_click_s:
-- their links were out before.
create or replace function ads.clicks_queue(
    p_clicks ads.clicks[],
    p_state smallint[],
    p_funds ads.click_funds[],
    out o_state smallint[],
    out o_funds ads.click_funds[])
language plpgsql
security definer
set search_path = ''
set enable_nestloop = off
as $$
declare
    v_late interval := (select make_interval(secs => s.late_click_s) from ads.settings s);
    v_account_left bigint[];
    v_campaign_left bigint[];
    v_billed boolean[];
    v_fund ads.click_funds;
    v_click record;
begin
    o_state := p_state;
    o_funds := p_funds;
    foreach v_fund in array p_funds loop
        v_account_left[v_fund.account_no] := v_fund.account_left;
        v_campaign_left[v_fund.campaign_no] := v_fund.campaign_left;
    end loop;

    for v_click in
        select
            c.ordinality::int as ord,
            c.price_micros as price,
            c.at,
            g.ordinality::int as day_no,
            dense_rank() over (order by c.click_id)::int as click_no
        from unnest(p_clicks) with ordinality c
        join unnest(p_funds) with ordinality g
            on g.campaign_id = c.campaign_id
            and g.day = c.budget_day
        where g.scarce
            and p_state[c.ordinality] in (0, -1)
        order by c.ordinality
    loop
        if v_billed[v_click.click_no] then
            o_state[v_click.ord] := 1;
            continue;
        end if;

        v_fund := o_funds[v_click.day_no];
        if v_click.price > v_fund.day_left then
            v_fund.exhausted_at := coalesce(v_fund.exhausted_at, v_click.at);
        end if;
        if v_click.price > v_account_left[v_fund.account_no]
            or v_click.price > v_campaign_left[v_fund.campaign_no]
            or v_click.price > v_fund.day_left and v_click.at >= v_fund.exhausted_at + v_late
        then
            o_state[v_click.ord] := 4;
        else
            v_account_left[v_fund.account_no] := v_account_left[v_fund.account_no] - v_click.price;
            v_campaign_left[v_fund.campaign_no] := v_campaign_left[v_fund.campaign_no] - v_click.price;
            if v_click.price > v_fund.day_left then
                v_fund.late_micros := v_fund.late_micros + v_click.price;
            end if;
            v_fund.day_left := v_fund.day_left - v_click.price;
            if v_fund.day_left <= 0 then
                v_fund.exhausted_at := coalesce(v_fund.exhausted_at, v_click.at);
            end if;
            v_billed[v_click.click_no] := true;
            o_state[v_click.ord] := 0;
        end if;
        o_funds[v_click.day_no] := v_fund;
    end loop;
end
$$;

comment on function ads.clicks_queue(ads.clicks[], smallint[], ads.click_funds[]) is
    'bills the clicks of scarce campaigns one by one, in record order';

-- What a lifetime budget did not pay is kept back of it, for links that are out
-- when it runs out the next time: else one that is raised in small steps would
-- get the links of each step.
create or replace function ads.clicks_unpaid_note(
    p_clicks ads.clicks[],
    p_state smallint[],
    p_funds ads.click_funds[])
returns void
language sql
security definer
set search_path = ''
as $$
    with unpaid as (
        select
            c.campaign_id,
            sum(c.price_micros) filter (where p_state[c.ordinality] = 4) as micros,
            sum(c.price_micros) as asked
        from unnest(p_clicks) with ordinality c
        where p_state[c.ordinality] in (0, 4)
        group by c.campaign_id
    )
    update ads.campaign_spend s
    set unpaid_micros = s.unpaid_micros + u.micros
    from unpaid u
    where s.campaign_id = u.campaign_id
        and u.micros > 0
        and exists (
            select
            from unnest(p_funds) f
            where f.campaign_id = u.campaign_id
                and f.lifetime_budget is not null
                and f.campaign_left < u.asked)
$$;

comment on function ads.clicks_unpaid_note(ads.clicks[], smallint[], ads.click_funds[]) is
    'remembers what lifetime budgets did not pay';

-- Besides the states it answers the budgets it decided by, for the rows of
-- spending to record: a budget changed meanwhile counts from the next batch.
-- A lifetime budget that was lowered stays for the clicks of late_click_s.
create or replace function ads.clicks_ration(
    p_clicks ads.clicks[],
    p_state smallint[],
    out o_state smallint[],
    out o_funds ads.click_funds[])
language plpgsql
security definer
set search_path = ''
as $$
declare
    c_endless constant bigint := 9223372036854775807;
    v_late interval := (select make_interval(secs => s.late_click_s) from ads.settings s);
    v_scarce boolean;
begin
    with cost as materialized (
        select
            c.account_id,
            c.campaign_id,
            c.budget_day,
            min(min(c.at)) over (partition by c.campaign_id) as first_at,
            max(c.at) as last_at,
            coalesce(sum(c.price_micros) filter (where p_state[c.ordinality] = 0), 0)::bigint as micros
        from unnest(p_clicks) with ordinality c
        where p_state[c.ordinality] in (0, -1)
            and c.budget_day is not null
        group by c.account_id, c.campaign_id, c.budget_day
    ), funds as (
        select
            cost.*,
            l.budget as lifetime_budget,
            cp.daily_budget_micros as daily_budget,
            cd.exhausted_at,
            la.balance_micros as account_left,
            coalesce(l.budget - cs.spent_micros, c_endless) as campaign_left,
            coalesce(cp.daily_budget_micros - coalesce(cd.spent_micros, 0), c_endless) as day_left,
            sum(cost.micros) over (partition by cost.account_id) as account_cost,
            sum(cost.micros) over (partition by cost.campaign_id) as campaign_cost,
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
        cross join lateral (
            select case
                when cost.first_at < cp.lifetime_lowered_at + v_late
                then nullif(greatest(cp.lifetime_before_micros, cp.lifetime_budget_micros), c_endless)
                else cp.lifetime_budget_micros
            end
        ) l (budget)
    ), classified as (
        select
            f.*,
            f.account_cost > f.account_left
                or f.campaign_cost > f.campaign_left
                or bool_or(f.micros > f.day_left) over (partition by f.campaign_id) as scarce
        from funds f
    )
    select
        array_agg(row(
            j.campaign_id, j.budget_day, j.account_no, j.campaign_no, j.account_left, j.campaign_left,
            j.day_left, j.lifetime_budget, j.daily_budget, j.scarce, 0,
            case when j.scarce or j.micros < j.day_left then j.exhausted_at else j.last_at end
        )::ads.click_funds),
        coalesce(bool_or(j.scarce), false)
    into o_funds, v_scarce
    from classified j;

    o_state := p_state;
    if v_scarce then
        select q.o_state, q.o_funds into o_state, o_funds
        from ads.clicks_queue(p_clicks, p_state, o_funds) q;
        perform ads.clicks_unpaid_note(p_clicks, o_state, o_funds);
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
    p_funds ads.click_funds[])
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
        select s.*, f.lifetime_budget, f.daily_budget, f.late_micros, f.exhausted_at
        from spend s
        join unnest(p_funds) f
            on f.campaign_id = s.campaign_id
            and f.day = s.budget_day
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
    insert into ads.campaign_days as d (
        campaign_id, day, account_id, spent_micros, budget_micros, late_micros, exhausted_at)
    select
        b.campaign_id, b.budget_day, b.account_id, b.micros, b.daily_budget, b.late_micros, b.exhausted_at
    from spend_budget b
    order by b.campaign_id, b.budget_day
    on conflict (campaign_id, day) do update
    set spent_micros = d.spent_micros + excluded.spent_micros,
        budget_micros = case
            when excluded.late_micros = excluded.spent_micros then d.budget_micros
            else excluded.budget_micros
        end,
        late_micros = d.late_micros + excluded.late_micros,
        exhausted_at = coalesce(d.exhausted_at, excluded.exhausted_at);
end
$$;

comment on function ads.clicks_spend(ads.clicks[], bigint[], ads.click_funds[]) is
    'adds the billed clicks to their campaigns and budget days';
