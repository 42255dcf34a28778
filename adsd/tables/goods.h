/*
 * Ontology of goods as text (data/goods/README.md has the format), read and
 * compiled to the block that core/ads_goods.h describes.  The same files give
 * the same bytes on any machine.
 */
#ifndef ADSD_GOODS_H
#define ADSD_GOODS_H

#include <stdio.h>

#include "ads_goods.h"
#include "base/pool.h"

enum goods_key {
    GOODS_EN,
    GOODS_DE,
    GOODS_FR,
    GOODS_ES,
    GOODS_SHOP,
    GOODS_LINE,
    GOODS_NOT,
    GOODS_NEAR,
    GOODS_NEED,
    GOODS_HINT,
    GOODS_ACCESSORY,
    GOODS_PART,
    GOODS_CONSUMABLE,
    GOODS_SERVICE,
    GOODS_ATTR,
    GOODS_GOOGLE,
    GOODS_AGAINST,
    GOODS_KEYS
};

/* A line of a block: `key: value`. */
struct goods_field {
    enum goods_key key;
    struct ads_str value;
    unsigned line;
};

struct goods_block {
    struct ads_str id;
    struct ads_str head; /* behind the id: broader kinds, or a family */
    enum ads_goods_says says;
    uint8_t family; /* of an attribute: enum ads_goods_family */
    uint32_t cue;   /* of a cue: enum ads_cue */
    const char *path;
    unsigned line;
    struct goods_field *fields;
    size_t n_fields;
    size_t room;
};

/* All blocks of all files, in the order they were read. */
struct goods_text {
    struct goods_block *blocks;
    size_t n;
    size_t room;
};

struct goods_image {
    void *bytes; /* free() */
    size_t len;
    uint32_t n_kinds;
};

/*
 * Adds what a file has.  ADS_ABSENT: it cannot be read; ADS_INVALID: a line of
 * it is wrong, which is written to *errors as path:line with a hint.  The text
 * is kept in the pool.
 */
ADS_MUST enum ads_err
goods_read(struct goods_text *text, const char *path, struct pool *pool,
           FILE *errors);

/*
 * Compiles.  ADS_INVALID: a kind is broader than itself, or names one that is
 * not there; each fault is written to *errors with path:line, and the image is
 * made of what is right.  The caller frees image->bytes either way.
 */
ADS_MUST enum ads_err
goods_compile(const struct goods_text *text, struct goods_image *image,
              FILE *errors);

/*
 * Both for all *.txt files of a folder, by name, then for `more` (NULL: none),
 * the operator's own file.  All or nothing: the caller frees image->ptr.
 */
ADS_MUST enum ads_err
goods_load(const char *folder, const char *more, struct ads_str *image,
           FILE *errors);

/* ---- forms of words (goods_forms.c) -------------------------------------- */

/* Calls put(ctx, form) for each regular form of a folded word of a language
 * (GOODS_EN to GOODS_ES); `inflects`: as an adjective does, else a noun. */
void
goods_forms(struct ads_str word, enum goods_key language, bool inflects,
            void (*put)(void *ctx, struct ads_str form), void *ctx);

/* The same for the forms of it as a verb, given as dictionaries have it. */
void
goods_verb_forms(struct ads_str word, enum goods_key language,
                 void (*put)(void *ctx, struct ads_str form), void *ctx);

#endif
