-- Imports: feeds of products.
--
-- One import is one transaction: rows are copied into a temporary table, told
-- apart in one statement (new, changed, unchanged, gone), and written in few.
-- So whatever dies halfway leaves the old catalogue and no trace.  It reserves
-- its change number (15_change.sql), so no other account's writes wait for it;
-- the account's own writes of products are refused meanwhile (75_products.sql).
--
-- The steps, in this order, in the transaction of the import:
--
--     import_begin, copy into pg_temp.import_rows, import_compare,
--     import_products, import_ads, import_end
--
-- Nested loops are off in them: where the tables grew too fast for the
-- statistics, the planner takes thousands of rows for one, and a feed is
-- compared with itself for minutes.  What is left costs as much as the account
-- has products, which it does anyway, as long as each join names the account:
-- one that does not reads every account's.
--
-- What writes must not force custom plans: the checks of foreign keys run
-- under the same setting, and would be planned again for each row, which is
-- half the time of an import.
--
-- What came over HTTP waits in ads.import_bodies; a daemon claims it
-- (import_claim), and again after a daemon that had it died: the lock that
-- import_begin takes ends with its transaction.  Between the two the feed is
-- fetched, under no lock; the daemon that claimed it is left some time for
-- that, or two daemons would take a large feed from each other until it was
-- tried too often.

-- Before the body of a feed is read.  full: of all; it passes, as too_many (of
-- the account) does.  Else the quota that is used up, and for how long.  What
-- has an Idempotency-Key that is known gets its first answer again.
create or replace function ads.import_allowed(
    p_account uuid, p_len bigint, p_key text, out state text, out wait_s int)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
    c_of_account constant int := 5;
    -- an account that has none waiting is taken beyond the first bound
    c_of_all constant int := 100;
    c_most constant int := 1000;
    v_own bigint;
    v_all bigint;
begin
    wait_s := 0;
    state := 'allowed';
    if exists (select from ads.idempotency_keys k where k.account_id = p_account and k.key = p_key) then
        return;
    end if;
    select count(*) filter (where i.account_id = p_account), count(*)
    into v_own, v_all
    from ads.imports i
    where i.status in ('queued', 'running');
    if v_own >= c_of_account or (v_all >= c_of_all and v_own > 0) then
        state := 'too_many';
        return;
    end if;
    if v_all >= c_most then
        state := 'full';
        return;
    end if;
    select q.name || ' is ' || ads.quota_of(p_account, q.name), q.wait_s
    into state, wait_s
    from (
        values
            ('imports_per_day', ads.quota_wait(p_account, 'imports_per_day', 1)),
            ('import_mb_per_day', ads.quota_wait(p_account, 'import_mb_per_day', p_len / 1048576.0))
    ) q (name, wait_s)
    where q.wait_s > 0
    limit 1;
    state := coalesce(state, 'allowed');
    wait_s := coalesce(wait_s, 0);
end
$$;

comment on function ads.import_allowed(uuid, bigint, text) is
    'allowed; too_many (of the account), full (of all), or the quota that a feed of so many bytes is beyond';

create or replace function ads.import_put(
    p_account uuid,
    p_campaign uuid,
    p_dry_run boolean,
    p_archive_gone boolean,
    p_gone_max int,
    p_base_url text,
    p_currency text,
    p_format text,
    p_decimal text,
    p_map text,
    p_body bytea,
    out state text,
    out id uuid)
language plpgsql
security definer
set search_path = ''
as $$
begin
    if p_account is distinct from ads.tenant() or not exists (
        select
        from ads.campaigns c
        where c.account_id = p_account
            and c.id = p_campaign
            and c.status <> 'archived')
    then
        state := 'no_campaign';
        return;
    end if;
    select a.state into state
    from ads.import_allowed(p_account, length(p_body), null) a;
    if state in ('too_many', 'full') then
        return;
    end if;
    perform ads.quota_spend(p_account, 'imports_per_day', 1);
    perform ads.quota_spend(p_account, 'import_mb_per_day', length(p_body) / 1048576.0);

    state := 'queued';
    insert into ads.imports as i (
        account_id, campaign_id, source, dry_run, archive_gone, gone_max, base_url, currency, format, decimal_mark,
        column_map, body_len, actor, request_id)
    values (
        p_account, p_campaign, 'api', p_dry_run, p_archive_gone, p_gone_max, p_base_url, p_currency, p_format, p_decimal,
        p_map, length(p_body), coalesce(current_setting('ads.actor', true), ''),
        nullif(current_setting('ads.request_id', true), '')::uuid)
    returning i.id into id;
    insert into ads.import_bodies (import_id, account_id, body)
    values (id, p_account, p_body);
