/*
 * Waking and stopping: every thread waits in adsd_wait(), so that a stop is
 * seen at once and no thread ever sleeps for its own sake.
 */
#include "adsd.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define READY_LOOK_MS 100


enum ads_err
adsd_init(struct adsd *adsd)
{
    adsd->breaker = xcalloc(1, sizeof(*adsd->breaker));
    adsd->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    adsd->publish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    adsd->ingest_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (adsd->stop_fd < 0 || adsd->publish_fd < 0 || adsd->ingest_fd < 0) {
        log_error(adsd->log, "main", "no eventfd: %s", strerror(errno));
        return ADS_IO;
    }
    return ADS_OK;
}


void
adsd_end(struct adsd *adsd)
{
    const int fds[] = {adsd->stop_fd, adsd->publish_fd, adsd->ingest_fd};

    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] > 0) {
            (void)close(fds[i]);
        }
    }
    free(adsd->breaker);
}


bool
adsd_stopping(const struct adsd *adsd)
{
    return adsd->stopping;
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
    int n;

    n = poll(fds, 2, timeout_ms);
    return n > 0 && fds[1].revents != 0;
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


int64_t
adsd_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}


int64_t
adsd_realtime_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
