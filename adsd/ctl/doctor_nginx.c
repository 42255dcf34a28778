/*
 * nginx's configuration as adsctl doctor reads it: directives that must say
 * the same as adsd.conf, and some that are easily forgotten.
 *
 * A configuration is read as nginx reads it: statements of words, anywhere on a
 * line, and included files in the place of `include`, so that Debian's
 * modules-enabled, conf.d and sites-enabled are seen.  From standard input
 * comes what `nginx -T` prints: there the included files follow by themselves.
 * A file that may not be read is reported, since what is missing may be in it.
 */
#include "ctl/doctor.h"

#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_DEFAULT "/etc/nginx/nginx.conf"
#define VALUE_MAX 4096
#define DEPTH_MAX 8
#define ADVICE_MAX 256

struct seen {
    const char *name;
    const char *wanted; /* what its last word has to be; NULL: anything */
    const char *why;    /* it should be there, where anything will do */
    bool there;
    char value[VALUE_MAX]; /* of the first that says otherwise */
};

struct reader {
    struct ctl_doctor *doctor;
    struct seen *seen;
    size_t n_seen;
    const char *folder; /* where relative names begin; NULL: a dump is read */
    int depth;          /* of includes */
};

/* `name value ...` up to ";", "{" or "}"; what is too long is cut. */
struct statement {
    char name[64];
    char value[VALUE_MAX]; /* the last word */
};


/* ---- words ---- */

/* The first character that is neither space nor comment, or EOF. */
static int
space_skip(FILE *file)
{
    int c;

    do {
        c = getc(file);
        while (c == '#') {
            while (c != '\n' && c != EOF) {
                c = getc(file);
            }
        }
    } while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
    return c;
}


static bool
word_ends(int c, int before)
{
    return c == EOF || strchr(" \t\r\n;}", c) != NULL
           || (c == '{' && before != '$');
}


/* Reads the word that begins with `c`, without its quotes. */
static void
word_read(char *word, size_t cap, FILE *file, int c)
{
    const int quote = c == '"' || c == '\'' ? c : 0;
    size_t n = 0;
    int before = 0;

    if (quote != 0) {
        c = getc(file);
    }
    while (quote != 0 ? c != quote && c != EOF : !word_ends(c, before)) {
        before = c;
        if (c == '\\' && quote != 0) {
            c = getc(file);
        }
        if (c != EOF && n + 1 < cap) {
            word[n++] = (char)c;
        }
        c = getc(file);
    }
    word[n] = '\0';
    if (quote == 0 && c != EOF) {
        (void)ungetc(c, file);
    }
}


/* The next statement that has a name; false at the end of the file. */
static bool
statement_read(struct statement *statement, FILE *file)
{
    int c;

    statement->name[0] = statement->value[0] = '\0';
    while ((c = space_skip(file)) != EOF) {
        if (strchr(";{}", c) != NULL) {
            if (statement->name[0] != '\0') {
                return true;
            }
        } else if (statement->name[0] == '\0') {
            word_read(statement->name, sizeof(statement->name), file, c);
        } else {
            word_read(statement->value, sizeof(statement->value), file, c);
        }
    }
    return false;
}


/* ---- files ---- */

static void
statement_look(struct seen *seen, size_t n, const struct statement *statement)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(statement->name, seen[i].name) != 0) {
            continue;
        }
        seen[i].there = true;
        if (seen[i].wanted != NULL && seen[i].value[0] == '\0'
            && strcmp(statement->value, seen[i].wanted) != 0)
        {
            memcpy(seen[i].value, statement->value, sizeof(seen[i].value));
        }
    }
}


static bool
file_look(struct reader *reader, const char *path);


/* nginx takes a mask that matches nothing, too. */
static void
include_look(struct reader *reader, const char *name)
{
    struct pool *pool = reader->doctor->ctl->pool;
    const char *mask =
        name[0] == '/' ? name
                       : pool_format(pool, NULL, "%s/%s", reader->folder, name);
    glob_t found;

    if (reader->depth == DEPTH_MAX) {
        return;
    }
    if (glob(mask, 0, NULL, &found) == 0) {
        reader->depth++;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            (void)file_look(reader, found.gl_pathv[i]);
        }
        reader->depth--;
        globfree(&found);
    }
}


