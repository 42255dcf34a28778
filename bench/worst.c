/*
 * Times the worst requests within limits that we know of, as decisions alone,
 * one core, no network: long, hostile and dense texts, and filters that let
 * few or no products pass, under campaigns that ask as much as they may.
 *
 *     worst [-p PASSES] [-c CAMPAIGNS] [-w WORD] [-v] PRODUCTS
 *
 * PRODUCTS   JSON lines, as tools/answers.c reads them
 * CAMPAIGNS  so many share the products, ten of an account (10,000)
 * WORD       put before each title, so that all match it: "guitar" is asked for
 * -v         every pair, not only the worst of each condition
 *
 * Prints per pair of condition and request the microseconds of processor time
 * (the best of PASSES) of the decision, and of what it understands the request
 * as; what the match read, asked its filter about and was refused; and how it
 * ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ads_decide.h"
#include "base/pool.h"
#include "tools/shop.h"

#define WORDS_MAX 800     /* the commonest of the products */
#define COUNTS (1u << 20) /* slots for words, a power of two */

struct count {
    struct ads_str word;
    uint32_t n;
    uint32_t last_ad; /* + 1 */
};

/* What campaigns ask, and what a request asks. */
struct condition {
    const char *name;
    void (*make)(struct shop *);
};

struct bench {
    struct shop shop;
    struct ads_tables tables;
    struct ads_text text;
    void *scratch;
    struct ads_str words[WORDS_MAX];
    uint32_t n_words;
    uint32_t n_campaigns;
    int passes;
    bool verbose;

    /* of the request being made */
    char query[ADS_BODY_QUERY_MAX];
    char keyword[ADS_BODY_KEYWORDS_MAX][128];
    struct ads_str keywords[ADS_BODY_KEYWORDS_MAX];
    char name[ADS_BODY_EXCLUDE_MAX][200];
    struct ads_str names[ADS_BODY_EXCLUDE_MAX];
    struct ads_uuid ids[ADS_BODY_EXCLUDE_MAX];
};


static _Noreturn void
fail(const char *what)
{
    (void)fprintf(stderr, "worst: %s\n", what);
    exit(1);
}


/* ---- the commonest words of the products --------------------------------- */

static void
word_count(struct count *counts, struct ads_str word, uint32_t ad)
{
    uint32_t slot = ads_index_hash(word.ptr, word.len) % COUNTS;

    while (counts[slot].n > 0 && !ads_str_equal(counts[slot].word, word)) {
        slot = (slot + 1) % COUNTS;
    }
    counts[slot].word = word;
    counts[slot].n += counts[slot].last_ad != ad + 1;
    counts[slot].last_ad = ad + 1;
}


static void
words_count(struct bench *bench, struct count *counts, struct ads_str text,
            uint32_t ad)
{
    size_t from = 0;
    char *lower = pool_text(bench->shop.pool, text);

    for (size_t i = 0; i <= text.len; i++) {
        lower[i] = i < text.len ? ads_char_lower(lower[i]) : '\0';
        if (i == text.len || lower[i] < 'a' || lower[i] > 'z') {
            struct ads_str word = {lower + from, i - from};

            if (word.len > 2 && word.len < 20
                && ads_text_filler(word) == ADS_TEXT_CONTENT) {
                word_count(counts, word, ad);
            }
            from = i + 1;
        }
    }
}


static int
count_compare(const void *a, const void *b)
{
    uint32_t one = ((const struct count *)a)->n;
    uint32_t other = ((const struct count *)b)->n;

    return one < other ? 1 : one > other ? -1 : 0;
}


static void
words_find(struct bench *bench)
{
    struct count *counts = xcalloc(COUNTS, sizeof(*counts));

    for (uint32_t i = 0; i < bench->shop.n_ads; i++) {
        words_count(bench, counts, bench->shop.ads[i].title, i);
        words_count(bench, counts, bench->shop.ads[i].description, i);
    }
    qsort(counts, COUNTS, sizeof(*counts), count_compare);
    for (uint32_t i = 0; i < WORDS_MAX && counts[i].n > 0; i++) {
        bench->words[bench->n_words++] = counts[i].word;
    }
    free(counts);
    if (bench->n_words < WORDS_MAX) {
        fail("too few words");
    }
}


/* ---- requests ------------------------------------------------------------ */

