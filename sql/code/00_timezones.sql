-- Time zones this server knows, copied into the table that accounts and
-- campaigns refer to.  Only ever adds names: a zone in use never disappears.
insert into ads.timezones (name)
select z.name
from pg_catalog.pg_timezone_names z
where z.name !~ '^(posix|right)/'
    and z.name not in ('localtime', 'posixrules', 'Factory')
on conflict do nothing;
