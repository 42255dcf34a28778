/*
 * State that the parts of the ontology's compiler share.  Included by goods_*.c
 * alone.
 */
#ifndef ADSD_GOODS_PARTS_H
#define ADSD_GOODS_PARTS_H

#include "tables/goods.h"
#include "tables/index_set.h"

/* Rows of one size, growing. */
struct goods_rows {
    uint8_t *bytes;
    size_t n;
    size_t room;
    size_t row;
};

void *
goods_rows_add(struct goods_rows *rows, const void *row);

/* A name where it ends. */
struct goods_ending {
    uint32_t state;
    uint32_t order; /* as they came */
    struct ads_goods_name name;
};

/* A word of a need. */
struct goods_need_word {
    uint32_t lemma;
    uint32_t entry; /* need << 3 | slot */
};

/* A word that hints at a kind. */
struct goods_hint {
    uint32_t lemma;
    uint32_t kind;
    uint32_t given; /* what a name or a written hint counts, or 0 */
    uint32_t seen;  /* what natural lines count */
};

/* How a lemma changes, beside its languages. */
#define GOODS_INFLECTS 0x80u /* as an adjective */
#define GOODS_ACTS 0x40u     /* perhaps as a verb */

/* A word that heads a name of a kind: "case" of "mobile phone case". */
struct goods_head {
    uint32_t lemma;
    uint32_t kind;
    uint32_t rank; /* of the name among the kind's, 0: the one that is shown */
    uint32_t n;    /* other words of the name */
    uint32_t rest[ADS_GOODS_NAME_WORDS - 1];
};

/* A pair to be settled: of several the lowest rank is taken. */
struct goods_pair {
    uint32_t head;
    uint32_t of;
    uint32_t rank;
    uint32_t kind;
};

struct goods_compiler {
    const struct goods_text *text;
    FILE *errors;
    enum ads_err err;

    /* blocks of kinds and of attributes by id, the first of each */
    const struct goods_block **kinds;
    const struct goods_block **attributes;
    uint32_t n_kinds;
    uint32_t n_attributes;

    struct index_set lemmas;
    struct goods_rows languages; /* of a lemma: u8, 1 << language, with
                                    GOODS_INFLECTS, GOODS_ACTS */
    struct index_set edges;      /* from, lemma as 8 bytes; number + 1 is the
                                    state behind */
    struct goods_rows endings;
    struct goods_rows near;
    struct goods_rows needs;
    struct goods_rows need_words;
    struct goods_rows hints;
    struct goods_rows heads;
    struct goods_rows pairs;
    struct goods_rows google;

    struct goods_rows kind_rows;
    struct goods_rows links;
    struct goods_rows attribute_rows;
    struct goods_rows words;
    struct goods_rows strings;
};

/* Writes a fault of a field and remembers that there was one. */
void
goods_fault(struct goods_compiler *c, const struct goods_block *block,
            unsigned line, const char *what, struct ads_str value);

/* The next part of a list that `mark` separates, trimmed; false at its end. */
bool
goods_part(struct ads_str *rest, char mark, struct ads_str *part);

/* The number of a kind or attribute, or ADS_GOODS_NONE. */
uint32_t
goods_number(const struct goods_compiler *c, enum ads_goods_says says,
             struct ads_str id);

/* The first block of each id, in order of ids; free(). */
const struct goods_block **
goods_ids_new(const struct goods_text *text, enum ads_goods_says says,
              uint32_t *n);

/* Bytes of a string, for STRINGS; returns where they are. */
uint32_t
goods_string_add(struct goods_compiler *c, struct ads_str text);

/* Names, needs and what tells ambiguous names (goods_names.c). */
void
goods_names_read(struct goods_compiler *c);

/* Broader kinds, what belongs to what, attributes (goods_kinds.c). */
void
goods_kinds_read(struct goods_compiler *c);

#endif
