/*
 * One-time codes in mails: the id of a row and a MAC over it under a key that
 * only adsd has.  So the database holds nothing that could be used, a mail that
 * waits can be written again at any time, and a code says which row it is for
 * without a look-up.  Used once, or over: the row knows.
 */
#ifndef ADSD_AUTH_CODE_H
#define ADSD_AUTH_CODE_H

#include "ads_id.h"
#include "base/form.h"
#include "daemon/auth_keys.h"

#define AUTH_CODE_LEN ADS_BASE64URL_LEN(32)

/* Writes AUTH_CODE_LEN characters, no NUL. */
void
auth_code_write(char *dst, struct auth_keys *keys, const struct ads_uuid *id);

/* False: not a valid code. */
ADS_MUST bool
auth_code_read(struct ads_uuid *id, struct auth_keys *keys,
               struct ads_str text);

/*
 * Reads the field "code".  False: absent, or not a valid code; that is one
 * answer, code_invalid, once the form has found nothing else.
 */
bool
auth_code_field(struct form *form, struct auth_keys *keys, struct ads_uuid *id);

#endif
