-- Who takes part: settings of the installation, accounts, people and keys; and
-- what makes a management request safe: its kept answer and its trace.
--
-- One row of settings holds the one billing currency; the foreign keys on it
-- refuse any other currency and refuse to change it once an account exists.
-- An answer under its Idempotency-Key and a row of the audit log are written in
-- the transaction of the work itself, so that there is never an effect without
-- them.  The audit log is filled by triggers (sql/code/18_audit.sql) and
-- insert-only by revoked rights.

create table ads.settings (
    id boolean not null default true,
    currency char(3) not null default 'USD',
    publisher_share_bps int not null default 7000,
    review text not null default 'auto',
    topup_settlement text not null default 'manual',
    late_click_s int not null default 600,
    too_fast_ms int not null default 200,
    burst_clicks int not null default 5,
    burst_s int not null default 10,
    repeat_s int not null default 1800,
    crowd_clicks int not null default 60,
    conversions_per_click int not null default 20,
    conversion_value_max_micros bigint not null default 100000000000,
    publisher_approval text not null default 'manual',
    payout_hold_days int not null default 30,
    constraint settings_pkey primary key (id),
    constraint settings_one_row check (id),
    constraint settings_currency_key unique (currency),
    constraint settings_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint settings_share_range check (publisher_share_bps between 0 and 10000),
    constraint settings_review_known check (review in ('auto', 'manual')),
    constraint settings_topup_known check (topup_settlement in ('manual', 'instant', 'webhook')),
    constraint settings_late_click_range check (late_click_s between 0 and 86400),
    constraint settings_too_fast_range check (too_fast_ms between 0 and 60000),
    constraint settings_burst_range check (
        burst_clicks between 0 and 100000
        and burst_s between 1 and 3600),
    constraint settings_repeat_range check (
        repeat_s between 0 and 86400
        and crowd_clicks between 0 and 100000),
    constraint settings_conversions_range check (conversions_per_click between 1 and 10000),
    constraint settings_conversion_value_range check (conversion_value_max_micros >= 1000000),
    constraint settings_publisher_approval_known check (publisher_approval in ('manual', 'auto')),
    constraint settings_payout_hold_range check (payout_hold_days between 0 and 365)
);
comment on table ads.settings is 'what adsd.conf says about the installation; one row';
comment on column ads.settings.late_click_s is
    'seconds that clicks stay billable after their campaign stopped';
comment on column ads.settings.too_fast_ms is
    'a click is invalid:too_fast that comes sooner after its link was served';
comment on column ads.settings.burst_clicks is
    'clicks of one masked address on one campaign within burst_s; more are invalid:burst; 0: any number';
comment on column ads.settings.repeat_s is
    'the next click of the same session on the same ad is invalid:repeat for so long';
comment on column ads.settings.crowd_clicks is
    'clicks of one masked address on one campaign within repeat_s; more are invalid:burst; 0: any number';
comment on column ads.settings.conversions_per_click is 'how many of one reporter count on a click';
comment on column ads.settings.conversion_value_max_micros is
    'what conversions of one reporter are worth on a campaign in 24 hours at most';
comment on column ads.settings.publisher_approval is 'auto: a confirmed address and a site are enough';
comment on column ads.settings.payout_hold_days is 'days that what a publisher earned is held back';
insert into ads.settings default values;

create table ads.timezones (
    name text not null,
    constraint timezones_pkey primary key (name)
);
comment on table ads.timezones is
    'names of pg_timezone_names, copied because that view reads files for 50 ms; refreshed at each upgrade';

create table ads.change (
    id boolean not null default true,
    n bigint not null default 0,
    xid xid8,
    at timestamptz,
    constraint change_pkey primary key (id),
    constraint change_one_row check (id),
    constraint change_n_range check (n >= 0)
);
comment on table ads.change is
    'number of the last management transaction; rows it touched carry it as changed_n';
comment on column ads.change.xid is
    'the transaction that took n: with at it makes a second bump in it a no-op';
insert into ads.change default values;

create table ads.accounts (
    id uuid not null default gen_random_uuid(),
    type text not null,
    name text not null,
    status text not null default 'active',
    currency char(3) not null default 'USD',
    timezone text not null default 'UTC',
    manual_clicks_billable boolean not null default false,
    changed_n bigint not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    suspended_at timestamptz,
    site text,
    approved_at timestamptz default now(),
    earns_since timestamptz default now(),
    constraint accounts_pkey primary key (id),
    constraint accounts_type_known check (type in ('publisher', 'advertiser', 'platform')),
    constraint accounts_name_length check (char_length(name) between 1 and 200),
    constraint accounts_status_known check (status in ('active', 'suspended')),
    constraint accounts_manual_publisher check (not manual_clicks_billable or type = 'publisher'),
    constraint accounts_currency_fkey foreign key (currency) references ads.settings (currency),
    constraint accounts_timezone_fkey foreign key (timezone) references ads.timezones (name),
    constraint accounts_site_length check (char_length(site) between 1 and 200),
    constraint accounts_earns_approved check (earns_since is null or approved_at is not null)
);
comment on table ads.accounts is 'tenants: publishers, advertisers and the platform';
comment on column ads.accounts.manual_clicks_billable is
    'right of a publisher: clicks it reports itself are billed';
