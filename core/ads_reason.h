/*
 * NO_AD reasons: why no ad is shown.
 */
#ifndef ADS_REASON_H
#define ADS_REASON_H

#include <stdbool.h>
#include <stdint.h>

/* Every reason, in one row: its number, which the journal and `live` keep
 * (never renumber; a new one goes to the end), its name here, its stable text,
 * and whether it can be what stood against one campaign: then advertisers'
 * reports count it.  A new one is a row here and a line of docs/errors.md. */
#define ADS_REASONS(ROW)                                 \
    ROW(1, NOT_COMMERCIAL, "not_commercial", false)      \
    ROW(2, SENSITIVE_TOPIC, "sensitive_topic", false)    \
    ROW(3, NO_MATCH, "no_match", false)                  \
    ROW(4, BELOW_RELEVANCE, "below_relevance", true)     \
    ROW(5, BELOW_FLOOR, "below_floor", true)             \
    ROW(6, NO_BUDGET, "no_budget", true)                 \
    ROW(7, PACED, "paced", true)                         \
    ROW(8, FREQUENCY_CAPPED, "frequency_capped", true)   \
    ROW(9, CURRENCY, "currency", true)                   \
    ROW(10, LOCATION, "location", true)                  \
    ROW(11, BLOCKED, "blocked", true)                    \
    ROW(12, INVALID_TRAFFIC, "invalid_traffic", false)   \
    ROW(13, SNAPSHOT_MISSING, "snapshot_missing", false) \
    ROW(14, OVERLOADED, "overloaded", false)

#define ADS_REASON_ENUM(number, name, text, of_campaign) \
    ADS_REASON_##name = (number),

enum ads_reason {
    ADS_REASON_NONE = 0, /* SHOW */
    ADS_REASONS(ADS_REASON_ENUM) ADS_REASON_END
};

/* The stable text, such as "not_commercial"; NULL when the number means
 * nothing. */
const char *
ads_reason_name(uint32_t reason);

/* Can it be what stood against one campaign, beside others that were shown? */
bool
ads_reason_is_of_campaign(uint32_t reason);

#endif
