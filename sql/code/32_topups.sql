-- Top-ups and reversals: the only ways money comes in or goes back.
--
-- A top-up is pending, and no money, until it is settled once or rejected once;
-- both are final.  Who settles is the platform, by its key or by the command
-- line, or the payment provider's signed message; with instant settlement, for
-- tests, the advertiser itself.  A reversal gives back what a click cost, as a
-- whole, or takes back what came by a top-up, in parts, but never more than is
-- still there.  It is a transaction of its own: nothing that was posted
-- changes, a click stays in the reports, and its budget is not sold again.
--
-- Each function that moves money takes the change number first, so that the
-- publisher sees to new allowances, then the top-up, then the balance.

create or replace function ads.money_change()
returns void
language sql
security definer
set search_path = ''
as $$
    select set_config('ads.change_n', ads.change_bump()::text, true)
$$;

comment on function ads.money_change() is 'a change that the publisher waits for: allowances follow balances';

-- The balance of an advertiser, locked until the transaction ends.
create or replace function ads.balance_lock(p_account uuid, out o_balance_micros bigint, out o_at timestamptz)
language plpgsql
security definer
set search_path = ''
as $$
begin
    select la.balance_micros, greatest(clock_timestamp(), la.posted_at) into strict o_balance_micros, o_at
    from ads.ledger_accounts la
    where la.kind = 'advertiser_balance'
        and la.account_id = p_account
        and la.node = 0
    for no key update;
end
$$;

comment on function ads.balance_lock(uuid) is 'locks a balance; what it is, and the time its next movement has';

-- Moves the money of a top-up that is locked by the caller, and marks it.
create or replace function ads.topup_post(p_topup uuid)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_topup ads.topups;
    v_balance record;
    v_tx bigint;
begin
    select t.* into strict v_topup from ads.topups t where t.id = p_topup;
    select b.* into v_balance from ads.balance_lock(v_topup.account_id) b;

    insert into ads.ledger_accounts (kind, currency)
    select 'cash', s.currency
    from ads.settings s
    on conflict do nothing;

    insert into ads.ledger_transactions (kind, at, account_id, reference, amount_micros, balance_after_micros)
    values ('topup', v_balance.o_at, v_topup.account_id, v_topup.reference, v_topup.amount_micros,
        v_balance.o_balance_micros + v_topup.amount_micros)
    returning id into v_tx;

    insert into ads.ledger_entries (tx_id, ledger_account_id, amount_micros)
    select v_tx, la.id,
        case la.kind when 'cash' then -v_topup.amount_micros else v_topup.amount_micros end
    from ads.ledger_accounts la
    where la.kind = 'cash'
        or la.kind = 'advertiser_balance' and la.account_id = v_topup.account_id;

    update ads.topups
    set status = 'settled',
        ledger_tx = v_tx,
        settled_at = now()
    where id = p_topup;
end
$$;

comment on function ads.topup_post(uuid) is 'books a pending top-up';

-- A reference that comes again with the same amount finds the first top-up;
-- with another amount it is refused.
create or replace function ads.topup_open(
    p_account uuid,
    p_amount_micros bigint,
    p_reference text)
returns table (topup_id uuid, created boolean)
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_amount_micros bigint;
begin
    if not exists (
        select
        from ads.accounts a
        where a.id = p_account
            and a.type = 'advertiser'
    ) then
        raise exception 'no advertiser has this id'
            using errcode = 'ADN01';
    end if;

    insert into ads.topups (account_id, amount_micros, reference)
    values (p_account, p_amount_micros, p_reference)
    on conflict (account_id, reference) do nothing
    returning id into topup_id;
    created := found;

    if not created then
        select t.id, t.amount_micros into topup_id, v_amount_micros
        from ads.topups t
        where t.account_id = p_account
            and t.reference = p_reference
        for update;
        if v_amount_micros <> p_amount_micros then
            raise exception 'the reference was used for another amount'
                using errcode = 'ADB01';
        end if;
    end if;
    return next;
end
$$;

comment on function ads.topup_open(uuid, bigint, text) is 'announces a top-up, or finds it by its reference';

create or replace function ads.topup_state(p_topup uuid, p_created boolean)
returns table (topup_id uuid, status text, balance_micros bigint, created boolean)
language sql
stable
security definer
set search_path = ''
as $$
    select t.id, t.status, la.balance_micros, p_created
    from ads.topups t
    join ads.ledger_accounts la on la.kind = 'advertiser_balance' and la.account_id = t.account_id
    where t.id = p_topup
$$;

comment on function ads.topup_state(uuid, boolean) is 'a top-up and the balance as they stand now';

create or replace function ads.topup_request(
    p_account uuid,
    p_amount_micros bigint,
    p_reference text)
