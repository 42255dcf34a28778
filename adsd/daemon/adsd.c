/*
 * Wakes and stops threads.  Every thread waits in adsd_wait(), so that a stop
 * is seen at once and no thread ever sleeps for its own sake.
 */
#include "daemon/adsd.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/click_keys.h"

#define READY_LOOK_MS 100

/* Where requests wait for the publisher. */
struct adsd_gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    struct adsd_served served;
};


enum ads_err
adsd_init(struct adsd *adsd)
{
    pthread_condattr_t attr;

    adsd->breaker = xcalloc(1, sizeof(*adsd->breaker));
    adsd->parts = xcalloc(ADSD_PARTS_MAX, sizeof(*adsd->parts));
    adsd->published = xcalloc(1, sizeof(*adsd->published));
    (void)pthread_mutex_init(&adsd->published->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&adsd->published->opened, &attr);
    (void)pthread_condattr_destroy(&attr);
    adsd->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    adsd->publish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    adsd->ingest_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    adsd->mail_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (adsd->stop_fd < 0 || adsd->publish_fd < 0 || adsd->ingest_fd < 0
        || adsd->mail_fd < 0)
    {
        log_error(adsd->log, "main", "no eventfd: %s", strerror(errno));
        return ADS_IO;
    }
    return ADS_OK;
}


void
adsd_end(struct adsd *adsd)
{
    const int fds[] = {adsd->stop_fd, adsd->publish_fd, adsd->ingest_fd,
                       adsd->mail_fd};

    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] > 0) {
            (void)close(fds[i]);
        }
    }
    (void)pthread_cond_destroy(&adsd->published->opened);
    (void)pthread_mutex_destroy(&adsd->published->lock);
    free(adsd->published);
    free(adsd->parts);
    free(adsd->breaker);
}


enum ads_err
adsd_reload(struct adsd *adsd)
{
    enum ads_err err;

    log_reopen(adsd->log);
    err = click_keys_reload(adsd->click_keys);
    if (err == ADS_OK) {
        log_info(adsd->log, "main", "log opened and click keys read again");
    }
    return err;
}


bool
adsd_stopping(const struct adsd *adsd)
{
    pulse_beat(adsd_pulse(adsd));
    return adsd->stopping;
}


struct pulse *
adsd_pulse(const struct adsd *adsd)
{
    for (int i = 0; i < adsd->n_parts; i++) {
        if (pthread_equal(adsd->parts[i].thread, pthread_self())) {
            return &adsd->parts[i].pulse;
        }
    }
    return NULL;
}


void
adsd_stop(struct adsd *adsd)
{
    adsd->stopping = true;
    (void)eventfd_write(adsd->stop_fd, 1);
}


bool
adsd_ready(const struct adsd *adsd)
{
    return adsd->ready;
}


bool
adsd_wait(const struct adsd *adsd, int fd, int timeout_ms)
{
    struct pollfd fds[2] = {
        {.fd = adsd->stop_fd, .events = POLLIN},
        {.fd = fd, .events = POLLIN}, /* poll ignores -1 */
    };
    struct pulse *pulse = adsd_pulse(adsd);
    int n;

    pulse_idle(pulse);
    n = poll(fds, 2, timeout_ms);
    pulse_beat(pulse);
    return n > 0 && fds[1].revents != 0;
}


void
adsd_published(struct adsd *adsd, const struct adsd_served *served)
{
    (void)pthread_mutex_lock(&adsd->published->lock);
    adsd->published_change = served->change;
    adsd->published_generation = served->generation;
    adsd->published->served = *served;
    (void)pthread_cond_broadcast(&adsd->published->opened);
    (void)pthread_mutex_unlock(&adsd->published->lock);
}


static bool
is_served(const struct adsd_served *served, uint64_t change)
{
    return change <= served->change
           || (change >= served->from && change <= served->last);
}


bool
adsd_wait_published(const struct adsd *adsd, uint64_t change, int timeout_ms,
                    uint64_t *generation)
{
    int64_t until_ms = clock_monotonic_ms() + timeout_ms;
    const struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    bool done;

    adsd_publish_soon(adsd);
    (void)pthread_mutex_lock(&adsd->published->lock);
    while (!is_served(&adsd->published->served, change) && !adsd_stopping(adsd)
           && pthread_cond_timedwait(&adsd->published->opened,
                                     &adsd->published->lock, &until)
                  == 0)
    {
    }
    done = is_served(&adsd->published->served, change);
    *generation = adsd->published_generation;
    (void)pthread_mutex_unlock(&adsd->published->lock);
    return done;
}


void
adsd_publish_soon(const struct adsd *adsd)
{
    (void)eventfd_write(adsd->publish_fd, 1);
}


void
adsd_ingest_soon(const struct adsd *adsd)
{
    (void)eventfd_write(adsd->ingest_fd, 1);
}


void
adsd_mail_soon(const struct adsd *adsd)
{
    (void)eventfd_write(adsd->mail_fd, 1);
}


bool
adsd_wait_for_database(const struct adsd *adsd, struct db *db)
{
    while (!adsd_stopping(adsd)) {
        if (!adsd_ready(adsd)) {
            (void)adsd_wait(adsd, -1, READY_LOOK_MS);
        } else if (db_connect(db) == ADS_OK) {
            return true;
        } else {
            (void)adsd_wait(adsd, -1, db_pause_ms(db));
        }
    }
    return false;
}
