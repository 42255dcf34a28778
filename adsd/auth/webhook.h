/*
 * Signature of a payment provider's webhooks:
 *
 *     Ads-Signature: t=<unix seconds>,v1=<64 hex digits>[,v1=...]
 *
 * v1 is the HMAC-SHA256 of "<t>.<body>" under a secret that both sides have.  A
 * message is good for AUTH_WEBHOOK_TOLERANCE_S seconds either way; sent again
 * within them it is the same message, so what it asks for must be something
 * that happens once (sql/code/32_topups.sql).
 *
 * The file holds up to AUTH_WEBHOOK_MAX secrets, one a line, of 32 to 128
 * printable characters, for its owner only; any of them will do, so that one
 * can follow another.  `#` begins a comment line.  It is read at start.
 */
#ifndef ADSD_AUTH_WEBHOOK_H
#define ADSD_AUTH_WEBHOOK_H

#include "ads_bytes.h"
#include "ads_err.h"
#include "base/log.h"

#define AUTH_WEBHOOK_MAX 4
#define AUTH_WEBHOOK_TOLERANCE_S 300

struct auth_webhook;

/* ADS_IO or ADS_INVALID, logged, when the file cannot be used. */
ADS_MUST enum ads_err
auth_webhook_open(struct auth_webhook **webhook, const char *path,
                  struct log *log);

/* Secrets out of a text, for tests; NULL when it holds none or a bad one. */
struct auth_webhook *
auth_webhook_parse(struct ads_str text);

/* Wipes them; NULL is fine. */
void
auth_webhook_free(struct auth_webhook *webhook);

/* Does the header sign this body, and is its time recent?  The signatures are
 * compared in constant time. */
ADS_MUST bool
auth_webhook_check(const struct auth_webhook *webhook, struct ads_str header,
                   struct ads_str body, int64_t now_s);

#endif
