/*
 * Connection to PostgreSQL below statements and transactions: what the files
 * behind db/db.h share.
 */
#ifndef ADSD_DB_WIRE_H
#define ADSD_DB_WIRE_H

#include <libpq-fe.h>

#include "db/db.h"

#define DB_SENT_MAX 8 /* statements of one round trip */
#define DB_TYPES_MAX 8

/* What differs between duties. */
struct db_terms {
    const char *name;
    const char *application;
    const char *begin; /* role and time-outs last as long as the transaction */
    int deadline_ms;   /* of a statement: a bit longer than the server's */
    const char *settings; /* those of a duty that is piped, else NULL */
};

struct db_rows {
    PGresult *result;
};

struct db_tx {
    struct db *db;
    bool open;
};

/* One of our types and its number. */
struct db_known {
    const char *name;
    uint32_t number;
};

struct db {
    enum db_duty duty;
    const struct db_terms *terms;
    const char *conninfo;
    struct log *log;
    struct db_breaker *breaker;
    struct db_breaker own; /* when none is shared */
    const char *actor;
    int stop_fd;
    int64_t stop_ms; /* nothing is waited for after it; 0: no stop yet */
    struct pulse *pulse;
    PGconn *conn;
    uint64_t n_connects;
    struct db_known types[DB_TYPES_MAX]; /* of this connection */
    int n_types;
    struct db_tx tx;
    const char *sent[DB_SENT_MAX]; /* piped: names of what is not answered */
    int n_sent;
    char sqlstate[6];
    char message[200];
    char hint[32];
};

/* False without a connection. */
static inline bool
db_is_piped(const struct db *db)
{
    return PQpipelineStatus(db->conn) != PQ_PIPELINE_OFF;
}


/* Connected, and in a transaction. */
static inline bool
db_is_open(const struct db *db)
{
    return db->conn != NULL && PQtransactionStatus(db->conn) != PQTRANS_IDLE;
}


/* Gives a statement to libpq; its answer is still to be collected. */
ADS_MUST enum ads_err
db_send(struct db *db, const struct db_stmt *stmt, const struct db_args *args);

/* Likewise a constant text without parameters. */
ADS_MUST enum ads_err
db_command_send(struct db *db, const char *what, const char *sql);

/* Ties a result to the pool as *rows, or frees it; returns err. */
ADS_MUST enum ads_err
db_rows_keep(enum ads_err err, PGresult *result, struct pool *pool,
             struct db_rows **rows);

/* Sends what libpq still holds. */
ADS_MUST enum ads_err
db_flush(struct db *db, const char *what, int64_t deadline_ms);

/* The next result; NULL at the end of the statement. */
ADS_MUST enum ads_err
db_result_next(struct db *db, const char *what, int64_t deadline_ms,
               PGresult **result);

/* What a failed result means; logged where no caller will. */
ADS_MUST enum ads_err
db_result_err(struct db *db, const char *what, const PGresult *result);

/* The connection broke: closes it, and says so. */
enum ads_err
db_lost(struct db *db, const char *what);

/* When a statement that is sent now must have been answered. */
int64_t
db_deadline_ms(const struct db *db);

#endif
