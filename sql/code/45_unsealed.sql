-- Events that carry no seal: impressions, and clicks a publisher reports.
--
-- What they are worth stands in the SHOW decision of their request.  A
-- decision comes by another segment, perhaps of another node, and may be
-- committed after the event: then the event waits in ads.event_pending until
-- every living node has committed past it.

create or replace function ads.unsealed_judge(
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
begin
    return query
        select
            row(e.node, e.segment, e.off, e.kind, e.at, e.click_id, e.request_id, e.ad_id, e.publisher_id,
                e.session_hash, e.ip_hash)::ads.event_pending,
            case
                when a.id is null then 25
                when p_classes[e.ordinality] <> 0 then p_classes[e.ordinality]
                when e.kind = 'click' and e.at > ads.uuid_time(e.request_id) + interval '24 hours' then 2
                when e.kind = 'impression' and e.at > ads.uuid_time(e.request_id) + interval '2 hours' then 2
                when d.request_id is null and e.at >= p_drained then null
                when s.at is null then 23
                when e.kind = 'click' and pub.manual_clicks_billable is not true then 24
                else 0
            end::smallint,
            a.account_id,
            a.campaign_id,
            case when cp.pricing = 'cpc' then (e.at at time zone cp.timezone)::date end,
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
            and d.publisher_id = e.publisher_id
        cross join lateral (select ads.shown_find(d.shown, e.ad_id)) s (at);
end
$$;

comment on function ads.unsealed_judge(ads.event_pending[], smallint[], timestamptz) is
    'joins events to their decisions; class null: wait, since not every node has committed to p_drained';

create or replace function ads.impressions_post(p_impressions ads.impressions[])
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_lost ads.impressions[];
begin
    perform ads.partition_days('impressions', array(
        select distinct i.issue_day
        from unnest(p_impressions) i
        order by i.issue_day));

    with judged as materialized (
        select
            i.*,
            case
                when i.class <> 0 then i.class
                when row_number() over (
                    partition by i.request_id, i.ad_id, i.class
                    order by i.ordinality) > 1 then 1
                else 0
            end::smallint as final_class
        from unnest(p_impressions) with ordinality i
    ), put as (
        insert into ads.impressions (
            node, off, at, session_hash, segment, request_id, ad_id, account_id, campaign_id, publisher_id,
            issue_day, class, placement, country)
        select
            j.node, j.off, j.at, j.session_hash, j.segment, j.request_id, j.ad_id, j.account_id, j.campaign_id,
            j.publisher_id, j.issue_day, j.final_class, j.placement, j.country
        from judged j
        on conflict (issue_day, request_id, ad_id) where class = 0 do nothing
        returning *
    ), counted as (
        insert into ads.spend_rollups as r (
            account_id, bucket_at, campaign_id, publisher_id, placement, country, impressions)
        select
            p.account_id, ads.bucket(p.at), p.campaign_id, p.publisher_id,
            coalesce(p.placement, ''), coalesce(p.country, ''), count(*)
        from put p
        where p.class = 0
        group by 1, 2, 3, 4, 5, 6
        order by 1, 2, 3, 4, 5, 6
        on conflict (account_id, bucket_at, campaign_id, publisher_id, placement, country) do update
        set impressions = r.impressions + excluded.impressions
    )
    select array_agg(
        row(j.node, j.off, j.at, j.session_hash, j.segment, j.request_id, j.ad_id, j.account_id, j.campaign_id,
            j.publisher_id, j.issue_day, 1, j.placement, j.country)::ads.impressions)
    into v_lost
    from judged j
    where (j.node, j.segment, j.off) not in (select p.node, p.segment, p.off from put p);

    insert into ads.impressions
    select l.*
    from unnest(v_lost) l;
end
$$;

comment on function ads.impressions_post(ads.impressions[]) is
    'stores resolved impressions; the first valid one of a (request, ad) counts, whichever node has it';

-- Clicks and impressions of the answer of ads.unsealed_judge, and the rest
-- back to waiting.
create or replace function ads.unsealed_post(
    p_events ads.event_pending[],
    p_classes smallint[],
    p_drained timestamptz,
    out o_clicks ads.clicks[],
    out o_impressions bigint,
    out o_pending bigint)
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_impressions ads.impressions[];
    v_waiting ads.event_pending[];
begin
    select
        array_agg(
            row((j.event).node, (j.event).off, (j.event).at, j.price_micros, 0, null, (j.event).session_hash,
                (j.event).ip_hash, (j.event).segment, (j.event).click_id, (j.event).request_id,
                (j.event).ad_id, j.account_id, j.campaign_id, (j.event).publisher_id,
                ads.uuid_day((j.event).click_id), j.budget_day, j.campaign_version, j.class, 'event',
                j.placement, j.country)::ads.clicks
            order by (j.event).at, (j.event).off)
            filter (where j.class is not null and (j.event).kind = 'click'),
        array_agg(
            row((j.event).node, (j.event).off, (j.event).at, (j.event).session_hash, (j.event).segment,
                (j.event).request_id, (j.event).ad_id, j.account_id, j.campaign_id,
                (j.event).publisher_id, ads.uuid_day((j.event).request_id), j.class, j.placement,
                j.country)::ads.impressions
            order by (j.event).at, (j.event).off)
            filter (where j.class is not null and (j.event).kind = 'impression'),
        array_agg(j.event) filter (where j.class is null)
    into o_clicks, v_impressions, v_waiting
    from ads.unsealed_judge(p_events, p_classes, p_drained) j;

    if v_impressions is not null then
        perform ads.impressions_post(v_impressions);
    end if;
    insert into ads.event_pending
    select w.*
    from unnest(v_waiting) w;

    o_impressions := coalesce(cardinality(v_impressions), 0);
    o_pending := coalesce(cardinality(v_waiting), 0);
end
$$;

comment on function ads.unsealed_post(ads.event_pending[], smallint[], timestamptz) is
    'stores what can be judged and lets the rest wait; answers the clicks, for ads.clicks_post';
