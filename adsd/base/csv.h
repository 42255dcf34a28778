/*
 * JSON rows as CSV (RFC 4180), so that each list and report is written once.
 *
 * The columns are the caller's, the same whatever the rows hold: a text such as
 * "id,name,budget.daily", where a dot leads into an object.  What a row does
 * not have, or has as null, is an empty cell; an array is joined by spaces; an
 * object that is no further taken apart, and an array that holds one, is JSON.
 * A cell that a spreadsheet would take for a formula (=, +, -, @, tab or CR in
 * front, and not a plain number) gets an apostrophe before it.
 */
#ifndef ADSD_CSV_H
#define ADSD_CSV_H

#include "base/doc.h"

/* `columns` are constant names, with commas between; `rows` is an array of
 * objects; the text is in the pool. */
struct ads_str
csv_write(struct pool *pool, const char *columns, const struct doc *rows);

/* Does the text need an apostrophe before it, so that no spreadsheet takes it
 * for a formula?  Also if it has some already: then the first can be taken off
 * again without loss. */
bool
csv_needs_guard(struct ads_str text);

/* One cell of a text, quoted and guarded as above; in the pool. */
struct ads_str
csv_cell(struct pool *pool, struct ads_str text);

#endif
