/*
 * adsctl doctor: checks everything an installation depends on, and says what to
 * do about what it finds.  It changes nothing.
 *
 * `bad` keeps something from working or from being safe and makes the exit
 * code 1, `warn` deserves a look.  One table of checks; each tells one thing a
 * line.  What needs the database is skipped once it does not answer.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ads_url.h"
#include "base/clock.h"
#include "ctl/doctor.h"
#include "ctl/replay.h"
#include "ctl/file.h"
#include "ctl/verbs.h"
#include "daemon/auth_keys.h"
#include "daemon/migrate.h"
#include "daemon/node.h"
#include "tables/served.h"

#define TMPFS 0x01021994
#define MIB (UINT64_C(1) << 20)
#define FREE_MIN_MIB 512
#define INODES_MIN 10000
#define SKEW_WARN_US 1000000
#define SKEW_BAD_US 60000000 /* the leeway of access tokens */
#define PG_LEAST 150000
#define N_ROLES 6 /* of roles.sql, adsd's login apart */

static const struct db_stmt STMT_SERVER = {
    .name = "doctor_server",
    .sql = "select current_setting('server_version_num')::int,"
           "    current_setting('server_version'),"
           "    clock_timestamp(),"
           "    (select r.rolsuper or r.rolcreaterole or r.rolcreatedb"
           "        or r.rolbypassrls or exists ("
           "            select from pg_roles o"
           "            where o.rolname in ('ads_owner', 'ads_pay')"
           "                and pg_has_role(r.oid, o.oid, 'member'))"
           "     from pg_roles r"
           "     where r.rolname = session_user),"
           "    current_setting('fsync') = 'on'"
           "        and current_setting('full_page_writes') = 'on'",
    .n_params = 0,
};

enum server_column {
    SERVER_NUMBER,
    SERVER_VERSION,
    SERVER_NOW,
    SERVER_SUPERUSER,
    SERVER_SAFE
};

/* Roles that could get round row-level security, or sign in. */
static const struct db_stmt STMT_ROLES = {
    .name = "doctor_roles",
    .sql = "select count(*),"
           "    coalesce(string_agg(r.rolname, ', ')"
           "        filter (where r.rolsuper or r.rolbypassrls"
           "            or r.rolcreaterole or r.rolcanlogin), '') "
           "from pg_roles r "
           "where r.rolname in"
           "    ('ads_owner', 'ads_api', 'ads_ingest', 'ads_publish',"
           "     'ads_ops', 'ads_pay')",
    .n_params = 0,
};

enum roles_column { ROLES_N, ROLES_BAD };

static const struct db_stmt STMT_TABLES = {
    .name = "doctor_tables",
    .sql = "select count(*),"
           "    coalesce(string_agg(distinct c.relname, ', ')"
           "        filter (where not (c.relrowsecurity"
           "            and c.relforcerowsecurity)), '') "
           "from pg_class c "
           "where c.relnamespace = 'ads'::regnamespace"
           "    and c.relkind in ('r', 'p')"
           "    and (c.relname in ('accounts', 'users') or exists ("
           "        select from pg_attribute a"
           "        where a.attrelid = c.oid and a.attnum > 0"
           "            and a.attname in"
           "                ('account_id', 'publisher_id', 'user_id')))",
    .n_params = 0,
};

enum tables_column { TABLES_N, TABLES_NAMES };

/* As the role that answers requests, for no tenant. */
static const struct db_stmt STMT_NOBODY = {
    .name = "doctor_nobody",
    .sql = "select (select count(*) from ads.accounts)"
           "    + (select count(*) from ads.api_keys)"
           "    + (select count(*) from ads.campaigns)",
    .n_params = 0,
};

static const struct db_stmt STMT_ROWS = {
    .name = "doctor_rows",
    .sql = "select c.n, (select count(*) from ads.ingest_reject) "
           "from ads.change c",
    .n_params = 0,
};

enum rows_column { ROWS_CHANGE, ROWS_REJECTED };


/* ---- this machine ---- */

static void
conf_look(struct ctl_doctor *doctor)
{
    const struct conf *conf = &doctor->ctl->conf;
    bool plain = strncmp(conf->base_url, "http://", 7) == 0;
    bool local = plain
                 && (strncmp(conf->base_url + 7, "127.", 4) == 0
                     || strncmp(conf->base_url + 7, "localhost", 9) == 0
                     || strncmp(conf->base_url + 7, "[::1]", 5) == 0);

    ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "read, base_url %s",
                    conf->base_url);
    if (strcmp(conf->base_url, ADS_URL_PLACEHOLDER) == 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "say where visitors reach you: base_url in adsd.conf,"
                        " ads_base_url in nginx",
                        "base_url is that of the example");
    }
    if (plain && !local) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        "serve https, and say so in base_url",
                        "links and keys travel unencrypted");
    }
    if (!db_conninfo_verified(conf->database)) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        "add sslmode=verify-full and sslrootcert to database",
                        "the database's certificate is not verified");
    }
    if (conf->oauth_allow_private) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        "set oauth_allow_private = off",
                        "identity providers at private addresses are asked");
    }
    if (conf->topup_settlement == CONF_TOPUP_INSTANT) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        "set topup_settlement = manual",
                        "every advertiser makes money out of nothing");
    }
}


