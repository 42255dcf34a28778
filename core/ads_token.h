/*
 * Click token of a signed link: one per ad shown, 150 bytes, 200 base64url
 * characters.  The whole specification:
 *
 *     offset  len
 *          0    1  version, 1
 *          1    1  key id (both authenticated as additional data)
 *          2   24  nonce
 *         26  108  sealed with XChaCha20-Poly1305:
 *                   0  16  request_id
 *                  16  16  ad_id
 *                  32  16  publisher
 *                  48   8  price, int64 micros
 *                  56   8  session hash
 *                  64   4  campaign version
 *                  68   2  country, two letters or zeros
 *                  70  38  placement, then the matched words:
 *                          one byte 1 to 7: a known placement;
 *                          0x80 + n: n characters of its name follow (n <= 24)
 *                          words, separated by one space, zero padded
 *        134   16  tag
 *
 * 150 is a multiple of 3: no surplus bits in the text, which would make one
 * token writable in several ways.  Readers accept version 1 only.
 *
 * Nonces are never reused: 16 bytes are drawn at random once per process and
 * key, after fork, and 8 count up.  The subkey that those 16 bytes select is
 * kept by who seals, and may be by who opens: a site's links come from as many
 * prefixes as it has workers.
 */
#ifndef ADS_TOKEN_H
#define ADS_TOKEN_H

#include "ads_aead.h"
#include "ads_err.h"
#include "ads_id.h"
#include "ads_placement.h"
#include "ads_ring.h"

#define ADS_TOKEN_LEN 150
#define ADS_TOKEN_TEXT_LEN 200
#define ADS_TOKEN_WORDS_MAX 37
#define ADS_SUBKEYS_MAX 64

struct ads_token {
    struct ads_uuid request_id;
    struct ads_uuid ad_id;
    struct ads_uuid publisher;
    int64_t price_micros;
    uint64_t session_hash;
    uint32_t campaign_version;
    char country[2];
    struct ads_placement placement;
    uint8_t words_len;
    char words[ADS_TOKEN_WORDS_MAX];
};

struct ads_sealer {
    uint8_t kid;
    uint8_t prefix[ADS_AEAD_PREFIX_LEN];
    uint8_t subkey[ADS_AEAD_KEY_LEN];
    uint64_t count;
};

/* Subkeys of prefixes that were met before, each in a place of its own choice.
 * Zeros are an empty one.  Only a token that opens leaves its subkey, so that
 * forgeries cannot crowd out the others. */
struct ads_subkeys {
    struct ads_subkey {
        uint8_t kid;
        uint8_t prefix[ADS_AEAD_PREFIX_LEN];
        uint8_t subkey[ADS_AEAD_KEY_LEN];
    } places[ADS_SUBKEYS_MAX];
};

/* `random` must be drawn after fork: two processes that share it would share
 * nonces. */
void
ads_sealer_init(struct ads_sealer *sealer, const struct ads_ring_key *key,
                const uint8_t random[16]);

/* Writes ADS_TOKEN_TEXT_LEN characters, no NUL.  Words that do not fit are
 * cut at a space. */
char *
ads_token_write(char *dst, struct ads_sealer *sealer,
                const struct ads_token *token);

/*
 * Opens a token.  ADS_FORGED whatever is wrong with it; then *token is zeros.
 * *key is the ring's key that sealed it, borrowed.  `subkeys` belong to one
 * ring, and may be NULL.
 */
ADS_MUST enum ads_err
ads_token_read(struct ads_token *token, const struct ads_ring_key **key,
               const struct ads_ring *ring, struct ads_subkeys *subkeys,
               struct ads_str text);

#endif
