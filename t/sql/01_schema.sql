-- The house rules of the schema, read from the catalogue.
begin;
\ir world.inc
select plan(16);

create temporary view tables as
select c.oid, c.relname, c.relkind, c.relispartition, c.relrowsecurity, c.relforcerowsecurity
from pg_class c
where c.relnamespace = 'ads'::regnamespace
    and c.relkind in ('r', 'p')
    and c.relname not in ('schema_migrations', 'schema_code');

select is_empty(
    $$select relname from tables t
        where not exists (select from pg_constraint k where k.conrelid = t.oid and k.contype = 'p')$$,
    'every table has a primary key');

select is_empty(
    $$select relname from tables where not relispartition and obj_description(oid, 'pg_class') is null$$,
    'every table has a comment');

select is_empty(
    $$select t.relname, k.conname
        from tables t join pg_constraint k on k.conrelid = t.oid
        where not t.relispartition
            and (k.conname !~ ('^' || t.relname || '_') or k.conname ~ '_check[0-9]*$')$$,
    'every constraint has a name of its own, which begins with its table');

select is_empty(
    $$select p.proname from pg_proc p
        where p.pronamespace = 'ads'::regnamespace and obj_description(p.oid, 'pg_proc') is null$$,
    'every function has a comment');

select is_empty(
    $$select t.relname, a.attname
        from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0
        where a.attname ~ '_micros$' and a.atttypid <> 'bigint'::regtype$$,
    'money is bigint micros');

select is_empty(
    $$select t.relname, a.attname
        from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0
        where not t.relispartition
            and a.attname ~ '_micros$'
            and not exists (
                select from pg_constraint k
                where k.conrelid = t.oid and k.contype = 'c' and a.attnum = any (k.conkey))$$,
    'every amount of money has a check');

select is_empty(
    $$select t.relname, a.attname
        from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0
        where a.atttypid = 'timestamp'::regtype$$,
    'every time has a zone');

select is_empty(
    $$select k.conrelid::regclass, k.conname
        from pg_constraint k
        join tables t on t.oid = k.conrelid
        where k.contype = 'f'
            and not exists (
                select from pg_index i
                where i.indrelid = k.conrelid
                    and i.indpred is null
                    and (string_to_array(i.indkey::text, ' ')::int[])[1:cardinality(k.conkey)] @> k.conkey::int[])$$,
    'every foreign key has an index');

-- Not logged: answers kept for who repeats a request, and the pairs that
-- their products already tell.
select is_empty(
    $$select t.relname
        from tables t
        where (has_any_column_privilege('ads_api', t.oid, 'insert, update')
                or has_table_privilege('ads_api', t.oid, 'delete'))
            and t.relname not in ('idempotency_keys', 'ads')
            and not exists (
                select from pg_trigger g
                where g.tgrelid = t.oid
                    and g.tgname = t.relname || '_audit'
                    and g.tgenabled = 'O'
                    and g.tgfoid = 'ads.audit_row'::regproc
                    and g.tgtype = 1 + 4 + 8 + 16)$$,
    'every table that the api role may write leaves lines in the audit log');

select is_empty(
    $$select distinct t.relname
        from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0
        where (a.attname in ('account_id', 'publisher_id', 'user_id') or t.relname in ('accounts', 'users', 'ledger_entries'))
            and not (t.relrowsecurity and t.relforcerowsecurity)$$,
    'row-level security is enabled and forced on every table with a tenant, partitions included');

-- Checks of foreign keys see every tenant's rows: a reference from one tenant's
-- row to another one's is only impossible where the account is part of it.
select is_empty(
    $$select k.conrelid::regclass, k.conname
        from pg_constraint k
        join pg_attribute mine on mine.attrelid = k.conrelid and mine.attname = 'account_id'
        join pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attname = 'account_id'
        join tables t on t.oid = k.conrelid and not t.relispartition
        where k.contype = 'f'
            and not exists (
                select from unnest(k.conkey, k.confkey) u (here, there)
                where u.here = mine.attnum and u.there = theirs.attnum)
            and exists (
                select from pg_attribute a
                where a.attrelid = k.conrelid and a.attnum = any (k.conkey)
                    and has_column_privilege('ads_api', k.conrelid, a.attname, 'insert, update'))$$,
    'a reference that a tenant may write holds its account');

select is_empty(
    $$select t.relname, p.polname
        from tables t
        join pg_policy p on p.polrelid = t.oid
        where 'ads_api'::regrole = any (p.polroles)
            and p.polpermissive
            and pg_get_expr(p.polqual, p.polrelid) !~ 'ads\.tenant\(\)'$$,
    'every policy of the api role asks for the tenant');

select is_empty(
    $$select c.relname from pg_class c
        where c.relnamespace = 'ads'::regnamespace and c.relkind = 'v'
            and not coalesce('security_invoker=true' = any (c.reloptions), false)$$,
    'views read with the rights of who asks');

select is_empty(
    $$select p.proname from pg_proc p
        where p.pronamespace = 'ads'::regnamespace
            and p.prosecdef
            and not coalesce('search_path=""' = any (p.proconfig), false)$$,
    'what runs with the owner''s rights has an empty search path');

select is_empty(
    $$select p.proname from pg_proc p
        cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
        where p.pronamespace = 'ads'::regnamespace and x.grantee = 0$$,
    'no function is open to everybody');

select is_empty(
    $$select c.relname from pg_class c
        cross join lateral aclexplode(c.relacl) x
        where c.relnamespace = 'ads'::regnamespace and x.grantee = 0$$,
    'no table is open to everybody');

select * from finish();
rollback;
