/*
 * Applies migrations, each file in one transaction.  The state is read again
 * inside each transaction, under the lock, so that two that migrate at once do
 * each step once.  PostgreSQL itself makes the checksums: of the bytes it was
 * given.
 */
#include "daemon/migrate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/node.h"

#define DUTY "migrate"
#define FILES_MAX 1000
#define FILE_LEN_MAX (4 * 1024 * 1024)

struct file {
    const char *name;
    struct ads_str text; /* a NUL stands behind it */
};

struct files {
    size_t n;
    struct file *list; /* by name */
};

struct migration {
    struct log *log;
    struct pool *pool;
    struct files migrations;
    struct files code;
};

static const char prepare[] =
    "select pg_advisory_xact_lock(4702111234474983745);"
    "create schema if not exists ads;"
    "create table if not exists ads.schema_migrations ("
    "    version int not null,"
    "    name text not null,"
    "    sha256 text not null,"
    "    applied_at timestamptz not null default now(),"
    "    constraint schema_migrations_pkey primary key (version),"
    "    constraint schema_migrations_version_range check (version > 0));"
    "comment on table ads.schema_migrations is"
    "    'migrations that ran, each once';"
    "create table if not exists ads.schema_code ("
    "    id boolean not null default true,"
    "    sha256 text not null,"
    "    applied_at timestamptz not null default now(),"
    "    constraint schema_code_pkey primary key (id),"
    "    constraint schema_code_one_row check (id));"
    "comment on table ads.schema_code is"
    "    'checksum of the functions that are in place';";

/* After the rights of sql/code: a login with a duty may ask for the version. */
static const char grant[] =
    "grant select on ads.schema_migrations, ads.schema_code to"
    "    ads_api, ads_ingest, ads_publish, ads_ops, ads_pay";

static const struct db_stmt STMT_LOCK = {
    .name = "migrate_lock",
    .sql = "select pg_advisory_xact_lock(4702111234474983745)::text",
};

static const struct db_stmt STMT_EXISTS = {
    .name = "migrate_exists",
    .sql = "select to_regclass('ads.schema_migrations') is not null"
           " and to_regclass('ads.schema_code') is not null",
};

static const struct db_stmt STMT_STATE = {
    .name = "migrate_state",
    .sql = "select version, name, sha256 from ads.schema_migrations"
           " order by version",
};

static const struct db_stmt STMT_CODE_STATE = {
    .name = "migrate_code_state",
    .sql = "select sha256 from ads.schema_code",
};

static const struct db_stmt STMT_SHA256 = {
    .name = "migrate_sha256",
    .sql = "select array(select encode(sha256(b), 'hex')"
           " from unnest($1) with ordinality as t (b, i) order by i)",
    .n_params = 1,
};

static const struct db_stmt STMT_RECORD = {
    .name = "migrate_record",
    .sql = "insert into ads.schema_migrations (version, name, sha256)"
           " values ($1, $2, $3)",
    .n_params = 3,
};

static const struct db_stmt STMT_CODE_RECORD = {
    .name = "migrate_code_record",
    .sql = "insert into ads.schema_code (sha256) values ($1)"
           " on conflict (id) do update"
           " set sha256 = excluded.sha256, applied_at = now()",
    .n_params = 1,
};


/* ---- files ---- */

static int
by_name(const void *a, const void *b)
{
    const struct file *left = a, *right = b;

    return strcmp(left->name, right->name);
}


static enum ads_err
file_read(struct pool *pool, const char *path, struct ads_str *text,
          struct log *log)
{
    struct stat st = {0};
    size_t len = 0;
    ssize_t n = 1;
    char *bytes;
    int fd;

    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size > FILE_LEN_MAX) {
        log_error(log, DUTY, "could not open \"%s\": %s", path,
                  st.st_size > FILE_LEN_MAX ? "too long" : strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return ADS_IO;
    }
    bytes = pool_alloc(pool, (size_t)st.st_size + 1);
    while (len < (size_t)st.st_size && n > 0) {
        n = read(fd, bytes + len, (size_t)st.st_size - len);
        len += n > 0 ? (size_t)n : 0;
    }
    (void)close(fd);
    *text = (struct ads_str){bytes, len};
    return len == (size_t)st.st_size ? ADS_OK : ADS_IO;
}


