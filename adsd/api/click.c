/*
 * Resolves a click link that the workers do not know.  The same rules for the
 * address as in the worker, because the same function makes it: core/ads_url.
 */
#include "api/handlers.h"

#include "ads_token.h"
#include "ads_url.h"
#include "base/clock.h"
#include "daemon/click_keys.h"

#define REDIRECT_MS (30 * INT64_C(86400000))

static const struct db_stmt STMT_AD_FIND = {
    .name = "click_resolve",
    .sql = "select url, campaign_id from ads.click_resolve($1)",
    .n_params = 1,
};

enum ad_column { AD_URL, AD_CAMPAIGN };


static bool
is_too_old(const struct ads_token *token)
{
    int64_t now_ms = clock_realtime_us() / 1000;

    return now_ms - (int64_t)ads_id_ms(&token->request_id) > REDIRECT_MS;
}


/* The address with the click's id in it. */
static enum ads_err
location_write(struct request *request, const struct ads_token *token,
               const struct ads_ring_key *key, const struct db_rows *rows)
{
    char *location = pool_alloc(request->pool, ADS_URL_CLICK_MAX);
    struct ads_uuid click_id, campaign_id = db_uuid(rows, 0, AD_CAMPAIGN);
    char click[ADS_UUID_TEXT_LEN], ad[ADS_UUID_TEXT_LEN];
    char campaign[ADS_UUID_TEXT_LEN];
    struct ads_url_click fill = {
        .click_id = {click, sizeof(click)},
        .campaign_id = {campaign, sizeof(campaign)},
        .ad_id = {ad, sizeof(ad)},
        .placement = {token->placement.text, token->placement.len},
    };
    enum ads_err err;
    size_t len;

    click_id = ads_click_id_make(key, &token->request_id, &token->ad_id);
    (void)ads_uuid_write(click, &click_id);
    (void)ads_uuid_write(campaign, &campaign_id);
    (void)ads_uuid_write(ad, &token->ad_id);

    err = ads_url_check(db_text(rows, 0, AD_URL), ADS_URL_DESTINATION, NULL);
    if (err == ADS_OK) {
        err = ads_url_click_write(location, ADS_URL_CLICK_MAX, &len,
                                  db_text(rows, 0, AD_URL), &fill);
    }
    if (err == ADS_OK) {
        request_header(request, "Location", (struct ads_str){location, len});
    }
    return err;
}


static enum ads_err
redirect(struct request *request, const struct ads_token *token,
         const struct ads_ring_key *key)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &token->ad_id);
    err = db_run_alone(request->db, &STMT_AD_FIND, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) != 1
        || location_write(request, token, key, rows) != ADS_OK) {
        return request_answer_problem(request, ADS_PROBLEM_LINK_EXPIRED, NULL);
    }
    request_header(request, "Referrer-Policy", ADS_STR("no-referrer"));
    request_header(request, "X-Robots-Tag", ADS_STR("noindex"));
    request_answer_empty(request, 302);
    return ADS_OK;
}


enum ads_err
api_click_get(struct request *request)
{
    const struct ads_ring_key *key;
    struct ads_token token;

    if (ads_token_read(&token, &key, click_keys_ring(request->adsd->click_keys),
                       NULL, request->args[0])
        != ADS_OK)
    {
        return request_answer_problem(request, ADS_PROBLEM_NOT_FOUND, NULL);
    }
    if (is_too_old(&token)) {
        return request_answer_problem(request, ADS_PROBLEM_LINK_EXPIRED, NULL);
    }
    return redirect(request, &token, key);
}
