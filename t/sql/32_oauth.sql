-- Signing in with another provider: whom an identity signs in, what happens to
-- an account that was waiting for its owner, and each constraint, broken.
begin;
\ir world.inc
select plan(58);

create function pg_temp.sign_in(
    provider text, subject text, email text, verified boolean, out outcome text, out person uuid)
language sql
as $$
    select o.outcome, o.user_id
    from ads.oauth_sign_in(provider, 'https://' || provider || '.test', subject, email, verified, 'Ada') o
$$;

create function pg_temp.outcome(provider text, subject text, email text, verified boolean)
returns text
language sql
as $$
    select outcome from pg_temp.sign_in(provider, subject, email, verified)
$$;

create function pg_temp.person(address text)
returns uuid
language sql
as $$
    select id from ads.users where lower(email) = lower(address)
$$;

create function pg_temp.verify(address text)
returns void
language sql
as $$
    update ads.users set email_verified_at = now() where lower(email) = lower(address)
$$;

create function pg_temp.session(person uuid, n text)
returns uuid
language sql
as $$
    select ads.session_begin(person, null, 'password', 'test', sha256(n::bytea))
$$;

-- ---- new people -------------------------------------------------------------

select is(pg_temp.outcome('google', 's1', 'ada@shop.example', true), 'created', 'who is new gets an account');
select isnt(email_verified_at, null, 'with an address that the provider vouches for')
from ads.users where email = 'ada@shop.example';
select is(password_hash, null, 'and no password') from ads.users where email = 'ada@shop.example';
select results_eq(
    $$select a.type, m.role from ads.members m join ads.accounts a on a.id = m.account_id
        where m.user_id = pg_temp.person('ada@shop.example')$$,
    $$values ('advertiser', 'owner')$$, 'of an advertiser that is theirs');
select results_eq(
    $$select kind from ads.mails where user_id = pg_temp.person('ada@shop.example')$$,
    $$values ('link_added')$$, 'a mail tells of the link, none asks to confirm');
select is(pg_temp.outcome('google', 's1', 'ada@shop.example', true), 'known', 'the same identity comes back');
select is((pg_temp.sign_in('google', 's1', 'other@shop.example', true)).person, pg_temp.person('ada@shop.example'),
    'an identity is known whatever its e-mail is by now');
select is(pg_temp.outcome('google', 's2', 'ada@shop.example', true), 'already_linked',
    'another identity there with the same e-mail is not the same person');
select is(pg_temp.outcome('github', 's3', null, false), 'email_missing', 'no one new without an e-mail');

select is(pg_temp.outcome('microsoft', 's4', 'bob@shop.example', false), 'created',
    'who is new gets an account also when the provider does not vouch');
select is(email_verified_at, null, 'with an address that is not proven')
from ads.users where email = 'bob@shop.example';
select set_eq(
    $$select kind from ads.mails where user_id = pg_temp.person('bob@shop.example')$$,
    $$values ('verify'), ('link_added')$$, 'so a mail asks to confirm it');

-- ---- an e-mail that is known ------------------------------------------------

select ads.signup('cy@shop.example', 'Cy', 'hash', 'advertiser', null, null, null);
select pg_temp.verify('cy@shop.example');
select pg_temp.session(pg_temp.person('cy@shop.example'), 'c1');
select is(pg_temp.outcome('google', 'c', 'CY@shop.example', false), 'email_unverified',
    'an e-mail that no one vouches for signs no one in');
select is((select count(*) from ads.oauth_identities where subject = 'c'), 0::bigint, 'and links nothing');
select is((pg_temp.sign_in('google', 'c', 'CY@shop.example', true)).person, pg_temp.person('cy@shop.example'),
    'one that is vouched for does, in any case');
select is(password_hash, 'hash', 'a proven account keeps its password')
from ads.users where email = 'cy@shop.example';
select is(count(*), 1::bigint, 'and its sessions')
from ads.sessions_of(pg_temp.person('cy@shop.example'));

-- ---- an account that waited for its owner -------------------------------------

