/*
 * XChaCha20-Poly1305, byte for byte what libsodium's
 * crypto_aead_xchacha20poly1305_ietf_*() makes and takes, in its two steps: the
 * first 16 bytes of a nonce select a subkey, under which ChaCha20-Poly1305 runs
 * with the other 8.  So the subkey is the caller's to keep: a caller that
 * counts up those 8 bytes derives it once.
 */
#ifndef ADS_AEAD_H
#define ADS_AEAD_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_AEAD_KEY_LEN 32
#define ADS_AEAD_PREFIX_LEN 16 /* of a nonce: what the subkey depends on */
#define ADS_AEAD_COUNT_LEN 8   /* the rest of it */
#define ADS_AEAD_TAG_LEN 16

/* The subkey of all nonces that begin with `prefix`. */
void
ads_aead_subkey(uint8_t subkey[ADS_AEAD_KEY_LEN],
                const uint8_t prefix[ADS_AEAD_PREFIX_LEN],
                const uint8_t key[ADS_AEAD_KEY_LEN]);

/* Writes the sealed message and its tag, len + ADS_AEAD_TAG_LEN bytes.  No
 * `count` may come twice under one subkey. */
void
ads_aead_seal(uint8_t *dst, struct ads_str message, struct ads_str ad,
              const uint8_t count[ADS_AEAD_COUNT_LEN],
              const uint8_t subkey[ADS_AEAD_KEY_LEN]);

/* Writes the message, ADS_AEAD_TAG_LEN shorter than `sealed`.  ADS_FORGED, and
 * zeros or nothing is written, when it is not what was sealed. */
ADS_MUST enum ads_err
ads_aead_open(uint8_t *dst, struct ads_str sealed, struct ads_str ad,
              const uint8_t count[ADS_AEAD_COUNT_LEN],
              const uint8_t subkey[ADS_AEAD_KEY_LEN]);

#endif
