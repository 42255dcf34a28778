-- Funds: clicks are billed in record order while balance, lifetime and day
-- budget last, and not one micro further.
begin;
\ir world.inc
select plan(33);

-- Clicks of these prices on one ad, in one batch, and the initials of the
-- classes they got.
create function pg_temp.bill(on_ad uuid, at_site uuid, prices bigint[])
returns text
language plpgsql
as $$
declare
    v_before bigint := (select coalesce(max(k.off), 0) from ads.clicks k where k.node = 4711);
begin
    perform pg_temp.click(on_ad, at_site, x.price)
    from unnest(prices) with ordinality x (price, ord);
    perform pg_temp.send();
    return (
        select string_agg(left(cc.name, 1), '' order by k.off)
        from ads.clicks k
        join ads.click_classes cc on cc.code = k.class
        where k.node = 4711
            and k.off > v_before);
end
$$;

create temporary table s as select pg_temp.publisher() as p;

-- The balance.
create temporary table t1 as select a, c, pg_temp.ad(c) as ad
from (select a, pg_temp.campaign(a) as c from (select pg_temp.advertiser(3000000) as a offset 0) x offset 0) y;
select is(pg_temp.bill(ad, p, array[1000000, 1000000, 1000000, 1000000, 1000000]), 'vvvuu',
    'equal prices: exactly as many as the balance pays') from t1, s;
select is(pg_temp.balance(a), 0::bigint, 'and the balance is nothing') from t1;
select is(pg_temp.bill(ad, p, array[1000000]), 'u', 'with nothing left a click is unfunded') from t1, s;
select ads.topup(a, 1500000, 'more') from t1;
select is(pg_temp.bill(ad, p, array[1000000, 1000000]), 'vu', 'after a top-up clicks are billed again') from t1, s;
select is(pg_temp.balance(a), 500000::bigint, 'what is too little for a click stays') from t1;
select is(pg_temp.bill(ad, p, array[500001, 500000, 1]), 'uvu',
    'a dearer click does not stop a cheaper one behind it') from t1, s;
select is(pg_temp.balance(a), 0::bigint, 'to the last micro') from t1;

-- The lifetime budget.
create temporary table t2 as select a, c, pg_temp.ad(c) as ad
from (select a, pg_temp.campaign(a, lifetime => 2500000) as c from (select pg_temp.advertiser(90000000) as a offset 0) x offset 0) y;
select is(pg_temp.bill(ad, p, array[1000000, 1000000, 1000000, 500000, 1]), 'vvuvu',
    'the lifetime budget is spent to the micro') from t2, s;
select is((select spent_micros from ads.campaign_spend where campaign_id = c), 2500000::bigint, 'and noted') from t2;
select is(pg_temp.balance(a), 87500000::bigint, 'the balance keeps the rest') from t2;
update ads.campaigns set lifetime_budget_micros = 4000000 where id = (select c from t2);
select is(pg_temp.bill(ad, p, array[1000000, 1000000]), 'vu', 'a raised budget counts at once') from t2, s;
update ads.settings set late_click_s = 0;
update ads.campaigns set lifetime_budget_micros = 1000000 where id = (select c from t2);
select is(pg_temp.bill(ad, p, array[1]), 'u', 'a budget lowered below what is spent bills nothing') from t2, s;

-- The day's budget, without the grace for links that are out.
create temporary table t3 as select a, c, pg_temp.ad(c) as ad
from (select a, pg_temp.campaign(a, daily => 2000000, lifetime => null) as c from (select pg_temp.advertiser(90000000) as a offset 0) x offset 0) y;
select is(pg_temp.bill(ad, p, array[1000000, 1000000, 1000000]), 'vvu', 'the day''s budget is a limit') from t3, s;
select is((select spent_micros from ads.campaign_days where campaign_id = c), 2000000::bigint, 'and noted') from t3;
update ads.settings set late_click_s = 600;
select is((select sum(budget_micros) from ads.campaign_days where campaign_id = c), 2000000::numeric,
    'with the budget it was classified by') from t3;
select is((select budget_micros from ads.campaign_spend where campaign_id = c), null,
    'a campaign without a lifetime budget has none') from t3;

-- Two campaigns share a balance that pays for neither whole.
create temporary table t4 as select a, c, d, pg_temp.ad(c) as ad, pg_temp.ad(d) as bd
from (select a, pg_temp.campaign(a) as c, pg_temp.campaign(a) as d from (select pg_temp.advertiser(3000000) as a offset 0) x offset 0) y;
select pg_temp.click(x.ad, s.p, 1000000)
from t4, s, lateral (values (1, t4.ad), (2, t4.bd), (3, t4.ad), (4, t4.bd), (5, t4.ad)) x (o, ad) order by o;
select results_eq($$select billed, unfunded from pg_temp.send()$$, $$values (3::bigint, 2::bigint)$$,
    'two campaigns of one account spend one balance');
