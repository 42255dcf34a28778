/*
 * POST /v1/products: one, an array, or lines.
 *
 * Many are read one by one, each with faults of its own; those without go to
 * the database in one statement.
 */
#include "api/handlers.h"

#include <strings.h>

#include "api/product.h"
#include "catalog/product_batch.h"
#include "http/body.h"

struct many {
    struct request *request;
    size_t n;
    struct product *products; /* that are well, in order */
    size_t n_products;
    size_t index[PRODUCT_BATCH_MAX]; /* of each in the body */
    /* by place in the body: */
    struct form_errors *errors[PRODUCT_BATCH_MAX]; /* NULL: well */
    const char *malformed[PRODUCT_BATCH_MAX];
    struct product_result results[PRODUCT_BATCH_MAX];
    struct ads_str sku[PRODUCT_BATCH_MAX];
};

static const char *const words[PRODUCT_OUTCOMES] = {
    [PRODUCT_CREATED] = "created",      [PRODUCT_UPDATED] = "updated",
    [PRODUCT_UNCHANGED] = "unchanged",  [PRODUCT_REPEATED] = "repeated",
    [PRODUCT_NO_CAMPAIGN] = "rejected",
};


/* ---- one ---- */

static void
location_put(struct request *request, const struct ads_uuid *id)
{
    char text[ADS_UUID_TEXT_LEN];
    struct ads_str location;

    (void)ads_uuid_write(text, id);
    location.ptr = pool_format(request->pool, &location.len,
                               "/v1/products/%.*s", (int)sizeof(text), text);
    request_header(request, "Location", location);
}


static enum ads_err
one_post(struct request *request)
{
    struct product_result result = {0};
    struct product product;
    struct form form;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    product_form_read(&product, &form, PRODUCT_CREATE);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    err = product_batch_put(&result, &product, 1, request->tx,
                            &request->actor.account, request->pool);
    if (err != ADS_OK) {
        return err;
    }
    if (result.outcome == PRODUCT_NO_CAMPAIGN) {
        form_error(&form, "campaign_id", "not_found",
                   "is no campaign of this account that is not archived");
        return request_answer_fields(request, form.errors->list,
                                     form.errors->n);
    }
    location_put(request, &result.product);
    return api_product_answer(request, &result.product,
                              result.outcome == PRODUCT_CREATED ? 201 : 200);
}


/* ---- many ---- */

/* Reads the next of them; `doc` NULL: no JSON, `why` tells. */
static void
many_take(struct many *many, struct doc *doc, const char *why)
{
    struct pool *pool = many->request->pool;
    struct product *product = &many->products[many->n_products];
    size_t i = many->n++;
    struct form_errors *errors;
    struct form form;

    if (doc == NULL) {
        many->malformed[i] = why;
        return;
    }
    errors = pool_alloc(pool, sizeof(*errors));
    form_begin_at(&form, pool, doc, errors, (uint32_t)i);
    product_form_read(product, &form, PRODUCT_CREATE);
    if (!form_check(&form)) {
        many->errors[i] = errors;
        return;
    }
    many->sku[i] = product->sku;
    many->index[many->n_products++] = i;
}


static struct many *
many_new(struct request *request, size_t n)
{
    struct many *many = pool_alloc(request->pool, sizeof(*many));

    many->request = request;
    many->products = pool_array(request->pool, n + 1, sizeof(*many->products));
    return many;
}


static void
errors_write(struct json *json, const struct many *many, size_t i)
{
    const struct form_errors *errors = many->errors[i];

    json_array_begin(json, "errors");
    for (uint32_t k = 0; errors != NULL && k < errors->n; k++) {
        const char *pointer = errors->list[k].pointer;

        json_object_begin(json, NULL);
        json_string(json, "pointer",
                    (struct ads_str){pointer, strlen(pointer)});
        json_constant(json, "code", errors->list[k].code);
        json_constant(json, "detail", errors->list[k].detail);
        json_object_end(json);
    }
    json_array_end(json);
}


static bool
is_refused(const struct many *many, size_t i)
{
    return many->malformed[i] != NULL || many->errors[i] != NULL
           || many->results[i].outcome == PRODUCT_NO_CAMPAIGN;
}


static void
result_write(struct json *json, const struct many *many, size_t i)
{
    const struct product_result *result = &many->results[i];

    json_object_begin(json, NULL);
    json_int(json, "index", (int64_t)i);
    if (!is_refused(many, i)) {
        json_constant(json, "status", words[result->outcome]);
        json_uuid(json, "id", result->has_ids ? &result->product : NULL);
        json_uuid(json, "ad_id", result->has_ids ? &result->ad : NULL);
        json_string(json, "sku", many->sku[i]);
    } else {
        json_constant(json, "status", "rejected");
        json_constant(json, "code",
                      many->malformed[i] != NULL ? "malformed_json"
                      : many->errors[i] != NULL  ? "invalid_fields"
                                                 : "campaign_not_found");
        if (many->malformed[i] != NULL) {
            json_constant(json, "detail", many->malformed[i]);
        }
        errors_write(json, many, i);
    }
    json_object_end(json);
}


