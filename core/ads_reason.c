/*
 * The reasons' texts.
 */
#include "ads_reason.h"

#include <stddef.h>

#define TEXT(number, name, text) [ADS_REASON_##name] = (text),

static const char *const reasons[ADS_REASON_END] = {[ADS_REASON_NONE] = "",
                                                    ADS_REASONS(TEXT)};


const char *
ads_reason_name(uint32_t reason)
{
    return reason < ADS_REASON_END ? reasons[reason] : NULL;
}
