-- What happened: nodes and how far their journals are read, clicks,
-- impressions, SHOW decisions, conversions.
--
-- The cursor of a journal segment is the only truth about what is committed:
-- every batch advances it from the offset it was read at, in its own
-- transaction.
--
-- Clicks and impressions are partitioned by the UTC day the request was
-- served, which stands in the first 48 bits of their ids (milliseconds), so
-- that uniqueness of the billed ones holds across partitions.  Decisions are
-- partitioned by request_id itself, in hours of the same bits, and dropped
-- after 26 h.  Every record is a row under its place in the journal (node,
-- segment, off).  Events have no foreign keys.  Partitions are made by
-- ads.partition_ensure.
--
-- Orders of conversions are unique for each reporter while their click is
-- awaited, and for all once it has come: who names an order first does not keep
-- its owner from reporting it.

create table ads.nodes (
    id bigint not null,
    epoch bigint not null default 1,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now(),
    drained_to timestamptz not null default '-infinity',
    retired_at timestamptz,
    looked_node bigint not null default (-2^63)::bigint,
    looked_segment uuid not null default '00000000-0000-0000-0000-000000000000',
    looked_off bigint not null default 0,
    constraint nodes_pkey primary key (id),
    constraint nodes_epoch_range check (epoch >= 1)
);
comment on table ads.nodes is 'one nginx with its adsd; the epoch fences an adsd that was replaced';
comment on column ads.nodes.drained_to is 'every record of this node up to this time is committed';
comment on column ads.nodes.retired_at is 'given up by an operator; null while its journal is waited for';
comment on column ads.nodes.looked_node is
    'with looked_segment and looked_off: the waiting event that ads.settle_pending looked at last; the least key begins the round';

create table ads.node_sales (
    campaign_id uuid not null,
    node bigint not null,
    live bigint not null,
    served_micros bigint not null,
    coming_micros bigint not null,
    room_micros bigint not null,
    pace_micros bigint not null,
    said_at timestamptz not null default now(),
    constraint node_sales_pkey primary key (campaign_id, node),
    constraint node_sales_range check (least(served_micros, coming_micros, room_micros, pace_micros) >= 0),
    constraint node_sales_node_fkey foreign key (node) references ads.nodes (id)
) with (fillfactor = 50);
comment on table ads.node_sales is
    'what each node sells of a campaign, as it said last: an estimate that keeps the nodes together within a budget';
comment on column ads.node_sales.live is 'the file in which served_micros was counted';
comment on column ads.node_sales.coming_micros is 'what the links of this node that are out will probably cost';
comment on column ads.node_sales.room_micros is 'what clicks it may sell beyond these before it asks again';
comment on column ads.node_sales.pace_micros is 'what its links of late cost in a minute';

create index node_sales_node_idx on ads.node_sales (node);

create type ads.sale_in as (
    campaign uuid,
    live bigint,
    served bigint,
    coming bigint,
    room bigint,
    pace bigint
);
comment on type ads.sale_in is 'what a node says of a campaign, as ads.sales_put() takes it';

create table ads.journal_cursor (
    node bigint not null,
    segment uuid not null,
    class text not null,
    name text not null,
    off bigint not null default 0,
    seq bigint not null default 0,
    epoch bigint not null,
    final boolean not null default false,
    updated_at timestamptz not null default now(),
    constraint journal_cursor_pkey primary key (node, segment),
    constraint journal_cursor_class_known check (class in ('m', 't')),
    constraint journal_cursor_name_length check (char_length(name) between 1 and 255),
    constraint journal_cursor_off_range check (off >= 0),
    constraint journal_cursor_seq_range check (seq >= 0),
    constraint journal_cursor_node_fkey foreign key (node) references ads.nodes (id)
) with (fillfactor = 50);
comment on table ads.journal_cursor is 'how far each journal segment is committed';
comment on column ads.journal_cursor.final is 'nobody appends any more and all of it is committed';

create table ads.ingest_reject (
    node bigint not null,
    segment uuid not null,
    off bigint not null,
    at timestamptz not null default now(),
    type int not null,
    bytes bytea not null,
    reason text not null,
    constraint ingest_reject_pkey primary key (node, segment, off),
    constraint ingest_reject_bytes_length check (octet_length(bytes) <= 65536)
);
comment on table ads.ingest_reject is 'records PostgreSQL refused, whole, so that one never stops the rest';

