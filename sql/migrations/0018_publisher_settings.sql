-- What a publisher never shows, and the least it wants to be bid.  One new
-- table; a publisher without a row has no wishes.
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

alter table ads.publisher_settings enable row level security;
alter table ads.publisher_settings force row level security;
create policy publisher_settings_tenant on ads.publisher_settings to ads_api
    using (account_id = (select ads.tenant())) with check (account_id = (select ads.tenant()));
create policy publisher_settings_ops on ads.publisher_settings to ads_ops using (true) with check (true);
create policy publisher_settings_publish on ads.publisher_settings for select to ads_publish using (true);
create policy publisher_settings_owner on ads.publisher_settings to current_user using (true) with check (true);
