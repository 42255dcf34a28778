/*
 * Sets up a node: folders, node id and key ring, which adsd needs before it can
 * do anything, and which `adsctl init` makes.
 */
#include "daemon/node.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define DUTY "node"
#define ID_TEXT_LEN 17 /* 16 digits and a newline */
#define RING_TEXT_MAX 8192
#define LOCK_WAIT_MS 10000
#define LOCK_LOOK_MS 50


enum ads_err
node_path(char *dst, size_t dst_len, const char *dir, const char *name)
{
    int n = snprintf(dst, dst_len, "%s/%s", dir, name);

    return n < 0 || (size_t)n >= dst_len ? ADS_TOO_LARGE : ADS_OK;
}


/* The mode is for one that is made here: one that was there keeps its own. */
static enum ads_err
folder_make(const char *path, mode_t mode, struct log *log)
{
    struct stat st;

    if (mkdir(path, 0700) == 0) {
        (void)chmod(path, mode);
    } else if (errno != EEXIST) {
        log_error(log, DUTY, "could not make the folder \"%s\": %s", path,
                  strerror(errno));
        return ADS_IO;
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        log_error(log, DUTY, "\"%s\" is no folder", path);
        return ADS_IO;
    }
    if (access(path, R_OK | W_OK | X_OK) != 0) {
        log_error(log, DUTY, "the folder \"%s\" is not writable: %s", path,
                  strerror(errno));
        return ADS_IO;
    }
    return ADS_OK;
}


enum ads_err
node_make_folders(const struct conf *conf, struct log *log)
{
    char journal[4096];
    enum ads_err err;

    err = node_path(journal, sizeof(journal), conf->state_path, "journal");
    if (err != ADS_OK) {
        log_error(log, DUTY, "state_path is too long");
        return err;
    }
    err = folder_make(conf->state_path, NODE_FOLDER_MODE, log);
    if (err == ADS_OK) {
        err = folder_make(journal, NODE_JOURNAL_MODE, log);
    }
    if (err == ADS_OK) {
        err = folder_make(conf->run_path, NODE_FOLDER_MODE, log);
    }
    return err;
}


enum ads_err
node_lock(int *fd, const struct conf *conf, struct log *log)
{
    char path[4096];
    bool locked;

    *fd = -1;
    if (node_path(path, sizeof(path), conf->state_path, "lock") != ADS_OK) {
        return ADS_TOO_LARGE;
    }
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*fd < 0) {
        log_error(log, DUTY, "could not open \"%s\": %s", path,
                  strerror(errno));
        return ADS_IO;
    }
    locked = flock(*fd, LOCK_EX | LOCK_NB) == 0;
    if (!locked) {
        log_info(log, DUTY, "another adsd holds \"%s\": waiting for it", path);
    }
    for (int i = 0; !locked && i < LOCK_WAIT_MS / LOCK_LOOK_MS; i++) {
        (void)poll(NULL, 0, LOCK_LOOK_MS); /* locks cannot be polled */
        locked = flock(*fd, LOCK_EX | LOCK_NB) == 0;
    }
    if (!locked) {
        log_error(log, DUTY, "another adsd runs on \"%s\"", conf->state_path);
        (void)close(*fd);
        *fd = -1;
        return ADS_BUSY;
    }
    return ADS_OK;
}


enum ads_err
node_read_id(uint64_t *id, const struct conf *conf, struct log *log)
{
    char text[ID_TEXT_LEN + 1];
    uint8_t bytes[8];
    char path[4096];
    ssize_t n;
    int fd;

    *id = 0;
    if (node_path(path, sizeof(path), conf->state_path, "node") != ADS_OK) {
        return ADS_TOO_LARGE;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOENT) {
            return ADS_ABSENT;
        }
        log_error(log, DUTY, "could not open \"%s\": %s", path,
                  strerror(errno));
        return ADS_IO;
    }
    n = read(fd, text, sizeof(text));
    (void)close(fd);

    if (n != ID_TEXT_LEN || text[16] != '\n'
        || !ads_hex_read(bytes, 8, (struct ads_str){text, 16}))
    {
        log_error(log, DUTY, "\"%s\" holds no node id", path);
        return ADS_DAMAGED;
    }
    for (int i = 0; i < 8; i++) {
        *id = *id << 8 | bytes[i];
    }
    return ADS_OK;
}


