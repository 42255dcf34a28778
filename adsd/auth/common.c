/*
 * Looks up common passwords.  The file is sorted by bytes, a word a line, so
 * looking a word up is a binary search over places in the text, each taken back
 * to the start of its line.
 */
#include "auth/common.h"

#include <string.h>

#define TAIL_MAX 4   /* characters behind a listed word */
#define REPEAT_MAX 4 /* a password that repeats so few is one, however long */

__asm__(".section .rodata\n"
        ".global auth_common_list\n"
        ".global auth_common_last\n"
        "auth_common_list:\n"
        ".incbin \"data/passwords.txt\"\n"
        "auth_common_last:\n"
        ".byte 0\n"
        ".previous\n");

extern const char auth_common_list[];
extern const char auth_common_last[];


static bool
is_listed(const char *word, size_t len)
{
    const char *low = auth_common_list, *high = auth_common_last;

    /* two ends of one list, which the compiler cannot see */
    /* cppcheck-suppress comparePointers */
    while (low < high) {
        /* cppcheck-suppress comparePointers */
        const char *line = low + (high - low) / 2, *end;
        size_t n;
        int order;

        while (line > low && line[-1] != '\n') {
            line--;
        }
        end = memchr(line, '\n', (size_t)(auth_common_last - line));
        n = (size_t)(end - line);
        order = memcmp(word, line, len < n ? len : n);
        if (order == 0 && len == n) {
            return true;
        }
        if (order > 0 || (order == 0 && len > n)) {
            low = end + 1;
        } else {
            high = line;
        }
    }
    return false;
}


static bool
is_letter(char c)
{
    return ads_char_is_lower(c) || (unsigned char)c >= 0x80;
}


static bool
repeats(struct ads_str text)
{
    for (size_t unit = 1; unit <= REPEAT_MAX && unit < text.len; unit++) {
        if (memcmp(text.ptr, text.ptr + unit, text.len - unit) == 0) {
            return true;
        }
    }
    return false;
}


bool
auth_common_check(struct ads_str password)
{
    char word[AUTH_COMMON_LEN_MAX];
    size_t len = password.len;

    if (repeats(password)) {
        return true;
    }
    if (len > sizeof(word)) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        word[i] = ads_char_lower(password.ptr[i]);
    }
    for (int i = 0; i <= TAIL_MAX && len > 0; i++) {
        if (is_listed(word, len)) {
            explicit_bzero(word, sizeof(word));
            return true;
        }
        if (is_letter(word[len - 1])) {
            break;
        }
        len--;
    }
    explicit_bzero(word, sizeof(word));
    return false;
}
