-- Reports: what advertisers and publishers read, in the grains they ask for.
--
-- Ingest puts what happened on a queue, as sums of its batch, in the batch's own
-- transaction; each second the queue is added to the tables below
-- (sql/code/85_reports.sql).  Both ends are transactions, so a delta is counted
-- exactly once, whatever is killed when.
--
-- A row belongs to a grain and a level.  Grain q is 15 minutes of UTC, which fit
-- any zone; d and m are days and months of the account's own zone, so that a
-- year does not read a year of quarters.  A level says which dimensions the row
-- holds apart, as bits: 1 campaign, 2 ad, 4 placement, 8 country; a dimension
-- that it does not is nil or empty.  So a question reads the smallest level that
-- knows its dimensions.
--
-- An outcome of an auction is a row, so that one more changes no table.

create table ads.report_deltas (
    id bigint generated always as identity,
    bucket_at timestamptz not null,
    account_id uuid,
    campaign_id uuid,
    ad_id uuid,
    publisher_id uuid not null,
    placement text collate "C" not null,
    country text collate "C" not null,
    reason text collate "C" not null default '',
    shows bigint not null default 0,
    no_ads bigint not null default 0,
    impressions bigint not null default 0,
    clicks bigint not null default 0,
    invalid_clicks bigint not null default 0,
    duplicate_clicks bigint not null default 0,
    free_clicks bigint not null default 0,
    spend_micros bigint not null default 0,
    revenue_micros bigint not null default 0,
    conversions bigint not null default 0,
    value_micros bigint not null default 0,
    publisher_conversions bigint not null default 0,
    publisher_value_micros bigint not null default 0,
    held_conversions bigint not null default 0,
    constraint report_deltas_pkey primary key (id),
    constraint report_deltas_bucket check (
        bucket_at = date_bin('15 minutes', bucket_at, '1970-01-01 00:00:00+00')),
    constraint report_deltas_money check (
        spend_micros >= 0
        and revenue_micros between 0 and spend_micros
        and abs(value_micros) <= 1000000000000000),
    constraint report_deltas_whole check (num_nulls(account_id, campaign_id, ad_id) in (0, 3)),
    constraint report_deltas_text_length check (
        char_length(placement) <= 64 and char_length(country) <= 8 and char_length(reason) <= 64),
    constraint report_deltas_publisher_value check (abs(publisher_value_micros) <= 1000000000000000)
);
comment on table ads.report_deltas is 'queue: what happened and is in no report yet';
comment on column ads.report_deltas.account_id is 'the advertiser; null for requests, which have none';

create table ads.reports (
    account_id uuid not null,
    grain text collate "C" not null,
    level smallint not null,
    at timestamptz not null,
    campaign_id uuid not null,
    ad_id uuid not null,
    placement text collate "C" not null,
    country text collate "C" not null,
    impressions bigint not null,
    clicks bigint not null,
    invalid_clicks bigint not null,
    duplicate_clicks bigint not null,
    free_clicks bigint not null,
    spend_micros bigint not null,
    conversions bigint not null,
    value_micros bigint not null,
    publisher_conversions bigint not null default 0,
    publisher_value_micros bigint not null default 0,
    held_conversions bigint not null default 0,
    constraint reports_pkey primary key (account_id, grain, level, at, campaign_id, ad_id, placement, country),
    constraint reports_grain_known check (grain in ('q', 'd', 'm')),
    constraint reports_level_known check (level in (0, 1, 12, 15)),
    constraint reports_text_length check (char_length(placement) <= 64 and char_length(country) <= 8),
    constraint reports_range check (
        least(impressions, clicks, invalid_clicks, duplicate_clicks, free_clicks, spend_micros, conversions) >= 0),
    constraint reports_value_range check (value_micros >= -9223372036854775807),
    constraint reports_publisher_value_range check (publisher_value_micros >= -1000000000000000)
) with (fillfactor = 80);
comment on table ads.reports is 'what an advertiser''s ads did, by grain and level';
comment on column ads.reports.value_micros is 'of conversions, as they were adjusted; held within bigint';
comment on column ads.reports.at is
    'q: the quarter of an hour; d, m: day or month of the zone in report_zones, written as if it were UTC';
comment on column ads.reports.publisher_conversions is
    'of what publishers reported, what the advertiser did not; falls when the advertiser does';

