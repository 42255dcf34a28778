/*
 * Any bytes as the body of any management request, through the handler of its
 * route: the first byte picks the route, some more what the database says, the
 * rest is the body.  Libpq is not here: statements end in this file, with one
 * row, none, or a refusal.
 *
 * Whatever comes: there is an answer, a refusal in JSON; a header is one line;
 * what goes to the database fits its statement, texts as UTF-8 without U+0000
 * and JSON as JSON, which PostgreSQL would refuse in anything else.
 */
#define _GNU_SOURCE /* auth/password.c */

#include "base/form.h"

#include <utf8proc.h>

#include "api/routes.h"
#include "auth/password.h"
#include "auth/webhook.h"
#include "daemon/auth_keys.h"
#include "db/type.h"
#include "fuzz.h"
#include "http/rate.h"

/* Argon2 is too slow here; what checks a password is not */
enum ads_err
real_password_hash(struct auth_hasher *hasher, char *hash,
                   struct ads_str password);
enum ads_err
real_password_check(struct auth_hasher *hasher, struct ads_str hash,
                    struct ads_str password, bool *outdated);
#define auth_password_hash real_password_hash
#define auth_password_check real_password_check
#include "../../adsd/auth/password.c"
#undef auth_password_hash
#undef auth_password_check

#define LEN_MAX 16384
#define ROUTES_MAX 64
#define REPLIES 8
#define SEED "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define ID "00000000-0000-4000-8000-000000000001"

struct db_rows {
    int n;
    uint8_t seed;
};

static const char *const texts[] = {"active", "USD", "UTC", "cpc", "new"};

/* What the database says, statement by statement. */
static struct replies {
    uint8_t list[REPLIES];
    uint32_t n;
    struct db_rows rows[2]; /* none, one */
} replies;


/* ---- in the place of the password hasher and the provider's signature ---- */

enum ads_err
auth_password_hash(struct auth_hasher *hasher, char *hash,
                   struct ads_str password)
{
    (void)hasher;
    fuzz_must(password.ptr != NULL && password.len <= AUTH_PASSWORD_BYTES_MAX,
              "a password that may be hashed");
    (void)snprintf(hash, AUTH_PASSWORD_HASH_MAX, "$argon2id$");
    return ADS_OK;
}


enum ads_err
auth_password_check(struct auth_hasher *hasher, struct ads_str hash,
                    struct ads_str password, bool *outdated)
{
    (void)hasher;
    (void)hash;
    fuzz_must(password.ptr != NULL, "a password that may be checked");
    *outdated = false;
    return ADS_OK;
}


bool
auth_webhook_check(const struct auth_webhook *webhook, struct ads_str header,
                   struct ads_str body, int64_t now_s)
{
    (void)webhook;
    (void)header;
    (void)now_s;
    return body.len > 0;
}


/* ---- in the place of adsd/db/ -------------------------------------------- */

static void
text_must(const char *text, size_t len)
{
    utf8proc_int32_t c;

    for (size_t at = 0; at < len;) {
        utf8proc_ssize_t n = utf8proc_iterate((const uint8_t *)text + at,
                                              (utf8proc_ssize_t)(len - at), &c);

        fuzz_must(n > 0 && c != 0, "a text that PostgreSQL takes");
        at += (size_t)n;
    }
}


static void
texts_must(const uint8_t *bytes, size_t len)
{
    const uint8_t *end = bytes + len;

    for (bytes += len >= 20 ? 20 : len; bytes < end;) {
        uint32_t n = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16
                     | (uint32_t)bytes[2] << 8 | bytes[3];

        bytes += 4;
        if (n != UINT32_MAX) {
            fuzz_must(n <= (size_t)(end - bytes), "a text of an array");
            text_must((const char *)bytes, n);
            bytes += n;
        }
    }
}


static void
json_must(struct pool *pool, const char *bytes, size_t len)
{
    char *copy = fuzz_copy(bytes, len);
    const char *why;

    for (size_t i = 0; i < 5; i++) { /* a column that goes back as it came? */
        if (len == strlen(texts[i]) + 1
            && memcmp(bytes + 1, texts[i], len - 1) == 0) {
            free(copy);
            return;
        }
    }
    fuzz_must(len > 0 && copy[0] == 1
                  && doc_read(pool, copy + 1, len - 1, &why) != NULL,
              "a jsonb is JSON");
    free(copy);
}


static void
args_must(const struct db_stmt *stmt, const struct db_args *args)
{
    fuzz_must(args->n == stmt->n_params, "as many values as parameters");
    for (int i = 0; i < args->n; i++) {
        const char *value = args->values[i];
        size_t len = (size_t)args->lengths[i];

        if (value == NULL) {
            continue;
        }
        if (args->types[i] == DB_TYPE_TEXT) {
            text_must(value, len);
        } else if (args->types[i] == DB_TYPE_TEXTS) {
            texts_must((const uint8_t *)value, len);
        } else if (args->types[i] == DB_TYPE_JSONB) {
            json_must(args->pool, value, len);
        }
    }
}