select is(pg_temp.classes(c), 'valid valid unfunded', 'in record order') from t4;
select is(pg_temp.classes(d), 'valid unfunded', 'whichever campaign it is') from t4;

-- One campaign is scarce, the other of the same account is not.
create temporary table t5 as select a, c, d, pg_temp.ad(c) as ad, pg_temp.ad(d) as bd
from (select a, pg_temp.campaign(a, lifetime => 1000000) as c, pg_temp.campaign(a) as d from (select pg_temp.advertiser(90000000) as a offset 0) x offset 0) y;
select pg_temp.click(x.ad, s.p, 1000000)
from t5, s, lateral (values (1, t5.ad), (2, t5.bd), (3, t5.ad), (4, t5.bd)) x (o, ad) order by o;
select pg_temp.send();
select is(pg_temp.classes(c), 'valid unfunded', 'a scarce campaign is rationed') from t5;
select is(pg_temp.classes(d), 'valid valid', 'its neighbour is not') from t5;

-- Unfunded does not use up the click.
create temporary table t6 as select a, c, pg_temp.ad(c) as ad, pg_temp.id() as click
from (select a, pg_temp.campaign(a) as c from (select pg_temp.advertiser(1000000) as a offset 0) x offset 0) y;
select pg_temp.click(ad, p, 1000000) from t6, s;
select pg_temp.click(ad, p, 1000000, click) from t6, s;
select pg_temp.send();
select is(pg_temp.classes(c), 'valid unfunded', 'a click finds nothing left') from t6;
select ads.topup(a, 2000000, 'more') from t6;
select pg_temp.click(ad, p, 1000000, click) from t6, s;
select pg_temp.click(ad, p, 1000000, click) from t6, s;
select pg_temp.send();
select is(pg_temp.classes(c), 'valid unfunded valid duplicate',
    'clicked again when there is money it is billed, once') from t6;
select is(pg_temp.balance(a), 1000000::bigint, 'for one price') from t6;

-- The same, in a batch that is scarce itself.
create temporary table t7 as select a, c, pg_temp.ad(c) as ad, pg_temp.id() as k1, pg_temp.id() as k2
from (select a, pg_temp.campaign(a) as c from (select pg_temp.advertiser(1500000) as a offset 0) x offset 0) y;
select pg_temp.click(ad, p, price, click)
from (
    select 1 as o, ad, 1000000 as price, k1 as click from t7
    union all select 2, ad, 1000000, k1 from t7
    union all select 3, ad, 1000000, k2 from t7
    union all select 4, ad, 1000000, k2 from t7
    union all select 5, ad, 1000000, k1 from t7
) x, s order by o;
select pg_temp.send();
select is(pg_temp.classes(c), 'valid duplicate unfunded unfunded duplicate',
    'a repeat of a billed click is a duplicate, of an unfunded one unfunded') from t7;

-- Many clicks at once, against what was paid in.
create temporary table t8 as select a, c, pg_temp.ad(c) as ad
from (select a, pg_temp.campaign(a, daily => 100000000, lifetime => 100000000) as c from (select pg_temp.advertiser(70000000) as a offset 0) x offset 0) y;
select count(pg_temp.click(ad, p, 70000)) from t8, s, generate_series(1, 3000);
select is((select billed from pg_temp.send()), 1000::bigint, 'of 3,000 equal clicks the balance pays exactly 1,000') from s;
select is(pg_temp.balance(a), 0::bigint, 'and nothing is left') from t8;

-- Everything together.
select is(
    (select sum(spend_micros) from ads.spend_rollups where account_id in (
        select a from t1 union select a from t2 union select a from t3 union select a from t4
        union select a from t5 union select a from t6 union select a from t7 union select a from t8)),
    (select sum(t.amount_micros) - sum(pg_temp.balance(x.a))
        from (select a from t1 union select a from t2 union select a from t3 union select a from t4
            union select a from t5 union select a from t6 union select a from t7 union select a from t8) x
        join lateral (select sum(amount_micros) as amount_micros from ads.topups where account_id = x.a) t on true),
    'reports and balances agree to the micro');
select is((select sum(free_clicks) from ads.spend_rollups where account_id = (select a from t8)), 2000::numeric,
    'free clicks are counted');
select lives_ok('set constraints all immediate', 'every ledger transaction sums to zero');
select is((select sum(balance_micros) from ads.ledger_accounts), 0::numeric, 'all balances together are zero');
select is_empty($$select rule, detail from ads.reconcile(current_date - 2, current_date + 2) where not ok$$,
    'and everything reconciles');
select is((select min(balance_micros) from ads.ledger_accounts where kind = 'advertiser_balance'), 0::bigint,
    'no one is in debt');

select * from finish();
rollback;
