/*
 * The ontology: what its text compiles to, which names a text mentions, what a
 * request wants and what a product is taken for.
 */
#include "tables.h"

#include <unistd.h>

#include "tables/goods_score.h"
#include "tables/goods_taken.h"

static struct ads_goods goods;
static struct ads_str image;
static struct ads_understood understood;


static int
setup(void **state)
{
    (void)state;
    image = t_goods();
    return ads_goods_open(image.ptr, image.len, &goods) == ADS_OK ? 0 : -1;
}


static int
teardown(void **state)
{
    (void)state;
    free((char *)image.ptr);
    return 0;
}


static const struct ads_wish *
understand(const char *request)
{
    ads_understand(&understood, &goods, NULL, t_str(request), ADS_STR(""));
    return &understood.wish;
}


/* The id of the kind that a request wants most, "-" for none. */
static const char *
wanted(const char *request)
{
    static char id[ADS_GOODS_ID_MAX + 1];
    const struct ads_wish *wish = understand(request);
    struct ads_str found = {"-", 1};

    if (wish->n_kinds > 0) {
        found = ads_goods_id(&goods, wish->kinds[0]);
    }
    memcpy(id, found.ptr, found.len);
    id[found.len] = '\0';
    return id;
}


/* The id of what a product of that title and category is taken for. */
static const char *
taken(const char *title, const char *category)
{
    static char id[ADS_GOODS_ID_MAX + 1];
    struct goods_taker *taker = goods_taker_new(&goods);
    const struct goods_product product = {.title = t_str(title),
                                          .categories = t_str(category)};
    struct ads_str found =
        ads_goods_id(&goods, goods_take(taker, &product).kind);

    if (found.len == 0) {
        found = ADS_STR("-");
    }
    memcpy(id, found.ptr, found.len);
    id[found.len] = '\0';
    goods_taker_free(taker);
    return id;
}


/* ---- the text ---- */

/* Compiles a text of our own; the first line of what was wrong in `fault`. */
static enum ads_err
compile(const char *text, char fault[256])
{
    char path[] = "/tmp/goodsXXXXXX";
    int fd = mkstemp(path);
    FILE *errors = tmpfile();
    struct ads_str made = {NULL, 0};
    enum ads_err err;

    assert_true(fd >= 0 && errors != NULL);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    err = goods_load("t/goods", path, &made, errors);
    rewind(errors);
    if (fgets(fault, 256, errors) == NULL) {
        fault[0] = '\0';
    }
    (void)fclose(errors);
    unlink(path);
    assert_true((err == ADS_OK) == (made.ptr != NULL));
    free((char *)made.ptr);
    return err;
}


static void
a_mistake_is_told_with_its_line(void **state)
{
    static const struct {
        const char *text;
        const char *told;
    } wrong[] = {
        {"[Bad Id]\n", ":1: an id is"},
        {"en: lost name\n", ":1: expected [id]"},
        {"[x] goods\ncolour: red\n", ":2: no such key"},
        {"[x] nowhere\nen: thing\n", ":1: [x]: no such broader kind"},
        {"[x] goods\nen: a b c d e f g h i\n", ":2: [x]: a name has"},
        {"[x] goods\nen: thing\npart: nothing\n", ":3: [x]: no such kind"},
        {"[x] goods\nen: thing\nneed: alone\n", ":3: [x]: a need has"},
        {"[x] goods\nen: thing\ngoogle: many\n", ":3: [x]: not a category"},
        {"[x] goods\nen: thing\nattr: nosuch\n", ":3: [x]: no such attribute"},
        {"[x] goods, y\nen: thing\n\n[y] x\nen: other\n", "than itself"},
        {"[nosuch] cue\nen: word\n", ":1: no such cue"},
        {"[x\n", ":1: a head line needs"},
        {"[x] goods\nen: \xff\n", "not UTF-8"},
    };
    char fault[256];

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_int_not_equal(compile(wrong[i].text, fault), ADS_OK);
        if (strstr(fault, wrong[i].told) == NULL) {
            fail_msg("\"%s\" is not reported in: %s", wrong[i].told, fault);
        }
    }
    assert_int_equal(compile("# nothing\n[x] goods\nen: thing\n", fault),
                     ADS_OK);
    assert_string_equal(fault, "");
}


