/*
 * Loads the keys of access tokens and of MACs.  Users of the keys hold the lock
 * for reading; the file's times are checked first, and the lock is taken for
 * writing only when they changed.
 */
#include "daemon/auth_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"

#define DUTY "auth"
#define FILE_MAX 4096
#define MAC_CONTEXT "ads mac:"

struct key {
    char kid[AUTH_KID_MAX + 1];
    bool signs;
    uint8_t public[crypto_sign_PUBLICKEYBYTES];
    uint8_t secret[crypto_sign_SECRETKEYBYTES];
    uint8_t mac[crypto_generichash_KEYBYTES]; /* MAC keys derive from it */
};

struct set {
    size_t n;
    size_t signing;
    struct key keys[AUTH_KEYS_MAX];
};

/* What tells one state of a file from another. */
struct stamp {
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct auth_keys {
    struct log *log;
    char *path; /* NULL: made from a text */
    pthread_rwlock_t lock;
    struct stamp stamp; /* of the file last looked into, good or bad */
    struct set set;
};


/* ---- the text ---- */

static bool
is_kid(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (!ads_char_is_alnum(c) && c != '-' && c != '_') {
            return false;
        }
    }
    return text.len > 0 && text.len <= AUTH_KID_MAX;
}


static struct ads_str
word_next(struct ads_str *line)
{
    struct ads_str word;

    while (line->len > 0 && (*line->ptr == ' ' || *line->ptr == '\t')) {
        line->ptr++;
        line->len--;
    }
    word = (struct ads_str){line->ptr, 0};
    while (line->len > 0 && *line->ptr != ' ' && *line->ptr != '\t'
           && *line->ptr != '#')
    {
        word.len++;
        line->ptr++;
        line->len--;
    }
    return word;
}


static void
key_derive(struct key *key, const uint8_t seed[crypto_sign_SEEDBYTES])
{
    (void)crypto_sign_seed_keypair(key->public, key->secret, seed);
    (void)crypto_generichash(
        key->mac, sizeof(key->mac), (const unsigned char *)MAC_CONTEXT,
        sizeof(MAC_CONTEXT) - 1, seed, crypto_sign_SEEDBYTES);
}


static const struct key *
key_find(const struct set *set, struct ads_str kid)
{
    for (size_t i = 0; i < set->n; i++) {
        if (ads_str_is(kid, set->keys[i].kid)) {
            return &set->keys[i];
        }
    }
    return NULL;
}


/* NULL, or what is wrong with the line. */
static const char *
line_read(struct set *set, struct ads_str line)
{
    struct ads_str kid = word_next(&line);
    struct ads_str seed = word_next(&line);
    struct ads_str use = word_next(&line);
    struct ads_str rest = word_next(&line);
    uint8_t bytes[crypto_sign_SEEDBYTES];
    struct key *key = &set->keys[set->n];

    if (kid.len == 0) {
        return NULL;
    }
    if (set->n == AUTH_KEYS_MAX) {
        return "too many keys";
    }
    if (!is_kid(kid) || key_find(set, kid) != NULL) {
        return "no key id, or one that stands above";
    }
    if (!ads_hex_read(bytes, sizeof(bytes), seed)) {
        return "a seed is 64 hex digits";
    }
    if (rest.len > 0 || !(ads_str_is(use, "sign") || ads_str_is(use, "verify")))
    {
        sodium_memzero(bytes, sizeof(bytes));
        return "a key is for sign or for verify";
    }
    memcpy(key->kid, kid.ptr, kid.len);
    key->kid[kid.len] = '\0';
    key->signs = ads_str_is(use, "sign");
    key_derive(key, bytes);
    sodium_memzero(bytes, sizeof(bytes));
    set->n++;
    return NULL;
}


/* NULL, or what is wrong, and in which line (0: the file as a whole). */
static const char *
set_read(struct set *set, struct ads_str text, unsigned *line)
{
    const char *why = NULL, *end;
    struct ads_str one;
    size_t n_signing = 0;

    *line = 0;
    sodium_memzero(set, sizeof(*set));
    while (text.len > 0 && why == NULL) {
        end = memchr(text.ptr, '\n', text.len);
        one.ptr = text.ptr;
        one.len = end == NULL ? text.len : (size_t)(end - text.ptr);
        ++*line;
        why = line_read(set, one);
        one.len += end == NULL ? 0 : 1;
        text.ptr += one.len;
        text.len -= one.len;
    }
    for (size_t i = 0; i < set->n; i++) {
        if (set->keys[i].signs) {
            set->signing = i;
            n_signing++;
        }
    }
    if (why == NULL && n_signing != 1) {
        *line = 0;
        why = "exactly one key signs";
    }
    return why;
}


/* ---- the file ---- */

