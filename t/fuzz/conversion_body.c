/*
 * Any bytes as the body of a conversion: every text that is taken lies inside
 * them and holds no personal data, and money is what the text says, inside its
 * bounds.
 */
#include "api/conversion_body.h"

#include "ads_money.h"
#include "ads_pii.h"

#include "jansson.h"

#define LEN_MAX 65536
#define NOW_MS INT64_C(1700000000000)


static void
item_must(const struct conversion *item, const json_t *other)
{
    double value = json_number_value(fuzz_member(other, "value"));
    double micros = (double)item->value_micros / 1e6;

    fuzz_must(micros - value < 1e-6 && value - micros < 1e-6,
              "the value that was sent");
    fuzz_must(fuzz_equal((struct ads_str){item->currency, 3},
                         fuzz_string(fuzz_member(other, "currency"))),
              "the currency that was sent");
    fuzz_must(item->has_request_id == (fuzz_member(other, "request_id") != NULL)
                  && item->has_ad_id == (fuzz_member(other, "ad_id") != NULL)
                  && item->has_adjusts
                         == (fuzz_member(other, "adjusts") != NULL),
              "ids that were sent, and no others");
}


static void
bounds_must(const struct conversion *item, const char *text, size_t len)
{
    fuzz_must(item->value_micros >= 0 && item->value_micros <= ADS_MONEY_MAX,
              "money inside its bounds");
    fuzz_must(item->order_id.len == 0 || fuzz_inside(item->order_id, text, len),
              "texts are borrowed");
    fuzz_must(!ads_pii_find(item->order_id), "no personal data");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct conversion_body body;
    struct ads_body_errors errors;
    enum fuzz_opinion opinion;
    const json_t *events;
    json_t *document;
    enum ads_err err;
    char *text;

    if (len > LEN_MAX) {
        return 0;
    }
    text = fuzz_copy(bytes, len);
    memset(&body, 0xa5, sizeof(body));
    err = conversion_body_read(&body, &errors, (struct ads_str){text, len},
                               NOW_MS);
    opinion = fuzz_jansson(&document, bytes, len);

    if (err != ADS_OK) {
        fuzz_must((errors.malformed != NULL) != (errors.n > 0),
                  "refused for one kind of reason");
    } else {
        fuzz_must(opinion != FUZZ_REFUSED, "jansson takes it too");
        fuzz_must(body.n <= CONVERSION_EVENTS_MAX, "at most 100");
        events = fuzz_member(document, "events");
        for (uint32_t i = 0; i < body.n; i++) {
            if (!body.items[i].ok) {
                continue;
            }
            bounds_must(&body.items[i], text, len);
            if (opinion == FUZZ_TAKEN) {
                item_must(&body.items[i],
                          body.batch ? json_array_get(events, i) : document);
            }
        }
    }
    json_decref(document);
    free(text);
    return 0;
}
