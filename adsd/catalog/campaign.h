/*
 * A campaign as management sees it: the struct, and the table of its fields.
 *
 * Creating and changing read the same form.  What a body does not name keeps
 * the value that is in the struct: the standard of a new campaign, or what the
 * row holds; null takes an optional value away.  Within budget, targeting and
 * attribution the same holds for each member.
 */
#ifndef ADSD_CAMPAIGN_H
#define ADSD_CAMPAIGN_H

#include "catalog/field.h"

/* 0 is no value of any number here: it stands for "not set". */
struct campaign {
    struct ads_str name;
    struct ads_str pricing;
    struct ads_str status;
    struct ads_str timezone; /* ptr NULL: the account's */
    struct ads_str pacing;
    struct ads_str targeting; /* JSON: lists that are not empty */
    struct ads_str external_id;
    int64_t bid_micros;
    int64_t daily_micros;
    int64_t lifetime_micros;
    int64_t start_us;
    int64_t end_us;
    int64_t frequency_count;
    int64_t frequency_window_s;
    int64_t click_window_days;
};

extern const struct fields campaign_fields;

/* Reads the members of `form` over *campaign; every fault is noted in the form,
 * so use the values after form_check(). */
void
campaign_form_read(struct campaign *campaign, struct form *form, bool create);

#endif