enum ads_err
db_run(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
       struct db_rows **rows)
{
    static const enum ads_err refusals[] = {ADS_CONFLICT, ADS_INVALID,
                                            ADS_DENIED, ADS_UNAVAILABLE};
    uint8_t reply = replies.list[replies.n++ % REPLIES];

    (void)tx;
    args_must(stmt, args);
    if (reply >= 240) {
        return refusals[reply % 4];
    }
    if (rows != NULL) {
        *rows = &replies.rows[reply < 200];
    }
    return ADS_OK;
}


enum ads_err
db_type_find(struct db_tx *tx, const char *name, struct pool *pool,
             uint32_t *type)
{
    (void)tx;
    (void)name;
    (void)pool;
    *type = 1;
    return ADS_OK;
}


enum ads_err
db_queue(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args)
{
    return db_run(tx, stmt, args, NULL);
}


enum ads_err
db_run_last(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
            struct db_rows **rows)
{
    return db_run(tx, stmt, args, rows);
}


enum ads_err
db_run_alone(struct db *db, const struct db_stmt *stmt, struct db_args *args,
             struct db_rows **rows)
{
    (void)db;
    return db_run(NULL, stmt, args, rows);
}


enum ads_err
db_begin(struct db *db, struct db_tx **tx)
{
    (void)db;
    *tx = NULL;
    return ADS_OK;
}


enum ads_err
db_commit(struct db_tx *tx)
{
    (void)tx;
    return ADS_OK;
}


void
db_end(struct db_tx *tx)
{
    (void)tx;
}


enum ads_err
db_transact(struct db *db, enum ads_err (*work)(struct db_tx *tx, void *arg),
            void *arg)
{
    (void)db;
    return work(NULL, arg);
}


enum ads_err
db_act_for(struct db_tx *tx, const struct ads_uuid *account, struct pool *pool)
{
    (void)tx;
    (void)account;
    (void)pool;
    return ADS_OK;
}


const char *
db_sqlstate(const struct db *db)
{
    static const char *const states[] = {"23505", "23514", "AD001", "AD010"};

    (void)db;
    return states[replies.list[0] % 4];
}


const char *
db_message(const struct db *db)
{
    (void)db;
    return "";
}


const char *
db_hint(const struct db *db)
{
    (void)db;
    return "";
}


/* Only of adsd_wait_for_database(), which no handler calls. */
enum ads_err
db_connect(struct db *db)
{
    (void)db;
    abort();
}


int
db_pause_ms(const struct db *db)
{
    (void)db;
    abort();
}


/* ---- in the place of db/result.c ----------------------------------------- */

int
db_n_rows(const struct db_rows *rows)
{
    return rows->n;
}


/* Some column, always the same for a name. */
int
db_column(const struct db_rows *rows, const char *name)
{
    int column = 0;

    (void)rows;
    for (; *name != '\0'; name++) {
        column = (column * 31 + (uint8_t)*name) % 64;
    }
    return column;
}


bool
db_is_null(const struct db_rows *rows, int row, int column)
{
    (void)row;
    return (rows->seed + column) % 3 == 0;
}


bool
db_bool(const struct db_rows *rows, int row, int column)
{
    (void)row;
    return (rows->seed + column) % 5 > 1;
}


int64_t
db_int(const struct db_rows *rows, int row, int column)
{
    (void)row;
    return (rows->seed + column) % 4;
}


struct ads_str
db_text(const struct db_rows *rows, int row, int column)
{
    const char *text = texts[(rows->seed + column) % 5];

    (void)row;
    return (struct ads_str){text, strlen(text)};
}


struct ads_str
db_bytea(const struct db_rows *rows, int row, int column)
{
    return db_text(rows, row, column);
}


struct ads_uuid
db_uuid(const struct db_rows *rows, int row, int column)
{
    (void)rows;
    (void)row;
    return (struct ads_uuid){
        {0, 1, 2, 3, 4, 5, 0x86, 7, 0x88, (uint8_t)column}};
}


int64_t
db_time(const struct db_rows *rows, int row, int column)
{
    (void)row;
    return INT64_C(1800000000000000) + rows->seed + column;
}


int64_t
db_date(const struct db_rows *rows, int row, int column)
{
    (void)row;
    return 20000 + rows->seed + column;
}


struct ads_str *
db_texts(const struct db_rows *rows, int row, int column, struct pool *pool,
         size_t *n)
{
    struct ads_str *list = pool_alloc(pool, sizeof(*list));

    list[0] = db_text(rows, row, column);
    *n = rows->seed % 2;
    return list;
}


struct ads_uuid *
db_uuids(const struct db_rows *rows, int row, int column, struct pool *pool,
         size_t *n)
{
    struct ads_uuid *ids = pool_alloc(pool, sizeof(*ids));

    ids[0] = db_uuid(rows, row, column);
    *n = rows->seed % 2;
    return ids;
}