static bool
is_sql(const char *name)
{
    size_t len = strlen(name);

    return name[0] != '.' && len > 4 && strcmp(name + len - 4, ".sql") == 0;
}


static enum ads_err
files_read(struct files *files, struct pool *pool, const char *dir,
           struct log *log)
{
    enum ads_err err = ADS_OK;
    struct dirent *entry;
    struct file *file;
    DIR *open_dir;
    char *path;

    files->n = 0;
    files->list = pool_array(pool, FILES_MAX, sizeof(*files->list));
    open_dir = opendir(dir);
    if (open_dir == NULL) {
        log_error(log, DUTY, "could not open the folder \"%s\": %s", dir,
                  strerror(errno));
        return ADS_ABSENT;
    }
    while (err == ADS_OK && (entry = readdir(open_dir)) != NULL) {
        if (!is_sql(entry->d_name)) {
            continue;
        }
        if (files->n == FILES_MAX) {
            err = ADS_TOO_LARGE;
            break;
        }
        file = &files->list[files->n++];
        file->name = pool_format(pool, NULL, "%s", entry->d_name);
        path = pool_format(pool, NULL, "%s/%s", dir, file->name);
        err = file_read(pool, path, &file->text, log);
    }
    (void)closedir(open_dir);
    qsort(files->list, files->n, sizeof(*files->list), by_name);
    return err;
}


/* Migrations are 0001_..., 0002_..., without a gap. */
static enum ads_err
names_check(const struct files *files, struct log *log)
{
    char prefix[32];

    for (size_t i = 0; i < files->n; i++) {
        (void)snprintf(prefix, sizeof(prefix), "%04zu_", i + 1);
        if (strncmp(files->list[i].name, prefix, 5) != 0) {
            log_error(log, DUTY,
                      "\"%s\" stands where a migration %s... should: a gap",
                      files->list[i].name, prefix);
            return ADS_CONFLICT;
        }
    }
    return ADS_OK;
}


static enum ads_err
migration_init(struct migration *m, const struct conf *conf)
{
    enum ads_err err;

    if (conf->sql_path[0] == '\0') {
        log_error(m->log, DUTY,
                  "no sql_path in the configuration and no sql folder next to "
                  "the program");
        return ADS_ABSENT;
    }
    err = files_read(
        &m->migrations, m->pool,
        pool_format(m->pool, NULL, "%s/migrations", conf->sql_path), m->log);
    if (err == ADS_OK) {
        err = files_read(&m->code, m->pool,
                         pool_format(m->pool, NULL, "%s/code", conf->sql_path),
                         m->log);
    }
    return err == ADS_OK ? names_check(&m->migrations, m->log) : err;
}


/* ---- the database's side ---- */

/* Checksums of all migrations, then one of all code, as 64 hex digits each. */
static enum ads_err
checksums(struct migration *m, struct db_tx *tx, struct ads_str **sums)
{
    size_t n = m->migrations.n, len = 0;
    struct ads_str *texts = pool_array(m->pool, n + 1, sizeof(*texts));
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;
    char *all;

    for (size_t i = 0; i < n; i++) {
        texts[i] = m->migrations.list[i].text;
    }
    for (size_t i = 0; i < m->code.n; i++) {
        len += strlen(m->code.list[i].name) + 1 + m->code.list[i].text.len + 1;
    }
    all = pool_alloc(m->pool, len);
    texts[n] = (struct ads_str){all, len};
    for (size_t i = 0; i < m->code.n; i++) {
        all = stpcpy(all, m->code.list[i].name) + 1;
        all = stpcpy(all, m->code.list[i].text.ptr) + 1;
    }

    db_args_init(&args, m->pool);
    db_arg_byteas(&args, texts, n + 1);
    err = db_run(tx, &STMT_SHA256, &args, &rows);
    if (err == ADS_OK) {
        *sums = db_texts(rows, 0, DB_ONLY, m->pool, &len);
        err = len == n + 1 ? ADS_OK : ADS_IO;
    }
    return err;
}


