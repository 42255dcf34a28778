/*
 * Compiles kinds with their broader kinds and what they belong to; attributes.
 */
#include "tables/goods_parts.h"

#include <stdlib.h>

#include "ads_scan.h"

#define PARENTS_MAX 8
#define BELONGS_MAX 64
#define ATTRIBUTE_WORDS_MAX 32

/* What the blocks of one kind say together. */
struct kind {
    uint32_t parents[PARENTS_MAX];
    uint32_t n_parents;
    uint32_t belongs[BELONGS_MAX];
    uint32_t n_belongs;
    struct ads_str name;
    const struct goods_block *block;
};


static void
parent_add(struct goods_compiler *c, struct kind *kind,
           const struct goods_block *block, struct ads_str id)
{
    uint32_t number = goods_number(c, ADS_GOODS_KIND, id);

    if (number == ADS_GOODS_NONE) {
        goods_fault(c, block, block->line, "no such broader kind", id);
    } else if (kind->n_parents < PARENTS_MAX) {
        kind->parents[kind->n_parents++] = number;
    }
}


static void
belongs_add(struct goods_compiler *c, struct kind *kind,
            const struct goods_block *block, const struct goods_field *field)
{
    struct ads_str id, rest = field->value;
    uint32_t relation = ADS_GOODS_ACCESSORY + (field->key - GOODS_ACCESSORY);

    while (goods_part(&rest, ',', &id)) {
        uint32_t number = goods_number(c, ADS_GOODS_KIND, id);

        if (number == ADS_GOODS_NONE) {
            goods_fault(c, block, field->line, "no such kind", id);
        } else if (kind->n_belongs < BELONGS_MAX) {
            kind->belongs[kind->n_belongs++] =
                number | relation << ADS_GOODS_LINK_SHIFT;
        }
    }
}


static void
attrs_check(struct goods_compiler *c, const struct goods_block *block,
            const struct goods_field *field)
{
    static const char *const families[] = {
        "colour", "material", "audience", "size",      "capacity", "length",
        "weight", "power",    "voltage",  "speed",     "age",      "flavour",
        "scent",  "pattern",  "style",    "fits-model"};
    struct ads_str id, rest = field->value;

    while (goods_part(&rest, ',', &id)) {
        bool known = goods_number(c, ADS_GOODS_ATTRIBUTE, id) != ADS_GOODS_NONE;

        for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
            known = known || ads_str_is(id, families[i]);
        }
        if (!known) {
            goods_fault(c, block, field->line, "no such attribute", id);
        }
    }
}


static void
block_read(struct goods_compiler *c, struct kind *kind,
           const struct goods_block *block)
{
    struct ads_str id, rest = block->head;

    while (goods_part(&rest, ',', &id)) {
        parent_add(c, kind, block, id);
    }
    for (size_t i = 0; i < block->n_fields; i++) {
        const struct goods_field *field = &block->fields[i];

        if (field->key >= GOODS_ACCESSORY && field->key <= GOODS_SERVICE) {
            belongs_add(c, kind, block, field);
        } else if (field->key == GOODS_ATTR) {
            attrs_check(c, block, field);
        } else if (field->key == GOODS_EN && kind->name.len == 0) {
            rest = field->value;
            goods_part(&rest, ';', &kind->name);
            kind->name.len -=
                kind->name.len > 1 && kind->name.ptr[kind->name.len - 1] == '?';
        }
    }
}


/* The broader kinds of a kind, nearest first. */
static uint32_t
ancestors_read(struct goods_compiler *c, const struct kind *kinds,
               uint32_t number, uint32_t ancestors[ADS_GOODS_ANCESTORS])
{
    const struct kind *kind = &kinds[number];
    uint32_t n = 0;

    for (uint32_t at = 0; at <= n && at <= ADS_GOODS_ANCESTORS; at++) {
        for (uint32_t i = 0; i < kind->n_parents; i++) {
            uint32_t parent = kind->parents[i], k = 0;

            while (k < n && ancestors[k] != parent) {
                k++;
            }
            if (parent == number) {
                goods_fault(c, kinds[number].block, kinds[number].block->line,
                            "a kind is broader than itself",
                            kinds[number].block->id);
                return n;
            }
            if (k == n && n < ADS_GOODS_ANCESTORS) {
                ancestors[n++] = parent;
            }
        }
        if (at < n) {
            kind = &kinds[ancestors[at]];
        }
    }
    return n;
}


