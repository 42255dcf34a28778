/*
 * Names that strangers read: of an account, beside its ads, and of a
 * publisher's site.  What may be one is decided by ads.name_public
 * (sql/code/65_sign_in.sql), which no writer gets past.
 */
#ifndef ADSD_AUTH_NAME_H
#define ADSD_AUTH_NAME_H

#include "base/form.h"
#include "http/request.h"

#define AUTH_NAME_MAX 200 /* characters */

/*
 * Reads such a field; *text is absent when it is, or is wrong.  What may not be
 * public is noted in the form.  Other than ADS_OK only when the database fails.
 */
ADS_MUST enum ads_err
auth_name_field(struct request *request, struct form *form, const char *name,
                unsigned flags, struct ads_str *text);

#endif
