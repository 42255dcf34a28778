-- Ingest: one batch of a journal segment, in one transaction.
--
-- The cursor moves first and from its old offset only, so a batch is in or
-- out as a whole and never twice.  Then come decisions (later events of the
-- same batch may need them), events, money, counters.  A value that no row
-- accepts raises an error of class 22, 23 or AD; the caller halves the batch
-- until it has found the record and gives it to ads.ingest_reject_put.
--
-- Flags of a record: 1 manual event, 2 test key.  A provisional class from 16
-- up is the worker's verdict and stays; 1 to 4 are hints that are decided
-- again here.  Of a click that is paused (3) the worker knows that its ad is
-- off the air, and here is known since when.
--
-- Plans are kept for the life of a connection, and the partition of a new
-- hour or day is empty when they are made: without sequential scans they stay
-- right when it has filled.

create or replace function ads.decisions_put(p_decisions ads.decision_in[])
returns bigint
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_from bigint := floor(extract(epoch from now()) * 1000)::bigint - 26 * 3600000;
    v_to bigint := v_from + 52 * 3600000;
    v_n bigint;
begin
    perform ads.partition_hours(array(
        select distinct ads.uuid_ms(d.request) / 3600000 as hour
        from unnest(p_decisions) d
        where ads.uuid_ms(d.request) between v_from and v_to
        order by hour));

    insert into ads.report_deltas (bucket_at, publisher_id, placement, country, shows)
    select ads.bucket(ads.event_at(d.at_us)), d.publisher, d.placement, coalesce(d.country, ''), count(*)
    from unnest(p_decisions) d
    where coalesce(d.flags, 0) & 2 = 0
    group by 1, 2, 3, 4;

    insert into ads.decisions (request_id, at, publisher_id, session_hash, placement, country, shown)
    select d.request, ads.event_at(d.at_us), d.publisher, d.session, d.placement, nullif(d.country, ''), d.shown
    from unnest(p_decisions) d
    where ads.uuid_ms(d.request) between v_from and v_to
    on conflict (request_id) do nothing;
    get diagnostics v_n = row_count;
    return v_n;
end
$$;

comment on function ads.decisions_put(ads.decision_in[]) is
    'counts SHOW decisions but those of test keys; stores them for 26 hours, older ones serve nothing any more';

create or replace function ads.no_ad_put(p_counts ads.no_ad_in[])
returns void
language sql
security definer
set search_path = ''
as $$
    with summed as materialized (
        select
            ads.bucket(ads.event_at(c.bucket_us)) as bucket_at,
            c.publisher,
            coalesce(c.placement, '') as placement,
            c.reason,
            coalesce(c.country, '') as country,
            sum(c.n) as n
        from unnest(p_counts) c
        group by 1, 2, 3, 4, 5
    ), queued as (
        insert into ads.report_deltas (bucket_at, publisher_id, placement, country, reason, no_ads)
        select s.bucket_at, s.publisher, s.placement, s.country, s.reason, s.n
        from summed s
    )
    insert into ads.no_ad_counts as k (bucket_at, publisher_id, placement, reason, country, n)
    select s.bucket_at, s.publisher, s.placement, s.reason, s.country, s.n
    from summed s
    order by s.publisher, s.bucket_at, s.placement, s.reason, s.country
    on conflict (publisher_id, bucket_at, placement, reason, country) do update
    set n = k.n + excluded.n
$$;

comment on function ads.no_ad_put(ads.no_ad_in[]) is
    'adds to the counters of requests answered without an ad';

-- A campaign that is not there has no owner: its counters are dropped.
create or replace function ads.auctions_put(p_auctions ads.auction_in[])
returns void
language sql
security definer
set search_path = ''
as $$
    insert into ads.auction_deltas (bucket_at, account_id, campaign_id, outcome, n)
    select ads.bucket(ads.event_at(a.bucket_us)), c.account_id, c.id, a.outcome, sum(a.n)
    from unnest(p_auctions) a
    join ads.campaigns c on c.id = a.campaign
    group by 1, 2, 3, 4
$$;

comment on function ads.auctions_put(ads.auction_in[]) is
    'queues what became of campaigns in auctions for the reports';

