/*
 * Makes signed links as a worker would, many and all different: what a load
 * of clicks is made of.
 *
 *     links RING PUBLISHER AD N [PREFIX]
 *
 * prints N lines, each the path of a fresh link to that ad behind the prefix,
 * all of one length.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ads_id.h"
#include "ads_ring.h"
#include "ads_token.h"

#define PRICE_MICROS 1000


static int
fail(const char *what)
{
    (void)fprintf(stderr, "links: %s\n", what);
    return 1;
}


static bool
ring_load(struct ads_ring *ring, const char *path)
{
    static char text[65536];
    const char *why;
    uint32_t line;
    size_t len;
    FILE *in = fopen(path, "r");

    if (in == NULL) {
        return false;
    }
    len = fread(text, 1, sizeof(text), in);
    (void)fclose(in);
    return ads_ring_read(ring, (struct ads_str){text, len}, &line, &why)
           == ADS_OK;
}


static bool
uuid_read(struct ads_uuid *id, const char *text)
{
    return ads_uuid_read(id, (struct ads_str){text, strlen(text)});
}


int
main(int argc, char **argv)
{
    struct ads_token token = {.placement = ads_placement_known(1),
                              .price_micros = PRICE_MICROS,
                              .country = {'U', 'S'},
                              .campaign_version = 1};
    struct ads_ring ring;
    struct ads_sealer sealer;
    uint8_t random[16];

    if ((argc != 5 && argc != 6) || sodium_init() < 0) {
        return fail("RING PUBLISHER AD N [PREFIX]");
    }
    if (!ring_load(&ring, argv[1])) {
        return fail("no ring");
    }
    if (!uuid_read(&token.publisher, argv[2])
        || !uuid_read(&token.ad_id, argv[3])) {
        return fail("not a UUID");
    }

    randombytes_buf(random, sizeof(random));
    ads_sealer_init(&sealer, ads_ring_seal(&ring), random);
    for (long i = 0; i < atol(argv[4]); i++) {
        char text[ADS_TOKEN_TEXT_LEN];
        uint64_t seed;

        randombytes_buf(&seed, sizeof(seed));
        token.request_id =
            ads_request_id_make(ads_ring_seal(&ring), &token.publisher,
                                (uint64_t)time(NULL) * 1000, seed);
        (void)ads_token_write(text, &sealer, &token);
        (void)printf("%s/v1/click/%.*s\n", argc == 6 ? argv[5] : "",
                     (int)sizeof(text), text);
    }
    return fflush(stdout) == 0 ? 0 : fail("cannot write");
}
