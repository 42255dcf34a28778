/*
 * adsctl init and migrate: everything a new node needs before adsd starts, and
 * the schema.  Both may be repeated: what is there is kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ring.h"
#include "ctl/verbs.h"
#include "daemon/adopt.h"
#include "daemon/auth_keys.h"
#include "daemon/migrate.h"
#include "daemon/node.h"


/* A schema of this version needs no login that may change it; one that was
 * restored is made whole first. */
static enum ads_err
schema_update(struct migrate_result *result, struct ctl *ctl)
{
    struct db_options options = {
        .duty = DB_CHECK, .conninfo = ctl->conf.database, .log = ctl->log};
    const char *why;
    enum ads_err err;
    struct db *db;

    *result = (struct migrate_result){0};
    err = adopt_run(&ctl->conf, ctl->log);
    if (err != ADS_OK) {
        return err;
    }
    db = db_new(&options);
    err = migrate_check(db, &ctl->conf, ctl->log, &why, &result->version);
    db_free(db);
    if (err == ADS_OK) {
        return ADS_OK;
    }

    options.duty = DB_MIGRATE;
    db = db_new(&options);
    err = migrate_run(result, db, &ctl->conf, ctl->log);
    db_free(db);
    return err;
}


static int
schema_migrate(struct ctl *ctl)
{
    struct migrate_result result;
    enum ads_err err = schema_update(&result, ctl);

    if (err != ADS_OK) {
        return ctl_exit_of(err);
    }

    if (ctl->json) {
        if (!ctl->json_open) {
            ctl_json_begin(ctl);
        }
        ctl_json_int(ctl, "version", result.version);
        ctl_json_int(ctl, "applied", result.n_applied);
        ctl_json_bool(ctl, "code_applied", result.code_applied);
        ctl_json_end(ctl);

    } else {
        printf("schema version %d: %d migrations applied, functions %s\n",
               result.version, result.n_applied,
               result.code_applied ? "replaced" : "unchanged");
    }
    return CTL_OK;
}


int
ctl_migrate(struct ctl *ctl, int argc, char **argv)
{
    int n, rc;

    rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);
    return rc == CTL_OK ? schema_migrate(ctl) : rc;
}


int
ctl_init(struct ctl *ctl, int argc, char **argv)
{
    struct auth_keys *keys;
    struct ads_ring ring;
    char id[17];
    uint64_t node;
    enum ads_err err;
    int n, rc;

    rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);
    if (rc != CTL_OK) {
        return rc;
    }

    err = node_make_folders(&ctl->conf, ctl->log);
    if (err == ADS_OK) {
        err = node_make_id(&node, &ctl->conf, ctl->log);
    }
    if (err != ADS_OK) {
        return ctl_exit_of(err);
    }

    if (access(ctl->conf.token_key_file, F_OK) != 0) {
        rc = ctl_ring_make(ctl->conf.token_key_file);
        if (rc != CTL_OK) {
            return rc;
        }
    }
    err = node_read_ring(&ring, &ctl->conf, ctl->log);
    explicit_bzero(&ring, sizeof(ring));
    if (err == ADS_OK) {
        err = auth_keys_open(&keys, ctl->conf.jwt_key_file, ctl->log);
    }
    if (err != ADS_OK) {
        return ctl_exit_of(err);
    }
    auth_keys_free(keys);

    snprintf(id, sizeof(id), "%016" PRIx64, node);
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "node", ctl_text(id));
        ctl_json_text(ctl, "state_path", ctl_text(ctl->conf.state_path));

    } else {
        printf("node %s under %s\n", id, ctl->conf.state_path);
    }
    return schema_migrate(ctl);
}
