/*
 * Matches a request against the targeting of a campaign.  Lists are walked,
 * keywords are searched: no cost grows with the product of both sides.
 */
#include "ads_target.h"


/* FNV-1a; never 0, which stands for "no word". */
static uint32_t
hash_of(struct ads_str word)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < word.len; i++) {
        hash = (hash ^ (uint8_t)word.ptr[i]) * 16777619u;
    }
    return hash != 0 ? hash : 1;
}


static struct ads_str
bytes_of(const struct ads_text_word *word)
{
    return (struct ads_str){word->bytes, word->len};
}


/* Puts a number where it belongs in an ascending list of up to max, once. */
static uint32_t
number_put(uint32_t *list, uint32_t n, uint32_t max, uint32_t number)
{
    uint32_t at = n;

    while (at > 0 && list[at - 1] > number) {
        at--;
    }
    if (n == max || (at > 0 && list[at - 1] == number)) {
        return n;
    }
    for (uint32_t i = n; i > at; i--) {
        list[i] = list[i - 1];
    }
    list[at] = number;
    return n + 1;
}


void
ads_target_words_read(struct ads_target_words *words,
                      const struct ads_text *text, struct ads_str query)
{
    struct ads_text_reader reader;
    struct ads_text_word word;
    uint32_t n_read = 0;

    words->n = 0;
    ads_text_init(&reader, query);
    while (n_read < ADS_TARGET_QUERY_WORDS && ads_text_next(&reader, &word)) {
        n_read++;
        if (word.kind != ADS_TEXT_PRICE) {
            words->n = number_put(words->hash, words->n, ADS_TARGET_QUERY_WORDS,
                                  hash_of(ads_text_stem(text, &word)));
        }
    }
}


/* The words of a keyword, with or without stop words; too many are counted but
 * not kept. */
static uint32_t
keyword_words(struct ads_snap_keyword *keyword, const struct ads_text *text,
              struct ads_str written, bool stops)
{
    struct ads_text_reader reader;
    struct ads_text_word word;
    uint32_t n = 0;

    *keyword = (struct ads_snap_keyword){0};
    ads_text_init(&reader, written);
    while (ads_text_next(&reader, &word)) {
        if (word.kind == ADS_TEXT_PRICE
            || (!stops && ads_text_filler(bytes_of(&word)) == ADS_TEXT_STOP))
        {
            continue;
        }
        if (n < ADS_SNAP_KEYWORD_WORDS) {
            keyword->words[n] = hash_of(ads_text_stem(text, &word));
        }
        n++;
    }
    return n;
}


bool
ads_target_keyword_read(struct ads_snap_keyword *keyword,
                        const struct ads_text *text, struct ads_str written)
{
    uint32_t n = keyword_words(keyword, text, written, false);

    if (n == 0) {
        n = keyword_words(keyword, text, written, true);
    }
    return n > 0 && n <= ADS_SNAP_KEYWORD_WORDS;
}


/* ---- sorting: heaps, for core has no qsort ---- */

static bool
row_before(const struct ads_snap_keyword *a, const struct ads_snap_keyword *b)
{
    for (uint32_t i = 0; i < ADS_SNAP_KEYWORD_WORDS; i++) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i];
        }
    }
    return false;
}


static void
numbers_sift(uint32_t *list, uint32_t at, uint32_t n)
{
    for (uint32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        uint32_t number = list[at];

        child += child + 1 < n && list[child] < list[child + 1];
        if (number >= list[child]) {
            return;
        }
        list[at] = list[child];
        list[child] = number;
        at = child;
    }
}


static void
rows_sift(struct ads_snap_keyword *list, uint32_t at, uint32_t n)
{
    for (uint32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        struct ads_snap_keyword row = list[at];

        child += child + 1 < n && row_before(&list[child], &list[child + 1]);
        if (!row_before(&row, &list[child])) {
            return;
        }
        list[at] = list[child];
        list[child] = row;
        at = child;
    }
}


static void
numbers_sort(uint32_t *list, uint32_t n)
{
    for (uint32_t i = n / 2; i > 0; i--) {
        numbers_sift(list, i - 1, n);
    }
    for (uint32_t last = n; last > 1; last--) {
        uint32_t most = list[0];

        list[0] = list[last - 1];
        list[last - 1] = most;
        numbers_sift(list, 0, last - 1);
    }
}


static void
rows_sort(struct ads_snap_keyword *list, uint32_t n)
{
    for (uint32_t i = n / 2; i > 0; i--) {
        rows_sift(list, i - 1, n);
    }
    for (uint32_t last = n; last > 1; last--) {
        struct ads_snap_keyword most = list[0];

        list[0] = list[last - 1];
        list[last - 1] = most;
        rows_sift(list, 0, last - 1);
    }
}


/* The first place in an ascending list that is not below the number. */
static uint32_t
number_find(const uint32_t *list, uint32_t n, uint32_t number)
{
    uint32_t from = 0;

    while (from < n) {
        uint32_t middle = from + (n - from) / 2;

        if (list[middle] < number) {
            from = middle + 1;
        } else {
            n = middle;
        }
    }
    return from;
}


/* How often the word is in the sorted list of all words, up to 255. */
static uint32_t
times_of(const uint32_t *all, uint32_t n, uint32_t word)
{
    uint32_t at = number_find(all, n, word), times = 0;

    while (at < n && all[at] == word && times < 255) {
        at++;
        times++;
    }
    return times;
}


