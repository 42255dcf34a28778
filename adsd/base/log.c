/*
 * Writes the log.  Lines are built on the stack and written by one write(), so
 * threads need no lock but for the descriptor, which a reopen may change.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ads_utf8.h"
#include "base/clock.h"
#include "base/pool.h"

#define TAIL_LEN 4 /* room kept for the end of the object */

struct log {
    pthread_rwlock_t lock; /* of fd */
    int fd;
    _Atomic enum log_level least;
    char *path;    /* NULL: stderr */
    char *program; /* plain lines for people, or NULL */
};

struct line {
    size_t len;
    char text[LOG_LINE_MAX];
};

static const char *const level_names[] = {
    [LOG_DEBUG] = "debug",
    [LOG_INFO] = "info",
    [LOG_WARN] = "warn",
    [LOG_ERROR] = "error",
};


int
log_level_find(struct ads_str name)
{
    for (int i = 0; i <= LOG_ERROR; i++) {
        if (ads_str_is(name, level_names[i])) {
            return i;
        }
    }
    return -1;
}


const char *
log_level_name(enum log_level level)
{
    return level_names[level];
}


void
log_level_set(struct log *log, enum log_level least)
{
    log->least = least;
}


enum log_level
log_level_get(const struct log *log)
{
    return log->least;
}


static int
file_open(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}


static struct log *
log_make(int fd, enum log_level least)
{
    struct log *log = xcalloc(1, sizeof(*log));

    (void)pthread_rwlock_init(&log->lock, NULL);
    log->fd = fd;
    log->least = least;
    return log;
}


enum ads_err
log_open(struct log **log, const char *path, enum log_level least)
{
    int fd = STDERR_FILENO;

    *log = NULL;
    if (path != NULL && path[0] != '\0') {
        fd = file_open(path);
        if (fd < 0) {
            return ADS_IO;
        }
    }
    *log = log_make(fd, least);
    if (fd != STDERR_FILENO) {
        (*log)->path = xstrdup(path);
    }
    return ADS_OK;
}


struct log *
log_open_plain(const char *program, enum log_level least)
{
    struct log *log = log_make(STDERR_FILENO, least);

    log->program = xstrdup(program);
    return log;
}


void
log_close(struct log *log)
{
    if (log == NULL) {
        return;
    }
    if (log->fd != STDERR_FILENO) {
        (void)close(log->fd);
    }
    (void)pthread_rwlock_destroy(&log->lock);
    free(log->path);
    free(log->program);
    free(log);
}


void
log_reopen(struct log *log)
{
    int fd, old;

    if (log->path == NULL) {
        return;
    }
    fd = file_open(log->path);
    if (fd < 0) {
        log_error(log, "log", "could not reopen \"%s\": %s", log->path,
                  strerror(errno));
        return;
    }
    (void)pthread_rwlock_wrlock(&log->lock);
    old = log->fd;
    log->fd = fd;
    (void)pthread_rwlock_unlock(&log->lock);
    (void)close(old);
}


/* ---- a line ---- */

static bool
put(struct line *line, const char *bytes, size_t len)
{
    if (line->len + len > sizeof(line->text) - TAIL_LEN) {
        return false;
    }
    memcpy(line->text + line->len, bytes, len);
    line->len += len;
    return true;
}


static void
put_string(struct line *line, struct ads_str text)
{
    char escape[8];
    size_t n;

    if (!put(line, "\"", 1)) {
        return;
    }
    while (text.len > 0) {
        n = ads_utf8_len(text);
        if (n == 0) {
            if (!put(line, "\xef\xbf\xbd", 3)) {
                break;
            }
            n = 1;

        } else if (n == 1
                   && ((uint8_t)text.ptr[0] < 0x20 || text.ptr[0] == '"'
                       || text.ptr[0] == '\\' || text.ptr[0] == 0x7f))
        {
            (void)snprintf(escape, sizeof(escape), "\\u%04x",
                           (unsigned)(uint8_t)text.ptr[0]);
            if (!put(line, escape, 6)) {
                break;
            }

        } else if (!put(line, text.ptr, n)) {
            break;
        }
        text.ptr += n;
        text.len -= n;
    }
    /* the tail's room also holds this quote when the text was cut */
    line->text[line->len++] = '"';
}


