/*
 * Opens a feed in any format: a const table of formats; each knows how to open,
 * read and close.
 */
#include "catalog/import_source.h"

#include <stdlib.h>
#include <string.h>

#include "catalog/feed_json.h"
#include "catalog/feed_xml.h"
#include "catalog/import_object.h"

#define ROWS_A_SCAN 512 /* between two questions whether to go on */

struct import_source {
    struct feed *feed;
    const struct format *format;
    uint64_t line; /* of JSON lines */
    struct ads_str map;
    struct feed_table *table;
    struct feed_xml *xml;
    struct feed_json *json;
    struct import_cells *cells;
    struct import_rule *rule; /* of JSON */
};

struct format {
    enum import_format id;
    const char *name;
    enum ads_err (*open)(struct import_source *, struct import_fault *);
    enum ads_err (*next)(struct import_source *, struct import_row *,
                         struct import_fault *, struct pool *);
};


/* ---- JSON ---- */

/* An object with the API's names is validated as one; another shop's is a
 * record of cells. */
static enum ads_err
object_read(struct import_source *source, struct import_row *row,
            struct import_fault *fault, struct ads_str text, struct pool *pool)
{
    struct feed_record names = {.line = fault->line}, values = names;
    struct doc *object;
    enum ads_err err = import_row_parse(&object, fault, text, pool);

    if (err != ADS_OK) {
        return err;
    }
    if (import_object_is_foreign(object, source->map)) {
        import_object_cells(&names, &values, object, pool);
        err =
            import_cells_read(source->cells, row, fault, &names, &values, pool);
    } else {
        err = import_rule_check(source->rule, row, fault, object, pool);
    }
    row->said |= IMPORT_SAID_SALE;
    return err;
}


static enum ads_err
json_open(struct import_source *source, struct import_fault *fault)
{
    (void)fault;
    source->json = feed_json_open(source->feed);
    return ADS_OK;
}


static enum ads_err
json_next(struct import_source *source, struct import_row *row,
          struct import_fault *fault, struct pool *pool)
{
    struct ads_str text;
    enum ads_err err;

    *row = (struct import_row){0};
    *fault = (struct import_fault){.field = ""};
    err = feed_json_next(source->json, &text, &fault->line, &fault->why);
    if (err != ADS_OK) {
        return err;
    }
    fault->why = NULL;
    return object_read(source, row, fault, text, pool);
}


/* The prices of one object. */
static enum ads_err
json_scan(struct import_source *source, struct import_evidence *evidence,
          struct pool *pool)
{
    struct feed_record names = {.n = 0}, values = {.n = 0};
    struct import_fault fault;
    struct ads_str text;
    struct doc *object;
    enum ads_err err =
        feed_json_next(source->json, &text, &values.line, &fault.why);

    if (err == ADS_OK) {
        err = import_row_parse(&object, &fault, text, pool);
    }
    if (err == ADS_OK && import_object_is_foreign(object, source->map)) {
        import_object_cells(&names, &values, object, pool);
        import_cells_scan(evidence, source->map, &names, &values, pool);
    }
    return err;
}


/* ---- JSON lines ---- */

static enum ads_err
jsonl_open(struct import_source *source, struct import_fault *fault)
{
    (void)source;
    (void)fault;
    return ADS_OK;
}


static enum ads_err
jsonl_next(struct import_source *source, struct import_row *row,
           struct import_fault *fault, struct pool *pool)
{
    enum ads_err err;
    struct ads_str text;
    char *line;
    size_t len;

    do {
        *row = (struct import_row){0};
        *fault = (struct import_fault){.line = ++source->line, .field = ""};
        err = feed_line(source->feed, &line, &len);
    } while (err == ADS_OK && len == 0);

    if (err == ADS_TOO_LARGE) {
        fault->why = "is longer than 1 MiB";
        return ADS_INVALID;
    }
    if (err == ADS_OK) {
        text = (struct ads_str){line, len};
        err = object_read(source, row, fault, text, pool);
    }
    return err;
}


