/*
 * Loads the rings of click keys: a list of rings, the newest first.
 */
#include "daemon/click_keys.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "daemon/node.h"

#define DUTY "keys"

struct ring_held {
    struct ads_ring ring; /* comes first */
    struct ring_held *older;
};

struct click_keys {
    const struct conf *conf;
    struct log *log;
    pthread_mutex_t lock; /* of who reads the file */
    _Atomic(struct ring_held *) newest;
};


enum ads_err
click_keys_open(struct click_keys **opened, const struct conf *conf,
                struct log *log)
{
    struct click_keys *keys = xcalloc(1, sizeof(*keys));
    enum ads_err err;

    keys->conf = conf;
    keys->log = log;
    (void)pthread_mutex_init(&keys->lock, NULL);

    err = click_keys_reload(keys);
    if (err != ADS_OK) {
        click_keys_free(keys);
        return err;
    }
    *opened = keys;
    return ADS_OK;
}


void
click_keys_free(struct click_keys *keys)
{
    struct ring_held *held, *older;

    if (keys == NULL) {
        return;
    }
    for (held = keys->newest; held != NULL; held = older) {
        older = held->older;
        explicit_bzero(held, sizeof(*held));
        free(held);
    }
    (void)pthread_mutex_destroy(&keys->lock);
    free(keys);
}


const struct ads_ring *
click_keys_ring(const struct click_keys *keys)
{
    return &keys->newest->ring;
}


enum ads_err
click_keys_reload(struct click_keys *keys)
{
    struct ring_held *held = xcalloc(1, sizeof(*held));
    struct ring_held *now;
    enum ads_err err;

    (void)pthread_mutex_lock(&keys->lock);
    err = node_read_ring(&held->ring, keys->conf, keys->log);
    now = keys->newest;
    if (err == ADS_OK
        && (now == NULL
            || memcmp(&now->ring, &held->ring, sizeof(held->ring)) != 0))
    {
        held->older = now;
        keys->newest = held;
        held = NULL;
    }
    (void)pthread_mutex_unlock(&keys->lock);

    if (held != NULL) {
        explicit_bzero(held, sizeof(*held));
        free(held);
    }
    return err;
}
