/*
 * Streams rows into a table: COPY in PostgreSQL's binary form.
 *
 * What is put is sent before the call returns, so nothing piles up here.  A row
 * that PostgreSQL refuses is reported at the end.
 */
#include "db/run.h"


enum ads_err
db_copy_begin(struct db_tx *tx, const struct db_stmt *stmt)
{
    struct db *db = tx->db;
    enum ads_err err = ADS_OK;
    PGresult *result;

    if (db->conn == NULL) {
        return ADS_UNAVAILABLE;
    }
    if (PQsendQuery(db->conn, stmt->sql) == 0) {
        return db_lost(db, stmt->name);
    }
    err = db_flush(db, stmt->name, db_deadline_ms(db));
    if (err == ADS_OK) {
        err = db_result_next(db, stmt->name, db_deadline_ms(db), &result);
    }
    if (err != ADS_OK) {
        return err;
    }
    if (PQresultStatus(result) != PGRES_COPY_IN) {
        err = db_result_err(db, stmt->name, result);
        PQclear(result);
        (void)!db_collect(db, stmt->name, NULL);
        return err;
    }
    PQclear(result);
    return ADS_OK;
}


enum ads_err
db_copy_put(struct db_tx *tx, const struct db_stmt *stmt, const void *bytes,
            size_t len)
{
    struct db *db = tx->db;

    if (db->conn == NULL) {
        return ADS_UNAVAILABLE;
    }
    if (PQputCopyData(db->conn, bytes, (int)len) < 0) {
        return db_lost(db, stmt->name);
    }
    return db_flush(db, stmt->name, db_deadline_ms(db));
}


enum ads_err
db_copy_end(struct db_tx *tx, const struct db_stmt *stmt)
{
    struct db *db = tx->db;

    if (db->conn == NULL) {
        return ADS_UNAVAILABLE;
    }
    if (PQputCopyEnd(db->conn, NULL) < 0) {
        return db_lost(db, stmt->name);
    }
    return db_collect(db, stmt->name, NULL);
}
