/*
 * The watermark's file, and what a database says of itself.
 */
#include "journal/watermark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/node.h"

#define DUTY "ingest"
#define PATH_MAX_LEN 4096
#define TEXT_MAX 128

static const struct db_stmt STMT_WATERMARK = {
    .name = "node_watermark",
    .sql = "select w.database, w.drained_to from ads.node_watermark($1) w",
    .n_params = 1,
};

enum watermark_column { WATERMARK_DATABASE, WATERMARK_DRAINED };


static enum ads_err
file_read(char text[TEXT_MAX], const char *path, struct log *log)
{
    ssize_t n = -1;
    int fd;

    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        return ADS_ABSENT;
    }
    if (fd >= 0) {
        n = read(fd, text, TEXT_MAX - 1);
        (void)close(fd);
    }
    if (n < 0) {
        log_error(log, DUTY, "could not read \"%s\": %s", path,
                  strerror(errno));
        return ADS_IO;
    }
    text[n] = '\0';
    return ADS_OK;
}


enum ads_err
watermark_read(struct watermark *mark, const struct conf *conf, struct log *log)
{
    char path[PATH_MAX_LEN], text[TEXT_MAX], end;
    enum ads_err err;

    err = node_path(path, sizeof(path), conf->state_path, "committed");
    if (err == ADS_OK) {
        err = file_read(text, path, log);
    }
    if (err != ADS_OK) {
        return err;
    }
    if (sscanf(text, "1 %47s %" SCNd64 " %" SCNd64 "%c", mark->database,
               &mark->drained_us, &mark->removed_us, &end)
            != 4
        || end != '\n')
    {
        log_error(log, DUTY,
                  "\"%s\" is no watermark: remove it when the database is the "
                  "right one",
                  path);
        return ADS_DAMAGED;
    }
    return ADS_OK;
}


/* Written by root it stays the file of who owns the folder. */
static bool
owner_keep(int fd, const char *folder)
{
    struct stat st;

    return geteuid() != 0
           || (stat(folder, &st) == 0 && fchown(fd, st.st_uid, st.st_gid) == 0);
}


enum ads_err
watermark_write(const struct watermark *mark, const struct conf *conf,
                struct log *log)
{
    char path[PATH_MAX_LEN], made[PATH_MAX_LEN], text[TEXT_MAX];
    enum ads_err err;
    bool ok = false;
    int fd, len;

    err = node_path(path, sizeof(path), conf->state_path, "committed");
    if (err == ADS_OK) {
        err = node_path(made, sizeof(made), conf->state_path, "committed.new");
    }
    if (err != ADS_OK) {
        return err;
    }
    len = snprintf(text, sizeof(text), "1 %s %" PRId64 " %" PRId64 "\n",
                   mark->database, mark->drained_us, mark->removed_us);
    fd =
        open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        ok = owner_keep(fd, conf->state_path)
             && write(fd, text, (size_t)len) == len && fdatasync(fd) == 0;
        ok = close(fd) == 0 && ok && rename(made, path) == 0;
    }
    if (!ok) {
        log_error(log, DUTY, "could not write \"%s\": %s", path,
                  strerror(errno));
        return ADS_IO;
    }
    return ADS_OK;
}


enum ads_err
watermark_ask(struct watermark *there, struct db *db, uint64_t node,
              struct pool *pool)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_str name;
    enum ads_err err;

    *there = (struct watermark){0};
    db_args_init(&args, pool);
    db_arg_int8(&args, (int64_t)node);
    err = db_run_alone(db, &STMT_WATERMARK, &args, &rows);
    if (err == ADS_OK) {
        name = db_text(rows, 0, WATERMARK_DATABASE);
        (void)snprintf(there->database, sizeof(there->database), "%.*s",
                       (int)name.len, name.ptr);
        there->drained_us = db_time(rows, 0, WATERMARK_DRAINED);
    }
    return err;
}


enum watermark_state
watermark_compare(const struct watermark *mark, const struct watermark *there,
                  int64_t lag_s)
{
    int64_t behind_us = mark->drained_us - there->drained_us;

    if (behind_us <= 0) {
        return WATERMARK_LEVEL;
    }
    if (mark->removed_us > there->drained_us) {
        return WATERMARK_GAP;
    }
    return strcmp(mark->database, there->database) == 0
                   && behind_us <= lag_s * INT64_C(1000000)
               ? WATERMARK_LAGGED
               : WATERMARK_BEHIND;
}
