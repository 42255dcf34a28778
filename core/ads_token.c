/*
 * Encrypts and decrypts click tokens.
 */
#include "ads_token.h"

#define VERSION 1
#define HEAD_LEN 2 /* version and key id: the additional data */
#define NONCE_LEN (ADS_AEAD_PREFIX_LEN + ADS_AEAD_COUNT_LEN)
#define PLAIN_LEN 108
#define TAIL 70
#define TAIL_LEN (PLAIN_LEN - TAIL)

/* A token's bytes. */
struct sealed {
    uint8_t head[HEAD_LEN];
    uint8_t prefix[ADS_AEAD_PREFIX_LEN];
    uint8_t count[ADS_AEAD_COUNT_LEN];
    uint8_t text[PLAIN_LEN + ADS_AEAD_TAG_LEN];
};

_Static_assert(sizeof(struct sealed) == ADS_TOKEN_LEN,
               "the token's parts fill it");
_Static_assert(ADS_BASE64URL_LEN(ADS_TOKEN_LEN) == ADS_TOKEN_TEXT_LEN
                   && ADS_TOKEN_LEN % 3 == 0,
               "one text per token");


void
ads_sealer_init(struct ads_sealer *sealer, const struct ads_ring_key *key,
                const uint8_t random[16])
{
    sealer->kid = key->kid;
    sealer->count = 0;
    memcpy(sealer->prefix, random, sizeof(sealer->prefix));
    ads_aead_subkey(sealer->subkey, sealer->prefix, key->token);
}


static struct ads_str
bytes_of(const uint8_t *bytes, size_t len)
{
    return (struct ads_str){(const char *)bytes, len};
}


static uint8_t *
placement_write(uint8_t *dst, const struct ads_placement *placement)
{
    uint8_t code = ads_placement_code(placement);

    if (code != 0) {
        *dst++ = code;
        return dst;
    }

    *dst++ = (uint8_t)(0x80 | placement->len);
    memcpy(dst, placement->text, placement->len);
    return dst + placement->len;
}


/* As many whole words as fit. */
static size_t
words_fit(const struct ads_token *token, size_t room)
{
    size_t len = token->words_len;

    if (len <= room) {
        return len;
    }

    len = room;
    while (len > 0 && token->words[len] != ' ') {
        len--;
    }
    return len;
}


static void
plain_write(uint8_t plain[PLAIN_LEN], const struct ads_token *token)
{
    uint8_t *tail;

    memset(plain, 0, PLAIN_LEN);
    memcpy(plain, token->request_id.b, 16);
    memcpy(plain + 16, token->ad_id.b, 16);
    memcpy(plain + 32, token->publisher.b, 16);
    memcpy(plain + 48, &token->price_micros, 8);
    memcpy(plain + 56, &token->session_hash, 8);
    memcpy(plain + 64, &token->campaign_version, 4);
    memcpy(plain + 68, token->country, 2);

    tail = placement_write(plain + TAIL, &token->placement);
    memcpy(tail, token->words,
           words_fit(token, (size_t)(plain + PLAIN_LEN - tail)));
}


char *
ads_token_write(char *dst, struct ads_sealer *sealer,
                const struct ads_token *token)
{
    struct sealed sealed = {.head = {VERSION, sealer->kid}};
    uint8_t plain[PLAIN_LEN];

    plain_write(plain, token);

    sealer->count++;
    memcpy(sealed.prefix, sealer->prefix, sizeof(sealed.prefix));
    memcpy(sealed.count, &sealer->count, sizeof(sealed.count));
    ads_aead_seal(sealed.text, bytes_of(plain, sizeof(plain)),
                  bytes_of(sealed.head, sizeof(sealed.head)), sealed.count,
                  sealer->subkey);
    return ads_base64url_write(dst, &sealed, sizeof(sealed));
}


/* False when the tail is not one that placement_write made. */
static bool
tail_read(struct ads_token *token, const uint8_t tail[TAIL_LEN])
{
    const uint8_t *words = tail + 1;
    size_t len;

    if (tail[0] & 0x80) {
        len = tail[0] & 0x7f;
        if (len == 0 || len > ADS_PLACEMENT_MAX) {
            return false;
        }
        token->placement.len = (uint8_t)len;
        memcpy(token->placement.text, words, len);
        words += len;

    } else {
        token->placement = ads_placement_known(tail[0]);
        if (token->placement.len == 0) {
            return false;
        }
    }

    len = (size_t)(tail + TAIL_LEN - words);
    while (len > 0 && words[len - 1] == 0) {
        len--;
    }
    token->words_len = (uint8_t)len;
    memcpy(token->words, words, len);
    return true;
}


/* Opens what is sealed, with the kept subkey where there is one. */
static enum ads_err
plain_open(uint8_t plain[PLAIN_LEN], const struct sealed *sealed,
           const struct ads_ring_key *key, struct ads_subkeys *subkeys)
{
    struct ads_subkey fresh;
    struct ads_subkey *kept = &fresh;
    enum ads_err err;
    bool known = false;

    if (subkeys != NULL) {
        kept = &subkeys->places[sealed->prefix[0] % ADS_SUBKEYS_MAX];
        known =
            kept->kid == key->kid
            && memcmp(kept->prefix, sealed->prefix, sizeof(kept->prefix)) == 0;
    }
    if (!known) {
        ads_aead_subkey(fresh.subkey, sealed->prefix, key->token);
    }

    err = ads_aead_open(plain, bytes_of(sealed->text, sizeof(sealed->text)),
                        bytes_of(sealed->head, sizeof(sealed->head)),
                        sealed->count, known ? kept->subkey : fresh.subkey);
    if (!known && err == ADS_OK) {
        fresh.kid = key->kid;
        memcpy(fresh.prefix, sealed->prefix, sizeof(fresh.prefix));
        *kept = fresh;
    }
    return err;
}


enum ads_err
ads_token_read(struct ads_token *token, const struct ads_ring_key **key,
               const struct ads_ring *ring, struct ads_subkeys *subkeys,
               struct ads_str text)
{
    struct sealed sealed;
    uint8_t plain[PLAIN_LEN];

    *token = (struct ads_token){0};
    *key = NULL;

    if (!ads_base64url_read((uint8_t *)&sealed, sizeof(sealed), text)
        || sealed.head[0] != VERSION)
    {
        return ADS_FORGED;
    }

    *key = ads_ring_find(ring, sealed.head[1]);
    if (*key == NULL || plain_open(plain, &sealed, *key, subkeys) != ADS_OK) {
        *key = NULL;
        return ADS_FORGED;
    }

    memcpy(token->request_id.b, plain, 16);
    memcpy(token->ad_id.b, plain + 16, 16);
    memcpy(token->publisher.b, plain + 32, 16);
    memcpy(&token->price_micros, plain + 48, 8);
    memcpy(&token->session_hash, plain + 56, 8);
    memcpy(&token->campaign_version, plain + 64, 4);
    memcpy(token->country, plain + 68, 2);

    if (!tail_read(token, plain + TAIL)) {
        *token = (struct ads_token){0};
        *key = NULL;
        return ADS_FORGED;
    }
    return ADS_OK;
}
