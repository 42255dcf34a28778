/*
 * Memory pool of one request or one batch: an arena that is freed as a whole.
 * Nothing is freed one by one; what a library allocates is tied to the pool by
 * pool_defer(), so that it goes in reverse order of taking.
 *
 * Out of memory ends the process with a line on stderr: the journal makes that
 * safe, and no caller has to think about it.
 *
 * A pool belongs to one thread at a time.
 */
#ifndef ADSD_POOL_H
#define ADSD_POOL_H

#include <stddef.h>

#include "ads_bytes.h"

struct pool;

struct pool *
pool_new(void);

/* Runs what was deferred, latest first, and frees everything. NULL is fine. */
void
pool_free(struct pool *pool);

/* The same, but the pool stays usable and keeps its first block. */
void
pool_reset(struct pool *pool);

/* Zeroed bytes, 16-byte aligned.  Never NULL, also for 0 bytes. */
void *
pool_alloc(struct pool *pool, size_t len);

/* n x size zeroed bytes; ends the process when the product overflows. */
void *
pool_array(struct pool *pool, size_t n, size_t size);

/* A copy of the bytes with a NUL behind them. */
char *
pool_text(struct pool *pool, struct ads_str text);

/* As sprintf; *len, when not NULL, is the length without the NUL. */
char *
pool_format(struct pool *pool, size_t *len, const char *format, ...)
    __attribute__((format(printf, 3, 4), nonnull(1, 3)));

/* Calls free_it(what) when the pool is freed or reset. */
void
pool_defer(struct pool *pool, void (*free_it)(void *), void *what);

/* Bytes the pool holds now, for limits and tests. */
size_t
pool_len(const struct pool *pool);

/* malloc, calloc, realloc and strdup that end the process when out of
 * memory; for what outlives a pool.  Free with free(). */
void *
xmalloc(size_t len);
void *
xcalloc(size_t n, size_t size);
void *
xrealloc(void *old, size_t len);
char *
xstrdup(const char *text);

#endif
