/*
 * Basics of a worker process: the time, random bytes, and events that know
 * their owner.  No other part of the module is known here.
 */


#include "ngx_http_ads_module.h"


/* The time of this cycle of the event loop. */

uint64_t
ngx_http_ads_process_now_ms(void)
{
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    return (uint64_t) tp->sec * 1000 + tp->msec;
}


/*
 * The time now, in nanoseconds, to measure by: the module asks a clock here and
 * nowhere else.
 */

uint64_t
ngx_http_ads_process_clock_ns(clockid_t clock)
{
    struct timespec  ts;

    (void) clock_gettime(clock, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


/*
 * Random bytes without a system call: a ChaCha20 stream, of which each
 * buffer's first bytes are the next one's key and are never given out.
 */

void
ngx_http_ads_process_random(ngx_http_ads_random_t *random, void *dst,
    size_t len)
{
    u_char  seed[randombytes_SEEDBYTES];

    if (random->used < sizeof(seed)
        || sizeof(random->bytes) - random->used < len)
    {
        ngx_memcpy(seed, random->bytes, sizeof(seed));
        randombytes_buf_deterministic(random->bytes, sizeof(random->bytes),
                                      seed);
        sodium_memzero(seed, sizeof(seed));
        random->used = sizeof(seed);
    }

    ngx_memcpy(dst, random->bytes + random->used, len);
    sodium_memzero(random->bytes + random->used, len);
    random->used += len;
}


/*
 * Readies an event of a part; `ident` is the part's own and serves all its
 * events.  It is cancelable, else a worker that shuts down would wait for it
 * for ever.
 */

void
ngx_http_ads_process_event(ngx_event_t *ev, ngx_http_ads_ident_t *ident,
    void *part, ngx_event_handler_pt handler, ngx_log_t *log)
{
    ident->part = part;
    ident->fd = (ngx_socket_t) -1;

    ev->handler = handler;
    ev->data = ident;
    ev->log = log;
    ev->cancelable = 1;
}


/* Whose event it is. */

void *
ngx_http_ads_process_part(ngx_event_t *ev)
{
    ngx_http_ads_ident_t  *ident;

    ident = ev->data;

    return ident->part;
}
