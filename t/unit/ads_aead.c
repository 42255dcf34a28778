/*
 * What is sealed here libsodium opens, and the other way round: of each length,
 * and of every published case.
 */
#include "core/ads_aead.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "vectors.h"

#define NONCE_LEN (ADS_AEAD_PREFIX_LEN + ADS_AEAD_COUNT_LEN)
#define MESSAGE_MAX 192
#define AD_MAX 48

struct cipher {
    uint8_t key[32];
    uint8_t nonce[NONCE_LEN];
    uint8_t ad[AD_MAX];
    uint8_t message[MESSAGE_MAX];
};


static struct ads_str
bytes_of(const uint8_t *bytes, size_t len)
{
    return (struct ads_str){(const char *)bytes, len};
}


/* The same bytes in each run. */
static void
fill(struct cipher *cipher)
{
    static const uint8_t seed[randombytes_SEEDBYTES] = "every run the same";

    randombytes_buf_deterministic(cipher, sizeof(*cipher), seed);
}


static void
every_length_is_sealed_as_libsodium_does(void **state)
{
    struct cipher cipher;
    uint8_t subkey[ADS_AEAD_KEY_LEN];
    uint8_t ours[MESSAGE_MAX + 16], theirs[MESSAGE_MAX + 16];
    uint8_t back[MESSAGE_MAX];

    (void)state;
    fill(&cipher);
    ads_aead_subkey(subkey, cipher.nonce, cipher.key);
    for (size_t len = 0; len <= MESSAGE_MAX; len++) {
        size_t ad_len = len % (AD_MAX + 1);

        ads_aead_seal(ours, bytes_of(cipher.message, len),
                      bytes_of(cipher.ad, ad_len),
                      cipher.nonce + ADS_AEAD_PREFIX_LEN, subkey);
        crypto_aead_xchacha20poly1305_ietf_encrypt(theirs, NULL, cipher.message,
                                                   len, cipher.ad, ad_len, NULL,
                                                   cipher.nonce, cipher.key);
        assert_memory_equal(ours, theirs, len + ADS_AEAD_TAG_LEN);
        assert_int_equal(
            ads_aead_open(back, bytes_of(ours, len + ADS_AEAD_TAG_LEN),
                          bytes_of(cipher.ad, ad_len),
                          cipher.nonce + ADS_AEAD_PREFIX_LEN, subkey),
            ADS_OK);
        assert_memory_equal(back, cipher.message, len);
    }
}


static void
a_changed_bit_is_forged_and_nothing_of_it_is_written(void **state)
{
    struct cipher cipher;
    uint8_t subkey[ADS_AEAD_KEY_LEN];
    uint8_t sealed[108 + 16], back[108] = {0};
    const uint8_t zeros[108] = {0};

    (void)state;
    fill(&cipher);
    ads_aead_subkey(subkey, cipher.nonce, cipher.key);
    ads_aead_seal(sealed, bytes_of(cipher.message, 108), bytes_of(cipher.ad, 2),
                  cipher.nonce + ADS_AEAD_PREFIX_LEN, subkey);
    for (size_t bit = 0; bit < 8 * sizeof(sealed); bit++) {
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(ads_aead_open(back, bytes_of(sealed, sizeof(sealed)),
                                       bytes_of(cipher.ad, 2),
                                       cipher.nonce + ADS_AEAD_PREFIX_LEN,
                                       subkey),
                         ADS_FORGED);
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t len = 0; len < sizeof(sealed); len++) {
        assert_int_equal(
            ads_aead_open(back, bytes_of(sealed, len), bytes_of(cipher.ad, 2),
                          cipher.nonce + ADS_AEAD_PREFIX_LEN, subkey),
            ADS_FORGED);
    }
    assert_memory_equal(back, zeros, sizeof(zeros));
}


/* The member's bytes; false when there are more than fit. */
static bool
hex_member(const json_t *item, const char *name, uint8_t *bytes, size_t cap,
           size_t *len)
{
    const char *text = json_string_value(json_object_get(item, name));

    *len = strlen(text) / 2;
    return *len <= cap
           && ads_hex_read(bytes, *len, (struct ads_str){text, strlen(text)});
}


/* Checks one case, its tag behind the rest where it is given apart; false when
 * it is of a size that we have no use for. */
static bool
case_check(const json_t *item, const char *nonce, bool tag_apart)
{
    struct cipher cipher;
    uint8_t sealed[MESSAGE_MAX + 16], subkey[ADS_AEAD_KEY_LEN];
    size_t key_len, nonce_len, ad_len, len, tag_len = 0;
    bool valid =
        strcmp(json_string_value(json_object_get(item, "result")), "valid")
        == 0;

    if (!hex_member(item, "key", cipher.key, 32, &key_len)
        || !hex_member(item, nonce, cipher.nonce, NONCE_LEN, &nonce_len)
        || !hex_member(item, "aad", cipher.ad, AD_MAX, &ad_len)
        || !hex_member(item, "ct", sealed, sizeof(sealed), &len)
        || (tag_apart
            && !hex_member(item, "tag", sealed + len, sizeof(sealed) - len,
                           &tag_len))
        || key_len != 32 || nonce_len != NONCE_LEN)
    {
        return false;
    }
    ads_aead_subkey(subkey, cipher.nonce, cipher.key);
    assert_int_equal(ads_aead_open(cipher.message,
                                   bytes_of(sealed, len + tag_len),
                                   bytes_of(cipher.ad, ad_len),
                                   cipher.nonce + ADS_AEAD_PREFIX_LEN, subkey)
                         == ADS_OK,
                     valid);
    if (valid && tag_apart) {
        uint8_t message[MESSAGE_MAX];
        size_t message_len;

        assert_true(
            hex_member(item, "msg", message, sizeof(message), &message_len));
        assert_int_equal(message_len, len);
        assert_memory_equal(cipher.message, message, len);
    }
    return true;
}


static void
the_vectors_are_classified_right(void **state)
{
    json_t *document = vectors_load("xchacha20poly1305_own.json");
    size_t i, n = 0;
    json_t *item;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        n += case_check(item, "nonce", false);
    }
    assert_true(document == NULL || n > 50);
    json_decref(document);
}


static void
wycheproof_is_classified_right(void **state)
{
    json_t *document =
        vectors_load("public/wycheproof_xchacha20_poly1305.json");
    size_t i, k, n = 0;
    json_t *group, *item;

    (void)state;
    json_array_foreach(json_object_get(document, "testGroups"), i, group)
    {
        json_array_foreach(json_object_get(group, "tests"), k, item)
        {
            n += case_check(item, "iv", true);
        }
    }
    print_message("# %zu cases of Wycheproof\n", n);
    assert_true(document == NULL || n >= 100);
    json_decref(document);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_is_sealed_as_libsodium_does),
        cmocka_unit_test(a_changed_bit_is_forged_and_nothing_of_it_is_written),
        cmocka_unit_test(the_vectors_are_classified_right),
        cmocka_unit_test(wycheproof_is_classified_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
