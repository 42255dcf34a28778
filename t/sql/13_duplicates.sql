-- Duplicates: the first valid click of a click_id is billed, wherever and
-- however often it comes again.
begin;
\ir world.inc
select plan(17);

create temporary table t as
select x.a, x.p, y.c, pg_temp.ad(y.c) as ad, pg_temp.id() as k1, pg_temp.id() as k2,
    pg_temp.id(now() - interval '20 hours') as old
from (select pg_temp.advertiser(900000000) as a, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c offset 0) y;

select count(pg_temp.click(ad, p, 1000000, k1)) from t, generate_series(1, 3);
select results_eq($$select billed, duplicates from pg_temp.send()$$, $$values (1::bigint, 2::bigint)$$,
    'in one batch the first is billed');
select pg_temp.click(ad, p, 1000000, k1) from t;
select results_eq($$select billed, duplicates from pg_temp.send()$$, $$values (0::bigint, 1::bigint)$$,
    'in a later batch none');
select is(pg_temp.classes(), 'valid duplicate duplicate duplicate', 'each is a row of its own');

-- Another segment, then another node.
update place set segment = gen_random_uuid(), off = 0;
select g.* from place p, ads.cursor_get(p.node, p.segment, 'm', 'm-two.seg', p.epoch) g;
select pg_temp.click(ad, p, 1000000, k1) from t;
select results_eq($$select billed, duplicates from pg_temp.send()$$, $$values (0::bigint, 1::bigint)$$,
    'nor from another segment');
update place set node = 4712, epoch = ads.node_begin(4712), segment = gen_random_uuid(), off = 0;
select g.* from place p, ads.cursor_get(p.node, p.segment, 'm', 'm-three.seg', p.epoch) g;
select pg_temp.click(ad, p, 1000000, k1) from t;
select results_eq($$select billed, duplicates from pg_temp.send()$$, $$values (0::bigint, 1::bigint)$$,
    'nor from another node');

-- A robot first does not cost the publisher the human's click.
select pg_temp.click(ad, p, 1000000, k2, class => x.class) from t, unnest(array[16, 0, 16, 0]) with ordinality x (class, o) order by o;
select results_eq($$select billed, duplicates, invalid from pg_temp.send()$$, $$values (1::bigint, 1::bigint, 2::bigint)$$,
    'an invalid click before it does not take the human''s place');

-- Issue days: an id of yesterday is unique on yesterday's partition.
select pg_temp.click(ad, p, 1000000, old, at => now() - interval '19 hours') from t;
select results_eq($$select billed, duplicates from pg_temp.send()$$, $$values (1::bigint, 0::bigint)$$,
    'an old link''s first click is billed');
select pg_temp.click(ad, p, 1000000, old) from t;
select results_eq($$select billed, duplicates from pg_temp.send()$$, $$values (0::bigint, 1::bigint)$$,
    'its second, a day later, is not');
select is((select array_agg(distinct issue_day) from ads.clicks where click_id = (select old from t)),
    array[ads.uuid_day((select old from t))], 'both stand on the day of the request');
select is(ads.uuid_day('00000000-0000-8000-8000-000000000000'), date '1970-01-01', 'a day is counted from 1970');
select is(ads.uuid_time(ads.uuid_floor(1893456000123)), timestamptz '2030-01-01 00:00:00.123Z', 'an id tells its millisecond');

-- The index itself is the last guard.
select throws_ok(
    $$insert into ads.clicks (node, off, at, price_micros, billed_micros, ledger_tx, budget_day, segment, click_id, request_id,
            ad_id, account_id, campaign_id, publisher_id, issue_day, campaign_version, class, via)
        select 1, 1, at, price_micros, billed_micros, ledger_tx, budget_day, segment, click_id, request_id,
            ad_id, account_id, campaign_id, publisher_id, issue_day, 1, 0, 'redirect'
        from ads.clicks where click_id = (select k1 from t) and class = 0$$,
    '23505', null, 'a second valid row does not fit in');
select throws_ok(
    $$insert into ads.clicks select * from ads.clicks where click_id = (select k1 from t) and class = 1 limit 1$$,
    '23505', null, 'nor the same record twice');
select throws_ok(
    $$insert into ads.clicks (node, off, at, price_micros, billed_micros, ledger_tx, budget_day, segment, click_id, request_id,
            ad_id, account_id, campaign_id, publisher_id, issue_day, campaign_version, class, via)
        select 1, 1, at, price_micros, price_micros, 1, issue_day, segment, gen_random_uuid(), request_id,
            ad_id, account_id, campaign_id, publisher_id, issue_day, 1, 1, 'redirect'
        from ads.clicks where class = 1 limit 1$$,
    '23514', null, 'only a valid click is billed');

-- Two issue days in one batch, and both ends of the same id.
select pg_temp.click(ad, p, 1000000, pg_temp.id(at), at)
from t, (values (now() - interval '23 hours'), (now()), (now() - interval '2 days')) x (at);
select is((select billed from pg_temp.send()), 3::bigint, 'one batch may have clicks of several issue days');
select is(
    (select sum(clicks)::int || ' ' || sum(duplicate_clicks) || ' ' || sum(invalid_clicks) from ads.spend_rollups
        where account_id = (select a from t)),
    '6 7 2', 'the report counts them apart');
select is(pg_temp.balance(a), 894000000::bigint, 'and each was paid once') from t;

select * from finish();
rollback;
