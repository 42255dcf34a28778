/*
 * A link says what was sealed into it, or nothing at all.
 *
 * Runs: long
 */
#include "core/ads_token.c"

#include <sodium.h>

#include "ring.h"

#define MUTATIONS 200000
#define MUTATIONS_LONG 12000000 /* some change nothing */


static struct ads_token
sample(const char *placement, const char *words)
{
    struct ads_token token = {
        .request_id = {"request-0123456"},
        .ad_id = {"ad-0123456789ab"},
        .publisher = {"publisher-01234"},
        .price_micros = 123456789,
        .session_hash = UINT64_C(0xfedcba9876543210),
        .campaign_version = 77,
        .country = {'D', 'E'},
        .placement =
            ads_placement_make((struct ads_str){placement, strlen(placement)}),
    };

    token.words_len = (uint8_t)strlen(words);
    memcpy(token.words, words, token.words_len);
    return token;
}


static struct ads_sealer
sealer_of(const struct ads_ring_key *key)
{
    struct ads_sealer sealer;

    ads_sealer_init(&sealer, key, (const uint8_t *)"sixteen random b");
    return sealer;
}


static void
opens(const struct ads_token *token)
{
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(ads_ring_seal(&ring));
    const struct ads_ring_key *key;
    char text[ADS_TOKEN_TEXT_LEN];
    struct ads_token back;

    assert_ptr_equal(ads_token_write(text, &sealer, token),
                     text + sizeof(text));
    assert_int_equal(ads_token_read(&back, &key, &ring, NULL,
                                    (struct ads_str){text, sizeof(text)}),
                     ADS_OK);
    assert_ptr_equal(key, ads_ring_seal(&ring));
    assert_memory_equal(&back.request_id, &token->request_id, 16);
    assert_memory_equal(&back.ad_id, &token->ad_id, 16);
    assert_memory_equal(&back.publisher, &token->publisher, 16);
    assert_true(back.price_micros == token->price_micros);
    assert_true(back.session_hash == token->session_hash);
    assert_int_equal(back.campaign_version, token->campaign_version);
    assert_memory_equal(back.country, token->country, 2);
    assert_true(ads_placement_equal(&back.placement, &token->placement));
    assert_int_equal(back.words_len, token->words_len);
    assert_memory_equal(back.words, token->words, back.words_len);
}


static void
what_was_sealed_comes_out(void **state)
{
    struct ads_token token;

    (void)state;
    token = sample("inline", "red running shoes");
    opens(&token);
    token = sample("search_results", "");
    opens(&token);
    token = sample("my.own-place_7", "red running shoes");
    opens(&token);
    token = sample("inline", "0123456789012345678901234567890123456");
    opens(&token);
}


static void
words_that_do_not_fit_are_cut_at_a_space(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(ads_ring_seal(&ring));
    struct ads_token back, token = sample("a-place-of-24-characters",
                                          "wireless headphones over ear");
    const struct ads_ring_key *key;
    char text[ADS_TOKEN_TEXT_LEN];

    (void)state;
    ads_token_write(text, &sealer, &token);
    assert_int_equal(ads_token_read(&back, &key, &ring, NULL,
                                    (struct ads_str){text, sizeof(text)}),
                     ADS_OK);
    assert_int_equal(back.words_len, strlen("wireless"));
    assert_memory_equal(back.words, "wireless", back.words_len);
    assert_int_equal(back.placement.len, 24);
}


static void
no_two_tokens_are_alike(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(ads_ring_seal(&ring));
    struct ads_token token = sample("inline", "x");
    char first[ADS_TOKEN_TEXT_LEN], second[ADS_TOKEN_TEXT_LEN];

    (void)state;
    ads_token_write(first, &sealer, &token);
    ads_token_write(second, &sealer, &token);
    assert_memory_not_equal(first, second, sizeof(first));
}


