-- What is sold: campaigns, what they spent, products, the ads that pair the
-- two, and imports of product feeds.
--
-- Tenant tables refer to each other by (account_id, id), because foreign key
-- checks do not see row-level security.  Budgets live on the campaign; what
-- was spent lives in its own small rows, which ingest updates under the lock
-- of the advertiser's balance.  Each carries the budget in force when it last
-- grew, so that a check can refuse overspending although budgets may be
-- lowered later.
--
-- products_folded_idx answers GET /v1/products: it is in the order of the list
-- and holds what the list is filtered by, so that a part of a title that few
-- have is found without reading all products of the account, whatever its case,
-- in any language and any database ("straße" in "STRASSE").  Compared are ICU's
-- capital letters: unlike the small ones they do not depend on their neighbours
-- (the Greek final sigma).  ASCII does without ICU, which takes ten times as
-- long.  Entries are sorted by bytes, so that a new version of ICU breaks no
-- index.  An entry must fit a third of a page: titles of more than 600 bytes
-- are in products_unfolded_idx.

create table ads.campaigns (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    name text not null,
    pricing text not null default 'cpc',
    bid_micros bigint not null,
    daily_budget_micros bigint,
    lifetime_budget_micros bigint,
    status text not null default 'paused',
    start_at timestamptz,
    end_at timestamptz,
    timezone text not null default 'UTC',
    pacing text not null default 'even',
    targeting jsonb not null default '{}',
    attribution_window_days int not null default 30,
    external_id text,
    version int not null default 1,
    changed_n bigint not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    archived_at timestamptz,
    frequency_count int,
    frequency_window_s int,
    stopped_at timestamptz,
    resumed_at timestamptz,
    lifetime_before_micros bigint,
    lifetime_lowered_at timestamptz,
    constraint campaigns_pkey primary key (id),
    constraint campaigns_account_id_key unique (account_id, id),
    constraint campaigns_name_length check (char_length(name) between 1 and 200),
    constraint campaigns_pricing_known check (pricing in ('cpc', 'cpm')),
    constraint campaigns_bid_range check (bid_micros between 1 and 1000000000000000),
    constraint campaigns_daily_range check (daily_budget_micros between 1000000 and 1000000000000000),
    constraint campaigns_lifetime_range check (lifetime_budget_micros between 1000000 and 1000000000000000),
    constraint campaigns_has_budget check (num_nonnulls(daily_budget_micros, lifetime_budget_micros) > 0),
    constraint campaigns_status_known check (status in ('draft', 'paused', 'active', 'archived')),
    constraint campaigns_archived_when check ((status = 'archived') = (archived_at is not null)),
    constraint campaigns_schedule_order check (end_at > start_at),
    constraint campaigns_pacing_known check (pacing in ('even', 'asap')),
    constraint campaigns_targeting_object check (jsonb_typeof(targeting) = 'object'),
    constraint campaigns_window_range check (attribution_window_days between 1 and 90),
    constraint campaigns_external_id_length check (char_length(external_id) between 1 and 200),
    constraint campaigns_version_range check (version >= 1),
    constraint campaigns_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint campaigns_timezone_fkey foreign key (timezone) references ads.timezones (name),
    constraint campaigns_frequency_both
        check ((frequency_count is null) = (frequency_window_s is null)),
    constraint campaigns_frequency_count check (frequency_count between 1 and 1000),
    constraint campaigns_frequency_window check (frequency_window_s between 60 and 86400),
    constraint campaigns_targeting_known check (
        targeting - array['locations', 'not_locations', 'placements', 'publishers', 'keywords',
            'negative_keywords', 'categories', 'languages'] = '{}'),
    constraint campaigns_targeting_texts check (
        not jsonb_path_exists(targeting, 'strict $.* ? (@.type() != "array")')
        and not jsonb_path_exists(targeting, 'strict $.*[*] ? (@.type() != "string")', '{}', true)),
    constraint campaigns_targeting_count check (
        not jsonb_path_exists(targeting, '
            strict $ ? (@.locations.size() > 500
                || @.not_locations.size() > 500
                || @.placements.size() > 100
                || @.publishers.size() > 500
                || @.keywords.size() > 2000
                || @.negative_keywords.size() > 2000
                || @.categories.size() > 100
                || @.languages.size() > 50)', '{}', true)),
    constraint campaigns_lifetime_before_range check (lifetime_before_micros >= 1000000)
);
comment on table ads.campaigns is 'what an advertiser pays for a click, how much, when and where';
comment on column ads.campaigns.version is
    'sealed into click links; grows with price, budget, schedule, targeting and status';
comment on column ads.campaigns.timezone is 'sets the schedule and the budget day';
comment on column ads.campaigns.frequency_count is
    'how often one session is shown this campaign within frequency_window_s; null: no limit';
comment on column ads.campaigns.stopped_at is 'when it was last stopped by an edit';
comment on column ads.campaigns.resumed_at is 'when that stop ended; null: it lasts';
comment on column ads.campaigns.lifetime_before_micros is
    'the lifetime budget that clicks of before lifetime_lowered_at may still use';
create index campaigns_timezone_idx on ads.campaigns (timezone);
create index campaigns_changed_idx on ads.campaigns (changed_n);
create index campaigns_active_idx on ads.campaigns (id) where status = 'active';
create index campaigns_listed_idx on ads.campaigns (account_id, created_at desc, id desc);
create index campaigns_external_idx on ads.campaigns (account_id, external_id) where external_id is not null;

create table ads.campaign_spend (
    campaign_id uuid not null,
    account_id uuid not null,
    spent_micros bigint not null default 0,
    budget_micros bigint,
    unpaid_micros bigint not null default 0,
    constraint campaign_spend_pkey primary key (campaign_id),
    constraint campaign_spend_range check (spent_micros >= 0 and unpaid_micros >= 0),
    constraint campaign_spend_budget check (spent_micros <= budget_micros),
    constraint campaign_spend_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id)
) with (fillfactor = 50);
comment on table ads.campaign_spend is 'what a campaign was billed over its life';
comment on column ads.campaign_spend.budget_micros is 'lifetime budget in force when it last grew';
comment on column ads.campaign_spend.unpaid_micros is
    'clicks that the lifetime budget did not pay: so much of it sells nothing more and is left for late ones';
create index campaign_spend_account_idx on ads.campaign_spend (account_id, campaign_id);

create table ads.campaign_days (
    campaign_id uuid not null,
    day date not null,
    account_id uuid not null,
    spent_micros bigint not null default 0,
    budget_micros bigint,
    late_micros bigint not null default 0,
    exhausted_at timestamptz,
    constraint campaign_days_pkey primary key (campaign_id, day),
    constraint campaign_days_range check (spent_micros >= 0),
    constraint campaign_days_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id),
    constraint campaign_days_late_range check (late_micros between 0 and spent_micros),
    constraint campaign_days_budget check (spent_micros - late_micros <= budget_micros)
) with (fillfactor = 50);
comment on table ads.campaign_days is 'what a campaign was billed on a day of its time zone';
comment on column ads.campaign_days.budget_micros is 'daily budget in force when it last grew';
comment on column ads.campaign_days.late_micros is
    'of the spending: clicks that came within late_click_s after the budget had run out';
