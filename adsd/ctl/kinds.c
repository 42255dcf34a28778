/*
 * adsctl kinds: what products and requests are taken for, by the code that
 * serves; no database is asked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "catalog/import_source.h"
#include "ctl/shipped.h"
#include "ctl/verbs.h"
#include "tables/goods_score.h"
#include "tables/goods_taken.h"


static void
wanted_print(const struct ctl_shipped *shipped, struct ads_str line)
{
    static struct ads_understood understood;
    const struct ads_wish *wish = &understood.wish;

    ads_understand(&understood, &shipped->goods, NULL, line, ADS_STR(""));
    for (uint32_t i = 0; i < wish->n_kinds; i++) {
        struct ads_str id = ads_goods_id(&shipped->goods, wish->kinds[i]);

        printf("%s%.*s", i > 0 ? "," : "", (int)id.len, id.ptr);
    }
    printf("%s\t%.*s\n", wish->n_kinds == 0 ? "-" : "", (int)line.len,
           line.ptr);
}


static int
requests_print(const struct ctl_shipped *shipped, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    if (file == NULL) {
        return ctl_refuse("%s: %s", path, strerror(errno));
    }
    while ((len = getline(&line, &size, file)) > 0) {
        struct ads_str text = {line, (size_t)len};

        wanted_print(shipped, ads_str_trim(text, "\r\n"));
    }
    free(line);
    if (file != stdin) {
        (void)fclose(file);
    }
    return CTL_OK;
}


struct counts {
    unsigned products;
    unsigned taken;
    unsigned bad;
};


/* The texts of a JSON array, each followed by a newline: a category's path.
 * What is escaped stays so: names of kinds need no quotes. */
static struct ads_str
lines_of(struct ads_str array, struct pool *pool)
{
    char *lines = pool_alloc(pool, array.len + 1);
    size_t len = 0;
    bool inside = false;

    for (size_t i = 0; i < array.len; i++) {
        if (array.ptr[i] == '"') {
            lines[len] = '\n';
            len += inside;
            inside = !inside;
        } else if (inside) {
            lines[len++] = array.ptr[i];
        }
    }
    return (struct ads_str){lines, len};
}


/* What speaks for a kind, as "category_same, first_head". */
static void
reasons_print(const struct goods_signs *signs)
{
    enum goods_sign reasons[GOODS_REASONS];
    uint32_t n = goods_score_reasons(signs, reasons);

    for (uint32_t i = 0; i < n; i++) {
        printf("%s", i > 0 ? ", " : "");
        for (const char *c = goods_sign_name(reasons[i]); *c != '\0'; c++) {
            putchar(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        }
    }
    putchar('\n');
}


static void
product_print(const struct ctl_shipped *shipped, struct goods_taker *taker,
              const struct product *product, struct pool *pool,
              struct counts *counts)
{
    static const char *const sources[] = {
        [GOODS_FROM_NOTHING] = "-",
        [GOODS_FROM_TITLE] = "title",
        [GOODS_FROM_CATEGORY] = "category",
        [GOODS_FROM_DESCRIPTION] = "description",
    };
    const struct goods_product texts = {.title = product->title,
                                        .brand = product->brand,
                                        .categories =
                                            lines_of(product->category, pool),
                                        .description = product->description};
    struct goods_taken taken = goods_take(taker, &texts);
    struct ads_str id = ads_goods_id(&shipped->goods, taken.kind);
    struct ads_str of = ads_goods_id(&shipped->goods, taken.of);

    counts->products++;
    counts->taken += taken.kind != ADS_GOODS_NONE;
    if (id.len == 0) {
        id = ADS_STR("-");
    }
    printf("%.*s\t%u %%\t%s%.*s\t%s\t%.*s\t", (int)id.len, id.ptr,
           taken.sure * 100 / UINT8_MAX, of.len > 0 ? "for " : "", (int)of.len,
           of.ptr, sources[taken.source], (int)product->title.len,
           product->title.ptr);
    reasons_print(&taken.signs);
}


static int
products_print(const struct ctl_shipped *shipped, struct import_source *source,
               struct pool *pool)
{
    struct goods_taker *taker = goods_taker_new(&shipped->goods);
    struct counts counts = {0};
    struct import_fault fault = {0};
    struct import_row row;
    enum ads_err err;

    do {
        pool_reset(pool);
        row = (struct import_row){0};
        err = import_source_next(source, &row, &fault, pool);
        if (err == ADS_OK ? !row.none : row.product.title.len > 0) {
            product_print(shipped, taker, &row.product, pool, &counts);
        } else {
            counts.bad += err == ADS_INVALID;
        }
    } while (err == ADS_OK || err == ADS_INVALID || err == ADS_TOO_LARGE);
    goods_taker_free(taker);

    fprintf(stderr, "%u products, %u with a kind (%.1f %%), %u bad rows\n",
            counts.products, counts.taken,
            counts.products == 0 ? 0.0 : 100.0 * counts.taken / counts.products,
            counts.bad);
    return err == ADS_ABSENT
               ? CTL_OK
               : ctl_refuse("the rest cannot be read: %s", ads_strerror(err));
}


static int
feed_print(const struct ctl_shipped *shipped, const char *path)
{
    const struct import_cells_options options = {
        .base_url = ADS_STR("https://shop.example"),
        .currency = ADS_STR("USD"),
        .now_ms = clock_realtime_us() / 1000};
    struct pool *pool = pool_new();
    struct import_source *source = NULL;
    struct import_fault fault = {0};
    struct feed *feed;
    enum ads_err err = feed_open(&feed, path);
    int rc;

    if (err != ADS_OK) {
        pool_free(pool);
        return ctl_refuse("%s: %s", path, strerror(errno));
    }
    err = import_source_open(&source, feed, &options, IMPORT_FORMATS, &fault);
    rc = err == ADS_OK ? products_print(shipped, source, pool)
                       : ctl_refuse("%s: no feed of products", path);
    import_source_close(source);
    feed_close(feed);
    pool_free(pool);
    return rc;
}


int
ctl_kinds(struct ctl *ctl, int argc, char **argv)
{
    bool wanted = false;
    const struct ctl_option options[] = {{"wanted", false, &wanted, NULL}};
    struct ctl_shipped shipped;
    int n, rc = ctl_options(argc, argv, options, 1, 1, 1, &n);

    if (rc != CTL_OK) {
        return rc;
    }
    rc = ctl_shipped_open(&shipped, ctl);
    if (rc == CTL_OK) {
        rc = wanted ? requests_print(&shipped, argv[0])
                    : feed_print(&shipped, argv[0]);
    }
    ctl_shipped_close(&shipped);
    return rc;
}
