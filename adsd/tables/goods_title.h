/*
 * Evidence in a product's text about its kind: the kinds that it mentions, and
 * what the place of each in a title tells.  Included by goods_taken.c alone,
 * besides its own file.
 */
#ifndef ADSD_GOODS_TITLE_H
#define ADSD_GOODS_TITLE_H

#include "ads_scan.h"
#include "tables/goods_signs.h"

#define GOODS_FOR_CUES ADS_CUE_BIT(ADS_CUE_FOR)
#define GOODS_WITH_CUES                                   \
    (ADS_CUE_BIT(ADS_CUE_WITH) | ADS_CUE_BIT(ADS_CUE_AND) \
     | ADS_CUE_BIT(ADS_CUE_WITHOUT) | ADS_CUE_BIT(ADS_CUE_PLACE))

/* A text that was read. */
#define GOODS_ATTRIBUTES 16 /* kept of a product */

struct goods_said {
    const struct ads_goods *goods;
    uint16_t *narrower;  /* of each kind, how many */
    struct ads_str text; /* of the scan */
    struct ads_str brand;
    struct ads_scan scan;
    uint32_t of; /* what a title says the product is for, or ADS_GOODS_NONE */
    uint32_t attributes[GOODS_ATTRIBUTES]; /* of all texts of the product */
    uint32_t n_attributes;
};

/* Reads the next text of a product; `text` is borrowed. */
void
goods_said_read(struct goods_said *said, struct ads_str text);

/* Does the mention name a kind? */
bool
goods_said_counts(const struct ads_mention *mention);

/* Has the kind so many narrower ones that it tells little? */
bool
goods_said_broad(const struct goods_said *said, uint32_t kind);

/* Is the name of no language that the text can be of?  One without words that
 * tell is taken for English where the name is short. */
bool
goods_said_foreign(const struct goods_said *said, const struct ads_mention *m);

/* Is a piece of it what is named, or something else that it belongs to? */
bool
goods_said_piece(const struct goods_said *said, const struct ads_mention *m);

/* Sets what the title that `said` holds tells of a mention in it. */
void
goods_title_signs(struct goods_said *said, const struct ads_mention *m,
                  struct goods_signs *signs);

#endif
