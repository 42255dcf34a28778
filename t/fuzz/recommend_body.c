/*
 * Any bytes as the body of a recommend request: what is taken says what
 * jansson reads in it and keeps the bounds of core/ads_body.h; what is refused
 * is refused for a reason.
 */
#include <math.h>

#include "ads_body.h"
#include "ads_pii.h"

#include "jansson.h"


static void
text_must(struct ads_str text, const json_t *other, bool trimmed,
          const char *promise)
{
    struct ads_str said = {"", 0};

    if (other != NULL) {
        said = fuzz_string(other);
        said = trimmed ? fuzz_trim(said) : said;
    }
    fuzz_must(fuzz_equal(text, said), promise);
    fuzz_must(text.len == 0 || memchr(text.ptr, 0, text.len) == NULL,
              "no text holds U+0000");
}


static void
list_must(const struct ads_body_list *list, const json_t *other,
          const char *promise)
{
    fuzz_must(list->n == json_array_size(other), promise);
    for (uint32_t i = 0; i < list->n; i++) {
        fuzz_must(list->items[i].len > 0, "no element is empty");
        text_must(list->items[i], json_array_get(other, i), true, promise);
    }
}


/* A member that is null is absent. */
static const json_t *
member(const json_t *object, const char *name)
{
    const json_t *value = fuzz_member(object, name);

    return json_is_null(value) ? NULL : value;
}


/* In lower case, with _ for each space. */
static void
placement_must(struct ads_str text, const json_t *other)
{
    struct ads_str said = fuzz_trim(fuzz_string(other));

    if (said.len == 0) {
        said = ADS_STR("inline");
    }
    fuzz_must(text.len == said.len, "placement");
    for (size_t i = 0; i < said.len; i++) {
        char c = said.ptr[i] == ' ' ? '_' : ads_char_lower(said.ptr[i]);

        fuzz_must(text.ptr[i] == c, "placement");
    }
}


static void
taken(const struct ads_recommend_body *body, const json_t *document)
{
    const json_t *context = member(document, "context");
    const json_t *exclude = member(document, "exclude");
    const json_t *max = member(document, "max_results");
    const json_t *lowest = member(document, "floor_micros");

    text_must(body->query, member(document, "query"), true, "query");
    fuzz_must(body->query.len >= 1 && body->query.len <= ADS_BODY_QUERY_MAX,
              "a query of 1 to 8,192 bytes");
    text_must(body->location, member(context, "location"), true, "location");
    text_must(body->session_id, member(context, "session_id"), false,
              "session");
    fuzz_must(!ads_pii_find(body->session_id), "no personal data in a session");
    text_must(body->language, member(context, "language"), false, "language");
    text_must(body->user_agent, member(context, "user_agent"), true,
              "user agent");
    fuzz_must(
        (body->currency[0] != 0)
            == (fuzz_trim(fuzz_string(member(context, "currency"))).len > 0),
        "currency when there is one");
    fuzz_must((body->ip_len != 0)
                  == (json_string_length(member(context, "ip")) > 0),
              "an address when there is one");
    fuzz_must(body->ip_len != 4 || body->ip[3] == 0, "addresses are masked");
    placement_must(body->placement, member(document, "placement"));
    fuzz_must(body->max_results
                  == (max == NULL
                          ? 3
                          : fmin(json_number_value(max), ADS_BODY_RESULTS_MAX)),
              "max_results");
    fuzz_must(body->max_results >= 1
                  && body->max_results <= ADS_BODY_RESULTS_MAX,
              "1 to 20 results");
    fuzz_must((double)body->floor_micros
                  == (lowest == NULL ? 0 : json_number_value(lowest)),
              "floor_micros");
    list_must(&body->keywords, member(document, "keywords"), "keywords");
    list_must(&body->not_advertisers, member(exclude, "advertisers"),
              "advertisers");
    list_must(&body->not_categories, member(exclude, "categories"),
              "categories");
    fuzz_must(body->not_ads.n == json_array_size(member(exclude, "ad_ids")),
              "ad_ids");
}


/* Nothing in it but a query that is right: it must be taken. */
static bool
is_plain(const json_t *document)
{
    struct ads_str query =
        fuzz_trim(fuzz_string(fuzz_member(document, "query")));

    return json_object_size(document) == 1 && query.ptr != NULL && query.len > 0
           && query.len <= ADS_BODY_QUERY_MAX
           && memchr(query.ptr, 0, query.len) == NULL;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct ads_recommend_body body;
    struct ads_body_errors errors;
    enum fuzz_opinion opinion;
    enum ads_err err;
    json_t *document;
    char *text = fuzz_copy(bytes, len);

    memset(&body, 0xa5, sizeof(body));
    err = ads_body_recommend_read(&body, &errors, text, len);
    opinion = fuzz_jansson(&document, bytes, len);

    if (err == ADS_OK) {
        fuzz_must(opinion != FUZZ_REFUSED, "jansson takes it too");
        fuzz_must(fuzz_inside(body.query, text, len), "texts are borrowed");
        if (opinion == FUZZ_TAKEN) {
            taken(&body, document);
        }
    } else {
        fuzz_must((errors.malformed != NULL) != (errors.n > 0),
                  "refused for one kind of reason");
        fuzz_must(errors.malformed != NULL || opinion != FUZZ_REFUSED,
                  "what is no JSON is malformed");
        fuzz_must(errors.malformed == NULL || fuzz_limit(errors.malformed)
                      || opinion != FUZZ_TAKEN || !json_is_object(document),
                  "what is an object is not malformed");
        fuzz_must(opinion != FUZZ_TAKEN || !is_plain(document),
                  "a plain query is taken");
        fuzz_must(errors.n <= ADS_BODY_ERRORS_MAX, "errors fit their list");
        for (uint32_t i = 0; errors.malformed == NULL && i < errors.n; i++) {
            fuzz_must(memchr(errors.list[i].pointer, 0, ADS_BODY_POINTER_MAX)
                          != NULL,
                      "pointers end");
        }
    }
    json_decref(document);
    free(text);
    return 0;
}
