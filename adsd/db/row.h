/*
 * Rows in answers: the one that a route's id names, and columns that may be
 * null, written to JSON.
 */
#ifndef ADSD_ROW_H
#define ADSD_ROW_H

#include "base/json.h"
#include "db/db.h"
#include "http/request.h"

/*
 * Runs a statement whose parameters are the account acted for and that id.
 * ADS_ABSENT, which is answered with 404, when it finds nothing.
 */
ADS_MUST enum ads_err
row_find(struct request *request, const struct db_stmt *stmt,
         const struct ads_uuid *id, struct db_rows **rows);

void
row_uuid(struct json *json, const char *name, const struct db_rows *rows, int i,
         int column);

void
row_time(struct json *json, const char *name, const struct db_rows *rows, int i,
         int column);

/* Two members, as json_money. */
void
row_money(struct json *json, const char *name, const struct db_rows *rows,
          int i, int column);

void
row_texts(struct json *json, const char *name, const struct db_rows *rows,
          int i, int column);

#endif
