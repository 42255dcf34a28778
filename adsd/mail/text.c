/*
 * Writes the mails: a table of kinds, and a small writer.  Bodies are text,
 * 7bit when they are ASCII, else quoted-printable.
 */
#include "mail/text.h"

#include <stdio.h>
#include <time.h>

#include "auth/code.h"

#define LINE_MAX_LEN 76

/* In texts: %U base_url, %L the link.  Nothing that a user wrote is in them: a
 * mail from us is no way to say something to a stranger. */
struct kind {
    const char *name;
    const char *link; /* what the fragment calls the code; NULL: none */
    const char *subject;
    const char *body;
};

#define FOOT "\n-- \n%U\n"
#define NOT_YOU                                              \
    "\nIf that was not you, set a new password at once:\n\n" \
    "    %U/dashboard/#forgot\n" FOOT

static const struct kind kinds[] = {
    {"verify", "verify", "Confirm your e-mail address",
     "Somebody signed up at %U with this address.\n"
     "If that was you, confirm it within three days:\n\n"
     "    %L\n\n"
     "If not, do nothing.\n" FOOT},
    {"reset", "reset", "Set a new password",
     "Somebody asked for a new password for the account at %U\n"
     "that has this address.  If that was you, set it within an hour:\n\n"
     "    %L\n\n"
     "If not, do nothing: your password stays as it is.\n" FOOT},
    {"login", "login", "Sign in",
     "Somebody wants to sign in at %U with this address, for which too many\n"
     "wrong passwords came.  If that is you, sign in within an hour here, "
     "with\n"
     "your password:\n\n"
     "    %L\n\n"
     "If not, do nothing: without your password the link is of no use.\n" FOOT},
    {"email_change", "verify", "Confirm your new e-mail address",
     "Somebody wants to sign in at %U with this address from now on.\n"
     "If that is you, confirm it within a day:\n\n"
     "    %L\n\n"
     "If not, do nothing.\n" FOOT},
    {"invite", "invite", "You are invited to an account",
     "You are invited to work on somebody's account at %U.\n"
     "Sign in or sign up there with this address and accept within a week:\n\n"
     "    %L\n" FOOT},
    {"password_changed", NULL, "Your password was changed",
     "The password of your account was changed, and you were signed out\n"
     "everywhere else.\n" NOT_YOU},
    {"email_changed", NULL, "Your e-mail address was changed",
     "Your account has another e-mail address now; this one no longer signs\n"
     "in.  If that was not you, answer to the operators of %U.\n" FOOT},
    {"link_added", NULL, "Another way to sign in was added",
     "An account at another provider can now sign in to yours.\n" NOT_YOU},
    {"link_removed", NULL, "A way to sign in was removed",
     "An account at another provider can no longer sign in to "
     "yours.\n" NOT_YOU},
};

struct writer {
    struct pool *pool;
    const struct mail_text *mail;
    struct auth_keys *keys;
    const struct kind *kind;
};


/* ---- filling in ---- */

static struct ads_str
link_make(const struct writer *w)
{
    char code[AUTH_CODE_LEN];
    struct ads_str link;

    auth_code_write(code, w->keys, &w->mail->id);
    link.ptr =
        pool_format(w->pool, &link.len, "%s/dashboard/#%s=%.*s",
                    w->mail->base_url, w->kind->link, (int)sizeof(code), code);
    explicit_bzero(code, sizeof(code));
    return link;
}


static struct ads_str
filled(const struct writer *w, const char *template)
{
    struct ads_str whole = {"", 0}, part;
    size_t plain;

    while (*template != '\0') {
        plain = strcspn(template, "%");
        part = (struct ads_str){template, plain};
        if (plain == 0) {
            plain = 2;
            part = template[1] == 'L'
                       ? link_make(w)
                       : (struct ads_str){w->mail->base_url,
                                          strlen(w->mail->base_url)};
        }
        whole.ptr = pool_format(w->pool, &whole.len, "%.*s%.*s", (int)whole.len,
                                whole.ptr, (int)part.len, part.ptr);
        template += plain;
    }
    return whole;
}


