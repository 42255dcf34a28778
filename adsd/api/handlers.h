/*
 * Handlers of the API, by noun. api/routes.c says who may call them; one file a
 * noun has them.
 *
 * A handler returns ADS_OK when the answer is there, also where it is a
 * problem; any other error is answered by the frame (http/frame.h).
 */
#ifndef ADSD_API_HANDLERS_H
#define ADSD_API_HANDLERS_H

#include "http/request.h"

/*
 * POST /v1/events/conversion: a sale or sign-up after a click, reported by the
 * advertiser of the click or by the publisher that sent it.
 *
 * Safe to repeat: the same conversion gets the same event_id and the status
 * `duplicate`.  Nothing here ever charges anybody.
 *
 * One conversion: 200 recorded, duplicate or unattributed; 202 accepted while
 * its click is not committed yet; 404 for a click_id that we never made or that
 * is another tenant's.  A batch: 200 with a result for each, in order. 503 at
 * any time: repeat the whole request.  A test key gets the same answers, marked
 * by X-Ads-Test, and nothing is stored.
 */
ADS_MUST enum ads_err
api_conversion_post(struct request *request);

/*
 * The account acted for.
 *
 *     GET   /v1/account
 *     PATCH /v1/account   name, timezone, of a publisher site; obeys If-Match
 */
ADS_MUST enum ads_err
api_account_get(struct request *request);
ADS_MUST enum ads_err
api_account_patch(struct request *request);

/* GET /v1/account/quotas */
ADS_MUST enum ads_err
api_account_quotas(struct request *request);

/* GET /v1/platform/accounts */
ADS_MUST enum ads_err
api_account_list(struct request *request);

/*
 * Who may act for the account.
 *
 *     GET    /v1/account/members       members, and who is invited
 *     POST   /v1/account/members       {email, role}: invites by mail
 *     GET    /v1/account/members/{id}  with its ETag
 *     PATCH  /v1/account/members/{id}  {role}; obeys If-Match
 *     DELETE /v1/account/members/{id}  removes, leaves, or takes an invitation
 *                                      back
 *     POST   /v1/auth/invitations/accept  {code}
 *
 * `id` is the person's, or the invitation's.
 */
ADS_MUST enum ads_err
api_member_list(struct request *request);
ADS_MUST enum ads_err
api_member_invite(struct request *request);
ADS_MUST enum ads_err
api_member_get(struct request *request);
ADS_MUST enum ads_err
api_member_patch(struct request *request);
ADS_MUST enum ads_err
api_member_delete(struct request *request);
ADS_MUST enum ads_err
api_member_accept(struct request *request);

/*
 * GET /v1/account/audit: every change of the account's own objects, newest
 * first: who, what, before, after, request id.
 */
ADS_MUST enum ads_err
api_audit_list(struct request *request);

/*
 * Signing up, in and out.
 *
 *     POST /v1/auth/signup     e-mail, password and an account of one's own
 *     POST /v1/auth/login      the same time and text whatever is wrong
 *     POST /v1/auth/refresh    the next tokens for the cookie
 *     POST /v1/auth/logout     {"all": true}: everywhere
 *     GET  /v1/auth/me         who am I, by token or key?
 *     GET  /v1/auth/jwks.json  the public keys of access tokens
 */
ADS_MUST enum ads_err
api_auth_signup(struct request *request);
ADS_MUST enum ads_err
api_auth_login(struct request *request);
ADS_MUST enum ads_err
api_auth_refresh(struct request *request);
ADS_MUST enum ads_err
api_auth_logout(struct request *request);
ADS_MUST enum ads_err
api_auth_me(struct request *request);
ADS_MUST enum ads_err
api_auth_jwks(struct request *request);

/*
 * Where a person is signed in.
 *
 *     GET    /v1/auth/sessions        newest first
 *     DELETE /v1/auth/sessions        signs out everywhere else
 *     GET    /v1/auth/sessions/{id}
 *     DELETE /v1/auth/sessions/{id}   signs out there
 */
ADS_MUST enum ads_err
api_session_list(struct request *request);
ADS_MUST enum ads_err
api_session_end_others(struct request *request);
ADS_MUST enum ads_err
api_session_get(struct request *request);
ADS_MUST enum ads_err
api_session_end(struct request *request);

