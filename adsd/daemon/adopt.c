/*
 * A backup holds no roles.  Restored into a cluster that has none, every object
 * belongs to who restored it, and policies and rights are not there.  Roles
 * come from duties.sql, owners are put right here, and all else is replayed
 * from sql/code, because the mark of what is in place is taken away.
 */
#include "daemon/adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/db.h"

#define DUTY "migrate"
#define DUTIES_LEN_MAX 65536

static const struct db_stmt STMT_WHO = {
    .name = "adopt_who",
    .sql = "select r.rolsuper, (select count(*) from pg_catalog.pg_roles o"
           " where o.rolname = any ('{ads_owner,ads_api,ads_ingest,ads_publish,"
           "ads_ops,ads_pay,ads}')) < 7"
           " from pg_catalog.pg_roles r where r.rolname = current_user",
};

enum who_column { WHO_SUPER, WHO_LACKS };

/* Answers no row where there is no schema yet. */
static const struct db_stmt STMT_STRAY = {
    .name = "adopt_stray",
    .sql = "select n.nspowner::regrole::text <> 'ads_owner'"
           " or not has_schema_privilege('ads_api', n.oid, 'usage')"
           " or not exists (select from pg_catalog.pg_policy p"
           " join pg_catalog.pg_class c on c.oid = p.polrelid"
           " where c.relnamespace = n.oid)"
           " or exists (select from pg_catalog.pg_class c"
           " where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v')"
           " and c.relowner <> n.nspowner)"
           " from pg_catalog.pg_namespace n where n.nspname = 'ads'"
           " and exists (select from pg_catalog.pg_class c"
           " where c.relnamespace = n.oid and c.relname = 'schema_code')",
};

/* Indexes and sequences follow their tables. */
static const char owners[] =
    "do $$\n"
    "declare\n"
    "    v_alter text;\n"
    "begin\n"
    "    for v_alter in\n"
    "        select 'schema ads'\n"
    "        union all\n"
    "        select format('%s %s',\n"
    "            case c.relkind when 'v' then 'view' when 'c' then 'type'\n"
    "                else 'table' end, c.oid::regclass)\n"
    "        from pg_catalog.pg_class c\n"
    "        where c.relnamespace = 'ads'::regnamespace\n"
    "            and c.relkind in ('r', 'p', 'v', 'c')\n"
    "        union all\n"
    "        select format('routine %s', p.oid::regprocedure)\n"
    "        from pg_catalog.pg_proc p\n"
    "        where p.pronamespace = 'ads'::regnamespace\n"
    "    loop\n"
    "        execute format('alter %s owner to ads_owner', v_alter);\n"
    "    end loop;\n"
    "    execute format('alter database %I owner to ads_owner',\n"
    "        current_database());\n"
    "end\n"
    "$$;\n"
    "delete from ads.schema_code;";


static enum ads_err
ask(struct db_tx *tx, const struct db_stmt *stmt, struct pool *pool,
    struct db_rows **rows)
{
    struct db_args args;

    db_args_init(&args, pool);
    return db_run(tx, stmt, &args, rows);
}


static enum ads_err
roles_make(struct db_tx *tx, const struct conf *conf, struct pool *pool,
           struct log *log)
{
    char *path = pool_format(pool, NULL, "%s/duties.sql", conf->sql_path);
    char *text = pool_alloc(pool, DUTIES_LEN_MAX);
    ssize_t n = -1;
    enum ads_err err;
    int fd;

    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, DUTIES_LEN_MAX - 1);
        (void)close(fd);
    }
    if (n < 0) {
        log_error(log, DUTY, "could not read \"%s\": %s", path,
                  strerror(errno));
        return ADS_ABSENT;
    }
    text[n] = '\0';
    err = db_run_script(tx, "duties.sql", text);
    if (err == ADS_OK) {
        log_info(log, DUTY, "roles made");
    }
    return err;
}


static enum ads_err
adopt(struct db_tx *tx, const struct conf *conf, struct pool *pool,
      struct log *log)
{
    struct db_rows *rows;
    enum ads_err err;

    err = ask(tx, &STMT_WHO, pool, &rows);
    if (err != ADS_OK || db_n_rows(rows) == 0 || !db_bool(rows, 0, WHO_SUPER)) {
        return err;
    }
    if (db_bool(rows, 0, WHO_LACKS)) {
        err = roles_make(tx, conf, pool, log);
    }
    if (err == ADS_OK) {
        err = ask(tx, &STMT_STRAY, pool, &rows);
    }
    if (err != ADS_OK || db_n_rows(rows) == 0 || !db_bool(rows, 0, DB_ONLY)) {
        return err;
    }
    err = db_run_script(tx, "adopt_owners", owners);
    if (err == ADS_OK) {
        log_info(log, DUTY, "a restored schema: it is ads_owner's again");
    }
    return err;
}


enum ads_err
adopt_run(const struct conf *conf, struct log *log)
{
    const struct db_options options = {
        .duty = DB_CHECK, .conninfo = conf->database, .log = log};
    struct db *db = db_new(&options);
    struct pool *pool = pool_new();
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(db, &tx);
    if (err == ADS_OK) {
        err = adopt(tx, conf, pool, log);
    }
    if (err == ADS_OK) {
        err = db_commit(tx);
    }
    db_end(tx);
    pool_free(pool);
    db_free(db);
    return err;
}
