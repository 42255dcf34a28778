/*
 * Times what a click and a recommendation are made of, step by step, alone and
 * from warm caches: where the time goes that nginx's `return` does not take,
 * and what none of it can fall below.
 *
 *     steps MODEL
 *
 * MODEL is the intent model; the guard is that of data/guard.  Prints
 * "microseconds name" lines, each the best of many rounds.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ads_body.h"
#include "ads_event.h"
#include "ads_guard.h"
#include "ads_intent.h"
#include "ads_key.h"
#include "ads_token.h"
#include "ads_url.h"
#include "tables/guard_list.h"

#define ROUNDS 40
#define TIMES 1000
#define MODEL_MAX \
    (ADS_INTENT_HEADER_LEN + (ADS_INTENT_SUMS << ADS_INTENT_BITS_MAX))

struct world {
    struct ads_ring ring;
    const struct ads_ring_key *key;
    struct ads_sealer sealer;
    struct ads_subkeys subkeys;
    struct ads_known_keys known_keys;
    struct ads_token token;
    char link[ADS_TOKEN_TEXT_LEN];
    struct ads_guard guard;
    struct ads_intent intent;
    char api_key[ADS_KEY_TEXT_LEN];
    uint64_t record[ADS_RECORD_MAX / 8];
    struct ads_event click;
    struct ads_event show;
    struct ads_uuid id;
    uint64_t sum; /* of results, so that no call is left out */
};

static const struct ads_str query = ADS_STR("buy a laser printer");

static const char body[] =
    "{\"context\":{\"currency\":\"USD\",\"language\":\"en\",\"location\":"
    "\"US\","
    "\"session_id\":\"s-0123456789abcdef0123456789abcdef\"},\"max_results\":3,"
    "\"placement\":\"inline\",\"query\":\"buy a laser printer\",\"note\":\""
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}";


static _Noreturn void
fail(const char *what)
{
    (void)fprintf(stderr, "steps: %s\n", what);
    exit(1);
}


static void
link_open(struct world *world)
{
    const struct ads_ring_key *key;

    if (ads_token_read(&world->token, &key, &world->ring, &world->subkeys,
                       (struct ads_str){world->link, sizeof(world->link)})
        != ADS_OK)
    {
        fail("the link does not open");
    }
}


static void
link_seal(struct world *world)
{
    (void)ads_token_write(world->link, &world->sealer, &world->token);
}


static void
ids_make(struct world *world)
{
    uint8_t address[4] = {192, 0, 2, 0};

    world->id = ads_click_id_make(world->key, &world->token.request_id,
                                  &world->token.ad_id);
    world->sum += ads_ring_hash(world->key->hash, &world->id, 16);
    world->sum += ads_ring_hash(world->key->hash, address, sizeof(address));
}


static void
address_make(struct world *world)
{
    static const struct ads_str url =
        ADS_STR("https://shop.example/p/1?from=ads#top");
    char text[ADS_URL_CLICK_MAX], id[ADS_UUID_TEXT_LEN];
    struct ads_url_click fill = {.click_id = {id, sizeof(id)}};
    size_t len;

    (void)ads_uuid_write(id, &world->id);
    if (ads_url_check(url, ADS_URL_DESTINATION, NULL) != ADS_OK
        || ads_url_click_write(text, sizeof(text), &len, url, &fill) != ADS_OK)
    {
        fail("the address is refused");
    }
    world->sum += len;
}


static void
record_make(struct world *world, const struct ads_event *event)
{
    struct ads_event_seal seal = {.key = world->key};

    world->sum += ads_event_write((uint8_t *)world->record, event);
    ads_event_stamp((uint8_t *)world->record, &seal, world->sum, world->sum);
}


static void
click_record(struct world *world)
{
    record_make(world, &world->click);
}


static void
show_record(struct world *world)
{
    record_make(world, &world->show);
}


