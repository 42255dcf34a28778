-- Signing in: each constraint, broken; what the api role can reach; sessions,
-- codes, invitations and failures.
begin;
\ir world.inc
select plan(124);

create temporary table t as
select a, p
from (select pg_temp.advertiser() as a, pg_temp.publisher() as p) x;
grant select on t to public;
create temporary table s as
select user_id as u, account_id as acc
from ads.signup('ada@shop.example', 'Ada', 'hash', 'advertiser', 'Shop', null, 'Asia/Tokyo');
create temporary table e as
select user_id as u, account_id as acc
from ads.signup('eve@shop.example', null, 'hash', 'publisher', null, null, null);
grant select on s, e to public;

-- ---- names ------------------------------------------------------------------

select is((select a.name from ads.accounts a join s on s.acc = a.id), 'Shop', 'an account has its company''s name');
select matches((select a.name from ads.accounts a join e on e.acc = a.id), '^Publisher [0-9a-f]{8}$',
    'without one it never has the e-mail, which ads would show');
select matches(ads.account_name('advertiser', gen_random_uuid(), null, 'f@shop.example'), '^Advertiser [0-9a-f]{8}$',
    'nor what a person wrote in its place');
select is(ads.account_name('advertiser', gen_random_uuid(), U&'g\FF20shop.example', 'Gus'), 'Gus',
    'in full width neither');

select throws_ok($$update ads.accounts set name = 'f@shop.example' where id = (select acc from s)$$,
    '23514', null, 'no account is named like that');
select throws_ok($$update ads.accounts set site = 'f (at) shop dot example' where id = (select acc from e)$$,
    '23514', null, 'nor a site');

-- ---- constraints -------------------------------------------------------------

select throws_ok(
    $$insert into ads.sessions (user_id, account_id, expires_at) select s.u, t.a, now() + '1 day' from s, t$$,
    '23503', null, 'a session is a member''s');
select throws_ok(
    $$insert into ads.sessions (user_id, account_id, expires_at) select u, acc, now() - interval '1 day' from s$$,
    '23514', null, 'it ends after it began');
select throws_ok(
    $$insert into ads.sessions (user_id, account_id, expires_at, method)
        select u, acc, now() + interval '1 day', 'Pass word' from s$$,
    '23514', null, 'it has a method');
select throws_ok(
    $$insert into ads.sessions (user_id, account_id, expires_at, user_agent)
        select u, acc, now() + interval '1 day', repeat('x', 257) from s$$,
    '23514', null, 'and a user agent that is not long');
create temporary table sa as
select ads.session_begin(u, null, 'password', 'test', sha256('r1')) as id from s;
grant select on sa to public;
select throws_ok(
    $$insert into ads.refresh_tokens (hash, user_id, session_id, used_at) select sha256('x'), e.u, sa.id, now() from e, sa$$,
    '23503', null, 'a refresh token is of a session of its own person');
select throws_ok(
    $$insert into ads.refresh_tokens (hash, user_id, session_id) select '\x00', s.u, sa.id from s, sa$$,
    '23514', null, 'it is a hash');
select throws_ok(
    $$insert into ads.refresh_tokens (hash, user_id, session_id) select sha256('x'), s.u, sa.id from s, sa$$,
    '23505', null, 'a session has one that is unused');
select throws_ok(
    $$insert into ads.login_failures (mail_mac, from_mac) values ('\x00', sha256('a'))$$, '23514', null, 'failures go by a MAC');
select throws_ok(
    $$insert into ads.login_failures (mail_mac, from_mac) values (sha256('m'), '\x7f000001')$$,
    '23514', null, 'so does where they come from');
select throws_ok(
    $$insert into ads.login_failures (mail_mac, from_mac, n) values (sha256('m'), sha256('a'), 0)$$,
    '23514', null, 'there is one at least');
select throws_ok(
    $$insert into ads.login_totals (mail_mac, over_at) values ('\x00', now())$$, '23514', null, 'those from everywhere too');
