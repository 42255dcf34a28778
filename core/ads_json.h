/*
 * A strict one-pass JSON scanner for bodies from the network: the caller pulls
 * keys and values out of the text, nothing is built and nothing is allocated.
 *
 *     ads_json_init(&json, text, len);
 *     ads_json_read(&json, &value);
 *     if (value.type == ADS_JSON_OBJECT) {
 *         while (ads_json_member(&json, &key)) {
 *             ads_json_read(&json, &value);
 *             ... use key and value ...
 *             ads_json_skip(&json, &value);
 *         }
 *     }
 *     err = ads_json_end(&json);
 *
 * It takes RFC 8259 and nothing else: UTF-8 without byte order mark, no
 * surrogates (raw, or escaped without their half), no control characters in
 * strings, at most ADS_JSON_DEPTH levels, no key twice in one object ("a" and
 * "\u0061" are the same key), nothing after the value.  All of the text is
 * held to that, the skipped parts too.
 *
 * A fault is sticky: from then on every call answers "no more", and
 * ads_json_end() tells.  So read first and check once, at the end.
 *
 * Strings are borrowed from the text.  One with escapes is unescaped in place:
 * after a scan the text is no JSON any more.  Time is linear in the text, but
 * for keys, where it is n log n with n <= ADS_JSON_KEYS; there is no hash
 * that an attacker could fill.
 */
#ifndef ADS_JSON_H
#define ADS_JSON_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_JSON_DEPTH 16
#define ADS_JSON_KEYS 512 /* in all objects that are open at one time */

enum ads_json_type {
    ADS_JSON_NONE, /* there was no value: see the fault */
    ADS_JSON_NULL,
    ADS_JSON_BOOL,
    ADS_JSON_NUMBER,
    ADS_JSON_STRING,
    ADS_JSON_ARRAY,
    ADS_JSON_OBJECT
};

enum ads_json_fault {
    ADS_JSON_FINE = 0,
    ADS_JSON_TRUNCATED,     /* the text ends too early */
    ADS_JSON_SYNTAX,        /* a character that cannot stand here */
    ADS_JSON_BAD_NUMBER,    /* such as 01, 1., +1 */
    ADS_JSON_BAD_ESCAPE,    /* such as \x, \u12g4, a lone surrogate */
    ADS_JSON_BAD_UTF8,      /* overlong, cut, surrogate, past U+10FFFF */
    ADS_JSON_CONTROL,       /* a raw control character in a string */
    ADS_JSON_TOO_DEEP,      /* more than ADS_JSON_DEPTH levels */
    ADS_JSON_DUPLICATE_KEY, /* the same key twice in one object */
    ADS_JSON_TOO_MANY_KEYS, /* more than ADS_JSON_KEYS */
    ADS_JSON_TRAILING       /* something follows the value */
};

struct ads_json_value {
    enum ads_json_type type;
    bool truth;          /* of a BOOL */
    bool has_nul;        /* a STRING that holds U+0000 */
    uint16_t depth;      /* of an ARRAY or OBJECT, for ads_json_skip() */
    struct ads_str text; /* of a STRING, or a NUMBER as it was written */
};

struct ads_json_key {
    const char *ptr;
    uint32_t len;
};

struct ads_json_level {
    bool object;
    uint16_t first_key; /* in keys[] and order[] */
};

/* For the scanner's own use, but for `fault` and `offset`. */
struct ads_json {
    char *pos;
    char *last;
    char *start;
    const char *line_start; /* of the line that was reached ... */
    uint32_t line;          /* ... which has this number, from 1 on */
    enum ads_json_fault fault;
    size_t offset; /* of the fault, in bytes from the start */
    bool fresh;    /* nothing was read of the innermost container */
    uint16_t depth;
    uint16_t n_keys;
    struct ads_json_level levels[ADS_JSON_DEPTH];
    struct ads_json_key keys[ADS_JSON_KEYS];
    uint16_t order[ADS_JSON_KEYS]; /* keys of each object, sorted */
};

/* Begins a scan of `len` bytes, which stay the caller's but are written to. */
void
ads_json_init(struct ads_json *json, char *text, size_t len);

/*
 * Reads the value that comes next.  A scalar is read whole.  Of an array or
 * object only the opening is: go on with ads_json_element() or
 * ads_json_member() until they say false, or with ads_json_skip().
 */
void
ads_json_read(struct ads_json *json, struct ads_json_value *value);

/* Steps to the next member of the innermost object and reads its key; its
 * value must be read next.  False at the object's end, which is then behind. */
bool
ads_json_member(struct ads_json *json, struct ads_str *key);

/* Steps to the next element of the innermost array, which must be read next.
 * False at the array's end, which is then behind. */
bool
ads_json_element(struct ads_json *json);

/* Steps over what is left of an array or object.  Nothing is left of a scalar,
 * or of one that was read to its end: no effect. */
void
ads_json_skip(struct ads_json *json, const struct ads_json_value *value);

/* ADS_OK when the text was one value, wholly read, without a fault.  Else
 * ADS_INVALID, with `fault` and `offset` set. */
ADS_MUST enum ads_err
ads_json_end(struct ads_json *json);

/* A short English text for clients; never NULL, never the client's bytes. */
const char *
ads_json_fault_text(enum ads_json_fault fault);

#define ADS_JSON_FAULT_MAX 96

/* The same with its place, such as "line 3, column 14: not UTF-8", and a NUL:
 * at most ADS_JSON_FAULT_MAX bytes.  A column counts bytes, from 1 on. */
void
ads_json_fault_write(char *dst, const struct ads_json *json);

#endif
