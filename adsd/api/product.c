/*
 * Endpoints of one product: list, read, change, archive.  Creating, one or
 * many, is in api/product_post.c.
 */
#include "api/product.h"

#include "api/handlers.h"
#include "catalog/product_batch.h"
#include "http/body.h"
#include "http/etag.h"
#include "http/list.h"

#define FROM                                                               \
    ", (select coalesce(jsonb_agg(jsonb_build_object('ad_id', x.id,"       \
    "    'campaign_id', x.campaign_id, 'status', x.status)"                \
    "    order by x.created_at, x.id), '[]') from ads.ads x"               \
    "    where x.account_id = p.account_id and x.product_id = p.id)::text" \
    " as ads from ads.products p"

static const struct db_stmt STMT_LOCK = {
    .name = "product_lock",
    .sql = "select ads.products_claim($1)::text, ads.change_bump()",
    .n_params = 1,
};

static const struct db_stmt STMT_GET = {
    .name = "product_get",
    .sql =
        "select " PRODUCT_COLUMNS FROM " where p.account_id = $1 and p.id = $2",
    .n_params = 2,
};

#define TITLED(p) LIST_HOLDS(p ".title", "$3")
#define FILTERED(p)                                                     \
    p ".account_id = $1 and ($2::text is null or " p ".status = $2)"    \
      " and ($4::timestamptz is null or " p ".updated_at >= $4)"        \
      " and ($7::text is null or " p ".review_status = $7)"             \
      " and ($8::timestamptz is null or (" p ".created_at, " p ".id) <" \
      "     ($8, $9::uuid)) and " TITLED(p)
#define BY_AGE(p) " order by " p ".created_at desc, " p ".id desc limit $10"

/* Of the index of titles or of that of long ones (0004_campaigns.sql),
 * which know all that is asked here. */
#define PAGE(length)                                                       \
    "(select t.id from ads.products t where octet_length(t.title) " length \
    " and " FILTERED("t") BY_AGE("t") ")"
#define PAGES PAGE("<= 600") " union all " PAGE("> 600")

static const struct db_stmt STMT_LIST = {
    .name = "product_list",
    .sql = "select " PRODUCT_COLUMNS FROM " where p.account_id = $1"
           " and p.id = any (array(" PAGES "))" BY_AGE("p"),
    .n_params = 10,
};

#define LISTED "select " PRODUCT_COLUMNS FROM " where " FILTERED("p")

/*
 * Those of sku $6, or of campaign $5.  One statement for all would read each
 * product of the account.
 */
static const struct db_stmt STMT_LIST_SKU = {
    .name = "product_list_sku",
    .sql = LISTED " and p.sku = $6" BY_AGE("p"),
    .n_params = 10,
};

static const struct db_stmt STMT_LIST_OF = {
    .name = "product_list_of",
    .sql = LISTED " and ($6::text is null or p.sku = $6)"
                  " and p.id in (select x.product_id from ads.ads x"
                  "     where x.account_id = $1 and x.campaign_id = $5"
                  "     and x.status = 'active')" BY_AGE("p"),
    .n_params = 10,
};

static const struct db_stmt STMT_UPDATE = {
    .name = "product_update",
    .sql = "select ads.products_update($1, array[p.id], n.fields)"
           " from ads.products p, (select $3::ads.product_in[] as fields) n"
           " where p.account_id = $1 and p.id = $2 and p.status = 'active'"
           " and ads.product_fields(p) is distinct from n.fields[1]",
    .n_params = 3,
};

static const struct db_stmt STMT_ARCHIVE = {
    .name = "product_archive",
    .sql = "with gone as ("
           "     update ads.products p set status = 'archived'"
           "     where p.account_id = $1 and p.id = $2 and p.status = 'active'"
           "     returning p.id)"
           " select ads.products_less($1, (select count(*) from gone))::text",
    .n_params = 2,
};


/* ---- reading ---- */

