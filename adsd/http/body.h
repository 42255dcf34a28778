/*
 * The body of a request as a form (base/form.h), and the answer, 400 with every
 * mistake, when it is none or not a good one.
 *
 *     if (!body_begin(&form, request)) {
 *         return ADS_OK;
 *     }
 *     name = form_text(&form, "name", FORM_REQUIRED, 1, 200);
 *     if (!body_end(&form, request)) {
 *         return ADS_OK;
 *     }
 */
#ifndef ADSD_BODY_H
#define ADSD_BODY_H

#include "base/form.h"
#include "http/request.h"

/* Reads the request's body, which must be an object; an absent one reads as an
 * empty object.  False: the answer is there. */
ADS_MUST bool
body_begin(struct form *form, struct request *request);

/* Adds the fields nobody asked for; false: the answer is there. */
ADS_MUST bool
body_end(struct form *form, struct request *request);

#endif