end
$$;

comment on function ads.import_put(uuid, uuid, boolean, boolean, int, text, text, text, text, text, bytea) is
    'a feed that came over HTTP waits: queued; no_campaign, too_many (of the account), full (of all): refused';

-- The lock of an import that is being worked at, in either kind of process.
create or replace function ads.import_lock(p_import uuid)
returns boolean
language sql
set search_path = ''
return pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(p_import::text, 19));

comment on function ads.import_lock(uuid) is 'false: somebody works at it';

-- The next one: of each account the one that waits longest, none while another
-- of the account is in progress (they would wait for each other); then that of
-- the account that kept the readers busy least within the last hour, then the
-- shorter one.
-- What kills a daemon each time must not do so for ever.
create or replace function ads.import_claim(p_len_max bigint)
returns table (
    import_id uuid,
    attempt int,
    account_id uuid,
    campaign_id uuid,
    dry_run boolean,
    archive_gone boolean,
    gone_max int,
    base_url text,
    currency text,
    format text,
    decimal_mark text,
    column_map text,
    actor text,
    request_id uuid,
    body_len bigint)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    c_attempts constant int := 5;
    c_fetch constant interval := '10 s';
    v_row ads.imports;
begin
    for v_row in
        with waiting as (
            select distinct on (w.account_id) w.id, w.account_id
            from ads.imports w
            where w.status in ('queued', 'running')
            order by w.account_id, w.status desc, w.created_at, w.id
        ),
        busy as (
            select f.account_id, sum(f.finished_at - f.started_at) as seconds
            from ads.imports f
            where f.finished_at > now() - interval '1 hour'
            group by f.account_id
        )
        select i.*
        from waiting w
        join ads.imports i on i.id = w.id
        left join busy b on b.account_id = w.account_id
        where i.status in ('queued', 'running')
            and (i.status = 'queued' or i.started_at < now() - c_fetch)
            and coalesce(i.body_len, 0) <= p_len_max
        order by coalesce(b.seconds, interval '0'), i.body_len, i.created_at, i.id
        for update of i skip locked
    loop
        continue when not ads.import_lock(v_row.id);
        if v_row.attempt >= c_attempts then
            perform ads.import_fail(v_row.id, v_row.attempt, 'interrupted', 'it was interrupted too often');
            continue;
        end if;
        return query
            update ads.imports i
            set status = 'running',
                attempt = i.attempt + 1,
                started_at = now(),
                phase = 'reading',
                percent = 0,
                n_rows = 0
            where i.id = v_row.id
            returning i.id, i.attempt, i.account_id, i.campaign_id, i.dry_run, i.archive_gone, i.gone_max,
                i.base_url, i.currency, i.format, i.decimal_mark, i.column_map, i.actor, i.request_id, i.body_len;
        return;
    end loop;
end
$$;

comment on function ads.import_claim(bigint) is
    'claims the next import of at most so many bytes that waits and that no daemon works at or has just claimed';

create or replace function ads.import_body(p_import uuid, p_from bigint, p_len int)
returns bytea
language sql
stable
security definer
set search_path = ''
as $$
    select substring(b.body from (p_from + 1)::int for p_len)
    from ads.import_bodies b
    where b.import_id = p_import
$$;

comment on function ads.import_body(uuid, bigint, int) is 'a piece of a feed that waits';

create or replace function ads.import_progress(
    p_import uuid, p_attempt int, p_phase text, p_percent int, p_rows bigint, p_bad bigint)
returns void
language sql
security definer
set search_path = ''
as $$
    update ads.imports i
    set phase = p_phase,
        percent = p_percent,
        n_rows = p_rows,
        n_bad = p_bad
    where i.id = p_import
        and i.attempt = p_attempt
        and i.status = 'running'
$$;

comment on function ads.import_progress(uuid, int, text, int, bigint, bigint) is 'how far it is, for those who look';

