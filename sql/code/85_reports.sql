-- Reports: the cycle that moves the queues into the tables.
--
-- One cycle runs at a time, whichever node's it is.  It deletes the deltas it
-- sees and adds them up in one statement; a batch that commits meanwhile is
-- seen by the next cycle.  So every delta is added exactly once, in any order,
-- and what comes late (a slow node, a settled event, an adjusted conversion)
-- changes the bucket it belongs to.
--
-- as_of is read before the queue is: every living node had committed its
-- journal up to then, so the cycle saw all of it. A cycle that left something
-- on the queue does not move it.

create or replace function ads.report_zone_open()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    insert into ads.report_zones (account_id, timezone)
    values (new.id, new.timezone);
    return null;
end
$$;

comment on function ads.report_zone_open() is 'an account reports in its own zone from the first moment';

create or replace trigger accounts_report_zone
    after insert on ads.accounts
    for each row execute function ads.report_zone_open();

create or replace function ads.report_zone_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    update ads.report_zones z
    set stale = z.timezone <> new.timezone
    where z.account_id = new.id;
    return null;
end
$$;

comment on function ads.report_zone_change() is 'another zone has other days: they are made again';

create or replace trigger accounts_report_zone_change
    after update of timezone on ads.accounts
    for each row when (new.timezone is distinct from old.timezone)
    execute function ads.report_zone_change();

create or replace function ads.conversion_queue()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    insert into ads.report_conversion_queue (event_id)
    values (coalesce(new.adjusts, new.event_id));
    return null;
end
$$;

comment on function ads.conversion_queue() is 'a conversion that counts, or counts otherwise now, is read by the next cycle';

create or replace trigger conversions_queue
    after insert or update of status on ads.conversions
    for each row when (new.status <> 'pending')
    execute function ads.conversion_queue();

-- The day or month of a quarter of an hour in a zone, written as if UTC.
create or replace function ads.report_at(p_grain text, p_bucket timestamptz, p_timezone text)
returns timestamptz
language sql
stable
parallel safe
return case p_grain
    when 'q' then p_bucket
    when 'd' then pg_catalog.date_trunc('day', p_bucket at time zone p_timezone) at time zone 'UTC'
    else pg_catalog.date_trunc('month', p_bucket at time zone p_timezone) at time zone 'UTC'
end;

comment on function ads.report_at(text, timestamptz, text) is 'where in a report of that grain a quarter of an hour stands';

-- Who reports a sale says what it is worth, up to 10^15 micros, and ten thousand
-- such sales are more than bigint holds.  No value may stop the cycle, which
-- serves all accounts, so a sum of them stays at the end of bigint.
create or replace function ads.micros_within(p_micros numeric)
returns bigint
language sql
immutable
strict
parallel safe
return least(greatest(p_micros, -9223372036854775807), 9223372036854775807)::bigint;

comment on function ads.micros_within(numeric) is 'a sum of values, held within bigint';

-- Days and months of one account whose zone changed, from its quarters.
create or replace function ads.report_rezone()
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_account uuid;
    v_timezone text;
