-- What the ad tables are compiled from.
begin;
\ir world.inc
select plan(25);

create temporary table t as
select x.a, x.p, y.c, pg_temp.ad(y.c) as ad, pg_temp.ad(y.c) as other
from (select pg_temp.advertiser(5000000) as a, pg_temp.publisher() as p offset 0) x
cross join lateral (select pg_temp.campaign(x.a) as c offset 0) y;
insert into ads.api_keys (account_id, type, hash, last_four) select p, 'p', sha256('k'), 'abcd' from t;
grant select on t to public;
create function pg_temp.state(the_ad uuid)
returns text
language sql
as $$
    select state from ads.publish_ads where ad_id = the_ad
$$;
create function pg_temp.next()
returns bigint
language sql
as $$
    update ads.change set xid = null;
    select n from ads.change;
$$;

select columns_are('ads', 'publish_ads', array['ad_id', 'account_id', 'campaign_id', 'product_id', 'state', 'retired_at', 'sku',
    'title', 'description', 'brand', 'gtin', 'category', 'url', 'image_url', 'price_micros', 'currency', 'availability',
    'attributes', 'changed_n', 'keywords', 'sale_price_micros', 'price_valid_until', 'language'], 'ads have these columns');
select columns_are('ads', 'publish_campaigns', array['campaign_id', 'account_id', 'advertiser', 'name', 'status', 'live', 'pricing',
    'bid_micros', 'daily_budget_micros', 'lifetime_budget_micros', 'start_at', 'end_at', 'timezone', 'pacing', 'targeting',
    'version', 'archived_at', 'changed_n', 'frequency_count', 'frequency_window_s'], 'campaigns have these');
select columns_are('ads', 'publish_keys', array['key_id', 'account_id', 'type', 'mode', 'hash', 'explain', 'cidrs', 'expires_at',
    'live', 'changed_n'], 'keys these');
select columns_are('ads', 'publish_publishers', array['publisher_id', 'name', 'live', 'currency', 'timezone', 'changed_n'],
    'publishers these');

set local role ads_publish;
select is((select count(*) from ads.publish_ads where campaign_id = (select c from t)), 2::bigint, 'the publisher reads ads');
select ok((select live from ads.publish_campaigns where campaign_id = (select c from t)), 'an active campaign is live');
select is((select hash from ads.publish_keys where account_id = (select p from t)), sha256('k'), 'a key is its hash');
select ok((select live from ads.publish_publishers where publisher_id = (select p from t)), 'an active publisher is live');
reset role;

create temporary table n1 as select pg_temp.next() as n;
update ads.products p set title = 'Other' from ads.ads d where d.product_id = p.id and d.id = (select ad from t);
select is((select array_agg(ad_id) from ads.publish_ads where changed_n > (select n from n1)), (select array[ad] from t),
    'a changed product is a changed ad');
create temporary table n2 as select pg_temp.next() as n;
update ads.campaigns set bid_micros = 5 where id = (select c from t);
select is((select array_agg(campaign_id) from ads.publish_campaigns where changed_n > (select n from n2)), (select array[c] from t),
    'a changed campaign is one');
select is((select count(*) from ads.publish_ads where changed_n > (select n from n2)), 0::bigint, 'and leaves its ads alone');
create temporary table n3 as select pg_temp.next() as n;
update ads.accounts set status = 'suspended' where id in (select a from t union select p from t);
select ok((select not live and changed_n > n from ads.publish_campaigns, n3 where campaign_id = (select c from t)),
    'a suspended advertiser''s campaign is not live, and changed');
select ok((select not live and changed_n > n from ads.publish_keys, n3 where account_id = (select p from t)),
    'a suspended publisher''s key is not live, and changed');
select ok((select not live from ads.publish_publishers where publisher_id = (select p from t)), 'nor the publisher');
update ads.accounts set status = 'active' where id in (select a from t union select p from t);
update ads.api_keys set revoked_at = now() where hash = sha256('k');
select ok((select not live from ads.publish_keys where hash = sha256('k')), 'a revoked key says so');
update ads.api_keys set revoked_at = now() - interval '31 days' where hash = sha256('k');
select is((select count(*) from ads.publish_keys where hash = sha256('k')), 0::bigint, 'for a month');

select is(pg_temp.state(ad), 'live', 'an ad is live') from t;
update ads.campaigns set status = 'paused' where id = (select c from t);
select is(pg_temp.state(ad), 'live', 'also while its campaign is paused') from t;
update ads.products p set review_status = 'rejected' from ads.ads d where d.product_id = p.id and d.id = (select ad from t);
select is(pg_temp.state(ad), 'held', 'held while its product is not approved') from t;
update ads.ads set status = 'archived' where id = (select other from t);
select is(pg_temp.state(other), 'retired', 'retired when archived') from t;
update ads.ads set status = 'active' where id = (select other from t);
create temporary table n4 as select pg_temp.next() as n;
update ads.campaigns set status = 'archived' where id = (select c from t);
select is(pg_temp.state(other), 'retired', 'or when its campaign is') from t;
select is((select count(*) from ads.publish_ads, n4 where campaign_id = (select c from t) and changed_n > n), 2::bigint,
    'which changes all its ads');
select is((select url from ads.click_resolve((select other from t))), 'https://shop.example/1', 'its links still lead to the shop');
alter table ads.campaigns disable trigger user;
update ads.campaigns set archived_at = now() - interval '30 days' where id = (select c from t);
select is(pg_temp.state(other), null, 'after 30 days it is gone') from t;
select is_empty($$select * from ads.click_resolve((select other from t))$$, 'and so are its links');

select * from finish();
rollback;
