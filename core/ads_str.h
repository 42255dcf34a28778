/*
 * Text as pointer and length, borrowed and never NUL-terminated, and the
 * questions that every reader of text asks.  Byte for byte: no locale and no
 * Unicode (ads_fold.h).
 */
#ifndef ADS_STR_H
#define ADS_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ads_str {
    const char *ptr;
    size_t len;
};

#define ADS_STR(lit)           \
    (struct ads_str)           \
    {                          \
        (lit), sizeof(lit) - 1 \
    }

/* Are they the same bytes? */
static inline bool
ads_str_equal(struct ads_str a, struct ads_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}


/* The same with a C string. */
static inline bool
ads_str_is(struct ads_str text, const char *other)
{
    return ads_str_equal(text, (struct ads_str){other, strlen(other)});
}


/* Is it one of n C strings? */
static inline bool
ads_str_is_one_of(struct ads_str text, const char *const *others, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ads_str_is(text, others[i])) {
            return true;
        }
    }
    return false;
}


/* Does the text begin with a C string, or is it that? */
static inline bool
ads_str_starts(struct ads_str text, const char *begin)
{
    size_t len = strlen(begin);

    return text.len >= len && (len == 0 || memcmp(text.ptr, begin, len) == 0);
}


/* What is behind the first n bytes, which are there. */
static inline struct ads_str
ads_str_tail(struct ads_str text, size_t n)
{
    return (struct ads_str){text.ptr + n, text.len - n};
}


/* Without the bytes at either end that are one of `spaces`. */
static inline struct ads_str
ads_str_trim(struct ads_str text, const char *spaces)
{
    size_t n = strlen(spaces);

    while (text.len > 0 && memchr(spaces, text.ptr[0], n) != NULL) {
        text = ads_str_tail(text, 1);
    }
    while (text.len > 0 && memchr(spaces, text.ptr[text.len - 1], n) != NULL) {
        text.len--;
    }
    return text;
}


/* Digits and letters of ASCII. */
static inline bool
ads_char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}


static inline bool
ads_char_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}


static inline bool
ads_char_is_letter(char c)
{
    return ads_char_is_lower(c) || (c >= 'A' && c <= 'Z');
}


static inline bool
ads_char_is_alnum(char c)
{
    return ads_char_is_digit(c) || ads_char_is_letter(c);
}


static inline char
ads_char_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

#endif
