-- Late clicks: a link that was served honestly is billed for late_click_s
-- after its campaign stopped, whatever stopped it, and no schedule of stops
-- gets clicks for nothing.
begin;
\ir world.inc
select plan(44);

create temporary table s as select pg_temp.publisher() as p;

create temporary table shop (a uuid, c uuid, ad uuid);

create function pg_temp.shop(daily bigint default null, lifetime bigint default 1000000000)
returns void
language plpgsql
as $$
begin
    delete from shop;
    insert into shop (a) values (pg_temp.advertiser(900000000000));
    update shop set c = pg_temp.campaign(a, daily, lifetime);
    update shop set ad = pg_temp.ad(c);
end
$$;

-- What is remembered of stops moves to the past.
create function pg_temp.pass(seconds numeric)
returns void
language plpgsql
as $$
declare
    v_by interval := make_interval(secs => seconds);
begin
    set local session_replication_role = replica;
    update ads.campaigns c
    set stopped_at = stopped_at - v_by,
        resumed_at = resumed_at - v_by,
        lifetime_lowered_at = lifetime_lowered_at - v_by,
        start_at = start_at - v_by,
        end_at = end_at - v_by,
        archived_at = archived_at - v_by;
    update ads.campaign_days set exhausted_at = exhausted_at - v_by;
    update ads.ads set archived_at = archived_at - v_by;
    update ads.products set archived_at = archived_at - v_by;
    update ads.accounts set suspended_at = suspended_at - v_by;
    set local session_replication_role = origin;
end
$$;

-- The class of a click of now that a worker takes for paused.
create function pg_temp.late(flags int default 0)
returns text
language plpgsql
as $$
declare
    v_id uuid := pg_temp.id();
begin
    perform pg_temp.click(ad, p, 1000000, v_id, class => 3, flags => late.flags) from shop, s;
    perform pg_temp.send();
    return (
        select cc.name
        from ads.clicks k
        join ads.click_classes cc on cc.code = k.class
        where k.click_id = v_id);
end
$$;

-- Each way to stop: billed until the last second of late_click_s.
create function pg_temp.stops(what text)
returns setof text
language plpgsql
as $$
begin
    perform pg_temp.shop();
    execute 'update ads.' || what;
    perform pg_temp.pass(599);
    return next is(pg_temp.late(), 'valid', what || ': billed for ten minutes');
    perform pg_temp.pass(1);
    return next is(pg_temp.late(), 'paused', what || ': then paused');
end
$$;

select pg_temp.stops($$campaigns set status = 'paused' where id = (select c from shop)$$);
select pg_temp.stops($$campaigns set status = 'archived' where id = (select c from shop)$$);
select pg_temp.stops($$campaigns set start_at = now() + interval '1 day' where id = (select c from shop)$$);
select pg_temp.stops($$campaigns set end_at = now() where id = (select c from shop)$$);
select pg_temp.stops($$campaigns set pricing = 'cpm' where id = (select c from shop)$$);
select pg_temp.stops($$ads set status = 'archived' where id = (select ad from shop)$$);
select pg_temp.stops($$accounts set status = 'suspended' where id = (select a from shop)$$);

-- Resumed, it counts again.
select pg_temp.shop();
update ads.campaigns set status = 'paused' where id = (select c from shop);
select pg_temp.pass(3600);
update ads.campaigns set status = 'active' where id = (select c from shop);
select is(pg_temp.late(), 'valid', 'on the air again, it was not stopped');
select pg_temp.click(ad, p, 1000000, at => now() - interval '1 minute', class => 3) from shop, s;
select pg_temp.send();
select is(pg_temp.classes(c), 'valid paused', 'but a minute ago it was') from shop;
update ads.campaigns set status = 'paused' where id = (select c from shop);
select is(pg_temp.late(), 'valid', 'stopped again, the ten minutes begin again');
select pg_temp.shop();
update ads.campaigns set end_at = now() where id = (select c from shop);
select pg_temp.pass(300);
update ads.campaigns set status = 'paused' where id = (select c from shop);
select pg_temp.pass(300);
select is(pg_temp.late(), 'paused', 'a pause after its end prolongs nothing');

-- A day that has run out.
create function pg_temp.bill(n int)
returns text
language plpgsql
as $$
declare
    v_before bigint := (select coalesce(max(k.off), 0) from ads.clicks k where k.node = 4711);