begin
    select z.account_id, a.timezone into v_account, v_timezone
    from ads.report_zones z
    join ads.accounts a on a.id = z.account_id
    where z.stale
    order by z.account_id
    limit 1
    for update of z skip locked;
    if not found then
        return;
    end if;

    update ads.report_zones
    set timezone = v_timezone,
        stale = false
    where account_id = v_account;

    delete from ads.reports r where r.account_id = v_account and r.grain <> 'q';
    insert into ads.reports
    select
        r.account_id, g.grain, r.level, ads.report_at(g.grain, r.at, v_timezone), r.campaign_id, r.ad_id,
        r.placement, r.country, sum(r.impressions), sum(r.clicks), sum(r.invalid_clicks), sum(r.duplicate_clicks),
        sum(r.free_clicks), sum(r.spend_micros), sum(r.conversions),
        ads.micros_within(sum(r.value_micros)),
        sum(r.publisher_conversions), ads.micros_within(sum(r.publisher_value_micros)), sum(r.held_conversions)
    from ads.reports r
    cross join (values ('d'), ('m')) g (grain)
    where r.account_id = v_account
        and r.grain = 'q'
    group by 1, 2, 3, 4, 5, 6, 7, 8;

    delete from ads.site_reports r where r.publisher_id = v_account and r.grain <> 'q';
    insert into ads.site_reports
    select
        r.publisher_id, g.grain, r.level, ads.report_at(g.grain, r.at, v_timezone), r.placement, r.country, r.reason,
        sum(r.shows), sum(r.no_ads), sum(r.impressions), sum(r.clicks), sum(r.gross_micros), sum(r.revenue_micros)
    from ads.site_reports r
    cross join (values ('d'), ('m')) g (grain)
    where r.publisher_id = v_account
        and r.grain = 'q'
    group by 1, 2, 3, 4, 5, 6, 7;

    delete from ads.auction_reports r where r.account_id = v_account and r.grain <> 'q';
    insert into ads.auction_reports
    select
        r.account_id, g.grain, r.level, ads.report_at(g.grain, r.at, v_timezone), r.campaign_id,
        r.outcome, sum(r.n)
    from ads.auction_reports r
    cross join (values ('d'), ('m')) g (grain)
    where r.account_id = v_account
        and r.grain = 'q'
    group by 1, 2, 3, 4, 5, 6;
end
$$;

comment on function ads.report_rezone() is 'makes the days and months of one account that moved to another zone again';

-- A conversion counts in its click's quarter, at its latest value, on the side
-- of who reported it; one of another currency counts without a value.  A
-- publisher's that the advertiser's own replaced is taken out again.
create or replace function ads.report_conversions_take(p_limit int)
returns bigint
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_n bigint;
begin
    with taken as (
        delete from ads.report_conversion_queue q
        where q.id in (
            select o.id
            from ads.report_conversion_queue o
            order by o.id
            limit p_limit)
        returning q.event_id
    ), now_counted as (
        select
            r.event_id, r.account_id, r.campaign_id, r.ad_id, r.publisher_id,
            ads.bucket(r.click_at) as bucket_at,
            coalesce(c.side, 'none') as side,
            case when c.currency = a.currency and c.side <> 'held' then c.value_micros else 0 end as value_micros,
            coalesce(o.side, 'none') as old_side,
            coalesce(o.value_micros, 0) as old_micros,
            coalesce(o.placement, (k.o_click).placement, '') as placement,
            coalesce(o.country, (k.o_click).country, '') as country
        from (select distinct t.event_id from taken t) d
        join ads.conversions r on r.event_id = d.event_id
        join ads.accounts a on a.id = r.account_id
        left join ads.conversions_counted c on c.event_id = d.event_id
        left join ads.report_conversions o on o.event_id = d.event_id
        left join lateral ads.conversion_click(r.click_id) k on o.event_id is null
    ), changed as materialized (
        select *
        from now_counted n
        where (n.side, n.value_micros) <> (n.old_side, n.old_micros)
    ), kept as (
        insert into ads.report_conversions (event_id, account_id, value_micros, side, placement, country)
        select n.event_id, n.account_id, n.value_micros, n.side, n.placement, n.country
        from changed n
        on conflict (event_id) do update
        set value_micros = excluded.value_micros,
            side = excluded.side
    ), put as (
        insert into ads.report_deltas (
            bucket_at, account_id, campaign_id, ad_id, publisher_id, placement, country,
            conversions, value_micros, publisher_conversions, publisher_value_micros, held_conversions)
        select
            n.bucket_at, n.account_id, n.campaign_id, n.ad_id, n.publisher_id, n.placement, n.country,
            (n.side = 'own')::int - (n.old_side = 'own')::int,
            case when n.side = 'own' then n.value_micros else 0 end
                - case when n.old_side = 'own' then n.old_micros else 0 end,
            (n.side = 'publisher')::int - (n.old_side = 'publisher')::int,
            case when n.side = 'publisher' then n.value_micros else 0 end
                - case when n.old_side = 'publisher' then n.old_micros else 0 end,
            (n.side = 'held')::int - (n.old_side = 'held')::int
        from changed n
    )
    select count(*) into v_n from taken;
    return v_n;
