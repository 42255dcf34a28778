/*
 * Imports a feed, step by step.
 */
#include "catalog/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalog/import_stream.h"
#include "catalog/import_value.h"
#include "base/clock.h"
#include "daemon/adsd.h"

#define ROWS_A_CHECK 512
#define ROWS_LEN ((size_t)4 << 20) /* a batch's rows in memory, and one more */
#define FIELD_MAX 48
#define WHY_MAX 256  /* of a sentence; the reader's lasts a row */
#define SHOWN_MAX 81 /* bytes of a bad row's sku and value, and NUL */

static const struct db_stmt STMT_BEGIN = {
    .name = "import_begin",
    .sql = "select ads.import_begin($1, $2)::text",
    .n_params = 2,
};

static const struct db_stmt STMT_ACTOR = {
    .name = "import_actor",
    .sql = "select set_config('ads.actor', $1, true)",
    .n_params = 1,
};

static const struct db_stmt STMT_COMPARE = {
    .name = "import_compare",
    .sql = "select added, changed, unchanged, repeated, gone, present"
           " from ads.import_compare($1, $2, $3)",
    .n_params = 3,
};

enum compared_column {
    COMPARED_ADDED,
    COMPARED_CHANGED,
    COMPARED_UNCHANGED,
    COMPARED_REPEATED,
    COMPARED_GONE,
    COMPARED_PRESENT
};

static const struct db_stmt STMT_PRODUCTS = {
    .name = "import_products",
    .sql = "select ads.import_products($1)::text",
    .n_params = 1,
};

static const struct db_stmt STMT_ADS = {
    .name = "import_ads",
    .sql = "select ads.import_ads($1, $2, $3)",
    .n_params = 3,
};

static const struct db_stmt STMT_END = {
    .name = "import_end",
    .sql = "select ads.import_end($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,"
           " $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,"
           " $24, $25)",
    .n_params = 25,
};

static const struct {
    const char *code;
    const char *text;
} verdicts[IMPORT_VERDICTS] = {
    [IMPORT_DONE] = {NULL, NULL},
    [IMPORT_UNREADABLE] = {"unreadable", "no products can be read from it"},
    [IMPORT_DAMAGED] = {"damaged", "it is cut or damaged"},
    [IMPORT_NOT_READ] = {"not_read", "it cannot be read to its end"},
    [IMPORT_TOO_LARGE] = {"too_large", "it unpacks to more than is read"},
    [IMPORT_TOO_MANY_GONE] = {"too_many_gone",
                              "more products than allowed are not in it any"
                              " more"},
    [IMPORT_ALL_BAD] = {"all_bad", "its first thousand rows are all bad"},
    [IMPORT_TOO_MANY_ROWS] = {"too_many_rows",
                              "it has more rows than are read"},
    [IMPORT_TOO_SLOW] = {"too_slow", "it takes longer to read than it may"},
};

struct kept {
    int64_t line;
    int32_t column;
    char field[FIELD_MAX];
    char why[WHY_MAX];
    char sku[SHOWN_MAX];
    char value[SHOWN_MAX];
};

struct work {
    const struct import_options *options;
    struct import_totals *totals;
    struct import_source *source;
    struct import_stream *stream;
    struct db_tx *tx;
    struct pool *pool; /* of what lives as long as the import */
    struct pool *rows; /* of the rows at hand */
    unsigned said;
    const char *format;
    struct ads_str mapping; /* a JSON array */
    struct import_evidence evidence[COLUMNS];
    struct import_cells_options cells;
    struct kept *faults;
    size_t n_faults;
    size_t faults_room;
};


const char *
import_phase_name(enum import_phase phase)
{
    static const char *const names[IMPORT_PHASES] = {"reading", "comparing",
                                                     "writing"};

    return names[phase];
}


const char *
import_verdict_code(enum import_verdict verdict)
{
    return verdicts[verdict].code;
}


const char *
import_verdict_text(enum import_verdict verdict)
{
    return verdicts[verdict].text;
}


uint64_t
import_gone_percent(const struct import_totals *totals)
{
    return totals->present == 0
               ? 0
               : (totals->gone * 100 + totals->present - 1) / totals->present;
}


/* Reading takes about a third of it all, and most of the rest is writing. */
unsigned
import_percent(const struct import_totals *totals, unsigned permille)
{
    switch (totals->phase) {
    case IMPORT_READING:
        return totals->scanned ? 8 + permille * 27 / 1000 : permille * 8 / 1000;
    case IMPORT_COMPARING:
        return 35;
    default:
        return 50;
    }
}


