-- Campaigns, products and ads: legal moves, sealed version, constraints.
begin;
\ir world.inc
select plan(60);

create temporary table t as select pg_temp.advertiser() as a, pg_temp.advertiser() as b;

-- Every move from every state: those listed are legal, no other is.
create temporary table moves as
select f.s as from_status, m.s as to_status,
    (f.s, m.s) in (
        ('draft', 'draft'), ('draft', 'active'), ('draft', 'paused'), ('draft', 'archived'),
        ('active', 'active'), ('active', 'paused'), ('active', 'archived'),
        ('paused', 'paused'), ('paused', 'active'), ('paused', 'archived'),
        ('archived', 'archived')) as legal
from unnest(array['draft', 'active', 'paused', 'archived']) f (s),
    unnest(array['draft', 'active', 'paused', 'archived']) m (s);

create function pg_temp.move(from_status text, to_status text)
returns boolean
language plpgsql
as $$
declare
    v_id uuid;
begin
    insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros, status)
    select a, 'x', 1, 1000000, case when from_status = 'archived' then 'paused' else from_status end from t
    returning id into v_id;
    if from_status = 'archived' then
        update ads.campaigns set status = 'archived' where id = v_id;
    end if;
    update ads.campaigns set status = to_status where id = v_id;
    return (select (archived_at is not null) = (status = 'archived') from ads.campaigns where id = v_id);
exception when sqlstate 'ADT01' then
    return false;
end
$$;

select is(pg_temp.move(from_status, to_status), legal,
    format('%s to %s is %s', from_status, to_status, case when legal then 'legal' else 'refused' end))
from moves
order by from_status, to_status;

select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros, status, archived_at)
        select a, 'x', 1, 1000000, 'archived', now() from t$$,
    'ADT01', null, 'no campaign is born archived');
select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros) select a, 'x', 1 from t$$,
    '23514', null, 'a campaign has a budget, daily or lifetime');
select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, daily_budget_micros) select a, 'x', 1, 999999 from t$$,
    '23514', null, 'a budget is at least 1.00');
select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros) select a, 'x', 0, 1000000 from t$$,
    '23514', null, 'a bid is more than nothing');
select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros, start_at, end_at)
        select a, 'x', 1, 1000000, now(), now() from t$$,
    '23514', null, 'a schedule ends after it starts');
select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros, attribution_window_days)
        select a, 'x', 1, 1000000, 91 from t$$,
    '23514', null, 'the attribution window has at most 90 days');
select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros, targeting)
        select a, 'x', 1, 1000000, '[]' from t$$,
    '23514', null, 'targeting is an object');
select throws_ok(
    $$insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros, timezone)
        select a, 'x', 1, 1000000, 'local' from t$$,
    '23503', null, 'a campaign has a time zone that exists');

create function pg_temp.with(targeting jsonb, count int default null, seconds int default null)
returns void
language sql
as $$
    insert into ads.campaigns (account_id, name, bid_micros, lifetime_budget_micros, targeting, frequency_count,
        frequency_window_s)
    select a, 'x', 1, 1000000, targeting, count, seconds from t
$$;
select lives_ok(
    $$select pg_temp.with('{"locations": ["US"], "not_locations": [], "placements": ["a"], "publishers": ["b"],
        "keywords": ["c"], "negative_keywords": ["d"], "categories": ["e"], "languages": ["f"]}', 3, 60)$$,
    'targeting has these lists');
select throws_ok(
    $$select pg_temp.with('{"colours": ["red"]}')$$, '23514', null, 'and no others');
select throws_ok(
    $$select pg_temp.with('{"keywords": "x"}')$$, '23514', null, 'each is an array');
select throws_ok(
    $$select pg_temp.with('{"keywords": {"x": "y"}}')$$, '23514', null, 'and nothing else that has members');
select throws_ok(
    $$select pg_temp.with('{"keywords": ["x", 1]}')$$, '23514', null, 'of texts');
select throws_ok(
    $$select pg_temp.with('{"keywords": [null]}')$$, '23514', null, 'null is none');
create function pg_temp.refused(targeting jsonb)
returns boolean
language plpgsql
as $$
begin
    perform pg_temp.with(targeting);
    return false;
exception when check_violation then
    return true;
end
$$;
select is_empty(
    $$select k, size, m
        from (values ('keywords', 2000), ('negative_keywords', 2000), ('locations', 500), ('not_locations', 500),
            ('placements', 100), ('publishers', 500), ('categories', 100), ('languages', 50)) v (k, size),
            (values (0), (1)) w (m)
        where pg_temp.refused(jsonb_build_object(k, (select jsonb_agg('x'::text) from generate_series(1, size + m))))
            <> (m = 1)$$,
    'each list has its limit, and may reach it');
select throws_ok($$select pg_temp.with('{}', 3, null)$$, '23514', null, 'a frequency cap has its window');
select throws_ok($$select pg_temp.with('{}', 0, 60)$$, '23514', null, 'and at least one view');
select throws_ok($$select pg_temp.with('{}', 3, 59)$$, '23514', null, 'of a minute or more');
select throws_ok($$select pg_temp.with('{}', 3, 86401)$$, '23514', null, 'and a day at most');

