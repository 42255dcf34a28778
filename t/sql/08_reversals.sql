-- Top-ups that are refused, and money that goes back: once, whole, never below
-- zero, and every transaction still sums to zero.
begin;
\ir world.inc
select plan(44);

insert into ads.accounts (type, name) values ('platform', 'Us');
create temporary table t as
select x.a, x.b, x.p, y.c, pg_temp.ad(y.c) as ad, (select id from ads.accounts where name = 'Us') as boss
from (select pg_temp.advertiser(10000000) as a, pg_temp.advertiser() as b, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c offset 0) y;
grant select on t to public;
create temporary table k as select pg_temp.click(ad, p, 1000001) as click from t;
grant select on k to public;
select pg_temp.send();
create temporary table m as select id as topup from ads.topups where account_id = (select a from t);
grant select on m to public;
select is(pg_temp.balance(a), 8999999::bigint, 'a top-up, less a click') from t;

create function pg_temp.back(topup uuid, click uuid, amount bigint, reference text)
returns text
language sql
as $$ select state from ads.platform_reversal(topup, click, amount, 'why', reference) $$;
create function pg_temp.due()
returns text
language sql
as $$ select string_agg(rule, ' ') from ads.reconcile(current_date - 1, current_date + 1) where not ok $$;

-- Who may.
set local role ads_api;
select throws_ok($$select pg_temp.back((select topup from m), null, 1000000, 'x')$$, 'ADP01', null,
    'no one reverses without a tenant');
select set_config('ads.tenant', a::text, true) from t;
select throws_ok($$select pg_temp.back((select topup from m), null, 1000000, 'x')$$, 'ADP01', null,
    'nor an advertiser');
select throws_ok($$select * from ads.reversal((select topup from m), null, 1000000, 'why', 'x')$$, '42501', null,
    'nor by the operator''s own function');
select throws_ok($$select * from ads.platform_topup((select topup from m), true, null)$$, 'ADP01', null,
    'nor does it settle');
select throws_ok($$select * from ads.platform_topups(null, null, null, null, 10)$$, 'ADP01', null,
    'nor sees everybody''s top-ups');
select set_config('ads.tenant', boss::text, true) from t;

-- A click.
select is(pg_temp.back(null, gen_random_uuid(), null, 'r0'), 'not_found', 'an unknown click is not found');
select is(pg_temp.back(null, click, 1, 'r1'), 'too_much', 'a click goes back as a whole') from k;
select is(pg_temp.back(null, click, null, 'r1'), 'created', 'and does') from k;
select is(pg_temp.back(null, click, null, 'r1'), 'repeated', 'asked again it is the same') from k;
select is(pg_temp.back(null, click, null, 'r2'), 'reversed', 'by another reference it was reversed before') from k;
reset role;
select is(pg_temp.balance(a), 10000000::bigint, 'the advertiser has its money again') from t;
select is(pg_temp.balance(p), 0::bigint, 'the publisher gave its share back') from t;
select is((select sum(balance_micros) from ads.ledger_accounts where kind = 'platform_revenue'), 0::numeric, 'and so did the platform');
select is(pg_temp.due(), null, 'it reconciles');

-- Among many of its day it is found without a read them.
create function pg_temp.looked()
returns bigint
language sql
as $$
    select sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0))::bigint
    from pg_stat_xact_user_tables s
    where s.relname like 'clicks\_2%'
$$;
select count(pg_temp.click(ad, p, 1, class => 16)) from t, generate_series(1, 300);
select pg_temp.send();
create temporary table seen as select pg_temp.looked() as n;
select is((select state from ads.reversal(null, click, null, 'why', 'r2')), 'reversed', 'a click of a busy day') from k;
select cmp_ok(pg_temp.looked() - n, '<', 10::bigint, 'costs a read itself') from seen;

-- A click that cost nothing.
create temporary table free as select pg_temp.click(ad, p, 1000001, class => 16) as click from t;
grant select on free to public;
select pg_temp.send();
set local role ads_api;
select is(pg_temp.back(null, click, null, 'r3'), 'not_billed', 'what cost nothing is not given back') from free;

