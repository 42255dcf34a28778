-- Campaigns: legal transitions, the sealed version, and the row of their
-- spending.

create or replace function ads.campaign_guard()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
    if tg_op = 'INSERT' then
        if new.status = 'archived' then
            raise exception 'a campaign is not born archived'
                using errcode = 'ADT01';
        end if;
        new.version := 1;
        return new;
    end if;

    if (new.id, new.account_id) is distinct from (old.id, old.account_id) then
        raise exception 'a campaign keeps its id and its account'
            using errcode = 'ADT01';
    end if;
    if old.status = 'archived' and new.status <> 'archived'
        or new.status = 'draft' and old.status <> 'draft' then
        raise exception 'a campaign cannot go from % to %', old.status, new.status
            using errcode = 'ADT01';
    end if;
    if old.status = 'archived' and to_jsonb(new) - 'changed_n' - 'updated_at'
        <> to_jsonb(old) - 'changed_n' - 'updated_at' then
        raise exception 'an archived campaign stays as it is'
            using errcode = 'ADT01';
    end if;
    new.archived_at := case when new.status = 'archived' then coalesce(old.archived_at, now()) end;

    new.version := old.version + (
        (new.pricing, new.bid_micros, new.daily_budget_micros, new.lifetime_budget_micros, new.status,
         new.start_at, new.end_at, new.timezone, new.pacing, new.targeting)
        is distinct from
        (old.pricing, old.bid_micros, old.daily_budget_micros, old.lifetime_budget_micros, old.status,
         old.start_at, old.end_at, old.timezone, old.pacing, old.targeting))::int;
    return new;
end
$$;

comment on function ads.campaign_guard() is
    'draft to any but draft, active and paused either way, all to archived, which is final (ADT01)';

create or replace trigger campaigns_guard
    before insert or update on ads.campaigns
    for each row execute function ads.campaign_guard();

create or replace function ads.campaign_open()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    insert into ads.campaign_spend (campaign_id, account_id)
    values (new.id, new.account_id);
    return null;
end
$$;

comment on function ads.campaign_open() is 'a campaign is born with nothing spent';

create or replace trigger campaigns_open
    after insert on ads.campaigns
    for each row execute function ads.campaign_open();

-- Archiving sets its own time; a product or ad that returns loses it.
create or replace function ads.archive_stamp()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
    new.archived_at := case when new.status = 'archived' then coalesce(old.archived_at, now()) end;
    return new;
end
$$;

comment on function ads.archive_stamp() is 'archived_at follows status';

create or replace trigger products_archive
    before update of status on ads.products
    for each row execute function ads.archive_stamp();
create or replace trigger ads_archive
    before update of status on ads.ads
    for each row execute function ads.archive_stamp();

-- For comparing what is there with what is given, and for reading it.  No
-- search path of its own: only so is it a part of the query that asks.
create or replace function ads.campaign_fields(c ads.campaigns)
returns ads.campaign_in
language sql
stable
as $$
    select row(c.name, c.status, c.pricing, c.bid_micros, c.daily_budget_micros, c.lifetime_budget_micros, c.start_at,
        c.end_at, c.timezone, c.pacing, c.targeting, c.frequency_count, c.frequency_window_s,
        c.attribution_window_days, c.external_id)::ads.campaign_in
$$;

comment on function ads.campaign_fields(ads.campaigns) is 'what its advertiser gave of a campaign';

-- The campaign is the only element.  Without a time zone it has its account's.
create or replace function ads.campaign_insert(p_account uuid, p_fields ads.campaign_in[])
returns uuid
language plpgsql
set search_path = ''
as $$
declare
    v_fields ads.campaign_in := p_fields[1];
    v_id uuid;
begin
    if v_fields.timezone is null then
        select a.timezone into v_fields.timezone
        from ads.accounts a
        where a.id = p_account;
    end if;
    insert into ads.campaigns (
        account_id, name, status, pricing, bid_micros, daily_budget_micros, lifetime_budget_micros, start_at, end_at,
        timezone, pacing, targeting, frequency_count, frequency_window_s, attribution_window_days, external_id)
    select p_account, v_fields.*
    returning id into v_id;
    return v_id;
end
$$;

comment on function ads.campaign_insert(uuid, ads.campaign_in[]) is 'makes a campaign';

create or replace function ads.campaign_update(p_account uuid, p_id uuid, p_fields ads.campaign_in[])
returns void
language sql
set search_path = ''
as $$
    update ads.campaigns c
    set (name, status, pricing, bid_micros, daily_budget_micros, lifetime_budget_micros, start_at, end_at, timezone,
            pacing, targeting, frequency_count, frequency_window_s, attribution_window_days, external_id)
        = row((n.fields).*)
    from (select unnest(p_fields) as fields) n
    where c.account_id = p_account
        and c.id = p_id
        and ads.campaign_fields(c) is distinct from n.fields
$$;

comment on function ads.campaign_update(uuid, uuid, ads.campaign_in[]) is 'writes all fields, when one differs';
