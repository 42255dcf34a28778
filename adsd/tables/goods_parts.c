/*
 * Helpers of the ontology's compiler: rows, errors, lists and numbers.
 */
#include "tables/goods_parts.h"

#include <stdlib.h>


void *
goods_rows_add(struct goods_rows *rows, const void *row)
{
    if (rows->n == rows->room) {
        rows->room = 2 * rows->room + 1024;
        rows->bytes = xrealloc(rows->bytes, rows->room * rows->row);
    }
    memcpy(rows->bytes + rows->n * rows->row, row, rows->row);
    return rows->bytes + rows->n++ * rows->row;
}


void
goods_fault(struct goods_compiler *c, const struct goods_block *block,
            unsigned line, const char *what, struct ads_str value)
{
    (void)fprintf(c->errors, "%s:%u: [%.*s]: %s: \"%.*s\"\n", block->path, line,
                  (int)block->id.len, block->id.ptr, what, (int)value.len,
                  value.ptr);
    c->err = ADS_INVALID;
}


bool
goods_part(struct ads_str *rest, char mark, struct ads_str *part)
{
    do {
        const char *end =
            rest->len == 0 ? NULL : memchr(rest->ptr, mark, rest->len);
        size_t len = end == NULL ? rest->len : (size_t)(end - rest->ptr);

        if (rest->len == 0) {
            return false;
        }
        *part = ads_str_trim((struct ads_str){rest->ptr, len}, " \t");
        *rest = ads_str_tail(*rest, len + (end != NULL));
    } while (part->len == 0);
    return true;
}


uint32_t
goods_string_add(struct goods_compiler *c, struct ads_str text)
{
    uint32_t at = (uint32_t)c->strings.n;

    for (size_t i = 0; i < text.len; i++) {
        goods_rows_add(&c->strings, text.ptr + i);
    }
    return at;
}


/* ---- numbers of kinds and attributes ------------------------------------- */

static int
by_id(const void *a, const void *b)
{
    const struct goods_block *one = *(const struct goods_block *const *)a;
    const struct goods_block *other = *(const struct goods_block *const *)b;
    size_t len = one->id.len < other->id.len ? one->id.len : other->id.len;
    int order = memcmp(one->id.ptr, other->id.ptr, len);

    return order != 0
               ? order
               : (one->id.len > other->id.len) - (one->id.len < other->id.len);
}


uint32_t
goods_number(const struct goods_compiler *c, enum ads_goods_says says,
             struct ads_str id)
{
    bool kind = says == ADS_GOODS_KIND;
    const struct goods_block **list = kind ? c->kinds : c->attributes;
    const struct goods_block wanted = {.id = id}, *key = &wanted;
    const struct goods_block **found = bsearch(
        &key, list, kind ? c->n_kinds : c->n_attributes, sizeof(*list), by_id);

    return found == NULL ? ADS_GOODS_NONE : (uint32_t)(found - list);
}


const struct goods_block **
goods_ids_new(const struct goods_text *text, enum ads_goods_says says,
              uint32_t *n)
{
    const struct goods_block **list = xcalloc(text->n + 1, sizeof(*list));
    struct index_set seen = {0};

    *n = 0;
    for (size_t i = 0; i < text->n; i++) {
        uint32_t before = seen.n;

        if (text->blocks[i].says == says) {
            index_set_put(&seen, text->blocks[i].id, ADS_GOODS_KINDS_MAX - 1);
            if (seen.n > before) {
                list[(*n)++] = &text->blocks[i];
            }
        }
    }
    index_set_free(&seen);
    qsort(list, *n, sizeof(*list), by_id);
    return list;
}
