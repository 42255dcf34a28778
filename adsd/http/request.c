/*
 * Writes answers as nginx wants them over SCGI: "Status: 200 OK" and headers.
 */
#include "http/request.h"

#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>

#include "daemon/live_file.h"

#define RETRY_AFTER_S "2"


/* nginx's own id of the request; without one a random id. */
static void
id_init(struct request *request)
{
    struct ads_str text = scgi_find(&request->head, "ADS_REQUEST_ID");
    uint8_t random[16];

    if (text.ptr != NULL && ads_uuid_read(&request->id, text)) {
        return;
    }
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        abort(); /* the kernel always has 16 bytes once it is up */
    }
    request->id = ads_uuid_random(random);
}


enum ads_err
request_init(struct request *request)
{
    struct ads_str uri = scgi_find(&request->head, "DOCUMENT_URI");

    id_init(request);
    request->method = scgi_find(&request->head, "REQUEST_METHOD");
    request->path = uri;
    if (request->method.ptr == NULL || uri.ptr == NULL || uri.len == 0
        || uri.ptr[0] != '/')
    {
        return ADS_INVALID;
    }
    return ADS_OK;
}


void
request_header(struct request *request, const char *name, struct ads_str value)
{
    struct answer *answer = &request->answer;

    if (answer->n_headers == REQUEST_HEADERS_MAX) {
        abort(); /* an answer with too many */
    }
    answer->headers[answer->n_headers++] = (struct request_header){name, value};
}


void
request_answer_json(struct request *request, unsigned status,
                    const struct json *json)
{
    request->answer.status = status;
    request->answer.content_type = "application/json";
    request->answer.body = json_text(json);
}


void
request_answer_text(struct request *request, unsigned status,
                    const char *content_type, struct ads_str body)
{
    request->answer.status = status;
    request->answer.content_type = content_type;
    request->answer.body = body;
}


void
request_answer_reset(struct request *request)
{
    request->answer = (struct answer){0};
}


struct ads_str
request_find(const struct request *request, const char *name)
{
    return scgi_find(&request->head, name);
}


bool
request_is_packed(const struct request *request)
{
    struct ads_str coding = request_find(request, "HTTP_CONTENT_ENCODING");
    const size_t len = strlen("identity");

    return coding.len > 0
           && (coding.len != len
               || strncasecmp(coding.ptr, "identity", len) != 0);
}


enum ads_err
request_id_read(struct request *request, struct ads_uuid *id)
{
    return ads_uuid_read(id, request->args[0])
               ? ADS_OK
               : request_answer_problem(request, ADS_PROBLEM_NOT_FOUND, NULL);
}


enum ads_err
request_row_find(struct request *request, const struct db_stmt *stmt,
                 const struct ads_uuid *id, struct db_rows **rows)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, id);
    err = db_run(request->tx, stmt, &args, rows);
    return err == ADS_OK && db_n_rows(*rows) == 0 ? ADS_ABSENT : err;
}


void
request_answer_empty(struct request *request, unsigned status)
{
    request->answer.status = status;
    request->answer.content_type = NULL;
    request->answer.body = (struct ads_str){NULL, 0};
}


static void
problem(struct request *request, enum ads_problem problem, const char *detail,
        const struct ads_field_error *errors, uint32_t n)
{
    char *text = pool_alloc(request->pool, ADS_PROBLEM_LEN_MAX);
    size_t len;

    len = ads_problem_write(text, problem, detail, &request->id, errors, n);
    request->answer.status = ads_problem_find(problem)->status;
    request->answer.content_type = "application/problem+json";
    request->answer.body = (struct ads_str){text, len};

    if (request->answer.status == 503 || request->answer.status == 429) {
        request_header(request, "Retry-After", ADS_STR(RETRY_AFTER_S));
    } else if (request->answer.status == 401) {
        request_header(request, "WWW-Authenticate",
                       problem == ADS_PROBLEM_CREDENTIAL_MISSING
                           ? ADS_STR("Bearer realm=\"ads\"")
                           : ADS_STR("Bearer realm=\"ads\","
                                     " error=\"invalid_token\""));
    }
}


enum ads_err
request_answer_problem(struct request *request, enum ads_problem what,
                       const char *detail)
{
    problem(request, what, detail, NULL, 0);
    return ADS_ANSWERED;
}


static enum ads_err
wait_answer(struct request *request, enum ads_problem what, const char *detail,
            int64_t seconds)
{
    struct request_header *header;

    problem(request, what, detail, NULL, 0);
    if (request->answer.status == 409) {
        request_header(request, "Retry-After", ADS_STR(RETRY_AFTER_S));
    }
    header = &request->answer.headers[request->answer.n_headers - 1];
    header->value.ptr = pool_format(request->pool, &header->value.len, "%lld",
                                    (long long)seconds);
    return ADS_ANSWERED;
}


