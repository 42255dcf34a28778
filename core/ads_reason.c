/*
 * The reasons' texts.
 */
#include "ads_reason.h"

#include <stddef.h>

static const char *const reasons[ADS_REASON_END] = {
    [ADS_REASON_NONE] = "",
    [ADS_REASON_NOT_COMMERCIAL] = "not_commercial",
    [ADS_REASON_SENSITIVE_TOPIC] = "sensitive_topic",
    [ADS_REASON_NO_MATCH] = "no_match",
    [ADS_REASON_BELOW_RELEVANCE] = "below_relevance",
    [ADS_REASON_BELOW_FLOOR] = "below_floor",
    [ADS_REASON_NO_BUDGET] = "no_budget",
    [ADS_REASON_PACED] = "paced",
    [ADS_REASON_FREQUENCY_CAPPED] = "frequency_capped",
    [ADS_REASON_CURRENCY] = "currency",
    [ADS_REASON_LOCATION] = "location",
    [ADS_REASON_BLOCKED] = "blocked",
    [ADS_REASON_INVALID_TRAFFIC] = "invalid_traffic",
    [ADS_REASON_SNAPSHOT_MISSING] = "snapshot_missing",
    [ADS_REASON_OVERLOADED] = "overloaded",
};


const char *
ads_reason_name(uint32_t reason)
{
    return reason < ADS_REASON_END ? reasons[reason] : NULL;
}