create or replace function ads.import_fail(p_import uuid, p_attempt int, p_code text, p_detail text)
returns void
language sql
security definer
set search_path = ''
as $$
    with failed as (
        update ads.imports i
        set status = 'failed',
            phase = null,
            fault_code = p_code,
            fault_detail = p_detail,
            finished_at = now()
        where i.id = p_import
            and i.attempt = p_attempt
            and i.status = 'running'
        returning i.id
    )
    delete from ads.import_bodies b
    using failed f
    where b.import_id = f.id
$$;

comment on function ads.import_fail(uuid, int, text, text) is 'it cannot be imported';

-- p_import null: nothing waits, a file of the operator.
create or replace function ads.import_begin(p_import uuid, p_attempt int)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    -- a client that died is noticed while a long statement runs
    perform set_config('client_connection_check_interval', '2s', true);
    if p_import is not null and (not ads.import_lock(p_import) or not exists (
        select
        from ads.imports i
        where i.id = p_import
            and i.attempt = p_attempt
            and i.status = 'running'))
    then
        raise exception 'another daemon claimed the import'
            using errcode = 'ADI02';
    end if;

    create temporary table import_rows (
        n bigint not null,
        bad boolean not null,
        product_id uuid not null,
        ad_id uuid not null,
        like ads.product_in
    ) on commit drop;
    alter table pg_temp.import_rows
        alter column sku set not null;
    grant insert on pg_temp.import_rows to ads_ops;
end
$$;

comment on function ads.import_begin(uuid, int) is 'a place for the rows of a feed, as long as the transaction';

-- Tells rows apart.  p_said names the fields that the feed has at all, of
-- those that feeds may do without: what is not named stays as it is, and what
-- is, but not in a row, is taken away.  import_found keeps what such a field
-- will be.  A bad row keeps its product from being gone.  Gone is what this
-- campaign shows, by sku, and the feed has not.
create or replace function ads.import_compare(
    p_account uuid,
    p_campaign uuid,
    p_said text[],
    out added bigint,
    out changed bigint,
    out unchanged bigint,
    out repeated bigint,
    out gone bigint,
    out present bigint)
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_nestloop = off
as $$
declare
    v_rows bigint;
begin
    perform set_config('work_mem', '128MB', true);
    perform set_config('lock_timeout', '120s', true);
    perform pg_advisory_xact_lock(hashtextextended('ads.import ' || p_account, 0));
    perform
    from ads.campaigns c
    where c.account_id = p_account
        and c.id = p_campaign
        and c.status <> 'archived'
    for key share;
    if not found then
        raise exception 'the account has no such campaign that is not archived'
            using errcode = 'ADN01';
    end if;

    analyze pg_temp.import_rows (n, bad, sku);
    with d as (
        delete from pg_temp.import_rows r
        using (
            select s.sku, max(s.n) as n
            from pg_temp.import_rows s
            where not s.bad
            group by s.sku
            having count(*) > 1
        ) m
        where not r.bad
            and r.sku = m.sku
            and r.n < m.n
        returning r.n
    )
    select count(*) into repeated
    from d;

    create temporary table import_found on commit drop as
    select
        r.n,
        p.id as product_id,
        d.id as ad_id,
        d.status as ad_status,
        p.status <> 'active' or ads.product_fields(p) is distinct from
        row(r.sku, r.title, r.description, r.brand, r.gtin, r.category, v.keywords, r.url, r.image_url,
            r.price_micros, r.currency, v.sale_price_micros, v.price_valid_until, v.availability, v.language,
            v.attributes)::ads.product_in as differs,
        v.*
    from pg_temp.import_rows r
    join ads.products p
        on p.account_id = p_account
        and p.sku = r.sku
    left join ads.ads d
        on d.account_id = p_account
        and d.campaign_id = p_campaign
        and d.product_id = p.id
    cross join lateral (
        select
            case when 'availability' = any (p_said) then r.availability else p.availability end as availability,
            case when 'attributes' = any (p_said) then r.attributes else p.attributes end as attributes,
            case when 'keywords' = any (p_said) then r.keywords else p.keywords end as keywords,
            case when 'language' = any (p_said) then r.language else p.language end as language,
            case
                when 'sale_price' = any (p_said) then r.sale_price_micros
                when p.sale_price_micros <= r.price_micros then p.sale_price_micros
            end as sale_price_micros,
            case when 'sale_price' = any (p_said) then r.price_valid_until else p.price_valid_until
            end as price_valid_until
    ) v
    where not r.bad;
    analyze pg_temp.import_found (n, product_id, ad_id, ad_status, differs);

    create temporary table import_gone (
        product_id uuid not null,
        ad_id uuid not null
    ) on commit drop;
    with shown as materialized (
        select p.id as product_id, d.id as ad_id, p.sku
        from ads.ads d
        join ads.products p
            on p.account_id = p_account
            and p.id = d.product_id
        where d.account_id = p_account
            and d.campaign_id = p_campaign
            and d.status = 'active'
            and p.status = 'active'
            and p.sku is not null
    ),
    g as (
        insert into pg_temp.import_gone (product_id, ad_id)
        select s.product_id, s.ad_id
        from shown s
        where not exists (
                select
                from pg_temp.import_found f
                where f.product_id = s.product_id)
            and not exists (
                select
                from pg_temp.import_rows r
                where r.bad
                    and r.sku = s.sku)
        returning product_id
    )
    select (select count(*) from g), (select count(*) from shown)
    into gone, present;

    select count(*) into v_rows
    from pg_temp.import_rows r
    where not r.bad;
    select
        count(*) filter (where f.differs or f.ad_status is distinct from 'active'),
        count(*) filter (where not (f.differs or f.ad_status is distinct from 'active'))
    into changed, unchanged
    from pg_temp.import_found f;
    added := v_rows - changed - unchanged;
