/*
 * Any bytes as the file of click keys: exactly one key seals, ids are unique,
 * and a mistake is reported with its line.
 */
#include "ads_ring.h"

#include "fuzz.h"


static uint32_t
count_lines(const uint8_t *bytes, size_t len)
{
    uint32_t n = 1;

    for (size_t i = 0; i < len; i++) {
        n += bytes[i] == '\n';
    }
    return n;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text = fuzz_copy(bytes, len);
    struct ads_ring ring;
    const char *why = NULL;
    uint32_t line = UINT32_MAX;

    if (ads_ring_read(&ring, (struct ads_str){text, len}, &line, &why)
        != ADS_OK) {
        fuzz_must(why != NULL && line <= count_lines(bytes, len),
                  "a mistake is reported with its line");
        free(text);
        return 0;
    }
    fuzz_must(ring.n >= 1 && ring.n <= ADS_RING_MAX && ring.sealing < ring.n,
              "keys inside their bounds");
    fuzz_must(ads_ring_seal(&ring) == &ring.keys[ring.sealing], "one seals");
    fuzz_must(ads_ring_find(&ring, 0) == NULL, "no key is number 0");
    for (uint32_t i = 0; i < ring.n; i++) {
        fuzz_must(ads_ring_find(&ring, ring.keys[i].kid) == &ring.keys[i],
                  "a key is found by its number");
    }
    free(text);
    return 0;
}
