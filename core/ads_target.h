/*
 * Targeting of a campaign beyond place and placement: words, languages,
 * publishers, categories of its own products.
 *
 * Keywords are read as queries are: folded and stemmed, in any order.  A
 * keyword fits a request when all its words are among the first
 * ADS_TARGET_QUERY_WORDS of the query (and of the keywords that the publisher
 * sent along); stop words do not count unless a keyword has no others, amounts
 * never do.  Words are compared by 32-bit hashes.
 *
 * The rows of a campaign's keywords are sorted by their first word, the rarest
 * of the list, so that one look costs some hundred steps at most where few
 * keywords share it.
 */
#ifndef ADS_TARGET_H
#define ADS_TARGET_H

#include "ads_snap.h"
#include "ads_text.h"

#define ADS_TARGET_QUERY_WORDS 32

/* The words of a request, each once, in order of their hashes. */
struct ads_target_words {
    uint32_t n;
    uint32_t hash[ADS_TARGET_QUERY_WORDS];
};

void
ads_target_words_read(struct ads_target_words *words,
                      const struct ads_text *text, struct ads_str query);

/* Reads a keyword of a campaign.  False when it has no word, or more than
 * ADS_SNAP_KEYWORD_WORDS. */
ADS_MUST bool
ads_target_keyword_read(struct ads_snap_keyword *keyword,
                        const struct ads_text *text, struct ads_str written);

/* Puts the rarest word of each keyword first and sorts them.  `count` is
 * scratch for n x ADS_SNAP_KEYWORD_WORDS numbers. */
void
ads_target_keywords_sort(struct ads_snap_keyword *keywords, uint32_t n,
                         uint32_t *count);

/* Does one of the keywords of rows [first, first + n) fit? */
bool
ads_target_keywords_fit(const struct ads_head *head, uint32_t first, uint32_t n,
                        const struct ads_target_words *words);

/* Cuts the first line off a list whose texts have a newline behind; len 0: the
 * list is over, or the line is empty. */
struct ads_str
ads_target_line(struct ads_str *list);

/* Is the request's language one of the list, each lower case with a newline
 * behind?  "de" in the list holds "de-AT"; an unknown language is in none. */
bool
ads_target_language_fits(struct ads_str list, struct ads_str language);

bool
ads_target_publisher_fits(const struct ads_head *head,
                          const struct ads_snap_target *target,
                          const struct ads_uuid *publisher);

/* Lines of a list. */
uint32_t
ads_target_lines(struct ads_str list);

/* Writes the hashes of the lines of a list of categories, ascending; how
 * many. */
uint32_t
ads_target_categories_hash(struct ads_str list, uint32_t *hashes);

/* Has the list, whose lines have a newline behind each, one of the categories
 * that the target names? */
bool
ads_target_category_fits(const struct ads_head *head,
                         const struct ads_snap_target *target,
                         struct ads_str list);

/* May a product of that language (lower case, zero padded; zeros: unknown) be
 * shown to who speaks this one?  Only where both are known they may differ. */
bool
ads_target_speaks(const char ad_language[3], struct ads_str language);

#endif
