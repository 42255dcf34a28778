-- The ledger's guards, and top-ups.
--
-- Guards, which hold for every role, superusers included:
--   entries and transactions are insert-only, events too;
--   the entries one statement inserts for a transaction sum to zero, so a
--   transaction is balanced whenever it is read;
--   at commit every transaction has entries and they sum to zero;
--   every entry belongs to a transaction and a ledger account that exist;
--   balances are moved by the trigger on entries, in id order, and nothing
--     else; an advertiser's has a check against going below zero;
--   what a transaction says about the balance before and after is so.
--
-- A function that posts for an advertiser locks its balance before it takes the
-- transaction's id, so that per account ids, times and balances go in step.

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
create or replace trigger reversals_insert_only
    before update or delete or truncate on ads.reversals
    for each statement execute function ads.insert_only();

-- partitions of before they had it: ads.partition_make gives it to new ones
do $$
declare
    v_part record;
begin
    for v_part in
        select p.relname as parent, c.relname as name
        from pg_catalog.pg_inherits i
        join pg_catalog.pg_class c on c.oid = i.inhrelid
        join pg_catalog.pg_class p on p.oid = i.inhparent
        where i.inhparent in ('ads.clicks'::regclass, 'ads.impressions'::regclass)
            and not exists (
                select
                from pg_catalog.pg_trigger t
                where t.tgrelid = c.oid
                    and t.tgname = p.relname || '_insert_only')
    loop
        execute format('create trigger %I before update or delete or truncate on ads.%I'
            ' for each statement execute function ads.insert_only()', v_part.parent || '_insert_only', v_part.name);
    end loop;
end
$$;

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
    v_wrong bigint;
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
    set balance_micros = la.balance_micros + d.delta_micros,
        posted_at = greatest(la.posted_at, d.at)
    from (
        select e.ledger_account_id, sum(e.amount_micros)::bigint as delta_micros, max(t.at) as at
        from new_entries e
        join ads.ledger_transactions t on t.id = e.tx_id
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

    select t.id into v_wrong
    from (
        select
            e.tx_id,
            e.amount_micros,
            la.account_id,
            la.balance_micros - coalesce(sum(e.amount_micros) over (
                partition by la.id
                order by e.tx_id desc
                rows between unbounded preceding and 1 preceding), 0) as after
        from new_entries e
        join ads.ledger_accounts la on la.id = e.ledger_account_id
        where la.kind = 'advertiser_balance'
    ) n
    join ads.ledger_transactions t on t.id = n.tx_id
    where (t.account_id, t.amount_micros, t.balance_after_micros)
        is distinct from (n.account_id, n.amount_micros, n.after)
    limit 1;
    if found then
        raise exception 'ledger transaction % does not say what it did to the balance', v_wrong
            using errcode = 'check_violation', constraint = 'ledger_transactions_balance_after',
                table = 'ledger_transactions', schema = 'ads';
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
    new.suspended_at := case when new.status = 'suspended' then coalesce(old.suspended_at, now()) end;
    return new;
end
$$;

comment on function ads.account_guard() is
    'what an account keeps for ever (ADT01), and since when it is suspended';

create or replace trigger accounts_guard
    before update on ads.accounts
    for each row execute function ads.account_guard();