static void
a_file_of_the_operator_adds_names(void **state)
{
    struct ads_str more;
    struct ads_goods both;
    FILE *file = fopen("/tmp/goods-more.txt", "w");

    (void)state;
    fputs("[kettle]\nen: water boiler\n", file);
    (void)fclose(file);
    assert_int_equal(
        goods_load("t/goods", "/tmp/goods-more.txt", &more, stderr), ADS_OK);
    assert_int_equal(ads_goods_open(more.ptr, more.len, &both), ADS_OK);
    ads_understand(&understood, &both, NULL, t_str("water boiler"),
                   ADS_STR(""));
    assert_int_equal(understood.wish.n_kinds, 1);
    assert_true(
        ads_str_is(ads_goods_id(&both, understood.wish.kinds[0]), "kettle"));
    free((char *)more.ptr);
    unlink("/tmp/goods-more.txt");
}


static void
damage_is_refused_or_costs_names_alone(void **state)
{
    uint8_t *copy = malloc(image.len);
    uint64_t dice = 1;
    struct ads_goods hurt;

    (void)state;
    for (size_t len = 0; len < image.len; len += 1 + len / 8) {
        memcpy(copy, image.ptr, len);
        assert_true(len == 0 || ads_goods_open(copy, len, &hurt) != ADS_OK);
    }
    for (int round = 0; round < 2000; round++) {
        memcpy(copy, image.ptr, image.len);
        for (int i = 0; i < 20; i++) {
            dice = dice * UINT64_C(6364136223846793005) + 1;
            copy[(dice >> 20) % image.len] ^= (uint8_t)(1u << (dice >> 61));
        }
        if (ads_goods_open(copy, image.len, &hurt) == ADS_OK) {
            ads_understand(&understood, &hurt, NULL,
                           t_str("my laptop battery died, I need a wireless "
                                 "mouse for the office, Laptoptasche"),
                           ADS_STR(""));
        }
    }
    free(copy);
}


/* ---- names ---- */

static void
names_are_found_in_four_languages_and_their_forms(void **state)
{
    (void)state;
    assert_string_equal(wanted("laser printers"), "laser-printer");
    assert_string_equal(wanted("Laserdruckern"), "laser-printer");
    assert_string_equal(wanted("imprimantes laser"), "laser-printer");
    assert_string_equal(wanted("IMPRESORAS L\xc3\x81SER"), "laser-printer");
    assert_string_equal(wanted("batteries"), "battery");
    assert_string_equal(wanted("je cherche l\xe2\x80\x99imprimante"),
                        "printer");
    assert_string_equal(wanted("head phones"), "headphones");
    assert_string_equal(wanted("B\xc3\xbcrodrucker"), "printer");
    assert_string_equal(wanted("office chairs"), "office-chair");
}


static void
names_that_share_a_word_are_both_read(void **state)
{
    const struct ads_wish *wish = understand("bedside clock radio");
    bool found = false;

    (void)state;
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        found = found
                || ads_str_is(ads_goods_id(&goods, wish->mentions[i].kind),
                              "clock-radio");
    }
    assert_true(found);
    assert_int_equal(wish->n_mentions, 2);
}


static void
an_ambiguous_name_needs_evidence(void **state)
{
    (void)state;
    assert_string_equal(wanted("mouse"), "mouse");
    assert_string_equal(wanted("usb mouse"), "mouse");
    assert_string_equal(wanted("mouse trap"), "-");
    assert_string_equal(wanted("the mouse ran over the kitchen floor"), "-");
}


static void
a_need_stands_for_a_kind(void **state)
{
    (void)state;
    understand("my back hurts after a day at the desk");
    assert_true(
        ads_str_is(ads_goods_id(&goods, understood.wish.mentions[0].kind),
                   "office-chair"));
    assert_true((understood.wish.mentions[0].features >> ADS_WISH_NEED & 1)
                != 0);
    assert_string_equal(wanted("it hurts"), "-");
}


static void
words_hint_at_what_nobody_names(void **state)
{
    (void)state;
    assert_string_equal(
        wanted("something that boils water fast for tea, any suggestions?"),
        "kettle");
    assert_string_equal(
        wanted("ich will schnell Wasser f\xc3\xbcr Tee kochen, was nehme ich?"),
        "kettle");
    assert_string_equal(wanted("the water is cold"), "-");
    assert_true((understand("boiling water, tea")->mentions[0].features
                     >> ADS_WISH_HINTED
                 & 1)
                != 0);
}


