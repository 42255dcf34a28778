/*
 * Running statements, for transactions and copies.
 */
#ifndef ADSD_DB_RUN_H
#define ADSD_DB_RUN_H

#include "db/wire.h"

/* Reads every result of what was sent; keeps the last one in *kept (NULL: not
 * wanted) and the first failure. */
ADS_MUST enum ads_err
db_collect(struct db *db, const char *what, PGresult **kept);

/* Runs a constant text without parameters and rows. */
ADS_MUST enum ads_err
db_command(struct db *db, const char *what, const char *sql);

#endif
