/*
 * Batches of rows into ads.products_upsert.
 */
#include "import.h"

#include <errno.h>
#include <stdlib.h>

#include "import_source.h"

static const struct db_stmt STMT_UPSERT = {
    .name = "products_upsert",
    .sql = "select u.added, u.changed, u.unchanged, u.repeated "
           "from ads.products_upsert($1, $2, $3, $4, $5, $6, $7,"
           "    $8::jsonb[], $9, $10, $11, $12, $13,"
           "    array_fill(null::jsonb, array[cardinality($3)])) u",
    .n_params = 13,
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
    struct ads_str availability[IMPORT_BATCH];
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
    batch->availability[i] = row->availability;
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
    db_arg_texts(&args, batch->availability, batch->n);

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


/* A row that came; false when there are no more, and *err says why. */
static bool
row_take(struct work *work, struct import_source *source, enum ads_err *err)
{
    struct import_fault fault;
    struct import_row row;

    *err = import_source_next(source, &row, &fault, work->batch->pool);
    if (*err == ADS_OK) {
        work->totals->rows++;
        batch_put(work->batch, &row);
        return true;
    }
    if (*err == ADS_INVALID) {
        work->totals->rows++;
        work->totals->bad++;
        work->options->fault(work->options->ctx, &fault);
        return true;
    }
    if (*err == ADS_DAMAGED && fault.why != NULL) {
        work->options->fault(work->options->ctx, &fault);
    }
    work->totals->read_errno = *err == ADS_IO ? errno : 0;
    return false;
}


/* All rows; what was read before the feed's end or fault counts. */
static enum ads_err
rows_take(struct work *work, struct import_source *source, struct db *db)
{
    enum ads_err err = ADS_OK, end = ADS_OK;

    while (err == ADS_OK && row_take(work, source, &end)) {
        if (work->batch->n == IMPORT_BATCH) {
            err = batch_flush(work, db);
        }
    }
    if (err == ADS_OK) {
        err = batch_flush(work, db);
    }
    return err == ADS_OK && end != ADS_ABSENT ? end : err;
}


enum ads_err
import_run(struct import_totals *totals, struct feed *feed, struct db *db,
           const struct import_options *options)
{
    const struct import_cells_options cells = {options->base_url,
                                               options->currency};
    struct batch *batch = xcalloc(1, sizeof(*batch));
    struct work work = {.batch = batch, .options = options, .totals = totals};
    struct import_fault fault = {.field = ""};
    struct import_source *source;
    enum ads_err err;

    *totals = (struct import_totals){0};
    batch->pool = pool_new();

    err = import_source_open(&source, feed, &cells, &fault);
    if (err == ADS_INVALID) {
        options->fault(options->ctx, &fault);
        totals->bad++;
    }
    if (err == ADS_OK && options->mapping != NULL) {
        options->mapping(options->ctx,
                         import_format_name(import_source_format(source)),
                         import_source_header(source));
    }
    if (err == ADS_OK) {
        err = rows_take(&work, source, db);
    } else if (err == ADS_IO) {
        totals->read_errno = errno;
    }
    import_source_close(source);
    pool_free(batch->pool);
    free(batch);
    return err;
}
