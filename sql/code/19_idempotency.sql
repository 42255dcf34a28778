-- Idempotency-Key: the first answer to a creating request is the answer to
-- all of its repeats.
--
-- A key is claimed by a lock that ends with the transaction, however it ends,
-- and its answer is stored in that transaction: after a crash there is either
-- the effect with its answer, or neither.
create or replace function ads.idempotency_claim(
    p_account_id uuid, p_key text, p_request bytea,
    out state text, out status int, out content_type text, out body bytea, out location text, out etag text,
    out object_id uuid)
language plpgsql
set search_path = ''
as $$
declare
    v_row ads.idempotency_keys;
begin
    if not pg_try_advisory_xact_lock(hashtextextended(p_account_id::text || p_key, 7)) then
        state := 'running';
        return;
    end if;

    select k.* into v_row
    from ads.idempotency_keys k
    where k.account_id = p_account_id
        and k.key = p_key;

    if not found then
        state := 'new';
    elsif v_row.created_at < now() - interval '24 hours' then
        delete from ads.idempotency_keys k
        where k.account_id = p_account_id
            and k.key = p_key;
        state := 'new';
    elsif v_row.request_hash <> sha256(p_request) then
        state := 'other';
    elsif v_row.body is null and v_row.object_id is not null then
        state := 'secret';
        object_id := v_row.object_id;
    else
        state := 'done';
        status := v_row.status;
        content_type := v_row.content_type;
        body := v_row.body;
        location := v_row.location;
        etag := v_row.etag;
    end if;
end
$$;

comment on function ads.idempotency_claim(uuid, text, bytea) is
    'new: go on; running, other (body), secret (done, not repeatable); done: answer this';

create or replace function ads.idempotency_store(
    p_account_id uuid, p_key text, p_request bytea, p_status int, p_content_type text, p_body bytea,
    p_location text, p_etag text, p_object_id uuid)
returns void
language sql
set search_path = ''
as $$
insert into ads.idempotency_keys (
    account_id, key, request_hash, status, content_type, body, location, etag, object_id)
values (p_account_id, p_key, sha256(p_request), p_status, p_content_type, p_body, p_location, p_etag, p_object_id)
$$;

comment on function ads.idempotency_store(uuid, text, bytea, int, text, bytea, text, text, uuid) is
    'keeps the answer of the transaction that claimed the key';
