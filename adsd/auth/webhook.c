/*
 * Verifies the signature of a webhook.  The header is parsed by hand: at most
 * HEADER_MAX bytes, one time, some signatures; what else it names is the
 * provider's and means nothing here.
 */
#include "auth/webhook.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"

#define DUTY "auth"
#define SECRET_LEAST 32
#define SECRET_MOST 128
#define FILE_MAX 4096
#define HEADER_MAX 1024
#define SIGNATURES_MAX 8
#define TIME_DIGITS_MAX 12

struct secret {
    size_t len;
    char text[SECRET_MOST];
};

struct auth_webhook {
    size_t n;
    struct secret secrets[AUTH_WEBHOOK_MAX];
};

struct claim {
    struct ads_str time; /* as it was signed */
    int64_t unix_s;
    size_t n;
    uint8_t signatures[SIGNATURES_MAX][crypto_auth_hmacsha256_BYTES];
};


/* ---- secrets ---- */

static bool
secret_take(struct auth_webhook *webhook, struct ads_str line)
{
    struct secret *secret = &webhook->secrets[webhook->n];

    if (webhook->n == AUTH_WEBHOOK_MAX || line.len < SECRET_LEAST
        || line.len > SECRET_MOST)
    {
        return false;
    }
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] <= ' ' || line.ptr[i] > '~') {
            return false;
        }
    }
    memcpy(secret->text, line.ptr, line.len);
    secret->len = line.len;
    webhook->n++;
    return true;
}


struct auth_webhook *
auth_webhook_parse(struct ads_str text)
{
    struct auth_webhook *webhook = xcalloc(1, sizeof(*webhook));
    struct ads_str line;
    const char *end;
    bool good = true;

    while (text.len > 0 && good) {
        end = memchr(text.ptr, '\n', text.len);
        line.ptr = text.ptr;
        line.len = end == NULL ? text.len : (size_t)(end - text.ptr);
        if (line.len > 0 && line.ptr[0] != '#') {
            good = secret_take(webhook, line);
        }
        line.len += end == NULL ? 0 : 1;
        text.ptr += line.len;
        text.len -= line.len;
    }
    if (!good || webhook->n == 0) {
        auth_webhook_free(webhook);
        return NULL;
    }
    return webhook;
}


enum ads_err
auth_webhook_open(struct auth_webhook **webhook, const char *path,
                  struct log *log)
{
    char text[FILE_MAX];
    struct stat st;
    ssize_t len;
    int fd;

    *webhook = NULL;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        log_error(log, DUTY,
                  "could not open topup_webhook_secret_file \"%s\": %s", path,
                  strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return ADS_IO;
    }
    len = read(fd, text, sizeof(text));
    (void)close(fd);
    if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0) {
        log_error(log, DUTY, "%s: others than its owner may read it: chmod 600",
                  path);
    } else if (len > 0 && len < (ssize_t)sizeof(text)) {
        *webhook = auth_webhook_parse((struct ads_str){text, (size_t)len});
    }
    sodium_memzero(text, sizeof(text));
    if (*webhook == NULL) {
        log_error(log, DUTY,
                  "%s: not one to %d secrets of %d to %d printable characters,"
                  " one a line",
                  path, AUTH_WEBHOOK_MAX, SECRET_LEAST, SECRET_MOST);
        return ADS_INVALID;
    }
    return ADS_OK;
}


void
auth_webhook_free(struct auth_webhook *webhook)
{
    if (webhook != NULL) {
        sodium_memzero(webhook, sizeof(*webhook));
        free(webhook);
    }
}


/* ---- messages ---- */

static bool
time_read(struct claim *claim, struct ads_str text)
{
    int64_t s = 0;

    if (claim->time.ptr != NULL || text.len == 0 || text.len > TIME_DIGITS_MAX)
    {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (!ads_char_is_digit(text.ptr[i])) {
            return false;
        }
        s = s * 10 + (text.ptr[i] - '0');
    }
    claim->time = text;
    claim->unix_s = s;
    return true;
}


/* One "name=value"; false when the header is malformed. */
static bool
part_read(struct claim *claim, struct ads_str part)
{
    if (part.len > 2 && ads_str_starts(part, "t=")) {
        return time_read(claim, ads_str_tail(part, 2));
    }
    if (part.len > 3 && ads_str_starts(part, "v1=")) {
        part = ads_str_tail(part, 3);
        return claim->n < SIGNATURES_MAX
               && ads_hex_read(claim->signatures[claim->n++],
                               crypto_auth_hmacsha256_BYTES, part);
    }
    return true;
}


static bool
header_read(struct claim *claim, struct ads_str header)
{
    struct ads_str part;
    const char *end;

    *claim = (struct claim){.n = 0};
    if (header.ptr == NULL || header.len > HEADER_MAX) {
        return false;
    }
    while (header.len > 0) {
        end = memchr(header.ptr, ',', header.len);
        part.ptr = header.ptr;
        part.len = end == NULL ? header.len : (size_t)(end - header.ptr);
        if (!part_read(claim, part)) {
            return false;
        }
        part.len += end == NULL ? 0 : 1;
        header.ptr += part.len;
        header.len -= part.len;
    }
    return claim->time.ptr != NULL && claim->n > 0;
}


/* HMAC-SHA256 of the parts, one behind the other. */
static void
sign(const struct secret *secret, const struct ads_str *parts, size_t n,
     uint8_t mac[crypto_auth_hmacsha256_BYTES])
{
    crypto_auth_hmacsha256_state state;

    (void)crypto_auth_hmacsha256_init(
        &state, (const unsigned char *)secret->text, secret->len);
    for (size_t i = 0; i < n; i++) {
        (void)crypto_auth_hmacsha256_update(
            &state, (const unsigned char *)parts[i].ptr, parts[i].len);
    }
    (void)crypto_auth_hmacsha256_final(&state, mac);
    sodium_memzero(&state, sizeof(state));
}


bool
auth_webhook_check(const struct auth_webhook *webhook, struct ads_str header,
                   struct ads_str body, int64_t now_s)
{
    uint8_t mac[crypto_auth_hmacsha256_BYTES];
    struct ads_str parts[] = {{NULL, 0}, ADS_STR("."), {NULL, 0}};
    struct claim claim;
    bool good = false;

    if (!header_read(&claim, header)
        || claim.unix_s < now_s - AUTH_WEBHOOK_TOLERANCE_S
        || claim.unix_s > now_s + AUTH_WEBHOOK_TOLERANCE_S)
    {
        return false;
    }
    parts[0] = claim.time;
    parts[2] = body;
    for (size_t i = 0; i < webhook->n; i++) {
        sign(&webhook->secrets[i], parts, 3, mac);
        for (size_t k = 0; k < claim.n; k++) {
            good |= sodium_memcmp(mac, claim.signatures[k], sizeof(mac)) == 0;
        }
    }
    sodium_memzero(mac, sizeof(mac));
    return good;
}
