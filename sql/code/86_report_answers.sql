-- Report answers of the API: a page of rows or the totals.
--
-- The rows of p_grains from p_froms to before p_tos of level p_level are read,
-- and added up by step and by the dimensions that p_groups names.  A dimension
-- that is not asked for is null or empty in every row, so one statement serves
-- all questions: it is planned with its parameters known, which drops what they
-- rule out.  Both functions read with the rights of who asks, so that row-level
-- security holds.
--
-- A row's time is the begin of its step p_step (none, hour, day, week, month) in
-- the zone p_timezone: a quarter's local time is taken, while days and months
-- are written in it.  A step other than an hour is written as if it were of
-- UTC; an hour keeps its offset, so that the one that comes twice in autumn is
-- two.  Steps from p_from to before p_to are answered, in the order of time and
-- then of the dimensions, those behind p_after and p_after_values, at most
-- p_limit.

-- Where a row is a campaign, p_cut of those behind the cursor are enough of each
-- segment: one that is on the page is among as many of each day and month that
-- it is in.  Auctions are of levels 0 and 1 only; what a row does not tell is
-- null, which no sum spends time on.  OFFSET keeps PostgreSQL from pulling the
-- select up and reading the whole account.
create or replace function ads.report_advertiser(
    p_account uuid, p_grains text[], p_froms timestamptz[], p_tos timestamptz[], p_level smallint,
    p_step text, p_timezone text, p_from timestamptz, p_to timestamptz, p_groups text[],
    p_campaigns uuid[], p_products uuid[], p_placements text[], p_countries text[],
    p_after timestamptz, p_after_values text[], p_limit bigint, p_cut bigint)
returns table (
    at timestamptz, east_minutes int, campaign_id text, product_id text, placement text, country text,
    campaign_name text, product_title text,
    impressions bigint, clicks bigint, invalid_clicks bigint, duplicate_clicks bigint, free_clicks bigint,
    spend_micros bigint, conversions bigint, value_micros bigint,
    auctions bigint, won bigint, outcomes jsonb[],
    publisher_conversions bigint, publisher_value_micros bigint, held_conversions bigint)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
    c_nil constant uuid := '00000000-0000-0000-0000-000000000000';
begin
    return query
    with page as materialized (
        select
            w.t, w.east,
            case when 'campaign' = any (p_groups) then r.campaign_id else c_nil end as d1,
            case when 'product' = any (p_groups) then coalesce(a.product_id, c_nil) else c_nil end as d2,
            case when 'placement' = any (p_groups) then r.placement else '' end as d3,
            case when 'country' = any (p_groups) then r.country else '' end as d4,
            ads.total(r.impressions) as m1,
            ads.total(r.clicks) as m2,
            ads.total(r.invalid_clicks) as m3,
            ads.total(r.duplicate_clicks) as m4,
            ads.total(r.free_clicks) as m5,
            ads.total(r.spend_micros) as m6,
            ads.total(r.conversions) as m7,
            coalesce(ads.micros_within(sum(r.value_micros)), 0) as m8,
            ads.total(r.auctions) as m9,
            ads.total(r.won) as m10,
            array_agg(r.outcomes) filter (where r.outcomes is not null) as m11,
            ads.total(r.publisher_conversions) as m12,
            coalesce(ads.micros_within(sum(r.publisher_value_micros)), 0) as m13,
            ads.total(r.held_conversions) as m14
        from unnest(p_grains, p_froms, p_tos) s (grain, from_at, to_at)
        cross join lateral (
            (
                select
                    x.at, x.campaign_id, x.ad_id, x.placement, x.country, x.impressions, x.clicks,
                    x.invalid_clicks, x.duplicate_clicks, x.free_clicks, x.spend_micros, x.conversions,
                    x.value_micros,
                    null::bigint as auctions, null::bigint as won, null::jsonb as outcomes,
                    x.publisher_conversions, x.publisher_value_micros, x.held_conversions
                from ads.reports x
                where x.account_id = p_account
                    and x.grain = s.grain
                    and x.level = p_level
                    and x.at >= s.from_at
                    and x.at < s.to_at
                    and (p_campaigns is null or x.campaign_id = any (p_campaigns))
                    and (p_cut is null or p_after is null
                        or x.campaign_id > coalesce(nullif(p_after_values[1], '')::uuid, c_nil))
                order by x.at, x.campaign_id
                limit p_cut
            ) union all (
                select
                    y.at, y.campaign_id, null, '', '', null, null, null, null, null, null, null, null,
                    sum(y.n)::bigint, (sum(y.n) filter (where y.outcome = 'won'))::bigint,
                    jsonb_object_agg(y.outcome, y.n), null, null, null
                from ads.auction_reports y
                where y.account_id = p_account
                    and y.grain = s.grain
                    and y.level = p_level
                    and y.at >= s.from_at
                    and y.at < s.to_at
                    and (p_campaigns is null or y.campaign_id = any (p_campaigns))
                    and (p_cut is null or p_after is null
                        or y.campaign_id > coalesce(nullif(p_after_values[1], '')::uuid, c_nil))
                group by y.at, y.campaign_id
                order by y.at, y.campaign_id
                limit p_cut
            )
            offset 0
        ) r
        cross join lateral (
            select case when s.grain = 'q' then r.at at time zone p_timezone else r.at at time zone 'UTC' end
        ) l (local)
        cross join lateral (
            select
                case p_step
                    when 'none' then 'epoch'::timestamptz
                    when 'hour' then r.at - (l.local - date_trunc('hour', l.local))
                    else date_trunc(p_step, l.local) at time zone 'UTC'
                end,
                case
                    when p_step = 'hour'
                        then (extract(epoch from l.local - (r.at at time zone 'UTC')) / 60)::int
                    else 0
                end
        ) w (t, east)
        left join ads.ads a on a.id = r.ad_id
        where w.t >= p_from
            and w.t < p_to
            and (p_products is null or a.product_id = any (p_products))
            and (p_placements is null or r.placement = any (p_placements))
            and (p_countries is null or r.country = any (p_countries))
        group by 1, 2, 3, 4, 5, 6
    ), cut as materialized (
        select *
        from page h
        where p_after is null
            or (h.t, h.d1, h.d2, h.d3, h.d4) > (
                p_after, coalesce(nullif(p_after_values[1], '')::uuid, c_nil),
                coalesce(nullif(p_after_values[2], '')::uuid, c_nil), p_after_values[3], p_after_values[4])
        order by h.t, h.d1, h.d2, h.d3, h.d4
        limit p_limit
    )
    select
        p.t, p.east, nullif(p.d1, c_nil)::text, nullif(p.d2, c_nil)::text, p.d3, p.d4, c.name, x.title,
        p.m1, p.m2, p.m3, p.m4, p.m5, p.m6, p.m7, p.m8,
        p.m9, p.m10, p.m11, p.m12, p.m13, p.m14
    from cut p
    left join ads.campaigns c on c.id = p.d1
    left join ads.products x on x.id = p.d2
    order by p.t, p.d1, p.d2, p.d3, p.d4;