end
$$;

comment on function ads.report_conversions_take(int) is 'puts what conversions changed on the queue of deltas; how many it read';

create or replace function ads.report_deltas_take(p_limit int)
returns bigint
language plpgsql
security definer
set search_path = ''
set jit = off
set work_mem = '64MB'
as $$
declare
    c_nil constant uuid := '00000000-0000-0000-0000-000000000000';
    v_n bigint;
begin
    with taken as (
        delete from ads.report_deltas d
        where d.id in (
            select o.id
            from ads.report_deltas o
            order by o.id
            limit p_limit)
        returning d.*
    ), ad_sum as materialized (
        select
            t.account_id, t.bucket_at,
            15 - grouping(t.country, t.placement, t.ad_id, t.campaign_id) as level,
            coalesce(t.campaign_id, c_nil) as campaign,
            coalesce(t.ad_id, c_nil) as ad,
            coalesce(t.placement, '') as place,
            coalesce(t.country, '') as land,
            sum(t.impressions)::bigint as impressions,
            sum(t.clicks)::bigint as clicks,
            sum(t.invalid_clicks)::bigint as invalid_clicks,
            sum(t.duplicate_clicks)::bigint as duplicate_clicks,
            sum(t.free_clicks)::bigint as free_clicks,
            sum(t.spend_micros)::bigint as spend,
            sum(t.conversions)::bigint as conversions,
            sum(t.value_micros) as value,
            sum(t.publisher_conversions)::bigint as publisher_conversions,
            sum(t.publisher_value_micros) as publisher_value,
            sum(t.held_conversions)::bigint as held
        from taken t
        where t.account_id is not null
        group by t.account_id, t.bucket_at, grouping sets (
            (), (t.campaign_id), (t.placement, t.country), (t.campaign_id, t.ad_id, t.placement, t.country))
    ), ad_put as (
        insert into ads.reports as r (
            account_id, grain, level, at, campaign_id, ad_id, placement, country, impressions, clicks,
            invalid_clicks, duplicate_clicks, free_clicks, spend_micros, conversions, value_micros,
            publisher_conversions, publisher_value_micros, held_conversions)
        select
            s.account_id,
            g.grain,
            s.level,
            ads.report_at(g.grain, s.bucket_at, z.timezone) as at,
            s.campaign, s.ad, s.place, s.land,
            sum(s.impressions), sum(s.clicks), sum(s.invalid_clicks), sum(s.duplicate_clicks), sum(s.free_clicks),
            sum(s.spend), sum(s.conversions), ads.micros_within(sum(s.value)),
            sum(s.publisher_conversions), ads.micros_within(sum(s.publisher_value)), sum(s.held)
        from ad_sum s
        join ads.report_zones z on z.account_id = s.account_id
        cross join (values ('q'), ('d'), ('m')) g (grain)
        group by 1, 2, 3, 4, 5, 6, 7, 8
        order by 1, 2, 3, 4, 5, 6, 7, 8
        on conflict (account_id, grain, level, at, campaign_id, ad_id, placement, country) do update
        set impressions = r.impressions + excluded.impressions,
            clicks = r.clicks + excluded.clicks,
            invalid_clicks = r.invalid_clicks + excluded.invalid_clicks,
            duplicate_clicks = r.duplicate_clicks + excluded.duplicate_clicks,
            free_clicks = r.free_clicks + excluded.free_clicks,
            spend_micros = r.spend_micros + excluded.spend_micros,
            conversions = r.conversions + excluded.conversions,
            value_micros = ads.micros_within(r.value_micros::numeric + excluded.value_micros),
            publisher_conversions = r.publisher_conversions + excluded.publisher_conversions,
            publisher_value_micros = ads.micros_within(
                r.publisher_value_micros::numeric + excluded.publisher_value_micros),
            held_conversions = r.held_conversions + excluded.held_conversions
    ), site_sum as materialized (
        select
            t.publisher_id, t.bucket_at, t.placement, t.country, t.reason,
            sum(t.shows) as shows,
            sum(t.no_ads) as no_ads,
            sum(t.impressions) as impressions,
            sum(t.clicks) as clicks,
            sum(t.spend_micros) as gross,
            sum(t.revenue_micros) as revenue
        from taken t
        group by t.publisher_id, t.bucket_at, t.placement, t.country, t.reason
        having sum(t.shows) + sum(t.no_ads) + sum(t.impressions) + sum(t.clicks) > 0
    ), site_put as (
        insert into ads.site_reports as r (
            publisher_id, grain, level, at, placement, country, reason, shows, no_ads, impressions, clicks,
            gross_micros, revenue_micros)
        select
            s.publisher_id,
            g.grain,
            l.level,
            ads.report_at(g.grain, s.bucket_at, z.timezone) as at,
            case when l.level <> 0 then s.placement else '' end as place,
            case when l.level <> 0 then s.country else '' end as land,
            case when l.level <> 0 then s.reason else '' end as why,
            sum(s.shows), sum(s.no_ads), sum(s.impressions), sum(s.clicks), sum(s.gross), sum(s.revenue)
        from site_sum s
        join ads.report_zones z on z.account_id = s.publisher_id
        cross join (values ('q'), ('d'), ('m')) g (grain)
        cross join (values (0::smallint), (1)) l (level)
        group by 1, 2, 3, 4, 5, 6, 7
        order by 1, 2, 3, 4, 5, 6, 7
        on conflict (publisher_id, grain, level, at, placement, country, reason) do update
        set shows = r.shows + excluded.shows,
            no_ads = r.no_ads + excluded.no_ads,
            impressions = r.impressions + excluded.impressions,
            clicks = r.clicks + excluded.clicks,
            gross_micros = r.gross_micros + excluded.gross_micros,
            revenue_micros = r.revenue_micros + excluded.revenue_micros
    )
    select count(*) into v_n from taken;
    return v_n;