/* "Battery" of a laptop is a laptop battery. */
static void
pairs_add(struct goods_compiler *c, const struct kind *kind, uint32_t number,
          const uint32_t *ancestors, uint32_t n)
{
    for (uint32_t i = 0; i < kind->n_belongs; i++) {
        for (uint32_t k = 0; k < n; k++) {
            struct goods_pair pair = {ancestors[k],
                                      kind->belongs[i] & ADS_GOODS_LINK_KIND, 0,
                                      number};

            goods_rows_add(&c->pairs, &pair);
        }
    }
}


static void
kind_write(struct goods_compiler *c, const struct kind *kinds, uint32_t number)
{
    const struct kind *kind = &kinds[number];
    uint32_t ancestors[ADS_GOODS_ANCESTORS];
    uint32_t n = ancestors_read(c, kinds, number, ancestors);
    struct ads_goods_kind row = {
        .id = goods_string_add(c, kind->block->id),
        .name = goods_string_add(c, kind->name),
        .id_len = (uint8_t)kind->block->id.len,
        .name_len =
            (uint8_t)(kind->name.len < UINT8_MAX ? kind->name.len : UINT8_MAX),
        .n_ancestors = (uint8_t)n,
        .n_of = (uint8_t)kind->n_belongs,
        .links = (uint32_t)c->links.n,
    };

    for (uint32_t i = 0; i < n; i++) {
        goods_rows_add(&c->links, &ancestors[i]);
    }
    for (uint32_t i = 0; i < kind->n_belongs; i++) {
        goods_rows_add(&c->links, &kind->belongs[i]);
    }
    pairs_add(c, kind, number, ancestors, n);
    goods_rows_add(&c->kind_rows, &row);
}


/* The words of an attribute that are one word each, for requests in other
 * languages than the product's. */
static uint16_t
attribute_words(struct goods_compiler *c, const struct goods_block *block)
{
    uint16_t n = 0;

    for (size_t i = 0; i < block->n_fields; i++) {
        struct ads_str part, rest = block->fields[i].value;

        while (block->fields[i].key <= GOODS_ES && n < ATTRIBUTE_WORDS_MAX
               && goods_part(&rest, ';', &part))
        {
            struct ads_text_reader reader;
            struct ads_text_word word, more;
            uint32_t at;

            ads_text_init(&reader, part);
            if (!ads_text_next(&reader, &word) || ads_text_next(&reader, &more))
            {
                continue;
            }
            at = goods_string_add(c, (struct ads_str){(char *)&word.len, 1});
            goods_string_add(c, (struct ads_str){word.bytes, word.len});
            goods_rows_add(&c->words, &at);
            n++;
        }
    }
    return n;
}


static void
attribute_write(struct goods_compiler *c, const struct goods_block *block)
{
    struct ads_goods_attribute row = {
        .id = goods_string_add(c, block->id),
        .words = (uint32_t)c->words.n,
        .id_len = (uint8_t)block->id.len,
        .family = block->family,
        .against = ADS_GOODS_NONE,
    };

    row.n_words = attribute_words(c, block);
    for (size_t i = 0; i < block->n_fields; i++) {
        if (block->fields[i].key == GOODS_AGAINST) {
            struct ads_str part, rest = block->fields[i].value;

            goods_part(&rest, ',', &part);
            row.against = goods_number(c, ADS_GOODS_ATTRIBUTE, part);
            if (row.against == ADS_GOODS_NONE) {
                goods_fault(c, block, block->fields[i].line,
                            "no such attribute", part);
            }
        }
    }
    goods_rows_add(&c->attribute_rows, &row);
}


void
goods_kinds_read(struct goods_compiler *c)
{
    struct kind *kinds = xcalloc((size_t)c->n_kinds + 1, sizeof(*kinds));

    for (uint32_t i = 0; i < c->n_kinds; i++) {
        kinds[i].block = c->kinds[i];
    }
    for (size_t i = 0; i < c->text->n; i++) {
        const struct goods_block *block = &c->text->blocks[i];

        if (block->says == ADS_GOODS_KIND) {
            block_read(c, &kinds[goods_number(c, ADS_GOODS_KIND, block->id)],
                       block);
        }
    }
    for (uint32_t i = 0; i < c->n_kinds; i++) {
        kind_write(c, kinds, i);
    }
    for (uint32_t i = 0; i < c->n_attributes; i++) {
        attribute_write(c, c->attributes[i]);
    }
    free(kinds);
}
