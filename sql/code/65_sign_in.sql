-- Signing in.  Most of it happens before a tenant is known, so these functions
-- run with the owner's rights and each answers the least that its caller needs.
--
-- A session lives 30 days at most; its refresh token is used once and replaced,
-- and one that comes a second time was copied: the session ends.

-- ---- failures ---------------------------------------------------------------
--
-- Failures are counted twice.  For the address that they come from, of IPv6 its
-- network: ten are free, then each makes the next try wait, a minute at first,
-- twice as long each time, an hour at most.  So who guesses delays themselves.
-- And for the e-mail as a whole, so that many addresses do not guess more: fifty
-- are free, and one is forgotten every 15 minutes.  Who can read the mailbox gets
-- past both by a code (ads.login_code_of).
--
-- A try counts as a failure before the password is checked, and is taken back
-- when it was right: so tries that come at once are counted too.

create or replace function ads.login_delay(p_n int)
returns interval
language sql
immutable
set search_path = ''
as $$
    select case
            when p_n < 10 then interval '0'
            else least(interval '1 minute' * power(2, least(p_n - 10, 6)), interval '1 hour')
        end
$$;

comment on function ads.login_delay(int) is 'how long an address with so many failures waits after the last';

-- Fewer than ten are no attack, and forgotten soon.
create or replace function ads.login_memory(p_n int)
returns interval
language sql
immutable
set search_path = ''
as $$
    select case when p_n < 10 then interval '15 minutes' else interval '1 day' end
$$;

comment on function ads.login_memory(int) is 'how long after the last so many failures are forgotten';

create or replace function ads.login_try(p_mail_mac bytea, p_from_mac bytea)
returns int
language plpgsql
security definer
set search_path = ''
as $$
declare
    c_each constant interval := '15 minutes';
    v_until timestamptz;
begin
    -- this row's lock makes all who try for the e-mail wait for each other
    insert into ads.login_totals as t (mail_mac, over_at)
    values (p_mail_mac, now() + c_each)
    on conflict (mail_mac) do update
    set over_at = greatest(t.over_at, now()) + c_each
    where t.over_at <= now() + 49 * c_each;
    if not found then
        select t.over_at - 49 * c_each into v_until
        from ads.login_totals t
        where t.mail_mac = p_mail_mac;
        return greatest(ceil(extract(epoch from v_until - now())), 1)::int;
    end if;

    insert into ads.login_failures as f (mail_mac, from_mac)
    values (p_mail_mac, p_from_mac)
    on conflict (mail_mac, from_mac) do update
    set n = case when f.last_at < now() - ads.login_memory(f.n) then 1 else least(f.n, 1000) + 1 end,
        last_at = now()
    where f.last_at + ads.login_delay(f.n) <= now();
    if not found then
        update ads.login_totals t set over_at = t.over_at - c_each where t.mail_mac = p_mail_mac;
        select f.last_at + ads.login_delay(f.n) into v_until
        from ads.login_failures f
        where f.mail_mac = p_mail_mac
            and f.from_mac = p_from_mac;
        return greatest(ceil(extract(epoch from v_until - now())), 1)::int;
    end if;
    return 0;
end
$$;

comment on function ads.login_try(bytea, bytea) is
    'counts a try at a password as a failure, until login_untry; or how many seconds it has to wait';

create or replace function ads.login_untry(p_mail_mac bytea, p_from_mac bytea, p_right boolean)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    update ads.login_totals t
    set over_at = t.over_at - interval '15 minutes'
    where t.mail_mac = p_mail_mac;
    delete from ads.login_failures f
    where f.mail_mac = p_mail_mac
        and f.from_mac = p_from_mac
        and (p_right or f.n = 1);
    update ads.login_failures f
    set n = f.n - 1
    where f.mail_mac = p_mail_mac
        and f.from_mac = p_from_mac;
end
$$;

