/*
 * The table of error codes, and the writer of problem documents.
 */
#include "ads_problem.h"

#define TYPE_PREFIX "/docs/errors#"

#define ENTRY(name, status, code, title, detail, hint) \
    [ADS_PROBLEM_##name] = {code, title, status, detail, hint}

static const struct ads_problem_info table[ADS_PROBLEM_END] = {
    ENTRY(BAD_REQUEST, 400, "bad_request", "Bad request",
          "The request cannot be read, or asks for something that no code of "
          "its own describes.",
          "Correct the request."),
    ENTRY(MALFORMED_JSON, 400, "malformed_json", "Malformed JSON",
          "The body is not one JSON document: broken, cut, not UTF-8, too "
          "deep, or with a key twice.",
          "Correct the body."),
    ENTRY(INVALID_FIELDS, 400, "invalid_fields", "Invalid fields",
          "Fields are missing or outside their bounds.",
          "Correct the fields that errors names."),
    ENTRY(CREDENTIALS_CONFLICT, 400, "credentials_conflict",
          "Two different credentials",
          "Authorization and X-API-Key differ, or one comes twice.",
          "Send one credential, once."),
    ENTRY(KEY_IN_URL, 400, "key_in_url", "API key in the URL",
          "The query string or path holds something like a key.",
          "Send it in a header, and replace that key: URLs are logged on the "
          "way."),
    ENTRY(CURRENCY_UNSUPPORTED, 400, "currency_unsupported",
          "Currency not supported",
          "The installation accounts in another currency.",
          "Leave currency out."),
    ENTRY(CODE_INVALID, 400, "code_invalid", "Code not valid",
          "The code out of a mail is mistyped, used or over.",
          "Ask for another mail."),
    ENTRY(STATE_INVALID, 400, "state_invalid", "Sign-in not known",
          "This sign-in was not begun in this browser, is used, or is older "
          "than ten minutes.",
          "Begin again."),
    ENTRY(PROVIDER_MISMATCH, 400, "provider_mismatch",
          "Answer of another provider",
          "The answer is not from the provider that was asked.",
          "Begin again; if it repeats, ask the operator."),
    ENTRY(CREDENTIAL_MISSING, 401, "credential_missing", "Credential missing",
          "No credential was sent.",
          "Send Authorization: Bearer KEY or X-API-Key: KEY."),
    ENTRY(CREDENTIAL_INVALID, 401, "credential_invalid", "Credential not valid",
          "The credential is mistyped, unknown, revoked or expired.",
          "Check it; do not repeat the request."),
    ENTRY(LOGIN_FAILED, 401, "login_failed", "E-mail or password wrong",
          "E-mail or password is wrong, and it is not said which.",
          "Try again, or reset the password."),
    ENTRY(FORBIDDEN, 403, "forbidden", "Forbidden",
          "The account is not active, or this address is refused.",
          "Ask the operator."),
    ENTRY(WRONG_SCOPE, 403, "wrong_scope", "Wrong kind of key",
          "This path is for another type of account, or for another role.",
          "Use a credential that GET /v1/auth/me shows the scope for."),
    ENTRY(PASSWORD_WRONG, 403, "password_wrong", "Password wrong",
          "It is not the password of who is signed in.",
          "Try again, or reset the password."),
    ENTRY(ORIGIN_MISMATCH, 403, "origin_mismatch", "Another origin",
          "A page of another site tried to use the refresh cookie.",
          "Call from the dashboard's own address."),
    ENTRY(SIGN_IN_DENIED, 403, "sign_in_denied", "Refused at the provider",
          "The person, or the provider's rules, said no.",
          "Begin again, or take another way in."),
    ENTRY(PROVIDER_NOT_CONFIGURED, 404, "provider_not_configured",
          "Provider not configured",
          "This service does not offer that provider.",
          "Take one of GET /v1/auth/oauth."),
    ENTRY(NOT_FOUND, 404, "not_found", "Not found",
          "There is nothing here for this credential.", "Check path and id."),
    ENTRY(REQUEST_NOT_FOUND, 404, "request_not_found",
          "Recommendation request not found",
          "The request_id is forged, or another publisher's.",
          "Send the request_id of your own answer."),
    ENTRY(CLICK_NOT_FOUND, 404, "click_not_found", "Click not found",
          "The link or click_id is not ours, or not this account's.",
          "Send ads_click_id unchanged; do not repeat."),
    ENTRY(METHOD_NOT_ALLOWED, 405, "method_not_allowed", "Method not allowed",
          "This path does not take that method.",
          "Use one that the Allow header names."),
    ENTRY(REQUEST_TIMEOUT, 408, "request_timeout", "Request timed out",
          "Header or body came too slowly.", "Send the request again."),
    ENTRY(CONFLICT, 409, "conflict", "Conflict",
          "The request contradicts what is stored.", "Read the state again."),
    ENTRY(EMAIL_TAKEN, 409, "email_taken", "E-mail in use",
          "Somebody has signed up with this e-mail.",
          "Sign in, or reset the password."),
    ENTRY(LAST_OWNER, 409, "last_owner", "Last owner",
          "An account keeps an owner.", "Make somebody else owner first."),
    ENTRY(ALREADY_DONE, 409, "already_done", "Already done",
          "The first answer to this request held a secret and is not shown "
          "again; X-Ads-Object names what was made.",
          "Revoke that key and make another if the first answer is lost."),
    ENTRY(IDEMPOTENCY_RUNNING, 409, "idempotency_key_in_flight",
          "First request still running",
          "Another request with this Idempotency-Key is at work.",
          "Wait Retry-After seconds and repeat."),
    ENTRY(IMPORT_RUNNING, 409, "import_running", "An import is being written",
          "An import writes the products of this account at the moment.",
          "Wait Retry-After seconds and repeat."),
    ENTRY(QUOTA_EXCEEDED, 409, "quota_exceeded", "Quota reached",
          "The account has as many of these as it may have.",
          "Archive or remove some, or ask the operator for more."),
    ENTRY(INVALID_TRANSITION, 409, "invalid_transition",
          "Not possible in this state",
          "The state of the object does not allow this.",
          "Read the object again."),
    ENTRY(TOO_MANY_KEYS, 409, "too_many_keys", "Too many keys",
          "The account has as many usable keys as it may.",
          "Revoke one, or replace it with rotate."),
    ENTRY(
        REFERENCE_REUSED, 409, "reference_reused", "Reference used before",
        "The reference names an earlier movement of another amount or object.",
        "Look that one up; use a new reference for a new movement of money."),
    ENTRY(INSUFFICIENT_BALANCE, 409, "insufficient_balance", "Not enough money",
          "The balance does not hold what would be taken back.",
          "Take back less."),
    ENTRY(EMAIL_MISSING, 409, "email_missing", "No e-mail given",
          "The provider names no e-mail for a new person.",
          "Allow it there, and begin again."),
    ENTRY(EMAIL_UNVERIFIED, 409, "email_unverified", "E-mail not proven",
          "This e-mail is not proven: it has an account that the provider does "
          "not prove, or its own address is not confirmed.",
          "Sign in with the password, confirm the address, then link the "
          "provider in the profile."),
    ENTRY(IDENTITY_TAKEN, 409, "identity_taken", "Linked to somebody else",
          "This identity signs another person in.",
          "Sign in with it, or remove it there first."),
    ENTRY(PROVIDER_ALREADY_LINKED, 409, "provider_already_linked",
          "Provider linked already",
          "Another identity of the same provider is linked to this person.",
          "Use that one, or remove it in the profile first."),
    ENTRY(LAST_WAY_IN, 409, "last_way_in", "The last way in",
          "Without it the person could not sign in any more.",
          "Set a password, or link another provider, first."),
    ENTRY(LINK_EXPIRED, 410, "link_expired", "Link expired",
          "The link is older than 30 days, or its ad is gone.",
          "Do not repeat."),
    ENTRY(TOO_LATE, 410, "too_late", "Event too late",
          "An impression came later than 24 hours, or a click later than 30 "
          "days, after its request.",
          "Drop the event."),
    ENTRY(ETAG_MISMATCH, 412, "etag_mismatch", "Changed meanwhile",
          "If-Match is not the ETag of the object.",
          "Read the object again and decide again."),
    ENTRY(BODY_TOO_LARGE, 413, "body_too_large", "Body too large",
          "The body is larger than this path takes.",
          "Send less, or several smaller requests; compress a feed by gzip"
          " or zstd."),
    ENTRY(URI_TOO_LONG, 414, "uri_too_long", "URI too long",
          "The path and query are too long.", "Shorten them."),
    ENTRY(UNSUPPORTED_MEDIA_TYPE, 415, "unsupported_media_type",
          "Unsupported media type",
          "The body's type or encoding is not one that this path takes.",
          "Send plain JSON as application/json."),
    ENTRY(IDEMPOTENCY_REUSED, 422, "idempotency_key_reused",
          "Idempotency-Key used before",
          "The Idempotency-Key came before with another method, path or body.",
          "Use a new key for each new request."),
    ENTRY(RATE_LIMITED, 429, "rate_limited", "Too many requests",
          "The key or address asks more often than it may.",
          "Wait Retry-After seconds, then ask slower."),
    ENTRY(LOGIN_BLOCKED, 429, "login_blocked", "Too many wrong passwords",
          "Too many wrong passwords for this e-mail from this address, or from "
          "all together.",
          "Wait Retry-After seconds, or ask for a code by mail."),
    ENTRY(HEADERS_TOO_LARGE, 431, "headers_too_large",
          "Request headers too large",
          "The headers of the request are too large.",
          "Send fewer or shorter ones."),
    ENTRY(INTERNAL, 500, "internal", "Internal error",
          "An error in the service; the log has it under request_id.",
          "Send the request again later, and report it."),
    ENTRY(PROVIDER_ERROR, 502, "provider_error",
          "The provider's answer is no use",
          "The provider answered with an error, something that cannot be read, "
          "or a token that is not good.",
          "Begin again later; the operator's log says more."),
    ENTRY(PROVIDER_UNAVAILABLE, 503, "provider_unavailable",
          "The provider does not answer", "The provider is down, or too slow.",
          "Wait Retry-After seconds and begin again, or take another way in."),
    ENTRY(UNAVAILABLE, 503, "unavailable", "Temporarily unavailable",
          "The daemon or the database does not answer, or there are no ad "
          "tables yet.",
          "Wait Retry-After seconds and repeat: it is safe."),
    ENTRY(JOURNAL_UNAVAILABLE, 503, "journal_unavailable",
          "Event cannot be recorded now", "The journal cannot be written now.",
          "Wait Retry-After seconds and repeat: event_id stays the same."),
    ENTRY(PREFETCH, 503, "prefetch", "Prefetch not served",
          "A browser fetched a link ahead of a click.",
          "Do nothing: the real click is answered."),
};

/* A bounded writer: past the end it only counts, and the caller's size is
 * chosen so that this does not happen. */
struct out {
    char *at;
    char *last;
};


static void
put(struct out *out, const char *text, size_t len)
{
    size_t room = (size_t)(out->last - out->at);

    if (len > room) {
        len = room;
    }
    memcpy(out->at, text, len);
    out->at += len;
}


static void
put_text(struct out *out, const char *text)
{
    put(out, text, strlen(text));
}


/* `,"name":"text"`; the texts are our own constants, free of anything that
 * JSON would escape. */
static void
put_member(struct out *out, const char *name, const char *text)
{
    put_text(out, ",\"");
    put_text(out, name);
    put_text(out, "\":\"");
    put_text(out, text);
    put_text(out, "\"");
}


static void
put_errors(struct out *out, const struct ads_field_error *errors, uint32_t n)
{
    put_text(out, ",\"errors\":[");

    for (uint32_t i = 0; i < n; i++) {
        put_text(out, i > 0 ? ",{\"pointer\":\"" : "{\"pointer\":\"");
        put_text(out, errors[i].pointer);
        put_text(out, "\"");
        put_member(out, "code", errors[i].code);
        put_member(out, "detail", errors[i].detail);
        put_text(out, "}");
    }

    put_text(out, "]");
}


const struct ads_problem_info *
ads_problem_find(enum ads_problem problem)
{
    return &table[(unsigned)problem < ADS_PROBLEM_END ? problem
                                                      : ADS_PROBLEM_INTERNAL];
}


enum ads_problem
ads_problem_of_status(unsigned status)
{
    switch (status) {
    case 401:
        return ADS_PROBLEM_CREDENTIAL_INVALID;
    case 403:
        return ADS_PROBLEM_FORBIDDEN;
    case 404:
        return ADS_PROBLEM_NOT_FOUND;
    case 405:
        return ADS_PROBLEM_METHOD_NOT_ALLOWED;
    case 408:
        return ADS_PROBLEM_REQUEST_TIMEOUT;
    case 409:
        return ADS_PROBLEM_CONFLICT;
    case 410:
        return ADS_PROBLEM_LINK_EXPIRED;
    case 412:
        return ADS_PROBLEM_ETAG_MISMATCH;
    case 413:
        return ADS_PROBLEM_BODY_TOO_LARGE;
    case 414:
        return ADS_PROBLEM_URI_TOO_LONG;
    case 415:
        return ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE;
    case 429:
        return ADS_PROBLEM_RATE_LIMITED;
    case 431:
    case 494: /* nginx's own number for it */
        return ADS_PROBLEM_HEADERS_TOO_LARGE;
    case 501: /* nginx's, of a Transfer-Encoding that it does not know */
    case 505: /* and of a version of HTTP: both are the client's mistake */
        return ADS_PROBLEM_BAD_REQUEST;
    case 502:
    case 503:
    case 504:
        return ADS_PROBLEM_UNAVAILABLE;
    default:
        return status >= 500 ? ADS_PROBLEM_INTERNAL : ADS_PROBLEM_BAD_REQUEST;
    }
}


size_t
ads_problem_write(char *dst, enum ads_problem problem, const char *detail,
                  const struct ads_uuid *request_id,
                  const struct ads_field_error *errors, uint32_t n_errors)
{
    const struct ads_problem_info *info = ads_problem_find(problem);
    struct out out = {dst, dst + ADS_PROBLEM_LEN_MAX};
    char id[ADS_UUID_TEXT_LEN];
    char status[3] = {(char)('0' + info->status / 100),
                      (char)('0' + info->status / 10 % 10),
                      (char)('0' + info->status % 10)};

    put_text(&out, "{\"type\":\"" TYPE_PREFIX);
    put_text(&out, info->code);
    put_text(&out, "\"");
    put_member(&out, "title", info->title);
    put_text(&out, ",\"status\":");
    put(&out, status, sizeof(status));
    put_member(&out, "detail", detail != NULL ? detail : info->detail);
    put_member(&out, "code", info->code);
    put_member(&out, "hint", info->hint);
    if (request_id != NULL) {
        ads_uuid_write(id, request_id);
        put_text(&out, ",\"request_id\":\"");
        put(&out, id, sizeof(id));
        put_text(&out, "\"");
    }
    if (n_errors > 0) {
        put_errors(&out, errors, n_errors);
    }
    put_text(&out, "}");
    return (size_t)(out.at - dst);
}
