/*
 * Loads the metadata and keys of identity providers.  The lock is held to look
 * and to store, never while a provider is asked: two threads may ask the same
 * at the same time, and the later answer stays.
 */
#include "auth/oauth_provider.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auth/id_token.h"
#include "base/clock.h"
#include "base/foreign.h"
#include "daemon/adsd.h"

#define SECRET_MAX 512
#define HOST_MAX 256
#define WELL_KNOWN "/.well-known/openid-configuration"

/* Microsoft's discovery for all tenants is that of this one */
#define COMMON_TENANT "common"

/* in the order of enum conf_provider */
static const struct kind {
    const char *name;
    const char *scope;
    bool oidc;
} kinds[CONF_PROVIDERS] = {
    [CONF_GOOGLE] = {"google", "openid email profile", true},
    [CONF_GITHUB] = {"github", "read:user user:email", false},
    [CONF_MICROSOFT] = {"microsoft", "openid email profile", true},
};

struct oauth_provider {
    struct oauth_about about;
    const struct conf_oauth *conf;
    char secret[SECRET_MAX + 1];

    pthread_mutex_t lock; /* of what follows; texts are malloc'ed */
    char *authorize;      /* NULL: never asked */
    char *token;
    char *keys_url;
    bool sends_iss;
    int64_t asked_ms;
    char *keys;
    size_t keys_len;
    int64_t keys_ms;
    int64_t renewed_ms; /* when an unknown key last made us ask; 0: never */
    unsigned n_asking;  /* threads that wait for it */
    int64_t heard_ms;   /* when it last answered, or the first of them asked */
    bool slow;          /* the last request timed out */
};

struct oauth {
    struct pool *pool;
    struct oauth_provider providers[CONF_PROVIDERS];
};


/* ---- configuration ---- */

static enum ads_err
secret_read(struct oauth_provider *provider, const char *path)
{
    struct log *log = provider->about.log;
    const char *why = NULL;
    struct stat st;
    ssize_t len;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) != 0) {
        log_error(log, OAUTH_DUTY, "could not open \"%s\": %s", path,
                  strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return ADS_INVALID;
    }
    len = read(fd, provider->secret, sizeof(provider->secret));
    (void)close(fd);
    while (len > 0 && (uint8_t)provider->secret[len - 1] <= ' ') {
        len--;
    }
    if (!S_ISREG(st.st_mode) || len <= 0
        || len == (ssize_t)sizeof(provider->secret))
    {
        why = "it holds no secret";
        len = 0;
    } else if ((st.st_mode & 077) != 0) {
        why = "others than its owner may read it: chmod 600";
    }
    provider->secret[len] = '\0';
    if (why != NULL) {
        log_error(log, OAUTH_DUTY, "%s: %s", path, why);
        return ADS_INVALID;
    }
    provider->about.secret = provider->secret;
    return ADS_OK;
}


/* The host of an address, a space before it, behind the others. */
static char *
host_add(struct pool *pool, const char *hosts, const char *url)
{
    const char *host = strstr(url, "://");
    size_t len;

    if (host == NULL) {
        return pool_format(pool, NULL, "%s", hosts);
    }
    host += 3;
    len = strcspn(host, "/:?#");
    return pool_format(pool, NULL, "%s %.*s", hosts,
                       (int)(len < HOST_MAX ? len : HOST_MAX), host);
}


static enum ads_err
provider_open(struct oauth_provider *provider, struct pool *pool,
              const struct conf *conf, enum conf_provider which)
{
    const struct conf_oauth *own = &conf->oauth[which];
    struct oauth_about *about = &provider->about;
    const char *hosts;

    if (own->client_id[0] == '\0') {
        return ADS_OK;
    }
    if (own->client_secret_file[0] == '\0') {
        log_error(about->log, OAUTH_DUTY,
                  "oauth_%s_client_id needs oauth_%s_client_secret_file",
                  kinds[which].name, kinds[which].name);
        return ADS_INVALID;
    }
    provider->conf = own;
    about->name = kinds[which].name;
    about->scope = kinds[which].scope;
    about->oidc = kinds[which].oidc;
    about->client_id = own->client_id;
    about->issuer = (struct ads_str){own->issuer, strlen(own->issuer)};
    about->redirect_uri =
        pool_format(pool, NULL, "%s/v1/auth/oauth/%s/callback", conf->base_url,
                    about->name);

    hosts = own->hosts != NULL ? own->hosts : "";
    hosts = host_add(pool, hosts, own->issuer);
    if (!about->oidc) {
        about->api_url = own->api_url;
        hosts = host_add(pool, hosts, own->authorize_url);
        hosts = host_add(pool, hosts, own->token_url);
        hosts = host_add(pool, hosts, own->api_url);
    }
    about->rules.hosts = hosts;
    about->rules.ca_file = conf->oauth_ca_file;
    about->rules.allow_private = conf->oauth_allow_private;
    return secret_read(provider, own->client_secret_file);
}


