/*
 * An xn-- label passes only when every browser reads it as itself.
 */
#include "core/ads_idna.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>


static enum ads_idna
kind_of(const char *label)
{
    size_t len = strlen(label);
    char *copy = malloc(len + (len == 0));
    enum ads_idna kind;

    memcpy(copy, label, len);
    kind = ads_idna_label_check((struct ads_str){copy, len});
    free(copy);
    return kind;
}


static void
good_labels_pass(void **state)
{
    (void)state;
    assert_int_equal(kind_of("xn--bcher-kva"), ADS_IDNA_LTR);  /* bücher */
    assert_int_equal(kind_of("xn--strae-oqa"), ADS_IDNA_LTR);  /* straße */
    assert_int_equal(kind_of("xn--p1ai"), ADS_IDNA_LTR);       /* рф */
    assert_int_equal(kind_of("xn--fiqs8s"), ADS_IDNA_LTR);     /* 中国 */
    assert_int_equal(kind_of("xn--wgv71a119e"), ADS_IDNA_LTR); /* 日本語 */
    assert_int_equal(kind_of("xn--nxasmm1c"), ADS_IDNA_LTR);   /* βόλος */
    assert_int_equal(kind_of("xn--1-0ga"), ADS_IDNA_LTR);      /* ö1 */
    assert_int_equal(kind_of("xn--1-1ga"), ADS_IDNA_WEAK);     /* 1ö */
    assert_int_equal(kind_of("xn--mgbaam7a8h"), ADS_IDNA_RTL); /* امارات */
    assert_int_equal(kind_of("xn--4dbrk0ce"), ADS_IDNA_RTL);   /* ישראל */
}


