/*
 * Ranks products for queries with the index and the match that serve ads, for
 * a relevance measure such as NDCG.
 *
 *     relevance [-s SOURCE] [-n MAX] [-f | -t | -w] [-g GOODS] PRODUCTS QUERIES
 *
 * PRODUCTS  JSON lines with id, title and, where known, brand, category,
 *           description, color, material, source; - reads standard input
 * QUERIES   tab-separated: query id, query
 * output    tab-separated: query id, product id, score, coverage, coverage
 *           of the title, head noun, how its kind fits, probability
 * -s        only products of that source
 * -n        hits of a query, at most 1,000 (100); past the first 100 the match
 *           is asked again for those that it has not given yet
 * -f        only hits above the relevance floor
 * -t        no run, but its time to standard error, tab-separated:
 *           "understand", "match" (match and rank of the first page of hits)
 *           and "both", each with the median and the 99th percentile in
 *           microseconds of the best of three passes, and "index" with its
 *           bytes
 * -w        behind each hit which weights count for it and what it is weighed
 *           by (core/ads_fit.h), for tools/fit_train
 * -g        folder of the ontology (data/goods); an empty name: without it
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ads_fit.h"
#include "base/pool.h"
#include "tables/goods.h"
#include "tables/goods_taken.h"
#include "tables/index_build.h"

#define RUN_MAX 1000
#define PASSES 3

struct products {
    struct pool *pool;
    struct index_doc *docs;
    char **ids;
    struct goods_taken *taken;
    size_t n;
    size_t room;
    struct snap_text words; /* of kinds, for the index */
};

struct options {
    const char *source;
    const char *goods;
    uint32_t max;
    bool floor;
    bool timed;
    bool weighed;
};

/* The next best hits, and their numbers by how well they fit. */
struct page {
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_fitting fitting;
    struct ads_fit fits[ADS_MATCH_DEPTH];
    uint32_t order[ADS_MATCH_DEPTH];
    uint32_t n;
};

enum step { UNDERSTAND, MATCH, BOTH, STEPS };

/* Microseconds of each query, the best of the passes so far. */
struct times {
    double *us[STEPS];
    size_t n;
    size_t room;
};

/* What all queries are run with. */
struct engine {
    const struct options *options;
    const struct products *products;
    struct ads_goods goods;
    struct index_image image;
    struct ads_index index;
    struct ads_text text;
    void *scratch;
    uint8_t *seen; /* by document */
    struct ads_understood understood;
    struct ads_match_query query;
    struct page page;
    struct times times;
};


static void
fail(const char *what)
{
    fprintf(stderr, "relevance: %s\n", what);
    exit(1);
}


static struct ads_str
text_of(struct products *products, const json_t *value)
{
    struct ads_str text = {.ptr = "", .len = 0};

    if (json_is_string(value)) {
        text.ptr = json_string_value(value);
        text.len = json_string_length(value);
    }
    text.ptr = pool_text(products->pool, text);
    return text;
}


/* The strings of an array as one text. */
static struct ads_str
text_of_array(struct products *products, const json_t *array)
{
    struct ads_str text = {.ptr = "", .len = 0};
    const json_t *value;
    size_t i;

    json_array_foreach(array, i, value)
    {
        text.ptr = pool_format(products->pool, &text.len, "%s%s\n", text.ptr,
                               json_string_value(value));
    }
    return text;
}


static void
product_add(struct products *products, const json_t *product)
{
    struct index_doc *doc;
    struct ads_str description, color, material;

    if (products->n == products->room) {
        products->room = 2 * products->room + 1024;
        products->docs =
            xrealloc(products->docs, products->room * sizeof(*products->docs));
        products->ids =
            xrealloc(products->ids, products->room * sizeof(*products->ids));
        products->taken = xrealloc(products->taken,
                                   products->room * sizeof(*products->taken));
    }

    doc = &products->docs[products->n];
    *doc = (struct index_doc){0};
    doc->title = text_of(products, json_object_get(product, "title"));
    doc->brand = text_of(products, json_object_get(product, "brand"));
    doc->category =
        text_of_array(products, json_object_get(product, "category"));
    description = text_of(products, json_object_get(product, "description"));
    color = text_of(products, json_object_get(product, "color"));
    material = text_of(products, json_object_get(product, "material"));
    doc->description.ptr =
        pool_format(products->pool, &doc->description.len, "%s; %s; %s",
                    description.ptr, color.ptr, material.ptr);
    products->ids[products->n++] =
        (char *)text_of(products, json_object_get(product, "id")).ptr;
}


static void
products_read(struct products *products, const char *path,
              const struct options *options)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *line = NULL;
    size_t size = 0;

    if (file == NULL) {
        fail("cannot open the products");
    }
    while (getline(&line, &size, file) > 0) {
        json_t *product = json_loads(line, 0, NULL);
        const char *source =
            json_string_value(json_object_get(product, "source"));

        if (product == NULL) {
            fail("a line of the products is not JSON");
        }
        if (options->source == NULL
            || (source != NULL && strcmp(source, options->source) == 0))
        {
            product_add(products, product);
        }
        json_decref(product);
    }
    free(line);
    if (file != stdin) {
        (void)fclose(file);
    }
}


