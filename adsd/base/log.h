/*
 * The daemon's log: one JSON object a line, one write() a line, to stderr or
 * to a file that is reopened on demand.
 *
 *     {"at":"2026-01-31T12:00:00.123456Z","level":"error","duty":"ingest",
 *      "msg":"could not ...","segment":"..."}
 *
 * Safe from any thread.  Messages are lower case, without a full stop, and say
 * what failed, on what, with the values that matter; never a key, a token, a
 * query or a personal value.  Bytes that are not UTF-8 are replaced.
 */
#ifndef ADSD_LOG_H
#define ADSD_LOG_H


#include "ads_bytes.h"
#include "ads_err.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* A longer line is cut, and still ends as JSON. */
#define LOG_LINE_MAX 4096

struct log;

struct log_field {
    const char *name;
    struct ads_str text; /* used when ptr is not NULL */
    int64_t number;
};

/*
 * Opens the log: `path` NULL or empty means stderr.  ADS_IO when the file
 * cannot be opened for appending.
 */
ADS_MUST enum ads_err
log_open(struct log **log, const char *path, enum log_level least);

void
log_close(struct log *log);

/* Opens the file again, after a rotation; keeps the old one when it cannot. */
void
log_reopen(struct log *log);

/* Writes to a plain text stream instead, for the command line:
 * "adsctl: error: could not ...". */
struct log *
log_open_plain(const char *program, enum log_level least);

void
log_debug(struct log *log, const char *duty, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void
log_info(struct log *log, const char *duty, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void
log_warn(struct log *log, const char *duty, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void
log_error(struct log *log, const char *duty, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct log_line {
    enum log_level level;
    const char *duty;
    const struct log_field *fields;
    size_t n_fields;
};

/* The same with further members in the object. */
void
log_write(struct log *log, const struct log_line *line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What is logged from now on, from any thread. */
void
log_level_set(struct log *log, enum log_level least);

enum log_level
log_level_get(const struct log *log);

const char *
log_level_name(enum log_level level);

/* The level of that name ("debug", "info", "warn", "error"), or -1. */
int
log_level_find(struct ads_str name);

#endif
