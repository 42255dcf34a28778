/*
 * Forecast: what the links that are out will probably still cost, and so how
 * much more a campaign may be shown.
 *
 * A link is billable for 24 hours, so at any moment more links are out than
 * will be followed.  How late people click is learned for a node as a whole
 * (struct ads_delays), how many of a campaign's links they follow for each
 * campaign (struct ads_forecast).  A link's age is one of ADS_DELAYS classes
 * of doubling width; links move on by their width, not by their time, so a
 * forecast is a hundred bytes however many links are out.
 *
 * Forecasts are estimates, in floating point.  No bill depends on them: too
 * low a one costs its advertiser nothing and gives clicks away, too high a one
 * only delays, since what is not followed is expected less and less.
 */
#ifndef ADS_FORECAST_H
#define ADS_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#define ADS_DELAYS 17 /* up to 1, 2, 4 ... 65,536 seconds */
#define ADS_FORECAST_RATE_UNIT 65536

struct ads_delays {
    double followed[ADS_DELAYS]; /* clicks that came at that age */
    double passed[ADS_DELAYS];   /* links that grew older than that */
    double share[ADS_DELAYS];    /* of all clicks, those of this age */
    double ahead[ADS_DELAYS]; /* of all clicks, those of this age and later */
};

struct ads_forecast {
    float out[ADS_DELAYS]; /* micros of links that are out, by age */
    float due;             /* micros that usual links would have brought */
    float paid;            /* micros that these brought */
    float pace;            /* micros a second expected of links of late */
};

/* What is known before the first click. */
void
ads_delays_init(struct ads_delays *delays);

/* A click came so long after its link was served. */
void
ads_delays_note(struct ads_delays *delays, int64_t age_ms);

/* Time passed: learns from what was noted, and forgets within days. */
void
ads_delays_learn(struct ads_delays *delays, double seconds);

/*
 * Time passed: served_micros is the price of the links served in it here, and
 * billed_micros what clicks on this node's links were billed.  `bid_micros`, at
 * least 1, is the price of one.
 */
void
ads_forecast_step(struct ads_forecast *forecast, struct ads_delays *delays,
                  double seconds, int64_t served_micros, int64_t billed_micros,
                  int64_t bid_micros);

/* Links of which no more is known than what they will cost: of before a
 * restart. */
void
ads_forecast_recall(struct ads_forecast *forecast,
                    const struct ads_delays *delays, int64_t coming_micros);

/* Of how many links one is followed, in 65,536ths; never 0. */
uint32_t
ads_forecast_rate(const struct ads_forecast *forecast, int64_t bid_micros);

/* What the links that are out will probably cost. */
int64_t
ads_forecast_coming(const struct ads_forecast *forecast,
                    const struct ads_delays *delays, int64_t bid_micros);

#endif
