-- Events: one batch of resolved clicks and impressions into the tables.
--
-- Rows are locked in one order everywhere, so that nodes wait for each other
-- and never in a ring: the lock of new partitions, advertiser balances by id,
-- revenue rows by id, campaigns and days (whose advertiser is held),
-- impressions by (request, ad), and last the rollups, clicks and impressions
-- together, by key.
--
-- A balance that somebody else holds for longer than 200 ms delays its advertiser
-- and no one else: the clicks that it would pay for are set aside in
-- ads.clicks_held, by the same transaction that moves the cursor.  As long as
-- an advertiser has some there, its next ones follow them, so that they stay in
-- order.  ads.held_settle bills them once the balance is free.

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

-- Of those advertisers whose balance is not to be had it locks none.
create or replace function ads.balances_lock(p_accounts uuid[], out o_blocked uuid[])
language plpgsql
security definer
set search_path = ''
set lock_timeout = '200ms'
as $$
begin
    begin
        perform
        from ads.ledger_accounts la
        where la.kind = 'advertiser_balance'
            and la.account_id = any (p_accounts)
        order by la.id
        for no key update;
        return;
    exception when lock_not_available then
        null;
    end;

    -- waits for none of them, so the order does not matter
    with free as materialized (
        select la.account_id
        from ads.ledger_accounts la
        where la.kind = 'advertiser_balance'
            and la.account_id = any (p_accounts)
        for no key update skip locked
    )
    select array_agg(a.id) into o_blocked
    from unnest(p_accounts) a (id)
    where a.id not in (select f.account_id from free f);
end
$$;

comment on function ads.balances_lock(uuid[]) is
    'locks balances in the order of their ids; answers those that another transaction holds for over 200 ms';

create or replace function ads.clicks_hold(p_clicks ads.clicks[], p_accounts uuid[])
returns void
language sql
security definer
set search_path = ''
as $$
    insert into ads.clicks_held
    select c.*
    from unnest(p_clicks) c
    where c.class = 0
        and c.account_id = any (p_accounts)
$$;

comment on function ads.clicks_hold(ads.clicks[], uuid[]) is
    'sets the clicks that these accounts would pay for aside, in their order';

