/*
 * Any text as an access token: nothing is taken that we did not make.  Every
 * second input is signed first, so that what it claims is read as well.
 */
#include "auth/jwt.h"

#include "fuzz.h"

#define SEED "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"


/* base64url(`text`) under our own header and signature. */
static struct ads_str
sign(struct pool *pool, struct auth_keys *keys, struct ads_str text)
{
    static const char head[] = "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\"}";
    size_t head_len = ADS_BASE64URL_LEN(sizeof(head) - 1);
    char *whole =
        pool_alloc(pool, head_len + ADS_BASE64URL_LEN(text.len) + 128);
    uint8_t signature[AUTH_SIGNATURE_LEN];
    char *at;

    at = ads_base64url_write(whole, head, sizeof(head) - 1);
    *at++ = '.';
    at = ads_base64url_write(at, text.ptr, text.len);
    fuzz_must(auth_keys_sign(keys, "k", signature,
                             (struct ads_str){whole, (size_t)(at - whole)}),
              "our key is there");
    *at++ = '.';
    at = ads_base64url_write(at, signature, sizeof(signature));
    return (struct ads_str){whole, (size_t)(at - whole)};
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text = fuzz_copy(bytes, len);
    struct ads_str token = {text, len};
    struct pool *pool = pool_new();
    struct auth_keys *keys;
    struct auth_jwt jwt;
    bool ours = len > 0 && (bytes[0] & 1) != 0;
    enum ads_err err;

    fuzz_must(auth_keys_parse(&keys, ADS_STR("k " SEED " sign")) == ADS_OK,
              "a key");
    if (ours) {
        token = sign(pool, keys, (struct ads_str){text + 1, len - 1});
    }
    err = auth_jwt_check(&jwt, pool,
                         &(struct auth_jwt_rules){
                             .keys = keys,
                             .issuer = "i",
                             .audience = "a",
                             .life_max_s = 900,
                             .now_s = 1000,
                         },
                         token);
    fuzz_must(err == ADS_OK || err == ADS_DENIED || err == ADS_EXPIRED,
              "a known verdict");
    fuzz_must(ours || err != ADS_OK, "nothing foreign is taken");
    if (err == ADS_OK) {
        fuzz_must(jwt.subject.len > 0 && jwt.expires_s - jwt.issued_s <= 900,
                  "what is taken says for whom and for how long");
    }
    auth_keys_free(keys);
    pool_free(pool);
    free(text);
    return 0;
}
