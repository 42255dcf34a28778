/*
 * Makes a product of a line of JSON.
 */
#include "catalog/import_row.h"


enum ads_err
import_row_parse(struct doc **object, struct import_fault *fault,
                 struct ads_str text, struct pool *pool)
{
    const char *why = NULL;

    *object = doc_read(pool, (char *)text.ptr, text.len, &why);
    fault->field = "";
    if (*object == NULL) {
        fault->why = why;
        return ADS_INVALID;
    }
    if ((*object)->type != ADS_JSON_OBJECT) {
        fault->why = "not a JSON object";
        return ADS_INVALID;
    }
    return ADS_OK;
}


enum ads_err
import_row_read(struct import_rule *rule, struct import_row *row,
                struct import_fault *fault, struct ads_str line,
                struct pool *pool)
{
    struct doc *object;
    enum ads_err err;

    *row = (struct import_row){0};
    err = import_row_parse(&object, fault, line, pool);
    return err == ADS_OK ? import_rule_check(rule, row, fault, object, pool)
                         : err;
}
