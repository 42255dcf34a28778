-- Events without a seal: manual clicks and impressions find their price and
-- place in the decision, at once or when it comes, or never.
begin;
\ir world.inc
select plan(58);

create temporary table t as
select x.*, y.c, pg_temp.ad(y.c) as ad, pg_temp.ad(y.c) as other
from (select pg_temp.advertiser(900000000) as a, pg_temp.publisher(true) as p, pg_temp.publisher() as q offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c offset 0) y;
create function pg_temp.class_of(the_click uuid)
returns text
language sql
as $$
    select string_agg(cc.name || ' ' || k.billed_micros || ' ' || k.via, ', ' order by k.off)
    from ads.clicks k
    join ads.click_classes cc on cc.code = k.class
    where k.click_id = the_click
$$;
-- What was counted of a publisher since the last time this was asked.
create function pg_temp.counted(the_publisher uuid)
returns text
language sql
as $$
    with gone as (
        delete from ads.events_counted e
        where e.publisher_id = the_publisher
        returning e.kind, e.class, e.n
    )
    select string_agg(g.kind || ' ' || cc.name || ' ' || g.n, ', ' order by g.kind)
    from gone g
    join ads.click_classes cc on cc.code = g.class
$$;
create function pg_temp.impression_of(the_request uuid)
returns text
language sql
as $$
    select string_agg(cc.name || coalesce(' ' || i.placement || ' ' || i.country, ''), ', ' order by i.off)
    from ads.impressions i
    join ads.click_classes cc on cc.code = i.class
    where i.request_id = the_request
$$;
-- The node says that all up to this time is committed; then the tick.
create function pg_temp.tick(drained timestamptz default '-infinity')
returns table (settled bigint, billed bigint, billed_micros bigint, pending bigint)
language sql
as $$
    select ads.node_drained(p.node, p.epoch, drained) from place p;
    select s.* from place p, ads.settle_pending(p.node, p.epoch) s;
$$;

-- The packed list.
create temporary table l as
select ads as list, string_agg(uuid_send(a) || '\x0102030405060708'::bytea || '\xfffefd7f'::bytea, ''::bytea order by o) as shown
from (select array[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()] as ads offset 0) x, unnest(ads) with ordinality u (a, o)
group by ads;
select is(ads.shown_find(shown, list[3]), 57, 'an ad is found in the packed list') from l;
select is(ads.shown_find(shown, gen_random_uuid()), null, 'another is not') from l;
select is(ads.shown_find(substr(shown, 2) || '\x00', list[2]), null, 'nor one across two steps') from l;
select is(ads.shown_price(shown, 57), x'0807060504030201'::bigint, 'its price is little-endian') from l;
select is(ads.shown_version(shown, 57), x'7ffdfeff'::int, 'so is its version') from l;

-- The decision is in the same batch.
create temporary table r1 as select pg_temp.id() as r, pg_temp.id() as k, pg_temp.id() as k2;
select pg_temp.impression(r, ad, p) from t, r1;
select pg_temp.click(ad, p, 0, k, flags => 1, request => r) from t, r1;
select pg_temp.show(r, p, array[other, ad], 345678) from t, r1;
select results_eq($$select clicks, billed_micros, impressions, decisions, pending from pg_temp.send()$$,
    $$values (1::bigint, 345678::bigint, 1::bigint, 1::bigint, 0::bigint)$$, 'a decision of the same batch is enough');
select is(pg_temp.class_of(k), 'valid 345678 event', 'a manual click is billed at the price shown') from r1;
select is(pg_temp.impression_of(r), 'valid card DE', 'an impression has the decision''s place') from r1;
select is((select campaign_version from ads.clicks where click_id = (select k from r1)), 7, 'and the version shown');
select is((select sum(impressions) from ads.spend_rollups where publisher_id = (select p from t) and placement = 'card' and country = 'DE'),
    1::numeric, 'the report has it under that place');

-- It was committed before.
select pg_temp.click(ad, p, 0, k, flags => 1, request => r) from t, r1;
select pg_temp.impression(r, ad, p) from t, r1;
select pg_temp.send();
select is(pg_temp.class_of(k), 'valid 345678 event, duplicate 0 event', 'a manual click counts once') from r1;
select is(pg_temp.impression_of(r), 'valid card DE, duplicate card DE', 'so does an impression') from r1;
select pg_temp.click(ad, p, 345678, k, request => r) from t, r1;
select pg_temp.send();
select matches(pg_temp.class_of(k), 'duplicate 0 redirect$', 'redirect and manual click share one space') from r1;
select is((select sum(impressions) from ads.spend_rollups where publisher_id = (select p from t) and placement = 'card'),
    1::numeric, 'the report counts one impression');

-- Two impressions of one pair in one batch.
create temporary table r2 as select pg_temp.id() as r;
select pg_temp.show(r, p, array[ad]) from t, r2;
select count(pg_temp.impression(r, ad, p)) from t, r2, generate_series(1, 3);
select pg_temp.send();
select is(pg_temp.impression_of(r), 'valid card DE, duplicate card DE, duplicate card DE', 'in one batch the first counts') from r2;

