-- Events: one batch of resolved clicks and impressions into the tables.
--
-- Rows are locked in one order everywhere, so that nodes wait for each other
-- and never in a ring: the lock of new partitions, advertiser balances by id,
-- revenue rows by id, campaigns and days (whose advertiser is held),
-- impressions by (request, ad), and last the rollups, clicks and impressions
-- together, by key.

create or replace function ads.clicks_write(
    p_clicks ads.clicks[],
    p_state smallint[],
    p_txs bigint[])
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    insert into ads.clicks (
        node, off, at, price_micros, billed_micros, ledger_tx, session_hash, ip_hash, segment, click_id,
        request_id, ad_id, account_id, campaign_id, publisher_id, issue_day, budget_day,
        campaign_version, class, via, placement, country)
    select
        c.node, c.off, c.at, c.price_micros,
        case when p_txs[c.ordinality] > 0 then c.price_micros else 0 end,
        nullif(p_txs[c.ordinality], 0),
        c.session_hash, c.ip_hash, c.segment, c.click_id,
        c.request_id, c.ad_id, c.account_id, c.campaign_id, c.publisher_id, c.issue_day,
        case when p_txs[c.ordinality] > 0 then c.budget_day end,
        c.campaign_version, p_state[c.ordinality], c.via, c.placement, c.country
    from unnest(p_clicks) with ordinality c;
end
$$;

comment on function ads.clicks_write(ads.clicks[], smallint[], bigint[]) is 'inserts classified and billed clicks';

-- The first valid impression of a (request, ad) counts, whichever node has
-- it; the answer has those that did.  One that another node just took is
-- stored as a duplicate.
create or replace function ads.impressions_write(p_impressions ads.impressions[])
returns ads.impressions[]
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_counted ads.impressions[];
    v_lost ads.impressions[];
begin
    with classified as materialized (
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
        from classified j
        order by j.issue_day, j.request_id, j.ad_id, j.final_class
        on conflict (issue_day, request_id, ad_id) where class = 0 do nothing
        returning *
    )
    select
        (select array_agg(p) from put p where p.class = 0),
        (
            select array_agg(
                row(j.node, j.off, j.at, j.session_hash, j.segment, j.request_id, j.ad_id, j.account_id,
                    j.campaign_id, j.publisher_id, j.issue_day, 1, j.placement, j.country)::ads.impressions)
            from classified j
            where (j.node, j.segment, j.off) not in (select p.node, p.segment, p.off from put p))
    into v_counted, v_lost;

    insert into ads.impressions
    select l.*
    from unnest(v_lost) l;
    return v_counted;
end
$$;

comment on function ads.impressions_write(ads.impressions[]) is
    'inserts resolved impressions; answers those that count';