create or replace function ads.clicks_resolve(p_node bigint, p_segment uuid, p_clicks ads.click_in[])
returns ads.clicks[]
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = on
as $$
begin
    return (
        select array_agg(
            row(p_node, c.off, t.at, c.price, 0, null, c.session, c.ip, p_segment, c.click, c.request, c.ad,
                a.account_id, a.campaign_id, c.publisher, date '1970-01-01' + (t.issued / 86400000)::int,
                (t.at at time zone cp.timezone)::date, c.version,
                case
                    when a.id is null then 25
                    when c.flags & 2 <> 0 then 5
                    when c.class not in (0, 1, 2, 3, 4, 25) then c.class
                    when pub.earns_since is null
                        or pub.status <> 'active' and coalesce(pub.suspended_at <= t.at, true) then 27
                    when c.at_us / 1000 > t.issued + 86400000 then 2
                    when c.class = 3 and ads.ad_stopped(c.ad, t.at) then 3
                    else 0
                end,
                'redirect', c.placement, nullif(c.country, ''))::ads.clicks
            order by c.off)
        from unnest(p_clicks) c
        cross join lateral (select ads.event_at(c.at_us), ads.uuid_ms(c.click)) t (at, issued)
        left join ads.ads a on a.id = c.ad
        left join ads.campaigns cp on cp.id = a.campaign_id
        left join ads.accounts pub on pub.id = c.publisher
        where (c.flags & 1)::boolean is false);
end
$$;

comment on function ads.clicks_resolve(bigint, uuid, ads.click_in[]) is
    'redirect clicks with advertiser and campaign; their price is the one sealed into the link';

create or replace function ads.ingest(
    p_node bigint,
    p_epoch bigint,
    p_segment uuid,
    p_old_off bigint,
    p_new_off bigint,
    p_new_seq bigint,
    p_final boolean,
    p_clicks ads.click_in[] default '{}',
    p_impressions ads.impression_in[] default '{}',
    p_decisions ads.decision_in[] default '{}',
    p_counts ads.no_ad_in[] default '{}',
    p_auctions ads.auction_in[] default '{}')
returns table (
    clicks bigint,
    billed bigint,
    billed_micros bigint,
    duplicates bigint,
    unfunded bigint,
    invalid bigint,
    impressions bigint,
    decisions bigint,
    pending bigint)
language plpgsql
security definer
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    v_clicks ads.clicks[];
    v_impressions ads.impressions[];
    v_events ads.event_pending[];
    v_classes smallint[];
    v_unsealed record;
    v_post record;
begin
    perform ads.cursor_advance(p_node, p_epoch, p_segment, p_old_off, p_new_off, p_new_seq, p_final);

    clicks := 0;
    billed := 0;
    billed_micros := 0;
    duplicates := 0;
    unfunded := 0;
    invalid := 0;
    impressions := 0;
    decisions := 0;
    pending := 0;

    if cardinality(p_decisions) > 0 then
        decisions := ads.decisions_put(p_decisions);
    end if;

    if cardinality(p_clicks) > 0 then
        v_clicks := ads.clicks_resolve(p_node, p_segment, p_clicks);
    end if;

    if cardinality(p_impressions) > 0 or exists (select from unnest(p_clicks) c where c.flags & 1 <> 0) then
        select array_agg(u.event), array_agg(u.class)
        into v_events, v_classes
        from (
            select
                row(p_node, p_segment, c.off, 'click', ads.event_at(c.at_us), c.click, c.request, c.ad,
                    c.publisher, c.session, c.ip)::ads.event_pending,
                case
                    when c.flags & 2 <> 0 then 5
                    when c.class in (0, 1, 2, 4) then 0
                    when c.class = 3 and not ads.ad_stopped(c.ad, ads.event_at(c.at_us)) then 0
                    else c.class
                end::smallint
            from unnest(p_clicks) c
            where c.flags & 1 <> 0
            union all
            select
                row(p_node, p_segment, i.off, 'impression', ads.event_at(i.at_us), null, i.request, i.ad,
                    i.publisher, i.session, null)::ads.event_pending,
                case when i.flags & 2 <> 0 then 5 else 0 end::smallint
            from unnest(p_impressions) i
        ) u (event, class);

        if v_events is not null then
            select u.* into v_unsealed from ads.unsealed_resolve(v_events, v_classes, '-infinity') u;
            v_impressions := v_unsealed.o_impressions;
            pending := v_unsealed.o_pending;
            if v_unsealed.o_clicks is not null then
                v_clicks := array(
                    select k
                    from unnest(v_clicks || v_unsealed.o_clicks) k
                    order by k.off);
            end if;
        end if;
    end if;

    if v_clicks is not null or v_impressions is not null then
        select p.* into v_post from ads.events_post(p_node, v_clicks, v_impressions) p;
        clicks := coalesce(cardinality(v_clicks), 0);
        billed := v_post.o_billed;
        billed_micros := v_post.o_billed_micros;
        duplicates := v_post.o_duplicates;
        unfunded := v_post.o_unfunded;
        invalid := v_post.o_invalid;
        impressions := coalesce(cardinality(v_impressions), 0);
    end if;

    if cardinality(p_counts) > 0 then
        perform ads.no_ad_put(p_counts);
    end if;

    if cardinality(p_auctions) > 0 then
        perform ads.auctions_put(p_auctions);
    end if;
    return next;
