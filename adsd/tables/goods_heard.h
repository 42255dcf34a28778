/*
 * Evidence in a product's categories and description about its kind.  Included
 * by goods_taken.c alone, besides its own file.
 */
#ifndef ADSD_GOODS_HEARD_H
#define ADSD_GOODS_HEARD_H

#include "tables/goods_candidate.h"
#include "tables/goods_title.h"

#define GOODS_HEARINGS 64
#define GOODS_HEARD_WORDS 16

enum goods_where {
    GOODS_HEARD_CATEGORY, /* the narrowest */
    GOODS_HEARD_ABOVE,
    GOODS_HEARD_TOLD, /* by the description */
    GOODS_HEARD_TYPE  /* behind "type:" in it */
};

/* A kind that one of them names. */
struct goods_hearing {
    uint32_t kind;
    uint8_t where; /* enum goods_where */
    uint8_t n_words;
    bool doubtful;
    bool piece; /* a piece of it is what is said */
    bool aside; /* so, or what the product is for or has: no candidate */
    bool first; /* in the first words of the description */
    bool this;  /* "this printer" */
};

struct goods_heard {
    struct goods_hearing list[GOODS_HEARINGS + 1]; /* the last is scratch */
    uint32_t n;
    bool category; /* there is one */
    bool told;
    uint32_t words[GOODS_HEARD_WORDS]; /* lemmas of the narrowest category */
    uint32_t n_words;
};

/* Reads both; `said` holds the last text read afterwards. */
void
goods_heard_read(struct goods_heard *heard, struct goods_said *said,
                 const struct goods_product *product);

/* Sets what was heard of a candidate. */
void
goods_heard_signs(const struct goods_heard *heard,
                  const struct goods_said *said, struct goods_candidate *one);

#endif
