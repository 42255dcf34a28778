/*
 * Batches of rows into ads.products_upsert.
 */
#include "import.h"

#include <errno.h>
#include <stdlib.h>

#include "import_row.h"

static const struct db_stmt STMT_UPSERT = {
    .name = "products_upsert",
    .sql = "select u.added, u.changed, u.unchanged, u.repeated "
           "from ads.products_upsert($1, $2, $3, $4, $5, $6, $7,"
           "    $8::jsonb[], $9, $10, $11, $12,"
           "    array_fill(null::text, array[cardinality($3)]),"
           "    array_fill(null::jsonb, array[cardinality($3)])) u",
    .n_params = 12,
};

/* Rows waiting to be written, column by column. */
struct batch {
    struct pool *pool;
    size_t n;
    struct ads_str sku[IMPORT_BATCH];
    struct ads_str title[IMPORT_BATCH];
    struct ads_str description[IMPORT_BATCH];
    struct ads_str brand[IMPORT_BATCH];
    struct ads_str gtin[IMPORT_BATCH];
    struct ads_str category[IMPORT_BATCH];
    struct ads_str url[IMPORT_BATCH];
    struct ads_str image_url[IMPORT_BATCH];
    int64_t price_micros[IMPORT_BATCH];
    struct ads_str currency[IMPORT_BATCH];
};

#define N_OUTCOMES 4

struct work {
    struct batch *batch;
    const struct import_options *options;
    struct import_totals *totals;

    /* of the batch at hand, in the order of the statement: they count once it
     * is committed, which may take more than one try */
    uint64_t outcomes[N_OUTCOMES];
};


static struct ads_str
present(struct ads_str text)
{
    return text.ptr == NULL ? ADS_STR("") : text;
}


static void
batch_put(struct batch *batch, const struct import_row *row)
{
    size_t i = batch->n++;

    batch->sku[i] = row->sku;
    batch->title[i] = row->title;
    batch->description[i] = present(row->description);
    batch->brand[i] = present(row->brand);
    batch->gtin[i] = present(row->gtin);
    batch->category[i] = row->category;
    batch->url[i] = row->url;
    batch->image_url[i] = row->image_url;
    batch->price_micros[i] = row->price_micros;
    batch->currency[i] = row->currency;
}


static enum ads_err
batch_write(struct db_tx *tx, void *arg)
{
    struct work *work = arg;
    struct batch *batch = work->batch;
    struct db_rows *rows;
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, batch->pool);
    db_arg_uuid(&args, &work->options->account);
    db_arg_uuid(&args, &work->options->campaign);
    db_arg_texts(&args, batch->sku, batch->n);
    db_arg_texts(&args, batch->title, batch->n);
    db_arg_texts(&args, batch->description, batch->n);
    db_arg_texts(&args, batch->brand, batch->n);
    db_arg_texts(&args, batch->gtin, batch->n);
    db_arg_texts(&args, batch->category, batch->n);
    db_arg_texts(&args, batch->url, batch->n);
    db_arg_texts(&args, batch->image_url, batch->n);
    db_arg_int8s(&args, batch->price_micros, batch->n);
    db_arg_texts(&args, batch->currency, batch->n);

    err = db_run(tx, &STMT_UPSERT, &args, &rows);
    if (err == ADS_OK) {
        for (int i = 0; i < N_OUTCOMES; i++) {
            work->outcomes[i] = (uint64_t)db_int(rows, 0, i);
        }
    }
    return err;
}


static enum ads_err
batch_flush(struct work *work, struct db *db)
{
    const struct import_options *options = work->options;
    struct import_totals *totals = work->totals;
    enum ads_err err = ADS_OK;

    if (work->batch->n > 0 && !options->dry_run) {
        err = db_transact(db, batch_write, work);
        if (err == ADS_OK) {
            totals->added += work->outcomes[0];
            totals->changed += work->outcomes[1];
            totals->unchanged += work->outcomes[2];
            totals->repeated += work->outcomes[3];
        }
    }
    work->batch->n = 0;
    pool_reset(work->batch->pool);
    if (options->progress != NULL) {
        options->progress(options->ctx, totals);
    }
    return err;
}


static void
line_read(struct work *work, char *line, size_t len, uint64_t number)
{
    struct import_fault fault = {.line = number};
    struct import_row row;

    if (len == 0) {
        return;
    }

    work->totals->lines++;
    if (import_row_read(&row, &fault, line, len, work->batch->pool) == ADS_OK) {
        batch_put(work->batch, &row);
        return;
    }
    work->totals->bad++;
    work->options->fault(work->options->ctx, &fault);
}


/* A line that came, or the fault of one that was too long; false when there
 * are no more, and *err says why. */
static bool
line_take(struct work *work, struct feed *feed, uint64_t number,
          enum ads_err *err)
{
    struct import_fault fault = {number, "", "is longer than 1 MiB"};
    char *line;
    size_t len;

    *err = feed_line(feed, &line, &len);
    if (*err == ADS_OK) {
        line_read(work, line, len, number);
        return true;
    }
    if (*err == ADS_TOO_LARGE) {
        work->totals->lines++;
        work->totals->bad++;
        work->options->fault(work->options->ctx, &fault);
        return true;
    }
    work->totals->read_errno = *err == ADS_IO ? errno : 0;
    return false;
}


enum ads_err
import_run(struct import_totals *totals, struct feed *feed, struct db *db,
           const struct import_options *options)
{
    struct batch *batch = xcalloc(1, sizeof(*batch));
    struct work work = {.batch = batch, .options = options, .totals = totals};
    enum ads_err err = ADS_OK, end = ADS_OK;
    uint64_t number = 0;

    *totals = (struct import_totals){0};
    batch->pool = pool_new();

    while (err == ADS_OK && line_take(&work, feed, ++number, &end)) {
        if (batch->n == IMPORT_BATCH) {
            err = batch_flush(&work, db);
        }
    }

    /* what was read before the file's end or fault counts */
    if (err == ADS_OK) {
        err = batch_flush(&work, db);
    }
    if (err == ADS_OK && end != ADS_ABSENT) {
        err = end;
    }
    pool_free(batch->pool);
    free(batch);
    return err;
}
