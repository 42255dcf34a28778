-- Roles and row-level security: without a tenant nothing, with one its own.
begin;
\ir world.inc
select plan(52);

create temporary table t as
select a, p, b, q, ca, cb, pg_temp.ad(ca) as ada, pg_temp.ad(cb) as adb
from (
    select a, p, b, q, pg_temp.campaign(a) as ca, pg_temp.campaign(b) as cb
    from (
        select pg_temp.advertiser(50000000) as a, pg_temp.publisher() as p,
            pg_temp.advertiser(50000000) as b, pg_temp.publisher() as q
        offset 0
    ) x
    offset 0
) y;
grant select on t to public;
insert into ads.users (email) values ('a@shop.example');
insert into ads.members (account_id, user_id, role) select t.a, u.id, 'owner' from t, ads.users u where u.email = 'a@shop.example';
insert into ads.api_keys (account_id, type, hash, last_four) select t.a, 'a', sha256('a'), 'abcd' from t;
insert into ads.api_keys (account_id, type, hash, last_four) select t.b, 'a', sha256('b'), 'abcd' from t;
select pg_temp.click(t.ada, t.p), pg_temp.click(t.adb, t.q), pg_temp.no_ad(t.p, 'no_match', 1) from t;
select pg_temp.send();

-- Each table the api role may read, counted by it; the runner's own two, which
-- hold no tenant's rows, say which version is in place.
create temporary table seen (relname text, n bigint);
grant select, insert, delete on seen to public;
create function pg_temp.look()
returns bigint
language plpgsql
as $$
declare
    v_table text;
    v_n bigint;
begin
    delete from seen;
    for v_table in
        select c.relname
        from pg_class c
        where c.relnamespace = 'ads'::regnamespace
            and c.relkind in ('r', 'p', 'v')
            and c.relname not in ('schema_migrations', 'schema_code')
            and has_any_column_privilege(c.oid, 'select')
    loop
        execute format('select count(*) from ads.%I', v_table) into v_n;
        insert into seen values (v_table, v_n);
    end loop;
    return (select sum(n) from seen);
end
$$;

set local role ads_api;
select is(pg_temp.look(), 0::bigint, 'the api role without a tenant sees no row of any table');
select cmp_ok((select count(*) from seen), '>=', 18::bigint, 'and it was asked for every table of a tenant');
select set_config('ads.tenant', '', true);
select is(pg_temp.look(), 0::bigint, 'a tenant left over as an empty text shows no row either');

select set_config('ads.tenant', t.a::text, true) from t;
select pg_temp.look();
select is((select array_agg(id) from ads.accounts), (select array[a] from t), 'an advertiser sees its own account only');
select is((select array_agg(id) from ads.campaigns), (select array[ca] from t), 'its own campaigns');
select is((select array_agg(id) from ads.ads), (select array[ada] from t), 'its own ads');
select is((select count(*) from ads.api_keys), 1::bigint, 'its own keys');
select is((select count(*) from ads.users), 1::bigint, 'its own people');
select throws_ok('select password_hash from ads.users', '42501', null, 'but no hash of a password');
select is((select array_agg(balance_micros) from ads.balances), array[49000000::bigint], 'its own balance');
select is((select count(*) from ads.ledger_transactions), 2::bigint, 'its own ledger: the top-up and the spend');
select is((select sum(amount_micros) from ads.ledger_entries), 49000000::numeric, 'its own sides of the ledger');
select is((select sum(clicks) from ads.spend_rollups), 1::numeric, 'its own report');
select is_empty('select * from ads.no_ad_counts', 'and nothing a publisher counts');

select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros) select b, 'x', 1, 1000000 from t$$,
    '42501', null, 'it cannot make a campaign for another');
select is_empty(
    $$update ads.campaigns set name = 'taken' where id = (select cb from t) returning id$$,
    'it cannot change another''s campaign');
select throws_ok(
    $$update ads.campaigns set account_id = (select b from t)$$,
    null, null, 'it cannot give its campaign away');
select throws_ok(
    $$insert into ads.ads (account_id, campaign_id, product_id)
        select a, ca, (select product_id from ads.ads where id = adb) from t$$,
    '23502', null, 'it cannot even name another''s product');
select throws_ok(
    $$update ads.products set review_status = 'approved'$$, '42501', null, 'it cannot approve its products');
select throws_ok(
    $$insert into ads.accounts (type, name) values ('platform', 'me')$$, '42501', null, 'it cannot become the platform');
select throws_ok(
    $$insert into ads.accounts (type, name, manual_clicks_billable) values ('publisher', 'me', true)$$,
    '42501', null, 'it cannot grant itself manual clicks');
select throws_ok($$select * from ads.clicks$$, '42501', null, 'raw events are closed to it');
select throws_ok(
    $$update ads.ledger_accounts set balance_micros = 1$$, '42501', null, 'it cannot touch a balance');
select throws_ok(
    $$insert into ads.ledger_transactions (kind, account_id, reference) select 'topup', a, 'x' from t$$,
    '42501', null, 'it cannot write the ledger');
select throws_ok($$select * from ads.topup((select a from t), 1000000, 'x')$$, '42501', null, 'it cannot mint money');
select throws_ok(
    $$select * from ads.ingest(1, 1, gen_random_uuid(), 0, 1, 1, false)$$, '42501', null, 'it cannot call ingest');
