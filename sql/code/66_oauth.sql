-- Signing in with another provider.
--
-- adsd has verified what the provider says before it comes here.  What makes
-- an account somebody's is decided here alone: an identity that is known, or
-- an e-mail that the provider vouches for.  A person whose address was never
-- proven is emptied first (ads.user_empty): the maker of that account may have
-- waited for its owner to come.

-- ---- sign-ins under way -----------------------------------------------------

create or replace function ads.oauth_begin(
    p_hash bytea, p_browser_hash bytea, p_provider text, p_user uuid, p_session uuid)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    delete from ads.oauth_states s
    where s.hash in (
        select o.hash
        from ads.oauth_states o
        where o.expires_at < now()
        order by o.expires_at
        limit 100
        for update skip locked
    );
    insert into ads.oauth_states (hash, browser_hash, provider, user_id, session_id)
    values (p_hash, p_browser_hash, p_provider, p_user, p_session);
end
$$;

comment on function ads.oauth_begin(bytea, bytea, text, uuid, uuid) is
    'a sign-in begins; drops some that are over, so that none need sweeping';

-- Whatever is wrong, the state is used up.  No row: unknown, used, over, of
-- another browser or provider, or the session that links has ended.
create or replace function ads.oauth_take(p_hash bytea, p_browser_hash bytea, p_provider text)
returns table (user_id uuid, session_id uuid)
language sql
security definer
set search_path = ''
as $$
    with taken as (
        delete from ads.oauth_states s
        where s.hash = p_hash
        returning s.*
    )
    select t.user_id, t.session_id
    from taken t
    where t.browser_hash = p_browser_hash
        and t.provider = p_provider
        and t.expires_at > now()
        and (t.session_id is null or exists (
            select
            from ads.sessions s
            where s.id = t.session_id
                and s.revoked_at is null
                and s.expires_at > now()
        ))
$$;

comment on function ads.oauth_take(bytea, bytea, text) is 'uses a sign-in under way up; who links in which session, null when somebody signs in';

-- The provider is asked in no transaction.  A link is made only where its
-- session still lives then: a reset that came in between has ended it.  The
-- person's lock comes first, as everywhere.
create or replace function ads.session_holds(p_user uuid, p_session uuid)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform from ads.users u where u.id = p_user for no key update;
    perform
    from ads.sessions s
    where s.id = p_session
        and s.user_id = p_user
        and s.revoked_at is null
        and s.expires_at > now()
    for no key update;
    return found;
end
$$;

comment on function ads.session_holds(uuid, uuid) is
    'does that session of a person live?  then so until the end of the transaction';

-- ---- identities -------------------------------------------------------------

-- For the audit log: who did it, and in which account it shows.
create or replace function ads.oauth_act(p_user uuid)
returns void
language sql
security definer
set search_path = ''
as $$
    select set_config('ads.actor', 'user:' || p_user, true),
        set_config('ads.tenant', coalesce((
            select m.account_id::text
            from ads.members m
            where m.user_id = p_user
            order by m.created_at, m.account_id
            limit 1
        ), ''), true)
$$;

comment on function ads.oauth_act(uuid) is 'the rest of this transaction is done by that person';

create or replace function ads.oauth_identity_put(
    p_user uuid, p_provider text, p_issuer text, p_subject text, p_email text)
returns void
language sql
security definer
set search_path = ''
as $$
    insert into ads.oauth_identities (user_id, provider, issuer, subject, email)
    values (p_user, p_provider, p_issuer, p_subject, p_email);
    select ads.notice_send(p_user, 'link_added');
$$;

comment on function ads.oauth_identity_put(uuid, text, text, text, text) is 'links an identity to a person, and tells them';

-- A new person with an account of their own, without a password.
create or replace function ads.oauth_signup(p_email text, p_verified boolean, p_name text)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_user uuid;
begin
    select s.user_id into v_user
    from ads.signup(p_email, nullif(left(trim(p_name), 200), ''), null, 'advertiser', null, null, null) s;
    if p_verified then
        perform ads.codes_void(v_user, array['verify']);
        update ads.users u set email_verified_at = now() where u.id = v_user;
    end if;
    return v_user;
end
$$;

comment on function ads.oauth_signup(text, boolean, text) is 'a person who comes from another provider';

-- Who signs in.  Outcomes: known, linked, created, all with the person; or
--   email_missing        no person has this identity, and there is no e-mail
--   email_unverified     somebody has that e-mail, and the provider does not vouch
--   already_linked       who has it is somebody else at that provider
-- 23505: another request was faster, so run it again.
create or replace function ads.oauth_sign_in(
    p_provider text, p_issuer text, p_subject text, p_email text, p_verified boolean, p_name text)