enum ads_err
oauth_open(struct oauth **oauth, const struct conf *conf, struct log *log,
           const _Atomic bool *stop)
{
    struct oauth *new = xcalloc(1, sizeof(*new));
    enum ads_err err = ADS_OK;

    *oauth = new;
    new->pool = pool_new();
    for (size_t i = 0; i < CONF_PROVIDERS; i++) {
        new->providers[i].about.log = log;
        new->providers[i].about.rules.stop = stop;
        (void)pthread_mutex_init(&new->providers[i].lock, NULL);
    }
    if (!https_init()) {
        log_error(log, OAUTH_DUTY, "libcurl does not start");
        err = ADS_IO;
    }
    for (size_t i = 0; i < CONF_PROVIDERS && err == ADS_OK; i++) {
        err = provider_open(&new->providers[i], new->pool, conf,
                            (enum conf_provider)i);
    }
    return err;
}


void
oauth_close(struct oauth *oauth)
{
    if (oauth == NULL) {
        return;
    }
    for (size_t i = 0; i < CONF_PROVIDERS; i++) {
        struct oauth_provider *provider = &oauth->providers[i];

        explicit_bzero(provider->secret, sizeof(provider->secret));
        free(provider->authorize);
        free(provider->token);
        free(provider->keys_url);
        free(provider->keys);
        (void)pthread_mutex_destroy(&provider->lock);
    }
    pool_free(oauth->pool);
    free(oauth);
}


const char *
oauth_name_find(struct ads_str name)
{
    for (size_t i = 0; i < CONF_PROVIDERS; i++) {
        if (ads_str_is(name, kinds[i].name)) {
            return kinds[i].name;
        }
    }
    return NULL;
}


struct oauth_provider *
oauth_at(struct oauth *oauth, enum conf_provider which)
{
    struct oauth_provider *provider = &oauth->providers[which];

    return provider->conf != NULL ? provider : NULL;
}


struct oauth_provider *
oauth_find(struct oauth *oauth, struct ads_str name)
{
    for (size_t i = 0; i < CONF_PROVIDERS; i++) {
        if (ads_str_is(name, kinds[i].name)) {
            return oauth_at(oauth, (enum conf_provider)i);
        }
    }
    return NULL;
}


const struct oauth_about *
oauth_about(const struct oauth_provider *provider)
{
    return &provider->about;
}


enum ads_err
oauth_failed(const struct oauth_provider *provider, enum ads_err err,
             const char *what, const char *why)
{
    log_warn(provider->about.log, OAUTH_DUTY, "sign-in with %s: %s: %s",
             provider->about.name, what, why);
    return err == ADS_UNAVAILABLE || err == ADS_BUSY ? ADS_UNAVAILABLE
                                                     : ADS_INVALID;
}


/* ---- asking ---- */

static bool
asking_begin(struct oauth_provider *provider)
{
    int64_t now = clock_monotonic_ms();
    bool may;

    (void)pthread_mutex_lock(&provider->lock);
    may = provider->n_asking == 0
          || (!provider->slow && now - provider->heard_ms < OAUTH_PATIENCE_MS);
    if (provider->n_asking == 0) {
        provider->heard_ms = now;
    }
    provider->n_asking += may ? 1 : 0;
    (void)pthread_mutex_unlock(&provider->lock);
    return may;
}


