-- Reconciliation: what must add up, seen from the database.
--
-- The range is in days of the ledger's time (UTC), p_from to p_to inclusive;
-- balances and cursors are compared as they stand.  Clicks and impressions are
-- kept for 100 days (ads.maintain): before the first day whose events are there
-- as a whole, whatever the zone, there is the ledger alone.  Everything
-- is read in one snapshot per rule, so it may run beside ingest when the caller
-- opens a repeatable read transaction.  A rule that fails says where, with the
-- first five differences.  Nested loops are off: right after a burst the
-- planner still takes these tables for small, and would compare for hours.

create or replace function ads.reconcile_clicks(p_from timestamptz, p_to timestamptz)
returns table (rule text, ok boolean, detail text)
language sql
stable
security definer
set search_path = ''
set enable_nestloop = off
as $$
    with tx as (
        select t.id, t.campaign_id, t.share_bps
        from ads.ledger_transactions t
        where t.kind = 'spend'
            and t.at >= p_from
            and t.at < p_to
    ), ledger as (
        select
            t.id,
            t.campaign_id,
            -coalesce(sum(e.amount_micros) filter (where la.kind = 'advertiser_balance'), 0) as debit,
            coalesce(sum(e.amount_micros) filter (where la.kind = 'publisher_revenue'), 0) as share
        from tx t
        left join ads.ledger_entries e on e.tx_id = t.id
        left join ads.ledger_accounts la on la.id = e.ledger_account_id
        group by t.id, t.campaign_id
    ), billed as (
        select
            k.ledger_tx as id,
            sum(k.billed_micros) as spend,
            sum(ads.share_micros(k.billed_micros, t.share_bps)) as share
        from ads.clicks k
        join tx t on t.id = k.ledger_tx
        where k.issue_day between (p_from - interval '32 days')::date and (p_to + interval '2 days')::date
        group by k.ledger_tx
    ), campaign as (
        select l.campaign_id, sum(l.debit) as debit, sum(b.spend) as spend
        from ledger l
        left join billed b on b.id = l.id
        group by l.campaign_id
    ), share as (
        select l.id, l.debit, l.share as booked, b.share as due
        from ledger l
        left join billed b on b.id = l.id
        where l.share is distinct from b.share
            or l.debit is distinct from b.spend
    )
    select
        'R3 price of billed clicks = ledger debits, per campaign',
        count(*) filter (where c.debit is distinct from c.spend) = 0,
        coalesce(
            (array_agg(format('campaign %s: clicks %s, ledger %s', c.campaign_id, c.spend, c.debit))
                filter (where c.debit is distinct from c.spend))[1:5]::text,
            format('%s campaigns, %s micros', count(*), coalesce(sum(c.debit), 0)))
    from campaign c
    union all
    select
        'R5 publisher share = floor(price * bps / 10,000) of each click',
        count(*) = 0,
        coalesce(
            (array_agg(format('transaction %s: due %s, booked %s', s.id, s.due, s.booked)))[1:5]::text,
            'exact')
    from share s
$$;

comment on function ads.reconcile_clicks(timestamptz, timestamptz) is 'R3, and the shares of R5: clicks against ledger';