end
$$;

comment on function ads.ingest is
    'commits one batch of a segment exactly once: cursor, events, bill, ledger, rollups';

-- What waited for a decision: now it is there, or no node can bring it any
-- more.  Of more than c_batch that wait, each call reads the next ones in
-- the order of their keys, round and round, so that none is starved by those
-- that have to go on waiting.  Rows another call is settling are left to it.
create or replace function ads.settle_pending(p_node bigint, p_epoch bigint)
returns table (
    settled bigint,
    billed bigint,
    billed_micros bigint,
    pending bigint)
language plpgsql
security definer
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    c_batch constant int := 5000;
    v_gone uuid := ads.uuid_floor((extract(epoch from now() - interval '26 hours') * 1000)::bigint);
    v_drained timestamptz;
    v_look ads.event_pending[];
    v_last ads.event_pending;
    v_events ads.event_pending[];
    v_unsealed record;
    v_post record;
begin
    perform ads.node_check(p_node, p_epoch);
    select coalesce(min(n.drained_to), '-infinity') into v_drained
    from ads.nodes n
    where n.retired_at is null;

    select array_agg(s.e order by (s.e).node, (s.e).segment, (s.e).off) into v_look
    from (
        select e
        from ads.event_pending e, ads.nodes n
        where n.id = p_node
            and (e.node, e.segment, e.off) > (n.looked_node, n.looked_segment, n.looked_off)
        order by e.node, e.segment, e.off
        limit c_batch
    ) s (e);
    v_last := v_look[c_batch];
    update ads.nodes n
    set looked_node = coalesce(v_last.node, (-2^63)::bigint),
        looked_segment = coalesce(v_last.segment, ads.uuid_floor(0)),
        looked_off = coalesce(v_last.off, 0)
    where n.id = p_node
        and (n.looked_node, n.looked_segment, n.looked_off) is distinct from (
            coalesce(v_last.node, (-2^63)::bigint),
            coalesce(v_last.segment, ads.uuid_floor(0)),
            coalesce(v_last.off, 0));

    select array_agg(x) into v_events
    from (
        select p.*
        from ads.event_pending p
        where (p.node, p.segment, p.off) in (
            (select e.node, e.segment, e.off
            from ads.event_pending e
            where e.at < v_drained
            order by e.at
            limit c_batch)
            union all
            (select e.node, e.segment, e.off
            from ads.event_pending e
            where e.request_id < v_gone
            order by e.request_id
            limit c_batch)
            union all
            (select o.node, o.segment, o.off
            from unnest(v_look) o
            where exists (
                select
                from ads.decisions d
                where d.request_id = o.request_id)))
        for update skip locked
    ) x;

    settled := coalesce(cardinality(v_events), 0);
    billed := 0;
    billed_micros := 0;
    if settled > 0 then
        delete from ads.event_pending p
        using unnest(v_events) e
        where p.node = e.node
            and p.segment = e.segment
            and p.off = e.off;

        select u.* into v_unsealed
        from ads.unsealed_resolve(v_events, array_fill(0::smallint, array[settled::int]), v_drained) u;
        select p.* into v_post from ads.events_post(p_node, v_unsealed.o_clicks, v_unsealed.o_impressions) p;
        billed := v_post.o_billed;
        billed_micros := v_post.o_billed_micros;
    end if;
    select count(*) into pending
    from (select from ads.event_pending limit 20000) e;
    return next;
end
$$;

comment on function ads.settle_pending(bigint, bigint) is
    'classifies events whose decision has arrived or cannot arrive any more; call at every tick';
