/*
 * API keys have one form, and a credential has one place.
 */
#include "core/ads_key.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>


static void
key_make(char text[ADS_KEY_TEXT_LEN], enum ads_key_type type, bool test)
{
    uint8_t random[ADS_KEY_RANDOM_LEN];

    for (unsigned i = 0; i < sizeof(random); i++) {
        random[i] = (uint8_t)(i * 7 + 1);
    }
    assert_int_equal(ads_key_make(text, type, test, random), ADS_OK);
}


static void
a_made_key_is_read(void **state)
{
    static const enum ads_key_type types[] = {
        ADS_KEY_PUBLISHER, ADS_KEY_ADVERTISER, ADS_KEY_PLATFORM};

    (void)state;
    for (int i = 0; i < 6; i++) {
        char text[ADS_KEY_TEXT_LEN];
        struct ads_key key;

        key_make(text, types[i / 2], i % 2 == 1);
        assert_int_equal(
            ads_key_read(&key, NULL, (struct ads_str){text, sizeof(text)}),
            ADS_OK);
        assert_int_equal(key.type, types[i / 2]);
        assert_int_equal(key.test, i % 2 == 1);
    }
}


static void
no_character_of_a_key_can_be_mistyped(void **state)
{
    char text[ADS_KEY_TEXT_LEN];
    struct ads_key key;

    (void)state;
    key_make(text, ADS_KEY_PUBLISHER, false);
    for (unsigned at = 0; at < sizeof(text); at++) {
        for (int c = 1; c < 256; c++) {
            char wrong[ADS_KEY_TEXT_LEN];

            memcpy(wrong, text, sizeof(wrong));
            wrong[at] = (char)c;
            if (wrong[at] != text[at]
                && ads_key_read(&key, NULL,
                                (struct ads_str){wrong, sizeof(wrong)})
                       == ADS_OK)
            {
                fail_msg("byte %u as %d", at, c);
            }
        }
    }
}


static void
a_key_of_another_length_is_refused(void **state)
{
    char text[ADS_KEY_TEXT_LEN + 1] = {0};
    struct ads_key key;

    (void)state;
    key_make(text, ADS_KEY_PUBLISHER, false);
    for (size_t len = 0; len <= sizeof(text); len++) {
        assert_int_equal(ads_key_read(&key, NULL, (struct ads_str){text, len}),
                         len == ADS_KEY_TEXT_LEN ? ADS_OK : ADS_INVALID);
    }
}


/* What is kept makes reading quick, and changes no answer. */
static void
a_known_key_is_read_as_an_unknown_one(void **state)
{
    struct ads_known_keys known = {.secret = {1}};
    struct ads_key fresh, again;
    char text[ADS_KEY_TEXT_LEN], wrong[ADS_KEY_TEXT_LEN];

    (void)state;
    for (unsigned i = 0; i < 4 * ADS_KEY_KNOWN_MAX; i++) {
        uint8_t random[ADS_KEY_RANDOM_LEN];

        memset(random, (int)i, sizeof(random));
        assert_int_equal(ads_key_make(text, ADS_KEY_ADVERTISER, i % 2, random),
                         ADS_OK);
        assert_int_equal(
            ads_key_read(&fresh, NULL, (struct ads_str){text, sizeof(text)}),
            ADS_OK);

        for (unsigned times = 0; times < 2; times++) {
            memset(&again, 0xaa, sizeof(again));
            assert_int_equal(ads_key_read(&again, &known,
                                          (struct ads_str){text, sizeof(text)}),
                             ADS_OK);
            assert_int_equal(again.type, fresh.type);
            assert_int_equal(again.test, fresh.test);
            assert_memory_equal(again.hash, fresh.hash, sizeof(fresh.hash));
        }

        for (unsigned at = 0; at < sizeof(text); at++) {
            memcpy(wrong, text, sizeof(wrong));
            wrong[at] ^= 1;
            assert_int_equal(
                ads_key_read(&again, &known,
                             (struct ads_str){wrong, sizeof(wrong)}),
                ADS_INVALID);
        }
    }
}


