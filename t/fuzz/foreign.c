/*
 * Any bytes as JSON of others: what is taken is JSON for our own scanner too,
 * within the bounds, and whatever is borrowed of it has no NUL inside.
 */
#include "base/foreign.h"

#include "ads_json.h"
#include "fuzz.h"


static void
walk(const struct json_t *value, unsigned depth)
{
    struct ads_str text = foreign_text(value);
    const struct json_t *item;
    int64_t number = 0;

    fuzz_must(depth <= FOREIGN_DEPTH, "a depth within the bound");
    fuzz_must(text.ptr == NULL || strlen(text.ptr) == text.len,
              "a text ends at its NUL");
    fuzz_must(!foreign_whole(&number, value)
                  || (number >= 0 && number <= FOREIGN_WHOLE_MAX),
              "a number within its bound");
    for (size_t i = 0; (item = foreign_at(value, i)) != NULL; i++) {
        walk(item, depth + 1);
    }
    item = foreign_find(value, "a");
    if (item != NULL) {
        walk(item, depth + 1);
    }
}


/* Does the scanner take it, or refuse it for a limit that is its own? */
static bool
scanned(char *text, size_t len)
{
    struct ads_json_value value;
    struct ads_json json;

    ads_json_init(&json, text, len);
    ads_json_read(&json, &value);
    ads_json_skip(&json, &value);
    return ads_json_end(&json) == ADS_OK
           || json.fault == ADS_JSON_TOO_MANY_KEYS;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct pool *pool = pool_new();
    char *text = fuzz_copy(bytes, len);
    const struct json_t *document = foreign_read(pool, text, len);

    if (document != NULL) {
        fuzz_must(len <= FOREIGN_LEN_MAX, "a length within the bound");
        fuzz_must(foreign_is_object(document) != foreign_is_array(document),
                  "an object or an array");
        walk(document, 0);
        fuzz_must(scanned(text, len), "the scanner takes it too");
    }
    free(text);
    pool_free(pool);
    return 0;
}
