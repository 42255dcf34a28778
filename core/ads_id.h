/*
 * Ids: every id is a UUID; the ones made while serving are version 8 (RFC 9562)
 * and carry a MAC, so that any worker on any node can verify, without a
 * look-up, that the service issued them and when.
 *
 *     request_id   48 bits time in ms | 34 random | 40 MAC(time, random,
 *                  publisher)
 *     click_id     48 bits the request's time | 42 hash(request, ad) | 32
 *                  MAC(time, hash)
 *     event_id     48 bits the request's time | 74 hash(kind, request, ad)
 *
 * (version and variant bits come on top).  click_id and event_id are functions
 * of what they stand for: a retry gets the same one.
 */
#ifndef ADS_ID_H
#define ADS_ID_H

#include "ads_bytes.h"
#include "ads_ring.h"

#define ADS_UUID_TEXT_LEN 36

struct ads_uuid {
    uint8_t b[16];
};

/* Writes 36 characters, no NUL.  Returns the end. */
char *
ads_uuid_write(char *dst, const struct ads_uuid *id);

/* Takes the 8-4-4-4-12 form only, hex of either case. */
ADS_MUST bool
ads_uuid_read(struct ads_uuid *id, struct ads_str text);

bool
ads_uuid_equal(const struct ads_uuid *a, const struct ads_uuid *b);

/* Memory order; for sorting and binary search. */
int
ads_uuid_compare(const struct ads_uuid *a, const struct ads_uuid *b);

/* A random (version 4) UUID out of 16 random bytes. */
struct ads_uuid
ads_uuid_random(const uint8_t random[16]);

/* The time in the first 48 bits, milliseconds since 1970.  Only means
 * something for an id that was checked. */
uint64_t
ads_id_ms(const struct ads_uuid *id);

/* Of `random` the low 34 bits count. */
struct ads_uuid
ads_request_id_make(const struct ads_ring_key *key,
                    const struct ads_uuid *publisher, uint64_t now_ms,
                    uint64_t random);

/*
 * The ring's key that made this id for this publisher, borrowed; NULL when the
 * id is forged or another publisher's.
 */
const struct ads_ring_key *
ads_request_id_check(const struct ads_ring *ring, const struct ads_uuid *id,
                     const struct ads_uuid *publisher);

/* The id of every click on that link; `key` is the one that made the
 * request's id. */
struct ads_uuid
ads_click_id_make(const struct ads_ring_key *key,
                  const struct ads_uuid *request, const struct ads_uuid *ad);

/* Was this click id made with a key of the ring? */
bool
ads_click_id_check(const struct ads_ring *ring, const struct ads_uuid *id);

/* The id of an event of that kind (a letter, such as 'i' for impression). */
struct ads_uuid
ads_event_id_make(const struct ads_ring_key *key, char kind,
                  const struct ads_uuid *request, const struct ads_uuid *ad);

#endif
