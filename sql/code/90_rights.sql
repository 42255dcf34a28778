-- Rights of the roles; replayed at each upgrade, so this file is the truth.
--
-- Nothing is open to everybody.  ads_ingest reaches no table at all: what it
-- may do is what its functions do with the rights of the owner.  ads_api and
-- ads_publish read and write tables under row-level security, by column where
-- a tenant must not decide a value.  Events and ledger are written by
-- functions only.
revoke all on schema ads from public;
revoke all on all tables in schema ads from public, ads_api, ads_ingest, ads_publish, ads_ops, ads_pay;
revoke all on all functions in schema ads from public, ads_api, ads_ingest, ads_publish, ads_ops, ads_pay;
grant usage on schema ads to ads_api, ads_ingest, ads_publish, ads_ops, ads_pay;

-- Management.  Password hashes are not readable here: a role that may add a
-- member could otherwise make any person's row visible.
grant select (id, email, name, email_verified_at, created_at) on ads.users to ads_api;
grant select on
    ads.accounts, ads.members, ads.api_keys, ads.campaigns, ads.campaign_spend, ads.campaign_days,
    ads.products, ads.ads, ads.ledger_accounts, ads.ledger_transactions, ads.ledger_entries, ads.topups,
    ads.reversals, ads.reports, ads.site_reports, ads.auction_reports, ads.report_zones,
    ads.publisher_settings,
    ads.no_ad_counts, ads.events_counted, ads.spend_rollups, ads.conversions, ads.balances, ads.conversions_counted,
    ads.idempotency_keys, ads.audit_log, ads.key_states, ads.campaign_states, ads.imports, ads.import_errors
to ads_api;
grant insert, delete on ads.idempotency_keys to ads_api;
grant insert (account_id, floor_micros, blocked_advertisers, blocked_categories),
    update (floor_micros, blocked_advertisers, blocked_categories) on ads.publisher_settings to ads_api;
grant insert (id, type, name, currency, timezone) on ads.accounts to ads_api;
grant update (name, timezone, site) on ads.accounts to ads_api;
grant update (name) on ads.users to ads_api;
grant update (role), delete on ads.members to ads_api;
grant select, delete on ads.invitations to ads_api;
grant insert, update on ads.api_keys to ads_api;
grant insert, update on ads.campaigns to ads_api;
do $$
declare
    v_fields text := (
        select string_agg(quote_ident(a.attname), ', ')
        from pg_catalog.pg_attribute a
        where a.attrelid = 'ads.product_in'::regclass);
begin
    execute format('grant insert (id, account_id, %1$s), update (%1$s, status) on ads.products to ads_api', v_fields);
end
$$;
grant insert (id, account_id, campaign_id, product_id), update (status) on ads.ads to ads_api;
grant execute on function
    ads.tenant(),
    ads.timezone_known(text),
    ads.campaign_fields(ads.campaigns),
    ads.campaign_insert(uuid, ads.campaign_in[]),
    ads.campaign_update(uuid, uuid, ads.campaign_in[]),
    ads.product_fields(ads.products),
    ads.products_put,
    ads.products_update(uuid, uuid[], ads.product_in[]),
    ads.products_claim(uuid),
    ads.products_more(uuid, bigint, bigint),
    ads.products_less(uuid, bigint),
    ads.quota_of(uuid, text),
    ads.quotas_of(uuid),
    ads.report_allowed(uuid),
    ads.report_took(uuid, int),
    ads.platform_accounts(text, text, text, timestamptz, uuid, bigint),
    ads.import_allowed(uuid, bigint, text),
    ads.import_put(uuid, uuid, boolean, boolean, int, text, text, text, text, text, bytea),
    ads.reviews_list(text, uuid, timestamptz, uuid, bigint),
    ads.review_put(uuid, text, text, timestamptz),
    ads.publisher_approve(uuid, text),
    ads.change_bump(),
    ads.api_warm(),
    ads.key_find(bytea),
    ads.account_find(uuid),
    ads.key_used(uuid),
    ads.key_retire(uuid, uuid, int),
    ads.idempotency_claim(uuid, text, bytea),
    ads.idempotency_store(uuid, text, bytea, int, text, bytea, text, text, uuid),
    ads.click_resolve(uuid),
    ads.report_range(uuid, text, date, date),
    ads.report_as_of(),
    ads.report_advertiser,
    ads.report_publisher,
    ads.outcomes_json(text[], jsonb[]),
    ads.total(bigint),
    ads.micros_within(numeric),
    ads.balance_statement(uuid, date),
    ads.report_spent_since(uuid, timestamptz),
    ads.campaign_states_of(uuid[]),
    ads.topup_request(uuid, bigint, text),
    ads.platform_topup(uuid, boolean, text),
    ads.platform_topups(text, uuid, timestamptz, uuid, bigint),
    ads.platform_reversal(uuid, uuid, bigint, text, text),
    ads.topup_webhook(uuid, bigint, text, boolean, text),
    ads.conversion_latest(uuid),
    ads.conversion_record(uuid, uuid, bigint, text, text, uuid, uuid, uuid, timestamptz)
to ads_api;

