/*
 * Texts of the NO_AD reasons, and whose they are.
 */
#include "ads_reason.h"

#include <stddef.h>

#define TEXT(number, name, text, of_campaign) [ADS_REASON_##name] = (text),
#define OWNER(number, name, text, of_campaign) \
    [ADS_REASON_##name] = (of_campaign),

static const char *const reasons[ADS_REASON_END] = {[ADS_REASON_NONE] = "",
                                                    ADS_REASONS(TEXT)};

static const bool of_campaign[ADS_REASON_END] = {ADS_REASONS(OWNER)};


const char *
ads_reason_name(uint32_t reason)
{
    return reason < ADS_REASON_END ? reasons[reason] : NULL;
}


bool
ads_reason_is_of_campaign(uint32_t reason)
{
    return reason < ADS_REASON_END && of_campaign[reason];
}
