/*
 * Groups ads into classes.  Ads are put into a hash table by what their class
 * is made of; a second ad of an entry gives it a number.
 */
#include "tables/snap_class.h"

#include <stdlib.h>

#include "ads_index.h"
#include "base/pool.h"

struct entry {
    uint32_t first; /* + 1: the first ad of the class */
    uint32_t class;
};


static struct ads_str
categories_of(const struct ads_snap_ad *ad, const struct snap_text *text)
{
    return (struct ads_str){text->bytes + ad->text_off + ad->json_len
                                + ad->url_len,
                            ad->category_len};
}


static uint32_t
hash_of(const struct ads_snap_ad *ad, const struct snap_text *text)
{
    struct ads_str list = categories_of(ad, text);
    char
        own[sizeof(ad->campaign) + sizeof(ad->currency) + sizeof(ad->language)];

    memcpy(own, &ad->campaign, sizeof(ad->campaign));
    memcpy(own + sizeof(ad->campaign), ad->currency, sizeof(ad->currency));
    memcpy(own + sizeof(ad->campaign) + sizeof(ad->currency), ad->language,
           sizeof(ad->language));
    return (uint32_t)((ads_index_hash(own, sizeof(own)) * 31
                       + ads_index_hash(list.ptr, list.len))
                      >> 32);
}


static bool
is_alike(const struct ads_snap_ad *a, const struct ads_snap_ad *b,
         const struct snap_text *text)
{
    return a->campaign == b->campaign
           && memcmp(a->currency, b->currency, sizeof(a->currency)) == 0
           && memcmp(a->language, b->language, sizeof(a->language)) == 0
           && ads_str_equal(categories_of(a, text), categories_of(b, text));
}


uint16_t *
snap_classes_make(const struct ads_snap_ad *ads, uint32_t n,
                  const struct snap_text *text)
{
    uint16_t *classes = xcalloc((size_t)n + 1, sizeof(*classes));
    struct entry *table;
    uint32_t mask = 15;

    while (mask < 2 * (uint64_t)n) {
        mask = 2 * mask + 1;
    }
    table = xcalloc((size_t)mask + 1, sizeof(*table));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = hash_of(&ads[i], text) & mask;

        while (table[at].first != 0
               && !is_alike(&ads[table[at].first - 1], &ads[i], text))
        {
            at = (at + 1) & mask;
        }
        if (table[at].first == 0) {
            table[at].first = i + 1;
            continue;
        }
        if (table[at].class == 0 && classes[0] < UINT16_MAX) {
            table[at].class = ++classes[0];
            classes[table[at].first] = (uint16_t)table[at].class;
        }
        classes[i + 1] = (uint16_t)table[at].class;
    }
    free(table);
    return classes;
}
