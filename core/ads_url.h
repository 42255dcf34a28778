/*
 * Destination URLs: advertisers give them, and visitors are sent there.
 *
 * We refuse rather than normalise: what is accepted goes into Location byte
 * for byte, and every reader of URLs sees the same host in it.  So:
 *
 *   - "https://", in lower case; images may also be "http://"
 *   - the host is a public DNS name in lower-case letters, digits and dashes,
 *     with two labels or more, the last one letters or an xn-- label; each
 *     xn-- label is one that IDNA would make (ads_idna.h).  No user, no dot at
 *     the end, no IP address in any spelling, no special-use name (localhost,
 *     .local, .internal, .onion, .test, ...); .example is allowed, it is what
 *     documentation and demos use
 *   - no port, or the scheme's own (":443"; ":80" of an image with http)
 *   - at most ADS_URL_MAX bytes, of those that RFC 3986 allows, every percent
 *     sign followed by two hex digits
 *   - the macros {click_id} {campaign_id} {ad_id} {placement} in path or query
 *     of a destination, and no other braces; filled, it must not become longer
 *     than ADS_URL_CLICK_MAX
 */
#ifndef ADS_URL_H
#define ADS_URL_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_URL_MAX 2048
#define ADS_URL_CLICK_MAX 4096 /* of what ads_url_click_write() makes */
#define ADS_URL_PLACEHOLDER "https://ads.example.com" /* of the examples */
#define ADS_URL_PARAMETER_LEN 50 /* what it adds where there is no macro */

enum ads_url_use { ADS_URL_DESTINATION, ADS_URL_IMAGE };

/* What fills the macros; placement has at most 64 characters, the others are
 * UUIDs as text. */
struct ads_url_click {
    struct ads_str click_id;
    struct ads_str campaign_id;
    struct ads_str ad_id;
    struct ads_str placement;
};

/*
 * ADS_OK, or ADS_INVALID (ADS_TOO_LARGE for a length) and in *why a constant
 * short text for the advertiser.  `why` may be NULL.
 */
ADS_MUST enum ads_err
ads_url_check(struct ads_str url, enum ads_url_use use, const char **why);

/* The host of a URL that passed ads_url_check(), borrowed from it. */
struct ads_str
ads_url_host_find(struct ads_str url);

/*
 * Writes the address that the visitor of a click is sent to: the URL with
 * "ads_click_id=<click_id>" added before any fragment or, when it holds macros,
 * with these filled, percent-encoded.  *len is the length, also when that is
 * more than `cap`: then ADS_TOO_LARGE.  ADS_INVALID when the URL holds a byte
 * that must not go into a header; it cannot when ads_url_check() passed it.
 * No NUL is written.
 */
ADS_MUST enum ads_err
ads_url_click_write(char *dst, size_t cap, size_t *len, struct ads_str url,
                    const struct ads_url_click *click);

#endif
