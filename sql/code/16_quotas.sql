-- Quotas: no account fills tables or uses up time that all share.
--
-- Each is one row of ads.quotas: its name, how much (as adsd.conf says), in
-- which time, and what is counted.  A quota without a time bounds what an
-- account has, without what it archived: beyond it is ADQ01, 409.  One with a
-- time bounds what an account, or a person, does: beyond it is ADQ02, 429, and
-- the hint says after how many seconds there is enough again.
--
-- How much was done is one time for each: when all of the quota will be there
-- again.  To take a part of the quota moves that by as large a part of its
-- time; no further ahead than the whole of it.  Who gets another quota keeps how
-- much it did, so that time is changed with it.
--
-- Two that come at the same moment may both be let in by a quota without a
-- time: a bound against floods need not be exact.

create or replace function ads.quotas_put(p_names text[], p_most bigint[])
returns void
language sql
security definer
set search_path = ''
as $$
    with was as (
        select q.name, q.most
        from ads.quotas q
    ),
    changed as (
        update ads.quotas q
        set most = p.most
        from unnest(p_names, p_most) p (name, most)
        where q.name = p.name
            and q.most <> p.most
        returning q.name, q.most
    )
    update ads.quota_use u
    set full_at = now() + (u.full_at - now()) * (was.most / c.most::double precision)
    from changed c
    join was on was.name = c.name
    where u.name = c.name
        and u.full_at > now()
        and not exists (
            select
            from ads.account_quotas a
            where a.account_id = u.subject
                and a.name = u.name)
$$;

comment on function ads.quotas_put(text[], bigint[]) is 'what adsd.conf says, at each start';

create or replace function ads.quota_of(p_account uuid, p_name text)
returns bigint
language sql
stable
security definer
set search_path = ''
as $$
    select coalesce((
        select a.most
        from ads.account_quotas a
        where a.account_id = p_account
            and a.name = p_name), (
        select q.most
        from ads.quotas q
        where q.name = p_name))
$$;

comment on function ads.quota_of(uuid, text) is 'how much an account may have or do';

-- ---- what an account does ---------------------------------------------------

create or replace function ads.quota_wait(p_subject uuid, p_name text, p_n numeric)
returns int
language sql
stable
security definer
set search_path = ''
as $$
    select case
        when p_n > ads.quota_of(p_subject, p_name) then ceil(extract(epoch from q.per))
        else greatest(0, ceil(extract(epoch from greatest(u.full_at, now()) - now() - q.per)
            + extract(epoch from q.per) * p_n / ads.quota_of(p_subject, p_name)))
    end::int
    from ads.quotas q
    left join ads.quota_use u
        on u.subject = p_subject
        and u.name = q.name
    where q.name = p_name
$$;

comment on function ads.quota_wait(uuid, text, numeric) is 'seconds until so much of a quota is there; 0: it is';

create or replace function ads.quota_take(p_subject uuid, p_name text, p_n numeric)
returns int
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_per interval := (select q.per from ads.quotas q where q.name = p_name);
    v_part interval := v_per * (p_n / ads.quota_of(p_subject, p_name))::double precision;
begin
    if v_part <= v_per then
        insert into ads.quota_use as u (subject, name, full_at)
        values (p_subject, p_name, now() + v_part)
        on conflict (subject, name) do update
        set full_at = greatest(u.full_at, now()) + v_part
        where greatest(u.full_at, now()) + v_part <= now() + v_per;
        if found then
            return 0;
        end if;
    end if;
    return greatest(1, ads.quota_wait(p_subject, p_name, p_n));
end
$$;

comment on function ads.quota_take(uuid, text, numeric) is
    'takes so much of a quota: 0; or the seconds until there is as much, and takes nothing';

create or replace function ads.quota_give_back(p_subject uuid, p_name text, p_n numeric)
returns void
language sql
security definer
set search_path = ''
as $$
    update ads.quota_use u
    set full_at = u.full_at - q.per * (p_n / ads.quota_of(p_subject, p_name))::double precision
    from ads.quotas q
    where u.subject = p_subject
        and u.name = p_name
        and q.name = p_name
$$;

comment on function ads.quota_give_back(uuid, text, numeric) is 'what was taken and not needed';

create or replace function ads.quota_spend(p_subject uuid, p_name text, p_n numeric)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_wait int := ads.quota_take(p_subject, p_name, p_n);
begin
    if v_wait > 0 then
        raise exception '% is %', p_name, ads.quota_of(p_subject, p_name)
            using errcode = 'ADQ02', hint = v_wait;
    end if;
end
$$;

comment on function ads.quota_spend(uuid, text, numeric) is 'takes so much of a quota, or raises ADQ02';

-- ---- what an account has ----------------------------------------------------

