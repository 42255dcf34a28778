-- Conversions: whose they are, what is a repeat, and what is not attributed.
begin;
\ir world.inc
select plan(75);

create temporary table t as
select x.*, y.c, pg_temp.ad(y.c) as ad, pg_temp.id() as k, pg_temp.id() as r
from (
    select pg_temp.advertiser(900000000) as a, pg_temp.publisher() as p, pg_temp.advertiser() as b, pg_temp.publisher() as q
    offset 0
) x
cross join lateral (select pg_temp.campaign(x.a) as c offset 0) y;

create function pg_temp.convert(
    actor uuid,
    click uuid,
    value bigint default 5000000,
    order_id text default null,
    adjusts uuid default null,
    currency text default 'USD',
    request uuid default null,
    ad uuid default null,
    at timestamptz default now())
returns table (status text, event_id uuid, campaign_id uuid, ad_id uuid, click_at timestamptz, reason text)
language plpgsql
as $$
begin
    perform set_config('ads.tenant', actor::text, true);
    return query select * from ads.conversion_record(actor, click, value, currency, order_id, adjusts, request, ad, at);
end
$$;

select pg_temp.click(ad, p, 1000000, k, request => r, at => now() - interval '1 hour') from t;
select pg_temp.send();

-- Whose.
create temporary table c1 as select x.* from t, pg_temp.convert(a, k) x;
select results_eq($$select status, campaign_id, ad_id, click_at, reason from c1$$,
    $$select 'recorded'::text, c, ad, now() - interval '1 hour', null::text from t$$, 'the advertiser''s own click is attributed');
select is(status, 'recorded', 'the publisher may report it, too') from t, pg_temp.convert(p, k, 6000000);
select is(status, 'click_not_found', 'to another advertiser the click is not there') from t, pg_temp.convert(b, k);
select is(status, 'click_not_found', 'nor to another publisher') from t, pg_temp.convert(q, k);
select is((select count(*) from ads.conversions where actor_account_id in (select b from t union select q from t)), 0::bigint,
    'and nothing is stored for them');
select set_config('ads.tenant', b::text, true) from t;
select throws_ok(
    $$select x.* from t, ads.conversion_record(a, k, 1, 'USD', null, null, null, null, now()) x$$,
    'ADP01', null, 'no one reports for another tenant');
select is(status, 'mismatch', 'another request''s id does not fit') from t, pg_temp.convert(a, k, request => pg_temp.id());
select is(status, 'mismatch', 'nor another ad''s') from t, pg_temp.convert(a, k, ad => pg_temp.id());
select is(status, 'duplicate', 'the click''s own do') from t, pg_temp.convert(a, k, request => r, ad => t.ad);

-- Repeats without an order: the value for 24 hours.
select results_eq(
    $$select x.status, x.event_id, x.campaign_id from t, pg_temp.convert(a, k) x$$,
    $$select 'duplicate'::text, event_id, campaign_id from c1$$, 'the same value again is a repeat, with the first one''s id');
select isnt(event_id, (select event_id from c1), 'but not the publisher''s') from t, pg_temp.convert(p, k);
select is(status, 'recorded', 'another value is another sale') from t, pg_temp.convert(a, k, 5000001);
select is(status, 'recorded', 'another currency, too') from t, pg_temp.convert(a, k, currency => 'EUR');
update ads.conversions set at = now() - interval '25 hours' where event_id = (select event_id from c1);
select is(status, 'recorded', 'after 24 hours the same value is another sale') from t, pg_temp.convert(a, k);

-- Repeats with an order: for ever.
create temporary table c2 as select x.* from t, pg_temp.convert(a, k, 5000000, 'order-1') x;
select is(status, 'recorded', 'an order is a sale of its own') from c2;
select is(status, 'duplicate', 'the order again is a repeat') from t, pg_temp.convert(a, k, 5000000, 'order-1');
select is(event_id, (select event_id from c2), 'even with another value') from t, pg_temp.convert(a, k, 7000000, 'order-1');
update ads.conversions set at = now() - interval '25 days' where event_id = (select event_id from c2);
select is(status, 'duplicate', 'and a month later') from t, pg_temp.convert(a, k, 5000000, 'order-1');
select is(status, 'recorded', 'another order is not') from t, pg_temp.convert(a, k, 5000000, 'order-2');
select throws_ok(
    $$insert into ads.conversions (click_id, actor_account_id, value_micros, currency, order_id, status, occurred_at)
        select k, a, 1, 'USD', 'order-3', 'pending', now() from t, generate_series(1, 2)$$,
    '23505', null, 'the index itself refuses an order twice while it waits');
