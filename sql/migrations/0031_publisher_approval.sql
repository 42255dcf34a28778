-- Since when a publisher earns.  Adds columns to two small tables, which are
-- locked for a moment; publishers that are there already stay approved, and so
-- does whoever the command line makes.
alter table ads.accounts
    add column site text,
    add column approved_at timestamptz default now(),
    add column earns_since timestamptz default now(),
    add constraint accounts_site_length check (char_length(site) between 1 and 200),
    add constraint accounts_earns_approved check (earns_since is null or approved_at is not null);
comment on column ads.accounts.site is 'the site or app of a publisher, by name';
comment on column ads.accounts.approved_at is 'when the operator approved the publisher';
comment on column ads.accounts.earns_since is
    'when the publisher was approved, with a site, and its address confirmed; before, its keys get test ads';

alter table ads.settings
    add column publisher_approval text not null default 'manual',
    add column payout_hold_days int not null default 30,
    add constraint settings_publisher_approval_known check (publisher_approval in ('manual', 'auto')),
    add constraint settings_payout_hold_range check (payout_hold_days between 0 and 365);
comment on column ads.settings.publisher_approval is 'auto: a confirmed address and a site are enough';
comment on column ads.settings.payout_hold_days is 'days that what a publisher earned is held back';