-- A click reported at one node, that waited and was settled by another.
reset role;
create temporary table w as
select pg_temp.id() as r, pg_temp.id() as click, pg_temp.publisher(true) as q, ads.node_begin(4712) as epoch;
grant select on w to public;
select pg_temp.click(ad, q, 0, click, flags => 1, request => r) from t, w;
select pg_temp.send();
select pg_temp.show(r, q, array[ad], 1000001) from t, w;
select pg_temp.send();
select is((select s.billed_micros from w, ads.settle_pending(4712, w.epoch) s), 1000001::bigint, 'a click that waited is billed by another node');
set local role ads_api;
select is(pg_temp.back(null, click, null, 'r7'), 'created', 'it goes back like any other') from w;
reset role;
select is(pg_temp.balance(a), 10000000::bigint, 'to the advertiser') from t;
select is((select array_agg(distinct balance_micros) from ads.ledger_accounts where kind like '%revenue'), array[0::bigint],
    'from the rows it was booked on');
select is(pg_temp.due(), null, 'it reconciles');
set local role ads_api;

-- A top-up.
select is(pg_temp.back(topup, null, 10000001, 'r4'), 'too_much', 'no more goes back than came') from m;
select is(pg_temp.back(topup, null, 4000000, 'r1'), 'reference_reused', 'a reference is for one reversal') from m;
select is(pg_temp.back(topup, null, 4000000, 'r4'), 'created', 'a part of a top-up goes back') from m;
select is(pg_temp.back(topup, null, 6000001, 'r5'), 'too_much', 'the rest is all that is left') from m;
select is(pg_temp.back(topup, null, 4000000, 'r4'), 'repeated', 'repeated it moves nothing') from m;
reset role;
select is(pg_temp.balance(a), 6000000::bigint, 'what is left') from t;
select pg_temp.click(ad, p, 1) from t;
select pg_temp.send();
set local role ads_api;
select is(pg_temp.back(topup, null, null, 'r5'), 'no_funds', 'spent money does not go back') from m;
select is(pg_temp.back(topup, null, 5999999, 'r5'), 'created', 'the rest does') from m;
reset role;
select is(pg_temp.balance(a), 0::bigint, 'down to zero, not below') from t;
select is(pg_temp.due(), null, 'it reconciles');
select throws_ok($$update ads.topups set reversed_micros = 10000001$$, '23514', null, 'more than came cannot go back');

-- Refused.
select set_config('ads.tenant', b::text, true) from t;
create temporary table q as select * from ads.topup_request((select b from t), 5000000, 'q');
grant select on q to public;
select set_config('ads.tenant', boss::text, true) from t;
set local role ads_api;
select results_eq($$select status, created from ads.platform_topup((select topup_id from q), false, 'bounced')$$,
    $$values ('rejected', true)$$, 'the platform refuses a top-up');
select results_eq($$select status, created from ads.platform_topup((select topup_id from q), true, null)$$,
    $$values ('rejected', false)$$, 'which is final');
select results_eq($$select status, reject_reason from ads.platform_topups('rejected', null, null, null, 10)$$,
    $$values ('rejected', 'bounced')$$, 'and listed with its reason');
select is(pg_temp.back(topup_id, null, 1000000, 'r6'), 'not_settled', 'there is nothing to take back') from q;
reset role;
select throws_ok($$select * from ads.topup((select b from t), 5000000, 'q')$$, 'ADT01', null, 'the command line does not book it either');
select throws_ok($$update ads.topups set reject_reason = null where status = 'rejected'$$, '23514', null, 'a refusal has a reason');

-- The provider's word.
select is((select state from ads.topup_webhook((select topup_id from q), 5000000, 'USD', true, null)), 'off',
    'without webhook settlement no one calls');
select ads.settings_put('USD', 7000, 'auto', 'webhook');
select is((select state from ads.topup_webhook((select topup_id from q), 5000001, 'USD', true, null)), 'mismatch',
    'another amount is refused');
select is((select state from ads.topup_webhook((select topup_id from q), 5000000, 'USD', true, null)), 'conflict',
    'what was decided stays');

select lives_ok('set constraints all immediate', 'every transaction sums to zero');

select * from finish();
rollback;
