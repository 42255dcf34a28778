/*
 * Kind of a product, from the head of its title, its categories and its
 * description.
 */
#ifndef ADSD_GOODS_TAKEN_H
#define ADSD_GOODS_TAKEN_H

#include "ads_goods.h"
#include "tables/goods_candidate.h"
#include "tables/snap_text.h"

#define GOODS_CANDIDATES 128

struct goods_taken {
    uint32_t kind; /* ADS_GOODS_NONE: not known */
    uint32_t of;   /* what it is for, as the title says; or ADS_GOODS_NONE */
    enum goods_source source;
    uint8_t sure;             /* that it is, 255 is most */
    struct goods_signs signs; /* by which it was recognised */
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
