/*
 * A new password, by who knows the old one or reads the mailbox.
 *
 *     POST /v1/auth/password                {current_password, password}
 *     POST /v1/auth/password/reset          {email}: always 202
 *     POST /v1/auth/password/reset/confirm  {code, password}
 */
#ifndef ADSD_API_PASSWORD_H
#define ADSD_API_PASSWORD_H

#include "http/request.h"

enum ads_err
api_password_change(struct request *request);
enum ads_err
api_password_reset(struct request *request);
enum ads_err
api_password_confirm(struct request *request);

#endif