-- Signing in: before a tenant is known, so by functions.
grant execute on function
    ads.login_try(bytea, bytea),
    ads.login_untry(bytea, bytea, boolean),
    ads.login_code_send(text),
    ads.login_code_of(uuid, text),
    ads.login_code_use(uuid),
    ads.login_find(text),
    ads.password_of(uuid),
    ads.password_holds(uuid, text),
    ads.password_rehash(uuid, text, text),
    ads.password_set(uuid, text, uuid),
    ads.password_reset(uuid, text),
    ads.code_person(uuid),
    ads.reset_send(text),
    ads.verify_send(uuid),
    ads.email_change_send(uuid, text),
    ads.email_verify(uuid),
    ads.notice_send(uuid, text),
    ads.timezone_known(text),
    ads.name_public(text),
    ads.signup(text, text, text, text, text, text, text),
    ads.user_empty(uuid),
    ads.session_begin(uuid, uuid, text, text, bytea),
    ads.session_view(uuid),
    ads.session_find(uuid, uuid, uuid),
    ads.session_refresh(bytea, bytea),
    ads.session_of_refresh(bytea),
    ads.session_end(uuid, uuid, uuid),
    ads.sessions_of(uuid),
    ads.invitation_send(text, text, uuid),
    ads.invitation_accept(uuid, uuid),
    ads.oauth_begin(bytea, bytea, text, uuid, uuid),
    ads.oauth_take(bytea, bytea, text),
    ads.session_holds(uuid, uuid),
    ads.oauth_sign_in(text, text, text, text, boolean, text),
    ads.oauth_link(uuid, text, text, text, text),
    ads.oauth_links(uuid),
    ads.oauth_unlink(uuid, text)
to ads_api;

-- Ingest.
grant execute on function
    ads.node_begin(bigint),
    ads.node_resume(bigint, bigint),
    ads.node_drained(bigint, bigint, timestamptz),
    ads.node_watermark(bigint),
    ads.cursor_get(bigint, uuid, text, text, bigint),
    ads.ingest,
    ads.ingest_reject_put(bigint, bigint, uuid, bigint, bigint, bigint, boolean, bigint, int, bytea, text),
    ads.settle_pending(bigint, bigint),
    ads.held_settle(bigint, bigint),
    ads.held_by(),
    ads.conversions_settle(),
    ads.allowances(bigint),
    ads.sales_put(bigint, bigint, ads.sale_in[]),
    ads.sales_of(bigint),
    ads.maintain(int)
to ads_ingest;

-- The publisher of ad tables.
grant select on
    ads.accounts, ads.api_keys, ads.campaigns, ads.products, ads.ads, ads.change, ads.settings,
    ads.publisher_settings, ads.publish_publishers, ads.publish_keys, ads.publish_campaigns, ads.publish_ads
to ads_publish;
grant execute on function
    ads.tenant(),
    ads.allowances(bigint)
to ads_publish;

-- Operators.
grant select on all tables in schema ads to ads_ops;
grant insert, update on
    ads.accounts, ads.users, ads.members, ads.api_keys, ads.campaigns, ads.products, ads.ads
to ads_ops;
grant delete on ads.members to ads_ops;
grant update (revoked_at) on ads.sessions to ads_ops;
grant execute on function
    ads.tenant(),
    ads.change_bump(),
    ads.key_find(bytea),
    ads.key_retire(uuid, uuid, int),
    ads.settings_put,
    ads.quotas_put(text[], bigint[]),
    ads.quotas_of(uuid),
    ads.quotas_use(),
    ads.quotas_tidy(),
    ads.account_quota_put(uuid, text, bigint),
    ads.import_claim(bigint),
    ads.import_lock(uuid),
    ads.import_body(uuid, bigint, int),
    ads.import_progress(uuid, int, text, int, bigint, bigint),
    ads.import_fail(uuid, int, text, text),
    ads.import_begin(uuid, int),
    ads.import_compare(uuid, uuid, text[]),
    ads.import_products(uuid),
    ads.import_ads(uuid, uuid, boolean),
    ads.import_end,
    ads.imports_tidy(int),
    ads.reports_cycle(int),
    ads.micros_within(numeric),
    ads.balance_statement(uuid, date),
    ads.report_range(uuid, text, date, date),
    ads.report_advertiser_lines(uuid, date, date, text),
    ads.report_publisher_lines(uuid, date, date, text),
    ads.publisher_earnings(uuid),
    ads.allowances(bigint),
    ads.node_retire(bigint, interval),
    ads.node_watermark(bigint),
    ads.replay_preview(uuid[], uuid[], bigint[], timestamptz[]),
    ads.reconcile(date, date),
    ads.conversions_settle(),
    ads.conversion_latest(uuid),
    ads.mail_take(),
    ads.mail_done(uuid),
    ads.sign_in_maintain(),
    ads.password_set(uuid, text, uuid),
    ads.name_public(text),
    ads.maintain(int)
to ads_ops;

-- Who books money by the command line; adsd's login has no such duty.
grant execute on function
    ads.change_bump(),
    ads.topup(uuid, bigint, text),
    ads.topup_settle(uuid),
    ads.topup_reject(uuid, text),
    ads.reversal(uuid, uuid, bigint, text, text)
to ads_pay;
grant select on ads.change to ads_pay;
