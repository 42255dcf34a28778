-- Where each node stands: its epoch, and the cursor of each journal segment.
--
-- The cursor is the only truth about what is committed: every batch advances
-- it from the offset it was read at, in its own transaction.  Only new
-- tables: locks nothing that is in use.
create table ads.nodes (
    id bigint not null,
    epoch bigint not null default 1,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now(),
    drained_to timestamptz not null default '-infinity',
    constraint nodes_pkey primary key (id),
    constraint nodes_epoch_range check (epoch >= 1)
);
comment on table ads.nodes is 'one nginx with its adsd; the epoch fences an adsd that was replaced';
comment on column ads.nodes.drained_to is 'every record of this node up to this time is committed';

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
