/*
 * Text match: finds the products whose text fits a query.
 *
 * ads_match_read turns the query into groups of index terms: one group for
 * each thing asked for, with its spellings, joined and split forms as
 * alternatives of which the best counts.  ads_match_run walks the postings,
 * window by window, best bound first, keeps the best 100 documents that the
 * caller allows, and orders those again by where the words are in the title.
 * Where a kind is wanted, the best of that kind and the best of the others are
 * looked for apart: a laptop is found whose title says notebook.
 * Integers only: the same index and query give the same hits on every machine.
 *
 * A damaged index can cost hits, never memory safety: every offset is checked
 * where it is used, and every loop is bounded by a length checked before.
 */
#ifndef ADS_MATCH_H
#define ADS_MATCH_H

#include "ads_goods.h"
#include "ads_index.h"
#include "ads_text.h"

#define ADS_MATCH_WORDS 32       /* words kept of a query */
#define ADS_MATCH_GROUPS 16      /* of them matched: the rarest */
#define ADS_MATCH_ALTERNATIVES 8 /* of one group */
#define ADS_MATCH_DEPTH 100      /* documents kept and ordered again */
#define ADS_MATCH_OF_KIND 64     /* of them of the wanted kind, at most */
#define ADS_MATCH_BUDGET \
    150000                      /* postings read and probed per query, and
                                    what its filter costs */
#define ADS_MATCH_CORRECTIONS 4 /* words of one query that may be corrected */
#define ADS_MATCH_NO_GROUP 255
#define ADS_MATCH_REFUSALS 4
#define ADS_MATCH_LONGER 8  /* words that make another model of one */
#define ADS_MATCH_AGAINST 8 /* attributes that contradict those asked for */
#define ADS_MATCH_WITHIN 32 /* further numbers within a limit */

/* Unit of ads_match_hit.score: 65536 is every word of the query matched as
 * strongly as a product can. */
#define ADS_MATCH_UNIT 65536

/*
 * The relevance floor: a score, and a higher one where the title lacks the
 * noun that names what is looked for.  Calibrated on labelled queries: of the
 * first three products above it 85 to 93 % are relevant, and of queries about
 * things that a catalogue does not have nine in ten find nothing above it.
 * The score falls with the cube of the share of the query that is matched, so
 * a product that shares only a common word with a query stays far below.
 */
#define ADS_MATCH_FLOOR 5000
#define ADS_MATCH_FLOOR_UNNAMED 12000

enum ads_match_state {
    ADS_MATCH_KNOWN,     /* in the index as written or by its stem */
    ADS_MATCH_CORRECTED, /* its nearest known spelling is matched */
    ADS_MATCH_SPLIT,     /* only as two words ("showerhead") */
    ADS_MATCH_JOINED,    /* only as one word with its neighbour ("show er") */
    ADS_MATCH_UNKNOWN,   /* not in any product: lowers coverage */
    ADS_MATCH_STOP,      /* stop word, filler or amount: not asked for */
    ADS_MATCH_SURPLUS    /* one of more than 16: not asked for */
};

/* A word of the query and what became of it. */
struct ads_match_word {
    uint32_t from; /* bytes of the query it was read from: [from, to) */
    uint32_t to;
    uint8_t group; /* its bit in ads_match_groups(), or ADS_MATCH_NO_GROUP */
    enum ads_match_state state;
};

/* One term, or two that must both be there (`second` not ADS_INDEX_NONE). */
struct ads_match_alternative {
    uint32_t term;
    uint32_t second;
    uint32_t weight; /* of its impacts, 256 is all */
};

struct ads_match_group {
    uint8_t n_alternatives;
    uint8_t word; /* index in words[] of the word it came from */
    uint8_t idf;
    struct ads_match_alternative alternatives[ADS_MATCH_ALTERNATIVES];
};

/* What is known of words of a query before they are looked up. */
enum ads_match_known {
    ADS_MATCH_NAMES,     /* they name the wanted kind */
    ADS_MATCH_DESCRIBES, /* they are an attribute */
    ADS_MATCH_CONTEXT,   /* they say what it is for */
    ADS_MATCH_REFUSED,   /* they are an attribute that it must not have */
    ADS_MATCH_EITHER,    /* one of some that will do: "HQ8 or HQ9" */
    ADS_MATCH_LEAST,     /* a number of a unit, of which there may be more */
    ADS_MATCH_MOST,      /* or less, down to the one before */
    ADS_MATCH_BOUND,     /* they say a price */
    ADS_MATCH_WORD       /* the ontology has them, as whatever */
};

struct ads_match_span {
    uint32_t from; /* bytes: [from, to) */
    uint32_t to;
    enum ads_match_known known;
    uint32_t attribute; /* of ADS_MATCH_DESCRIBES and ADS_MATCH_REFUSED */
};

#define ADS_MATCH_SPANS 24
#define ADS_MATCH_KINDS 4

/* What a request was understood as; core/ads_focus.h makes it. */
struct ads_match_focus {
    const struct ads_goods *goods;
    uint32_t n_kinds; /* wanted */
    uint32_t kinds[ADS_MATCH_KINDS];
    uint32_t sure; /* that they are, of 256 */
    uint32_t n_spans;
    struct ads_match_span spans[ADS_MATCH_SPANS];
};

