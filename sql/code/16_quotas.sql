-- Quotas: no account fills tables that all share.
--
-- What is archived does not count.  Two that come at the same
-- moment may both be let in: a bound against floods need not be exact.

create or replace function ads.quotas_put(
    p_campaigns_max int,
    p_products_max int,
    p_members_max int)
returns void
language sql
security definer
set search_path = ''
as $$
    update ads.quotas
    set campaigns_max = p_campaigns_max,
        products_max = p_products_max,
        members_max = p_members_max
    where (campaigns_max, products_max, members_max)
        is distinct from (p_campaigns_max, p_products_max, p_members_max)
$$;

comment on function ads.quotas_put(int, int, int) is 'what adsd.conf says, at each start';

-- Before the insert of a row of which the account may have so many.
create or replace function ads.quota_guard()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_max int;
    v_full boolean;
begin
    case tg_table_name
        when 'campaigns' then
            select q.campaigns_max into v_max from ads.quotas q;
            v_full := exists (
                select
                from ads.campaigns c
                where c.account_id = new.account_id
                    and c.status <> 'archived'
                offset v_max - 1
                limit 1);
        when 'invitations' then
            select q.members_max into v_max from ads.quotas q;
            v_full := (select count(*) from ads.members m where m.account_id = new.account_id)
                + (select count(*) from ads.invitations i where i.account_id = new.account_id) >= v_max;
    end case;
    if v_full then
        raise exception 'the account has % %, as many as it may', v_max, tg_table_name
            using errcode = 'ADQ01';
    end if;
    return new;
end
$$;

comment on function ads.quota_guard() is 'refuses (ADQ01) a row beyond what an account may have';

create or replace trigger campaigns_quota
    before insert on ads.campaigns
    for each row execute function ads.quota_guard();
create or replace trigger invitations_quota
    before insert on ads.invitations
    for each row execute function ads.quota_guard();

-- After an import added products, which costs as much as the account has
-- products anyway.
create or replace function ads.products_quota_check(p_account uuid, p_added bigint)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
    v_max int := (select q.products_max from ads.quotas q);
begin
    if p_added > 0 and exists (
        select
        from ads.products p
        where p.account_id = p_account
            and p.status <> 'archived'
        offset v_max
        limit 1)
    then
        raise exception 'the account has % products, as many as it may', v_max
            using errcode = 'ADQ01';
    end if;
end
$$;

comment on function ads.products_quota_check(uuid, bigint) is
    'refuses (ADQ01) products beyond what an account may have; the caller''s transaction ends';
