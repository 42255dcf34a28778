/*
 * Compiled product ontology: which kinds of things are sold, by which names
 * people ask for them, and what belongs to what. data/goods/ has it as text,
 * adsd/tables/goods_write.c compiles that, and this file reads it.
 *
 * One block of bytes, offsets only, all integers little-endian; the block
 * begins 8-byte aligned, and so does each section.  Layout, version 2:
 *
 *   offset size
 *        0    4  magic "AGDS"
 *        4    2  version, 2; a reader refuses any other
 *        6    2  byte order mark 0x0102
 *        8    8  length of the block
 *       16    4  CRC-32C of everything from 32 on: which ontology this is
 *       20    4  n_kinds, below 2^24
 *       24    4  n_lemmas: words of names, needs and cues
 *       28    4  n_attributes
 *       32 16xS  section table: u64 offset from the start, u64 length; S = 16,
 *                in the order of enum ads_goods_section
 *
 *   KINDS       n_kinds x struct ads_goods_kind, by rising id
 *   LINKS       u32: of each kind its ancestors, nearest first, then what it
 *               belongs to, as kind | relation << 28
 *   STRINGS     ids and shown names
 *   FORMS       2^k x u64: 0, or 40 bits of a word's hash << 24 | lemma + 1;
 *               open addressing from the top k bits of ads_index_hash, linear,
 *               at most ADS_GOODS_PROBES slots.  Words as names have them, and
 *               their regular forms.
 *   SIBLINGS    n_lemmas x u32[2]: lemmas that are another number or case of
 *               the same word, or NONE
 *   EDGES       2^k x struct ads_goods_edge: from 0, the root, to the state
 *               behind a lemma; `to` 0: empty.  Open addressing, likewise.
 *   STATES      u32[n + 1]: where a state's names begin in NAMES
 *   NAMES       struct ads_goods_name
 *   NEAR        u64, rising: kind << 32 | lemma, words that tell that an
 *               ambiguous name means the kind
 *   NEEDS       struct ads_goods_need
 *   NEED_WORDS  u32[n_lemmas + 1], then u32: need << 3 | slot, by lemma
 *   HINTS       u32[n_lemmas + 1], then u32: kind | weight << 24, by lemma:
 *               kinds that a word hints at, the rarer the word the heavier
 *   PAIRS       struct ads_goods_pair, rising: which kind a general one is
 *               when it belongs to another ("battery" of a laptop), and what
 *               a word that ends names is ("case" of a smartphone)
 *   GOOGLE      struct ads_goods_google, rising
 *   ATTRIBUTES  n_attributes x struct ads_goods_attribute
 *   WORDS       u32 offsets in STRINGS of folded words, each with a byte of
 *               length before it: the words of attributes
 */
#ifndef ADS_GOODS_H
#define ADS_GOODS_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_GOODS_MAGIC 0x53444741u /* "AGDS" */
#define ADS_GOODS_VERSION 2
#define ADS_GOODS_ORDER_MARK 0x0102
#define ADS_GOODS_HEADER_LEN 32
#define ADS_GOODS_PROBES 64
#define ADS_GOODS_NONE 0xffffffffu
#define ADS_GOODS_KINDS_MAX (1u << 24)
#define ADS_GOODS_ID_MAX 40    /* bytes of an id */
#define ADS_GOODS_NAME_WORDS 8 /* words of a name */
#define ADS_GOODS_NEED_SLOTS 6 /* sets of words of a need */
#define ADS_GOODS_ANCESTORS 32 /* of a kind, at most */

enum ads_goods_section {
    ADS_GOODS_KINDS,
    ADS_GOODS_LINKS,
    ADS_GOODS_STRINGS,
    ADS_GOODS_FORMS,
    ADS_GOODS_SIBLINGS,
    ADS_GOODS_EDGES,
    ADS_GOODS_STATES,
    ADS_GOODS_NAMES,
    ADS_GOODS_NEAR,
    ADS_GOODS_NEEDS,
    ADS_GOODS_NEED_WORDS,
    ADS_GOODS_HINTS,
    ADS_GOODS_PAIRS,
    ADS_GOODS_GOOGLE,
    ADS_GOODS_ATTRIBUTES,
    ADS_GOODS_WORDS,
    ADS_GOODS_SECTIONS
};

#define ADS_GOODS_HEAD_LEN (ADS_GOODS_HEADER_LEN + 16 * ADS_GOODS_SECTIONS)

