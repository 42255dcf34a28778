-- Campaigns: legal transitions, the sealed version, since when one is off, and
-- the row of their spending.
--
-- A link that was served while its campaign was on the air stays billable for
-- late_click_s after it stopped, however it stopped; so each stop is kept with
-- its time, and so is a lifetime budget that was lowered and the moment at
-- which a day's budget ran out.  An end_at that passes is its own time.

create or replace function ads.campaign_sells(p_campaign ads.campaigns, p_at timestamptz)
returns boolean
language sql
immutable
parallel safe
return p_campaign.status = 'active'
    and p_campaign.pricing = 'cpc'
    and coalesce(p_campaign.start_at <= p_at, true)
    and coalesce(p_campaign.end_at > p_at, true);

comment on function ads.campaign_sells(ads.campaigns, timestamptz) is
    'is it on the air, as far as the campaign itself says';

-- What an edit means for links that were served; nothing else writes these
-- columns.
create or replace function ads.campaign_stop_note(old ads.campaigns, new ads.campaigns)
returns ads.campaigns
language plpgsql
stable
set search_path = ''
as $$
declare
    c_endless constant bigint := 9223372036854775807;
    v_late interval := (select make_interval(secs => s.late_click_s) from ads.settings s);
begin
    new.stopped_at := old.stopped_at;
    new.resumed_at := old.resumed_at;
    if not ads.campaign_sells(old, now()) then
        new.stopped_at := coalesce(
            case when old.resumed_at is null then old.stopped_at end,
            case when old.end_at <= now() then old.end_at end);
        new.resumed_at := case when ads.campaign_sells(new, now()) then now() end;
    elsif not ads.campaign_sells(new, now()) then
        new.stopped_at := now();
        new.resumed_at := null;
    end if;

    new.lifetime_before_micros := old.lifetime_before_micros;
    new.lifetime_lowered_at := old.lifetime_lowered_at;
    if coalesce(new.lifetime_budget_micros, c_endless) < coalesce(old.lifetime_budget_micros, c_endless) then
        new.lifetime_before_micros := greatest(
            coalesce(old.lifetime_budget_micros, c_endless),
            case when old.lifetime_lowered_at + v_late > now() then old.lifetime_before_micros end);
        new.lifetime_lowered_at := now();
    end if;
    return new;
end
$$;

comment on function ads.campaign_stop_note(ads.campaigns, ads.campaigns) is
    'the new row, with what it has to remember of the old one';

-- Has the ad been off the air for the whole of late_click_s before p_at?
create or replace function ads.ad_stopped(p_ad uuid, p_at timestamptz)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
    select coalesce(bool_or(
        d.archived_at <= l.at
        or p.archived_at <= l.at
        or a.suspended_at <= l.at
        or c.stopped_at <= l.at and r.at > p_at
        or c.end_at <= l.at and r.at <= c.end_at), false)
    from ads.ads d
    join ads.products p on p.account_id = d.account_id and p.id = d.product_id
    join ads.campaigns c on c.account_id = d.account_id and c.id = d.campaign_id
    join ads.accounts a on a.id = d.account_id
    cross join ads.settings s
    cross join lateral (select p_at - make_interval(secs => s.late_click_s)) l (at)
    cross join lateral (
        select case
            when c.stopped_at is null then '-infinity'
            when c.resumed_at is not null then c.resumed_at
            when c.status = 'active' and c.start_at > c.stopped_at then c.start_at
            else 'infinity'
        end
    ) r (at)
    where d.id = p_ad
$$;

comment on function ads.ad_stopped(uuid, timestamptz) is
    'is a click on this ad at that time too late to be billed, as it was not served any more';

create or replace function ads.campaign_guard()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    if tg_op = 'INSERT' then
        if new.status = 'archived' then
            raise exception 'a campaign is not born archived'
                using errcode = 'ADT01';
        end if;
        new.version := 1;
        new.stopped_at := null;
        new.resumed_at := null;
        new.lifetime_before_micros := null;
        new.lifetime_lowered_at := null;
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
    new := ads.campaign_stop_note(old, new);
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

-- A day runs out, and comes back, by an edit of its budget, too; another zone
-- makes another day today's.
create or replace function ads.campaign_day_note()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    update ads.campaign_days d
    set exhausted_at = case
        when coalesce(d.spent_micros < new.daily_budget_micros, true) then null
        when new.timezone <> old.timezone then now()
        else coalesce(d.exhausted_at, now())
    end
    where d.campaign_id = new.id
        and d.day = (now() at time zone new.timezone)::date;
    return null;
end
$$;

comment on function ads.campaign_day_note() is 'since when today''s budget is spent, after an edit';

create or replace trigger campaigns_day_note
    after update of daily_budget_micros, timezone on ads.campaigns
    for each row
    when ((new.daily_budget_micros, new.timezone) is distinct from (old.daily_budget_micros, old.timezone))
    execute function ads.campaign_day_note();

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
