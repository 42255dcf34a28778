-- Row-level security, enabled and forced on every table that holds a tenant's
-- rows.
--
-- The api role sees the rows of ads.tenant() only.  Operators and the
-- publisher see all rows of the tables they have rights on.  The owner, whose
-- rights the security definer functions have, needs a policy of its own
-- because FORCE binds it too when it is no superuser.  Which role may touch
-- which table at all is in 90_rights.sql.
--
-- A table without a rule is nothing that the api role may see.  reads: the rule
-- says what is seen; writes: also what may be written.
--
-- Replayed with the functions, so that a database which was restored without
-- its roles gets its policies back.  What is there is left alone, since making
-- one locks its table: a rule that changes is dropped by the file above it that
-- says why.
do $$
declare
    v_table text;
    v_what text;
    v_rule text;
    v_have text[] := array(
        select p.polname::text
        from pg_catalog.pg_policy p
        join pg_catalog.pg_class c on c.oid = p.polrelid
        where c.relnamespace = 'ads'::regnamespace);
begin
    for v_table, v_what, v_rule in
        values
            ('accounts', 'writes', 'id = (select ads.tenant())'),
            ('users', 'writes', 'exists (select from ads.members m
                where m.user_id = users.id and m.account_id = (select ads.tenant()))'),
            ('members', 'writes', 'account_id = (select ads.tenant())'),
            ('api_keys', 'writes', 'account_id = (select ads.tenant())'),
            ('publisher_settings', 'writes', 'account_id = (select ads.tenant())'),
            ('idempotency_keys', 'writes', 'account_id = (select ads.tenant())'),
            ('audit_log', 'writes', 'account_id = (select ads.tenant())'),
            ('account_quotas', 'reads', 'account_id = (select ads.tenant())'),
            ('quota_use', null, null),
            ('product_counts', null, null),
            ('sessions', null, null),
            ('refresh_tokens', null, null),
            ('login_failures', null, null),
            ('login_totals', null, null),
            ('mail_codes', null, null),
            ('invitations', 'writes', 'account_id = (select ads.tenant())'),
            ('mails', null, null),
            ('oauth_identities', null, null),
            ('oauth_states', null, null),
            ('campaigns', 'writes', 'account_id = (select ads.tenant())'),
            ('campaign_spend', 'writes', 'account_id = (select ads.tenant())'),
            ('campaign_days', 'writes', 'account_id = (select ads.tenant())'),
            ('products', 'writes', 'account_id = (select ads.tenant())'),
            ('ads', 'writes', 'account_id = (select ads.tenant())'),
            ('imports', 'writes', 'account_id = (select ads.tenant())'),
            ('import_bodies', 'writes', 'account_id = (select ads.tenant())'),
            ('import_errors', 'writes', 'account_id = (select ads.tenant())'),
            ('ledger_accounts', 'writes', 'account_id = (select ads.tenant())'),
            ('ledger_transactions', 'writes', 'account_id = (select ads.tenant())'),
            ('ledger_entries', 'writes', 'exists (select from ads.ledger_accounts la
                where la.id = ledger_account_id and la.account_id = (select ads.tenant()))'),
            ('topups', 'writes', 'account_id = (select ads.tenant())'),
            ('reversals', 'writes', 'account_id = (select ads.tenant())'),
            ('clicks', 'writes', 'account_id = (select ads.tenant()) or publisher_id = (select ads.tenant())'),
            ('impressions', 'writes', 'account_id = (select ads.tenant()) or publisher_id = (select ads.tenant())'),
            ('decisions', 'writes', 'publisher_id = (select ads.tenant())'),
            ('event_pending', 'writes', 'publisher_id = (select ads.tenant())'),
            ('clicks_held', 'writes', 'account_id = (select ads.tenant()) or publisher_id = (select ads.tenant())'),
            ('events_counted', 'writes', 'publisher_id = (select ads.tenant())'),
            ('no_ad_counts', 'writes', 'publisher_id = (select ads.tenant())'),
            ('spend_rollups', 'writes', 'account_id = (select ads.tenant()) or publisher_id = (select ads.tenant())'),
            ('conversions', 'writes', 'account_id = (select ads.tenant()) or actor_account_id = (select ads.tenant())'),
            ('report_deltas', null, null),
            ('reports', 'reads', 'account_id = (select ads.tenant())'),
            ('site_reports', 'reads', 'publisher_id = (select ads.tenant())'),
            ('report_zones', 'reads', 'account_id = (select ads.tenant())'),
            ('report_conversions', null, null),
            ('auction_deltas', null, null),
            ('auction_reports', 'reads', 'account_id = (select ads.tenant())')
    loop
        if exists (
            select
            from pg_catalog.pg_class c
            where c.oid = ('ads.' || v_table)::regclass
                and not (c.relrowsecurity and c.relforcerowsecurity)
        ) then
            execute format('alter table ads.%I enable row level security', v_table);
            execute format('alter table ads.%I force row level security', v_table);
        end if;
        if v_rule is not null and v_table || '_tenant' <> all (v_have) then
            execute format('create policy %I on ads.%I to ads_api using (%s)', v_table || '_tenant', v_table, v_rule)
                || case v_what when 'writes' then format(' with check (%s)', v_rule) else '' end;
        end if;
        if v_table || '_ops' <> all (v_have) then
            execute format('create policy %I on ads.%I to ads_ops using (true) with check (true)',
                v_table || '_ops', v_table);
        end if;
        if v_table || '_owner' <> all (v_have) then
            execute format('create policy %I on ads.%I to current_user using (true) with check (true)',
                v_table || '_owner', v_table);
        end if;
    end loop;

    foreach v_table in array array['accounts', 'api_keys', 'campaigns', 'products', 'ads', 'publisher_settings'] loop
        if v_table || '_publish' <> all (v_have) then
            execute format('create policy %I on ads.%I for select to ads_publish using (true)',
                v_table || '_publish', v_table);
        end if;
    end loop;

    -- only the command line makes a platform account
    if 'accounts_no_platform' <> all (v_have) then
        create policy accounts_no_platform on ads.accounts
            as restrictive
            for insert
            to ads_api
            with check (type <> 'platform');
    end if;
end
$$;
