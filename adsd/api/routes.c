/*
 * Table of routes; http/dispatch.c searches it.
 */
#include "api/routes.h"

#include "api/handlers.h"
#include "auth/auth.h"

#define EVENTS_BODY_MAX 65536
#define MANAGE_BODY_MAX 1048576
#define SMALL_BODY_MAX 8192
#define LINK_BODY_MAX 1024

static const struct route table[] = {
    {"POST", "/v1/events/conversion", "ap", ROLE_NONE, EVENTS_BODY_MAX,
     ROUTE_OWN_TX | ROUTE_TEST_KEY, api_conversion_post, ROUTE_API},
    {"GET", "/v1/account", "apx", ROLE_VIEWER, 0, 0, api_account_get,
     ROUTE_API},
    {"PATCH", "/v1/account", "apx", ROLE_OWNER, SMALL_BODY_MAX, ROUTE_NO_KEY,
     api_account_patch, ROUTE_API},
    {"GET", "/v1/account/quotas", "apx", ROLE_VIEWER, 0, 0, api_account_quotas,
     ROUTE_API},
    {"GET", "/v1/account/members", "apx", ROLE_VIEWER, 0, ROUTE_NO_KEY,
     api_member_list, ROUTE_API},
    {"POST", "/v1/account/members", "apx", ROLE_OWNER, SMALL_BODY_MAX,
     ROUTE_NO_KEY | ROUTE_CREATES, api_member_invite, ROUTE_API},
    {"GET", "/v1/account/members/{}", "apx", ROLE_VIEWER, 0, ROUTE_NO_KEY,
     api_member_get, ROUTE_API},
    {"PATCH", "/v1/account/members/{}", "apx", ROLE_OWNER, SMALL_BODY_MAX,
     ROUTE_NO_KEY, api_member_patch, ROUTE_API},
    {"DELETE", "/v1/account/members/{}", "apx", ROLE_VIEWER, 0, ROUTE_NO_KEY,
     api_member_delete, ROUTE_API},
    {"POST", "/v1/auth/invitations/accept", "apx", ROLE_VIEWER, SMALL_BODY_MAX,
     ROUTE_PERSON, api_member_accept, ROUTE_API},
    {"GET", "/v1/account/audit", "apx", ROLE_VIEWER, 0, 0, api_audit_list,
     ROUTE_API},
    {"POST", "/v1/auth/api-key", "apx", ROLE_EDITOR, MANAGE_BODY_MAX,
     ROUTE_NO_KEY | ROUTE_CREATES, api_key_create, ROUTE_API},
    {"GET", "/v1/auth/api-key", "apx", ROLE_VIEWER, 0, ROUTE_NO_KEY,
     api_key_list, ROUTE_API},
    {"GET", "/v1/auth/api-key/{}", "apx", ROLE_VIEWER, 0, ROUTE_NO_KEY,
     api_key_show, ROUTE_API},
    {"DELETE", "/v1/auth/api-key/{}", "apx", ROLE_EDITOR, 0, ROUTE_NO_KEY,
     api_key_revoke, ROUTE_API},
    {"POST", "/v1/auth/signup", NULL, ROLE_NONE, SMALL_BODY_MAX, ROUTE_OWN_TX,
     api_auth_signup, ROUTE_AUTH},
    {"POST", "/v1/auth/login", NULL, ROLE_NONE, SMALL_BODY_MAX, ROUTE_OWN_TX,
     api_auth_login, ROUTE_AUTH},
    {"POST", "/v1/auth/refresh", NULL, ROLE_NONE, SMALL_BODY_MAX, ROUTE_OWN_TX,
     api_auth_refresh, ROUTE_API},
    {"POST", "/v1/auth/logout", NULL, ROLE_NONE, SMALL_BODY_MAX, ROUTE_OWN_TX,
     api_auth_logout, ROUTE_API},
    {"GET", "/v1/auth/me", "apx", ROLE_VIEWER, 0, 0, api_auth_me, ROUTE_API},
    {"GET", "/v1/auth/sessions", "apx", ROLE_VIEWER, 0, ROUTE_PERSON,
     api_session_list, ROUTE_API},
    {"DELETE", "/v1/auth/sessions", "apx", ROLE_VIEWER, 0, ROUTE_PERSON,
     api_session_end_others, ROUTE_API},
    {"GET", "/v1/auth/sessions/{}", "apx", ROLE_VIEWER, 0, ROUTE_PERSON,
     api_session_get, ROUTE_API},
    {"DELETE", "/v1/auth/sessions/{}", "apx", ROLE_VIEWER, 0, ROUTE_PERSON,
     api_session_end, ROUTE_API},
    {"POST", "/v1/auth/login/code", NULL, ROLE_NONE, SMALL_BODY_MAX,
     ROUTE_OWN_TX, api_password_login_code, ROUTE_AUTH},
    {"POST", "/v1/auth/password", "apx", ROLE_VIEWER, SMALL_BODY_MAX,
     ROUTE_OWN_TX | ROUTE_PERSON, api_password_change, ROUTE_AUTH},
    {"POST", "/v1/auth/password/reset", NULL, ROLE_NONE, SMALL_BODY_MAX,
     ROUTE_OWN_TX, api_password_reset, ROUTE_AUTH},
    {"POST", "/v1/auth/password/reset/confirm", NULL, ROLE_NONE, SMALL_BODY_MAX,
     ROUTE_OWN_TX, api_password_confirm, ROUTE_AUTH},
    {"POST", "/v1/auth/email", "apx", ROLE_VIEWER, SMALL_BODY_MAX,
     ROUTE_OWN_TX | ROUTE_PERSON, api_email_change, ROUTE_AUTH},
    {"POST", "/v1/auth/email/verify", NULL, ROLE_NONE, SMALL_BODY_MAX,
     ROUTE_OWN_TX, api_email_verify, ROUTE_AUTH},
    {"POST", "/v1/auth/email/verify/resend", "apx", ROLE_VIEWER, SMALL_BODY_MAX,
     ROUTE_OWN_TX | ROUTE_PERSON, api_email_resend, ROUTE_AUTH},
    {"GET", "/v1/auth/jwks.json", NULL, ROLE_NONE, 0, ROUTE_OWN_TX,
     api_auth_jwks, ROUTE_API},
    {"POST", "/v1/campaigns", "a", ROLE_EDITOR, MANAGE_BODY_MAX, ROUTE_CREATES,
     api_campaign_post, ROUTE_API},
    {"GET", "/v1/campaigns", "a", ROLE_VIEWER, 0, 0, api_campaign_list,
     ROUTE_API},
    {"GET", "/v1/campaigns/{}", "a", ROLE_VIEWER, 0, 0, api_campaign_get,
     ROUTE_API},
    {"PATCH", "/v1/campaigns/{}", "a", ROLE_EDITOR, MANAGE_BODY_MAX, 0,
     api_campaign_patch, ROUTE_API},
    {"POST", "/v1/campaigns/{}/preview", "a", ROLE_VIEWER, MANAGE_BODY_MAX, 0,
     api_preview_post, ROUTE_API},
    {"DELETE", "/v1/campaigns/{}", "a", ROLE_EDITOR, 0, 0, api_campaign_delete,
     ROUTE_API},
    {"GET", "/v1/analytics/advertiser", "a", ROLE_VIEWER, 0, 0,
     api_analytics_advertiser, ROUTE_API},
    {"GET", "/v1/analytics/publisher", "p", ROLE_VIEWER, 0, 0,
     api_analytics_publisher, ROUTE_API},
    {"GET", "/v1/publisher/settings", "p", ROLE_VIEWER, 0, 0,
     api_publisher_settings_get, ROUTE_API},
    {"PATCH", "/v1/publisher/settings", "p", ROLE_EDITOR, MANAGE_BODY_MAX, 0,
     api_publisher_settings_patch, ROUTE_API},
    {"GET", "/v1/balance", "a", ROLE_VIEWER, 0, 0, api_balance_get, ROUTE_API},
    {"GET", "/v1/balance/transactions", "a", ROLE_VIEWER, 0, 0,
     api_balance_list, ROUTE_API},
    {"GET", "/v1/balance/statement", "a", ROLE_VIEWER, 0, 0,
     api_balance_statement, ROUTE_API},
    {"POST", "/v1/balance/topup", "a", ROLE_EDITOR, SMALL_BODY_MAX,
     ROUTE_CREATES, api_topup_create, ROUTE_API},
    {"GET", "/v1/platform/topups", "x", ROLE_VIEWER, 0, 0, api_topup_list,
     ROUTE_API},
    {"POST", "/v1/platform/topups/webhook", NULL, ROLE_NONE, SMALL_BODY_MAX, 0,
     api_topup_webhook, ROUTE_API},
    {"POST", "/v1/platform/topups/{}/settle", "x", ROLE_EDITOR, SMALL_BODY_MAX,
     ROUTE_CREATES, api_topup_settle, ROUTE_API},
    {"POST", "/v1/platform/topups/{}/reject", "x", ROLE_EDITOR, SMALL_BODY_MAX,
     ROUTE_CREATES, api_topup_reject, ROUTE_API},
    {"POST", "/v1/platform/reversals", "x", ROLE_EDITOR, SMALL_BODY_MAX,
     ROUTE_CREATES, api_reversal_create, ROUTE_API},
    {"GET", "/v1/auth/oauth", NULL, ROLE_NONE, 0, ROUTE_OWN_TX, api_oauth_list,
     ROUTE_OAUTH},
    {"GET", "/v1/auth/oauth/{}", NULL, ROLE_NONE, 0, ROUTE_OWN_TX,
     api_oauth_start, ROUTE_OAUTH},
    {"GET", "/v1/auth/oauth/{}/callback", NULL, ROLE_NONE, 0, ROUTE_OWN_TX,
     api_oauth_callback, ROUTE_OAUTH},
    {"GET", "/v1/auth/links", "apx", ROLE_VIEWER, 0,
     ROUTE_PERSON | ROUTE_ANY_USER, api_links_list, ROUTE_OAUTH},
    {"POST", "/v1/auth/links/{}", "apx", ROLE_VIEWER, LINK_BODY_MAX,
     ROUTE_PERSON | ROUTE_ANY_USER | ROUTE_OWN_TX, api_links_start,
     ROUTE_OAUTH},
    {"DELETE", "/v1/auth/links/{}", "apx", ROLE_VIEWER, 0,
     ROUTE_PERSON | ROUTE_ANY_USER, api_links_remove, ROUTE_OAUTH},
    {"GET", "/v1/click/{}", NULL, ROLE_NONE, 0, ROUTE_OWN_TX, api_click_get,
     ROUTE_API},
    {"HEAD", "/v1/click/{}", NULL, ROLE_NONE, 0, ROUTE_OWN_TX, api_click_get,
     ROUTE_API},
    {"POST", "/v1/products", "a", ROLE_EDITOR, MANAGE_BODY_MAX,
     ROUTE_CREATES | ROUTE_ANY_TYPE, api_product_post, ROUTE_API},
    {"POST", "/v1/products/import", "a", ROLE_EDITOR, API_IMPORT_BODY_MAX,
     ROUTE_CREATES | ROUTE_ANY_TYPE, api_import_post, ROUTE_FEED},
    {"GET", "/v1/products/import", "a", ROLE_VIEWER, 0, 0, api_import_list,
     ROUTE_FEED},
    {"GET", "/v1/products/import/{}", "a", ROLE_VIEWER, 0, 0, api_import_get,
     ROUTE_API},
    {"GET", "/v1/products/import/{}/errors", "a", ROLE_VIEWER, 0, 0,
     api_import_errors, ROUTE_API},
    {"GET", "/v1/products", "a", ROLE_VIEWER, 0, 0, api_product_list,
     ROUTE_API},
    {"GET", "/v1/products/{}", "a", ROLE_VIEWER, 0, 0, api_product_get,
     ROUTE_API},
    {"PATCH", "/v1/products/{}", "a", ROLE_EDITOR, MANAGE_BODY_MAX, 0,
     api_product_patch, ROUTE_API},
    {"DELETE", "/v1/products/{}", "a", ROLE_EDITOR, 0, 0, api_product_delete,
     ROUTE_API},
    {"GET", "/v1/platform/reviews", "x", ROLE_VIEWER, 0, 0, api_review_list,
     ROUTE_API},
    {"GET", "/v1/platform/accounts", "x", ROLE_VIEWER, 0, 0, api_account_list,
     ROUTE_API},
    {"POST", "/v1/platform/accounts/{}/approve", "x", ROLE_EDITOR,
     SMALL_BODY_MAX, 0, api_publisher_approve, ROUTE_API},
    {"POST", "/v1/platform/reviews", "x", ROLE_EDITOR, MANAGE_BODY_MAX, 0,
     api_review_post, ROUTE_API},
};

#define N_ROUTES (sizeof(table) / sizeof(table[0]))


const struct route *
routes_all(size_t *n)
{
    *n = N_ROUTES;
    return table;
}


/* What an account may not do without end. */
static enum ads_err
allow(struct request *request, const struct route *route)
{
    static const struct {
        enum ads_err (*handle)(struct request *request);
        enum ads_err (*allow)(struct request *request);
    } rules[] = {
        {api_import_post, api_import_allow},
        {api_analytics_advertiser, api_analytics_allow},
        {api_analytics_publisher, api_analytics_allow},
    };

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].handle == route->handle) {
            return rules[i].allow(request);
        }
    }
    return ADS_OK;
}


const struct dispatch *
routes_dispatch(void)
{
    static const struct dispatch dispatch = {table, N_ROUTES, auth_check,
                                             allow};

    return &dispatch;
}
