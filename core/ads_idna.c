/*
 * Validates xn-- labels: Punycode (RFC 3492) is decoded, and the characters are
 * checked against the Unicode data of utf8proc, all on the stack.  Punycode in
 * lower case has one spelling for one text, so nothing is encoded again to
 * compare.
 */
#include "ads_idna.h"

#include <utf8proc.h>

#define LABEL_MAX 63
#define BASE 36
#define T_MIN 1
#define T_MAX 26
#define SKEW 38
#define DAMP 700
#define BIAS 72
#define FIRST 128
#define DECOMPOSED_MAX (LABEL_MAX * 18) /* no character becomes more in NFKD */
#define SHARP_S 0xdf
#define FINAL_SIGMA 0x3c2
#define SIGMA 0x3c3

/* Sets of bidirectional classes. */
#define L (UINT32_C(1) << UTF8PROC_BIDI_CLASS_L)
#define R (UINT32_C(1) << UTF8PROC_BIDI_CLASS_R)
#define AL (UINT32_C(1) << UTF8PROC_BIDI_CLASS_AL)
#define EN (UINT32_C(1) << UTF8PROC_BIDI_CLASS_EN)
#define AN (UINT32_C(1) << UTF8PROC_BIDI_CLASS_AN)
#define NSM (UINT32_C(1) << UTF8PROC_BIDI_CLASS_NSM)


/* The next bias, RFC 3492 section 6.1. */
static uint32_t
adapt(uint32_t delta, uint32_t n, bool first)
{
    uint32_t k = 0;

    delta = first ? delta / DAMP : delta / 2;
    delta += delta / n;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE) {
        delta /= BASE - T_MIN;
    }
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}


static uint32_t
threshold(uint32_t k, uint32_t bias)
{
    if (k <= bias + T_MIN) {
        return T_MIN;
    }
    return k >= bias + T_MAX ? T_MAX : k - bias;
}


static uint32_t
digit_of(char c)
{
    if (c >= 'a' && c <= 'z') {
        return (uint32_t)(c - 'a');
    }
    return c >= '0' && c <= '9' ? (uint32_t)(c - '0') + 26 : BASE;
}


/* Decodes what follows "xn--".  Returns the number of characters, 0 when it is
 * not canonical Punycode of one beyond ASCII. */
static size_t
punycode_read(int32_t chars[LABEL_MAX], struct ads_str text)
{
    size_t basic = text.len;
    size_t at;
    size_t n = 0;
    uint32_t c = FIRST;
    uint32_t bias = BIAS;
    uint32_t i = 0;

    while (basic > 0 && text.ptr[basic - 1] != '-') {
        basic--;
    }
    at = basic;
    if (basic == 1) {
        return 0; /* a dash and nothing before it is not canonical */
    }
    for (; n + 1 < basic; n++) {
        chars[n] = (uint8_t)text.ptr[n];
    }

    while (at < text.len) {
        uint32_t before = i;
        uint64_t weight = 1;

        for (uint32_t k = BASE;; k += BASE) {
            uint32_t digit = at < text.len ? digit_of(text.ptr[at++]) : BASE;
            uint32_t t = threshold(k, bias);
            uint64_t next = i + digit * weight;

            if (digit == BASE || next > INT32_MAX) {
                return 0;
            }
            i = (uint32_t)next;
            if (digit < t) {
                break;
            }
            weight *= BASE - t;
            if (weight > INT32_MAX) {
                return 0;
            }
        }

        if (n == LABEL_MAX) {
            return 0;
        }
        n++;
        bias = adapt(i - before, (uint32_t)n, before == 0);
        c += i / (uint32_t)n;
        i %= (uint32_t)n;
        if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
            return 0;
        }
        memmove(chars + i + 1, chars + i, (n - 1 - i) * sizeof(*chars));
        chars[i++] = (int32_t)c;
    }
    return basic == text.len ? 0 : n;
}


/* Letters, marks, digits and dashes; the first is no mark. */
static bool
letters_are(const int32_t *chars, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        switch (utf8proc_category(chars[i])) {
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
            if (i == 0) {
                return false;
            }
            break;
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_ND:
            break;
        default:
            if (chars[i] != '-') {
                return false;
            }
        }
    }
    return true;
}


/*
 * Do the characters stay what they are under NFKC, case folding and removal of
 * what is not seen?  Sharp s and final sigma do not, and IDNA keeps them all
 * the same: a letter that does replaces each.
 */
static bool
stable_is(const int32_t *chars, size_t n)
{
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE
                                      | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD
                                      | UTF8PROC_IGNORE;
    utf8proc_uint8_t text[LABEL_MAX * 4];
    utf8proc_int32_t buffer[DECOMPOSED_MAX];
    utf8proc_int32_t kept[LABEL_MAX];
    utf8proc_ssize_t text_len = 0;
    utf8proc_ssize_t len;

    for (size_t i = 0; i < n; i++) {
        kept[i] = chars[i] == SHARP_S       ? 's'
                  : chars[i] == FINAL_SIGMA ? SIGMA
                                            : chars[i];
        text_len += utf8proc_encode_char(kept[i], text + text_len);
    }

    len = utf8proc_decompose(text, text_len, buffer, DECOMPOSED_MAX, options);
    if (len < 0 || len > DECOMPOSED_MAX) {
        return false;
    }
    len = utf8proc_normalize_utf32(buffer, len, options);
    return len == (utf8proc_ssize_t)n
           && memcmp(buffer, kept, n * sizeof(*kept)) == 0;
}


static uint32_t
bidi_bit(int32_t c)
{
    return UINT32_C(1) << utf8proc_get_property(c)->bidi_class;
}


/* The Bidi rule, RFC 5893 section 2, as far as letters, marks, digits and
 * dashes can break it. */
static enum ads_idna
direction_of(const int32_t *chars, size_t n)
{
    uint32_t first = bidi_bit(chars[0]);
    uint32_t last = 0;
    uint32_t all = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t bit = bidi_bit(chars[i]);

        all |= bit;
        last = bit == NSM ? last : bit;
    }

    if ((all & (R | AL | AN)) != 0) {
        bool fits = (first & (R | AL)) != 0 && (last & (R | AL | EN | AN)) != 0
                    && (all & L) == 0 && ((all & EN) == 0 || (all & AN) == 0);

        return fits ? ADS_IDNA_RTL : ADS_IDNA_BAD;
    }
    return first == L && (last & (L | EN)) != 0 ? ADS_IDNA_LTR : ADS_IDNA_WEAK;
}


enum ads_idna
ads_idna_label_check(struct ads_str label)
{
    int32_t chars[LABEL_MAX];
    size_t n;

    if (label.len <= 4 || label.len > LABEL_MAX
        || memcmp(label.ptr, "xn--", 4) != 0)
    {
        return ADS_IDNA_BAD;
    }
    n = punycode_read(chars, (struct ads_str){label.ptr + 4, label.len - 4});
    if (n == 0 || !letters_are(chars, n) || !stable_is(chars, n)) {
        return ADS_IDNA_BAD;
    }
    return direction_of(chars, n);
}