end
$$;

comment on function ads.import_compare(uuid, uuid, text[]) is
    'what a feed would change; gone of present (what the campaign shows now)';

create or replace function ads.import_products(p_account uuid)
returns void
language plpgsql
security definer
set search_path = ''
set enable_nestloop = off
as $$
begin
    perform ads.change_reserve();
    -- thousands of rows: one line of the audit log for all of them
    perform set_config('ads.audit_rows', 'off', true);
    perform set_config('ads.review_off', case when s.review = 'auto' then 'on' else '' end, true)
    from ads.settings s;

    insert into ads.products (
        id, account_id, sku, title, description, brand, gtin, category, keywords, url, image_url, price_micros,
        currency, sale_price_micros, price_valid_until, availability, language, attributes)
    select
        r.product_id, p_account, r.sku, r.title, r.description, r.brand, r.gtin, r.category, r.keywords, r.url,
        r.image_url, r.price_micros, r.currency, r.sale_price_micros, r.price_valid_until, r.availability, r.language,
        r.attributes
    from pg_temp.import_rows r
    where not r.bad
        and not exists (
            select
            from pg_temp.import_found f
            where f.n = r.n);
    perform set_config('ads.review_off', '', true);

    update ads.products p
    set (title, description, brand, gtin, category, keywords, url, image_url, price_micros, currency,
            sale_price_micros, price_valid_until, availability, language, attributes, status) = (
        r.title, r.description, r.brand, r.gtin, r.category, f.keywords, r.url, r.image_url, r.price_micros, r.currency,
            f.sale_price_micros, f.price_valid_until, f.availability, f.language, f.attributes, 'active')
    from pg_temp.import_found f
    join pg_temp.import_rows r on r.n = f.n
    where f.differs
        and p.id = f.product_id
        and p.account_id = p_account;
end
$$;

comment on function ads.import_products(uuid) is 'writes the products that are new or changed';

-- A gone product that other campaigns show loses only its ad in this one.
create or replace function ads.import_ads(p_account uuid, p_campaign uuid, p_archive boolean)
returns bigint
language plpgsql
security definer
set search_path = ''
set enable_nestloop = off
as $$
declare
    v_archived bigint := 0;
