/*
 * RFC 8439, section 2.8, with libsodium's stream cipher and authenticator.
 */
#include "ads_aead.h"

#include <assert.h>
#include <sodium.h>

#define BLOCK_LEN 64
#define PAD16(n) (((n) + 15) & ~(size_t)15)

/* The first block of the keystream: half of it is the one-time key; what is
 * sealed follows. */
struct stream {
    uint8_t key[BLOCK_LEN];
    uint8_t text[ADS_AEAD_MAX];
};

_Static_assert(sizeof(struct stream) == 256, "four blocks are drawn together");


void
ads_aead_subkey(uint8_t subkey[ADS_AEAD_KEY_LEN],
                const uint8_t prefix[ADS_AEAD_PREFIX_LEN],
                const uint8_t key[ADS_AEAD_KEY_LEN])
{
    crypto_core_hchacha20(subkey, prefix, key, NULL);
}


/* The one-time key, and the text enciphered or deciphered. */
static void
stream_draw(struct stream *stream, const void *text, size_t len,
            const uint8_t count[ADS_AEAD_COUNT_LEN],
            const uint8_t subkey[ADS_AEAD_KEY_LEN])
{
    uint8_t nonce[crypto_stream_chacha20_ietf_NONCEBYTES] = {0};

    assert(len <= ADS_AEAD_MAX);
    memcpy(nonce + 4, count, ADS_AEAD_COUNT_LEN);
    memset(stream, 0, sizeof(*stream));
    memcpy(stream->text, text, len);
    crypto_stream_chacha20_ietf_xor((uint8_t *)stream, (uint8_t *)stream,
                                    sizeof(*stream), nonce, subkey);
}


/* Copies and pads with zeros to a multiple of 16.  Returns the end. */
static uint8_t *
lay(uint8_t *dst, const void *bytes, size_t len)
{
    memcpy(dst, bytes, len);
    memset(dst + len, 0, PAD16(len) - len);
    return dst + PAD16(len);
}


static void
tag_make(uint8_t tag[ADS_AEAD_TAG_LEN], const uint8_t *key, struct ads_str ad,
         const void *sealed, size_t len)
{
    uint8_t text[PAD16(ADS_AEAD_AD_MAX) + PAD16(ADS_AEAD_MAX) + 16];
    uint64_t lengths[2] = {ad.len, len};
    uint8_t *end;

    assert(ad.len <= ADS_AEAD_AD_MAX);
    end = lay(text, ad.ptr, ad.len);
    end = lay(end, sealed, len);
    end = lay(end, lengths, sizeof(lengths));
    crypto_onetimeauth(tag, text, (size_t)(end - text), key);
}


void
ads_aead_seal(uint8_t *dst, struct ads_str message, struct ads_str ad,
              const uint8_t count[ADS_AEAD_COUNT_LEN],
              const uint8_t subkey[ADS_AEAD_KEY_LEN])
{
    struct stream stream;

    stream_draw(&stream, message.ptr, message.len, count, subkey);
    memcpy(dst, stream.text, message.len);
    tag_make(dst + message.len, stream.key, ad, dst, message.len);
    sodium_memzero(&stream, sizeof(stream));
}


enum ads_err
ads_aead_open(uint8_t *dst, struct ads_str sealed, struct ads_str ad,
              const uint8_t count[ADS_AEAD_COUNT_LEN],
              const uint8_t subkey[ADS_AEAD_KEY_LEN])
{
    struct stream stream;
    uint8_t tag[ADS_AEAD_TAG_LEN];
    enum ads_err err = ADS_FORGED;
    size_t len;

    if (sealed.len < ADS_AEAD_TAG_LEN) {
        return ADS_FORGED;
    }

    len = sealed.len - ADS_AEAD_TAG_LEN;
    stream_draw(&stream, sealed.ptr, len, count, subkey);
    tag_make(tag, stream.key, ad, sealed.ptr, len);
    if (crypto_verify_16(tag, (const uint8_t *)sealed.ptr + len) == 0) {
        memcpy(dst, stream.text, len);
        err = ADS_OK;
    }
    sodium_memzero(&stream, sizeof(stream));
    return err;
}
