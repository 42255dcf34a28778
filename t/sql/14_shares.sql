-- Shares: the publisher has floor(price * bps / 10,000) of each click, the
-- platform the rest, whatever the batches.
begin;
\ir world.inc
select plan(19);

select is(ads.share_micros(x.price, x.bps), x.share, format('%s at %s bps', x.price, x.bps))
from (values
    (1::bigint, 7000, 0::bigint),
    (3, 7000, 2),
    (10001, 7000, 7000),
    (999999, 3333, 333299),
    (1000000000000000, 9999, 999900000000000),
    (1000000000000000, 10000, 1000000000000000),
    (123456789, 0, 0)) x (price, bps, share);

create temporary table t as
select x.*, y.c, pg_temp.ad(y.c) as ad
from (select pg_temp.advertiser(900000000) as a, pg_temp.publisher() as p, pg_temp.publisher() as q offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c offset 0) y;

-- Three clicks of 3 micros: 2 each, not floor(9 * 0.7).
select pg_temp.click(ad, p, 3) from t, generate_series(1, 3);
select pg_temp.send();
select is(pg_temp.balance(p), 6::bigint, 'the share is rounded for each click, not for the batch') from t;
select is((select balance_micros from ads.balances where kind = 'platform_revenue'), 3::bigint, 'the platform has the rest');
select pg_temp.click(ad, p, 1) from t;
select pg_temp.send();
select is(pg_temp.balance(p), 6::bigint, 'a share of nothing is no entry') from t;

-- A hundred prices, two publishers, in one batch and one by one.
create temporary table tx as select max(id) as id from ads.ledger_transactions;
select count(pg_temp.click(ad, case when i % 2 = 0 then p else q end, 100000 + i * 7919)) from t, generate_series(1, 100) i;
select pg_temp.send();
select is(
    pg_temp.balance(p) + pg_temp.balance(q),
    (select sum(ads.share_micros(k.billed_micros, 7000)) from ads.clicks k where k.campaign_id = c)::bigint,
    'a hundred prices: exact to the micro') from t;
select is(
    (select count(*) from ads.ledger_transactions where campaign_id = c and id > (select id from tx)),
    2::bigint, 'one ledger transaction for each campaign and publisher of the batch') from t;
select is((select sum(revenue_micros) from ads.spend_rollups where publisher_id = p), pg_temp.balance(p)::numeric,
    'the publisher''s report is its balance') from t;

-- Another share from now on.
select ads.settings_put('USD', 8000, 'auto', 'manual', p_too_fast_ms => 0);
create temporary table b as select pg_temp.balance(p) as n from t;
select pg_temp.click(ad, p, 999999) from t;
select pg_temp.send();
select is(pg_temp.balance(p) - n, 799999::bigint, 'a new share holds for new clicks') from t, b;

-- Another share while a batch is on its way.
create function pg_temp.meanwhile()
returns trigger
language plpgsql
as $$
begin
    update ads.settings set publisher_share_bps = 6000;
    return null;
end
$$;
create trigger meanwhile after update on ads.ledger_accounts for each statement execute function pg_temp.meanwhile();
select pg_temp.click(ad, p, 999999) from t;
select pg_temp.send();
drop trigger meanwhile on ads.ledger_accounts;
select is((select publisher_share_bps from ads.settings), 6000, 'the share changes between the ledger and the reports');
select is((select sum(revenue_micros) from ads.spend_rollups where publisher_id = p), pg_temp.balance(p)::numeric,
    'the publisher''s report is its balance all the same') from t;
select is((select array_agg(distinct share_bps order by share_bps) from ads.ledger_transactions where campaign_id = c),
    array[7000, 8000], 'and each transaction says which it used') from t;
select is_empty($$select rule, detail from ads.reconcile(current_date - 2, current_date + 2) where not ok$$,
    'so both reconcile');
select is((select sum(balance_micros) from ads.ledger_accounts), 0::numeric, 'all balances together are zero');

select * from finish();
rollback;
