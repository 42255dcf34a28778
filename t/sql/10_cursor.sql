-- Exactly once: epochs, cursors, and records set aside.
begin;
\ir world.inc
select plan(34);

create temporary table t as
select p, pg_temp.ad(pg_temp.campaign(a)) as ad
from (select pg_temp.advertiser(9000000) as a, pg_temp.publisher() as p offset 0) x;

select is((select epoch from place), 1::bigint, 'a node begins with epoch 1');
select results_eq(
    $$select g.* from place p, ads.cursor_get(p.node, p.segment, 'm', 'm-test.seg', p.epoch) g$$,
    $$values (0::bigint, 0::bigint)$$, 'a new segment begins at 0');
select pg_temp.click(ad, p) from t;
select is((select clicks from pg_temp.send()), 1::bigint, 'a batch from the cursor is taken');
select results_eq(
    $$select g.* from place p, ads.cursor_get(p.node, p.segment, 'm', 'm-test.seg', p.epoch) g$$,
    $$values (1000::bigint, 1::bigint)$$, 'and moves it');

create function pg_temp.batch(old_off bigint, by_epoch bigint default 1, final boolean default false)
returns text
language sql
as $$
    select format('select * from ads.ingest(4711, %s, %L, %s, %s, 2, %L)', by_epoch, segment, old_off, old_off + 500, final)
    from place
$$;
select throws_ok(pg_temp.batch(0), 'ADC01', null, 'the same batch again is refused: read the cursor again');
select throws_ok(pg_temp.batch(1500), 'ADC01', null, 'so is one from further on');
select is((select count(*) from ads.clicks where node = 4711), 1::bigint, 'and nothing of them is stored');
select lives_ok(pg_temp.batch(1000), 'one from the cursor is taken');
select throws_ok(
    $$select * from ads.ingest(4711, 1, gen_random_uuid(), 0, 10, 1, false)$$, 'ADC01', null,
    'a segment without a cursor is refused');
select throws_ok(
    $$select ads.cursor_advance(4711, 1, (select segment from place), 1500, 1400, 1, false)$$, 'ADR01', null,
    'a cursor never goes back');

-- A record that no row accepts.
create temporary table before as select count(*) as n from ads.clicks where node = 4711;
select throws_ok(
    $$select ads.ingest(4711, 1, segment, 1500, 2000, 3, false,
        array(select row(10 * n, 1000000, pg_temp.id(), pg_temp.id(), t.ad, t.p, case n when 1 then 5 else -5 end,
            1, 1, 0, 0, 1, 'inline', 'US')::ads.click_in from generate_series(1, 2) n))
        from place, t$$,
    '23514', null, 'a batch with a record that fits no row is refused');
select is((select count(*) from ads.clicks where node = 4711), (select n from before), 'as a whole');
select lives_ok(
    $$select ads.ingest_reject_put(4711, 1, segment, 1500, 2000, 3, false, 1660, 1, '\x0102', 'price below zero') from place$$,
    'the record is set aside');
select results_eq(
    $$select r.off, r.type, r.bytes, r.reason from ads.ingest_reject r join place p on r.segment = p.segment$$,
    $$values (1660::bigint, 1, '\x0102'::bytea, 'price below zero')$$, 'whole, and with the reason');
select throws_ok(
    $$select ads.ingest_reject_put(4711, 1, segment, 1500, 2000, 3, false, 1660, 1, '\x0102', 'again') from place$$,
    'ADC01', null, 'once');
select lives_ok(pg_temp.batch(2000), 'and the rest goes on behind it');

-- The end of a segment.
select lives_ok(pg_temp.batch(2500, final => true), 'the last batch says so');
select ok((select c.final from ads.journal_cursor c join place p on c.segment = p.segment), 'and the cursor is final');

-- A new adsd takes over.
select is(ads.node_begin(4711), 2::bigint, 'a new epoch');
select throws_ok(pg_temp.batch(3000), 'ADF01', null, 'the old one is fenced');
select throws_ok(
    $$select * from ads.cursor_get(4711, (select segment from place), 'm', 'm-test.seg', 1)$$, 'ADF01', null,
    'it cannot adopt a segment');
select throws_ok(
    $$select * from ads.cursor_get(4711, gen_random_uuid(), 'm', 'm-new.seg', 1)$$, 'ADF01', null, 'nor begin one');
select throws_ok($$select ads.node_drained(4711, 1, now())$$, 'ADF01', null, 'nor say how far it is');
select throws_ok($$select * from ads.settle_pending(4711, 1)$$, 'ADF01', null, 'nor settle');
select throws_ok(
    $$select ads.ingest_reject_put(4711, 1, segment, 3000, 3001, 3, false, 3000, 1, '\x00', 'x') from place$$,
    'ADF01', null, 'nor set aside');
select throws_ok(pg_temp.batch(3000, 2), 'ADC01', null, 'the new one must adopt the segment first');
select results_eq(
    $$select g.* from place p, ads.cursor_get(p.node, p.segment, 'm', 'm-test.seg', 2) g$$,
    $$values (3000::bigint, 2::bigint)$$, 'it adopts it where it stands');
select lives_ok(pg_temp.batch(3000, 2), 'and goes on');
select throws_ok($$select * from ads.settle_pending(99, 1)$$, 'ADF02', null, 'a node that never began is not known');

-- A database that went back.
select throws_ok(pg_temp.batch(3100, 7), 'ADF02', null, 'an epoch from the future is not known');
select is(ads.node_resume(4711, 7), 8::bigint, 'it goes on above both');
select throws_ok(pg_temp.batch(3100, 7), 'ADF01', null, 'and what was before is fenced');
select is(ads.node_resume(4711, 3), 9::bigint, 'whichever is higher');
select is(ads.node_resume(4712, 3), 4::bigint, 'also where the node is not known');

select * from finish();
rollback;
