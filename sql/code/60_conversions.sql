-- Conversions: attribution by click_id, and what makes one a repeat.
--
-- A conversion belongs to the click it names.  The click is looked up by the
-- day its id was issued; of several rows with that id the valid one counts,
-- else a human click that was not billed.  Reported by the advertiser of the
-- click or by the publisher that sent it; for anybody else the click is not
-- there.  The caller has checked the id's own MAC, so a click that is not
-- there yet is on its way: the conversion waits, for 24 hours.
--
-- A repeat is a second one of (click, order), or without an order of (click,
-- value, currency) within 24 hours; of an adjustment the same value again.
-- It is answered with the first one's event_id.
--
-- Before its click is there it is not known who may report it, so what others
-- report counts for nothing: each reporter has sales of their own.  When the
-- click has come those of strangers turn out to belong to no account, and of
-- one sale that advertiser and publisher both reported the first stays; the
-- other one becomes its repeat (reason duplicate, adjusts names it).

-- Each half of the question has an index of its own.
create or replace function ads.conversion_click(
    p_click uuid,
    out o_click ads.clicks,
    out o_window_days int)
language sql
stable
security definer
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
    select f.k, cp.attribution_window_days
    from (
        select k
        from ads.clicks k
        where k.issue_day = ads.uuid_day(p_click)
            and k.click_id = p_click
            and k.class = 0
        union all
        select k
        from ads.clicks k
        where k.issue_day = ads.uuid_day(p_click)
            and k.click_id = p_click
            and k.class <> 0
    ) f
    join ads.campaigns cp on cp.id = (f.k).campaign_id
    order by case when (f.k).class = 0 then 0 when (f.k).class in (2, 3, 4) then 1 else 2 end, (f.k).at
    limit 1
$$;

comment on function ads.conversion_click(uuid) is 'the click a conversion counts for, and its campaign''s window';

create or replace function ads.conversion_reason(
    p_click ads.clicks,
    p_window_days int,
    p_occurred_at timestamptz)
returns text
language sql
immutable
parallel safe
return case
    when p_click.class = 5 then 'test_click'
    when p_click.class not in (0, 2, 3, 4) then 'invalid_click'
    when p_occurred_at < p_click.at - '10 minutes'::interval then 'before_click'
    when p_occurred_at > p_click.at + pg_catalog.make_interval(days => p_window_days) then 'outside_window'
end;

comment on function ads.conversion_reason(ads.clicks, int, timestamptz) is
    'why a conversion is not attributed to its click; null when it is';

create or replace function ads.conversion_answer(p_event uuid, p_status text)
returns table (
    status text,
    event_id uuid,
    campaign_id uuid,
    ad_id uuid,
    click_at timestamptz,
    reason text)
language sql
stable
security definer
set search_path = ''
as $$
    select
        case
            when c.status = 'pending' then 'accepted'
            else coalesce(p_status, c.status)
        end,
        c.event_id,
        case when c.status = 'recorded' then c.campaign_id end,
        case when c.status = 'recorded' then c.ad_id end,
        case when c.status = 'recorded' then c.click_at end,
        c.reason
    from ads.conversions c
    where c.event_id = p_event
$$;

comment on function ads.conversion_answer(uuid, text) is 'a stored conversion as the HTTP answer shows it';

-- Among what p_actors reported and no adjustment gave up; of an order from any
-- time, of the same value from the day before p_at.
create or replace function ads.conversion_repeat(
    p_actors uuid[],
    p_click uuid,
    p_value_micros bigint,
    p_currency text,
    p_order_id text,
    p_adjusts uuid,
    p_at timestamptz)
