/*
 * Any bytes as a text to be split into words, and as a query against a good
 * index: spans rise and stay inside the text, lengths stay inside their bounds,
 * a pruned search finds what an exhaustive one finds, and work is bounded.
 */
#include "ads_match.h"

#include <utf8proc.h>

#include "tables.h"

#define LEN_MAX 8192
#define WORK_US 400000 /* many times what 8 KiB take, sanitized */

static struct t_tables t;
static struct ads_index found_index;
static void *scratch;


static void
index_make(void)
{
    struct ads_base base;

    fuzz_tables_build(&t);
    fuzz_must(
        ads_base_open(&base, t.base.bytes, t.base.len) == ADS_OK
            && ads_index_open(base.index.bytes, base.index.len, &found_index)
                   == ADS_OK,
        "the good index is one");
    scratch =
        aligned_alloc(64, (ads_match_scratch_len(&found_index) + 63) & ~63ul);
}


static bool
is_utf8(const char *bytes, size_t len)
{
    utf8proc_int32_t code;

    while (len > 0) {
        utf8proc_ssize_t n =
            utf8proc_iterate((const uint8_t *)bytes, (long)len, &code);

        if (n <= 0) {
            return false;
        }
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}


static void
words_must(struct ads_str text)
{
    struct ads_text_reader reader;
    struct ads_text_word word;
    struct ads_str stem;
    uint32_t n = 0, from = 0;

    ads_text_init(&reader, text);
    while (ads_text_next(&reader, &word)) {
        n++;
        fuzz_must(n <= ADS_TEXT_WORDS_MAX, "no more words than promised");
        fuzz_must(word.from < word.to && word.to <= text.len
                      && word.from >= from,
                  "spans rise inside the text");
        from = word.from;
        fuzz_must(word.len > 0 && word.len <= ADS_TEXT_WORD_MAX
                      && is_utf8(word.bytes, word.len),
                  "a word is a short text");
        stem = ads_text_stem(&t.text, &word);
        fuzz_must(stem.len <= ADS_TEXT_WORD_MAX + 1, "so is its stem");
        (void)ads_text_filler((struct ads_str){word.bytes, word.len});
    }
    fuzz_must(!ads_text_next(&reader, &word) || n == ADS_TEXT_WORDS_MAX,
              "the end is the end");
}


static void
query_must(const struct ads_match_query *query, size_t len)
{
    fuzz_must(query->n_words <= ADS_MATCH_WORDS
                  && query->n_groups <= ADS_MATCH_GROUPS,
              "words and groups inside their bounds");
    fuzz_must(query->head == ADS_MATCH_NO_GROUP
                  || query->head < query->n_groups,
              "the head noun is one of the groups");
    for (uint32_t i = 0; i < query->n_words; i++) {
        fuzz_must(query->words[i].from <= query->words[i].to
                      && query->words[i].to <= len,
                  "a word's span is inside the query");
        fuzz_must(query->words[i].group == ADS_MATCH_NO_GROUP
                      || query->words[i].group < query->n_groups,
                  "a word's group is one of the query");
    }
    for (uint32_t i = 0; i < query->n_groups; i++) {
        fuzz_must(query->groups[i].n_alternatives <= ADS_MATCH_ALTERNATIVES,
                  "alternatives inside their bounds");
    }
}


static void
match_must(struct ads_str text)
{
    static struct ads_match_hit hits[ADS_MATCH_DEPTH], all[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct ads_match_stats stats;
    uint32_t n, n_all;

    ads_match_read(&found_index, &t.text, text, NULL, &query);
    query_must(&query, text.len);
    n = ads_match_run(&found_index, &query, NULL, 0, scratch, hits,
                      ADS_MATCH_DEPTH, &stats);
    fuzz_must(n <= ADS_MATCH_DEPTH, "hits fit their room");
    n_all = ads_match_run(&found_index, &query, NULL, ADS_MATCH_EXHAUSTIVE,
                          scratch, all, ADS_MATCH_DEPTH, &stats);
    fuzz_must(n == n_all, "pruning loses no hit");
    for (uint32_t i = 0; i < n; i++) {
        fuzz_must(hits[i].doc == all[i].doc && hits[i].score == all[i].score,
                  "and changes no order");
        fuzz_must(hits[i].doc < found_index.n_docs
                      && hits[i].score <= ADS_MATCH_UNIT
                      && (i == 0 || hits[i].score <= hits[i - 1].score),
                  "hits fall in score");
        (void)ads_match_groups(&found_index, &query, hits[i].doc);
        (void)ads_match_is_relevant(&query, &hits[i]);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    int64_t begin;
    char *text;

    if (scratch == NULL) {
        index_make();
    }
    if (len > LEN_MAX) {
        return 0;
    }
    text = fuzz_copy(bytes, len);
    begin = fuzz_cpu_us();
    words_must((struct ads_str){text, len});
    match_must((struct ads_str){text, len});
    fuzz_must(fuzz_cpu_us() - begin < WORK_US, "work is bounded");
    free(text);
    return 0;
}