/* ---- progress ---- */

static bool
progress(struct work *work)
{
    return work->options->progress == NULL
           || work->options->progress(work->options->ctx, work->totals);
}


static void
fault_take(struct work *work, const struct import_fault *fault)
{
    struct kept *kept;

    if (work->options->fault != NULL) {
        work->options->fault(work->options->ctx, fault);
    }
    if (work->n_faults == IMPORT_FAULTS_MAX) {
        return;
    }
    if (work->n_faults == work->faults_room) {
        work->faults_room = work->faults_room * 2 + 64;
        work->faults =
            xrealloc(work->faults, work->faults_room * sizeof(*work->faults));
    }
    kept = &work->faults[work->n_faults++];
    kept->line = (int64_t)fault->line;
    kept->column = (int32_t)fault->column;
    (void)snprintf(kept->field, sizeof(kept->field), "%s", fault->field);
    (void)snprintf(kept->why, sizeof(kept->why), "%s", fault->why);
    import_text_show(kept->sku, sizeof(kept->sku), fault->sku);
    import_text_show(kept->value, sizeof(kept->value), fault->value);
}


static void
mapping_take(struct work *work)
{
    const struct feed_record *header = import_source_header(work->source);
    struct json json;

    work->format = import_format_name(import_source_format(work->source));
    json_init(&json, work->pool);
    json_array_begin(&json, NULL);
    for (unsigned i = 0; header != NULL && i < header->n; i++) {
        const char *field = import_column_name(
            import_column_of(work->options->map, header->cells[i]));

        /* jsonb holds no NUL, and would fail the whole feed for one */
        struct ads_str name = header->cells[i];

        name.len = strnlen(name.ptr, name.len);
        json_object_begin(&json, NULL);
        json_int(&json, "column", i + 1);
        json_string(&json, "name", name);
        if (field[0] == '\0') {
            json_null(&json, "field");
        } else {
            json_constant(&json, "field", field);
        }
        json_object_end(&json);
    }
    json_array_end(&json);
    work->mapping = json_text(&json);
    if (work->options->mapping != NULL) {
        work->options->mapping(work->options->ctx, work->format,
                               work->options->map, header);
    }
}


/* ---- reading ---- */

/* A feed that takes too long is so the second time too. */
static bool
scan_goes_on(void *ctx)
{
    struct work *work = ctx;
    const int64_t deadline_ms = work->options->deadline_ms;

    return progress(work)
           && (deadline_ms == 0 || clock_monotonic_ms() <= deadline_ms);
}


/* How a feed ended that does not go on. */
static void
end_check(struct work *work, enum ads_err end, const struct import_fault *fault)
{
    struct import_totals *totals = work->totals;

    switch (end) {
    case ADS_INVALID:
        totals->verdict = IMPORT_UNREADABLE;
        totals->bad++;
        fault_take(work, fault);
        break;
    case ADS_DAMAGED:
        totals->verdict = IMPORT_DAMAGED;
        if (fault->why != NULL) {
            fault_take(work, fault);
        }
        break;
    case ADS_IO:
        totals->read_errno = errno;
        totals->verdict = errno == EFBIG ? IMPORT_TOO_LARGE : IMPORT_NOT_READ;
        break;
    default:
        break;
    }
}


static enum ads_err
bad_take(struct work *work, const struct import_row *row,
         struct import_fault *fault)
{
    work->totals->bad++;
    if (fault->sku.ptr == NULL) {
        fault->sku = row->product.sku;
    }
    fault_take(work, fault);
    if (row->product.sku.len > 0) {
        return import_stream_put_bad(work->stream, row->product.sku,
                                     work->rows);
    }
    /* a row that was read and has no sku is no product's */
    work->totals->unread += fault->field[0] == '\0';
    return ADS_OK;
}


/* Does it cost more than it may?  Then it is not read on, and changes
 * nothing. */
