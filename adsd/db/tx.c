/*
 * Begins, commits and repeats transactions.
 */
#include "db/db.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "db/pipe.h"
#include "db/run.h"
#include "db/type.h"

#define TRANSACT_TRIES 5


static enum ads_err
actor_tell(struct db *db)
{
    static const struct db_stmt stmt = {
        .name = "actor",
        .sql = "select set_config('ads.actor', $1, true)",
        .n_params = 1,
    };
    struct db_args args = {
        .n = 1,
        .types = {DB_TYPE_TEXT},
        .values = {db->actor},
        .lengths = {(int)strlen(db->actor)},
    };

    return db_run(&db->tx, &stmt, &args, NULL);
}


enum ads_err
db_begin(struct db *db, struct db_tx **tx)
{
    enum ads_err err = ADS_UNAVAILABLE;

    *tx = NULL;
    if (db->tx.open) {
        abort(); /* one transaction at a time */
    }
    if (db->breaker->hung_until_ms > clock_monotonic_ms()) {
        return ADS_UNAVAILABLE;
    }
    db->sqlstate[0] = '\0';
    if (db->terms->settings != NULL) {
        err = db_pipe_begin(db, db->terms->begin, db->terms->settings);
        *tx = err == ADS_OK ? &db->tx : NULL;
        return err;
    }

    /* a connection that died while idle is found out here, where nothing was
     * done yet: once more, on a new one */
    for (int i = 0; i < 2; i++) {
        err = db_connect(db);
        if (err != ADS_OK) {
            return err;
        }
        err = db_command(db, "begin", db->terms->begin);
        if (err == ADS_OK && db->actor != NULL) {
            err = actor_tell(db);
        }
        if (err == ADS_OK) {
            db->tx.open = true;
            *tx = &db->tx;
            return ADS_OK;
        }
        if (db->conn != NULL) {
            break;
        }
    }
    db_close(db);
    return err;
}


enum ads_err
db_commit(struct db_tx *tx)
{
    struct db *db = tx->db;
    PGresult *result = NULL;
    enum ads_err err = db_command_send(db, "commit", "commit");

    if (err == ADS_OK) {
        err = db_collect(db, "commit", &result);
    }
    if (err == ADS_OK && strcmp(PQcmdStatus(result), "COMMIT") != 0) {
        /* a statement failed before: PostgreSQL rolled back */
        log_error(db->log, db->terms->name, "commit of a failed transaction");
        err = ADS_IO;
    }
    PQclear(result);
    tx->open = db_is_open(db);
    return err;
}


void
db_end(struct db_tx *tx)
{
    struct db *db;

    if (tx == NULL) {
        return;
    }
    db = tx->db;
    if (tx->open && db->conn != NULL
        && db_command(db, "rollback", "rollback") != ADS_OK)
    {
        db_close(db);
    }
    tx->open = false;
    if (db_is_open(db)) {
        db_close(db);
    }
}


enum ads_err
db_savepoint(struct db_tx *tx)
{
    return db_command(tx->db, "savepoint", "savepoint ads");
}


enum ads_err
db_rollback_to_savepoint(struct db_tx *tx)
{
    return db_command(tx->db, "rollback to savepoint",
                      "rollback to savepoint ads");
}


enum ads_err
db_release_savepoint(struct db_tx *tx)
{
    return db_command(tx->db, "release savepoint", "release savepoint ads");
}


/* ---- as they are commonly run ---- */

enum ads_err
db_act_for(struct db_tx *tx, const struct ads_uuid *account, struct pool *pool)
{
    static const struct db_stmt stmt = {
        .name = "act_for",
        .sql = "select set_config('ads.tenant', $1::text, true)",
        .n_params = 1,
    };
    char text[ADS_UUID_TEXT_LEN];
    struct db_args args;

    (void)ads_uuid_write(text, account);
    db_args_init(&args, pool);
    db_arg_text(&args, (struct ads_str){text, sizeof(text)});
    return db_queue(tx, &stmt, &args);
}


enum ads_err
db_transact(struct db *db, enum ads_err (*work)(struct db_tx *tx, void *arg),
            void *arg)
{
    enum ads_err err = ADS_BUSY;
    struct db_tx *tx;

    for (int i = 0; i < TRANSACT_TRIES && err == ADS_BUSY; i++) {
        (void)poll(NULL, 0, 5 * i); /* lets the other one finish */
        err = db_begin(db, &tx);
        if (err != ADS_OK) {
            break;
        }
        err = work(tx, arg);
        if (err == ADS_OK) {
            err = db_commit(tx);
        }
        db_end(tx);
    }
    return err;
}


enum ads_err
db_queue(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args)
{
    return db_is_piped(tx->db) ? db_send(tx->db, stmt, args)
                               : db_run(tx, stmt, args, NULL);
}


enum ads_err
db_run_last(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
            struct db_rows **rows)
{
    enum ads_err err;

    if (db_is_piped(tx->db)) {
        return db_pipe_run_last(tx, stmt, args, rows);
    }
    err = db_run(tx, stmt, args, rows);
    return err == ADS_OK ? db_commit(tx) : err;
}


enum ads_err
db_run_alone(struct db *db, const struct db_stmt *stmt, struct db_args *args,
             struct db_rows **rows)
{
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(db, &tx);
    if (err == ADS_OK) {
        err = db_run_last(tx, stmt, args, rows);
    }
    db_end(tx);
    return err;
}
