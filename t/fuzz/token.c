/*
 * Any bytes as a click token.  Raw, they must be refused.  As what a token
 * seals, with a key of the ring, they reach the decoder behind the tag: what
 * it takes is sealed again to the same meaning, and no byte of a token can be
 * changed.
 */
#include "ads_token.h"

#include <sodium.h>

#include "fuzz.h"

#define NONCE_LEN 24
#define PLAIN_LEN 108

static const uint8_t salt[16] = {1, 2, 3};


/* A token around the plaintext, whatever it holds. */
static void
seal(char text[ADS_TOKEN_TEXT_LEN], const uint8_t plain[PLAIN_LEN])
{
    const struct ads_ring_key *key = ads_ring_seal(fuzz_ring());
    uint8_t sealed[ADS_TOKEN_LEN] = {1, key->kid};

    memcpy(sealed + 2, salt, sizeof(salt));
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + 2 + NONCE_LEN, NULL,
                                               plain, PLAIN_LEN, sealed, 2,
                                               NULL, sealed + 2, key->token);
    ads_base64url_write(text, sealed, sizeof(sealed));
}


static void
same_must(const struct ads_token *a, const struct ads_token *b)
{
    fuzz_must(ads_uuid_equal(&a->request_id, &b->request_id)
                  && ads_uuid_equal(&a->ad_id, &b->ad_id)
                  && ads_uuid_equal(&a->publisher, &b->publisher)
                  && a->price_micros == b->price_micros
                  && a->session_hash == b->session_hash
                  && a->campaign_version == b->campaign_version
                  && memcmp(a->country, b->country, 2) == 0,
              "the same fields");
    fuzz_must(ads_placement_equal(&a->placement, &b->placement),
              "the same placement");
    fuzz_must(a->words_len == b->words_len
                  && memcmp(a->words, b->words, a->words_len) == 0,
              "the same words");
}


static void
sealed_run(const uint8_t *bytes, size_t len)
{
    const struct ads_ring_key *key;
    struct ads_token token, again;
    struct ads_sealer sealer;
    uint8_t plain[PLAIN_LEN];
    char text[ADS_TOKEN_TEXT_LEN], changed;
    uint8_t place = fuzz_u8(&bytes, &len);

    fuzz_take(plain, sizeof(plain), &bytes, &len);
    seal(text, plain);
    if (ads_token_read(&token, &key, fuzz_ring(), NULL,
                       (struct ads_str){text, sizeof(text)})
        != ADS_OK)
    {
        return;
    }
    fuzz_must(key == ads_ring_seal(fuzz_ring()), "the key that sealed it");
    fuzz_must(token.placement.len >= 1
                  && token.placement.len <= ADS_PLACEMENT_MAX
                  && token.words_len <= ADS_TOKEN_WORDS_MAX,
              "lengths inside their bounds");

    ads_sealer_init(&sealer, key, salt);
    ads_token_write(text, &sealer, &token);
    fuzz_must(ads_token_read(&again, &key, fuzz_ring(), NULL,
                             (struct ads_str){text, sizeof(text)})
                  == ADS_OK,
              "what was read can be written");
    same_must(&token, &again);

    changed = text[place % ADS_TOKEN_TEXT_LEN];
    text[place % ADS_TOKEN_TEXT_LEN] = changed == 'A' ? 'B' : 'A';
    fuzz_must(ads_token_read(&again, &key, fuzz_ring(), NULL,
                             (struct ads_str){text, sizeof(text)})
                      == ADS_FORGED
                  && key == NULL && again.price_micros == 0,
              "a changed token is forged");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct ads_ring_key *key;
    struct ads_token token;
    bool sealed = fuzz_u8(&bytes, &len) & 1;
    char *text;

    if (sealed) {
        sealed_run(bytes, len);
        return 0;
    }
    text = fuzz_copy(bytes, len);
    fuzz_must(ads_token_read(&token, &key, fuzz_ring(), NULL,
                             (struct ads_str){text, len})
                      == ADS_FORGED
                  && key == NULL,
              "without the key no token is made");
    free(text);
    return 0;
}