create temporary table c as
select id from (select pg_temp.campaign(a) as id, pg_temp.campaign(b) as other from t offset 0) x;
update ads.campaigns set name = 'Other', external_id = 'e' where id = (select id from c);
select is((select version from ads.campaigns where id = (select id from c)), 1, 'a new name seals nothing');
update ads.campaigns set bid_micros = 2 where id = (select id from c);
select is((select version from ads.campaigns where id = (select id from c)), 2, 'a new bid is a new version');
update ads.campaigns set status = 'paused', targeting = '{"locations": ["US"]}' where id = (select id from c);
select is((select version from ads.campaigns where id = (select id from c)), 3, 'one update is one version');
update ads.campaigns set version = 77 where id = (select id from c);
select is((select version from ads.campaigns where id = (select id from c)), 3, 'no one sets a version by hand');
select throws_ok(
    $$update ads.campaigns set account_id = (select b from t) where id = (select id from c)$$,
    'ADT01', null, 'a campaign keeps its account');
select is((select spent_micros from ads.campaign_spend where campaign_id = (select id from c)), 0::bigint,
    'a campaign is born with nothing spent');
select throws_ok(
    $$update ads.campaign_spend set budget_micros = 5, spent_micros = 6 where campaign_id = (select id from c)$$,
    '23514', null, 'spent is never more than the budget in force');
select throws_ok(
    $$insert into ads.campaign_days (campaign_id, account_id, day, spent_micros, budget_micros)
        select c.id, t.a, current_date, 6, 5 from c, t$$,
    '23514', null, 'nor on a day');
select throws_ok(
    $$insert into ads.campaign_days (campaign_id, account_id, day) select c.id, t.b, current_date from c, t$$,
    '23503', null, 'a budget day belongs to the campaign''s account');

create temporary table done as select pg_temp.campaign(b) as id from t;
update ads.campaigns set status = 'archived' where id = (select id from done);
select throws_ok(
    $$update ads.campaigns set name = 'Other' where id = (select id from done)$$,
    'ADT01', null, 'an archived campaign stays as it is');

-- Products and ads.
create temporary table p as
with x as (
    insert into ads.products (account_id, sku, title, url, price_micros, currency)
    select b, 's1', 'Ink', 'https://shop.example/ink', 1, 'EUR' from t
    returning id
)
select id from x;
select throws_ok(
    $$insert into ads.ads (account_id, campaign_id, product_id) select t.a, c.id, p.id from t, c, p$$,
    '23503', null, 'an ad cannot pair a campaign with another tenant''s product');
select throws_ok(
    $$insert into ads.ads (account_id, campaign_id, product_id) select t.b, c.id, p.id from t, c, p$$,
    '23503', null, 'nor a product with another tenant''s campaign');
select throws_ok(
    $$insert into ads.products (account_id, sku, title, url, price_micros, currency)
        select b, 's1', 'Ink', 'https://shop.example/ink', 1, 'EUR' from t$$,
    '23505', null, 'a sku is unique in its account');
select lives_ok(
    $$insert into ads.products (account_id, sku, title, url, price_micros, currency)
        select a, 's1', 'Ink', 'https://shop.example/ink', 1, 'EUR' from t$$,
    'two accounts may have the same sku');
select throws_ok(
    $$insert into ads.products (account_id, title, url, price_micros, currency)
        select b, 'Ink', u, 1, 'EUR' from t, (values ('http://shop.example/'), ('javascript:alert(1)'),
            (E'https://shop.example/\r\nSet-Cookie: x'), ('https://shop.example/a b')) v (u)$$,
    '23514', null, 'a link is https, without spaces or line ends');
select throws_ok(
    $$insert into ads.products (account_id, title, url, price_micros, currency)
        select b, 'Ink', 'https://shop.example/', -1, 'EUR' from t$$,
    '23514', null, 'a price is not negative');
update ads.products set status = 'archived' where id = (select id from p);
select ok((select archived_at is not null from ads.products where id = (select id from p)), 'archiving notes its time');

create function pg_temp.product(keywords text[] default '{}', sale bigint default null, language text default null)
returns uuid
language sql
as $$
    insert into ads.products (account_id, title, url, price_micros, currency, keywords, sale_price_micros, language)
    select b, 'Ink', 'https://shop.example/ink', 5, 'EUR', keywords, sale, language from t
    returning id
$$;
select lives_ok($$select pg_temp.product(array['a'], 5, 'de-AT')$$, 'a product has keywords, a sale price, a language');
select throws_ok(
    $$select pg_temp.product((select array_agg('x'::text) from generate_series(1, 51)))$$,
    '23514', null, 'at most 50 keywords');
select throws_ok($$select pg_temp.product(array[null])$$, '23514', null, 'null is none');
select throws_ok($$select pg_temp.product(sale => 6)$$, '23514', null, 'a sale is no dearer than the price');
select throws_ok($$select pg_temp.product(sale => -1)$$, '23514', null, 'nor negative');
select throws_ok($$select pg_temp.product(language => 'german language')$$, '23514', null, 'a language is a tag');
select throws_ok(
    $$update ads.products set review_status = 'rejected', review_reason = '' where id = (select id from p)$$,
    '23514', null, 'a reason says something');
alter table ads.products disable trigger products_review_changed;
select throws_ok(
    $$update ads.products set review_reason = 'x' where id = (select id from p)$$,
    '23514', null, 'only what was rejected has one');

select * from finish();
rollback;