create table ads.click_classes (
    code smallint not null,
    name text not null,
    constraint click_classes_pkey primary key (code),
    constraint click_classes_name_key unique (name)
);
comment on table ads.click_classes is 'verdicts on clicks and impressions; 16 and above are invalid:<rule>';
insert into ads.click_classes (code, name) values
    (0, 'valid'),
    (1, 'duplicate'),
    (2, 'late'),
    (3, 'paused'),
    (4, 'unfunded'),
    (5, 'test'),
    (16, 'invalid:bot_ua'),
    (17, 'invalid:empty_ua'),
    (18, 'invalid:rate'),
    (19, 'invalid:too_fast'),
    (20, 'invalid:burst'),
    (21, 'invalid:repeat'),
    (22, 'invalid:operator'),
    (23, 'invalid:not_shown'),
    (24, 'invalid:not_billable'),
    (25, 'invalid:unknown_ad'),
    (26, 'invalid:not_navigation'),
    (27, 'invalid:not_approved');

create table ads.clicks (
    node bigint not null,
    off bigint not null,
    at timestamptz not null,
    price_micros bigint not null,
    billed_micros bigint not null,
    ledger_tx bigint,
    session_hash bigint,
    ip_hash bigint,
    segment uuid not null,
    click_id uuid not null,
    request_id uuid not null,
    ad_id uuid not null,
    account_id uuid,
    campaign_id uuid,
    publisher_id uuid not null,
    issue_day date not null,
    budget_day date,
    campaign_version int not null,
    class smallint not null,
    via text not null,
    placement text collate "C",
    country text collate "C",
    constraint clicks_pkey primary key (issue_day, node, segment, off),
    constraint clicks_price_range check (price_micros between 0 and 1000000000000000),
    constraint clicks_billed_all_or_nothing check (billed_micros in (0, price_micros)),
    constraint clicks_billed_valid check (billed_micros = 0 or class = 0),
    constraint clicks_billed_ledger check (
        (billed_micros > 0) = (ledger_tx is not null)
        and (billed_micros > 0) = (budget_day is not null)),
    constraint clicks_account_known check (
        (account_id is null) = (class = 25)
        and (campaign_id is null) = (class = 25)),
    constraint clicks_via_known check (via in ('redirect', 'event')),
    constraint clicks_placement_length check (char_length(placement) <= 64),
    constraint clicks_country_length check (char_length(country) <= 8),
    constraint clicks_class_range check (class between 0 and 27)
) partition by range (issue_day);
comment on table ads.clicks is 'every answered click, in exactly one class; insert-only';
comment on column ads.clicks.account_id is 'the advertiser; null only when the ad is unknown';
comment on column ads.clicks.budget_day is 'day of the campaign''s time zone it was billed on';
create unique index clicks_valid_key on ads.clicks (issue_day, click_id, account_id) where class = 0;
create index clicks_unbilled_idx on ads.clicks (click_id) where class <> 0;
create index clicks_session_idx on ads.clicks (session_hash, ad_id, at)
    where class in (0, 4) and session_hash <> 0;
create index clicks_address_idx on ads.clicks (ip_hash, campaign_id, at)
    where class in (0, 4) and ip_hash <> 0;

create type ads.click_times as (
    at timestamptz[]
);
comment on type ads.click_times is 'when clicks of one session or of one address passed the rules';

create table ads.impressions (
    node bigint not null,
    off bigint not null,
    at timestamptz not null,
    session_hash bigint,
    segment uuid not null,
    request_id uuid not null,
    ad_id uuid not null,
    account_id uuid,
    campaign_id uuid,
    publisher_id uuid not null,
    issue_day date not null,
    class smallint not null,
    placement text collate "C",
    country text collate "C",
    constraint impressions_pkey primary key (issue_day, node, segment, off),
    constraint impressions_account_known check (
        (account_id is null) = (class = 25)
        and (campaign_id is null) = (class = 25)),
    constraint impressions_class_range check (class between 0 and 27)
) partition by range (issue_day);
comment on table ads.impressions is 'every reported impression, in exactly one class; insert-only';
create unique index impressions_valid_key on ads.impressions (issue_day, request_id, ad_id) where class = 0;

create table ads.decisions (
    request_id uuid not null,
    at timestamptz not null,
    publisher_id uuid not null,
    session_hash bigint,
    placement text collate "C" not null,
    country text collate "C",
    shown bytea not null,
    constraint decisions_pkey primary key (request_id),
    constraint decisions_shown_form check (
        octet_length(shown) between 28 and 560
        and octet_length(shown) % 28 = 0)
) partition by range (request_id);
comment on table ads.decisions is 'what a request was shown, for the events that carry no seal; kept 26 h';
comment on column ads.decisions.shown is
    'n x 28 bytes: ad_id (16), price in micros (8, little-endian), campaign version (4, little-endian)';

