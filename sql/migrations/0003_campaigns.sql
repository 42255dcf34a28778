-- What is sold: campaigns, what they spent, products, and the ads that pair
-- the two.
--
-- Tenant tables refer to each other by (account_id, id), because foreign key
-- checks do not see row-level security.  Budgets live on the campaign; what
-- was spent lives in its own small rows, which ingest updates under the lock
-- of the advertiser's balance.  Each carries the budget in force when it last
-- grew, so that a check can refuse overspending although budgets may be
-- lowered later.  Only new tables: locks nothing that is in use.
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
    constraint campaigns_timezone_fkey foreign key (timezone) references ads.timezones (name)
);
comment on table ads.campaigns is 'what an advertiser pays for a click, how much, when and where';
comment on column ads.campaigns.version is
    'sealed into click links; grows with price, budget, schedule, targeting and status';
comment on column ads.campaigns.timezone is 'sets the schedule and the budget day';
create index campaigns_timezone_idx on ads.campaigns (timezone);
create index campaigns_changed_idx on ads.campaigns (changed_n);
create index campaigns_active_idx on ads.campaigns (id) where status = 'active';

create table ads.campaign_spend (
    campaign_id uuid not null,
    account_id uuid not null,
    spent_micros bigint not null default 0,
    budget_micros bigint,
    constraint campaign_spend_pkey primary key (campaign_id),
    constraint campaign_spend_range check (spent_micros >= 0),
    constraint campaign_spend_budget check (spent_micros <= budget_micros),
    constraint campaign_spend_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id)
) with (fillfactor = 50);
comment on table ads.campaign_spend is 'what a campaign was billed over its life';
comment on column ads.campaign_spend.budget_micros is 'lifetime budget in force when it last grew';
create index campaign_spend_account_idx on ads.campaign_spend (account_id, campaign_id);

create table ads.campaign_days (
    campaign_id uuid not null,
    day date not null,
    account_id uuid not null,
    spent_micros bigint not null default 0,
    budget_micros bigint,
    constraint campaign_days_pkey primary key (campaign_id, day),
    constraint campaign_days_range check (spent_micros >= 0),
    constraint campaign_days_budget check (spent_micros <= budget_micros),
    constraint campaign_days_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id)
) with (fillfactor = 50);
comment on table ads.campaign_days is 'what a campaign was billed on a day of its time zone';
comment on column ads.campaign_days.budget_micros is 'daily budget in force when it last grew';
create index campaign_days_account_idx on ads.campaign_days (account_id, campaign_id);

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
    constraint products_account_fkey foreign key (account_id) references ads.accounts (id)
);
comment on table ads.products is 'what an advertiser sells; sku is the key of imports';
create index products_changed_idx on ads.products (changed_n);

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
    constraint ads_campaign_product_key unique (campaign_id, product_id),
    constraint ads_status_known check (status in ('active', 'archived')),
    constraint ads_archived_when check ((status = 'archived') = (archived_at is not null)),
    constraint ads_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id),
    constraint ads_product_fkey foreign key (account_id, product_id)
        references ads.products (account_id, id)
);
comment on table ads.ads is
    'a product in a campaign; a pair that returns keeps its id, so rows are never deleted';
create index ads_campaign_idx on ads.ads (account_id, campaign_id);
create index ads_product_idx on ads.ads (account_id, product_id);
create index ads_changed_idx on ads.ads (changed_n);
