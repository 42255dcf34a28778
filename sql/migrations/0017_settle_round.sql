-- Where each node's round over the events that wait has got to.  Adds columns
-- with constant defaults, which locks ads.nodes for an instant.

alter table ads.nodes
    add column looked_node bigint not null default (-2^63)::bigint,
    add column looked_segment uuid not null default '00000000-0000-0000-0000-000000000000',
    add column looked_off bigint not null default 0;

comment on column ads.nodes.looked_node is
    'with looked_segment and looked_off: the waiting event that ads.settle_pending looked at last; the least key begins the round';