static struct stamp
stamp_of(const struct stat *st)
{
    return (struct stamp){st->st_ino, st->st_size, st->st_ctim};
}


static bool
stamp_equal(const struct stamp *a, const struct stamp *b)
{
    return a->inode == b->inode && a->size == b->size
           && a->changed.tv_sec == b->changed.tv_sec
           && a->changed.tv_nsec == b->changed.tv_nsec;
}


/* Reads the file into *set; what is wrong goes to the log. */
static enum ads_err
file_read(struct set *set, struct stamp *stamp, const char *path,
          struct log *log)
{
    char text[FILE_MAX];
    const char *why;
    struct stat st;
    unsigned line;
    ssize_t len;
    int fd;

    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        log_error(log, DUTY, "could not open \"%s\": %s", path,
                  strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return ADS_IO;
    }
    *stamp = stamp_of(&st);
    len = read(fd, text, sizeof(text));
    (void)close(fd);
    if (!S_ISREG(st.st_mode) || len <= 0 || len == (ssize_t)sizeof(text)) {
        why = "it is no file of keys";
        line = 0;
    } else if ((st.st_mode & 077) != 0) {
        why = "others than its owner may read it: chmod 600";
        line = 0;
    } else {
        why = set_read(set, (struct ads_str){text, (size_t)len}, &line);
    }
    sodium_memzero(text, sizeof(text));
    if (why != NULL) {
        log_error(log, DUTY, "%s:%u: %s", path, line, why);
        return ADS_INVALID;
    }
    return ADS_OK;
}


/* A file with one new key, never over one that exists. */
static enum ads_err
file_make(const char *path, struct log *log)
{
    char text[FILE_MAX], hex[2 * crypto_sign_SEEDBYTES + 1], tmp[4096];
    uint8_t seed[crypto_sign_SEEDBYTES];
    bool ok = false;
    int fd, len;

    len = snprintf(tmp, sizeof(tmp), "%s.%ld", path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(tmp)) {
        return ADS_TOO_LARGE;
    }
    randombytes_buf(seed, sizeof(seed));
    *ads_hex_write(hex, seed, sizeof(seed)) = '\0';
    len = snprintf(text, sizeof(text),
                   "# keys of access tokens: kid, seed, sign or verify\n"
                   "k%lld %s sign\n",
                   (long long)(clock_realtime_us() / 1000000), hex);
    fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ok = write(fd, text, (size_t)len) == len && fsync(fd) == 0;
        ok = close(fd) == 0 && ok;
        /* unlike a rename, a link never takes an existing file's place */
        ok = ok && (link(tmp, path) == 0 || errno == EEXIST);
    }
    if (!ok) {
        log_error(log, DUTY, "could not make \"%s\": %s", path,
                  strerror(errno));
    }
    (void)unlink(tmp);
    sodium_memzero(text, sizeof(text));
    sodium_memzero(hex, sizeof(hex));
    sodium_memzero(seed, sizeof(seed));
    return ok ? ADS_OK : ADS_IO;
}


/* Takes the changed file in; a bad one leaves what there is. */
static void
keys_refresh(struct auth_keys *keys)
{
    struct stamp stamp;
    struct set *set;
    struct stat st;
    bool same;

    if (keys->path == NULL || stat(keys->path, &st) != 0) {
        return;
    }
    stamp = stamp_of(&st);
    (void)pthread_rwlock_rdlock(&keys->lock);
    same = stamp_equal(&stamp, &keys->stamp);
    (void)pthread_rwlock_unlock(&keys->lock);
    if (same) {
        return;
    }

    set = xcalloc(1, sizeof(*set));
    (void)pthread_rwlock_wrlock(&keys->lock);
    if (!stamp_equal(&stamp, &keys->stamp)) {
        keys->stamp = stamp;
        if (file_read(set, &keys->stamp, keys->path, keys->log) == ADS_OK) {
            keys->set = *set;
            log_info(keys->log, DUTY, "%zu keys of access tokens, %s signs",
                     set->n, set->keys[set->signing].kid);
        }
    }
    (void)pthread_rwlock_unlock(&keys->lock);
    sodium_memzero(set, sizeof(*set));
    free(set);
}


/* ---- life ---- */

static struct auth_keys *
keys_new(void)
{
    struct auth_keys *keys = xcalloc(1, sizeof(*keys));

    (void)pthread_rwlock_init(&keys->lock, NULL);
    (void)sodium_mlock(&keys->set, sizeof(keys->set)); /* where allowed */
    return keys;
}


void
auth_keys_free(struct auth_keys *keys)
{
    if (keys != NULL) {
        (void)sodium_munlock(&keys->set, sizeof(keys->set)); /* wipes */
        sodium_memzero(&keys->set, sizeof(keys->set));
        (void)pthread_rwlock_destroy(&keys->lock);
        free(keys->path);
        free(keys);
    }
}


