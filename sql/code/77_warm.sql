-- Warm-up of a management connection, before its first change.
--
-- The first change on a connection takes ten times as long as the next:
-- triggers are compiled, plans made, catalogs read.  So a campaign and a
-- product of anybody are changed and that is undone.  It writes under a number
-- that is not reserved, so that others wait for the row of ads.change for the
-- moment at the end alone, and it waits for no lock itself.
create or replace function ads.api_warm()
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
    perform set_config('lock_timeout', '20ms', true),
        set_config('ads.change_reserved', '0', true),
        set_config('ads.change_n', '0', true);

    update ads.campaigns
    set name = reverse(name)
    where id = (
        select c.id
        from ads.campaigns c
        where c.status <> 'archived'
        limit 1
        for update skip locked);
    update ads.products
    set title = reverse(title)
    where id = (
        select p.id
        from ads.products p
        limit 1
        for update skip locked);
    perform ads.change_bump();
    raise exception 'undone'
        using errcode = 'ADW01';
exception
    when sqlstate 'ADW01' or lock_not_available then
        return;
end
$$;

comment on function ads.api_warm() is 'changes a campaign and a product and undoes it: the next change is quick';
