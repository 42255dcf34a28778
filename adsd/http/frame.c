/*
 * Runs a handler inside one transaction: credential, rate, idempotency, commit,
 * answer.
 */
#include "http/frame.h"

#include <poll.h>
#include <stdio.h>

#define TRIES 5
#define IDEMPOTENCY_KEY_MAX 255
#define IMPORT_WAIT_S 5 /* an import writes for seconds, seldom for a minute */

static const struct db_stmt STMT_ACT = {
    .name = "act",
    .sql = "select set_config('ads.tenant', $1, true),"
           " set_config('ads.actor', $2, true),"
           " set_config('ads.request_id', $3, true),"
           " set_config('ads.change_n', '', true)",
    .n_params = 3,
};

static const struct db_stmt STMT_CLAIM = {
    .name = "idempotency_claim",
    .sql = "select state, status, content_type, body, location, etag, object_id"
           " from ads.idempotency_claim($1, $2, $3)",
    .n_params = 3,
};

enum claim_column {
    CLAIM_STATE,
    CLAIM_STATUS,
    CLAIM_CONTENT_TYPE,
    CLAIM_BODY,
    CLAIM_LOCATION,
    CLAIM_ETAG,
    CLAIM_OBJECT
};

static const struct db_stmt STMT_STORE = {
    .name = "idempotency_store",
    .sql = "select ads.idempotency_store($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    .n_params = 9,
};

static const struct db_stmt STMT_CHANGE = {
    .name = "change_get",
    .sql = "select nullif(current_setting('ads.change_n', true), '')::bigint",
    .n_params = 0,
};

/* Of no campaign; its plan and what PostgreSQL looks up for it are kept by the
 * connection. */
static const struct db_stmt STMT_WARM = {
    .name = "warm",
    .sql = "select count(*) from ads.campaign_states_of('{}')",
    .n_params = 0,
};

static const struct db_stmt STMT_WARM_CHANGE = {
    .name = "warm_change",
    .sql = "select ads.api_warm()",
    .n_params = 0,
};


/* "key:<id>", "user:<id>" or "system". */
static struct ads_str
actor_text(const struct request *request)
{
    const struct actor *actor = &request->actor;
    char id[ADS_UUID_TEXT_LEN + 1] = {0};
    struct ads_str text;

    if (actor->method == ACTOR_NONE) {
        return ADS_STR("system");
    }
    (void)ads_uuid_write(id, actor->method == ACTOR_KEY ? &actor->key
                                                        : &actor->user);
    text.ptr = pool_format(request->pool, &text.len, "%s:%s",
                           actor->method == ACTOR_KEY ? "key" : "user", id);
    return text;
}


static struct ads_str
uuid_text(struct pool *pool, const struct ads_uuid *id)
{
    char text[ADS_UUID_TEXT_LEN];

    (void)ads_uuid_write(text, id);
    return (struct ads_str){
        pool_text(pool, (struct ads_str){text, sizeof(text)}), sizeof(text)};
}


enum ads_err
api_act(struct request *request, struct db_tx *tx,
        const struct ads_uuid *account)
{
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_text(&args, account != NULL ? uuid_text(request->pool, account)
                                       : ADS_STR(""));
    db_arg_text(&args, actor_text(request));
    db_arg_text(&args, uuid_text(request->pool, &request->id));
    return db_queue(tx, &STMT_ACT, &args);
}


enum ads_err
api_run_alone(struct request *request, const struct ads_uuid *account,
              const struct db_stmt *stmt, struct db_args *args,
              struct db_rows **rows)
{
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(request->db, &tx);
    if (err != ADS_OK) {
        return err;
    }
    err = api_act(request, tx, account);
    if (err == ADS_OK) {
        err = db_run_last(tx, stmt, args, rows);
    }
    db_end(tx);
    return err;
}


/* ---- Idempotency-Key ---- */

