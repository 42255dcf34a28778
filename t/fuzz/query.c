/*
 * Any bytes as method, path and query string, one a line: a route is found or a
 * problem answered, what a query says reads the same when it is written again,
 * and a cursor is taken where it was given out and nowhere else.
 */
#include "http/query.h"

#include "api/routes.h"
#include "base/doc.h"
#include "daemon/auth_keys.h"
#include "fuzz.h"
#include "http/list.h"

#define SEED "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define LEN_MAX 8192
#define CURSOR_MAX 200


/* What stands before the next line break. */
static struct ads_str
line_take(struct ads_str *text)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    size_t len = end == NULL ? text->len : (size_t)(end - text->ptr);
    struct ads_str line = {text->ptr, len};

    text->ptr += end == NULL ? len : len + 1;
    text->len -= end == NULL ? len : len + 1;
    return line;
}


static void
param_set(struct request *request, const char *name, struct ads_str value)
{
    request->head.params[request->head.n++] =
        (struct scgi_param){{name, strlen(name)}, value};
}


/* What was answered, which is JSON. */
static struct doc *
answer_take(struct request *request, unsigned status)
{
    struct ads_str body = request->answer.body;
    struct doc *doc;
    const char *why;

    fuzz_must(request->answer.status == status, "the status");
    doc =
        doc_read(request->pool, pool_text(request->pool, body), body.len, &why);
    fuzz_must(doc != NULL, "an answer is JSON");
    request_answer_reset(request);
    return doc;
}


static void
route_must(struct request *request, enum route_class class)
{
    const struct route *route =
        dispatch_find(routes_dispatch(), request, class);
    struct ads_str path = request->path;

    if (route == NULL) {
        (void)answer_take(request, request->answer.status == 405   ? 405
                                   : request->answer.status == 413 ? 413
                                                                   : 404);
        return;
    }
    fuzz_must(route->class == class
                  && fuzz_equal(
                      request->method,
                      (struct ads_str){route->method, strlen(route->method)})
                  && request->head.content_length <= route->body_max,
              "a route for what was asked");
    for (int i = 0; strstr(route->path, "{}") != NULL && i < 1; i++) {
        fuzz_must(fuzz_inside(request->args[i], path.ptr, path.len)
                      && request->args[i].len > 0
                      && memchr(request->args[i].ptr, '/', request->args[i].len)
                             == NULL,
                  "an argument is one segment of the path");
    }
}


/* Writes every byte of the text as %XX. */
static char *
escape(char *at, struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        at += sprintf(at, "%%%02X", (unsigned char)text.ptr[i]);
    }
    return at;
}


static void
query_must(struct request *request, size_t len)
{
    static struct query query, again;
    struct request other = {.pool = request->pool};
    char *text, *at;
    struct ads_str word;
    int64_t number = 7;

    if (query_begin(&query, request) != ADS_OK) {
        (void)answer_take(request, 400);
        return;
    }
    at = text = pool_alloc(request->pool, 3 * len + 2 * query.n + 1);
    for (uint32_t i = 0; i < query.n; i++) {
        at = escape(at, query.params[i].name);
        *at++ = '=';
        at = escape(at, query.params[i].value);
        *at++ = '&';
    }
    param_set(&other, "QUERY_STRING",
              (struct ads_str){text, (size_t)(at - text)});
    fuzz_must(query_begin(&again, &other) == ADS_OK && again.n == query.n,
              "written again it is one");
    for (uint32_t i = 0; i < query.n; i++) {
        fuzz_must(
            fuzz_equal(query.params[i].name, again.params[i].name)
                && fuzz_equal(query.params[i].value, again.params[i].value),
            "written again it is the same");
    }
    (void)query_int(&query, "limit", 5, 9, &number);
    fuzz_must(number >= 5 && number <= 9, "a number's bounds");
    word = query_text(&query, "q", 20);
    fuzz_must(word.ptr == NULL || (word.len > 0 && word.len <= 20),
              "a text's bounds");
    (void)query_time(&query, "from", &number);
    if (query_end(&query) != ADS_OK) {
        (void)answer_take(request, 400);
    }
}


/* Is the cursor taken by that list of that account? */
static bool
cursor_taken(struct pool *pool, const struct adsd *adsd, uint8_t account,
             const char *name, struct ads_str cursor, struct list *list)
{
    struct request request = {.pool = pool, .adsd = adsd};
    char text[CURSOR_MAX + 8];

    request.actor.account.b[0] = account;
    (void)snprintf(text, sizeof(text), "cursor=%.*s", (int)cursor.len,
                   cursor.ptr);
    param_set(&request, "QUERY_STRING", (struct ads_str){text, strlen(text)});
    return list_begin(list, &request, name) == ADS_OK
           && list_ready(list) == ADS_OK && list->paged;
}


static void
cursor_must(struct pool *pool, const struct adsd *adsd, struct ads_str bytes)
{
    struct request request = {.pool = pool, .adsd = adsd};
    char text[CURSOR_MAX + 1];
    struct list list, other;
    struct ads_uuid id = {{0}};
    struct ads_str cursor;
    int64_t us = 0;
    uint8_t where = 0;

    memcpy(&us, bytes.ptr, bytes.len < 8 ? bytes.len : 8);
    memcpy(id.b, bytes.ptr, bytes.len < 16 ? bytes.len : 16);
    where = (uint8_t)(us & 0xff);

    fuzz_must(list_begin(&list, &request, "things") == ADS_OK
                  && list_ready(&list) == ADS_OK,
              "a first page");
    list.limit = 1;
    fuzz_must(list_row(&list, us, &id) && !list_row(&list, us, &id),
              "a page of one");
    list_answer(&list, "id");
    cursor = doc_find(answer_take(&request, 200), "next_cursor")->text;
    fuzz_must(cursor.len > 0 && cursor.len <= CURSOR_MAX, "there is a cursor");
    memcpy(text, cursor.ptr, cursor.len);
    cursor.ptr = text;

    fuzz_must(cursor_taken(pool, adsd, 0, "things", cursor, &other)
                  && other.before_us == us
                  && memcmp(&other.before, &id, sizeof(id)) == 0,
              "a cursor leads back to its place");
    fuzz_must(!cursor_taken(pool, adsd, 1, "things", cursor, &other)
                  && !cursor_taken(pool, adsd, 0, "others", cursor, &other),
              "no other account's list takes it");
    text[where % cursor.len] ^= 1;
    fuzz_must(!cursor_taken(pool, adsd, 0, "things", cursor, &other),
              "no changed one is taken");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct adsd adsd;
    struct request request = {.pool = pool_new(), .adsd = &adsd};
    char *copy = fuzz_copy(bytes, len);
    struct ads_str text = {copy, len};

    if (adsd.auth_keys == NULL) {
        fuzz_must(auth_keys_parse(&adsd.auth_keys, ADS_STR("k " SEED " sign"))
                      == ADS_OK,
                  "a key");
    }
    if (len <= LEN_MAX) {
        request.method = line_take(&text);
        request.path = line_take(&text);
        for (int class = 0; class < ROUTE_CLASSES; class ++) {
            route_must(&request, (enum route_class) class);
        }
        param_set(&request, "QUERY_STRING", text);
        query_must(&request, len);
        cursor_must(request.pool, &adsd, text);
    }
    pool_free(request.pool);
    free(copy);
    return 0;
}