select ads.signup('vic@shop.example', 'Mallory', 'hash', 'advertiser', null, null, null);
select pg_temp.session(pg_temp.person('vic@shop.example'), 'v1');
select ads.email_change_send(pg_temp.person('vic@shop.example'), 'mallory@shop.example');
insert into ads.api_keys (account_id, type, hash, last_four)
select m.account_id, 'a', sha256('v'), 'abcd' from ads.members m
where m.user_id = pg_temp.person('vic@shop.example');
insert into ads.oauth_identities (user_id, provider, issuer, subject)
values (pg_temp.person('vic@shop.example'), 'microsoft', 'https://microsoft.test', 'mallory'),
    (pg_temp.person('vic@shop.example'), 'google', 'https://google.test', 'mallory');
insert into ads.oauth_states (hash, browser_hash, provider, user_id, session_id)
select sha256('mallory'), sha256('m'), 'github', s.user_id, s.id
from ads.sessions s
where s.user_id = pg_temp.person('vic@shop.example');

select is((pg_temp.sign_in('google', 'vic', 'vic@shop.example', true)).person, pg_temp.person('vic@shop.example'),
    'the owner of the address takes the account that waited for it');
select is(password_hash, null, 'the password that was waiting is gone')
from ads.users where email = 'vic@shop.example';
select isnt(email_verified_at, null, 'the address is proven now') from ads.users where email = 'vic@shop.example';
select is(count(*), 0::bigint, 'no session is left') from ads.sessions_of(pg_temp.person('vic@shop.example'));
select is(count(*), 0::bigint, 'no key is left') from ads.key_find(sha256('v'));
select results_eq(
    $$select provider, subject from ads.oauth_identities where user_id = pg_temp.person('vic@shop.example')$$,
    $$values ('google', 'vic')$$, 'no other identity is left');
select is(count(*), 0::bigint, 'no change of address is under way')
from ads.mail_codes where user_id = pg_temp.person('vic@shop.example') and used_at is null;
select is(pg_temp.outcome('microsoft', 'mallory', 'vic@shop.example', false), 'email_unverified',
    'who waited gets in no more');
select is(count(*), 0::bigint, 'nor by a link that was under way')
from ads.oauth_take(sha256('mallory'), sha256('m'), 'github');

select is(pg_temp.outcome('microsoft', 'eve', 'dan@shop.example', false), 'created',
    'an account made by a provider that does not vouch');
select is((pg_temp.sign_in('github', 'dan', 'dan@shop.example', true)).person, pg_temp.person('dan@shop.example'),
    'is taken by the owner of the address too');
select is(count(*), 0::bigint, 'and its first identity is gone')
from ads.oauth_identities where subject = 'eve';

-- ---- from the profile ---------------------------------------------------------

select is(ads.oauth_link(pg_temp.person('cy@shop.example'), 'github', 'https://github.test', 'cy', null),
    'linked', 'a proven person links another provider, whatever e-mail it has');
select is(ads.oauth_link(pg_temp.person('cy@shop.example'), 'github', 'https://github.test', 'cy', null),
    'known', 'once more is nothing new');
select is(ads.oauth_link(pg_temp.person('cy@shop.example'), 'github', 'https://github.test', 'cy2', null),
    'already_linked', 'only one identity of each');
select is(ads.oauth_link(pg_temp.person('ada@shop.example'), 'github', 'https://github.test', 'cy', null),
    'identity_taken', 'and none that is somebody else''s');
select is(ads.oauth_link(pg_temp.person('bob@shop.example'), 'github', 'https://github.test', 'bob', null),
    'email_unverified', 'no one links whose address is not proven');
select is(ads.oauth_link(gen_random_uuid(), 'github', 'https://github.test', 'bob', null),
    'email_unverified', 'nor who is no one');
select results_eq(
    $$select provider from ads.oauth_links(pg_temp.person('cy@shop.example'))$$,
    $$values ('github'), ('google')$$, 'the profile lists them');
select is((select array[l.object, l.action, l.actor]
        from ads.audit_log l
        where l.object = 'oauth_identities' and l.after ->> 'subject' = 'cy'),
    array['oauth_identities', 'create', 'user:' || pg_temp.person('cy@shop.example')], 'the audit log has each link');
select isnt(l.account_id, null, 'in the person''s account')
from ads.audit_log l
where l.object = 'oauth_identities' and l.after ->> 'subject' = 'cy';

