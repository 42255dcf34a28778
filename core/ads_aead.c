/*
 * libsodium's ChaCha20-Poly1305 (RFC 8439) under the subkey of a prefix.
 */
#include "ads_aead.h"

#include <sodium.h>

/* Four zeros, then the count: what the subkey leaves of a nonce. */
struct nonce {
    uint8_t zeros[4];
    uint8_t count[ADS_AEAD_COUNT_LEN];
};

_Static_assert(sizeof(struct nonce)
                       == crypto_aead_chacha20poly1305_ietf_NPUBBYTES
                   && ADS_AEAD_TAG_LEN
                          == crypto_aead_chacha20poly1305_ietf_ABYTES,
               "the lengths are libsodium's");


void
ads_aead_subkey(uint8_t subkey[ADS_AEAD_KEY_LEN],
                const uint8_t prefix[ADS_AEAD_PREFIX_LEN],
                const uint8_t key[ADS_AEAD_KEY_LEN])
{
    crypto_core_hchacha20(subkey, prefix, key, NULL);
}


void
ads_aead_seal(uint8_t *dst, struct ads_str message, struct ads_str ad,
              const uint8_t count[ADS_AEAD_COUNT_LEN],
              const uint8_t subkey[ADS_AEAD_KEY_LEN])
{
    struct nonce nonce = {0};

    memcpy(nonce.count, count, sizeof(nonce.count));
    crypto_aead_chacha20poly1305_ietf_encrypt(
        dst, NULL, (const uint8_t *)message.ptr, message.len,
        (const uint8_t *)ad.ptr, ad.len, NULL, (const uint8_t *)&nonce, subkey);
}


enum ads_err
ads_aead_open(uint8_t *dst, struct ads_str sealed, struct ads_str ad,
              const uint8_t count[ADS_AEAD_COUNT_LEN],
              const uint8_t subkey[ADS_AEAD_KEY_LEN])
{
    struct nonce nonce = {0};

    memcpy(nonce.count, count, sizeof(nonce.count));
    return crypto_aead_chacha20poly1305_ietf_decrypt(
               dst, NULL, NULL, (const uint8_t *)sealed.ptr, sealed.len,
               (const uint8_t *)ad.ptr, ad.len, (const uint8_t *)&nonce, subkey)
                   == 0
               ? ADS_OK
               : ADS_FORGED;
}