static void
key_read(struct world *world)
{
    struct ads_key key;

    if (ads_key_read(&key, &world->known_keys,
                     (struct ads_str){world->api_key, ADS_KEY_TEXT_LEN})
        != ADS_OK)
    {
        fail("the key is refused");
    }
    world->sum += key.hash[0];
}


static void
body_read(struct world *world)
{
    struct ads_recommend_body read;
    struct ads_body_errors errors;
    char text[sizeof(body)];

    memcpy(text, body, sizeof(body));
    if (ads_body_recommend_read(&read, &errors, text, sizeof(body) - 1)
        != ADS_OK) {
        fail("the body is refused");
    }
    world->sum += read.max_results;
}


static void
guard_ask(struct world *world)
{
    world->sum += ads_guard_check(&world->guard, query);
}


static void
intent_ask(struct world *world)
{
    world->sum += (uint64_t)ads_intent_score(&world->intent, query, NULL)
                      .of[ADS_INTENT_COMMERCIAL];
}


static void
request_id_make(struct world *world)
{
    world->id = ads_request_id_make(world->key, &world->token.publisher,
                                    1790000000123, world->sum++);
}


static const struct step {
    const char *name;
    void (*run)(struct world *);
} steps[] = {
    {"click: link opened", link_open},
    {"click: id, fingerprint, hash of the address", ids_make},
    {"click: destination checked and written", address_make},
    {"click: record encoded and signed", click_record},
    {"recommend: key read", key_read},
    {"recommend: body of 256 bytes read", body_read},
    {"recommend: guard", guard_ask},
    {"recommend: intent", intent_ask},
    {"recommend: request id", request_id_make},
    {"recommend: link sealed, one of three", link_seal},
    {"recommend: record encoded and signed", show_record},
};


static void
world_make(struct world *world, const char *path)
{
    static const char text[] = "1 seal 01010101010101010101010101010101"
                               "01010101010101010101010101010101\n";
    static _Alignas(8) uint8_t model[MODEL_MAX];
    static const uint8_t random[ADS_KEY_RANDOM_LEN] = "any bytes will do";
    FILE *file = fopen(path, "rb");
    struct ads_str lists; /* as long as the program */
    const char *why;
    uint32_t line;

    if (file == NULL
        || ads_intent_open(model, fread(model, 1, sizeof(model), file),
                           &world->intent)
               != ADS_OK)
    {
        fail(path);
    }
    (void)fclose(file);
    if (guard_list_compile(&lists, "data/guard", "", stderr) != ADS_OK
        || ads_guard_open(lists.ptr, lists.len, &world->guard) != ADS_OK)
    {
        fail("data/guard");
    }
    if (ads_ring_read(&world->ring, (struct ads_str){text, sizeof(text) - 1},
                      &line, &why)
            != ADS_OK
        || ads_key_make(world->api_key, ADS_KEY_PUBLISHER, false, random)
               != ADS_OK)
    {
        fail("no keys");
    }
    world->key = ads_ring_seal(&world->ring);
    ads_sealer_init(&world->sealer, world->key, random);
    world->token.placement = ads_placement_known(1);
    world->click.type = ADS_EVENT_CLICK;
    world->show.type = ADS_EVENT_DECISION;
    world->show.show.n = 3;
    link_seal(world);
}


static double
cpu_us(void)
{
    struct timespec at;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}


int
main(int argc, char **argv)
{
    static struct world world;

    if (argc != 2 || sodium_init() < 0) {
        fail("MODEL");
    }
    world_make(&world, argv[1]);

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        double best = 1e9;

        for (int round = 0; round < ROUNDS; round++) {
            double from = cpu_us(), took;

            for (int n = 0; n < TIMES; n++) {
                steps[i].run(&world);
            }
            took = (cpu_us() - from) / TIMES;
            best = took < best ? took : best;
        }
        printf("%.3f %s\n", best, steps[i].name);
    }
    return world.sum == 0;
}
