/*
 * Parses JSON into a tree.  One walk over the text, with the scanner's own
 * depth as the bound of the recursion.
 */
#include "base/doc.h"


static struct doc *
value_read(struct ads_json *json, struct pool *pool)
{
    struct doc *doc = pool_alloc(pool, sizeof(*doc));
    struct doc **link = &doc->first;
    struct ads_json_value value;
    struct ads_str key = {NULL, 0};
    bool object;

    ads_json_read(json, &value);
    doc->type = value.type;
    doc->truth = value.truth;
    doc->has_nul = value.has_nul;
    doc->text = value.text;

    object = value.type == ADS_JSON_OBJECT;
    if (!object && value.type != ADS_JSON_ARRAY) {
        return doc;
    }
    while (object ? ads_json_member(json, &key) : ads_json_element(json)) {
        *link = value_read(json, pool);
        (*link)->key = key;
        link = &(*link)->next;
        doc->n++;
    }
    return doc;
}


struct doc *
doc_read(struct pool *pool, char *text, size_t len, const char **why)
{
    struct ads_json json;
    struct doc *doc;

    ads_json_init(&json, text, len);
    doc = value_read(&json, pool);
    if (ads_json_end(&json) != ADS_OK) {
        char *fault = pool_alloc(pool, ADS_JSON_FAULT_MAX);

        ads_json_fault_write(fault, &json);
        *why = fault;
        return NULL;
    }
    return doc;
}


struct doc *
doc_find(const struct doc *object, const char *name)
{
    if (object == NULL || object->type != ADS_JSON_OBJECT) {
        return NULL;
    }
    for (struct doc *member = object->first; member != NULL;
         member = member->next) {
        if (ads_str_is(member->key, name)) {
            return member;
        }
    }
    return NULL;
}