begin
    perform pg_temp.click(ad, p, 1000000) from shop, s, generate_series(1, n);
    perform pg_temp.send();
    return (
        select string_agg(left(cc.name, 1), '' order by k.off)
        from ads.clicks k
        join ads.click_classes cc on cc.code = k.class
        where k.node = 4711
            and k.off > v_before);
end
$$;

select pg_temp.shop(daily => 3000000);
select is(pg_temp.bill(5), 'vvvvv', 'links that were out when the day ran out are billed');
select results_eq($$select spent_micros, late_micros, budget_micros from ads.campaign_days join shop on c = campaign_id$$,
    $$values (5000000::bigint, 2000000::bigint, 3000000::bigint)$$, 'as what they are');
select pg_temp.pass(600);
select is(pg_temp.bill(1), 'u', 'ten minutes later they are not');
update ads.campaigns set daily_budget_micros = 7000000 where id = (select c from shop);
select is(pg_temp.bill(3), 'vvv', 'a raised budget pays again, and for links that are out');
select pg_temp.shop(daily => 9000000);
select is(pg_temp.bill(2), 'vv', 'a day that has not run out');
update ads.campaigns set daily_budget_micros = 1000000 where id = (select c from shop);
select pg_temp.pass(599);
select is(pg_temp.bill(1), 'v', 'runs out by an edit');
select pg_temp.pass(1);
select is(pg_temp.bill(1), 'u', 'at that moment');

-- The lifetime budget, and the balance, are never exceeded.
select pg_temp.shop(lifetime => 5000000);
select is(pg_temp.bill(3), 'vvv', 'clicks within a lifetime budget');
update ads.campaigns set lifetime_budget_micros = 1000000 where id = (select c from shop);
select is(pg_temp.bill(3), 'vvu', 'one that was lowered pays for links that are out, to its former end');
select pg_temp.pass(600);
update ads.campaigns set lifetime_budget_micros = 9000000 where id = (select c from shop);
update ads.campaigns set lifetime_budget_micros = 2000000 where id = (select c from shop);
select is(pg_temp.bill(5), 'vvvvu', 'each time');
select is((select remaining_micros from ads.allowances(4711) join shop on c = campaign_id), 0::bigint,
    'while it is not served');

-- No schedule pays: four campaigns of one advertiser, of which each is shown
-- five times a second while it may sell; people click after 20 s in the
-- middle, one in 3,000 after more than ten minutes.  `edit` is run at every
-- step for the campaign whose number is n.  Clicks of the first `n_skipped` steps
-- do not count.
create temporary table sim (n int, c uuid, ad uuid, product uuid, live boolean);
create temporary table outstanding (ad uuid, price bigint, served numeric, due numeric);

create function pg_temp.simulate(
    seed double precision, steps numeric[], edits text[], n_steps int default 120, n_skipped int default 0)
returns numeric
language plpgsql
as $$
declare
    v_now numeric := 0;
    v_step numeric;
    v_skipped bigint := 0;
    v_account uuid := pg_temp.advertiser(900000000000);
begin
    perform setseed(seed);
    delete from sim;
    delete from outstanding;
    insert into sim (n, c) select g, pg_temp.campaign(v_account, 100000000000, 900000000000) from generate_series(0, 3) g;
    update sim set ad = pg_temp.ad(c);
    update sim set product = d.product_id from ads.ads d where d.id = sim.ad;

    for v_i in 1..n_steps loop
        if v_i = n_skipped then
            select max(k.off) into v_skipped from ads.clicks k where k.node = 4711;
        end if;
        execute edits[1 + (v_i - 1) % cardinality(edits)] using v_i % 4, random();
        update sim
        set live = exists (
            select
            from ads.allowances(4711) w
            join ads.ads d on d.campaign_id = w.campaign_id
            where d.id = sim.ad
                and w.remaining_micros > 0
                and d.status = 'active');
        v_step := steps[1 + (v_i - 1) % cardinality(steps)];
        insert into outstanding
        select sim.ad, cp.bid_micros, v_now, v_now + 20 * exp(sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))
        from sim
        join ads.campaigns cp on cp.id = sim.c
        cross join generate_series(1, 5)
        where sim.live;
        v_now := v_now + v_step;
        perform pg_temp.pass(v_step);

        with due as (
            delete from outstanding o
            where o.due <= v_now
            returning o.*
        )
        select count(pg_temp.click(d.ad, s.p, d.price, pg_temp.id(now() - make_interval(secs => v_now - d.served)),
            now() - make_interval(secs => v_now - d.due), case when sim.live then 0 else 3 end))
        from due d
        join sim on sim.ad = d.ad
        cross join s
        into v_step;
        perform pg_temp.send();
    end loop;
    return (
        select round(100.0 * count(*) filter (where k.billed_micros = 0) / count(*), 2)
        from ads.clicks k
        where k.account_id = v_account
            and k.off > v_skipped);
