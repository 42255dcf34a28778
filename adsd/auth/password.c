/*
 * Hashes and verifies passwords in threads.  A job lives on the stack of the
 * thread that asks and waits for it.  The threads that take jobs only hand them
 * to processes and wait for those.
 */
#define _GNU_SOURCE /* pthread_setname_np */

#include "auth/password.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "ads_nfkc.h"
#include "auth/common.h"
#include "auth/hash.h"
#include "base/clock.h"
#include "base/pool.h"

#define OVERLAP_LEAST 4 /* shorter names and addresses are in many words */

_Static_assert(AUTH_PASSWORD_HASH_MAX == AUTH_HASH_MAX
                   && AUTH_PASSWORD_BYTES_MAX <= AUTH_HASH_TEXT_MAX,
               "what is asked fits");

enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE };

struct job {
    enum job_state state;
    const char *text; /* normalised */
    size_t len;
    const char *compare; /* a hash to check against, or NULL: make one */
    char *hash;
    bool ok;
    enum ads_err err; /* of the process that was asked */
};

struct auth_hasher {
    pthread_t threads[AUTH_PASSWORD_SLOTS];
    int n_threads;
    char nobody[AUTH_PASSWORD_HASH_MAX]; /* of a random password */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t filled;
    pthread_cond_t done;
    bool closed;
    size_t n;
    struct job *queue[AUTH_PASSWORD_QUEUE];
};


/* ---- the work ---- */

static struct job *
job_take(struct auth_hasher *hasher)
{
    struct job *job;

    while (hasher->n == 0 && !hasher->closed) {
        (void)pthread_cond_wait(&hasher->filled, &hasher->lock);
    }
    if (hasher->n == 0) {
        return NULL;
    }
    job = hasher->queue[0];
    hasher->n--;
    memmove(hasher->queue, hasher->queue + 1, hasher->n * sizeof(struct job *));
    job->state = JOB_RUNS;
    return job;
}


static void *
thread_run(void *arg)
{
    struct auth_hasher *hasher = arg;
    struct auth_hash *helper = auth_hash_new();
    struct job *job;

    (void)pthread_setname_np(pthread_self(), "hash");
    (void)pthread_mutex_lock(&hasher->lock);
    while ((job = job_take(hasher)) != NULL) {
        (void)pthread_mutex_unlock(&hasher->lock);
        job->err = auth_hash_do(helper, job->text, job->len, job->compare,
                                job->hash, &job->ok);
        (void)pthread_mutex_lock(&hasher->lock);
        job->state = JOB_DONE;
        (void)pthread_cond_broadcast(&hasher->done);
    }
    (void)pthread_mutex_unlock(&hasher->lock);
    auth_hash_free(helper);
    return NULL;
}


/* ---- asking for it ---- */

/* Out of the queue again; only a job that waits is in it. */
static void
job_withdraw(struct auth_hasher *hasher, const struct job *job)
{
    for (size_t i = 0; i < hasher->n; i++) {
        if (hasher->queue[i] == job) {
            hasher->n--;
            memmove(hasher->queue + i, hasher->queue + i + 1,
                    (hasher->n - i) * sizeof(struct job *));
            return;
        }
    }
}


/* Waits for a slot at most so long, and then for the work. */
static enum ads_err
job_do(struct auth_hasher *hasher, struct job *job)
{
    int64_t until_ms = clock_monotonic_ms() + AUTH_PASSWORD_WAIT_MS;
    const struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    enum ads_err err = ADS_OK;
    int rc = 0;

    job->state = JOB_WAITS;
    (void)pthread_mutex_lock(&hasher->lock);
    if (hasher->n == AUTH_PASSWORD_QUEUE || hasher->closed) {
        (void)pthread_mutex_unlock(&hasher->lock);
        return ADS_BUSY;
    }
    hasher->queue[hasher->n++] = job;
    (void)pthread_cond_signal(&hasher->filled);
    while (job->state != JOB_DONE && err == ADS_OK) {
        if (rc == 0) {
            rc = pthread_cond_timedwait(&hasher->done, &hasher->lock, &until);
        } else if (job->state == JOB_WAITS) {
            job_withdraw(hasher, job);
            err = ADS_BUSY;
        } else { /* it holds our text: a hash has its end */
            (void)pthread_cond_wait(&hasher->done, &hasher->lock);
        }
    }
    (void)pthread_mutex_unlock(&hasher->lock);
    return err == ADS_OK ? job->err : err;
}


/* NFKC of the password; false when it cannot be one. */
static bool
normal(struct job *job, char text[AUTH_PASSWORD_BYTES_MAX],
       struct ads_str password, size_t *points)
{
    job->text = text;
    return ads_nfkc_write(text, AUTH_PASSWORD_BYTES_MAX, password, &job->len,
                          points)
           == ADS_OK;
}


enum ads_err
auth_password_hash(struct auth_hasher *hasher, char *hash,
                   struct ads_str password)
{
    char text[AUTH_PASSWORD_BYTES_MAX];
    struct job job = {.hash = hash};
    enum ads_err err = ADS_INVALID;
    size_t points;

