/*
 * What a provider says, as any bytes: its discovery document, GitHub's list of
 * addresses, `iss` of an answer; and a browser's cookies.  What is taken can be
 * in a Location, is one of the service's, or is an address.
 *
 * Input: a byte that says which, then its text.
 */
#include "adsd/auth/oauth_provider.c"

#include "adsd/auth/oauth.c"

#include "fuzz.h"

#define ISSUER "https://a.example/{tenantid}/v2.0"


static void
address_must(const char *address)
{
    fuzz_must(strncmp(address, "http", 4) == 0, "an address of the web");
    for (const char *at = address; *at != '\0'; at++) {
        fuzz_must(*at > ' ' && *at <= '~' && *at != '#',
                  "no address splits a header");
    }
}


static void
discovery(struct pool *pool, const char *text, size_t len)
{
    struct discovered found;

    if (document_read(&found, pool, text, len, ADS_STR(ISSUER)) == NULL) {
        address_must(found.authorize);
        address_must(found.token);
        address_must(found.keys_url);
    }
}


static void
emails(struct pool *pool, const char *text, size_t len)
{
    struct oauth_identity identity = {.verified = false};

    email_choose(&identity, foreign_read(pool, text, len));
    fuzz_must(identity.email.ptr == NULL || auth_email_check(identity.email),
              "an address is one");
}


static void
issuer(struct pool *pool, struct ads_str text)
{
    struct ads_uuid uuid;

    if (issuer_fits(pool, ADS_STR(ISSUER), text)) {
        fuzz_must(
            text.len == strlen(ISSUER) - strlen(ID_TOKEN_TENANT) + 36
                && ads_uuid_read(&uuid, (struct ads_str){text.ptr + 18, 36}),
            "a tenant is in its issuer");
    }
    fuzz_must(!issuer_fits(pool, ADS_STR("https://a.example"), text)
                  || text.len == 17,
              "an issuer is one text");
}


static void
cookie(struct pool *pool, struct ads_str text)
{
    static struct adsd adsd;
    static char base_url[] = "https://ads.example";
    struct request request = {.adsd = &adsd, .pool = pool};
    struct oauth_flow flow;
    struct ads_str found;

    adsd.conf.base_url = base_url;
    request.head.n = 1;
    request.head.params[0] = (struct scgi_param){ADS_STR("HTTP_COOKIE"), text};
    found = oauth_cookie_find(&request);
    if (found.ptr != NULL) {
        fuzz_must(fuzz_inside(found, text.ptr, text.len)
                      && memchr(found.ptr, ';', found.len) == NULL,
                  "a cookie is a part of its header");
        if (oauth_flow_read(&flow, found, found)) {
            fuzz_must(found.len == OAUTH_SECRET_LEN
                          && memcmp(flow.state, found.ptr, found.len) == 0,
                      "a secret has one spelling");
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    uint8_t which = fuzz_u8(&bytes, &len);
    struct pool *pool = pool_new();
    char *text = fuzz_copy(bytes, len);

    switch (which % 4) {
    case 0:
        discovery(pool, text, len);
        break;
    case 1:
        emails(pool, text, len);
        break;
    case 2:
        issuer(pool, (struct ads_str){text, len});
        break;
    default:
        cookie(pool, (struct ads_str){text, len});
        break;
    }
    free(text);
    pool_free(pool);
    return 0;
}
