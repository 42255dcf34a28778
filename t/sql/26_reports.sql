-- Reports: every delta once, in its quarter, day and month; late ones and
-- adjustments change what they belong to; the sums are the ledger's.
begin;
\ir world.inc
select plan(48);

create temporary table t as
select x.a, x.p, y.c, pg_temp.ad(y.c) as ad, pg_temp.ad(y.c) as ad2
from (select pg_temp.advertiser(50000000) as a, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c offset 0) y;
grant select on t to public;
select is((select count(*) from ads.report_zones z join t on z.account_id in (t.a, t.p)), 2::bigint, 'accounts have a zone to report in');
update ads.nodes set drained_to = now() - interval '1 second';

create function pg_temp.line(in_grain text, in_level int)
returns text
language sql
as $$
    select string_agg(format('%s/%s/%s/%s/%s', r.impressions, r.clicks, r.duplicate_clicks, r.invalid_clicks, r.spend_micros),
        ' ' order by r.at, r.duplicate_clicks desc)
    from ads.reports r
    where r.account_id = (select a from t)
        and r.grain = in_grain
        and r.level = in_level
$$;

-- Clicks of two ads: one twice, one by a robot.
create temporary table k as select pg_temp.click(ad, p, 1000001) as click from t;
select pg_temp.click(ad, p, 1000001, click => click) from t, k;
select pg_temp.click(ad2, p, 2000000) from t;
select pg_temp.click(ad2, p, 2000000, class => 16) from t;
select pg_temp.click(ad2, p, 2000000, flags => 2) from t;
select pg_temp.send();
select is((select count(*) from ads.reports where account_id = (select a from t)), 0::bigint, 'nothing is in a report before its cycle');
select is((select count(*) from ads.report_deltas where account_id = (select a from t)), 2::bigint, 'a batch queues a line for each ad');
select is(ads.reports_cycle(1000), false, 'a cycle takes them all');
select is((select count(*) from ads.report_deltas where account_id = (select a from t)), 0::bigint, 'off the queue');
select is(pg_temp.line('q', 0), '0/2/1/1/3000001', 'into the quarter of the account');
select is(pg_temp.line('d', 0), pg_temp.line('q', 0), 'the day');
select is(pg_temp.line('m', 0), pg_temp.line('q', 0), 'and the month');
select is(pg_temp.line('q', 1), pg_temp.line('q', 0), 'of its one campaign');
select is(pg_temp.line('q', 15), '0/1/1/0/1000001 0/1/0/1/2000000', 'and of each ad');
select is(ads.reports_cycle(1000), false, 'another turn');
select is(pg_temp.line('q', 0), '0/2/1/1/3000001', 'adds nothing');
select ok((select as_of from ads.report_state) > now() - interval '2 seconds', 'as_of is what the nodes have committed');

-- A cycle that is not enough.
create temporary table was as select as_of from ads.report_state;
update ads.nodes set drained_to = now();
select pg_temp.click(ad, p, 1) from t;
select pg_temp.click(ad2, p, 1) from t;
select pg_temp.send();
select is(ads.reports_cycle(1), true, 'a cycle that leaves something says so');
select is((select as_of from ads.report_state), (select as_of from was), 'and does not move as_of');
select ads.reports_cycle(1);
select ads.reports_cycle(1);
select is(pg_temp.line('m', 0), '0/4/1/1/3000003', 'the next ones take the rest');

-- A late one, days ago.
select pg_temp.click(ad, p, 5, at => now() - interval '12 hours') from t;
select pg_temp.send();
select ads.reports_cycle(1000);
select is((select sum(spend_micros) from ads.reports where account_id = (select a from t) and grain = 'q' and level = 12), 3000008::numeric,
    'a late one is added where it belongs');
select is((select array_agg(distinct x.same) from (
        select sum(spend_micros) = 3000008 as same from ads.reports where account_id = (select a from t) group by grain, level) x),
    array[true], 'every grain and level has the same sum');
select is((select sum(spend_micros) from ads.spend_rollups where account_id = (select a from t)), 3000008::numeric, 'the one of the rollups');
select is((select 50000000 - pg_temp.balance(a) from t), 3000008::bigint, 'and of the ledger');

