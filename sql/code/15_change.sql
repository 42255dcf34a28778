-- Change numbers: how the publisher of ad tables finds what changed.
--
-- The first statement of a transaction that writes a served table takes the
-- next number, and with it the lock of the one row of ads.change until
-- commit; every row it writes carries that number.  So a reader that sees
-- number n sees every row with changed_n <= n, and management transactions,
-- which all take this lock first, cannot deadlock over it.  The number is
-- handed from the statement's trigger to its rows' in a setting local to the
-- transaction.
--
-- A transaction that writes for minutes must not hold that lock for minutes.
-- It reserves a number far ahead of all that others take meanwhile, stamps its
-- rows with it, and takes the lock only at its end, to move the count there:
-- who sees n still sees every row up to n, since nothing reaches a reserved
-- number before its owner commits.
create or replace function ads.change_bump()
returns bigint
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_n bigint;
begin
    update ads.change
    set n = n + 1,
        xid = pg_current_xact_id(),
        at = now()
    where (xid, at) is distinct from (pg_current_xact_id(), now())
    returning n into v_n;

    if not found then
        select c.n into v_n from ads.change c;
    end if;
    return v_n;
end
$$;

comment on function ads.change_bump() is
    'number of this transaction''s change; the same however often it is called in it';

-- One reservation at a time, or the later number might come to be seen first.
create or replace function ads.change_reserve()
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    c_ahead constant bigint := 1048576;
    v_n bigint;
begin
    perform pg_advisory_xact_lock(hashtextextended('ads.change_reserve', 0));
    select c.n + c_ahead into v_n from ads.change c;
    perform set_config('ads.change_n', v_n::text, true);
    perform set_config('ads.change_reserved', v_n::text, true);
end
$$;

comment on function ads.change_reserve() is
    'what this transaction writes from now on carries a number ahead; ads.change_settle() ends it';

create or replace function ads.change_settle()
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_n bigint := nullif(current_setting('ads.change_reserved', true), '')::bigint;
begin
    if v_n is null then
        return;
    end if;
    update ads.change
    set n = v_n,
        xid = pg_current_xact_id(),
        at = now()
    where n < v_n;
    if not found then
        raise exception 'others have used up the numbers before %', v_n
            using errcode = '40001';
    end if;
    perform set_config('ads.change_reserved', '', true);
end
$$;

comment on function ads.change_settle() is 'the last statement before the commit of what reserved a number';

create or replace function ads.change_begin()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
    if coalesce(current_setting('ads.change_reserved', true), '') = '' then
        perform set_config('ads.change_n', ads.change_bump()::text, true);
    end if;
    return null;
end
$$;

comment on function ads.change_begin() is 'takes the change number before the first row of a statement';

create or replace function ads.change_stamp()
returns trigger
language plpgsql
as $$
begin
    new.changed_n := pg_catalog.current_setting('ads.change_n')::bigint;
    return new;
end
$$;

comment on function ads.change_stamp() is 'stamps a row with the change number of its statement';

create or replace function ads.row_touch()
returns trigger
language plpgsql
as $$
begin
    new.updated_at := pg_catalog.now();
    return new;
end
$$;

comment on function ads.row_touch() is 'keeps updated_at';

create or replace trigger accounts_change_begin
    before insert or update on ads.accounts
    for each statement execute function ads.change_begin();
create or replace trigger accounts_change_stamp
    before insert or update on ads.accounts
    for each row execute function ads.change_stamp();
create or replace trigger accounts_touch
    before update on ads.accounts
    for each row execute function ads.row_touch();

-- last_used_at alone changes nothing that is served.
create or replace trigger api_keys_change_begin
    before insert or update of
        account_id, type, mode, hash, explain, cidrs, expires_at, revoked_at, name on ads.api_keys
    for each statement execute function ads.change_begin();
create or replace trigger api_keys_change_stamp
    before insert or update of
        account_id, type, mode, hash, explain, cidrs, expires_at, revoked_at, name on ads.api_keys
    for each row execute function ads.change_stamp();

create or replace trigger campaigns_change_begin
    before insert or update on ads.campaigns
    for each statement execute function ads.change_begin();
create or replace trigger campaigns_change_stamp
    before insert or update on ads.campaigns
    for each row execute function ads.change_stamp();
create or replace trigger campaigns_touch
    before update on ads.campaigns
    for each row execute function ads.row_touch();

create or replace trigger products_change_begin
    before insert or update on ads.products
    for each statement execute function ads.change_begin();
create or replace trigger products_change_stamp
    before insert or update on ads.products
    for each row execute function ads.change_stamp();
create or replace trigger products_touch
    before update on ads.products
    for each row execute function ads.row_touch();

create or replace trigger ads_change_begin
    before insert or update on ads.ads
    for each statement execute function ads.change_begin();
create or replace trigger ads_change_stamp
    before insert or update on ads.ads
    for each row execute function ads.change_stamp();
