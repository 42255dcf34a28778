-- Settings of the installation, and the look-up of a key for management.

create or replace function ads.settings_put(
    p_currency text,
    p_publisher_share_bps int,
    p_review text,
    p_topup_settlement text,
    p_late_click_s int default 600,
    p_conversions_per_click int default 20,
    p_conversion_value_max_micros bigint default 100000000000,
    p_publisher_approval text default 'manual',
    p_payout_hold_days int default 30,
    p_too_fast_ms int default 200,
    p_burst_clicks int default 5,
    p_burst_s int default 10,
    p_repeat_s int default 1800,
    p_crowd_clicks int default 60)
returns void
language sql
security definer
set search_path = ''
as $$
    update ads.settings
    set currency = p_currency,
        publisher_share_bps = p_publisher_share_bps,
        review = p_review,
        topup_settlement = p_topup_settlement,
        late_click_s = p_late_click_s,
        conversions_per_click = p_conversions_per_click,
        conversion_value_max_micros = p_conversion_value_max_micros,
        publisher_approval = p_publisher_approval,
        payout_hold_days = p_payout_hold_days,
        too_fast_ms = p_too_fast_ms,
        burst_clicks = p_burst_clicks,
        burst_s = p_burst_s,
        repeat_s = p_repeat_s,
        crowd_clicks = p_crowd_clicks
    where (currency, publisher_share_bps, review, topup_settlement, late_click_s, conversions_per_click,
            conversion_value_max_micros, publisher_approval, payout_hold_days, too_fast_ms, burst_clicks,
            burst_s, repeat_s, crowd_clicks)
        is distinct from (p_currency, p_publisher_share_bps, p_review, p_topup_settlement, p_late_click_s,
            p_conversions_per_click, p_conversion_value_max_micros, p_publisher_approval, p_payout_hold_days,
            p_too_fast_ms, p_burst_clicks, p_burst_s, p_repeat_s, p_crowd_clicks)
$$;

comment on function ads.settings_put is
    'what adsd.conf says, at each start; another currency is refused (23503) once an account exists';

-- Answers no row for a key that is unknown, revoked, expired or of a
-- suspended account: the caller learns nothing about which.
create or replace function ads.key_find(p_hash bytea)
returns table (
    key_id uuid,
    account_id uuid,
    type text,
    mode text,
    explain boolean,
    cidrs cidr[],
    expires_at timestamptz)
language plpgsql
stable
security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
    return query
    select k.id, k.account_id, k.type::text, k.mode::text, k.explain, k.cidrs, k.expires_at
    from ads.api_keys k
    join ads.accounts a on a.id = k.account_id
    where k.hash = p_hash
        and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
        and a.status = 'active';
end
$$;

comment on function ads.key_find(bytea) is 'the usable key with this BLAKE2b-256; before a tenant is known';

-- For the platform, which may act for any account.
create or replace function ads.account_find(p_account_id uuid)
returns text
language sql
stable
security definer
set search_path = ''
as $$
    select a.type
    from ads.accounts a
    where a.id = p_account_id
$$;

comment on function ads.account_find(uuid) is 'the type of an account; before a tenant is known';

create or replace function ads.key_type_guard()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    if not exists (
        select
        from ads.accounts a
        where a.id = new.account_id
            and new.type = case a.type when 'publisher' then 'p' when 'advertiser' then 'a' else 'x' end
    ) then
        raise exception 'a key of type % does not fit the account', new.type
            using errcode = 'check_violation', constraint = 'api_keys_type_fits', table = 'api_keys', schema = 'ads';
    end if;
    return new;
end
$$;

comment on function ads.key_type_guard() is 'a key has its account''s type';

create or replace trigger api_keys_type_fits
    before insert or update of account_id, type on ads.api_keys
    for each row execute function ads.key_type_guard();
