-- Imports: products by sku, their ads, and only what changed.
begin;
\ir world.inc
select plan(51);

create temporary table t as
select x.a, pg_temp.campaign(x.a) as c, pg_temp.campaign(x.a) as d, x.b
from (select pg_temp.advertiser() as a, pg_temp.advertiser() as b offset 0) x;
create function pg_temp.import(
    campaign uuid, skus text[], titles text[], price bigint default 1000000, said text[] default '{}',
    archive boolean default false)
returns text
language plpgsql
as $$
declare
    v_account uuid := (select a from t);
    c record;
    v_archived bigint := 0;
begin
    perform ads.import_begin(null, 0);
    insert into pg_temp.import_rows (n, bad, sku, title, description, brand, gtin, category, url, price_micros, currency,
        attributes, keywords, product_id, ad_id)
    select r.n, r.title = 'bad', r.sku, r.title, '', '', '', array['Ink', 'Black'], 'https://shop.example/' || r.sku, price, 'USD',
        '{}', '{}', gen_random_uuid(), gen_random_uuid()
    from unnest(skus, titles) with ordinality r (sku, title, n);
    select * into c
    from ads.import_compare(v_account, campaign, said);
    if c.added + c.changed > 0 or archive then
        perform ads.import_products(v_account);
        v_archived := ads.import_ads(v_account, campaign, archive);
    end if;
    perform ads.import_end(null, 0, v_account, campaign, archive, 50, 'jsonl', '[]', '[]', cardinality(skus), c.added, c.changed,
        c.unchanged, c.repeated, 0, c.gone, v_archived, null, null, '{}', '{}', '{}', '{}', '{}', '{}');
    drop table pg_temp.import_rows, pg_temp.import_found, pg_temp.import_gone;
    return format('%s %s %s %s', c.added, c.changed, c.unchanged, c.repeated)
        || case when archive then format(' %s %s', c.gone, v_archived) else '' end;
end
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
select throws_ok($$select pg_temp.import(c, array[null, 's'], array['x', 'y']) from t$$, '23502', null, 'a row needs a sku');
select throws_ok($$select pg_temp.import(c, array['s'], array['']) from t$$, '23514', null, 'and whatever a product needs');

-- Reviews: only the platform sees and decides.
create temporary table x as
with a as (insert into ads.accounts (type, name) values ('platform', 'P') returning id) select id from a;
grant select on x, t to public;
set local role ads_api;
select set_config('ads.tenant', (select a::text from t), true);
select is_empty($$select * from ads.reviews_list('pending', null, null, null, 9)$$, 'an advertiser sees no reviews');
select is_empty($$select ads.review_put((select id from ads.products where sku = 's6'), 'approved', null)$$,
    'and decides none');
create temporary table r as select id from ads.products where sku = 's6';
select set_config('ads.tenant', (select id::text from x), true);
select is((select count(*) from ads.reviews_list('pending', (select a from t), null, null, 9)), 2::bigint,
    'the platform sees what waits');
select is(ads.review_put(id, 'rejected', 'blurred', '2020-01-01'), null, 'not what was changed since it was seen')
from r;
select is(ads.review_put(id, 'rejected', 'blurred'), id, 'and rejects') from r;
reset role;
update ads.products set price_micros = 9 where sku = 's6';
select is((select review_status || ' ' || review_reason from ads.products where sku = 's6'), 'rejected blurred',
    'a new price does not undo that');
select ads.settings_put('USD', 7000, 'auto', 'manual');
update ads.products set title = 'Newer' where sku = 's6';
select is((select review_status || coalesce(review_reason, '') from ads.products where sku = 's6'), 'pending',
    'a new title waits again, in either mode');

-- Row by row, as the API writes.
create function pg_temp.put(campaigns uuid[], skus text[])
returns table (outcome text, product uuid, ad uuid)
language sql
as $$
    select u.outcome, u.product_id, u.ad_id
    from t, ads.products_put(t.a, campaigns, array(
        select row(sku, 'Ink', '', '', '', '{}', '{}', 'https://shop.example/', null, 5, 'USD', null, null, null, null,
            '{}')::ads.product_in
        from unnest(skus) sku)) u
    order by u.ord
$$;
select results_eq(
    $$select p.outcome from t, pg_temp.put(array[c, d, c, c, gen_random_uuid(), c],
        array['n1', 'n2', null, null, 'n3', 'n1']) p$$,
    $$values ('repeated'::text), ('created'), ('created'), ('created'), ('no_campaign'), ('created')$$,
    'each row has its outcome');
select is((select count(*) from ads.products where sku is null), 2::bigint, 'rows without a sku are products of their own');
update ads.products set keywords = '{a}', language = 'de', sale_price_micros = 4 where sku = 'n1';
select pg_temp.next();
select is((select pg_temp.import(c, array['n1'], array['Ink'], 5) from t), '0 1 0 0', 'a feed says its texts and its price');
select is((select keywords::text || language || sale_price_micros from ads.products where sku = 'n1'), '{a}de4',
    'and leaves what it has no column for');
select is((select pg_temp.import(c, array['n1'], array['Ink'], 5, array['language', 'sale_price']) from t), '0 1 0 0',
    'what it has a column for');
select is((select keywords::text || coalesce(language, '') || coalesce(sale_price_micros, 0) from ads.products where sku = 'n1'),
    '{a}0', 'and no value is taken away');
select is((select p.outcome from t, pg_temp.put(array[c], array['n1']) p), 'updated', 'the API says all');
select results_eq($$select keywords, language, sale_price_micros from ads.products where sku = 'n1'$$,
    $$values ('{}'::text[], null::text, null::bigint)$$, 'and takes away what it does not say');

-- Gone.
select is(pg_temp.import(d, array['g1', 'g2', 'g3'], array['1', '2', '3']), '3 0 0 0', 'three more') from t;
select is(pg_temp.import(c, array['g3'], array['3']), '0 1 0 0', 'one of them elsewhere too') from t;
select is(split_part(pg_temp.import(d, array['g1', 'g2'], array['1', 'bad'], archive => true), ' ', 5), '3',
    'what a feed has not is gone, what is bad in it is not') from t;
select results_eq($$select p.sku, p.status, d.status from ads.products p join ads.ads d on d.product_id = p.id, t
    where d.campaign_id = t.d and p.sku like 'g%' order by 1$$,
    $$values ('g1'::text, 'active'::text, 'active'::text), ('g2', 'active', 'active'), ('g3', 'active', 'archived')$$,
    'a product that another campaign shows loses its ad only');
create temporary table g as select d.id, d.product_id from ads.ads d, t
    where d.campaign_id = t.d and d.status = 'archived';
select is(pg_temp.import(d, array['g1', 'g2', 'g3'], array['1', '2', '3']), '0 1 2 0', 'what returns') from t;
select is((select d.status from g join ads.ads d using (id) join ads.products p on p.id = d.product_id and p.sku = 'g3'), 'active',
    'has its ad again');

-- Change numbers: reserved, and reached at the end.
select pg_temp.next();
create temporary table n3 as select n from ads.change;
select is(pg_temp.import(d, array['h1'], array['1']), '1 0 0 0', 'an import') from t;
select is((select changed_n from ads.products where sku = 'h1'), (select n from ads.change), 'carries the last number');
select cmp_ok((select n from ads.change), '>', (select n + 1 from n3), 'which lies ahead of all that others took meanwhile');
select ads.change_reserve();
update ads.change set n = n + 2000000;
select throws_ok('select ads.change_settle()', '40001', null, 'used up numbers are noticed');

select * from finish();
rollback;
