/*
 * API keys: `ads_` live|test `_` p|a|x, 30 random base62 characters, then 6
 * base62 digits of the CRC-32 of all before them, so that a scanner finds a
 * leaked key and a mistyped one is refused without a look-up.  Stored as
 * BLAKE2b-256 of the whole text: 178 random bits need no slow hash.
 */
#ifndef ADS_KEY_H
#define ADS_KEY_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_KEY_TEXT_LEN 46
#define ADS_KEY_HASH_LEN 32
#define ADS_KEY_RANDOM_LEN 64
#define ADS_KEY_KNOWN_MAX 32

enum ads_key_type {
    ADS_KEY_PUBLISHER = 'p',
    ADS_KEY_ADVERTISER = 'a',
    ADS_KEY_PLATFORM = 'x'
};

struct ads_key {
    enum ads_key_type type;
    bool test;
    uint8_t hash[ADS_KEY_HASH_LEN];
};

/*
 * Keys that were read before, each in a place of its own choice, by a hash of
 * their text that is theirs alone: no text of a key is kept.  Zeros but for
 * `secret`, which has to be random.
 */
struct ads_known_keys {
    uint8_t secret[16];
    struct ads_known_key {
        uint8_t hash[16];
        struct ads_key key;
    } places[ADS_KEY_KNOWN_MAX];
};

/* Reads a key's text; ADS_INVALID when its form or its check digits are not
 * right.  Nothing here says that the key exists.  `known` may be NULL. */
ADS_MUST enum ads_err
ads_key_read(struct ads_key *key, struct ads_known_keys *known,
             struct ads_str text);

/* Writes a new key's 46 characters, no NUL.  ADS_INVALID, practically never,
 * when the random bytes hold too few usable ones: draw again. */
ADS_MUST enum ads_err
ads_key_make(char *dst, enum ads_key_type type, bool test,
             const uint8_t random[ADS_KEY_RANDOM_LEN]);

/* The type of the keys of an account of that type, such as "publisher"; 0 when
 * it is none. */
enum ads_key_type
ads_key_type_of(struct ads_str account_type);

/*
 * The credential in the two headers a client may use; an absent header has
 * ptr NULL.  ADS_ABSENT: neither has one.  ADS_CONFLICT: two different ones.
 * ADS_INVALID: an Authorization header that is not `Bearer token`.
 */
ADS_MUST enum ads_err
ads_key_credential(struct ads_str *credential, struct ads_str authorization,
                   struct ads_str x_api_key);

#endif
