-- Reports: what advertisers and publishers read, in the grains they ask for.
--
-- Ingest puts what happened on a queue, as sums of its batch, in the batch's own
-- transaction; each second a turn takes the queue into the tables below
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
-- The two functions dropped get a parameter more.  New tables but for that.
do $$
declare
    v_function regprocedure;
begin
    for v_function in
        select p.oid
        from pg_catalog.pg_proc p
        where p.pronamespace = 'ads'::regnamespace
            and p.proname in ('ingest', 'decisions_put')
    loop
        execute format('drop function %s', v_function);
    end loop;
end
$$;

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
    constraint report_deltas_pkey primary key (id),
    constraint report_deltas_bucket check (
        bucket_at = date_bin('15 minutes', bucket_at, '1970-01-01 00:00:00+00')),
    constraint report_deltas_money check (
        spend_micros >= 0
        and revenue_micros between 0 and spend_micros
        and abs(value_micros) <= 1000000000000000),
    constraint report_deltas_whole check (num_nulls(account_id, campaign_id, ad_id) in (0, 3)),
    constraint report_deltas_text_length check (
        char_length(placement) <= 64 and char_length(country) <= 8 and char_length(reason) <= 64)
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
    constraint reports_pkey primary key (account_id, grain, level, at, campaign_id, ad_id, placement, country),
    constraint reports_grain_known check (grain in ('q', 'd', 'm')),
    constraint reports_level_known check (level in (0, 1, 12, 15)),
    constraint reports_text_length check (char_length(placement) <= 64 and char_length(country) <= 8),
    constraint reports_range check (
        least(impressions, clicks, invalid_clicks, duplicate_clicks, free_clicks, spend_micros, conversions) >= 0),
    constraint reports_value_range check (value_micros >= -1000000000000000)
) with (fillfactor = 80);
comment on table ads.reports is 'what an advertiser''s ads did, by grain and level';
comment on column ads.reports.value_micros is
    'an adjustment is checked as it comes, before it is added, so a row to be added may be below zero';
comment on column ads.reports.at is
    'q: the quarter of an hour; d, m: day or month of the zone in report_zones, written as if it were UTC';

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
    constraint report_conversions_pkey primary key (event_id),
    constraint report_conversions_value_range check (value_micros >= 0),
    constraint report_conversions_text_length check (char_length(placement) <= 64 and char_length(country) <= 8),
    constraint report_conversions_event_fkey foreign key (event_id) references ads.conversions (event_id),
    constraint report_conversions_account_fkey foreign key (account_id) references ads.accounts (id)
);
comment on table ads.report_conversions is 'what of each conversion is counted so far, so that an adjustment counts the difference';
create index report_conversions_account_idx on ads.report_conversions (account_id);

create table ads.report_conversion_queue (
    id bigint generated always as identity,
    event_id uuid not null,
    constraint report_conversion_queue_pkey primary key (id)
);
comment on table ads.report_conversion_queue is 'queue: conversions that were recorded or adjusted';

do $$
declare
    v_table text;
    v_rule text;
begin
    for v_table, v_rule in
        values
            ('report_deltas', null),
            ('reports', 'account_id = (select ads.tenant())'),
            ('site_reports', 'publisher_id = (select ads.tenant())'),
            ('report_zones', 'account_id = (select ads.tenant())'),
            ('report_conversions', null)
    loop
        execute format('alter table ads.%I enable row level security', v_table);
        execute format('alter table ads.%I force row level security', v_table);
        if v_rule is not null then
            execute format('create policy %I on ads.%I to ads_api using (%s)', v_table || '_tenant', v_table, v_rule);
        end if;
        execute format('create policy %I on ads.%I to ads_ops using (true) with check (true)',
            v_table || '_ops', v_table);
        execute format('create policy %I on ads.%I to current_user using (true) with check (true)',
            v_table || '_owner', v_table);
    end loop;
end
$$;

-- What there is already.  Clicks and impressions are counted again from the
-- events, which are kept longer than any installation is old.
insert into ads.report_zones (account_id, timezone)
select a.id, a.timezone
from ads.accounts a;

insert into ads.report_deltas (
    bucket_at, account_id, campaign_id, ad_id, publisher_id, placement, country,
    impressions, clicks, invalid_clicks, duplicate_clicks, free_clicks, spend_micros, revenue_micros)
select
    date_bin('15 minutes', e.at, '1970-01-01 00:00:00+00'), e.account_id, e.campaign_id, e.ad_id, e.publisher_id,
    e.placement, e.country,
    count(*) filter (where e.class = -1),
    count(*) filter (where e.class = 0),
    count(*) filter (where e.class >= 16),
    count(*) filter (where e.class = 1),
    count(*) filter (where e.class = 4),
    sum(e.billed),
    sum(e.billed / 10000 * e.bps + e.billed % 10000 * e.bps / 10000)
from (
    select k.at, k.account_id, k.campaign_id, k.ad_id, k.publisher_id, coalesce(k.placement, '') as placement,
        coalesce(k.country, '') as country, k.class, k.billed_micros as billed, coalesce(t.share_bps, 0) as bps
    from ads.clicks k
    left join ads.ledger_transactions t on t.id = k.ledger_tx
    where k.class not in (5, 25)
    union all
    select i.at, i.account_id, i.campaign_id, i.ad_id, i.publisher_id, coalesce(i.placement, ''),
        coalesce(i.country, ''), -1, 0, 0
    from ads.impressions i
    where i.class = 0
) e
group by 1, 2, 3, 4, 5, 6, 7;

insert into ads.report_deltas (bucket_at, publisher_id, placement, country, reason, no_ads)
select n.bucket_at, n.publisher_id, n.placement, '', n.reason, n.n
from ads.no_ad_counts n;

insert into ads.report_deltas (bucket_at, publisher_id, placement, country, shows)
select date_bin('15 minutes', d.at, '1970-01-01 00:00:00+00'), d.publisher_id, d.placement, coalesce(d.country, ''), count(*)
from ads.decisions d
group by 1, 2, 3, 4;

insert into ads.report_conversion_queue (event_id)
select coalesce(c.adjusts, c.event_id)
from ads.conversions c
where c.status = 'recorded'
    or c.adjusts is not null;
