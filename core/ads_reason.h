/*
 * Why there is no ad.
 */
#ifndef ADS_REASON_H
#define ADS_REASON_H

#include <stdint.h>

/* Stored in the journal and in reports: never renumber. */
enum ads_reason {
    ADS_REASON_NONE = 0, /* SHOW */
    ADS_REASON_NOT_COMMERCIAL,
    ADS_REASON_SENSITIVE_TOPIC,
    ADS_REASON_NO_MATCH,
    ADS_REASON_BELOW_RELEVANCE,
    ADS_REASON_BELOW_FLOOR,
    ADS_REASON_NO_BUDGET,
    ADS_REASON_PACED,
    ADS_REASON_FREQUENCY_CAPPED,
    ADS_REASON_CURRENCY,
    ADS_REASON_LOCATION,
    ADS_REASON_BLOCKED,
    ADS_REASON_INVALID_TRAFFIC,
    ADS_REASON_SNAPSHOT_MISSING,
    ADS_REASON_OVERLOADED,
    ADS_REASON_END
};

/* The stable text, such as "not_commercial"; NULL when the number means
 * nothing. */
const char *
ads_reason_name(uint32_t reason);

#endif
