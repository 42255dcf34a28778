/*
 * Guard: topics for which no ad is ever shown, whatever is paid: a table of
 * words and phrases in English, German, Spanish and French, matched on whole
 * words.  It runs before the intent model and sees the whole query.  What tells
 * of such a topic without naming it, that model is trained to find.
 *
 * Ordinary goods whose names contain such a word ("glue gun", "baby shower
 * gift", "knee brace") are listed in the same table as harmless.
 *
 * A query without a topic is read a second time when it has the look of a
 * disguise ("v i a g r a", "c0caine", letters of other scripts): see
 * ads_spelling.h.
 *
 * The table is text under data/guard/ that adsd compiles
 * (adsd/tables/guard_list.h) into a section of the base, from where it is used
 * as it lies; it is borrowed, never copied, and must outlive the struct
 * ads_guard.
 *
 * Layout of that section, version 1, little-endian, 8-byte aligned:
 *
 *    0  u8[8]   magic "ADSGUARD"
 *    8  u32     byte order mark 0x01020304
 *   12  u16     version, 1
 *   14  u16     bits: there are 2^bits places, 4 <= bits <= 15
 *   16  u32     n: phrases, at most ADS_GUARD_PHRASES_MAX
 *   20  u32[2]  zero
 *   28  u32     CRC-32C of bytes 0..27 and of everything from 32 on
 *   32  places, 8 bytes each: where the phrases begin that share their first
 *               letters, open addressing by key, at least half of them empty
 *      +0  u32  key: up to four bytes of a phrase's first word, the first one
 *               highest; 0: empty
 *      +4  u16  the first of them
 *      +6  u16  how many
 *   then phrases, 48 bytes each, in byte order; the section ends with them
 *      +0  u8[46] text, a NUL and zeros behind it
 *     +46  u8   where its second word begins; 0: it has none
 *     +47  u8   meaning (ads_guard_topic or ads_guard_meaning)
 *
 * A phrase is one to ADS_GUARD_WORDS_MAX words with a space between them, each
 * folded as by ads_fold_word() and without its plural s, or the beginning of a
 * word, four bytes or more, and '*'.  '#' stands for a number from 10 to 17,
 * not in first place.
 */
#ifndef ADS_GUARD_H
#define ADS_GUARD_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_GUARD_HEADER_LEN 32
#define ADS_GUARD_PHRASES_MAX 16000
#define ADS_GUARD_WORDS_MAX 6
#define ADS_GUARD_PHRASE_MAX 45 /* bytes */
#define ADS_GUARD_PREFIX_MIN 4  /* bytes before '*' */
#define ADS_GUARD_KEY_LEN 4

enum ads_guard_topic {
    ADS_GUARD_NONE = 0,
    ADS_GUARD_SELF_HARM,
    ADS_GUARD_HEALTH, /* symptoms, diagnoses, medicines, treatments */
    ADS_GUARD_PREGNANCY,
    ADS_GUARD_ABUSE,
    ADS_GUARD_GRIEF,
    ADS_GUARD_DEBT,
    ADS_GUARD_LEGAL,  /* arrest, detention, asylum */
    ADS_GUARD_BELIEF, /* politics and religion */
    ADS_GUARD_MINORS, /* the young and what is age-restricted, or weight */
    ADS_GUARD_SEXUAL,
    ADS_GUARD_WEAPONS,
    ADS_GUARD_DRUGS, /* also tobacco and vaping */
    ADS_GUARD_GAMBLING,
    ADS_GUARD_FORGERY,
    ADS_GUARD_SPYING,
    ADS_GUARD_HARM,    /* anything else meant to harm */
    ADS_GUARD_N_TOPICS /* not a topic */
};

/* Named like a topic where no phrase finds one, but the request reads like
 * those that are sensitive: core/ads_intent.h. */
#define ADS_GUARD_STORY "story"

/* What a phrase may say besides a topic. */
enum ads_guard_meaning {
    ADS_GUARD_HARMLESS = ADS_GUARD_N_TOPICS, /* its words mean goods */
    ADS_GUARD_YOUNG,                         /* a minor asks */
    ADS_GUARD_GROWN_UP,                      /* nothing for a minor */
    ADS_GUARD_N_MEANINGS                     /* not a meaning */
};

struct ads_guard_place {
    uint32_t key;
    uint16_t first;
    uint16_t n;
};

/* The text is in the phrase itself: no pointer to follow. */
struct ads_guard_phrase {
    char text[ADS_GUARD_PHRASE_MAX + 1];
    uint8_t second;
    uint8_t meaning;
};

struct ads_guard {
    const struct ads_guard_place *places;
    const struct ads_guard_phrase *phrases;
    uint32_t mask; /* places - 1 */
};

/*
 * Opens a section of len bytes, 8-byte aligned, and fills *guard.
 * ADS_UNSUPPORTED: no such section, or of a version or byte order not known
 * here.  ADS_DAMAGED: a size, a bound or the checksum does not fit.
 */
ADS_MUST enum ads_err
ads_guard_open(const void *bytes, size_t len, struct ads_guard *guard);

/*
 * The encoder, of n phrases in byte order, none twice, their texts zero padded:
 * ads_guard_measure() says how long the section will be, ads_guard_write()
 * fills it.
 */
size_t
ads_guard_measure(const struct ads_guard_phrase *phrases, size_t n);
void
ads_guard_write(void *bytes, const struct ads_guard_phrase *phrases, size_t n);

/*
 * The first sensitive topic that the query touches, or ADS_GUARD_NONE.  Any
 * bytes of any length are taken; invalid UTF-8 separates words.
 */
enum ads_guard_topic
ads_guard_check(const struct ads_guard *guard, struct ads_str query);

/* A stable lower-case name for explanations, such as "self_harm"; "none" for
 * ADS_GUARD_NONE and for values that are no topic. */
const char *
ads_guard_name(enum ads_guard_topic topic);

#endif
