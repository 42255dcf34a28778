/*
 * Token buckets by id.  A bucket is one number: when it will be full again.
 * Taking one moves that by a minute's share; past a minute ahead there is none
 * left.
 */
#include "http/rate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

#define MINUTE_US (60 * INT64_C(1000000))
#define SETS 1024 /* a power of two */
#define WAYS 4

struct bucket {
    struct ads_uuid id;
    int64_t full_us;
};

struct rate {
    pthread_mutex_t lock;
    int64_t share_us;
    struct bucket buckets[SETS][WAYS];
};


struct rate *
rate_new(int64_t per_minute)
{
    struct rate *rate = xcalloc(1, sizeof(*rate));

    (void)pthread_mutex_init(&rate->lock, NULL);
    rate->share_us = MINUTE_US / per_minute;
    return rate;
}


void
rate_free(struct rate *rate)
{
    if (rate != NULL) {
        (void)pthread_mutex_destroy(&rate->lock);
        free(rate);
    }
}


/* The id's own, or the one that has the most left.  Ids are random, so
 * their last bytes spread well. */
static struct bucket *
bucket_find(struct rate *rate, const struct ads_uuid *id)
{
    struct bucket *set =
        rate->buckets[(id->b[14] << 8 | id->b[15]) & (SETS - 1)];
    struct bucket *fullest = &set[0];

    for (int i = 0; i < WAYS; i++) {
        if (memcmp(set[i].id.b, id->b, sizeof(id->b)) == 0) {
            return &set[i];
        }
        if (set[i].full_us < fullest->full_us) {
            fullest = &set[i];
        }
    }
    *fullest = (struct bucket){.id = *id};
    return fullest;
}


bool
rate_take(struct rate *rate, const struct ads_uuid *id, int64_t now_ms,
          int64_t *wait_s)
{
    int64_t now_us = now_ms * 1000, ahead_us;
    struct bucket *bucket;
    bool may;

    (void)pthread_mutex_lock(&rate->lock);
    bucket = bucket_find(rate, id);
    if (bucket->full_us < now_us) {
        bucket->full_us = now_us;
    }
    ahead_us = bucket->full_us + rate->share_us - now_us - MINUTE_US;
    may = ahead_us <= 0;
    if (may) {
        bucket->full_us += rate->share_us;
    }
    (void)pthread_mutex_unlock(&rate->lock);
    *wait_s = may ? 0 : ahead_us / 1000000 + 1;
    return may;
}