static void
the_cached_subkey_gives_plain_xchacha20(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(ads_ring_seal(&ring));
    struct ads_token token = sample("inline", "x");
    uint8_t sealed[ADS_TOKEN_LEN], again[PLAIN_LEN + 16], plain[PLAIN_LEN];
    char text[ADS_TOKEN_TEXT_LEN];

    (void)state;
    ads_token_write(text, &sealer, &token);
    assert_true(ads_base64url_read(sealed, sizeof(sealed),
                                   (struct ads_str){text, sizeof(text)}));
    plain_write(plain, &token);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        again, NULL, plain, sizeof(plain), sealed, 2, NULL, sealed + 2,
        ads_ring_seal(&ring)->token);
    assert_memory_equal(again, sealed + 26, sizeof(again));
}


static uint32_t
roll(uint32_t *dice, uint32_t sides)
{
    *dice = *dice * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)*dice * sides >> 32);
}


/*
 * One of the ways to forge: other bits of one byte or of several, version or
 * key id, two parts that change places, the end of another token.  On the
 * bytes, for as digits some would only change the form.
 */
static void
forge(uint8_t bytes[ADS_TOKEN_LEN], const uint8_t other[ADS_TOKEN_LEN],
      uint32_t *dice)
{
    uint32_t at = roll(dice, ADS_TOKEN_LEN), to = roll(dice, ADS_TOKEN_LEN);
    uint32_t len = 1 + roll(dice, ADS_TOKEN_LEN - (at > to ? at : to));
    uint8_t part[ADS_TOKEN_LEN];

    switch (roll(dice, 5)) {
    case 0:
        bytes[at] ^= (uint8_t)(1 << roll(dice, 8));
        break;
    case 1:
        for (uint32_t i = 0; i < len; i++) {
            bytes[at + i] ^= (uint8_t)roll(dice, 256);
        }
        break;
    case 2:
        bytes[roll(dice, 2)] = (uint8_t)roll(dice, 4);
        break;
    case 3:
        memcpy(part, bytes + at, len);
        memmove(bytes + at, bytes + to, len);
        memcpy(bytes + to, part, len);
        break;
    default:
        memcpy(bytes + at, other + at, ADS_TOKEN_LEN - at);
        break;
    }
}


/* ADS_LONG: 10^7 of them. */
static void
no_changed_token_opens(void **state)
{
    int n = getenv("ADS_LONG") != NULL ? MUTATIONS_LONG : MUTATIONS;
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(ads_ring_seal(&ring));
    struct ads_token back, token = sample("inline", "red shoes");
    struct ads_subkeys subkeys = {0};
    const struct ads_ring_key *key;
    uint8_t good[ADS_TOKEN_LEN], other[ADS_TOKEN_LEN], forged[ADS_TOKEN_LEN];
    char text[ADS_TOKEN_TEXT_LEN];
    struct ads_str link = {text, sizeof(text)};
    uint32_t dice = 20260101;
    int n_forged = 0;

    (void)state;
    ads_token_write(text, &sealer, &token);
    assert_true(ads_base64url_read(good, sizeof(good), link));
    assert_int_equal(ads_token_read(&back, &key, &ring, &subkeys, link),
                     ADS_OK); /* its subkey is kept */
    token.price_micros = 1;
    ads_token_write(text, &sealer, &token);
    assert_true(ads_base64url_read(other, sizeof(other), link));

    for (int i = 0; i < n; i++) {
        memcpy(forged, good, sizeof(forged));
        forge(forged, other, &dice);
        if (memcmp(forged, good, sizeof(good)) == 0
            || memcmp(forged, other, sizeof(other)) == 0)
        {
            continue; /* a part that changed to itself */
        }
        ads_base64url_write(text, forged, sizeof(forged));
        if (ads_token_read(&back, &key, &ring, i % 2 ? &subkeys : NULL, link)
                != ADS_FORGED
            || key != NULL || back.price_micros != 0)
        {
            fail_msg("mutation %d: %.*s", i, (int)sizeof(text), text);
        }
        n_forged++;
    }
    assert_true(n_forged > n / 10 * 9);
    ads_base64url_write(text, good, sizeof(good));
    assert_int_equal(ads_token_read(&back, &key, &ring, &subkeys, link),
                     ADS_OK);
    print_message("%d forged tokens, all refused\n", n_forged);
}


