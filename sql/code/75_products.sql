-- Products in bulk: one batch of an import.
--
-- The key is the sku.  What is the same stays untouched and keeps its change
-- number, so that importing a feed again costs the ad tables nothing.  A sku
-- twice in one batch: the last one counts.  An archived product or ad that
-- comes again is active again under its old id.  With settings.review manual,
-- new products and changed texts, pictures or links wait for review.

create or replace function ads.products_upsert(
    p_account uuid,
    p_campaign uuid,
    p_sku text[],
    p_title text[],
    p_description text[],
    p_brand text[],
    p_gtin text[],
    p_category jsonb[],
    p_url text[],
    p_image_url text[],
    p_price_micros bigint[],
    p_currency text[],
    p_availability text[],
    p_attributes jsonb[])
returns table (added bigint, changed bigint, unchanged bigint, repeated bigint)
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    v_review text := (select case s.review when 'manual' then 'pending' else 'approved' end from ads.settings s);
    v_rows ads.products[];
    v_new boolean[];
    v_differ boolean[];
    v_ads uuid[];
    v_ad_states text[];
begin
    -- thousands of rows: one line of the audit log for all of them
    perform set_config('ads.audit_rows', 'off', true);
    perform
    from ads.campaigns c
    where c.account_id = p_account
        and c.id = p_campaign
        and c.status <> 'archived';
    if not found then
        raise exception 'the account has no such campaign that is not archived'
            using errcode = 'ADN01';
    end if;
    if array_position(p_sku, null) is not null then
        raise exception 'a product in an import has a sku'
            using errcode = 'ADR01';
    end if;
    -- Imports of one account go one after the other.
    perform pg_advisory_xact_lock(hashtextextended('ads.products ' || p_account, 0));

    select array_agg(x.row), array_agg(x.added), array_agg(x.differ)
    into v_rows, v_new, v_differ
    from (
        select
            row(coalesce(o.id, gen_random_uuid()), p_account, n.sku, n.title, n.description, n.brand, n.gtin,
                n.category, n.url, n.image_url, n.price_micros, n.currency, n.availability, n.attributes,
                v_review, 'active', 0, now(), now(), null)::ads.products as row,
            o.id is null as added,
            (o.title, o.description, o.brand, o.gtin, o.category, o.url, o.image_url,
                o.price_micros, o.currency, o.availability, o.attributes, o.status)
            is distinct from
            (n.title, n.description, n.brand, n.gtin, n.category, n.url, n.image_url,
                n.price_micros, n.currency::bpchar, n.availability, n.attributes, 'active') as differ
        from (
            select distinct on (r.sku)
                r.sku,
                r.title,
                coalesce(r.description, '') as description,
                coalesce(r.brand, '') as brand,
                coalesce(r.gtin, '') as gtin,
                array(select jsonb_array_elements_text(r.category)) as category,
                r.url,
                r.image_url,
                r.price_micros,
                r.currency,
                r.availability,
                coalesce(r.attributes, '{}') as attributes
            from unnest(p_sku, p_title, p_description, p_brand, p_gtin, p_category, p_url, p_image_url,
                    p_price_micros, p_currency, p_availability, p_attributes) with ordinality
                as r (sku, title, description, brand, gtin, category, url, image_url,
                    price_micros, currency, availability, attributes, ord)
            order by r.sku, r.ord desc
        ) n
        left join ads.products o
            on o.account_id = p_account
            and o.sku = n.sku
    ) x;

    if true = any (v_new) then
        insert into ads.products (
            id, account_id, sku, title, description, brand, gtin, category, url, image_url,
            price_micros, currency, availability, attributes, review_status)
        select
            r.id, r.account_id, r.sku, r.title, r.description, r.brand, r.gtin, r.category, r.url, r.image_url,
            r.price_micros, r.currency, r.availability, r.attributes, r.review_status
        from unnest(v_rows) with ordinality r
        where v_new[r.ordinality];
    end if;

    if exists (select from unnest(v_new, v_differ) x (is_new, differ) where not x.is_new and x.differ) then
        update ads.products p
        set title = r.title,
            description = r.description,
            brand = r.brand,
            gtin = r.gtin,
            category = r.category,
            url = r.url,
            image_url = r.image_url,
            price_micros = r.price_micros,
            currency = r.currency,
            availability = r.availability,
            attributes = r.attributes,
            status = 'active',
            review_status = case
                when v_review = 'pending'
                    and (p.title, p.description, p.url, p.image_url)
                        is distinct from (r.title, r.description, r.url, r.image_url) then 'pending'
                else p.review_status
            end
        from unnest(v_rows) with ordinality r
        where p.id = r.id
            and v_differ[r.ordinality]
            and not v_new[r.ordinality];
    end if;

    select array_agg(r.id), array_agg(coalesce(d.status, 'absent'))
    into v_ads, v_ad_states
    from unnest(v_rows) with ordinality r
    left join ads.ads d
        on d.campaign_id = p_campaign
        and d.product_id = r.id;

    if 'absent' = any (v_ad_states) then
        insert into ads.ads (account_id, campaign_id, product_id)
        select p_account, p_campaign, x.product_id
        from unnest(v_ads, v_ad_states) x (product_id, state)
        where x.state = 'absent';
    end if;
    if 'archived' = any (v_ad_states) then
        update ads.ads d
        set status = 'active'
        from unnest(v_ads, v_ad_states) x (product_id, state)
        where x.state = 'archived'
            and d.campaign_id = p_campaign
            and d.product_id = x.product_id;
    end if;

    select
        count(*) filter (where x.is_new),
        count(*) filter (where not x.is_new and (x.differ or s.state <> 'active')),
        count(*) filter (where not x.is_new and not x.differ and s.state = 'active')
    into added, changed, unchanged
    from unnest(v_rows) with ordinality r
    join unnest(v_new, v_differ) with ordinality x (is_new, differ, ord) on x.ord = r.ordinality
    join unnest(v_ads, v_ad_states) s (product_id, state) on s.product_id = r.id;
    repeated := cardinality(p_sku) - added - changed - unchanged;
    perform set_config('ads.audit_rows', '', true);
    if added + changed > 0 then
        perform ads.audit_put(p_account, 'import', 'products', p_campaign::text, null,
            jsonb_build_object('added', added, 'changed', changed));
    end if;
    return next;
end
$$;

comment on function ads.products_upsert(
    uuid, uuid, text[], text[], text[], text[], text[], jsonb[], text[], text[], bigint[], text[], text[], jsonb[]) is
    'one batch of an import into a campaign: products by sku, and their ads';
