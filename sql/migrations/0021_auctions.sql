-- How campaigns fared in the auctions of requests, counted by workers, and the
-- country of requests without an ad.
--
-- The queue and the table beside ads.reports have one column for each outcome,
-- since there are few and every question asks for all.  Levels are those of
-- ads.reports that workers can tell apart: 0 the account, 1 the campaign.  New
-- tables; no_ad_counts gets a column and another primary key, while no daemon
-- works.  The functions dropped get parameters more.
do $$
declare
    v_function regprocedure;
begin
    for v_function in
        select p.oid
        from pg_catalog.pg_proc p
        where p.pronamespace = 'ads'::regnamespace
            and p.proname in ('ingest', 'no_ad_put')
    loop
        execute format('drop function %s', v_function);
    end loop;
end
$$;

alter table ads.no_ad_counts
    add column country text collate "C" not null default '',
    add constraint no_ad_counts_country_length check (char_length(country) <= 8),
    drop constraint no_ad_counts_pkey,
    add constraint no_ad_counts_pkey primary key (publisher_id, bucket_at, placement, reason, country);
comment on column ads.no_ad_counts.country is 'empty: not known';

create table ads.auction_deltas (
    id bigint generated always as identity,
    bucket_at timestamptz not null,
    account_id uuid not null,
    campaign_id uuid not null,
    won bigint not null,
    outbid bigint not null,
    below_relevance bigint not null,
    below_floor bigint not null,
    no_budget bigint not null,
    paced bigint not null,
    frequency_capped bigint not null,
    currency bigint not null,
    location bigint not null,
    blocked bigint not null,
    other bigint not null,
    constraint auction_deltas_pkey primary key (id),
    constraint auction_deltas_bucket check (
        bucket_at = date_bin('15 minutes', bucket_at, '1970-01-01 00:00:00+00')),
    constraint auction_deltas_range check (
        least(won, outbid, below_relevance, below_floor, no_budget, paced, frequency_capped, currency, location,
            blocked, other) >= 0)
);
comment on table ads.auction_deltas is 'queue: auctions that are in no report yet';

create table ads.auction_reports (
    account_id uuid not null,
    grain text collate "C" not null,
    level smallint not null,
    at timestamptz not null,
    campaign_id uuid not null,
    won bigint not null,
    outbid bigint not null,
    below_relevance bigint not null,
    below_floor bigint not null,
    no_budget bigint not null,
    paced bigint not null,
    frequency_capped bigint not null,
    currency bigint not null,
    location bigint not null,
    blocked bigint not null,
    other bigint not null,
    constraint auction_reports_pkey primary key (account_id, grain, level, at, campaign_id),
    constraint auction_reports_grain_known check (grain in ('q', 'd', 'm')),
    constraint auction_reports_level_known check (level in (0, 1)),
    constraint auction_reports_range check (
        least(won, outbid, below_relevance, below_floor, no_budget, paced, frequency_capped, currency, location,
            blocked, other) >= 0)
) with (fillfactor = 80);
comment on table ads.auction_reports is
    'in how many auctions an advertiser''s campaigns took part, and what became of them; grain, level and at as in reports';
comment on column ads.auction_reports.other is 'outcomes that this version does not know';

do $$
declare
    v_table text;
begin
    foreach v_table in array array['auction_deltas', 'auction_reports'] loop
        execute format('alter table ads.%I enable row level security', v_table);
        execute format('alter table ads.%I force row level security', v_table);
        execute format('create policy %I on ads.%I to ads_ops using (true) with check (true)',
            v_table || '_ops', v_table);
        execute format('create policy %I on ads.%I to current_user using (true) with check (true)',
            v_table || '_owner', v_table);
    end loop;
end
$$;
create policy auction_reports_tenant on ads.auction_reports to ads_api using (account_id = (select ads.tenant()));
