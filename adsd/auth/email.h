/*
 * E-mail addresses: a dot-atom and a host name (RFC 5321 without quotes,
 * comments and address literals), ASCII only.  What passes holds nothing that
 * means something in a header, a log or a command.
 */
#ifndef ADSD_AUTH_EMAIL_H
#define ADSD_AUTH_EMAIL_H

#include "base/form.h"
#include "http/request.h"

#define AUTH_EMAIL_MAX 254

ADS_MUST bool
auth_email_check(struct ads_str email);

/* Reads such a field; ptr NULL: absent or wrong. */
struct ads_str
auth_email_field(struct form *form, const char *name);

/* A MAC of the address, whatever its case: what failures are counted by. */
void
auth_email_mac(struct request *request, struct ads_str email, uint8_t mac[32]);

#endif
