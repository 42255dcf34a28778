-- Monthly statement of an advertiser, for the API and the command line.

-- What stands at the head is in every row; a month without movements has one
-- row that is nothing but head.  The month is one of the account's zone, the
-- current one when none is named.
create or replace function ads.balance_statement(p_account uuid, p_month date)
returns table (
    month text,
    timezone text,
    currency text,
    from_at timestamptz,
    to_at timestamptz,
    opening_micros bigint,
    closing_micros bigint,
    kind text,
    campaign_id uuid,
    campaign_name text,
    transactions bigint,
    amount_micros bigint)
language sql
stable
set search_path = ''
as $$
    with month as (
        select
            a.id,
            a.timezone,
            la.currency::text as currency,
            m.day,
            m.day::timestamp at time zone a.timezone as from_at,
            (m.day + interval '1 month')::timestamp at time zone a.timezone as to_at
        from ads.accounts a
        join ads.ledger_accounts la on la.kind = 'advertiser_balance' and la.account_id = a.id
        cross join lateral (
            select coalesce(p_month, date_trunc('month', now() at time zone a.timezone)::date)) m (day)
        where a.id = p_account
    )
    select
        to_char(m.day, 'YYYY-MM'), m.timezone, m.currency, m.from_at, m.to_at,
        coalesce(o.balance, 0), coalesce(c.balance, 0),
        x.kind, x.campaign_id, x.name, x.n, x.amount
    from month m
    left join lateral (
        select t.balance_after_micros
        from ads.ledger_transactions t
        where t.account_id = m.id
            and t.at < m.from_at
        order by t.at desc, t.id desc
        limit 1
    ) o (balance) on true
    left join lateral (
        select t.balance_after_micros
        from ads.ledger_transactions t
        where t.account_id = m.id
            and t.at < m.to_at
        order by t.at desc, t.id desc
        limit 1
    ) c (balance) on true
    left join lateral (
        select g.kind, g.campaign_id, cp.name, g.n, g.amount
        from (
            select t.kind, t.campaign_id, count(*) as n, sum(t.amount_micros)::bigint as amount
            from ads.ledger_transactions t
            where t.account_id = m.id
                and t.at >= m.from_at
                and t.at < m.to_at
            group by t.kind, t.campaign_id
        ) g
        left join ads.campaigns cp on cp.id = g.campaign_id
    ) x on true
    order by x.kind desc, x.name, x.campaign_id
$$;

comment on function ads.balance_statement(uuid, date) is 'opening, movements and closing of an advertiser''s month';
