/*
 * Sessions of people who are signed in.  A session is a row; what a client
 * holds of it is an access token of 15 minutes (auth/jwt.h) and, in a cookie, a
 * refresh token that is used once for the next pair.  Each request looks the
 * session up, so that signing out counts at once and not when the token runs
 * out.
 */
#ifndef ADSD_AUTH_SESSION_H
#define ADSD_AUTH_SESSION_H

#include "http/request.h"

/*
 * Fills request->actor from an access token.  The account is the session's, or
 * the one in X-Ads-Account when the person is a member of it.  ADS_DENIED: not
 * a valid token, or its session ended; ADS_EXPIRED: it was good once; ADS_BUSY
 * with an answer: the person asks too often; else what the database said.
 */
ADS_MUST enum ads_err
auth_session_find(struct request *request, struct ads_str token);

struct auth_session_start {
    struct ads_uuid user;
    const struct ads_uuid *account; /* to act for; NULL: the oldest of theirs */
    const char *method;             /* "password", "google", ... */
    struct ads_str password_hash;   /* which must still be theirs; ptr NULL:
                                     * another way in */
};

/* What a sign-in gives; all of it lives in the request's pool. */
struct auth_session {
    struct ads_uuid id;
    struct ads_uuid user;
    struct ads_uuid account;
    struct ads_str refresh; /* the token: a secret */
    int64_t life_s;         /* of it */
    struct db_rows *view;
};

/*
 * Signs a person in, inside the caller's transaction, which it has to commit
 * before it answers.  Who they are was proven before.  ADS_DENIED: they belong
 * to no account that is active; ADS_BUSY: their password changed meanwhile.
 */
ADS_MUST enum ads_err
auth_session_begin(struct request *request, struct db_tx *tx,
                   const struct auth_session_start *start,
                   struct auth_session *session);

/*
 * The next pair for a refresh token, inside the caller's transaction, to be
 * committed whatever is returned: a token that comes a second time ends its
 * session.  ADS_DENIED: unknown, used, or of a session that ended.
 */
ADS_MUST enum ads_err
auth_session_refresh(struct request *request, struct db_tx *tx,
                     struct ads_str refresh, struct auth_session *session);

/* Answers with access token, person and account, and sets the cookie. */
void
auth_session_answer(struct request *request, unsigned status,
                    const struct auth_session *session);

/* Sets the cookie alone, for an answer that is a redirect. */
void
auth_session_cookie(struct request *request,
                    const struct auth_session *session);

/* BLAKE2b-256 of a refresh token, as it is stored. */
#define AUTH_REFRESH_HASH_LEN 32

void
auth_session_refresh_hash(uint8_t hash[AUTH_REFRESH_HASH_LEN],
                          struct ads_str refresh);

/* Members "user" and "account" of an object, from a row of ads.session_view. */
void
auth_session_write(struct json *json, const struct db_rows *view);

#endif