create or replace function ads.reconcile_ledger(p_from timestamptz, p_to timestamptz)
returns table (rule text, ok boolean, detail text)
language sql
stable
security definer
set search_path = ''
set enable_nestloop = off
as $$
    with tx as (
        select t.id, coalesce(sum(e.amount_micros), 0) as sum, count(e.tx_id) as n
        from ads.ledger_transactions t
        left join ads.ledger_entries e on e.tx_id = t.id
        where t.at >= p_from
            and t.at < p_to
        group by t.id
    ), balance as (
        select la.id, la.kind, la.account_id, la.balance_micros, coalesce(sum(e.amount_micros), 0) as entries
        from ads.ledger_accounts la
        left join ads.ledger_entries e on e.ledger_account_id = la.id
        group by la.id
    ), step as (
        select
            p.*,
            p.before + p.amount_micros <> p.balance_after_micros
                or p.at < p.before_at
                or p.last and p.balance_after_micros <> la.balance_micros as wrong
        from (
            select
                t.id,
                t.account_id,
                t.at,
                t.amount_micros,
                t.balance_after_micros,
                coalesce(lag(t.balance_after_micros) over w, 0) as before,
                lag(t.at) over w as before_at,
                lead(t.id) over w is null as last
            from ads.ledger_transactions t
            window w as (partition by t.account_id order by t.id)
        ) p
        join ads.ledger_accounts la on la.kind = 'advertiser_balance' and la.account_id = p.account_id
    ), owed as (
        select
            la.account_id,
            la.balance_micros,
            coalesce(m.topped_up, 0) - coalesce(s.spent, 0) + coalesce(r.reversed, 0) as due
        from ads.ledger_accounts la
        left join (
            select p.account_id, sum(p.amount_micros) as topped_up
            from ads.topups p
            where p.status = 'settled'
            group by p.account_id
        ) m on m.account_id = la.account_id
        left join (
            select c.account_id, sum(c.spent_micros) as spent
            from ads.campaign_spend c
            group by c.account_id
        ) s on s.account_id = la.account_id
        left join (
            select
                v.account_id,
                sum(case when v.click_id is null then -v.amount_micros else v.amount_micros end) as reversed
            from ads.reversals v
            group by v.account_id
        ) r on r.account_id = la.account_id
        where la.kind = 'advertiser_balance'
    )
    select
        'R4 every ledger transaction has entries and sums to zero',
        count(*) filter (where t.sum <> 0 or t.n = 0) = 0,
        coalesce(
            (array_agg(format('transaction %s: %s', t.id, t.sum)) filter (where t.sum <> 0 or t.n = 0))[1:5]::text,
            format('%s transactions', count(*)))
    from tx t
    union all
    select
        'R5 every balance = its entries',
        count(*) filter (where b.balance_micros <> b.entries) = 0,
        coalesce(
            (array_agg(format('%s %s: balance %s, entries %s', b.kind, b.account_id, b.balance_micros, b.entries))
                filter (where b.balance_micros <> b.entries))[1:5]::text,
            format('%s ledger accounts', count(*)))
    from balance b
    union all
    select
        'R5 all balances together are zero',
        coalesce(sum(b.balance_micros), 0) = 0,
        format('sum %s', coalesce(sum(b.balance_micros), 0))
    from balance b
    union all
    select
        'R5 each movement says the balance it left',
        count(*) filter (where s.wrong) = 0,
        coalesce(
            (array_agg(format('transaction %s of %s: before %s, amount %s, after %s',
                s.id, s.account_id, s.before, s.amount_micros, s.balance_after_micros))
                filter (where s.wrong))[1:5]::text,
            format('%s movements', count(*)))
    from step s
    union all
    select
        'R5 balance = top-ups - spend + reversals, per advertiser',
        count(*) filter (where o.balance_micros <> o.due) = 0,
        coalesce(
            (array_agg(format('advertiser %s: balance %s, due %s', o.account_id, o.balance_micros, o.due))
                filter (where o.balance_micros <> o.due))[1:5]::text,
            format('%s advertisers', count(*)))
    from owed o
$$;

comment on function ads.reconcile_ledger(timestamptz, timestamptz) is 'R4 and R5: the ledger against itself';