static void
many_answer(const struct many *many)
{
    int64_t counts[PRODUCT_OUTCOMES] = {0};
    struct json json;

    for (size_t i = 0; i < many->n; i++) {
        counts[is_refused(many, i) ? PRODUCT_NO_CAMPAIGN
                                   : many->results[i].outcome]++;
    }
    json_init(&json, many->request->pool);
    json_object_begin(&json, NULL);
    for (int i = 0; i < PRODUCT_OUTCOMES; i++) {
        json_int(&json, words[i], counts[i]);
    }
    json_array_begin(&json, "results");
    for (size_t i = 0; i < many->n; i++) {
        result_write(&json, many, i);
    }
    json_array_end(&json);
    json_object_end(&json);
    request_answer_json(many->request, 200, &json);
}


static enum ads_err
many_put(struct many *many)
{
    struct request *request = many->request;
    struct product_result *results;
    enum ads_err err;

    if (many->n_products > 0) {
        results = pool_array(request->pool, many->n_products, sizeof(*results));
        err = product_batch_put(results, many->products, many->n_products,
                                request->tx, &request->actor.account,
                                request->pool);
        if (err != ADS_OK) {
            return err;
        }
        for (size_t i = 0; i < many->n_products; i++) {
            many->results[many->index[i]] = results[i];
        }
    }
    many_answer(many);
    return ADS_OK;
}


/* 400 unless there are 1 to 1,000. */
static enum ads_err
number_check(struct request *request, size_t n)
{
    if (n >= 1 && n <= PRODUCT_BATCH_MAX) {
        return ADS_OK;
    }
    return request_answer_problem(request, ADS_PROBLEM_BAD_REQUEST,
                                  "a request takes 1 to 1,000 products");
}


static enum ads_err
array_post(struct request *request)
{
    const char *why = NULL;
    struct ads_str body = {request->body, request->body_len};
    struct doc *doc =
        doc_read(request->pool, pool_text(request->pool, body), body.len, &why);
    struct many *many;

    if (doc == NULL) {
        return request_answer_problem(request, ADS_PROBLEM_MALFORMED_JSON, why);
    }
    if (number_check(request, doc->n) != ADS_OK) {
        return ADS_ANSWERED;
    }
    many = many_new(request, doc->n);
    for (struct doc *item = doc->first; item != NULL; item = item->next) {
        many_take(many, item, NULL);
    }
    return many_put(many);
}


static bool
is_blank(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != ' ' && text.ptr[i] != '\t' && text.ptr[i] != '\r') {
            return false;
        }
    }
    return true;
}


/* Cuts the next line that is not blank off; ptr NULL: no more. */
static struct ads_str
line_next(struct ads_str *rest)
{
    while (rest->len > 0) {
        const char *end = memchr(rest->ptr, '\n', rest->len);
        size_t len = end != NULL ? (size_t)(end - rest->ptr) : rest->len;
        struct ads_str line = {rest->ptr, len};

        len += end != NULL;
        rest->ptr += len;
        rest->len -= len;
        if (!is_blank(line)) {
            return line;
        }
    }
    return (struct ads_str){NULL, 0};
}


static enum ads_err
lines_post(struct request *request)
{
    struct ads_str rest = {request->body, request->body_len};
    struct ads_str line;
    struct many *many;
    size_t n = 0;

    while (line_next(&rest).ptr != NULL) {
        n++;
    }
    if (number_check(request, n) != ADS_OK) {
        return ADS_ANSWERED;
    }
    many = many_new(request, n);
    rest = (struct ads_str){request->body, request->body_len};
    while ((line = line_next(&rest)).ptr != NULL) {
        const char *why = NULL;
        struct doc *doc = doc_read(
            request->pool, pool_text(request->pool, line), line.len, &why);

        many_take(many, doc, why);
    }
    return many_put(many);
}


static bool
type_is(const struct request *request, const char *wanted)
{
    struct ads_str type = scgi_find(&request->head, "CONTENT_TYPE");
    size_t len = strlen(wanted);

    return type.ptr != NULL && type.len >= len
           && strncasecmp(type.ptr, wanted, len) == 0
           && (type.len == len || type.ptr[len] == ';' || type.ptr[len] == ' ');
}


enum ads_err
api_product_post(struct request *request)
{
    bool lines = type_is(request, "application/x-ndjson");
    size_t i = 0;

    if (request->body_len > 0
        && (request_is_packed(request)
            || (!lines && !type_is(request, "application/json"))))
    {
        return request_answer_problem(request,
                                      ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                                      "the body must be application/json or"
                                      " application/x-ndjson");
    }
    if (lines) {
        return lines_post(request);
    }
    while (i < request->body_len && strchr(" \t\r\n", request->body[i]) != NULL)
    {
        i++;
    }
    return i < request->body_len && request->body[i] == '['
               ? array_post(request)
               : one_post(request);
}