/* How a kind belongs to another. */
enum ads_goods_relation {
    ADS_GOODS_ACCESSORY = 1,
    ADS_GOODS_PART = 2,
    ADS_GOODS_CONSUMABLE = 3,
    ADS_GOODS_SERVICE = 4
};

#define ADS_GOODS_HINT_KIND 0x00ffffffu
#define ADS_GOODS_HINT_SHIFT 24 /* of its weight; 16 is a bit */

#define ADS_GOODS_LINK_KIND 0x0fffffffu
#define ADS_GOODS_LINK_SHIFT 28

struct ads_goods_kind {
    uint32_t id;   /* STRINGS */
    uint32_t name; /* STRINGS: the English one that is shown */
    uint8_t id_len;
    uint8_t name_len;
    uint8_t n_ancestors;
    uint8_t n_of;   /* what it belongs to */
    uint32_t links; /* LINKS: n_ancestors, then n_of */
};

struct ads_goods_edge {
    uint32_t from;
    uint32_t lemma;
    uint32_t to;
};

/* What a name says: a kind, an attribute, or a cue of core/ads_wish.h. */
enum ads_goods_says { ADS_GOODS_KIND, ADS_GOODS_ATTRIBUTE, ADS_GOODS_CUE };

#define ADS_GOODS_AMBIGUOUS 1u /* needs evidence */
#define ADS_GOODS_SHOP 2u      /* only product data uses it */
#define ADS_GOODS_NOT 4u       /* means something else */
/* languages that have the name; German ones may end a compound */
#define ADS_GOODS_ENGLISH 8u
#define ADS_GOODS_GERMAN 16u
#define ADS_GOODS_FRENCH 32u
#define ADS_GOODS_SPANISH 64u
#define ADS_GOODS_LANGUAGES                                  \
    (ADS_GOODS_ENGLISH | ADS_GOODS_GERMAN | ADS_GOODS_FRENCH \
     | ADS_GOODS_SPANISH)
#define ADS_GOODS_LINE 128u /* a maker's: only requests use it */

struct ads_goods_name {
    uint32_t target;
    uint16_t flags;
    uint8_t says; /* enum ads_goods_says */
    uint8_t n_words;
};

struct ads_goods_need {
    uint32_t kind;
    uint8_t n_slots;
    uint8_t zero[3];
};

#define ADS_GOODS_WORD 0x80000000u /* of a pair's head: it is a lemma */

struct ads_goods_pair {
    uint32_t head;
    uint32_t of;
    uint32_t kind;
};

struct ads_goods_google {
    uint32_t number;
    uint32_t kind;
};

/* Families of attributes; two of one exclusive family contradict each other. */
enum ads_goods_family {
    ADS_GOODS_FEATURE,
    ADS_GOODS_COLOUR,
    ADS_GOODS_MATERIAL,
    ADS_GOODS_AUDIENCE,
    ADS_GOODS_SIZE,
    ADS_GOODS_STATE,
    ADS_GOODS_FAMILIES
};

struct ads_goods_attribute {
    uint32_t id; /* STRINGS */
    uint32_t words;
    uint16_t n_words; /* WORDS from `words` on */
    uint8_t id_len;
    uint8_t family;
    uint32_t against; /* another attribute, or NONE */
};

struct ads_goods {
    uint32_t n_kinds;
    uint32_t n_lemmas;
    uint32_t n_attributes;
    uint32_t checksum;
    uint32_t form_bits;
    uint32_t edge_bits;
    uint32_t n_links;
    uint32_t n_states;
    uint32_t n_names;
    uint32_t n_near;
    uint32_t n_needs;
    uint32_t n_need_words;
    uint32_t n_hints;
    uint32_t n_pairs;
    uint32_t n_google;
    uint32_t n_words;
    uint32_t strings_len;
    const struct ads_goods_kind *kinds;
    const uint32_t *links;
    const char *strings;
    const uint64_t *forms;
    const uint32_t *siblings;
    const struct ads_goods_edge *edges;
    const uint32_t *states;
    const struct ads_goods_name *names;
    const uint64_t *near;
    const struct ads_goods_need *needs;
    const uint32_t *need_starts;
    const uint32_t *need_words;
    const uint32_t *hint_starts;
    const uint32_t *hints;
    const struct ads_goods_pair *pairs;
    const struct ads_goods_google *google;
    const struct ads_goods_attribute *attributes;
    const uint32_t *words;
};

/*
 * Opens a compiled ontology (8-byte aligned, borrowed).  Lengths and counts
 * are checked here, what the sections hold at use; the checksum is not: it
 * tells one ontology from another.
 * ADS_UNSUPPORTED: another magic, version or byte order.  ADS_DAMAGED.  No
 * bytes at all are an ontology without kinds.
 */