static void
put_member(struct line *line, const char *name, struct ads_str text)
{
    /* the shortest member that still says something */
    if (line->len + strlen(name) + 16 > sizeof(line->text) - TAIL_LEN) {
        return;
    }
    (void)put(line, line->len > 1 ? "," : "", line->len > 1 ? 1 : 0);
    put_string(line, (struct ads_str){name, strlen(name)});
    (void)put(line, ":", 1);
    put_string(line, text);
}


static void
put_number(struct line *line, const char *name, int64_t number)
{
    char text[64];
    int n;

    n = snprintf(text, sizeof(text), ",\"%.24s\":%lld", name,
                 (long long)number);
    (void)put(line, text, (size_t)n);
}


static void
put_time(struct line *line)
{
    char text[40];
    int64_t now_us = clock_realtime_us();
    time_t now_s = now_us / 1000000;
    struct tm tm;
    size_t n;

    (void)gmtime_r(&now_s, &tm);
    n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    n += (size_t)snprintf(text + n, sizeof(text) - n, ".%06ldZ",
                          (long)(now_us % 1000000));
    put_member(line, "at", (struct ads_str){text, n});
}


static void
build_json(struct line *line, const struct log_line *what,
           struct ads_str message)
{
    const char *level = level_names[what->level];
    const struct log_field *field;

    (void)put(line, "{", 1);
    put_time(line);
    put_member(line, "level", (struct ads_str){level, strlen(level)});
    put_member(line, "duty", (struct ads_str){what->duty, strlen(what->duty)});
    for (size_t i = 0; i < what->n_fields; i++) {
        field = &what->fields[i];
        if (field->text.ptr != NULL) {
            put_member(line, field->name, field->text);
        } else {
            put_number(line, field->name, field->number);
        }
    }
    put_member(line, "msg", message);
    memcpy(line->text + line->len, "}\n", 2);
    line->len += 2;
}


static void
build_plain(struct line *line, const struct log *log,
            const struct log_line *what, struct ads_str message)
{
    int n;

    n = snprintf(line->text, sizeof(line->text) - 1, "%s: %s: %.*s",
                 log->program, level_names[what->level], (int)message.len,
                 message.ptr);
    line->len =
        (size_t)n < sizeof(line->text) - 1 ? (size_t)n : sizeof(line->text) - 2;
    line->text[line->len++] = '\n';
}


static void
write_line(struct log *log, const struct log_line *what, const char *format,
           va_list args)
{
    char message[LOG_LINE_MAX / 2];
    struct ads_str text;
    struct line line;
    int saved = errno;
    int n;

    if (what->level < log->least) {
        return;
    }
    n = vsnprintf(message, sizeof(message), format, args);
    text.ptr = message;
    text.len = n < 0                             ? 0
               : (size_t)n < sizeof(message) - 1 ? (size_t)n
                                                 : sizeof(message) - 1;
    line.len = 0;
    if (log->program != NULL) {
        build_plain(&line, log, what, text);
    } else {
        build_json(&line, what, text);
    }

    /* a log that cannot be written cannot be reported */
    (void)pthread_rwlock_rdlock(&log->lock);
    (void)!write(log->fd, line.text, line.len);
    (void)pthread_rwlock_unlock(&log->lock);
    errno = saved;
}


void
log_write(struct log *log, const struct log_line *line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line(log, line, format, args);
    va_end(args);
}


void
log_debug(struct log *log, const char *duty, const char *format, ...)
{
    struct log_line line = {.level = LOG_DEBUG, .duty = duty};
    va_list args;

    va_start(args, format);
    write_line(log, &line, format, args);
    va_end(args);
}


void
log_info(struct log *log, const char *duty, const char *format, ...)
{
    struct log_line line = {.level = LOG_INFO, .duty = duty};
    va_list args;

    va_start(args, format);
    write_line(log, &line, format, args);
    va_end(args);
}


void
log_warn(struct log *log, const char *duty, const char *format, ...)
{
    struct log_line line = {.level = LOG_WARN, .duty = duty};
    va_list args;

    va_start(args, format);
    write_line(log, &line, format, args);
    va_end(args);
}


void
log_error(struct log *log, const char *duty, const char *format, ...)
{
    struct log_line line = {.level = LOG_ERROR, .duty = duty};
    va_list args;

    va_start(args, format);
    write_line(log, &line, format, args);
    va_end(args);
}
