-- Sales of a report may be taken back together: what they add up to is below
-- what one sale may be worth, and that refused the turn that took them, over
-- and over.  A sum is held within bigint instead (ads.micros_within).  Reads
-- ads.reports once, while no daemon works.
alter table ads.reports
    drop constraint reports_value_range,
    add constraint reports_value_range check (value_micros >= -9223372036854775807);
comment on column ads.reports.value_micros is 'of conversions, as they were adjusted; held within bigint';