select throws_ok(
    $$insert into ads.mail_codes (purpose, user_id, email, expires_at) select 'gift', u, 'a@b.example', now() + '1 day' from s$$,
    '23514', null, 'a code has a known purpose');
select throws_ok(
    $$insert into ads.mail_codes (purpose, user_id, email, expires_at) select 'reset', u, 'a@b.example', now() from s$$,
    '23514', null, 'and a time to be used');
select throws_ok(
    $$insert into ads.invitations (account_id, email, role) select acc, 'x@b.example', 'god' from s$$,
    '23514', null, 'an invitation has a known role');
select throws_ok(
    $$insert into ads.invitations (account_id, email, role) select acc, 'no address', 'owner' from s$$,
    '23514', null, 'and an address');
select throws_ok($$insert into ads.mails (kind, email) values ('Verify!', 'a@b.example')$$, '23514', null, 'a mail has a kind');
select throws_ok(
    $$insert into ads.mails (kind, email, tries) values ('verify', 'a@b.example', -1)$$, '23514', null, 'and was tried never or more');
select throws_ok(
    $$select ads.signup('new@shop.example', null, 'h', 'platform', null, null, null)$$, '23514', null, 'no one signs up as the platform');
select throws_ok(
    $$select ads.signup('ADA@shop.example', null, 'h', 'advertiser', null, null, null)$$, '23505', null, 'an e-mail signs up once');

-- ---- row-level security ------------------------------------------------------

select is(
    (select array_agg(c.relname::text order by c.relname)
        from pg_class c
        where c.relnamespace = 'ads'::regnamespace
            and c.relname in ('sessions', 'refresh_tokens', 'login_failures', 'login_totals', 'mail_codes', 'invitations', 'mails')
            and c.relrowsecurity
            and c.relforcerowsecurity),
    array['invitations', 'login_failures', 'login_totals', 'mail_codes', 'mails', 'refresh_tokens', 'sessions'],
    'row-level security is forced on every table');
select is_empty(
    $$select p.proname from pg_proc p
        where p.pronamespace = 'ads'::regnamespace and p.prosecdef
            and not coalesce(p.proconfig, '{}') @> array['search_path=""']$$,
    'every function with the owner''s rights has a pinned search_path');

insert into ads.invitations (account_id, email, role)
select acc, 'x@b.example', 'owner' from s union all select acc, 'y@b.example', 'owner' from e;
select set_config('ads.tenant', '', true);
set local role ads_api;
select throws_ok('select * from ads.sessions', '42501', null, 'the api role reads no sessions');
select throws_ok('select * from ads.refresh_tokens', '42501', null, 'no refresh tokens');
select throws_ok('select * from ads.mail_codes', '42501', null, 'no codes');
select throws_ok('select * from ads.mails', '42501', null, 'no mails');
select throws_ok('select * from ads.login_failures', '42501', null, 'no failures');
select throws_ok('select * from ads.login_totals', '42501', null, 'nor their sums');
select throws_ok('select ads.mail_take()', '42501', null, 'it takes no mail');
select throws_ok($$select ads.mail_put(null, 'verify', 'a@b.example', null, null)$$, '42501', null, 'and writes none');
select throws_ok($$select ads.code_take(gen_random_uuid(), array['reset'])$$, '42501', null, 'it takes no code by itself');
select throws_ok($$insert into ads.users (email) values ('z@b.example')$$, '42501', null, 'it makes no one');
select throws_ok($$update ads.users set password_hash = 'x'$$, '42501', null, 'and sets no password');
select throws_ok(
    $$insert into ads.members (account_id, user_id, role) select acc, u, 'owner' from e$$,
    '42501', null, 'nor adds a member by itself');
