/*
 * Parses CSV and TSV. Lines are copied into one buffer, cells are unquoted
 * within it.  What has to be read again after a false quote waits in `back`.
 */
#include "catalog/feed_table.h"

#include <stdlib.h>

#include "base/csv.h"
#include "base/pool.h"

#define LINES_MAX 256 /* of one record */

struct text {
    char *bytes;
    size_t len;
    size_t room;
};

struct feed_table {
    struct feed *feed;
    char separator;
    struct text record;
    struct text back; /* lines to read before the feed goes on */
    size_t back_pos;
    uint64_t line;         /* lines read so far */
    struct ads_str *heads; /* of the header, own memory */
    struct feed_record header;
    unsigned n;
    struct ads_str cells[FEED_CELLS_MAX];
};


static void
text_put(struct text *text, const char *bytes, size_t len)
{
    if (text->bytes == NULL || text->len + len + 1 > text->room) {
        text->room = 2 * (text->len + len + 1);
        text->bytes = xrealloc(text->bytes, text->room);
    }
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
}


/* A line from what waits, or from the feed. */
static enum ads_err
line_next(struct feed_table *table, char **line, size_t *len)
{
    struct text *back = &table->back;
    char *end;

    table->line++;
    if (table->back_pos == back->len) {
        back->len = 0;
        table->back_pos = 0;
        return feed_line(table->feed, line, len);
    }
    *line = back->bytes + table->back_pos;
    end = memchr(*line, '\n', back->len - table->back_pos);
    *len = end == NULL ? back->len - table->back_pos : (size_t)(end - *line);
    table->back_pos += *len + (end != NULL);
    return ADS_OK;
}


/* Counts the cells of a record that comes line by line. */
struct scan {
    size_t pos;
    unsigned n;
    bool open;  /* within a quote */
    bool wrong; /* that quote was none */
};


/* Behind the quote that closes the one at p; NULL when there is none. */
static const char *
quote_end(const char *p, const char *last)
{
    for (p++; p < last; p++) {
        if (*p == '"') {
            if (p + 1 == last || p[1] != '"') {
                return p + 1;
            }
            p++;
        }
    }
    return NULL;
}


/* A quote opens only at the begin of a cell.  In a table of tabs one that is
 * not closed right before a tab is an inch. */
static bool
is_quoted(const struct feed_table *table, const char *p, const char *last)
{
    const char *end;

    if (p == last || *p != '"') {
        return false;
    }
    if (table->separator != '\t') {
        return true;
    }
    end = quote_end(p, last);
    return end != NULL && (end == last || *end == '\t');
}


/* Goes on counting the record's cells from where it stopped: at its end, or
 * within an open quote when the record ended there. */
static void
scan_go(const struct feed_table *table, struct scan *scan)
{
    const char *first = table->record.bytes;
    const char *p = first + scan->pos;
    const char *last = first + table->record.len;

    while (p <= last) {
        if (scan->open || is_quoted(table, p, last)) {
            p = quote_end(scan->open ? p - 1 : p, last);
            if (p == NULL) {
                scan->open = true;
                scan->pos = table->record.len;
                return;
            }
            /* what stands behind a text of several lines tells that its first
             * quote was none */
            scan->wrong |= scan->open && p < last && *p != table->separator;
            scan->open = false;
        }
        while (p < last && *p != table->separator) {
            p++;
        }
        p++;
        scan->n++;
    }
}


/* Takes one cell off the text at *pos: unquoted in place, and without the
 * apostrophe that keeps spreadsheets from taking it for a formula. */
static struct ads_str
cell_take(struct feed_table *table, char **pos, char *last)
{
    char *in = *pos, *out = *pos;
    struct ads_str cell = {out, 0};

    if (is_quoted(table, in, last)) {
        for (in++; *in != '"' || (in + 1 < last && in[1] == '"'); in++) {
            in += *in == '"';
            *out++ = *in;
        }
        in++;
    }
    while (in < last && *in != table->separator) {
        *out++ = *in++;
    }
    cell.len = (size_t)(out - cell.ptr);
    *pos = in + 1; /* past the end after the last cell */
    if (cell.len > 0 && cell.ptr[0] == '\'' && csv_needs_guard(cell)) {
        cell.ptr++;
        cell.len--;
    }
    return cell;
}


static void
cells_split(struct feed_table *table)
{
    char *pos = table->record.bytes;
    char *last = pos + table->record.len;

    table->n = 0;
    while (pos <= last && table->n < FEED_CELLS_MAX) {
        table->cells[table->n++] = cell_take(table, &pos, last);
    }
}


