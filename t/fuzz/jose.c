/*
 * A key set and an ID token, both of any bytes, the token also signed right so
 * that its claims are reached.  What is taken keeps every promise: a key that
 * may sign, our issuer, our client id, this nonce, now.
 *
 * Input: a byte of choices, a key set up to the first newline, the token.
 */
#define _GNU_SOURCE /* memmem */

#include "auth/id_token.h"

#include "../unit/signer.h"
#include "fuzz.h"

#define NOW_S 1893456000


static void
taken(const struct id_token *token)
{
    fuzz_must(token->subject.len > 0
                  && token->subject.len <= ID_TOKEN_SUBJECT_MAX
                  && memchr(token->subject.ptr, 0, token->subject.len) == NULL,
              "a subject");
    fuzz_must(token->issuer.ptr != NULL
                  && memcmp(token->issuer.ptr, "https://idp.test", 16) == 0,
              "our issuer");
    fuzz_must(memmem(token->issuer.ptr, token->issuer.len, ID_TOKEN_TENANT,
                     strlen(ID_TOKEN_TENANT))
                  == NULL,
              "a tenant filled in");
}


static void
check(struct pool *pool, const struct jose_keys *keys, struct ads_str text,
      bool tenants)
{
    const struct id_token_wanted wanted = {
        .issuer = tenants ? ADS_STR("https://idp.test/" ID_TOKEN_TENANT)
                          : ADS_STR("https://idp.test"),
        .client_id = ADS_STR("us"),
        .nonce = ADS_STR("n"),
        .now_s = NOW_S,
    };
    struct id_token token;
    enum ads_err err;
    const char *why;

    err = id_token_read(&token, pool, keys, text, &wanted, &why);
    if (err == ADS_OK) {
        taken(&token);
    }
    fuzz_must((err == ADS_OK) == (why == NULL), "a refusal has a reason");
}


/* The bytes as claims, and as a header, of a token signed by a known key. */
static void
check_signed(struct pool *pool, const char *text, bool tenants)
{
    static struct t_signer signer;
    struct jose_keys *keys;
    char *set, *token;

    if (signer.key == NULL) {
        signer = t_signer_ec("e");
    }
    set = pool_format(pool, NULL, "{\"keys\":[%s]}", t_jwk(&signer, pool, ""));
    fuzz_must(jose_keys_read(&keys, pool, set, strlen(set)) == ADS_OK,
              "a good key set");
    token = t_sign(&signer, pool, "{\"alg\":\"ES256\",\"kid\":\"e\"}", text);
    check(pool, keys, (struct ads_str){token, strlen(token)}, tenants);
    token = t_sign(&signer, pool, text, "{}");
    check(pool, keys, (struct ads_str){token, strlen(token)}, tenants);
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    uint8_t choice = fuzz_u8(&bytes, &len);
    struct pool *pool = pool_new();
    char *text = fuzz_copy(bytes, len);
    char *newline = len == 0 ? NULL : memchr(text, '\n', len);
    size_t first = newline == NULL ? len : (size_t)(newline - text);
    struct ads_str token = {text + first, len - first};
    struct jose_keys *keys;

    if (newline != NULL) {
        token = (struct ads_str){newline + 1, token.len - 1};
    }
    if ((choice & 2) != 0) {
        check_signed(pool, pool_text(pool, token), choice & 1);
    }
    if (jose_keys_read(&keys, pool, text, first) == ADS_OK) {
        check(pool, keys, token, choice & 1);
    }
    free(text);
    pool_free(pool);
    return 0;
}
