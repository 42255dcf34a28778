-- What adsd hands over of a campaign: a row of this type, in the order of the
-- table of its fields (adsd/catalog/campaign.c).  Its fields are columns of
-- ads.campaigns.  A new type: nothing is locked.
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
