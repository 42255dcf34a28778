-- What campaigns may say beyond the first version: how often one session sees
-- them; and the form that targeting must have.
--
-- Columns without a value need no rewrite of the table; the checks read it
-- once under a lock.  One index is in the order of the list.
alter table ads.campaigns
    add column frequency_count int,
    add column frequency_window_s int,
    add constraint campaigns_frequency_both
        check ((frequency_count is null) = (frequency_window_s is null)),
    add constraint campaigns_frequency_count check (frequency_count between 1 and 1000),
    add constraint campaigns_frequency_window check (frequency_window_s between 60 and 86400),
    add constraint campaigns_targeting_known check (
        targeting - array['locations', 'not_locations', 'placements', 'publishers', 'keywords',
            'negative_keywords', 'categories', 'languages'] = '{}'),
    add constraint campaigns_targeting_texts check (
        not jsonb_path_exists(targeting, 'strict $.* ? (@.type() != "array")')
        and not jsonb_path_exists(targeting, 'strict $.*[*] ? (@.type() != "string")', '{}', true)),
    add constraint campaigns_targeting_count check (
        not jsonb_path_exists(targeting, '
            strict $ ? (@.locations.size() > 500
                || @.not_locations.size() > 500
                || @.placements.size() > 100
                || @.publishers.size() > 500
                || @.keywords.size() > 2000
                || @.negative_keywords.size() > 2000
                || @.categories.size() > 100
                || @.languages.size() > 50)', '{}', true));
comment on column ads.campaigns.frequency_count is
    'how often one session is shown this campaign within frequency_window_s; null: no limit';
create index campaigns_listed_idx on ads.campaigns (account_id, created_at desc, id desc);
create index campaigns_external_idx on ads.campaigns (account_id, external_id) where external_id is not null;
