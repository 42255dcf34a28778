/*
 * Times words, match and rank alone over real queries, one core, no network:
 * per query the best of several passes, then percentiles over the queries.
 *
 *     match [-p PASSES] [-g PRODUCTS] [-j QUERIES] [-x] PRODUCTS QUERIES...
 *
 * PRODUCTS  JSON lines (title, brand, category, description); - reads
 *           standard input
 * QUERIES   tab-separated files whose second column is a query
 * -g        grown to so many products, by recombining their texts
 * -j        so many queries in a row are asked as one, for long ones
 * -x        without pruning
 *
 * Prints the size and build time of the index, too, and the memory that the
 * build took at most, the texts included.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ads_match.h"
#include "base/pool.h"
#include "tables/index_build.h"
#include "tools/grow.h"

#define ANSWER 3 /* hits asked for */

struct bench {
    struct pool *pool;
    struct index_doc *docs;
    size_t n_docs;
    size_t docs_room;
    struct ads_str *queries;
    double *best_us; /* by query */
    size_t n_queries;
    size_t queries_room;
    uint64_t postings;
    uint64_t candidates;
    uint32_t cut;
    uint32_t empty;
};


static double
clock_us(clockid_t clock)
{
    struct timespec at;

    clock_gettime(clock, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}


static struct ads_str
text_keep(struct bench *bench, const char *ptr, size_t len)
{
    struct ads_str text = {.ptr = ptr, .len = len};

    text.ptr = pool_text(bench->pool, text);
    return text;
}


static struct ads_str
member(struct bench *bench, const json_t *product, const char *name)
{
    const json_t *value = json_object_get(product, name);
    struct ads_str text = {.ptr = "", .len = 0};
    const json_t *part;
    size_t i;

    if (json_is_string(value)) {
        return text_keep(bench, json_string_value(value),
                         json_string_length(value));
    }
    json_array_foreach(value, i, part)
    {
        text.ptr = pool_format(bench->pool, &text.len, "%s; %s", text.ptr,
                               json_string_value(part));
    }
    return text;
}


static void
products_read(struct bench *bench, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *line = NULL;
    size_t size = 0;

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    while (getline(&line, &size, file) > 0) {
        json_t *product = json_loads(line, 0, NULL);

        if (bench->n_docs == bench->docs_room) {
            bench->docs_room = 2 * bench->docs_room + 1024;
            bench->docs =
                xrealloc(bench->docs, bench->docs_room * sizeof(*bench->docs));
        }
        bench->docs[bench->n_docs++] = (struct index_doc){
            .title = member(bench, product, "title"),
            .brand = member(bench, product, "brand"),
            .category = member(bench, product, "category"),
            .description = member(bench, product, "description")};
        json_decref(product);
    }
    free(line);
    if (file != stdin) {
        (void)fclose(file);
    }
}


static void
queries_read(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    while (getline(&line, &size, file) > 0) {
        char *query = strchr(line, '\t');

        if (query == NULL) {
            continue;
        }
        if (bench->n_queries == bench->queries_room) {
            bench->queries_room = 2 * bench->queries_room + 1024;
            bench->queries = xrealloc(
                bench->queries, bench->queries_room * sizeof(*bench->queries));
        }
        query++;
        bench->queries[bench->n_queries++] =
            text_keep(bench, query, strcspn(query, "\n\t"));
    }
    free(line);
    (void)fclose(file);
}


/* Makes one query of each `n` in a row. */
static void
queries_join(struct bench *bench, size_t n)
{
    size_t n_joined = 0;

    for (size_t i = 0; i + n <= bench->n_queries; i += n) {
        struct ads_str all = {"", 0};

        for (size_t k = 0; k < n; k++) {
            all.ptr = pool_format(bench->pool, &all.len, "%s %s", all.ptr,
                                  bench->queries[i + k].ptr);
        }
        bench->queries[n_joined++] = all;
    }
    bench->n_queries = n_joined;
}


static void
pass(struct bench *bench, const struct ads_index *index, uint32_t options,
     bool first)
{
    struct ads_text text = {.stemmer = sb_stemmer_new("english", NULL)};
    void *scratch = xmalloc(ads_match_scratch_len(index));
    struct ads_match_hit hits[ANSWER];

    for (size_t i = 0; i < bench->n_queries; i++) {
        struct ads_match_query query;
        struct ads_match_stats stats;
        double from = clock_us(CLOCK_MONOTONIC), took;
        uint32_t n;

        ads_match_read(index, &text, bench->queries[i], NULL, &query);
        n = ads_match_run(index, &query, NULL, options, scratch, hits, ANSWER,
                          &stats);
        took = clock_us(CLOCK_MONOTONIC) - from;
        if (first || took < bench->best_us[i]) {
            bench->best_us[i] = took;
        }
        if (first) {
            bench->postings += stats.postings;
            bench->candidates += stats.candidates;
            bench->cut += stats.cut;
            bench->empty += n == 0;
        }
    }
    free(scratch);
    sb_stemmer_delete(text.stemmer);
}


static int
compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;

    return one < other ? -1 : one > other;
}