select throws_ok(
    $$update ads.conversions set order_id = 'order-1' where order_id = 'order-2'$$,
    '23505', null, 'and once it is settled');

-- Adjustments.
create temporary table c3 as select x.* from t, c2, pg_temp.convert(a, k, 3000000, null, c2.event_id) x;
select is(status, 'recorded', 'an adjustment is recorded') from c3;
select is((select value_micros from ads.conversions_counted where event_id = c2.event_id), 3000000::bigint,
    'and replaces the value') from c2;
select is(x.status, 'duplicate', 'the same adjustment again is a repeat') from t, c2, pg_temp.convert(a, k, 3000000, null, c2.event_id) x;
update ads.conversions set at = now() - interval '1 hour' where event_id = (select event_id from c3);
select is(x.status, 'recorded', 'an adjustment of the adjustment') from t, c3, pg_temp.convert(a, k, 0, null, c3.event_id) x;
select is((select value_micros from ads.conversions_counted where event_id = c2.event_id), 0::bigint,
    'counts for the first: 0 cancels it') from c2;
select is((select count(*) from ads.conversions_counted where event_id = (select event_id from c3)), 0::bigint,
    'an adjustment is no sale of its own');
select is(status, 'adjusts_not_found', 'an unknown event cannot be adjusted') from t, pg_temp.convert(a, k, 1, null, gen_random_uuid());
select is(x.status, 'adjusts_not_found', 'nor in another currency') from t, c2, pg_temp.convert(a, k, 1, null, c2.event_id, 'EUR') x;

-- Which clicks.
create function pg_temp.of_class(class int, at timestamptz default now() - interval '1 hour', flags int default 0)
returns text
language plpgsql
as $$
declare
    v_click uuid := pg_temp.id(of_class.at);
    v_answer record;
begin
    perform pg_temp.click(t.ad, t.p, 1000000, v_click, of_class.at, class, flags) from t;
    perform pg_temp.send();
    select x.* into v_answer from t, pg_temp.convert(t.a, v_click) x;
    return v_answer.status || coalesce(' ' || v_answer.reason, '');
end
$$;
select is(pg_temp.of_class(3), 'recorded', 'a click while paused is a click');
select is(pg_temp.of_class(16), 'unattributed invalid_click', 'a robot''s is not');
select is(pg_temp.of_class(0, flags => 2), 'unattributed test_click', 'a test''s is not');
select is(pg_temp.of_class(0, now() - interval '30 days'), 'recorded', 'the window of 30 days includes its end');
select is(pg_temp.of_class(0, now() - interval '30 days 1 second'), 'unattributed outside_window', 'and no more');
update ads.campaigns set attribution_window_days = 90 where id = (select c from t);
select is(pg_temp.of_class(0, now() - interval '89 days'), 'recorded', 'a campaign''s own window holds');
select is(status || ' ' || reason, 'unattributed before_click', 'a sale before its click is not the click''s')
from t, pg_temp.convert(a, k, 99, at => now() - interval '2 hours');
-- The robot came first, the human is billed: one click_id, two rows.
create temporary table two as select pg_temp.id() as k;
select pg_temp.click(t.ad, p, 1000000, two.k, class => x.class) from t, two, (values (1, 16), (2, 0)) x (o, class) order by o;
select pg_temp.send();
select is(status, 'recorded', 'of several rows of a click the valid one counts') from t, two, pg_temp.convert(a, two.k);