/*
 * Compares what ran with the files; *n_done of them ran. Differences are logged
 * when `log` is not NULL.
 */
static enum ads_err
state_check(const struct migration *m, struct db_tx *tx,
            const struct ads_str *sums, struct log *log, size_t *n_done)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, m->pool);
    err = db_run(tx, &STMT_STATE, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    *n_done = (size_t)db_n_rows(rows);
    if (*n_done > m->migrations.n) {
        if (log != NULL) {
            log_error(log, DUTY,
                      "the schema is at version %zu, this program knows %zu: "
                      "install the newer one",
                      *n_done, m->migrations.n);
        }
        return ADS_CONFLICT;
    }
    for (size_t i = 0; i < *n_done; i++) {
        if (db_int(rows, (int)i, 0) != (int64_t)i + 1
            || !ads_str_equal(db_text(rows, (int)i, 2), sums[i]))
        {
            if (log != NULL) {
                log_error(log, DUTY,
                          "migration \"%s\" ran with other contents: never "
                          "edit one, add another",
                          m->migrations.list[i].name);
            }
            return ADS_CONFLICT;
        }
    }
    return ADS_OK;
}


static enum ads_err
code_check(const struct migration *m, struct db_tx *tx, struct ads_str sum,
           bool *is_current)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, m->pool);
    err = db_run(tx, &STMT_CODE_STATE, &args, &rows);
    *is_current = err == ADS_OK && db_n_rows(rows) == 1
                  && ads_str_equal(db_text(rows, 0, DB_ONLY), sum);
    return err;
}


/* ---- one step, one transaction ---- */

static enum ads_err
lock(const struct migration *m, struct db_tx *tx)
{
    struct db_args args;

    db_args_init(&args, m->pool);
    return db_run(tx, &STMT_LOCK, &args, NULL);
}


static enum ads_err
step_migration(struct migration *m, struct db_tx *tx, size_t at,
               const struct ads_str *sums)
{
    const struct file *file = &m->migrations.list[at];
    struct db_args args;
    enum ads_err err;

    err = db_run_script(tx, file->name, file->text.ptr);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, m->pool);
    db_arg_int4(&args, (int32_t)at + 1);
    db_arg_text(&args, (struct ads_str){file->name, strlen(file->name)});
    db_arg_text(&args, sums[at]);
    err = db_run(tx, &STMT_RECORD, &args, NULL);
    if (err == ADS_OK) {
        log_info(m->log, DUTY, "applied %s", file->name);
    }
    return err;
}


static enum ads_err
step_code(struct migration *m, struct db_tx *tx, struct ads_str sum)
{
    struct db_args args;
    enum ads_err err = ADS_OK;

    for (size_t i = 0; err == ADS_OK && i < m->code.n; i++) {
        err = db_run_script(tx, m->code.list[i].name, m->code.list[i].text.ptr);
    }
    if (err == ADS_OK) {
        err = db_run_script(tx, "migrate_grant", grant);
    }
    if (err == ADS_OK) {
        db_args_init(&args, m->pool);
        db_arg_text(&args, sum);
        err = db_run(tx, &STMT_CODE_RECORD, &args, NULL);
    }
    if (err == ADS_OK) {
        log_info(m->log, DUTY, "functions replaced");
    }
    return err;
}


