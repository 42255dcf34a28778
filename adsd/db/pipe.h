/*
 * Pipeline of statements: several in one round trip, for connections that are
 * piped.
 */
#ifndef ADSD_DB_PIPE_H
#define ADSD_DB_PIPE_H

#include "db/wire.h"

/* Begins a transaction, without waiting for an answer. */
ADS_MUST enum ads_err
db_pipe_begin(struct db *db, const char *begin, const char *settings);

/* Reads what all statements brought; *kept (NULL: not wanted) is the result of
 * one of them.  The first failure counts: PostgreSQL passes over what was sent
 * behind it. */
ADS_MUST enum ads_err
db_pipe_collect(struct db *db, int keep, PGresult **kept);

ADS_MUST enum ads_err
db_pipe_run_last(struct db_tx *tx, const struct db_stmt *stmt,
                 struct db_args *args, struct db_rows **rows);

#endif
