/*
 * Any bytes as the body of a conversion: every text that is taken lies inside
 * them, and money inside its bounds.
 *
 *     clang -fsanitize=fuzzer,address,undefined -I. -Icore -Iadsd
 *         t/fuzz/conversion_body.c core/ads_{body_field,bytes,err,id,ip,json}.c
 *         core/ads_{money,pii,ring,time}.c -lsodium -o fuzz-conversion_body
 */
#include "adsd/conversion_body.c"

#include <stdlib.h>

#define LEN_MAX 65536

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);


static void
check(const struct conversion *conversion, const char *text, size_t len)
{
    const struct ads_str order = conversion->order_id;

    if (conversion->value_micros < 0
        || conversion->value_micros > ADS_MONEY_MAX) {
        abort();
    }
    if (order.len > 0
        && (order.ptr < text || order.ptr + order.len > text + len
            || ads_pii_find(order)))
    {
        abort();
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct conversion_body body;
    struct ads_body_errors errors;
    char *text;

    if (len > LEN_MAX) {
        return 0;
    }
    text = malloc(len + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, bytes, len);
    text[len] = '\0';
    if (conversion_body_read(&body, &errors, (struct ads_str){text, len},
                             INT64_C(1700000000000))
        == ADS_OK)
    {
        for (uint32_t i = 0; i < body.n; i++) {
            if (body.items[i].ok) {
                check(&body.items[i], text, len);
            }
        }
    } else if (errors.malformed == NULL && errors.n == 0) {
        abort();
    }
    free(text);
    return 0;
}
