-- Two verdicts more: what a browser loaded without a click, and what a
-- publisher earns that is not approved.  The checks of clicks and impressions
-- are replaced; their partitions are read once for it.
insert into ads.click_classes (code, name) values
    (26, 'invalid:not_navigation'),
    (27, 'invalid:not_approved');

alter table ads.clicks
    drop constraint clicks_class_range,
    add constraint clicks_class_range check (class between 0 and 27);
alter table ads.impressions
    drop constraint impressions_class_range,
    add constraint impressions_class_range check (class between 0 and 27);
