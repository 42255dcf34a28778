-- Imports: what became of each product feed, the feeds that still wait, and
-- the rows that were refused.
--
-- Only new tables, which lock nothing that is in use, and two functions that
-- come back with other parameters or not at all (sql/code).
create table ads.imports (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    campaign_id uuid not null,
    source text not null,
    status text not null default 'queued',
    attempt int not null default 0,
    dry_run boolean not null default false,
    archive_gone boolean not null default false,
    gone_max int not null default 50,
    base_url text,
    currency text,
    format text,
    body_len bigint,
    phase text,
    percent int not null default 0,
    n_rows bigint not null default 0,
    n_added bigint not null default 0,
    n_changed bigint not null default 0,
    n_unchanged bigint not null default 0,
    n_repeated bigint not null default 0,
    n_bad bigint not null default 0,
    n_gone bigint not null default 0,
    n_archived bigint not null default 0,
    mapping jsonb not null default '[]',
    fault_code text,
    fault_detail text,
    actor text not null default '',
    request_id uuid,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    constraint imports_pkey primary key (id),
    constraint imports_account_id_key unique (account_id, id),
    constraint imports_source_known check (source in ('api', 'ctl')),
    constraint imports_status_known check (status in ('queued', 'running', 'done', 'failed')),
    constraint imports_finished_when check ((status in ('done', 'failed')) = (finished_at is not null)),
    constraint imports_fault_when check ((status = 'failed') = (fault_code is not null)),
    constraint imports_gone_max_range check (gone_max between 0 and 100),
    constraint imports_percent_range check (percent between 0 and 100),
    constraint imports_attempt_range check (attempt >= 0),
    constraint imports_base_url_length check (char_length(base_url) between 1 and 2048),
    constraint imports_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint imports_format_known check (format in ('jsonl', 'xml', 'table')),
    constraint imports_phase_known check (phase in ('reading', 'comparing', 'writing')),
    constraint imports_mapping_array check (jsonb_typeof(mapping) = 'array'),
    constraint imports_campaign_fkey foreign key (account_id, campaign_id)
        references ads.campaigns (account_id, id)
);
comment on table ads.imports is 'product feeds: what was asked for, how far it is, and what came of it';
comment on column ads.imports.attempt is 'grows when a daemon takes it up; whoever holds an older one may not end it';
create index imports_listed_idx on ads.imports (account_id, created_at desc, id desc);
create index imports_campaign_idx on ads.imports (account_id, campaign_id);
create index imports_waiting_idx on ads.imports (created_at) where status in ('queued', 'running');
create index imports_finished_idx on ads.imports (finished_at);

create table ads.import_bodies (
    import_id uuid not null,
    account_id uuid not null,
    body bytea not null,
    constraint import_bodies_pkey primary key (import_id),
    constraint import_bodies_import_fkey foreign key (account_id, import_id)
        references ads.imports (account_id, id) on delete cascade
);
alter table ads.import_bodies alter column body set storage external;
comment on table ads.import_bodies is 'feeds as they were sent, until they are read';
create index import_bodies_import_idx on ads.import_bodies (account_id, import_id);

create table ads.import_errors (
    import_id uuid not null,
    n int not null,
    account_id uuid not null,
    line bigint not null,
    col int not null,
    field text not null,
    rule text not null,
    constraint import_errors_pkey primary key (import_id, n),
    constraint import_errors_import_fkey foreign key (account_id, import_id)
        references ads.imports (account_id, id) on delete cascade
);
comment on table ads.import_errors is 'rows of feeds that were refused, and why, without their content';
create index import_errors_import_idx on ads.import_errors (account_id, import_id);

do $$
declare
    v_table text;
begin
    foreach v_table in array array['imports', 'import_bodies', 'import_errors'] loop
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

drop function if exists ads.products_upsert(
    uuid, uuid, text[], text[], text[], text[], text[], jsonb[], text[], text[], bigint[], text[], text[], jsonb[]);
drop function if exists ads.products_put(
    uuid, boolean, uuid[], text[], text[], text[], text[], text[], jsonb[], text[], text[], bigint[], text[], jsonb[],
    text[], jsonb[], bigint[], timestamptz[], text[]);
