-- Imports: products by sku, their ads, and only what changed.
begin;
\ir world.inc
select plan(26);

create temporary table t as
select x.a, pg_temp.campaign(x.a) as c, pg_temp.campaign(x.a) as d, x.b
from (select pg_temp.advertiser() as a, pg_temp.advertiser() as b offset 0) x;
create function pg_temp.import(campaign uuid, skus text[], titles text[], price bigint default 1000000)
returns text
language sql
as $$
    select format('%s %s %s %s', u.added, u.changed, u.unchanged, u.repeated)
    from (select array_agg(null::text) as n, array_agg('["Ink", "Black"]'::jsonb) as j, array_agg('https://shop.example/' || s) as url,
            array_agg(price) as price, array_agg('USD'::text) as currency
        from unnest(skus) s) x, t,
        ads.products_upsert(t.a, campaign, skus, titles, x.n, x.n, x.n, x.j, x.url, x.n, x.price, x.currency, x.n,
            array_fill(null::jsonb, array[cardinality(skus)])) u
$$;
-- As if what follows were another transaction.
create function pg_temp.next()
returns bigint
language sql
as $$
    update ads.change set xid = null;
    select n from ads.change;
$$;

select is(pg_temp.import(c, array['s1', 's2', 's3'], array['Ink 1', 'Ink 2', 'Ink 3']), '3 0 0 0', 'new products are added') from t;
select is((select count(*) from ads.ads where campaign_id = c and status = 'active'), 3::bigint, 'each with an ad') from t;
select results_eq($$select title, category, description, url, review_status from ads.products where sku = 's1'$$,
    $$values ('Ink 1'::text, array['Ink', 'Black'], ''::text, 'https://shop.example/s1'::text, 'approved'::text)$$,
    'as the feed has them');
create temporary table ids as select d.id, p.sku from ads.ads d join ads.products p on p.id = d.product_id where d.campaign_id = (select c from t);

create temporary table n1 as select pg_temp.next() as n;
select is(pg_temp.import(c, array['s1', 's2', 's3'], array['Ink 1', 'Ink 2', 'Ink 3']), '0 0 3 0', 'the same again is unchanged') from t;
select is((select n from ads.change), n, 'and no change at all') from n1;
select is(pg_temp.import(c, array['s1', 's2'], array['Ink 1', 'Ink two']), '0 1 1 0', 'what differs is changed') from t;
select is((select array_agg(sku) from ads.products where changed_n > (select n from n1)), array['s2'], 'and only that carries the new number');

create temporary table n2 as select pg_temp.next() as n;
select is(pg_temp.import(d, array['s1'], array['Ink 1']), '0 1 0 0', 'a product may be in two campaigns') from t;
select is((select count(*) from ads.products where account_id = a and sku = 's1'), 1::bigint, 'and stays one product') from t;
select is((select count(*) from ads.products where changed_n > (select n from n2)), 0::bigint, 'which is not changed by that');

select is(pg_temp.import(c, array['s4', 's4', 's5'], array['First', 'Last', 'Five']), '2 0 0 1', 'a sku twice in one batch counts once') from t;
select is((select title from ads.products where sku = 's4'), 'Last', 'as the last one says');

-- Archived and back.
update ads.products set status = 'archived' where sku = 's1';
update ads.ads set status = 'archived' where id = (select id from ids where sku = 's2');
select pg_temp.next();
select is(pg_temp.import(c, array['s1', 's2'], array['Ink 1', 'Ink two']), '0 2 0 0', 'what was archived and comes again is changed') from t;
select is((select array_agg(d.id order by p.sku) from ads.ads d join ads.products p on p.id = d.product_id
    where d.campaign_id = c and p.sku in ('s1', 's2')),
    (select array_agg(id order by sku) from ids where sku in ('s1', 's2')), 'its ads keep their ids') from t;
select is((select count(*) from ads.products where sku in ('s1', 's2') and status = 'active' and archived_at is null), 2::bigint,
    'products are active again');
select is((select count(*) from ads.ads where campaign_id = (select c from t) and status = 'active' and archived_at is null), 5::bigint,
    'and ads');

-- Review.
select ads.settings_put('USD', 7000, 'manual', 'manual');
select is(pg_temp.import(c, array['s6'], array['New']), '1 0 0 0', 'with manual review a new product') from t;
select is((select review_status from ads.products where sku = 's6'), 'pending', 'waits');
select is(pg_temp.import(c, array['s1'], array['Ink 1'], 2000000), '0 1 0 0', 'a new price') from t;
select is((select review_status from ads.products where sku = 's1'), 'approved', 'needs no review');
select is(pg_temp.import(c, array['s1'], array['Ink one'], 2000000), '0 1 0 0', 'a new title') from t;
select is((select review_status from ads.products where sku = 's1'), 'pending', 'does');

-- Refusals.
select throws_ok($$select pg_temp.import(gen_random_uuid(), array['s'], array['x'])$$, 'ADN01', null, 'an unknown campaign takes nothing');
select throws_ok($$select pg_temp.import(pg_temp.campaign((select b from t)), array['s'], array['x'])$$, 'ADN01', null,
    'nor another tenant''s');
select throws_ok($$select pg_temp.import(c, array[null, 's'], array['x', 'y']) from t$$, 'ADR01', null, 'a row needs a sku');
select throws_ok($$select pg_temp.import(c, array['s'], array['']) from t$$, '23514', null, 'and whatever a product needs');

select * from finish();
rollback;