create table ads.event_pending (
    node bigint not null,
    segment uuid not null,
    off bigint not null,
    kind text not null,
    at timestamptz not null,
    click_id uuid,
    request_id uuid not null,
    ad_id uuid not null,
    publisher_id uuid not null,
    session_hash bigint,
    ip_hash bigint,
    constraint event_pending_pkey primary key (node, segment, off),
    constraint event_pending_kind_known check (kind in ('click', 'impression')),
    constraint event_pending_click_id check ((kind = 'click') = (click_id is not null))
);
comment on table ads.event_pending is
    'events without a seal whose decision is not committed yet; settled by ads.settle_pending';
create index event_pending_request_idx on ads.event_pending (request_id);
create index event_pending_at_idx on ads.event_pending (at);

create table ads.clicks_held (
    like ads.clicks,
    held_no bigint not null generated always as identity,
    held_at timestamptz not null default now(),
    constraint clicks_held_pkey primary key (node, segment, off),
    constraint clicks_held_price_range check (price_micros between 0 and 1000000000000000),
    constraint clicks_held_unbilled check (billed_micros = 0 and ledger_tx is null),
    constraint clicks_held_billable check (class = 0 and account_id is not null)
);
comment on table ads.clicks_held is
    'clicks of advertisers whose balance another transaction held; billed in their order by ads.held_settle';
comment on column ads.clicks_held.held_no is 'in this order they came, and are billed';
create index clicks_held_account_idx on ads.clicks_held (account_id, held_no);
create index clicks_held_click_idx on ads.clicks_held (click_id);
create index clicks_held_at_idx on ads.clicks_held (at);

create table ads.no_ad_counts (
    bucket_at timestamptz not null,
    publisher_id uuid not null,
    placement text collate "C" not null,
    reason text collate "C" not null,
    n bigint not null,
    country text collate "C" not null default '',
    constraint no_ad_counts_pkey primary key (publisher_id, bucket_at, placement, reason, country),
    constraint no_ad_counts_bucket check (
        bucket_at = date_bin('15 minutes', bucket_at, '1970-01-01 00:00:00+00')),
    constraint no_ad_counts_range check (n > 0),
    constraint no_ad_counts_text_length check (
        char_length(placement) <= 64 and char_length(reason) between 1 and 64),
    constraint no_ad_counts_country_length check (char_length(country) <= 8)
) with (fillfactor = 70);
comment on table ads.no_ad_counts is 'requests answered without an ad, per 15 minutes UTC';
comment on column ads.no_ad_counts.country is 'empty: not known';

create table ads.spend_rollups (
    account_id uuid not null,
    bucket_at timestamptz not null,
    campaign_id uuid not null,
    publisher_id uuid not null,
    placement text collate "C" not null,
    country text collate "C" not null,
    impressions bigint not null default 0,
    clicks bigint not null default 0,
    duplicate_clicks bigint not null default 0,
    invalid_clicks bigint not null default 0,
    free_clicks bigint not null default 0,
    late_clicks bigint not null default 0,
    paused_clicks bigint not null default 0,
    spend_micros bigint not null default 0,
    revenue_micros bigint not null default 0,
    constraint spend_rollups_pkey primary key (
        account_id, bucket_at, campaign_id, publisher_id, placement, country),
    constraint spend_rollups_bucket check (
        bucket_at = date_bin('15 minutes', bucket_at, '1970-01-01 00:00:00+00')),
    constraint spend_rollups_range check (
        least(impressions, clicks, duplicate_clicks, invalid_clicks, free_clicks,
              late_clicks, paused_clicks, spend_micros, revenue_micros) >= 0
        and revenue_micros <= spend_micros)
) with (fillfactor = 70);
comment on table ads.spend_rollups is
    'money and its events per 15 minutes UTC, written with the ledger; unknown place or placement is empty';
comment on column ads.spend_rollups.free_clicks is 'class unfunded: valid, but nothing was left to pay for it';
comment on column ads.spend_rollups.revenue_micros is 'the publisher''s share of the spend';
create index spend_rollups_publisher_idx on ads.spend_rollups (publisher_id, bucket_at);

