-- Publishers are known before they earn.
--
-- Who signs up as a publisher gets test ads until three things are there: a
-- site or app with a name, an owner whose address is confirmed, and the
-- operator's approval, which with publisher_approval auto is given with the
-- other two.  Then earns_since is set; a suspension ends what it earns by
-- accounts.status.  An account without people was made by the operator, who
-- vouches for it.
--
-- What was approved is a site.  A publisher that names another one is back
-- where it was before: test ads, until it is approved again.

create or replace function ads.publisher_confirmed(p_account uuid)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
    select not exists (
            select
            from ads.members m
            where m.account_id = p_account)
        or exists (
            select
            from ads.members m
            join ads.users u on u.id = m.user_id
            where m.account_id = p_account
                and m.role = 'owner'
                and u.email_verified_at is not null)
$$;

comment on function ads.publisher_confirmed(uuid) is 'has an owner of the account a confirmed address';

create or replace function ads.publisher_note()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    if new.earns_since is null
        and new.site is not null
        and (
            new.approved_at is not null
            or exists (select from ads.settings s where s.publisher_approval = 'auto'))
        and ads.publisher_confirmed(new.id)
    then
        new.approved_at := coalesce(new.approved_at, now());
        new.earns_since := now();
    end if;
    return new;
end
$$;

comment on function ads.publisher_note() is 'a publisher that has all it takes earns from now on';

create or replace trigger accounts_publisher
    before update on ads.accounts
    for each row when (new.type = 'publisher' and new.earns_since is null)
    execute function ads.publisher_note();

create or replace function ads.publisher_site_note()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    if ads.tenant() = new.id
        and exists (select from ads.settings s where s.publisher_approval = 'manual')
    then
        new.approved_at := null;
        new.earns_since := null;
    end if;
    return new;
end
$$;

comment on function ads.publisher_site_note() is
    'a publisher that gives itself another site waits for approval again; the operator''s word stands';

create or replace trigger accounts_site
    before update of site on ads.accounts
    for each row when (new.type = 'publisher' and lower(new.site) <> lower(old.site))
    execute function ads.publisher_site_note();

create or replace function ads.publisher_person_note()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    update ads.accounts a
    set site = a.site
    where a.type = 'publisher'
        and a.earns_since is null
        and a.id in (
            select m.account_id
            from ads.members m
            where m.user_id = new.id);
    return null;
end
$$;

comment on function ads.publisher_person_note() is 'a confirmed address may be what a publisher waited for';

create or replace trigger users_confirmed
    after update of email_verified_at on ads.users
    for each row when (new.email_verified_at is not null and old.email_verified_at is null)
    execute function ads.publisher_person_note();

-- No row: no such publisher, or the asker is not the platform.  approved_at is
-- null where it has no site yet.
create or replace function ads.publisher_approve(p_account uuid, p_site text)
returns table (site text, approved_at timestamptz, earns_since timestamptz)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
    return query
    update ads.accounts a
    set site = coalesce(p_site, a.site),
        approved_at = coalesce(a.approved_at, case when coalesce(p_site, a.site) is not null then now() end)
    where a.id = p_account
        and a.type = 'publisher'
        and exists (select from ads.accounts x where x.id = ads.tenant() and x.type = 'platform')
    returning a.site, a.approved_at, a.earns_since;
end
$$;

comment on function ads.publisher_approve(uuid, text) is 'the platform approves a publisher with a site';

-- What was earned within payout_hold_days is held back.  A click of that time
-- that was reversed is taken off what was earned at once, and off what is held
-- when its time is over: until then too little is payable, never too much.
create or replace function ads.publisher_earnings(p_account uuid)
returns table (earned_micros bigint, held_micros bigint, payable_micros bigint, currency text)
language sql
stable
set search_path = ''
as $$
    select e.earned, h.held, greatest(0, e.earned - h.held), e.currency
    from (
        select sum(la.balance_micros)::bigint as earned, max(la.currency)::text as currency
        from ads.ledger_accounts la
        where la.kind = 'publisher_revenue'
            and la.account_id = p_account
    ) e
    cross join lateral (
        select coalesce(sum(i.amount_micros), 0)::bigint as held
        from ads.settings s
        join ads.ledger_transactions t
            on t.publisher_id = p_account
            and t.kind = 'spend'
            and t.at > now() - make_interval(days => s.payout_hold_days)
        join ads.ledger_entries i on i.tx_id = t.id
        join ads.ledger_accounts la
            on la.id = i.ledger_account_id
            and la.kind = 'publisher_revenue'
    ) h
    where e.earned is not null
$$;

comment on function ads.publisher_earnings(uuid) is
    'what a publisher earned, what of it is held back, and what is payable; no row: it earned nothing yet';