-- The publisher.
select pg_temp.show(pg_temp.id(), p, array[ad]) from t;
select pg_temp.no_ad(p, 'no_match', 7) from t;
select pg_temp.send();
select ads.reports_cycle(1000);
select results_eq(
    $$select shows, no_ads, clicks, gross_micros from ads.site_reports, t where publisher_id = p and grain = 'm' and level = 0$$,
    $$values (1::bigint, 7::bigint, 5::bigint, 3000008::bigint)$$, 'a publisher''s requests, clicks and gross');
select is((select sum(revenue_micros) from ads.site_reports, t where publisher_id = p and grain = 'd' and level = 1),
    (select pg_temp.balance(p)::numeric from t), 'its revenue is its balance');
select is((select no_ads from ads.site_reports, t where publisher_id = p and grain = 'm' and level = 1 and reason = 'no_match'),
    7::bigint, 'by reason');

-- Conversions.
select set_config('ads.tenant', a::text, true) from t;
create function pg_temp.worth() returns text language sql as $$
    select format('%s/%s', conversions, value_micros) from ads.reports
    where account_id = (select a from t) and grain = 'q' and level = 0 and conversions > 0 $$;
create temporary table v as
select r.event_id from t, k, lateral ads.conversion_record(a, click, 10000000, 'USD', 'o1', null, null, null, now()) r;
select ads.reports_cycle(1000);
select is(pg_temp.worth(), '1/10000000', 'a conversion counts, in its click''s quarter');
select r.status from t, k, v, lateral ads.conversion_record(a, click, 4000000, 'USD', null, v.event_id, null, null, now()) r;
select ads.reports_cycle(1000);
select is(pg_temp.worth(), '1/4000000', 'an adjustment replaces its value');
select r.status from t, k, lateral ads.conversion_record(a, click, 9000000, 'EUR', 'o2', null, null, null, now()) r;
select ads.reports_cycle(1000);
select ads.reports_cycle(1000);
select is(pg_temp.worth(), '2/4000000', 'one of another currency counts without a value');

update ads.settings set conversion_value_max_micros = 9000000000000000000;
-- The greatest values there are: taken back together, and too many of them.
create temporary table big as
select r.event_id from t, k, generate_series(1, 3) n,
    lateral ads.conversion_record(a, click, 1000000000000000, 'USD', 'big' || n, null, null, null, now()) r;
select ads.reports_cycle(1000);
select ads.reports_cycle(1000);
select is(pg_temp.worth(), '5/3000000004000000', 'values of 1e9 are added');
select count(r.status) from t, k, big b,
    lateral ads.conversion_record(a, click, 0, 'USD', null, b.event_id, null, null, now()) r;
select lives_ok('select ads.reports_cycle(1000)', 'cancelled all at once they do not stop the cycle');
select is(pg_temp.worth(), '5/4000000', 'and are gone from the report');
create function pg_temp.sales(n int, at timestamptz)
returns void
language sql
as $$
    insert into ads.report_deltas (
        bucket_at, account_id, campaign_id, ad_id, publisher_id, placement, country, conversions, value_micros)
    select ads.bucket(at), a, c, ad, p, 'inline', 'US', 1, 1000000000000000
    from t, generate_series(1, n)
$$;
select pg_temp.sales(9300, k.at) from ads.clicks k where k.click_id = (select click from k) and k.class = 0;
select lives_ok('select ads.reports_cycle(5000) from generate_series(1, 2)', 'nor do more of them than bigint holds');
select is(pg_temp.worth(), '9305/9223372036854775807', 'they stay at its end');
select pg_temp.sales(9300, k.at - interval '1 hour') from ads.clicks k where k.click_id = (select click from k) and k.class = 0;
select ads.reports_cycle(5000) from generate_series(1, 2);

-- Another zone.
update ads.accounts set timezone = 'Asia/Kolkata' where id = (select a from t);
select is((select own from t, ads.report_range(a, null, null, null)), false, 'a new zone has no days yet');
select ads.reports_cycle(1000);
select is((select own from t, ads.report_range(a, null, null, null)), true, 'then it has');
select is((select array_agg(distinct at) from ads.reports where account_id = (select a from t) and grain = 'd' and level = 0),
    (select array_agg(distinct date_trunc('day', at at time zone 'Asia/Kolkata') at time zone 'UTC')
        from ads.reports where account_id = (select a from t) and grain = 'q' and level = 0),
    'the days of that zone');