ADS_MUST enum ads_err
ads_goods_open(const void *bytes, size_t len, struct ads_goods *goods);

/* The lemma of a folded word, or ADS_GOODS_NONE. */
uint32_t
ads_goods_lemma(const struct ads_goods *goods, struct ads_str word);

/* The state behind that lemma, 0 when there is none. */
uint32_t
ads_goods_step(const struct ads_goods *goods, uint32_t state, uint32_t lemma);

/* The other forms of a lemma that are lemmas too: [0] and [1], or NONE. */
const uint32_t *
ads_goods_siblings(const struct ads_goods *goods, uint32_t lemma);

/* The names that end in a state; *n how many. */
const struct ads_goods_name *
ads_goods_names(const struct ads_goods *goods, uint32_t state, uint32_t *n);

/* The attribute that a state is a name of, in one of the languages; else
 * ADS_GOODS_NONE. */
uint32_t
ads_goods_attribute_named(const struct ads_goods *goods, uint32_t state,
                          uint16_t languages);

/* The attribute that a folded word by itself, in one of its forms, is the name
 * of; else ADS_GOODS_NONE. */
uint32_t
ads_goods_attribute_said(const struct ads_goods *goods, struct ads_str word);

/* A kind's id and shown name, borrowed; empty for a number that is none. */
struct ads_str
ads_goods_id(const struct ads_goods *goods, uint32_t kind);
struct ads_str
ads_goods_shown(const struct ads_goods *goods, uint32_t kind);
struct ads_str
ads_goods_attribute_id(const struct ads_goods *goods, uint32_t attribute);

/* The attribute, or NULL for a number that is none. */
const struct ads_goods_attribute *
ads_goods_attribute_peek(const struct ads_goods *goods, uint32_t attribute);

/* Word i of an attribute, folded; empty when there is none. */
struct ads_str
ads_goods_attribute_word(const struct ads_goods *goods,
                         const struct ads_goods_attribute *attribute,
                         uint32_t i);

/* The number of the kind with that id, or ADS_GOODS_NONE. */
uint32_t
ads_goods_find(const struct ads_goods *goods, struct ads_str id);

/* A kind's broader kinds, nearest first; *n how many. */
const uint32_t *
ads_goods_ancestors(const struct ads_goods *goods, uint32_t kind, uint32_t *n);

/* What a kind belongs to: kind | relation << ADS_GOODS_LINK_SHIFT. */
const uint32_t *
ads_goods_belongs(const struct ads_goods *goods, uint32_t kind, uint32_t *n);

/* Is it that kind, or a narrower one? */
bool
ads_goods_is(const struct ads_goods *goods, uint32_t kind, uint32_t broader);

/* Is one of them the other, or a narrower kind of it? */
bool
ads_goods_in_line(const struct ads_goods *goods, uint32_t a, uint32_t b);

/* How `kind` belongs to `of` or to a broader kind of that; 0: it does not. */
enum ads_goods_relation
ads_goods_relation(const struct ads_goods *goods, uint32_t kind, uint32_t of);

/* The kind that `head`, a kind or ADS_GOODS_WORD | lemma, is when it belongs to
 * `of`, or ADS_GOODS_NONE. */
uint32_t
ads_goods_compose(const struct ads_goods *goods, uint32_t head, uint32_t of);

/* Is the lemma such a word, of whatever? */
bool
ads_goods_heads(const struct ads_goods *goods, uint32_t lemma);

/* The words that tell that an ambiguous name means the kind, as kind << 32 |
 * lemma; *n how many. */
const uint64_t *
ads_goods_near(const struct ads_goods *goods, uint32_t kind, uint32_t *n);

/* The sets of words of needs that a lemma is in, as need << 3 | slot. */
const uint32_t *
ads_goods_need_slots(const struct ads_goods *goods, uint32_t lemma,
                     uint32_t *n);

/* The kinds that a lemma hints at, as kind | weight << ADS_GOODS_HINT_SHIFT. */
const uint32_t *
ads_goods_hints(const struct ads_goods *goods, uint32_t lemma, uint32_t *n);

/* The need, or NULL for a number that is none. */
const struct ads_goods_need *
ads_goods_need_peek(const struct ads_goods *goods, uint32_t need);

/* The kind of a Google product category, or ADS_GOODS_NONE. */
uint32_t
ads_goods_google(const struct ads_goods *goods, uint32_t number);

#endif
