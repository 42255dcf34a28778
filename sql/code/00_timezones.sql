-- Time zones this server knows, copied into the table that accounts and
-- campaigns refer to.  Only ever adds names: a zone in use never disappears.
insert into ads.timezones (name)
select z.name
from pg_catalog.pg_timezone_names z
where z.name !~ '^(posix|right)/'
    and z.name not in ('localtime', 'posixrules', 'Factory')
on conflict do nothing;

create or replace function ads.timezone_known(p_name text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
    select exists (select from ads.timezones z where z.name = p_name)
$$;

comment on function ads.timezone_known(text) is 'may an account or a campaign have this time zone?';