static void
folder_look(struct ctl_doctor *doctor, const char *path, bool memory)
{
    struct statfs fs;
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, "run adsctl init",
                        "%s: no folder", path);
    } else if ((st.st_mode & 0007) != 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, "chmod o= it",
                        "%s: open to everybody", path);
    } else if ((st.st_mode & 0020) != 0 && (st.st_mode & S_ISVTX) == 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, "chmod +t it",
                        "%s: workers may remove what is adsd's", path);
    } else if (access(path, W_OK) != 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "run as the user of adsd, or chown it",
                        "%s: cannot be written by this user", path);
    } else if (statfs(path, &fs) == 0 && (fs.f_type == TMPFS) != memory) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        memory ? "put run_path on a tmpfs such as /run"
                               : "put state_path on a disk",
                        memory ? "%s: on a disk, which slows workers down"
                               : "%s: in memory, gone with the power",
                        path);
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "%s", path);
    }
}


static void
folders_look(struct ctl_doctor *doctor)
{
    const struct conf *conf = &doctor->ctl->conf;

    folder_look(doctor, conf->state_path, false);
    folder_look(
        doctor,
        pool_format(doctor->ctl->pool, NULL, "%s/journal", conf->state_path),
        false);
    folder_look(doctor, conf->run_path, true);
}


static void
jwt_keys_look(struct ctl_doctor *doctor)
{
    const char *path = doctor->ctl->conf.jwt_key_file;
    struct auth_keys *keys = NULL;
    char text[CTL_FILE_MAX];
    struct stat st;

    if (stat(path, &st) != 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, "run adsctl init", "%s: %s",
                        path, strerror(errno));
    } else if ((st.st_mode & 0077) != 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "chmod 0600 it, then rotate: adsctl jwt-key add",
                        "%s: others than its owner may read it", path);
    } else if (ctl_file_read(text, path) != CTL_OK
               || auth_keys_parse(&keys, ctl_text(text)) != ADS_OK)
    {
        ctl_doctor_tell(
            doctor, CTL_DOCTOR_BAD,
            "adsd -t says which line; copy the file of another node",
            "%s: no set of keys", path);
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "%s", path);
    }
    explicit_bzero(text, sizeof(text));
    auth_keys_free(keys);
}


/* Secrets of the providers that people may sign in with. */
static void
secrets_look(struct ctl_doctor *doctor)
{
    const struct conf *conf = &doctor->ctl->conf;
    struct stat st;

    for (size_t i = 0; i < CONF_PROVIDERS; i++) {
        const char *path = conf->oauth[i].client_secret_file;

        if (conf->oauth[i].client_id[0] == '\0') {
            continue;
        }
        if (path[0] == '\0' || stat(path, &st) != 0 || st.st_size == 0) {
            ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                            "put the provider's secret there, mode 0600",
                            "oauth_*_client_secret_file \"%s\": no secret",
                            path);
        } else if ((st.st_mode & 0077) != 0) {
            ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                            "chmod 0600 it, and take a new one",
                            "%s: others than its owner may read it", path);
        } else {
            ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "%s", path);
        }
    }
}


static void
keys_look(struct ctl_doctor *doctor)
{
    const char *path = doctor->ctl->conf.token_key_file;
    struct ads_ring ring;

    if (node_read_ring(&ring, &doctor->ctl->conf, doctor->ctl->log) == ADS_OK) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "%s: %u click keys", path,
                        ring.n);
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "adsctl init makes one where there is none; all nodes"
                        " have the same file",
                        "%s: no ring of click keys", path);
    }
    explicit_bzero(&ring, sizeof(ring));
    jwt_keys_look(doctor);
    secrets_look(doctor);
}


