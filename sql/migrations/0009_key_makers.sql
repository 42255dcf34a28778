-- Who made a key: it ends when that person leaves the account
-- (sql/code/12_keys.sql).  Null for keys of the command line, of the platform's
-- key, and of before.  A column without a default: no row is rewritten.

alter table ads.api_keys
    add column created_by uuid,
    add constraint api_keys_created_by_fkey foreign key (created_by) references ads.users (id);
comment on column ads.api_keys.created_by is 'the person whose key ends when they leave the account';
create index api_keys_created_by_idx on ads.api_keys (created_by);