comment on function ads.login_untry(bytea, bytea, boolean) is
    'the last try was no failure; p_right: the password was right, so earlier ones from there do not count either';

create or replace function ads.login_find(p_email text)
returns table (user_id uuid, password_hash text)
language sql
stable
security definer
set search_path = ''
as $$
    select u.id, u.password_hash
    from ads.users u
    where lower(u.email) = lower(p_email)
$$;

comment on function ads.login_find(text) is 'who has that e-mail, with the hash that adsd checks the password against';

create or replace function ads.password_of(p_user uuid)
returns text
language sql
stable
security definer
set search_path = ''
as $$
    select u.password_hash from ads.users u where u.id = p_user
$$;

comment on function ads.password_of(uuid) is 'hash of the password that a signed-in person has to repeat';

-- Hashing takes a moment, in no transaction.  What a password that was right
-- then allows is done only where it still is: a reset that came in between has
-- ended everything that the old one could do, and one that comes now waits for
-- this transaction, and finds what it did.
create or replace function ads.password_holds(p_user uuid, p_hash text)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform
    from ads.users u
    where u.id = p_user
        and u.password_hash = p_hash
    for no key update;
    return found;
end
$$;

comment on function ads.password_holds(uuid, text) is
    'is it still that person''s password?  then so until the end of the transaction';

-- ---- mails ------------------------------------------------------------------

create or replace function ads.mail_put(p_id uuid, p_kind text, p_email text, p_user uuid, p_account uuid)
returns void
language sql
security definer
set search_path = ''
as $$
    insert into ads.mails (id, kind, email, user_id, account_id)
    values (coalesce(p_id, gen_random_uuid()), p_kind, p_email, p_user, p_account)
$$;

comment on function ads.mail_put(uuid, text, text, uuid, uuid) is 'a mail that adsd is to send after this transaction';

-- Notices go to the address a person has.
create or replace function ads.notice_send(p_user uuid, p_kind text)
returns void
language sql
security definer
set search_path = ''
as $$
    select ads.mail_put(null, p_kind, u.email, u.id, null) from ads.users u where u.id = p_user
$$;

comment on function ads.notice_send(uuid, text) is 'tells a person by mail what happened to their account';

create or replace function ads.codes_void(p_user uuid, p_purposes text[])
returns void
language sql
security definer
set search_path = ''
as $$
    delete from ads.mails m
    using ads.mail_codes c
    where c.id = m.id
        and c.user_id = p_user
        and c.purpose = any (p_purposes);
    delete from ads.mail_codes c
    where c.user_id = p_user
        and c.purpose = any (p_purposes)
        and c.used_at is null;
$$;

comment on function ads.codes_void(uuid, text[]) is 'codes that were sent and not used are good no more';

-- A code and the mail that carries it; what was sent before for the same
-- purpose is void.  At most one a minute: else how many seconds to wait.  A
-- person's quota of mails a day: ADQ02.
create or replace function ads.code_send(p_purpose text, p_user uuid, p_email text, p_life interval)
returns int
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_id uuid := gen_random_uuid();
    v_last timestamptz;
begin
    perform from ads.users u where u.id = p_user for no key update;
    select max(c.created_at) into v_last
    from ads.mail_codes c
    where c.user_id = p_user
        and c.purpose = p_purpose;
    if v_last > now() - interval '1 minute' then
        return ceil(extract(epoch from v_last + interval '1 minute' - now()))::int;
    end if;
    perform ads.quota_spend(p_user, 'person_mails_per_day', 1);

    perform ads.codes_void(p_user, array[p_purpose]);
    insert into ads.mail_codes (id, purpose, user_id, email, expires_at)
    values (v_id, p_purpose, p_user, p_email, now() + p_life);
    perform ads.mail_put(v_id, p_purpose, p_email, p_user, null);
    return 0;
end
$$;

comment on function ads.code_send(text, uuid, text, interval) is 'a one-time code for a person, and its mail';