create or replace function ads.quota_count_check(p_account uuid, p_name text, p_n bigint)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
    if p_n > ads.quota_of(p_account, p_name) then
        raise exception '% is %, and the account has as many', p_name, ads.quota_of(p_account, p_name)
            using errcode = 'ADQ01';
    end if;
end
$$;

comment on function ads.quota_count_check(uuid, text, bigint) is 'raises ADQ01 where an account would have so many';

create or replace function ads.quota_count(p_account uuid, p_name text)
returns bigint
language sql
stable
security definer
set search_path = ''
as $$
    select case p_name
        when 'campaigns_max' then (
            select count(*) from ads.campaigns c where c.account_id = p_account and c.status <> 'archived')
        when 'products_max' then (
            select coalesce(sum(p.n), 0) from ads.product_counts p where p.account_id = p_account)
        when 'members_max' then
            (select count(*) from ads.members m where m.account_id = p_account)
            + (select count(*) from ads.invitations i where i.account_id = p_account)
        when 'keys_max' then (
            select count(*) from ads.key_states k where k.account_id = p_account and k.status = 'active')
        when 'topups_max' then (
            select count(*) from ads.topups t where t.account_id = p_account and t.status = 'pending')
    end
$$;

comment on function ads.quota_count(uuid, text) is 'how many an account has of what the quota counts';

-- After rows were made.  The arguments are the quota of what is there and that
-- of what is made; '': none.
create or replace function ads.quota_guard()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_made record;
begin
    for v_made in
        select m.account_id, count(*) as n
        from made m
        group by m.account_id
        order by m.account_id
    loop
        if tg_argv[0] <> '' then
            perform ads.quota_count_check(v_made.account_id, tg_argv[0],
                ads.quota_count(v_made.account_id, tg_argv[0]));
        end if;
        if tg_argv[1] <> '' then
            perform ads.quota_spend(v_made.account_id, tg_argv[1], v_made.n);
        end if;
    end loop;
    return null;
end
$$;

comment on function ads.quota_guard() is 'refuses (ADQ01, ADQ02) rows beyond what an account may have or make';

do $$
declare
    v_table text;
    v_has text;
    v_makes text;
begin
    for v_table, v_has, v_makes in
        values
            ('campaigns', 'campaigns_max', 'campaigns_per_day'),
            ('invitations', 'members_max', 'mails_per_day'),
            ('topups', 'topups_max', ''),
            ('api_keys', '', 'keys_per_day')
    loop
        execute format('create or replace trigger %I after insert on ads.%I referencing new table as made'
            ' for each statement execute function ads.quota_guard(%L, %L)',
            v_table || '_quota', v_table, v_has, v_makes);
    end loop;
end
$$;

-- ---- products ---------------------------------------------------------------
-- There may be millions, so they are counted as they come and go.

-- The caller holds the lock of the account's bulk writes; p_more will not be
-- archived any more, p_made of them are new.
create or replace function ads.products_more(p_account uuid, p_more bigint, p_made bigint)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_n bigint;
begin
    if p_more = 0 then
        return;
    end if;
    update ads.product_counts c
    set n = c.n + p_more
    where c.account_id = p_account
    returning c.n into v_n;
    if not found then
        v_n := p_more + (
            select count(*)
            from ads.products p
            where p.account_id = p_account
                and p.status <> 'archived');
        insert into ads.product_counts (account_id, n)
        values (p_account, v_n);
    end if;
    perform ads.quota_count_check(p_account, 'products_max', v_n);
    perform ads.quota_spend(p_account, 'products_per_day', p_made);
end
$$;

comment on function ads.products_more(uuid, bigint, bigint) is
    'before products are written: refuses (ADQ01, ADQ02) what is beyond the quotas';

create or replace function ads.products_less(p_account uuid, p_n bigint)
returns void
language sql
security definer
set search_path = ''
as $$
    update ads.product_counts c
    set n = greatest(0, c.n - p_n)
    where c.account_id = p_account
        and p_account = ads.tenant()
$$;

comment on function ads.products_less(uuid, bigint) is 'so many were archived';

-- After an import, which costs as much as the account has products anyway.  One
-- that adds nothing is no reason to refuse it where there are too many already.
create or replace function ads.products_recount(p_account uuid, p_made bigint)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_was bigint := (select c.n from ads.product_counts c where c.account_id = p_account);
    v_n bigint := (
        select count(*)
        from ads.products p
        where p.account_id = p_account
            and p.status <> 'archived');
begin
    if v_n > coalesce(v_was, v_n - p_made) then
        perform ads.quota_count_check(p_account, 'products_max', v_n);
    end if;
    if p_made > 0 then
        perform ads.quota_spend(p_account, 'products_per_day', p_made);
    end if;
    insert into ads.product_counts as c (account_id, n)
    values (p_account, v_n)
    on conflict (account_id) do update
    set n = excluded.n
    where c.n <> excluded.n;
