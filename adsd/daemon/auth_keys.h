/*
 * Secret keys of adsd alone: a file of Ed25519 keys that sign access tokens,
 * and keys for MACs that are derived from them.
 *
 *     <kid> <64 hex digits of the seed> sign|verify
 *
 * kid is 1 to 32 of [A-Za-z0-9_-] and unique; exactly one key signs, every key
 * verifies; `#` begins a comment.  All nodes of an installation have the same
 * file.  Rotation: add a line that verifies on every node, then let it sign
 * everywhere, then take the old line away once what it made has expired (an
 * hour for tokens and cursors, three days for links in mails).
 *
 * The file is read again when it changes: no restart.  A file that became bad
 * is logged once and the keys read before stay in use.  Safe from any thread.
 *
 * A MAC is keyed by the purpose it serves, so that a cursor can never be taken
 * for a code of a mail: BLAKE2b-256 under a subkey derived from the seed and
 * the purpose.
 */
#ifndef ADSD_AUTH_KEYS_H
#define ADSD_AUTH_KEYS_H

#include "ads_bytes.h"
#include "ads_err.h"
#include "base/log.h"

#define AUTH_KEYS_MAX 8
#define AUTH_KID_MAX 32
#define AUTH_SIGNATURE_LEN 64
#define AUTH_PUBLIC_LEN 32
#define AUTH_KEYS_MAC_LEN 32

struct auth_keys;

/*
 * Reads the file at `path`.  One that is not there is made, with one key, mode
 * 0600.  ADS_IO or ADS_INVALID, logged with the line at fault, when it cannot
 * be used: others than owner may read it, or its text is no set of keys.
 */
ADS_MUST enum ads_err
auth_keys_open(struct auth_keys **keys, const char *path, struct log *log);

/* Wipes them; NULL is fine. */
void
auth_keys_free(struct auth_keys *keys);

/* Keys out of a text, for tests; free with auth_keys_free(). */
ADS_MUST enum ads_err
auth_keys_parse(struct auth_keys **keys, struct ads_str text);

/* The name of the key that signs now; `kid` has AUTH_KID_MAX + 1 bytes. */
void
auth_keys_kid(struct auth_keys *keys, char *kid);

/* Signs with the key of that name; false when it is gone meanwhile. */
ADS_MUST bool
auth_keys_sign(struct auth_keys *keys, const char *kid,
               uint8_t signature[AUTH_SIGNATURE_LEN], struct ads_str bytes);

/*
 * Is it the signature of one of our keys?  With `kid` given only that key is
 * asked, without (ptr NULL) every one.
 */
ADS_MUST bool
auth_keys_verify(struct auth_keys *keys, struct ads_str kid,
                 const uint8_t signature[AUTH_SIGNATURE_LEN],
                 struct ads_str bytes);

struct auth_public {
    char kid[AUTH_KID_MAX + 1];
    uint8_t key[AUTH_PUBLIC_LEN];
};

/* The public halves, which anybody may know; returns how many. */
size_t
auth_keys_public(struct auth_keys *keys,
                 struct auth_public list[AUTH_KEYS_MAX]);

/* The MAC of the bytes for a purpose, a constant such as "cursor",
 * under the key that signs now. */
void
auth_keys_mac(struct auth_keys *keys, const char *purpose, struct ads_str bytes,
              uint8_t mac[AUTH_KEYS_MAC_LEN]);

/* Do the first `len` bytes of the MAC under any of our keys equal these?
 * `len` is at least 16.  Constant time for each key. */
ADS_MUST bool
auth_keys_mac_check(struct auth_keys *keys, const char *purpose,
                    struct ads_str bytes, const uint8_t *mac, size_t len);

#endif