static void
report(struct bench *bench)
{
    size_t n = bench->n_queries;
    double sum = 0;

    qsort(bench->best_us, n, sizeof(*bench->best_us), compare);
    for (size_t i = 0; i < n; i++) {
        sum += bench->best_us[i];
    }
    printf("%zu queries, us: p50 %.1f p90 %.1f p99 %.1f max %.1f mean %.1f\n",
           n, bench->best_us[n / 2], bench->best_us[n * 9 / 10],
           bench->best_us[n * 99 / 100], bench->best_us[n - 1],
           sum / (double)n);
    printf("mean postings %.0f, candidates %.0f; %u cut, %u empty\n",
           (double)bench->postings / (double)n,
           (double)bench->candidates / (double)n, bench->cut, bench->empty);
}


struct options {
    int passes;
    int grown; /* 0: not */
    int joined;
    uint32_t match;
};


static void
options_read(struct options *options, int argc, char **argv)
{
    int option;

    *options = (struct options){.passes = 3, .joined = 1};
    while ((option = getopt(argc, argv, "p:g:j:x")) != -1) {
        if (option == 'p') {
            options->passes = atoi(optarg);
        } else if (option == 'g') {
            options->grown = atoi(optarg);
        } else if (option == 'j') {
            options->joined = atoi(optarg);
        } else if (option == 'x') {
            options->match = ADS_MATCH_EXHAUSTIVE;
        } else {
            exit(2);
        }
    }
    if (argc - optind < 2 || options->passes < 1 || options->joined < 1) {
        fprintf(stderr, "usage: match [-p PASSES] [-g PRODUCTS] [-j QUERIES] "
                        "[-x] PRODUCTS QUERIES...\n");
        exit(2);
    }
}


static void
products_grow(struct bench *bench, size_t n)
{
    if (n > bench->n_docs) {
        bench->docs = xrealloc(bench->docs, n * sizeof(*bench->docs));
        grow_docs(bench->pool, bench->docs, (uint32_t)bench->n_docs,
                  (uint32_t)n);
        bench->n_docs = n;
    }
}


static void
index_make(const struct bench *bench, struct index_image *image,
           struct ads_index *index)
{
    double from = clock_us(CLOCK_PROCESS_CPUTIME_ID);
    struct rusage usage;

    index_build(bench->docs, (uint32_t)bench->n_docs, image);
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("%zu products, index %.1f bytes each, built in %.2f s of CPU, at "
           "most %ld MB\n",
           bench->n_docs, (double)image->len / (double)bench->n_docs,
           (clock_us(CLOCK_PROCESS_CPUTIME_ID) - from) / 1e6,
           usage.ru_maxrss / 1024);
    if (ads_index_open(image->bytes, image->len, index) != ADS_OK) {
        fprintf(stderr, "match: the index cannot be opened\n");
        exit(1);
    }
}


int
main(int argc, char **argv)
{
    struct bench bench = {.pool = pool_new()};
    struct index_image image;
    struct ads_index index;
    struct options options;

    options_read(&options, argc, argv);
    products_read(&bench, argv[optind]);
    for (int i = optind + 1; i < argc; i++) {
        queries_read(&bench, argv[i]);
    }
    queries_join(&bench, (size_t)options.joined);
    if (bench.n_docs == 0 || bench.n_queries == 0) {
        fprintf(stderr, "match: no products or no queries\n");
        return 1;
    }
    products_grow(&bench, (size_t)options.grown);
    index_make(&bench, &image, &index);

    bench.best_us = xcalloc(bench.n_queries, sizeof(*bench.best_us));
    for (int i = 0; i < options.passes; i++) {
        pass(&bench, &index, options.match, i == 0);
    }
    report(&bench);

    free(image.bytes);
    free(image.order);
    free(bench.docs);
    free(bench.queries);
    free(bench.best_us);
    pool_free(bench.pool);
    return 0;
}