static void
what_is_no_punycode_is_refused(void **state)
{
    (void)state;
    assert_int_equal(kind_of(""), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--a"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--abc"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--abc-"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn---8ga"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--99999999"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--a-99999999999"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--pokxncvks"), ADS_IDNA_BAD);
    assert_int_equal(kind_of("xn--bcher-kv"), ADS_IDNA_BAD);
}


static void
what_idna_would_change_is_refused(void **state)
{
    (void)state;
    assert_int_equal(kind_of("xn--bcher-hpa"), ADS_IDNA_BAD); /* upper O */
    assert_int_equal(kind_of("xn--zn7c"), ADS_IDNA_BAD);      /* U+FFFD */
    assert_int_equal(kind_of("xn--1ch"), ADS_IDNA_BAD);       /* U+2260 */
    assert_int_equal(kind_of("xn--a-ecp"), ADS_IDNA_BAD);     /* U+2488 */
    assert_int_equal(kind_of("xn--a-tgn"), ADS_IDNA_BAD);     /* joiner */
    assert_int_equal(kind_of("xn--u-ccb"), ADS_IDNA_BAD);     /* U+0308 apart */
    assert_int_equal(kind_of("xn--ls8h"), ADS_IDNA_BAD);      /* no letter */
}


/* Encodes, so that any text can be tried (RFC 3492 section 6.3). */
static void
encode(char *dst, const int32_t *chars, size_t n)
{
    uint32_t c = FIRST;
    uint32_t delta = 0;
    uint32_t bias = BIAS;
    uint32_t basic = 0;
    uint32_t done;

    dst += sprintf(dst, "xn--");
    for (size_t i = 0; i < n; i++) {
        if (chars[i] < 128) {
            *dst++ = (char)chars[i];
            basic++;
        }
    }
    if (basic > 0) {
        *dst++ = '-';
    }
    for (done = basic; done < n; delta++, c++) {
        uint32_t next = UINT32_MAX;

        for (size_t i = 0; i < n; i++) {
            if ((uint32_t)chars[i] >= c && (uint32_t)chars[i] < next) {
                next = (uint32_t)chars[i];
            }
        }
        delta += (next - c) * (done + 1);
        c = next;
        for (size_t i = 0; i < n; i++) {
            uint32_t q = delta;

            if ((uint32_t)chars[i] < c) {
                delta++;
            }
            if ((uint32_t)chars[i] != c) {
                continue;
            }
            for (uint32_t k = BASE;; k += BASE) {
                uint32_t t = threshold(k, bias);
                uint32_t digit = q < t ? q : t + (q - t) % (BASE - t);

                *dst++ = (char)(digit < 26 ? 'a' + digit : '0' + digit - 26);
                if (q < t) {
                    break;
                }
                q = (q - t) / (BASE - t);
            }
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
    *dst = '\0';
}


static void
decoding_is_the_inverse_of_encoding(void **state)
{
    uint64_t random = 0x5eed;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int32_t chars[12];
        int32_t back[LABEL_MAX];
        char text[128];
        size_t n;
        bool beyond = false;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        n = 1 + (random >> 33) % 12;
        for (size_t k = 0; k < n; k++) {
            random =
                random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            chars[k] =
                (random >> 62) == 0
                    ? 'a' + (int32_t)((random >> 33) % 26)
                    : 0x80
                          + (int32_t)((random >> 33)
                                      % ((random >> 61) & 1 ? 0x1000 : 0xd000));
            beyond = beyond || chars[k] >= 128;
        }
        encode(text, chars, n);
        if (beyond && strlen(text) <= LABEL_MAX) {
            assert_int_equal(
                punycode_read(back,
                              (struct ads_str){text + 4, strlen(text) - 4}),
                n);
            assert_memory_equal(back, chars, n * sizeof(*chars));
        }
    }
}


static void
single_characters_are_checked(void **state)
{
    static const struct {
        int32_t c;
        bool fine;
    } cases[] = {
        {0xe4, true},     {0xc4, false},   {0xdf, true},     {0x3c2, true},
        {0x3c3, true},    {0x3a3, false},  {0x1e9e, false},  {0xad, false},
        {0x200d, false},  {0x2024, false}, {0x3002, false},  {0xff0e, false},
        {0xff41, false},  {0xfb01, false}, {0x212a, false},  {0x17f, false},
        {0x115f, false},  {0x3164, false}, {0xab70, false},  {0x13a0, false},
        {0x301, false},   {0x660, false},  {0x966, true},    {0x2488, false},
        {0x10400, false}, {0x10428, true}, {0x1f600, false}, {0xe000, false},
        {0x378, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];

        encode(text, &cases[i].c, 1);
        if ((kind_of(text) != ADS_IDNA_BAD) != cases[i].fine) {
            fail_msg("U+%04X", (unsigned)cases[i].c);
        }
    }
}


static void
right_to_left_labels_obey_the_bidi_rule(void **state)
{
    static const struct {
        int32_t chars[4];
        size_t n;
        enum ads_idna kind;
    } cases[] = {
        {{0x5d0, 0x5d1}, 2, ADS_IDNA_RTL},
        {{0x5d0, '1'}, 2, ADS_IDNA_RTL},
        {{0x627, 0x661}, 2, ADS_IDNA_RTL},
        {{'1', 0x5d0}, 2, ADS_IDNA_BAD}, /* begins with a digit */
        {{0x5d0, 'a'}, 2, ADS_IDNA_BAD}, /* mixed */
        {{0x5d0, 'a', 0x5d1}, 3, ADS_IDNA_BAD},
        {{'a', 0x5d0}, 2, ADS_IDNA_BAD},
        {{0x627, '1', 0x661}, 3, ADS_IDNA_BAD}, /* two kinds of digits */
        {{0x5d0, 0x5b0}, 2, ADS_IDNA_RTL},      /* a mark at the end */
        {{0x661, 0x627}, 2, ADS_IDNA_BAD},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];

        encode(text, cases[i].chars, cases[i].n);
        if (kind_of(text) != cases[i].kind) {
            fail_msg("%s", text);
        }
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_labels_pass),
        cmocka_unit_test(what_is_no_punycode_is_refused),
        cmocka_unit_test(what_idna_would_change_is_refused),
        cmocka_unit_test(decoding_is_the_inverse_of_encoding),
        cmocka_unit_test(single_characters_are_checked),
        cmocka_unit_test(right_to_left_labels_obey_the_bidi_rule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