-- An ad the request never showed; a publisher that did not show it.
create temporary table r3 as select pg_temp.id() as r, pg_temp.id() as k, pg_temp.id() as k2;
select pg_temp.show(r, p, array[other]) from t, r3;
select pg_temp.click(ad, p, 0, k, flags => 1, request => r) from t, r3;
select pg_temp.impression(r, ad, p) from t, r3;
select is((select pending from pg_temp.send()), 0::bigint, 'what was not shown need not wait');
select is(pg_temp.class_of(k), null, 'a click on an ad that was not shown is no row') from r3;
select is(pg_temp.impression_of(r), null, 'nor is its impression') from r3;
select is(pg_temp.counted(p), 'click invalid:not_shown 1, impression invalid:not_shown 1', 'both are counted') from t;
select pg_temp.impression(r, pg_temp.id(), p) from t, r3, generate_series(1, 300);
select is((select pending from pg_temp.send()), 0::bigint, 'of ads that no one knows too');
select is(pg_temp.counted(p), 'impression invalid:unknown_ad 300', 'however many they are') from t;
select pg_temp.click(other, q, 0, k2, flags => 1, request => r) from t, r3;
select pg_temp.send();
select pg_temp.tick('infinity');
update ads.nodes set drained_to = '-infinity' where id = 4711;
select is(pg_temp.class_of(k2), null, 'another publisher''s request shows nothing') from r3;
select is(pg_temp.counted(q), 'click invalid:not_shown 1', 'and that is counted') from t;

-- The right of a publisher.
create temporary table r4 as select pg_temp.id() as r, pg_temp.id() as k;
select pg_temp.show(r, q, array[ad]) from t, r4;
select pg_temp.click(ad, q, 0, k, flags => 1, request => r) from t, r4;
select pg_temp.send();
select is(pg_temp.class_of(k), 'invalid:not_billable 0 event', 'without the right a manual click is not billed') from r4;

-- Time, test keys, verdicts: no need to wait for a decision.
create temporary table r5 as
select pg_temp.id(now() - interval '25 hours') as late, pg_temp.id(now() - interval '3 hours') as stale, pg_temp.id() as test, pg_temp.id() as bot;
select pg_temp.click(ad, p, 0, late, flags => 1, request => late) from t, r5;
select pg_temp.impression(stale, ad, p) from t, r5;
select pg_temp.click(ad, p, 0, test, flags => 3, request => test) from t, r5;
select pg_temp.click(ad, p, 0, bot, class => 16, flags => 1, request => bot) from t, r5;
select is((select pending from pg_temp.send()), 0::bigint, 'what is classified already does not wait');
select is(pg_temp.class_of(late), 'late 0 event', 'a manual click is late after 24 hours') from r5;
select is(pg_temp.impression_of(stale), 'late', 'an impression after 2') from r5;
select is(pg_temp.class_of(test), 'test 0 event', 'a test stays a test') from r5;
select is(pg_temp.class_of(bot), 'invalid:bot_ua 0 event', 'a robot a robot') from r5;

-- The decision comes later.
select is((select pending from pg_temp.tick()), 0::bigint, 'nothing waits');
create temporary table r6 as select pg_temp.id() as r, pg_temp.id() as k, pg_temp.id() as gone, pg_temp.id() as gone_k;
select pg_temp.click(ad, p, 0, k, flags => 1, request => r) from t, r6;
select pg_temp.impression(r, ad, p) from t, r6;
select pg_temp.click(ad, p, 0, gone_k, flags => 1, request => gone) from t, r6;
select results_eq($$select clicks, impressions, pending from pg_temp.send()$$,
    $$values (0::bigint, 0::bigint, 3::bigint)$$, 'without a decision an event waits');
select results_eq($$select settled, pending from pg_temp.tick(now() - interval '1 minute')$$,
    $$values (0::bigint, 3::bigint)$$, 'and goes on waiting while nodes are behind it');
select pg_temp.show(r, p, array[ad], 500000) from t, r6;
select pg_temp.send();
select results_eq($$select settled, billed, billed_micros, pending from pg_temp.tick(now() - interval '1 minute')$$,
    $$values (2::bigint, 1::bigint, 500000::bigint, 1::bigint)$$, 'when it is there they are settled');
select is(pg_temp.class_of(k), 'valid 500000 event', 'at its price') from r6;
select is(pg_temp.impression_of(r), 'valid card DE', 'in its place') from r6;
select is((select node || ' ' || (segment = (select segment from place)) from ads.clicks where click_id = (select k from r6)),
    '4711 true', 'under their own place in the journal');

-- Another node is alive and behind: it may still bring it.
select ads.node_drained(4713, ads.node_begin(4713), now() - interval '5 minutes');
select is((select settled from pg_temp.tick(now() + interval '1 minute')), 0::bigint, 'a node that is behind is waited for');
update ads.nodes set heartbeat_at = now() - interval '20 hours' where id = 4713;
select is((select settled from pg_temp.tick(now() + interval '1 minute')), 0::bigint,
    'however long it was silent: its journal may hold the decision');

