-- All accounts, for the platform.
create or replace function ads.platform_accounts(
    p_type text, p_status text, p_q text, p_before timestamptz, p_before_id uuid, p_limit bigint)
returns table (
    id uuid,
    type text,
    name text,
    status text,
    currency text,
    timezone text,
    site text,
    approved_at timestamptz,
    earns_since timestamptz,
    suspended_at timestamptz,
    created_at timestamptz,
    updated_at timestamptz)
language plpgsql
stable
security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
    perform ads.platform_check();
    return query
        select a.id, a.type, a.name, a.status, a.currency::text, a.timezone, a.site,
            case when a.type = 'publisher' then a.approved_at end,
            case when a.type = 'publisher' then a.earns_since end,
            a.suspended_at, a.created_at, a.updated_at
        from ads.accounts a
        where (p_type is null or a.type = p_type)
            and (p_status is null or a.status = p_status)
            and (p_q is null or position(upper(p_q collate "und-x-icu") in upper(a.name collate "und-x-icu")) > 0)
            and (p_before is null or (a.created_at, a.id) < (p_before, p_before_id))
        order by a.created_at desc, a.id desc
        limit p_limit;
end
$$;

comment on function ads.platform_accounts(text, text, text, timestamptz, uuid, bigint) is
    'accounts of all, newest first, to the platform';