returns table (topup_id uuid, status text, balance_micros bigint, created boolean)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_instant boolean := (select s.topup_settlement = 'instant' from ads.settings s);
    v_open record;
begin
    if p_account is distinct from ads.tenant() then
        raise exception 'the session acts for another account'
            using errcode = 'ADP01';
    end if;
    if v_instant then
        perform ads.money_change();
    end if;
    select o.* into v_open from ads.topup_open(p_account, p_amount_micros, p_reference) o;
    if v_open.created and v_instant then
        perform ads.topup_post(v_open.topup_id);
    end if;
    return query select * from ads.topup_state(v_open.topup_id, v_open.created);
end
$$;

comment on function ads.topup_request(uuid, bigint, text) is
    'an advertiser announces money; pending until settled, unless settings say instant';

create or replace function ads.topup_settle(p_topup uuid)
returns table (topup_id uuid, status text, balance_micros bigint, created boolean)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_status text;
begin
    perform ads.money_change();
    select t.status into v_status
    from ads.topups t
    where t.id = p_topup
    for update;
    if not found then
        raise exception 'no top-up has this id'
            using errcode = 'ADN01';
    end if;
    if v_status = 'pending' then
        perform ads.topup_post(p_topup);
    end if;
    return query select * from ads.topup_state(p_topup, v_status = 'pending');
end
$$;

comment on function ads.topup_settle(uuid) is
    'the platform settles a top-up; created is false when it was settled or rejected before';

create or replace function ads.topup_reject(p_topup uuid, p_reason text)
returns table (topup_id uuid, status text, balance_micros bigint, created boolean)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_status text;
begin
    select t.status into v_status
    from ads.topups t
    where t.id = p_topup
    for update;
    if not found then
        raise exception 'no top-up has this id'
            using errcode = 'ADN01';
    end if;
    if v_status = 'pending' then
        update ads.topups
        set status = 'rejected',
            rejected_at = now(),
            reject_reason = p_reason
        where id = p_topup;
    end if;
    return query select * from ads.topup_state(p_topup, v_status = 'pending');
end
$$;

comment on function ads.topup_reject(uuid, text) is
    'the platform refuses a top-up; created is false when it was settled or rejected before';

create or replace function ads.topup(
    p_account uuid,
    p_amount_micros bigint,
    p_reference text)
returns table (topup_id uuid, status text, balance_micros bigint, created boolean)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_open record;
    v_status text;
begin
    perform ads.money_change();
    select o.* into v_open from ads.topup_open(p_account, p_amount_micros, p_reference) o;
    v_status := (select t.status from ads.topups t where t.id = v_open.topup_id);
    if v_status = 'rejected' then
        raise exception 'the top-up of this reference was rejected'
            using errcode = 'ADT01';
    end if;
    if v_status = 'pending' then
        perform ads.topup_post(v_open.topup_id);
    end if;
    return query select * from ads.topup_state(v_open.topup_id, v_open.created);
end
$$;

comment on function ads.topup(uuid, bigint, text) is 'an operator tops up at once; the reference makes it safe to repeat';

-- What the platform may do through the API: the same, for a tenant that is
-- one.
create or replace function ads.platform_check()
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
    if not exists (
        select
        from ads.accounts a
        where a.id = ads.tenant()
            and a.type = 'platform'
            and a.status = 'active'
    ) then
        raise exception 'the session acts for no platform'
            using errcode = 'ADP01';
    end if;
end
$$;

comment on function ads.platform_check() is 'refuses tenants that are no platform (ADP01)';

create or replace function ads.platform_topup(p_topup uuid, p_settle boolean, p_reason text)
returns table (topup_id uuid, status text, balance_micros bigint, created boolean)
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform ads.platform_check();
    if p_settle then
        return query select * from ads.topup_settle(p_topup);
    else
        return query select * from ads.topup_reject(p_topup, p_reason);
    end if;
end
$$;

comment on function ads.platform_topup(uuid, boolean, text) is 'a platform settles or rejects a top-up';

create or replace function ads.platform_topups(
    p_status text, p_account uuid, p_before_at timestamptz, p_before_id uuid, p_limit bigint)
returns table (
    id uuid, account_id uuid, name text, amount_micros bigint, reversed_micros bigint, reference text, status text,
    reject_reason text, created_at timestamptz, decided_at timestamptz)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
    perform ads.platform_check();
    return query
        select
            t.id, t.account_id, a.name, t.amount_micros, t.reversed_micros, t.reference, t.status,
            t.reject_reason, t.created_at, coalesce(t.settled_at, t.rejected_at)
        from ads.topups t
        join ads.accounts a on a.id = t.account_id
        where (p_status is null or t.status = p_status)
            and (p_account is null or t.account_id = p_account)
            and (p_before_at is null or (t.created_at, t.id) < (p_before_at, p_before_id))
        order by t.created_at desc, t.id desc
        limit p_limit;
