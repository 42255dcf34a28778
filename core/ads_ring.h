/*
 * The click-key ring: the one secret that nginx and adsd share.  A text file,
 * one key a line:
 *
 *     <kid> seal|open <64 hex digits>
 *
 * kid is 1 to 255 and unique; exactly one key seals, all of them open; `#`
 * begins a comment.  Rotation adds a key as `open` on every node, promotes it
 * to `seal`, and removes the old one once its links have expired.
 *
 * From each key five independent subkeys are derived (BLAKE2b, context
 * "adsring1"), so that a token, an id, a journal record and a hash never share
 * a key.
 */
#ifndef ADS_RING_H
#define ADS_RING_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_RING_MAX 16
#define ADS_RING_KEY_LEN 32
#define ADS_SIP_KEY_LEN 16

struct ads_ring_key {
    uint8_t kid;
    uint8_t token[ADS_RING_KEY_LEN];  /* XChaCha20-Poly1305 of click tokens */
    uint8_t request[ADS_SIP_KEY_LEN]; /* MAC in request ids */
    uint8_t click[ADS_SIP_KEY_LEN];   /* hash and MAC in click and event ids */
    uint8_t journal[ADS_SIP_KEY_LEN]; /* MAC of journal records */
    uint8_t hash[ADS_SIP_KEY_LEN];    /* sessions, addresses, fingerprints */
};

struct ads_ring {
    uint32_t n;
    uint32_t sealing; /* index of the key that seals */
    struct ads_ring_key keys[ADS_RING_MAX];
};

/*
 * Reads the file's text.  On ADS_INVALID `line` is the 1-based line at fault
 * (0: the file as a whole) and `why` a constant text for the operator.  The
 * caller wipes `text` and, at the end of its life, the ring.
 */
ADS_MUST enum ads_err
ads_ring_read(struct ads_ring *ring, struct ads_str text, uint32_t *line,
              const char **why);

/* The key of that id, borrowed, or NULL. */
const struct ads_ring_key *
ads_ring_find(const struct ads_ring *ring, uint8_t kid);

/* The key that seals, borrowed. */
const struct ads_ring_key *
ads_ring_seal(const struct ads_ring *ring);

/* SipHash-2-4 of the bytes: 64 bits that only a holder of the key can make. */
uint64_t
ads_ring_hash(const uint8_t key[ADS_SIP_KEY_LEN], const void *bytes,
              size_t len);

#endif
