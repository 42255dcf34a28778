-- What a person does not do: clicks that come too fast, too many of one address
-- on one campaign, or of one session on one ad, are not billed.  Where a batch
-- ends makes no difference, an honest crowd behind one address loses nothing,
-- and a cheat gets what the limits say.
begin;
\ir world.inc
select plan(18);
update ads.settings set too_fast_ms = 200;

create temporary table t as
select x.a, x.p, y.c, z.ad, pg_temp.ad(y.c) as ad2, pg_temp.campaign(x.a) as c2
from (select pg_temp.advertiser(900000000000) as a, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a, null, 800000000000) as c offset 0) y
cross join lateral (select pg_temp.ad(y.c) as ad offset 0) z;
alter table t add ad3 uuid;
update t set ad3 = pg_temp.ad(c2);

create function pg_temp.moment(seconds numeric)
returns timestamptz
language sql
stable
as $$ select now() - interval '3 hours' + make_interval(secs => seconds) $$;

-- A click at a second of the day, ten seconds after its link was served.
create function pg_temp.visit(
    second numeric, session bigint default 0, ip bigint default 0, ad uuid default null, link uuid default null,
    after numeric default 10)
returns uuid
language sql
as $$
    select pg_temp.click(coalesce(visit.ad, t.ad), t.p, 1000000,
        coalesce(link, pg_temp.id(pg_temp.moment(second - after))), pg_temp.moment(second),
        session => visit.session, ip => visit.ip)
    from t
$$;

-- Sends what is on the feed, all at once or a batch each; answers the classes
-- and forgets the clicks.
create function pg_temp.verdicts(batch int default 1000000)
returns text
language plpgsql
as $$
declare
    v_all feed[] := array(select f from feed f order by f.off);
    v_n int := cardinality(v_all);
    v_classes text;
begin
    for v_i in 0..(v_n - 1) / batch loop
        delete from feed;
        insert into feed overriding system value
        select f.*
        from unnest(v_all[v_i * batch + 1:(v_i + 1) * batch]) f;
        perform pg_temp.send();
    end loop;
    v_classes := (
        select string_agg(regexp_replace(cc.name, '^invalid:', ''), ' ' order by k.off)
        from ads.clicks k
        join ads.click_classes cc on cc.code = k.class);
    set local session_replication_role = replica;
    delete from ads.clicks;
    set local session_replication_role = origin;
    return v_classes;
end
$$;

-- ---- too fast ----------------------------------------------------------------
select pg_temp.visit(100, after => 0.199);
select pg_temp.visit(100, after => 0.2);
select pg_temp.visit(100, after => 0);
select pg_temp.visit(100, after => -0.5);
select is(pg_temp.verdicts(), 'too_fast valid too_fast valid',
    'within 200 ms of serving no person clicks; a clock that is behind is no proof');
select pg_temp.visit(100, link => l.id), pg_temp.visit(100.2, link => l.id), pg_temp.visit(100.3, link => l.id)
from (select pg_temp.id(pg_temp.moment(99.9)) as id) l;
select is(pg_temp.verdicts(), 'too_fast valid duplicate', 'a robot that was first does not cost the person''s click');

-- ---- repeat ------------------------------------------------------------------
select pg_temp.visit(0, 7);
select pg_temp.visit(60, 7);
select pg_temp.visit(61, 8);
select pg_temp.visit(62, 7, ad => ad2) from t;
select pg_temp.visit(1799.9, 7);
select pg_temp.visit(1800, 7);
select is(pg_temp.verdicts(), 'valid repeat valid valid repeat valid',
    'of one session and ad one click counts in half an hour');
select pg_temp.visit(0), pg_temp.visit(1), pg_temp.visit(2);
select is(pg_temp.verdicts(), 'valid valid valid', 'no session is no visitor');
select pg_temp.visit(10, 7, link => l.id), pg_temp.visit(11, 7, link => l.id), pg_temp.visit(12, 7)
from (select pg_temp.id(pg_temp.moment(0)) as id) l;
select is(pg_temp.verdicts(), 'valid duplicate repeat', 'the same link again is a duplicate, another one a repeat');

-- ---- burst -------------------------------------------------------------------
select pg_temp.visit(n * 0.1, ip => 5) from generate_series(1, 8) n;
select is(pg_temp.verdicts(), 'valid valid valid valid valid burst burst burst',
    'of one address and campaign five clicks count in ten seconds');