select is_empty('select * from ads.invitations', 'without a tenant there are no invitations');
select set_config('ads.tenant', acc::text, true) from s;
select is((select array_agg(email) from ads.invitations), array['x@b.example'], 'a tenant has its own');
delete from ads.invitations;
reset role;
select is((select array_agg(email) from ads.invitations), array['y@b.example'], 'and takes back only those');
delete from ads.invitations;

-- ---- sessions ----------------------------------------------------------------

select is((select role from ads.session_find(sa.id, s.u, null)), 'owner', 'a session acts for its account') from sa, s;
select is_empty($$select * from ads.session_find((select id from sa), (select u from e), null)$$, 'for its own person only');
select is(
    (select account_id from ads.session_find(sa.id, s.u, e.acc)), s.acc, 'for no account that is not theirs')
from sa, s, e;
insert into ads.members (account_id, user_id, role) select e.acc, s.u, 'viewer' from s, e;
select is(
    (select account_id || ' ' || role from ads.session_find(sa.id, s.u, e.acc)), e.acc || ' viewer', 'for one they are in it may')
from sa, s, e;
select is((select outcome from ads.session_refresh(sha256('no one'), sha256('r2'))), 'unknown', 'a token no one made');
select is((select outcome from ads.session_refresh(sha256('r1'), sha256('r2'))), 'ok', 'the next for the first');
select is((select outcome from ads.session_refresh(sha256('r2'), sha256('r3'))), 'ok', 'the next for the next');
select is((select count(*) from ads.session_view((select id from sa))), 1::bigint, 'the session lives');
select is((select outcome from ads.session_refresh(sha256('r1'), sha256('r4'))), 'reused', 'one that was used is noticed');
select is_empty($$select * from ads.session_view((select id from sa))$$, 'and ends the session');
select is((select outcome from ads.session_refresh(sha256('r3'), sha256('r5'))), 'unknown', 'with its whole family');

create temporary table sb as
select ads.session_begin(s.u, e.acc, 'google', '', sha256('q1')) as id from s, e;
select isnt((select id from sb), null, 'a session for another account of theirs');
select is(ads.session_begin(e.u, s.acc, 'password', '', sha256('q2')), null, 'none for one that is not') from s, e;
update ads.accounts set status = 'suspended' where id = (select acc from e);
select is_empty($$select * from ads.session_find((select id from sb), (select u from s), null)$$, 'a suspended account is acted for by no one');
select is(ads.session_begin(e.u, null, 'password', '', sha256('q3')), null, 'nor signed in to') from e;
update ads.accounts set status = 'active' where id = (select acc from e);
delete from ads.members where user_id = (select u from s) and account_id = (select acc from e);
select is_empty($$select * from ads.sessions where id = (select id from sb)$$, 'a session goes with its membership');

-- ---- an owner stays ----------------------------------------------------------

select throws_ok($$delete from ads.members where user_id = (select u from s)$$, 'ADO01', null, 'the last owner cannot go');
select throws_ok($$update ads.members set role = 'viewer' where user_id = (select u from s)$$, 'ADO01', null, 'nor step down');
insert into ads.members (account_id, user_id, role) select s.acc, e.u, 'owner' from s, e;
select lives_ok($$update ads.members set role = 'viewer' where user_id = (select u from s)$$, 'with another one it may');

-- ---- failures ----------------------------------------------------------------

create function pg_temp.later(p interval) returns void language sql as $$
    update ads.login_failures set last_at = last_at - p;
    update ads.login_totals set over_at = over_at - p;
$$;
select is((select array_agg(ads.login_try(sha256('m'), sha256('a'))) from generate_series(1, 10)), array_fill(0, array[10]),
    'ten tries are free');
