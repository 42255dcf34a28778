-- The ledger: balanced, insert-only, never in debt; each guard is broken.
begin;
\ir world.inc
select plan(39);

create temporary table x as select pg_temp.advertiser(10000000) as a, pg_temp.advertiser(5000000) as b;
create temporary table t as
select x.a, x.b, la.id as la, lb.id as lb
from x
join ads.ledger_accounts la on la.account_id = x.a
join ads.ledger_accounts lb on lb.account_id = x.b;
create temporary table cash as select id from ads.ledger_accounts where kind = 'cash';

select is(pg_temp.balance(a), 10000000::bigint, 'a top-up is on the balance') from t;
select lives_ok('set constraints all immediate', 'so far every transaction sums to zero');
set constraints all deferred;

-- Sum zero.
create function pg_temp.tx(
    reference text,
    kind text default 'topup',
    amount bigint default 1000000,
    after bigint default 11000000)
returns bigint
language sql
as $$
    insert into ads.ledger_transactions (kind, account_id, reference, amount_micros, balance_after_micros)
    select kind, t.a, reference, amount, after from t
    returning id
$$;
select throws_ok(
    $$insert into ads.ledger_entries select pg_temp.tx('r1'), la, 1000000 from t$$,
    '23514', null, 'one side alone is refused');
select throws_ok(
    $$insert into ads.ledger_entries
        select x.tx, v.l, v.m from (select pg_temp.tx('r2') as tx offset 0) x, t, cash,
            lateral (values (t.la, 1000000), (cash.id, -999999)) v (l, m)$$,
    '23514', null, 'sides that differ by one micro are refused');
select throws_ok(
    $$insert into ads.ledger_entries
        select x.tx, v.l, v.m from (select pg_temp.tx('r3') as tx offset 0) x, t, cash,
            lateral (values (t.la, 0), (cash.id, 0)) v (l, m)$$,
    '23514', null, 'a side of nothing is refused');
savepoint s;
select pg_temp.tx('r4');
select throws_ok('set constraints all immediate', '23514', null, 'a transaction without entries does not commit');
rollback to s;
select throws_ok(
    $$insert into ads.ledger_entries
        select -1, v.l, v.m from t, cash, lateral (values (t.la, 1000000), (cash.id, -1000000)) v (l, m)$$,
    '23503', null, 'sides belong to a transaction that exists');
select throws_ok(
    $$insert into ads.ledger_entries
        select x.tx, v.l, v.m from (select pg_temp.tx('r5') as tx offset 0) x, t,
            lateral (values (t.la, 1000000), (-1, -1000000)) v (l, m)$$,
    '23503', null, 'and to ledger accounts that exist');
select lives_ok(
    $$insert into ads.ledger_entries
        select x.tx, v.l, v.m from (select pg_temp.tx('r6') as tx offset 0) x, t, cash,
            lateral (values (t.la, 1000000), (cash.id, -1000000)) v (l, m)$$,
    'two equal sides are accepted');
select is(pg_temp.balance(a), 11000000::bigint, 'and move the balance') from t;

-- No debt.
select throws_ok(
    $$insert into ads.ledger_entries
        select x.tx, v.l, v.m from (select pg_temp.tx('r7', 'reversal', -11000001, 0) as tx offset 0) x, t, cash,
            lateral (values (t.la, -11000001), (cash.id, 11000001)) v (l, m)$$,
    '23514', null, 'a balance never goes below zero, not by a micro');
select lives_ok(
    $$insert into ads.ledger_entries
        select x.tx, v.l, v.m from (select pg_temp.tx('r8', 'reversal', -11000000, 0) as tx offset 0) x, t, cash,
            lateral (values (t.la, -11000000), (cash.id, 11000000)) v (l, m)$$,
    'it may go to zero');
select is(pg_temp.balance(a), 0::bigint, 'and is zero then') from t;