create or replace function ads.verify_send(p_user uuid)
returns int
language sql
security definer
set search_path = ''
as $$
    select ads.code_send('verify', u.id, u.email, interval '3 days')
    from ads.users u
    where u.id = p_user
        and u.email_verified_at is null
$$;

comment on function ads.verify_send(uuid) is
    'the code that proves an address, once more; seconds to wait, null when it is proven';

create or replace function ads.email_change_send(p_user uuid, p_email text)
returns int
language sql
security definer
set search_path = ''
as $$
    select ads.code_send('email_change', p_user, p_email, interval '1 day')
$$;

comment on function ads.email_change_send(uuid, text) is 'the code that makes a new address a person''s; seconds to wait';

-- Whether anybody has the address shows in ads.mail_take only.
create or replace function ads.reset_send(p_email text)
returns void
language sql
security definer
set search_path = ''
as $$
    select ads.mail_put(null, 'reset', p_email, null, null)
$$;

comment on function ads.reset_send(text) is 'asks for a mail that resets the password of the person with that address';

create or replace function ads.login_code_send(p_email text)
returns void
language sql
security definer
set search_path = ''
as $$
    select ads.mail_put(null, 'login', p_email, null, null)
$$;

comment on function ads.login_code_send(text) is 'asks for a mail that lets the person with that address try a password';

-- Takes the mail that has waited longest and has none to take it; it is taken
-- again unless mail_done says that it is out.  A request for a code to reset a
-- password, or to sign in, is answered the same for every address, so only here
-- does it show whether there is anybody: kind null means there is nothing to
-- send.  Strangers may ask for such codes.  Five that are not used are sent in an
-- hour, for which each is good: so there is always one in the mailbox.
create or replace function ads.mail_take()
returns table (id uuid, kind text, email text, account_name text, tries int)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_mail ads.mails;
    v_user uuid;
    v_email text;
begin
    select m.* into v_mail
    from ads.mails m
    where m.next_at <= now()
    order by m.next_at
    limit 1
    for update skip locked;
    if not found then
        return;
    end if;

    if v_mail.kind in ('reset', 'login') then
        select u.id, u.email into v_user, v_email
        from ads.users u
        where lower(u.email) = lower(v_mail.email);
        if found and v_mail.user_id is null and (
                select count(*)
                from ads.mail_codes c
                where c.user_id = v_user
                    and c.purpose = v_mail.kind
                    and c.created_at > now() - interval '1 hour'
                    and c.used_at is null
            ) < 5
            and ads.quota_take(v_user, 'person_mails_per_day', 1) = 0
        then
            insert into ads.mail_codes (id, purpose, user_id, email, expires_at)
            values (v_mail.id, v_mail.kind, v_user, v_email, now() + interval '1 hour');
            v_mail.user_id := v_user;
            v_mail.email := v_email;
        end if;
        if v_mail.user_id is null then
            delete from ads.mails m where m.id = v_mail.id;
            return query select v_mail.id, null::text, null::text, null::text, 0;
            return;
        end if;
    end if;

    update ads.mails m
    set tries = m.tries + 1,
        next_at = now() + interval '1 minute' * power(2, least(m.tries, 9)),
        user_id = v_mail.user_id,
        email = v_mail.email
    where m.id = v_mail.id;

    return query
    select v_mail.id, v_mail.kind, v_mail.email, a.name, v_mail.tries + 1
    from (values (1)) one (n)
    left join ads.accounts a on a.id = v_mail.account_id;
end
$$;

comment on function ads.mail_take() is 'the next mail to send, leased to the caller';

create or replace function ads.mail_done(p_id uuid)
returns void
language sql
security definer
set search_path = ''
as $$
    delete from ads.mails m where m.id = p_id
$$;

comment on function ads.mail_done(uuid) is 'the mail is out, or never will be';

-- ---- sessions ---------------------------------------------------------------

