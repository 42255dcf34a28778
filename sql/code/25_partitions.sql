-- Partitions: made when a record needs one, or ahead by ads.maintain.
--
-- Making one takes share update exclusive on the parent, which does not wait
-- for inserts; the advisory lock keeps two nodes from making the same one.
-- A transaction that waited for it looks in pg_class itself, by a new snapshot:
-- the name cache behind to_regclass may still say that there is none.  Each new
-- partition has row-level security forced and no policy: it is reached through
-- its parent only.  What its parent refuses it refuses too: a statement on a
-- partition does not reach the triggers of the parent.
create or replace function ads.partition_make(
    p_parent text,
    p_name text,
    p_from text,
    p_to text)
returns int
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('ads.partition_make', 0));
    if exists (
        select
        from pg_catalog.pg_class c
        where c.relnamespace = 'ads'::regnamespace
            and c.relname = p_name
    ) then
        return 0;
    end if;
    execute format('create table ads.%I partition of ads.%I for values from (%L) to (%L)',
        p_name, p_parent, p_from, p_to);
    execute format('alter table ads.%I enable row level security', p_name);
    execute format('alter table ads.%I force row level security', p_name);
    if p_parent in ('clicks', 'impressions') then
        execute format('create trigger %I before update or delete or truncate on ads.%I'
            ' for each statement execute function ads.insert_only()', p_parent || '_insert_only', p_name);
    end if;
    return 1;
end
$$;

comment on function ads.partition_make(text, text, text, text) is
    'makes a partition unless it is there; returns how many it made';

create or replace function ads.partition_days(p_parent text, p_days date[])
returns int
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_day date;
    v_name text;
    v_made int := 0;
begin
    foreach v_day in array p_days loop
        v_name := p_parent || to_char(v_day, '"_"YYYYMMDD"00"');
        if to_regclass('ads.' || v_name) is null then
            v_made := v_made + ads.partition_make(p_parent, v_name, v_day::text, (v_day + 1)::text);
        end if;
    end loop;
    return v_made;
end
$$;

comment on function ads.partition_days(text, date[]) is
    'makes the missing partitions of clicks or impressions for these issue days, given in order';

create or replace function ads.partition_hours(p_hours bigint[])
returns int
language plpgsql
security definer
set search_path = ''
as $$
declare
    v_hour bigint;
    v_name text;
    v_made int := 0;
begin
    foreach v_hour in array p_hours loop
        v_name := to_char(to_timestamp(v_hour * 3600) at time zone 'UTC', '"decisions_"YYYYMMDDHH24');
        if to_regclass('ads.' || v_name) is null then
            v_made := v_made + ads.partition_make('decisions', v_name,
                ads.uuid_floor(v_hour * 3600000)::text, ads.uuid_floor((v_hour + 1) * 3600000)::text);
        end if;
    end loop;
    return v_made;
end
$$;

comment on function ads.partition_hours(bigint[]) is
    'makes the missing partitions of decisions for these hours since 1970, given in order';

create or replace function ads.partition_start(p_name text)
returns timestamptz
language sql
immutable
strict
parallel safe
return pg_catalog.make_timestamptz(
    pg_catalog.left(pg_catalog.right(p_name, 10), 4)::int,
    pg_catalog.left(pg_catalog.right(p_name, 6), 2)::int,
    pg_catalog.left(pg_catalog.right(p_name, 4), 2)::int,
    pg_catalog.right(p_name, 2)::int,
    0, 0, 'UTC');

comment on function ads.partition_start(text) is 'begin of a partition, from the ten digits its name ends in';

-- Partitions older than what reads them go: decisions 26 hours after their
-- hour, events after p_keep_days, never less than the longest attribution
-- window and two days.  A drop waits at most two seconds for running batches
-- and is then left to the next call.
--
-- Without its cursor a segment is new, and read from its beginning.  So cursors
-- outlive the files, which journal_retain_h may keep for a year and a machine
-- that is switched off for as long as it is.
create or replace function ads.maintain(p_keep_days int default 100)
returns table (made int, dropped int)
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
    v_today date := (now() at time zone 'UTC')::date;
    v_hour bigint := floor(extract(epoch from now()) / 3600)::bigint;
    v_name text;
begin
    if p_keep_days < 92 then
        raise exception 'events are kept at least 92 days'
            using errcode = 'invalid_parameter_value';
    end if;
    made := ads.partition_days('clicks', array[v_today, v_today + 1])
        + ads.partition_days('impressions', array[v_today, v_today + 1])
        + ads.partition_hours(array[v_hour, v_hour + 1, v_hour + 2]);

    dropped := 0;
    for v_name in
        select c.relname
        from pg_catalog.pg_inherits i
        join pg_catalog.pg_class c on c.oid = i.inhrelid
        join (
            values
                ('ads.decisions'::regclass, now() - interval '27 hours'),
                ('ads.clicks'::regclass, now() - make_interval(days => p_keep_days + 1)),
                ('ads.impressions'::regclass, now() - make_interval(days => p_keep_days + 1))
        ) as k (parent, before) on k.parent = i.inhparent
        where ads.partition_start(c.relname) < k.before
        order by c.relname
    loop
        begin
            execute format('drop table ads.%I', v_name);
            dropped := dropped + 1;
        exception when lock_not_available then
            exit;
        end;
    end loop;

    delete from ads.journal_cursor c
    where c.final
        and c.updated_at < now() - interval '400 days';

    delete from ads.events_counted e
    where e.bucket_at < now() - make_interval(days => p_keep_days + 1);

    delete from ads.idempotency_keys k
    where k.created_at < now() - interval '25 hours';
    return next;
end
$$;

comment on function ads.maintain(int) is 'makes the partitions of the next hours and days and drops old ones';
