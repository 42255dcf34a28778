-- Budget days roll at midnight of the campaign's zone, also where a day has
-- 23 or 25 hours.
begin;
\ir world.inc
select plan(22);

-- Without the grace for links that are out when a day ends.
update ads.settings set late_click_s = 0;

create temporary table s as select pg_temp.publisher() as p, pg_temp.advertiser(900000000) as a;

-- Clicks at these times on a campaign of this zone with 1.00 a day.
create function pg_temp.day(zone text, times timestamptz[])
returns text
language plpgsql
as $$
declare
    v_campaign uuid;
    v_ad uuid;
begin
    select pg_temp.campaign(s.a, 1000000, null, zone) into v_campaign from s;
    v_ad := pg_temp.ad(v_campaign);
    perform pg_temp.click(v_ad, s.p, 1000000, null, x.at)
    from s, unnest(times) with ordinality x (at, o);
    perform pg_temp.send();
    return (
        select string_agg(coalesce(to_char(k.budget_day, 'MM-DD'), '-'), ' ' order by k.off)
        from ads.clicks k
        where k.campaign_id = v_campaign);
end
$$;

select is(pg_temp.day('UTC', array['2026-06-01 23:59:59.999999Z', '2026-06-02 00:00:00Z']::timestamptz[]),
    '06-01 06-02', 'UTC: midnight is a new budget');
select is(pg_temp.day('UTC', array['2026-06-01 00:00:00Z', '2026-06-01 23:59:59.999999Z']::timestamptz[]),
    '06-01 -', 'UTC: one budget lasts the whole day');
select is(pg_temp.day('America/New_York', array['2026-06-02 03:59:59Z', '2026-06-02 04:00:00Z']::timestamptz[]),
    '06-01 06-02', 'New York rolls at 04:00 UTC in summer');
select is(pg_temp.day('America/New_York', array['2026-01-02 04:59:59Z', '2026-01-02 05:00:00Z']::timestamptz[]),
    '01-01 01-02', 'and at 05:00 in winter');
select is(pg_temp.day('Asia/Kathmandu', array['2026-06-01 18:14:59Z', '2026-06-01 18:15:00Z']::timestamptz[]),
    '06-01 06-02', 'Kathmandu rolls at a quarter');
select is(pg_temp.day('Pacific/Kiritimati', array['2026-06-01 09:59:59Z', '2026-06-01 10:00:00Z']::timestamptz[]),
    '06-01 06-02', 'Kiritimati is 14 hours ahead');
select is(pg_temp.day('Pacific/Pago_Pago', array['2026-06-02 10:59:59Z', '2026-06-02 11:00:00Z']::timestamptz[]),
    '06-01 06-02', 'Pago Pago 11 behind');

-- Berlin, 29 March 2026 has 23 hours: from 23:00 UTC to 22:00 UTC.
select is(pg_temp.day('Europe/Berlin', array['2026-03-28 22:59:59Z', '2026-03-28 23:00:00Z',
    '2026-03-29 21:59:59Z', '2026-03-29 22:00:00Z']::timestamptz[]),
    '03-28 03-29 - 03-30', 'a day of 23 hours has one budget');
-- 25 October 2026 has 25: from 22:00 UTC to 23:00 UTC.
select is(pg_temp.day('Europe/Berlin', array['2026-10-24 21:59:59Z', '2026-10-24 22:00:00Z',
    '2026-10-25 22:59:59Z', '2026-10-25 23:00:00Z']::timestamptz[]),
    '10-24 10-25 - 10-26', 'a day of 25 hours has one budget');
-- The hour that comes twice belongs to the same day both times.
select is(pg_temp.day('Europe/Berlin', array['2026-10-25 00:30:00Z', '2026-10-25 01:30:00Z']::timestamptz[]),
    '10-25 -', 'the hour that comes twice is one day');