-- It was only away: the event is billed by what it brings.
create temporary table r8 as select pg_temp.id() as r, pg_temp.id() as k;
select pg_temp.click(ad, p, 0, k, flags => 1, request => r) from t, r8;
select pg_temp.send();
select is((select settled from pg_temp.tick(now() + interval '1 minute')), 0::bigint, 'the first one back does not check');
select pg_temp.show(r, p, array[ad], 400000) from t, r8;
select pg_temp.send();
select is((select settled from pg_temp.tick(now() + interval '1 minute')), 1::bigint, 'until the other has brought what it knows');
select is(pg_temp.class_of(k), 'valid 400000 event', 'and then it is billed') from r8;

-- It never comes back.
select is(ads.node_retire(4713, '21 hours'), 'alive', 'a node that spoke lately is not retired');
select is(ads.node_retire(99, '1 minute'), 'absent', 'nor one that never was');
select is(ads.node_retire(4713, '1 minute'), 'retired', 'one that is gone is');
select results_eq($$select settled, billed, pending from pg_temp.tick(now() + interval '1 minute')$$,
    $$values (1::bigint, 0::bigint, 0::bigint)$$, 'no one waits for it any more');
select is(pg_temp.class_of(gone_k), null, 'what no node can bring was never shown') from r6;
select is(pg_temp.counted(p), 'click invalid:not_shown 1', 'and is counted') from t;
select ads.node_begin(4713);
select is((select retired_at from ads.nodes where id = 4713), null, 'if it comes back all the same it counts again');

-- No one retires it: after 26 hours its decisions would not be kept.
update ads.nodes set drained_to = '-infinity' where id = 4713;
create temporary table r9 as
select pg_temp.id(now() - interval '25 hours 59 minutes') as young, pg_temp.id(now() - interval '26 hours 1 minute') as old, pg_temp.id() as k1, pg_temp.id() as k2;
insert into ads.event_pending (node, segment, off, kind, at, click_id, request_id, ad_id, publisher_id)
select 4711, gen_random_uuid(), 64, 'click', now() - interval '25 hours', x.k, x.r, ad, p
from t, r9, lateral (values (k1, young), (k2, old)) x (k, r);
select results_eq($$select settled, pending from pg_temp.tick(now() + interval '1 minute')$$,
    $$values (1::bigint, 1::bigint)$$, 'an event whose decision could not be kept any more waits no longer');
select is(pg_temp.class_of(k2), null, 'and is not billed') from r9;
select is(pg_temp.counted(p), 'click invalid:not_shown 1', 'but counted') from t;
delete from ads.event_pending;
update ads.nodes set retired_at = now() where id = 4713;

-- Money that ran out meanwhile.
create temporary table r7 as select pg_temp.id() as r, pg_temp.id() as k;
select pg_temp.click(ad, p, 0, k, flags => 1, request => r) from t, r7;
select pg_temp.send();
update ads.settings set late_click_s = 0;
update ads.campaigns set lifetime_budget_micros = 1000000 where id = (select c from t);
select pg_temp.show(r, p, array[ad], 900000) from t, r7;
select pg_temp.send();
select pg_temp.tick();
select is(pg_temp.class_of(k), 'unfunded 0 event', 'a click that waited is billed only if money is left then') from r7;

-- Very many wait without success before one whose decision comes.
update ads.nodes set drained_to = '-infinity';
insert into ads.event_pending (node, segment, off, kind, at, click_id, request_id, ad_id, publisher_id)
select 1, x.s, 64 * n, 'impression', now(), null, pg_temp.id(), ad, p
from t, generate_series(1, 12000) n, (select gen_random_uuid() as s) x;
create temporary table r10 as select pg_temp.id() as r, pg_temp.id() as k;
select pg_temp.click(ad, p, 0, k, flags => 1, request => r) from t, r10;
select pg_temp.send();
select pg_temp.show(r, p, array[ad], 900000) from t, r10;
select pg_temp.send();
select is((select sum(s.settled) from generate_series(1, 3) n, place p, lateral (select n) x, ads.settle_pending(p.node, p.epoch) s),
    1::numeric, 'one round finds the one that can be settled among 12,000 that cannot');
select is((select pg_temp.class_of(k) from r10), 'unfunded 0 event', 'and settles it');
delete from ads.event_pending;

-- Old decisions are of no use to anybody.
select pg_temp.show(pg_temp.id(now() - interval '27 hours'), p, array[ad]) from t;
select is((select decisions from pg_temp.send()), 0::bigint, 'a decision older than 26 hours is not kept');
select pg_temp.show(r, p, array[ad]) from t, r7;
select is((select decisions from pg_temp.send()), 0::bigint, 'a decision that is there already is not doubled');
select throws_ok(
    $$insert into ads.decisions (request_id, at, publisher_id, placement, shown) select pg_temp.id(), now(), p, 'x', '\x00' from t$$,
    '23514', null, 'a list has whole steps of 28 bytes');
select is_empty($$select rule, detail from ads.reconcile(current_date - 3, current_date + 2) where not ok$$,
    'and everything reconciles');

select * from finish();
rollback;
