/*
 * Where a person is signed in.
 *
 *     GET    /v1/auth/sessions        newest first
 *     DELETE /v1/auth/sessions        signs out everywhere else
 *     GET    /v1/auth/sessions/{id}
 *     DELETE /v1/auth/sessions/{id}   signs out there
 */
#ifndef ADSD_API_SESSION_H
#define ADSD_API_SESSION_H

#include "http/request.h"

enum ads_err
api_session_list(struct request *request);
enum ads_err
api_session_end_others(struct request *request);
enum ads_err
api_session_get(struct request *request);
enum ads_err
api_session_end(struct request *request);

#endif