returns uuid
language sql
stable
security definer
set search_path = ''
as $$
    select r.event_id
    from (
        (select c.event_id, c.value_micros, c.currency
        from ads.conversions c
        where p_adjusts is not null
            and c.adjusts = p_adjusts
            and c.reason is distinct from 'duplicate'
        order by c.at desc, c.event_id
        limit 1)
        union all
        (select c.event_id, c.value_micros, c.currency
        from ads.conversions c
        where p_adjusts is null
            and p_order_id is null
            and c.click_id = p_click
            and c.order_id is null
            and c.adjusts is null
            and c.value_micros = p_value_micros
            and c.currency = p_currency
            and c.at > p_at - interval '24 hours'
            and c.actor_account_id = any (p_actors)
            and c.reason is distinct from 'click_not_found'
        order by c.at, c.event_id
        limit 1)
    ) r
    where r.value_micros = p_value_micros
        and r.currency = p_currency
    union all
    (select c.event_id
    from ads.conversions c
    where p_adjusts is null
        and c.click_id = p_click
        and c.order_id = p_order_id
        and c.adjusts is null
        and c.actor_account_id = any (p_actors)
        and c.reason is distinct from 'click_not_found'
    order by c.at, c.event_id
    limit 1)
$$;

comment on function ads.conversion_repeat(uuid[], uuid, bigint, text, text, uuid, timestamptz) is
    'the earlier conversion this one repeats, or null';

-- status: recorded, duplicate, unattributed, accepted (waits for its click),
-- or, with nothing stored, click_not_found, mismatch (p_request or p_ad is
-- not the click's) and adjusts_not_found.
create or replace function ads.conversion_record(
    p_actor uuid,
    p_click uuid,
    p_value_micros bigint,
    p_currency text,
    p_order_id text,
    p_adjusts uuid,
    p_request uuid,
    p_ad uuid,
    p_occurred_at timestamptz)
returns table (
    status text,
    event_id uuid,
    campaign_id uuid,
    ad_id uuid,
    click_at timestamptz,
    reason text)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_found record;
    v_click ads.clicks;
    v_root ads.conversions;
    v_actors uuid[] := array[p_actor];
    v_event uuid;
    v_reason text;
begin
    if p_actor is distinct from ads.tenant() then
        raise exception 'the session acts for another account'
            using errcode = 'ADP01';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('ads.conversion ' || p_click, 0));

    select f.* into v_found from ads.conversion_click(p_click) f;
    v_click := v_found.o_click;
    if v_click.click_id is not null then
        if p_actor <> v_click.account_id and p_actor <> v_click.publisher_id then
            status := 'click_not_found';
            return next;
            return;
        end if;
        if p_request <> v_click.request_id or p_ad <> v_click.ad_id then
            status := 'mismatch';
            return next;
            return;
        end if;
        v_actors := array[v_click.account_id, v_click.publisher_id];
    end if;
    if p_adjusts is not null then
        select r.* into v_root
        from ads.conversions c
        join ads.conversions r on r.event_id = coalesce(c.adjusts, c.event_id)
        where c.event_id = p_adjusts
            and c.click_id = p_click
            and c.currency = p_currency
            and c.actor_account_id = any (v_actors);
        if not found then
            status := 'adjusts_not_found';
            return next;
            return;
        end if;
    end if;

    v_event := ads.conversion_repeat(
        v_actors, p_click, p_value_micros, p_currency, p_order_id, v_root.event_id, now());
    if v_event is not null then
        return query select * from ads.conversion_answer(v_event, 'duplicate');
        return;
    end if;

    if v_click.click_id is not null then
        v_reason := ads.conversion_reason(v_click, v_found.o_window_days, p_occurred_at);
    end if;
    insert into ads.conversions (
        click_id, actor_account_id, account_id, campaign_id, ad_id, publisher_id, click_at,
        value_micros, currency, order_id, adjusts, status, reason, occurred_at)
    values (
        p_click, p_actor, v_click.account_id, v_click.campaign_id, v_click.ad_id, v_click.publisher_id,
        v_click.at, p_value_micros, p_currency, p_order_id, v_root.event_id,
        case
            when v_click.click_id is null then 'pending'
            when v_reason is not null then 'unattributed'
            else 'recorded'
        end,
        v_reason, p_occurred_at)
    returning conversions.event_id into v_event;
    return query select * from ads.conversion_answer(v_event, null);
