/*
 * Request and answer, as a handler sees them.  Everything is tied to the
 * request's pool.
 *
 * A handler fills the answer by exactly one of the request_answer functions;
 * the server adds Content-Length and X-Request-Id and sends it.
 */
#ifndef ADSD_REQUEST_H
#define ADSD_REQUEST_H

#include "ads_key.h"
#include "ads_problem.h"
#include "base/json.h"
#include "base/pool.h"
#include "daemon/adsd.h"
#include "http/scgi.h"

#define REQUEST_HEADERS_MAX 12
#define REQUEST_ARGS_MAX 3

struct request_header {
    const char *name;
    struct ads_str value;
};

struct answer {
    unsigned status;
    bool secret;            /* shows what must not be stored: never replayed */
    struct ads_uuid object; /* made by this request, when `secret` */
    const char *content_type; /* NULL: no body */
    struct ads_str body;
    uint32_t n_headers;
    struct request_header headers[REQUEST_HEADERS_MAX];
};

enum actor_method { ACTOR_NONE, ACTOR_KEY, ACTOR_SESSION };

/* What a person may do for an account, least first.  A key is an editor; the
 * platform's key acts as the owner of any account. */
enum actor_role { ROLE_NONE, ROLE_VIEWER, ROLE_EDITOR, ROLE_OWNER };

/* Who asks, and for which account, once auth_check has said so. */
struct actor {
    enum actor_method method;
    enum actor_role role;
    struct ads_uuid account; /* acted for */
    enum ads_key_type type;  /* of that account */
    bool test;               /* a test key */
    bool other;              /* the platform, acting for another account */
    struct ads_uuid key;     /* of ACTOR_KEY */
    struct ads_uuid user;    /* of ACTOR_SESSION */
    struct ads_uuid session;
    int64_t expires_us; /* when the credential ends; 0: never */
};

struct request {
    const struct adsd *adsd;
    struct db *db;
    struct pool *pool;
    struct scgi_head head;
    struct ads_str method;
    struct ads_str path; /* decoded by nginx, without the query */
    struct ads_str args[REQUEST_ARGS_MAX]; /* what the {} of the route took */
    char *body; /* content_length bytes, NUL behind; or NULL */
    size_t body_len;
    struct ads_uuid id;
    struct actor actor;
    struct db_tx *tx; /* the transaction a handler runs in (http/frame.h) */
    struct answer answer;
};

/* Takes method, path and request id out of the pairs.  ADS_INVALID when one
 * that nginx always sends is missing; a request id is made up then. */
ADS_MUST enum ads_err
request_init(struct request *request);

/* A header of the request ("HTTP_IF_MATCH"); ptr NULL when it is not there. */
struct ads_str
request_find(const struct request *request, const char *name);

/* Does Content-Encoding say that the body is not in its own bytes? */
bool
request_is_packed(const struct request *request);

/* The id that the route's first {} took.  ADS_ANSWERED, 404: it is none. */
ADS_MUST enum ads_err
request_id_read(struct request *request, struct ads_uuid *id);

/*
 * Runs a statement whose parameters are the account acted for and an id.
 * ADS_ABSENT, which is answered with 404, when it finds nothing.
 */
ADS_MUST enum ads_err
request_row_find(struct request *request, const struct db_stmt *stmt,
                 const struct ads_uuid *id, struct db_rows **rows);

/* A header of the answer; `value` lives as long as the request. */
void
request_header(struct request *request, const char *name, struct ads_str value);

void
request_answer_json(struct request *request, unsigned status,
                    const struct json *json);

/* Text of another type, constant or from the pool. */
void
request_answer_text(struct request *request, unsigned status,
                    const char *content_type, struct ads_str body);

/* Takes back what was answered so far, for a handler that runs again. */
void
request_answer_reset(struct request *request);

/* Only headers, such as a redirect. */
void
request_answer_empty(struct request *request, unsigned status);

/* A problem document, `detail` a constant or NULL.  503 gets a
 * Retry-After, 401 a WWW-Authenticate.  This and the next two return
 * ADS_ANSWERED, for a handler to return. */
enum ads_err
request_answer_problem(struct request *request, enum ads_problem problem,
                       const char *detail);
/* A problem that passes, with a Retry-After of that many seconds. */
enum ads_err
request_answer_wait(struct request *request, enum ads_problem problem,
                    int64_t seconds);

/*
 * An account has or did as much as it may: `what` begins with the name of the
 * quota.  409 when wait_s is 0, else 429 with that Retry-After.  It is counted
 * for the metric.
 */
enum ads_err
request_answer_quota(struct request *request, struct ads_str what,
                     int64_t wait_s);

enum ads_err
request_answer_fields(struct request *request,
                      const struct ads_field_error *errors, uint32_t n);

/* The daemon's one map from enum ads_err to HTTP; of ADS_ANSWERED the answer
 * stands. */
void
request_answer_err(struct request *request, enum ads_err err);

/* The whole answer as bytes to send. */
struct ads_str
request_answer_write(const struct request *request);

#endif