create or replace function ads.reconcile_budgets(p_from date, p_to date)
returns table (rule text, ok boolean, detail text)
language sql
stable
security definer
set search_path = ''
set enable_nestloop = off
as $$
    with billed as (
        select k.campaign_id, k.budget_day as day, sum(k.billed_micros) as spend
        from ads.clicks k
        where k.budget_day between p_from and p_to
            and k.issue_day between p_from - 33 and p_to + 2
        group by k.campaign_id, k.budget_day
    ), day as (
        select
            coalesce(d.campaign_id, b.campaign_id) as campaign_id,
            coalesce(d.day, b.day) as day,
            coalesce(b.spend, 0) as spend,
            coalesce(d.spent_micros, 0) as spent,
            d.late_micros as late,
            d.budget_micros as budget
        from (
            select *
            from ads.campaign_days
            where day between p_from and p_to
        ) d
        full join billed b
            on b.campaign_id = d.campaign_id
            and b.day = d.day
    ), life as (
        select
            s.campaign_id,
            s.spent_micros as spent,
            s.budget_micros as budget,
            coalesce(sum(d.spent_micros), 0) as days
        from ads.campaign_spend s
        left join ads.campaign_days d on d.campaign_id = s.campaign_id
        group by s.campaign_id
    )
    select
        'R6 billed <= budget, per campaign and day, but late clicks',
        count(*) filter (where d.spend <> d.spent or d.spent - d.late > d.budget) = 0,
        coalesce(
            (array_agg(format('campaign %s on %s: clicks %s, spent %s, of it late %s, budget %s',
                d.campaign_id, d.day, d.spend, d.spent, d.late, d.budget))
                filter (where d.spend <> d.spent or d.spent - d.late > d.budget))[1:5]::text,
            format('%s campaign days', count(*)))
    from day d
    union all
    select
        'R6 billed <= lifetime budget, and the days add up to it',
        count(*) filter (where l.spent <> l.days or l.spent > l.budget) = 0,
        coalesce(
            (array_agg(format('campaign %s: spent %s, days %s, budget %s',
                l.campaign_id, l.spent, l.days, l.budget))
                filter (where l.spent <> l.days or l.spent > l.budget))[1:5]::text,
            format('%s campaigns', count(*)))
    from life l
$$;

comment on function ads.reconcile_budgets(date, date) is 'R6: billed clicks against days, days against budgets';

create or replace function ads.reconcile_rollups(p_from timestamptz, p_to timestamptz)
returns table (rule text, ok boolean, detail text)
language sql
stable
security definer
set search_path = ''
set enable_nestloop = off
as $$
    with event as (
        select
            k.campaign_id,
            count(*) filter (where k.class = 0) as clicks,
            0::bigint as impressions,
            sum(k.billed_micros) as spend
        from ads.clicks k
        where k.at >= p_from
            and k.at < p_to
            and k.issue_day between (p_from - interval '32 days')::date and (p_to + interval '2 days')::date
            and k.class not in (5, 25)
        group by k.campaign_id
        union all
        select i.campaign_id, 0, count(*), 0
        from ads.impressions i
        where i.at >= p_from
            and i.at < p_to
            and i.issue_day between (p_from - interval '2 days')::date and (p_to + interval '2 days')::date
            and i.class = 0
        group by i.campaign_id
    ), events as (
        select e.campaign_id, sum(e.clicks) as clicks, sum(e.impressions) as impressions, sum(e.spend) as spend
        from event e
        group by e.campaign_id
    ), rollup as (
        select r.campaign_id, sum(r.clicks) as clicks, sum(r.impressions) as impressions, sum(r.spend_micros) as spend
        from ads.spend_rollups r
        where r.bucket_at >= p_from
            and r.bucket_at < p_to
        group by r.campaign_id
    ), pair as (
        select
            coalesce(e.campaign_id, r.campaign_id) as campaign_id,
            (e.clicks, e.impressions, e.spend) as events,
            (r.clicks, r.impressions, r.spend) as rollup,
            (e.clicks, e.impressions, e.spend) is not distinct from (r.clicks, r.impressions, r.spend) as same
        from events e
        full join rollup r on r.campaign_id = e.campaign_id
    )
    select
        'R5 reports = events, per campaign: clicks, impressions, spend',
        count(*) filter (where not p.same) = 0,
        coalesce(
            (array_agg(format('campaign %s: events %s, report %s', p.campaign_id, p.events, p.rollup))
                filter (where not p.same))[1:5]::text,
            format('%s campaigns', count(*)))
    from pair p
$$;

comment on function ads.reconcile_rollups(timestamptz, timestamptz) is 'reports against events';

