/*
 * Topics beside which no ad is ever shown, whatever is paid for it: a table of
 * words and phrases in English, German, Spanish and French, matched on whole
 * words.  It runs before the intent model and sees the whole query.
 *
 * Ordinary goods whose names contain such a word ("glue gun", "baby shower
 * gift", "knee brace") are listed in the same table as harmless.
 */
#ifndef ADS_GUARD_H
#define ADS_GUARD_H

#include "ads_bytes.h"

#define ADS_GUARD_PLACES 4096 /* a power of two, twice the table or more */

enum ads_guard_topic {
    ADS_GUARD_NONE = 0,
    ADS_GUARD_SELF_HARM,
    ADS_GUARD_HEALTH, /* symptoms, diagnoses, medicines, treatments */
    ADS_GUARD_PREGNANCY,
    ADS_GUARD_ABUSE,
    ADS_GUARD_GRIEF,
    ADS_GUARD_DEBT,
    ADS_GUARD_LEGAL,  /* arrest, detention, asylum */
    ADS_GUARD_BELIEF, /* politics and religion */
    ADS_GUARD_MINORS, /* the young and what is age-restricted, or weight */
    ADS_GUARD_SEXUAL,
    ADS_GUARD_WEAPONS,
    ADS_GUARD_DRUGS, /* also tobacco and vaping */
    ADS_GUARD_GAMBLING,
    ADS_GUARD_FORGERY,
    ADS_GUARD_SPYING,
    ADS_GUARD_HARM,    /* anything else meant to harm */
    ADS_GUARD_N_TOPICS /* not a topic */
};

/* Where in the table the phrases begin that share their first letters: most
 * words of a query begin none, and one look tells. */
struct ads_guard {
    uint16_t first[ADS_GUARD_PLACES]; /* index + 1; 0: empty */
};

void
ads_guard_init(struct ads_guard *guard);

/*
 * The first sensitive topic that the query touches, or ADS_GUARD_NONE.  Any
 * bytes of any length are taken; invalid UTF-8 separates words.
 */
enum ads_guard_topic
ads_guard_check(const struct ads_guard *guard, struct ads_str query);

/* A stable lower-case name for explanations, such as "self_harm"; "none" for
 * ADS_GUARD_NONE and for values that are no topic. */
const char *
ads_guard_name(enum ads_guard_topic topic);

#endif
