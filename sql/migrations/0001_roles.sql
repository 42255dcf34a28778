-- The four roles of the service and the tenant of a session.
--
-- ads_api      management and conversions: row-level security applies to it
-- ads_ingest   may call the ingest functions and touch no table
-- ads_publish  reads what the ad tables are compiled from
-- ads_ops      adsctl: tenants, keys, campaigns, imports, top-ups, reconcile
--
-- None can log in, owns anything or passes row-level security: the login of
-- adsd is a member of all four and takes one with "set role".  The owner of
-- the schema is whoever runs these files.  Locks nothing.
--
-- Roles belong to the cluster, so two databases may be migrated at once.
do $$
declare
    v_role text;
begin
    foreach v_role in array array['ads_api', 'ads_ingest', 'ads_publish', 'ads_ops'] loop
        if not exists (select from pg_catalog.pg_roles where rolname = v_role) then
            begin
                execute format('create role %I nologin nobypassrls', v_role);
            exception when duplicate_object or unique_violation then
                null;
            end;
        end if;
    end loop;
end
$$;

-- The account this transaction acts for; null shows no rows.  A setting that
-- was local to an earlier transaction reads as an empty text, not as null.
create function ads.tenant()
returns uuid
language sql
stable
parallel safe
return nullif(pg_catalog.current_setting('ads.tenant', true), '')::uuid;

comment on function ads.tenant() is
    'account of the session: set_config(''ads.tenant'', id, true) inside the transaction';
