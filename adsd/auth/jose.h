/*
 * Signatures of identity providers, RS256 and ES256, verified with OpenSSL
 * against the keys (a JWKS, RFC 7517) that the provider publishes.
 *
 * The algorithm belongs to the key, never to the token: an RSA key verifies
 * RS256 and nothing else, one on P-256 ES256.  A key is one that may verify
 * ("use", "key_ops", "alg"), RSA of 2048 to 8192 bits, or a point that lies on
 * P-256; others in the set are left out, for providers publish keys of other
 * kinds too.  No key is ever taken from a token.
 */
#ifndef ADSD_JOSE_H
#define ADSD_JOSE_H

#include "auth/jws.h"

#define JOSE_KEYS_MAX 64
#define JOSE_SHA256_LEN 32

struct jose_keys;

/*
 * Reads a JWKS.  ADS_INVALID when it is none, ADS_TOO_LARGE with more than
 * JOSE_KEYS_MAX keys, ADS_ABSENT when none of them can verify anything.  The
 * keys live as long as the pool.
 */
ADS_MUST enum ads_err
jose_keys_read(struct jose_keys **keys, struct pool *pool, const char *text,
               size_t len);

/*
 * Is this the signature of one of the keys?  The key is found by kid and alg;
 * a token without kid is tried only when one key alone has its alg.  ADS_OK;
 * ADS_ABSENT: no such key, newer ones may have it; ADS_FORGED; or
 * ADS_UNSUPPORTED for an alg that no key here can have.
 *
 * *issuer is the key's own "issuer", as Microsoft's keys have it; ptr NULL when
 * it has none.
 */
ADS_MUST enum ads_err
jose_verify(const struct jose_keys *keys, const struct jws *jws,
            struct ads_str *issuer);

/* SHA-256 of the texts one after the other. */
void
jose_sha256(uint8_t hash[JOSE_SHA256_LEN], const struct ads_str *texts,
            size_t n);

#endif