-- The derived reports, with what waits on their queue, against the rollups that
-- were written with the ledger; and their grains and levels against each other.
create or replace function ads.reconcile_reports()
returns table (rule text, ok boolean, detail text)
language sql
stable
security definer
set search_path = ''
set enable_nestloop = off
as $$
    with rollup as (
        select r.account_id, sum(r.clicks) as clicks, sum(r.impressions) as impressions, sum(r.spend_micros) as spend
        from ads.spend_rollups r
        group by r.account_id
    ), slice as (
        select
            r.account_id, r.grain, r.level,
            sum(r.clicks) as clicks,
            sum(r.impressions) as impressions,
            sum(r.spend_micros) as spend
        from ads.reports r
        group by r.account_id, r.grain, r.level
    ), waiting as (
        select d.account_id, sum(d.clicks) as clicks, sum(d.impressions) as impressions, sum(d.spend_micros) as spend
        from ads.report_deltas d
        where d.account_id is not null
        group by d.account_id
    ), pair as (
        select
            r.account_id,
            g.grain,
            g.level,
            (r.clicks, r.impressions, r.spend) as rollup,
            (
                coalesce(s.clicks, 0) + coalesce(w.clicks, 0),
                coalesce(s.impressions, 0) + coalesce(w.impressions, 0),
                coalesce(s.spend, 0) + coalesce(w.spend, 0)
            ) as report
        from rollup r
        cross join (
            select grain, level
            from unnest(array['q', 'd', 'm']) grain
            cross join unnest(array[0, 1, 12, 15]) level
        ) g
        left join slice s on s.account_id = r.account_id and s.grain = g.grain and s.level = g.level
        left join waiting w on w.account_id = r.account_id
    )
    select
        'R5 every grain and level of the reports, and their queue = rollups',
        count(*) filter (where p.report <> p.rollup) = 0,
        coalesce(
            (array_agg(format('advertiser %s, %s %s: rollups %s, report %s',
                p.account_id, p.grain, p.level, p.rollup, p.report))
                filter (where p.report <> p.rollup))[1:5]::text,
            format('%s sums', count(*)))
    from pair p
$$;

comment on function ads.reconcile_reports() is 'derived reports against the rollups of the ledger';

create or replace function ads.reconcile(p_from date, p_to date)
returns table (rule text, ok boolean, detail text)
language sql
stable
security definer
set search_path = ''
as $$
    select r.*
    from (
        select
            p_from::timestamp at time zone 'UTC',
            (p_to + 1)::timestamp at time zone 'UTC',
            k.day,
            k.day::timestamp at time zone 'UTC'
        from (
            select greatest(p_from, least(
                (now() at time zone 'UTC')::date - 98,
                (min(ads.partition_start(c.relname)) at time zone 'UTC')::date + 3))
            from pg_catalog.pg_inherits i
            join pg_catalog.pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'ads.clicks'::regclass
        ) k (day)
    ) t (from_at, to_at, kept, kept_at)
    cross join lateral (
        select * from ads.reconcile_clicks(t.kept_at, t.to_at)
        union all
        select * from ads.reconcile_ledger(t.from_at, t.to_at)
        union all
        select * from ads.reconcile_budgets(t.kept, p_to)
        union all
        select * from ads.reconcile_rollups(t.kept_at, t.to_at)
        union all
        select * from ads.reconcile_reports()
        union all
        select
            'R7 no segment was left behind by an earlier epoch',
            count(*) = 0,
            coalesce(
                (array_agg(format('node %s: %s at %s', c.node, c.name, c.off)))[1:5]::text,
                'every cursor is final or of its node''s epoch')
        from ads.journal_cursor c
        join ads.nodes n on n.id = c.node
        where not c.final
            and c.epoch < n.epoch
        union all
        select
            'R7 no record was set aside',
            count(*) = 0,
            coalesce(
                (array_agg(format('node %s segment %s offset %s: %s', j.node, j.segment, j.off, j.reason)))[1:5]::text,
                'none')
        from ads.ingest_reject j
        where j.at >= t.from_at
            and j.at < t.to_at
    ) r
    order by r.rule
$$;

comment on function ads.reconcile(date, date) is
    'rules R3 to R7 as far as the database can see them; ok is false where something does not add up';
