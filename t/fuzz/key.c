/*
 * Any bytes as the two headers that may hold a credential, and as an API key,
 * also one whose check digits were made right; and as the random bytes that a
 * new key is made of.
 */
#include "ads_key.h"

#include <sodium.h>

#include "fuzz.h"


static void
key_must(struct ads_str text)
{
    uint8_t hash[ADS_KEY_HASH_LEN];
    char copy[ADS_KEY_TEXT_LEN];
    struct ads_key key, other;

    if (ads_key_read(&key, NULL, text) != ADS_OK) {
        return;
    }
    fuzz_must(text.len == ADS_KEY_TEXT_LEN, "a key's length");
    crypto_generichash(hash, sizeof(hash), (const unsigned char *)text.ptr,
                       text.len, NULL, 0);
    fuzz_must(memcmp(hash, key.hash, sizeof(hash)) == 0, "a key's hash");
    fuzz_must(key.test == (memcmp(text.ptr, "ads_test_", 9) == 0)
                  && text.ptr[9] == (char)key.type,
              "what the key says of itself");

    for (size_t i = 0; i < sizeof(copy); i++) {
        memcpy(copy, text.ptr, sizeof(copy));
        copy[i] = copy[i] == 'x' ? 'p' : 'x';
        fuzz_must(
            ads_key_read(&other, NULL, (struct ads_str){copy, sizeof(copy)})
                != ADS_OK,
            "a mistyped key is refused");
    }
}


static void
made(const uint8_t *bytes, size_t len)
{
    static const char types[] = "pax";
    uint8_t flags = fuzz_u8(&bytes, &len), random[ADS_KEY_RANDOM_LEN];
    char text[ADS_KEY_TEXT_LEN];
    struct ads_key key;
    enum ads_key_type type = (enum ads_key_type)types[(flags >> 1) % 3];

    fuzz_take(random, sizeof(random), &bytes, &len);
    if (ads_key_make(text, type, flags & 1, random) != ADS_OK) {
        return;
    }
    fuzz_must(ads_key_read(&key, NULL, (struct ads_str){text, sizeof(text)})
                      == ADS_OK
                  && key.type == type && key.test == (flags & 1),
              "a new key is a key");
    key_must((struct ads_str){text, sizeof(text)});
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const char *line = len == 0 ? NULL : memchr(bytes, '\n', len);
    size_t first = line == NULL ? len : (size_t)(line - (const char *)bytes);
    size_t second = line == NULL ? 0 : len - first - 1;
    char *authorization = fuzz_copy(bytes, first);
    char *x_api_key = fuzz_copy(line == NULL ? "" : line + 1, second);
    struct ads_str credential = {NULL, 0};
    enum ads_err err;

    err = ads_key_credential(
        &credential, (struct ads_str){authorization, first},
        (struct ads_str){line == NULL ? NULL : x_api_key, second});
    if (err == ADS_OK) {
        fuzz_must(credential.len > 0
                      && (fuzz_inside(credential, authorization, first)
                          || fuzz_inside(credential, x_api_key, second)),
                  "a credential is a part of its header");
        fuzz_must(credential.ptr[0] != ' '
                      && credential.ptr[credential.len - 1] != ' ',
                  "without the space around it");
        key_must(credential);
    } else {
        fuzz_must(err == ADS_ABSENT || err == ADS_CONFLICT
                      || err == ADS_INVALID,
                  "a known verdict");
    }
    key_must((struct ads_str){authorization, first});
    made(bytes, len);
    free(authorization);
    free(x_api_key);
    return 0;
}
