-- The ledger's guards, and top-ups.
--
-- Guards, which hold for every role, superusers included:
--   entries and transactions are insert-only, events too;
--   the entries one statement inserts for a transaction sum to zero, so a
--     transaction is balanced whenever it is looked at;
--   at commit every transaction has entries and they sum to zero;
--   every entry belongs to a transaction and a ledger account that exist;
--   balances are moved by the trigger on entries, in id order, and nothing
--     else; an advertiser's has a check against going below zero.

create or replace function ads.insert_only()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
    raise exception 'ads.% is insert-only', tg_table_name
        using errcode = 'insufficient_privilege', table = tg_table_name, schema = 'ads';
end
$$;

comment on function ads.insert_only() is 'refuses update, delete and truncate';

create or replace trigger ledger_transactions_insert_only
    before update or delete or truncate on ads.ledger_transactions
    for each statement execute function ads.insert_only();
create or replace trigger ledger_entries_insert_only
    before update or delete or truncate on ads.ledger_entries
    for each statement execute function ads.insert_only();
create or replace trigger clicks_insert_only
    before update or delete or truncate on ads.clicks
    for each statement execute function ads.insert_only();
create or replace trigger impressions_insert_only
    before update or delete or truncate on ads.impressions
    for each statement execute function ads.insert_only();

create or replace function ads.row_kept()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
    raise exception 'rows of ads.% are kept for ever', tg_table_name
        using errcode = 'insufficient_privilege', table = tg_table_name, schema = 'ads';
end
$$;

comment on function ads.row_kept() is 'refuses delete and truncate';

create or replace trigger ledger_accounts_kept
    before delete or truncate on ads.ledger_accounts
    for each statement execute function ads.row_kept();

create or replace function ads.ledger_post()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_tx record;
    v_accounts bigint;
    v_moved bigint;
begin
    select n.tx_id, n.sum, t.id into v_tx
    from (
        select e.tx_id, sum(e.amount_micros) as sum
        from new_entries e
        group by e.tx_id
    ) n
    left join ads.ledger_transactions t on t.id = n.tx_id
    where n.sum <> 0
        or t.id is null
    limit 1;
    if found then
        if v_tx.id is null then
            raise exception 'there is no ledger transaction %', v_tx.tx_id
                using errcode = 'foreign_key_violation', constraint = 'ledger_entries_tx_known',
                    table = 'ledger_entries', schema = 'ads';
        end if;
        raise exception 'the entries of ledger transaction % do not sum to zero', v_tx.tx_id
            using errcode = 'check_violation', constraint = 'ledger_entries_balanced',
                table = 'ledger_entries', schema = 'ads';
    end if;

    perform
    from ads.ledger_accounts la
    where la.id in (select e.ledger_account_id from new_entries e)
    order by la.id
    for no key update;

    update ads.ledger_accounts la
    set balance_micros = la.balance_micros + d.delta_micros
    from (
        select e.ledger_account_id, sum(e.amount_micros)::bigint as delta_micros
        from new_entries e
        group by e.ledger_account_id
    ) d
    where la.id = d.ledger_account_id;
    get diagnostics v_moved = row_count;

    select count(distinct e.ledger_account_id) into v_accounts from new_entries e;
    if v_moved <> v_accounts then
        raise exception 'an entry names a ledger account that is not there'
            using errcode = 'foreign_key_violation', constraint = 'ledger_entries_account_known',
                table = 'ledger_entries', schema = 'ads';
    end if;
    return null;
end
$$;

comment on function ads.ledger_post() is
    'refuses entries that do not balance or belong to nothing, and moves the balances by them';

create or replace trigger ledger_entries_post
    after insert on ads.ledger_entries
    referencing new table as new_entries
    for each statement execute function ads.ledger_post();

create or replace function ads.ledger_transaction_check()
returns trigger
language plpgsql
security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
    v_sum numeric;
begin
    select sum(e.amount_micros) into v_sum
    from ads.ledger_entries e
    where e.tx_id = new.id;
    if v_sum is distinct from 0 then
        raise exception 'ledger transaction % %', new.id,
            coalesce('sums to ' || v_sum, 'has no entries')
            using errcode = 'check_violation', constraint = 'ledger_transactions_balanced',
                table = 'ledger_transactions', schema = 'ads';
    end if;
    return null;
end
$$;

comment on function ads.ledger_transaction_check() is 'at commit: a transaction has entries and they sum to zero';

do $$
begin
    if not exists (
        select
        from pg_catalog.pg_trigger t
        where t.tgrelid = 'ads.ledger_transactions'::regclass
            and t.tgname = 'ledger_transactions_balanced'
    ) then
        create constraint trigger ledger_transactions_balanced
            after insert on ads.ledger_transactions
            deferrable initially deferred
            for each row execute function ads.ledger_transaction_check();
    end if;
end
$$;

-- An advertiser has its balance from the first moment; revenue rows appear
-- with the first share of a node.
create or replace function ads.account_open()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    if new.type = 'advertiser' then
        insert into ads.ledger_accounts (kind, account_id, currency)
        values ('advertiser_balance', new.id, new.currency);
    end if;
    return null;
end
$$;

comment on function ads.account_open() is 'opens the balance of a new advertiser';

create or replace trigger accounts_open
    after insert on ads.accounts
    for each row execute function ads.account_open();

create or replace function ads.account_guard()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
    if (new.id, new.type, new.currency) is distinct from (old.id, old.type, old.currency) then
        raise exception 'an account keeps its id, type and currency'
            using errcode = 'ADT01';
    end if;
    return new;
end
$$;

comment on function ads.account_guard() is 'what an account keeps for ever (ADT01)';

create or replace trigger accounts_guard
    before update on ads.accounts
    for each row execute function ads.account_guard();

-- Moves the money of a top-up that is locked by the caller, and marks it.
create or replace function ads.topup_post(p_topup uuid)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_topup ads.topups;
    v_tx bigint;
begin
    select t.* into strict v_topup from ads.topups t where t.id = p_topup;

    insert into ads.ledger_accounts (kind, currency)
    select 'cash', s.currency
    from ads.settings s
    on conflict do nothing;

    insert into ads.ledger_transactions (kind, account_id, reference)
    values ('topup', v_topup.account_id, v_topup.reference)
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
    v_open record;
begin
    if p_account is distinct from ads.tenant() then
        raise exception 'the session acts for another account'
            using errcode = 'ADP01';
    end if;
    select o.* into v_open from ads.topup_open(p_account, p_amount_micros, p_reference) o;
    if v_open.created and (select s.topup_settlement = 'instant' from ads.settings s) then
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
    'the platform settles a top-up; created is false when it was settled before';

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
begin
    select o.* into v_open from ads.topup_open(p_account, p_amount_micros, p_reference) o;
    if exists (select from ads.topups t where t.id = v_open.topup_id and t.status = 'pending') then
        perform ads.topup_post(v_open.topup_id);
    end if;
    return query select * from ads.topup_state(v_open.topup_id, v_open.created);
end
$$;

comment on function ads.topup(uuid, bigint, text) is 'an operator tops up at once; the reference makes it safe to repeat';

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