returns table (outcome text, user_id uuid)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    v_user ads.users;
    v_id uuid;
begin
    update ads.oauth_identities i
    set last_used_at = now()
    where i.issuer = p_issuer
        and i.subject = p_subject
    returning i.user_id into v_id;
    if found then
        return query select 'known', v_id;
        return;
    end if;
    if p_email is null then
        return query select 'email_missing', null::uuid;
        return;
    end if;

    select u.* into v_user
    from ads.users u
    where lower(u.email) = lower(p_email)
    for update;
    if not found then
        v_id := ads.oauth_signup(p_email, p_verified, p_name);
        perform ads.oauth_identity_put(v_id, p_provider, p_issuer, p_subject, p_email);
        return query select 'created', v_id;
        return;
    end if;
    if not p_verified then
        return query select 'email_unverified', null::uuid;
        return;
    end if;

    perform ads.oauth_act(v_user.id);
    if v_user.email_verified_at is null then
        perform ads.user_empty(v_user.id);
        update ads.users u set email_verified_at = now() where u.id = v_user.id;
    end if;
    if exists (
        select
        from ads.oauth_identities i
        where i.user_id = v_user.id
            and i.provider = p_provider
    ) then
        return query select 'already_linked', null::uuid;
        return;
    end if;
    perform ads.oauth_identity_put(v_user.id, p_provider, p_issuer, p_subject, p_email);
    return query select 'linked', v_user.id;
end
$$;

comment on function ads.oauth_sign_in(text, text, text, text, boolean, text) is
    'whom an identity signs in, made or linked when it has to be';

-- A signed-in person adds a provider.  Outcomes: linked; known, it is linked
-- already; email_unverified, their own address is not proven; identity_taken,
-- by somebody else; already_linked, to another identity there.
create or replace function ads.oauth_link(
    p_user uuid, p_provider text, p_issuer text, p_subject text, p_email text)
returns text
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_verified boolean;
    v_owner uuid;
begin
    select u.email_verified_at is not null into v_verified
    from ads.users u
    where u.id = p_user
    for update;
    if v_verified is not true then
        return 'email_unverified';
    end if;

    select i.user_id into v_owner
    from ads.oauth_identities i
    where i.issuer = p_issuer
        and i.subject = p_subject;
    if found then
        return case when v_owner = p_user then 'known' else 'identity_taken' end;
    end if;
    if exists (
        select
        from ads.oauth_identities i
        where i.user_id = p_user
            and i.provider = p_provider
    ) then
        return 'already_linked';
    end if;

    perform ads.oauth_act(p_user);
    perform ads.oauth_identity_put(p_user, p_provider, p_issuer, p_subject, p_email);
    return 'linked';
end
$$;

comment on function ads.oauth_link(uuid, text, text, text, text) is 'links an identity from a person''s profile';

create or replace function ads.oauth_links(p_user uuid)
returns table (provider text, email text, created_at timestamptz, last_used_at timestamptz)
language sql
stable
security definer
set search_path = ''
as $$
    select i.provider, i.email, i.created_at, i.last_used_at
    from ads.oauth_identities i
    where i.user_id = p_user
    order by i.provider
$$;

comment on function ads.oauth_links(uuid) is 'the providers a person can sign in with';

-- Outcomes: ok, absent, or last: it is the only way in.
create or replace function ads.oauth_unlink(p_user uuid, p_provider text)
returns text
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_password boolean;
    v_others bigint;
begin
    -- The person's lock makes two that remove the last two wait.
    select u.password_hash is not null into v_password
    from ads.users u
    where u.id = p_user
    for update;
    select count(*) filter (where i.provider <> p_provider) into v_others
    from ads.oauth_identities i
    where i.user_id = p_user;

    if not exists (
        select
        from ads.oauth_identities i
        where i.user_id = p_user
            and i.provider = p_provider
    ) then
        return 'absent';
    end if;
    if v_password is not true and v_others = 0 then
        return 'last';
    end if;
    delete from ads.oauth_identities i
    where i.user_id = p_user
        and i.provider = p_provider;
    perform ads.notice_send(p_user, 'link_removed');
    return 'ok';
end
$$;

comment on function ads.oauth_unlink(uuid, text) is 'a person no longer signs in with that provider';

create or replace trigger oauth_identities_audit
    after insert or delete on ads.oauth_identities
    for each row execute function ads.audit_row();