comment on column ads.accounts.suspended_at is 'since when the account is suspended';
comment on column ads.accounts.site is 'the site or app of a publisher, by name';
comment on column ads.accounts.approved_at is 'when the operator approved the publisher';
comment on column ads.accounts.earns_since is
    'when the publisher was approved, with a site, and its address confirmed; before, its keys get test ads';
create index accounts_currency_idx on ads.accounts (currency);
create index accounts_timezone_idx on ads.accounts (timezone);
create index accounts_changed_idx on ads.accounts (changed_n);
create index accounts_created_idx on ads.accounts (created_at, id);

create table ads.users (
    id uuid not null default gen_random_uuid(),
    email text not null,
    name text,
    password_hash text,
    email_verified_at timestamptz,
    created_at timestamptz not null default now(),
    constraint users_pkey primary key (id),
    constraint users_email_length check (char_length(email) between 3 and 320),
    constraint users_email_form check (email ~ '^[^[:space:]@]+@[^[:space:]@]+$'),
    constraint users_name_length check (char_length(name) between 1 and 200)
);
comment on table ads.users is 'people who sign in; password_hash is null for social sign-in only';
create unique index users_email_key on ads.users (lower(email));

create table ads.members (
    account_id uuid not null,
    user_id uuid not null,
    role text not null,
    created_at timestamptz not null default now(),
    constraint members_pkey primary key (account_id, user_id),
    constraint members_role_known check (role in ('owner', 'editor', 'viewer')),
    constraint members_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint members_user_fkey foreign key (user_id) references ads.users (id)
);
comment on table ads.members is 'which person may act for which account';
create index members_user_idx on ads.members (user_id);

create table ads.api_keys (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    type char(1) not null,
    mode text not null default 'live',
    hash bytea not null,
    last_four text not null,
    name text not null default '',
    explain boolean not null default false,
    cidrs cidr[] not null default '{}',
    changed_n bigint not null default 0,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_by uuid,
    constraint api_keys_pkey primary key (id),
    constraint api_keys_hash_key unique (hash),
    constraint api_keys_hash_length check (octet_length(hash) = 32),
    constraint api_keys_type_known check (type in ('p', 'a', 'x')),
    constraint api_keys_mode_known check (mode in ('live', 'test')),
    constraint api_keys_last_four_form check (last_four ~ '^[0-9A-Za-z]{4}$'),
    constraint api_keys_name_length check (char_length(name) <= 200),
    constraint api_keys_cidrs_count check (cardinality(cidrs) <= 100),
    constraint api_keys_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint api_keys_created_by_fkey foreign key (created_by) references ads.users (id)
);
comment on table ads.api_keys is 'credentials of programs, only as BLAKE2b-256 of the whole key';
comment on column ads.api_keys.type is 'p publisher, a advertiser, x platform; equals the account''s type';
comment on column ads.api_keys.created_by is 'the person whose key ends when they leave the account';
create index api_keys_account_idx on ads.api_keys (account_id);
create index api_keys_changed_idx on ads.api_keys (changed_n);
create index api_keys_created_by_idx on ads.api_keys (created_by);

create table ads.publisher_settings (
    account_id uuid not null,
    floor_micros bigint not null default 0,
    blocked_advertisers uuid[] not null default '{}',
    blocked_categories text[] not null default '{}',
    changed_n bigint not null default 0,
    updated_at timestamptz not null default now(),
    constraint publisher_settings_pkey primary key (account_id),
    constraint publisher_settings_floor_range check (floor_micros between 0 and 1000000000000),
    constraint publisher_settings_advertisers_count check (cardinality(blocked_advertisers) <= 500),
    constraint publisher_settings_categories_count check (cardinality(blocked_categories) <= 200),
    constraint publisher_settings_account_fkey foreign key (account_id) references ads.accounts (id)
);
comment on table ads.publisher_settings is 'floor and blocks that hold for every request of a publisher';
create index publisher_settings_changed_idx on ads.publisher_settings (changed_n);

