/*
 * Tables of our own JSON as CSV (RFC 4180) or NDJSON, so that each list and
 * report is written once.
 *
 * Columns are the members of the first row and of those after it, objects
 * within flattened ("budget.daily"), arrays joined by spaces.  A cell that a
 * spreadsheet would take for a formula (=, +, -, @, tab or CR in front, and not
 * a plain number) gets an apostrophe before it.
 */
#ifndef ADSD_CSV_H
#define ADSD_CSV_H

#include "doc.h"

/* `rows` is an array of objects; the text is in the pool. */
struct ads_str
csv_write(struct pool *pool, const struct doc *rows);

#endif
