/*
 * Signing up, in and out.
 *
 *     POST /v1/auth/signup     e-mail, password and an account of one's own
 *     POST /v1/auth/login      the same time and text whatever is wrong
 *     POST /v1/auth/refresh    the next tokens for the cookie
 *     POST /v1/auth/logout     {"all": true}: everywhere
 *     GET  /v1/auth/me         who am I, by token or key?
 *     GET  /v1/auth/jwks.json  the public keys of access tokens
 */
#ifndef ADSD_API_AUTH_H
#define ADSD_API_AUTH_H

#include "http/request.h"

enum ads_err
api_auth_signup(struct request *request);
enum ads_err
api_auth_login(struct request *request);
enum ads_err
api_auth_refresh(struct request *request);
enum ads_err
api_auth_logout(struct request *request);
enum ads_err
api_auth_me(struct request *request);
enum ads_err
api_auth_jwks(struct request *request);

#endif
