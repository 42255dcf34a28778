/*
 * What the files behind db.h share: a connection as it is.
 */
#ifndef ADSD_DB_INNER_H
#define ADSD_DB_INNER_H

#include <libpq-fe.h>

#include "db.h"

struct db_tx {
    struct db *db;
    bool open;
};

struct db {
    enum db_duty duty;
    const char *conninfo;
    struct log *log;
    struct db_breaker *breaker;
    struct db_breaker own; /* when none is shared */
    const char *actor;
    int stop_fd;
    int64_t stop_ms; /* nothing is waited for after it; 0: no stop yet */
    PGconn *conn;
    uint64_t n_connects;
    struct db_tx tx;
    char sqlstate[6];
    char message[200];
};

/* Sends what libpq still holds. */
ADS_MUST enum ads_err
db_flush(struct db *db, const char *what, int64_t deadline_ms);

/* Reads every result of what was sent; keeps the last one in *kept (NULL: not
 * wanted) and the first failure. */
ADS_MUST enum ads_err
db_collect(struct db *db, const char *what, PGresult **kept);

/* The next result; NULL at the end of the statement. */
ADS_MUST enum ads_err
db_result_next(struct db *db, const char *what, int64_t deadline_ms,
               PGresult **result);

/* What a failed result means; told to the log where nobody else will. */
ADS_MUST enum ads_err
db_judge(struct db *db, const char *what, const PGresult *result);

/* The connection broke: closes it, and says so. */
enum ads_err
db_lost(struct db *db, const char *what);

/* When a statement that is sent now must have been answered. */
int64_t
db_deadline_ms(const struct db *db);

#endif
