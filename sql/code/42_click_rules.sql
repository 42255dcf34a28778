-- Rules of what a person does: too_fast (19), burst (20) and repeat (21).
--
-- A click that would be billed is compared with the clicks that passed these
-- rules before it: valid ones (0), and unfunded ones (4), so that a budget does
-- not decide what a person is.  They are found in ads.clicks itself.  So there
-- is no second memory that a crash could lose, a replay decides as the first
-- time did, and where a batch ends makes no difference.  Both indexes lead to
-- clicks of one advertiser, whose balance the caller holds: nodes take turns.
--
-- Nearly all clicks have nothing near them.  One query sets them aside; only
-- the others are gone through one by one, in record order.
--
-- A session of 0 or an address of 0 is not known and breaks no rule.  A click of
-- a link that passed is no repeat of itself: that is what duplicates are for.

create or replace function ads.clicks_suspect(
    p_clicks ads.clicks[],
    p_state smallint[],
    p_rules ads.settings,
    p_days daterange)
returns table (
    ord int,
    click_no int,
    visitor_no int,
    address_no int,
    fast boolean)
language plpgsql
stable
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
    v_repeat interval := make_interval(secs => p_rules.repeat_s);
    v_reach interval := make_interval(secs => greatest(p_rules.burst_s, p_rules.repeat_s));
    v_most int := least(nullif(p_rules.burst_clicks, 0), nullif(p_rules.crowd_clicks, 0));
begin
    return query
    with candidate as materialized (
        select
            c.ordinality::int as no,
            c.click_id,
            c.at,
            c.ad_id,
            c.campaign_id,
            nullif(c.session_hash, 0) as session,
            nullif(c.ip_hash, 0) as address,
            c.at >= i.issued
                and c.at < i.issued + make_interval(secs => p_rules.too_fast_ms / 1000.0) as fast
        from unnest(p_clicks) with ordinality c
        cross join lateral (select ads.uuid_time(c.click_id)) i (issued)
        where p_state[c.ordinality] in (0, -1)
    ), visitor as materialized (
        select x.session, x.ad_id, row_number() over ()::int as no
        from candidate x
        where x.session is not null
            and p_rules.repeat_s > 0
        group by x.session, x.ad_id
        having count(*) > 1
            or exists (
                select
                from ads.clicks k
                where k.session_hash = x.session
                    and k.session_hash <> 0
                    and k.ad_id = x.ad_id
                    and k.at > min(x.at) - v_repeat
                    and k.at < max(x.at) + v_repeat
                    and k.class in (0, 4)
                    and k.issue_day >= lower(p_days)
                    and k.issue_day < upper(p_days))
    ), address as materialized (
        select x.address, x.campaign_id, row_number() over ()::int as no
        from candidate x
        where x.address is not null
            and v_most > 0
        group by x.address, x.campaign_id
        having count(*) + (
            select count(*)
            from ads.clicks k
            where k.ip_hash = x.address
                and k.ip_hash <> 0
                and k.campaign_id = x.campaign_id
                and k.at > min(x.at) - v_reach
                and k.at < max(x.at) + v_reach
                and k.class in (0, 4)
                and k.issue_day >= lower(p_days)
                and k.issue_day < upper(p_days)) > v_most
    ), found as (
        select
            x.no, x.click_id, x.fast, v.no as visitor_no, a.no as address_no,
            bool_or(x.fast or v.no is not null or a.no is not null) over (partition by x.click_id) as suspect
        from candidate x
        left join visitor v
            on v.session = x.session
            and v.ad_id = x.ad_id
        left join address a
            on a.address = x.address
            and a.campaign_id = x.campaign_id
    )
    select f.no, dense_rank() over (order by f.click_id)::int, f.visitor_no, f.address_no, f.fast
    from found f
    where f.suspect
    order by f.no;
end
$$;

comment on function ads.clicks_suspect(ads.clicks[], smallint[], ads.settings, daterange) is
    'clicks that another click of their session or too many of their address are near to, or that came too fast';

-- When did clicks of the same visitor pass?  Of an ad for a session, else of a
-- campaign for an address.
create or replace function ads.clicks_passed_at(
    p_click ads.clicks,
    p_by_session boolean,
    p_reach interval,
    p_days daterange)