static bool
stream_look(struct reader *reader, FILE *file)
{
    struct statement statement;

    while (statement_read(&statement, file)) {
        statement_look(reader->seen, reader->n_seen, &statement);
        if (reader->folder != NULL && strcmp(statement.name, "include") == 0) {
            include_look(reader, statement.value);
        }
    }
    return ferror(file) == 0;
}


/* False when it could not be read whole, which is reported. */
static bool
file_look(struct reader *reader, const char *path)
{
    FILE *file = fopen(path, "re");
    bool read = file != NULL && stream_look(reader, file);

    if (!read) {
        ctl_doctor_tell(reader->doctor,
                        reader->depth > 0 || reader->doctor->nginx == NULL
                            ? CTL_DOCTOR_WARN
                            : CTL_DOCTOR_BAD,
                        "name a configuration that may be read, or as root:"
                        " nginx -T | adsctl doctor --nginx -",
                        "%s: %s", path, strerror(errno));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return read;
}


/* ---- what is wrong ---- */

static void
seen_tell(struct ctl_doctor *doctor, const struct seen *seen)
{
    char advice[ADVICE_MAX];

    if (seen->value[0] != '\0') {
        snprintf(advice, sizeof(advice), "it must be %.200s", seen->wanted);
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, advice, "%s %s", seen->name,
                        seen->value);
    } else if (!seen->there) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        seen->why != NULL ? seen->why
                                          : "compare with nginx.conf.example",
                        "no %s in it", seen->name);
    }
}


/* The group of `run_path`, which workers must have; NULL when it has none. */
static const char *
group_find(struct ctl_doctor *doctor)
{
    struct stat st;
    const struct group *group =
        stat(doctor->ctl->conf.run_path, &st) == 0 ? getgrgid(st.st_gid) : NULL;

    return group == NULL
               ? NULL
               : pool_format(doctor->ctl->pool, NULL, "%s", group->gr_name);
}


/* Reads the configuration into `seen`; false when there is none. */
static bool
nginx_read(struct ctl_doctor *doctor, struct seen *seen, size_t n)
{
    const char *path = doctor->nginx != NULL ? doctor->nginx : PATH_DEFAULT;
    const char *slash = strrchr(path, '/');
    struct reader reader = {.doctor = doctor, .seen = seen, .n_seen = n};

    if (strcmp(path, "-") == 0) {
        return stream_look(&reader, stdin);
    }
    reader.folder = slash == NULL ? "."
                                  : pool_format(doctor->ctl->pool, NULL, "%.*s",
                                                (int)(slash - path), path);
    if (!file_look(&reader, path)) {
        return false;
    }
    ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "%s", path);
    return true;
}


void
ctl_doctor_nginx(struct ctl_doctor *doctor)
{
    const struct conf *conf = &doctor->ctl->conf;
    struct seen seen[] = {
        {.name = "ads_state_path", .wanted = conf->state_path},
        {.name = "ads_run_path", .wanted = conf->run_path},
        {.name = "ads_token_key_file", .wanted = conf->token_key_file},
        {.name = "ads_base_url", .wanted = conf->base_url},
        {.name = "user",
         .wanted = group_find(doctor),
         .why = "workers need the group of adsd: user www-data ads;"},
        {.name = "ads_recommend"},
        {.name = "ads_click"},
        {.name = "scgi_pass"},
        {.name = "worker_shutdown_timeout",
         .why = "without it a reload waits for the last open connection"},
        {.name = "limit_req",
         .why = "without it one client can take all there is"},
        {.name = "error_page",
         .why = "without it nginx's own refusals are HTML"},
    };
    const size_t n = sizeof(seen) / sizeof(seen[0]);

    if (!nginx_read(doctor, seen, n)) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        seen_tell(doctor, &seen[i]);
    }
}
