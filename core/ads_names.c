/*
 * Case-insensitive look-up of names.  Lower case is utf8proc's, one code point
 * for one: what PostgreSQL's lower() makes of a category, or leaves as it is
 * under a locale that knows ASCII alone, folds to the same here.
 */
#include "ads_names.h"

#include <utf8proc.h>

#include "ads_bytes.h"

#define FINAL_SIGMA 0x3c2
#define SIGMA 0x3c3
#define ESCAPE_LEN 5 /* behind the backslash: u00XX */


/* FNV-1a over code points. */
static uint64_t
hash_add(uint64_t hash, uint32_t code)
{
    return (hash ^ code) * UINT64_C(0x100000001b3);
}


/* Takes the next code point off the text, in lower case.  A byte that begins
 * none stands for itself. */
static uint32_t
code_take(struct ads_str *text)
{
    utf8proc_int32_t code = (uint8_t)text->ptr[0];
    utf8proc_ssize_t len = 1;

    if (code < 0x80) {
        *text = ads_str_tail(*text, 1);
        return (uint8_t)ads_char_lower((char)code);
    }
    len = utf8proc_iterate((const utf8proc_uint8_t *)text->ptr,
                           (utf8proc_ssize_t)text->len, &code);
    if (len <= 0) {
        code = (uint8_t)text->ptr[0];
        len = 1;
    }
    *text = ads_str_tail(*text, (size_t)len);
    code = utf8proc_tolower(code);
    return code == FINAL_SIGMA ? SIGMA : (uint32_t)code;
}


/* Takes an escape, whose backslash is at the head, off the text. */
static uint32_t
escape_take(struct ads_str *text)
{
    uint8_t pair[2];
    uint32_t code;

    *text = ads_str_tail(*text, 1);
    if (text->len >= ESCAPE_LEN && text->ptr[0] == 'u'
        && ads_hex_read(pair, sizeof(pair),
                        (struct ads_str){text->ptr + 1, ESCAPE_LEN - 1}))
    {
        code = (uint32_t)pair[0] << 8 | pair[1];
        *text = ads_str_tail(*text, ESCAPE_LEN);
        return code;
    }
    return text->len > 0 ? code_take(text) : '\\';
}


static uint64_t
hash_of(struct ads_str text, bool escaped)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    while (text.len > 0) {
        hash =
            hash_add(hash, escaped && text.ptr[0] == '\\' ? escape_take(&text)
                                                          : code_take(&text));
    }
    return hash;
}


static bool
hash_held(const struct ads_names *names, uint64_t hash)
{
    for (uint32_t i = 0; i < names->n; i++) {
        if (names->hash[i] == hash) {
            return true;
        }
    }
    return false;
}


void
ads_names_read(struct ads_names *names, const struct ads_str *texts, uint32_t n)
{
    names->n = n < ADS_NAMES_MAX ? n : ADS_NAMES_MAX;
    for (uint32_t i = 0; i < names->n; i++) {
        names->hash[i] = hash_of(texts[i], false);
    }
}


bool
ads_names_hold(const struct ads_names *names, struct ads_str text)
{
    return names->n > 0 && hash_held(names, hash_of(text, false));
}


bool
ads_names_hold_escaped(const struct ads_names *names, struct ads_str text)
{
    return names->n > 0 && hash_held(names, hash_of(text, true));
}
