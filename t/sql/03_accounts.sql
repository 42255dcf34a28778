-- Accounts, people and keys: each constraint, broken.
begin;
\ir world.inc
select plan(26);

select throws_ok(
    $$insert into ads.accounts (type, name) values ('agency', 'x')$$, '23514', null, 'an account has a known type');
select throws_ok(
    $$insert into ads.accounts (type, name) values ('publisher', '')$$, '23514', null, 'an account has a name');
select throws_ok(
    $$insert into ads.accounts (type, name, currency) values ('publisher', 'x', 'EUR')$$,
    '23503', null, 'an account has the installation''s currency');
select throws_ok(
    $$insert into ads.accounts (type, name, timezone) values ('publisher', 'x', 'Mars/Olympus')$$,
    '23503', null, 'an account has a time zone that exists');
select throws_ok(
    $$insert into ads.accounts (type, name, manual_clicks_billable) values ('advertiser', 'x', true)$$,
    '23514', null, 'only a publisher may have manual clicks billed');
select lives_ok(
    $$insert into ads.accounts (type, name, timezone) values ('publisher', 'x', 'Asia/Kathmandu')$$,
    'a zone of 45 minutes is a zone');

create temporary table t as select pg_temp.advertiser() as a, pg_temp.publisher() as p;
select is(pg_temp.balance(a), 0::bigint, 'a new advertiser has a balance of nothing') from t;
select is(pg_temp.balance(p), null, 'a publisher has no balance before its first share') from t;
select throws_ok(
    $$update ads.accounts set type = 'publisher' where id = (select a from t)$$, 'ADT01', null, 'an account keeps its type');
select throws_ok(
    $$update ads.settings set currency = 'EUR'$$, '23503', null, 'the currency stays once an account has it');
select throws_ok(
    $$select ads.settings_put('EUR', 7000, 'auto', 'manual')$$, '23503', null, 'also when the daemon says so');
select lives_ok(
    $$select ads.settings_put('USD', 6500, 'manual', 'instant')$$, 'the rest of the settings follows the daemon');
select is(
    (select array[publisher_share_bps::text, review, topup_settlement] from ads.settings),
    array['6500', 'manual', 'instant'], 'and is stored');
select throws_ok(
    $$select ads.settings_put('USD', 10001, 'auto', 'manual')$$, '23514', null, 'a share is at most all of it');
select throws_ok(
    $$insert into ads.settings (id) values (false)$$, '23514', null, 'there is one row of settings');

insert into ads.users (email) values ('Ada@Shop.example');
select throws_ok(
    $$insert into ads.users (email) values ('ada@shop.EXAMPLE')$$, '23505', null, 'an e-mail is unique whatever its case');
select throws_ok(
    $$insert into ads.users (email) values ('no address')$$, '23514', null, 'an e-mail looks like one');
select throws_ok(
    $$insert into ads.members (account_id, user_id, role)
        select t.a, u.id, 'god' from t, ads.users u where u.email = 'Ada@Shop.example'$$,
    '23514', null, 'a member has a known role');

select throws_ok(
    $$insert into ads.api_keys (account_id, type, hash, last_four) select p, 'p', '\x00', 'abcd' from t$$,
    '23514', null, 'a key''s hash has 32 bytes');
select throws_ok(
    $$insert into ads.api_keys (account_id, type, hash, last_four) select p, 'a', sha256('k'), 'abcd' from t$$,
    '23514', null, 'a key has its account''s type');
insert into ads.api_keys (account_id, type, hash, last_four) select p, 'p', sha256('k'), 'abcd' from t;
select throws_ok(
    $$insert into ads.api_keys (account_id, type, hash, last_four) select p, 'p', sha256('k'), 'abcd' from t$$,
    '23505', null, 'a key is unique');
select is((select account_id from ads.key_find(sha256('k'))), p, 'a usable key is found by its hash') from t;
select is_empty($$select * from ads.key_find(sha256('other'))$$, 'an unknown one is not');
update ads.api_keys set expires_at = now() - interval '1 second';
select is_empty($$select * from ads.key_find(sha256('k'))$$, 'an expired one is not');
update ads.api_keys set expires_at = null, revoked_at = now();
select is_empty($$select * from ads.key_find(sha256('k'))$$, 'a revoked one is not');
update ads.api_keys set revoked_at = null;
update ads.accounts set status = 'suspended' where id = (select p from t);
select is_empty($$select * from ads.key_find(sha256('k'))$$, 'nor one of a suspended account');

select * from finish();
rollback;