void
ads_target_keywords_sort(struct ads_snap_keyword *keywords, uint32_t n,
                         uint32_t *count)
{
    uint32_t n_words = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < ADS_SNAP_KEYWORD_WORDS; k++) {
            if (keywords[i].words[k] != 0) {
                count[n_words++] = keywords[i].words[k];
            }
        }
    }
    numbers_sort(count, n_words);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t *words = keywords[i].words, rarest = 0, least = UINT32_MAX;

        for (uint32_t k = 0; k < ADS_SNAP_KEYWORD_WORDS && words[k] != 0; k++) {
            uint32_t times = times_of(count, n_words, words[k]);

            if (times < least) {
                least = times;
                rarest = k;
            }
        }
        least = words[rarest];
        words[rarest] = words[0];
        words[0] = least;
    }
    rows_sort(keywords, n);
}


/* ---- asking ---- */

static bool
keyword_fits(const struct ads_snap_keyword *keyword,
             const struct ads_target_words *words)
{
    for (uint32_t k = 0;
         k < ADS_SNAP_KEYWORD_WORDS && (k == 0 || keyword->words[k] != 0); k++)
    {
        uint32_t at = number_find(words->hash, words->n, keyword->words[k]);

        if (at == words->n || words->hash[at] != keyword->words[k]) {
            return false;
        }
    }
    return true;
}


/* The first row of [from, to) whose first word is not below the number. */
static uint32_t
row_find(const struct ads_head *head, uint32_t from, uint32_t to,
         uint32_t number)
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const struct ads_snap_keyword *keyword = ads_head_keyword(head, middle);

        if (keyword != NULL && keyword->words[0] < number) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}


bool
ads_target_keywords_fit(const struct ads_head *head, uint32_t first, uint32_t n,
                        const struct ads_target_words *words)
{
    uint32_t end = n <= UINT32_MAX - first ? first + n : first;
    uint32_t from = first;

    for (uint32_t i = 0; i < words->n; i++) {
        const struct ads_snap_keyword *keyword;

        from = row_find(head, from, end, words->hash[i]);
        while (from < end && (keyword = ads_head_keyword(head, from)) != NULL
               && keyword->words[0] == words->hash[i])
        {
            if (keyword_fits(keyword, words)) {
                return true;
            }
            from++;
        }
    }
    return false;
}


struct ads_str
ads_target_line(struct ads_str *list)
{
    const char *end = memchr(list->ptr, '\n', list->len);
    struct ads_str line = {list->ptr, 0};

    line.len = end != NULL ? (size_t)(end - list->ptr) : list->len;
    list->ptr += line.len + (end != NULL);
    list->len -= line.len + (end != NULL);
    return line;
}


/* Is the lower-case tag the language, or what it begins with? */
static bool
tag_holds(struct ads_str tag, struct ads_str language)
{
    if (tag.len == 0 || tag.len > language.len) {
        return false;
    }
    for (size_t i = 0; i < tag.len; i++) {
        if (ads_char_lower(language.ptr[i]) != tag.ptr[i]) {
            return false;
        }
    }
    return tag.len == language.len || language.ptr[tag.len] == '-';
}


bool
ads_target_language_fits(struct ads_str list, struct ads_str language)
{
    while (list.len > 0) {
        if (tag_holds(ads_target_line(&list), language)) {
            return true;
        }
    }
    return false;
}


bool
ads_target_publisher_fits(const struct ads_head *head,
                          const struct ads_snap_target *target,
                          const struct ads_uuid *publisher)
{
    for (uint32_t i = 0; i < target->n_publishers; i++) {
        const struct ads_uuid *id =
            ads_head_target_id(head, target->publishers + i);

        if (id != NULL && ads_uuid_equal(id, publisher)) {
            return true;
        }
    }
    return false;
}


uint32_t
ads_target_lines(struct ads_str list)
{
    uint32_t n = 0;

    while (list.len > 0) {
        (void)ads_target_line(&list);
        n++;
    }
    return n;
}


uint32_t
ads_target_categories_hash(struct ads_str list, uint32_t *hashes)
{
    uint32_t n = 0;

    while (list.len > 0) {
        hashes[n++] = hash_of(ads_target_line(&list));
    }
    numbers_sort(hashes, n);
    return n;
}


static bool
line_holds(struct ads_str list, struct ads_str line)
{
    while (list.len > 0) {
        if (ads_str_equal(ads_target_line(&list), line)) {
            return true;
        }
    }
    return false;
}


/* Hashes tell what is not there; what may be is compared. */
bool
ads_target_category_fits(const struct ads_head *head,
                         const struct ads_snap_target *target,
                         struct ads_str list)
{
    uint32_t n;
    const uint32_t *hashes = ads_head_category_hashes(head, target, &n);

    while (list.len > 0) {
        struct ads_str line = ads_target_line(&list);
        uint32_t hash = hash_of(line), at = number_find(hashes, n, hash);

        if (line.len > 0 && (n == 0 || (at < n && hashes[at] == hash))
            && line_holds(ads_head_categories(head, target), line))
        {
            return true;
        }
    }
    return false;
}


bool
ads_target_speaks(const char ad_language[3], struct ads_str language)
{
    struct ads_str tag = {ad_language, 3};

    while (tag.len > 0 && tag.ptr[tag.len - 1] == '\0') {
        tag.len--;
    }
    return tag.len == 0 || language.len == 0 || tag_holds(tag, language);
}
