/*
 * Detects personal data, one kind after the other.  Each finder walks the text
 * once and checks only what begins where a letter or digit does not come right
 * before; what it then reads is of bounded length.
 */
#include "ads_pii.h"
#include "ads_ip.h"
#include "ads_utf8.h"

#include <string.h>

#include <utf8proc.h>

#define GROUPS_MAX 64 /* of digits, checked together */
#define CARD_MAX 19   /* digits */
#define CARD_GROUP_MIN 3
#define SPLIT_MAX 3 /* characters between groups: " - " */
#define UUID_LEN 36

struct country {
    char code[3];
    uint8_t len;
};

/* The IBAN registry: country and length of its account numbers, sorted. */
static const struct country countries[] = {
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AT", 20}, {"AZ", 28}, {"BA", 20},
    {"BE", 16}, {"BG", 22}, {"BH", 22}, {"BI", 27}, {"BR", 29}, {"BY", 28},
    {"CH", 21}, {"CR", 22}, {"CY", 28}, {"CZ", 24}, {"DE", 22}, {"DJ", 27},
    {"DK", 18}, {"DO", 28}, {"EE", 20}, {"EG", 29}, {"ES", 24}, {"FI", 18},
    {"FK", 18}, {"FO", 18}, {"FR", 27}, {"GB", 22}, {"GE", 22}, {"GI", 23},
    {"GL", 18}, {"GR", 27}, {"GT", 28}, {"HN", 28}, {"HR", 21}, {"HU", 28},
    {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IS", 26}, {"IT", 27}, {"JO", 30},
    {"KW", 30}, {"KZ", 20}, {"LB", 28}, {"LC", 32}, {"LI", 21}, {"LT", 20},
    {"LU", 20}, {"LV", 21}, {"LY", 25}, {"MC", 27}, {"MD", 24}, {"ME", 22},
    {"MK", 19}, {"MN", 20}, {"MR", 27}, {"MT", 31}, {"MU", 30}, {"NI", 28},
    {"NL", 18}, {"NO", 15}, {"OM", 23}, {"PK", 24}, {"PL", 28}, {"PS", 29},
    {"PT", 25}, {"QA", 29}, {"RO", 24}, {"RS", 22}, {"RU", 33}, {"SA", 24},
    {"SC", 31}, {"SD", 18}, {"SE", 24}, {"SI", 19}, {"SK", 24}, {"SM", 27},
    {"SO", 23}, {"ST", 25}, {"SV", 28}, {"TL", 23}, {"TN", 24}, {"TR", 26},
    {"UA", 29}, {"VA", 22}, {"VG", 24}, {"XK", 20}, {"YE", 30},
};

/* A run of digits and what stands around it. */
struct group {
    size_t at;
    size_t len;
    bool bracketed; /* "(020)" */
};


#define DIGIT 1
#define LETTER 2 /* or a byte of one */

static const uint8_t classes[256] = {
    ['0' ... '9'] = DIGIT,
    ['A' ... 'Z'] = LETTER,
    ['a' ... 'z'] = LETTER,
    [0x80 ... 0xff] = LETTER,
};


static bool
digit_is(char c)
{
    return classes[(uint8_t)c] == DIGIT;
}


static bool
letter_is(char c)
{
    return classes[(uint8_t)c] == LETTER;
}


static bool
alnum_is(char c)
{
    return classes[(uint8_t)c] != 0;
}


/* Does something that ends before `at` stand free there? */
static bool
free_at(struct ads_str text, size_t at)
{
    return at >= text.len || !alnum_is(text.ptr[at]);
}


/* Does something that begins at `at` stand free there? */
static bool
free_before(struct ads_str text, size_t at)
{
    return at == 0 || !alnum_is(text.ptr[at - 1]);
}


/* Is what begins at `at` (behind the sign) "label.label.tld"? */
static bool
domain_is(struct ads_str text, size_t at)
{
    size_t label;
    bool dots = false;

    for (;;) {
        bool letters = true;

        for (label = at; at < text.len; at++) {
            if (!alnum_is(text.ptr[at]) && text.ptr[at] != '-') {
                break;
            }
            letters = letters && letter_is(text.ptr[at]);
        }
        if (at == label) {
            return false;
        }
        letters = letters
                  || (at - label > 4 && (text.ptr[label] | 0x20) == 'x'
                      && (text.ptr[label + 1] | 0x20) == 'n'
                      && text.ptr[label + 2] == '-');
        if (dots && letters && at - label >= 2) {
            return true;
        }
        if (at == text.len || text.ptr[at] != '.') {
            return false;
        }
        dots = true;
        at++;
    }
}


/* Most texts hold no sign that a kind of data cannot do without. */
static bool
holds(struct ads_str text, char sign)
{
    return text.len > 0 && memchr(text.ptr, sign, text.len) != NULL;
}


static bool
email_find(struct ads_str text)
{
    if (!holds(text, '@') && !holds(text, '%')) {
        return false;
    }

    for (size_t i = 1; i < text.len; i++) {
        char before = text.ptr[i - 1];
        size_t domain = 0;

        if (text.ptr[i] == '@') {
            domain = i + 1;
        } else if (text.len - i > 3 && memcmp(text.ptr + i, "%40", 3) == 0) {
            domain = i + 3;
        }
        if (domain != 0 && (uint8_t)before > ' ' && before != '@'
            && domain_is(text, domain))
        {
            return true;
        }
    }
    return false;
}


/* May it stand around a sign that is spelt? */
static bool
gap_is(char c)
{
    return memchr(" _-.~/:=+()[]{}<>", c, 17) != NULL;
}


/* The run of such characters that begins at `at`: where it ends. */
static size_t
gap_end(struct ads_str text, size_t at)
{
    while (at < text.len && gap_is(text.ptr[at])) {
        at++;
    }
    return at;
}


static bool
gap_holds(struct ads_str text, size_t at, size_t end, const char *any)
{
    for (; at < end; at++) {
        if (strchr(any, text.ptr[at]) != NULL) {
            return true;
        }
    }
    return false;
}


/* Does the text hold the word, in small letters or large, at `at`? */
static bool
word_is(struct ads_str text, size_t at, struct ads_str word)
{
    if (text.len - at < word.len) {
        return false;
    }
    for (size_t i = 0; i < word.len; i++) {
        if (ads_char_lower(text.ptr[at + i]) != word.ptr[i]) {
            return false;
        }
    }
    return true;
}


/* The sign that is spelt at `at`, 0 for none; *end is behind it. */
static char
sign_read(struct ads_str text, size_t at, size_t *end)
{
    static const struct {
        struct ads_str word;
        char sign;
    } signs[] = {
        {ADS_STR("at"), '@'}, {ADS_STR("dot"), '.'}, {ADS_STR("@"), '@'}};

    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t len = signs[i].word.len;

        if (word_is(text, at, signs[i].word) && text.len - at > len
            && gap_is(text.ptr[at + len]))
        {
            *end = at + len;
            return signs[i].sign;
        }
    }
    return 0;
}


