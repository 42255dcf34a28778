-- Conversions: attribution by click_id, and what makes one a repeat.
--
-- A conversion belongs to the click it names.  The click is looked up by the
-- day its id was issued; of several rows with that id the valid one counts,
-- else a human click that was not billed.  Reported by the advertiser of the
-- click or by the publisher that sent it; for anybody else the click is not
-- there.  The caller has checked the id's own MAC, so a click that is not
-- there yet is on its way: the conversion waits, for 24 hours.
--
-- Each reporter has conversions of its own.  A repeat is a second one of
-- (click, order), or without an order of (click, value, currency) within 24
-- hours, of the same reporter; of an adjustment the same value again.  It is
-- answered with the first one's event_id.  An adjustment is of an event of the
-- same reporter.
--
-- What the advertiser of the click reports counts in its reports; what the
-- publisher reports is shown apart, and an order that both report is the
-- advertiser's: the publisher's is replaced, whichever came first.
--
-- No one can check what is reported, so each reporter has caps: how many count
-- on a click, and what those of a campaign are worth in 24 hours.  What is
-- beyond is held: stored and shown, but not counted.
--
-- Who may report a conversion is not known before its click has come.  Then
-- those of strangers are attributed to no click.

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

create or replace function ads.conversion_latest(p_event uuid)
returns table (value_micros bigint)
language sql
stable
set search_path = ''
as $$
    select j.value_micros
    from ads.conversions j
    where j.adjusts = p_event
        and j.status <> 'held'
    order by j.at desc, j.event_id
    limit 1
$$;

comment on function ads.conversion_latest(uuid) is 'the value a conversion was last adjusted to; no row: never';

-- Among what p_actor reported and was not given up; of an order from any time,
-- of the same value from the day before p_at.
create or replace function ads.conversion_repeat(
    p_actor uuid,
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
            and c.actor_account_id = p_actor
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
        and c.actor_account_id = p_actor
        and c.reason is distinct from 'click_not_found'
    order by c.at, c.event_id
    limit 1)
$$;

comment on function ads.conversion_repeat(uuid, uuid, bigint, text, text, uuid, timestamptz) is
    'the earlier conversion of the same reporter this one repeats, or null';

-- p_event is not counted against itself, nor is the one it adjusts.  The
-- caller has the lock of the click and of the campaign's conversions.
create or replace function ads.conversion_held(
    p_event uuid,
    p_actor uuid,
    p_click uuid,
    p_campaign uuid,
    p_value_micros bigint,
    p_currency text,
    p_adjusts uuid)
returns text
language sql
stable
security definer
set search_path = ''
as $$
    select case
        when p_adjusts is null
            and s.conversions_per_click <= (
                select count(*)
                from ads.conversions c
                where c.click_id = p_click
                    and c.actor_account_id = p_actor
                    and c.adjusts is null
                    and c.status = 'recorded'
                    and c.event_id is distinct from p_event)
            then 'conversions_per_click'
        when p_value_micros > s.conversion_value_max_micros - (
                select coalesce(sum(coalesce(a.value_micros, c.value_micros)), 0)
                from ads.conversions c
                left join lateral ads.conversion_latest(c.event_id) a on true
                where c.campaign_id = p_campaign
                    and c.actor_account_id = p_actor
                    and c.at > now() - interval '24 hours'
                    and c.status = 'recorded'
                    and c.adjusts is null
                    and c.currency = p_currency
                    and c.event_id is distinct from p_event
                    and c.event_id is distinct from p_adjusts)
            and p_value_micros > 0
            then 'conversion_value_max'
    end
    from ads.settings s
$$;

comment on function ads.conversion_held(uuid, uuid, uuid, uuid, bigint, text, uuid) is
    'the cap that this conversion is beyond, or null';

-- What becomes of a conversion whose click is there, and of the publisher's of
-- the same order when the advertiser reports it.
create or replace function ads.conversion_place(
    p_conversion ads.conversions,
    p_click ads.clicks,
    p_window_days int,
    out o_status text,
    out o_reason text)
language plpgsql
security definer
set search_path = ''
as $$
begin
    o_status := 'unattributed';
    o_reason := ads.conversion_reason(p_click, p_window_days, p_conversion.occurred_at);
    if o_reason is not null then
        return;
    end if;

    if p_conversion.order_id is not null and p_conversion.adjusts is null
        and p_conversion.actor_account_id <> p_click.account_id
        and exists (
            select
            from ads.conversions c
            where c.click_id = p_click.click_id
                and c.order_id = p_conversion.order_id
                and c.adjusts is null
                and c.actor_account_id = p_click.account_id
                and c.status in ('recorded', 'held'))
    then
        o_reason := 'replaced';
        return;
    end if;

    o_reason := ads.conversion_held(
        p_conversion.event_id, p_conversion.actor_account_id, p_click.click_id, p_click.campaign_id,
        p_conversion.value_micros, p_conversion.currency, p_conversion.adjusts);
    o_status := case when o_reason is null then 'recorded' else 'held' end;

    if p_conversion.order_id is not null and p_conversion.adjusts is null
        and p_conversion.actor_account_id = p_click.account_id
    then
        update ads.conversions c
        set status = 'unattributed',
            reason = 'replaced'
        where c.click_id = p_click.click_id
            and c.order_id = p_conversion.order_id
            and c.adjusts is null
            and c.actor_account_id = p_click.publisher_id
            and c.status in ('recorded', 'held');
    end if;
