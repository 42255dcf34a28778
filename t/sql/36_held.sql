-- Clicks that are set aside: those that follow stay behind them, none is lost,
-- doubled or billed out of order, and no allowance forgets them.
begin;
\ir world.inc
select plan(15);

create temporary table t as
select x.a, x.b, x.p, y.c, pg_temp.ad(y.c) as ad, pg_temp.ad(y.d) as other, pg_temp.id() as k
from (
    select pg_temp.advertiser(3000000) as a, pg_temp.advertiser(9000000) as b, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c, pg_temp.campaign(x.b) as d offset 0) y;
create function pg_temp.settle()
returns table (settled bigint, blocked bigint, oldest_at timestamptz)
language sql
as $$
    select s.* from place p, ads.held_settle(p.node, p.epoch) s
$$;
create function pg_temp.prices(the_account uuid)
returns text
language sql
as $$
    select string_agg(k.price_micros || ' ' || k.class, ', ' order by k.at, k.off)
    from ads.clicks k
    where k.account_id = the_account
$$;

-- one that waits, as if another session had held the balance when it came
insert into ads.clicks_held (
    node, segment, off, at, price_micros, billed_micros, click_id, request_id, ad_id, account_id, campaign_id,
    publisher_id, issue_day, budget_day, campaign_version, class, via)
select 4711, gen_random_uuid(), 64, now() - interval '2 minutes', 1000000, 0, t.k, pg_temp.id(), t.ad, t.a, t.c, t.p,
    ads.uuid_day(t.k), (now() at time zone 'UTC')::date, 1, 0, 'redirect'
from t;

select pg_temp.click(ad, p, 2000000), pg_temp.click(ad, p, 500000), pg_temp.click(ad, p, 1, k),
    pg_temp.click(ad, p, 1, class => 16), pg_temp.click(other, p, 1000000) from t;
select results_eq($$select billed, invalid from pg_temp.send()$$, $$values (1::bigint, 1::bigint)$$,
    'others, and what is not billed, are booked at once');
select is(count(*), 4::bigint, 'what such an advertiser would pay for is set aside') from ads.clicks_held;
select is(pg_temp.prices(a), '1 16', 'and is in no other table') from t;
select is((select remaining_micros from ads.allowances(4711) where campaign_id = t.c), 0::bigint,
    'what waits is not sold again') from t;
select is(ads.held_accounts(), array[a], 'the advertiser is known') from t;
select is_empty('select * from ads.held_by()', 'who would be named holds no lock');

select results_eq('select settled, blocked from pg_temp.settle()', 'values (4::bigint, 0::bigint)',
    'once its balance is free, all are settled');
select is(pg_temp.prices(a), '1000000 0, 2000000 0, 500000 4, 1 1, 1 16', 'in the order in which they came') from t;
select is(la.balance_micros, 0::bigint, 'each is paid once, and no more than there is')
from ads.ledger_accounts la, t
where la.account_id = t.a;
select is_empty('select from ads.clicks_held', 'none waits any more');
select results_eq('select settled, blocked, oldest_at from pg_temp.settle()',
    'values (0::bigint, 0::bigint, null::timestamptz)', 'settling again finds nothing');
select is_empty($$select * from ads.reconcile(current_date - 1, current_date + 1) where not ok$$,
    'everything adds up');

select throws_ok($$select ads.held_settle(4711, 0)$$, 'ADF01', null, 'an old epoch settles nothing');
set local role ads_ingest;
select throws_ok('select from ads.clicks_held', '42501', null, 'the ingest role reads no row itself');
select lives_ok('select * from ads.held_by()', 'but may ask who holds a balance');

reset role;
select * from finish();
rollback;