end
$$;

comment on function ads.platform_topups(text, uuid, timestamptz, uuid, bigint) is 'top-ups of all accounts, newest first';

-- The payment provider's word, whose signature adsd has checked.  A message
-- that comes again finds the same state and moves nothing.
--   settled, rejected   as it says, now or before
--   not_found, mismatch (another amount or currency), conflict (the opposite
--                       was decided before), off (no webhook is set up)
create or replace function ads.topup_webhook(
    p_topup uuid, p_amount_micros bigint, p_currency text, p_settle boolean, p_reason text)
returns table (state text, created boolean, balance_micros bigint)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_topup ads.topups;
begin
    perform set_config('ads.actor', 'payment provider', true);
    created := false;
    if (select s.topup_settlement <> 'webhook' from ads.settings s) then
        state := 'off';
        return next;
        return;
    end if;
    perform ads.money_change();
    select t.* into v_topup from ads.topups t where t.id = p_topup for update;
    if not found then
        state := 'not_found';
    elsif v_topup.amount_micros <> p_amount_micros
        or p_currency <> (select s.currency from ads.settings s) then
        state := 'mismatch';
    elsif v_topup.status not in ('pending', case when p_settle then 'settled' else 'rejected' end) then
        state := 'conflict';
    else
        if p_settle then
            select s.status, s.created, s.balance_micros into state, created, balance_micros
            from ads.topup_settle(p_topup) s;
        else
            select s.status, s.created, s.balance_micros into state, created, balance_micros
            from ads.topup_reject(p_topup, p_reason) s;
        end if;
    end if;
    return next;
end
$$;

comment on function ads.topup_webhook(uuid, bigint, text, boolean, text) is
    'settles or rejects a top-up on a payment provider''s signed word';

-- ---- reversals ----

-- The ledger account that holds a side of a reversal.
create or replace function ads.ledger_account(p_kind text, p_account uuid, p_node bigint)
returns bigint
language sql
stable
security definer
set search_path = ''
as $$
    select la.id
    from ads.ledger_accounts la
    where la.kind = p_kind
        and la.account_id is not distinct from p_account
        and la.node = p_node
$$;

comment on function ads.ledger_account(text, uuid, bigint) is 'id of the ledger account of a kind, an owner and a node';

create or replace function ads.reversal_of_topup(
    p_topup ads.topups, p_amount_micros bigint, p_reason text, p_reference text)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_balance record;
    v_tx bigint;
    v_id uuid;
begin
    select b.* into v_balance from ads.balance_lock(p_topup.account_id) b;
    if v_balance.o_balance_micros < p_amount_micros then
        return null;
    end if;
    insert into ads.ledger_transactions (kind, at, account_id, reference, amount_micros, balance_after_micros)
    values ('reversal', v_balance.o_at, p_topup.account_id, p_reference, -p_amount_micros,
        v_balance.o_balance_micros - p_amount_micros)
    returning id into v_tx;

    insert into ads.ledger_entries (tx_id, ledger_account_id, amount_micros)
    values
        (v_tx, ads.ledger_account('advertiser_balance', p_topup.account_id, 0), -p_amount_micros),
        (v_tx, ads.ledger_account('cash', null, 0), p_amount_micros);

    update ads.topups
    set reversed_micros = reversed_micros + p_amount_micros
    where id = p_topup.id;

    insert into ads.reversals (account_id, topup_id, amount_micros, reason, reference, ledger_tx)
    values (p_topup.account_id, p_topup.id, p_amount_micros, p_reason, p_reference, v_tx)
    returning id into v_id;
    return v_id;
end
$$;

comment on function ads.reversal_of_topup(ads.topups, bigint, text, text) is
    'takes money of a locked top-up back; null when the balance does not hold it';

-- The publisher gives back its share, at the rate it was booked with, and from
-- the rows that it was booked on: an event that waited is billed on those of the
-- node that settled it, which need not be the one it came by.
create or replace function ads.reversal_of_click(p_click ads.clicks, p_reason text, p_reference text)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_spend ads.ledger_transactions;
    v_balance record;
    v_share bigint;
    v_tx bigint;
    v_id uuid;
