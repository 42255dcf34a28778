/*
 * A person's e-mail address.
 *
 *     POST /v1/auth/email                {email, password}: change it, by mail
 *     POST /v1/auth/email/verify         {code}: of either mail
 *     POST /v1/auth/email/verify/resend
 */
#ifndef ADSD_API_EMAIL_H
#define ADSD_API_EMAIL_H

#include "http/request.h"

enum ads_err
api_email_change(struct request *request);
enum ads_err
api_email_verify(struct request *request);
enum ads_err
api_email_resend(struct request *request);

#endif
