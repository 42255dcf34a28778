/*
 * The nearest of some names, by the optimal string alignment distance.
 */
#include "ads_nearest.h"

/* A name in lower case without "_" and "-". */
struct plain {
    uint32_t len;
    char text[ADS_NEAREST_NAME_MAX];
};


static struct plain
plain_of(struct ads_str name)
{
    struct plain plain = {.len = 0};

    for (size_t i = 0; i < name.len && plain.len < ADS_NEAREST_NAME_MAX; i++) {
        if (name.ptr[i] != '_' && name.ptr[i] != '-') {
            plain.text[plain.len++] = ads_char_lower(name.ptr[i]);
        }
    }
    return plain;
}


static uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}


static uint32_t
distance(const struct plain *a, const struct plain *b)
{
    uint32_t cost[3][ADS_NEAREST_NAME_MAX + 1]; /* the rows i, i - 1, i - 2 */

    for (uint32_t k = 0; k <= b->len; k++) {
        cost[0][k] = k;
    }
    for (uint32_t i = 1; i <= a->len; i++) {
        uint32_t *row = cost[i % 3];
        const uint32_t *above = cost[(i + 2) % 3];
        const uint32_t *second = cost[(i + 1) % 3];

        row[0] = i;
        for (uint32_t k = 1; k <= b->len; k++) {
            row[k] = least(least(above[k], row[k - 1]) + 1,
                           above[k - 1] + (a->text[i - 1] != b->text[k - 1]));
            if (i > 1 && k > 1 && a->text[i - 1] == b->text[k - 2]
                && a->text[i - 2] == b->text[k - 1])
            {
                row[k] = least(row[k], second[k - 2] + 1);
            }
        }
    }
    return cost[a->len % 3][b->len];
}


void
ads_nearest_init(struct ads_nearest *nearest, struct ads_str wrong)
{
    *nearest = (struct ads_nearest){.wrong = wrong, .distance = UINT32_MAX};
}


void
ads_nearest_try(struct ads_nearest *nearest, const char *name)
{
    struct plain wrong = plain_of(nearest->wrong);
    struct plain known = plain_of((struct ads_str){name, strlen(name)});
    uint32_t edits = distance(&wrong, &known);

    if (edits * 3 <= wrong.len && edits < nearest->distance) {
        nearest->name = name;
        nearest->distance = edits;
    }
}


bool
ads_nearest_may_show(struct ads_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!ads_char_is_letter(name.ptr[i]) && name.ptr[i] != '_'
            && name.ptr[i] != '-')
        {
            return false;
        }
    }
    return name.len > 0 && name.len <= ADS_NEAREST_NAME_MAX;
}
