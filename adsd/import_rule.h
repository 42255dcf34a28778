/*
 * The rules that a product's fields obey, whatever format a feed has: lengths,
 * characters, addresses, what must be there.  The first fault of a row is told.
 */
#ifndef ADSD_IMPORT_RULE_H
#define ADSD_IMPORT_RULE_H

#include "import_row.h"

struct snap_text;

/* Notes a fault unless there is one. */
void
import_rule_fault(struct import_fault *fault, const char *field,
                  const char *why);

/* The text field of that name, as our own constant; NULL: there is none. */
const char *
import_rule_name(struct ads_str name);

/* Judges a text for one of these fields and copies it, trimmed, into the pool;
 * an empty one leaves the field as it was. */
void
import_rule_text(struct import_row *row, struct import_fault *fault,
                 const char *name, struct ads_str text, struct pool *pool);

/* Control characters, and those that turn the direction of text around. */
bool
import_rule_has_control(struct ads_str text);

/* Without ASCII white space at its ends. */
struct ads_str
import_rule_trim(struct ads_str text);

/* Parts of a category, one by one, into the row; at most 50.  Zeroed is
 * ready. */
struct import_category {
    struct snap_text *list;
    unsigned n;
};
void
import_rule_category_add(struct import_category *category,
                         struct import_fault *fault, struct ads_str part);
void
import_rule_category_end(struct import_category *category,
                         struct import_row *row, struct pool *pool);

/* What no single field can tell.  ADS_INVALID when there is a fault, also one
 * noted before. */
ADS_MUST enum ads_err
import_rule_check(struct import_row *row, struct import_fault *fault,
                  bool has_price);

#endif