end
$$;

comment on function ads.report_advertiser is
    'what an advertiser''s ads did, by step and dimensions; outcomes: of its auctions, to be added up';

-- How many auctions ended in each of p_outcomes, in their order, and in one that
-- is not among them.
create or replace function ads.outcomes_json(p_outcomes text[], p_found jsonb[])
returns text
language sql
immutable
set search_path = ''
as $$
    with found as (
        select e.key as outcome, sum(e.value::bigint)::bigint as n
        from unnest(p_found) f (counts)
        cross join jsonb_each_text(f.counts) e
        where e.key <> 'won'
        group by e.key
    )
    select format('{%s,"other":%s}',
        string_agg(format('"%s":%s', o.outcome, coalesce(f.n, 0)), ',' order by o.i),
        (select coalesce(sum(x.n), 0) from found x where x.outcome <> all (p_outcomes)))
    from unnest(p_outcomes) with ordinality o (outcome, i)
    left join found f on f.outcome = o.outcome
$$;

comment on function ads.outcomes_json(text[], jsonb[]) is 'lost auctions by reason, as the API writes them';

create or replace function ads.report_publisher(
    p_account uuid, p_grains text[], p_froms timestamptz[], p_tos timestamptz[], p_level smallint,
    p_step text, p_timezone text, p_from timestamptz, p_to timestamptz, p_groups text[],
    p_placements text[], p_countries text[], p_reasons text[],
    p_after timestamptz, p_after_values text[], p_limit bigint)
