-- Verdicts: which class a click ends in, and what each class costs.
begin;
\ir world.inc
select plan(22);

create temporary table t as
select x.a, x.p, y.c, pg_temp.ad(y.c) as ad, pg_temp.ad(y.m) as cpm
from (select pg_temp.advertiser(900000000) as a, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c, pg_temp.campaign(x.a, pricing => 'cpm') as m offset 0) y;

-- One click, alone in its batch, and the class it got.
create function pg_temp.verdict(
    ad uuid,
    at timestamptz default now(),
    served timestamptz default now(),
    class int default 0,
    flags int default 0,
    price bigint default 1000000)
returns text
language plpgsql
as $$
declare
    v_id uuid := pg_temp.id(served);
begin
    perform pg_temp.click(verdict.ad, t.p, price, v_id, at, class, flags) from t;
    perform pg_temp.send();
    return (
        select cc.name || ' ' || k.billed_micros
        from ads.clicks k
        join ads.click_classes cc on cc.code = k.class
        where k.click_id = v_id);
end
$$;

select is(pg_temp.verdict(ad), 'valid 1000000', 'a click is billed at its sealed price') from t;
select is(pg_temp.verdict(ad, served => now() - interval '24 hours'), 'valid 1000000',
    'also 24 hours after it was served') from t;
select is(pg_temp.verdict(ad, served => now() - interval '24 hours 1 second'), 'late 0', 'later it is late') from t;
select is(pg_temp.verdict(ad, served => now() - interval '30 days'), 'late 0', 'up to 30 days') from t;
select is(pg_temp.verdict(ad, class => 1), 'valid 1000000',
    'that the worker took it for a repeat is a hint') from t;
select is(pg_temp.verdict(ad, class => 2), 'valid 1000000', 'that it took it for late, too') from t;
select is(pg_temp.verdict(ad, class => 4), 'valid 1000000', 'and that it took it for unfunded') from t;
select is(pg_temp.verdict(ad, class => 3), 'valid 1000000', 'that it is paused, too, while it is not') from t;
select is(pg_temp.verdict(ad, class => code), name || ' 0', name || ' stays')
from t, ads.click_classes
where code between 16 and 22
order by code;
select is(pg_temp.verdict(ad, flags => 2), 'test 0', 'a test key''s click is a test') from t;
select is(pg_temp.verdict(ad, flags => 2, class => 16), 'test 0', 'whatever else it is') from t;
select is(pg_temp.verdict(gen_random_uuid()), 'invalid:unknown_ad 0', 'an ad no one knows is a verdict, not an error');
select is((select count(*) from ads.clicks where class = 25 and account_id is null and node = 4711), 1::bigint,
    'such a click belongs to no account');
select is(pg_temp.verdict(cpm), 'valid 1000000',
    'a link sold by the click is billed although the campaign pays for impressions now') from t;
select is(pg_temp.verdict(ad, price => 0), 'valid 0', 'a price of nothing is no ledger transaction') from t;
select results_eq(
    $$select sum(clicks)::int, sum(invalid_clicks)::int, sum(paused_clicks)::int, sum(late_clicks)::int, sum(spend_micros)::bigint
        from ads.spend_rollups where account_id = (select a from t)$$,
    $$values (8, 7, 0, 2, 7000000::bigint)$$, 'the report counts each in its column, tests in none');

select * from finish();
rollback;