static void
asking_end(struct oauth_provider *provider, enum ads_err err)
{
    (void)pthread_mutex_lock(&provider->lock);
    provider->n_asking--;
    provider->slow = err == ADS_BUSY;
    if (!provider->slow) {
        provider->heard_ms = clock_monotonic_ms();
    }
    (void)pthread_mutex_unlock(&provider->lock);
}


enum ads_err
oauth_ask(struct https_answer *answer, struct oauth_provider *provider,
          struct pool *pool, const struct https_request *request)
{
    enum ads_err err;

    if (!asking_begin(provider)) {
        *answer = (struct https_answer){
            .body = pool_alloc(pool, 1),
            .why = "others wait for it already",
        };
        return ADS_BUSY;
    }
    err = https_ask(answer, pool, &provider->about.rules, request);
    asking_end(provider, err);
    return err;
}


/* ---- discovery ---- */

/* Is it an address, that may go into Location? */
static bool
address_check(struct ads_str text)
{
    if (text.len < 8 || memcmp(text.ptr, "http", 4) != 0) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c <= ' ' || c > '~' || strchr("\"<>\\^`{|}#", c) != NULL) {
            return false;
        }
    }
    return true;
}


/* What a discovery document says, in the pool's memory. */
struct discovered {
    const char *authorize;
    const char *token;
    const char *keys_url;
    bool sends_iss;
};


static const char *
document_read(struct discovered *found, struct pool *pool, const char *text,
              size_t len, struct ads_str issuer)
{
    static const char *const names[] = {"authorization_endpoint",
                                        "token_endpoint", "jwks_uri"};
    const char **const places[] = {&found->authorize, &found->token,
                                   &found->keys_url};
    const struct json_t *document = foreign_read(pool, text, len);

    if (document == NULL) {
        return "it is no JSON";
    }
    if (!jws_same(foreign_text(foreign_find(document, "issuer")), issuer)) {
        return "it is another issuer's";
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct ads_str address = foreign_text(foreign_find(document, names[i]));

        if (!address_check(address)) {
            return "an address is missing";
        }
        *places[i] = address.ptr;
    }
    found->sends_iss = foreign_is_true(foreign_find(
        document, "authorization_response_iss_parameter_supported"));
    return NULL;
}


static void
keep(char **place, const char *text)
{
    free(*place);
    *place = xstrdup(text);
}


static enum ads_err
discover(struct oauth_provider *provider, struct pool *pool)
{
    const struct oauth_about *about = &provider->about;
    struct ads_str issuer =
        id_token_issuer(pool, about->issuer, ADS_STR(COMMON_TENANT));
    struct https_request request = {
        .url = pool_format(pool, NULL, "%.*s" WELL_KNOWN, (int)issuer.len,
                           issuer.ptr)};
    struct discovered found;
    struct https_answer answer;
    const char *why;
    enum ads_err err;

    err = oauth_ask(&answer, provider, pool, &request);
    if (err != ADS_OK) {
        return oauth_failed(provider, err, "its discovery", answer.why);
    }
    why = document_read(&found, pool, answer.body, answer.len, about->issuer);
    if (why == NULL && !https_allowed(&about->rules, found.authorize)) {
        why = "it leads to a host that is not configured";
    }
    if (why != NULL) {
        return oauth_failed(provider, ADS_INVALID, "its discovery", why);
    }

    (void)pthread_mutex_lock(&provider->lock);
    keep(&provider->authorize, found.authorize);
    keep(&provider->token, found.token);
    keep(&provider->keys_url, found.keys_url);
    provider->sends_iss = found.sends_iss;
    provider->asked_ms = clock_monotonic_ms();
    (void)pthread_mutex_unlock(&provider->lock);
    return ADS_OK;
}


/* Copies what is kept; false when it is older than `most_ms`, or nothing. */
static bool
endpoints_copy(struct oauth_endpoints *endpoints,
               struct oauth_provider *provider, struct pool *pool,
               int64_t most_ms)
{
    bool fresh;

    (void)pthread_mutex_lock(&provider->lock);
    fresh = provider->authorize != NULL
            && clock_monotonic_ms() - provider->asked_ms < most_ms;
    if (fresh) {
        endpoints->authorize =
            pool_format(pool, NULL, "%s", provider->authorize);
        endpoints->token = pool_format(pool, NULL, "%s", provider->token);
        endpoints->sends_iss = provider->sends_iss;
    }
    (void)pthread_mutex_unlock(&provider->lock);
    return fresh;
}