returns table (
    at timestamptz, east_minutes int, placement text, country text, reason text,
    requests bigint, shows bigint, no_ads bigint, impressions bigint, clicks bigint, gross_micros bigint,
    revenue_micros bigint)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
    return query
    with page as materialized (
        select
            w.t, w.east,
            case when 'placement' = any (p_groups) then r.placement else '' end as d1,
            case when 'country' = any (p_groups) then r.country else '' end as d2,
            case when 'reason' = any (p_groups) then r.reason else '' end as d3,
            ads.total(r.shows) + ads.total(r.no_ads) as m1,
            ads.total(r.shows) as m2,
            ads.total(r.no_ads) as m3,
            ads.total(r.impressions) as m4,
            ads.total(r.clicks) as m5,
            ads.total(r.gross_micros) as m6,
            ads.total(r.revenue_micros) as m7
        from unnest(p_grains, p_froms, p_tos) s (grain, from_at, to_at)
        cross join lateral (
            select *
            from ads.site_reports x
            where x.publisher_id = p_account
                and x.grain = s.grain
                and x.level = p_level
                and x.at >= s.from_at
                and x.at < s.to_at
                and (p_placements is null or x.placement = any (p_placements))
            offset 0
        ) r
        cross join lateral (
            select case when s.grain = 'q' then r.at at time zone p_timezone else r.at at time zone 'UTC' end
        ) l (local)
        cross join lateral (
            select
                case p_step
                    when 'none' then 'epoch'::timestamptz
                    when 'hour' then r.at - (l.local - date_trunc('hour', l.local))
                    else date_trunc(p_step, l.local) at time zone 'UTC'
                end,
                case
                    when p_step = 'hour'
                        then (extract(epoch from l.local - (r.at at time zone 'UTC')) / 60)::int
                    else 0
                end
        ) w (t, east)
        where w.t >= p_from
            and w.t < p_to
            and (p_countries is null or r.country = any (p_countries))
            and (p_reasons is null or r.reason = any (p_reasons))
        group by 1, 2, 3, 4, 5
    )
    select h.t, h.east, h.d1, h.d2, h.d3, h.m1, h.m2, h.m3, h.m4, h.m5, h.m6, h.m7
    from page h
    where p_after is null
        or (h.t, h.d1, h.d2, h.d3) > (p_after, p_after_values[1], p_after_values[2], p_after_values[3])
    order by h.t, h.d1, h.d2, h.d3
    limit p_limit;
end
$$;

comment on function ads.report_publisher is 'what a publisher''s pages earned, by step and dimensions';

-- For operators: the days of p_from to p_to, or the last seven, in the account's
-- own zone, added up by p_by: one line each, or one in all for any other word.
create or replace function ads.report_advertiser_lines(p_account uuid, p_from date, p_to date, p_by text)
returns table (
    line text, impressions bigint, clicks bigint, invalid_clicks bigint, free_clicks bigint, spend_micros bigint,
    conversions bigint, value_micros bigint)
language sql
stable
set search_path = ''
as $$
    select
        case p_by
            when 'day' then to_char(r.at at time zone 'UTC', 'YYYY-MM-DD')
            when 'month' then to_char(r.at at time zone 'UTC', 'YYYY-MM')
            when 'campaign' then coalesce(c.name, r.campaign_id::text)
            when 'placement' then r.placement
            when 'country' then r.country
            else 'total'
        end,
        sum(r.impressions)::bigint, sum(r.clicks)::bigint, sum(r.invalid_clicks)::bigint,
        sum(r.free_clicks)::bigint, sum(r.spend_micros)::bigint, sum(r.conversions)::bigint,
        ads.micros_within(sum(r.value_micros))
    from ads.report_range(p_account, null, p_from, p_to) g
    join ads.reports r on r.account_id = p_account
        and r.grain = 'd'
        and r.level = case p_by when 'campaign' then 1 when 'placement' then 12 when 'country' then 12 else 0 end
        and r.at >= g.from_day::timestamp at time zone 'UTC'
        and r.at < (g.to_day + 1)::timestamp at time zone 'UTC'
    left join ads.campaigns c on c.id = r.campaign_id
    group by 1
    order by 1
$$;

comment on function ads.report_advertiser_lines(uuid, date, date, text) is 'what an advertiser''s ads did, for adsctl report';

create or replace function ads.report_publisher_lines(p_account uuid, p_from date, p_to date, p_by text)
returns table (
    line text, requests bigint, shows bigint, no_ads bigint, impressions bigint, clicks bigint,
    gross_micros bigint, revenue_micros bigint)
language sql
stable
set search_path = ''
as $$
    select
        case p_by
            when 'day' then to_char(r.at at time zone 'UTC', 'YYYY-MM-DD')
            when 'month' then to_char(r.at at time zone 'UTC', 'YYYY-MM')
            when 'placement' then r.placement
            when 'reason' then r.reason
            when 'country' then r.country
            else 'total'
        end,
        sum(r.shows + r.no_ads)::bigint, sum(r.shows)::bigint, sum(r.no_ads)::bigint,
        sum(r.impressions)::bigint, sum(r.clicks)::bigint, sum(r.gross_micros)::bigint,
        sum(r.revenue_micros)::bigint
    from ads.report_range(p_account, null, p_from, p_to) g
    join ads.site_reports r on r.publisher_id = p_account
        and r.grain = 'd'
        and r.level = case when p_by in ('placement', 'country', 'reason') then 1 else 0 end
        and r.at >= g.from_day::timestamp at time zone 'UTC'
        and r.at < (g.to_day + 1)::timestamp at time zone 'UTC'
    group by 1
    order by 1
$$;

comment on function ads.report_publisher_lines(uuid, date, date, text) is 'what a publisher''s pages earned, for adsctl report';