select is(ads.oauth_unlink(pg_temp.person('cy@shop.example'), 'microsoft'), 'absent', 'what is not there');
select is(ads.oauth_unlink(pg_temp.person('cy@shop.example'), 'github'), 'ok', 'a link is removed');
select is(ads.oauth_unlink(pg_temp.person('cy@shop.example'), 'google'), 'ok',
    'also the last one of who has a password');
select is(ads.oauth_unlink(pg_temp.person('ada@shop.example'), 'google'), 'last', 'but never the last way in');
select is(count(*), 2::bigint, 'mails tell of what was removed')
from ads.mails where user_id = pg_temp.person('cy@shop.example') and kind = 'link_removed';

-- ---- sign-ins under way -------------------------------------------------------

select ads.oauth_begin(sha256('state'), sha256('browser'), 'google', null, null);
select is(count(*), 1::bigint, 'a state is good once') from ads.oauth_take(sha256('state'), sha256('browser'), 'google');
select is(count(*), 0::bigint, 'and no more') from ads.oauth_take(sha256('state'), sha256('browser'), 'google');
select ads.oauth_begin(sha256('state'), sha256('browser'), 'google', null, null);
select is(count(*), 0::bigint, 'not in another browser')
from ads.oauth_take(sha256('state'), sha256('other'), 'google');
select is(count(*), 0::bigint, 'and then in none')
from ads.oauth_take(sha256('state'), sha256('browser'), 'google');
select ads.oauth_begin(sha256('state'), sha256('browser'), 'google', null, null);
select is(count(*), 0::bigint, 'not with another provider')
from ads.oauth_take(sha256('state'), sha256('browser'), 'github');
select ads.oauth_begin(sha256('late'), sha256('browser'), 'google', null, null);
update ads.oauth_states set expires_at = now() - interval '1 second' where hash = sha256('late');
select is(count(*), 0::bigint, 'not after ten minutes')
from ads.oauth_take(sha256('late'), sha256('browser'), 'google');
insert into ads.oauth_states (hash, browser_hash, provider, expires_at)
select sha256(n::text::bytea), sha256('b'), 'google', now() - interval '1 minute' from generate_series(1, 50) n;
select ads.oauth_begin(sha256('next'), sha256('browser'), 'google', null, null);
select is((select count(*) from ads.oauth_states where expires_at < now()), 0::bigint, 'what is over is swept away');

select pg_temp.session(pg_temp.person('ada@shop.example'), 'a1');
select ads.oauth_begin(sha256('link'), sha256('browser'), 'github', s.user_id, s.id)
from ads.sessions s where s.user_id = pg_temp.person('ada@shop.example');
select ads.session_end(pg_temp.person('ada@shop.example'), null, null);
select is(count(*), 0::bigint, 'a link under way ends with its session')
from ads.oauth_take(sha256('link'), sha256('browser'), 'github');

-- ---- constraints --------------------------------------------------------------

select throws_ok(
    $$insert into ads.oauth_identities (user_id, provider, issuer, subject)
        select pg_temp.person('bob@shop.example'), 'google', 'https://google.test', 's1'$$,
    '23505', null, 'an identity is one person''s');
select throws_ok(
    $$insert into ads.oauth_identities (user_id, provider, issuer, subject)
        select pg_temp.person('bob@shop.example'), 'microsoft', 'https://microsoft.test', 'x'$$,
    '23505', null, 'a person has one identity of a provider');
select throws_ok(
    $$insert into ads.oauth_identities (user_id, provider, issuer, subject)
        select pg_temp.person('bob@shop.example'), 'myspace', 'https://x.test', 'x'$$,
    '23514', null, 'providers are known');
select throws_ok(
    $$insert into ads.oauth_identities (user_id, provider, issuer, subject)
        select pg_temp.person('bob@shop.example'), 'google', 'https://x.test', ''$$,
    '23514', null, 'a subject is somebody');
select throws_ok(
    $$select ads.oauth_begin('\x00', sha256('b'), 'google', null, null)$$,
    '23514', null, 'a state is kept as its hash');
select throws_ok(
    $$select ads.oauth_begin(sha256('s'), sha256('b'), 'google', pg_temp.person('bob@shop.example'), null)$$,
    '23514', null, 'a link needs its session');

set local role ads_api;
select throws_ok($$select * from ads.oauth_identities$$, '42501', null, 'the api role reads no identity itself');

select * from finish();
rollback;
