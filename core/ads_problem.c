/*
 * The table of error codes, and the writer of problem documents.
 */
#include "ads_problem.h"

#define TYPE_PREFIX "urn:ads:problem:"

static const struct ads_problem_info table[ADS_PROBLEM_END] = {
    [ADS_PROBLEM_BAD_REQUEST] = {"bad_request", "Bad request", 400},
    [ADS_PROBLEM_MALFORMED_JSON] = {"malformed_json", "Malformed JSON", 400},
    [ADS_PROBLEM_INVALID_FIELDS] = {"invalid_fields", "Invalid fields", 400},
    [ADS_PROBLEM_CREDENTIALS_CONFLICT] = {"credentials_conflict",
                                          "Two different credentials", 400},
    [ADS_PROBLEM_KEY_IN_URL] = {"key_in_url", "API key in the URL", 400},
    [ADS_PROBLEM_CURRENCY_UNSUPPORTED] = {"currency_unsupported",
                                          "Currency not supported", 400},
    [ADS_PROBLEM_CODE_INVALID] = {"code_invalid", "Code not valid", 400},
    [ADS_PROBLEM_STATE_INVALID] = {"state_invalid", "Sign-in not known", 400},
    [ADS_PROBLEM_PROVIDER_MISMATCH] = {"provider_mismatch",
                                       "Answer of another provider", 400},
    [ADS_PROBLEM_CREDENTIAL_MISSING] = {"credential_missing",
                                        "Credential missing", 401},
    [ADS_PROBLEM_CREDENTIAL_INVALID] = {"credential_invalid",
                                        "Credential not valid", 401},
    [ADS_PROBLEM_LOGIN_FAILED] = {"login_failed", "E-mail or password wrong",
                                  401},
    [ADS_PROBLEM_FORBIDDEN] = {"forbidden", "Forbidden", 403},
    [ADS_PROBLEM_WRONG_SCOPE] = {"wrong_scope", "Wrong kind of key", 403},
    [ADS_PROBLEM_ORIGIN_MISMATCH] = {"origin_mismatch", "Another origin", 403},
    [ADS_PROBLEM_SIGN_IN_DENIED] = {"sign_in_denied", "Refused at the provider",
                                    403},
    [ADS_PROBLEM_PROVIDER_NOT_CONFIGURED] = {"provider_not_configured",
                                             "Provider not configured", 404},
    [ADS_PROBLEM_NOT_FOUND] = {"not_found", "Not found", 404},
    [ADS_PROBLEM_REQUEST_NOT_FOUND] = {"request_not_found",
                                       "Recommendation request not found", 404},
    [ADS_PROBLEM_CLICK_NOT_FOUND] = {"click_not_found", "Click not found", 404},
    [ADS_PROBLEM_METHOD_NOT_ALLOWED] = {"method_not_allowed",
                                        "Method not allowed", 405},
    [ADS_PROBLEM_REQUEST_TIMEOUT] = {"request_timeout", "Request timed out",
                                     408},
    [ADS_PROBLEM_CONFLICT] = {"conflict", "Conflict", 409},
    [ADS_PROBLEM_EMAIL_TAKEN] = {"email_taken", "E-mail in use", 409},
    [ADS_PROBLEM_LAST_OWNER] = {"last_owner", "Last owner", 409},
    [ADS_PROBLEM_ALREADY_DONE] = {"already_done", "Already done", 409},
    [ADS_PROBLEM_IDEMPOTENCY_RUNNING] = {"idempotency_key_in_flight",
                                         "First request still running", 409},
    [ADS_PROBLEM_INVALID_TRANSITION] = {"invalid_transition",
                                        "Not possible in this state", 409},
    [ADS_PROBLEM_TOO_MANY_KEYS] = {"too_many_keys", "Too many keys", 409},
    [ADS_PROBLEM_REFERENCE_REUSED] = {"reference_reused",
                                      "Reference used before", 409},
    [ADS_PROBLEM_INSUFFICIENT_BALANCE] = {"insufficient_balance",
                                          "Not enough money", 409},
    [ADS_PROBLEM_EMAIL_MISSING] = {"email_missing", "No e-mail given", 409},
    [ADS_PROBLEM_EMAIL_UNVERIFIED] = {"email_unverified", "E-mail not proven",
                                      409},
    [ADS_PROBLEM_IDENTITY_TAKEN] = {"identity_taken", "Linked to somebody else",
                                    409},
    [ADS_PROBLEM_PROVIDER_ALREADY_LINKED] = {"provider_already_linked",
                                             "Provider linked already", 409},
    [ADS_PROBLEM_LAST_WAY_IN] = {"last_way_in", "The last way in", 409},
    [ADS_PROBLEM_LINK_EXPIRED] = {"link_expired", "Link expired", 410},
    [ADS_PROBLEM_TOO_LATE] = {"too_late", "Event too late", 410},
    [ADS_PROBLEM_ETAG_MISMATCH] = {"etag_mismatch", "Changed meanwhile", 412},
    [ADS_PROBLEM_BODY_TOO_LARGE] = {"body_too_large", "Body too large", 413},
    [ADS_PROBLEM_URI_TOO_LONG] = {"uri_too_long", "URI too long", 414},
    [ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE] = {"unsupported_media_type",
                                            "Unsupported media type", 415},
    [ADS_PROBLEM_IDEMPOTENCY_REUSED] = {"idempotency_key_reused",
                                        "Idempotency-Key used before", 422},
    [ADS_PROBLEM_RATE_LIMITED] = {"rate_limited", "Too many requests", 429},
    [ADS_PROBLEM_LOGIN_BLOCKED] = {"login_blocked", "Too many wrong passwords",
                                   429},
    [ADS_PROBLEM_HEADERS_TOO_LARGE] = {"headers_too_large",
                                       "Request headers too large", 431},
    [ADS_PROBLEM_INTERNAL] = {"internal", "Internal error", 500},
    [ADS_PROBLEM_PROVIDER_ERROR] = {"provider_error",
                                    "The provider's answer is no use", 502},
    [ADS_PROBLEM_PROVIDER_UNAVAILABLE] = {"provider_unavailable",
                                          "The provider does not answer", 503},
    [ADS_PROBLEM_UNAVAILABLE] = {"unavailable", "Temporarily unavailable", 503},
    [ADS_PROBLEM_JOURNAL_UNAVAILABLE] = {"journal_unavailable",
                                         "Event cannot be recorded now", 503},
    [ADS_PROBLEM_PREFETCH] = {"prefetch", "Prefetch not served", 503},
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
    if (detail != NULL) {
        put_member(&out, "detail", detail);
    }
    put_member(&out, "code", info->code);
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
