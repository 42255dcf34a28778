-- The roles, which belong to the cluster: several databases share them.  Part of
-- roles.sql; `adsctl migrate` makes them too, when a superuser runs it and one is
-- missing, as in a cluster that a backup was restored into.
--
-- ads_owner    owns the database and everything in it; no login.  Who migrates
--              is a superuser or a member, and takes it by "set role".
-- ads          the login of adsd and of adsctl's everyday verbs.  It owns
--              nothing, makes nothing, and takes a duty by "set role":
-- ads_api      management and conversions: row-level security applies to it
-- ads_ingest   may call the ingest functions and touch no table
-- ads_publish  reads what the ad tables are compiled from
-- ads_ops      tenants, keys, campaigns, imports, mails, upkeep, reconcile
-- ads_pay      books top-ups and reversals by adsctl.  Not a duty of adsd's
--              login: grant it, with ads_ops, to who may make money.
--
-- Which duty may do what is in code/90_rights.sql.
do $$
declare
    v_role text;
begin
    foreach v_role in array array['ads_owner', 'ads_api', 'ads_ingest', 'ads_publish', 'ads_ops', 'ads_pay', 'ads'] loop
        if not exists (select from pg_catalog.pg_roles where rolname = v_role) then
            execute format('create role %I', v_role);
        end if;
        execute format('alter role %I nosuperuser nocreatedb nocreaterole noreplication nobypassrls', v_role);
    end loop;
end
$$;

alter role ads_owner nologin;
alter role ads_api nologin;
alter role ads_ingest nologin;
alter role ads_publish nologin;
alter role ads_ops nologin;
alter role ads_pay nologin;
alter role ads login;

-- a session of it that is forgotten in a transaction ends with its locks; adsd
-- sets a time of its own in each
alter role ads set idle_in_transaction_session_timeout = '1min';
revoke ads_owner, ads_pay from ads;
grant ads_api, ads_ingest, ads_publish, ads_ops to ads;
