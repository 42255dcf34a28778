-- Rows that must not change cannot: neither by adsd's login in any of its
-- duties, nor in a partition that is named itself, nor by the superuser who
-- runs this.  Who switches triggers off is found by what the rows say of each
-- other.
begin;
\ir world.inc
select plan(13);

create temporary table t as
select x.a, x.p, pg_temp.ad(pg_temp.campaign(x.a)) as ad
from (select pg_temp.advertiser(50000000) as a, pg_temp.publisher() as p offset 0) x;
select pg_temp.click(ad, p) from t;
select pg_temp.click(ad, p) from t;
select pg_temp.send();
set constraints all immediate;

-- The tables and, of those that have any, each partition.
create temporary table kept as
select c.oid::regclass as name
from pg_class c
where c.relnamespace = 'ads'::regnamespace
    and (c.relname in ('ledger_transactions', 'ledger_entries', 'reversals', 'clicks', 'impressions')
        or c.oid in (select i.inhrelid from pg_inherits i
            where i.inhparent in ('ads.clicks'::regclass, 'ads.impressions'::regclass)));
select cmp_ok((select count(*) from kept), '>', 5::bigint, 'there are partitions among them');

-- How many statements that change a table are let through.
create temporary table changes (kind text, form text);
insert into changes values
    ('update', 'update %s set %I = %2$I'), ('delete', 'delete from %s'), ('truncate', 'truncate %s cascade');
create function pg_temp.let_through()
returns text[]
language plpgsql
as $$
declare
    v_try record;
    v_through text[] := '{}';
begin
    for v_try in
        select k.name, c.kind, format(c.form, k.name,
            (select a.attname from pg_attribute a where a.attrelid = k.name and a.attnum = 1)) as statement
        from kept k
        cross join changes c
    loop
        begin
            execute v_try.statement;
            v_through := v_through || format('%s %s', v_try.kind, v_try.name);
        exception when insufficient_privilege then
            null;
        end;
    end loop;
    return v_through;
end
$$;
grant select on kept, changes to public;

select is(pg_temp.let_through(), '{}', 'a superuser changes none of them, nor one of their partitions');
set local role ads;
select is(pg_temp.let_through(), '{}', 'adsd''s login does not');
set local role ads_api;
select is(pg_temp.let_through(), '{}', 'nor in the duty of management');
set local role ads_ingest;
select is(pg_temp.let_through(), '{}', 'of ingest');
set local role ads_publish;
select is(pg_temp.let_through(), '{}', 'of the publisher');
set local role ads_ops;
select is(pg_temp.let_through(), '{}', 'or of operations');
reset role;

select is_empty(
    $$select c.relname from pg_class c where pg_has_role('ads', c.relowner, 'member')
        union all select p.proname from pg_proc p where pg_has_role('ads', p.proowner, 'member')
        union all select n.nspname from pg_namespace n where pg_has_role('ads', n.nspowner, 'member')
        union all select d.datname from pg_database d where pg_has_role('ads', d.datdba, 'member')$$,
    'adsd''s login owns nothing');
select throws_ok(
    format('set local role ads; alter table %s disable trigger all', (select name from kept limit 1)),
    '42501', null, 'and switches no trigger off');
reset role;

-- A partition made now is as its parent.
select ads.partition_days('clicks', array[date '2031-04-05']);
select throws_ok('truncate ads.clicks_2031040500', '42501', null, 'a new partition refuses, too');

-- Who owns the server can switch all of it off.
create function pg_temp.wrong()
returns bigint
language sql
as $$select count(*) from ads.reconcile('2020-01-01', '2040-01-01') where not ok$$;
select is(pg_temp.wrong(), 0::bigint, 'everything adds up');
set local session_replication_role = replica;
delete from ads.clicks where off = (select max(off) from ads.clicks);
set local session_replication_role = origin;
select cmp_ok(pg_temp.wrong(), '>', 0::bigint, 'a click that is taken away all the same is missed');
set local session_replication_role = replica;
update ads.ledger_transactions set amount_micros = amount_micros + 1, balance_after_micros = balance_after_micros + 1
where kind = 'topup' and account_id = (select a from t);
set local session_replication_role = origin;
select is(
    (select count(*) from ads.reconcile_ledger('2020-01-01', '2040-01-01') where not ok and rule like '%movement%'),
    1::bigint, 'and a movement that is changed breaks the chain of balances');

select * from finish();
rollback;