end
$$;

comment on function ads.report_deltas_take(int) is 'adds the oldest deltas to the reports; how many they were';

create or replace function ads.report_auctions_take(p_limit int)
returns bigint
language plpgsql
security definer
set search_path = ''
set jit = off
as $$
declare
    c_nil constant uuid := '00000000-0000-0000-0000-000000000000';
    v_n bigint;
begin
    with taken as (
        delete from ads.auction_deltas d
        where d.id in (
            select o.id
            from ads.auction_deltas o
            order by o.id
            limit p_limit)
        returning d.*
    ), put as (
        insert into ads.auction_reports as r (account_id, grain, level, at, campaign_id, outcome, n)
        select
            t.account_id,
            g.grain,
            l.level,
            ads.report_at(g.grain, t.bucket_at, z.timezone) as at,
            case when l.level = 1 then t.campaign_id else c_nil end as campaign,
            t.outcome,
            sum(t.n)
        from taken t
        join ads.report_zones z on z.account_id = t.account_id
        cross join (values ('q'), ('d'), ('m')) g (grain)
        cross join (values (0::smallint), (1)) l (level)
        group by 1, 2, 3, 4, 5, 6
        order by 1, 2, 3, 4, 5, 6
        on conflict (account_id, grain, level, at, campaign_id, outcome) do update
        set n = r.n + excluded.n
    )
    select count(*) into v_n from taken;
    return v_n;
end
$$;

comment on function ads.report_auctions_take(int) is 'adds the oldest of the queued auctions to the reports; how many they were';