/* Of a long request none is left out. */
static void
all_kinds_that_words_hint_at_are_gathered(void **state)
{
    static uint32_t starts[ADS_HINT_WORDS + 1], rows[ADS_HINT_WORDS * 32];
    static struct ads_scan scan;
    static struct ads_hints hints;
    struct ads_goods many = {.n_kinds = sizeof(rows) / sizeof(*rows),
                             .n_lemmas = ADS_HINT_WORDS,
                             .n_hints = sizeof(rows) / sizeof(*rows),
                             .hint_starts = starts,
                             .hints = rows};

    (void)state;
    for (uint32_t i = 0; i < ADS_HINT_WORDS; i++) {
        scan.words[scan.n_words++].lemma = i;
        starts[i + 1] = 32 * (i + 1);
    }
    for (uint32_t i = 0; i < many.n_hints; i++) {
        rows[i] = i | i % 200u << ADS_GOODS_HINT_SHIFT;
    }
    rows[0] = 7 | 9u << ADS_GOODS_HINT_SHIFT;
    ads_hints_read(&hints, &many, &scan);
    assert_int_equal(hints.n, many.n_hints - 1);
    for (uint32_t i = 0; i < many.n_hints; i++) {
        struct ads_hint hint = ads_hints_of(&hints, i);

        assert_int_equal(hint.words, i == 0 ? 0 : i == 7 ? 2 : 1);
        assert_int_equal(hint.score, i == 7 ? 16 : i % 200);
    }
    assert_int_equal(ads_hints_of(&hints, UINT32_MAX - 1).words, 0);
}


static void
a_word_that_names_nothing_is_a_piece_of_what_it_is_said_of(void **state)
{
    (void)state;
    assert_string_equal(wanted("sturdy bag for my laptop"), "laptop-bag");
    assert_string_equal(wanted("laptop x220 bag"), "laptop-bag");
    assert_string_equal(wanted("sturdy bag"), "-");
}


/* ---- what is wanted ---- */

static void
a_makers_line_names_a_thing_in_requests_alone(void **state)
{
    (void)state;
    assert_string_equal(wanted("Which Glimmer S7 should I buy?"), "phone");
    assert_string_equal(wanted("ich suche ein Glimmer S7"), "phone");
    assert_string_equal(taken("Acme Glimmer S7", ""), "-");
}


static void
a_word_is_of_the_thing_that_is_said_elsewhere(void **state)
{
    (void)state;
    assert_string_equal(wanted("I have a laptop. Which bag should I buy?"),
                        "laptop-bag");
}


static void
of_several_kinds_the_wanted_one_is_found(void **state)
{
    (void)state;
    assert_string_equal(wanted("I need a battery for my laptop"),
                        "laptop-battery");
    assert_string_equal(wanted("case for my phone"), "phone-case");
    assert_string_equal(wanted("ich suche einen Drucker f\xc3\xbcr mein"
                               " Tablet"),
                        "printer");
    assert_string_equal(
        wanted("I already have a laptop, which printer should I buy?"),
        "printer");
    assert_string_equal(wanted("buy headphones instead of a speaker"),
                        "headphones");
    assert_string_equal(wanted("laptop battery"), "laptop-battery");
    assert_true(understand("write a poem about a kettle")->score < 0);
}


