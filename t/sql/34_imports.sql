-- Feeds that wait: who takes one up has time to fetch it.
begin;
\ir world.inc
select plan(6);

create temporary table t as
select x.a, pg_temp.campaign(x.a) as c
from (select pg_temp.advertiser() as a offset 0) x;
select set_config('ads.tenant', a::text, true)
from t;

select is(p.state, 'queued', 'a feed waits')
from t, ads.import_put(t.a, t.c, false, false, 50, null, null, null, null, null, 'a,b') p;
select is((select attempt from ads.import_claim(1000000)), 1, 'somebody takes it up');
select is_empty('select from ads.import_claim(1000000)', 'no one else does while it is fetched');
update ads.imports
set started_at = now() - interval '11 s';
select is((select attempt from ads.import_claim(1000000)), 2, 'but once that took too long');
select is_empty('select from ads.import_claim(1000000)', 'who has the same time');
update ads.imports
set started_at = now() - interval '11 s',
    attempt = 5;
select is_empty('select from ads.import_claim(1000000)', 'and no one the sixth time');

select *
from finish();
rollback;
