/*
 * Routes: a const table and one loop over it.
 */
#include "api/routes.h"

#include <stdio.h>

#include "api/account.h"
#include "api/analytics.h"
#include "api/audit.h"
#include "api/auth.h"
#include "api/balance.h"
#include "api/campaign.h"
#include "api/click.h"
#include "api/conversion.h"
#include "api/email.h"
#include "api/import.h"
#include "api/key.h"
#include "api/member.h"
#include "api/oauth.h"
#include "api/password.h"
#include "api/preview.h"
#include "api/product.h"
#include "api/publisher.h"
#include "api/review.h"
#include "api/session.h"
#include "api/topup.h"
#include "auth/auth.h"
#include "http/frame.h"

#define EVENTS_BODY_MAX 65536
#define MANAGE_BODY_MAX 1048576
#define SMALL_BODY_MAX 8192
#define LINK_BODY_MAX 1024
#define ALLOW_MAX 64 /* all methods there are, with commas */

static const struct route table[] = {
    {"POST", "/v1/events/conversion", "ap", ROLE_NONE, EVENTS_BODY_MAX,
     ROUTE_OWN_TX | ROUTE_TEST_KEY, api_conversion_post, ROUTE_API},
    {"GET", "/v1/account", "apx", ROLE_VIEWER, 0, 0, api_account_get,
     ROUTE_API},
    {"PATCH", "/v1/account", "apx", ROLE_OWNER, SMALL_BODY_MAX, ROUTE_NO_KEY,
     api_account_patch, ROUTE_API},
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
     ROUTE_CREATES | ROUTE_ANY_TYPE, api_import_post, ROUTE_API},
    {"GET", "/v1/products/import", "a", ROLE_VIEWER, 0, 0, api_import_list,
     ROUTE_API},
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


/* Does the path fit?  Then `args` holds its variable segments. */
static bool
path_fits(const char *pattern, struct ads_str path, struct ads_str *args)
{
    size_t i = 0, n_args = 0;

    while (*pattern != '\0') {
        if (pattern[0] == '{') {
            size_t from = i;

            while (i < path.len && path.ptr[i] != '/') {
                i++;
            }
            if (i == from || n_args == REQUEST_ARGS_MAX) {
                return false;
            }
            args[n_args++] = (struct ads_str){path.ptr + from, i - from};
            pattern += 2;
        } else if (i < path.len && path.ptr[i] == *pattern) {
            i++;
            pattern++;
        } else {
            return false;
        }
    }
    return i == path.len;
}


/* 405 with the methods there are, or 404 when there are none. */
static void
answer_none(struct request *request, struct ads_str allow)
{
    if (allow.len == 0) {
        request_answer_problem(request, ADS_PROBLEM_NOT_FOUND, NULL);
        return;
    }
    allow.ptr = pool_text(request->pool, allow);
    request_header(request, "Allow", allow);
    request_answer_problem(request, ADS_PROBLEM_METHOD_NOT_ALLOWED, NULL);
}


const struct route *
routes_find(struct request *request, enum route_class class)
{
    struct ads_str args[REQUEST_ARGS_MAX];
    char allow[ALLOW_MAX] = "";
    size_t len = 0;

    for (size_t i = 0; i < N_ROUTES; i++) {
        if (table[i].class != class
            || !path_fits(table[i].path, request->path, args)) {
            continue;
        }
        if (!ads_str_is(request->method, table[i].method)) {
            len += (size_t)snprintf(allow + len, sizeof(allow) - len, "%s%s",
                                    len > 0 ? ", " : "", table[i].method);
            continue;
        }
        if (request->head.content_length > table[i].body_max) {
            request_answer_problem(request, ADS_PROBLEM_BODY_TOO_LARGE, NULL);
            return NULL;
        }
        memcpy(request->args, args, sizeof(args));
        return &table[i];
    }
    answer_none(request, (struct ads_str){allow, len});
    return NULL;
}


/* application/json, whatever its parameters and letters. */
static bool
is_json(struct ads_str type)
{
    static const char wanted[] = "application/json";
    const size_t len = sizeof(wanted) - 1;

    if (type.ptr == NULL || type.len < len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        char c = type.ptr[i];

        if (c >= 'A' && c <= 'Z') {
            c = (char)(c + ('a' - 'A'));
        }
        if (c != wanted[i]) {
            return false;
        }
    }
    return type.len == len || type.ptr[len] == ';' || type.ptr[len] == ' ';
}


bool
routes_check(const struct route *route, struct request *request)
{
    if (route->types != NULL && !auth_check(request, route)) {
        return false;
    }
    if (request->head.content_length > 0 && (route->flags & ROUTE_ANY_TYPE) == 0
        && (request_is_packed(request)
            || !is_json(scgi_find(&request->head, "CONTENT_TYPE"))))
    {
        request_answer_problem(request, ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                               "the body must be application/json");
        return false;
    }
    return true;
}


void
routes_handle(const struct route *route, struct request *request)
{
    enum ads_err err;

    if ((route->flags & ROUTE_OWN_TX) == 0) {
        api_run(request, route);
        return;
    }
    err = route->handle(request);
    if (err != ADS_OK) {
        request_answer_err(request, err);
    }
}
