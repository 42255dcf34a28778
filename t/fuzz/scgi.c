/*
 * Any bytes as an SCGI head: what is read stays inside them.
 *
 *     clang -fsanitize=fuzzer,address,undefined -I. -Icore -Iadsd
 *         t/fuzz/scgi.c adsd/pool.c -o fuzz-scgi
 */
#include "adsd/scgi.c"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct scgi_head head;
    const char *first = (const char *)bytes;
    size_t used;

    if (scgi_head_read(&head, bytes, len, &used) != ADS_OK) {
        return 0;
    }
    if (used > len || head.n > SCGI_PARAMS_MAX) {
        abort();
    }
    for (uint32_t i = 0; i < head.n; i++) {
        const struct ads_str parts[] = {head.params[i].name,
                                        head.params[i].value};

        for (size_t j = 0; j < 2; j++) {
            if (parts[j].ptr < first
                || parts[j].ptr + parts[j].len >= first + used) {
                abort();
            }
        }
    }
    return 0;
}
