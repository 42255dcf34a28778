-- Conversions are kept by who reported them, and held beyond caps.  Replaces
-- two indexes by one and adds columns with constant defaults; the table of
-- conversions is locked for writing while the indexes are built.
alter table ads.settings
    add column conversions_per_click int not null default 20,
    add column conversion_value_max_micros bigint not null default 100000000000,
    add constraint settings_conversions_range check (conversions_per_click between 1 and 10000),
    add constraint settings_conversion_value_range check (conversion_value_max_micros >= 1000000);
comment on column ads.settings.conversions_per_click is 'how many of one reporter count on a click';
comment on column ads.settings.conversion_value_max_micros is
    'what conversions of one reporter are worth on a campaign in 24 hours at most';

alter table ads.conversions
    drop constraint conversions_status_known,
    drop constraint conversions_reason_when,
    drop constraint conversions_recorded_whole,
    add constraint conversions_status_known check (status in ('recorded', 'held', 'unattributed', 'pending')),
    add constraint conversions_reason_when check (
        (status in ('held', 'unattributed')) = (reason is not null)),
    add constraint conversions_recorded_whole check (
        status not in ('recorded', 'held')
        or num_nulls(account_id, campaign_id, ad_id, publisher_id, click_at) = 0);
comment on column ads.conversions.status is
    'recorded: counts for who reported it; held: beyond a cap; unattributed: counts for nothing';

drop index ads.conversions_order_key;
drop index ads.conversions_order_waiting_key;
create unique index conversions_order_key
    on ads.conversions (click_id, order_id, actor_account_id)
    where order_id is not null and adjusts is null and reason is distinct from 'click_not_found';
create index conversions_campaign_idx
    on ads.conversions (campaign_id, actor_account_id, at)
    where status = 'recorded';
comment on column ads.conversions.adjusts is
    'the first event of the same reporter whose value this one replaces (0 cancels it)';

alter table ads.report_conversions
    add column side text collate "C" not null default 'own',
    add constraint report_conversions_side_known check (side in ('own', 'publisher', 'held', 'none'));
comment on column ads.report_conversions.side is
    'where it is counted: the advertiser''s own, the publisher''s, beyond the caps, or nowhere any more';

alter table ads.report_deltas
    add column publisher_conversions bigint not null default 0,
    add column publisher_value_micros bigint not null default 0,
    add column held_conversions bigint not null default 0,
    add constraint report_deltas_publisher_value check (abs(publisher_value_micros) <= 1000000000000000);

alter table ads.reports
    add column publisher_conversions bigint not null default 0,
    add column publisher_value_micros bigint not null default 0,
    add column held_conversions bigint not null default 0,
    add constraint reports_publisher_value_range check (publisher_value_micros >= -1000000000000000);
comment on column ads.reports.publisher_conversions is
    'of what publishers reported, what the advertiser did not; falls when the advertiser does';