create table ads.idempotency_keys (
    account_id uuid not null,
    key text not null,
    request_hash bytea not null,
    status int not null,
    content_type text,
    body bytea,
    location text,
    etag text,
    object_id uuid,
    created_at timestamptz not null default now(),
    constraint idempotency_keys_pkey primary key (account_id, key),
    constraint idempotency_keys_key_form check (key ~ '^[!-~ ]{1,255}$'),
    constraint idempotency_keys_hash_length check (octet_length(request_hash) = 32),
    constraint idempotency_keys_status_range check (status between 200 and 299),
    constraint idempotency_keys_account_fkey foreign key (account_id) references ads.accounts (id)
);
comment on table ads.idempotency_keys is 'the first answer to each creating request, kept for 24 h';
comment on column ads.idempotency_keys.request_hash is 'SHA-256 of method, path and body';
comment on column ads.idempotency_keys.body is 'null where the answer held a secret: repeated it says already_done';
create index idempotency_keys_created_idx on ads.idempotency_keys using brin (created_at);

create table ads.audit_log (
    id bigint generated always as identity,
    at timestamptz not null default now(),
    account_id uuid,
    actor text not null,
    action text not null,
    object text not null,
    object_id text not null,
    before jsonb,
    after jsonb,
    request_id uuid,
    constraint audit_log_pkey primary key (id),
    constraint audit_log_actor_length check (char_length(actor) between 1 and 200),
    constraint audit_log_action_known check (action in ('create', 'update', 'delete', 'import')),
    constraint audit_log_object_length check (char_length(object) between 1 and 64)
);
comment on table ads.audit_log is 'who changed what, and what it was before; insert-only';
comment on column ads.audit_log.actor is 'key:<id>, user:<id>, ctl:<login>, or system';
comment on column ads.audit_log.before is 'the columns that changed, as they were; never a secret';
create index audit_log_account_idx on ads.audit_log (account_id, id);
create index audit_log_at_idx on ads.audit_log using brin (at);

create table ads.quotas (
    name text not null,
    most bigint not null,
    per interval,
    counts text not null,
    constraint quotas_pkey primary key (name),
    constraint quotas_most_range check (most > 0),
    constraint quotas_per_range check (per > interval '0')
);
comment on table ads.quotas is 'what an account may have or cause at most, unless ads.account_quotas says otherwise';
comment on column ads.quotas.most is 'as adsd.conf says';
comment on column ads.quotas.per is
    'null: counted is what is there, and more is 409; else what was done in this time, and more is 429';
insert into ads.quotas (name, most, per, counts)
values
    ('campaigns_max', 10000, null, 'campaigns that are not archived'),
    ('products_max', 5000000, null, 'products that are not archived'),
    ('members_max', 1000, null, 'members and invitations'),
    ('keys_max', 10, null, 'usable API keys'),
    ('topups_max', 100, null, 'top-ups that are pending'),
    ('campaigns_per_day', 20000, interval '24 hours', 'campaigns made'),
    ('products_per_day', 20000000, interval '24 hours', 'products made'),
    ('keys_per_day', 1000, interval '24 hours', 'API keys made'),
    ('imports_per_day', 2000, interval '24 hours', 'feeds sent'),
    ('import_mb_per_day', 20480, interval '24 hours', 'MiB of feeds sent'),
    ('report_seconds_per_hour', 600, interval '1 hour', 'seconds that reports took'),
    ('mails_per_day', 200, interval '24 hours', 'invitations mailed'),
    ('person_mails_per_day', 20, interval '24 hours', 'mails with a code that one person asked for');

create table ads.account_quotas (
    account_id uuid not null,
    name text not null,
    most bigint not null,
    constraint account_quotas_pkey primary key (account_id, name),
    constraint account_quotas_most_range check (most > 0),
    constraint account_quotas_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint account_quotas_name_fkey foreign key (name) references ads.quotas (name)
);
comment on table ads.account_quotas is 'where the operator gave an account another quota';
create index account_quotas_name_idx on ads.account_quotas (name);

create table ads.quota_use (
    subject uuid not null,
    name text not null,
    full_at timestamptz not null,
    constraint quota_use_pkey primary key (subject, name),
    constraint quota_use_name_fkey foreign key (name) references ads.quotas (name)
);
comment on table ads.quota_use is 'how much of a quota with a time is used up';
comment on column ads.quota_use.subject is 'the account, or the person';
comment on column ads.quota_use.full_at is
    'when all of it is there again; each use moves that by its share of the time';
create index quota_use_name_idx on ads.quota_use (name);

create table ads.product_counts (
    account_id uuid not null,
    n bigint not null,
    constraint product_counts_pkey primary key (account_id),
    constraint product_counts_account_fkey foreign key (account_id) references ads.accounts (id)
);
comment on table ads.product_counts is 'products of an account that are not archived; each import counts them again';