-- What a person and the account a session acts for look like to themselves.
create or replace function ads.session_view(p_session uuid)
returns table (
    session_id uuid, expires_at timestamptz, user_id uuid, email text, name text, verified_at timestamptz,
    user_created_at timestamptz, account_id uuid, account_type text, account_name text, status text,
    currency text, timezone text, role text, has_password boolean)
language sql
stable
security definer
set search_path = ''
as $$
    select s.id, s.expires_at, u.id, u.email, u.name, u.email_verified_at,
        u.created_at, a.id, a.type, a.name, a.status,
        a.currency::text, a.timezone, m.role, u.password_hash is not null
    from ads.sessions s
    join ads.users u on u.id = s.user_id
    join ads.accounts a on a.id = s.account_id
    join ads.members m on m.account_id = s.account_id and m.user_id = s.user_id
    where s.id = p_session
        and s.revoked_at is null
        and s.expires_at > now()
$$;

comment on function ads.session_view(uuid) is 'a session that lives, with its person and account';

-- Null when the person is in no account that is active.
create or replace function ads.session_begin(
    p_user uuid, p_account uuid, p_method text, p_user_agent text, p_refresh_hash bytea)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_session uuid;
begin
    perform set_config('ads.actor', 'user:' || p_user, true);
    insert into ads.sessions (user_id, account_id, method, user_agent, expires_at)
    select m.user_id, m.account_id, p_method, p_user_agent, now() + interval '30 days'
    from ads.members m
    join ads.accounts a on a.id = m.account_id
    where m.user_id = p_user
        and (p_account is null or m.account_id = p_account)
        and a.status = 'active'
    order by m.created_at, m.account_id
    limit 1
    returning id into v_session;

    if found then
        insert into ads.refresh_tokens (hash, user_id, session_id)
        values (p_refresh_hash, p_user, v_session);
    end if;
    return v_session;
end
$$;

comment on function ads.session_begin(uuid, uuid, text, text, bytea) is
    'signs a person in: the session, with its first refresh token';

-- The session behind an access token, and as whom it may act: for the account
-- asked for when the person is a member of it, else for its own.  No row: it
-- ended.
create or replace function ads.session_find(p_session uuid, p_user uuid, p_account uuid)
returns table (account_id uuid, type text, role text)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_session ads.sessions;
begin
    select s.* into v_session
    from ads.sessions s
    where s.id = p_session
        and s.user_id = p_user
        and s.revoked_at is null
        and s.expires_at > now();
    if not found then
        return;
    end if;
    if v_session.last_used_at < now() - interval '1 minute' then
        update ads.sessions s set last_used_at = now() where s.id = p_session;
    end if;

    return query
    select a.id, a.type, m.role
    from ads.members m
    join ads.accounts a on a.id = m.account_id
    where m.user_id = p_user
        and m.account_id in (v_session.account_id, p_account)
        and a.status = 'active'
    order by m.account_id is not distinct from p_account desc
    limit 1;
end
$$;

comment on function ads.session_find(uuid, uuid, uuid) is
    'as whom a session may act; none for an account that is suspended';

-- Replaces a refresh token by the next one.
create or replace function ads.session_refresh(p_old bytea, p_new bytea)
returns table (outcome text, session_id uuid)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_session uuid;
    v_user uuid;
    v_alive boolean;
    v_used boolean;
begin
    select r.session_id, r.user_id into v_session, v_user
    from ads.refresh_tokens r
    where r.hash = p_old;
    if not found then
        return query select 'unknown', null::uuid;
        return;
    end if;
    -- The session's lock comes first: two requests with one token wait here.
    select s.revoked_at is null and s.expires_at > now() into v_alive
    from ads.sessions s
    where s.id = v_session
    for update;
    select r.used_at is not null into v_used
    from ads.refresh_tokens r
    where r.hash = p_old;

    if v_used is null or v_alive is not true then
        return query select 'unknown', null::uuid;
    elsif v_used then
        update ads.sessions s set revoked_at = now() where s.id = v_session;
        return query select 'reused', v_session;
    else
        update ads.refresh_tokens r set used_at = now() where r.hash = p_old;
        insert into ads.refresh_tokens (hash, user_id, session_id) values (p_new, v_user, v_session);
        update ads.sessions s set last_used_at = now() where s.id = v_session;
        return query select 'ok', v_session;
    end if;
