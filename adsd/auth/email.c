/*
 * Validates e-mail addresses: two tables of characters and a few lengths.
 */
#define _GNU_SOURCE /* memrchr */

#include "auth/email.h"

#include "daemon/auth_keys.h"

#define LOCAL_MAX 64
#define LABEL_MAX 63
#define ATOM_SIGNS "!#$%&'*+/=?^_`{|}~-."


static bool
local_check(struct ads_str local)
{
    char before = '.';

    for (size_t i = 0; i < local.len; i++) {
        char c = local.ptr[i];

        if ((c == '.' && before == '.')
            || (!ads_char_is_alnum(c)
                && (c == '\0' || strchr(ATOM_SIGNS, c) == NULL)))
        {
            return false;
        }
        before = c;
    }
    return local.len > 0 && local.len <= LOCAL_MAX && before != '.';
}


/* Labels of letters, digits and dashes, two at least, the last no number. */
static bool
host_check(struct ads_str host)
{
    size_t from = 0, n = 0;

    for (size_t i = 0; i <= host.len; i++) {
        if (i < host.len && host.ptr[i] != '.') {
            if (!ads_char_is_alnum(host.ptr[i]) && host.ptr[i] != '-') {
                return false;
            }
            continue;
        }
        if (i == from || i - from > LABEL_MAX || host.ptr[from] == '-'
            || host.ptr[i - 1] == '-')
        {
            return false;
        }
        n++;
        if (i < host.len) {
            from = i + 1;
        }
    }
    return n >= 2 && !ads_char_is_digit(host.ptr[from]);
}


bool
auth_email_check(struct ads_str email)
{
    const char *at = memrchr(email.ptr, '@', email.len);

    if (at == NULL || email.len > AUTH_EMAIL_MAX) {
        return false;
    }
    return local_check((struct ads_str){email.ptr, (size_t)(at - email.ptr)})
           && host_check((struct ads_str){
               at + 1, email.len - (size_t)(at + 1 - email.ptr)});
}


struct ads_str
auth_email_field(struct form *form, const char *name)
{
    struct ads_str email =
        form_text(form, name, FORM_REQUIRED, 3, AUTH_EMAIL_MAX);

    if (email.ptr != NULL && !auth_email_check(email)) {
        form_error(form, name, "invalid_format",
                   "must be an e-mail address, as name@example.com");
        email.ptr = NULL;
    }
    return email;
}


void
auth_email_mac(struct request *request, struct ads_str email, uint8_t mac[32])
{
    char *lower = pool_text(request->pool, email);

    for (size_t i = 0; i < email.len; i++) {
        lower[i] = ads_char_lower(lower[i]);
    }
    auth_keys_mac(request->adsd->auth_keys, "login failures",
                  (struct ads_str){lower, email.len}, mac);
}