-- A click that is not committed yet.
create temporary table w as select pg_temp.id() as k, pg_temp.id() as foreign_k, pg_temp.id() as never;
create temporary table c4 as select x.* from t, w, pg_temp.convert(a, w.k, 5000000, 'o') x;
select is(status, 'accepted', 'a click on its way is waited for') from c4;
select is(event_id, (select event_id from c4), 'a repeat meanwhile finds it') from t, w, pg_temp.convert(a, w.k, 5000000, 'o');
select status from t, w, pg_temp.convert(b, w.foreign_k);
select status from t, w, pg_temp.convert(a, w.never);
select is(ads.conversions_settle(), 0::bigint, 'it waits');
select pg_temp.click(t.ad, p, 1000000, w.k) from t, w;
select pg_temp.click(t.ad, p, 1000000, w.foreign_k) from t, w;
select pg_temp.send();
select is(ads.conversions_settle(), 2::bigint, 'until its click is there');
select results_eq($$select status, campaign_id, ad_id from ads.conversions where event_id = (select event_id from c4)$$,
    $$select 'recorded'::text, c, ad from t$$, 'and is attributed');
select results_eq($$select status, reason, account_id, campaign_id from ads.conversions where click_id = (select foreign_k from w)$$,
    $$values ('unattributed'::text, 'click_not_found'::text, null::uuid, null::uuid)$$, 'but never to another''s click');
update ads.conversions set at = now() - interval '25 hours' where click_id = (select never from w);
select is(ads.conversions_settle(), 1::bigint, 'after 24 hours no one waits any more');
select is((select status || ' ' || reason from ads.conversions where click_id = (select never from w)),
    'unattributed click_not_found', 'and it says so');

-- While a click is on its way anybody who saw its link can name it.
create temporary table s as select pg_temp.id() as k, pg_temp.id() as plain, pg_temp.id() as early;
create temporary table rival as select x.* from t, s, pg_temp.convert(b, s.k, 1, 'guess') x;
create temporary table own as select x.* from t, s, pg_temp.convert(a, s.k, 5000000, 'guess') x;
create temporary table site as select x.* from t, s, pg_temp.convert(p, s.k, 6000000, 'guess') x;
select is(status, 'accepted', 'a rival who names the order first is not refused') from rival;
select ok(own.event_id <> rival.event_id, 'but keeps no one from reporting it') from own, rival;
select is(x.event_id, own.event_id, 'who asks again gets the own event') from t, s, own, pg_temp.convert(a, s.k, 1, 'guess') x;
select is(x.event_id, rival.event_id, 'as does the rival') from t, s, rival, pg_temp.convert(b, s.k, 1, 'guess') x;
select is(x.status, 'adjusts_not_found', 'no one adjusts another''s event') from t, s, own, pg_temp.convert(b, s.k, 0, null, own.event_id) x;
create temporary table change as select x.* from t, s, site, pg_temp.convert(p, s.k, 7000000, null, site.event_id) x;
select is(status, 'accepted', 'the publisher adjusts the own one') from change;
create temporary table plain as select x.* from t, s, pg_temp.convert(b, s.plain) x;
select is(status, 'accepted', 'without an order it is the value that is guessed') from t, s, pg_temp.convert(p, s.plain);
select is(status, 'accepted', 'which helps as little') from t, s, pg_temp.convert(a, s.plain);
update ads.conversions set at = at - interval '1 hour' where event_id = (select event_id from rival);
update ads.conversions set at = at - interval '30 minutes' where event_id = (select event_id from own);
update ads.conversions set at = at - interval '20 minutes' where event_id = (select event_id from site);

select pg_temp.click(t.ad, p, 1000000, x) from t, s, unnest(array[s.k, s.plain]) x;
select pg_temp.send();
select is(x.event_id, site.event_id, 'the click is there, its sales are not settled yet: a repeat finds the own one')
from t, s, site, pg_temp.convert(p, s.k, 8000000, 'guess') x;
select is(ads.conversions_settle(), 7::bigint, 'then they are');
select is(c.status || ' ' || c.reason, 'unattributed click_not_found', 'the rival''s is no one''s') from rival join ads.conversions c using (event_id);
select is(c.status, 'recorded', 'the advertiser''s is the sale') from own join ads.conversions c using (event_id);
select is(c.status || ' ' || c.reason, 'unattributed replaced', 'the publisher''s of the same order gives way') from site join ads.conversions c using (event_id);
select results_eq($$select event_id, value_micros from ads.conversions_counted where click_id = (select k from s)$$,
    $$select event_id, 5000000::bigint from own$$, 'one order counts once, and no one else adjusts it');
select results_eq($$select side, count(*) from ads.conversions_counted where click_id = (select plain from s) group by 1 order by 1$$,
    $$values ('own'::text, 1::bigint), ('publisher', 1)$$, 'without an order each side has its own');