end
$$;

comment on function ads.session_refresh(bytea, bytea) is 'ok, unknown, or reused: then the session has ended';

create or replace function ads.sessions_of(p_user uuid)
returns table (
    id uuid, method text, user_agent text, account_id uuid, created_at timestamptz, last_used_at timestamptz,
    expires_at timestamptz)
language sql
stable
security definer
set search_path = ''
as $$
    select s.id, s.method, s.user_agent, s.account_id, s.created_at, s.last_used_at, s.expires_at
    from ads.sessions s
    where s.user_id = p_user
        and s.revoked_at is null
        and s.expires_at > now()
$$;

comment on function ads.sessions_of(uuid) is 'where a person is signed in';

-- One session of a person, or with p_session null all but p_keep.
create or replace function ads.session_end(p_user uuid, p_session uuid, p_keep uuid)
returns bigint
language sql
security definer
set search_path = ''
as $$
    with ended as (
        update ads.sessions s
        set revoked_at = now()
        where s.user_id = p_user
            and (p_session is null or s.id = p_session)
            and s.id is distinct from p_keep
            and s.revoked_at is null
        returning 1
    )
    select count(*) from ended
$$;

comment on function ads.session_end(uuid, uuid, uuid) is 'signs out; how many sessions that ended';

create or replace function ads.session_of_refresh(p_hash bytea)
returns table (user_id uuid, session_id uuid)
language sql
stable
security definer
set search_path = ''
as $$
    select r.user_id, r.session_id from ads.refresh_tokens r where r.hash = p_hash
$$;

comment on function ads.session_of_refresh(bytea) is 'whose session a refresh token belongs to, for signing out';

-- ---- accounts and passwords -------------------------------------------------

