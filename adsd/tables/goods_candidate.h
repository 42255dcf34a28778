/*
 * Candidate kinds of a product.
 */
#ifndef ADSD_GOODS_CANDIDATE_H
#define ADSD_GOODS_CANDIDATE_H

#include "ads_bytes.h"
#include "tables/goods_signs.h"

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

/* A kind that a product may be. */
struct goods_candidate {
    uint32_t kind;
    enum goods_source source;
    bool doubtful;  /* a doubtful name */
    uint32_t lemma; /* the last of its name in the title, or ADS_GOODS_NONE */
    struct goods_signs signs;
};

#endif