begin
    insert into ads.ads (id, account_id, campaign_id, product_id)
    select r.ad_id, p_account, p_campaign, coalesce(f.product_id, r.product_id)
    from pg_temp.import_rows r
    left join pg_temp.import_found f on f.n = r.n
    where not r.bad
        and f.ad_id is null;

    update ads.ads d
    set status = 'active'
    from pg_temp.import_found f
    where f.ad_status = 'archived'
        and d.id = f.ad_id
        and d.account_id = p_account;

    if p_archive and exists (select from pg_temp.import_gone) then
        update ads.products p
        set status = 'archived'
        from pg_temp.import_gone g
        where p.id = g.product_id
            and p.account_id = p_account
            and not exists (
                select
                from ads.ads x
                where x.account_id = p_account
                    and x.product_id = g.product_id
                    and x.campaign_id <> p_campaign
                    and x.status = 'active');
        update ads.ads d
        set status = 'archived'
        from pg_temp.import_gone g
        join ads.products p
            on p.account_id = p_account
            and p.id = g.product_id
        where p.status = 'active'
            and d.id = g.ad_id
            and d.account_id = p_account;
        select count(*) into v_archived
        from pg_temp.import_gone;
    end if;
    perform ads.products_recount(p_account,
        (select count(*) from pg_temp.import_rows r where not r.bad) - (select count(*) from pg_temp.import_found));
    return v_archived;
end
$$;

comment on function ads.import_ads(uuid, uuid, boolean) is
    'writes the ads of the feed''s products, and archives what is gone when asked; says how many of those';

-- The last statement: what came of it.  p_import null makes a row of it.
create or replace function ads.import_end(
    p_import uuid,
    p_attempt int,
    p_account uuid,
    p_campaign uuid,
    p_archive_gone boolean,
    p_gone_max int,
    p_format text,
    p_mapping jsonb,
    p_prices jsonb,
    p_rows bigint,
    p_added bigint,
    p_changed bigint,
    p_unchanged bigint,
    p_repeated bigint,
    p_bad bigint,
    p_gone bigint,
    p_archived bigint,
    p_fault_code text,
    p_fault_detail text,
    p_line bigint[],
    p_col int[],
    p_field text[],
    p_rule text[],
    p_sku text[],
    p_value text[])
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_id uuid := p_import;
begin
    if v_id is null then
        insert into ads.imports as i (
            account_id, campaign_id, source, status, attempt, archive_gone, gone_max, started_at, actor)
        values (
            p_account, p_campaign, 'ctl', 'running', p_attempt, p_archive_gone, p_gone_max, now(),
            coalesce(current_setting('ads.actor', true), ''))
        returning i.id into v_id;
    end if;
    update ads.imports i
    set status = case when p_fault_code is null then 'done' else 'failed' end,
        phase = null,
        percent = case when p_fault_code is null then 100 else i.percent end,
        format = coalesce(p_format, i.format),
        mapping = p_mapping,
        prices = p_prices,
        n_rows = p_rows,
        n_added = p_added,
        n_changed = p_changed,
        n_unchanged = p_unchanged,
        n_repeated = p_repeated,
        n_bad = p_bad,
        n_gone = p_gone,
        n_archived = p_archived,
        fault_code = p_fault_code,
        fault_detail = p_fault_detail,
        finished_at = clock_timestamp()
    where i.id = v_id
        and i.attempt = p_attempt
        and i.status = 'running';
    if not found then
        raise exception 'another daemon claimed the import'
            using errcode = 'ADI02';
    end if;
    delete from ads.import_bodies b
    where b.import_id = v_id;
    insert into ads.import_errors (import_id, n, account_id, line, col, field, rule, sku, value)
    select v_id, e.n, p_account, e.line, e.col, e.field, e.rule, nullif(e.sku, ''), nullif(e.value, '')
    from unnest(p_line, p_col, p_field, p_rule, p_sku, p_value) with ordinality e (line, col, field, rule, sku, value, n);

    perform set_config('ads.audit_rows', '', true);
    if p_fault_code is null and p_added + p_changed + p_archived > 0
        and coalesce(current_setting('ads.change_reserved', true), '') <> ''
    then
        perform ads.audit_put(p_account, 'import', 'products', p_campaign::text, null,
            jsonb_build_object('import', v_id, 'added', p_added, 'changed', p_changed, 'archived', p_archived));
        perform ads.change_settle();
    end if;
    return v_id;
end
$$;

comment on function ads.import_end is 'notes what came of an import; only the commit may follow';

create or replace function ads.imports_tidy(p_days int)
returns bigint
language sql
security definer
set search_path = ''
as $$
    with d as (
        delete from ads.imports i
        where i.finished_at < now() - make_interval(days => p_days)
        returning 1
    )
    select count(*)
    from d
$$;

comment on function ads.imports_tidy(int) is 'drops what was imported long ago, with its report';