select pg_temp.visit(n * 2, ip => 5) from generate_series(1, 8) n;
select is(pg_temp.verdicts(), 'valid valid valid valid valid valid valid valid', 'in steps of two seconds all');
select pg_temp.visit(n * 0.1, ip => 5, ad => case n % 3 when 0 then ad when 1 then ad2 else ad3 end)
from t, generate_series(1, 12) n;
select is(pg_temp.verdicts(), 'valid valid valid valid valid valid valid valid burst burst valid burst',
    'ads of one campaign count together, campaigns apart');
select pg_temp.visit(n * 0.1, ip => n) from generate_series(1, 8) n;
select pg_temp.visit(n * 0.1) from generate_series(1, 8) n;
select is(replace(pg_temp.verdicts(), 'valid', ''), repeat(' ', 15), 'addresses count apart, and none is none');
select pg_temp.visit(n * 10, ip => 5) from generate_series(1, 100) n;
select is(array_length(string_to_array(pg_temp.verdicts(), ' valid'), 1), 60,
    'in half an hour 60 clicks of an address and campaign count');

-- A person behind the robot's address has the next ten seconds.
select pg_temp.visit(n * 0.1, ip => 5) from generate_series(1, 6) n;
select pg_temp.visit(11, ip => 5);
select is(pg_temp.verdicts(), 'valid valid valid valid valid burst valid', 'after a burst the address counts again');

-- ---- the same decision after a replay ---------------------------------------
create function pg_temp.crowd(seed float)
returns void
language plpgsql
as $$
declare
    v_links uuid[] := array(select pg_temp.id(pg_temp.moment(0)) from generate_series(1, 60));
begin
    perform setseed(seed);
    delete from feed;
    alter table feed alter off restart with 64;
    perform pg_temp.click(case when x.r < 0.5 then t.ad else t.ad3 end, t.p, 1000000,
        v_links[1 + floor(x.r * 60)::int], x.at, class => case when random() < 0.1 then 16 else 0 end,
        session => floor(random() * 40)::int, ip => floor(random() * 3)::int)
    from t
    cross join lateral (
        select random() as r, pg_temp.moment(10 + (random() * 20)::numeric) as at
        from generate_series(1, 90)
        order by at) x;
end
$$;

create temporary table seen (batch int, seed float, classes text);
create temporary table kept as select * from feed;
do $$
declare
    v_seed float;
    v_batch int;
begin
    foreach v_seed in array array[0.1, 0.2, 0.3] loop
        perform pg_temp.crowd(v_seed);
        truncate kept;
        insert into kept select * from feed;
        foreach v_batch in array array[1000, 1, 2, 7] loop
            delete from feed;
            insert into feed overriding system value select * from kept;
            insert into seen values (v_batch, v_seed, pg_temp.verdicts(v_batch));
        end loop;
    end loop;
end
$$;
select is(count(distinct s.classes), 1::bigint, 'batches of 1, 2, 7 and all decide the same, seed ' || s.seed)
from seen s group by s.seed order by s.seed;
select ok(bool_or(s.classes ~ 'repeat') and bool_or(s.classes ~ 'burst') and bool_or(s.classes ~ 'duplicate'),
    'with each rule at work')
from seen s;

-- ---- what an honest crowd loses, and what a cheat gets ----------------------
-- An office of 1,000 people behind one address: each sees 20 ads in an hour and
-- clicks one of 50, each another ad; ten campaigns.
create temporary table offices as
select pg_temp.ad(pg_temp.campaign(t.a)) as ad, n
from t, generate_series(0, 9) n;
select setseed(0.5);
select pg_temp.visit(x.at, x.n, 9, ad => o.ad)
from (
    select n, (random() * 3600)::numeric as at, floor(random() * 10)::int as ad_no
    from generate_series(1, 400) n
    order by 2) x
join offices o on o.n = x.ad_no
order by x.at;
select is(replace(pg_temp.verdicts(), 'valid', ''), repeat(' ', 399), 'of 400 clicks of an office none is lost');

-- A publisher that clicks its own ads each second, as somebody else each time.
select pg_temp.visit(n, n, 9) from generate_series(1, 3600) n;
select is(array_length(string_to_array(pg_temp.verdicts(), ' valid'), 1), 120,
    'of 3,600 own clicks from one network 120 are billed in an hour');
select pg_temp.visit(n, 4, n) from generate_series(1, 3600) n;
select is(array_length(string_to_array(pg_temp.verdicts(), ' valid'), 1), 2,
    'and of one session from anywhere two');

select * from finish();
rollback;