/* Words of the list from `first` on, until so many bytes are full. */
static struct ads_str
words_join(struct bench *bench, uint32_t first, size_t room)
{
    static const char buy[] = "buy a guitar ";
    size_t len = sizeof(buy) - 1;

    memcpy(bench->query, buy, len);
    for (uint32_t i = first; i < bench->n_words; i++) {
        struct ads_str word = bench->words[i];

        if (word.len + 1 > room - len) {
            break;
        }
        memcpy(bench->query + len, word.ptr, word.len);
        len += word.len;
        bench->query[len++] = ' ';
    }
    return (struct ads_str){bench->query, len - 1};
}


/* The same bytes again and again behind "buy ". */
static struct ads_str
repeat(struct bench *bench, const char *text)
{
    size_t len = 4, n = strlen(text);

    memcpy(bench->query, "buy ", len);
    for (; len + n <= sizeof(bench->query); len += n) {
        memcpy(bench->query + len, text, n);
    }
    return (struct ads_str){bench->query, len};
}


static void
one_word(struct bench *bench, struct ads_ask *ask)
{
    ask->query = words_join(bench, 0, 16);
}


static void
sixty_words(struct bench *bench, struct ads_ask *ask)
{
    ask->query = words_join(bench, 0, 400);
}


/* What people write, not what they could. */
static void
chat(struct bench *bench, struct ads_ask *ask)
{
    (void)bench;
    ask->query = (struct ads_str)ADS_STR(
        "so my daughter starts college in september and her old laptop takes "
        "ten minutes to boot and the battery is dead after an hour. she "
        "mostly writes papers and watches series in bed, now and then a bit "
        "of photo editing. it should be light enough for her backpack and "
        "cost less than $700. which one should i buy her?");
}


static void
longest(struct bench *bench, struct ads_ask *ask)
{
    ask->query = words_join(bench, 0, sizeof(bench->query));
}


static void
one_letter(struct bench *bench, struct ads_ask *ask)
{
    ask->query = repeat(bench, "a");
}


/* What the search takes long for, then what the guard does. */
static void
words_and_letters(struct bench *bench, struct ads_ask *ask)
{
    size_t len = words_join(bench, 0, 400).len;

    for (; len + 2 <= sizeof(bench->query); len += 2) {
        memcpy(bench->query + len, " a", 2);
    }
    ask->query = (struct ads_str){bench->query, len};
}


static void
letters_apart(struct bench *bench, struct ads_ask *ask)
{
    ask->query = repeat(bench, "a ");
}


static void
numbers(struct bench *bench, struct ads_ask *ask)
{
    ask->query = repeat(bench, "1/2 in. x 3 ");
}


static void
kinds_named(struct bench *bench, struct ads_ask *ask)
{
    ask->query = repeat(bench, "laptop case for my phone or a printer, ");
}


static void
compounds(struct bench *bench, struct ads_ask *ask)
{
    ask->query = repeat(bench, "fahrradanhaengerkupplungsschutzhuellez ");
}


/* Words that are nearly words of products. */
static void
misspelt(struct bench *bench, struct ads_ask *ask)
{
    ask->query = words_join(bench, 100, sizeof(bench->query));
    for (size_t i = 4; i + 2 < ask->query.len; i++) {
        if (bench->query[i - 1] == ' ' && bench->query[i + 1] != ' ') {
            bench->query[i + 1] = bench->query[i + 1] == 'x' ? 'q' : 'x';
        }
    }
}


static void
ligatures(struct bench *bench, struct ads_ask *ask)
{
    /* one character that folds to eighteen */
    ask->query = repeat(bench, "\xef\xb7\xba");
}


static void
hangul(struct bench *bench, struct ads_ask *ask)
{
    ask->query = repeat(bench, "\xeb\x85\xb8\xed\x8a\xb8\xeb\xb6\x81 ");
}


static void
accents(struct bench *bench, struct ads_ask *ask)
{
    ask->query = repeat(bench, "a\xcc\x81\xcc\xa3");
}


/* What many products are. */
static void
common_kinds(struct bench *bench, struct ads_ask *ask)
{
    (void)bench;
    ask->query = (struct ads_str)ADS_STR(
        "i want to buy a guitar, headphones, a laptop or a toy for my kids");
}