/* ---- the run ------------------------------------------------------------- */

/* Those with a body; conversions and providers have targets of their own. */
static const struct route *
route_pick(uint8_t which)
{
    static const struct route *list[ROUTES_MAX];
    static size_t n;
    const struct route *all;
    size_t n_all;

    if (n == 0) {
        all = routes_all(&n_all);
        for (size_t i = 0; i < n_all && n < ROUTES_MAX; i++) {
            if (all[i].body_max > 0 && all[i].class != ROUTE_OAUTH
                && strcmp(all[i].path, "/v1/events/conversion") != 0)
            {
                list[n++] = &all[i];
            }
        }
    }
    fuzz_must(n > 0, "there are routes");
    return list[which % n];
}


static struct adsd *
adsd_make(void)
{
    static struct adsd adsd;

    if (adsd.log == NULL) {
        adsd.log = log_open_plain("fuzz", LOG_ERROR + 1);
        fuzz_must(
            adsd_init(&adsd) == ADS_OK
                && auth_keys_parse(&adsd.auth_keys, ADS_STR("k " SEED " sign"))
                       == ADS_OK,
            "the daemon stands");
        adsd.conf.currency = "USD";
        adsd.conf.base_url = "https://ads.example";
        adsd.conf.state_path = "/nowhere";
        adsd.people = rate_new(INT64_C(1) << 40);
        adsd.webhook = (struct auth_webhook *)&adsd; /* see above */
        adsd.published_change = UINT64_MAX;
    }
    return &adsd;
}


static void
param_set(struct request *request, const char *name, const char *value)
{
    request->head.params[request->head.n++] =
        (struct scgi_param){{name, strlen(name)}, {value, strlen(value)}};
}


static void
request_make(struct request *request, const struct route *route, uint8_t flags)
{
    static const char *const types[] = {"application/json",
                                        "application/x-ndjson", "text/csv",
                                        "multipart/form-data; boundary=b"};

    request->adsd = adsd_make();
    request->pool = pool_new();
    param_set(request, "REQUEST_METHOD", route->method);
    param_set(request, "DOCUMENT_URI", route->path);
    param_set(request, "REMOTE_ADDR", "192.0.2.7");
    param_set(request, "CONTENT_TYPE",
              (route->flags & ROUTE_ANY_TYPE) != 0 ? types[flags % 4]
                                                   : types[0]);
    fuzz_must(request_init(request) == ADS_OK, "a request");
    request->args[0] = ADS_STR(ID);
    request->actor = (struct actor){
        .method = flags & 8 ? ACTOR_KEY : ACTOR_SESSION,
        .role = ROLE_OWNER,
        .account = db_uuid(NULL, 0, 1),
        .type = ADS_KEY_ADVERTISER,
        .test = (flags & 16) != 0,
        .other = (flags & 32) != 0,
        .user = db_uuid(NULL, 0, 2),
        .session = db_uuid(NULL, 0, 3),
    };
}


static void
answer_must(struct request *request)
{
    const struct answer *answer = &request->answer;
    const char *why;

    fuzz_must(answer->status >= 200 && answer->status < 600, "an answer");
    for (uint32_t i = 0; i < answer->n_headers; i++) {
        struct ads_str value = answer->headers[i].value;

        for (size_t j = 0; j < value.len; j++) {
            fuzz_must((unsigned char)value.ptr[j] >= 0x20
                          && value.ptr[j] != 0x7f,
                      "a header is one line");
        }
    }
    if (answer->status >= 400) { /* the rest is made of what rows held */
        fuzz_must(doc_read(request->pool,
                           pool_text(request->pool, answer->body),
                           answer->body.len, &why)
                      != NULL,
                  "a refusal is JSON");
    }
    fuzz_must(request_answer_write(request).len > 0, "it can be sent");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct route *route = route_pick(fuzz_u8(&bytes, &len));
    struct request request = {0};
    enum ads_err err;

    request_make(&request, route, fuzz_u8(&bytes, &len));
    replies = (struct replies){0};
    fuzz_take(replies.list, sizeof(replies.list), &bytes, &len);
    replies.rows[0].seed = replies.rows[1].seed = replies.list[0];
    replies.rows[1].n = 1;
    if (len > LEN_MAX || len > route->body_max) {
        goto done;
    }

    request.body = malloc(len + 1); /* with a NUL behind, as it is received */
    fuzz_must(request.body != NULL, "there is memory");
    memcpy(request.body, bytes, len);
    request.body[len] = '\0';
    request.body_len = len;
    request.head.content_length = len;
    err = route->handle(&request);
    if (err != ADS_OK && err != ADS_ANSWERED) {
        request_answer_reset(&request);
        request_answer_err(&request, err);
    }
    answer_must(&request);

done:

    free(request.body);
    pool_free(request.pool);
    return 0;
}
