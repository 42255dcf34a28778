/*
 * Request body as a form (base/form.h); an invalid one is answered with 400 and
 * every error.
 *
 *     err = body_begin(&form, request);
 *     if (err != ADS_OK) {
 *         return err;
 *     }
 *     name = form_text(&form, "name", FORM_REQUIRED, 1, 200);
 *     err = body_end(&form, request);
 *     if (err != ADS_OK) {
 *         return err;
 *     }
 */
#ifndef ADSD_BODY_H
#define ADSD_BODY_H

#include "base/form.h"
#include "http/request.h"

/* Reads the request's body, which must be an object; else ADS_ANSWERED, 400.
 * An absent body reads as an empty object. */
ADS_MUST enum ads_err
body_begin(struct form *form, struct request *request);

/* Notes the fields that were not read; ADS_ANSWERED, 400, when there are any
 * errors. */
ADS_MUST enum ads_err
body_end(struct form *form, struct request *request);

#endif
