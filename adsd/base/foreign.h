/*
 * JSON that others wrote, read with jansson: answers of identity providers,
 * their key sets, the headers and claims of tokens; and the JSON of the tokens
 * that we hand out.  This is the one door to jansson.  Bodies of requests,
 * which may hold money, are read by the scanner of core/ instead (doc.h).
 *
 * Taken is one object or array of RFC 8259 in UTF-8, no member twice, at most
 * FOREIGN_DEPTH levels and FOREIGN_LEN_MAX bytes, every whole number within 64
 * bits and every other one within a double.  So memory is bounded too: at
 * worst, with 65,536 bytes of empty objects, 5 MB until the pool ends.
 *
 * Values belong to the pool that they were read into; texts in them are
 * borrowed and have a NUL behind them.
 */
#ifndef ADSD_FOREIGN_H
#define ADSD_FOREIGN_H

#include "ads_err.h"
#include "base/pool.h"

#define FOREIGN_LEN_MAX 65536
#define FOREIGN_DEPTH 16
#define FOREIGN_WHOLE_MAX 999999999999999 /* a double holds it as well */

struct json_t; /* jansson's: any value */

/* NULL when the text is not what is taken. */
const struct json_t *
foreign_read(struct pool *pool, const char *text, size_t len);

/* Each says false of NULL. */
bool
foreign_is_object(const struct json_t *value);
bool
foreign_is_array(const struct json_t *value);

/* Is it the value true?  Not "true", and not 1. */
bool
foreign_is_true(const struct json_t *value);

/* The member of that name; NULL when there is none, or `object` is none. */
const struct json_t *
foreign_find(const struct json_t *object, const char *name);

/* The element at `i`, from 0; NULL behind the last, or when `array` is none. */
const struct json_t *
foreign_at(const struct json_t *array, size_t i);

/* The text of a string; ptr NULL when it is none or holds U+0000. */
struct ads_str
foreign_text(const struct json_t *value);

/* A number from 0 to FOREIGN_WHOLE_MAX, written without fraction or exponent.
 * False for anything else; then *number is as it was. */
ADS_MUST bool
foreign_whole(int64_t *number, const struct json_t *value);

/* The text of a member.  True with ptr NULL when there is no such member, false
 * when it is there and no text. */
ADS_MUST bool
foreign_text_find(struct ads_str *text, const struct json_t *object,
                  const char *name);

/* JSON without white space as json_pack() makes it from `format`, in the pool;
 * texts are UTF-8.  What cannot be written is a bug and ends the process, as
 * being out of memory does. */
struct ads_str
foreign_write(struct pool *pool, const char *format, ...);

#endif
