/*
 * What a product is taken for: its kind, from the head of its title, its
 * categories and its description.
 */
#ifndef ADSD_GOODS_TAKEN_H
#define ADSD_GOODS_TAKEN_H

#include "ads_goods.h"
#include "snap_text.h"

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
    int score;    /* points: 0 and more */
    uint8_t sure; /* that it is, 255 is most */
};

/* Scratch of goods_take: some 20 KiB, for the caller to keep. */
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

/*
 * A number that the variants of one product share: its title without words of
 * colour, size and state; 0 when nothing is left.
 */
uint32_t
goods_group(struct goods_taker *taker, const struct goods_product *product);

/* Appends the words by which the index finds a kind and its broader ones, each
 * followed by a space; nothing for ADS_GOODS_NONE. */
void
goods_words_put(const struct ads_goods *goods, uint32_t kind,
                struct snap_text *text);

#endif
