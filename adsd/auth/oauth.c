/*
 * Signs in with identity providers.  Their answers are hostile until read:
 * foreign.h is strict, texts are validated before they are used, and none is
 * put into the log.
 */
#include "auth/oauth.h"

#include "ads_blank.h"
#include "auth/email.h"
#include "auth/id_token.h"
#include "base/clock.h"
#include "base/foreign.h"
#include "base/form.h"
#include "daemon/adsd.h"


struct ads_str
oauth_email(struct ads_str text)
{
    return text.ptr != NULL && auth_email_check(text)
               ? text
               : (struct ads_str){NULL, 0};
}


static struct ads_str
constant(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


enum ads_err
oauth_authorize_url(struct ads_str *url, struct oauth_provider *provider,
                    struct pool *pool, const struct oauth_flow *flow)
{
    const struct oauth_about *about = oauth_about(provider);
    struct oauth_endpoints endpoints;
    enum ads_err err;
    char *query;

    err = oauth_endpoints_find(&endpoints, provider, pool);
    if (err != ADS_OK) {
        return err;
    }
    query = https_param(pool, NULL, "response_type", ADS_STR("code"));
    query = https_param(pool, query, "client_id", constant(about->client_id));
    query =
        https_param(pool, query, "redirect_uri", constant(about->redirect_uri));
    query = https_param(pool, query, "scope", constant(about->scope));
    query = https_param(pool, query, "state", constant(flow->state));
    query =
        https_param(pool, query, "code_challenge", constant(flow->challenge));
    query = https_param(pool, query, "code_challenge_method", ADS_STR("S256"));
    if (about->oidc) {
        query = https_param(pool, query, "nonce", constant(flow->nonce));
    }
    url->ptr = pool_format(pool, &url->len, "%s%c%s", endpoints.authorize,
                           strchr(endpoints.authorize, '?') != NULL ? '&' : '?',
                           query);
    return ADS_OK;
}


/* ---- which provider answers ---- */

/* Does `iss` fit the issuer, a UUID standing where that has its tenant? */
static bool
issuer_fits(struct pool *pool, struct ads_str issuer, struct ads_str iss)
{
    const char *pattern = pool_text(pool, issuer);
    const char *at = strstr(pattern, ID_TOKEN_TENANT);
    struct ads_str tenant = {NULL, ADS_UUID_TEXT_LEN}, filled;
    struct ads_uuid uuid;

    if (at != NULL) {
        size_t before = (size_t)(at - pattern);

        if (iss.len < before + ADS_UUID_TEXT_LEN) {
            return false;
        }
        tenant.ptr = iss.ptr + before;
        if (!ads_uuid_read(&uuid, tenant)) {
            return false;
        }
    }
    filled = id_token_issuer(pool, issuer, tenant);
    return filled.ptr != NULL && ads_str_equal(filled, iss);
}


enum ads_err
oauth_issuer_check(struct oauth_provider *provider, struct pool *pool,
                   struct ads_str iss)
{
    struct oauth_endpoints endpoints;
    enum ads_err err;

    if (iss.ptr != NULL) {
        return issuer_fits(pool, oauth_about(provider)->issuer, iss)
                   ? ADS_OK
                   : ADS_FORGED;
    }
    err = oauth_endpoints_find(&endpoints, provider, pool);
    return err == ADS_OK && endpoints.sends_iss ? ADS_FORGED : err;
}


/* ---- who signed in ---- */

/* Asks, and reads the answer as JSON.  Logged when that fails. */
static enum ads_err
ask(const struct json_t **document, struct oauth_provider *provider,
    struct pool *pool, const struct https_request *request, const char *what)
{
    struct https_answer answer;
    enum ads_err err;

    err = oauth_ask(&answer, provider, pool, request);
    if (err != ADS_OK) {
        return oauth_failed(provider, err, what, answer.why);
    }
    *document = foreign_read(pool, answer.body, answer.len);
    if (*document == NULL) {
        return oauth_failed(provider, ADS_INVALID, what, "it is no JSON");
    }
    return ADS_OK;
}


/* The code for tokens. */
static enum ads_err
exchange(const struct json_t **tokens, struct oauth_provider *provider,
         struct pool *pool, struct ads_str code, const struct oauth_flow *flow)
{
    const struct oauth_about *about = oauth_about(provider);
    struct oauth_endpoints endpoints;
    struct https_request request;
    enum ads_err err;
    char *form;

    err = oauth_endpoints_find(&endpoints, provider, pool);
    if (err != ADS_OK) {
        return err;
    }
    form = https_param(pool, NULL, "grant_type", ADS_STR("authorization_code"));
    form = https_param(pool, form, "code", code);
    form =
        https_param(pool, form, "redirect_uri", constant(about->redirect_uri));
    form = https_param(pool, form, "client_id", constant(about->client_id));
    form = https_param(pool, form, "client_secret", constant(about->secret));
    form = https_param(pool, form, "code_verifier", constant(flow->verifier));
    request = (struct https_request){.url = endpoints.token, .form = form};
    return ask(tokens, provider, pool, &request, "its tokens");
}


static enum ads_err
identify_oidc(struct oauth_identity *identity, struct oauth_provider *provider,
              struct pool *pool, const struct json_t *tokens,
              const struct oauth_flow *flow)
{
    const struct oauth_about *about = oauth_about(provider);
    const struct id_token_wanted wanted = {
        .issuer = about->issuer,
        .client_id = constant(about->client_id),
        .nonce = constant(flow->nonce),
        .now_s = clock_realtime_us() / 1000000,
    };
    struct ads_str text = foreign_text(foreign_find(tokens, "id_token"));
    struct jose_keys *keys;
    struct id_token token;
    const char *why = "it is missing";
    enum ads_err err;

    if (text.ptr == NULL) {
        return oauth_failed(provider, ADS_INVALID, "its ID token", why);
    }
    err = oauth_keys_find(&keys, provider, pool, false);
    if (err != ADS_OK) {
        return err;
    }
    err = id_token_read(&token, pool, keys, text, &wanted, &why);
    if (err == ADS_ABSENT) {
        err = oauth_keys_find(&keys, provider, pool, true);
        if (err == ADS_OK) {
            err = id_token_read(&token, pool, keys, text, &wanted, &why);
        } else if (err != ADS_ABSENT) {
            return err;
        }
    }
    if (err != ADS_OK) {
        return oauth_failed(provider, ADS_INVALID, "its ID token", why);
    }
    *identity = (struct oauth_identity){
        .issuer = token.issuer,
        .subject = token.subject,
        .email = oauth_email(token.email),
        .name = token.name,
        /* each provider's own word for it, and no other's */
        .verified = strcmp(about->name, "microsoft") == 0
                        ? token.xms_edov
                        : token.email_verified,
    };
    return ADS_OK;
}


/* The primary address out of GitHub's list; its others may be anybody's. */
static void
email_choose(struct oauth_identity *identity, const struct json_t *list)
{
    const struct json_t *item;

    for (size_t i = 0; (item = foreign_at(list, i)) != NULL; i++) {
        if (foreign_is_true(foreign_find(item, "primary"))) {
            identity->email =
                oauth_email(foreign_text(foreign_find(item, "email")));
            identity->verified =
                foreign_is_true(foreign_find(item, "verified"));
            return;
        }
    }
}


static enum ads_err
identify_github(struct oauth_identity *identity,
                struct oauth_provider *provider, struct pool *pool,
                const struct json_t *tokens)
{
    const struct oauth_about *about = oauth_about(provider);
    struct ads_str token = foreign_text(foreign_find(tokens, "access_token"));
    struct https_request request = {.url = NULL};
    const struct json_t *user = NULL, *list = NULL;
    struct ads_str subject;
    enum ads_err err;
    int64_t id;

    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] <= ' ' || token.ptr[i] > '~') {
            token.len = 0;
        }
    }
    if (token.len == 0) {
        return oauth_failed(provider, ADS_INVALID, "its tokens",
                            "it gave none");
    }
    request.bearer = pool_text(pool, token);
    request.url = pool_format(pool, NULL, "%s/user", about->api_url);
    err = ask(&user, provider, pool, &request, "its user");
    if (err != ADS_OK) {
        return err;
    }
    request.url =
        pool_format(pool, NULL, "%s/user/emails?per_page=100", about->api_url);
    err = ask(&list, provider, pool, &request, "its e-mails");
    if (err != ADS_OK) {
        return err;
    }

    if (!foreign_whole(&id, foreign_find(user, "id"))
        || !foreign_is_array(list)) {
        return oauth_failed(provider, ADS_INVALID, "its user",
                            "it is not what it should be");
    }
    /* a login may be renamed, and taken again */
    subject.ptr = pool_format(pool, &subject.len, "%lld", (long long)id);
    *identity = (struct oauth_identity){
        .issuer = about->issuer,
        .subject = subject,
        .name = foreign_text(foreign_find(user, "name")),
    };
    email_choose(identity, list);
    return ADS_OK;
}


/* A name as a form would take it; what it may not hold is left out.  It becomes
 * the account's, which is read under its ads. */
static struct ads_str
name_of(struct pool *pool, struct ads_str text)
{
    if (text.ptr != NULL) {
        text = ads_str_trim(form_plain_of(pool, text), " ");
    }
    return ads_blank_is(text) ? (struct ads_str){NULL, 0} : text;
}


enum ads_err
oauth_identify(struct oauth_identity *identity, struct oauth_provider *provider,
               struct pool *pool, struct ads_str code,
               const struct oauth_flow *flow)
{
    const struct json_t *tokens = NULL;
    enum ads_err err;

    err = exchange(&tokens, provider, pool, code, flow);
    if (err != ADS_OK) {
        return err;
    }
    err = oauth_about(provider)->oidc
              ? identify_oidc(identity, provider, pool, tokens, flow)
              : identify_github(identity, provider, pool, tokens);
    if (err == ADS_OK) {
        identity->name = name_of(pool, identity->name);
        identity->verified = identity->verified && identity->email.ptr != NULL;
    }
    return err;
}