select is(ads.login_try(sha256('m'), sha256('a')), 60, 'then there is a minute to wait');
select is(ads.login_try(sha256('m'), sha256('a')), 60, 'which trying without success does not prolong');
select is((select over_at - now() from ads.login_totals), interval '150 minutes', 'nor does it count for all');
select is(ads.login_try(sha256('m'), sha256('b')), 0, 'another address does not wait');
select is(ads.login_try(sha256('n'), sha256('a')), 0, 'nor another e-mail');
select pg_temp.later('40 seconds');
select is(ads.login_try(sha256('m'), sha256('a')), 20, 'less as time goes by');
select pg_temp.later('20 seconds');
select is(ads.login_try(sha256('m'), sha256('a')), 0, 'after a minute there is one try');
select is(ads.login_try(sha256('m'), sha256('a')), 120, 'after it two minutes');
select is(ads.login_delay(n), d::interval, format('%s failures wait %s', n, d))
from (values (9, '0'), (10, '1 minute'), (11, '2 minutes'), (15, '32 minutes'), (16, '1 hour'), (1001, '1 hour')) x (n, d);
select ads.login_untry(sha256('m'), sha256('a'), false);
select is((select n from ads.login_failures where mail_mac = sha256('m') and from_mac = sha256('a')), 10,
    'a try that was none is taken back');
select ads.login_untry(sha256('m'), sha256('a'), true);
select is(ads.login_try(sha256('m'), sha256('a')), 0, 'the right password clears the others');
select pg_temp.later('1 day');
select ads.login_try(sha256('m'), sha256('a'));
select is((select n from ads.login_failures where mail_mac = sha256('m') and from_mac = sha256('a')), 1,
    'what is a day old is forgotten');
delete from ads.login_failures;
delete from ads.login_totals;
select is((select array_agg(ads.login_try(sha256('m'), sha256(n::text::bytea))) from generate_series(1, 50) n),
    array_fill(0, array[50]), 'from everywhere fifty are free');
select is(ads.login_try(sha256('m'), sha256('c')), 900, 'then one in 15 minutes');
select is((select count(*) from ads.login_failures), 50::bigint, 'and what waits is not counted');
select pg_temp.later('15 minutes');
select is(ads.login_try(sha256('m'), sha256('c')), 0, 'such as that');
select is(ads.login_try(sha256('m'), sha256('d')), 900, 'for whomever');
select pg_temp.later('2 days');
select ads.sign_in_maintain();
select is((select count(*) from ads.login_failures) + (select count(*) from ads.login_totals), 0::bigint, 'what is over goes');

-- ---- codes and mails ---------------------------------------------------------

select is((select kind from ads.mail_take()), 'verify', 'who signs up gets a mail');
select is((select tries from ads.mails where kind = 'verify' and tries > 0), 1, 'which waits a while before it is taken again');
select is((select count(*) from ads.mail_take()), 1::bigint, 'the next one is taken');
select is_empty('select * from ads.mail_take()', 'and no more');
select ads.mail_done(id) from ads.mails;
select is((select count(*) from ads.mails), 0::bigint, 'what is out is gone');

select is(ads.verify_send(u), 60, 'another within a minute has to wait') from s;
update ads.mail_codes set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour';
create temporary table code as select id from ads.mail_codes where user_id = (select u from s);
select is(ads.verify_send(u), 0, 'later there is one') from s;
select is(ads.email_verify(id), false, 'which voids the first') from code;
select is(ads.password_reset(id, 'h'), false, 'a code is for one purpose') from ads.mail_codes c, s where c.user_id = s.u;
select is(ads.email_verify(id), true, 'and proves the address') from ads.mail_codes c, s where c.user_id = s.u;
select is(ads.email_verify(id), false, 'once') from ads.mail_codes c, s where c.user_id = s.u;
select is(ads.verify_send(u), null, 'what is proven needs no more') from s;
delete from ads.mails;

select ads.reset_send('nobody@shop.example');
select is((select kind from ads.mail_take()), null, 'for no one there is nothing to send');
select is((select count(*) from ads.mails), 0::bigint, 'and nothing stays');

