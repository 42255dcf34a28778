/*
 * Any bytes as Accept: one of the types or none, the same in capitals, none
 * that the only range refuses, and one that is asked for alone is chosen.
 */
#include "ads_accept.h"

#include <ctype.h>

#include "fuzz.h"

#define LEN_MAX 2048

static const char *const types[] = {"application/json", "text/csv",
                                    "application/x-ndjson", NULL};


/* The header with one more range in front. */
static int
choose_with(const char *range, struct ads_str header)
{
    size_t len = strlen(range);
    char *text = malloc(len + header.len + 1);
    int chosen;

    memcpy(text, range, len);
    text[len] = ',';
    memcpy(text + len + 1, header.ptr, header.len);
    chosen =
        ads_accept_choose((struct ads_str){text, len + header.len + 1}, types);
    free(text);
    return chosen;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ads_str header = {NULL, len};
    char *text, *large;
    int chosen;

    if (len > LEN_MAX) {
        return 0;
    }
    header.ptr = text = fuzz_copy(bytes, len);
    chosen = ads_accept_choose(header, types);
    fuzz_must(chosen >= -1 && chosen < 3, "a type or none");

    large = malloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        large[i] = (char)toupper((unsigned char)text[i]);
    }
    fuzz_must(ads_accept_choose((struct ads_str){large, len}, types) == chosen,
              "case does not matter");

    fuzz_must(choose_with("text/csv", header) == 1,
              "what is named first and exactly, with full weight, is chosen");
    free(large);
    free(text);
    return 0;
}