-- What a transaction says of the balance.
create function pg_temp.post(reference text, amount bigint, after bigint)
returns void
language sql
as $$
    insert into ads.ledger_entries
    select x.tx, v.l, v.m
    from (select pg_temp.tx(reference, 'topup', amount, after) as tx offset 0) x, t, cash,
        lateral (values (t.la, 1000000), (cash.id, -1000000)) v (l, m)
$$;
select throws_ok($$select pg_temp.post('r9', 1000001, 1000000)$$, '23514', null, 'an amount is the entry''s');
select throws_ok($$select pg_temp.post('r10', 1000000, 1000001)$$, '23514', null, 'a balance after is the balance after');
select throws_ok($$select pg_temp.tx('r11', 'topup', -1, 1)$$, '23514', null, 'a top-up adds');
select throws_ok($$select pg_temp.tx('r12', 'topup', 1, -1)$$, '23514', null, 'no balance after is below zero');
select lives_ok($$select pg_temp.post('r13', 1000000, 1000000)$$, 'what is true is accepted');
select is(
    (select posted_at >= (select max(at) from ads.ledger_transactions where account_id = t.a)
        from ads.ledger_accounts join t on id = t.la),
    true, 'and the next movement cannot be earlier');

-- Insert-only, for a superuser too.
set constraints all immediate;
select throws_ok('update ads.ledger_entries set amount_micros = 1', '42501', null, 'entries are not changed');
select throws_ok('delete from ads.ledger_entries', '42501', null, 'entries are not deleted');
select throws_ok('truncate ads.ledger_entries', '42501', null, 'entries are not truncated');
select throws_ok('update ads.ledger_transactions set at = now()', '42501', null, 'transactions are not changed');
select throws_ok('delete from ads.ledger_transactions', '42501', null, 'transactions are not deleted');
select throws_ok('truncate ads.ledger_transactions cascade', '42501', null, 'transactions are not truncated');
select throws_ok('delete from ads.ledger_accounts', '42501', null, 'ledger accounts stay');
select throws_ok('update ads.clicks set billed_micros = 0', '42501', null, 'clicks are not changed');
select throws_ok('delete from ads.clicks', '42501', null, 'clicks are not deleted');
select throws_ok('truncate ads.clicks', '42501', null, 'clicks are not truncated');
select throws_ok('delete from ads.impressions', '42501', null, 'impressions are not deleted');
select is(
    (select count(*)
        from unnest(array['ads_api', 'ads_ingest', 'ads_publish', 'ads_ops']) r,
            unnest(array['ledger_entries', 'ledger_transactions', 'clicks', 'impressions']) n,
            unnest(array['insert', 'update', 'delete', 'truncate']) w
        where has_table_privilege(r, 'ads.' || n, w)),
    0::bigint, 'and no role has the right to write them');

-- Shape.
select throws_ok(
    $$select pg_temp.tx('g', 'gift')$$, '23514', null, 'a kind is known');
select throws_ok(
    $$select pg_temp.tx(null)$$,
    '23514', null, 'a top-up has a reference');
select throws_ok(
    $$select pg_temp.tx('s', 'spend', -1)$$,
    '23514', null, 'spending says where it comes from');
select throws_ok(
    $$select pg_temp.tx('first')$$, '23505', null, 'a reference is unique to account and kind');
select throws_ok(
    $$insert into ads.ledger_accounts (kind, account_id, currency) select 'advertiser_balance', a, 'USD' from t$$,
    '23505', null, 'an advertiser has one balance');
select throws_ok(
    $$insert into ads.ledger_accounts (kind, account_id, node, currency) select 'advertiser_balance', a, 5, 'USD' from t$$,
    '23514', null, 'which no node has for itself');
select throws_ok(
    $$insert into ads.ledger_accounts (kind, currency) values ('advertiser_balance', 'USD')$$,
    '23514', null, 'a balance has an owner');
select throws_ok(
    $$insert into ads.ledger_accounts (kind, node, currency) values ('platform_revenue', 5, 'EUR')$$,
    '23503', null, 'every balance has the installation''s currency');

select * from finish();
rollback;
