-- Nodes that are gone for good: nobody waits for what their journals may hold.
-- Adds a column that is null everywhere, which locks ads.nodes for an instant.

alter table ads.nodes
    add column retired_at timestamptz;

comment on column ads.nodes.retired_at is 'given up by an operator; null while its journal is waited for';