/* ---- tables ---- */

/* Old spreadsheets end lines by CR alone: all of the file is its first line,
 * and would be imported as a header without products. */
static bool
holds_rows(struct ads_str cell)
{
    const char *at = memchr(cell.ptr, '\r', cell.len);

    return at != NULL && at + 1 < cell.ptr + cell.len && at[1] != '\n';
}


static enum ads_err
table_open(struct import_source *source, struct import_fault *fault)
{
    const struct feed_record *header;
    enum ads_err err;
    bool known = false;

    *fault = (struct import_fault){.line = 1, .field = ""};
    err = feed_table_open(&source->table, source->feed);
    if (err == ADS_INVALID) {
        fault->why = "the header has too many cells, or an open quote";
    }
    if (err != ADS_OK) {
        return err;
    }
    header = feed_table_header(source->table);
    for (unsigned i = 0; i < header->n; i++) {
        known |=
            import_column_of(source->map, header->cells[i]) == COLUMN_TITLE;
        if (header->cells[i].len > 0 && holds_rows(header->cells[i])) {
            fault->why = "its lines end by CR alone, and not by LF or CRLF";
            return ADS_INVALID;
        }
    }
    if (!known) {
        fault->why = "no column of the first line is a title";
        return ADS_INVALID;
    }
    return ADS_OK;
}


static enum ads_err
table_next(struct import_source *source, struct import_row *row,
           struct import_fault *fault, struct pool *pool)
{
    struct feed_record record;
    const char *why = NULL;
    enum ads_err err;

    *row = (struct import_row){0};
    err = feed_table_next(source->table, &record, &why);
    *fault =
        (struct import_fault){.line = record.line, .field = "", .why = why};
    if (err != ADS_OK) {
        return err;
    }
    return import_cells_read(source->cells, row, fault,
                             feed_table_header(source->table), &record, pool);
}


/* ---- XML ---- */

static enum ads_err
xml_open(struct import_source *source, struct import_fault *fault)
{
    (void)fault;
    source->xml = feed_xml_open(source->feed);
    return ADS_OK;
}


static enum ads_err
xml_next(struct import_source *source, struct import_row *row,
         struct import_fault *fault, struct pool *pool)
{
    struct feed_record names, values;
    const char *why = NULL;
    enum ads_err err;

    *row = (struct import_row){0};
    err = feed_xml_next(source->xml, &names, &values, &why);
    *fault =
        (struct import_fault){.line = values.line, .field = "", .why = why};
    if (err != ADS_OK) {
        return err;
    }
    err = import_cells_read(source->cells, row, fault, &names, &values, pool);
    row->said |= IMPORT_SAID_SALE;
    return err;
}


/* ---- all of them ---- */

static const struct format formats[IMPORT_FORMATS] = {
    [IMPORT_JSONL] = {IMPORT_JSONL, "jsonl", jsonl_open, jsonl_next},
    [IMPORT_JSON] = {IMPORT_JSON, "json", json_open, json_next},
    [IMPORT_XML] = {IMPORT_XML, "xml", xml_open, xml_next},
    [IMPORT_TABLE] = {IMPORT_TABLE, "table", table_open, table_next},
};


static enum ads_err
format_find(struct import_source *source)
{
    const char *block;
    size_t len, i = 0;
    enum ads_err err;

    source->format = &formats[IMPORT_JSONL];
    err = feed_peek(source->feed, &block, &len);
    if (err != ADS_OK) {
        return err == ADS_ABSENT ? ADS_OK : err; /* an empty file */
    }
    while (i < len && strchr(" \t\r\n", block[i]) != NULL) {
        i++;
    }
    if (i < len && block[i] == '<') {
        source->format = &formats[IMPORT_XML];
    } else if (i < len && block[i] != '{' && block[i] != '[') {
        source->format = &formats[IMPORT_TABLE];
    } else if (feed_json_is(block, len)) {
        source->format = &formats[IMPORT_JSON];
    }
    return ADS_OK;
}