-- Where clocks go forward at midnight the day begins at 01:00.
select is(pg_temp.day('Africa/Cairo', array['2026-04-23 21:59:59Z', '2026-04-23 22:00:00Z']::timestamptz[]),
    '04-23 04-24', 'a day without a midnight begins at one');

-- Leap day and turn of the year.
select is(pg_temp.day('UTC', array['2024-02-28 23:59:59Z', '2024-02-29 12:00:00Z', '2024-03-01 00:00:00Z']::timestamptz[]),
    '02-28 02-29 03-01', 'the leap day is a day');
select is(pg_temp.day('UTC', array['2025-12-31 23:59:59Z', '2026-01-01 00:00:00Z']::timestamptz[]),
    '12-31 01-01', 'the year ends');

-- The clock of a node may be ahead; today's budget is what pays.
select is(pg_temp.day('UTC', array[now() + interval '2 days', now() + interval '3 days']),
    to_char(now() at time zone 'UTC', 'MM-DD') || ' -', 'what is of a day to come is of today');
select is((select count(*) from ads.clicks where at > now()), 0::bigint, 'and is not said to have been later');

-- Late in order: a click of yesterday that is committed today is yesterday's.
select is(pg_temp.day('UTC', array['2026-06-02 00:00:01Z', '2026-06-01 23:59:59Z', '2026-06-02 00:00:02Z']::timestamptz[]),
    '06-02 06-01 -', 'the click''s own time decides, not the order of commit');

-- The same click on both sides of midnight, in one batch: each row a time, the
-- number of the click, and whose they are.
create function pg_temp.night(times timestamptz[], numbers int[])
returns text
language plpgsql
as $$
declare
    v_campaign uuid;
    v_ad uuid;
    v_clicks uuid[];
begin
    select pg_temp.campaign(s.a, 1000000) into v_campaign from s;
    v_ad := pg_temp.ad(v_campaign);
    v_clicks := array(select pg_temp.id('2026-06-01 23:00:00Z') from generate_series(1, 9));
    perform pg_temp.click(v_ad, s.p, 1000000, v_clicks[x.number], x.at)
    from s, unnest(times, numbers) with ordinality x (at, number, o);
    perform pg_temp.send();
    return (
        select string_agg(c.name, ' ' order by k.off)
        from ads.clicks k
        join ads.click_classes c on c.code = k.class
        where k.campaign_id = v_campaign);
end
$$;

select is(pg_temp.night(array['2026-06-01 23:59:58Z', '2026-06-02 00:00:01Z', '2026-06-02 00:00:02Z',
    '2026-06-02 00:00:03Z']::timestamptz[], array[1, 1, 2, 3]),
    'valid duplicate valid unfunded', 'billed before midnight, a duplicate after it, where the new day is short');
select is(pg_temp.night(array['2026-06-01 23:59:57Z', '2026-06-01 23:59:58Z', '2026-06-02 00:00:01Z']::timestamptz[],
    array[1, 2, 2]),
    'valid unfunded valid', 'unfunded before midnight, billed after it');
select is(pg_temp.night(array['2026-06-01 23:59:57Z', '2026-06-01 23:59:58Z', '2026-06-02 00:00:01Z',
    '2026-06-02 00:00:02Z']::timestamptz[], array[1, 2, 3, 2]),
    'valid unfunded valid unfunded', 'and unfunded after it where the new day is spent');

select is((select sum(spent_micros) from ads.campaign_days where account_id = (select a from s)),
    (select sum(spent_micros)::numeric from ads.campaign_spend where account_id = (select a from s)),
    'the days of each campaign are its spending');
select is((select max(spent_micros) from ads.campaign_days where account_id = (select a from s)), 1000000::bigint,
    'no day is over its budget');
select is_empty($$select rule, detail from ads.reconcile('2024-01-01', '2026-12-31') where not ok$$,
    'and everything reconciles');

select * from finish();
rollback;