/* The next thing to do, in this transaction; *done when there was nothing. */
static enum ads_err
step(struct migration *m, struct db_tx *tx, struct migrate_result *result,
     bool *done)
{
    struct ads_str *sums;
    bool is_current;
    enum ads_err err;
    size_t at;

    err = lock(m, tx);
    if (err == ADS_OK) {
        err = checksums(m, tx, &sums);
    }
    if (err == ADS_OK) {
        err = state_check(m, tx, sums, m->log, &at);
    }
    if (err != ADS_OK) {
        return err;
    }
    result->version = (int)at;
    if (at < m->migrations.n) {
        result->n_applied++;
        result->version++;
        return step_migration(m, tx, at, sums);
    }
    err = code_check(m, tx, sums[m->migrations.n], &is_current);
    if (err != ADS_OK || is_current) {
        *done = true;
        return err;
    }
    result->code_applied = true;
    return step_code(m, tx, sums[m->migrations.n]);
}


static enum ads_err
prepared(struct db *db, struct log *log)
{
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(db, &tx);
    if (err != ADS_OK && db_sqlstate(db)[0] != '\0') {
        log_error(log, DUTY,
                  "this login may not become ads_owner: run roles.sql as a"
                  " superuser, then \"adsctl -d CONNINFO migrate\" as one who"
                  " may");
    }
    if (err == ADS_OK) {
        err = db_run_script(tx, "migrate_prepare", prepare);
    }
    if (err == ADS_OK) {
        err = db_commit(tx);
    }
    db_end(tx);
    return err;
}


enum ads_err
migrate_run(struct migrate_result *result, struct db *db,
            const struct conf *conf, struct log *log)
{
    struct migration m = {.log = log, .pool = pool_new()};
    bool done = false;
    struct db_tx *tx;
    enum ads_err err;

    memset(result, 0, sizeof(*result));
    err = migration_init(&m, conf);
    if (err == ADS_OK) {
        err = prepared(db, log);
    }
    while (err == ADS_OK && !done) {
        err = db_begin(db, &tx);
        if (err == ADS_OK) {
            err = step(&m, tx, result, &done);
        }
        if (err == ADS_OK) {
            err = db_commit(tx);
        }
        db_end(tx);
    }
    if (err == ADS_IO) {
        log_error(log, DUTY, "stopped: %s", db_message(db));
    }
    pool_free(m.pool);
    return err;
}


static enum ads_err
check(struct migration *m, struct db_tx *tx, const char **why, int *version)
{
    struct ads_str *sums;
    struct db_args args;
    struct db_rows *rows;
    bool is_current = false;
    size_t n_done;
    enum ads_err err;

    db_args_init(&args, m->pool);
    err = db_run(tx, &STMT_EXISTS, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    *why = "the database is not set up: run \"adsctl migrate\"";
    if (!db_bool(rows, 0, DB_ONLY)) {
        return ADS_ABSENT;
    }
    err = checksums(m, tx, &sums);
    if (err == ADS_OK) {
        err = state_check(m, tx, sums, NULL, &n_done);
        if (err == ADS_CONFLICT) {
            *why = "the database's schema is newer than this program, or was "
                   "made from other files: install the matching program";
        }
    }
    if (err == ADS_OK && version != NULL) {
        *version = (int)n_done;
    }
    if (err == ADS_OK && n_done == m->migrations.n) {
        err = code_check(m, tx, sums[n_done], &is_current);
    }
    if (err == ADS_OK && !is_current) {
        *why = "the database's schema is older than this program: run \"adsctl "
               "migrate\"";
        err = ADS_ABSENT;
    }
    return err;
}


enum ads_err
migrate_check(struct db *db, const struct conf *conf, struct log *log,
              const char **why, int *version)
{
    struct migration m = {.log = log, .pool = pool_new()};
    struct db_tx *tx = NULL;
    enum ads_err err;

    *why = "the files of the schema cannot be read";
    err = migration_init(&m, conf);
    if (err == ADS_OK) {
        *why = "the database does not answer";
        err = db_begin(db, &tx);
    }
    if (err == ADS_OK) {
        err = check(&m, tx, why, version);
    }
    db_end(tx);
    pool_free(m.pool);
    return err;
}
