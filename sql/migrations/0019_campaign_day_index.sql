-- What a campaign spent today is looked up by its day: with the account in front,
-- because row-level security asks for that first, reading it no longer passes all
-- of the campaign's days.  Locks campaign_days while the index is made, while no
-- daemon works.
create index campaign_days_account_day_idx on ads.campaign_days (account_id, campaign_id, day);
drop index ads.campaign_days_account_idx;
