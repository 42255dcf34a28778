/*
 * Query words of a decision, for ads_decide.c.
 */
#ifndef ADS_DECIDE_WORDS_H
#define ADS_DECIDE_WORDS_H

#include "ads_decide.h"

#define ADS_DECIDE_WORDS_ROOM (ADS_BODY_QUERY_MAX + 21 * 129)

/* Query and keywords side by side, in `room` of ADS_DECIDE_WORDS_ROOM bytes
 * when there are keywords. */
struct ads_str
ads_decide_words_join(const struct ads_ask *ask, char *room);

/* The words of the query that pick i matched, lower case, one space between. */
void
ads_decide_words_write(struct ads_decision *decision, uint32_t i,
                       struct ads_str text,
                       const struct ads_match_query *query);

#endif