/* Everything behind the first line of the record has to be read again. */
static void
put_back(struct feed_table *table, uint64_t first_line)
{
    struct text kept = {0};
    char *end = memchr(table->record.bytes, '\n', table->record.len);
    size_t from = (size_t)(end - table->record.bytes) + 1;

    text_put(&kept, table->record.bytes + from, table->record.len - from);
    text_put(&kept, "\n", 1);
    if (table->back.len > table->back_pos) {
        text_put(&kept, table->back.bytes + table->back_pos,
                 table->back.len - table->back_pos);
    }
    free(table->back.bytes);
    table->back = kept;
    table->back_pos = 0;
    table->line = first_line;
}


/* Lines up to one where all quotes are closed, or no more in reach. */
static enum ads_err
record_read(struct feed_table *table, struct scan *scan, unsigned *n_lines)
{
    enum ads_err err;
    char *line;
    size_t len;

    *scan = (struct scan){0};
    *n_lines = 0;
    table->record.len = 0;
    do {
        err = line_next(table, &line, &len);
        if (err == ADS_ABSENT && *n_lines > 0) {
            table->line--;
            break;
        }
        if (err != ADS_OK) {
            return err;
        }
        if ((*n_lines)++ > 0) {
            text_put(&table->record, "\n", 1);
        }
        text_put(&table->record, line, len);
        scan_go(table, scan);
    } while (scan->open && table->record.len < FEED_RECORD_MAX
             && *n_lines < LINES_MAX);
    return ADS_OK;
}


enum ads_err
feed_table_next(struct feed_table *table, struct feed_record *record,
                const char **why)
{
    struct scan scan;
    enum ads_err err;
    unsigned n_lines;

    do {
        record->line = table->line + 1;
        err = record_read(table, &scan, &n_lines);
        if (err == ADS_TOO_LARGE) {
            *why = "is longer than 1 MiB";
            return ADS_INVALID;
        }
        if (err != ADS_OK) {
            return err;
        }
    } while (table->record.len == 0);

    if (!scan.open && !scan.wrong && scan.n == table->header.n) {
        cells_split(table);
        record->n = table->n;
        record->cells = table->cells;
        return ADS_OK;
    }
    *why = scan.open || n_lines > 1 ? "a quote is never closed"
                                    : "has not as many cells as the header";
    if (n_lines > 1) {
        put_back(table, record->line);
    }
    return ADS_INVALID;
}


/* The separator that the line has most of, quotes left out. */
static char
separator_find(const char *line, size_t len)
{
    static const char separators[] = "\t,;|";
    size_t counts[4] = {0};
    bool quoted = false;
    int best = 0;

    for (size_t i = 0; i < len; i++) {
        const char *at = memchr(separators, line[i], 4);

        quoted ^= line[i] == '"';
        if (at != NULL && !quoted) {
            counts[at - separators]++;
        }
    }
    for (int i = 1; i < 4; i++) {
        best = counts[i] > counts[best] ? i : best;
    }
    return separators[best];
}


/* The header's cells live as long as the table. */
static void
header_keep(struct feed_table *table)
{
    table->heads = xcalloc(table->n, sizeof(*table->heads));
    for (unsigned i = 0; i < table->n; i++) {
        char *text = xmalloc(table->cells[i].len + 1);

        memcpy(text, table->cells[i].ptr, table->cells[i].len);
        table->heads[i] = (struct ads_str){text, table->cells[i].len};
    }
    table->header = (struct feed_record){1, table->n, table->heads};
}


enum ads_err
feed_table_open(struct feed_table **opened, struct feed *feed)
{
    struct feed_table *table = xcalloc(1, sizeof(*table));
    struct scan scan = {0};
    enum ads_err err;
    char *line;
    size_t len;

    table->feed = feed;
    *opened = table;
    err = feed_line(feed, &line, &len);
    if (err != ADS_OK) {
        return err;
    }
    table->line = 1;
    table->separator = separator_find(line, len);
    text_put(&table->record, line, len);
    scan_go(table, &scan);
    if (scan.open || scan.n > FEED_CELLS_MAX) {
        return ADS_INVALID;
    }
    cells_split(table);
    header_keep(table);
    return ADS_OK;
}


void
feed_table_close(struct feed_table *table)
{
    if (table == NULL) {
        return;
    }
    for (unsigned i = 0; i < table->header.n; i++) {
        free((char *)table->heads[i].ptr);
    }
    free(table->heads);
    free(table->record.bytes);
    free(table->back.bytes);
    free(table);
}


const struct feed_record *
feed_table_header(const struct feed_table *table)
{
    return &table->header;
}
