/*
 * What a product is taken for: its kind, from the head of its title, its
 * categories and its description.
 */
#ifndef ADSD_GOODS_TAKEN_H
#define ADSD_GOODS_TAKEN_H

#include "ads_goods.h"
#include "tables/goods_signs.h"
#include "tables/snap_text.h"

#define GOODS_CANDIDATES 128

/* The texts of a product; absent ones have length 0. */
struct goods_product {
    struct ads_str title;
    struct ads_str brand;
    struct ads_str categories; /* broad to narrow, a newline behind each */
    struct ads_str description;
};

enum goods_source {
    GOODS_FROM_NOTHING,
    GOODS_FROM_TITLE,
    GOODS_FROM_CATEGORY,
    GOODS_FROM_DESCRIPTION
};

struct goods_taken {
    uint32_t kind; /* ADS_GOODS_NONE: not known */
    uint32_t of;   /* what it is for, as the title says; or ADS_GOODS_NONE */
    enum goods_source source;
    uint8_t sure;             /* that it is, 255 is most */
    struct goods_signs signs; /* by which it was told */
};

/* A kind that a product may be. */
struct goods_candidate {
    uint32_t kind;
    enum goods_source source;
    bool doubtful;  /* a doubtful name */
    uint32_t lemma; /* the last of its name in the title, or ADS_GOODS_NONE */
    struct goods_signs signs;
};

/* Scratch of goods_take: some 130 KiB, for the caller to keep. */
struct goods_taker;

struct goods_taker *
goods_taker_new(const struct ads_goods *goods);
void
goods_taker_free(struct goods_taker *taker);

/*
 * The kind of a product.  "V7 Battery for select IBM/LENOVO laptops" is a
 * laptop battery, for a laptop.  The same texts and ontology give the same
 * kind.
 */
struct goods_taken
goods_take(struct goods_taker *taker, const struct goods_product *product);

/* The candidates of the last product, a kind as often as the title mentions
 * it: what goods_take chose from. */
const struct goods_candidate *
goods_taker_candidates(const struct goods_taker *taker, uint32_t *n);

/*
 * A number that the variants of one product share: its title without words of
 * colour, size and state; 0 when nothing is left.
 */
uint32_t
goods_group(struct goods_taker *taker, const struct goods_product *product);

/* Appends the words by which the index finds the attributes of the last product
 * that goods_take() read, each followed by a space. */
void
goods_attributes_put(const struct goods_taker *taker, struct snap_text *text);

/* Appends the words by which the index finds a kind and its broader ones, each
 * followed by a space; nothing for ADS_GOODS_NONE. */
void
goods_words_put(const struct ads_goods *goods, uint32_t kind,
                struct snap_text *text);

#endif
