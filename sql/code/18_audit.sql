-- The audit log: one trigger for all tables.
--
-- ads.actor and ads.request_id are settings local to the transaction, as
-- ads.tenant is.  An update logs only the columns it changed, and nothing
-- when only internal numbers and times changed.  What must never be kept is
-- left out by name here, so that no table can forget it, and so is what a
-- browser says about itself.  Imports of
-- thousands of rows switch the rows off (ads.audit_rows = off) and log one
-- line themselves.
create or replace function ads.audit_put(
    p_account_id uuid, p_action text, p_object text, p_object_id text, p_before jsonb, p_after jsonb)
returns void
language sql
security definer
set search_path = ''
as $$
insert into ads.audit_log (account_id, actor, action, object, object_id, before, after, request_id)
values (
    p_account_id,
    coalesce(nullif(current_setting('ads.actor', true), ''), 'system'),
    p_action,
    p_object,
    p_object_id,
    p_before,
    p_after,
    nullif(current_setting('ads.request_id', true), '')::uuid)
$$;

comment on function ads.audit_put(uuid, text, text, text, jsonb, jsonb) is
    'one line of the audit log, by the actor of this transaction';

-- A person belongs to no account alone: what happens to one shows where it was
-- done, or else in the account that the person joined first.
create or replace function ads.audit_account(p_user uuid)
returns uuid
language sql
stable
security definer
set search_path = ''
as $$
select coalesce(ads.tenant(), (
    select m.account_id
    from ads.members m
    where m.user_id = p_user
    order by m.created_at, m.account_id
    limit 1))
$$;

comment on function ads.audit_account(uuid) is 'the account whose audit log has the changes of a person';

-- For what no row may show.
create or replace function ads.audit_user(p_user uuid, p_after jsonb)
returns void
language sql
security definer
set search_path = ''
as $$
select ads.audit_put(ads.audit_account(p_user), 'update', 'users', p_user::text, null, p_after)
$$;

comment on function ads.audit_user(uuid, jsonb) is 'one line of the audit log about a person';

create or replace function ads.audit_row()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
    c_hidden constant text[] := array['changed_n', 'updated_at', 'last_used_at', 'version',
        'password_hash', 'hash', 'ledger_tx', 'secret', 'user_agent'];
    v_old jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) - c_hidden end;
    v_new jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) - c_hidden end;
    v_row jsonb := case when tg_op = 'DELETE' then v_old else v_new end;
    v_before jsonb;
    v_after jsonb;
begin
    select jsonb_object_agg(o.key, o.value) into v_before
    from jsonb_each(v_old) o
    where v_new -> o.key is distinct from o.value;

    select jsonb_object_agg(n.key, n.value) into v_after
    from jsonb_each(v_new) n
    where v_old -> n.key is distinct from n.value;

    if v_before is null and v_after is null then
        return null;
    end if;

    perform ads.audit_put(
        case tg_table_name
            when 'accounts' then (v_row ->> 'id')::uuid
            when 'users' then ads.audit_account((v_row ->> 'id')::uuid)
            when 'oauth_identities' then ads.audit_account((v_row ->> 'user_id')::uuid)
            else (v_row ->> 'account_id')::uuid
        end,
        case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end,
        tg_table_name,
        coalesce(v_row ->> 'id', v_row ->> 'user_id', v_row ->> 'campaign_id', v_row ->> 'name', ''),
        v_before,
        v_after);
    return null;
end
$$;

comment on function ads.audit_row() is 'logs what a statement changed in a row, without secrets';

do $$
declare
    v_table text;
begin
    foreach v_table in array array['accounts', 'users', 'members', 'invitations', 'api_keys', 'campaigns', 'products', 'topups', 'reversals', 'account_quotas'] loop
        execute format('create or replace trigger %I after insert or update or delete on ads.%I'
            ' for each row when (coalesce(current_setting(''ads.audit_rows'', true), '''') <> ''off'')'
            ' execute function ads.audit_row()', v_table || '_audit', v_table);
    end loop;
end
$$;

-- Where people sign in and out: a session's beginning and its end, not each use
-- of it, and not its removal by and by once it is over.
create or replace trigger sessions_audit
    after insert or update of revoked_at on ads.sessions
    for each row execute function ads.audit_row();

create or replace trigger sessions_audit_delete
    after delete on ads.sessions
    for each row when (old.revoked_at is null and old.expires_at > now())
    execute function ads.audit_row();
