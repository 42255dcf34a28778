/*
 * The arithmetic of forecasts.
 *
 * A class loses what is in it at the rate of one width, and the next one gets
 * it: one step of the implicit Euler method, which is stable however long the
 * time that passed.
 *
 * A usual link is followed by one in 20, and until a campaign's own clicks say
 * otherwise its links are taken to be followed twice as often: two clicks are
 * counted in advance where one was due.
 */
#include "ads_forecast.h"

#include <string.h>

#define USUAL_RATE 0.05
#define CLICKS_BEFORE 2    /* of one link's worth of them: twice the usual */
#define LINKS_BEFORE 400.0 /* what prior knowledge of delays weighs */
#define DELAYS_KEPT_S 172800.0
#define RATE_KEPT_S 21600.0
#define PACE_S 60.0

/* Of 1,000 clicks, those of each class, before there were any: rather late */
static const double usual_delays[ADS_DELAYS] = {
    20, 30, 60, 90, 110, 110, 100, 90, 70, 60, 60, 70, 80, 30, 10, 5, 5,
};


static double
width(int class)
{
    return class == 0 ? 1 : (double)(1 << (class - 1));
}


/* Of the links that reach a class some are followed there.  Classes that few
 * have reached yet are taken to be as usual, for a node whose links are
 * followed so often. */
static void
shares_set(struct ads_delays *delays)
{
    const double clicks_before = LINKS_BEFORE * USUAL_RATE;
    double came = clicks_before, due = clicks_before, reach = 1, ahead = 0;

    for (int i = 0; i < ADS_DELAYS; i++) {
        came += delays->followed[i];
        due += delays->passed[i] * USUAL_RATE * usual_delays[i] / 1000;
    }
    for (int i = 0; i < ADS_DELAYS; i++) {
        double before = clicks_before * came / due * usual_delays[i] / 1000;
        double followed = delays->followed[i] + before;

        delays->share[i] =
            reach * followed / (delays->passed[i] + LINKS_BEFORE + followed);
        reach -= delays->share[i];
    }
    for (int i = 0; i < ADS_DELAYS; i++) {
        delays->share[i] /= 1 - reach;
    }
    for (int i = ADS_DELAYS - 1; i >= 0; i--) {
        ahead += delays->share[i];
        delays->ahead[i] = ahead;
    }
}


void
ads_delays_init(struct ads_delays *delays)
{
    memset(delays, 0, sizeof(*delays));
    shares_set(delays);
}


void
ads_delays_note(struct ads_delays *delays, int64_t age_ms)
{
    int class = 0;

    while (class < ADS_DELAYS - 1 && age_ms >= INT64_C(1000) << class) {
        class ++;
    }
    delays->followed[class]++;
}


void
ads_delays_learn(struct ads_delays *delays, double seconds)
{
    double kept = 1 / (1 + seconds / DELAYS_KEPT_S);

    for (int i = 0; i < ADS_DELAYS; i++) {
        delays->followed[i] *= kept;
        delays->passed[i] *= kept;
    }
    shares_set(delays);
}


static double
rate_of(const struct ads_forecast *forecast, int64_t bid_micros)
{
    double bid = (double)bid_micros;
    double rate = USUAL_RATE * ((double)forecast->paid + CLICKS_BEFORE * bid)
                  / ((double)forecast->due + bid);

    return rate > 1 ? 1 : rate;
}


/* Links grow older. */
static void
age(struct ads_forecast *forecast, struct ads_delays *delays, double seconds,
    double bid)
{
    double flow = 0;

    for (int i = 0; i < ADS_DELAYS; i++) {
        double here = (double)forecast->out[i] + flow;

        flow = here * seconds / (width(i) + seconds);
        forecast->out[i] = (float)(here - flow);
        forecast->due += (float)(flow * USUAL_RATE * delays->share[i]);
        delays->passed[i] += flow / bid;
    }
}


/* Links were followed: each age has its part, and is not expected again. */
static void
follow(struct ads_forecast *forecast, const struct ads_delays *delays,
       double micros)
{
    double odds[ADS_DELAYS], sum = 0;

    for (int i = 0; i < ADS_DELAYS; i++) {
        odds[i] = (double)forecast->out[i] * delays->share[i] / width(i);
        sum += odds[i];
    }
    for (int i = 0; i < ADS_DELAYS && sum > 0; i++) {
        double gone = micros * odds[i] / sum;

        if (gone > (double)forecast->out[i]) {
            gone = (double)forecast->out[i];
        }
        forecast->out[i] -= (float)gone;
        forecast->due += (float)(gone * USUAL_RATE * delays->ahead[i]);
    }
    forecast->paid += (float)micros;
}


void
ads_forecast_step(struct ads_forecast *forecast, struct ads_delays *delays,
                  double seconds, int64_t served_micros, int64_t billed_micros,
                  int64_t bid_micros)
{
    double served = served_micros > 0 ? (double)served_micros : 0;
    double billed = billed_micros > 0 ? (double)billed_micros : 0;
    double expected = served * rate_of(forecast, bid_micros);
    double kept = 1 / (1 + seconds / RATE_KEPT_S);

    age(forecast, delays, seconds, (double)bid_micros);
    forecast->out[0] += (float)served;
    if (billed > 0) {
        follow(forecast, delays, billed);
    }
    forecast->due *= (float)kept;
    forecast->paid *= (float)kept;
    forecast->pace = (float)(((double)forecast->pace * PACE_S + expected)
                             / (PACE_S + seconds));
}


void
ads_forecast_recall(struct ads_forecast *forecast,
                    const struct ads_delays *delays, int64_t coming_micros)
{
    const int class = 4; /* most of what comes is expected of these */

    forecast->out[class] +=
        (float)((double)coming_micros / USUAL_RATE / delays->ahead[class]);
}


uint32_t
ads_forecast_rate(const struct ads_forecast *forecast, int64_t bid_micros)
{
    return (uint32_t)(rate_of(forecast, bid_micros)
                      * (ADS_FORECAST_RATE_UNIT - 1))
           + 1;
}


int64_t
ads_forecast_coming(const struct ads_forecast *forecast,
                    const struct ads_delays *delays, int64_t bid_micros)
{
    double links = 0;

    for (int i = 0; i < ADS_DELAYS; i++) {
        links += (double)forecast->out[i] * delays->ahead[i];
    }
    links *= rate_of(forecast, bid_micros);
    return links < 9e18 ? (int64_t)links : INT64_MAX;
}