static bool
costs_too_much(struct work *work)
{
    const struct import_options *options = work->options;
    struct import_totals *totals = work->totals;

    if (options->gives_up && totals->rows == IMPORT_HEAD_ROWS
        && totals->bad == totals->rows)
    {
        totals->verdict = IMPORT_ALL_BAD;
    } else if (options->rows_max > 0 && totals->rows > options->rows_max) {
        totals->verdict = IMPORT_TOO_MANY_ROWS;
    } else if (options->deadline_ms > 0 && totals->rows % ROWS_A_CHECK == 0
               && clock_monotonic_ms() > options->deadline_ms)
    {
        totals->verdict = IMPORT_TOO_SLOW;
    }
    return totals->verdict != IMPORT_DONE;
}


/* All rows; an error is the database's. */
static enum ads_err
rows_take(struct work *work)
{
    struct import_fault fault = {.field = ""};
    enum ads_err err = ADS_OK, end = ADS_OK;
    struct import_row row;

    while (err == ADS_OK) {
        end = import_source_next(work->source, &row, &fault, work->rows);
        if (end == ADS_OK) {
            work->said |= row.said;
            err = import_stream_put(work->stream, &row.product, work->rows);
        } else if (end == ADS_INVALID) {
            err = bad_take(work, &row, &fault);
        } else {
            break;
        }
        if (++work->totals->rows % ROWS_A_CHECK == 0
            || pool_len(work->rows) > ROWS_LEN) {
            pool_reset(work->rows);
            if (!progress(work)) {
                return ADS_UNAVAILABLE;
            }
        }
        if (costs_too_much(work)) {
            return err;
        }
    }
    if (err == ADS_OK && end != ADS_ABSENT) {
        end_check(work, end, &fault);
    }
    return err;
}


static enum ads_err
feed_take(struct work *work, struct feed *feed, int64_t now_ms)
{
    const struct import_options *options = work->options;
    struct import_fault fault = {.field = ""};
    enum ads_err err, end;

    work->cells = (struct import_cells_options){.base_url = options->base_url,
                                                .currency = options->currency,
                                                .map = options->map,
                                                .now_ms = now_ms,
                                                .decimal = options->decimal,
                                                .evidence = work->evidence};
    end = import_source_scan(work->evidence, feed, &work->cells, scan_goes_on,
                             work);
    if (end != ADS_OK) {
        end_check(work, end, &fault);
        return ADS_OK;
    }
    work->totals->scanned = true;
    end = import_source_open(&work->source, feed, &work->cells, options->format,
                             &fault);
    if (end != ADS_OK) {
        end_check(work, end, &fault);
        return ADS_OK;
    }
    mapping_take(work);
    err = import_stream_begin(&work->stream, work->tx, now_ms);
    if (err == ADS_OK) {
        err = rows_take(work);
    }
    end = import_stream_end(work->stream, err == ADS_OK);
    return err == ADS_OK ? end : err;
}


/* ---- writing ---- */

/* A row that could not be read, as the last one of a file that is cut, may be
 * of any product that seems to be gone. */
static bool
archives(const struct work *work)
{
    return work->options->archive_gone && work->totals->unread == 0;
}


static void
said_arg(const struct work *work, struct db_args *args)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {IMPORT_SAID_AVAILABILITY, "availability"},
        {IMPORT_SAID_ATTRIBUTES, "attributes"},
        {IMPORT_SAID_KEYWORDS, "keywords"},
        {IMPORT_SAID_LANGUAGE, "language"},
        {IMPORT_SAID_SALE, "sale_price"},
    };
    struct ads_str said[sizeof(names) / sizeof(names[0])];
    size_t n = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((work->said & names[i].bit) != 0) {
            said[n++] = (struct ads_str){names[i].name, strlen(names[i].name)};
        }
    }
    db_arg_texts(args, said, n);
}


static enum ads_err
compare(struct work *work)
{
    struct import_totals *totals = work->totals;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    totals->phase = IMPORT_COMPARING;
    if (!progress(work)) {
        return ADS_UNAVAILABLE;
    }
    db_args_init(&args, work->pool);
    db_arg_uuid(&args, &work->options->account);
    db_arg_uuid(&args, &work->options->campaign);
    said_arg(work, &args);
    err = db_run(work->tx, &STMT_COMPARE, &args, &rows);
    if (err == ADS_OK) {
        totals->added = (uint64_t)db_int(rows, 0, COMPARED_ADDED);
        totals->changed = (uint64_t)db_int(rows, 0, COMPARED_CHANGED);
        totals->unchanged = (uint64_t)db_int(rows, 0, COMPARED_UNCHANGED);
        totals->repeated = (uint64_t)db_int(rows, 0, COMPARED_REPEATED);
        totals->gone = (uint64_t)db_int(rows, 0, COMPARED_GONE);
        totals->present = (uint64_t)db_int(rows, 0, COMPARED_PRESENT);
    }
    return err;
}