comment on column ads.campaign_days.exhausted_at is 'when the budget ran out; null: it has not';
create index campaign_days_account_day_idx on ads.campaign_days (account_id, campaign_id, day);

create table ads.products (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    sku text,
    title text not null,
    description text not null default '',
    brand text not null default '',
    gtin text not null default '',
    category text[] not null default '{}',
    url text not null,
    image_url text,
    price_micros bigint not null,
    currency char(3) not null,
    availability text,
    attributes jsonb not null default '{}',
    review_status text not null default 'approved',
    status text not null default 'active',
    changed_n bigint not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    archived_at timestamptz,
    keywords text[] not null default '{}',
    sale_price_micros bigint,
    price_valid_until timestamptz,
    language text,
    review_reason text,
    constraint products_pkey primary key (id),
    constraint products_account_id_key unique (account_id, id),
    constraint products_sku_key unique (account_id, sku),
    constraint products_sku_length check (char_length(sku) between 1 and 200),
    constraint products_title_length check (char_length(title) between 1 and 1000),
    constraint products_description_length check (char_length(description) <= 5000),
    constraint products_brand_length check (char_length(brand) <= 200),
    constraint products_gtin_length check (char_length(gtin) <= 50),
    constraint products_category_count check (cardinality(category) <= 50),
    constraint products_url_form check (url ~ '^https://[!-~]+$' and char_length(url) <= 2048),
    constraint products_image_form check (image_url ~ '^https?://[!-~]+$' and char_length(image_url) <= 2048),
    constraint products_price_range check (price_micros between 0 and 1000000000000000),
    constraint products_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint products_availability_length check (char_length(availability) between 1 and 50),
    constraint products_attributes_object check (jsonb_typeof(attributes) = 'object'),
    constraint products_review_known check (review_status in ('approved', 'pending', 'rejected')),
    constraint products_status_known check (status in ('active', 'archived')),
    constraint products_archived_when check ((status = 'archived') = (archived_at is not null)),
    constraint products_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint products_keywords_count check (cardinality(keywords) <= 50),
    constraint products_keywords_present check (array_position(keywords, null) is null),
    constraint products_sale_price_range check (sale_price_micros between 0 and 1000000000000000),
    constraint products_sale_price_lower check (sale_price_micros <= price_micros),
    constraint products_language_form
        check (language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' and char_length(language) <= 35),
    constraint products_review_reason_length check (char_length(review_reason) between 1 and 500),
    constraint products_review_reason_rejected check (review_reason is null or review_status = 'rejected')
);
comment on table ads.products is 'what an advertiser sells; sku is the key of imports';
comment on column ads.products.sale_price_micros is 'shown instead of the price, until price_valid_until';
comment on column ads.products.review_reason is 'why a review refused it, as the advertiser may read it';
create index products_changed_idx on ads.products (changed_n);
create index products_review_idx on ads.products (created_at desc, id desc) where review_status <> 'approved';
create index products_sale_idx on ads.products (price_valid_until) where sale_price_micros is not null;
create index products_folded_idx on ads.products (
    account_id, created_at desc, id desc,
    (case when octet_length(title) = length(title) then upper(title collate "C") collate "und-x-icu" else upper(title collate "und-x-icu") end) collate "C"
)
include (title, status, review_status, updated_at)
where octet_length(title) <= 600;
create index products_unfolded_idx on ads.products (account_id, created_at desc, id desc)
where octet_length(title) > 600;

create table ads.ads (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    campaign_id uuid not null,
    product_id uuid not null,
    status text not null default 'active',
    changed_n bigint not null default 0,
    created_at timestamptz not null default now(),
    archived_at timestamptz,
    constraint ads_pkey primary key (id),
    constraint ads_status_known check (status in ('active', 'archived')),
    constraint ads_archived_when check ((status = 'archived') = (archived_at is not null)),
    constraint ads_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id),
    constraint ads_product_fkey foreign key (account_id, product_id)
        references ads.products (account_id, id),
    constraint ads_campaign_product_key unique (account_id, campaign_id, product_id)
);
comment on table ads.ads is
    'a product in a campaign; a pair that returns keeps its id, so rows are never deleted';
