-- Top-ups: announced by the advertiser, settled by the platform, once.
begin;
\ir world.inc
select plan(22);

create temporary table t as select pg_temp.advertiser() as a, pg_temp.advertiser() as b, pg_temp.publisher() as p;
grant select on t to public;

select throws_ok(
    $$select * from ads.topup_request((select a from t), 5000000, 'r1')$$, 'ADP01', null,
    'no one announces money without a tenant');
select set_config('ads.tenant', a::text, true) from t;
select throws_ok(
    $$select * from ads.topup_request((select b from t), 5000000, 'r1')$$, 'ADP01', null,
    'nor for another tenant');

set local role ads_api;
create temporary table r as select * from ads.topup_request((select a from t), 5000000, 'r1');
grant select on r to public;
select is((select status from r), 'pending', 'an announced top-up waits');
select is((select balance_micros from r), 0::bigint, 'and is not money yet');
select ok((select created from r), 'it is new');
select results_eq(
    $$select topup_id, status, created from ads.topup_request((select a from t), 5000000, 'r1')$$,
    $$select topup_id, 'pending', false from r$$, 'asked again it is the same one');
select throws_ok(
    $$select * from ads.topup_request((select a from t), 5000001, 'r1')$$, 'ADB01', null,
    'the same reference for another amount is refused');
select throws_ok(
    $$select * from ads.topup_settle((select topup_id from r))$$, '42501', null, 'an advertiser cannot settle it');

set local role ads_pay;
select results_eq(
    $$select status, balance_micros, created from ads.topup_settle((select topup_id from r))$$,
    $$values ('settled', 5000000::bigint, true)$$, 'the platform settles it');
select results_eq(
    $$select status, balance_micros, created from ads.topup_settle((select topup_id from r))$$,
    $$values ('settled', 5000000::bigint, false)$$, 'settling again moves nothing');
select throws_ok(
    $$select * from ads.topup_settle(gen_random_uuid())$$, 'ADN01', null, 'an unknown top-up is not found');
select results_eq(
    $$select status, balance_micros, created from ads.topup((select a from t), 7000000, 'r2')$$,
    $$values ('settled', 12000000::bigint, true)$$, 'an operator tops up at once');
select results_eq(
    $$select status, balance_micros, created from ads.topup((select a from t), 7000000, 'r2')$$,
    $$values ('settled', 12000000::bigint, false)$$, 'a repeated reference moves nothing');
select throws_ok(
    $$select * from ads.topup((select a from t), 8000000, 'r2')$$, 'ADB01', null, 'and cannot change its amount');
select lives_ok(
    $$select * from ads.topup((select b from t), 8000000, 'r2')$$, 'another account may use the same reference');
select throws_ok(
    $$select * from ads.topup((select p from t), 1000000, 'r')$$, 'ADN01', null, 'a publisher is not topped up');
select throws_ok(
    $$select * from ads.topup((select a from t), 999999, 'small')$$, '23514', null, 'a top-up is at least 1.00');
select throws_ok(
    $$select * from ads.topup((select a from t), 1000000000001, 'big')$$, '23514', null, 'and at most 1,000,000');
select throws_ok(
    $$select * from ads.topup((select a from t), 1000000, '')$$, '23514', null, 'and has a reference');

reset role;
select ads.settings_put('USD', 7000, 'auto', 'instant');
set local role ads_api;
select results_eq(
    $$select status, balance_micros from ads.topup_request((select a from t), 1000000, 'r3')$$,
    $$values ('settled', 13000000::bigint)$$, 'with instant settlement it is money at once');

reset role;
select lives_ok('set constraints all immediate', 'every transaction sums to zero');
select is((select sum(balance_micros) from ads.ledger_accounts), 0::numeric, 'all balances together are zero');

select * from finish();
rollback;
