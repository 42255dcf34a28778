/*
 * Ranks products for queries with the index and the match that serve ads, for
 * a relevance measure such as NDCG.
 *
 *     relevance [-s SOURCE] [-n MAX] [-f] PRODUCTS QUERIES > RUN
 *
 * PRODUCTS  JSON lines with id, title and, where known, brand, category,
 *           description, color, material, source; - reads standard input
 * QUERIES   tab-separated: query id, query
 * RUN       tab-separated: query id, product id, score, coverage, coverage
 *           of the title, head noun
 * -s        only products of that source
 * -n        hits of a query, at most 100 (100)
 * -f        only hits above the relevance floor
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ads_match.h"
#include "index_build.h"
#include "pool.h"

struct products {
    struct pool *pool;
    struct index_doc *docs;
    char **ids;
    size_t n;
    size_t room;
};

struct options {
    const char *source;
    uint32_t max;
    bool floor;
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
        text.ptr = pool_format(products->pool, &text.len, "%s; %s", text.ptr,
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


static void
query_run(const struct ads_index *index, const struct ads_text *text,
          const struct options *options, const struct products *products,
          const struct index_image *image, void *scratch, const char *id,
          const char *words)
{
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct ads_match_stats stats;
    uint32_t n;

    ads_match_read(index, text,
                   (struct ads_str){.ptr = words, .len = strlen(words)},
                   &query);
    n = ads_match_run(index, &query, NULL, 0, scratch, hits, options->max,
                      &stats);
    for (uint32_t i = 0; i < n; i++) {
        if (options->floor && !ads_match_is_relevant(&query, &hits[i])) {
            continue;
        }
        printf("%s\t%s\t%u\t%u\t%u\t%d\n", id,
               products->ids[image->order[hits[i].doc]], hits[i].score,
               hits[i].coverage, hits[i].titled, hits[i].head);
    }
}


static void
queries_run(const struct products *products, const char *path,
            const struct options *options)
{
    struct ads_text text = {.stemmer = sb_stemmer_new("english", NULL)};
    struct index_image image;
    struct ads_index index;
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    void *scratch;

    if (file == NULL) {
        fail("cannot open the queries");
    }
    index_build(products->docs, (uint32_t)products->n, &image);
    if (ads_index_open(image.bytes, image.len, &index) != ADS_OK) {
        fail("the index that was built cannot be opened");
    }

    scratch = xmalloc(ads_match_scratch_len(&index));
    while (getline(&line, &size, file) > 0) {
        char *words = strchr(line, '\t');

        if (words == NULL) {
            fail("a line of the queries has no tab");
        }
        *words++ = '\0';
        words[strcspn(words, "\n")] = '\0';
        query_run(&index, &text, options, products, &image, scratch, line,
                  words);
    }
    free(line);
    (void)fclose(file);
    free(scratch);
    free(image.bytes);
    free(image.order);
    sb_stemmer_delete(text.stemmer);
}


int
main(int argc, char **argv)
{
    struct options options = {.max = ADS_MATCH_DEPTH};
    struct products products = {.pool = pool_new()};
    int option;

    while ((option = getopt(argc, argv, "s:n:f")) != -1) {
        switch (option) {
        case 's':
            options.source = optarg;
            break;
        case 'n':
            options.max = (uint32_t)atoi(optarg);
            break;
        case 'f':
            options.floor = true;
            break;
        default:
            return 2;
        }
    }
    if (argc - optind != 2 || options.max < 1 || options.max > ADS_MATCH_DEPTH)
    {
        fprintf(stderr, "usage: relevance [-s SOURCE] [-n MAX] [-f] "
                        "PRODUCTS QUERIES\n");
        return 2;
    }

    products_read(&products, argv[optind], &options);
    queries_run(&products, argv[optind + 1], &options);
    free(products.docs);
    free(products.ids);
    pool_free(products.pool);
    return 0;
}
