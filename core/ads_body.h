/*
 * Request bodies of the ad path: recommend requests and events.
 *
 * Liberal in the ad path: a recommend request may hold fields we do not know.
 * Strict where personal data could hide: an event may not.  Both refuse a key
 * that comes twice, and a field that is null is absent.  All field errors are
 * found in one pass.
 *
 * Texts in the structs are borrowed from the body, which is unescaped in place
 * and must outlive them.  They are valid UTF-8 without NUL.  "Characters"
 * are code points.  ASCII white space around query, location, keywords and
 * the texts of exclude is trimmed before they are measured.
 *
 * Codes of field errors (stable, snake case):
 *
 *     required         a field that must be there is not
 *     wrong_type       not the JSON type that the field has
 *     empty            nothing but white space
 *     too_long         more characters (query: bytes) than allowed
 *     too_many         more elements than allowed
 *     out_of_range     a number or time outside its bounds
 *     not_an_integer   a number with a fraction
 *     invalid_format   not in the form the field has
 *     nul_not_allowed  holds U+0000
 *     pii_not_allowed  looks like an e-mail, phone, card, IBAN or IP address
 *     unknown_field    an event holds a field that events do not have; its name
 *                      is shown where it is letters, _ and - only
 */
#ifndef ADS_BODY_H
#define ADS_BODY_H

#include "ads_body_field.h"
#include "ads_bytes.h"
#include "ads_err.h"
#include "ads_id.h"

#define ADS_BODY_QUERY_MAX 8192
#define ADS_BODY_KEYWORDS_MAX 20
#define ADS_BODY_EXCLUDE_MAX ADS_BODY_LIST_MAX
#define ADS_BODY_RESULTS_MAX 20
#define ADS_BODY_PLACEMENT_MAX 64
#define ADS_BODY_EVENTS_MAX 100
#define ADS_BODY_TIME_NONE INT64_MIN

enum ads_consent {
    ADS_CONSENT_UNSAID,
    ADS_CONSENT_REFUSED, /* false */
    ADS_CONSENT_GIVEN,   /* true */
    ADS_CONSENT_TEXT     /* a consent string, such as IAB TCF; kept as it is */
};

/*
 * POST /v1/ads/recommend.  An absent text has len 0; an empty one is absent,
 * but for `query`.  What another spelling or a bound says is served, with a
 * warning: currency and placement in any case, a placement with spaces, more
 * results than there are.  Bounds, in characters unless said:
 *
 *     query               1 to 8,192 bytes after trimming; required
 *     context.currency    three letters A to Z
 *     context.location    <= 128; what place it is, ads_place tells
 *     context.session_id  [A-Za-z0-9._:~+/=-]{1,128}, no personal data
 *     context.language    BCP 47: [A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*, <= 35
 *     context.consent     true, false, or 1 to 2,048 printable ASCII
 *     context.user_agent  <= 1,024
 *     context.ip          IPv4 or IPv6, as text; leaves here only masked
 *     placement           [a-z0-9_.-]{1,64}; "inline" when absent
 *     max_results         integer 1 to 20; 3 when absent
 *     keywords            <= 20 of 1 to 128
 *     exclude.ad_ids      <= 64 UUIDs
 *     exclude.advertisers, exclude.categories  <= 64 of 1 to 200
 *     floor_micros        integer 0 to 1e15; 0 when absent
 */
struct ads_recommend_body {
    struct ads_str query; /* trimmed */
    char currency[3];     /* zeros when absent */
    struct ads_str location;
    struct ads_str session_id;
    struct ads_str language;
    enum ads_consent consent;
    struct ads_str consent_text; /* with ADS_CONSENT_TEXT */
    struct ads_str user_agent;
    uint8_t ip_len; /* 0, 4 or 16 */
    uint8_t ip[16]; /* first 24 bits of IPv4, 48 of IPv6, then zeros */
    struct ads_str placement;
    char folded[ADS_BODY_PLACEMENT_MAX]; /* where it was not lower case */
    uint32_t warnings;                   /* bits of enum ads_warning */
    uint32_t max_results;
    int64_t floor_micros;
    struct ads_body_list keywords;
    struct ads_body_ids not_ads;
    struct ads_body_list not_advertisers;
    struct ads_body_list not_categories;
};

/*
 * One impression or manual click: request_id and ad_id (UUIDs, required),
 * session_id (as in recommend), occurred_at (RFC 3339, at most 7 days old and
 * 10 minutes ahead).
 */
struct ads_event_item {
    struct ads_uuid request_id;
    struct ads_uuid ad_id;
    struct ads_str session_id;    /* len 0: absent */
    int64_t occurred_ms;          /* unix time, or ADS_BODY_TIME_NONE */
    bool ok;                      /* nothing is wrong with this one */
    struct ads_field_error error; /* if not: the first thing that is */
};

/* A single event, or a batch {"events":[...]} of up to 100 (maybe none). */
struct ads_event_body {
    struct ads_event_item items[ADS_BODY_EVENTS_MAX]; /* comes first */
    uint32_t n;
    bool batch;
};

/*
 * Reads a recommend request.  ADS_INVALID: `errors` says why, and `body` holds
 * nothing to be used.
 */
ADS_MUST enum ads_err
ads_body_recommend_read(struct ads_recommend_body *body,
                        struct ads_body_errors *errors, char *text, size_t len);

/*
 * Reads one event or a batch of them.  ADS_INVALID: nothing of it may be used,
 * `errors` says why.  A bad item of a batch does not make the batch invalid:
 * with ADS_OK check each item's `ok` (`errors` then lists the items' errors,
 * as many as fit).  `now_ms` is the time that occurred_at is held against.
 */
ADS_MUST enum ads_err
ads_body_event_read(struct ads_event_body *body, struct ads_body_errors *errors,
                    char *text, size_t len, int64_t now_ms);

/*
 * How many events a body holds, by its form alone: 1, or the elements of
 * "events".  For a rate that counts them before somebody else validates them:
 * what is no JSON, or holds more than a batch may, counts as 1, since nothing
 * of it will be taken.  Unescapes `text` in place.
 */
uint32_t
ads_body_events_count(char *text, size_t len);

#endif
