/*
 * Any bytes as the body of a management request: the tree holds what the
 * scanner reads (which t/fuzz/json.c compares with jansson), a field that is
 * taken keeps its bounds, an answer is JSON whatever was wrong, and as CSV
 * every row has as many cells as the first, none of which a spreadsheet takes
 * for a formula.
 */
#define _GNU_SOURCE /* memmem */

#include "http/body.h"

#include "base/csv.h"
#include "fuzz.h"

#define LEN_MAX 16384
#define MOST 8

static const char *const choices[] = {"a", "b", NULL};


/* Reads the value again and finds it in the tree. */
static void
same(const struct doc *doc, struct ads_json *json)
{
    const struct doc *item;
    struct ads_json_value value;
    struct ads_str key = {NULL, 0};
    bool object;

    ads_json_read(json, &value);
    object = value.type == ADS_JSON_OBJECT;
    fuzz_must(doc != NULL && doc->type == value.type
                  && doc->truth == value.truth && doc->has_nul == value.has_nul
                  && fuzz_equal(doc->text, value.text),
              "the same value");
    if (!object && value.type != ADS_JSON_ARRAY) {
        return;
    }
    item = doc->first;
    while (object ? ads_json_member(json, &key) : ads_json_element(json)) {
        if (item == NULL || (object && !fuzz_equal(item->key, key))) {
            fuzz_must(false, "the same member");
            return;
        }
        same(item, json);
        item = item->next;
    }
    fuzz_must(item == NULL, "and no more");
}


/* A text of a form: no control character, at most that many characters. */
static void
text_must(struct ads_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        fuzz_must(c >= 0x20 && c != 0x7f, "no control character");
        n += (c & 0xc0) != 0x80;
    }
    fuzz_must(text.ptr == NULL || (n >= 1 && n <= MOST), "a text's bounds");
    fuzz_must(text.len == 0
                  || (text.ptr[0] != ' ' && text.ptr[text.len - 1] != ' '),
              "a text is trimmed");
}


static void
fields_read(struct form *form)
{
    int64_t number = 5;
    struct ads_uuid id;
    struct ads_str *texts;
    struct form inner;
    size_t n = 0;
    bool truth;

    text_must(form_text(form, "t", FORM_REQUIRED | FORM_KEPT, 1, MOST));
    if (form_texts(form, "l", FORM_OPTIONAL, MOST, MOST, &texts, &n)) {
        fuzz_must(n <= MOST, "no longer list than allowed");
        for (size_t i = 0; i < n; i++) {
            text_must(texts[i]);
        }
    }
    (void)form_int(form, "i", FORM_OPTIONAL, 5, 9, &number);
    fuzz_must(number >= 5 && number <= 9, "a number's bounds");
    number = 5;
    (void)form_money(form, "m", FORM_OPTIONAL, 5, 9000000, &number);
    fuzz_must(number >= 5 && number <= 9000000, "an amount's bounds");
    (void)form_time(form, "z", FORM_OPTIONAL, &number);
    (void)form_bool(form, "b", FORM_OPTIONAL, &truth);
    (void)form_uuid(form, "u", FORM_OPTIONAL, &id);
    fuzz_must(form_choice(form, "c", FORM_OPTIONAL, choices) < 2, "a choice");
    if (form_object(form, "o", FORM_OPTIONAL, &inner)) {
        text_must(form_text(&inner, "t", FORM_OPTIONAL, 1, MOST));
    }
}


/* What csv.h takes: an array of objects. */
static bool
are_rows(const struct doc *doc)
{
    bool all = doc->type == ADS_JSON_ARRAY;

    for (const struct doc *row = doc->first; all && row != NULL;
         row = row->next) {
        all = row->type == ADS_JSON_OBJECT;
    }
    return all;
}


/* Cells of the row that begins at `at`; `at` moves behind its end. */
static size_t
row_cells(struct ads_str text, size_t *at)
{
    size_t n = 1;
    bool quoted = false, first = true;

    for (; *at < text.len; ++*at) {
        char c = text.ptr[*at];

        fuzz_must(!first || (c != '=' && c != '+' && c != '@' && c != '\t'),
                  "no cell is a formula");
        if (c == '"' && quoted && *at + 1 < text.len
            && text.ptr[*at + 1] == '"') {
            ++*at; /* a quote within */
            first = false;
        } else if (c == '"') {
            quoted = !quoted;
            first = first && quoted;
        } else if (!quoted && c == ',') {
            n++;
            first = true;
        } else if (!quoted && c == '\n') {
            ++*at;
            return n;
        } else {
            first = false;
        }
    }
    fuzz_must(false, "every row ends");
    return 0;
}


static void
csv_must(struct pool *pool, const struct doc *rows)
{
    struct ads_str text = csv_write(pool, "a,b,a.b,b.c.d,e", rows);
    size_t at = 0, n = row_cells(text, &at);
    uint32_t n_rows = 0;

    fuzz_must(n == 5, "the columns are those asked for");
    for (; at < text.len; n_rows++) {
        fuzz_must(row_cells(text, &at) == n, "as many cells in every row");
    }
    fuzz_must(n_rows == rows->n, "a line for each row");
}


static void
answer_must(struct request *request)
{
    struct ads_str body = request->answer.body;
    const char *why;

    fuzz_must(request->answer.status == 400
                  && doc_read(request->pool, pool_text(request->pool, body),
                              body.len, &why)
                         != NULL,
              "a refusal is a problem document");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct request request = {.pool = pool_new()};
    char *text = fuzz_copy(bytes, len), *body = fuzz_copy(bytes, len);
    const char *why = NULL;
    struct ads_json json;
    struct form form;
    struct doc *doc;

    if (len > LEN_MAX) {
        goto done;
    }
    doc = doc_read(request.pool, text, len, &why);
    fuzz_must((doc == NULL) == (why != NULL), "a refusal has a reason");
    if (doc != NULL) {
        ads_json_init(&json, body, len);
        same(doc, &json);
        memcpy(body, bytes, len);
    }

    /* rows are our own JSON: no U+0000 in it */
    if (doc != NULL && are_rows(doc)
        && memmem(bytes, len, "\\u0000", 6) == NULL) {
        csv_must(request.pool, doc);
    }

    request.body = body;
    request.body_len = len;
    if (body_begin(&form, &request) != ADS_OK) {
        fuzz_must(doc == NULL || doc->type != ADS_JSON_OBJECT,
                  "an object is a form");
        answer_must(&request);
        goto done;
    }
    fields_read(&form);
    if (body_end(&form, &request) != ADS_OK) {
        answer_must(&request);
    }

done:

    pool_free(request.pool);
    free(text);
    free(body);
    return 0;
}
