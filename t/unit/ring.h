/*
 * A ring of public test keys for unit tests.
 */
#ifndef T_RING_H
#define T_RING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ads_ring.h"

#define T_KEY_1 \
    "0101010101010101010101010101010101010101010101010101010101010101"
#define T_KEY_2 \
    "0202020202020202020202020202020202020202020202020202020202020202"

/* Key 1 opens, key 2 seals. */
static inline struct ads_ring
t_ring(void)
{
    static const char text[] = "1 open " T_KEY_1 "\n2 seal " T_KEY_2 "\n";
    struct ads_ring ring;
    const char *why;
    uint32_t line;

    assert_int_equal(ads_ring_read(&ring,
                                   (struct ads_str){text, sizeof(text) - 1},
                                   &line, &why),
                     ADS_OK);
    return ring;
}

#endif