-- The caller holds the balances of all advertisers that may be billed.
create or replace function ads.events_book(
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
    o_billed_micros := 0;
    if p_clicks is not null then
        v_state := ads.clicks_rules(p_clicks, ads.clicks_classify(p_clicks));
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

comment on function ads.events_book(bigint, ads.clicks[], ads.impressions[]) is
    'classifies, bills and stores resolved events in record order; revenue goes to p_node''s rows';

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
    v_accounts uuid[];
    v_blocked uuid[];
    v_clicks ads.clicks[] := p_clicks;
begin
    perform ads.partition_days('clicks', array(
        select distinct c.issue_day
        from unnest(p_clicks) c
        order by c.issue_day));
    perform ads.partition_days('impressions', array(
        select distinct i.issue_day
        from unnest(p_impressions) i
        order by i.issue_day));

    if p_clicks is not null then
        v_accounts := array(
            select distinct c.account_id
            from unnest(p_clicks) c
            where c.class = 0);
        v_blocked := ads.balances_lock(array(
            select a.id
            from unnest(v_accounts) a (id)
            where not exists (
                select
                from ads.clicks_held h
                where h.account_id = a.id)));

        -- seen by a new snapshot: they may have come while this waited
        v_blocked := v_blocked || array(
            select a.id
            from unnest(v_accounts) a (id)
            where exists (
                select
                from ads.clicks_held h
                where h.account_id = a.id));
        if cardinality(v_blocked) > 0 then
            perform ads.clicks_hold(p_clicks, v_blocked);
            v_clicks := nullif(array(
                select c
                from unnest(p_clicks) c
                where c.class <> 0
                    or c.account_id <> all (v_blocked)), '{}');
        end if;
    end if;

    select b.* into o_billed, o_billed_micros, o_duplicates, o_unfunded, o_invalid
    from ads.events_book(p_node, v_clicks, p_impressions) b;
end
$$;

comment on function ads.events_post(bigint, ads.clicks[], ads.impressions[]) is
    'books resolved events; the clicks of advertisers whose balance is held by another are set aside';

-- Step by step through the index: an advertiser may have very many there.
create or replace function ads.held_accounts()
returns uuid[]
language sql
stable
security definer
set search_path = ''
set enable_seqscan = off
as $$
    with recursive account (id) as (
        (select h.account_id from ads.clicks_held h order by h.account_id limit 1)
        union all
        select (
            select h.account_id
            from ads.clicks_held h
            where h.account_id > a.id
            order by h.account_id
            limit 1)
        from account a
        where a.id is not null
    )
    select array(select a.id from account a where a.id is not null)
$$;

comment on function ads.held_accounts() is 'advertisers that have clicks set aside';

-- Never waits: what is still locked is tried again at the next call.
create or replace function ads.held_settle(p_node bigint, p_epoch bigint)
returns table (
    settled bigint,
    blocked bigint,
    oldest_at timestamptz)
language plpgsql
security definer
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    c_batch constant int := 5000;
    v_accounts uuid[];
    v_held ads.clicks_held[];
begin
    perform ads.node_check(p_node, p_epoch);
    settled := 0;
    blocked := 0;
    v_accounts := ads.held_accounts();
    if cardinality(v_accounts) > 0 then
        with free as materialized (
            select la.account_id
            from ads.ledger_accounts la
            where la.kind = 'advertiser_balance'
                and la.account_id = any (v_accounts)
            for no key update skip locked
        )
        select array_agg(f.account_id) into v_accounts
        from free f;

        -- by a new snapshot, now that no other call takes them
        v_held := array(
            select h
            from ads.clicks_held h
            where h.account_id = any (v_accounts)
            order by h.held_no
            limit c_batch);
        settled := cardinality(v_held);
        if settled > 0 then
            delete from ads.clicks_held h
            using unnest(v_held) t
            where h.node = t.node
                and h.segment = t.segment
                and h.off = t.off;
            perform ads.events_book(p_node, array(
                select row(t.node, t.off, t.at, t.price_micros, 0, null, t.session_hash, t.ip_hash, t.segment,
                    t.click_id, t.request_id, t.ad_id, t.account_id, t.campaign_id, t.publisher_id, t.issue_day,
                    t.budget_day, t.campaign_version, t.class, t.via, t.placement, t.country)::ads.clicks
                from unnest(v_held) with ordinality t
                order by t.ordinality), null);
        end if;
        blocked := cardinality(ads.held_accounts());
        oldest_at := (select h.at from ads.clicks_held h order by h.at limit 1);
    end if;
    return next;
end
$$;

comment on function ads.held_settle(bigint, bigint) is
    'bills clicks that were set aside, of balances that are free again; says how many advertisers still wait';

-- A locked row names the transaction that locked it.  One that several share is
-- left out here, and one that was prepared has no backend.
create or replace function ads.held_by()
returns table (
    account_id uuid,
    pid int,
    login text,
    application text,
    ours boolean)
language sql
stable
security definer
set search_path = ''
as $$
    select la.account_id, l.pid, a.usename::text, a.application_name, coalesce(a.usename = session_user, false)
    from ads.ledger_accounts la
    join pg_catalog.pg_locks l
        on l.locktype = 'transactionid'
        and l.granted
        and l.transactionid = la.xmax
    left join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where la.kind = 'advertiser_balance'
        and la.account_id = any (ads.held_accounts())
        and l.pid is distinct from pg_backend_pid()
    order by la.account_id
    limit 100
$$;

comment on function ads.held_by() is
    'who holds the balances of advertisers that have clicks set aside; ours: a session of the same login';
