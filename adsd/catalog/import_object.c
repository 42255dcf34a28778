/*
 * Makes cells of an object.
 */
#include "catalog/import_object.h"

#include <string.h>

#include "catalog/import_columns.h"


bool
import_object_is_foreign(const struct doc *object, struct ads_str map)
{
    const struct doc *price = doc_find(object, "price");
    const bool has_url = doc_find(object, "url") != NULL;

    if (price != NULL
        && (price->type == ADS_JSON_STRING || price->type == ADS_JSON_OBJECT))
    {
        return true;
    }
    for (const struct doc *m = object->first; m != NULL; m = m->next) {
        const enum import_column column = import_column_of(map, m->key);

        if ((!has_url && column == COLUMN_URL) || column == COLUMN_REGULAR_PRICE
            || (price == NULL && column == COLUMN_PRICE))
        {
            return true;
        }
    }
    return false;
}


/* What a part of a list, or an object, says: a text, a name or an address, or
 * an amount with its currency. */
static struct ads_str
part_text(const struct doc *part, struct pool *pool)
{
    static const char *const names[] = {"name", "src",   "url",
                                        "link", "value", "amount"};
    const struct doc *currency = doc_find(part, "currency");
    const struct doc *member = NULL;
    struct ads_str text;

    if (part->type == ADS_JSON_BOOL) {
        return part->truth ? ADS_STR("true") : ADS_STR("false");
    }
    if (part->type == ADS_JSON_STRING || part->type == ADS_JSON_NUMBER) {
        return part->text;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && member == NULL;
         i++) {
        member = doc_find(part, names[i]);
    }
    if (member == NULL
        || (member->type != ADS_JSON_STRING && member->type != ADS_JSON_NUMBER))
    {
        return ADS_STR("");
    }
    if (currency == NULL || currency->type != ADS_JSON_STRING) {
        return member->text;
    }
    text.ptr = pool_format(pool, &text.len, "%.*s %.*s", (int)member->text.len,
                           member->text.ptr, (int)currency->text.len,
                           currency->text.ptr);
    return text;
}


/* The parts of a list, a line each; of addresses the first alone. */
static struct ads_str
list_text(const struct doc *list, struct pool *pool)
{
    const struct doc *first = list->first;
    struct ads_str all = {"", 0};
    size_t len = 0;
    char *text;

    if (first != NULL && first->type == ADS_JSON_OBJECT
        && doc_find(first, "src") != NULL)
    {
        return part_text(first, pool);
    }
    for (const struct doc *part = first; part != NULL; part = part->next) {
        len += part_text(part, pool).len + 1;
    }
    text = pool_alloc(pool, len + 1);
    all.ptr = text;
    for (const struct doc *part = first; part != NULL; part = part->next) {
        const struct ads_str one = part_text(part, pool);

        memcpy(text + all.len, one.ptr, one.len);
        all.len += one.len;
        text[all.len++] = '\n';
    }
    return all;
}


void
import_object_cells(struct feed_record *names, struct feed_record *values,
                    const struct doc *object, struct pool *pool)
{
    const struct doc *inner = doc_find(object, "attributes");
    uint32_t most = object->n, n = 0;
    struct ads_str *heads, *cells;

    inner = inner != NULL && inner->type == ADS_JSON_OBJECT ? inner : NULL;
    most += inner == NULL ? 0 : inner->n;
    heads = pool_array(pool, most, sizeof(*heads));
    cells = pool_array(pool, most, sizeof(*cells));
    for (const struct doc *m = object->first; m != NULL; m = m->next) {
        if (m != inner) {
            heads[n] = m->key;
            cells[n++] = m->type == ADS_JSON_ARRAY ? list_text(m, pool)
                                                   : part_text(m, pool);
        }
    }
    for (const struct doc *m = inner == NULL ? NULL : inner->first; m != NULL;
         m = m->next)
    {
        heads[n] = m->key;
        cells[n++] = part_text(m, pool);
    }
    names->n = values->n = n;
    names->cells = heads;
    values->cells = cells;
}