/*
 * The text with signs for what is spelt between gaps: "name (at) host dot com".
 * Without `bare` an "at" must be in brackets.  With it the dots must be spelt:
 * what was one is left out, since "see you at example.com" is no address.
 */
static struct ads_str
signs_write(char *dst, struct ads_str text, bool bare)
{
    size_t at = 0, word, end;
    char *to = dst, sign;

    while (at < text.len) {
        word = gap_end(text, at);
        if (word == at) {
            *to++ = text.ptr[at++];
            continue;
        }
        sign = at > 0 && word < text.len ? sign_read(text, word, &end) : 0;
        if (sign != 0
            && (bare || sign == '.'
                || (gap_holds(text, at, word, "([{<")
                    && gap_holds(text, end, gap_end(text, end), ")]}>"))))
        {
            *to++ = sign;
            at = gap_end(text, end);
            continue;
        }
        if (word - at >= 3 && gap_holds(text, at, word, "([{<")) {
            *to++ = gap_holds(text, at, word, ".") ? '.' : ' ';
            at = word;
            continue;
        }
        for (; at < word; at++) {
            *to++ = bare && text.ptr[at] == '.' ? ' ' : text.ptr[at];
        }
    }
    return (struct ads_str){dst, (size_t)(to - dst)};
}


static bool
spelt_email_find(struct ads_str text)
{
    char signs[ADS_PII_FOLD_MAX];

    return text.len <= sizeof(signs)
           && (email_find(signs_write(signs, text, false))
               || email_find(signs_write(signs, text, true)));
}


