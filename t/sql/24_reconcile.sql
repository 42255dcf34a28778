-- Reconciliation: all is well when it is, and each rule sees its own fault.
-- Faults are made behind the guards' back.
begin;
\ir world.inc
select plan(18);

create temporary table t as
select x.a, x.p, y.c, pg_temp.ad(y.c) as ad
from (select pg_temp.advertiser(50000000) as a, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a, 90000000, 90000000) as c offset 0) y;
select count(pg_temp.click(ad, p, 1000001)) from t, generate_series(1, 10);
select pg_temp.send();

create function pg_temp.broken()
returns text
language sql
as $$
    select string_agg(left(rule, 2), ' ' order by rule) from ads.reconcile(current_date - 2, current_date + 2) where not ok
$$;
select is(pg_temp.broken(), null, 'ten clicks reconcile');
select cmp_ok((select count(*) from ads.reconcile(current_date, current_date)), '>=', 10::bigint, 'by ten rules');
select is((select count(*) from ads.reconcile(current_date, current_date) where detail is null), 0::bigint, 'each says what it saw');

-- Events of long ago are gone, and no difference.
savepoint s;
select pg_temp.click(ad, p, 1000001, at => now() - interval '150 days') from t;
select is((select billed from pg_temp.send()), 1::bigint, 'a click of long ago');
select is((select dropped from ads.maintain()), 1, 'its day is dropped');
select is((select string_agg(rule, ' ') from ads.reconcile(current_date - 160, current_date - 140) where not ok), null,
    'no click of that time is missed');
rollback to s;

set constraints all immediate;
alter table ads.clicks disable trigger user;
alter table ads.ledger_entries disable trigger user;
alter table ads.ledger_transactions disable trigger user;
savepoint s;
insert into ads.clicks select node, off + 1, at, price_micros, billed_micros, ledger_tx, session_hash, ip_hash, segment, gen_random_uuid(),
    request_id, ad_id, account_id, campaign_id, publisher_id, issue_day, budget_day, campaign_version, class, via, placement, country
from ads.clicks where campaign_id = (select c from t) limit 1;
select matches(pg_temp.broken(), '^R3 R5.* R6', 'a click billed without the ledger is seen');
rollback to s;
update ads.ledger_entries e set amount_micros = e.amount_micros + 1
from ads.ledger_accounts la where la.id = e.ledger_account_id and la.account_id = (select p from t);
select matches(pg_temp.broken(), 'R4 .*R5', 'an entry one micro off is seen');
rollback to s;
update ads.ledger_entries e set amount_micros = e.amount_micros + case la.kind when 'publisher_revenue' then 1 else -1 end
from ads.ledger_accounts la where la.id = e.ledger_account_id and la.kind in ('publisher_revenue', 'platform_revenue');
select matches((select string_agg(rule, ' ') from ads.reconcile(current_date - 1, current_date + 1) where not ok), 'publisher share',
    'a share one micro too large is seen, though it balances');
rollback to s;
update ads.ledger_accounts set balance_micros = balance_micros - 1 where account_id = (select a from t);
select matches(pg_temp.broken(), '^R5', 'a balance that is not its entries is seen');
rollback to s;
delete from ads.ledger_entries e using ads.ledger_transactions x where x.id = e.tx_id and x.kind = 'spend' and x.account_id = (select a from t);
select matches(pg_temp.broken(), '^R3 R4', 'a transaction without entries is seen');
rollback to s;
update ads.campaign_days set budget_micros = null, spent_micros = spent_micros - 1 where campaign_id = (select c from t);
select matches(pg_temp.broken(), '^R6', 'a day that spent less than its clicks is seen');
rollback to s;
update ads.campaign_spend set spent_micros = spent_micros + 1 where campaign_id = (select c from t);
select matches(pg_temp.broken(), '^R5 R6', 'a lifetime that is not its days is seen');
rollback to s;
update ads.spend_rollups set spend_micros = spend_micros + 1 where account_id = (select a from t);
select matches((select string_agg(rule, ' ') from ads.reconcile(current_date - 1, current_date + 1) where not ok), 'reports',
    'a report that is not its events is seen');
rollback to s;
select ads.node_begin(4711);
select is(pg_temp.broken(), 'R7', 'a segment no epoch reads on is seen');
rollback to s;
update ads.journal_cursor set final = true where node = 4711;
select ads.node_begin(4711);
select is(pg_temp.broken(), null, 'a final one is none');
rollback to s;
insert into ads.ingest_reject (node, segment, off, type, bytes, reason) select 4711, segment, 1, 1, '\x00', 'test' from place;
select is(pg_temp.broken(), 'R7', 'a record set aside is seen');
rollback to s;
set local role ads_ops;
select is(pg_temp.broken(), null, 'operators may ask');

reset role;
select * from finish();
rollback;
