/*
 * Preloaded into nginx or adsd: the time of day is $ADS_CLOCK_AHEAD_S seconds
 * ahead.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>


static time_t ahead_s;


/* Read once: nginx clears its environment. */
__attribute__((constructor)) static void
begin(void)
{
    const char *value = getenv("ADS_CLOCK_AHEAD_S");

    ahead_s = value == NULL ? 0 : (time_t)atol(value);
}


int
clock_gettime(clockid_t clock, struct timespec *at)
{
    static int (*next)(clockid_t, struct timespec *);
    int rc;

    if (next == NULL) {
        next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT,
                                                            "clock_gettime");
    }
    rc = next(clock, at);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        at->tv_sec += ahead_s;
    }
    return rc;
}


int
gettimeofday(struct timeval *at, void *zone)
{
    struct timespec now;
    int rc = clock_gettime(CLOCK_REALTIME, &now);

    (void)zone;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return rc;
}


time_t
time(time_t *at)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL) {
        *at = now.tv_sec;
    }
    return now.tv_sec;
}