/* ---- MIME ---- */

static bool
is_ascii(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((uint8_t)text.ptr[i] >= 0x7f) {
            return false;
        }
    }
    return true;
}


/* Lines ended by CR LF, quoted-printable unless the text is ASCII. */
static struct ads_str
body_encode(struct pool *pool, struct ads_str text, bool quoted)
{
    char *whole = pool_alloc(pool, text.len * 4 + 16), *at = whole;
    size_t column = 0;

    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.ptr[i];

        if (c == '\n') {
            at = stpcpy(at, "\r\n");
            column = 0;
            continue;
        }
        if (quoted && column >= LINE_MAX_LEN - 4) {
            at = stpcpy(at, "=\r\n");
            column = 0;
        }
        if (quoted && (c >= 0x7f || c == '=')) {
            at += sprintf(at, "=%02X", c);
            column += 3;
        } else {
            *at++ = (char)c;
            column++;
        }
    }
    return (struct ads_str){whole, (size_t)(at - whole)};
}


/* ---- the mail ---- */

static struct ads_str
host_of(const char *base_url)
{
    const char *host = strstr(base_url, "://") + 3;

    return (struct ads_str){host, strcspn(host, "/:")};
}


char *
mail_text_sender(struct pool *pool, const char *base_url)
{
    struct ads_str host = host_of(base_url);

    return pool_format(pool, NULL, "no-reply@%.*s", (int)host.len, host.ptr);
}


struct ads_str
mail_text_address(struct ads_str from)
{
    const char *open = memchr(from.ptr, '<', from.len);

    if (open != NULL && from.ptr[from.len - 1] == '>') {
        return (struct ads_str){open + 1,
                                from.len - (size_t)(open + 1 - from.ptr) - 1};
    }
    return from;
}


static const struct kind *
kind_find(struct ads_str name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (ads_str_is(name, kinds[i].name)) {
            return &kinds[i];
        }
    }
    return NULL;
}


static void
date_write(char dst[64], int64_t unix_s)
{
    time_t at = (time_t)unix_s;
    struct tm tm;

    /* the program never leaves the C locale, so names are English */
    if (gmtime_r(&at, &tm) == NULL
        || strftime(dst, 64, "%a, %d %b %Y %H:%M:%S +0000", &tm) == 0)
    {
        dst[0] = '\0';
    }
}


struct ads_str
mail_text_write(struct pool *pool, struct auth_keys *keys,
                const struct mail_text *mail)
{
    struct writer w = {pool, mail, keys, kind_find(mail->kind)};
    struct ads_str host = host_of(mail->base_url), body, whole;
    char date[64], id[ADS_UUID_TEXT_LEN + 1] = {0};
    bool quoted;

    if (w.kind == NULL) {
        return (struct ads_str){NULL, 0};
    }
    date_write(date, mail->unix_s);
    (void)ads_uuid_write(id, &mail->id);
    body = filled(&w, w.kind->body);
    quoted = !is_ascii(body);
    body = body_encode(pool, body, quoted);

    /* a Message-ID that does not give the code's half away */
    id[23] = '\0';
    whole.ptr = pool_format(
        pool, &whole.len,
        "Date: %s\r\nFrom: %s\r\nTo: %.*s\r\nSubject: %s\r\n"
        "Message-ID: <%s.%lld@%.*s>\r\nAuto-Submitted: auto-generated\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: %s\r\n\r\n%.*s",
        date, mail->from, (int)mail->to.len, mail->to.ptr, w.kind->subject, id,
        (long long)mail->unix_s, (int)host.len, host.ptr,
        quoted ? "quoted-printable" : "7bit", (int)body.len, body.ptr);
    return whole;
}