select is((select array_agg(distinct x.same) from (
        select sum(spend_micros) = 3000008 as same from ads.reports where account_id = (select a from t) group by grain, level) x),
    array[true], 'with the same sums');

-- Sums.
select is((select ads.total(x) from (values (3::bigint), (null), (-1)) v (x)), 2::bigint, 'a total leaves out what is not known');
select is((select ads.total(x) from (values (1::bigint)) v (x) where false), 0::bigint, 'the total of nothing is 0');
select throws_ok(
    $$select ads.total(x) from (values (9223372036854775807), (1::bigint)) v (x)$$, '22003', null,
    'a total that is too large fails, and never wraps');

-- What the API answers.
create function pg_temp.advertiser_rows(in_step text, in_groups text[], in_after timestamptz, in_cut bigint)
returns setof text
language sql
as $$
    select concat_ws('/', r.campaign_name, r.country, r.clicks, r.spend_micros, r.auctions)
    from t, ads.report_advertiser(
        t.a, array['m'], array['-infinity'::timestamptz], array['infinity'::timestamptz],
        (case when 'country' = any (in_groups) then 12 when 'campaign' = any (in_groups) then 1 else 0 end)::smallint,
        in_step, 'Asia/Kolkata', '-infinity', 'infinity', in_groups, null, null, null, null,
        in_after, array['', '', '', ''], 500, in_cut) r
$$;
create temporary table spent as select sum(clicks) as clicks, sum(spend_micros) as micros from ads.reports, t where account_id = a and grain = 'm' and level = 0;
grant select on spent to public;
set local role ads_api;
select results_eq(
    $$select * from pg_temp.advertiser_rows('none', '{}', null, null)$$,
    $$select concat_ws('/', '', clicks, micros, 0) from spent$$, 'a report without steps and dimensions is its totals');
select is((select count(*) from pg_temp.advertiser_rows('none', '{campaign}', null, 1)), 1::bigint, 'of campaigns as many as are cut');
select ok((select bool_or(x ~ '^US/') from pg_temp.advertiser_rows('none', '{country}', null, null) x), 'by country');
select is_empty($$select * from pg_temp.advertiser_rows('month', '{}', 'infinity', null)$$, 'nothing is behind the last row');
select is((select r.no_ads from t, ads.report_publisher(t.p, array['m'], array['-infinity'::timestamptz], array['infinity'::timestamptz],
    1::smallint, 'none', 'UTC', '-infinity', 'infinity', '{reason}', null, null, array['no_match'], null, null, 500) r), null,
    'another tenant''s report is empty');
select set_config('ads.tenant', p::text, true) from t;
select is((select r.no_ads from t, ads.report_publisher(t.p, array['m'], array['-infinity'::timestamptz], array['infinity'::timestamptz],
    1::smallint, 'none', 'UTC', '-infinity', 'infinity', '{reason}', null, null, array['no_match'], null, null, 500) r), 7::bigint,
    'a publisher''s own has its requests');
select is_empty($$select * from pg_temp.advertiser_rows('none', '{}', null, null)$$, 'and it sees no advertiser''s');
reset role;

-- What adsctl prints.
select results_eq(
    $$select sum(r.clicks) from t, ads.report_advertiser_lines(t.a, current_date - 3, current_date + 1, 'campaign') r$$,
    $$select sum(clicks) from ads.reports, t where account_id = a and grain = 'd' and level = 1$$, 'lines by campaign');
select results_eq(
    $$select r.line, r.no_ads from t, ads.report_publisher_lines(t.p, current_date - 3, current_date + 1, 'reason') r where r.no_ads > 0$$,
    $$values ('no_match', 7::bigint)$$, 'and by reason');

-- Guards.
select throws_ok(
    $$update ads.reports set clicks = -1 where account_id = (select a from t)$$, '23514', null, 'no count is below zero');

select * from finish();
rollback;
