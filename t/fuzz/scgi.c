/*
 * Any bytes as an SCGI head: what is read stays inside them, written again it
 * is the same head, and a part of it is never taken for the whole.
 */
#include "http/scgi.h"

#include "fuzz.h"


/* Writes the pairs as nginx would; returns the length. */
static size_t
write_again(char *dst, size_t cap, const struct scgi_head *head)
{
    size_t pairs = 0;
    int digits;
    char *at;

    for (uint32_t i = 0; i < head->n; i++) {
        pairs += head->params[i].name.len + head->params[i].value.len + 2;
    }
    digits = snprintf(dst, cap, "%zu:", pairs);
    at = dst + digits;
    for (uint32_t i = 0; i < head->n; i++) {
        const struct ads_str parts[] = {head->params[i].name,
                                        head->params[i].value};

        for (int j = 0; j < 2; j++) {
            memcpy(at, parts[j].ptr, parts[j].len);
            at += parts[j].len;
            *at++ = '\0';
        }
    }
    *at++ = ',';
    return (size_t)(at - dst);
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct scgi_head head, again;
    char *text = fuzz_copy(bytes, len), *written;
    size_t used, used_again;

    if (scgi_head_read(&head, text, len, &used) != ADS_OK) {
        free(text);
        return 0;
    }
    fuzz_must(used <= len && head.n <= SCGI_PARAMS_MAX && head.n > 0,
              "a head inside its bounds");
    for (uint32_t i = 0; i < head.n; i++) {
        const struct scgi_param *param = &head.params[i];

        fuzz_must(fuzz_inside(param->name, text, used)
                      && fuzz_inside(param->value, text, used),
                  "pairs are borrowed from the head");
    }
    written = malloc(len + 16);
    fuzz_must(write_again(written, len + 16, &head) == used
                  && memcmp(written, text, used) == 0,
              "written again it is the same");
    free(written);

    written = fuzz_copy(text, used - 1);
    fuzz_must(scgi_head_read(&again, written, used - 1, &used_again)
                  == ADS_BUSY,
              "a part of a head waits for the rest");
    free(written);
    free(text);
    return 0;
}
