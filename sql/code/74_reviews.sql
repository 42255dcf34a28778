-- Review of products before they are shown.
--
-- With settings.review manual, what is new waits for the platform, and what
-- changes its text, picture or link waits again.  What was refused and then
-- changed waits in either mode, or a refusal could be shrugged off.
create or replace function ads.product_review()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_manual boolean := (select s.review = 'manual' from ads.settings s);
begin
    if tg_op = 'INSERT' then
        if v_manual and new.review_status = 'approved' then
            new.review_status := 'pending';
        end if;
    elsif new.review_status = old.review_status and (v_manual or old.review_status = 'rejected') then
        new.review_status := 'pending';
    end if;
    if new.review_status <> 'rejected' then
        new.review_reason := null;
    end if;
    return new;
end
$$;

comment on function ads.product_review() is 'what is new or changed waits for its review';

-- An import has looked whether there is anything to review (76_imports.sql):
-- asking for each row would be a tenth of its time.
create or replace trigger products_review_new
    before insert on ads.products
    for each row
    when (coalesce(current_setting('ads.review_off', true), '') <> 'on')
    execute function ads.product_review();
create or replace trigger products_review_changed
    before update of title, description, brand, url, image_url on ads.products
    for each row
    when ((old.title, old.description, old.brand, old.url, old.image_url)
        is distinct from (new.title, new.description, new.brand, new.url, new.image_url))
    execute function ads.product_review();

-- All accounts' products by review status, for the platform only: an empty
-- answer to anybody else.
create or replace function ads.reviews_list(
    p_status text, p_account_id uuid, p_before timestamptz, p_before_id uuid, p_limit bigint)
returns table (
    product_id uuid,
    account_id uuid,
    account_name text,
    review_status text,
    review_reason text,
    title text,
    description text,
    brand text,
    url text,
    image_url text,
    created_at timestamptz,
    updated_at timestamptz)
language sql
stable
security definer
set search_path = ''
as $$
    select p.id, p.account_id, a.name, p.review_status, p.review_reason, p.title, p.description, p.brand, p.url,
        p.image_url, p.created_at, p.updated_at
    from ads.products p
    join ads.accounts a on a.id = p.account_id
    where exists (select from ads.accounts x where x.id = ads.tenant() and x.type = 'platform')
        and p.status = 'active'
        and p.review_status = p_status
        and (p_account_id is null or p.account_id = p_account_id)
        and (p_before is null or (p.created_at, p.id) < (p_before, p_before_id))
    order by p.created_at desc, p.id desc
    limit p_limit
$$;

comment on function ads.reviews_list(text, uuid, timestamptz, uuid, bigint) is
    'products of all accounts in that state of review, to the platform';

-- No row: no such product that is not archived, or the asker is not the
-- platform.  A null: it was changed after p_updated_at, so that no decision is
-- about a text that was not seen.
create or replace function ads.review_put(
    p_product_id uuid, p_status text, p_reason text, p_updated_at timestamptz default null)
returns setof uuid
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform ads.products_claim(p.account_id)
    from ads.products p
    where p.id = p_product_id
        and exists (select from ads.accounts x where x.id = ads.tenant() and x.type = 'platform');
    return query
    with decided as (
        update ads.products p
        set review_status = p_status,
            review_reason = p_reason
        where p.id = p_product_id
            and p.status = 'active'
            and date_trunc('milliseconds', coalesce(p_updated_at, p.updated_at))
                = date_trunc('milliseconds', p.updated_at)
            and exists (select from ads.accounts x where x.id = ads.tenant() and x.type = 'platform')
        returning p.id)
    select d.id
    from ads.products p
    left join decided d on d.id = p.id
    where p.id = p_product_id
        and p.status = 'active'
        and exists (select from ads.accounts x where x.id = ads.tenant() and x.type = 'platform');
end
$$;

comment on function ads.review_put(uuid, text, text, timestamptz) is
    'the platform approves or rejects a product, as it was at that time';