create or replace function ads.rollups_add(
    p_share_bps int,
    p_clicks ads.clicks[],
    p_state smallint[],
    p_txs bigint[],
    p_impressions ads.impressions[])
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    with event as (
        select
            c.account_id,
            ads.bucket(c.at) as bucket_at,
            c.campaign_id,
            c.ad_id,
            c.publisher_id,
            coalesce(c.placement, '') as placement,
            coalesce(c.country, '') as country,
            p_state[c.ordinality] as class,
            case when p_txs[c.ordinality] > 0 then c.price_micros else 0 end as billed
        from unnest(p_clicks) with ordinality c
        where p_state[c.ordinality] not in (5, 25)
        union all
        select
            i.account_id, ads.bucket(i.at), i.campaign_id, i.ad_id, i.publisher_id,
            coalesce(i.placement, ''), coalesce(i.country, ''), -1, 0
        from unnest(p_impressions) i
    ), ad_sum as materialized (
        select
            e.account_id, e.bucket_at, e.campaign_id, e.ad_id, e.publisher_id, e.placement, e.country,
            count(*) filter (where e.class = -1) as impressions,
            count(*) filter (where e.class = 0) as clicks,
            count(*) filter (where e.class = 1) as duplicate_clicks,
            count(*) filter (where e.class >= 16) as invalid_clicks,
            count(*) filter (where e.class = 4) as free_clicks,
            count(*) filter (where e.class = 2) as late_clicks,
            count(*) filter (where e.class = 3) as paused_clicks,
            sum(e.billed) as spend,
            sum(ads.share_micros(e.billed, p_share_bps)) as revenue
        from event e
        group by e.account_id, e.bucket_at, e.campaign_id, e.ad_id, e.publisher_id, e.placement, e.country
    ), queued as (
        insert into ads.report_deltas (
            bucket_at, account_id, campaign_id, ad_id, publisher_id, placement, country,
            impressions, clicks, invalid_clicks, duplicate_clicks, free_clicks, spend_micros, revenue_micros)
        select
            a.bucket_at, a.account_id, a.campaign_id, a.ad_id, a.publisher_id, a.placement, a.country,
            a.impressions, a.clicks, a.invalid_clicks, a.duplicate_clicks, a.free_clicks, a.spend, a.revenue
        from ad_sum a
        where a.impressions + a.clicks + a.invalid_clicks + a.duplicate_clicks + a.free_clicks > 0
    )
    insert into ads.spend_rollups as r (
        account_id, bucket_at, campaign_id, publisher_id, placement, country,
        impressions, clicks, duplicate_clicks, invalid_clicks, free_clicks, late_clicks, paused_clicks,
        spend_micros, revenue_micros)
    select
        e.account_id, e.bucket_at, e.campaign_id, e.publisher_id, e.placement, e.country,
        sum(e.impressions), sum(e.clicks), sum(e.duplicate_clicks), sum(e.invalid_clicks), sum(e.free_clicks),
        sum(e.late_clicks), sum(e.paused_clicks), sum(e.spend), sum(e.revenue)
    from ad_sum e
    group by e.account_id, e.bucket_at, e.campaign_id, e.publisher_id, e.placement, e.country
    order by e.account_id, e.bucket_at, e.campaign_id, e.publisher_id, e.placement, e.country
    on conflict (account_id, bucket_at, campaign_id, publisher_id, placement, country) do update
    set impressions = r.impressions + excluded.impressions,
        clicks = r.clicks + excluded.clicks,
        duplicate_clicks = r.duplicate_clicks + excluded.duplicate_clicks,
        invalid_clicks = r.invalid_clicks + excluded.invalid_clicks,
        free_clicks = r.free_clicks + excluded.free_clicks,
        late_clicks = r.late_clicks + excluded.late_clicks,
        paused_clicks = r.paused_clicks + excluded.paused_clicks,
        spend_micros = r.spend_micros + excluded.spend_micros,
        revenue_micros = r.revenue_micros + excluded.revenue_micros;
end
$$;

comment on function ads.rollups_add(int, ads.clicks[], smallint[], bigint[], ads.impressions[]) is
    'counts classified clicks and counted impressions, and queues them for the reports; tests and unknown ads are in none';

create or replace function ads.events_post(
    p_node bigint,
    p_clicks ads.clicks[],
    p_impressions ads.impressions[],
    out o_billed bigint,
    out o_billed_micros bigint,
    out o_duplicates bigint,
    out o_unfunded bigint,
    out o_invalid bigint)
language plpgsql
security definer
set search_path = ''
as $$
declare
    -- read once: another node may change it between the ledger and the reports
    v_share_bps int := (select s.publisher_share_bps from ads.settings s);
    v_state smallint[];
    v_ration record;
    v_txs bigint[];
    v_counted ads.impressions[];
begin
    perform ads.partition_days('clicks', array(
        select distinct c.issue_day
        from unnest(p_clicks) c
        order by c.issue_day));
    perform ads.partition_days('impressions', array(
        select distinct i.issue_day
        from unnest(p_impressions) i
        order by i.issue_day));

    o_billed_micros := 0;
    if p_clicks is not null then
        perform
        from ads.ledger_accounts la
        where la.kind = 'advertiser_balance'
            and la.account_id = any (array(
                select distinct c.account_id
                from unnest(p_clicks) c
                where c.class = 0))
        order by la.id
        for no key update;

        v_state := ads.clicks_classify(p_clicks);
        select r.* into v_ration from ads.clicks_ration(p_clicks, v_state) r;
        v_state := v_ration.o_state;
        select b.o_txs, b.o_billed_micros into v_txs, o_billed_micros
        from ads.clicks_bill(p_node, v_share_bps, p_clicks, v_state) b;
        if o_billed_micros > 0 then
            perform ads.clicks_spend(p_clicks, v_txs, v_ration.o_funds);
        end if;
        perform ads.clicks_write(p_clicks, v_state, v_txs);
    end if;

    if p_impressions is not null then
        v_counted := ads.impressions_write(p_impressions);
    end if;
    perform ads.rollups_add(v_share_bps, p_clicks, v_state, v_txs, v_counted);

    select count(*) into o_billed from unnest(v_txs) t where t > 0;
    select
        count(*) filter (where s = 1),
        count(*) filter (where s = 4),
        count(*) filter (where s >= 16)
    into o_duplicates, o_unfunded, o_invalid
    from unnest(v_state) s;
end
$$;

comment on function ads.events_post(bigint, ads.clicks[], ads.impressions[]) is
    'classifies, bills and stores resolved events in record order; revenue goes to p_node''s rows';
