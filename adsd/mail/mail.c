/*
 * Sends mails over SMTP, one easy handle a mail, each wait with a deadline.
 */
#include "mail/mail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>

#include "auth/email.h"
#include "base/clock.h"
#include "mail/text.h"

#define DUTY "mail"
#define LOOK_MS 1000 /* for mails that no wake-up came for */
#define CONNECT_MS 10000L
#define SEND_MS 30000L
#define PASSWORD_MAX 1024

static const struct db_stmt STMT_TAKE = {
    .name = "mail_take",
    .sql = "select id, kind, email, tries from ads.mail_take()",
};

enum mail_column { MAIL_ID, MAIL_KIND, MAIL_EMAIL, MAIL_TRIES };

static const struct db_stmt STMT_DONE = {
    .name = "mail_done",
    .sql = "select ads.mail_done($1)",
    .n_params = 1,
};

/* What one mail needs while it goes out. */
struct sending {
    const struct adsd *adsd;
    struct pool *pool;
    const char *from;
    struct ads_str to;
    struct ads_str text;
    size_t sent;
};


/* ---- SMTP ---- */

static size_t
text_read(char *buffer, size_t size, size_t n, void *arg)
{
    struct sending *sending = arg;
    size_t left = sending->text.len - sending->sent;

    if (left > size * n) {
        left = size * n;
    }
    memcpy(buffer, sending->text.ptr + sending->sent, left);
    sending->sent += left;
    return left;
}


/* A stop ends what is under way: it is sent again after the start. */
static int
progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct sending *sending = arg;

    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return adsd_stopping(sending->adsd) ? 1 : 0;
}


static bool
is_loopback(const char *url)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = strstr(url, "://");

    for (size_t i = 0; host != NULL && i < 3; i++) {
        size_t len = strlen(hosts[i]);

        if (strncasecmp(host + 3, hosts[i], len) == 0
            && strchr(":/", host[3 + len]) != NULL)
        {
            return true;
        }
    }
    return false;
}


/* The first line of mail_password_file; NULL when it cannot be read. */
static char *
password_read(const struct sending *sending)
{
    const char *path = sending->adsd->conf.mail_password_file;
    char line[PASSWORD_MAX] = {0}, *kept;
    FILE *file = fopen(path, "re");

    if (file == NULL || fgets(line, sizeof(line), file) == NULL) {
        log_error(sending->adsd->log, DUTY, "could not read \"%s\"", path);
        kept = NULL;
    } else {
        line[strcspn(line, "\r\n")] = '\0';
        kept = pool_text(sending->pool, (struct ads_str){line, strlen(line)});
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    explicit_bzero(line, sizeof(line));
    return kept;
}


static bool
credentials_set(CURL *handle, const struct sending *sending)
{
    const struct conf *conf = &sending->adsd->conf;
    char *password;
    bool ok;

    if (conf->mail_user[0] == '\0') {
        return true;
    }
    password = password_read(sending);
    if (password == NULL) {
        return false;
    }
    ok = curl_easy_setopt(handle, CURLOPT_USERNAME, conf->mail_user) == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_PASSWORD, password) == CURLE_OK;
    explicit_bzero(password, strlen(password));
    return ok;
}


/* Everything but smtps: begins in the clear and must become TLS, unless it
 * stays on this machine. */
static bool
options_set(CURL *handle, struct sending *sending, struct curl_slist *to)
{
    const char *url = sending->adsd->conf.mail_url;
    struct ads_str from = mail_text_address(
        (struct ads_str){sending->from, strlen(sending->from)});
    const char *address = pool_text(sending->pool, from);
    long tls = is_loopback(url) ? CURLUSESSL_TRY : CURLUSESSL_ALL;

    return curl_easy_setopt(handle, CURLOPT_URL, url) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
                  == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_USE_SSL, tls) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS)
                  == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, SEND_MS) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_MAIL_FROM, address) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, to) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_READFUNCTION, text_read)
                  == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_READDATA, sending) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress)
                  == CURLE_OK
           && curl_easy_setopt(handle, CURLOPT_XFERINFODATA, sending)
                  == CURLE_OK
           && credentials_set(handle, sending);
}


/* ADS_DENIED: the server will never take it. */
static enum ads_err
smtp_send(struct sending *sending)
{
    const char *to = pool_text(sending->pool, sending->to);
    struct curl_slist *list = curl_slist_append(NULL, to);
    CURL *handle = curl_easy_init();
    CURLcode code = CURLE_FAILED_INIT;
    long response = 0;

    if (handle != NULL && list != NULL && options_set(handle, sending, list)) {
        code = curl_easy_perform(handle);
        (void)curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &response);
    }
    curl_easy_cleanup(handle);
    curl_slist_free_all(list);
    if (code == CURLE_OK) {
        return ADS_OK;
    }
    log_warn(sending->adsd->log, DUTY, "the mail server took no mail: %s, %ld",
             curl_easy_strerror(code), response);
    return response >= 550 && response <= 559 ? ADS_DENIED : ADS_UNAVAILABLE;
}


