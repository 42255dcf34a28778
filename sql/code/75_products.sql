-- Products in bulk: what the API and imports write.
--
-- The key is the sku.  What is the same stays untouched and keeps its change
-- number, so that writing a feed again costs the ad tables nothing.  A sku
-- twice in one call: the last one counts.  An archived product or ad that
-- comes again is active again under its old id.  Feeds: 76_imports.sql.

-- A function that changes products of an account asks first, before it waits
-- for anything else: an import may hold their rows for a minute.
create or replace function ads.products_claim(p_account uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
    if not pg_try_advisory_xact_lock_shared(hashtextextended('ads.import ' || p_account, 0)) then
        raise exception 'an import writes the products of this account'
            using errcode = 'ADI01';
    end if;
end
$$;

comment on function ads.products_claim(uuid) is
    'refuses (ADI01) while an import writes the products of the account; until the end of the transaction none begins';

-- With the rights of the caller, so that row-level security holds.  A row
-- whose campaign is not the account's, or archived, changes nothing and says
-- no_campaign; a row without a sku is a new product.  -1 stands for no sale
-- price.
create or replace function ads.products_put(
    p_account uuid,
    p_campaign uuid[],
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
    p_keywords jsonb[],
    p_availability text[],
    p_attributes jsonb[],
    p_sale_price_micros bigint[],
    p_price_valid_until timestamptz[],
    p_language text[])
returns table (ord bigint, product_id uuid, ad_id uuid, outcome text)
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    v_rows ads.products[];
    v_ords bigint[];
    v_campaigns uuid[];
    v_new boolean[];
    v_differ boolean[];
    v_ads uuid[];
    v_ad_states text[];
begin
    perform ads.products_claim(p_account);
    -- Bulk writes of one account go one after the other.
    perform pg_advisory_xact_lock(hashtextextended('ads.products ' || p_account, 0));

    select array_agg(x.row), array_agg(x.ord), array_agg(x.campaign), array_agg(x.added), array_agg(x.differ)
    into v_rows, v_ords, v_campaigns, v_new, v_differ
    from (
        select
            n.ord,
            n.campaign,
            row(coalesce(o.id, gen_random_uuid()), p_account, n.sku, n.title, n.description, n.brand, n.gtin,
                n.category, n.url, n.image_url, n.price_micros, n.currency, n.availability, n.attributes,
                'approved', 'active', 0, now(), now(), null, n.keywords, n.sale_price_micros,
                n.price_valid_until, n.language, null)::ads.products as row,
            o.id is null as added,
            (o.title, o.description, o.brand, o.gtin, o.category, o.url, o.image_url, o.price_micros, o.currency,
                o.availability, o.attributes, o.status, o.keywords, o.sale_price_micros, o.price_valid_until,
                o.language)
            is distinct from
            (n.title, n.description, n.brand, n.gtin, n.category, n.url, n.image_url, n.price_micros,
                n.currency::bpchar, n.availability, n.attributes, 'active', n.keywords, n.sale_price_micros,
                n.price_valid_until, n.language) as differ
        from (
            select distinct on (r.sku, case when r.sku is null then r.ord end)
                r.ord,
                r.campaign,
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
                array(select jsonb_array_elements_text(r.keywords)) as keywords,
                r.availability,
                coalesce(r.attributes, '{}') as attributes,
                nullif(r.sale_price_micros, -1) as sale_price_micros,
                r.price_valid_until,
                r.language
            from unnest(p_campaign, p_sku, p_title, p_description, p_brand, p_gtin, p_category, p_url, p_image_url,
                    p_price_micros, p_currency, p_keywords, p_availability, p_attributes, p_sale_price_micros,
                    p_price_valid_until, p_language) with ordinality
                as r (campaign, sku, title, description, brand, gtin, category, url, image_url, price_micros,
                    currency, keywords, availability, attributes, sale_price_micros, price_valid_until, language,
                    ord)
            where exists (
                select
                from ads.campaigns c
                where c.account_id = p_account
                    and c.id = r.campaign
                    and c.status <> 'archived')
            order by r.sku, case when r.sku is null then r.ord end, r.ord desc
        ) n
        left join ads.products o
            on o.account_id = p_account
            and o.sku = n.sku
    ) x;

    -- from here on: foreign keys are checked under the same setting, and would
    -- be planned again for each row
    perform set_config('plan_cache_mode', 'auto', true);
    if true = any (v_new) then
        insert into ads.products (
            id, account_id, sku, title, description, brand, gtin, category, url, image_url, price_micros, currency,
            availability, attributes, keywords, sale_price_micros, price_valid_until, language)
        select
            r.id, r.account_id, r.sku, r.title, r.description, r.brand, r.gtin, r.category, r.url, r.image_url,
            r.price_micros, r.currency, r.availability, r.attributes, r.keywords, r.sale_price_micros,
            r.price_valid_until, r.language
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
            keywords = r.keywords,
            sale_price_micros = r.sale_price_micros,
            price_valid_until = r.price_valid_until,
            language = r.language,
            status = 'active'
        from unnest(v_rows) with ordinality r
        where p.id = r.id
            and p.account_id = p_account
            and v_differ[r.ordinality]
            and not v_new[r.ordinality];
    end if;

    select array_agg(coalesce(d.id, gen_random_uuid()) order by r.ordinality),
        array_agg(coalesce(d.status, 'absent') order by r.ordinality)
    into v_ads, v_ad_states
    from unnest(v_rows) with ordinality r
    left join ads.ads d
        on d.account_id = p_account
        and d.campaign_id = v_campaigns[r.ordinality]
        and d.product_id = r.id;

    if 'absent' = any (v_ad_states) then
        insert into ads.ads (id, account_id, campaign_id, product_id)
        select v_ads[r.ordinality], p_account, v_campaigns[r.ordinality], r.id
        from unnest(v_rows) with ordinality r
        where v_ad_states[r.ordinality] = 'absent';
    end if;
    if 'archived' = any (v_ad_states) then
        update ads.ads d
        set status = 'active'
        from unnest(v_ads, v_ad_states) x (id, state)
        where x.state = 'archived'
            and d.id = x.id
            and d.account_id = p_account;
    end if;

    perform set_config('plan_cache_mode', 'force_custom_plan', true);
    return query
        select
            i.ord,
            k.id,
            k.ad,
            case
                when k.id is null and i.sku is not null and s.id is not null then 'repeated'
                when k.id is null then 'no_campaign'
                when k.is_new then 'created'
                when k.differ or k.state <> 'active' then 'updated'
                else 'unchanged'
            end
        from unnest(p_sku, p_campaign) with ordinality i (sku, campaign, ord)
        left join (
            select v_ords[r.ordinality] as ord, r.id, v_ads[r.ordinality] as ad, v_new[r.ordinality] as is_new,
                v_differ[r.ordinality] as differ, v_ad_states[r.ordinality] as state
            from unnest(v_rows) with ordinality r
        ) k on k.ord = i.ord
        left join (
            select r.sku, r.id
            from unnest(v_rows) r
        ) s on s.sku = i.sku
            and exists (
                select
                from ads.campaigns c
                where c.account_id = p_account
                    and c.id = i.campaign
                    and c.status <> 'archived')
        order by i.ord;
end
$$;

comment on function ads.products_put is
    'products by sku, each into a campaign; for each row what became of it';