begin
    select b.* into v_balance from ads.balance_lock(p_click.account_id) b;
    select t.* into strict v_spend from ads.ledger_transactions t where t.id = p_click.ledger_tx;
    v_share := ads.share_micros(p_click.billed_micros, v_spend.share_bps);

    insert into ads.ledger_transactions (
        kind, at, account_id, campaign_id, publisher_id, reference, share_bps, amount_micros, balance_after_micros)
    values ('reversal', v_balance.o_at, p_click.account_id, p_click.campaign_id, p_click.publisher_id, p_reference,
        v_spend.share_bps, p_click.billed_micros, v_balance.o_balance_micros + p_click.billed_micros)
    returning id into v_tx;

    insert into ads.ledger_entries (tx_id, ledger_account_id, amount_micros)
    select v_tx, s.id, s.amount
    from (
        select
            la.id,
            case la.kind
                when 'advertiser_balance' then p_click.billed_micros
                when 'publisher_revenue' then -v_share
                else v_share - p_click.billed_micros
            end
        from ads.ledger_entries e
        join ads.ledger_accounts la on la.id = e.ledger_account_id
        where e.tx_id = v_spend.id
    ) s (id, amount)
    where s.amount <> 0;

    insert into ads.reversals (account_id, click_id, amount_micros, reason, reference, ledger_tx)
    values (p_click.account_id, p_click.click_id, p_click.billed_micros, p_reason, p_reference, v_tx)
    returning id into v_id;
    return v_id;
end
$$;

comment on function ads.reversal_of_click(ads.clicks, text, text) is
    'gives the price of a billed click back to the advertiser';

--   created, repeated (the same reference for the same)
--   not_found, not_settled, not_billed, reversed (before, by another
--   reference), too_much (more than is left of the top-up), no_funds (more
--   than is left on the balance), reference_reused (for something else)
create or replace function ads.reversal(
    p_topup uuid, p_click uuid, p_amount_micros bigint, p_reason text, p_reference text)
returns table (
    state text, reversal_id uuid, account_id uuid, amount_micros bigint, balance_micros bigint, created_at timestamptz)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_topup ads.topups;
    v_click ads.clicks;
    v_old ads.reversals;
    v_account uuid;
begin
    perform ads.money_change();
    if p_topup is not null then
        select t.* into v_topup from ads.topups t where t.id = p_topup for update;
        v_account := v_topup.account_id;
    else
        -- by the indexes: no row changes until this ends
        select (f.o_click).* into v_click from ads.conversion_click(p_click) f;
        v_account := v_click.account_id;
    end if;
    if v_account is null then
        state := 'not_found';
        return next;
        return;
    end if;

    perform ads.balance_lock(v_account);
    select r.* into v_old
    from ads.reversals r
    where r.account_id = v_account
        and r.reference = p_reference;
    if found then
        state := case
            when v_old.topup_id is not distinct from p_topup
                and v_old.click_id is not distinct from p_click
                and v_old.amount_micros = coalesce(p_amount_micros, v_old.amount_micros) then 'repeated'
            else 'reference_reused'
        end;
        reversal_id := v_old.id;
    elsif p_topup is not null then
        p_amount_micros := coalesce(p_amount_micros, v_topup.amount_micros - v_topup.reversed_micros);
        if v_topup.status <> 'settled' then
            state := 'not_settled';
        elsif p_amount_micros = 0 then
            state := 'reversed';
        elsif p_amount_micros > v_topup.amount_micros - v_topup.reversed_micros then
            state := 'too_much';
        else
            reversal_id := ads.reversal_of_topup(v_topup, p_amount_micros, p_reason, p_reference);
            state := case when reversal_id is null then 'no_funds' else 'created' end;
        end if;
    elsif v_click.billed_micros = 0 then
        state := 'not_billed';
    elsif p_amount_micros <> v_click.billed_micros then
        state := 'too_much';
    elsif exists (select from ads.reversals r where r.click_id = p_click) then
        state := 'reversed';
    else
        reversal_id := ads.reversal_of_click(v_click, p_reason, p_reference);
        state := 'created';
    end if;

    if state in ('created', 'repeated') then
        return query
            select state, r.id, r.account_id, r.amount_micros, la.balance_micros, r.created_at
            from ads.reversals r
            join ads.ledger_accounts la on la.kind = 'advertiser_balance' and la.account_id = r.account_id
            where r.id = reversal_id;
    else
        reversal_id := null;
        return next;
    end if;
end
$$;

comment on function ads.reversal(uuid, uuid, bigint, text, text) is
    'an operator moves the money of a click or a top-up back; the reference makes it safe to repeat';

create or replace function ads.platform_reversal(
    p_topup uuid, p_click uuid, p_amount_micros bigint, p_reason text, p_reference text)
returns table (
    state text, reversal_id uuid, account_id uuid, amount_micros bigint, balance_micros bigint, created_at timestamptz)
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform ads.platform_check();
    return query select * from ads.reversal(p_topup, p_click, p_amount_micros, p_reason, p_reference);
end
$$;

comment on function ads.platform_reversal(uuid, uuid, bigint, text, text) is
    'a platform moves the money of a click or a top-up back';

create or replace view ads.balances
with (security_invoker = true)
as
select
    la.kind,
    la.account_id,
    la.currency,
    sum(la.balance_micros)::bigint as balance_micros
from ads.ledger_accounts la
group by la.kind, la.account_id, la.currency;

comment on view ads.balances is 'what each owner has, over all nodes';