end
$$;

comment on function ads.products_recount(uuid, bigint) is
    'counts the products again; refuses (ADQ01, ADQ02) what is beyond the quotas: the caller''s transaction ends';

-- ---- reports ----------------------------------------------------------------

-- Two seconds are taken before a report, which is about as long as one may
-- take, so that those which fail count too; what it did not take is given back.
create or replace function ads.report_allowed(p_account uuid)
returns int
language sql
security definer
set search_path = ''
as $$
    select case when p_account = ads.tenant() then ads.quota_take(p_account, 'report_seconds_per_hour', 2) end
$$;

comment on function ads.report_allowed(uuid) is 'may the account ask for a report?  0, or the seconds to wait';

create or replace function ads.report_took(p_account uuid, p_ms int)
returns void
language sql
security definer
set search_path = ''
as $$
    select ads.quota_give_back(p_account, 'report_seconds_per_hour', 2 - p_ms / 1000.0)
    where p_account = ads.tenant()
$$;

comment on function ads.report_took(uuid, int) is 'what a report took instead of two seconds';

-- ---- for those who look -----------------------------------------------------

create or replace function ads.quotas_of(p_account uuid)
returns table (name text, most bigint, used bigint, per_s bigint, counts text)
language sql
stable
security definer
set search_path = ''
as $$
    select q.name, ads.quota_of(p_account, q.name),
        coalesce(
            ads.quota_count(p_account, q.name),
            ceil(ads.quota_of(p_account, q.name)
                * greatest(0, extract(epoch from u.full_at - now())) / extract(epoch from q.per))::bigint,
            0),
        extract(epoch from q.per)::bigint, q.counts
    from ads.quotas q
    left join ads.quota_use u
        on u.subject = p_account
        and u.name = q.name
    where q.name <> 'person_mails_per_day'
        and coalesce(ads.tenant(), p_account) = p_account
    order by q.name
$$;

comment on function ads.quotas_of(uuid) is 'the quotas of an account and what is used of them; of the tenant, where there is one';

create or replace function ads.account_quota_put(p_account uuid, p_name text, p_most bigint)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_was bigint := ads.quota_of(p_account, p_name);
begin
    if v_was is null or not exists (select from ads.accounts a where a.id = p_account) then
        return false;
    end if;
    if p_most is null then
        delete from ads.account_quotas a
        where a.account_id = p_account
            and a.name = p_name;
    else
        insert into ads.account_quotas as a (account_id, name, most)
        values (p_account, p_name, p_most)
        on conflict (account_id, name) do update
        set most = excluded.most;
    end if;
    update ads.quota_use u
    set full_at = now() + (u.full_at - now()) * (v_was / ads.quota_of(p_account, p_name)::double precision)
    where u.subject = p_account
        and u.name = p_name
        and u.full_at > now();
    return true;
end
$$;

comment on function ads.account_quota_put(uuid, text, bigint) is
    'gives one account another quota; null: that of all again; false: no such account or quota';

create or replace function ads.quotas_use()
returns table (name text, percent int)
language sql
stable
security definer
set search_path = ''
as $$
    with counted (name, account_id, n) as (
        select 'campaigns_max', c.account_id, count(*)
        from ads.campaigns c
        where c.status <> 'archived'
        group by c.account_id
        union all
        select 'products_max', p.account_id, p.n
        from ads.product_counts p
        union all
        select 'members_max', m.account_id, count(*)
        from (
            select x.account_id from ads.members x
            union all
            select i.account_id from ads.invitations i
        ) m
        group by m.account_id
        union all
        select 'keys_max', k.account_id, count(*)
        from ads.key_states k
        where k.status = 'active'
        group by k.account_id
        union all
        select 'topups_max', t.account_id, count(*)
        from ads.topups t
        where t.status = 'pending'
        group by t.account_id
    ),
    used (name, percent) as (
        select c.name, 100.0 * c.n / coalesce(a.most, q.most)
        from counted c
        join ads.quotas q on q.name = c.name
        left join ads.account_quotas a
            on a.account_id = c.account_id
            and a.name = c.name
        union all
        select q.name, 100.0 * extract(epoch from u.full_at - now()) / extract(epoch from q.per)
        from ads.quota_use u
        join ads.quotas q on q.name = u.name
        where u.full_at > now()
    )
    select q.name, coalesce(ceil(max(u.percent)), 0)::int
    from ads.quotas q
    left join used u on u.name = q.name
    group by q.name
$$;

comment on function ads.quotas_use() is 'how much of each quota the account has used that used most of it';

create or replace function ads.quotas_tidy()
returns void
language sql
security definer
set search_path = ''
as $$
    delete from ads.quota_use u where u.full_at < now()
$$;

comment on function ads.quotas_tidy() is 'forgets those who have all of a quota';
