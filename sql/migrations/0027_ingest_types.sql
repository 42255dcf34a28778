-- What adsd hands over of a batch: an array of rows for each kind of record,
-- their fields in the order in which adsd writes them (adsd/ingest_batch.c).
-- New types, and nothing is locked; the functions dropped get them as
-- parameters.
drop function if exists ads.ingest;
drop function if exists ads.clicks_resolve;
drop function if exists ads.decisions_put;
drop function if exists ads.no_ad_put;
drop function if exists ads.auctions_put;

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
