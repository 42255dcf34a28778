-- Counters: requests answered without an ad, in buckets of 15 minutes UTC.
begin;
\ir world.inc
select plan(9);

create temporary table t as select pg_temp.publisher() as p, pg_temp.publisher() as q;
select pg_temp.no_ad(p, 'no_match', 3, '2026-06-01 10:14:59Z') from t;
select pg_temp.no_ad(p, 'no_match', 4, '2026-06-01 10:00:00Z') from t;
select pg_temp.no_ad(p, 'no_match', 5, '2026-06-01 10:15:00Z') from t;
select pg_temp.no_ad(p, 'no_budget', 6, '2026-06-01 10:00:00Z') from t;
select pg_temp.no_ad(q, 'no_match', 7, '2026-06-01 10:00:00Z') from t;
select lives_ok('select pg_temp.send()', 'counters are taken');
select results_eq(
    $$select bucket_at, reason collate "default", n from ads.no_ad_counts where publisher_id = (select p from t) order by 1, reason$$,
    $$values (timestamptz '2026-06-01 10:00:00Z', 'no_budget'::text, 6::bigint),
        ('2026-06-01 10:00:00Z', 'no_match', 7), ('2026-06-01 10:15:00Z', 'no_match', 5)$$,
    'added up by publisher, quarter and reason');
select pg_temp.no_ad(p, 'no_match', 100, '2026-06-01 10:01:00Z') from t;
select pg_temp.send();
select is((select n from ads.no_ad_counts where publisher_id = (select p from t) and bucket_at = '2026-06-01 10:00:00Z'
    and reason = 'no_match'), 107::bigint, 'and to what is there');
select is((select sum(n) from ads.no_ad_counts where publisher_id = (select q from t)), 7::numeric,
    'another publisher''s stay its own');

select pg_temp.no_ad(p, 'no_match', -1, '2026-06-02 10:01:00Z') from t;
select throws_ok('select pg_temp.send()', '23514', null, 'a counter does not count down');
delete from feed;
select pg_temp.no_ad(p, '', 1) from t;
select throws_ok('select pg_temp.send()', '23514', null, 'a reason has a name');
delete from feed;
select pg_temp.no_ad(p, 'no_match', 9223372036854775807, '2026-06-03 10:01:00Z') from t, generate_series(1, 2);
select throws_ok('select pg_temp.send()', '22003', null, 'counters do not wrap');

select is(ads.bucket('2026-06-01 05:44:59.999+05:45'), timestamptz '2026-05-31 23:45:00Z',
    'a quarter of an hour in UTC is one in Kathmandu');
select throws_ok(
    $$insert into ads.no_ad_counts values ('2026-06-01 10:01:00Z', gen_random_uuid(), 'inline', 'no_match', 1)$$,
    '23514', null, 'a bucket begins on a quarter');

select * from finish();
rollback;
