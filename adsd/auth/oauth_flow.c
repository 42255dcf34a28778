/*
 * Derives the secrets of a sign-in: everything from two secrets, under a label
 * of its own.
 */
#include "auth/oauth_flow.h"

#include <stdlib.h>
#include <sys/random.h>

#define SECRET_BYTES 32
#define COOKIE_HTTPS "__Host-ads_oauth"
#define COOKIE_HTTP "ads_oauth"


static struct ads_str
text_of(const char *secret)
{
    return (struct ads_str){secret, OAUTH_SECRET_LEN};
}


static void
secret_write(char text[OAUTH_SECRET_LEN + 1], const uint8_t bytes[SECRET_BYTES])
{
    *ads_base64url_write(text, bytes, SECRET_BYTES) = '\0';
}


/* label, browser and state: texts of known length, so none runs into the
 * next */
static void
derive(char text[OAUTH_SECRET_LEN + 1], struct ads_str label,
       const struct oauth_flow *flow)
{
    const struct ads_str parts[] = {label, text_of(flow->browser),
                                    text_of(flow->state)};
    uint8_t hash[JOSE_SHA256_LEN];

    jose_sha256(hash, parts, 3);
    secret_write(text, hash);
}


static void
flow_fill(struct oauth_flow *flow)
{
    struct ads_str text;
    uint8_t hash[JOSE_SHA256_LEN];

    derive(flow->verifier, ADS_STR("verifier"), flow);
    derive(flow->nonce, ADS_STR("nonce"), flow);
    text = text_of(flow->verifier);
    jose_sha256(hash, &text, 1);
    secret_write(flow->challenge, hash);

    text = text_of(flow->state);
    jose_sha256(flow->state_hash, &text, 1);
    text = text_of(flow->browser);
    jose_sha256(flow->browser_hash, &text, 1);
}


void
oauth_flow_make(struct oauth_flow *flow)
{
    uint8_t random[2 * SECRET_BYTES];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        abort(); /* the kernel always has 64 bytes once it is up */
    }
    secret_write(flow->state, random);
    secret_write(flow->browser, random + SECRET_BYTES);
    explicit_bzero(random, sizeof(random));
    flow_fill(flow);
}


bool
oauth_flow_read(struct oauth_flow *flow, struct ads_str state,
                struct ads_str browser)
{
    uint8_t bytes[SECRET_BYTES];

    if (state.ptr == NULL || browser.ptr == NULL
        || !ads_base64url_read(bytes, sizeof(bytes), state))
    {
        return false;
    }
    secret_write(flow->state, bytes);
    if (!ads_base64url_read(bytes, sizeof(bytes), browser)) {
        return false;
    }
    secret_write(flow->browser, bytes);
    flow_fill(flow);
    return true;
}


/* ---- the cookie ---- */

static bool
on_https(const struct request *request)
{
    return strncmp(request->adsd->conf.base_url, "https:", 6) == 0;
}


static void
cookie_write(struct request *request, const char *value, int life_s)
{
    struct ads_str text;

    text.ptr = pool_format(request->pool, &text.len,
                           "%s=%s; Path=/; Max-Age=%d; HttpOnly; "
                           "SameSite=Lax%s",
                           on_https(request) ? COOKIE_HTTPS : COOKIE_HTTP,
                           value, life_s, on_https(request) ? "; Secure" : "");
    request_header(request, "Set-Cookie", text);
}


void
oauth_cookie_set(struct request *request, const struct oauth_flow *flow)
{
    cookie_write(request, flow->browser, OAUTH_FLOW_S);
}


void
oauth_cookie_clear(struct request *request)
{
    cookie_write(request, "", 0);
}


struct ads_str
oauth_cookie_find(const struct request *request)
{
    const char *name = on_https(request) ? COOKIE_HTTPS : COOKIE_HTTP;
    struct ads_str rest = request_find(request, "HTTP_COOKIE");
    struct ads_str found = {NULL, 0};
    size_t name_len = strlen(name), len;
    const char *end;

    while (rest.len > 0) {
        end = memchr(rest.ptr, ';', rest.len);
        len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        if (len > name_len && memcmp(rest.ptr, name, name_len) == 0
            && rest.ptr[name_len] == '=')
        {
            if (found.ptr != NULL) {
                return (struct ads_str){NULL, 0};
            }
            found =
                (struct ads_str){rest.ptr + name_len + 1, len - name_len - 1};
        }
        len += end != NULL;
        while (len < rest.len && rest.ptr[len] == ' ') {
            len++;
        }
        rest = (struct ads_str){rest.ptr + len, rest.len - len};
    }
    return found;
}