enum ads_err
api_product_answer(struct request *request, const struct ads_uuid *id,
                   unsigned status)
{
    struct db_rows *rows;
    struct json json;
    enum ads_err err = request_row_find(request, &STMT_GET, id, &rows);

    if (err != ADS_OK) {
        return err;
    }
    etag_put(request, db_int(rows, 0, db_column(rows, "changed_n")));
    json_init(&json, request->pool);
    fields_row_write(&product_fields, &json, rows, 0);
    request_answer_json(request, status, &json);
    return ADS_OK;
}


enum ads_err
api_product_get(struct request *request)
{
    struct ads_uuid id;

    return request_id_read(request, &id) == ADS_OK
               ? api_product_answer(request, &id, 200)
               : ADS_ANSWERED;
}


enum ads_err
api_product_list(struct request *request)
{
    static const char *const states[] = {"active", "archived", NULL};
    static const char *const reviews[] = {"approved", "pending", "rejected",
                                          NULL};
    static const struct list_of of = {.fields = &product_fields};
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    const struct db_stmt *stmt = &STMT_LIST;
    struct ads_uuid campaign;
    struct ads_str sku;
    struct db_args args;
    bool of_campaign;

    if (list_begin(list, request, "products") != ADS_OK) {
        return ADS_ANSWERED;
    }
    of_campaign = query_uuid(&list->query, "campaign_id", &campaign);
    sku = query_words(&list->query, "sku", 200);
    if (of_campaign) {
        stmt = &STMT_LIST_OF;
    } else if (sku.ptr != NULL) {
        stmt = &STMT_LIST_SKU;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    list_word(list, &args, "status", states);
    db_arg_text(&args, query_words(&list->query, "q", 200));
    list_time(list, &args, "updated_since");
    db_arg_uuid(&args, of_campaign ? &campaign : NULL);
    db_arg_text(&args, sku);
    list_word(list, &args, "review_status", reviews);
    return list_run(list, stmt, &args, &of);
}


/* ---- changing ---- */

/* The row to change, locked, when If-Match allows it. */
static enum ads_err
row_lock(struct request *request, const struct ads_uuid *id,
         struct db_rows **rows)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = db_queue(request->tx, &STMT_LOCK, &args);
    if (err == ADS_OK) {
        err = request_row_find(request, &STMT_GET, id, rows);
    }
    if (err == ADS_OK) {
        err = etag_check(request,
                         db_int(*rows, 0, db_column(*rows, "changed_n")));
    }
    return err;
}


static enum ads_err
row_update(struct request *request, const struct ads_uuid *id,
           const struct product *product)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, id);
    err = product_args(&args, request->tx, product, 1);
    if (err == ADS_OK) {
        err = db_queue(request->tx, &STMT_UPDATE, &args);
    }
    if (err == ADS_OK) {
        err = api_product_answer(request, id, 200);
    }
    if (err == ADS_CONFLICT) {
        return request_answer_problem(request, ADS_PROBLEM_CONFLICT,
                                      "another product has this sku");
    }
    return err;
}


enum ads_err
api_product_patch(struct request *request)
{
    struct product product;
    struct db_rows *rows;
    struct form form;
    struct ads_uuid id;
    enum ads_err err;

    if (request_id_read(request, &id) != ADS_OK
        || body_begin(&form, request) != ADS_OK)
    {
        return ADS_ANSWERED;
    }
    err = row_lock(request, &id, &rows);
    if (err != ADS_OK) {
        return err;
    }
    fields_row_read(&product_fields, &product, rows, 0, request->pool);
    product_form_read(&product, &form, PRODUCT_CHANGE);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    if (!db_is_null(rows, 0, db_column(rows, "archived_at"))) {
        return request_answer_problem(
            request, ADS_PROBLEM_INVALID_TRANSITION,
            "an archived product comes back by POST with"
            " its sku");
    }
    return row_update(request, &id, &product);
}


enum ads_err
api_product_delete(struct request *request)
{
    struct db_rows *rows;
    struct db_args args;
    struct ads_uuid id;
    enum ads_err err;

    err = request_id_read(request, &id);
    if (err != ADS_OK) {
        return err;
    }
    err = row_lock(request, &id, &rows);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, &id);
    err = db_queue(request->tx, &STMT_ARCHIVE, &args);
    return err == ADS_OK ? api_product_answer(request, &id, 200) : err;
}
