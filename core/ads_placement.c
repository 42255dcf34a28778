/*
 * Validates and canonicalises placement names.
 */
#include "ads_placement.h"

#define KEPT 15

static const struct ads_str known[] = {
    ADS_STR("inline"),         ADS_STR("card"),     ADS_STR("sidebar"),
    ADS_STR("search_results"), ADS_STR("followup"), ADS_STR("citation"),
    ADS_STR("voice"),
};

#define N_KNOWN (sizeof(known) / sizeof(known[0]))


struct ads_placement
ads_placement_make(struct ads_str name)
{
    struct ads_placement placement = {0};
    uint32_t crc;
    uint8_t big_endian[4];

    if (name.len <= ADS_PLACEMENT_MAX) {
        placement.len = (uint8_t)name.len;
        memcpy(placement.text, name.ptr, name.len);
        return placement;
    }

    crc = ads_crc32c(0, name.ptr, name.len);
    for (unsigned i = 0; i < 4; i++) {
        big_endian[i] = (uint8_t)(crc >> (24 - 8 * i));
    }
    memcpy(placement.text, name.ptr, KEPT);
    placement.text[KEPT] = '~';
    ads_hex_write(placement.text + KEPT + 1, big_endian, 4);
    placement.len = ADS_PLACEMENT_MAX;
    return placement;
}


bool
ads_placement_equal(const struct ads_placement *a,
                    const struct ads_placement *b)
{
    return a->len == b->len && memcmp(a->text, b->text, sizeof(a->text)) == 0;
}


uint8_t
ads_placement_code(const struct ads_placement *placement)
{
    for (size_t i = 0; i < N_KNOWN; i++) {
        if (ads_str_equal((struct ads_str){placement->text, placement->len},
                          known[i])) {
            return (uint8_t)(i + 1);
        }
    }
    return 0;
}


struct ads_placement
ads_placement_known(uint8_t code)
{
    if (code == 0 || code > N_KNOWN) {
        return (struct ads_placement){0};
    }
    return ads_placement_make(known[code - 1]);
}
