/*
 * Body of POST /v1/events/conversion: one conversion, or a batch of them
 * {"events":[...]}. Strict, as money and personal data want it: unknown fields
 * are refused, money is read from the number's text.
 *
 *     click_id     UUID, required
 *     value        0 to 1e9, rounded to six decimals, required
 *     currency     ISO 4217, required
 *     request_id   UUID
 *     ad_id        UUID
 *     order_id     1 to 128 characters, no personal data
 *     occurred_at  RFC 3339, at most 7 days old and 10 minutes ahead
 *     adjusts      UUID of an earlier event
 *     session_id   as in recommend; the click has it already, so it is
 *                  validated and not stored
 */
#ifndef ADSD_CONVERSION_BODY_H
#define ADSD_CONVERSION_BODY_H

#include "ads_body_field.h"

#define CONVERSION_EVENTS_MAX 100
#define CONVERSION_TIME_NONE INT64_MIN

struct conversion {
    struct ads_uuid click_id;
    struct ads_uuid request_id;
    struct ads_uuid ad_id;
    struct ads_uuid adjusts;
    bool has_request_id;
    bool has_ad_id;
    bool has_adjusts;
    int64_t value_micros;
    char currency[3];
    struct ads_str order_id;      /* len 0: absent */
    struct ads_str session_id;    /* the same; not kept */
    int64_t occurred_ms;          /* unix time, or CONVERSION_TIME_NONE */
    bool ok;                      /* nothing is wrong with this one */
    struct ads_field_error error; /* if not: the first thing that is */
};

struct conversion_body {
    struct conversion items[CONVERSION_EVENTS_MAX]; /* stands first */
    bool batch;
    uint32_t n;
};

/*
 * Reads a body, which is unescaped in place and borrowed from.  ADS_INVALID:
 * nothing of it may be used, `errors` says why.  A bad item of a batch does not
 * make the batch invalid: check each item's `ok`.
 */
ADS_MUST enum ads_err
conversion_body_read(struct conversion_body *body,
                     struct ads_body_errors *errors, struct ads_str text,
                     int64_t now_ms);

#endif