enum ads_err
request_answer_wait(struct request *request, enum ads_problem what,
                    int64_t seconds)
{
    return wait_answer(request, what, NULL, seconds);
}


enum ads_err
request_answer_quota(struct request *request, struct ads_str what,
                     int64_t wait_s)
{
    const unsigned quota = ads_quota_find(what);
    const char *detail = pool_text(request->pool, what);

    if (quota < ADS_QUOTAS) {
        live_file_add(request->adsd->live, ADS_LIVE_QUOTA_REFUSED + quota, 1);
    }
    return wait_s == 0
               ? request_answer_problem(request, ADS_PROBLEM_QUOTA_EXCEEDED,
                                        detail)
               : wait_answer(request, ADS_PROBLEM_RATE_LIMITED, detail, wait_s);
}


/* The database refused a row beyond a quota: ADQ01 counts what is there, ADQ02
 * what was done, with the seconds to wait as its hint. */
static bool
quota_check(struct request *request)
{
    const char *state = db_sqlstate(request->db);
    const char *what = db_message(request->db);
    int64_t wait_s = 0;

    if (strcmp(state, "ADQ02") == 0) {
        wait_s = strtoll(db_hint(request->db), NULL, 10);
    } else if (strcmp(state, "ADQ01") != 0) {
        return false;
    }
    (void)request_answer_quota(request, (struct ads_str){what, strlen(what)},
                               wait_s);
    return true;
}


enum ads_err
request_answer_fields(struct request *request,
                      const struct ads_field_error *errors, uint32_t n)
{
    problem(request, ADS_PROBLEM_INVALID_FIELDS, NULL, errors, n);
    return ADS_ANSWERED;
}


void
request_answer_err(struct request *request, enum ads_err err)
{
    enum ads_problem what;

    switch (err) {
    case ADS_ANSWERED:
        return;
    case ADS_INVALID:
        what = ADS_PROBLEM_BAD_REQUEST;
        break;
    case ADS_TOO_LARGE:
        what = ADS_PROBLEM_BODY_TOO_LARGE;
        break;
    case ADS_ABSENT:
    case ADS_FORGED:
        what = ADS_PROBLEM_NOT_FOUND;
        break;
    case ADS_CONFLICT:
        if (quota_check(request)) {
            return;
        }
        what = ADS_PROBLEM_CONFLICT;
        break;
    case ADS_EXPIRED:
        what = ADS_PROBLEM_LINK_EXPIRED;
        break;
    case ADS_BUSY:
    case ADS_UNAVAILABLE:
        what = ADS_PROBLEM_UNAVAILABLE;
        break;
    default:
        what = ADS_PROBLEM_INTERNAL;
    }
    request_answer_problem(request, what, NULL);
}


static const char *
status_text(unsigned status)
{
    static const struct {
        unsigned status;
        const char *text;
    } texts[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {302, "Found"},
        {303, "See Other"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {409, "Conflict"},
        {410, "Gone"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {428, "Precondition Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].status == status) {
            return texts[i].text;
        }
    }
    return "Internal Server Error";
}


static bool
has_header(const struct answer *answer, const char *name)
{
    for (uint32_t i = 0; i < answer->n_headers; i++) {
        if (strcmp(answer->headers[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}


struct ads_str
request_answer_write(const struct request *request)
{
    const struct answer *answer = &request->answer;
    char id[ADS_UUID_TEXT_LEN + 1] = {0};
    const struct request_header *header;
    struct ads_str whole;
    char *text;

    (void)ads_uuid_write(id, &request->id);
    text = pool_format(request->pool, &whole.len,
                       "Status: %u %s\r\nX-Request-Id: %s\r\n"
                       "X-Content-Type-Options: nosniff\r\n",
                       answer->status, status_text(answer->status), id);
    if (answer->content_type != NULL) {
        text = pool_format(request->pool, &whole.len, "%sContent-Type: %s\r\n",
                           text, answer->content_type);
    }
    if (answer->status != 204) { /* which must not have one (RFC 9110, 8.6) */
        text = pool_format(request->pool, &whole.len,
                           "%sContent-Length: %zu\r\n", text, answer->body.len);
    }
    if (!has_header(answer, "Cache-Control")) {
        text = pool_format(request->pool, &whole.len,
                           "%sCache-Control: no-store\r\n", text);
    }
    for (uint32_t i = 0; i < answer->n_headers; i++) {
        header = &answer->headers[i];
        text = pool_format(request->pool, &whole.len, "%s%s: %.*s\r\n", text,
                           header->name, (int)header->value.len,
                           header->value.ptr);
    }
    text = pool_format(request->pool, &whole.len, "%s\r\n", text);

    whole.ptr = pool_alloc(request->pool, whole.len + answer->body.len);
    memcpy((char *)whole.ptr, text, whole.len);
    if (answer->body.len > 0) {
        memcpy((char *)whole.ptr + whole.len, answer->body.ptr,
               answer->body.len);
    }
    whole.len += answer->body.len;
    return whole;
}
