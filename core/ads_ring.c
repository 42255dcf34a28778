/*
 * Parses the click-key ring and derives the subkeys.
 */
#include "ads_ring.h"

#include <sodium.h>

#define RING_CONTEXT "adsring1"

enum {
    SUBKEY_TOKEN = 1,
    SUBKEY_REQUEST,
    SUBKEY_CLICK,
    SUBKEY_JOURNAL,
    SUBKEY_HASH
};


static void
derive(struct ads_ring_key *key, const uint8_t secret[ADS_RING_KEY_LEN])
{
    crypto_kdf_derive_from_key(key->token, sizeof(key->token), SUBKEY_TOKEN,
                               RING_CONTEXT, secret);
    crypto_kdf_derive_from_key(key->request, sizeof(key->request),
                               SUBKEY_REQUEST, RING_CONTEXT, secret);
    crypto_kdf_derive_from_key(key->click, sizeof(key->click), SUBKEY_CLICK,
                               RING_CONTEXT, secret);
    crypto_kdf_derive_from_key(key->journal, sizeof(key->journal),
                               SUBKEY_JOURNAL, RING_CONTEXT, secret);
    crypto_kdf_derive_from_key(key->hash, sizeof(key->hash), SUBKEY_HASH,
                               RING_CONTEXT, secret);
}


static struct ads_str
line_take(struct ads_str *text)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    size_t len = end == NULL ? text->len : (size_t)(end - text->ptr);
    struct ads_str line = {text->ptr, len};
    const char *comment;

    text->ptr += len + (end != NULL);
    text->len -= len + (end != NULL);

    comment = memchr(line.ptr, '#', line.len);
    if (comment != NULL) {
        line.len = (size_t)(comment - line.ptr);
    }
    return line;
}


static struct ads_str
word_take(struct ads_str *line)
{
    struct ads_str word;

    while (line->len > 0 && strchr(" \t\r", *line->ptr) != NULL) {
        line->ptr++;
        line->len--;
    }

    word = (struct ads_str){line->ptr, 0};
    while (line->len > 0 && strchr(" \t\r", *line->ptr) == NULL) {
        line->ptr++;
        line->len--;
        word.len++;
    }
    return word;
}


/* 1 to 255 in plain decimal; 0 when it is anything else. */
static uint8_t
kid_read(struct ads_str word)
{
    unsigned value = 0;

    if (word.len == 0 || word.len > 3) {
        return 0;
    }

    for (size_t i = 0; i < word.len; i++) {
        if (!ads_char_is_digit(word.ptr[i])) {
            return 0;
        }
        value = value * 10 + (unsigned)(word.ptr[i] - '0');
    }
    return value > 255 ? 0 : (uint8_t)value;
}


/* One line that is not empty.  Returns what is wrong with it, or NULL. */
static const char *
key_read(struct ads_ring *ring, bool *sealing, struct ads_str kid,
         struct ads_str *line)
{
    struct ads_ring_key *key = &ring->keys[ring->n];
    struct ads_str use = word_take(line);
    struct ads_str hex = word_take(line);
    uint8_t secret[ADS_RING_KEY_LEN];
    const char *why = NULL;

    if (ring->n == ADS_RING_MAX) {
        return "more than 16 keys";
    }

    key->kid = kid_read(kid);
    if (key->kid == 0) {
        return "the key id must be a number from 1 to 255";
    }
    if (ads_ring_find(ring, key->kid) != NULL) {
        return "the key id stands twice";
    }

    if (ads_str_is(use, "seal")) {
        if (*sealing) {
            return "a second key says \"seal\"";
        }
        *sealing = true;
        ring->sealing = ring->n;

    } else if (!ads_str_is(use, "open")) {
        return "the second word must be \"seal\" or \"open\"";
    }

    if (!ads_hex_read(secret, sizeof(secret), hex)) {
        why = "the key must be 64 hex digits";

    } else if (word_take(line).len > 0) {
        why = "unexpected text after the key";

    } else {
        derive(key, secret);
        ring->n++;
    }

    sodium_memzero(secret, sizeof(secret));
    return why;
}


enum ads_err
ads_ring_read(struct ads_ring *ring, struct ads_str text, uint32_t *line,
              const char **why)
{
    bool sealing = false;

    *ring = (struct ads_ring){0};
    *line = 0;

    while (text.len > 0) {
        struct ads_str rest = line_take(&text);
        struct ads_str kid = word_take(&rest);

        (*line)++;
        if (kid.len == 0) {
            continue;
        }

        *why = key_read(ring, &sealing, kid, &rest);
        if (*why != NULL) {
            goto failed;
        }
    }

    if (sealing) {
        return ADS_OK;
    }

    *line = 0;
    *why = ring->n == 0 ? "no key in it" : "no key says \"seal\"";

failed:

    sodium_memzero(ring, sizeof(*ring));
    return ADS_INVALID;
}


const struct ads_ring_key *
ads_ring_find(const struct ads_ring *ring, uint8_t kid)
{
    for (uint32_t i = 0; i < ring->n; i++) {
        if (ring->keys[i].kid == kid) {
            return &ring->keys[i];
        }
    }
    return NULL;
}


const struct ads_ring_key *
ads_ring_seal(const struct ads_ring *ring)
{
    return &ring->keys[ring->sealing];
}


uint64_t
ads_ring_hash(const uint8_t key[ADS_SIP_KEY_LEN], const void *bytes, size_t len)
{
    uint64_t hash;

    crypto_shorthash((unsigned char *)&hash, bytes, len, key);
    return hash;
}