static void
disk_look(struct ctl_doctor *doctor)
{
    const struct conf *conf = &doctor->ctl->conf;
    struct statvfs vfs;
    uint64_t free_mib;

    if (statvfs(conf->state_path, &vfs) != 0) {
        return; /* told as a folder */
    }
    free_mib = (uint64_t)vfs.f_bavail * vfs.f_frsize / MIB;
    if (free_mib < FREE_MIN_MIB) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "make room: without it clicks are not recorded and"
                        " paid ads stop",
                        "%" PRIu64 " MiB free", free_mib);
    } else if (free_mib < (uint64_t)conf->journal_max_mb) {
        ctl_doctor_tell(
            doctor, CTL_DOCTOR_WARN, "make room, or lower journal_max_mb",
            "%" PRIu64 " MiB free, less than journal_max_mb", free_mib);
    } else if (vfs.f_files > 0 && vfs.f_favail < INODES_MIN) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, "remove files",
                        "%" PRIu64 " files can still be made",
                        (uint64_t)vfs.f_favail);
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "%" PRIu64 " MiB free",
                        free_mib);
    }
}


static void
clock_look(struct ctl_doctor *doctor)
{
    struct timex timex = {0};

    if (adjtimex(&timex) == TIME_ERROR || (timex.status & STA_UNSYNC) != 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        "run chrony or systemd-timesyncd",
                        "the kernel does not know of a time source");
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "synchronised");
    }
}


/* ---- the database ---- */

static enum ads_err
ask(struct ctl_doctor *doctor, struct db *db, const struct db_stmt *stmt,
    struct db_rows **rows)
{
    struct db_args args;

    db_args_init(&args, doctor->ctl->pool);
    return db_run_alone(db, stmt, &args, rows);
}


static void
skew_look(struct ctl_doctor *doctor, int64_t database_us)
{
    int64_t skew_us = clock_realtime_us() - database_us;

    skew_us = skew_us < 0 ? -skew_us : skew_us;
    if (skew_us > SKEW_WARN_US) {
        ctl_doctor_tell(
            doctor, skew_us > SKEW_BAD_US ? CTL_DOCTOR_BAD : CTL_DOCTOR_WARN,
            "synchronise the clocks of both machines",
            "%.1f s between this clock and the database's",
            (double)skew_us / 1e6);
    }
}


static void
database_look(struct ctl_doctor *doctor)
{
    struct db_rows *rows;
    struct ads_str version;

    if (ask(doctor, doctor->ctl->db, &STMT_SERVER, &rows) != ADS_OK) {
        doctor->away = doctor->no_db = true;
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "is PostgreSQL up, is `database` in adsd.conf right?",
                        "does not answer");
        return;
    }
    version = db_text(rows, 0, SERVER_VERSION);
    ctl_doctor_tell(doctor,
                    db_int(rows, 0, SERVER_NUMBER) >= PG_LEAST ? CTL_DOCTOR_OK
                                                               : CTL_DOCTOR_BAD,
                    db_int(rows, 0, SERVER_NUMBER) >= PG_LEAST
                        ? NULL
                        : "upgrade to PostgreSQL 15 or newer",
                    "PostgreSQL %.*s", (int)version.len, version.ptr);
    if (db_bool(rows, 0, SERVER_SUPERUSER)) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "run roles.sql, and let adsd sign in as ads",
                        "adsd's login may do more than its duties");
    }
    if (!db_bool(rows, 0, SERVER_SAFE)) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        "turn fsync and full_page_writes on",
                        "the server may lose what it committed");
    }
    skew_look(doctor, db_time(rows, 0, SERVER_NOW));
}


static void
schema_look(struct ctl_doctor *doctor)
{
    struct ctl *ctl = doctor->ctl;
    const struct db_options options = {
        .duty = DB_CHECK, .conninfo = ctl->conf.database, .log = ctl->log};
    struct db *db = db_new(&options);
    const char *why = "run adsctl migrate";

    if (migrate_check(db, &ctl->conf, ctl->log, &why, NULL) == ADS_OK) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "of this version");
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, why,
                        "not of this version of adsd");
        doctor->away = true; /* what follows would ask for tables */
    }
    db_free(db);
}


static void
roles_look(struct ctl_doctor *doctor)
{
    struct db_rows *rows;
    struct ads_str names;

    if (ask(doctor, doctor->ctl->db, &STMT_ROLES, &rows) != ADS_OK) {
        return;
    }
    names = db_text(rows, 0, ROLES_BAD);
    if (db_int(rows, 0, ROLES_N) != N_ROLES || names.len > 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "run roles.sql as a superuser (docs/operations.md)",
                        "%" PRId64 " of 6 there; may do too much: %.*s",
                        db_int(rows, 0, ROLES_N), (int)names.len, names.ptr);
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL,
                        "none signs in or gets round row-level security");
    }
}


