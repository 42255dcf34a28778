/*
 * Quotas of an account, by name: the keys of adsd.conf, the rows of ads.quotas
 * and the label of metrics.
 *
 * How they are counted is in sql/code/16_quotas.sql.  What ends in `_max`
 * bounds what an account has; the others what it does in a time.
 */
#ifndef ADS_QUOTA_H
#define ADS_QUOTA_H

#include "ads_str.h"

enum ads_quota {
    ADS_QUOTA_CAMPAIGNS,
    ADS_QUOTA_PRODUCTS,
    ADS_QUOTA_MEMBERS,
    ADS_QUOTA_KEYS,
    ADS_QUOTA_TOPUPS,
    ADS_QUOTA_CAMPAIGNS_MADE,
    ADS_QUOTA_PRODUCTS_MADE,
    ADS_QUOTA_KEYS_MADE,
    ADS_QUOTA_IMPORTS,
    ADS_QUOTA_IMPORT_MB,
    ADS_QUOTA_REPORT_SECONDS,
    ADS_QUOTA_MAILS,
    ADS_QUOTA_PERSON_MAILS,
    ADS_QUOTAS
};

/* Its name, a constant; for `quota` < ADS_QUOTAS. */
const char *
ads_quota_name(unsigned quota);

/* The quota whose name a text begins with, up to its first space; ADS_QUOTAS
 * when there is none. */
unsigned
ads_quota_find(struct ads_str text);

#endif
