/*
 * Scores queries, one a line on standard input: for each one line with the
 * decision, the score in nats and the guard's topic, between tabs.
 *
 *     zstdcat dev.tsv.zst | cut -f3- | build/intent_score data/intent.model
 *
 * The guard's lists are those of the folder GUARD, data/guard when not said;
 * the ontology is that of data/goods.
 *
 * With --time N each line is scored N times and the mean cost per query of the
 * guard and of the model is printed to standard error.
 */
#include "../core/ads_guard.h"
#include "../core/ads_intent.h"
#include "../adsd/tables/goods.h"
#include "../adsd/tables/guard_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MODEL_MAX ((size_t)4 << 20)

struct costs {
    uint64_t guard_ns;
    uint64_t intent_ns;
    uint64_t n;
};


static uint64_t
clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}


static void
score(const struct ads_guard *guard, const struct ads_goods *goods,
      const struct ads_intent *intent, struct ads_str query, unsigned repeat,
      struct costs *costs)
{
    static struct ads_understood understood;
    enum ads_guard_topic topic = ADS_GUARD_NONE;
    uint64_t begin = clock_ns();
    uint64_t middle;
    struct ads_intent_scores scores = {{0}};
    const char *name;

    for (unsigned i = 0; i < repeat; i++) {
        topic = ads_guard_check(guard, query);
    }
    middle = clock_ns();
    for (unsigned i = 0; i < repeat; i++) {
        ads_understand(&understood, goods, NULL, query, ADS_STR(""));
        scores = ads_intent_score(intent, query, &understood);
    }
    costs->guard_ns += middle - begin;
    costs->intent_ns += clock_ns() - middle;
    costs->n += repeat;

    name = topic == ADS_GUARD_NONE
                   && ads_intent_is(intent, ADS_INTENT_SENSITIVE,
                                    scores.of[ADS_INTENT_SENSITIVE])
               ? ADS_GUARD_STORY
               : ads_guard_name(topic);
    printf("%s\t%.4f\t%s\n",
           strcmp(name, "none") == 0
                   && ads_intent_is(intent, ADS_INTENT_COMMERCIAL,
                                    scores.of[ADS_INTENT_COMMERCIAL])
               ? "SHOW"
               : "NO_AD",
           (double)scores.of[ADS_INTENT_COMMERCIAL] / ADS_INTENT_UNIT, name);
}


/* The bytes that *intent reads from, to be freed. */
static uint8_t *
model_read(const char *path, struct ads_intent *intent)
{
    uint8_t *bytes = malloc(MODEL_MAX);
    FILE *file = fopen(path, "rb");
    enum ads_err err;
    size_t len;

    if (bytes == NULL || file == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        exit(1);
    }
    len = fread(bytes, 1, MODEL_MAX, file);
    (void)fclose(file);

    err = ads_intent_open(bytes, len, intent);
    if (err != ADS_OK) {
        fprintf(stderr, "%s: %s\n", path, ads_strerror(err));
        exit(1);
    }
    return bytes;
}


/* The same of the guard's lists. */
static void *
guard_read(const char *folder, struct ads_guard *guard)
{
    struct ads_str section;

    if (guard_list_compile(&section, folder, "", stderr) != ADS_OK
        || ads_guard_open(section.ptr, section.len, guard) != ADS_OK)
    {
        exit(1);
    }
    return (char *)section.ptr;
}


int
main(int argc, char **argv)
{
    struct costs costs = {0};
    struct ads_guard guard;
    struct ads_goods goods;
    struct ads_str ontology;
    struct ads_intent intent;
    unsigned repeat = 1;
    uint8_t *model;
    void *lists;
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    if (argc >= 4 && strcmp(argv[1], "--time") == 0) {
        repeat = (unsigned)strtoul(argv[2], NULL, 10);
        argv += 2;
        argc -= 2;
    }
    if (argc < 2 || argc > 3 || repeat == 0) {
        fputs("usage: intent_score [--time N] MODEL [GUARD]\n", stderr);
        return 2;
    }

    lists = guard_read(argc == 3 ? argv[2] : "data/guard", &guard);
    model = model_read(argv[1], &intent);
    if (goods_load("data/goods", NULL, &ontology, stderr) != ADS_OK
        || ads_goods_open(ontology.ptr, ontology.len, &goods) != ADS_OK)
    {
        return 1;
    }
    while ((len = getline(&line, &size, stdin)) > 0) {
        if (line[len - 1] == '\n') {
            len--;
        }
        score(&guard, &goods, &intent, (struct ads_str){line, (size_t)len},
              repeat, &costs);
    }
    if (repeat > 1 && costs.n > 0) {
        fprintf(stderr, "guard %.0f ns, intent %.0f ns a query\n",
                (double)costs.guard_ns / (double)costs.n,
                (double)costs.intent_ns / (double)costs.n);
    }
    free(line);
    free(model);
    free(lists);
    free((char *)ontology.ptr);
    return 0;
}
