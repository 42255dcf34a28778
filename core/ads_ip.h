/*
 * IP addresses as text, ranges of them, and their masked form, which is the
 * only one that is kept: an address is personal data.
 */
#ifndef ADS_IP_H
#define ADS_IP_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_IP_TEXT_MAX 45

/*
 * Reads dotted IPv4 (no leading zeros) or IPv6 (RFC 4291, with or without a
 * dotted tail, no zone).  Returns how many bytes of `ip` it filled, 4 or 16;
 * 0 when it is neither.
 */
ADS_MUST size_t
ads_ip_read(uint8_t ip[16], struct ads_str text);

/*
 * A range as it is in the head of the ad tables, 18 bytes:
 *
 *      0 16  first address; of IPv4 the first four bytes, the others zero
 *     16  1  bytes of an address: 4 or 16
 *     17  1  leading bits that an address of the range has in common with it
 */
struct ads_ip_range {
    uint8_t ip[16];
    uint8_t len;
    uint8_t bits;
};

/*
 * Reads a range such as 192.0.2.0/24 or 2001:db8::/32, or one address.  False
 * when it is none, has a bit set behind its prefix, or is IPv4 in IPv6's
 * clothes, which no client's address is compared as.
 */
ADS_MUST bool
ads_ip_range_read(struct ads_ip_range *range, struct ads_str text);

/* Is the address, 4 or 16 bytes, in the range?  A damaged range holds none. */
bool
ads_ip_range_holds(const struct ads_ip_range *range, const uint8_t *ip,
                   size_t len);

/* Makes ::ffff:192.0.2.1, as a socket of both families calls it, 192.0.2.1.
 * Returns how many bytes the address has now. */
size_t
ads_ip_unmap(uint8_t ip[16], size_t len);

/* Zeroes all but the first 24 bits of an IPv4 address (len 4; also one that is
 * mapped into IPv6), or all but the first 48 of an IPv6 one (len 16). */
void
ads_ip_mask(uint8_t ip[16], size_t len);

#endif