select ads.login_code_send('nobody@shop.example');
select is((select kind from ads.mail_take()), null, 'nor a code to sign in');
select ads.login_code_send('ADA@shop.example');
create temporary table lc as select * from ads.mail_take();
select is((select email from lc), 'ada@shop.example', 'a person is sent one');
select is(ads.login_code_of(id, 'Ada@shop.example'), true, 'which is good for their e-mail') from lc;
select is(ads.login_code_of(id, 'eve@shop.example'), false, 'and for no other') from lc;
select is(ads.login_code_of(gen_random_uuid(), 'ada@shop.example'), false, 'another is not');
select is(ads.password_reset(id, 'hash'), false, 'it sets no password') from lc;
select is(ads.login_code_use(id), true, 'it is used up') from lc;
select is(ads.login_code_use(id), false, 'once') from lc;
select is(ads.login_code_of(id, 'ada@shop.example'), false, 'then it is not good') from lc;

-- ---- what ends by itself -----------------------------------------------------

create temporary table sc as
select ads.session_begin(u, null, 'password', 'x', sha256('x1')) as id from s;
select is(
    (select expires_at - created_at from ads.sessions where id = (select id from sc)), interval '30 days',
    'a session lives 30 days');
select isnt_empty($$select ads.session_find((select id from sc), (select u from s), null)$$, 'until then it acts');
update ads.sessions set created_at = now() - interval '30 days', expires_at = now() where id = (select id from sc);
select is_empty($$select ads.session_find((select id from sc), (select u from s), null)$$, 'then it does not');
select is_empty($$select ads.session_view((select id from sc))$$, 'nor is it shown');
select is_empty(
    $$select from ads.sessions_of((select u from s)) where id = (select id from sc)$$, 'nor listed');
select is((select outcome from ads.session_refresh(sha256('x1'), sha256('x2'))), 'unknown', 'nor refreshed');

create temporary table inv as
select acc, gen_random_uuid() as late, gen_random_uuid() as fresh from s;
insert into ads.users (email) values ('late@shop.example');
create temporary table l as select id as u from ads.users where email = 'late@shop.example';
insert into ads.invitations (id, account_id, email, role, created_at, expires_at)
select late, acc, 'late@shop.example', 'viewer', now() - interval '7 days', now() from inv;
select is(ads.invitation_accept(late, l.u), null, 'an invitation that is over lets no one in') from inv, l;
delete from ads.invitations where id = (select late from inv);
insert into ads.invitations (id, account_id, email, role) select fresh, acc, 'late@shop.example', 'viewer' from inv;
select is(expires_at - now(), interval '7 days', 'it is good for 7 days') from ads.invitations where id = (select fresh from inv);
select is(ads.invitation_accept(fresh, l.u), acc, 'and then lets in') from inv, l;

select ads.reset_send('ada@shop.example');
create temporary table r as select id from ads.mail_take();
select is(
    (select expires_at - now() from ads.mail_codes where id = (select id from r)), interval '1 hour',
    'a code to reset a password is good for an hour');
select isnt_empty($$select ads.code_person((select id from r))$$, 'so long it names its person');
update ads.mail_codes set created_at = now() - interval '1 hour', expires_at = now() where id = (select id from r);
select is_empty($$select ads.code_person((select id from r))$$, 'then no one');
select is(ads.password_reset(id, 'hash'), false, 'and sets no password') from r;
select is(ads.email_change_send(u, 'ada@new.example'), 0, 'another address') from s;
select is(
    (select expires_at - now() from ads.mail_codes where purpose = 'email_change'), interval '1 day',
    'has a day to be proven');

insert into ads.api_keys (account_id, type, hash, last_four) select acc, 'p', sha256('k'), 'abcd' from e;
select ads.user_empty(u) from e;
select results_eq(
    $$select u.password_hash is null, (select revoked_at is not null from ads.api_keys k where k.account_id = e.acc)
        from ads.users u, e where u.id = e.u$$,
    $$values (true, true)$$, 'who is emptied has no password, and no key alone');

select * from finish();
rollback;