create table ads.conversions (
    event_id uuid not null default gen_random_uuid(),
    click_id uuid not null,
    actor_account_id uuid not null,
    account_id uuid,
    campaign_id uuid,
    ad_id uuid,
    publisher_id uuid,
    click_at timestamptz,
    value_micros bigint not null,
    currency char(3) not null,
    order_id text,
    adjusts uuid,
    status text not null,
    reason text,
    occurred_at timestamptz not null,
    at timestamptz not null default now(),
    constraint conversions_pkey primary key (event_id),
    constraint conversions_value_range check (value_micros between 0 and 1000000000000000),
    constraint conversions_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint conversions_order_id_length check (char_length(order_id) between 1 and 128),
    constraint conversions_actor_fkey foreign key (actor_account_id) references ads.accounts (id),
    constraint conversions_adjusts_fkey foreign key (adjusts) references ads.conversions (event_id),
    constraint conversions_status_known check (status in ('recorded', 'held', 'unattributed', 'pending')),
    constraint conversions_reason_when check (
        (status in ('held', 'unattributed')) = (reason is not null)),
    constraint conversions_recorded_whole check (
        status not in ('recorded', 'held')
        or num_nulls(account_id, campaign_id, ad_id, publisher_id, click_at) = 0)
);
comment on table ads.conversions is 'sales reported after a click; they count on their click''s day';
comment on column ads.conversions.actor_account_id is 'who reported it, advertiser or publisher';
comment on column ads.conversions.adjusts is
    'the first event of the same reporter whose value this one replaces (0 cancels it)';
comment on column ads.conversions.status is
    'recorded: counts for who reported it; held: beyond a cap; unattributed: counts for nothing';
create index conversions_click_idx on ads.conversions (click_id, at);
create index conversions_account_idx on ads.conversions (account_id, click_at);
create index conversions_actor_idx on ads.conversions (actor_account_id);
create index conversions_adjusts_idx on ads.conversions (adjusts, at);
create index conversions_pending_idx on ads.conversions (at) where status = 'pending';
create unique index conversions_order_key
    on ads.conversions (click_id, order_id, actor_account_id)
    where order_id is not null and adjusts is null and reason is distinct from 'click_not_found';
create index conversions_campaign_idx
    on ads.conversions (campaign_id, actor_account_id, at)
    where status = 'recorded';

create table ads.events_counted (
    node bigint not null,
    segment uuid not null,
    publisher_id uuid not null,
    bucket_at timestamptz not null,
    kind text not null,
    class smallint not null,
    n bigint not null,
    constraint events_counted_pkey primary key (node, segment, publisher_id, bucket_at, kind, class),
    constraint events_counted_kind_known check (kind in ('click', 'impression')),
    constraint events_counted_class_known check (class in (23, 25)),
    constraint events_counted_n_positive check (n > 0)
);
comment on table ads.events_counted is
    'events of a journal segment that are in no other table, a row for each publisher, quarter of an hour, kind and class';
create index events_counted_publisher_idx on ads.events_counted (publisher_id, bucket_at);
create index events_counted_bucket_idx on ads.events_counted (bucket_at);

-- What adsd hands over of a batch: an array of rows for each kind of record, their
-- fields in the order in which adsd writes them (adsd/journal/ingest_batch.c).
create type ads.click_in as (
    off bigint,
    at_us bigint,
    click uuid,
    request uuid,
    ad uuid,
    publisher uuid,
    price bigint,
    session bigint,
    ip bigint,
    class smallint,
    flags int,
    version int,
    placement text,
    country text
);
comment on type ads.click_in is 'a click as a worker wrote it; off: where it stands in its segment';

create type ads.impression_in as (
    off bigint,
    at_us bigint,
    request uuid,
    ad uuid,
    publisher uuid,
    session bigint,
    flags int
);
comment on type ads.impression_in is 'an impression as a worker wrote it';

create type ads.decision_in as (
    at_us bigint,
    request uuid,
    publisher uuid,
    session bigint,
    placement text,
    country text,
    shown bytea,
    flags int
);
comment on type ads.decision_in is 'a SHOW decision; shown: 28 bytes an ad, as in the record';

create type ads.no_ad_in as (
    bucket_us bigint,
    publisher uuid,
    placement text,
    country text,
    reason text,
    n bigint
);
comment on type ads.no_ad_in is 'how many requests of a bucket got no ad, for one reason';

create type ads.auction_in as (
    bucket_us bigint,
    campaign uuid,
    outcome text,
    n bigint
);
comment on type ads.auction_in is 'how many auctions of a bucket ended for a campaign in one way';

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