create or replace function ads.timezone_known(p_name text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
    select exists (select from ads.timezones t where t.name = p_name)
$$;

comment on function ads.timezone_known(text) is 'may an account have this time zone?';

-- The one rule for names that strangers read: no e-mail address, neither in full
-- width or with characters that do not show, nor written with spaces, "(at)" or
-- " at host dot com".  A sign without a host that has a dot makes none: "M@dness".
create or replace function ads.name_public(p_name text)
returns boolean
language sql
immutable
set search_path = ''
as $$
    select plain !~* '[^ @]@[^ @]+([.]|[^[:alnum:] @]dot[^[:alnum:] @])[^ @]'
        and plain !~* '[^ @] *(@|[[({<] *(at|@) *[])}>]) *[^ @]+ *([.]|[[({<] *(dot|[.]) *[])}>]| dot ) *[^ 0-9.]{2}'
        and plain !~* '[^ @] +at +[^ @]+ *( dot |[[({<] *dot *[])}>]) *[^ 0-9.]{2}'
    from (
        select regexp_replace(
            translate(normalize(p_name, NFKC), U&'\3002\00AD\034F\061C\200B\200C\200D\200E\200F\2060\FEFF', '.'),
            '[[:space:]]+', ' ', 'g') as plain
    ) x
$$;

comment on function ads.name_public(text) is 'may strangers read this name? it holds no e-mail address';

create or replace function ads.accounts_name_public()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
    raise exception 'the name of an account, or of its site, may hold no e-mail address'
        using errcode = 'check_violation', constraint = 'accounts_name_public', table = 'accounts', schema = 'ads';
end
$$;

comment on function ads.accounts_name_public() is 'ads show the names of accounts to strangers';

create or replace trigger accounts_name_public
    before insert or update of name, site on ads.accounts
    for each row when (not ads.name_public(new.name) or not ads.name_public(new.site))
    execute function ads.accounts_name_public();

-- What was chosen for the account or for the person, when it may be public.
create or replace function ads.account_name(p_type text, p_account uuid, p_company text, p_person text)
returns text
language sql
immutable
set search_path = ''
as $$
    select coalesce(
        (
            select n.name
            from unnest(array[p_company, p_person]) with ordinality n (name, place)
            where ads.name_public(n.name)
            order by n.place
            limit 1
        ),
        initcap(p_type) || ' ' || left(p_account::text, 8))
$$;

comment on function ads.account_name(text, uuid, text, text) is
    'the public name of a new account: company, person, or its kind and a number';

-- A new person with an account of their own.  23505: the e-mail is taken.
create or replace function ads.signup(
    p_email text, p_name text, p_password_hash text, p_type text, p_company text, p_currency text, p_timezone text)
returns table (user_id uuid, account_id uuid)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_user uuid := gen_random_uuid();
    v_account uuid := gen_random_uuid();
begin
    if p_type not in ('advertiser', 'publisher') then
        raise exception 'accounts of type % cannot sign up', p_type
            using errcode = 'check_violation', constraint = 'accounts_type_known', table = 'accounts', schema = 'ads';
    end if;
    perform set_config('ads.actor', 'user:' || v_user, true);
    perform set_config('ads.tenant', v_account::text, true);
    insert into ads.users (id, email, name, password_hash)
    values (v_user, p_email, p_name, p_password_hash);
    insert into ads.accounts (id, type, name, currency, timezone, site, approved_at, earns_since)
    values (v_account, p_type, ads.account_name(p_type, v_account, p_company, p_name),
        coalesce(p_currency, (select s.currency from ads.settings s)), coalesce(p_timezone, 'UTC'),
        case when p_type = 'publisher' then p_company end, null, null);
    insert into ads.members (account_id, user_id, role)
    values (v_account, v_user, 'owner');
    perform ads.code_send('verify', v_user, p_email, interval '3 days');
    return query select v_user, v_account;
end
$$;

comment on function ads.signup(text, text, text, text, text, text, text) is
    'a person, their account, and the mail that proves the address';

-- Better parameters for the same password.
create or replace function ads.password_rehash(p_user uuid, p_old text, p_new text)
returns void
language sql
security definer
set search_path = ''
as $$
    update ads.users u
    set password_hash = p_new
    where u.id = p_user
        and u.password_hash = p_old
$$;

comment on function ads.password_rehash(uuid, text, text) is 'the same password, hashed with newer parameters';

-- All other sessions end, and codes that could set it once more are void.
create or replace function ads.password_set(p_user uuid, p_hash text, p_keep uuid)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_email text;
begin
    update ads.users u set password_hash = p_hash where u.id = p_user returning u.email into v_email;
    perform ads.audit_user(p_user, '{"password": "changed"}');
    perform ads.session_end(p_user, null, p_keep);
    perform ads.codes_void(p_user, array['reset', 'login', 'email_change']);
    perform ads.mail_put(null, 'password_changed', v_email, p_user, null);
end
$$;

comment on function ads.password_set(uuid, text, uuid) is 'a new password: other sessions end, a mail tells';

-- Empties a person whose address was never proven: its maker may be another
-- person.  Password, sessions, other providers, keys of accounts that are
-- theirs alone, and codes under way are dropped.
create or replace function ads.user_empty(p_user uuid)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    update ads.users u set password_hash = null where u.id = p_user and u.password_hash is not null;
    if found then
        perform ads.audit_user(p_user, '{"password": "removed"}');
    end if;
    delete from ads.oauth_identities i where i.user_id = p_user;
    perform ads.session_end(p_user, null, null);
    perform ads.codes_void(p_user, array['verify', 'reset', 'login', 'email_change']);
    update ads.api_keys k
    set revoked_at = now()
    from ads.members m
    where m.user_id = p_user
        and k.account_id = m.account_id
        and k.revoked_at is null
        and not exists (
            select
            from ads.members o
            where o.account_id = m.account_id
                and o.user_id <> p_user
        );
end
$$;

comment on function ads.user_empty(uuid) is 'takes everything from a person whose address was never proven';

-- ---- codes ------------------------------------------------------------------

-- Null when the code is unknown, used or over.
create or replace function ads.code_take(p_code uuid, p_purposes text[])
returns ads.mail_codes
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_code ads.mail_codes;
begin
    update ads.mail_codes c
    set used_at = now()
    where c.id = p_code
        and c.purpose = any (p_purposes)
        and c.used_at is null
        and c.expires_at > now()
    returning c.* into v_code;
    if not found then
        return null;
    end if;
    perform ads.oauth_act(v_code.user_id);
    return v_code;
end
$$;

comment on function ads.code_take(uuid, text[]) is 'uses a one-time code up';

-- A code to sign in is used up by the sign-in, not by a password mistyped before.
create or replace function ads.login_code_of(p_code uuid, p_email text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
    select exists (
        select
        from ads.mail_codes c
        join ads.users u on u.id = c.user_id
        where c.id = p_code
            and c.purpose = 'login'
            and c.used_at is null
            and c.expires_at > now()
            and lower(u.email) = lower(c.email)
            and lower(u.email) = lower(p_email)
    )
$$;

comment on function ads.login_code_of(uuid, text) is 'does the code let the person with that e-mail try a password?';

create or replace function ads.login_code_use(p_code uuid)
returns boolean
language sql
security definer
set search_path = ''
as $$
    select (ads.code_take(p_code, array['login'])).id is not null
$$;

comment on function ads.login_code_use(uuid) is 'uses a code to sign in; false: it is used or over';

create or replace function ads.code_person(p_code uuid)
returns table (email text, name text)
language sql
stable
security definer
set search_path = ''
as $$
    select u.email, u.name
    from ads.mail_codes c
    join ads.users u on u.id = c.user_id
    where c.id = p_code
        and c.purpose = 'reset'
        and c.used_at is null
        and c.expires_at > now()
$$;

comment on function ads.code_person(uuid) is 'whose password a code can set, for checking the new one';

-- The address that the code went to is proven; false: no such code.  23505:
-- somebody else has the new address by now.
create or replace function ads.email_verify(p_code uuid)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_code ads.mail_codes := ads.code_take(p_code, array['verify', 'email_change']);
    v_old text;
begin
    if v_code.id is null then
        return false;
    end if;
    select u.email into v_old from ads.users u where u.id = v_code.user_id for update;

    if v_code.purpose = 'verify' and lower(v_old) <> lower(v_code.email) then
        return false;
    end if;
    update ads.users u
    set email = v_code.email,
        email_verified_at = now()
    where u.id = v_code.user_id;
    if v_code.purpose = 'email_change' then
        perform ads.codes_void(v_code.user_id, array['verify', 'reset', 'login', 'email_change']);
        perform ads.mail_put(null, 'email_changed', v_old, v_code.user_id, null);
    end if;
    return true;
end
$$;

comment on function ads.email_verify(uuid) is 'proves an address, or makes it the person''s';

-- The reader of the mailbox owns the account: what was done before the address
-- was ever proven is undone.
create or replace function ads.password_reset(p_code uuid, p_hash text)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_code ads.mail_codes := ads.code_take(p_code, array['reset']);
    v_user ads.users;
begin
    if v_code.id is null then
        return false;
    end if;
    select u.* into v_user from ads.users u where u.id = v_code.user_id for update;
    if lower(v_user.email) <> lower(v_code.email) then
        return false;
    end if;
    if v_user.email_verified_at is null then
        perform ads.user_empty(v_user.id);
        update ads.users u set email_verified_at = now() where u.id = v_user.id;
    end if;
    perform ads.password_set(v_user.id, p_hash, null);
    return true;
end
$$;

comment on function ads.password_reset(uuid, text) is 'a new password for who reads the mailbox; false: no such code';

-- ---- members ----------------------------------------------------------------

-- An account that has members keeps an owner.  The account's lock makes two
-- owners who leave at the same moment wait for each other.
create or replace function ads.members_keep_owner()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    if old.role = 'owner' and (tg_op = 'DELETE' or new.role <> 'owner') then
        perform from ads.accounts a where a.id = old.account_id for no key update;
        if not exists (
            select
            from ads.members m
            where m.account_id = old.account_id
                and m.user_id <> old.user_id
                and m.role = 'owner'
        ) then
            raise exception 'the account would be left without an owner'
                using errcode = 'ADO01';
        end if;
    end if;
    return case tg_op when 'DELETE' then old else new end;
end
$$;

comment on function ads.members_keep_owner() is 'the last owner of an account can neither leave nor step down';

create or replace trigger members_keep_owner
    before update of role or delete on ads.members
    for each row execute function ads.members_keep_owner();

-- Null: the account has invited a hundred people already.  A person whose own
-- address is not proven cannot invite: they may sit in an account that its
-- owner will take (ads.user_empty), and must not have put others into it.
create or replace function ads.invitation_send(p_email text, p_role text, p_by uuid)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_account uuid := ads.tenant();
    v_id uuid;
begin
    if exists (select from ads.users u where u.id = p_by and u.email_verified_at is null) then
        raise exception 'who invites has an address that is proven'
            using errcode = 'ADO02';
    end if;
    insert into ads.invitations (account_id, email, role, invited_by)
    select v_account, p_email, p_role, p_by
    where (select count(*) from ads.invitations i where i.account_id = v_account) < 100
    returning id into v_id;
    if found then
        perform ads.mail_put(v_id, 'invite', p_email, null, v_account);
    end if;
    return v_id;
end
$$;

comment on function ads.invitation_send(text, text, uuid) is 'invites somebody to the tenant''s account, by mail';

-- Joins the account that an invitation is for; false: there is none for this
-- person's own address.  The code in the mail proves that address.
create or replace function ads.invitation_accept(p_id uuid, p_user uuid)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_account uuid;
    v_role text;
begin
    delete from ads.invitations i
    using ads.users u
    where i.id = p_id
        and i.expires_at > now()
        and u.id = p_user
        and lower(u.email) = lower(i.email)
    returning i.account_id, i.role into v_account, v_role;
    if not found then
        return null;
    end if;
    update ads.users u set email_verified_at = now() where u.id = p_user and u.email_verified_at is null;
    insert into ads.members (account_id, user_id, role)
    values (v_account, p_user, v_role)
    on conflict do nothing;
    return v_account;
end
$$;

comment on function ads.invitation_accept(uuid, uuid) is 'the account a person joined; null: no such invitation for them';

-- ---- housekeeping -----------------------------------------------------------

create or replace function ads.sign_in_maintain()
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    delete from ads.sessions s
    where s.expires_at < now() - interval '1 day'
        or s.revoked_at < now() - interval '30 days';
    delete from ads.refresh_tokens r where r.used_at < now() - interval '30 days';
    delete from ads.login_failures f where f.last_at < now() - ads.login_memory(f.n);
    delete from ads.login_totals t where t.over_at < now();
    delete from ads.mail_codes c where c.expires_at < now() - interval '7 days';
    delete from ads.invitations i where i.expires_at < now() - interval '7 days';
    delete from ads.mails m where m.created_at < now() - interval '3 days';
end
$$;

comment on function ads.sign_in_maintain() is 'drops what is over: sessions, codes, invitations, failures, mails that could not be sent';