static void
price_bounds_are_read(void **state)
{
    static const struct {
        const char *request;
        int64_t least;
        int64_t most;
        const char *currency;
    } bounds[] = {
        {"laptop under $800", -1, 800, "USD"},
        {"Laptop bis 50 \xe2\x82\xac", -1, 50, "EUR"},
        {"kettle, not more than 40 dollars", -1, 40, "USD"},
        {"kettle between 20 and 50 pounds", 20, 50, "GBP"},
        {"tent over 100 euros", 100, -1, "EUR"},
        {"kettle around 100 dollars", -1, 125, "USD"},
        {"gaming laptop, can't go above $1400", -1, 1400, "USD"},
        {"a doll, the money from aunt is $35", -1, 43, "USD"},
        {"a drill, it shouldn't be more than 130. Red", -1, 130, ""},
        {"kettle, not more than fifty", -1, 50, ""},
        {"laptop, up to a thousand bucks", -1, 1000, "USD"},
        {"tent under two hundred and fifty dollars", -1, 250, "USD"},
        {"Zelt bis zweihundertf\xc3\xbcnfzig Euro", -1, 250, "EUR"},
        {"laptop under 1.500 euros", -1, 1500, "EUR"},
        {"laptop max 2k", -1, 2000, ""},
        {"drill 12 inch", -1, -1, ""},
        {"a drill for no more than 40 screws", -1, -1, ""},
        {"tent for two people", -1, -1, ""},
        {"Kessel, um die 8 bis 12 Zoll", -1, -1, ""},
        {"printer max 200", -1, 200, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
        const struct ads_wish *wish = understand(bounds[i].request);

        if (wish->least_micros / 1000000
                != (bounds[i].least < 0 ? 0 : bounds[i].least)
            || wish->most_micros / 1000000
                   != (bounds[i].most < 0 ? 0 : bounds[i].most)
            || strncmp(wish->currency, bounds[i].currency, 3) != 0)
        {
            fail_msg("%s: %lld to %lld %.3s", bounds[i].request,
                     (long long)wish->least_micros,
                     (long long)wish->most_micros, wish->currency);
        }
    }
}


static void
attributes_are_read_and_ruled_out(void **state)
{
    const struct ads_wish *wish = understand("kabellose Maus, not red");

    (void)state;
    assert_int_equal(wish->n_attributes, 2);
    assert_true(ads_str_is(
        ads_goods_attribute_id(&goods, wish->attributes[0].attribute),
        "wireless"));
    assert_false(wish->attributes[0].without);
    assert_true(wish->attributes[1].without);
}


static void
what_is_refused_is_not_looked_for(void **state)
{
    static const char *const requests[] = {"a mouse that is not wireless",
                                           "Maus, bloss nicht kabellos",
                                           "any mouse except wireless ones"};

    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
        const struct ads_wish *wish = understand(requests[i]);

        assert_int_equal(wish->n_attributes, 1);
        assert_true(wish->attributes[0].without);
    }
    assert_false(understand("a wireless mouse")->attributes[0].without);
}


static void
chatty_words_weigh_nothing(void **state)
{
    (void)state;
    understand("Hello there, my daughter starts school in autumn and we would"
               " like a black laptop for her, thanks a lot for any help");
    assert_true(ads_str_is(understood.focus.words, "a black laptop")
                || ads_str_is(understood.focus.words, "black laptop"));
}


/* ---- intent, by the shipped model and ontology ---- */

static bool
is_commercial(const struct ads_intent *intent, const struct ads_goods *shipped,
              const char *line)
{
    ads_understand(&understood, shipped, NULL, t_str(line), ADS_STR(""));
    return ads_intent_is(intent, ADS_INTENT_COMMERCIAL,
                         ads_intent_score(intent, t_str(line), &understood)
                             .of[ADS_INTENT_COMMERCIAL]);
}


static void
plain_cases_are_told_apart(void **state)
{
    static const char *const show[] = {"headphones",
                                       "dewalt cordless drill",
                                       "hp ink 364",
                                       "cheap flights to paris",
                                       "best laptop under $800",
                                       "can you recommend a good coffee maker?",
                                       "my kettle died, what should I get?",
                                       "plumber near me",
                                       "wo kann ich einen staubsauger kaufen",
                                       "comprar zapatillas baratas"};
    static const char *const no_ad[] = {
        "who invented the kettle",  "how do i clean my headphones",
        "weather tomorrow",         "write a poem about a cordless drill",
        "where is my order",        "what is the capital of france",
        "track my laptop delivery", "translate \"coffee maker\" to german",
        "wer hat das auto erfunden"};
    struct ads_str ontology;
    struct ads_goods shipped;
    struct ads_intent intent;
    size_t len;
    char *model = t_file("data/intent.model", &len);

    (void)state;
    assert_int_equal(ads_intent_open(model, len, &intent), ADS_OK);
    assert_int_equal(goods_load("data/goods", NULL, &ontology, stderr), ADS_OK);
    assert_int_equal(ads_goods_open(ontology.ptr, ontology.len, &shipped),
                     ADS_OK);
    for (size_t i = 0; i < sizeof(show) / sizeof(*show); i++) {
        if (!is_commercial(&intent, &shipped, show[i])) {
            fail_msg("not shown: %s", show[i]);
        }
    }
    for (size_t i = 0; i < sizeof(no_ad) / sizeof(*no_ad); i++) {
        if (is_commercial(&intent, &shipped, no_ad[i])) {
            fail_msg("shown: %s", no_ad[i]);
        }
    }
    free((char *)ontology.ptr);
    free(model);
}


