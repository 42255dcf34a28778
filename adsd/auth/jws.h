/*
 * A compact JWS (RFC 7515) as text: three base64url parts with dots between,
 * taken apart and nothing more.  No key is known here and nothing is verified:
 * what comes out is the sender's word until auth_jwt or jose has checked the
 * signature.
 *
 * It is strict where other readers differ, so that two tokens with different
 * bytes are two tokens: exactly three parts, base64url without padding, white
 * space or surplus bits; a header that is one JSON object without a member
 * twice, with an "alg" that is text.  A header with "crit" is refused, because
 * we know no extension; "jwk", "jku", "x5u", "x5c" and everything else that is
 * not listed in struct jws is skipped and never used: no key and no
 * address is ever taken from a token.
 */
#ifndef ADSD_JWS_H
#define ADSD_JWS_H

#include "ads_err.h"
#include "base/pool.h"

#define JWS_LEN_MAX 16384
#define JWS_KID_MAX 256

struct jws {
    struct ads_str alg;
    struct ads_str typ; /* ptr NULL: not said */
    struct ads_str kid; /* ptr NULL: not said */

    struct ads_str signed_part; /* what the signature is over, borrowed */
    const char *payload;        /* decoded, not yet read */
    size_t payload_len;
    const uint8_t *signature;
    size_t signature_len; /* never 0 */
};

/*
 * Takes `text` apart; what it points to lives in the pool, but for signed_part,
 * which is a part of `text`.  ADS_TOO_LARGE over JWS_LEN_MAX or with a kid over
 * JWS_KID_MAX, else ADS_INVALID.
 */
ADS_MUST enum ads_err
jws_read(struct jws *jws, struct pool *pool, struct ads_str text);

/* Is the token said to be of this media type, such as "at+jwt"?  Letters of
 * either case, with or without "application/" before it. */
bool
jws_has_type(const struct jws *jws, const char *type);

/* Are both there, and the same? */
bool
jws_same(struct ads_str a, struct ads_str b);

/*
 * The bytes that a base64url text stands for, canonical form only, of any
 * length; NULL when it is not that.  *len is their number.
 */
uint8_t *
jws_base64url(size_t *len, struct pool *pool, struct ads_str text);

#endif
