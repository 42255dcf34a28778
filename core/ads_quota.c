/*
 * The names of quotas.
 */
#include "ads_quota.h"

#include <string.h>

static const char *const names[ADS_QUOTAS] = {
    [ADS_QUOTA_CAMPAIGNS] = "campaigns_max",
    [ADS_QUOTA_PRODUCTS] = "products_max",
    [ADS_QUOTA_MEMBERS] = "members_max",
    [ADS_QUOTA_KEYS] = "keys_max",
    [ADS_QUOTA_TOPUPS] = "topups_max",
    [ADS_QUOTA_CAMPAIGNS_MADE] = "campaigns_per_day",
    [ADS_QUOTA_PRODUCTS_MADE] = "products_per_day",
    [ADS_QUOTA_KEYS_MADE] = "keys_per_day",
    [ADS_QUOTA_IMPORTS] = "imports_per_day",
    [ADS_QUOTA_IMPORT_MB] = "import_mb_per_day",
    [ADS_QUOTA_REPORT_SECONDS] = "report_seconds_per_hour",
    [ADS_QUOTA_MAILS] = "mails_per_day",
    [ADS_QUOTA_PERSON_MAILS] = "person_mails_per_day",
};


const char *
ads_quota_name(unsigned quota)
{
    return names[quota];
}


unsigned
ads_quota_find(struct ads_str text)
{
    const char *space = memchr(text.ptr, ' ', text.len);
    unsigned quota = 0;

    if (space != NULL) {
        text.len = (size_t)(space - text.ptr);
    }
    while (quota < ADS_QUOTAS && !ads_str_is(text, names[quota])) {
        quota++;
    }
    return quota;
}