static enum ads_err
write_rows(struct work *work)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    work->totals->phase = IMPORT_WRITING;
    if (!progress(work)) {
        return ADS_UNAVAILABLE;
    }
    db_args_init(&args, work->pool);
    db_arg_uuid(&args, &work->options->account);
    err = db_run(work->tx, &STMT_PRODUCTS, &args, NULL);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, work->pool);
    db_arg_uuid(&args, &work->options->account);
    db_arg_uuid(&args, &work->options->campaign);
    db_arg_bool(&args, archives(work));
    err = db_run(work->tx, &STMT_ADS, &args, &rows);
    if (err == ADS_OK) {
        work->totals->archived = (uint64_t)db_int(rows, 0, DB_ONLY);
    }
    return err;
}


static enum ads_err
changes_write(struct work *work)
{
    const struct import_options *options = work->options;
    struct import_totals *totals = work->totals;
    enum ads_err err = compare(work);

    if (err != ADS_OK) {
        return err;
    }
    if (options->archive_gone
        && totals->gone * 100 > totals->present * (uint64_t)options->gone_max)
    {
        totals->verdict = IMPORT_TOO_MANY_GONE;
        return ADS_OK;
    }
    if (options->dry_run
        || totals->added + totals->changed + (archives(work) ? totals->gone : 0)
               == 0)
    {
        return ADS_OK;
    }
    return write_rows(work);
}


static void
faults_args(const struct work *work, struct db_args *args)
{
    int64_t *lines = pool_array(work->pool, work->n_faults, sizeof(*lines));
    int32_t *columns = pool_array(work->pool, work->n_faults, sizeof(*columns));
    struct ads_str *fields =
        pool_array(work->pool, work->n_faults, sizeof(*fields));
    struct ads_str *rules =
        pool_array(work->pool, work->n_faults, sizeof(*rules));
    struct ads_str *skus =
        pool_array(work->pool, work->n_faults, sizeof(*skus));
    struct ads_str *values =
        pool_array(work->pool, work->n_faults, sizeof(*values));

    for (size_t i = 0; i < work->n_faults; i++) {
        const struct kept *kept = &work->faults[i];

        lines[i] = kept->line;
        columns[i] = kept->column;
        fields[i] = (struct ads_str){kept->field, strlen(kept->field)};
        rules[i] = (struct ads_str){kept->why, strlen(kept->why)};
        skus[i] = (struct ads_str){kept->sku, strlen(kept->sku)};
        values[i] = (struct ads_str){kept->value, strlen(kept->value)};
    }
    db_arg_int8s(args, lines, work->n_faults);
    db_arg_int4s(args, columns, work->n_faults);
    db_arg_texts(args, fields, work->n_faults);
    db_arg_texts(args, rules, work->n_faults);
    db_arg_texts(args, skus, work->n_faults);
    db_arg_texts(args, values, work->n_faults);
}


static struct ads_str
text_of(const char *text)
{
    return (struct ads_str){text, text == NULL ? 0 : strlen(text)};
}


/* Too many gone: with the figures, and how to say that it is meant. */
static struct ads_str
verdict_text(struct work *work)
{
    const struct import_totals *totals = work->totals;
    struct ads_str text = text_of(import_verdict_text(totals->verdict));

    if (totals->verdict == IMPORT_TOO_MANY_GONE) {
        text.ptr = pool_format(
            work->pool, &text.len,
            "%llu of %llu products (%llu %%) are not in it any more, and"
            " gone_max is %d: if that is meant, send it again with "
            "gone_max=%llu",
            (unsigned long long)totals->gone,
            (unsigned long long)totals->present,
            (unsigned long long)import_gone_percent(totals),
            work->options->gone_max,
            (unsigned long long)import_gone_percent(totals));
    }
    return text;
}