create index ads_product_idx on ads.ads (account_id, product_id);
create index ads_changed_idx on ads.ads (changed_n);

create table ads.imports (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    campaign_id uuid not null,
    source text not null,
    status text not null default 'queued',
    attempt int not null default 0,
    dry_run boolean not null default false,
    archive_gone boolean not null default false,
    gone_max int not null default 20,
    base_url text,
    currency text,
    decimal_mark text,
    column_map text,
    format text,
    body_len bigint,
    phase text,
    percent int not null default 0,
    n_rows bigint not null default 0,
    n_added bigint not null default 0,
    n_changed bigint not null default 0,
    n_unchanged bigint not null default 0,
    n_repeated bigint not null default 0,
    n_bad bigint not null default 0,
    n_gone bigint not null default 0,
    n_archived bigint not null default 0,
    mapping jsonb not null default '[]',
    prices jsonb not null default '[]',
    fault_code text,
    fault_detail text,
    actor text not null default '',
    request_id uuid,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    constraint imports_pkey primary key (id),
    constraint imports_account_id_key unique (account_id, id),
    constraint imports_source_known check (source in ('api', 'ctl')),
    constraint imports_status_known check (status in ('queued', 'running', 'done', 'failed')),
    constraint imports_finished_when check ((status in ('done', 'failed')) = (finished_at is not null)),
    constraint imports_fault_when check ((status = 'failed') = (fault_code is not null)),
    constraint imports_gone_max_range check (gone_max between 0 and 100),
    constraint imports_percent_range check (percent between 0 and 100),
    constraint imports_attempt_range check (attempt >= 0),
    constraint imports_base_url_length check (char_length(base_url) between 1 and 2048),
    constraint imports_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint imports_decimal_known check (decimal_mark in ('point', 'comma')),
    constraint imports_map_length check (char_length(column_map) between 1 and 4000),
    constraint imports_format_known check (format in ('jsonl', 'json', 'xml', 'table')),
    constraint imports_phase_known check (phase in ('reading', 'comparing', 'writing')),
    constraint imports_mapping_array check (jsonb_typeof(mapping) = 'array'),
    constraint imports_prices_array check (jsonb_typeof(prices) = 'array'),
    constraint imports_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id)
);
comment on table ads.imports is 'product feeds: what was asked for, how far it is, and what came of it';
comment on column ads.imports.attempt is 'grows when a daemon takes it up; a daemon that holds an older one may not end it';
create index imports_listed_idx on ads.imports (account_id, created_at desc, id desc);
create index imports_campaign_idx on ads.imports (account_id, campaign_id);
create index imports_waiting_idx on ads.imports (created_at) where status in ('queued', 'running');
create index imports_finished_idx on ads.imports (finished_at);

