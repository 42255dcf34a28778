/*
 * Runs statements and checks their results.
 */
#include "db/run.h"

#include "db/pipe.h"


enum ads_err
db_collect(struct db *db, const char *what, PGresult **kept)
{
    int64_t deadline_ms = db_deadline_ms(db);
    enum ads_err err, first = ADS_OK;
    PGresult *result;

    if (db_is_piped(db)) {
        return db_pipe_collect(db, db->n_sent - 1, kept);
    }
    err = db_flush(db, what, deadline_ms);
    while (err == ADS_OK) {
        err = db_result_next(db, what, deadline_ms, &result);
        if (err != ADS_OK || result == NULL) {
            break;
        }
        if (first == ADS_OK && PQresultStatus(result) != PGRES_TUPLES_OK
            && PQresultStatus(result) != PGRES_COMMAND_OK)
        {
            first = db_result_err(db, what, result);
        }
        if (kept != NULL) {
            PQclear(*kept);
            *kept = result;
        } else {
            PQclear(result);
        }
    }
    if (err == ADS_OK && PQstatus(db->conn) == CONNECTION_BAD) {
        db_close(db); /* classified already: a server that shuts down */
    }
    return err != ADS_OK ? err : first;
}


enum ads_err
db_command(struct db *db, const char *what, const char *sql)
{
    enum ads_err err = db_command_send(db, what, sql);

    return err == ADS_OK ? db_collect(db, what, NULL) : err;
}


enum ads_err
db_run(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
       struct db_rows **rows)
{
    PGresult *result = NULL;
    enum ads_err err = db_send(tx->db, stmt, args);

    if (err == ADS_OK) {
        err = db_collect(tx->db, stmt->name, &result);
    }
    return db_rows_keep(err, result, args->pool, rows);
}


enum ads_err
db_type_find(struct db_tx *tx, const char *name, struct pool *pool,
             uint32_t *type)
{
    static const struct db_stmt stmt = {
        .name = "type_find",
        .sql = "select $1::regtype::oid::bigint as type",
        .n_params = 1,
    };
    struct db *db = tx->db;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    for (int i = 0; i < db->n_types; i++) {
        if (strcmp(db->types[i].name, name) == 0) {
            *type = db->types[i].number;
            return ADS_OK;
        }
    }
    db_args_init(&args, pool);
    db_arg_text(&args, (struct ads_str){name, strlen(name)});
    err = db_run(tx, &stmt, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    *type = (uint32_t)db_int(rows, 0, db_column(rows, "type"));
    if (db->n_types < DB_TYPES_MAX) {
        db->types[db->n_types++] = (struct db_known){name, *type};
    }
    return ADS_OK;
}


enum ads_err
db_run_each(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
            enum ads_err (*each)(void *arg, const struct db_rows *rows),
            void *arg)
{
    struct db *db = tx->db;
    struct db_rows one;
    enum ads_err err, first = ADS_OK;

    err = db_send(db, stmt, args);
    if (err != ADS_OK) {
        return err;
    }
    if (PQsetSingleRowMode(db->conn) == 0) {
        return db_lost(db, stmt->name);
    }
    err = db_flush(db, stmt->name, db_deadline_ms(db));
    while (err == ADS_OK) {
        err = db_result_next(db, stmt->name, db_deadline_ms(db), &one.result);
        if (err != ADS_OK || one.result == NULL) {
            break;
        }
        if (PQresultStatus(one.result) == PGRES_SINGLE_TUPLE) {
            err = each(arg, &one);
            if (err != ADS_OK) {
                PQclear(one.result);
                db_close(db);
                return err;
            }

        } else if (PQresultStatus(one.result) != PGRES_TUPLES_OK
                   && first == ADS_OK) {
            first = db_result_err(db, stmt->name, one.result);
        }
        PQclear(one.result);
    }
    return err != ADS_OK ? err : first;
}


enum ads_err
db_run_script(struct db_tx *tx, const char *name, const char *sql)
{
    return db_command(tx->db, name, sql);
}