select is(x.event_id, site.event_id, 'a repeat gets the own id') from t, s, site, pg_temp.convert(p, s.k, 1, 'guess') x;
select x.status from t, s, site, pg_temp.convert(p, s.k, 0, null, site.event_id) x;
update ads.conversions set at = at - interval '10 minutes' where event_id = (select event_id from change);
select is((select value_micros from ads.conversions_counted where click_id = (select k from s)), 5000000::bigint,
    'and what the publisher cancels is the own one');

-- A click that came after a day: what was given up does not hinder it.
select x.status from t, s, pg_temp.convert(a, s.early, 5000000, 'late') x;
update ads.conversions set at = now() - interval '25 hours' where click_id = (select early from s);
select is(ads.conversions_settle(), 1::bigint, 'a sale is given up');
select pg_temp.click(t.ad, p, 1000000, s.early) from t, s;
select pg_temp.send();
select is(x.status, 'recorded', 'and reported once more when its click has come') from t, s, pg_temp.convert(a, s.early, 5000000, 'late') x;

-- Caps, for each reporter: what is beyond is held.
update ads.settings set conversions_per_click = 3, conversion_value_max_micros = 10000000;
create temporary table h as select pg_temp.id() as k, pg_temp.id() as later;
delete from ads.conversions c where c.status = 'recorded' and not exists (select from ads.report_conversions);
select pg_temp.click(t.ad, p, 1000000, h.k) from t, h;
select pg_temp.send();
create temporary table held as
select n, x.* from t, h, generate_series(1, 4) n, pg_temp.convert(p, h.k, n * 1000000, 'h' || n) x order by n;
select is((select string_agg(status || coalesce(' ' || reason, ''), ', ' order by n) from held),
    'recorded, recorded, recorded, held conversions_per_click', 'a fourth of three is held');
select is(status, 'recorded', 'the other side has its own three') from t, h, pg_temp.convert(a, h.k, 4000000, 'h4');
select is(status || ' ' || reason, 'held conversion_value_max', 'the worth of all is bounded, too')
from t, h, pg_temp.convert(a, h.k, 6000001, 'h5');
select is(status, 'recorded', 'to the micro') from t, h, pg_temp.convert(a, h.k, 6000000, 'h6');
select is(status, 'recorded', 'another currency has its own') from t, h, pg_temp.convert(a, h.k, 6000000, 'h7', currency => 'EUR');
select is((select string_agg(side || ' ' || n, ', ' order by side) from (
    select side, count(*) as n from ads.conversions_counted where click_id = (select k from h) group by 1) x),
    'held 1, own 3, publisher 3', 'what is held is known');
-- those that wait for their click, too
select count(x.status) from t, h, generate_series(1, 5) n, pg_temp.convert(p, h.later, n, 'w' || n) x;
select pg_temp.click(t.ad, p, 1000000, h.later) from t, h;
select pg_temp.send();
select ads.conversions_settle();
select is((select string_agg(status, ' ' order by status) from ads.conversions where click_id = (select later from h)),
    'held held recorded recorded recorded', 'of those that waited as many count');
update ads.settings set conversions_per_click = 20, conversion_value_max_micros = 100000000000;

-- Very many wait without success before one whose click comes.
insert into ads.conversions (click_id, actor_account_id, value_micros, currency, status, occurred_at, at)
select pg_temp.id(), a, 1, 'USD', 'pending', now(), now() - interval '1 hour' * random()
from t, generate_series(1, 1200);
create temporary table m as select pg_temp.id() as k;
select x.status from t, m, pg_temp.convert(a, m.k) x;
select pg_temp.click(t.ad, p, 1000000, m.k) from t, m;
select pg_temp.send();
select is(ads.conversions_settle(), 1::bigint, 'of very many that wait the one that need not is found');
select is((select status from ads.conversions where click_id = (select k from m)), 'recorded', 'and settled');

-- Shape.
select throws_ok($$select x.* from t, pg_temp.convert(a, k, -1) x$$, '23514', null, 'a value is not negative');
select throws_ok($$select x.* from t, pg_temp.convert(a, k, 1000000000000001) x$$, '23514', null, 'and at most 1e9');

select * from finish();
rollback;