create table ads.site_reports (
    publisher_id uuid not null,
    grain text collate "C" not null,
    level smallint not null,
    at timestamptz not null,
    placement text collate "C" not null,
    country text collate "C" not null,
    reason text collate "C" not null,
    shows bigint not null,
    no_ads bigint not null,
    impressions bigint not null,
    clicks bigint not null,
    gross_micros bigint not null,
    revenue_micros bigint not null,
    constraint site_reports_pkey primary key (publisher_id, grain, level, at, placement, country, reason),
    constraint site_reports_grain_known check (grain in ('q', 'd', 'm')),
    constraint site_reports_level_known check (level in (0, 1)),
    constraint site_reports_text_length check (
        char_length(placement) <= 64 and char_length(country) <= 8 and char_length(reason) <= 64),
    constraint site_reports_range check (
        least(shows, no_ads, impressions, clicks, gross_micros, revenue_micros) >= 0
        and revenue_micros <= gross_micros)
) with (fillfactor = 80);
comment on table ads.site_reports is 'what a publisher''s pages asked for, showed and earned; level 1 has all dimensions';
comment on column ads.site_reports.reason is 'why there was no ad; empty on all other counts';

create table ads.report_zones (
    account_id uuid not null,
    timezone text not null,
    stale boolean not null default false,
    constraint report_zones_pkey primary key (account_id),
    constraint report_zones_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint report_zones_timezone_fkey foreign key (timezone) references ads.timezones (name)
);
comment on table ads.report_zones is 'the zone that an account''s days and months are in; stale: it has another one now';
create index report_zones_timezone_idx on ads.report_zones (timezone);
create index report_zones_stale_idx on ads.report_zones (account_id) where stale;

create table ads.report_state (
    id boolean not null default true,
    as_of timestamptz not null default '-infinity',
    constraint report_state_pkey primary key (id),
    constraint report_state_one_row check (id)
);
comment on table ads.report_state is 'what happened before as_of and is in the journal of a living node is in the reports';
insert into ads.report_state default values;

create table ads.report_conversions (
    event_id uuid not null,
    account_id uuid not null,
    value_micros bigint not null,
    placement text collate "C" not null,
    country text collate "C" not null,
    side text collate "C" not null default 'own',
    constraint report_conversions_pkey primary key (event_id),
    constraint report_conversions_value_range check (value_micros >= 0),
    constraint report_conversions_text_length check (char_length(placement) <= 64 and char_length(country) <= 8),
    constraint report_conversions_event_fkey foreign key (event_id) references ads.conversions (event_id),
    constraint report_conversions_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint report_conversions_side_known check (side in ('own', 'publisher', 'held', 'none'))
);
comment on table ads.report_conversions is 'what of each conversion is counted so far, so that an adjustment counts the difference';
comment on column ads.report_conversions.side is
    'where it is counted: the advertiser''s own, the publisher''s, beyond the caps, or nowhere any more';
create index report_conversions_account_idx on ads.report_conversions (account_id);

create table ads.report_conversion_queue (
    id bigint generated always as identity,
    event_id uuid not null,
    constraint report_conversion_queue_pkey primary key (id)
);
comment on table ads.report_conversion_queue is 'queue: conversions that were recorded or adjusted';

create table ads.auction_deltas (
    id bigint generated always as identity,
    bucket_at timestamptz not null,
    account_id uuid not null,
    campaign_id uuid not null,
    outcome text collate "C" not null,
    n bigint not null,
    constraint auction_deltas_pkey primary key (id),
    constraint auction_deltas_bucket check (
        bucket_at = date_bin('15 minutes', bucket_at, '1970-01-01 00:00:00+00')),
    constraint auction_deltas_outcome_length check (char_length(outcome) between 1 and 64),
    constraint auction_deltas_range check (n >= 0)
);
comment on table ads.auction_deltas is 'queue: auctions that are in no report yet';

create table ads.auction_reports (
    account_id uuid not null,
    grain text collate "C" not null,
    level smallint not null,
    at timestamptz not null,
    campaign_id uuid not null,
    outcome text collate "C" not null,
    n bigint not null,
    constraint auction_reports_pkey primary key (account_id, grain, level, at, campaign_id, outcome),
    constraint auction_reports_grain_known check (grain in ('q', 'd', 'm')),
    constraint auction_reports_level_known check (level in (0, 1)),
    constraint auction_reports_range check (n >= 0)
) with (fillfactor = 80);
comment on table ads.auction_reports is
    'in how many auctions an advertiser''s campaigns took part, and what became of them; grain, level and at as in reports';
comment on column ads.auction_reports.outcome is 'won, outbid, or the reason that stood against the best of its products';
