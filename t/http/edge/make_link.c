/*
 * Makes signed links and request ids as a worker would have at another time:
 * what an end-to-end test cannot wait for.
 *
 *     make_link RING AGE_S PUBLISHER AD PRICE_MICROS
 *
 * prints the request id and the token of a link that is AGE_S seconds old
 * (negative: from the future), sealed with the ring's sealing key.
 */
#include "ads_id.h"
#include "ads_ring.h"
#include "ads_token.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int
fail(const char *what)
{
    (void)fprintf(stderr, "make_link: %s\n", what);
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


int
main(int argc, char **argv)
{
    struct ads_ring ring;
    struct ads_sealer sealer;
    struct ads_token token = {.placement = ads_placement_known(1)};
    char text[ADS_TOKEN_TEXT_LEN];
    char id[ADS_UUID_TEXT_LEN];
    uint8_t random[16];
    uint64_t now_ms;

    if (argc != 6 || sodium_init() < 0) {
        return fail("RING AGE_S PUBLISHER AD PRICE_MICROS");
    }
    if (!ring_load(&ring, argv[1])) {
        return fail("no ring");
    }
    if (!ads_uuid_read(&token.publisher,
                       (struct ads_str){argv[3], strlen(argv[3])})
        || !ads_uuid_read(&token.ad_id,
                          (struct ads_str){argv[4], strlen(argv[4])}))
    {
        return fail("not a UUID");
    }

    now_ms = ((uint64_t)time(NULL) - (uint64_t)atoll(argv[2])) * 1000;
    randombytes_buf(random, sizeof(random));
    token.request_id = ads_request_id_make(
        ads_ring_seal(&ring), &token.publisher, now_ms, randombytes_random());
    token.price_micros = atoll(argv[5]);

    ads_sealer_init(&sealer, ads_ring_seal(&ring), random);
    (void)ads_token_write(text, &sealer, &token);
    (void)ads_uuid_write(id, &token.request_id);
    (void)printf("%.*s %.*s\n", (int)sizeof(id), id, (int)sizeof(text), text);
    return 0;
}