select throws_ok($$select ads.node_begin(1)$$, '42501', null, 'it cannot fence a node');

set local role ads_ingest;
select is(
    (select count(*) from pg_class c
        where c.relnamespace = 'ads'::regnamespace and c.relkind in ('r', 'p', 'v')
            and c.relname not in ('schema_migrations', 'schema_code')
            and has_table_privilege('ads_ingest', c.oid, 'select, insert, update, delete, truncate')),
    0::bigint, 'the ingest role reaches no table but the version');
select lives_ok(
    $$select * from ads.settle_pending(4711, 1)$$, 'but its functions work');

-- Not even operators: the functions that write are the owner's.
reset role;
select is_empty(
    $$select r.rolname, c.relname, p.kind
        from pg_class c, pg_roles r,
            unnest(array['insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p (kind)
        where c.relnamespace = 'ads'::regnamespace
            and (c.relname in ('audit_log', 'ledger_entries', 'ledger_transactions', 'ledger_accounts')
                or c.relname ~ '^(clicks|impressions|conversions)(_|$)' and c.relkind in ('r', 'p'))
            and not pg_has_role(r.oid, c.relowner, 'member')
            and r.rolname !~ '^pg_'
            and (has_table_privilege(r.oid, c.oid, p.kind)
                or p.kind in ('insert', 'update', 'references') and has_any_column_privilege(r.oid, c.oid, p.kind))$$,
    'no one but its owner writes audit log, ledger and events');
set local role ads_ops;
select throws_ok(
    $$select ads.audit_put(null, 'update', 'users', 'x', null, null)$$, '42501', null, 'nor calls what writes the log');

-- Money is made by one duty, which adsd's login has not.
reset role;
select set_eq(
    $$select r.rolname::text
        from pg_roles r, pg_proc p
        where p.pronamespace = 'ads'::regnamespace
            and p.proname in ('topup', 'topup_settle', 'topup_reject', 'reversal')
            and r.rolname ~ '^ads_' and r.rolname <> 'ads_owner'
            and has_function_privilege(r.oid, p.oid, 'execute')$$,
    array['ads_pay'], 'only ads_pay books top-ups and reversals');
select is_empty(
    $$select c.relname
        from pg_class c
        where c.relnamespace = 'ads'::regnamespace and c.relkind in ('r', 'p', 'v')
            and c.relname not in ('schema_migrations', 'schema_code', 'change')
            and has_table_privilege('ads_pay', c.oid, 'select, insert, update, delete, truncate')$$,
    'and it reaches no table');

-- The login of adsd: its duties, and nothing else.
select set_eq(
    $$select r.rolname::text
        from pg_roles r
        where r.rolname <> 'ads' and pg_has_role('ads', r.oid, 'member')$$,
    array['ads_api', 'ads_ingest', 'ads_publish', 'ads_ops'], 'the login of adsd has four duties');
select results_eq(
    $$select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
        from pg_roles where rolname ~ '^ads(_|$)' group by 1$$,
    array[false], 'no role of the service is more than a role');
select set_eq(
    $$select rolname::text from pg_roles where rolname ~ '^ads(_|$)' and rolcanlogin$$,
    array['ads'], 'and one of them is a login');
select is_empty(
    $$select d.classid::regclass, d.objid
        from pg_shdepend d, pg_roles r
        where d.refobjid = r.oid and d.deptype = 'o' and r.rolname ~ '^ads(_|$)' and r.rolname <> 'ads_owner'
            and d.dbid = (select oid from pg_database where datname = current_database())$$,
    'neither it nor a duty owns anything');
select is_empty(
    $$select c.relname::text
        from pg_class c
        where c.relnamespace = 'ads'::regnamespace and c.relowner <> 'ads_owner'::regrole
        union all
        select p.proname::text
        from pg_proc p
        where p.pronamespace = 'ads'::regnamespace and p.proowner <> 'ads_owner'::regrole$$,
    'all of the schema is the owner''s');
create schema neighbour;
create table neighbour.secrets (word text);
grant select on neighbour.secrets to public;
set local session authorization ads;
select throws_ok(format('set local role %I', r), '42501', null, 'the login of adsd cannot become ' || r)
from unnest(array['ads_owner', 'ads_pay', 'pg_read_server_files', 'pg_execute_server_program']) r;
select throws_ok('select * from neighbour.secrets', '42501', null, 'nor read another schema');
select throws_ok('create table ads.mine (n int)', '42501', null, 'nor make a table');
select throws_ok('alter table ads.ledger_entries disable trigger all', '42501', null, 'nor lift a rule');
select throws_ok('drop function ads.change_bump()', '42501', null, 'nor drop a function');
select throws_ok('create role mallory', '42501', null, 'nor make a role');
select throws_ok($$copy ads.change to program 'id'$$, '42501', null, 'nor start a program');
select throws_ok($$select pg_read_file('/etc/passwd')$$, '42501', null, 'nor read a file');
reset session authorization;

set local role ads_publish;
select is((select count(*) from ads.publish_campaigns where campaign_id in (select ca from t union select cb from t)),
    2::bigint, 'the publisher reads campaigns of all tenants');
select throws_ok($$select * from ads.users$$, '42501', null, 'but no one''s people');

set local role ads_ops;
select is((select count(*) from ads.accounts where id in (select unnest(array[a, b, p, q]) from t)), 4::bigint,
    'operators see all tenants');

reset role;
select * from finish();
rollback;
