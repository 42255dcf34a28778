/*
 * Validates the form of API keys, and finds them in request headers.
 */
#include "ads_key.h"

#include <sodium.h>

#define HEAD_LEN 10 /* ads_live_p */
#define RANDOM_DIGITS 30
#define CHECK_DIGITS 6
#define BLANKS " \t"

_Static_assert(HEAD_LEN + RANDOM_DIGITS + CHECK_DIGITS == ADS_KEY_TEXT_LEN,
               "the key's parts fill it");

static const char digits[] = "0123456789"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz";


static void
check_write(char dst[CHECK_DIGITS], const char *text)
{
    uint32_t crc = ads_crc32(text, HEAD_LEN + RANDOM_DIGITS);

    for (unsigned i = CHECK_DIGITS; i-- > 0;) {
        dst[i] = digits[crc % 62];
        crc /= 62;
    }
}


static enum ads_err
text_read(struct ads_key *key, struct ads_str text)
{
    char check[CHECK_DIGITS];

    if (memcmp(text.ptr, "ads_live_", 9) == 0) {
        key->test = false;

    } else if (memcmp(text.ptr, "ads_test_", 9) == 0) {
        key->test = true;

    } else {
        return ADS_INVALID;
    }

    if (strchr("pax", text.ptr[9]) == NULL || text.ptr[9] == '\0') {
        return ADS_INVALID;
    }
    key->type = (enum ads_key_type)text.ptr[9];

    for (unsigned i = HEAD_LEN; i < ADS_KEY_TEXT_LEN; i++) {
        if (!ads_char_is_alnum(text.ptr[i])) {
            return ADS_INVALID;
        }
    }

    check_write(check, text.ptr);
    if (memcmp(check, text.ptr + HEAD_LEN + RANDOM_DIGITS, CHECK_DIGITS) != 0) {
        return ADS_INVALID;
    }

    crypto_generichash(key->hash, sizeof(key->hash),
                       (const unsigned char *)text.ptr, text.len, NULL, 0);
    return ADS_OK;
}


enum ads_err
ads_key_read(struct ads_key *key, struct ads_known_keys *known,
             struct ads_str text)
{
    struct ads_known_key *place;
    uint8_t hash[16];
    enum ads_err err;

    if (text.len != ADS_KEY_TEXT_LEN) {
        return ADS_INVALID;
    }
    if (known == NULL) {
        return text_read(key, text);
    }

    crypto_shorthash_siphashx24(hash, (const unsigned char *)text.ptr, text.len,
                                known->secret);
    place = &known->places[hash[0] % ADS_KEY_KNOWN_MAX];
    if (crypto_verify_16(hash, place->hash) == 0) {
        *key = place->key;
        return ADS_OK;
    }

    err = text_read(key, text);
    if (err == ADS_OK) {
        memcpy(place->hash, hash, sizeof(place->hash));
        place->key = *key;
    }
    return err;
}


enum ads_err
ads_key_make(char *dst, enum ads_key_type type, bool test,
             const uint8_t random[ADS_KEY_RANDOM_LEN])
{
    unsigned n = 0;

    memcpy(dst, test ? "ads_test_" : "ads_live_", 9);
    dst[9] = (char)type;

    /* 248 = 4 x 62: a byte from there on would favour some digits */
    for (unsigned i = 0; i < ADS_KEY_RANDOM_LEN && n < RANDOM_DIGITS; i++) {
        if (random[i] < 248) {
            dst[HEAD_LEN + n++] = digits[random[i] % 62];
        }
    }

    if (n < RANDOM_DIGITS) {
        return ADS_INVALID;
    }

    check_write(dst + HEAD_LEN + RANDOM_DIGITS, dst);
    return ADS_OK;
}


static bool
is_bearer(struct ads_str text)
{
    static const char scheme[] = "bearer ";

    if (text.len < sizeof(scheme) - 1) {
        return false;
    }
    for (unsigned i = 0; i < sizeof(scheme) - 2; i++) {
        if ((text.ptr[i] | 0x20) != scheme[i]) {
            return false;
        }
    }
    return text.ptr[sizeof(scheme) - 2] == ' ';
}


enum ads_key_type
ads_key_type_of(struct ads_str account_type)
{
    if (ads_str_is(account_type, "publisher")) {
        return ADS_KEY_PUBLISHER;
    }
    if (ads_str_is(account_type, "advertiser")) {
        return ADS_KEY_ADVERTISER;
    }
    return ads_str_is(account_type, "platform") ? ADS_KEY_PLATFORM
                                                : (enum ads_key_type)0;
}


enum ads_err
ads_key_credential(struct ads_str *credential, struct ads_str authorization,
                   struct ads_str x_api_key)
{
    struct ads_str bearer = {NULL, 0};

    authorization = ads_str_trim(authorization, BLANKS);
    x_api_key = ads_str_trim(x_api_key, BLANKS);

    if (authorization.len > 0) {
        if (!is_bearer(authorization)) {
            return ADS_INVALID;
        }
        bearer = ads_str_trim(ads_str_tail(authorization, 7), BLANKS);
        if (bearer.len == 0) {
            return ADS_INVALID;
        }
    }

    if (bearer.len > 0 && x_api_key.len > 0
        && (bearer.len != x_api_key.len
            || sodium_memcmp(bearer.ptr, x_api_key.ptr, bearer.len) != 0))
    {
        return ADS_CONFLICT;
    }

    *credential = bearer.len > 0 ? bearer : x_api_key;
    return credential->len > 0 ? ADS_OK : ADS_ABSENT;
}