end
$$;

comment on function ads.conversion_place(ads.conversions, ads.clicks, int) is
    'status and reason of a conversion of that click';

-- status: recorded, held, duplicate, unattributed, accepted (its click awaited),
-- or, with nothing stored, click_not_found, mismatch (p_request or p_ad is not
-- the click's) and adjusts_not_found.
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
    v_root uuid;
    v_row ads.conversions;
    v_event uuid;
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
    end if;
    if p_adjusts is not null then
        select coalesce(c.adjusts, c.event_id) into v_root
        from ads.conversions c
        where c.event_id = p_adjusts
            and c.click_id = p_click
            and c.currency = p_currency
            and c.actor_account_id = p_actor;
        if not found then
            status := 'adjusts_not_found';
            return next;
            return;
        end if;
    end if;

    v_event := ads.conversion_repeat(
        p_actor, p_click, p_value_micros, p_currency, p_order_id, v_root, now());
    if v_event is not null then
        return query select * from ads.conversion_answer(v_event, 'duplicate');
        return;
    end if;

    v_row.click_id := p_click;
    v_row.actor_account_id := p_actor;
    v_row.value_micros := p_value_micros;
    v_row.currency := p_currency;
    v_row.order_id := p_order_id;
    v_row.adjusts := v_root;
    v_row.occurred_at := p_occurred_at;
    v_row.status := 'pending';
    if v_click.click_id is not null then
        perform pg_advisory_xact_lock(
            hashtextextended('ads.conversions ' || v_click.campaign_id || p_actor, 0));
        select p.o_status, p.o_reason into v_row.status, v_row.reason
        from ads.conversion_place(v_row, v_click, v_found.o_window_days) p;
    end if;
    insert into ads.conversions (
        click_id, actor_account_id, account_id, campaign_id, ad_id, publisher_id, click_at,
        value_micros, currency, order_id, adjusts, status, reason, occurred_at)
    values (
        p_click, p_actor, v_click.account_id, v_click.campaign_id, v_click.ad_id, v_click.publisher_id,
        v_click.at, p_value_micros, p_currency, p_order_id, v_root, v_row.status, v_row.reason, p_occurred_at)
    returning conversions.event_id into v_event;
    return query select * from ads.conversion_answer(v_event, null);
end
$$;

comment on function ads.conversion_record(uuid, uuid, bigint, text, text, uuid, uuid, uuid, timestamptz) is
    'one conversion of a click whose id is authentic, reported by p_actor; safe to repeat';

-- One after the other, the oldest first, so that each sees what became of the
-- ones before it; one that shares its click or campaign with a report that is
-- just coming in waits a tick.
-- Of very many the newest are checked too: most clicks come within a moment, and
-- reports of clicks that never come must not keep them waiting for a day.
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
    v_status text;
    v_reason text;
    v_n bigint := 0;
begin
    for v_row in
        with waiting as materialized (
            select c as conversion
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
        select w.conversion, f.o_click, f.o_window_days
        from waiting w
        cross join lateral ads.conversion_click((w.conversion).click_id) f
        where (f.o_click).click_id is not null
            or (w.conversion).at < now() - interval '24 hours'
        order by (w.conversion).at, (w.conversion).event_id
    loop
        v_click := v_row.o_click;
        continue when not pg_try_advisory_xact_lock(
            hashtextextended('ads.conversion ' || (v_row.conversion).click_id, 0));
        if v_click.click_id is null
            or (v_row.conversion).actor_account_id not in (v_click.account_id, v_click.publisher_id)
        then
            v_click := null;
            v_status := 'unattributed';
            v_reason := 'click_not_found';
        else
            continue when not pg_try_advisory_xact_lock(hashtextextended(
                'ads.conversions ' || v_click.campaign_id || (v_row.conversion).actor_account_id, 0));
            select p.o_status, p.o_reason into v_status, v_reason
            from ads.conversion_place(v_row.conversion, v_click, v_row.o_window_days) p;
        end if;

        update ads.conversions c
        set status = v_status,
            reason = v_reason,
            account_id = v_click.account_id,
            campaign_id = v_click.campaign_id,
            ad_id = v_click.ad_id,
            publisher_id = v_click.publisher_id,
            click_at = v_click.at
        where c.event_id = (v_row.conversion).event_id;
        v_n := v_n + 1;
    end loop;
    return v_n;
end
$$;

comment on function ads.conversions_settle() is
    'attributes conversions whose click has come, gives up after 24 hours; call at every tick';

drop view if exists ads.conversions_counted;

create view ads.conversions_counted
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
    case
        when c.status = 'held' then 'held'
        when c.actor_account_id = c.account_id then 'own'
        else 'publisher'
    end as side,
    coalesce(a.value_micros, c.value_micros) as value_micros,
    c.currency
from ads.conversions c
left join lateral ads.conversion_latest(c.event_id) a on true
where c.status in ('recorded', 'held')
    and c.adjusts is null;

comment on view ads.conversions_counted is
    'what reports count: each conversion of an advertiser or publisher with its latest value (0: cancelled), and what is held';
