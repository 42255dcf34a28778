-- Change numbers: one for each transaction, on every row it touched.
begin;
\ir world.inc
select plan(18);

create temporary table n0 as select n from ads.change;
create temporary table t as select pg_temp.advertiser() as a, pg_temp.publisher() as p;
create temporary table n1 as select n from ads.change;
select is((select n from n1), (select n + 1 from n0), 'a transaction takes one number');
select is(ads.change_bump(), (select n from n1), 'asking again in it answers the same');
select is((select array_agg(distinct changed_n) from ads.accounts where id in (select a from t union select p from t)),
    array[(select n from n1)], 'its rows carry that number');

-- Another transaction, as far as ads.change can tell.
update ads.change set xid = null;
update ads.accounts set name = 'Other' where id = (select a from t);
select is((select n from ads.change), (select n + 1 from n1), 'the next transaction takes the next number');
select is((select changed_n from ads.accounts where id = (select a from t)), (select n + 1 from n1),
    'what it changed carries it');
select is((select changed_n from ads.accounts where id = (select p from t)), (select n from n1),
    'what it left alone keeps its own');

update ads.change set xid = null;
insert into ads.api_keys (account_id, type, hash, last_four) select p, 'p', sha256('k'), 'abcd' from t;
select is((select changed_n from ads.api_keys where hash = sha256('k')), (select n from ads.change),
    'a key carries its change');
update ads.change set xid = null;
create temporary table n2 as select n from ads.change;
update ads.api_keys set last_used_at = now() where hash = sha256('k');
select is((select n from ads.change), (select n from n2), 'that a key was used is no change');
update ads.api_keys set revoked_at = now() where hash = sha256('k');
select is((select changed_n from ads.api_keys where hash = sha256('k')), (select n + 1 from n2),
    'that it was revoked is one');

update ads.change set xid = null;
create temporary table c as select pg_temp.ad(x.c) as ad, x.c from (select pg_temp.campaign(a) as c from t offset 0) x;
select is(
    (select array_agg(distinct changed_n) from (
        select changed_n from ads.campaigns where id = (select c from c)
        union all
        select changed_n from ads.ads where id = (select ad from c)
        union all
        select p.changed_n from ads.products p join ads.ads d on d.product_id = p.id where d.id = (select ad from c)) x),
    array[(select n from ads.change)], 'campaign, product and ad of one transaction carry one number');
select lives_ok($$update ads.products set changed_n = 0$$, 'no one sets the number by hand');
select is_empty($$select 1 from ads.products where changed_n = 0$$, 'the trigger has the last word');

select throws_ok($$insert into ads.change (id) values (false)$$, '23514', null, 'there is one change row');
update ads.change set xid = null;
create temporary table n3 as select n from ads.change;
savepoint before;
update ads.accounts set name = 'Gone' where id = (select a from t);
rollback to before;
select is((select n from ads.change), (select n from n3), 'a rolled back change takes no number');
update ads.accounts set name = 'Stays' where id = (select a from t);
select is((select changed_n from ads.accounts where id = (select a from t)), (select n + 1 from n3),
    'and the next one is stamped as ever');

-- A connection that gets ready for changes makes none.
create temporary table n4 as select n from ads.change;
create temporary table before as
select md5(string_agg(c::text, ',' order by c.id)) as campaigns, (select count(*) from ads.audit_log) as lines
from ads.campaigns c;
select lives_ok('select ads.api_warm()', 'a connection gets ready');
select is((select n from ads.change), (select n from n4), 'which takes no number');
select is(
    (select row(md5(string_agg(c::text, ',' order by c.id)), (select count(*) from ads.audit_log))::text
        from ads.campaigns c),
    (select row(b.campaigns, b.lines)::text from before b),
    'and changes nothing');

select * from finish();
rollback;
