/*
 * Money is read exactly or not at all, and written as short as can be.
 */
#include "core/ads_money.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "vectors.h"

#define ROUNDS 200000


static enum ads_err
read_text(const char *text, enum ads_money_sign sign, int64_t *micros)
{
    size_t len = strlen(text);
    char *copy = malloc(len + (len == 0));
    enum ads_err err;

    memcpy(copy, text, len);
    err = ads_money_read(micros, (struct ads_str){copy, len}, sign);
    free(copy);
    return err;
}


static void
takes(const char *text, int64_t micros)
{
    int64_t got;

    if (read_text(text, ADS_MONEY_SIGNED, &got) != ADS_OK || got != micros) {
        fail_msg("%s", text);
    }
}


static void
refuses(const char *text, enum ads_err err)
{
    int64_t got;

    if (read_text(text, ADS_MONEY_SIGNED, &got) != err || got != 0) {
        fail_msg("%s", text);
    }
}


static void
numbers_are_taken_by_their_value(void **state)
{
    (void)state;
    takes("0", 0);
    takes("-0", 0);
    takes("-0.0e5", 0);
    takes("0e999999999999999999999", 0);
    takes("1.005", 1005000);
    takes("1.5000000000000000000000000", 1500000);
    takes("15e-1", 1500000);
    takes("0.000000000015e11", 1500000);
    takes("1500000000000000000000000000000e-30", 1500000);
    takes("0.00000000000000000000000000000015e31", 1500000);
    takes("1E2", 100000000);
    takes("1e+2", 100000000);
    takes("1e-6", 1);
    takes("-0.000001", -1);
    takes("999999999.999999", 999999999999999);
    takes("1000000000", ADS_MONEY_MAX);
    takes("1e9", ADS_MONEY_MAX);
    takes("-1000000000.000000", -ADS_MONEY_MAX);
}


static void
what_is_finer_than_a_micro_is_refused(void **state)
{
    (void)state;
    refuses("0.0000001", ADS_INVALID);
    refuses("1.9999995", ADS_INVALID);
    refuses("1e-7", ADS_INVALID);
    refuses("1e-9", ADS_INVALID);
    refuses("0.0000010010000000000000000001", ADS_INVALID);
    refuses("0.000001998999999999999999999", ADS_INVALID);
    refuses("123456789.1234567", ADS_INVALID);
    refuses("0.1234567890123456789", ADS_INVALID);
    refuses("1000000000.0000007", ADS_INVALID);
}


static void
what_binary_arithmetic_leaves_is_no_part_of_an_amount(void **state)
{
    (void)state;
    takes("0.30000000000000004", 300000);
    takes("139.92999999999998", 139930000);
    takes("-139.92999999999998", -139930000);
    takes("1.1500000000000001", 1150000);
    takes("0.1000000000000000055511151231257827021181583404541015625", 100000);
    takes("0.000001001", 1);
    takes("0.000001999", 2);
    takes("999999999.9999999999999999999999", ADS_MONEY_MAX);
    takes("1234.0000000000000000000000001", INT64_C(1234000000));
    refuses("1000000000.0000000001", ADS_TOO_LARGE);
    refuses("1000000000.000000000000000001", ADS_TOO_LARGE);
    refuses("5.551115123125783e-17", ADS_INVALID);
    refuses("1e-400", ADS_INVALID);
    refuses("1e-99999999999999999999", ADS_INVALID);
}


static void
a_value_is_rounded_to_its_nearest_micro(void **state)
{
    static const struct {
        const char *text;
        int64_t micros;
    } cases[] = {
        {"1.5", 1500000},
        {"0.0000005", 1},
        {"-0.0000005", -1},
        {"33.333333333333336", 33333333},
        {"66.66666666666667", 66666667},
        {"123456789.1234567", INT64_C(123456789123457)},
        {"0.66666666666666666666666666666666666", 666667},
    };
    int64_t got;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ads_str text = {cases[i].text, strlen(cases[i].text)};

        assert_int_equal(ads_money_round(&got, text, ADS_MONEY_SIGNED), ADS_OK);
        assert_int_equal(got, cases[i].micros);
    }
    assert_int_equal(ads_money_round(&got, ADS_STR("-0.5"), ADS_MONEY_UNSIGNED),
                     ADS_INVALID);
    assert_int_equal(
        ads_money_round(&got, ADS_STR("1000000000.0000006"), ADS_MONEY_SIGNED),
        ADS_TOO_LARGE);
    assert_int_equal(ads_money_round(&got, ADS_STR("1.x"), ADS_MONEY_SIGNED),
                     ADS_INVALID);
}