static bool
ipv4_find(struct ads_str text)
{
    if (!holds(text, '.')) {
        return false;
    }

    for (size_t i = 0; i < text.len; i++) {
        size_t end = i;
        unsigned number;
        int parts = 0;
        bool fits = free_before(text, i);

        if (!digit_is(text.ptr[i])) {
            continue;
        }

        /* the whole run of numbers and dots, so that 1.2.3.4.5 is none */
        for (;;) {
            size_t begin = end;

            for (number = 0; end < text.len && digit_is(text.ptr[end]); end++) {
                number = end - begin < 3
                             ? number * 10 + (unsigned)(text.ptr[end] - '0')
                             : 256;
            }
            fits = fits && number <= 255;
            parts++;
            if (text.len - end < 2 || text.ptr[end] != '.'
                || !digit_is(text.ptr[end + 1])) {
                break;
            }
            end++;
        }
        if (fits && parts == 4 && free_at(text, end)) {
            return true;
        }
        i = end - 1;
    }
    return false;
}


static bool
ipv6_char_is(char c)
{
    char lower = (char)(c | 0x20);

    return digit_is(c) || (lower >= 'a' && lower <= 'f') || c == ':'
           || c == '.';
}


static bool
ipv6_find(struct ads_str text)
{
    if (!holds(text, ':')) {
        return false;
    }

    for (size_t i = 0; i < text.len; i++) {
        struct ads_str run = {text.ptr + i, 0};
        uint8_t ip[16];
        size_t colons = 0;

        if (!ipv6_char_is(text.ptr[i]) || !free_before(text, i)) {
            continue;
        }
        for (; i < text.len && ipv6_char_is(text.ptr[i]); i++) {
            colons += text.ptr[i] == ':';
            run.len++;
        }
        if (colons < 2 || !free_at(text, i)) {
            continue;
        }

        /* a single colon or dot at an end belongs to the sentence around */
        if (run.len > 2 && run.ptr[0] == ':' && run.ptr[1] != ':') {
            run.ptr++;
            run.len--;
        }
        if (run.len > 2
            && (run.ptr[run.len - 1] == '.'
                || (run.ptr[run.len - 1] == ':'
                    && run.ptr[run.len - 2] != ':')))
        {
            run.len--;
        }
        if (run.len > 2 && ads_ip_read(ip, run) == 16) {
            return true;
        }
    }
    return false;
}


