/*
 * Password check that signing in and changing the password share: counting
 * failures, and taking the same time and words for every address.
 */
#ifndef ADSD_AUTH_LOGIN_H
#define ADSD_AUTH_LOGIN_H

#include "base/form.h"
#include "http/request.h"

/*
 * A password out of a body: exactly as it was sent, white space at its ends
 * included; ptr NULL: absent or no text.
 */
struct ads_str
auth_login_password_field(struct form *form, const char *name);

/*
 * Who knows their password.  It was `hash` when it was checked; what follows
 * from it goes to the database with the hash, where ads.password_holds() says
 * whether it still is, and ADS_BUSY is the answer when it is not.
 */
struct auth_login {
    const struct ads_uuid *code; /* in: of a mail, or NULL */
    struct ads_uuid user;
    struct ads_str hash;
};

/*
 * Finds the person with that e-mail and checks their password.  ADS_OK: it is
 * right, the rest of *login is set.  ADS_ANSWERED: with `wrong` (one for every
 * reason), with 429 while the client's address or all together wait after too
 * many failures, or when no slot for hashing was free.
 *
 * A login->code that was sent to that e-mail is let past what failures make
 * others wait; another is answered 400.  It is not used up: that is for who
 * begins the session, by ads.login_code_use.
 */
ADS_MUST enum ads_err
auth_login_check(struct request *request, struct ads_str email,
                 struct ads_str password, enum ads_problem wrong,
                 struct auth_login *login);

/* Wipes the body, and the copy of a password that was read out of it. */
void
auth_login_wipe(struct request *request, struct ads_str password);

#endif
