-- API keys as management shows them, and when they were last used.

create or replace view ads.key_states
with (security_invoker = true)
as
select
    k.id,
    k.account_id,
    case k.type when 'p' then 'publisher' when 'a' then 'advertiser' else 'platform' end as type,
    k.mode,
    k.last_four,
    k.name,
    k.explain,
    k.cidrs::text[] as cidrs,
    case
        when k.revoked_at is not null then 'revoked'
        when k.expires_at <= now() then 'expired'
        else 'active'
    end as status,
    k.created_at,
    k.expires_at,
    k.revoked_at,
    k.last_used_at
from ads.api_keys k;

comment on view ads.key_states is 'keys without their hash, each with what it is now';

-- Once a minute is enough to see that a key is still in use.  A transaction
-- that finds the row locked leaves it to the other one.
create or replace function ads.key_used(p_key_id uuid)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    if not exists (
        select
        from ads.api_keys k
        where k.id = p_key_id
            and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
    ) then
        return;
    end if;

    update ads.api_keys
    set last_used_at = now()
    where id = (
        select k.id
        from ads.api_keys k
        where k.id = p_key_id
            and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
        for update skip locked
    );
end
$$;

comment on function ads.key_used(uuid) is 'notes that a key was used, at most once a minute';

-- A new key takes the place of an old one, which works until the grace ends.
create or replace function ads.key_retire(p_account_id uuid, p_key_id uuid, p_grace_s int)
returns setof ads.api_keys
language sql
set search_path = ''
as $$
    update ads.api_keys k
    set expires_at = least(k.expires_at, now() + make_interval(secs => p_grace_s)),
        revoked_at = case when p_grace_s = 0 then now() end
    where k.account_id = p_account_id
        and k.id = p_key_id
        and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
    returning k.*
$$;

comment on function ads.key_retire(uuid, uuid, int) is 'ends a usable key after that many seconds; no row: there is none';

-- A person who makes a key in a request is its maker.
create or replace function ads.key_maker()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_actor text := coalesce(current_setting('ads.actor', true), '');
begin
    new.created_by := case when v_actor ~ '^user:[0-9a-f-]{36}$' then substr(v_actor, 6)::uuid end;
    return new;
end
$$;

comment on function ads.key_maker() is 'a key remembers the person who made it';

create or replace trigger api_keys_maker
    before insert on ads.api_keys
    for each row execute function ads.key_maker();

-- Who is removed may have kept the keys they saw once, and have invited an
-- address of their own; who may do less now, too.
create or replace function ads.member_keys_end()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    if tg_op = 'DELETE' or new.role = 'viewer' then
        update ads.api_keys k
        set revoked_at = now()
        where k.account_id = old.account_id
            and k.created_by = old.user_id
            and k.revoked_at is null;
    end if;
    if tg_op = 'DELETE' or new.role <> 'owner' then
        delete from ads.invitations i
        where i.account_id = old.account_id
            and i.invited_by = old.user_id;
    end if;
    return null;
end
$$;

comment on function ads.member_keys_end() is
    'ends the keys and the invitations of who may not make them any more';

create or replace trigger members_keys_end
    after delete or update of role on ads.members
    for each row execute function ads.member_keys_end();