static void
one_kind(struct bench *bench, struct ads_ask *ask)
{
    (void)bench;
    ask->query = (struct ads_str)ADS_STR("buy a guitar");
}


static void
keywords(struct bench *bench, struct ads_ask *ask)
{
    struct ads_str all = words_join(bench, 0, sizeof(bench->query));

    for (uint32_t i = 0; i < ADS_BODY_KEYWORDS_MAX; i++) {
        memcpy(bench->keyword[i], all.ptr + 4 + i * 100, 128);
        bench->keywords[i] = (struct ads_str){bench->keyword[i], 128};
    }
    ask->keywords = bench->keywords;
    ask->n_keywords = ADS_BODY_KEYWORDS_MAX;
}


static void
currency(struct bench *bench, struct ads_ask *ask)
{
    sixty_words(bench, ask);
    memcpy(ask->currency, "XTS", 3);
}


static void
price(struct bench *bench, struct ads_ask *ask)
{
    static const char bound[] = " under $0.01";
    struct ads_str query = words_join(bench, 0, 400);

    memcpy(bench->query + query.len, bound, sizeof(bound) - 1);
    ask->query = (struct ads_str){query.ptr, query.len + sizeof(bound) - 1};
}


/* Categories that no product has; all begin alike. */
static void
not_categories(struct bench *bench, struct ads_ask *ask)
{
    sixty_words(bench, ask);
    for (uint32_t i = 0; i < ADS_BODY_EXCLUDE_MAX; i++) {
        memset(bench->name[i], 'c', sizeof(bench->name[i]));
        bench->name[i][199] = (char)('0' + i);
        bench->names[i] = (struct ads_str){bench->name[i], 200};
    }
    ask->not_categories = bench->names;
    ask->n_not_categories = ADS_BODY_EXCLUDE_MAX;
}


/* All categories that the catalogue has, as far as 64 names go. */
static void
no_category(struct bench *bench, struct ads_ask *ask)
{
    uint32_t n = 0;

    sixty_words(bench, ask);
    for (uint32_t i = 0; i < bench->shop.n_ads && n < ADS_BODY_EXCLUDE_MAX; i++)
    {
        struct ads_str list = bench->shop.ads[i].categories;
        bool known = list.len == 0;

        list = ads_target_line(&list);
        for (uint32_t k = 0; k < n && !known; k++) {
            known = ads_str_equal(bench->names[k], list);
        }
        if (!known) {
            bench->names[n++] = list;
        }
    }
    ask->not_categories = bench->names;
    ask->n_not_categories = n;
}


static void
not_advertisers(struct bench *bench, struct ads_ask *ask)
{
    not_categories(bench, ask);
    ask->not_advertisers = bench->names;
    ask->n_not_advertisers = ADS_BODY_EXCLUDE_MAX;
    ask->n_not_categories = 0;
}


static void
not_ads(struct bench *bench, struct ads_ask *ask)
{
    sixty_words(bench, ask);
    ask->not_ads = bench->ids;
    ask->n_not_ads = ADS_BODY_EXCLUDE_MAX;
}


static void
floor_high(struct bench *bench, struct ads_ask *ask)
{
    sixty_words(bench, ask);
    ask->floor_micros = INT64_C(1000000000000000);
}


static void
language(struct bench *bench, struct ads_ask *ask)
{
    sixty_words(bench, ask);
    ask->language = (struct ads_str)ADS_STR("de");
}


static const struct {
    const char *name;
    void (*make)(struct bench *, struct ads_ask *);
} requests[] = {
    {"one dense word", one_word},
    {"60 words", sixty_words},
    {"a chat of 60 words", chat},
    {"8 KiB of words", longest},
    {"8 KiB of one letter", one_letter},
    {"8 KiB of letters apart", letters_apart},
    {"60 words, then letters apart", words_and_letters},
    {"8 KiB of numbers and units", numbers},
    {"8 KiB of kinds", kinds_named},
    {"8 KiB of long words", compounds},
    {"8 KiB misspelt", misspelt},
    {"8 KiB of ligatures", ligatures},
    {"8 KiB of Hangul", hangul},
    {"8 KiB of accents", accents},
    {"four common kinds", common_kinds},
    {"a common kind", one_kind},
    {"20 keywords", keywords},
    {"a currency none has", currency},
    {"a price none has", price},
    {"64 categories excluded, none there", not_categories},
    {"64 categories excluded", no_category},
    {"64 advertisers excluded", not_advertisers},
    {"64 ads excluded", not_ads},
    {"a floor none reaches", floor_high},
    {"a language none has", language},
};


