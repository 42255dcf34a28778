/*
 * Any bytes as JSON: the scanner and jansson take the same texts and see the
 * same values in them; skipping finds the same faults as reading.
 */
#include "jansson.h"

static void
compare(struct ads_json *json, const struct ads_json_value *value,
        const json_t *other);


static void
compare_number(struct ads_str text, const json_t *other)
{
    char *copy = malloc(text.len + 1);

    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    fuzz_must(json_is_number(other)
                  && strtod(copy, NULL) == json_number_value(other),
              "the same number");
    free(copy);
}


static void
compare_array(struct ads_json *json, const json_t *other)
{
    struct ads_json_value element;
    size_t n = 0;

    fuzz_must(json_is_array(other), "an array in both");
    while (ads_json_element(json)) {
        ads_json_read(json, &element);
        compare(json, &element, json_array_get(other, n++));
    }
    fuzz_must(n == json_array_size(other), "as many elements");
}


static void
compare_object(struct ads_json *json, const json_t *other)
{
    struct ads_json_value member;
    struct ads_str key;
    size_t n = 0;

    fuzz_must(json_is_object(other), "an object in both");
    while (ads_json_member(json, &key)) {
        const json_t *same = json_object_getn(other, key.ptr, key.len);

        fuzz_must(same != NULL, "the same keys");
        ads_json_read(json, &member);
        compare(json, &member, same);
        n++;
    }
    fuzz_must(n == json_object_size(other), "as many members");
}


static void
compare(struct ads_json *json, const struct ads_json_value *value,
        const json_t *other)
{
    switch (value->type) {
    case ADS_JSON_NONE:
        fuzz_must(false, "a value where jansson has one");
        break;
    case ADS_JSON_NULL:
        fuzz_must(json_is_null(other), "null in both");
        break;
    case ADS_JSON_BOOL:
        fuzz_must(json_is_boolean(other) && value->truth == json_is_true(other),
                  "the same truth");
        break;
    case ADS_JSON_NUMBER:
        compare_number(value->text, other);
        break;
    case ADS_JSON_STRING:
        fuzz_must(json_is_string(other)
                      && fuzz_equal(value->text, fuzz_string(other)),
                  "the same text");
        fuzz_must(value->has_nul
                      == (memchr(value->text.ptr, 0, value->text.len) != NULL),
                  "U+0000 is reported");
        break;
    case ADS_JSON_ARRAY:
        compare_array(json, other);
        break;
    case ADS_JSON_OBJECT:
        compare_object(json, other);
        break;
    }
}


/* Reads everything that is there. */
static void
walk(struct ads_json *json, const struct ads_json_value *value)
{
    struct ads_json_value inner;
    struct ads_str key;

    if (value->type == ADS_JSON_ARRAY) {
        while (ads_json_element(json)) {
            ads_json_read(json, &inner);
            walk(json, &inner);
        }
    } else if (value->type == ADS_JSON_OBJECT) {
        while (ads_json_member(json, &key)) {
            ads_json_read(json, &inner);
            walk(json, &inner);
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct ads_json skipped, read;
    struct ads_json_value value;
    enum fuzz_opinion opinion;
    enum ads_err err, again;
    json_t *document;
    char *first = fuzz_copy(bytes, len), *second = fuzz_copy(bytes, len);

    ads_json_init(&skipped, first, len);
    ads_json_read(&skipped, &value);
    ads_json_skip(&skipped, &value);
    err = ads_json_end(&skipped);

    ads_json_init(&read, second, len);
    ads_json_read(&read, &value);
    walk(&read, &value);
    again = ads_json_end(&read);
    fuzz_must(err == again && skipped.fault == read.fault
                  && (err == ADS_OK || skipped.offset == read.offset),
              "skipping and reading find the same fault");
    fuzz_must(err == ADS_OK || skipped.offset <= len,
              "a fault lies in the text");

    opinion = fuzz_jansson(&document, bytes, len);
    if (opinion != FUZZ_NONE
        && (err == ADS_OK || !fuzz_limit(ads_json_fault_text(read.fault))))
    {
        fuzz_must((err == ADS_OK) == (opinion == FUZZ_TAKEN),
                  "jansson is of the same opinion");
    }
    if (err == ADS_OK && opinion == FUZZ_TAKEN) {
        memcpy(second, bytes, len);
        ads_json_init(&read, second, len);
        ads_json_read(&read, &value);
        compare(&read, &value, document);
        fuzz_must(ads_json_end(&read) == ADS_OK, "read twice, taken twice");
    }
    json_decref(document);
    free(first);
    free(second);
    return 0;
}