static void
only_a_key_that_was_read_is_kept(void **state)
{
    static const struct ads_known_keys none = {.secret = {1}};
    struct ads_known_keys known = none;
    char text[ADS_KEY_TEXT_LEN];
    struct ads_key key;

    (void)state;
    key_make(text, ADS_KEY_PUBLISHER, false);
    text[20] ^= 1;
    assert_int_equal(
        ads_key_read(&key, &known, (struct ads_str){text, sizeof(text)}),
        ADS_INVALID);
    assert_int_equal(
        ads_key_read(&key, &known, (struct ads_str){text, sizeof(text) - 1}),
        ADS_INVALID);
    assert_memory_equal(&known, &none, sizeof(known));
}


static void
random_bytes_that_would_favour_digits_are_not_used(void **state)
{
    uint8_t random[ADS_KEY_RANDOM_LEN];
    char text[ADS_KEY_TEXT_LEN];

    (void)state;
    memset(random, 248, sizeof(random));
    assert_int_equal(ads_key_make(text, ADS_KEY_PLATFORM, false, random),
                     ADS_INVALID);
    memset(random + 34, 61, 30);
    assert_int_equal(ads_key_make(text, ADS_KEY_PLATFORM, false, random),
                     ADS_OK);
    assert_memory_equal(text, "ads_live_xzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", 40);
}


static enum ads_err
credential(const char *authorization, const char *x_api_key, const char *want)
{
    struct ads_str found = {NULL, 0};
    enum ads_err err = ads_key_credential(
        &found,
        (struct ads_str){authorization,
                         authorization == NULL ? 0 : strlen(authorization)},
        (struct ads_str){x_api_key, x_api_key == NULL ? 0 : strlen(x_api_key)});

    if (err == ADS_OK) {
        assert_int_equal(found.len, strlen(want));
        assert_memory_equal(found.ptr, want, found.len);
    }
    return err;
}


static void
either_header_carries_the_credential(void **state)
{
    (void)state;
    assert_int_equal(credential("Bearer abc", NULL, "abc"), ADS_OK);
    assert_int_equal(credential("bearer   abc ", NULL, "abc"), ADS_OK);
    assert_int_equal(credential(NULL, " abc\t", "abc"), ADS_OK);
    assert_int_equal(credential("BEARER abc", "abc", "abc"), ADS_OK);
    assert_int_equal(credential(NULL, NULL, ""), ADS_ABSENT);
    assert_int_equal(credential("", "  ", ""), ADS_ABSENT);
}


static void
doubtful_credentials_are_refused(void **state)
{
    (void)state;
    assert_int_equal(credential("Bearer abc", "abd", ""), ADS_CONFLICT);
    assert_int_equal(credential("Bearer abc", "abcd", ""), ADS_CONFLICT);
    assert_int_equal(credential("Basic abc", NULL, ""), ADS_INVALID);
    assert_int_equal(credential("Basic abc", "abc", ""), ADS_INVALID);
    assert_int_equal(credential("Bearer", NULL, ""), ADS_INVALID);
    assert_int_equal(credential("Bearer  ", NULL, ""), ADS_INVALID);
    assert_int_equal(credential("Bearerabc", NULL, ""), ADS_INVALID);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_made_key_is_read),
        cmocka_unit_test(no_character_of_a_key_can_be_mistyped),
        cmocka_unit_test(a_key_of_another_length_is_refused),
        cmocka_unit_test(a_known_key_is_read_as_an_unknown_one),
        cmocka_unit_test(only_a_key_that_was_read_is_kept),
        cmocka_unit_test(random_bytes_that_would_favour_digits_are_not_used),
        cmocka_unit_test(either_header_carries_the_credential),
        cmocka_unit_test(doubtful_credentials_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
