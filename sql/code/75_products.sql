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

-- For comparing what is there with what is given, and for reading it.  No
-- search path of its own: only so is it a part of the query that asks.
create or replace function ads.product_fields(p ads.products)
returns ads.product_in
language sql
stable
as $$
    select row(p.sku, p.title, p.description, p.brand, p.gtin, p.category, p.keywords, p.url, p.image_url,
        p.price_micros, p.currency, p.sale_price_micros, p.price_valid_until, p.availability, p.language,
        p.attributes)::ads.product_in
$$;

comment on function ads.product_fields(ads.products) is 'what its advertiser gave of a product';

-- Side by side: an id and what its product becomes, active again.
create or replace function ads.products_update(p_account uuid, p_ids uuid[], p_fields ads.product_in[])
returns void
language sql
set search_path = ''
as $$
    update ads.products p
    set (sku, title, description, brand, gtin, category, keywords, url, image_url, price_micros, currency,
            sale_price_micros, price_valid_until, availability, language, attributes) = row((n.fields).*),
        status = 'active'
    from (select unnest(p_ids) as id, unnest(p_fields) as fields) n
    where p.account_id = p_account
        and p.id = n.id
$$;

comment on function ads.products_update(uuid, uuid[], ads.product_in[]) is 'writes all fields of products that are there';

-- With the rights of the caller, so that row-level security holds.  A row
-- whose campaign is not the account's, or archived, changes nothing and says
-- no_campaign; a row without a sku is a new product.
create or replace function ads.products_put(p_account uuid, p_campaigns uuid[], p_fields ads.product_in[])
returns table (ord bigint, product_id uuid, ad_id uuid, outcome text)
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    v_ids uuid[];
    v_fields ads.product_in[];
    v_ords bigint[];
    v_campaigns uuid[];
    v_new boolean[];
    v_differ boolean[];
    v_ads uuid[];
    v_ad_states text[];
    v_more bigint;
    v_made bigint;
begin
    perform ads.products_claim(p_account);
    -- Bulk writes of one account go one after the other.
    perform pg_advisory_xact_lock(hashtextextended('ads.products ' || p_account, 0));

    select array_agg(coalesce(o.id, gen_random_uuid())), array_agg(n.fields), array_agg(n.ord),
        array_agg(n.campaign), array_agg(o.id is null),
        array_agg(o.status is distinct from 'active' or ads.product_fields(o) is distinct from n.fields),
        count(*) filter (where o.status is distinct from 'active'), count(*) filter (where o.id is null)
    into v_ids, v_fields, v_ords, v_campaigns, v_new, v_differ, v_more, v_made
    from (
        select distinct on ((r.fields).sku, case when (r.fields).sku is null then r.ord end)
            r.ord,
            r.campaign,
            r.fields
        from (
            select generate_subscripts(p_fields, 1) as ord, unnest(p_campaigns) as campaign, unnest(p_fields) as fields
        ) r
        where exists (
            select
            from ads.campaigns c
            where c.account_id = p_account
                and c.id = r.campaign
                and c.status <> 'archived')
        order by (r.fields).sku, case when (r.fields).sku is null then r.ord end, r.ord desc
    ) n
    left join ads.products o
        on o.account_id = p_account
        and o.sku = (n.fields).sku;

    -- from here on: foreign keys are checked under the same setting, and would
    -- be planned again for each row
    perform set_config('plan_cache_mode', 'auto', true);
    perform ads.products_more(p_account, v_more, v_made);
    if true = any (v_new) then
        insert into ads.products (
            id, account_id, sku, title, description, brand, gtin, category, keywords, url, image_url, price_micros,
            currency, sale_price_micros, price_valid_until, availability, language, attributes)
        select n.id, p_account, (n.fields).*
        from (select unnest(v_ids) as id, unnest(v_fields) as fields, unnest(v_new) as is_new) n
        where n.is_new;
    end if;

    perform ads.products_update(p_account, array_agg(x.id), array_agg(x.fields))
    from (
        select unnest(v_ids) as id, unnest(v_fields) as fields, unnest(v_new) as is_new, unnest(v_differ) as differs
    ) x
    where x.differs
        and not x.is_new
    having count(*) > 0;

    select array_agg(coalesce(d.id, gen_random_uuid()) order by r.ordinality),
        array_agg(coalesce(d.status, 'absent') order by r.ordinality)
    into v_ads, v_ad_states
    from unnest(v_ids, v_campaigns) with ordinality r (id, campaign)
    left join ads.ads d
        on d.account_id = p_account
        and d.campaign_id = r.campaign
        and d.product_id = r.id;

    if 'absent' = any (v_ad_states) then
        insert into ads.ads (id, account_id, campaign_id, product_id)
        select r.ad, p_account, r.campaign, r.id
        from unnest(v_ids, v_campaigns, v_ads, v_ad_states) r (id, campaign, ad, state)
        where r.state = 'absent';
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
        from (
            select u.ord, u.campaign, (u.fields).sku
            from (
                select generate_subscripts(p_fields, 1)::bigint as ord, unnest(p_campaigns) as campaign,
                    unnest(p_fields) as fields
            ) u
        ) i
        left join unnest(v_ords, v_ids, v_ads, v_new, v_differ, v_ad_states) k (ord, id, ad, is_new, differ, state)
            on k.ord = i.ord
        left join (
            select (u.fields).sku, u.id
            from (select unnest(v_ids) as id, unnest(v_fields) as fields) u
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
