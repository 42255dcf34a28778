/*
 * Streams rows to PostgreSQL from one growing buffer, sent whenever there is
 * enough of it.
 */
#include "catalog/import_stream.h"

#include <stdlib.h>
#include <sys/random.h>

#define SEND_LEN (256 * 1024)
#define HEADER_LEN 19
#define N_BESIDE 4 /* columns beside the product's */

/* In the order of the table (ads.import_begin). */
static const struct db_stmt STMT_COPY = {
    .name = "import_copy",
    .sql = "copy pg_temp.import_rows from stdin (format binary)",
};

struct import_stream {
    struct db_tx *tx;
    uint64_t n; /* rows so far */
    uint64_t now_ms;
    uint64_t random[2]; /* of products and of ads */
    struct db_records rows;
};


/* 48 bits of time, then 30 that count rows, then 44 random ones. */
static void
id_put(struct import_stream *stream, uint64_t random)
{
    uint64_t high = stream->now_ms << 16 | 0x7000 | (stream->n >> 18 & 0xfff);
    uint64_t low = UINT64_C(2) << 62 | (stream->n & 0x3ffff) << 44
                   | (random & UINT64_C(0xfffffffffff));
    struct ads_uuid id;

    for (int i = 0; i < 8; i++) {
        id.b[i] = (uint8_t)(high >> (56 - 8 * i));
        id.b[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
    db_records_uuid(&stream->rows, &id);
}


static enum ads_err
send(struct import_stream *stream)
{
    size_t len = stream->rows.len;

    db_records_reset(&stream->rows);
    return db_copy_put(stream->tx, &STMT_COPY, stream->rows.bytes, len);
}


enum ads_err
import_stream_begin(struct import_stream **begun, struct db_tx *tx,
                    int64_t now_ms)
{
    struct import_stream *stream = xcalloc(1, sizeof(*stream));
    enum ads_err err;

    *begun = stream;
    stream->tx = tx;
    stream->now_ms = (uint64_t)now_ms;
    stream->rows.copy = true;
    if (getrandom(stream->random, sizeof(stream->random), 0)
        != (ssize_t)sizeof(stream->random))
    {
        abort(); /* cannot fail once the system has started */
    }
    err = db_copy_begin(tx, &STMT_COPY);
    if (err == ADS_OK) {
        /* the signature, no flags, no extension */
        err = db_copy_put(tx, &STMT_COPY, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0",
                          HEADER_LEN);
    }
    return err;
}


static enum ads_err
row_put(struct import_stream *stream, const struct product *product, bool bad,
        struct pool *pool)
{
    struct db_records *rows = &stream->rows;

    db_records_begin(rows, N_BESIDE + fields_given(&product_fields));
    db_records_int8(rows, (int64_t)stream->n);
    db_records_bool(rows, bad);
    id_put(stream, stream->random[0]);
    id_put(stream, stream->random[1]);
    fields_record(&product_fields, rows, product, pool);
    db_records_end(rows);
    stream->n++;
    return rows->len < SEND_LEN ? ADS_OK : send(stream);
}


enum ads_err
import_stream_put(struct import_stream *stream, const struct product *product,
                  struct pool *pool)
{
    return row_put(stream, product, false, pool);
}


enum ads_err
import_stream_put_bad(struct import_stream *stream, struct ads_str sku,
                      struct pool *pool)
{
    struct product product = product_new();

    product.sku = sku;
    return row_put(stream, &product, true, pool);
}


enum ads_err
import_stream_end(struct import_stream *stream, bool whole)
{
    enum ads_err err = ADS_UNAVAILABLE;

    if (whole) {
        db_records_begin(&stream->rows, UINT16_MAX); /* the end of it */
        err = send(stream);
        if (err == ADS_OK) {
            err = db_copy_end(stream->tx, &STMT_COPY);
        }
    }
    db_records_free(&stream->rows);
    free(stream);
    return err;
}
