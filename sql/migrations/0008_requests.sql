-- What makes a management request safe: the answer kept under its
-- Idempotency-Key, and the log of every change.
--
-- Both are written in the transaction of the work itself, so that there is
-- never an effect without its answer or its trace.  The audit log is filled
-- by triggers (sql/code/18_audit.sql) and insert-only by revoked rights.
-- Only new tables: locks nothing that is in use.
create table ads.idempotency_keys (
    account_id uuid not null,
    key text not null,
    request_hash bytea not null,
    status int not null,
    content_type text,
    body bytea,
    location text,
    etag text,
    object_id uuid,
    created_at timestamptz not null default now(),
    constraint idempotency_keys_pkey primary key (account_id, key),
    constraint idempotency_keys_key_form check (key ~ '^[!-~ ]{1,255}$'),
    constraint idempotency_keys_hash_length check (octet_length(request_hash) = 32),
    constraint idempotency_keys_status_range check (status between 200 and 299),
    constraint idempotency_keys_account_fkey foreign key (account_id) references ads.accounts (id)
);
comment on table ads.idempotency_keys is 'the first answer to each creating request, kept for 24 h';
comment on column ads.idempotency_keys.request_hash is 'SHA-256 of method, path and body';
comment on column ads.idempotency_keys.body is 'null where the answer held a secret: repeated it says already_done';
create index idempotency_keys_created_idx on ads.idempotency_keys using brin (created_at);

create table ads.audit_log (
    id bigint generated always as identity,
    at timestamptz not null default now(),
    account_id uuid,
    actor text not null,
    action text not null,
    object text not null,
    object_id text not null,
    before jsonb,
    after jsonb,
    request_id uuid,
    constraint audit_log_pkey primary key (id),
    constraint audit_log_actor_length check (char_length(actor) between 1 and 200),
    constraint audit_log_action_known check (action in ('create', 'update', 'delete', 'import')),
    constraint audit_log_object_length check (char_length(object) between 1 and 64)
);
comment on table ads.audit_log is 'who changed what, and what it was before; insert-only';
comment on column ads.audit_log.actor is 'key:<id>, user:<id>, ctl:<login>, or system';
comment on column ads.audit_log.before is 'the columns that changed, as they were; never a secret';
create index audit_log_account_idx on ads.audit_log (account_id, id);
create index audit_log_at_idx on ads.audit_log using brin (at);

do $$
declare
    v_table text;
begin
    foreach v_table in array array['idempotency_keys', 'audit_log'] loop
        execute format('alter table ads.%I enable row level security', v_table);
        execute format('alter table ads.%I force row level security', v_table);
        execute format('create policy %I on ads.%I to ads_api using (account_id = (select ads.tenant()))'
            ' with check (account_id = (select ads.tenant()))', v_table || '_tenant', v_table);
        execute format('create policy %I on ads.%I to ads_ops using (true) with check (true)',
            v_table || '_ops', v_table);
        execute format('create policy %I on ads.%I to current_user using (true) with check (true)',
            v_table || '_owner', v_table);
    end loop;
end
$$;