static void
a_cut_long_or_foreign_token_is_refused(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(&ring.keys[0]);
    struct ads_token back, token = sample("inline", "");
    const struct ads_ring_key *key;
    char text[ADS_TOKEN_TEXT_LEN + 1] = {0};

    (void)state;
    ads_token_write(text, &sealer, &token);
    for (size_t len = 0; len <= sizeof(text); len++) {
        enum ads_err err = ads_token_read(&back, &key, &ring, NULL,
                                          (struct ads_str){text, len});

        assert_int_equal(err, len == ADS_TOKEN_TEXT_LEN ? ADS_OK : ADS_FORGED);
    }

    /* sealed by key 1: gone once the ring has only key 2 */
    ring.keys[0] = ring.keys[1];
    ring.n = 1;
    assert_int_equal(ads_token_read(&back, &key, &ring, NULL,
                                    (struct ads_str){text, ADS_TOKEN_TEXT_LEN}),
                     ADS_FORGED);
}


static void
a_kept_subkey_opens_what_a_fresh_one_does(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(ads_ring_seal(&ring));
    struct ads_subkeys subkeys = {0};
    struct ads_subkey *place =
        &subkeys.places[sealer.prefix[0] % ADS_SUBKEYS_MAX];
    struct ads_token back, token = sample("inline", "red shoes");
    const struct ads_ring_key *key;
    char text[ADS_TOKEN_TEXT_LEN];

    (void)state;
    for (int i = 0; i < 3; i++) {
        ads_token_write(text, &sealer, &token);
        assert_int_equal(ads_token_read(&back, &key, &ring, &subkeys,
                                        (struct ads_str){text, sizeof(text)}),
                         ADS_OK);
        assert_int_equal(place->kid, 2);
        assert_memory_equal(place->subkey, sealer.subkey,
                            sizeof(sealer.subkey));
    }

    /* another prefix, and the same one of another key, at the same place */
    sealer.prefix[1] ^= 1;
    ads_aead_subkey(sealer.subkey, sealer.prefix, ring.keys[1].token);
    ads_token_write(text, &sealer, &token);
    assert_int_equal(ads_token_read(&back, &key, &ring, &subkeys,
                                    (struct ads_str){text, sizeof(text)}),
                     ADS_OK);
    ads_sealer_init(&sealer, &ring.keys[0], sealer.prefix);
    ads_token_write(text, &sealer, &token);
    assert_int_equal(ads_token_read(&back, &key, &ring, &subkeys,
                                    (struct ads_str){text, sizeof(text)}),
                     ADS_OK);
    assert_ptr_equal(key, &ring.keys[0]);
    assert_int_equal(place->kid, 1);
}


static void
a_forged_token_leaves_no_subkey(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_sealer sealer = sealer_of(ads_ring_seal(&ring));
    const struct ads_subkeys empty = {0};
    struct ads_subkeys subkeys = {0};
    struct ads_token back, token = sample("inline", "red shoes");
    const struct ads_ring_key *key;
    char text[ADS_TOKEN_TEXT_LEN];

    (void)state;
    ads_token_write(text, &sealer, &token);
    text[ADS_TOKEN_TEXT_LEN - 1] ^= 1;
    assert_int_equal(ads_token_read(&back, &key, &ring, &subkeys,
                                    (struct ads_str){text, sizeof(text)}),
                     ADS_FORGED);
    assert_memory_equal(&subkeys, &empty, sizeof(empty));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sealed_comes_out),
        cmocka_unit_test(words_that_do_not_fit_are_cut_at_a_space),
        cmocka_unit_test(no_two_tokens_are_alike),
        cmocka_unit_test(the_cached_subkey_gives_plain_xchacha20),
        cmocka_unit_test(no_changed_token_opens),
        cmocka_unit_test(a_cut_long_or_foreign_token_is_refused),
        cmocka_unit_test(a_kept_subkey_opens_what_a_fresh_one_does),
        cmocka_unit_test(a_forged_token_leaves_no_subkey),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
