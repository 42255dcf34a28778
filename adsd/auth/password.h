/*
 * Passwords: Argon2id (RFC 9106) with 64 MiB and two passes, kept as a PHC
 * string that says its own parameters.
 *
 * A hash costs a core some 60 ms and 64 MiB, so processes of its own do
 * nothing else (auth/hash.h), half as many as there are cores and at most
 * AUTH_PASSWORD_SLOTS, behind clicks, recommendations and ingest.  A request
 * that finds no slot in time gets 503 with Retry-After.
 *
 * A password is 10 to 128 code points after NFKC, which makes one text of what
 * keyboards spell differently; nothing is trimmed, folded or cut, and there
 * are no rules about digits and signs (ASVS 5.0, 6.2).
 */
#ifndef ADSD_AUTH_PASSWORD_H
#define ADSD_AUTH_PASSWORD_H

#include "ads_bytes.h"
#include "ads_err.h"

#define AUTH_PASSWORD_LEAST 10
#define AUTH_PASSWORD_MOST 128
#define AUTH_PASSWORD_BYTES_MAX 512 /* also of what is tried at sign-in */
#define AUTH_PASSWORD_HASH_MAX 128
#define AUTH_PASSWORD_SLOTS 2
#define AUTH_PASSWORD_QUEUE 64
#define AUTH_PASSWORD_WAIT_MS 1000

struct auth_hasher;

/* Starts the threads.  ADS_IO when the system refuses. */
ADS_MUST enum ads_err
auth_password_start(struct auth_hasher **hasher);

/* Finishes what was taken and ends them; NULL is fine. */
void
auth_password_stop(struct auth_hasher *hasher);

/* May it be somebody's password?  NULL, or a constant text saying why not.
 * `email` and `name`, which may be absent, are too easy to guess. */
const char *
auth_password_fault(struct ads_str password, struct ads_str email,
                    struct ads_str name);

/* Hashes into `hash`, AUTH_PASSWORD_HASH_MAX bytes with a NUL.  ADS_BUSY when
 * no slot was free in time. */
ADS_MUST enum ads_err
auth_password_hash(struct auth_hasher *hasher, char *hash,
                   struct ads_str password);

/*
 * Compares.  With `hash` absent (ptr NULL) it takes the same time and is never
 * right.  *outdated, when right: made with other parameters than today's.
 * ADS_DENIED when wrong, ADS_BUSY when no slot was free in time.
 */
ADS_MUST enum ads_err
auth_password_check(struct auth_hasher *hasher, struct ads_str hash,
                    struct ads_str password, bool *outdated);

/* The same as auth_password_hash on the caller's own thread, for adsctl. */
ADS_MUST enum ads_err
auth_password_hash_now(char *hash, struct ads_str password);

#endif