create table ads.import_bodies (
    import_id uuid not null,
    account_id uuid not null,
    body bytea not null,
    constraint import_bodies_pkey primary key (import_id),
    constraint import_bodies_import_fkey foreign key (account_id, import_id)
        references ads.imports (account_id, id) on delete cascade
);
comment on table ads.import_bodies is 'feeds as they were sent, until they are read';
alter table ads.import_bodies alter column body set storage external;
create index import_bodies_import_idx on ads.import_bodies (account_id, import_id);

create table ads.import_errors (
    import_id uuid not null,
    n int not null,
    account_id uuid not null,
    line bigint not null,
    col int not null,
    field text not null,
    rule text not null,
    sku text,
    value text,
    constraint import_errors_pkey primary key (import_id, n),
    constraint import_errors_import_fkey foreign key (account_id, import_id)
        references ads.imports (account_id, id) on delete cascade
);
comment on table ads.import_errors is 'rows of feeds that were refused, and why: the sku and the value that is wrong';
create index import_errors_import_idx on ads.import_errors (account_id, import_id);

-- What adsd hands over of a product or a campaign: a row of these types, in the
-- order of the table of its fields (adsd/catalog/product.c, campaign.c).  Their
-- fields are columns of ads.products and ads.campaigns.

create type ads.product_in as (
    sku text,
    title text,
    description text,
    brand text,
    gtin text,
    category text[],
    keywords text[],
    url text,
    image_url text,
    price_micros bigint,
    currency text,
    sale_price_micros bigint,
    price_valid_until timestamptz,
    availability text,
    language text,
    attributes jsonb
);
comment on type ads.product_in is 'a product as its advertiser gives it';

create type ads.campaign_in as (
    name text,
    status text,
    pricing text,
    bid_micros bigint,
    daily_budget_micros bigint,
    lifetime_budget_micros bigint,
    start_at timestamptz,
    end_at timestamptz,
    timezone text,
    pacing text,
    targeting jsonb,
    frequency_count bigint,
    frequency_window_s bigint,
    attribution_window_days bigint,
    external_id text
);
comment on type ads.campaign_in is 'a campaign as its advertiser gives it';