static void
more_than_a_billion_is_refused(void **state)
{
    (void)state;
    refuses("1000000000.000001", ADS_TOO_LARGE);
    refuses("1000000001", ADS_TOO_LARGE);
    refuses("-1000000001", ADS_TOO_LARGE);
    refuses("1e10", ADS_TOO_LARGE);
    refuses("1e400", ADS_TOO_LARGE);
    refuses("1e99999999999999999999", ADS_TOO_LARGE);
    refuses("9223372036854775808", ADS_TOO_LARGE);
    refuses("123456789012345678901234567890", ADS_TOO_LARGE);
}


static void
negative_money_is_refused_where_it_makes_no_sense(void **state)
{
    int64_t got;

    (void)state;
    assert_int_equal(read_text("-1", ADS_MONEY_UNSIGNED, &got), ADS_INVALID);
    assert_int_equal(got, 0);
    assert_int_equal(read_text("-0.000001", ADS_MONEY_UNSIGNED, &got),
                     ADS_INVALID);
    assert_int_equal(read_text("-0", ADS_MONEY_UNSIGNED, &got), ADS_OK);
    assert_int_equal(read_text("1", ADS_MONEY_UNSIGNED, &got), ADS_OK);
}


static void
what_is_no_json_number_is_refused(void **state)
{
    static const char *const bad[] = {
        "",      "-",        "+1",   ".5",    "5.",   "01",    "-01",
        "00",    "1e",       "1e+",  "1e-",   "e5",   "1.e5",  "1..2",
        "1.2.3", " 1",       "1 ",   "1,5",   "0x10", "NaN",   "Infinity",
        "1/2",   "\"5.00\"", "null", "1e5.0", "--1",  "1_000", "\xd9\xa1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t got;

        refuses(bad[i], ADS_INVALID);
        assert_int_equal(ads_money_integer_read(
                             &got, (struct ads_str){bad[i], strlen(bad[i])}),
                         ADS_INVALID);
    }
}


static void
whole_numbers_are_read_in_any_spelling(void **state)
{
    static const struct {
        const char *text;
        enum ads_err err;
        int64_t value;
    } cases[] = {
        {"3", ADS_OK, 3},
        {"3.0", ADS_OK, 3},
        {"30e-1", ADS_OK, 3},
        {"-2e3", ADS_OK, -2000},
        {"1000000000000000000", ADS_OK, INT64_C(1000000000000000000)},
        {"999999999999999999", ADS_OK, INT64_C(999999999999999999)},
        {"2.5", ADS_INVALID, 0},
        {"1e-1", ADS_INVALID, 0},
        {"1000000000000000001", ADS_TOO_LARGE, 0},
        {"99999999999999999999", ADS_TOO_LARGE, 0},
        {"1e99999999999999999999", ADS_TOO_LARGE, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ads_str text = {cases[i].text, strlen(cases[i].text)};
        int64_t value;

        if (ads_money_integer_read(&value, text) != cases[i].err
            || value != cases[i].value)
        {
            fail_msg("%s", cases[i].text);
        }
    }
}


static void
the_shortest_text_is_written(void **state)
{
    static const struct {
        int64_t micros;
        const char *text;
    } cases[] = {
        {0, "0"},
        {12500000, "12.5"},
        {12000000, "12"},
        {1, "0.000001"},
        {-1, "-0.000001"},
        {100, "0.0001"},
        {1050000, "1.05"},
        {-12340000, "-12.34"},
        {ADS_MONEY_MAX, "1000000000"},
        {INT64_MAX, "9223372036854.775807"},
        {INT64_MIN, "-9223372036854.775808"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[ADS_MONEY_TEXT_MAX + 1];
        char *end = ads_money_write(text, cases[i].micros);

        assert_true(end - text <= ADS_MONEY_TEXT_MAX);
        *end = '\0';
        assert_string_equal(text, cases[i].text);
    }
}


static uint64_t
random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d) >> 11;
}


/* What the number is in micros, by 128-bit arithmetic; false when it is
 * farther than a thousandth from a whole one, or too large. */
static bool
oracle(__int128 mantissa, int exponent, int64_t *micros)
{
    __int128 unit = 1;
    __int128 rest;

    for (exponent += 6; exponent < 0; exponent++) {
        unit *= 10;
    }
    rest = mantissa % unit;
    rest = rest < 0 ? -rest : rest;
    if (1000 * rest > unit && 1000 * (unit - rest) > unit) {
        return false;
    }
    mantissa = (mantissa - mantissa % unit) / unit
               + (2 * rest < unit ? 0
                  : mantissa < 0  ? -1
                                  : 1);
    if (mantissa == 0 && rest != 0) {
        return false;
    }
    for (; exponent > 0; exponent--) {
        if (mantissa > ADS_MONEY_MAX || mantissa < -ADS_MONEY_MAX) {
            return false;
        }
        mantissa *= 10;
    }
    *micros = (int64_t)mantissa;
    return mantissa <= ADS_MONEY_MAX && mantissa >= -ADS_MONEY_MAX;
}


