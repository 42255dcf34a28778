/*
 * Query string of a request: "a=1&b=two%20words", decoded, each name at most
 * once.
 */
#ifndef ADSD_QUERY_H
#define ADSD_QUERY_H

#include "http/request.h"

#define QUERY_PARAMS_MAX 40

struct query {
    struct request *request;
    uint32_t n;
    struct scgi_param params[QUERY_PARAMS_MAX];
    bool asked[QUERY_PARAMS_MAX];
    uint32_t n_errors;
    struct ads_field_error errors[ADS_BODY_ERRORS_MAX];
};

/* Reads the query string.  ADS_ANSWERED, 400: too many, names that come twice,
 * or values that are no text. */
ADS_MUST enum ads_err
query_begin(struct query *query, struct request *request);

/*
 * Notes the parameters that were not read, by their names where those are made
 * of small letters, as the API's are. ADS_ANSWERED, 400 with all that is wrong.
 */
ADS_MUST enum ads_err
query_end(struct query *query);

void
query_error(struct query *query, const char *name, const char *code,
            const char *detail);

/* Valid UTF-8 without control characters; ptr NULL: absent or wrong. */
struct ads_str
query_text(struct query *query, const char *name, uint32_t most);

/* The same of what people write: `most` counts characters, as in a form. */
struct ads_str
query_words(struct query *query, const char *name, uint32_t most);

/* Those below say whether *out was set. */
bool
query_int(struct query *query, const char *name, int64_t least, int64_t most,
          int64_t *out);
bool
query_uuid(struct query *query, const char *name, struct ads_uuid *out);
/* RFC 3339 */
bool
query_time(struct query *query, const char *name, int64_t *unix_us);

/* Index of the text in the NULL-ended list, or -1. */
int
query_choice(struct query *query, const char *name, const char *const *choices);

#endif
