/*
 * Makes a product of a line of JSON.
 */
#include "catalog/import_row.h"


enum ads_err
import_row_read(struct import_rule *rule, struct import_row *row,
                struct import_fault *fault, struct ads_str line,
                struct pool *pool)
{
    const char *why = NULL;
    struct doc *doc = doc_read(pool, (char *)line.ptr, line.len, &why);

    *row = (struct import_row){0};
    fault->field = "";
    if (doc == NULL) {
        fault->why = why;
        return ADS_INVALID;
    }
    if (doc->type != ADS_JSON_OBJECT) {
        fault->why = "not a JSON object";
        return ADS_INVALID;
    }
    return import_rule_check(rule, row, fault, doc, pool);
}
