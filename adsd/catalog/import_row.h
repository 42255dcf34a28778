/*
 * Product of a feed, as the fields that the API has for products, validated by
 * the API's own rules (product.h).
 */
#ifndef ADSD_IMPORT_ROW_H
#define ADSD_IMPORT_ROW_H

#include "catalog/product.h"

/* What is wrong with a row. */
struct import_fault {
    uint64_t line;     /* from 1 */
    unsigned column;   /* of a table, from 1; 0: none */
    const char *field; /* "" when the whole line is meant */
    const char *why;
    struct ads_str sku;   /* of the row, ptr NULL where it could not be read */
    struct ads_str value; /* what is wrong, ptr NULL where it is no text */
};

/* Fields that a feed may do without: what none of its rows says is left as it
 * is. */
enum import_said {
    IMPORT_SAID_AVAILABILITY = 1,
    IMPORT_SAID_ATTRIBUTES = 2,
    IMPORT_SAID_KEYWORDS = 4,
    IMPORT_SAID_LANGUAGE = 8,
    IMPORT_SAID_SALE = 16 /* sale_price and price_valid_until */
};

struct import_row {
    bool none;              /* the row was read well and is no product */
    unsigned said;          /* enum import_said */
    struct product product; /* of a bad row the sku, where it could be read */
};

struct import_rule;

struct import_rule *
import_rule_new(void);

void
import_rule_free(struct import_rule *rule);

/*
 * Validates an object with the API's names; others are ignored. Before that the
 * ways of feeds are made the API's: `id` replaces a missing `sku`, line breaks
 * in names become spaces, empty parts of a category go, and an availability may
 * be written in words or as schema.org does.
 *
 * ADS_INVALID: fault->field and fault->why tell the first fault, borrowed until
 * the next call; `line` and `column` stay as they are.
 */
ADS_MUST enum ads_err
import_rule_check(struct import_rule *rule, struct import_row *row,
                  struct import_fault *fault, struct doc *object,
                  struct pool *pool);

/* Reads an object of JSON, which is written to and must live as long as it.
 * ADS_INVALID: fault->why says why. */
ADS_MUST enum ads_err
import_row_parse(struct doc **object, struct import_fault *fault,
                 struct ads_str text, struct pool *pool);

/* The same, validated as a product: object and row live as long as the text. */
ADS_MUST enum ads_err
import_row_read(struct import_rule *rule, struct import_row *row,
                struct import_fault *fault, struct ads_str line,
                struct pool *pool);

#endif
