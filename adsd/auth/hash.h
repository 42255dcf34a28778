/*
 * Password hashing in a process of its own, one for each slot, that does
 * nothing else: "adsd-hash", this same program under another name.
 *
 * A hash maps, fills and frees 64 MiB.  In adsd that holds up every thread that
 * maps or frees something itself, and interrupts the other core to say what is
 * gone.  And idle priority only counts within a scheduling group: Linux puts
 * each session, and so each service, into one of its own, all of one weight,
 * and a thread that wakes up in one waits for the idle thread of another.  So
 * the helper begins a session, whose weight is a third: who wakes up goes
 * first, and on a machine that is never idle people still can sign in.
 *
 * It knows nothing but the password at hand, ends when adsd does, and, like it,
 * blocks the signals that a supervisor sends to all of a service.
 */
#ifndef ADSD_AUTH_HASH_H
#define ADSD_AUTH_HASH_H

#include <stdbool.h>
#include <stddef.h>

#include "ads_err.h"

#define AUTH_HASH_NAME "adsd-hash"
#define AUTH_HASH_MAX 128 /* a PHC string with its NUL */
#define AUTH_HASH_TEXT_MAX 512

struct auth_hash;

/* Its process is started by the first work and by any after it has died. */
struct auth_hash *
auth_hash_new(void);

/* Ends the process; NULL is fine. */
void
auth_hash_free(struct auth_hash *helper);

/*
 * Compares `text` with the hash `compare`, or, when that is NULL, makes one
 * into `hash`, AUTH_HASH_MAX bytes.  *ok: it is right, or made.  ADS_IO when
 * there is no process to be had or it does not answer.
 */
ADS_MUST enum ads_err
auth_hash_do(struct auth_hash *helper, const char *text, size_t len,
             const char *compare, char *hash, bool *ok);

/* Makes one in this process. */
ADS_MUST bool
auth_hash_make(char *hash, const char *text, size_t len);

/* Was it made with other parameters than today's? */
bool
auth_hash_outdated(const char *hash);

/* The whole life of the process, its exit code. */
int
auth_hash_main(void);

#endif
