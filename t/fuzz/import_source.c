/*
 * Any bytes as a feed of products: JSON, XML or a table.  Reading ends,
 * and what is taken for a product keeps the rules of one.
 */
#define _GNU_SOURCE /* memfd_create */
#include "catalog/import_source.h"

#include <sys/mman.h>
#include <unistd.h>

#include "ads_url.h"
#include "fuzz.h"

#define LEN_MAX 16384
#define ROWS_MAX 20000

static int file = -1;


static void
row_check(const struct product *row)
{
    fuzz_must(row->sku.len > 0 && row->title.len > 0, "names are there");
    fuzz_must(row->price_micros >= 0, "a price is no debt");
    fuzz_must(row->currency.len == 3, "a currency has three letters");
    fuzz_must(ads_url_check(row->url, ADS_URL_DESTINATION, NULL) == ADS_OK,
              "the address is one");
    fuzz_must(row->category.len >= 2 && row->category.ptr[0] == '[',
              "categories are a list");
}


static bool
goes_on(void *ctx)
{
    (void)ctx;
    return true;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct import_evidence evidence[COLUMNS] = {{.n_point = 0}};
    const struct import_cells_options options = {
        .base_url = ADS_STR("https://shop.example"),
        .currency = ADS_STR("USD"),
        .evidence = evidence};
    struct pool *pool = pool_new();
    struct import_source *source;
    struct import_fault fault;
    struct import_row row;
    struct feed *feed;
    char path[32];
    enum ads_err err;
    int n = 0;

    len = len < LEN_MAX ? len : LEN_MAX;
    if (file < 0) {
        file = memfd_create("feed", MFD_CLOEXEC);
    }
    fuzz_must(ftruncate(file, 0) == 0
                  && pwrite(file, bytes, len, 0) == (ssize_t)len,
              "the file can be written");
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    fuzz_must(feed_open(&feed, path) == ADS_OK, "a file can be opened");
    fuzz_must(import_source_scan(evidence, feed, &options, goes_on, NULL)
                  == ADS_OK,
              "a file begins again");
    err = import_source_open(&source, feed, &options, IMPORT_FORMATS, &fault);
    while (err == ADS_OK && n++ < ROWS_MAX) {
        err = import_source_next(source, &row, &fault, pool);
        if (err == ADS_OK) {
            row_check(&row.product);
        } else if (err == ADS_INVALID) {
            fuzz_must(fault.why != NULL && fault.field != NULL,
                      "a bad row is reported");
            err = ADS_OK;
        }
    }
    import_source_close(source);
    feed_close(feed);
    pool_free(pool);
    return 0;
}
