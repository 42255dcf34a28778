-- Allowances: what each campaign may still sell, and which may sell at all.
begin;
\ir world.inc
select plan(26);

create temporary table t as
select x.a, x.p, pg_temp.campaign(x.a, 4000000, 9000000) as c
from (select pg_temp.advertiser(10000000) as a, pg_temp.publisher() as p offset 0) x;
create temporary table d as select pg_temp.ad(c) as ad from t;
create function pg_temp.left_of(the_campaign uuid)
returns bigint
language sql
as $$
    select remaining_micros from ads.allowances(4711) where campaign_id = the_campaign
$$;
-- Bills so many clicks of 1.00.
create function pg_temp.spend(n int)
returns void
language plpgsql
as $$
begin
    perform pg_temp.click(d.ad, t.p, 1000000) from t, d, generate_series(1, n);
    perform pg_temp.send();
end
$$;

select is(pg_temp.left_of(c), 4000000::bigint, 'the day''s budget is the least') from t;
select pg_temp.spend(3);
select is(pg_temp.left_of(c), 1000000::bigint, 'less what was spent today') from t;
select pg_temp.spend(1);
select is(pg_temp.left_of(c), 0::bigint, 'nothing is left when it is spent') from t;
update ads.campaigns set daily_budget_micros = null where id = (select c from t);
select is(pg_temp.left_of(c), 5000000::bigint, 'without one the lifetime budget is the least') from t;
update ads.campaigns set lifetime_budget_micros = 1000000000 where id = (select c from t);
select is(pg_temp.left_of(c), 6000000::bigint, 'else the balance') from t;
select ads.topup(a, 1000000, 'more') from t;
select is(pg_temp.left_of(c), 7000000::bigint, 'which a top-up raises') from t;
update ads.campaigns set lifetime_budget_micros = 1000000 where id = (select c from t);
select is(pg_temp.left_of(c), 0::bigint, 'a budget below what is spent leaves nothing, not less') from t;
update ads.campaigns set lifetime_budget_micros = 1000000000 where id = (select c from t);

update ads.campaigns set start_at = now() + interval '1 second' where id = (select c from t);
select is(pg_temp.left_of(c), null, 'before its schedule a campaign sells nothing') from t;
update ads.campaigns set start_at = now() - interval '2 days', end_at = now() where id = (select c from t);
select is(pg_temp.left_of(c), null, 'nor from its end on') from t;
update ads.campaigns set start_at = now(), end_at = now() + interval '1 second' where id = (select c from t);
select is(pg_temp.left_of(c), 7000000::bigint, 'in between it does') from t;
update ads.campaigns set status = 'paused' where id = (select c from t);
select is(pg_temp.left_of(c), null, 'not while paused') from t;
update ads.campaigns set status = 'active' where id = (select c from t);
update ads.accounts set status = 'suspended' where id = (select a from t);
select is(pg_temp.left_of(c), null, 'nor while the account is suspended') from t;
update ads.accounts set status = 'active' where id = (select a from t);

-- A remainder that does not pay the bid is no remainder, on every level.
update ads.campaigns set bid_micros = 7000001 where id = (select c from t);
select is(pg_temp.left_of(c), 0::bigint, 'a balance that does not pay the bid') from t;
update ads.campaigns set bid_micros = 300000, lifetime_budget_micros = 4290000 where id = (select c from t);
select is(pg_temp.left_of(c), 0::bigint, 'a lifetime budget that does not') from t;
update ads.campaigns set lifetime_budget_micros = 1000000000, daily_budget_micros = 4290000 where id = (select c from t);
select is(pg_temp.left_of(c), 0::bigint, 'nor a day') from t;

-- Yesterday's spending is not today's, in the campaign's zone.
update ads.campaigns set daily_budget_micros = 5000000, timezone = 'Asia/Kathmandu' where id = (select c from t);
delete from ads.campaign_days where campaign_id = (select c from t);
insert into ads.campaign_days (campaign_id, account_id, day, spent_micros, budget_micros)
select c, a, (now() at time zone 'Asia/Kathmandu')::date - 1, 5000000, 5000000 from t;
select is(pg_temp.left_of(c), 5000000::bigint, 'a new day has a new budget') from t;
insert into ads.campaign_days (campaign_id, account_id, day, spent_micros, budget_micros)
select c, a, (now() at time zone 'Asia/Kathmandu')::date, 2000000, 5000000 from t;
select is(pg_temp.left_of(c), 3000000::bigint, 'and the campaign''s zone says which day it is') from t;

-- What other nodes said of the campaign, and of the account.
do $$ begin perform ads.node_begin(4712); end $$;
create function pg_temp.said(node bigint, coming bigint, room bigint)
returns void
language sql
as $$
    select ads.sales_put(node, 1, array[row(c, 77, 1000, coming, room, 50)::ads.sale_in]) from t
$$;
select lives_ok($$select pg_temp.said(4712, 30, 40)$$, 'a node says what it sells');
select lives_ok($$select pg_temp.said(4712, 31, 41)$$, 'and again');
select results_eq(
    $$select others, others_coming_micros, others_room_micros, others_pace_micros, account_others, account_coming_micros,
            n_nodes, node_no
        from ads.allowances(4711), t where campaign_id = c$$,
    $$values (1::bigint, 31::bigint, 41::bigint, 50::bigint, 1::bigint, 31::bigint, 2::bigint, 0::bigint)$$,
    'another node hears the last of it');
select results_eq(
    $$select others, account_others, node_no from ads.allowances(4712), t where campaign_id = c$$,
    $$values (0::bigint, 0::bigint, 1::bigint)$$, 'and it does not hear itself');
select results_eq($$select live, served_micros, coming_micros from ads.sales_of(4712)$$,
    $$values (77::bigint, 1000::bigint, 31::bigint)$$, 'but reads what it said');
select throws_ok($$select ads.sales_put(4712, 0, '{}')$$, 'ADF01', null, 'not who was replaced');

select throws_ok($$select * from ads.allowances(1)$$, 'ADN01', null, 'an unknown node learns nothing');
set local role ads_ingest;
select lives_ok($$select * from ads.allowances(4711)$$, 'the ingest role may ask');
set local role ads_publish;
select lives_ok($$select * from ads.allowances(4711)$$, 'the publisher, too');

reset role;
select * from finish();
rollback;
