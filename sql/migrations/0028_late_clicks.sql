-- Since when a campaign is off, so that a link which was served before stays
-- billable for late_click_s.  Adds columns with constant defaults and checks
-- on small tables; each is locked for a moment.
alter table ads.settings
    add column late_click_s int not null default 600,
    add constraint settings_late_click_range check (late_click_s between 0 and 86400);
comment on column ads.settings.late_click_s is
    'seconds that clicks stay billable after their campaign stopped';

-- Campaigns that are there already count as stopped now.
alter table ads.campaigns
    add column stopped_at timestamptz default now(),
    add column resumed_at timestamptz,
    add column lifetime_before_micros bigint,
    add column lifetime_lowered_at timestamptz,
    add constraint campaigns_lifetime_before_range check (lifetime_before_micros >= 1000000);
alter table ads.campaigns alter column stopped_at drop default;
comment on column ads.campaigns.stopped_at is 'when it was last stopped by an edit';
comment on column ads.campaigns.resumed_at is 'when that stop ended; null: it lasts';
comment on column ads.campaigns.lifetime_before_micros is
    'the lifetime budget that clicks of before lifetime_lowered_at may still use';

alter table ads.accounts
    add column suspended_at timestamptz;
comment on column ads.accounts.suspended_at is 'since when the account is suspended';

alter table ads.campaign_days
    add column late_micros bigint not null default 0,
    add column exhausted_at timestamptz,
    drop constraint campaign_days_budget,
    add constraint campaign_days_late_range check (late_micros between 0 and spent_micros),
    add constraint campaign_days_budget check (spent_micros - late_micros <= budget_micros);
comment on column ads.campaign_days.late_micros is
    'of the spending: clicks that came within late_click_s after the budget had run out';
comment on column ads.campaign_days.exhausted_at is 'when the budget ran out; null: it has not';

create type ads.click_funds as (
    campaign_id uuid,
    day date,
    account_no int,
    campaign_no int,
    account_left bigint,
    campaign_left bigint,
    day_left bigint,
    lifetime_budget bigint,
    daily_budget bigint,
    scarce boolean,
    late_micros bigint,
    exhausted_at timestamptz
);
comment on type ads.click_funds is
    'what a campaign and day have left for the clicks of a batch, and what billing them found out';