/* ---- conditions ---------------------------------------------------------- */

static void
nothing_asked(struct shop *shop)
{
    (void)shop;
}


/* A list of n lines of `len` bytes, alike but for their ends. */
static struct ads_str
lines_make(struct shop *shop, uint32_t n, uint32_t len)
{
    char *text = pool_alloc(shop->pool, (size_t)n * (len + 1));

    memset(text, 'c', (size_t)n * (len + 1));
    for (uint32_t i = 0; i < n; i++) {
        char *end = text + (size_t)(i + 1) * (len + 1);

        end[-1] = '\n';
        end[-2] = (char)('a' + i % 26);
        end[-3] = (char)('a' + i / 26);
    }
    return (struct ads_str){text, (size_t)n * (len + 1)};
}


static void
categories_asked(struct shop *shop)
{
    struct ads_str list = lines_make(shop, 100, 200);

    for (uint32_t i = 0; i < shop->n_campaigns; i++) {
        shop->campaigns[i].target.categories = list;
    }
}


static void
categories_short(struct shop *shop)
{
    struct ads_str list = lines_make(shop, 100, 8);

    for (uint32_t i = 0; i < shop->n_campaigns; i++) {
        shop->campaigns[i].target.categories = list;
    }
}


static void
one_category(struct shop *shop)
{
    for (uint32_t i = 0; i < shop->n_campaigns; i++) {
        shop->campaigns[i].target.categories =
            (struct ads_str)ADS_STR("none\n");
    }
}


static void
keywords_asked(struct shop *shop)
{
    static struct ads_snap_keyword room[2000];
    const struct ads_text text = {NULL};
    uint16_t n = shop->n_campaigns > 1000 ? 200 : 2000;
    char written[64];

    for (int i = 0; i < n; i++) {
        (void)snprintf(written, sizeof(written), "model%d x%d", i, i % 7);
        if (!ads_target_keyword_read(
                &room[i], &text, (struct ads_str){written, strlen(written)}))
        {
            fail("a keyword cannot be read");
        }
    }
    for (uint32_t i = 0; i < shop->n_campaigns; i++) {
        shop->campaigns[i].target.keywords = room;
        shop->campaigns[i].target.n_keywords = n;
    }
}


static void
publishers_asked(struct shop *shop)
{
    static struct ads_uuid ids[500];

    for (uint32_t i = 0; i < 500; i++) {
        ids[i] = shop_id(7, i);
    }
    for (uint32_t i = 0; i < shop->n_campaigns; i++) {
        shop->campaigns[i].target.publishers = ids;
        shop->campaigns[i].target.n_publishers =
            (uint16_t)(shop->n_campaigns > 1000 ? 100 : 500);
    }
}


/* Where none of them may be shown. */
static void
places_asked(struct shop *shop)
{
    static struct ads_snap_place places[500];

    for (uint32_t i = 0; i < 500; i++) {
        places[i].place = (struct ads_place){{'Z', (char)('A' + i % 26)},
                                             {(char)('A' + i / 26), 'A', 0}};
    }
    for (uint32_t i = 0; i < shop->n_campaigns; i++) {
        shop->campaigns[i].places = places;
        shop->campaigns[i].n_places = 500;
    }
}


static const struct condition conditions[] = {
    {"nothing asked", nothing_asked},
    {"one category, of none", one_category},
    {"100 short categories, of none", categories_short},
    {"100 long categories, of none", categories_asked},
    {"keywords, none there", keywords_asked},
    {"publishers, others", publishers_asked},
    {"500 places, others", places_asked},
};


/* ---- measuring ----------------------------------------------------------- */

static double
cpu_us(void)
{
    struct timespec at;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}


static struct ads_ask
ask_make(struct bench *bench, size_t request)
{
    struct ads_ask ask = {.query = ADS_STR("buy one"),
                          .currency = {'U', 'S', 'D'},
                          .placement = ads_placement_known(1),
                          .place = {{'U', 'S'}, {0}},
                          .max = ADS_DECIDE_MAX,
                          .test = true,
                          .hash = 1,
                          .now_ms = 1};

    requests[request].make(bench, &ask);
    return ask;
}


