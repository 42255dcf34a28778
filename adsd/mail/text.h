/*
 * Mails as bytes (RFC 5322, MIME): what each kind says.  Nothing that a user
 * wrote is in one but the address it goes to.
 *
 * Links lead to base_url and never to what a request called us.  A code is in
 * the fragment, which browsers do not send: neither our log nor a proxy's sees
 * it.
 */
#ifndef ADSD_MAIL_TEXT_H
#define ADSD_MAIL_TEXT_H

#include "ads_id.h"
#include "base/pool.h"
#include "daemon/auth_keys.h"

struct mail_text {
    struct ads_uuid id; /* of the row; of a code, for kinds that carry one */
    struct ads_str kind;
    struct ads_str to; /* checked by auth_email_check */
    const char *from;  /* "Name <address>" or an address */
    const char *base_url;
    int64_t unix_s;
};

/* The whole mail, lines ended by CR LF; ptr NULL when nothing of that kind is
 * known. */
struct ads_str
mail_text_write(struct pool *pool, struct auth_keys *keys,
                const struct mail_text *mail);

/* The address alone, out of "Name <address>". */
struct ads_str
mail_text_address(struct ads_str from);

/* "no-reply@" and the host of base_url, where the operator named no sender. */
char *
mail_text_sender(struct pool *pool, const char *base_url);

#endif
