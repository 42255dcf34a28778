/*
 * Text scanner of the ontology: which kinds of goods, attributes and cues does
 * a text mention?  Requests and products are read by this same code.
 *
 * Words are read as for the match (ads_text.h); at each of them the longest
 * name that begins there counts.  French elisions are taken off ("l'écran"),
 * German compounds are read by their last part ("Bürodrucker" is a printer),
 * and two words that only together are a name are joined ("head phones").
 */
#ifndef ADS_SCAN_H
#define ADS_SCAN_H

#include "ads_cue.h"
#include "ads_goods.h"
#include "ads_text.h"

#define ADS_SCAN_WORDS 256   /* read of a text; the rest is not seen */
#define ADS_SCAN_MENTIONS 96 /* kept of a text */
#define ADS_SCAN_BYTES 4096  /* of all words, folded */
#define ADS_SCAN_MODEL 4     /* words between a thing and what belongs to it */

struct ads_scan_word {
    uint32_t from; /* bytes of the text: [from, to) */
    uint32_t to;
    uint32_t lemma; /* or ADS_GOODS_NONE */
    uint32_t state; /* behind the lemma; 0: no name begins with it */
    uint8_t kind;   /* enum ads_text_kind */
    uint8_t gap;    /* enum ads_text_gap */
    bool ends;      /* a sentence ended before it */
    bool named;     /* a kind or an attribute covers it */
    uint32_t cues;  /* bits by enum ads_cue */
    uint16_t at;    /* its folded bytes in bytes[], words behind each other */
    uint16_t len;
    int64_t micros; /* of a number or an amount; -1: none */
};

/* Besides those of a name (ads_goods.h). */
#define ADS_MENTION_NEED 0x100u     /* of words that stand for it */
#define ADS_MENTION_COMPOUND 0x200u /* the last part of a longer word */
#define ADS_MENTION_PREFIX 0x400u   /* the first part of one */
#define ADS_MENTION_COMPOSED \
    0x800u /* "battery", of what it is the battery of */

/* of an ambiguous name, and other words tell that it is the kind */
#define ADS_MENTION_SETTLED 0x1000u

struct ads_mention {
    uint32_t target; /* a kind, an attribute or a cue */
    uint16_t flags;
    uint8_t says; /* enum ads_goods_says */
    uint8_t zero;
    uint16_t from; /* words: [from, to) */
    uint16_t to;
};

struct ads_scan {
    uint32_t n_words;
    uint32_t n_mentions;
    uint32_t n_bytes;
    uint8_t language; /* enum ads_cue: ENGLISH to SPANISH, or END: unknown */
    struct ads_scan_word words[ADS_SCAN_WORDS];
    struct ads_mention mentions[ADS_SCAN_MENTIONS]; /* by first word */
    char bytes[ADS_SCAN_BYTES];
};

/* How a word that is no name may be corrected: writes at most
 * ADS_TEXT_WORD_MAX folded bytes to `dst` and returns how many; 0: not. */
struct ads_scan_speller {
    size_t (*correct)(void *ctx, const struct ads_text_word *word, char *dst);
    void *ctx;
};

/* Whose text it is: names that only merchants use (ADS_GOODS_SHOP) count in
 * those of products alone. */
enum ads_scan_of { ADS_SCAN_PRODUCT, ADS_SCAN_REQUEST };

/*
 * Reads a text.  `spell` NULL: words are taken as they are written.  Names of
 * kinds that several kinds share give a mention for each, of the same words.
 */
void
ads_scan_read(struct ads_scan *scan, const struct ads_goods *goods,
              struct ads_str text, enum ads_scan_of of,
              const struct ads_scan_speller *spell);

/* The folded bytes of a word without a French elision, in `word`. */
struct ads_str
ads_scan_bare(const struct ads_text_word *word, struct ads_str text);

/* The flag that names of a language have: `language` as enum ads_cue, ENGLISH
 * to SPANISH. */
static inline uint16_t
ads_scan_language_flag(uint8_t language)
{
    static const uint16_t flags[] = {ADS_GOODS_ENGLISH, ADS_GOODS_GERMAN,
                                     ADS_GOODS_FRENCH, ADS_GOODS_SPANISH};

    return flags[language - ADS_CUE_ENGLISH];
}


/* The folded bytes of word i, with its elision. */
static inline struct ads_str
ads_scan_bytes(const struct ads_scan *scan, uint32_t i)
{
    return (struct ads_str){scan->bytes + scan->words[i].at,
                            scan->words[i].len};
}


/* The kind that is mentioned in words that end before `to`, or begin at `from`;
 * NULL: none.  Of several the longest. */
const struct ads_mention *
ads_scan_ending(const struct ads_scan *scan, uint32_t to);
const struct ads_mention *
ads_scan_beginning(const struct ads_scan *scan, uint32_t from);

/*
 * Makes kinds of things that belong to others narrower: "charger for my
 * iphone" and "iphone charger" are phone chargers.  Part of ads_scan_read.
 */
void
ads_scan_compose(struct ads_scan *scan, const struct ads_goods *goods);

/* The word with one of these cues that leads to the words from `from` on: the
 * nearest before them within five words and their clause, no kind between;
 * ADS_GOODS_NONE: there is none. */
uint32_t
ads_scan_lead(const struct ads_scan *scan, uint32_t from, uint32_t cues);

#endif