/* Says of each product what it is taken for. */
static void
products_take(struct products *products, const struct ads_goods *goods)
{
    struct goods_taker *taker = goods_taker_new(goods);

    for (size_t i = 0; i < products->n; i++) {
        struct index_doc *doc = &products->docs[i];
        const struct goods_product product = {.title = doc->title,
                                              .brand = doc->brand,
                                              .categories = doc->category,
                                              .description = doc->description};

        products->taken[i] = goods_take(taker, &product);
        doc->kinds_at = products->words.len;
        goods_words_put(goods, products->taken[i].kind, &products->words);
        goods_attributes_put(taker, &products->words);
        doc->kinds_len = products->words.len - doc->kinds_at;
    }
    goods_taker_free(taker);
}


/* Lets pass what was not found before. */
static int32_t
unseen(void *ctx, uint32_t doc)
{
    const struct engine *engine = ctx;

    return engine->seen[doc] ? -1 : 0;
}


static void
page_find(struct engine *engine)
{
    struct ads_match_filter filter = {unseen, engine, ADS_MATCH_DEPTH, NULL};
    struct page *page = &engine->page;
    struct ads_match_stats stats;

    page->n =
        ads_match_run(&engine->index, &engine->query, &filter, 0,
                      engine->scratch, page->hits, ADS_MATCH_DEPTH, &stats);
    ads_fit_begin(&page->fitting, &engine->understood, &engine->query);
    for (uint32_t i = 0; i < page->n; i++) {
        uint32_t doc = engine->image.order[page->hits[i].doc];

        ads_fit_note(&page->fitting, &page->hits[i],
                     engine->products->taken[doc].kind);
    }
    for (uint32_t i = 0; i < page->n; i++) {
        const struct ads_match_hit *hit = &page->hits[i];
        uint32_t doc = engine->image.order[hit->doc], at = i;

        engine->seen[hit->doc] = 1;
        page->fits[i] =
            ads_fit_read(&page->fitting, hit, engine->products->taken[doc].kind,
                         engine->products->taken[doc].sure);
        for (; at > 0
               && page->fits[page->order[at - 1]].score < page->fits[i].score;
             at--)
        {
            page->order[at] = page->order[at - 1];
        }
        page->order[at] = i;
    }
}


/* What a hit is weighed by. */
static void
features_print(struct engine *engine, const struct ads_match_hit *hit)
{
    const struct goods_taken *taken =
        &engine->products->taken[engine->image.order[hit->doc]];
    int32_t features[ADS_FIT_FEATURES];

    printf("\t%d", ads_fit_features(&engine->page.fitting, hit, taken->kind,
                                    taken->sure, features));
    for (int i = 0; i < ADS_FIT_FEATURES; i++) {
        printf("\t%d", features[i]);
    }
}


static void
page_print(struct engine *engine, const char *id, uint32_t max)
{
    const struct page *page = &engine->page;

    for (uint32_t i = 0; i < page->n && i < max; i++) {
        const struct ads_match_hit *hit = &page->hits[page->order[i]];
        const struct ads_fit *fit = &page->fits[page->order[i]];

        if (!engine->options->floor || fit->probability >= ADS_FIT_FLOOR) {
            printf("%s\t%s\t%u\t%u\t%u\t%d\t%s\t%u", id,
                   engine->products->ids[engine->image.order[hit->doc]],
                   fit->score, hit->coverage, hit->titled, hit->head,
                   ads_fit_name(fit->kind), fit->probability);
            if (engine->options->weighed) {
                features_print(engine, hit);
            }
            putchar('\n');
        }
    }
}


static void
query_understand(struct engine *engine, const char *words)
{
    ads_understand(&engine->understood, &engine->goods, &engine->index,
                   (struct ads_str){words, strlen(words)}, ADS_STR(""));
}


static void
query_read(struct engine *engine)
{
    ads_match_read(&engine->index, &engine->text,
                   engine->understood.focus.words,
                   &engine->understood.focus.match, &engine->query);
}


static void
query_run(struct engine *engine, const char *id, const char *words)
{
    uint32_t max = engine->options->max, all = 0;

    query_understand(engine, words);
    query_read(engine);
    memset(engine->seen, 0, engine->index.n_docs);
    do {
        page_find(engine);
        page_print(engine, id, max - all);
        all += engine->page.n;
    } while (all < max && engine->page.n == ADS_MATCH_DEPTH);
}


static double
now_us(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}


