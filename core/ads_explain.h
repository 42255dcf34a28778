/*
 * A decision as JSON, stage by stage, for debugging: the `explain`
 * member of a recommendation, and adsctl explain.  It tells what the decision
 * itself noted, and decides nothing again.
 *
 *     {"generation":7,"decision":"SHOW","reason":null,
 *      "guard":{"passed":true,"topic":null},
 *      "intent":{"passed":true,"score":1.25,"threshold":0.5},
 *      "understood":{"language":"en","words":"laser printer",
 *                    "kinds":[{"id":"laser-printer","wanted":true,
 *                              "score":2.1,"because":["want_near"]}, ...],
 *                    "attributes":[{"id":"wireless","without":false}, ...],
 *                    "price":{"least":null,"most":80,"currency":"USD"}},
 *      "match":{"terms":2,"postings":812,"windows":3,"candidates":40,
 *               "cut":false},
 *      "refused":{"location":3},"below_relevance":9,
 *      "candidates":[{"ad_id":...,"campaign_id":...,"relevance":0.93,
 *                     "kind":"laser-printer","fit":"exact",
 *                     "probability":0.88,"bid_micros":250000,
 *                     "state":"shown"}, ...],
 *      "shown":[{"ad_id":...,"position":1,"relevance":0.93,
 *                "probability":0.88,"rank":...,
 *                "price_micros":250000,"words":"laser printer"}, ...],
 *      "times":{"decide_us":31}}
 *
 * A candidate's state is shown, below_relevance or outranked; at most
 * ADS_NOTES_MAX of them are listed, the most relevant first.  The kind of a
 * candidate is what its product is taken for, null when for nothing.
 *
 * What advertisers bid and pay is the operator's to know: without `money` there
 * is no bid_micros, no price_micros and no rank, which is made of the bid.
 */
#ifndef ADS_EXPLAIN_H
#define ADS_EXPLAIN_H

#include "ads_decide.h"

#define ADS_EXPLAIN_LEN_MAX 32768

/*
 * Writes the object into `dst`, which has ADS_EXPLAIN_LEN_MAX bytes; returns
 * its length.  `notes` NULL: no candidates are written.  `money` only for who
 * may know the bids of every account.
 */
size_t
ads_explain_write(char *dst, const struct ads_tables *tables,
                  const struct ads_decision *decision,
                  const struct ads_notes *notes, uint64_t decide_us,
                  bool money);

#endif
