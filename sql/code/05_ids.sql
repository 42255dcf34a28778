-- Ids: what the ids and packed bytes of the journal say.
--
-- request_id and click_id are UUIDs of version 8 whose first 48 bits are the
-- time of the request in milliseconds.  These functions are small and plain
-- so that the planner can put them into the queries that call them.  The
-- operators | and << bind alike, hence the parentheses.
create or replace function ads.uuid_ms(p_id uuid)
returns bigint
language sql
immutable
strict
parallel safe
return (pg_catalog.get_byte(pg_catalog.uuid_send(p_id), 0)::bigint << 40)
    | (pg_catalog.get_byte(pg_catalog.uuid_send(p_id), 1)::bigint << 32)
    | (pg_catalog.get_byte(pg_catalog.uuid_send(p_id), 2)::bigint << 24)
    | (pg_catalog.get_byte(pg_catalog.uuid_send(p_id), 3)::bigint << 16)
    | (pg_catalog.get_byte(pg_catalog.uuid_send(p_id), 4)::bigint << 8)
    | pg_catalog.get_byte(pg_catalog.uuid_send(p_id), 5)::bigint;

comment on function ads.uuid_ms(uuid) is 'time of the request, in milliseconds since 1970';

create or replace function ads.uuid_time(p_id uuid)
returns timestamptz
language sql
immutable
strict
parallel safe
return pg_catalog.to_timestamp(ads.uuid_ms(p_id) / 1000.0::double precision);

comment on function ads.uuid_time(uuid) is 'time of the request';

create or replace function ads.uuid_day(p_id uuid)
returns date
language sql
immutable
strict
parallel safe
return '1970-01-01'::date + (ads.uuid_ms(p_id) / 86400000)::int;

comment on function ads.uuid_day(uuid) is 'UTC day of the request: the issue_day of its events';

create or replace function ads.uuid_floor(p_ms bigint)
returns uuid
language sql
immutable
strict
parallel safe
return (pg_catalog.lpad(pg_catalog.to_hex(p_ms), 12, '0') || pg_catalog.repeat('0', 20))::uuid;

comment on function ads.uuid_floor(bigint) is 'the least id of a millisecond, for partition bounds';

create or replace function ads.from_us(p_us bigint)
returns timestamptz
language sql
immutable
strict
parallel safe
return pg_catalog.to_timestamp(p_us / 1000000.0::double precision);

comment on function ads.from_us(bigint) is 'a journal time: microseconds since 1970';

create or replace function ads.time_refuse(p_us bigint)
returns timestamptz
language plpgsql
stable
as $$
begin
    raise exception 'a journal time of % us is no clock''s', p_us
        using errcode = '22008';
end
$$;

comment on function ads.time_refuse(bigint) is 'refuses (22008) a record of a time that no clock has been set to';

-- A node whose clock is ahead must not bill a day that has not begun.
create or replace function ads.event_at(p_us bigint)
returns timestamptz
language sql
stable
parallel safe
return case
    when ads.from_us(p_us) <= pg_catalog.now() then ads.from_us(p_us)
    when ads.from_us(p_us) > pg_catalog.now() + interval '366 days' then ads.time_refuse(p_us)
    when p_us is not null then pg_catalog.now()
end;

comment on function ads.event_at(bigint) is 'when an event was, by a journal time: at most now; over a year later is refused';

create or replace function ads.bucket(p_at timestamptz)
returns timestamptz
language sql
immutable
strict
parallel safe
return pg_catalog.date_bin('15 minutes'::interval, p_at, '1970-01-01 00:00:00+00'::timestamptz);

comment on function ads.bucket(timestamptz) is 'start of the 15 minutes a report counts it in';

-- A decision's list has 28 bytes for each ad, so a match that does not begin
-- on such a step lies across two of them and means nothing.
create or replace function ads.shown_find(p_shown bytea, p_ad uuid)
returns int
language plpgsql
immutable
strict
parallel safe
set search_path = ''
as $$
declare
    v_ad bytea := uuid_send(p_ad);
    v_at int := position(v_ad in p_shown);
    v_next int;
begin
    while v_at > 0 and (v_at - 1) % 28 <> 0 loop
        v_next := position(v_ad in substring(p_shown from v_at + 1));
        v_at := case when v_next = 0 then 0 else v_at + v_next end;
    end loop;
    return nullif(v_at, 0);
end
$$;

comment on function ads.shown_find(bytea, uuid) is
    'the place of the ad in a decision''s list, from 1; null when it was not shown';

create or replace function ads.shown_price(p_shown bytea, p_at int)
returns bigint
language sql
immutable
strict
parallel safe
return pg_catalog.get_byte(p_shown, p_at + 15)::bigint
    | (pg_catalog.get_byte(p_shown, p_at + 16)::bigint << 8)
    | (pg_catalog.get_byte(p_shown, p_at + 17)::bigint << 16)
    | (pg_catalog.get_byte(p_shown, p_at + 18)::bigint << 24)
    | (pg_catalog.get_byte(p_shown, p_at + 19)::bigint << 32)
    | (pg_catalog.get_byte(p_shown, p_at + 20)::bigint << 40)
    | (pg_catalog.get_byte(p_shown, p_at + 21)::bigint << 48)
    | (pg_catalog.get_byte(p_shown, p_at + 22)::bigint << 56);

comment on function ads.shown_price(bytea, int) is 'price in micros beside the ad found at p_at';

create or replace function ads.shown_version(p_shown bytea, p_at int)
returns int
language sql
immutable
strict
parallel safe
return pg_catalog.get_byte(p_shown, p_at + 23)
    | (pg_catalog.get_byte(p_shown, p_at + 24) << 8)
    | (pg_catalog.get_byte(p_shown, p_at + 25) << 16)
    | (pg_catalog.get_byte(p_shown, p_at + 26) << 24);

comment on function ads.shown_version(bytea, int) is 'campaign version beside the ad found at p_at';
