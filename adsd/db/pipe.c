/*
 * Pipelines statements: several in one round trip, by libpq's pipeline mode.
 *
 * A statement whose result is not awaited is only given to libpq; it goes out
 * with the next one whose answer is wanted.  PostgreSQL passes over what stands
 * behind a failure, a commit too, up to the sync that ends each round trip, so
 * there is nothing to decide in between.  A connection that died while idle is
 * found out before anything is sent; nothing is sent twice.
 */
#include "db/pipe.h"

#include <poll.h>


/* Connected, and not closed since the last check. */
static enum ads_err
connect_alive(struct db *db)
{
    struct pollfd readable = {.events = POLLIN};
    enum ads_err err = db_connect(db);

    while (err == ADS_OK) {
        readable.fd = PQsocket(db->conn);
        if (poll(&readable, 1, 0) <= 0) {
            return ADS_OK;
        }
        if (PQconsumeInput(db->conn) == 0) {
            db_close(db);
            return db_connect(db);
        }
    }
    return err;
}


enum ads_err
db_pipe_begin(struct db *db, const char *begin, const char *settings)
{
    enum ads_err err = connect_alive(db);

    if (err == ADS_OK) {
        err = db_command_send(db, "begin", begin);
    }
    if (err == ADS_OK) {
        err = db_command_send(db, "settings", settings);
    }
    db->tx.open = err == ADS_OK;
    return err;
}


/* What a result means.  A server that ends the connection says why first. */
static enum ads_err
step_err(struct db *db, const char *what, const PGresult *result)
{
    const char *severity;
    enum ads_err err;

    switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
    case PGRES_PIPELINE_SYNC:
    case PGRES_PIPELINE_ABORTED: /* for another one's failure */
        return ADS_OK;
    default:
        err = db_result_err(db, what, result);
        severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
        if (severity == NULL || strcmp(severity, "ERROR") != 0) {
            db_close(db);
        }
        return err;
    }
}


enum ads_err
db_pipe_collect(struct db *db, int keep, PGresult **kept)
{
    int64_t deadline_ms = db_deadline_ms(db);
    const char *what = "sync";
    enum ads_err err, first = ADS_OK;
    bool synced = false;
    PGresult *result;
    int n = db->n_sent;

    if (PQpipelineSync(db->conn) == 0) {
        return db_lost(db, what);
    }
    err = db_flush(db, what, deadline_ms);
    for (int i = 0; err == ADS_OK && db->conn != NULL && !synced;) {
        what = i < n ? db->sent[i] : "sync";
        err = db_result_next(db, what, deadline_ms, &result);
        if (err != ADS_OK) {
            break;
        }
        if (result == NULL) { /* the next one's turn */
            if (i++ == n) {
                err = db_lost(db, what);
            }
            continue;
        }
        synced = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        if (first == ADS_OK) {
            first = step_err(db, what, result);
        }
        if (i == keep && kept != NULL && *kept == NULL) {
            *kept = result;
        } else {
            PQclear(result);
        }
    }
    db->n_sent = 0;
    return first != ADS_OK ? first : err;
}


enum ads_err
db_pipe_run_last(struct db_tx *tx, const struct db_stmt *stmt,
                 struct db_args *args, struct db_rows **rows)
{
    struct db *db = tx->db;
    PGresult *result = NULL;
    enum ads_err err = db_send(db, stmt, args);

    if (err == ADS_OK) {
        err = db_command_send(db, "commit", "commit");
    }
    if (err == ADS_OK) {
        err = db_pipe_collect(db, db->n_sent - 2, &result);
    }
    tx->open = db_is_open(db);
    return db_rows_keep(err, result, args->pool, rows);
}
