/*
 * Functions shared by ads_match_words.c, ads_match_numbers.c and
 * ads_match_demands.c, which map words to terms; no other file includes this
 * one.
 */
#ifndef ADS_MATCH_WORDS_H
#define ADS_MATCH_WORDS_H

#include "ads_match_parts.h"

#define ADS_MATCH_WHOLE 256 /* weight of an alternative */

/* A word while the query is read. */
struct ads_match_token {
    struct ads_text_word text;
    uint32_t word; /* of the index, or ADS_INDEX_NONE */
    uint32_t term;
    enum ads_text_filler filler;
    bool content; /* it is asked for */
    uint32_t phrase;
    bool noun;
    bool follows; /* directly behind the token before */
};

struct ads_match_reading {
    const struct ads_index *index;
    const struct ads_text *text;
    const struct ads_match_focus *focus; /* or NULL */
    struct ads_match_query *query;
    struct ads_match_token tokens[ADS_MATCH_WORDS];
    uint32_t corrections;
    uint32_t probes; /* numbers looked up because of limits */
};


static inline uint8_t
ads_match_term_idf(const struct ads_index *index, uint32_t term)
{
    uint8_t idf = ads_index_term_peek(index, term)->idf;

    return idf < 1 ? 1 : idf;
}


static inline struct ads_str
ads_match_token_bytes(const struct ads_match_token *token)
{
    return (struct ads_str){.ptr = token->text.bytes, .len = token->text.len};
}


/* The term of a word as it is written, or ADS_INDEX_NONE. */
static inline uint32_t
ads_match_term_find(const struct ads_index *index, struct ads_str bytes)
{
    return ads_index_word_term(index, ads_index_word_find(index, bytes));
}


/* Does the token name no model though it is of digits and letters: "12yo",
 * "4th", "40ish", "2x"? */
static inline bool
ads_match_is_count(const struct ads_match_token *token)
{
    return token->text.kind == ADS_TEXT_MIXED
           && ads_text_is_count(ads_match_token_bytes(token));
}


/* What is known of the words from which a token was read; NULL: nothing. */
const struct ads_match_span *
ads_match_span_of(const struct ads_match_reading *reading,
                  const struct ads_match_token *token);

/* Is word i known as that? */
bool
ads_match_is_known_as(const struct ads_match_reading *reading, uint32_t i,
                      enum ads_match_known known);

/* The attribute that word i says, also within the name of a kind: "auriculares
 * inalambricos"; ADS_GOODS_NONE: none. */
uint32_t
ads_match_attribute_of(const struct ads_match_reading *reading, uint32_t i);

/* The term that stands for a fact of products; ADS_INDEX_NONE: none has it. */
uint32_t
ads_match_fact_term(const struct ads_match_reading *reading, char mark,
                    struct ads_str id);

/* Adds a term, or two that must both be there, unless the group has it or is
 * full. */
void
ads_match_alternative_add(struct ads_match_group *group, uint32_t term,
                          uint32_t second, uint32_t weight);

/* The token of the unit of the number that word i is, or NULL; two numbers may
 * share one, "2 or 4 GB". */
const struct ads_match_token *
ads_match_unit(const struct ads_match_reading *reading, uint32_t i);

/* Adds what stands for word i as well where that is a number or its unit. */
void
ads_match_number_widen(struct ads_match_reading *reading, uint32_t i,
                       struct ads_match_group *group);

/* Notes which groups say something that a product has to be: a model, a
 * measure, a brand. */
void
ads_match_demands_note(const struct ads_match_reading *reading);

/* Notes what contradicts the attributes that are asked for: "wired", where it
 * is "wireless". */
void
ads_match_against_note(const struct ads_match_reading *reading);

/* Notes the words that make another model of one that is asked for: a product
 * whose model goes on is another one, where the request does not. */
void
ads_match_longer_note(const struct ads_match_reading *reading);

/* Looks for a model that products write otherwise, "LC980" as "LC-980BK": with
 * the letters apart, and a colour or a size behind it.  False: none does. */
bool
ads_match_model_guess(const struct ads_match_reading *reading,
                      const struct ads_match_token *token,
                      struct ads_match_group *group);

#endif