/* ---- a folder ---- */

/* Whole or not at all, under a name that sorts by time. */
static enum ads_err
file_write(const struct sending *sending, const struct ads_uuid *id)
{
    const char *dir = sending->adsd->conf.mail_dir;
    char text[ADS_UUID_TEXT_LEN + 1] = {0};
    char *tmp, *path;
    bool ok;
    int fd;

    (void)ads_uuid_write(text, id);
    path = pool_format(sending->pool, NULL, "%s/%lld-%.8s.eml", dir,
                       (long long)(clock_realtime_us() / 1000), text);
    tmp = pool_format(sending->pool, NULL, "%s.new", path);
    (void)mkdir(dir, 0700);
    fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ok = fd >= 0
         && write(fd, sending->text.ptr, sending->text.len)
                == (ssize_t)sending->text.len;
    ok = (fd < 0 || close(fd) == 0) && ok && rename(tmp, path) == 0;
    if (!ok) {
        log_error(sending->adsd->log, DUTY, "could not write \"%s\": %s", path,
                  strerror(errno));
    }
    return ok ? ADS_OK : ADS_IO;
}


/* ---- the queue ---- */

static enum ads_err
send_one(const struct adsd *adsd, struct pool *pool, const struct db_rows *rows)
{
    struct sending sending = {
        .adsd = adsd,
        .pool = pool,
        .from = adsd->conf.mail_from[0] != '\0'
                    ? adsd->conf.mail_from
                    : mail_text_sender(pool, adsd->conf.base_url),
        .to = db_text(rows, 0, MAIL_EMAIL),
    };
    const struct mail_text mail = {
        .id = db_uuid(rows, 0, MAIL_ID),
        .kind = db_text(rows, 0, MAIL_KIND),
        .to = sending.to,
        .from = sending.from,
        .base_url = adsd->conf.base_url,
        .unix_s = clock_realtime_us() / 1000000,
    };
    enum ads_err err = ADS_DENIED;

    if (auth_email_check(sending.to)) {
        sending.text = mail_text_write(pool, adsd->auth_keys, &mail);
    }
    if (sending.text.ptr != NULL) {
        err = adsd->conf.mail_url[0] != '\0' ? smtp_send(&sending)
                                             : file_write(&sending, &mail.id);
        explicit_bzero((char *)sending.text.ptr, sending.text.len);
    }
    if (err == ADS_DENIED) {
        log_warn(adsd->log, DUTY, "a mail is given up: %.*s",
                 (int)mail.kind.len, mail.kind.ptr);
    }
    return err;
}


/* True when there may be more. */
static bool
cycle(const struct adsd *adsd, struct db *db)
{
    struct pool *pool = pool_new();
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    enum ads_err err;
    bool more;

    db_args_init(&args, pool);
    err = db_run_alone(db, &STMT_TAKE, &args, &rows);
    more = err == ADS_OK && db_n_rows(rows) == 1;
    if (more && !db_is_null(rows, 0, MAIL_KIND)) {
        err = send_one(adsd, pool, rows);
        if (err == ADS_OK || err == ADS_DENIED) {
            id = db_uuid(rows, 0, MAIL_ID);
            db_args_init(&args, pool);
            db_arg_uuid(&args, &id);
            err = db_run_alone(db, &STMT_DONE, &args, NULL);
        }
    }
    pool_free(pool);
    return more && err == ADS_OK;
}


void
mail_run(struct adsd *adsd)
{
    struct db *db = db_new(&(struct db_options){
        .duty = DB_MAINTAIN,
        .conninfo = adsd->conf.database,
        .log = adsd->log,
        .pulse = adsd_pulse(adsd),
    });
    eventfd_t woken;

    if (adsd->conf.mail_url[0] == '\0' && adsd->conf.mail_dir[0] == '\0') {
        log_warn(adsd->log, DUTY,
                 "mails wait: neither mail_url nor mail_dir is set");
        (void)adsd_wait(adsd, -1, -1);
        db_free(db);
        return;
    }
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
    while (adsd_wait_for_database(adsd, db)) {
        while (!adsd_stopping(adsd) && cycle(adsd, db)) {
        }
        if (adsd_wait(adsd, adsd->mail_fd, LOOK_MS)) {
            (void)eventfd_read(adsd->mail_fd, &woken);
        }
    }
    curl_global_cleanup();
    db_free(db);
}
