/*
 * Prices as shops write them in any country, read as they mean it or refused.
 *
 * "1.234" is a thousand to some and little more than one to others, and nothing
 * in it says which.  So what the other prices of a column show decides
 * (import_evidence), or the caller; a price that both leave open is doubtful
 * and refused.  Pure.
 */
#ifndef ADSD_IMPORT_PRICE_H
#define ADSD_IMPORT_PRICE_H

#include "base/pool.h"

/* The mark before the decimals. */
enum import_decimal {
    IMPORT_DECIMAL_UNKNOWN, /* nothing says which */
    IMPORT_DECIMAL_POINT,
    IMPORT_DECIMAL_COMMA,
    IMPORT_DECIMAL_MIXED, /* some prices show a point, others a comma */
    IMPORT_DECIMALS
};

struct import_price {
    struct ads_str number;       /* as JSON writes it */
    struct ads_str currency;     /* ISO 4217; ptr NULL: none is said */
    const char *symbol_of;       /* of a symbol such as "$": the currencies
                                    * that it can mean; else NULL */
    enum import_decimal decimal; /* what it shows by itself: not mixed */
    bool doubtful;               /* it has one mark, which can be either */
};

/*
 * Reads an amount of ASCII or native digits with groups of three, or of two as
 * in India, between points, commas, apostrophes or spaces of any width, and a
 * currency as a code or a symbol before or behind it: "12.99", "1 299,00 kr",
 * "CHF 1'299.-".  `decimal` is what is known of the column.  False: it is no
 * amount, or doubtful, and *why says so; `price` then holds `doubtful` alone.
 */
bool
import_price_read(struct import_price *price, struct ads_str text,
                  enum import_decimal decimal, struct pool *pool,
                  const char **why);

/* A currency by its code in any case, or by a symbol that only one has.  False:
 * it is none of them. */
bool
import_currency_read(struct ads_str *code, struct ads_str text,
                     struct pool *pool);

/* May a price with that symbol be in that currency? */
bool
import_symbol_fits(const char *symbol_of, struct ads_str code);

#define IMPORT_SAMPLE_LEN 40

/* What the prices of a column show. */
struct import_evidence {
    uint64_t n_point; /* prices that only make sense with a decimal point */
    uint64_t n_comma;
    uint64_t n_doubtful;
    uint64_t line;                  /* of the first that shows one */
    char sample[IMPORT_SAMPLE_LEN]; /* its text, NUL at the end */
};

void
import_evidence_put(struct import_evidence *evidence, struct ads_str text,
                    uint64_t line, struct pool *pool);

enum import_decimal
import_evidence_decimal(const struct import_evidence *evidence);

/* Of "point" or "comma"; else unknown. */
enum import_decimal
import_decimal_find(struct ads_str name);

/* "point", "comma", "mixed"; NULL when unknown */
const char *
import_decimal_name(enum import_decimal decimal);

#endif
