/*
 * Allocates from an arena: blocks that grow by doubling, handed out front to
 * back.  A reset keeps the first block, so that a thread serving small requests
 * allocates nothing from the system.
 */
#include "base/pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_LEN 16384
#define LARGEST_LEN (1024 * 1024)
#define ALIGNMENT 16

struct block {
    struct block *before;
    size_t len; /* of the bytes behind this struct */
    size_t used;
    size_t pad; /* keeps the bytes aligned */
};

struct deferred {
    struct deferred *before;
    void (*free_it)(void *);
    void *what;
};

struct pool {
    struct block *newest;
    struct deferred *deferred;
    size_t len;
};


static _Noreturn void
die_out_of_memory(void)
{
    static const char line[] = "adsd: out of memory\n";

    (void)!fwrite(line, 1, sizeof(line) - 1, stderr);
    abort();
}


void *
xmalloc(size_t len)
{
    void *bytes = malloc(len > 0 ? len : 1);

    if (bytes == NULL) {
        die_out_of_memory();
    }
    return bytes;
}


void *
xcalloc(size_t n, size_t size)
{
    void *bytes = calloc(n > 0 ? n : 1, size > 0 ? size : 1);

    if (bytes == NULL) {
        die_out_of_memory();
    }
    return bytes;
}


void *
xrealloc(void *old, size_t len)
{
    void *bytes = realloc(old, len > 0 ? len : 1);

    if (bytes == NULL) {
        die_out_of_memory();
    }
    return bytes;
}


char *
xstrdup(const char *text)
{
    size_t len = strlen(text) + 1;

    return memcpy(xmalloc(len), text, len);
}


static void
block_add(struct pool *pool, size_t len)
{
    struct block *block = xmalloc(sizeof(*block) + len);

    _Static_assert(sizeof(struct block) % ALIGNMENT == 0, "keeps alignment");

    block->before = pool->newest;
    block->len = len;
    block->used = 0;
    pool->newest = block;
    pool->len += len;
}


struct pool *
pool_new(void)
{
    struct pool *pool = xcalloc(1, sizeof(*pool));

    block_add(pool, FIRST_LEN);
    return pool;
}


void
pool_reset(struct pool *pool)
{
    struct deferred *deferred;
    struct block *block;

    /* one may defer another: take them one at a time */
    while ((deferred = pool->deferred) != NULL) {
        pool->deferred = deferred->before;
        deferred->free_it(deferred->what);
    }
    while (pool->newest->before != NULL) {
        block = pool->newest;
        pool->newest = block->before;
        pool->len -= block->len;
        free(block);
    }
    pool->newest->used = 0;
}


void
pool_free(struct pool *pool)
{
    if (pool == NULL) {
        return;
    }
    pool_reset(pool);
    free(pool->newest);
    free(pool);
}


void *
pool_alloc(struct pool *pool, size_t len)
{
    struct block *block = pool->newest;
    size_t next_len;
    void *bytes;

    if (len > SIZE_MAX / 4) {
        die_out_of_memory();
    }
    len = (len + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);

    if (len > block->len - block->used) {
        next_len = block->len < LARGEST_LEN ? block->len * 2 : LARGEST_LEN;
        block_add(pool, len > next_len ? len : next_len);
        block = pool->newest;
    }
    bytes = (char *)(block + 1) + block->used;
    block->used += len;
    return memset(bytes, 0, len);
}


void *
pool_array(struct pool *pool, size_t n, size_t size)
{
    size_t len;

    if (__builtin_mul_overflow(n, size, &len)) {
        die_out_of_memory();
    }
    return pool_alloc(pool, len);
}


char *
pool_text(struct pool *pool, struct ads_str text)
{
    char *copy = pool_alloc(pool, text.len + 1);

    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    return copy;
}


char *
pool_format(struct pool *pool, size_t *len, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) {
        n = 0;
    }
    text = pool_alloc(pool, (size_t)n + 1);

    va_start(args, format);
    (void)vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    if (len != NULL) {
        *len = (size_t)n;
    }
    return text;
}


void
pool_defer(struct pool *pool, void (*free_it)(void *), void *what)
{
    struct deferred *deferred = pool_alloc(pool, sizeof(*deferred));

    deferred->before = pool->deferred;
    deferred->free_it = free_it;
    deferred->what = what;
    pool->deferred = deferred;
}


size_t
pool_len(const struct pool *pool)
{
    return pool->len;
}