struct ads_match_query {
    uint32_t n_words;
    uint32_t n_groups;
    uint32_t n_unknown;  /* words asked for that no product has */
    uint32_t n_lost;     /* of them: numbers and names of models */
    uint32_t idf_total;  /* of all words asked for, unknown ones included */
    uint32_t idf_known;  /* of the groups */
    uint8_t head;        /* group of the head noun, or ADS_MATCH_NO_GROUP */
    uint8_t kind;        /* group of the wanted kinds, or ADS_MATCH_NO_GROUP */
    uint32_t names;      /* groups of the words that name them, as bits */
    uint32_t n_nameless; /* such words that no product has */
    uint32_t models;     /* groups of model names and numbers, likewise */
    uint8_t series[ADS_MATCH_GROUPS]; /* of a model: 1 + the group of the word
                                         before it, 0: none */
    uint32_t either;                  /* of them, one of which is enough */
    uint32_t measures; /* groups of units, behind their numbers */
    uint32_t numbers[ADS_MATCH_GROUPS]; /* of a unit: groups of its numbers */
    uint32_t qualities; /* groups of words that are attributes */
    uint32_t brands;    /* groups of words that are brands of products */
    uint32_t n_refused;
    uint32_t
        refused[ADS_MATCH_REFUSALS]; /* terms that products must not have */
    uint32_t said;    /* groups of words that are attributes, also in names */
    uint32_t opposed; /* groups of attributes that others contradict */
    uint32_t n_against;
    uint32_t against[ADS_MATCH_AGAINST]; /* the terms of those others */
    uint32_t n_within;
    struct ads_match_within {
        uint32_t term;
        uint32_t word;          /* the number in words[] that is the limit */
    } within[ADS_MATCH_WITHIN]; /* numbers that titles may have in its place,
                                   beyond the alternatives of its group */
    uint32_t n_longer;
    uint32_t longer[ADS_MATCH_LONGER]; /* terms that make another model of one:
                                          "plus" of "iphone 7" */
    struct ads_match_word words[ADS_MATCH_WORDS];
    struct ads_match_group groups[ADS_MATCH_GROUPS];
};

/*
 * Which documents may be shown.  group() says -1 for one that may not, else
 * the number of its account.  It is asked only about documents good enough to
 * be kept, and only those it allows push others out.  At most per_account
 * documents of one account are kept.
 *
 * A filter whose answers cost more than a look counts that in *work, as
 * postings that would take as long (some 4 ns each); a refusal is counted as
 * one.  Past the budget no further document is asked about.
 */
struct ads_match_filter {
    int32_t (*account)(void *ctx, uint32_t doc);
    void *ctx;
    uint32_t per_account;
    const uint32_t *work; /* or NULL */
};

struct ads_match_hit {
    uint32_t doc;
    uint32_t score;    /* relevance, 0 to ADS_MATCH_UNIT, of any query */
    uint16_t coverage; /* share of the query's idf matched, 256 is all */
    uint16_t titled;   /* the same in its title alone */
    bool head;         /* the head noun of the query is one of its title */
    uint32_t in_title; /* groups that its title has, as bits */
    uint32_t joined;   /* groups right behind the one before; of units, behind
                          one of their numbers */
    bool longer;       /* its model has a name that goes on */
    bool refused;      /* it has what the request refuses */
    bool against;      /* it has the contrary of what is asked for */
};

struct ads_match_stats {
    uint32_t postings;   /* read or probed */
    uint32_t windows;    /* visited */
    uint32_t candidates; /* documents that were about to be kept */
    uint32_t refused;    /* of them by the filter */
    bool cut;            /* the budget ended the search */
};

/* Options of a run, or-ed together. */
#define ADS_MATCH_EXHAUSTIVE 1u /* no pruning, no budget: for tests */

/* Reads the words of a query (any bytes) and looks them up.  `focus` NULL:
 * nothing is known of them. */
void
ads_match_read(const struct ads_index *index, const struct ads_text *text,
               struct ads_str source, const struct ads_match_focus *focus,
               struct ads_match_query *query);

/* Bytes of scratch memory, 8-byte aligned, that ads_match_run needs with this
 * index and the one attached to it; its contents need not be kept or cleared
 * between calls. */
size_t
ads_match_scratch_len(const struct ads_index *index);

/*
 * The best documents for the query, best first, at most max (more than
 * ADS_MATCH_DEPTH are never found).  Those of an attached index compete under
 * the statistics of this one.  Returns how many.  `filter` NULL: all
 * documents are allowed.
 */
uint32_t
ads_match_run(const struct ads_index *index,
              const struct ads_match_query *query,
              const struct ads_match_filter *filter, uint32_t options,
              void *scratch, struct ads_match_hit *hits, uint32_t max,
              struct ads_match_stats *stats);

/*
 * The best of all documents that the last run met, whether its filter allowed
 * them or not: best first, at most max.  `scratch` is as that run left it.
 */
uint32_t
ads_match_met(const struct ads_index *index,
              const struct ads_match_query *query, void *scratch,
              struct ads_match_hit *hits, uint32_t max);

/* All groups that a document has, in whichever field, as bits: which words of
 * the query the answer may say it matched. */
uint32_t
ads_match_groups(const struct ads_index *index,
                 const struct ads_match_query *query, uint32_t doc);

/* False for a hit below the relevance floor: too far from the query to be an
 * ad for it.  Hits below it may be followed by hits above it. */
bool
ads_match_is_relevant(const struct ads_match_query *query,
                      const struct ads_match_hit *hit);

/* The best way to cut a word in two that titles write as neighbours; false
 * when there is none.  For the builder and for words it has not seen. */
bool
ads_match_split(const struct ads_index *index, struct ads_str word,
                struct ads_index_split *split);

#endif
