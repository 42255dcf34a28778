/*
 * Errors as clients see them: RFC 9457 problem documents.  One table of stable
 * codes for the worker and the daemon, so that they cannot drift apart;
 * docs/errors.md lists the same codes.
 */
#ifndef ADS_PROBLEM_H
#define ADS_PROBLEM_H

#include "ads_body.h"
#include "ads_bytes.h"
#include "ads_id.h"

enum ads_problem {
    ADS_PROBLEM_BAD_REQUEST, /* nginx's own 400 */
    ADS_PROBLEM_MALFORMED_JSON,
    ADS_PROBLEM_INVALID_FIELDS,
    ADS_PROBLEM_CREDENTIALS_CONFLICT, /* two different ones */
    ADS_PROBLEM_KEY_IN_URL,
    ADS_PROBLEM_CURRENCY_UNSUPPORTED, /* not the installation's */
    ADS_PROBLEM_CODE_INVALID,         /* of a mail: unknown, used or over */
    ADS_PROBLEM_STATE_INVALID,     /* of a sign-in: not begun here, or over */
    ADS_PROBLEM_PROVIDER_MISMATCH, /* another provider answers */
    ADS_PROBLEM_CREDENTIAL_MISSING,
    ADS_PROBLEM_CREDENTIAL_INVALID,
    ADS_PROBLEM_LOGIN_FAILED,
    ADS_PROBLEM_FORBIDDEN, /* nginx's own 403 */
    ADS_PROBLEM_WRONG_SCOPE,
    ADS_PROBLEM_PASSWORD_WRONG, /* of who is signed in */
    ADS_PROBLEM_ORIGIN_MISMATCH,
    ADS_PROBLEM_SIGN_IN_DENIED, /* at the provider */
    ADS_PROBLEM_NOT_FOUND,
    ADS_PROBLEM_PROVIDER_NOT_CONFIGURED,
    ADS_PROBLEM_REQUEST_NOT_FOUND, /* forged, or another publisher's */
    ADS_PROBLEM_CLICK_NOT_FOUND,
    ADS_PROBLEM_METHOD_NOT_ALLOWED,
    ADS_PROBLEM_REQUEST_TIMEOUT,
    ADS_PROBLEM_CONFLICT,
    ADS_PROBLEM_EMAIL_TAKEN,
    ADS_PROBLEM_LAST_OWNER,
    ADS_PROBLEM_ALREADY_DONE,        /* and its secret is not shown again */
    ADS_PROBLEM_IDEMPOTENCY_RUNNING, /* the first one is still at work */
    ADS_PROBLEM_IMPORT_RUNNING,      /* of the same account's products */
    ADS_PROBLEM_QUOTA_EXCEEDED,      /* an account has all that it may have */
    ADS_PROBLEM_INVALID_TRANSITION,
    ADS_PROBLEM_REFERENCE_REUSED, /* for something else */
    ADS_PROBLEM_INSUFFICIENT_BALANCE,
    ADS_PROBLEM_TOO_MANY_KEYS,    /* usable ones, of an account */
    ADS_PROBLEM_EMAIL_MISSING,    /* the provider gave none */
    ADS_PROBLEM_EMAIL_UNVERIFIED, /* known, and the provider does not vouch */
    ADS_PROBLEM_IDENTITY_TAKEN,
    ADS_PROBLEM_PROVIDER_ALREADY_LINKED,
    ADS_PROBLEM_LAST_WAY_IN,
    ADS_PROBLEM_LINK_EXPIRED,
    ADS_PROBLEM_TOO_LATE,
    ADS_PROBLEM_ETAG_MISMATCH,
    ADS_PROBLEM_BODY_TOO_LARGE,
    ADS_PROBLEM_URI_TOO_LONG,
    ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
    ADS_PROBLEM_IDEMPOTENCY_REUSED, /* the key, with another request */
    ADS_PROBLEM_RATE_LIMITED,
    ADS_PROBLEM_LOGIN_BLOCKED, /* too many wrong passwords */
    ADS_PROBLEM_HEADERS_TOO_LARGE,
    ADS_PROBLEM_INTERNAL,
    ADS_PROBLEM_PROVIDER_ERROR,
    ADS_PROBLEM_PROVIDER_UNAVAILABLE,
    ADS_PROBLEM_UNAVAILABLE, /* adsd or the database does not answer */
    ADS_PROBLEM_JOURNAL_UNAVAILABLE,
    ADS_PROBLEM_PREFETCH,
    ADS_PROBLEM_END
};

struct ads_problem_info {
    const char *code;
    const char *title;
    uint16_t status;
    const char *detail; /* where the caller has nothing more exact to say */
    const char *hint;   /* what the client should do */
};

/* Never NULL. */
const struct ads_problem_info *
ads_problem_find(enum ads_problem problem);

/* The problem that stands for a status nginx itself answers with: 400, 403,
 * 404, 405, 408, 413, 414, 415, 429, 494 and 5xx. */
enum ads_problem
ads_problem_of_status(unsigned status);

#define ADS_PROBLEM_LEN_MAX 8192

/*
 * Writes the document into `dst`, which has ADS_PROBLEM_LEN_MAX bytes; returns
 * its length.  `detail` is a constant in plain ASCII, never the client's
 * bytes; NULL takes the table's.  A NULL request id is left out.
 */
size_t
ads_problem_write(char *dst, enum ads_problem problem, const char *detail,
                  const struct ads_uuid *request_id,
                  const struct ads_field_error *errors, uint32_t n_errors);

#endif