static void
tenants_look(struct ctl_doctor *doctor)
{
    struct ctl *ctl = doctor->ctl;
    const struct db_options options = {
        .duty = DB_API, .conninfo = ctl->conf.database, .log = ctl->log};
    struct db *db = db_new(&options);
    struct db_rows *rows;
    struct ads_str names;

    if (ask(doctor, ctl->db, &STMT_TABLES, &rows) == ADS_OK) {
        names = db_text(rows, 0, TABLES_NAMES);
        ctl_doctor_tell(doctor, names.len == 0 ? CTL_DOCTOR_OK : CTL_DOCTOR_BAD,
                        names.len == 0
                            ? NULL
                            : "alter table ... enable and force row level"
                              " security",
                        names.len == 0 ? "%" PRId64 " tables, all forced%.*s"
                                       : "%" PRId64 " tables, not forced: %.*s",
                        db_int(rows, 0, TABLES_N), (int)names.len, names.ptr);
    }
    if (ask(doctor, db, &STMT_NOBODY, &rows) == ADS_OK
        && db_int(rows, 0, DB_ONLY) > 0)
    {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "run adsctl migrate; look for policies of your own",
                        "the api role sees rows without a tenant");
    }
    db_free(db);
}


/* ---- what runs ---- */

static void
socket_look(struct ctl_doctor *doctor, const char *name)
{
    char path[4096];
    struct stat st;

    if (node_path(path, sizeof(path), doctor->ctl->conf.run_path, name)
            != ADS_OK
        || stat(path, &st) != 0 || !S_ISSOCK(st.st_mode))
    {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, "restart adsd", "%s: no socket",
                        name);
    } else if ((st.st_mode & 0007) != 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, "restart adsd",
                        "%s: open to everybody", name);
    }
}


/* Was the database restored, so that clicks wait for a word? */
static void
watermark_look(struct ctl_doctor *doctor)
{
    struct ctl *ctl = doctor->ctl;
    enum watermark_state state;
    int64_t behind_s;
    uint64_t node;

    if (node_read_id(&node, &ctl->conf, ctl->log) == ADS_OK
        && ctl_watermark(ctl, node, &state, &behind_s) == ADS_OK
        && state >= WATERMARK_BEHIND)
    {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "adsctl journal replay --from-backup --dry-run",
                        "the database is %" PRId64
                        " s older than the journal: clicks wait",
                        behind_s);
    }
}


static void
adsd_look(struct ctl_doctor *doctor)
{
    static const char *const sockets[] = {"api.sock", "auth.sock", "oauth.sock",
                                          "feed.sock", "events.sock"};
    struct ctl *ctl = doctor->ctl;
    struct served_state state;
    struct db_rows *rows;

    served_look(&state, &ctl->conf, ctl->log);
    if (!state.running) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD,
                        "start it; its log says why it ended",
                        "not running here");
        return;
    }
    ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL,
                    "running, generation %" PRIu64 ", %" PRIu64
                    " bytes not committed",
                    state.generation, state.pending);
    for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
        socket_look(doctor, sockets[i]);
    }
    if (doctor->away || ask(doctor, ctl->db, &STMT_ROWS, &rows) != ADS_OK) {
        return;
    }
    watermark_look(doctor);
    if (state.served_change < (uint64_t)db_int(rows, 0, ROWS_CHANGE)) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN, "see its log if that stays so",
                        "change %" PRIu64 " is served, of %" PRId64,
                        state.served_change, db_int(rows, 0, ROWS_CHANGE));
    }
    if (db_int(rows, 0, ROWS_REJECTED) > 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        "select * from ads.ingest_reject; adsctl reconcile",
                        "%" PRId64 " records were set aside",
                        db_int(rows, 0, ROWS_REJECTED));
    }
}


static const struct {
    const char *name;
    void (*look)(struct ctl_doctor *doctor);
    bool database; /* needs it */
} checks[] = {
    {"config", conf_look, false},       {"folders", folders_look, false},
    {"keys", keys_look, false},         {"disk", disk_look, false},
    {"clock", clock_look, false},       {"database", database_look, false},
    {"schema", schema_look, true},      {"roles", roles_look, true},
    {"tenants", tenants_look, true},    {"adsd", adsd_look, false},
    {"nginx", ctl_doctor_nginx, false},
};


int
ctl_doctor(struct ctl *ctl, int argc, char **argv)
{
    struct ctl_doctor doctor = {.ctl = ctl};
    const struct ctl_option options[] = {{"nginx", false, NULL, &doctor.nginx}};
    int n, rc;

    rc = ctl_options(argc, argv, options, 1, 0, 0, &n);
    if (rc != CTL_OK) {
        return rc;
    }
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        if (!checks[i].database || !doctor.away) {
            doctor.check = checks[i].name;
            checks[i].look(&doctor);
        }
    }
    return doctor.n_bad == 0 ? CTL_OK : doctor.no_db ? CTL_AWAY : CTL_REFUSED;
}
