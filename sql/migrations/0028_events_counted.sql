-- Events that are counted instead of stored: those for ads that their request
-- did not show, or that nobody knows.  Anybody with a publisher's key can make
-- up any number of them, and no bill ever needs one.
--
-- Only a new table, which locks nothing that is in use.
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

alter table ads.events_counted enable row level security;
alter table ads.events_counted force row level security;
create policy events_counted_tenant on ads.events_counted to ads_api
    using (publisher_id = (select ads.tenant()))
    with check (publisher_id = (select ads.tenant()));
create policy events_counted_ops on ads.events_counted to ads_ops using (true) with check (true);
create policy events_counted_owner on ads.events_counted to current_user using (true) with check (true);