end
$$;

comment on function ads.conversion_record(uuid, uuid, bigint, text, text, uuid, uuid, uuid, timestamptz) is
    'one conversion of a click whose id is authentic, reported by p_actor; safe to repeat';

-- One after the other, the oldest first, so that each sees what became of the
-- ones before it; a click that a report is just coming in for waits a tick.
-- Of very many the newest are checked too: most clicks come within a moment,
-- and reports of those that never do must not keep others waiting for a day.
create or replace function ads.conversions_settle()
returns bigint
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    c_batch constant int := 500;
    v_row record;
    v_click ads.clicks;
    v_reason text;
    v_first uuid;
    v_n bigint := 0;
begin
    for v_row in
        with waiting as materialized (
            select c.*
            from ads.conversions c
            where c.status = 'pending'
                and c.event_id in (
                    (select o.event_id
                    from ads.conversions o
                    where o.status = 'pending'
                    order by o.at
                    limit c_batch)
                    union all
                    (select o.event_id
                    from ads.conversions o
                    where o.status = 'pending'
                    order by o.at desc
                    limit c_batch))
            for no key update skip locked
        )
        select w.*, f.o_click, f.o_window_days
        from waiting w
        cross join lateral ads.conversion_click(w.click_id) f
        where (f.o_click).click_id is not null
            or w.at < now() - interval '24 hours'
        order by w.at, w.event_id
    loop
        continue when not pg_try_advisory_xact_lock(
            hashtextextended('ads.conversion ' || v_row.click_id, 0));
        v_click := v_row.o_click;
        v_first := null;
        if v_click.click_id is null
            or v_row.actor_account_id not in (v_click.account_id, v_click.publisher_id)
        then
            v_click := null;
            v_reason := 'click_not_found';
        else
            v_reason := ads.conversion_reason(v_click, v_row.o_window_days, v_row.occurred_at);
            if v_row.adjusts is null then
                select e.first into v_first
                from ads.conversion_repeat(
                    array[v_click.account_id, v_click.publisher_id], v_row.click_id,
                    v_row.value_micros, v_row.currency, v_row.order_id, null, v_row.at) e (first)
                where e.first <> v_row.event_id;
            end if;
        end if;
        if v_first is not null then
            v_reason := 'duplicate';
            update ads.conversions c
            set adjusts = v_first
            where c.adjusts = v_row.event_id;
        end if;

        update ads.conversions c
        set status = case when v_reason is null then 'recorded' else 'unattributed' end,
            reason = v_reason,
            adjusts = coalesce(v_first, c.adjusts),
            account_id = v_click.account_id,
            campaign_id = v_click.campaign_id,
            ad_id = v_click.ad_id,
            publisher_id = v_click.publisher_id,
            click_at = v_click.at
        where c.event_id = v_row.event_id;
        v_n := v_n + 1;
    end loop;
    return v_n;
end
$$;

comment on function ads.conversions_settle() is
    'attributes conversions whose click has come, gives up after 24 hours; call at every tick';

create or replace view ads.conversions_counted
with (security_invoker = true)
as
select
    c.event_id,
    c.account_id,
    c.campaign_id,
    c.ad_id,
    c.publisher_id,
    c.click_id,
    c.click_at,
    coalesce(a.value_micros, c.value_micros) as value_micros,
    c.currency
from ads.conversions c
left join lateral (
    select j.value_micros
    from ads.conversions j
    where j.adjusts = c.event_id
        and j.reason is distinct from 'duplicate'
    order by j.at desc, j.event_id
    limit 1
) a on true
where c.status = 'recorded'
    and c.adjusts is null;

comment on view ads.conversions_counted is
    'what reports count: each attributed conversion with its latest value; 0 means cancelled';
