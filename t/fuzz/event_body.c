/*
 * Any bytes as the body of an impression or manual click: what is taken says
 * what jansson reads in it; events hold no personal data and no unknown field.
 */
#include "ads_body.h"
#include "ads_pii.h"
#include "ads_time.h"

#include "jansson.h"

#define NOW_MS INT64_C(1700000000000)


static void
id_must(const struct ads_uuid *id, const json_t *other)
{
    struct ads_str said = fuzz_string(other);
    char text[ADS_UUID_TEXT_LEN];

    ads_uuid_write(text, id);
    fuzz_must(said.ptr != NULL && said.len == sizeof(text), "an id is a UUID");
    for (size_t i = 0; i < sizeof(text); i++) {
        char c = said.ptr[i];

        c = c >= 'A' && c <= 'F' ? (char)(c | 0x20) : c;
        fuzz_must(c == text[i], "the id that was sent");
    }
}


static void
item_must(const struct ads_event_item *item, const json_t *other)
{
    const json_t *session = fuzz_member(other, "session_id");
    const json_t *occurred = fuzz_member(other, "occurred_at");
    size_t n = 2;
    int64_t ms;

    id_must(&item->request_id, fuzz_member(other, "request_id"));
    id_must(&item->ad_id, fuzz_member(other, "ad_id"));
    if (session != NULL) {
        fuzz_must(fuzz_equal(item->session_id, fuzz_string(session)),
                  "the session that was sent");
        fuzz_must(!ads_pii_find(item->session_id), "no personal data");
        n++;
    }
    if (occurred != NULL) {
        fuzz_must(ads_time_read(&ms, fuzz_string(occurred))
                      && ms == item->occurred_ms
                      && ms >= NOW_MS - 7 * INT64_C(86400000)
                      && ms <= NOW_MS + 600000,
                  "a time inside its bounds");
        n++;
    }
    fuzz_must(json_object_size(other) == n, "no field unknown");
}


static void
taken(const struct ads_event_body *body, const json_t *document)
{
    const json_t *events = fuzz_member(document, "events");

    fuzz_must(body->batch == (events != NULL), "a batch has events");
    if (!body->batch) {
        item_must(&body->items[0], document);
        return;
    }
    fuzz_must(body->n == json_array_size(events), "every event is an item");
    for (uint32_t i = 0; i < body->n; i++) {
        if (body->items[i].ok) {
            item_must(&body->items[i], json_array_get(events, i));
        } else {
            fuzz_must(body->items[i].error.code != NULL, "a bad item says why");
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct ads_event_body body;
    struct ads_body_errors errors;
    enum fuzz_opinion opinion;
    enum ads_err err;
    json_t *document;
    char *text = fuzz_copy(bytes, len);

    memset(&body, 0xa5, sizeof(body));
    err = ads_body_event_read(&body, &errors, text, len, NOW_MS);
    opinion = fuzz_jansson(&document, bytes, len);

    if (err == ADS_OK) {
        fuzz_must(opinion != FUZZ_REFUSED, "jansson takes it too");
        fuzz_must(body.n <= ADS_BODY_EVENTS_MAX, "at most 100 events");
        if (opinion == FUZZ_TAKEN) {
            taken(&body, document);
        }
    } else {
        fuzz_must((errors.malformed != NULL) != (errors.n > 0),
                  "refused for one kind of reason");
        fuzz_must(errors.malformed == NULL || fuzz_limit(errors.malformed)
                      || opinion != FUZZ_TAKEN || !json_is_object(document),
                  "what is an object is not malformed");
    }
    json_decref(document);
    free(text);
    return 0;
}
