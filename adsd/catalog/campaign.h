/*
 * Campaign as management sees it: read from a body, read from its row, written
 * as JSON.
 *
 * Creating and changing read the same form.  What a body does not name keeps
 * the value that is in the struct: the standard of a new campaign, or what the
 * row holds; null takes an optional value away.  Within budget, targeting and
 * attribution the same holds for each member.
 */
#ifndef ADSD_CAMPAIGN_H
#define ADSD_CAMPAIGN_H

#include "base/form.h"
#include "base/json.h"
#include "db/db.h"

/* The lists of targeting, in the order of answers. */
enum campaign_target {
    CAMPAIGN_LOCATIONS,
    CAMPAIGN_NOT_LOCATIONS,
    CAMPAIGN_PLACEMENTS,
    CAMPAIGN_PUBLISHERS,
    CAMPAIGN_KEYWORDS,
    CAMPAIGN_NEGATIVE_KEYWORDS,
    CAMPAIGN_CATEGORIES,
    CAMPAIGN_LANGUAGES,
    CAMPAIGN_TARGETS
};

struct campaign_list {
    const struct ads_str *items;
    size_t n; /* 0: no condition */
};

/* 0 is no value of any number here: it stands for "not set". */
struct campaign {
    struct ads_str name;
    struct ads_str pricing;
    struct ads_str status;
    struct ads_str timezone; /* ptr NULL: the account's */
    struct ads_str pacing;
    struct ads_str external_id;
    int64_t bid_micros;
    int64_t daily_micros;
    int64_t lifetime_micros;
    int64_t start_us;
    int64_t end_us;
    int64_t frequency_count;
    int64_t frequency_window_s;
    int64_t click_window_days;
    struct campaign_list targets[CAMPAIGN_TARGETS];
};

/* The lists of a valid targeting object, as the database keeps it. */
void
campaign_targets_read(struct campaign *campaign, struct pool *pool,
                      struct ads_str json);

/* The same as JSON, without lists that are empty. */
struct ads_str
campaign_targets_write(const struct campaign *campaign, struct pool *pool);

/* Reads the members of `form` over *campaign; every fault is noted in the form,
 * so use the values after form_check(). */
void
campaign_form_read(struct campaign *campaign, struct form *form, bool create);

#endif