end
$$;

create function pg_temp.cheap(what text, steps numeric[], edits text[])
returns setof text
language plpgsql
as $$
begin
    return next cmp_ok(pg_temp.simulate(0.4, steps, edits), '<=', 0.5, what || ' gets at most 0.5 % of its clicks free');
end
$$;

select pg_temp.cheap('rotating pauses', '{1}', array[
    $$update ads.campaigns set status = case when n = $1 then 'active' else 'paused' end
        from sim where id = c and $2 >= 0$$]);
select pg_temp.cheap('a second on and a long time off', '{1,1,1,700}', array[
    $$update ads.campaigns set status = case when $1 = 1 then 'active' else 'paused' end
        from sim where id = c and $2 >= 0$$]);
select pg_temp.cheap('pauses by chance', '{1,5,30,120,3}', array[
    $$update ads.campaigns set status = case when $2 < 0.5 then 'active' else 'paused' end
        from sim where id = c and n = $1$$]);
select pg_temp.cheap('a day''s budget, down and up', '{1,2,20}', array[
    $$update ads.campaigns set daily_budget_micros = 1000000 from sim where id = c and n = $1 and $2 >= 0$$,
    $$update ads.campaigns set daily_budget_micros = 100000000000 from sim where id = c and $1 >= 0 and $2 >= 0$$]);
select pg_temp.cheap('a lifetime budget, down and up', '{1,2,20}', array[
    $$update ads.campaigns set lifetime_budget_micros = 1000000 from sim where id = c and n = $1 and $2 >= 0$$,
    $$update ads.campaigns set lifetime_budget_micros = 100000000000 from sim where id = c and $1 >= 0 and $2 >= 0$$]);
select pg_temp.cheap('bids, up beyond the budget and down', '{1,2,20}', array[
    $$update ads.campaigns set bid_micros = 1000000000 from sim where id = c and n = $1 and $2 >= 0$$,
    $$update ads.campaigns set bid_micros = 10000 from sim where id = c and $1 >= 0 and $2 >= 0$$]);
select pg_temp.cheap('taking products away and back', '{1,2,20}', array[
    $$update ads.ads set status = case when n = $1 then 'archived' else 'active' end
        from sim where id = ad and $2 >= 0$$]);

-- The first time that it runs out, it does not pay for what is out.  So much of
-- it is kept back the next times.
select cmp_ok(pg_temp.simulate(0.4, '{1,2,20}', array[
    $$update ads.campaigns k
        set lifetime_budget_micros = greatest(1000000, cs.spent_micros + cs.unpaid_micros + 5000000)
        from sim, ads.campaign_spend cs
        where k.id = sim.c and cs.campaign_id = sim.c and $1 >= 0 and $2 >= 0$$], 300, 200),
    '<=', 0.5, 'a lifetime budget in small steps gets at most 0.5 % of its clicks free');
select pg_temp.shop(lifetime => 2000000);
select is(pg_temp.bill(5), 'vvuuu', 'what a lifetime budget does not pay');
update ads.campaigns set lifetime_budget_micros = 5000000 where id = (select c from shop);
select is((select remaining_micros from ads.allowances(4711) join shop on c = campaign_id), 0::bigint,
    'is kept back when it is raised');
select is((select reasons[1] from ads.campaign_states cs join shop on c = cs.campaign_id), 'budget_exhausted', 'which is said');
update ads.campaigns set lifetime_budget_micros = 7000000 where id = (select c from shop);
select is((select remaining_micros from ads.allowances(4711) join shop on c = campaign_id), 2000000::bigint,
    'and only the rest sells');
select is(pg_temp.bill(5), 'vvvvv', 'while all of it pays for late clicks');

select is_empty($$select rule, detail from ads.reconcile(current_date - 2, current_date + 2) where not ok$$,
    'and everything reconciles');
select is((select min(balance_micros) >= 0 from ads.ledger_accounts where kind = 'advertiser_balance'), true,
    'no one is in debt');

select * from finish();
rollback;