returns timestamptz[]
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
    if p_by_session then
        return array(
            select k.at
            from ads.clicks k
            where k.session_hash = p_click.session_hash
                and k.session_hash <> 0
                and k.ad_id = p_click.ad_id
                and k.at > p_click.at - p_reach
                and k.class in (0, 4)
                and k.issue_day >= lower(p_days)
                and k.issue_day < upper(p_days));
    end if;
    return array(
        select k.at
        from ads.clicks k
        where k.ip_hash = p_click.ip_hash
            and k.ip_hash <> 0
            and k.campaign_id = p_click.campaign_id
            and k.at > p_click.at - p_reach
            and k.class in (0, 4)
            and k.issue_day >= lower(p_days)
            and k.issue_day < upper(p_days));
end
$$;

comment on function ads.clicks_passed_at(ads.clicks, boolean, interval, daterange) is
    'times of clicks that passed the rules, of the session on the ad or of the address on the campaign';

create or replace function ads.click_breaks_rule(
    p_at timestamptz,
    p_visits timestamptz[],
    p_crowd timestamptz[],
    p_rules ads.settings)
returns smallint
language sql
immutable
parallel safe
set search_path = ''
as $$
    select (case
        when exists (
            select
            from unnest(p_visits) v (at)
            where abs(extract(epoch from v.at - p_at)) < p_rules.repeat_s)
        then 21
        when p_rules.burst_clicks > 0
            and count(*) filter (where c.away_s < p_rules.burst_s) >= p_rules.burst_clicks
        then 20
        when p_rules.crowd_clicks > 0
            and count(*) filter (where c.away_s < p_rules.repeat_s) >= p_rules.crowd_clicks
        then 20
        else 0
    end)::smallint
    from (
        select abs(extract(epoch from w.at - p_at)) as away_s
        from unnest(p_crowd) w (at)
    ) c
$$;

comment on function ads.click_breaks_rule(timestamptz, timestamptz[], timestamptz[], ads.settings) is
    'repeat (21), burst (20) or none (0), by the times of clicks that passed before';

create or replace function ads.clicks_rules(p_clicks ads.clicks[], p_state smallint[])
returns smallint[]
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_rules ads.settings := (select s from ads.settings s);
    v_reach interval := make_interval(secs => greatest(v_rules.burst_s, v_rules.repeat_s));
    v_days daterange;
    v_state smallint[] := p_state;
    v_passed boolean[];
    v_visits ads.click_times[];
    v_crowds ads.click_times[];
    v_times ads.click_times;
    v_suspect record;
    v_click ads.clicks;
    v_rule smallint;
begin
    -- links are billable for a day
    select daterange(
        ((min(c.at) - v_reach - interval '25 hours') at time zone 'UTC')::date,
        ((max(c.at) + v_reach) at time zone 'UTC')::date, '[]')
    into v_days
    from unnest(p_clicks) c;

    for v_suspect in
        select s.* from ads.clicks_suspect(p_clicks, p_state, v_rules, v_days) s
    loop
        v_click := p_clicks[v_suspect.ord];
        if v_passed[v_suspect.click_no] is null then
            v_passed[v_suspect.click_no] := exists (
                select
                from ads.clicks k
                where k.issue_day = v_click.issue_day
                    and k.click_id = v_click.click_id
                    and k.account_id = v_click.account_id
                    and k.class = 4);
        end if;
        continue when v_passed[v_suspect.click_no];

        if v_suspect.visitor_no > 0 and v_visits[v_suspect.visitor_no] is null then
            v_times.at := ads.clicks_passed_at(v_click, true, v_reach, v_days);
            v_visits[v_suspect.visitor_no] := v_times;
        end if;
        if v_suspect.address_no > 0 and v_crowds[v_suspect.address_no] is null then
            v_times.at := ads.clicks_passed_at(v_click, false, v_reach, v_days);
            v_crowds[v_suspect.address_no] := v_times;
        end if;

        v_rule := case
            when v_suspect.fast then 19
            else ads.click_breaks_rule(
                v_click.at, v_visits[v_suspect.visitor_no].at, v_crowds[v_suspect.address_no].at, v_rules)
        end;
        v_state[v_suspect.ord] := v_rule;
        continue when v_rule <> 0;

        v_passed[v_suspect.click_no] := true;
        if v_suspect.visitor_no > 0 then
            v_visits[v_suspect.visitor_no].at := v_visits[v_suspect.visitor_no].at || v_click.at;
        end if;
        if v_suspect.address_no > 0 then
            v_crowds[v_suspect.address_no].at := v_crowds[v_suspect.address_no].at || v_click.at;
        end if;
    end loop;
    return v_state;
end
$$;

comment on function ads.clicks_rules(ads.clicks[], smallint[]) is
    'states after the rules: 19 too fast, 20 too many of an address, 21 the same session and ad again';
