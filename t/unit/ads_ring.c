/*
 * The key ring's text is read strictly, and its subkeys are independent.
 */
#include "core/ads_ring.c"

#include <stdio.h>

#include "ring.h"


static void
refused(const char *text, uint32_t line)
{
    struct ads_ring ring;
    const char *why = NULL;
    uint32_t at = 99;

    if (ads_ring_read(&ring, (struct ads_str){text, strlen(text)}, &at, &why)
            != ADS_INVALID
        || at != line || why == NULL || ring.n != 0)
    {
        fail_msg("%s: line %u, %s", text, at, why == NULL ? "taken" : why);
    }
}


static void
a_good_ring_is_read(void **state)
{
    struct ads_ring ring = t_ring();

    (void)state;
    assert_int_equal(ring.n, 2);
    assert_int_equal(ads_ring_seal(&ring)->kid, 2);
    assert_ptr_equal(ads_ring_find(&ring, 1), &ring.keys[0]);
    assert_null(ads_ring_find(&ring, 3));
}


static void
comments_and_blank_lines_are_stepped_over(void **state)
{
    static const char text[] =
        "# a ring\n\n \t\r\n7 seal " T_KEY_1 " # now\r\n";
    struct ads_ring ring;
    const char *why;
    uint32_t line;

    (void)state;
    assert_int_equal(ads_ring_read(&ring, ADS_STR(text), &line, &why), ADS_OK);
    assert_int_equal(ring.n, 1);
    assert_int_equal(ads_ring_seal(&ring)->kid, 7);
}


static void
each_mistake_is_refused_at_its_line(void **state)
{
    (void)state;
    refused("", 0);
    refused("1 open " T_KEY_1 "\n", 0);
    refused("0 seal " T_KEY_1 "\n", 1);
    refused("256 seal " T_KEY_1 "\n", 1);
    refused("-1 seal " T_KEY_1 "\n", 1);
    refused("1 sign " T_KEY_1 "\n", 1);
    refused("1 seal 01\n", 1);
    refused("1 seal " T_KEY_1 "00\n", 1);
    refused("1 seal " T_KEY_1 " x\n", 1);
    refused("1 seal " T_KEY_1 "\n1 open " T_KEY_2 "\n", 2);
    refused("\n1 seal " T_KEY_1 "\n2 seal " T_KEY_2 "\n", 3);
    refused("1 seal\n", 1);
}


static void
more_than_sixteen_keys_are_refused(void **state)
{
    char text[17 * 80];
    size_t len = 0;

    (void)state;
    for (int i = 1; i <= 17; i++) {
        len += (size_t)sprintf(text + len, "%d %s " T_KEY_1 "\n", i,
                               i == 1 ? "seal" : "open");
    }
    refused(text, 17);
}


static void
no_two_subkeys_are_alike(void **state)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = &ring.keys[0];
    const uint8_t *subkeys[] = {key->token, key->request, key->click,
                                key->journal, key->hash};

    (void)state;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < i; k++) {
            assert_memory_not_equal(subkeys[i], subkeys[k], ADS_SIP_KEY_LEN);
        }
        assert_memory_not_equal(subkeys[i], "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1",
                                ADS_SIP_KEY_LEN);
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_ring_is_read),
        cmocka_unit_test(comments_and_blank_lines_are_stepped_over),
        cmocka_unit_test(each_mistake_is_refused_at_its_line),
        cmocka_unit_test(more_than_sixteen_keys_are_refused),
        cmocka_unit_test(no_two_subkeys_are_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
