/*
 * Any bytes as a compact token: what is taken has one spelling.  Written again
 * from its parts it is the same text, and no part reaches outside.
 */
#include "auth/jws.h"

#include "fuzz.h"


static void
same(struct ads_str written, const void *bytes, size_t len, struct pool *pool)
{
    char *again = pool_alloc(pool, ADS_BASE64URL_LEN(len) + 1);
    char *end = ads_base64url_write(again, bytes, len);

    fuzz_must(
        fuzz_equal(written, (struct ads_str){again, (size_t)(end - again)}),
        "base64url has one spelling");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct pool *pool = pool_new();
    char *text = fuzz_copy(bytes, len);
    const char *dot;
    struct jws jws;

    if (jws_read(&jws, pool, (struct ads_str){text, len}) == ADS_OK) {
        fuzz_must(fuzz_inside(jws.signed_part, text, len),
                  "the signed part is a part of the token");
        fuzz_must(jws.alg.len > 0 && jws.signature_len > 0
                      && jws.kid.len <= JWS_KID_MAX && len <= JWS_LEN_MAX,
                  "an alg, a signature, and limits");

        dot = memchr(text, '.', len);
        fuzz_must(dot != NULL, "a dot");
        same((struct ads_str){dot + 1,
                              jws.signed_part.len - (size_t)(dot - text) - 1},
             jws.payload, jws.payload_len, pool);
        same((struct ads_str){text + jws.signed_part.len + 1,
                              len - jws.signed_part.len - 1},
             jws.signature, jws.signature_len, pool);
    }
    free(text);
    pool_free(pool);
    return 0;
}
