-- Row-level security, enabled and forced on every table that holds a tenant's
-- rows.
--
-- The api role sees the rows of ads.tenant() only.  Operators and the
-- publisher see all rows of the tables they have rights on.  The owner, whose
-- rights the security definer functions have, needs a policy of its own
-- because FORCE binds it too when it is no superuser.  Which role may touch
-- which table at all is in sql/code/90_rights.sql.  Locks each new table for
-- a moment.
do $$
declare
    v_table text;
    v_rule text;
begin
    for v_table, v_rule in
        values
            ('accounts', 'id = (select ads.tenant())'),
            ('users', 'exists (select from ads.members m
                where m.user_id = users.id and m.account_id = (select ads.tenant()))'),
            ('members', 'account_id = (select ads.tenant())'),
            ('api_keys', 'account_id = (select ads.tenant())'),
            ('campaigns', 'account_id = (select ads.tenant())'),
            ('campaign_spend', 'account_id = (select ads.tenant())'),
            ('campaign_days', 'account_id = (select ads.tenant())'),
            ('products', 'account_id = (select ads.tenant())'),
            ('ads', 'account_id = (select ads.tenant())'),
            ('ledger_accounts', 'account_id = (select ads.tenant())'),
            ('ledger_transactions', 'account_id = (select ads.tenant())'),
            ('ledger_entries', 'exists (select from ads.ledger_accounts la
                where la.id = ledger_account_id and la.account_id = (select ads.tenant()))'),
            ('topups', 'account_id = (select ads.tenant())'),
            ('clicks', 'account_id = (select ads.tenant()) or publisher_id = (select ads.tenant())'),
            ('impressions', 'account_id = (select ads.tenant()) or publisher_id = (select ads.tenant())'),
            ('decisions', 'publisher_id = (select ads.tenant())'),
            ('event_pending', 'publisher_id = (select ads.tenant())'),
            ('no_ad_counts', 'publisher_id = (select ads.tenant())'),
            ('spend_rollups', 'account_id = (select ads.tenant()) or publisher_id = (select ads.tenant())'),
            ('conversions', 'account_id = (select ads.tenant()) or actor_account_id = (select ads.tenant())')
    loop
        execute format('alter table ads.%I enable row level security', v_table);
        execute format('alter table ads.%I force row level security', v_table);
        execute format('create policy %I on ads.%I to ads_api using (%s) with check (%s)',
            v_table || '_tenant', v_table, v_rule, v_rule);
        execute format('create policy %I on ads.%I to ads_ops using (true) with check (true)',
            v_table || '_ops', v_table);
        execute format('create policy %I on ads.%I to current_user using (true) with check (true)',
            v_table || '_owner', v_table);
    end loop;

    foreach v_table in array array['accounts', 'api_keys', 'campaigns', 'products', 'ads'] loop
        execute format('create policy %I on ads.%I for select to ads_publish using (true)',
            v_table || '_publish', v_table);
    end loop;
end
$$;

-- Nobody but the command line makes a platform account.
create policy accounts_no_platform on ads.accounts
    as restrictive
    for insert
    to ads_api
    with check (type <> 'platform');
