/*
 * Streams rows to PostgreSQL from one growing buffer, sent whenever there is
 * enough of it.
 */
#include "catalog/import_stream.h"

#include <stdlib.h>
#include <sys/random.h>

#include "ads_json.h"
#include "db/type.h"

#define SEND_LEN (256 * 1024)
#define HEADER_LEN 19
#define N_COLUMNS 20

static const struct db_stmt STMT_COPY = {
    .name = "import_copy",
    .sql = "copy pg_temp.import_rows (n, bad, sku, title, description, brand,"
           " gtin, category, url, image_url, price_micros, currency,"
           " availability, attributes, keywords, sale_price_micros,"
           " price_valid_until, language, product_id, ad_id)"
           " from stdin (format binary)",
};

struct import_stream {
    struct db_tx *tx;
    uint64_t n; /* rows so far */
    uint64_t now_ms;
    uint64_t random[2]; /* of products and of ads */
    char *bytes;
    size_t len;
    size_t room;
};


/* ---- bytes ---- */

static void
bytes_put(struct import_stream *stream, const void *bytes, size_t len)
{
    if (stream->len + len > stream->room) {
        stream->room = (stream->len + len) * 2;
        stream->bytes = xrealloc(stream->bytes, stream->room);
    }
    if (len > 0) {
        memcpy(stream->bytes + stream->len, bytes, len);
        stream->len += len;
    }
}


static void
number_put(struct import_stream *stream, uint64_t value, size_t len)
{
    uint8_t b[8];

    for (size_t i = 0; i < len; i++) {
        b[i] = (uint8_t)(value >> (8 * (len - 1 - i)));
    }
    bytes_put(stream, b, len);
}


static void
null_put(struct import_stream *stream)
{
    number_put(stream, UINT32_MAX, 4);
}


static void
int8_put(struct import_stream *stream, int64_t value)
{
    number_put(stream, 8, 4);
    number_put(stream, (uint64_t)value, 8);
}


/* ptr NULL: null */
static void
text_put(struct import_stream *stream, struct ads_str text)
{
    if (text.ptr == NULL) {
        null_put(stream);
        return;
    }
    number_put(stream, text.len, 4);
    bytes_put(stream, text.ptr, text.len);
}


static void
present_put(struct import_stream *stream, struct ads_str text)
{
    text_put(stream, text.ptr == NULL ? ADS_STR("") : text);
}


/* A JSON array of texts, our own, as text[]. */
static void
texts_put(struct import_stream *stream, struct ads_str list, struct pool *pool)
{
    struct ads_json json;
    struct ads_json_value value;
    size_t at = stream->len;
    uint32_t n = 0;
    uint8_t b[4];

    number_put(stream, 0, 4); /* its length, below */
    if (list.len <= 2) {
        number_put(stream, 0, 4);
    } else {
        number_put(stream, 1, 4);
    }
    number_put(stream, 0, 4);
    number_put(stream, DB_TYPE_TEXT, 4);
    if (list.len > 2) {
        number_put(stream, 0, 4); /* elements, below */
        number_put(stream, 1, 4);
        ads_json_init(&json, pool_text(pool, list), list.len);
        ads_json_read(&json, &value);
        while (ads_json_element(&json)) {
            ads_json_read(&json, &value);
            text_put(stream, value.text);
            n++;
        }
        for (int i = 0; i < 4; i++) {
            b[i] = (uint8_t)(n >> (24 - 8 * i));
        }
        memcpy(stream->bytes + at + 16, b, 4);
    }
    n = (uint32_t)(stream->len - at - 4);
    for (int i = 0; i < 4; i++) {
        b[i] = (uint8_t)(n >> (24 - 8 * i));
    }
    memcpy(stream->bytes + at, b, 4);
}


static void
jsonb_put(struct import_stream *stream, struct ads_str json)
{
    number_put(stream, json.len + 1, 4);
    number_put(stream, 1, 1); /* its version */
    bytes_put(stream, json.ptr, json.len);
}


/* 48 bits of time, then 30 that count rows, then 44 random ones. */
static void
id_put(struct import_stream *stream, uint64_t random)
{
    uint64_t high = stream->now_ms << 16 | 0x7000 | (stream->n >> 18 & 0xfff);
    uint64_t low = UINT64_C(2) << 62 | (stream->n & 0x3ffff) << 44
                   | (random & UINT64_C(0xfffffffffff));

    number_put(stream, 16, 4);
    number_put(stream, high, 8);
    number_put(stream, low, 8);
}


/* ---- rows ---- */

static enum ads_err
send(struct import_stream *stream)
{
    size_t len = stream->len;

    stream->len = 0;
    return db_copy_put(stream->tx, &STMT_COPY, stream->bytes, len);
}


static void
row_begin(struct import_stream *stream, struct ads_str sku, bool bad)
{
    number_put(stream, N_COLUMNS, 2);
    int8_put(stream, (int64_t)stream->n);
    number_put(stream, 1, 4);
    number_put(stream, bad, 1);
    text_put(stream, sku);
}


static enum ads_err
row_end(struct import_stream *stream)
{
    id_put(stream, stream->random[0]);
    id_put(stream, stream->random[1]);
    stream->n++;
    return stream->len < SEND_LEN ? ADS_OK : send(stream);
}


enum ads_err
import_stream_begin(struct import_stream **begun, struct db_tx *tx,
                    int64_t now_ms)
{
    struct import_stream *stream = xcalloc(1, sizeof(*stream));

    *begun = stream;
    stream->tx = tx;
    stream->now_ms = (uint64_t)now_ms;
    if (getrandom(stream->random, sizeof(stream->random), 0)
        != (ssize_t)sizeof(stream->random))
    {
        abort(); /* cannot fail once the system has started */
    }
    /* the signature, no flags, no extension */
    bytes_put(stream, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", HEADER_LEN);
    return db_copy_begin(tx, &STMT_COPY);
}


enum ads_err
import_stream_put(struct import_stream *stream, const struct product *product,
                  struct pool *pool)
{
    row_begin(stream, product->sku, false);
    text_put(stream, product->title);
    present_put(stream, product->description);
    present_put(stream, product->brand);
    present_put(stream, product->gtin);
    texts_put(stream, product->category, pool);
    text_put(stream, product->url);
    text_put(stream, product->image_url);
    int8_put(stream, product->price_micros);
    text_put(stream, product->currency);
    text_put(stream, product->availability);
    jsonb_put(stream, product->attributes);
    texts_put(stream, product->keywords, pool);
    if (product->sale_price_micros == PRODUCT_NO_PRICE) {
        null_put(stream);
    } else {
        int8_put(stream, product->sale_price_micros);
    }
    if (product->price_valid_until_us == 0) {
        null_put(stream);
    } else {
        int8_put(stream, product->price_valid_until_us - DB_EPOCH_US);
    }
    text_put(stream, product->language);
    return row_end(stream);
}


enum ads_err
import_stream_put_bad(struct import_stream *stream, struct ads_str sku)
{
    row_begin(stream, sku, true);
    for (int i = 3; i < N_COLUMNS - 2; i++) {
        null_put(stream);
    }
    return row_end(stream);
}


enum ads_err
import_stream_end(struct import_stream *stream, bool whole)
{
    enum ads_err err = ADS_UNAVAILABLE;

    if (whole) {
        number_put(stream, UINT16_MAX, 2);
        err = send(stream);
        if (err == ADS_OK) {
            err = db_copy_end(stream->tx, &STMT_COPY);
        }
    }
    free(stream->bytes);
    free(stream);
    return err;
}