/*
 * A new password, by who knows the old one or reads the mailbox.
 *
 *     POST /v1/auth/password                {current_password, password}
 *     POST /v1/auth/password/reset          {email}: always 202
 *     POST /v1/auth/password/reset/confirm  {code, password}
 *     POST /v1/auth/login/code              {email}: always 202; its code signs
 *                                           in while others guess
 */
ADS_MUST enum ads_err
api_password_change(struct request *request);
ADS_MUST enum ads_err
api_password_reset(struct request *request);
ADS_MUST enum ads_err
api_password_confirm(struct request *request);
ADS_MUST enum ads_err
api_password_login_code(struct request *request);

/*
 * A person's e-mail address.
 *
 *     POST /v1/auth/email                {email, password}: change it, by mail
 *     POST /v1/auth/email/verify         {code}: of either mail
 *     POST /v1/auth/email/verify/resend
 */
ADS_MUST enum ads_err
api_email_change(struct request *request);
ADS_MUST enum ads_err
api_email_verify(struct request *request);
ADS_MUST enum ads_err
api_email_resend(struct request *request);

/*
 * Signing in with another provider.
 *
 *     GET /v1/auth/oauth                      the providers there are
 *     GET /v1/auth/oauth/{provider}           302 to it
 *     GET /v1/auth/oauth/{provider}/callback  302 to /dashboard/, signed in
 *
 * and, for who is signed in:
 *
 *     GET    /v1/auth/links             the providers they can sign in with
 *     POST   /v1/auth/links/{provider}  begins to link one: {"url": ...}
 *     DELETE /v1/auth/links/{provider}  but never the last way in
 *
 * People come here by browser, so what goes wrong is a 302 to
 * /dashboard/#error=CODE; a client that asks for JSON gets the problem.
 */
ADS_MUST enum ads_err
api_oauth_list(struct request *request);
ADS_MUST enum ads_err
api_oauth_start(struct request *request);
ADS_MUST enum ads_err
api_oauth_callback(struct request *request);

ADS_MUST enum ads_err
api_links_list(struct request *request);
ADS_MUST enum ads_err
api_links_start(struct request *request);
ADS_MUST enum ads_err
api_links_remove(struct request *request);

/*
 * /v1/auth/api-key: the keys of an account, for its people and the platform.
 * A key itself is in the answer that made it and nowhere else.
 */

ADS_MUST enum ads_err
api_key_create(struct request *request);
ADS_MUST enum ads_err
api_key_list(struct request *request);
ADS_MUST enum ads_err
api_key_show(struct request *request);
ADS_MUST enum ads_err
api_key_revoke(struct request *request);

/*
 * /v1/campaigns: what an advertiser pays for a click, how much, when, where.
 *
 * The ETag is the number of the campaign's last change; PATCH and DELETE obey
 * If-Match.  Which moves from status to status are legal, the database alone
 * says.
 */
ADS_MUST enum ads_err
api_campaign_post(struct request *request);
ADS_MUST enum ads_err
api_campaign_list(struct request *request);
ADS_MUST enum ads_err
api_campaign_get(struct request *request);
ADS_MUST enum ads_err
api_campaign_patch(struct request *request);
ADS_MUST enum ads_err
api_campaign_delete(struct request *request);

/*
 * POST /v1/campaigns/{id}/preview: what would be shown for these queries, were
 * the campaign active, in its time and funded; by the code that serves, on the
 * tables that are served, without a trace or a cent.
 *
 * Each query is decided twice: with this campaign alone, which tells what
 * stands against it, and among all that is on offer now, which tells its
 * place.
 */
ADS_MUST enum ads_err
api_preview_post(struct request *request);

/* /v1/products: what is shown, and where a click leads. */
ADS_MUST enum ads_err
api_product_list(struct request *request);
ADS_MUST enum ads_err
api_product_get(struct request *request);
ADS_MUST enum ads_err
api_product_patch(struct request *request);
ADS_MUST enum ads_err
api_product_delete(struct request *request);

/*
 * POST /v1/products takes one product, an array of up to 1,000, or as many
 * lines of JSON (application/x-ndjson); with many, one that is refused never
 * loses the others.  The sku is the key: what comes again is changed, and what
 * was archived comes back with its ads under their old ids.
 */
ADS_MUST enum ads_err
api_product_post(struct request *request);