/* ---- any bytes ---- */

static void
any_text_is_read(void **state)
{
    static const char *const hard[] = {
        "",
        " ",
        "\xcc\x81\xcc\x81\xcc\x81",
        "\xf0\x9f\x92\xbb\xf0\x9f\x96\xa8",
        "\xd7\x9e\xd7\x93\xd7\xa4\xd7\xa1\xd7\xaa",
        "\xe3\x83\x97\xe3\x83\xaa\xe3\x83\xb3\xe3\x82\xbf",
        "\xff\xfe printer",
        "for for for for",
        "l'l'l'l'",
        "?!?!?!",
        "1 2 3 4 5 6 7 8 9"};
    char *long_one = malloc(8192);

    (void)state;
    for (size_t i = 0; i < sizeof(hard) / sizeof(*hard); i++) {
        understand(hard[i]);
        assert_true(understood.scan.n_words <= ADS_SCAN_WORDS);
    }
    memset(long_one, 'a', 8192);
    ads_understand(&understood, &goods, NULL, (struct ads_str){long_one, 8192},
                   ADS_STR(""));
    for (size_t i = 0; i + 8 <= 8192; i += 8) {
        memcpy(long_one + i, "printer ", 8);
    }
    ads_understand(&understood, &goods, NULL, (struct ads_str){long_one, 8192},
                   ADS_STR(""));
    assert_int_equal(understood.scan.n_words, ADS_SCAN_WORDS);
    assert_true(understood.wish.n_mentions <= ADS_SCAN_MENTIONS);
    free(long_one);
}


/* ---- products ---- */

static void
a_product_is_what_its_title_says_it_is(void **state)
{
    (void)state;
    assert_string_equal(taken("V7 Battery for select IBM/LENOVO laptops", ""),
                        "laptop-battery");
    assert_string_equal(taken("Acme - Red Kettle with Filter", ""), "kettle");
    assert_string_equal(taken("Bolt Laptop 15, 8 GB, SSD", ""), "laptop");
    assert_string_equal(taken("Toner Cartridge for Laser Printer 12A", ""),
                        "toner");
    assert_string_equal(taken("X-200", "Office\nLaser Printers\n"),
                        "laser-printer");
    assert_string_equal(taken("Zq 17 Frobnicator", ""), "-");
}


static void
a_title_goes_on_behind_its_thing(void **state)
{
    (void)state;
    assert_string_equal(taken("Acme 18-Volt Drill Kit", ""), "drill");
    assert_string_equal(taken("Acme Printer Combo Set", ""), "printer");
    assert_string_equal(taken("Laser Toner Cartridge 12A", ""), "toner");
    assert_string_equal(taken("Acme Kettle Mouse Edition", ""), "kettle");
    assert_string_equal(taken("Acme Drill Battery Bracket", ""), "-");
}


static void
joints_in_a_title_end_no_thing_that_is_not_named_yet(void **state)
{
    (void)state;
    assert_string_equal(taken("Acme 3 in. Power Drill", ""), "drill");
    assert_string_equal(taken("Clip-on Headphones", ""), "headphones");
    assert_string_equal(taken("Notebook and Frob Drill", ""), "drill");
    assert_string_equal(taken("Kettle and Power Drill", ""), "kettle");
}


static void
a_word_nearby_makes_a_kind_narrower(void **state)
{
    (void)state;
    assert_string_equal(taken("Acme Laser X200 Printer", ""), "laser-printer");
    assert_string_equal(taken("Acme Printer for Laser Discs", ""), "printer");
    assert_string_equal(taken("Acme X200 Printer - Laser Red", ""), "printer");
}