static void
random_numbers_are_read_as_by_128_bit_arithmetic(void **state)
{
    uint64_t random = 0x5eed;
    int n_fine = 0;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t mantissa = random_next(&random) >> random_next(&random) % 50;
        int point = (int)(random_next(&random) % 12);
        int exponent = (int)(random_next(&random) % 25) - 12;
        bool negative = random_next(&random) % 4 == 0;
        char digits[32];
        char text[64];
        int64_t expected = 0;
        int64_t got;
        int len;
        bool fine;

        if (random_next(&random) % 2 == 0) {
            mantissa = mantissa / 100000 * 100000;
        }
        len = snprintf(digits, sizeof(digits), "%0*llu", point + 1,
                       (unsigned long long)mantissa);
        snprintf(text, sizeof(text), "%s%.*s%s%se%d", negative ? "-" : "",
                 len - point, digits, point > 0 ? "." : "",
                 digits + len - point, exponent);
        fine = oracle(negative ? -(__int128)mantissa : (__int128)mantissa,
                      exponent - point, &expected);
        if ((read_text(text, ADS_MONEY_SIGNED, &got) == ADS_OK) != fine
            || (fine && got != expected))
        {
            fail_msg("%s", text);
        }
        n_fine += fine;

        if (fine) {
            char *end = ads_money_write(text, got);

            *end = '\0';
            takes(text, got);
        }
    }
    assert_in_range(n_fine, ROUNDS / 20, ROUNDS - ROUNDS / 20);
}


static void
the_vectors_are_classified_right(void **state)
{
    json_t *document = vectors_load("money_micros.json");
    json_t *item;
    size_t i;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        const char *text = json_string_value(json_object_get(item, "json"));
        json_t *micros = json_object_get(item, "micros");
        int64_t got;
        bool fine = read_text(text, ADS_MONEY_UNSIGNED, &got) == ADS_OK;

        if (json_is_integer(micros)) {
            if (!fine || got != json_integer_value(micros)) {
                fail_msg("%s", text);
            }
        } else if (strcmp(json_string_value(micros), "reject") == 0 && fine) {
            fail_msg("%s", text);
        }
    }
    json_decref(document);
}


static void
a_currency_is_three_capital_letters(void **state)
{
    static const char *const none[] = {"",    "U",     "US",     "USDT",
                                       "usd", "U$D",   "US\xc3", "1SD",
                                       "USd", " USD ", "ÜSD"};

    (void)state;
    assert_true(ads_currency_check(ADS_STR("USD")));
    assert_true(ads_currency_check(ADS_STR("AZZ")));
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_false(
            ads_currency_check((struct ads_str){none[i], strlen(none[i])}));
    }
}


static void
a_currency_is_known_when_iso_4217_lists_it(void **state)
{
    static const char *const known[] = {"AED", "USD", "EUR", "JPY", "VED",
                                        "XAF", "XCG", "ZWG", "ZWL"};
    static const char *const none[] = {"ABC", "XXX", "XTS", "BTC", "DEM",
                                       "SDU", "usd", "US",  "",    "D A"};

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!ads_currency_known((struct ads_str){known[i], 3})) {
            fail_msg("%s is a currency", known[i]);
        }
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        if (ads_currency_known((struct ads_str){none[i], strlen(none[i])})) {
            fail_msg("%s is none", none[i]);
        }
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_taken_by_their_value),
        cmocka_unit_test(what_is_finer_than_a_micro_is_refused),
        cmocka_unit_test(what_binary_arithmetic_leaves_is_no_part_of_an_amount),
        cmocka_unit_test(a_value_is_rounded_to_its_nearest_micro),
        cmocka_unit_test(more_than_a_billion_is_refused),
        cmocka_unit_test(negative_money_is_refused_where_it_makes_no_sense),
        cmocka_unit_test(what_is_no_json_number_is_refused),
        cmocka_unit_test(whole_numbers_are_read_in_any_spelling),
        cmocka_unit_test(the_shortest_text_is_written),
        cmocka_unit_test(random_numbers_are_read_as_by_128_bit_arithmetic),
        cmocka_unit_test(the_vectors_are_classified_right),
        cmocka_unit_test(a_currency_is_three_capital_letters),
        cmocka_unit_test(a_currency_is_known_when_iso_4217_lists_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