enum ads_err
auth_keys_parse(struct auth_keys **made, struct ads_str text)
{
    struct auth_keys *keys = keys_new();
    unsigned line;

    *made = NULL;
    if (set_read(&keys->set, text, &line) != NULL) {
        auth_keys_free(keys);
        return ADS_INVALID;
    }
    *made = keys;
    return ADS_OK;
}


enum ads_err
auth_keys_open(struct auth_keys **opened, const char *path, struct log *log)
{
    struct auth_keys *keys = keys_new();
    enum ads_err err = ADS_OK;

    *opened = NULL;
    keys->log = log;
    keys->path = xstrdup(path);
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        err = file_make(path, log);
    }
    if (err == ADS_OK) {
        err = file_read(&keys->set, &keys->stamp, path, log);
    }
    if (err != ADS_OK) {
        auth_keys_free(keys);
        return err;
    }
    *opened = keys;
    return ADS_OK;
}


/* The set, locked for reading. */
static const struct set *
set_begin(struct auth_keys *keys)
{
    keys_refresh(keys);
    (void)pthread_rwlock_rdlock(&keys->lock);
    return &keys->set;
}


static void
set_end(struct auth_keys *keys)
{
    (void)pthread_rwlock_unlock(&keys->lock);
}


/* ---- signatures ---- */

void
auth_keys_kid(struct auth_keys *keys, char *kid)
{
    const struct set *set = set_begin(keys);

    memcpy(kid, set->keys[set->signing].kid, AUTH_KID_MAX + 1);
    set_end(keys);
}


bool
auth_keys_sign(struct auth_keys *keys, const char *kid,
               uint8_t signature[AUTH_SIGNATURE_LEN], struct ads_str bytes)
{
    const struct set *set = set_begin(keys);
    const struct key *key = key_find(set, (struct ads_str){kid, strlen(kid)});

    if (key != NULL) {
        (void)crypto_sign_detached(signature, NULL,
                                   (const unsigned char *)bytes.ptr, bytes.len,
                                   key->secret);
    }
    set_end(keys);
    return key != NULL;
}


bool
auth_keys_verify(struct auth_keys *keys, struct ads_str kid,
                 const uint8_t signature[AUTH_SIGNATURE_LEN],
                 struct ads_str bytes)
{
    const struct set *set = set_begin(keys);
    bool good = false;

    for (size_t i = 0; i < set->n && !good; i++) {
        good = (kid.ptr == NULL || ads_str_is(kid, set->keys[i].kid))
               && crypto_sign_verify_detached(signature,
                                              (const unsigned char *)bytes.ptr,
                                              bytes.len, set->keys[i].public)
                      == 0;
    }
    set_end(keys);
    return good;
}


size_t
auth_keys_public(struct auth_keys *keys, struct auth_public list[AUTH_KEYS_MAX])
{
    const struct set *set = set_begin(keys);
    size_t n = set->n;

    for (size_t i = 0; i < n; i++) {
        memcpy(list[i].kid, set->keys[i].kid, sizeof(list[i].kid));
        memcpy(list[i].key, set->keys[i].public, sizeof(list[i].key));
    }
    set_end(keys);
    return n;
}


/* ---- MACs ---- */

static void
mac_make(const struct key *key, const char *purpose, struct ads_str bytes,
         uint8_t mac[AUTH_KEYS_MAC_LEN])
{
    uint8_t subkey[crypto_generichash_KEYBYTES];

    (void)crypto_generichash(subkey, sizeof(subkey),
                             (const unsigned char *)purpose, strlen(purpose),
                             key->mac, sizeof(key->mac));
    (void)crypto_generichash(mac, AUTH_KEYS_MAC_LEN,
                             (const unsigned char *)bytes.ptr, bytes.len,
                             subkey, sizeof(subkey));
    sodium_memzero(subkey, sizeof(subkey));
}


void
auth_keys_mac(struct auth_keys *keys, const char *purpose, struct ads_str bytes,
              uint8_t mac[AUTH_KEYS_MAC_LEN])
{
    const struct set *set = set_begin(keys);

    mac_make(&set->keys[set->signing], purpose, bytes, mac);
    set_end(keys);
}


bool
auth_keys_mac_check(struct auth_keys *keys, const char *purpose,
                    struct ads_str bytes, const uint8_t *mac, size_t len)
{
    const struct set *set = set_begin(keys);
    uint8_t wanted[AUTH_KEYS_MAC_LEN];
    bool good = false;

    for (size_t i = 0; i < set->n && len >= 16 && len <= sizeof(wanted); i++) {
        mac_make(&set->keys[i], purpose, bytes, wanted);
        good = sodium_memcmp(mac, wanted, len) == 0 || good;
    }
    sodium_memzero(wanted, sizeof(wanted));
    set_end(keys);
    return good;
}