static void
what_a_product_is_for_is_not_what_it_is(void **state)
{
    (void)state;
    assert_string_equal(taken("Frobnicator for Power Drill", "Drills\n"), "-");
    assert_string_equal(taken("Drill Bracket", "Drills\n"), "-");
}


/* How sure the kind of a product of that title and category is. */
static struct goods_taken
told(const char *title, const char *category)
{
    struct goods_taker *taker = goods_taker_new(&goods);
    const struct goods_product product = {.title = t_str(title),
                                          .categories = t_str(category)};
    struct goods_taken found = goods_take(taker, &product);

    goods_taker_free(taker);
    return found;
}


static void
a_kind_is_surer_where_more_speaks_for_it(void **state)
{
    struct goods_taken bare = told("Acme Kettle X", "");
    struct goods_taken agreed = told("Acme Kettle X", "Kettles\n");
    enum goods_sign reasons[GOODS_REASONS];
    uint32_t n = goods_score_reasons(&agreed.signs, reasons);

    (void)state;
    assert_true(bare.sure < agreed.sure);
    assert_false(goods_sign_is(&bare.signs, GOODS_SIGN_CATEGORY_SAME));
    assert_true(goods_sign_is(&agreed.signs, GOODS_SIGN_CATEGORY_SAME));
    assert_int_equal(n, GOODS_REASONS);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(goods_sign_is(&agreed.signs, reasons[i]));
    }
    assert_int_equal(told("Acme Frobnicator", "").kind, ADS_GOODS_NONE);
    assert_int_equal(told("Acme Frobnicator", "").sure, 0);
}


static void
a_category_settles_doubtful_names_and_a_field_is_no_kind(void **state)
{
    (void)state;
    assert_string_equal(taken("Zq Notebook", "Computers\n"), "laptop");
    assert_string_equal(taken("Zq Notebook Frob", ""), "-");
    assert_string_equal(taken("Zq 17", "Merchandise\n"), "-");
    assert_string_equal(taken("Zq 17", "Merchandise\nKettles\n"), "kettle");
}


static void
names_of_merchants_count_in_their_texts_alone(void **state)
{
    (void)state;
    assert_string_equal(taken("Acme Bivouac 2", ""), "tent");
    assert_string_equal(wanted("bivouac"), "-");
}


/* ---- decisions ---- */

/* Twelve products by title, each alone in its campaign's turn. */
static void
catalogue_write(struct t_tables *t)
{
    static const char *const titles[T_ADS] = {"Bolt Laptop 15, 8 GB",
                                              "Bolt Laptop Battery 65 Wh",
                                              "Bolt Laptop Bag 15",
                                              "Corvo Laser Printer 100",
                                              "Corvo Toner Cartridge 100",
                                              "Delta Headphones black",
                                              "Delta Headphones red",
                                              "Acme Electric Kettle 1.7 l",
                                              "Acme Camping Tent for four",
                                              "Acme Power Drill 18 V",
                                              "Bolt Phone 6.1",
                                              "Bolt Phone Case 6.1"};

    t_tables_rows(t);
    for (unsigned i = 0; i < T_ADS; i++) {
        t->ads[i].title = t_str(titles[i]);
        t->ads[i].description = t_str("");
        t->ads[i].categories = t_str("");
        t->ads[i].campaign = t_uuid("campaign", i % 3);
        t->ads[i].price_micros = INT64_C(10000000) * (i + 1);
    }
}


/* The titles' first places in the catalogue, as digits in their order: "05" is
 * the laptop, then the headphones; "-" for no ad. */
static const char *
shown(struct t_tables *t, const char *query)
{
    static struct ads_decision decision;
    static char places[32];
    const struct ads_ask ask = {
        .query = t_str(query),
        .placement = ads_placement_make(ADS_STR("inline")),
        .max = 3,
        .test = true,
        .now_ms = 1,
        .hash = 7,
    };
    size_t n = 0;

    ads_decide(&decision, &t->tables, &t->live, &ask, &t->text, t->scratch);
    for (uint32_t i = 0; i < decision.n; i++) {
        for (unsigned k = 0; k < T_ADS; k++) {
            if (ads_uuid_equal(&decision.picks[i].ad->id, &t->ads[k].id)) {
                places[n++] = (char)(k < 10 ? '0' + k : 'a' + k - 10);
            }
        }
    }
    places[n] = '\0';
    return n == 0 ? "-" : places;
}