/* What makes a request the same: method, path, query and body. */
static struct ads_str
fingerprint(const struct request *request)
{
    struct ads_str query = scgi_find(&request->head, "QUERY_STRING");
    struct ads_str text;

    text.len = request->method.len + 1 + request->path.len + 1 + query.len
               + request->body_len;
    text.ptr = pool_alloc(request->pool, text.len);
    memcpy((char *)text.ptr, request->method.ptr, request->method.len);
    memcpy((char *)text.ptr + request->method.len + 1, request->path.ptr,
           request->path.len);
    if (query.len > 0) {
        memcpy((char *)text.ptr + request->method.len + request->path.len + 2,
               query.ptr, query.len);
    }
    if (request->body_len > 0) {
        memcpy((char *)text.ptr + text.len - request->body_len, request->body,
               request->body_len);
    }
    return text;
}


static bool
key_fits(struct ads_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] < ' ' || key.ptr[i] > '~') {
            return false;
        }
    }
    return key.len >= 1 && key.len <= IDEMPOTENCY_KEY_MAX;
}


/* Header names and values of a stored answer. */
static void
replay(struct request *request, const struct db_rows *rows)
{
    struct ads_str type = db_text(rows, 0, CLAIM_CONTENT_TYPE);

    request->answer.status = (unsigned)db_int(rows, 0, CLAIM_STATUS);
    request->answer.content_type =
        type.ptr != NULL ? pool_text(request->pool, type) : NULL;
    request->answer.body = db_bytea(rows, 0, CLAIM_BODY);
    if (!db_is_null(rows, 0, CLAIM_LOCATION)) {
        request_header(request, "Location", db_text(rows, 0, CLAIM_LOCATION));
    }
    if (!db_is_null(rows, 0, CLAIM_ETAG)) {
        request_header(request, "ETag", db_text(rows, 0, CLAIM_ETAG));
    }
    request_header(request, "Idempotency-Replayed", ADS_STR("true"));
}


static void
answer_done(struct request *request, const struct db_rows *rows)
{
    struct ads_uuid id = db_uuid(rows, 0, CLAIM_OBJECT);
    struct ads_str text = uuid_text(request->pool, &id);
    size_t len;

    request_answer_problem(
        request, ADS_PROBLEM_ALREADY_DONE,
        pool_format(request->pool, &len,
                    "it was made as %.*s, and its secret is shown only once",
                    (int)text.len, text.ptr));
    request_header(request, "X-Ads-Object", text);
}


/* Claims the key.  ADS_ANSWERED when it was claimed before. */
static enum ads_err
claim(struct request *request, struct ads_str key, struct ads_str print)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_str state;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, key);
    db_arg_bytea(&args, print.ptr, print.len);
    err = db_run(request->tx, &STMT_CLAIM, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }

    state = db_text(rows, 0, CLAIM_STATE);
    switch (state.ptr[0]) {
    case 'r': /* running */
        return request_answer_wait(request, ADS_PROBLEM_IDEMPOTENCY_RUNNING, 1);
    case 'o': /* other */
        return request_answer_problem(request, ADS_PROBLEM_IDEMPOTENCY_REUSED,
                                      NULL);
    case 's': /* secret */
        answer_done(request, rows);
        return ADS_ANSWERED;
    case 'd': /* done */
        replay(request, rows);
        return ADS_ANSWERED;
    default: /* new */
        return ADS_OK;
    }
}


static void
arg_header(struct db_args *args, const struct answer *answer, const char *name)
{
    struct ads_str value = {NULL, 0};

    for (uint32_t i = 0; i < answer->n_headers; i++) {
        if (strcmp(answer->headers[i].name, name) == 0) {
            value = answer->headers[i].value;
        }
    }
    db_arg_text(args, value);
}


static enum ads_err
store(struct request *request, struct ads_str key, struct ads_str print)
{
    const struct answer *answer = &request->answer;
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, key);
    db_arg_bytea(&args, print.ptr, print.len);
    db_arg_int4(&args, (int32_t)answer->status);
    db_arg_text(&args, (struct ads_str){answer->content_type,
                                        answer->content_type == NULL
                                            ? 0
                                            : strlen(answer->content_type)});
    if (answer->secret) {
        db_arg_null(&args);
    } else {
        db_arg_bytea(&args, answer->body.ptr, answer->body.len);
    }
    arg_header(&args, answer, "Location");
    arg_header(&args, answer, "ETag");
    db_arg_uuid(&args, answer->secret ? &answer->object : NULL);
    return db_queue(request->tx, &STMT_STORE, &args);
}