static void
times_keep(struct times *times, size_t at, const double us[STEPS])
{
    if (at == times->room) {
        times->room = 2 * times->room + 1024;
        for (int step = 0; step < STEPS; step++) {
            times->us[step] = xrealloc(times->us[step],
                                       times->room * sizeof(*times->us[step]));
        }
    }
    for (int step = 0; step < STEPS; step++) {
        if (at == times->n || us[step] < times->us[step][at]) {
            times->us[step][at] = us[step];
        }
    }
    times->n += at == times->n;
}


/* Query number `at` of a pass, to its first page. */
static void
query_measure(struct engine *engine, size_t at, const char *words)
{
    double us[STEPS], begun, understood, matched;

    memset(engine->seen, 0, engine->index.n_docs);
    begun = now_us();
    query_understand(engine, words);
    understood = now_us();
    query_read(engine);
    page_find(engine);
    matched = now_us();

    us[UNDERSTAND] = understood - begun;
    us[MATCH] = matched - understood;
    us[BOTH] = matched - begun;
    times_keep(&engine->times, at, us);
}


static int
double_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}


static void
times_print(const struct engine *engine)
{
    static const char *const names[STEPS] = {"understand", "match", "both"};
    const struct times *times = &engine->times;

    for (int step = 0; step < STEPS && times->n > 0; step++) {
        double *us = times->us[step];

        qsort(us, times->n, sizeof(*us), double_order);
        fprintf(stderr, "%s\t%.1f\t%.1f\n", names[step],
                us[(times->n + 1) / 2 - 1], us[(times->n * 99 + 99) / 100 - 1]);
    }
    fprintf(stderr, "index\t%zu\n", (size_t)engine->image.len);
}


static void
queries_run(struct engine *engine, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0, at = 0;

    if (file == NULL) {
        fail("cannot open the queries");
    }
    while (getline(&line, &size, file) > 0) {
        char *words = strchr(line, '\t');

        if (words == NULL) {
            fail("a line of the queries has no tab");
        }
        *words++ = '\0';
        words[strcspn(words, "\n")] = '\0';
        if (engine->options->timed) {
            query_measure(engine, at++, words);
        } else {
            query_run(engine, line, words);
        }
    }
    free(line);
    (void)fclose(file);
}


static void
engine_run(struct products *products, const struct options *options,
           const char *queries)
{
    struct engine *engine = xcalloc(1, sizeof(*engine));
    struct ads_str goods = {NULL, 0};

    engine->options = options;
    engine->products = products;
    engine->text.stemmer = sb_stemmer_new("english", NULL);
    if (options->goods[0] != '\0'
        && goods_load(options->goods, NULL, &goods, stderr) != ADS_OK)
    {
        fail("no ontology");
    }
    if (ads_goods_open(goods.ptr, goods.len, &engine->goods) != ADS_OK) {
        fail("the ontology that was compiled cannot be opened");
    }
    products_take(products, &engine->goods);
    index_build_from(&(struct index_input){.docs = products->docs,
                                           .n = (uint32_t)products->n,
                                           .kinds = products->words.bytes},
                     &engine->image);
    if (ads_index_open(engine->image.bytes, engine->image.len, &engine->index)
        != ADS_OK)
    {
        fail("the index that was built cannot be opened");
    }
    engine->scratch = xmalloc(ads_match_scratch_len(&engine->index));
    engine->seen = xcalloc(engine->index.n_docs + 1, 1);
    for (int pass = options->timed ? PASSES : 1; pass > 0; pass--) {
        queries_run(engine, queries);
    }
    if (options->timed) {
        times_print(engine);
    }

    for (int step = 0; step < STEPS; step++) {
        free(engine->times.us[step]);
    }
    free(engine->scratch);
    free(engine->seen);
    free(engine->image.bytes);
    free(engine->image.order);
    sb_stemmer_delete(engine->text.stemmer);
    free((char *)goods.ptr);
    free(engine);
}


int
main(int argc, char **argv)
{
    struct options options = {.max = ADS_MATCH_DEPTH, .goods = "data/goods"};
    struct products products = {.pool = pool_new()};
    int option;

    while ((option = getopt(argc, argv, "s:n:ftwg:")) != -1) {
        switch (option) {
        case 's':
            options.source = optarg;
            break;
        case 'n':
            options.max = (uint32_t)atoi(optarg);
            break;
        case 'g':
            options.goods = optarg;
            break;
        case 'f':
            options.floor = true;
            break;
        case 't':
            options.timed = true;
            break;
        case 'w':
            options.weighed = true;
            break;
        default:
            return 2;
        }
    }
    if (argc - optind != 2 || options.max < 1 || options.max > RUN_MAX) {
        fprintf(stderr, "usage: relevance [-s SOURCE] [-n MAX] [-f] [-t] "
                        "[-g GOODS] PRODUCTS QUERIES\n");
        return 2;
    }

    products_read(&products, argv[optind], &options);
    engine_run(&products, &options, argv[optind + 1]);
    free(products.docs);
    free(products.ids);
    free(products.taken);
    free(products.words.bytes);
    pool_free(products.pool);
    return 0;
}
