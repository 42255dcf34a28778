/*
 * Who may act for the account.
 *
 *     GET    /v1/account/members       members, and who is invited
 *     POST   /v1/account/members       {email, role}: invites by mail
 *     GET    /v1/account/members/{id}  with its ETag
 *     PATCH  /v1/account/members/{id}  {role}; obeys If-Match
 *     DELETE /v1/account/members/{id}  removes, leaves, or takes an invitation
 *                                      back
 *     POST   /v1/auth/invitations/accept  {code}
 *
 * `id` is the person's, or the invitation's.
 */
#ifndef ADSD_API_MEMBER_H
#define ADSD_API_MEMBER_H

#include "http/request.h"

enum ads_err
api_member_list(struct request *request);
enum ads_err
api_member_invite(struct request *request);
enum ads_err
api_member_get(struct request *request);
enum ads_err
api_member_patch(struct request *request);
enum ads_err
api_member_delete(struct request *request);
enum ads_err
api_member_accept(struct request *request);

#endif