enum ads_err
oauth_endpoints_find(struct oauth_endpoints *endpoints,
                     struct oauth_provider *provider, struct pool *pool)
{
    enum ads_err err;

    if (!provider->about.oidc) {
        *endpoints = (struct oauth_endpoints){
            .authorize = provider->conf->authorize_url,
            .token = provider->conf->token_url,
        };
        return ADS_OK;
    }
    if (endpoints_copy(endpoints, provider, pool, OAUTH_KEEP_MS)) {
        return ADS_OK;
    }
    err = discover(provider, pool);
    if (endpoints_copy(endpoints, provider, pool, OAUTH_STALE_MS)) {
        return ADS_OK;
    }
    return err == ADS_OK ? ADS_UNAVAILABLE : err;
}


/* ---- keys ---- */

/* A copy of the key set; NULL when it is older than `most_ms`, or there is
 * none. */
static char *
keys_copy(struct oauth_provider *provider, struct pool *pool, size_t *len,
          int64_t most_ms)
{
    char *text = NULL;

    (void)pthread_mutex_lock(&provider->lock);
    if (provider->keys != NULL
        && clock_monotonic_ms() - provider->keys_ms < most_ms)
    {
        *len = provider->keys_len;
        text = pool_text(pool, (struct ads_str){provider->keys, *len});
    }
    (void)pthread_mutex_unlock(&provider->lock);
    return text;
}


static enum ads_err
keys_ask(struct oauth_provider *provider, struct pool *pool)
{
    struct https_request request = {.url = NULL};
    struct jose_keys *keys;
    struct https_answer answer;
    enum ads_err err;
    char *old;

    (void)pthread_mutex_lock(&provider->lock);
    request.url = pool_format(pool, NULL, "%s", provider->keys_url);
    (void)pthread_mutex_unlock(&provider->lock);
    err = oauth_ask(&answer, provider, pool, &request);
    if (err != ADS_OK) {
        return oauth_failed(provider, err, "its keys", answer.why);
    }
    err = jose_keys_read(&keys, pool, answer.body, answer.len);
    if (err != ADS_OK) {
        return oauth_failed(provider, ADS_INVALID, "its keys",
                            "they are no key set that can be used");
    }

    (void)pthread_mutex_lock(&provider->lock);
    old = provider->keys;
    provider->keys = xmalloc(answer.len);
    memcpy(provider->keys, answer.body, answer.len);
    provider->keys_len = answer.len;
    provider->keys_ms = clock_monotonic_ms();
    (void)pthread_mutex_unlock(&provider->lock);
    free(old);
    return ADS_OK;
}


/* May an unknown key make us ask?  Then it is noted that it did. */
static bool
may_renew(struct oauth_provider *provider)
{
    int64_t now = clock_monotonic_ms();
    bool may;

    (void)pthread_mutex_lock(&provider->lock);
    may = provider->renewed_ms == 0
          || now - provider->renewed_ms >= OAUTH_RENEW_MS;
    if (may) {
        provider->renewed_ms = now;
    }
    (void)pthread_mutex_unlock(&provider->lock);
    return may;
}


enum ads_err
oauth_keys_find(struct jose_keys **keys, struct oauth_provider *provider,
                struct pool *pool, bool newer)
{
    enum ads_err err = ADS_OK;
    char *text = NULL;
    size_t len;

    if (newer) {
        if (!may_renew(provider)) {
            return ADS_ABSENT;
        }
        err = keys_ask(provider, pool);
        if (err != ADS_OK) {
            return err;
        }
    } else {
        text = keys_copy(provider, pool, &len, OAUTH_KEEP_MS);
        if (text == NULL) {
            err = keys_ask(provider, pool);
        }
    }
    if (text == NULL) {
        text = keys_copy(provider, pool, &len, OAUTH_STALE_MS);
    }
    if (text == NULL) {
        return err == ADS_OK ? ADS_UNAVAILABLE : err;
    }
    return jose_keys_read(keys, pool, text, len);
}
