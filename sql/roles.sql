-- The database and its roles.  A superuser runs this once before the first
-- `adsctl migrate`, and may run it again at any time; what adsd's login must
-- not be able to do is then taken from it.
--
--     sudo -u postgres psql -f roles.sql
--     sudo -u postgres psql -v database=NAME -f roles.sql
--
-- Which roles these are, and what each is for, is in duties.sql.
\set ON_ERROR_STOP on
\if :{?database}
\else
    \set database ads
\endif

\ir duties.sql

select format('create database %I owner ads_owner', :'database')
where not exists (select from pg_catalog.pg_database where datname = :'database')
\gexec

-- nobody else may connect; temporary tables are made by the owner's functions
alter database :"database" owner to ads_owner;
revoke all on database :"database" from public;
grant connect on database :"database" to ads, ads_ops, ads_pay;