/* Written under another name and linked, so that a half-written or a second
 * id can never be seen. */
static enum ads_err
id_write(const char *path, struct log *log)
{
    uint8_t bytes[8];
    char text[ID_TEXT_LEN];
    char new_path[4096 + 16];
    bool ok;
    int fd;

    (void)snprintf(new_path, sizeof(new_path), "%s.%ld", path, (long)getpid());
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
        log_error(log, DUTY, "no random bytes: %s", strerror(errno));
        return ADS_IO;
    }
    *ads_hex_write(text, bytes, sizeof(bytes)) = '\n';

    (void)unlink(new_path);
    fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ok = fd >= 0 && fchmod(fd, 0640) == 0 /* workers read it */
         && write(fd, text, sizeof(text)) == (ssize_t)sizeof(text)
         && fsync(fd) == 0;
    if (ok && link(new_path, path) != 0 && errno != EEXIST) {
        ok = false;
    }
    if (!ok) {
        log_error(log, DUTY, "could not write \"%s\": %s", path,
                  strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
        (void)unlink(new_path);
    }
    return ok ? ADS_OK : ADS_IO;
}


enum ads_err
node_make_id(uint64_t *id, const struct conf *conf, struct log *log)
{
    char path[4096];
    enum ads_err err;

    err = node_read_id(id, conf, log);
    if (err != ADS_ABSENT) {
        return err;
    }
    err = node_path(path, sizeof(path), conf->state_path, "node");
    if (err == ADS_OK) {
        err = id_write(path, log);
    }
    return err == ADS_OK ? node_read_id(id, conf, log) : err;
}


static enum ads_err
ring_parse(struct ads_ring *ring, int fd, const char *path, struct log *log)
{
    char text[RING_TEXT_MAX];
    const char *why = "";
    uint32_t line = 0;
    enum ads_err err;
    ssize_t n;

    n = read(fd, text, sizeof(text));
    if (n < 0) {
        log_error(log, DUTY, "could not read \"%s\": %s", path,
                  strerror(errno));
        return ADS_IO;
    }
    if (n == (ssize_t)sizeof(text)) {
        log_error(log, DUTY, "\"%s\" is too long for a key ring", path);
        err = ADS_INVALID;
    } else {
        err =
            ads_ring_read(ring, (struct ads_str){text, (size_t)n}, &line, &why);
        if (err != ADS_OK) {
            log_error(log, DUTY, "%s:%u: %s", path, line, why);
        }
    }
    explicit_bzero(text, sizeof(text));
    return err;
}


enum ads_err
node_read_ring(struct ads_ring *ring, const struct conf *conf, struct log *log)
{
    const char *path = conf->token_key_file;
    enum ads_err err;
    struct stat st;
    int fd;

    explicit_bzero(ring, sizeof(*ring));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        err = errno == ENOENT ? ADS_ABSENT : ADS_IO;
        log_error(log, DUTY, "could not open the key ring \"%s\": %s%s", path,
                  strerror(errno),
                  err == ADS_ABSENT ? "; \"adsctl init\" makes one" : "");
        if (fd >= 0) {
            (void)close(fd);
        }
        return err;
    }
    if ((st.st_mode & S_IRWXO) != 0) {
        log_error(log, DUTY, "the key ring \"%s\" is open to others: chmod 640",
                  path);
        err = ADS_DENIED;
    } else {
        err = ring_parse(ring, fd, path, log);
    }
    (void)close(fd);
    return err;
}
