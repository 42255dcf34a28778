-- Partitions: made when needed and ahead, dropped when old, never reached
-- directly.
begin;
\ir world.inc
select plan(18);

create temporary table t as
select x.a, x.p, pg_temp.ad(pg_temp.campaign(x.a)) as ad
from (select pg_temp.advertiser(50000000) as a, pg_temp.publisher() as p offset 0) x;

select is(ads.partition_days('clicks', array[date '2031-01-02', date '2031-01-02', date '2031-01-03']), 2, 'a missing day is made once');
select is(ads.partition_days('clicks', array[date '2031-01-02']), 0, 'one that is there is not made again');
select has_table('ads', 'clicks_2031010200', 'and has its day in its name');
select is(ads.partition_hours(array[535008]::bigint[]), 1, 'a missing hour is made');
select has_table('ads', 'decisions_2031011300', 'and has its hour in its name');
select is(ads.partition_start('decisions_2031011323'), timestamptz '2031-01-13 23:00:00Z', 'the name says when it begins');
select is(ads.partition_start('clicks_2031010200'), timestamptz '2031-01-02 00:00:00Z', 'in UTC');

-- Every id of the hour fits, the next one does not.
select lives_ok(
    $$insert into ads.decisions (request_id, at, publisher_id, placement, shown)
        select u, now(), p, 'x', decode(repeat('00', 28), 'hex')
        from t, unnest(array[ads.uuid_floor(535008 * 3600000::bigint),
            (left(ads.uuid_floor(535009 * 3600000::bigint - 1)::text, 13) || '-ffff-ffff-ffffffffffff')::uuid]) u$$,
    'an hour takes its first and its last id');
select throws_ok(
    $$insert into ads.decisions (request_id, at, publisher_id, placement, shown)
        select ads.uuid_floor(535009 * 3600000::bigint), now(), p, 'x', decode(repeat('00', 28), 'hex') from t$$,
    '23514', null, 'and none of the next');

-- A click that needs a day makes it.
select pg_temp.click(ad, p, 1000000, pg_temp.id('2031-02-01 00:00:00Z'), now()) from t;
select pg_temp.send();
select has_table('ads', 'clicks_2031020100', 'a click makes the day it needs');

-- Housekeeping.
select ads.partition_days('clicks', array[(now() at time zone 'UTC')::date - 102, (now() at time zone 'UTC')::date - 99]);
select ads.partition_hours(array[floor(extract(epoch from now()) / 3600)::bigint - 28, floor(extract(epoch from now()) / 3600)::bigint - 26]);
create temporary table parts as select relname from pg_class where relnamespace = 'ads'::regnamespace and relispartition and relkind = 'r';
update ads.journal_cursor set final = true, updated_at = now() - interval '399 days' where node = 4711;
select lives_ok('select * from ads.maintain()', 'housekeeping runs');
select is(
    (select array_agg(relname::text order by relname) from parts
        where not exists (select from pg_class c where c.relnamespace = 'ads'::regnamespace and c.relname = parts.relname)),
    array[to_char(now() at time zone 'UTC' - interval '102 days', '"clicks_"YYYYMMDD"00"'),
        to_char(now() at time zone 'UTC' - interval '28 hours', '"decisions_"YYYYMMDDHH24')],
    'it drops events after 100 days and decisions after 26 hours');
select is(
    (select count(*) from unnest(array[
        to_char(now() at time zone 'UTC' + interval '1 day', '"clicks_"YYYYMMDD"00"'),
        to_char(now() at time zone 'UTC' + interval '1 day', '"impressions_"YYYYMMDD"00"'),
        to_char(now() at time zone 'UTC' + interval '2 hours', '"decisions_"YYYYMMDDHH24')]) n
        where to_regclass('ads.' || n) is not null),
    3::bigint, 'it makes those of tomorrow and of the next two hours');
select is((select count(*) from ads.journal_cursor where node = 4711), 1::bigint, 'a final cursor stays while its file may be there');
update ads.journal_cursor set updated_at = now() - interval '401 days' where node = 4711;
select ads.maintain();
select is((select count(*) from ads.journal_cursor where node = 4711), 0::bigint, 'then it is forgotten');
select throws_ok('select * from ads.maintain(91)', '22023', null, 'events stay for the longest attribution window');

select is_empty(
    $$select c.relname from pg_class c where c.relnamespace = 'ads'::regnamespace and c.relispartition and c.relkind = 'r'
        and not (c.relrowsecurity and c.relforcerowsecurity)$$,
    'each forces row-level security');
select is_empty(
    $$select c.relname, p.polname from pg_class c join pg_policy p on p.polrelid = c.oid
        where c.relnamespace = 'ads'::regnamespace and c.relispartition$$,
    'and lets no one in but through its parent');

select * from finish();
rollback;