enum ads_err
import_source_open(struct import_source **opened, struct feed *feed,
                   const struct import_cells_options *options,
                   enum import_format wanted, struct import_fault *fault)
{
    struct import_source *source = xcalloc(1, sizeof(*source));
    enum ads_err err;

    *opened = source;
    source->feed = feed;
    source->cells = import_cells_new(options);
    source->map = options->map;
    source->rule = import_rule_new();
    err = format_find(source);
    if (err == ADS_OK && wanted != IMPORT_FORMATS
        && source->format != &formats[wanted])
    {
        *fault = (struct import_fault){
            .line = 1, .field = "", .why = "is of another format than said"};
        return ADS_INVALID;
    }
    return err == ADS_OK ? source->format->open(source, fault) : err;
}


/* One record's prices. */
static enum ads_err
record_scan(struct import_source *source, struct import_evidence *evidence,
            struct ads_str map, struct pool *pool)
{
    const struct feed_record *names = import_source_header(source);
    struct feed_record heads, values;
    const char *why;
    enum ads_err err;

    if (source->json != NULL) {
        return json_scan(source, evidence, pool);
    }
    err = source->xml != NULL
              ? feed_xml_next(source->xml, &heads, &values, &why)
              : feed_table_next(source->table, &values, &why);
    if (err == ADS_OK) {
        import_cells_scan(evidence, map, names != NULL ? names : &heads,
                          &values, pool);
    }
    return err;
}


/* What the feed shows from where it is to its end, or to what is wrong. */
static enum ads_err
feed_scan(struct import_evidence *evidence, struct feed *feed,
          const struct import_cells_options *options, bool (*more)(void *ctx),
          void *ctx)
{
    struct import_source *source;
    struct import_fault fault;
    struct pool *pool = pool_new();
    enum ads_err err;

    err = import_source_open(&source, feed, options, IMPORT_FORMATS, &fault);
    if (err == ADS_INVALID || source->format == &formats[IMPORT_JSONL]) {
        err = ADS_ABSENT;
    }
    for (unsigned n = 1; err == ADS_OK || err == ADS_INVALID; n++) {
        err = record_scan(source, evidence, options->map, pool);
        if (n % ROWS_A_SCAN == 0) {
            pool_reset(pool);
            err = more(ctx) ? err : ADS_ABSENT;
        }
    }
    err = feed_rewind(feed, source->table != NULL || source->xml != NULL);
    import_source_close(source);
    pool_free(pool);
    return err;
}


enum ads_err
import_source_scan(struct import_evidence *evidence, struct feed *feed,
                   const struct import_cells_options *options,
                   bool (*more)(void *ctx), void *ctx)
{
    enum ads_err err;

    if (!feed_can_rewind(feed)) {
        return ADS_OK;
    }
    err = feed_scan(evidence, feed, options, more, ctx);
    if (err == ADS_OK && feed_is_latin(feed)) {
        /* its signs of currencies were not read */
        memset(evidence, 0, COLUMNS * sizeof(*evidence));
        err = feed_scan(evidence, feed, options, more, ctx);
    }
    return err;
}


void
import_source_close(struct import_source *source)
{
    if (source == NULL) {
        return;
    }
    feed_table_close(source->table);
    feed_xml_close(source->xml);
    feed_json_close(source->json);
    import_cells_free(source->cells);
    import_rule_free(source->rule);
    free(source);
}


enum import_format
import_source_format(const struct import_source *source)
{
    return source->format->id;
}


const char *
import_format_name(enum import_format format)
{
    return formats[format].name;
}


const struct feed_record *
import_source_header(const struct import_source *source)
{
    return source->table == NULL ? NULL : feed_table_header(source->table);
}


enum ads_err
import_source_next(struct import_source *source, struct import_row *row,
                   struct import_fault *fault, struct pool *pool)
{
    enum ads_err err = ADS_OK;

    do {
        err = source->format->next(source, row, fault, pool);
    } while (err == ADS_OK && row->none);
    return err;
}
