/*
 * Takes the cells of a record apart.
 */
#include "catalog/import_record.h"

#include <string.h>

#include "ads_utf8.h"
#include "catalog/import_value.h"


void
record_fault(struct record *record, enum import_column column, const char *why)
{
    if (record->fault->why == NULL) {
        record->fault->column = record->at[column];
        record->fault->field = import_column_name(column);
        record->fault->why = why;
        record->fault->value = record->texts[column];
    }
}


static void
cells_take(struct record *record)
{
    const struct ads_str map = record->options->map;

    memset(record->texts, 0, sizeof(record->texts));
    record->n_options = 0;
    record->n_option_names = 0;
    for (unsigned i = 0; i < record->values->n; i++) {
        enum import_column column =
            import_column_of(map, record->names->cells[i]);
        struct ads_str text = import_value_trim(record->values->cells[i]);

        record->columns[i] = (uint8_t)column;
        record->said |= import_column_says(column);
        if (column != COLUMN_IGNORED && !ads_utf8_check(text)) {
            record->at[column] = i + 1;
            record_fault(record, column, "is not UTF-8");
            continue; /* nor is it anywhere a part of what is kept */
        }
        if (column == COLUMN_OPTION && record->n_options < OPTIONS_MAX) {
            record->option_values[record->n_options++] = text;
        }
        if (column == COLUMN_OPTION_NAME
            && record->n_option_names < OPTIONS_MAX) {
            record->option_names[record->n_option_names++] = text;
        }
        if (record->texts[column].len == 0) {
            record->texts[column] = text;
            record->at[column] = i + 1;
        }
    }
}


void
record_take(struct record *record, const struct feed_record *names,
            const struct feed_record *values)
{
    record->names = names;
    record->values = values;
    record->columns =
        pool_array(record->pool, values->n, sizeof(*record->columns));
    cells_take(record);
}
