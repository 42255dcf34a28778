/*
 * Why there is no ad.
 */
#ifndef ADS_REASON_H
#define ADS_REASON_H

#include <stdint.h>

/* Every reason, in one row: its number, which the journal and `live` keep
 * (never renumber; a new one goes to the end), its name here and its stable
 * text.  A new one is a row here and a line of docs/errors.md; advertisers'
 * reports count it as `other` until it has a place of its own there. */
#define ADS_REASONS(ROW)                          \
    ROW(1, NOT_COMMERCIAL, "not_commercial")      \
    ROW(2, SENSITIVE_TOPIC, "sensitive_topic")    \
    ROW(3, NO_MATCH, "no_match")                  \
    ROW(4, BELOW_RELEVANCE, "below_relevance")    \
    ROW(5, BELOW_FLOOR, "below_floor")            \
    ROW(6, NO_BUDGET, "no_budget")                \
    ROW(7, PACED, "paced")                        \
    ROW(8, FREQUENCY_CAPPED, "frequency_capped")  \
    ROW(9, CURRENCY, "currency")                  \
    ROW(10, LOCATION, "location")                 \
    ROW(11, BLOCKED, "blocked")                   \
    ROW(12, INVALID_TRAFFIC, "invalid_traffic")   \
    ROW(13, SNAPSHOT_MISSING, "snapshot_missing") \
    ROW(14, OVERLOADED, "overloaded")

#define ADS_REASON_ENUM(number, name, text) ADS_REASON_##name = (number),

enum ads_reason {
    ADS_REASON_NONE = 0, /* SHOW */
    ADS_REASONS(ADS_REASON_ENUM) ADS_REASON_END
};

/* The stable text, such as "not_commercial"; NULL when the number means
 * nothing. */
const char *
ads_reason_name(uint32_t reason);

#endif