/* What each column with prices showed, and how it was read. */
static struct ads_str
prices_json(struct work *work)
{
    struct json json;

    json_init(&json, work->pool);
    json_array_begin(&json, NULL);
    for (int i = 0; i < COLUMNS; i++) {
        const struct import_evidence *shown = &work->evidence[i];
        const char *decimal = import_decimal_name(
            import_cells_decimal(&work->cells, (enum import_column)i));

        if (shown->n_point + shown->n_comma + shown->n_doubtful == 0) {
            continue;
        }
        json_object_begin(&json, NULL);
        json_constant(&json, "field",
                      import_column_name((enum import_column)i));
        if (decimal == NULL) {
            json_null(&json, "decimal");
        } else {
            json_constant(&json, "decimal", decimal);
        }
        json_bool(&json, "asked",
                  work->options->decimal != IMPORT_DECIMAL_UNKNOWN);
        json_int(&json, "point", (int64_t)shown->n_point);
        json_int(&json, "comma", (int64_t)shown->n_comma);
        json_int(&json, "doubtful", (int64_t)shown->n_doubtful);
        if (shown->line > 0) {
            json_int(&json, "line", (int64_t)shown->line);
            json_string(&json, "value", text_of(shown->sample));
        } else {
            json_null(&json, "line");
            json_null(&json, "value");
        }
        json_object_end(&json);
    }
    json_array_end(&json);
    return json_text(&json);
}


/* What came of it, into the row that tells. */
static enum ads_err
end_write(struct work *work)
{
    const struct import_options *options = work->options;
    struct import_totals *totals = work->totals;
    const uint64_t counts[] = {
        totals->rows,     totals->added, totals->changed, totals->unchanged,
        totals->repeated, totals->bad,   totals->gone,    totals->archived};
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, work->pool);
    db_arg_uuid(&args, options->id);
    db_arg_int4(&args, options->attempt);
    db_arg_uuid(&args, &options->account);
    db_arg_uuid(&args, &options->campaign);
    db_arg_bool(&args, options->archive_gone);
    db_arg_int4(&args, options->gone_max);
    db_arg_text(&args, text_of(work->format));
    db_arg_json(&args, work->mapping);
    db_arg_json(&args, prices_json(work));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        db_arg_int8(&args, (int64_t)counts[i]);
    }
    db_arg_text(&args, text_of(import_verdict_code(totals->verdict)));
    db_arg_text(&args, verdict_text(work));
    faults_args(work, &args);
    err = db_run(work->tx, &STMT_END, &args, &rows);
    if (err == ADS_OK) {
        totals->id = db_uuid(rows, 0, DB_ONLY);
    }
    return err;
}


static enum ads_err
begin(struct work *work)
{
    const struct import_options *options = work->options;
    struct db_args args;
    enum ads_err err = ADS_OK;

    if (options->actor.ptr != NULL) {
        db_args_init(&args, work->pool);
        db_arg_text(&args, options->actor);
        err = db_run(work->tx, &STMT_ACTOR, &args, NULL);
    }
    if (err == ADS_OK) {
        db_args_init(&args, work->pool);
        db_arg_uuid(&args, options->id);
        db_arg_int4(&args, options->attempt);
        err = db_run(work->tx, &STMT_BEGIN, &args, NULL);
    }
    return err;
}


/* Of a file of the operator only what was imported leaves a row. */
static enum ads_err
run(struct work *work, struct feed *feed, struct db *db)
{
    const struct import_options *options = work->options;
    bool waits = options->id != NULL;
    enum ads_err err;

    err = db_begin(db, &work->tx);
    if (err != ADS_OK) {
        return err;
    }
    err = begin(work);
    if (err == ADS_OK) {
        err = feed_take(work, feed, clock_realtime_us() / 1000);
    }
    if (err == ADS_OK && work->totals->verdict == IMPORT_DONE) {
        err = changes_write(work);
    }
    if (err == ADS_OK
        && (waits
            || (work->totals->verdict == IMPORT_DONE && !options->dry_run)))
    {
        err = end_write(work);
        if (err == ADS_OK) {
            err = db_commit(work->tx);
        }
    }
    db_end(work->tx);
    return err;
}


enum ads_err
import_run(struct import_totals *totals, struct feed *feed, struct db *db,
           const struct import_options *options)
{
    struct work work = {.options = options,
                        .totals = totals,
                        .pool = pool_new(),
                        .rows = pool_new(),
                        .mapping = ADS_STR("[]")};
    enum ads_err err;

    *totals = (struct import_totals){0};
    err = run(&work, feed, db);
    import_source_close(work.source);
    free(work.faults);
    pool_free(work.rows);
    pool_free(work.pool);
    return err;
}
