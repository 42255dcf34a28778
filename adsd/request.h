/*
 * One request as a handler sees it, and the answer it gives.  Everything is
 * tied to the request's pool.
 *
 * A handler fills the answer by exactly one of the request_answer functions;
 * the server adds Content-Length and X-Request-Id and sends it.
 */
#ifndef ADSD_REQUEST_H
#define ADSD_REQUEST_H

#include "ads_key.h"
#include "ads_problem.h"
#include "adsd.h"
#include "json.h"
#include "pool.h"
#include "scgi.h"

#define REQUEST_HEADERS_MAX 8

struct request_header {
    const char *name;
    struct ads_str value;
};

struct answer {
    unsigned status;
    const char *content_type; /* NULL: no body */
    struct ads_str body;
    uint32_t n_headers;
    struct request_header headers[REQUEST_HEADERS_MAX];
};

/* Who asks, once auth_key_check has said so. */
struct actor {
    struct ads_uuid account;
    enum ads_key_type type;
    bool test;
};

struct request {
    const struct adsd *adsd;
    struct db *db;
    struct pool *pool;
    struct scgi_head head;
    struct ads_str method;
    struct ads_str path; /* decoded by nginx, without the query */
    struct ads_str rest; /* of a route that ends in '/', what follows */
    char *body;          /* content_length bytes, NUL behind; or NULL */
    size_t body_len;
    struct ads_uuid id;
    struct actor actor;
    struct answer answer;
};

/* Takes method, path and request id out of the pairs.  ADS_INVALID when one
 * that nginx always sends is missing; a request id is made up then. */
ADS_MUST enum ads_err
request_init(struct request *request);

/* A header of the answer; `value` lives as long as the request. */
void
request_header(struct request *request, const char *name, struct ads_str value);

void
request_answer_json(struct request *request, unsigned status,
                    const struct json *json);

/* Only headers, such as a redirect. */
void
request_answer_empty(struct request *request, unsigned status);

/* A problem document, `detail` a constant of ours or NULL.  503 gets a
 * Retry-After, 401 a WWW-Authenticate. */
void
request_answer_problem(struct request *request, enum ads_problem problem,
                       const char *detail);
void
request_answer_fields(struct request *request,
                      const struct ads_field_error *errors, uint32_t n);

/* The daemon's one map from enum ads_err to HTTP. */
void
request_answer_err(struct request *request, enum ads_err err);

/* The whole answer as bytes to send. */
struct ads_str
request_answer_write(const struct request *request);

#endif