/* ---- publication ---- */

enum ads_err
api_commit(struct request *request, struct db_tx *tx, int64_t *change)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    err = db_run_last(tx, &STMT_CHANGE, &args, &rows);
    if (err == ADS_OK) {
        *change = db_int(rows, 0, DB_ONLY);
    }
    return err;
}


void
api_publish_wait(struct request *request, int64_t n)
{
    struct ads_str text;
    uint64_t generation;

    if (n > 0
        && adsd_wait_published(request->adsd, (uint64_t)n, API_PUBLISH_MS,
                               &generation))
    {
        text.ptr = pool_format(request->pool, &text.len, "%llu",
                               (unsigned long long)generation);
        request_header(request, "X-Ads-Generation", text);
    }
}


/* ---- the transaction ---- */

/* ADS_ANSWERED: the answer stands, and nothing is to be kept. */
static enum ads_err
work(struct request *request, const struct api_job *job)
{
    struct ads_str key = request_find(request, "HTTP_IDEMPOTENCY_KEY");
    struct ads_str print = {NULL, 0};
    bool claims = key.ptr != NULL && job->creates;
    enum ads_err err;

    err = api_act(request, request->tx, &request->actor.account);
    if (err == ADS_OK && claims) {
        print = fingerprint(request);
        err = claim(request, key, print);
    }
    if (err == ADS_OK) {
        err = job->handle(request);
    }
    if (err == ADS_OK && request->actor.test) {
        return ADS_ANSWERED;
    }
    if (err == ADS_OK && claims) {
        err = store(request, key, print);
    }
    return err;
}


static enum ads_err
once(struct request *request, const struct api_job *job, int64_t *change)
{
    enum ads_err err;

    request_answer_reset(request);
    if (request->actor.test) {
        request_header(request, "X-Ads-Test", ADS_STR("1"));
    }
    err = db_begin(request->db, &request->tx);
    if (err != ADS_OK) {
        return err;
    }
    err = work(request, job);
    if (err == ADS_OK) {
        err = request->method.ptr[0] == 'G'
                  ? db_commit(request->tx)
                  : api_commit(request, request->tx, change);
    }
    db_end(request->tx);
    request->tx = NULL;
    return err;
}


/*
 * Rows locked by an import are free in seconds: the client gets a Retry-After.
 */
static void
answer_failed(struct request *request, enum ads_err err)
{
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(request->db), "ADI01") == 0) {
        request_answer_wait(request, ADS_PROBLEM_IMPORT_RUNNING, IMPORT_WAIT_S);
    } else {
        request_answer_err(request, err);
    }
}


void
api_run(struct request *request, const struct api_job *job)
{
    struct ads_str key = request_find(request, "HTTP_IDEMPOTENCY_KEY");
    enum ads_err err = ADS_BUSY;
    int64_t change = 0;

    if (key.ptr != NULL && !key_fits(key)) {
        request_answer_problem(request, ADS_PROBLEM_BAD_REQUEST,
                               "Idempotency-Key must be 1 to 255 printable"
                               " characters");
        return;
    }
    for (int i = 0; i < TRIES && err == ADS_BUSY; i++) {
        (void)poll(NULL, 0, 5 * i); /* lets the other one finish */
        err = once(request, job, &change);
    }
    if (err == ADS_OK) {
        api_publish_wait(request, change);
    } else if (err != ADS_ANSWERED) {
        request_answer_reset(request);
        answer_failed(request, err);
    }
}


void
api_warm(struct db *db, struct pool *pool)
{
    struct db_args args;
    struct db_tx *tx;

    if (db_begin(db, &tx) != ADS_OK) {
        return;
    }
    db_args_init(&args, pool);
    if (db_queue(tx, &STMT_WARM, &args) == ADS_OK) {
        (void)!db_run_last(tx, &STMT_WARM_CHANGE, &args, NULL);
    }
    db_end(tx); /* the failure is logged */
}