    if (normal(&job, text, password, &points)) {
        err = job_do(hasher, &job);
    }
    sodium_memzero(text, sizeof(text));
    return err == ADS_OK && !job.ok ? ADS_IO : err;
}


enum ads_err
auth_password_check(struct auth_hasher *hasher, struct ads_str hash,
                    struct ads_str password, bool *outdated)
{
    char text[AUTH_PASSWORD_BYTES_MAX], phc[AUTH_PASSWORD_HASH_MAX] = {0};
    struct job job = {.compare = hasher->nobody};
    enum ads_err err;
    size_t points;

    *outdated = false;
    if (hash.ptr != NULL && hash.len < sizeof(phc)) {
        memcpy(phc, hash.ptr, hash.len);
        job.compare = phc;
    }
    if (!normal(&job, text, password, &points)) {
        job.len = 0; /* the same time for an impossible password */
    }
    err = job_do(hasher, &job);
    if (err == ADS_OK && (!job.ok || job.compare != phc || job.len == 0)) {
        err = ADS_DENIED;
    }
    if (err == ADS_OK) {
        *outdated = auth_hash_outdated(phc);
    }
    sodium_memzero(text, sizeof(text));
    sodium_memzero(phc, sizeof(phc));
    return err;
}


enum ads_err
auth_password_hash_now(char *hash, struct ads_str password)
{
    char text[AUTH_PASSWORD_BYTES_MAX];
    struct job job = {.hash = hash};
    enum ads_err err = ADS_INVALID;
    size_t points;

    if (normal(&job, text, password, &points)) {
        err = auth_hash_make(hash, job.text, job.len) ? ADS_OK : ADS_IO;
    }
    sodium_memzero(text, sizeof(text));
    return err;
}


/* ---- what may be one ---- */

/* Is it the word itself, whatever its case, with little around it? */
static bool
leans_on(const char *text, size_t len, struct ads_str word)
{
    if (word.ptr == NULL || word.len < OVERLAP_LEAST || word.len > len
        || len - word.len > OVERLAP_LEAST)
    {
        return false;
    }
    for (size_t i = 0; i + word.len <= len; i++) {
        if (strncasecmp(text + i, word.ptr, word.len) == 0) {
            return true;
        }
    }
    return false;
}


const char *
auth_password_fault(struct ads_str password, struct ads_str email,
                    struct ads_str name)
{
    char text[AUTH_PASSWORD_BYTES_MAX];
    struct ads_str local = email;
    const char *why = NULL, *at;
    struct job job;
    size_t points = 0;

    at = email.ptr == NULL ? NULL : memchr(email.ptr, '@', email.len);
    if (at != NULL) {
        local.len = (size_t)(at - email.ptr);
    }
    if (!normal(&job, text, password, &points) || points > AUTH_PASSWORD_MOST) {
        why = "is longer than 128 characters";
    } else if (points < AUTH_PASSWORD_LEAST) {
        why = "is shorter than 10 characters";
    } else if (auth_common_check((struct ads_str){text, job.len})) {
        why = "is one of those that are tried first";
    } else if (leans_on(text, job.len, email) || leans_on(text, job.len, local)
               || leans_on(text, job.len, name))
    {
        why = "is too close to the name or address";
    }
    sodium_memzero(text, sizeof(text));
    return why;
}


/* ---- life ---- */

/* Its parameters are today's, its password is 32 random bytes. */
static bool
nobody_make(struct auth_hasher *hasher)
{
    char random[32];

    randombytes_buf(random, sizeof(random));
    return auth_hash_make(hasher->nobody, random, sizeof(random));
}


enum ads_err
auth_password_start(struct auth_hasher **started)
{
    struct auth_hasher *hasher = xcalloc(1, sizeof(*hasher));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int slots = cores < 2 * AUTH_PASSWORD_SLOTS ? 1 : AUTH_PASSWORD_SLOTS;
    pthread_condattr_t monotonic;
    bool ok;

    (void)pthread_mutex_init(&hasher->lock, NULL);
    (void)pthread_cond_init(&hasher->filled, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&hasher->done, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);

    ok = nobody_make(hasher);
    while (ok && hasher->n_threads < slots) {
        ok = pthread_create(&hasher->threads[hasher->n_threads], NULL,
                            thread_run, hasher)
             == 0;
        hasher->n_threads += ok ? 1 : 0;
    }
    if (!ok) {
        auth_password_stop(hasher);
        hasher = NULL;
    }
    *started = hasher;
    return ok ? ADS_OK : ADS_IO;
}


void
auth_password_stop(struct auth_hasher *hasher)
{
    if (hasher == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&hasher->lock);
    hasher->closed = true;
    (void)pthread_cond_broadcast(&hasher->filled);
    (void)pthread_mutex_unlock(&hasher->lock);
    for (int i = 0; i < hasher->n_threads; i++) {
        (void)pthread_join(hasher->threads[i], NULL);
    }
    (void)pthread_cond_destroy(&hasher->done);
    (void)pthread_cond_destroy(&hasher->filled);
    (void)pthread_mutex_destroy(&hasher->lock);
    free(hasher);
}