/* Golden: what a small catalogue answers.  A change of this list is a change of
 * what people are shown. */
static void
the_wanted_thing_is_shown_not_its_parts(void **state)
{
    static const struct {
        const char *query;
        const char *shown;
    } golden[] = {
        {"buy a laptop", "0"},
        {"laptop battery", "1"},
        {"I need a battery for my laptop", "1"},
        {"Ich suche einen guten Laserdrucker", "3"},
        {"which printer should I buy for the office?", "3"},
        {"acheter une bouilloire", "7"},
        {"quiero comprar un taladro", "9"},
        {"case for my phone", "b"},
        {"buy a tent", "8"},
        {"buy a speaker", "-"},
        {"buy a laptop under $5", "-"},
        {"buy a laptop under $15", "0"},
        {"write a poem about my kettle", "-"},
    };
    struct t_tables t = {0};

    (void)state;
    catalogue_write(&t);
    t_tables_build(&t);
    for (size_t i = 0; i < sizeof(golden) / sizeof(*golden); i++) {
        const char *got = shown(&t, golden[i].query);

        if (strcmp(got, golden[i].shown) != 0) {
            fail_msg("%s: %s, not %s", golden[i].query, got, golden[i].shown);
        }
    }
    t_tables_free(&t);
}


static void
variants_of_one_product_are_shown_once(void **state)
{
    struct t_tables t = {0};

    (void)state;
    catalogue_write(&t);
    t.ads[6].campaign = t.ads[5].campaign;
    t_tables_build(&t);
    assert_int_equal(strlen(shown(&t, "buy headphones")), 1);
    t_tables_free(&t);

    catalogue_write(&t);
    t.ads[6].campaign = t.ads[5].campaign;
    t.ads[6].title = t_str("Delta Headphones wireless 300");
    t_tables_build(&t);
    assert_int_equal(strlen(shown(&t, "buy headphones")), 2);
    t_tables_free(&t);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mistake_is_told_with_its_line),
        cmocka_unit_test(a_file_of_the_operator_adds_names),
        cmocka_unit_test(damage_is_refused_or_costs_names_alone),
        cmocka_unit_test(names_are_found_in_four_languages_and_their_forms),
        cmocka_unit_test(names_that_share_a_word_are_both_read),
        cmocka_unit_test(an_ambiguous_name_needs_evidence),
        cmocka_unit_test(a_need_stands_for_a_kind),
        cmocka_unit_test(words_hint_at_what_nobody_names),
        cmocka_unit_test(all_kinds_that_words_hint_at_are_gathered),
        cmocka_unit_test(
            a_word_that_names_nothing_is_a_piece_of_what_it_is_said_of),
        cmocka_unit_test(a_makers_line_names_a_thing_in_requests_alone),
        cmocka_unit_test(a_word_is_of_the_thing_that_is_said_elsewhere),
        cmocka_unit_test(of_several_kinds_the_wanted_one_is_found),
        cmocka_unit_test(price_bounds_are_read),
        cmocka_unit_test(attributes_are_read_and_ruled_out),
        cmocka_unit_test(what_is_refused_is_not_looked_for),
        cmocka_unit_test(chatty_words_weigh_nothing),
        cmocka_unit_test(plain_cases_are_told_apart),
        cmocka_unit_test(any_text_is_read),
        cmocka_unit_test(a_product_is_what_its_title_says_it_is),
        cmocka_unit_test(a_title_goes_on_behind_its_thing),
        cmocka_unit_test(joints_in_a_title_end_no_thing_that_is_not_named_yet),
        cmocka_unit_test(a_word_nearby_makes_a_kind_narrower),
        cmocka_unit_test(what_a_product_is_for_is_not_what_it_is),
        cmocka_unit_test(a_kind_is_surer_where_more_speaks_for_it),
        cmocka_unit_test(
            a_category_settles_doubtful_names_and_a_field_is_no_kind),
        cmocka_unit_test(names_of_merchants_count_in_their_texts_alone),
        cmocka_unit_test(the_wanted_thing_is_shown_not_its_parts),
        cmocka_unit_test(variants_of_one_product_are_shown_once),
    };

    return cmocka_run_group_tests_name("goods", tests, setup, teardown);
}
