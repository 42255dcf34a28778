-- Events that carry no seal: impressions, and clicks a publisher reports.
--
-- Their price is in the SHOW decision of their request.  A
-- decision comes by another segment, perhaps of another node, and may be
-- committed after the event: then the event waits in ads.event_pending until
-- every node has committed past it, however long one is away; but not for one
-- that was retired, and no longer than decisions are kept.  Naming the least and the greatest
-- request of the batch spares the join a scan of every hour's partition.

create or replace function ads.unsealed_classify(
    p_events ads.event_pending[],
    p_classes smallint[],
    p_drained timestamptz)
returns table (
    event ads.event_pending,
    class smallint,
    account_id uuid,
    campaign_id uuid,
    budget_day date,
    price_micros bigint,
    campaign_version int,
    placement text,
    country text)
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_low uuid := (select e.request_id from unnest(p_events) e order by e.request_id limit 1);
    v_high uuid := (select e.request_id from unnest(p_events) e order by e.request_id desc limit 1);
begin
    return query
        select
            row(e.node, e.segment, e.off, e.kind, e.at, e.click_id, e.request_id, e.ad_id, e.publisher_id,
                e.session_hash, e.ip_hash)::ads.event_pending,
            case
                when a.id is null then 25
                when p_classes[e.ordinality] <> 0 then p_classes[e.ordinality]
                when pub.earns_since is null
                    or pub.status <> 'active' and coalesce(pub.suspended_at <= e.at, true) then 27
                when e.kind = 'click' and e.at > ads.uuid_time(e.request_id) + interval '24 hours' then 2
                when e.kind = 'impression' and e.at > ads.uuid_time(e.request_id) + interval '2 hours' then 2
                when d.request_id is null
                    and e.at >= p_drained
                    and ads.uuid_time(e.request_id) > now() - interval '26 hours'
                then null
                when s.at is null then 23
                when e.kind = 'click' and pub.manual_clicks_billable is not true then 24
                else 0
            end::smallint,
            a.account_id,
            a.campaign_id,
            (e.at at time zone cp.timezone)::date,
            case when e.kind = 'click' then coalesce(ads.shown_price(d.shown, s.at), 0) else 0 end,
            case when e.kind = 'click' then coalesce(ads.shown_version(d.shown, s.at), 0) else 0 end,
            d.placement,
            d.country
        from unnest(p_events) with ordinality e
        left join ads.ads a on a.id = e.ad_id
        left join ads.campaigns cp on cp.id = a.campaign_id
        left join ads.accounts pub on pub.id = e.publisher_id
        left join ads.decisions d
            on d.request_id = e.request_id
            and d.request_id between v_low and v_high
            and d.publisher_id = e.publisher_id
        cross join lateral (select ads.shown_find(d.shown, e.ad_id)) s (at);
end
$$;

comment on function ads.unsealed_classify(ads.event_pending[], smallint[], timestamptz) is
    'joins events to their decisions; class null: wait, since not every node has committed to p_drained';

-- Clicks and impressions that can be classified, resolved; the rest is put back
-- to wait.  What its request did not show (23), and unknown ads (25), are
-- counted and not stored: with a key one can make up any number of them.
-- The rows of counts are locked in the order of their keys, before any other.
create or replace function ads.unsealed_resolve(
    p_events ads.event_pending[],
    p_classes smallint[],
    p_drained timestamptz,
    out o_clicks ads.clicks[],
    out o_impressions ads.impressions[],
    out o_pending bigint)
language plpgsql
security definer
set search_path = ''
as $$
declare
    c_counted constant smallint[] := array[23, 25];
    v_waiting ads.event_pending[];
    v_counted ads.events_counted[];
begin
    with classified as materialized (
        select j.*
        from ads.unsealed_classify(p_events, p_classes, p_drained) j
    )
    select
        array_agg(
            row((j.event).node, (j.event).off, (j.event).at, j.price_micros, 0, null, (j.event).session_hash,
                (j.event).ip_hash, (j.event).segment, (j.event).click_id, (j.event).request_id,
                (j.event).ad_id, j.account_id, j.campaign_id, (j.event).publisher_id,
                ads.uuid_day((j.event).click_id), j.budget_day, j.campaign_version, j.class, 'event',
                j.placement, j.country)::ads.clicks
            order by (j.event).at, (j.event).off)
            filter (where j.class <> all (c_counted) and (j.event).kind = 'click'),
        array_agg(
            row((j.event).node, (j.event).off, (j.event).at, (j.event).session_hash, (j.event).segment,
                (j.event).request_id, (j.event).ad_id, j.account_id, j.campaign_id,
                (j.event).publisher_id, ads.uuid_day((j.event).request_id), j.class, j.placement,
                j.country)::ads.impressions
            order by (j.event).at, (j.event).off)
            filter (where j.class <> all (c_counted) and (j.event).kind = 'impression'),
        array_agg(j.event) filter (where j.class is null),
        (
            select array_agg(
                row(c.node, c.segment, c.publisher_id, c.bucket_at, c.kind, c.class, c.n)::ads.events_counted
                order by c.node, c.segment, c.publisher_id, c.bucket_at, c.kind, c.class)
            from (
                select
                    (u.event).node, (u.event).segment, (u.event).publisher_id, ads.bucket((u.event).at) as bucket_at,
                    (u.event).kind, u.class, count(*) as n
                from classified u
                where u.class = any (c_counted)
                group by 1, 2, 3, 4, 5, 6
            ) c
        )
    into o_clicks, o_impressions, v_waiting, v_counted
    from classified j;

    insert into ads.events_counted as e
    select c.*
    from unnest(v_counted) c
    on conflict (node, segment, publisher_id, bucket_at, kind, class) do update
    set n = e.n + excluded.n;

    insert into ads.event_pending
    select w.*
    from unnest(v_waiting) w;
    o_pending := coalesce(cardinality(v_waiting), 0);
end
$$;

comment on function ads.unsealed_resolve(ads.event_pending[], smallint[], timestamptz) is
    'what can be classified, for ads.events_post; what cannot waits in ads.event_pending';
