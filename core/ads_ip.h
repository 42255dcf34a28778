/*
 * IP addresses as text, and their masked form, which is the only one that is
 * kept: an address is personal data.
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

/* Zeroes all but the first 24 bits of an IPv4 address (len 4; also one that is
 * mapped into IPv6), or all but the first 48 of an IPv6 one (len 16). */
void
ads_ip_mask(uint8_t ip[16], size_t len);

#endif