/*
 * /v1/products/import: feeds over HTTP.
 *
 * POST keeps the feed and what is asked of it, and answers 202: reading it
 * takes as long as it takes, and goes on in catalog/import_work.h, also after a
 * restart.  The others tell how far it is and what came of it; imports of the
 * operator are listed as well.
 */
#define API_IMPORT_BODY_MAX (32 * 1024 * 1024)

ADS_MUST enum ads_err
api_import_post(struct request *request);

/* By its head alone: 429 where a feed so long is beyond a quota of the account,
 * or too many wait. */
ADS_MUST enum ads_err
api_import_allow(struct request *request);

ADS_MUST enum ads_err
api_import_list(struct request *request);
ADS_MUST enum ads_err
api_import_get(struct request *request);
ADS_MUST enum ads_err
api_import_errors(struct request *request);

/*
 * What ads did and what pages earned, in steps of time and by dimensions.
 * docs/analytics.md defines each metric; adsd/api/report.h the question.
 */

/* GET /v1/analytics/advertiser */
ADS_MUST enum ads_err
api_analytics_advertiser(struct request *request);

/* GET /v1/analytics/publisher */
ADS_MUST enum ads_err
api_analytics_publisher(struct request *request);

/* 429 when reports of the account took as long as they may. */
ADS_MUST enum ads_err
api_analytics_allow(struct request *request);

/*
 * What a publisher wants on its pages: the least bid, advertisers and
 * categories that are never shown there.  They hold for every request beside
 * what the request itself says.
 */

/* GET /v1/publisher/settings */
ADS_MUST enum ads_err
api_publisher_settings_get(struct request *request);

/* PATCH /v1/publisher/settings: only what the body names changes. */
ADS_MUST enum ads_err
api_publisher_settings_patch(struct request *request);

/*
 * An advertiser's money: what there is, what came and went, and a statement of
 * each month.  docs/balance.md says what the fields mean.
 */

/* A statement's lines as CSV, here and by adsctl. */
#define API_BALANCE_STATEMENT_COLUMNS \
    "kind,campaign_id,campaign_name,transactions,amount,amount_micros"

/* GET /v1/balance */
ADS_MUST enum ads_err
api_balance_get(struct request *request);

/* GET /v1/balance/transactions */
ADS_MUST enum ads_err
api_balance_list(struct request *request);

/* GET /v1/balance/statement */
ADS_MUST enum ads_err
api_balance_statement(struct request *request);

/*
 * Money that comes and goes back: an advertiser announces a top-up; the
 * platform, or the payment provider's signed message, settles or rejects it;
 * the platform moves the money of a click or a top-up back.
 * sql/code/32_topups.sql has the rules.
 */

/* POST /v1/balance/topup */
ADS_MUST enum ads_err
api_topup_create(struct request *request);

/* GET /v1/platform/topups */
ADS_MUST enum ads_err
api_topup_list(struct request *request);

/* POST /v1/platform/topups/{id}/settle and /reject */
ADS_MUST enum ads_err
api_topup_settle(struct request *request);
ADS_MUST enum ads_err
api_topup_reject(struct request *request);

/* POST /v1/platform/topups/webhook; its credential is the signature. */
ADS_MUST enum ads_err
api_topup_webhook(struct request *request);

/* POST /v1/platform/reversals */
ADS_MUST enum ads_err
api_reversal_create(struct request *request);

/*
 * POST /v1/platform/accounts/{id}/approve: a publisher with a site or app name,
 * its own or the body's `site`, may earn once its address is confirmed.  404
 * for what is no publisher, 409 without a site; safe to repeat.
 */
ADS_MUST enum ads_err
api_publisher_approve(struct request *request);

/*
 * /v1/platform/reviews: the platform reviews products before they are shown.
 */
ADS_MUST enum ads_err
api_review_list(struct request *request);
ADS_MUST enum ads_err
api_review_post(struct request *request);

/*
 * GET /v1/click/{token}, for what a worker could not answer: the token opened
 * there, but the ad is in none of its tables.  The worker has recorded the
 * click; here the visitor only gets a destination, or learns that there is
 * none any more.
 *
 * 302 with Location; 404 when the token does not open; 410 when the link is
 * older than 30 days, or the ad gone for as long; 503 without the database.
 */
ADS_MUST enum ads_err
api_click_get(struct request *request);

#endif