/* What reading the request alone takes, of it all. */
static double
understanding_time(struct bench *bench, struct ads_str query)
{
    static struct ads_understood understood;
    double best = 0;

    for (int i = 0; i < bench->passes; i++) {
        double from = cpu_us(), took;

        ads_understand(&understood, &bench->tables.goods, &bench->tables.index,
                       query, (struct ads_str)ADS_STR("en"));
        took = cpu_us() - from;
        best = i == 0 || took < best ? took : best;
    }
    return best;
}


/* The best of all passes. */
static double
request_time(struct bench *bench, size_t request, bool print)
{
    struct ads_ask ask = ask_make(bench, request);
    struct ads_decision decision;
    const struct ads_trace *trace = &decision.trace;
    double best = 0;

    for (int i = 0; i < bench->passes; i++) {
        double from = cpu_us(), took;

        ads_decide(&decision, &bench->tables, NULL, &ask, &bench->text,
                   bench->scratch);
        took = cpu_us() - from;
        best = i == 0 || took < best ? took : best;
    }
    if (print) {
        printf("  %8.1f %6.1f  %-36s %6u postings, %6u asked about, %6u "
               "refused%s; "
               "%s\n",
               best, understanding_time(bench, ask.query),
               requests[request].name, trace->match.postings,
               trace->match.candidates, trace->match.refused,
               trace->match.cut ? ", cut" : "",
               decision.n > 0 ? "shown" : ads_reason_name(decision.reason));
    }
    return best;
}


static void
condition_time(struct bench *bench, const struct condition *condition)
{
    size_t n = sizeof(requests) / sizeof(*requests), worst = 0;
    double most = 0;

    shop_campaigns(&bench->shop, bench->n_campaigns,
                   (bench->n_campaigns + 9) / 10);
    condition->make(&bench->shop);
    shop_tables(&bench->tables, &bench->shop);
    free(bench->scratch);
    bench->scratch = shop_scratch(&bench->tables);
    printf("%s\n", condition->name);
    for (size_t i = 0; i < n; i++) {
        double took = request_time(bench, i, bench->verbose);

        worst = took > most ? i : worst;
        most = took > most ? took : most;
    }
    if (!bench->verbose) {
        (void)request_time(bench, worst, true);
    }
    (void)fflush(stdout);
}


/* Deals the products to the campaigns; all speak English, and have the word. */
static void
ads_change(struct bench *bench, const char *word)
{
    for (uint32_t i = 0; i < bench->shop.n_ads; i++) {
        struct snap_ad_row *ad = &bench->shop.ads[i];

        ad->campaign = shop_id(SHOP_CAMPAIGN, i % bench->n_campaigns);
        memcpy(ad->language, "en", 2);
        if (word != NULL) {
            ad->title.ptr = pool_format(bench->shop.pool, &ad->title.len,
                                        "%s %s", word, ad->title.ptr);
        }
    }
}


int
main(int argc, char **argv)
{
    static struct bench bench = {.passes = 5, .n_campaigns = 10000};
    const char *word = NULL;
    int option;

    while ((option = getopt(argc, argv, "p:c:w:v")) != -1) {
        switch (option) {
        case 'p':
            bench.passes = atoi(optarg);
            break;
        case 'c':
            bench.n_campaigns = (uint32_t)atoi(optarg);
            break;
        case 'w':
            word = optarg;
            break;
        case 'v':
            bench.verbose = true;
            break;
        default:
            return 2;
        }
    }
    if (argc - optind != 1 || bench.passes < 1 || bench.n_campaigns < 1) {
        (void)fprintf(stderr, "usage: worst [-p PASSES] [-c CAMPAIGNS] "
                              "[-w WORD] [-v] PRODUCTS\n");
        return 2;
    }
    shop_read(&bench.shop, argv[optind]);
    ads_change(&bench, word);
    words_find(&bench);
    shop_base(&bench.shop, "data/goods");
    bench.text.stemmer = sb_stemmer_new("english", NULL);
    for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
        condition_time(&bench, &conditions[i]);
    }
    sb_stemmer_delete(bench.text.stemmer);
    free(bench.scratch);
    shop_free(&bench.shop);
    return 0;
}
