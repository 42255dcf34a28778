-- Nodes, epochs and journal cursors.
--
-- An adsd begins with ads.node_begin, which fences the adsd that ran this node
-- before: from then on every call with an older epoch is refused (ADF01).  A
-- database that was restored or failed over to a replica that lagged may know
-- less than the caller (ADF02): ads.node_resume gives it an epoch that no
-- earlier one, on either side, has had.  A cursor moves only from the offset it
-- was read at (ADC01 otherwise: read it again and go on from there).

create or replace function ads.node_begin(p_node bigint)
returns bigint
language sql
security definer
set search_path = ''
as $$
    insert into ads.nodes as n (id)
    values (p_node)
    on conflict (id) do update
    set epoch = n.epoch + 1,
        started_at = now(),
        heartbeat_at = now(),
        retired_at = null
    returning n.epoch
$$;

comment on function ads.node_begin(bigint) is 'a new epoch of a node; every older one is fenced';

create or replace function ads.node_resume(p_node bigint, p_epoch bigint)
returns bigint
language sql
security definer
set search_path = ''
as $$
    insert into ads.nodes as n (id, epoch)
    values (p_node, p_epoch + 1)
    on conflict (id) do update
    set epoch = greatest(n.epoch, p_epoch) + 1,
        started_at = now(),
        heartbeat_at = now(),
        retired_at = null
    returning n.epoch
$$;

comment on function ads.node_resume(bigint, bigint) is
    'a new epoch for who had p_epoch before the database went back';

create or replace function ads.node_check(p_node bigint, p_epoch bigint)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
    v_epoch bigint := (select n.epoch from ads.nodes n where n.id = p_node);
begin
    if v_epoch > p_epoch then
        raise exception 'epoch % of this node was replaced', p_epoch
            using errcode = 'ADF01';
    end if;
    if v_epoch is distinct from p_epoch then
        raise exception 'epoch % of this node is not known here', p_epoch
            using errcode = 'ADF02';
    end if;
end
$$;

comment on function ads.node_check(bigint, bigint) is
    'refuses an epoch that is not the node''s current one: replaced (ADF01), or ahead of this database (ADF02)';

create or replace function ads.node_drained(p_node bigint, p_epoch bigint, p_at timestamptz)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    update ads.nodes
    set drained_to = greatest(drained_to, least(p_at, now() + interval '1 minute')),
        heartbeat_at = now()
    where id = p_node
        and epoch = p_epoch;
    if not found then
        perform ads.node_check(p_node, p_epoch);
    end if;
end
$$;

comment on function ads.node_drained(bigint, bigint, timestamptz) is
    'heartbeat: every record of the node up to p_at, at most a minute ahead, is committed';

-- A cluster has a number, which its replicas share and no restored one has; a
-- database in it another.
create or replace function ads.node_watermark(p_node bigint)
returns table (database text, drained_to timestamptz)
language sql
stable
security definer
set search_path = ''
as $$
    select
        format('%s/%s', s.system_identifier, d.oid),
        greatest(
            (select n.drained_to from ads.nodes n where n.id = p_node),
            timestamptz '1970-01-01 00:00:00Z')
    from pg_catalog.pg_control_system() s
    join pg_catalog.pg_database d on d.datname = current_database()
$$;

comment on function ads.node_watermark(bigint) is
    'which database this is, and up to when all records of the node are committed in it';

-- What its journal may still hold is given up; should it come back, it counts
-- again.  p_silent is how long it must have been silent.
create or replace function ads.node_retire(p_node bigint, p_silent interval)
returns text
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_heartbeat timestamptz;
begin
    select n.heartbeat_at into v_heartbeat
    from ads.nodes n
    where n.id = p_node
    for update;
    if not found then
        return 'absent';
    end if;
    if v_heartbeat > now() - p_silent then
        return 'alive';
    end if;
    update ads.nodes
    set retired_at = coalesce(retired_at, now())
    where id = p_node;
    return 'retired';
end
$$;

comment on function ads.node_retire(bigint, interval) is
    'no transaction waits for this node any more: retired, or alive or absent, when it is not';

create or replace function ads.cursor_get(
    p_node bigint,
    p_segment uuid,
    p_class text,
    p_name text,
    p_epoch bigint)
returns table (off bigint, seq bigint)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
    perform ads.node_check(p_node, p_epoch);
    return query
        insert into ads.journal_cursor as c (node, segment, class, name, epoch)
        values (p_node, p_segment, p_class, p_name, p_epoch)
        on conflict (node, segment) do update
        set epoch = p_epoch,
            updated_at = now()
        where c.epoch <= p_epoch
        returning c.off, c.seq;
    if not found then
        raise exception 'a newer epoch reads this segment'
            using errcode = 'ADF01';
    end if;
end
$$;

comment on function ads.cursor_get(bigint, uuid, text, text, bigint) is
    'where a segment is committed to; makes its row, and adopts it for the node''s current epoch';

create or replace function ads.cursor_advance(
    p_node bigint,
    p_epoch bigint,
    p_segment uuid,
    p_old_off bigint,
    p_new_off bigint,
    p_new_seq bigint,
    p_final boolean)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    if p_new_off < p_old_off then
        raise exception 'a cursor never goes back'
            using errcode = 'ADR01';
    end if;
    update ads.journal_cursor c
    set off = p_new_off,
        seq = p_new_seq,
        final = c.final or p_final,
        updated_at = now()
    from ads.nodes n
    where c.node = p_node
        and c.segment = p_segment
        and c.off = p_old_off
        and c.epoch = p_epoch
        and n.id = c.node
        and n.epoch = p_epoch;
    if not found then
        perform ads.node_check(p_node, p_epoch);
        raise exception 'the cursor is not at %', p_old_off
            using errcode = 'ADC01';
    end if;
end
$$;

comment on function ads.cursor_advance(bigint, bigint, uuid, bigint, bigint, bigint, boolean) is
    'moves a cursor from where it was read; ADC01: it is elsewhere, ADF01: fenced';

create or replace function ads.ingest_reject_put(
    p_node bigint,
    p_epoch bigint,
    p_segment uuid,
    p_old_off bigint,
    p_new_off bigint,
    p_new_seq bigint,
    p_final boolean,
    p_off bigint,
    p_type int,
    p_bytes bytea,
    p_reason text)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform ads.cursor_advance(p_node, p_epoch, p_segment, p_old_off, p_new_off, p_new_seq, p_final);
    insert into ads.ingest_reject (node, segment, off, type, bytes, reason)
    values (p_node, p_segment, p_off, p_type, p_bytes, left(p_reason, 1000));
end
$$;

comment on function ads.ingest_reject_put(bigint, bigint, uuid, bigint, bigint, bigint, boolean, bigint, int, bytea, text) is
    'sets one refused record aside and moves the cursor past it, in one';