/* The registered length of that country's account numbers, 0 for none. */
static size_t
iban_len(const char *at)
{
    char code[2] = {(char)(at[0] & ~0x20), (char)(at[1] & ~0x20)};
    size_t low = 0;
    size_t high = sizeof(countries) / sizeof(countries[0]);

    while (low < high) {
        size_t middle = (low + high) / 2;
        int side = memcmp(countries[middle].code, code, sizeof(code));

        if (side == 0) {
            return countries[middle].len;
        }
        if (side < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}


/* What letters (A is 10) and digits are mod 97 when appended to `rest`. */
static unsigned
mod97(unsigned rest, char c)
{
    if (digit_is(c)) {
        return (rest * 10 + (unsigned)(c - '0')) % 97;
    }
    return (rest * 100 + (unsigned)((c | 0x20) - 'a') + 10) % 97;
}


/* Is what begins at `at` an account number, whole or in groups of four? */
static bool
iban_is(struct ads_str text, size_t at)
{
    char number[34];
    size_t len;
    size_t n = 0;
    unsigned rest = 0;

    if (text.len - at < 15 || !letter_is(text.ptr[at])
        || !letter_is(text.ptr[at + 1]) || !digit_is(text.ptr[at + 2])
        || !digit_is(text.ptr[at + 3]))
    {
        return false;
    }

    len = iban_len(text.ptr + at);
    for (; at < text.len && n < len; at++) {
        char c = text.ptr[at];

        if (alnum_is(c) && (c & 0x80) == 0) {
            number[n++] = c;
        } else if ((c != ' ' && c != '-' && c != '.') || n % 4 != 0
                   || !alnum_is(text.ptr[at - 1]))
        {
            return false;
        }
    }
    if (len == 0 || n < len || !free_at(text, at)) {
        return false;
    }

    for (size_t i = 0; i < len; i++) {
        rest = mod97(rest, number[(i + 4) % len]);
    }
    return rest == 1;
}


static bool
iban_find(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (free_before(text, i) && iban_is(text, i)) {
            return true;
        }
    }
    return false;
}


/*
 * Gathers the groups of digits that begin at `at`: runs split by a few
 * separators, or by those and a bracket.  Groups that touch letters on
 * their far side are left out.  Returns how many; *end is where to go on.
 */
static size_t
groups_read(struct group groups[GROUPS_MAX], struct ads_str text, size_t at,
            size_t *end)
{
    size_t n = 0;

    for (;;) {
        struct group group = {.at = at};

        while (at < text.len && digit_is(text.ptr[at])) {
            at++;
        }
        group.len = at - group.at;
        *end = at;
        if (group.len == 0 || !free_at(text, at)) {
            return n;
        }
        group.bracketed = group.at > 0 && text.ptr[group.at - 1] == '('
                          && at < text.len && text.ptr[at] == ')';
        groups[n++] = group;
        if (n == GROUPS_MAX) {
            *end = groups[n - CARD_MAX].at - 1; /* a card may begin there */
            return n;
        }

        at += at < text.len && text.ptr[at] == ')';
        for (int i = 0; i < SPLIT_MAX && at < text.len; i++) {
            at += memchr(" .-/_", text.ptr[at], 5) != NULL;
        }
        at += at < text.len && text.ptr[at] == '(';
        if (at == *end) {
            return n;
        }
    }
}


/* Checks the digits of groups[0..n): 13 to 19 that pass Luhn. */
static bool
card_is(struct ads_str text, const struct group *groups, size_t n)
{
    unsigned sum = 0;
    size_t digits = 0;

    while (n > 0) {
        const struct group *group = &groups[--n];

        for (size_t i = group->len; i > 0; i--) {
            unsigned digit = (unsigned)(text.ptr[group->at + i - 1] - '0');

            if (digits++ % 2 == 1) {
                digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
            }
            sum += digit;
        }
    }

    switch (text.ptr[groups[0].at]) {
    case '0':
        return false;
    case '1':
        return digits == 15 && sum % 10 == 0;
    default:
        return digits >= 13 && digits <= CARD_MAX && sum % 10 == 0;
    }
}


/* Is any sequence of neighbouring groups a card? */
static bool
card_in(struct ads_str text, const struct group *groups, size_t n)
{
    for (size_t first = 0; first < n; first++) {
        size_t digits = 0;

        for (size_t last = first; last < n; last++) {
            digits += groups[last].len;
            if (digits > CARD_MAX || groups[last].len < CARD_GROUP_MIN) {
                break;
            }
            if (digits >= 13 && card_is(text, groups + first, last - first + 1))
            {
                return true;
            }
        }
    }
    return false;
}


/*
 * Are these groups, or after a plus the first of them, written as a phone
 * number?
 */
static bool
phone_is(struct ads_str text, const struct group *groups, size_t n, bool plus)
{
    const char *first = text.ptr + groups[0].at;
    bool pairs = n == 5;
    size_t digits = 0;

    for (size_t i = 0; i < n; i++) {
        digits += groups[i].len;
        pairs = pairs && groups[i].len == 2;
        if (plus && digits >= 7 && digits <= 15) {
            return true;
        }
    }

    if (plus || n < 2 || digits < 9 || digits > 17) {
        return false;
    }
    if (groups[0].bracketed && groups[0].len >= 2 && groups[0].len <= 5) {
        return digits <= 13;
    }
    if (first[0] == '0') {
        if (pairs) {
            return first[1] != '0';
        }
        if (groups[0].len == 2) {
            return first[1] == '0' && groups[1].len <= 3
                   && text.ptr[groups[1].at] != '0';
        }
        return groups[0].len >= 3 && groups[0].len <= 6
               && (first[1] != '0' || (first[2] != '0' && digits >= 11));
    }
    if (n == 4 && groups[0].len == 1 && first[0] == '1') {
        groups++;
        n--;
    }
    return n == 3 && groups[0].len == 3 && groups[1].len == 3
           && groups[2].len == 4;
}


static bool
number_find(struct ads_str text)
{
    struct group groups[GROUPS_MAX];

    for (size_t i = 0; i < text.len; i++) {
        size_t begin = i;
        size_t sign;
        bool plus;
        size_t n;

        if (!digit_is(text.ptr[i]) || !free_before(text, i)) {
            continue;
        }
        sign = begin - (begin > 0 && text.ptr[begin - 1] == '(');
        plus = sign > 0 && text.ptr[sign - 1] == '+'
               && free_before(text, sign - 1);
        n = groups_read(groups, text, i, &i);
        if (n > 0
            && (card_in(text, groups, n) || phone_is(text, groups, n, plus))) {
            return true;
        }
    }
    return false;
}


static bool
uuid_is(struct ads_str text)
{
    if (text.len != UUID_LEN) {
        return false;
    }

    for (size_t i = 0; i < text.len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        char lower = (char)(text.ptr[i] | 0x20);

        if (dash ? text.ptr[i] != '-'
                 : !digit_is(text.ptr[i]) && (lower < 'a' || lower > 'f'))
        {
            return false;
        }
    }
    return true;
}


/* A digit of any script is the ASCII one: Unicode has ten in a row. */
static utf8proc_int32_t
digit_fold(utf8proc_int32_t code)
{
    utf8proc_int32_t zero = code;

    if (code < 0x80 || utf8proc_category(code) != UTF8PROC_CATEGORY_ND) {
        return code;
    }
    while (code - zero < 9
           && utf8proc_category(zero - 1) == UTF8PROC_CATEGORY_ND) {
        zero--;
    }
    return '0' + code - zero;
}


/*
 * Compatibility forms, dashes, spaces, full stops and digits as ASCII has them,
 * without what does not show.  What is no UTF-8, or has no room, is left out.
 */
static struct ads_str
folded(char dst[ADS_PII_FOLD_MAX], struct ads_str text)
{
    const utf8proc_option_t options =
        UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_IGNORE | UTF8PROC_LUMP;
    utf8proc_int32_t code, codes[18];
    utf8proc_ssize_t len, n;
    int class = 0;
    char *at = dst;

    while (text.len > 0) {
        len = utf8proc_iterate((const utf8proc_uint8_t *)text.ptr,
                               (utf8proc_ssize_t)text.len, &code);
        if (len <= 0) {
            text = ads_str_tail(text, 1);
            continue;
        }
        text = ads_str_tail(text, (size_t)len);
        n = utf8proc_decompose_char(code, codes, 18, options, &class);
        for (utf8proc_ssize_t i = 0; i < n && i < 18; i++) {
            if (at > dst + ADS_PII_FOLD_MAX - ADS_UTF8_MAX) {
                break;
            }
            code = codes[i] == 0x3002 ? '.' : digit_fold(codes[i]);
            at = ads_utf8_write(at, (uint32_t)code);
        }
    }
    return (struct ads_str){dst, (size_t)(at - dst)};
}


static bool
is_ascii(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((text.ptr[i] & 0x80) != 0) {
            return false;
        }
    }
    return true;
}


static bool
plain_find(struct ads_str text)
{
    return email_find(text) || spelt_email_find(text) || ipv4_find(text)
           || ipv6_find(text) || iban_find(text) || number_find(text);
}


bool
ads_pii_find(struct ads_str text)
{
    char plain[ADS_PII_FOLD_MAX];

    if (uuid_is(text)) {
        return false;
    }
    return plain_find(text)
           || (text.len <= ADS_PII_FOLD_MAX / 4 && !is_ascii(text)
               && plain_find(folded(plain, text)));
}