create or replace function ads.reports_cycle(p_limit int)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_as_of timestamptz;
    v_conversions bigint;
    v_deltas bigint;
    v_auctions bigint;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('ads.reports', 0)) then
        return false;
    end if;

    select least(clock_timestamp(), min(n.drained_to), (
        select h.at
        from ads.clicks_held h
        order by h.at
        limit 1))
    into v_as_of
    from ads.nodes n
    where n.retired_at is null
        and n.heartbeat_at > now() - interval '10 minutes';

    perform ads.report_rezone();
    v_conversions := ads.report_conversions_take(p_limit / 10);
    v_deltas := ads.report_deltas_take(p_limit);
    v_auctions := ads.report_auctions_take(p_limit);
    if v_deltas < p_limit and v_auctions < p_limit and v_conversions < p_limit / 10 then
        update ads.report_state s
        set as_of = greatest(s.as_of, v_as_of);
    end if;
    return v_deltas = p_limit or v_auctions = p_limit or v_conversions = p_limit / 10;
end
$$;

comment on function ads.reports_cycle(int) is 'one cycle; true when there is more to do at once';

-- ---- for who reads them ----

-- sum() of bigint counts in 128 bits and answers numeric: exact beyond what the
-- tables may hold, and half as fast.  This one fails where bigint ends.
create or replace aggregate ads.total(bigint) (
    sfunc = pg_catalog.int8pl,
    stype = bigint,
    initcond = '0',
    combinefunc = pg_catalog.int8pl,
    parallel = safe
);

comment on aggregate ads.total(bigint) is 'the sum, 0 of none';

create or replace function ads.report_as_of()
returns timestamptz
language sql
stable
security definer
set search_path = ''
as $$
    select s.as_of
    from ads.report_state s
$$;

comment on function ads.report_as_of() is 'what happened before it is in the reports';

-- Exact, although reports lag: what no cycle has taken yet is on the queue.  For
-- the tenant itself only.
create or replace function ads.report_spent_since(p_account uuid, p_from timestamptz)
returns bigint
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
    return (
        select coalesce(sum(r.spend_micros), 0)
        from ads.reports r
        where r.account_id = p_account
            and p_account = ads.tenant()
            and r.grain = 'q'
            and r.level = 0
            and r.at >= p_from
    ) + (
        select coalesce(sum(d.spend_micros), 0)
        from ads.report_deltas d
        where d.account_id = p_account
            and p_account = ads.tenant()
            and d.bucket_at >= p_from
    );
end
$$;

comment on function ads.report_spent_since(uuid, timestamptz) is 'what an advertiser''s clicks cost from a quarter of an hour on';

-- A range of days, the last seven when none is named, as times; no row when
-- there is no such zone.  own: the account's days and months are in that zone;
-- from_month to to_month, exclusive, are the months that are in it as a whole.
create or replace function ads.report_range(p_account uuid, p_timezone text, p_from date, p_to date)
returns table (
    timezone text, own boolean, from_day date, to_day date, from_at timestamptz, to_at timestamptz, currency text,
    from_month date, to_month date)
language sql
stable
security definer
set search_path = ''
as $$
    select
        z.name,
        z.name = r.timezone and not r.stale,
        d.from_day,
        d.to_day,
        d.from_day::timestamp at time zone z.name,
        (d.to_day + 1)::timestamp at time zone z.name,
        a.currency::text,
        date_trunc('month', d.from_day + interval '1 month' - interval '1 day')::date,
        date_trunc('month', d.to_day + interval '1 day')::date
    from ads.accounts a
    join ads.report_zones r on r.account_id = a.id
    join ads.timezones z on z.name = coalesce(p_timezone, a.timezone)
    cross join lateral (select coalesce(p_to, (now() at time zone z.name)::date)) t (to_day)
    cross join lateral (select coalesce(p_from, t.to_day - 6), t.to_day) d (from_day, to_day)
    where a.id = p_account
$$;

comment on function ads.report_range(uuid, text, date, date) is 'the days of a report and their zone';
