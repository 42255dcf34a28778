/*
 * Columns of a PostgreSQL row, which may be null, as members of a JSON object.
 */
#ifndef ADSD_ROW_H
#define ADSD_ROW_H

#include "base/json.h"
#include "db/db.h"

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

/* The text of a text[] as jsonb, in the pool: "[]" for a null. */
struct ads_str
row_texts_json(const struct db_rows *rows, int i, int column,
               struct pool *pool);

#endif
