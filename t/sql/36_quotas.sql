-- Quotas: what an account has, and what it does in a time.  What was used comes
-- back bit by bit; who gets another quota keeps how much it did.
begin;
\ir world.inc
select plan(27);

create temporary table t as select pg_temp.advertiser() as a, pg_temp.advertiser() as b;

-- ---- the tables -------------------------------------------------------------

select throws_ok($$insert into ads.quotas (name, most, counts) values ('x', 0, 'x')$$,
    '23514', null, 'a quota is more than nothing');
select throws_ok($$insert into ads.quotas (name, most, per, counts) values ('x', 1, interval '0', 'x')$$,
    '23514', null, 'its time is');
select throws_ok($$insert into ads.account_quotas (account_id, name, most) select a, 'keys_max', 0 from t$$,
    '23514', null, 'an account''s own is');
select throws_ok($$insert into ads.account_quotas (account_id, name, most) select a, 'no_such', 1 from t$$,
    '23503', null, 'and of a quota that there is');
select throws_ok($$insert into ads.quota_use (subject, name, full_at) values (gen_random_uuid(), 'no_such', now())$$,
    '23503', null, 'as is what was used');
select throws_ok($$insert into ads.product_counts (account_id, n) values (gen_random_uuid(), 1)$$,
    '23503', null, 'products are an account''s');

-- ---- in a time --------------------------------------------------------------

select ads.quotas_put(array['imports_per_day', 'no_such'], array[10, 5]);
select is(ads.quota_of(a, 'imports_per_day'), 10::bigint, 'adsd.conf says how much') from t;
select is(ads.quota_wait(a, 'imports_per_day', 10), 0, 'all of it is there') from t;
select is(ads.quota_take(a, 'imports_per_day', 4), 0, 'some is taken') from t;
select is(ads.quota_take(a, 'imports_per_day', 7), 8640, 'more than is left: how long to wait') from t;
select is(ads.quota_take(a, 'imports_per_day', 6), 0, 'the rest is there still') from t;
select is(ads.quota_take(a, 'imports_per_day', 1), 8640, 'then none') from t;
select is(ads.quota_take(a, 'imports_per_day', 11), 86400, 'more than all never is') from t;
select is(ads.quota_take(b, 'imports_per_day', 10), 0, 'another has its own') from t;
update ads.quota_use set full_at = full_at - interval '8640 s';
select is(ads.quota_take(a, 'imports_per_day', 1), 0, 'what was used comes back bit by bit') from t;
select is(ads.quota_take(a, 'imports_per_day', 1), 8640, 'no more than that') from t;
select ads.quota_give_back(a, 'imports_per_day', 2) from t;
select is(ads.quota_wait(a, 'imports_per_day', 2), 0, 'what was not needed is given back') from t;
select throws_ok(format('select ads.quota_spend(%L, %L, 3)', a, 'imports_per_day'),
    'ADQ02', 'imports_per_day is 10', 'an error that names the quota') from t;

-- ---- another quota ----------------------------------------------------------

select ok(ads.account_quota_put(a, 'imports_per_day', 80), 'one account gets more') from t;
select is(ads.quota_wait(a, 'imports_per_day', 72), 0, 'and keeps what it did') from t;
select cmp_ok(ads.quota_wait(a, 'imports_per_day', 73), '>', 0, 'so no more than the rest') from t;
select ads.quotas_put(array['imports_per_day'], array[20]);
select is(ads.quota_wait(b, 'imports_per_day', 11), 0, 'all get more') from t;
select is(ads.quota_of(a, 'imports_per_day'), 80::bigint, 'who has its own keeps it') from t;
select ok(ads.account_quota_put(a, 'imports_per_day', null), 'until it is taken back') from t;
select is(ads.quota_wait(a, 'imports_per_day', 12), 0, 'it did 8 of 20') from t;
select ok(not ads.account_quota_put(a, 'no_such', 1), 'there must be one') from t;
select is((select count(*) from ads.audit_log l where l.object = 'account_quotas' and l.account_id = a),
    2::bigint, 'both changes are in the audit log') from t;

select * from finish();
rollback;
