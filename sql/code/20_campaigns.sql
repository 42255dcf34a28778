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
