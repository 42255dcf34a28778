/*
 * Makes URLs of addresses.  Whether the result is one that visitors may be sent
 * to is decided by ads_url_check() later.
 */
#define _GNU_SOURCE /* memmem */

#include "catalog/import_link.h"

#include <ctype.h>
#include <string.h>

#include "ads_utf8.h"

#define LABEL_CHARS 63
#define ADDRESS_MAX 8192 /* a longer one is refused anyway */

/* Punycode's numbers, RFC 3492, section 5. */
#define BASE 36
#define T_MIN 1
#define T_MAX 26
#define SKEW 38
#define DAMP 700
#define BIAS 72
#define FIRST 128


static uint32_t
bias_adapt(uint32_t delta, uint32_t n, bool first)
{
    uint32_t k = 0;

    delta = first ? delta / DAMP : delta / 2;
    delta += delta / n;
    while (delta > (BASE - T_MIN) * T_MAX / 2) {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}


static char
digit_of(uint32_t n)
{
    return (char)(n < 26 ? 'a' + n : '0' + (n - 26));
}


static char *
number_write(char *p, uint32_t number, uint32_t bias)
{
    for (uint32_t k = BASE;; k += BASE) {
        const uint32_t t = k <= bias           ? T_MIN
                           : k >= bias + T_MAX ? T_MAX
                                               : k - bias;

        if (number < t) {
            *p++ = digit_of(number);
            return p;
        }
        *p++ = digit_of(t + (number - t) % (BASE - t));
        number = (number - t) / (BASE - t);
    }
}


/* Writes code points as Punycode, at most 8 bytes for each. */
static char *
punycode_write(char *p, const uint32_t *codes, uint32_t n)
{
    uint32_t at = FIRST, delta = 0, bias = BIAS, done = 0, n_plain;

    for (uint32_t i = 0; i < n; i++) {
        if (codes[i] < FIRST) {
            *p++ = (char)codes[i];
            done++;
        }
    }
    n_plain = done;
    if (done > 0) {
        *p++ = '-';
    }
    while (done < n) {
        uint32_t next = UINT32_MAX;

        for (uint32_t i = 0; i < n; i++) {
            next = codes[i] >= at && codes[i] < next ? codes[i] : next;
        }
        delta += (next - at) * (done + 1); /* at most 0x10ffff * 64 */
        at = next;
        for (uint32_t i = 0; i < n; i++) {
            delta += codes[i] < at;
            if (codes[i] == at) {
                p = number_write(p, delta, bias);
                bias = bias_adapt(delta, done + 1, done == n_plain);
                delta = 0;
                done++;
            }
        }
        delta++;
        at++;
    }
    return p;
}


/* The code points of a label; 0: it is empty or too long, or not UTF-8. */
static uint32_t
label_read(uint32_t *codes, struct ads_str label, bool *plain)
{
    uint32_t n = 0;

    *plain = true;
    for (size_t i = 0, len; i < label.len; i += len) {
        uint32_t code = (uint8_t)label.ptr[i];

        len = ads_utf8_len((struct ads_str){label.ptr + i, label.len - i});
        if (len == 0 || n == LABEL_CHARS) {
            return 0;
        }
        if (len > 1) {
            code &= 0x7fU >> len;
            for (size_t k = 1; k < len; k++) {
                code = code << 6 | ((uint8_t)label.ptr[i + k] & 0x3fU);
            }
            *plain = false;
        }
        codes[n++] = code < FIRST ? (uint32_t)tolower((int)code) : code;
    }
    return n;
}


/* False: a label cannot be written. */
static bool
host_write(char **p, struct ads_str host)
{
    size_t from = 0;

    for (size_t i = 0; i <= host.len; i++) {
        uint32_t codes[LABEL_CHARS], n;
        bool plain;

        if (i < host.len && host.ptr[i] != '.') {
            continue;
        }
        n = label_read(codes, (struct ads_str){host.ptr + from, i - from},
                       &plain);
        if (n == 0) {
            return false;
        }
        if (!plain) {
            memcpy(*p, "xn--", 4);
            *p = punycode_write(*p + 4, codes, n);
        }
        for (uint32_t k = 0; plain && k < n; k++) {
            *(*p)++ = (char)codes[k];
        }
        if (i < host.len) {
            *(*p)++ = '.';
        }
        from = i + 1;
    }
    return true;
}


static bool
is_hex(struct ads_str text, size_t i)
{
    return i < text.len && isxdigit((unsigned char)text.ptr[i]);
}


/* Percent-encodes what a URL may not hold; braces are macros. */
static char *
rest_write(char *p, struct ads_str rest)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < rest.len; i++) {
        const uint8_t c = (uint8_t)rest.ptr[i];
        const bool escape =
            c == '%' && !(is_hex(rest, i + 1) && is_hex(rest, i + 2));

        if (c > 0x20 && c < 0x7f && strchr("\"<>\\^`|", c) == NULL && !escape) {
            *p++ = (char)c;
        } else {
            *p++ = '%';
            *p++ = hex[c >> 4];
            *p++ = hex[c & 15];
        }
    }
    return p;
}


struct ads_str
import_link_fit(struct ads_str link, struct pool *pool)
{
    const char *mark = memmem(link.len > 0 ? link.ptr : "", link.len, "://", 3);
    size_t scheme = mark == NULL ? 0 : (size_t)(mark - link.ptr);
    size_t from = scheme + 3, to = from;
    char *url, *p;

    if (mark == NULL || scheme > 5 || link.len > ADDRESS_MAX) {
        return link;
    }
    while (to < link.len && strchr("/?#:@", link.ptr[to]) == NULL) {
        to++;
    }
    p = url = pool_alloc(pool, link.len * 8 + 64);
    for (size_t i = 0; i < scheme; i++) {
        *p++ = (char)tolower((unsigned char)link.ptr[i]);
    }
    memcpy(p, "://", 3);
    p += 3;
    if (!host_write(&p, (struct ads_str){link.ptr + from, to - from})) {
        return link;
    }
    p = rest_write(p, (struct ads_str){link.ptr + to, link.len - to});
    return (struct ads_str){url, (size_t)(p - url)};
}
