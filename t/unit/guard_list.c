/*
 * The lists of sensitive topics: what ships compiles and does what it is for,
 * also for spellings that are meant to get past it, and does not stop ordinary
 * goods; an operator's file adds to it, all or nothing.
 */
#include "adsd/tables/guard_list.c"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <cmocka.h>

struct expected {
    const char *query;
    enum ads_guard_topic topic;
};

#define CHECK_ALL(expected) \
    check_all(expected, sizeof(expected) / sizeof(*(expected)))

static struct ads_str lists;
static struct ads_guard guard;


static int
lists_open(void **state)
{
    (void)state;
    if (guard_list_compile(&lists, "data/guard", "", stderr) != ADS_OK) {
        return -1;
    }
    return ads_guard_open(lists.ptr, lists.len, &guard) == ADS_OK ? 0 : -1;
}


static int
lists_close(void **state)
{
    (void)state;
    free((char *)lists.ptr);
    return 0;
}


static enum ads_guard_topic
check_text(struct ads_str query)
{
    return ads_guard_check(&guard, query);
}


static enum ads_guard_topic
check(const char *query)
{
    return check_text((struct ads_str){query, strlen(query)});
}


static void
check_all(const struct expected *expected, size_t n)
{
    unsigned n_wrong = 0;

    for (size_t i = 0; i < n; i++) {
        enum ads_guard_topic topic = check(expected[i].query);

        if (topic != expected[i].topic) {
            print_error("\"%s\": %s instead of %s\n", expected[i].query,
                        ads_guard_name(topic),
                        ads_guard_name(expected[i].topic));
            n_wrong++;
        }
    }
    assert_int_equal(n_wrong, 0);
}


static void
each_topic_is_found(void **state)
{
    static const struct expected expected[] = {
        {"I want to kill myself", ADS_GUARD_SELF_HARM},
        {"best medicine for migraine", ADS_GUARD_HEALTH},
        {"cheap insulin", ADS_GUARD_HEALTH},
        {"pregnancy test near me", ADS_GUARD_PREGNANCY},
        {"my husband hits me, book a hotel", ADS_GUARD_ABUSE},
        {"flowers for my mother's funeral", ADS_GUARD_GRIEF},
        {"payday loan today", ADS_GUARD_DEBT},
        {"buy bail bonds", ADS_GUARD_LEGAL},
        {"which party should i vote for", ADS_GUARD_BELIEF},
        {"sex toys on sale", ADS_GUARD_SEXUAL},
        {"buy ammo", ADS_GUARD_WEAPONS},
        {"cheapest vape juice", ADS_GUARD_DRUGS},
        {"online casino bonus", ADS_GUARD_GAMBLING},
        {"buy a fake passport", ADS_GUARD_FORGERY},
        {"gps tracker for my ex", ADS_GUARD_SPYING},
        {"poison that leaves no trace", ADS_GUARD_HARM},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
other_languages_are_guarded_too(void **state)
{
    static const struct expected expected[] = {
        {"ich m\xc3\xb6"
         "chte eine Waffe kaufen",
         ADS_GUARD_WEAPONS},
        {"zigaretten online bestellen", ADS_GUARD_DRUGS},
        {"quiero suicidarme", ADS_GUARD_SELF_HARM},
        {"comprar pastillas para dormir", ADS_GUARD_HEALTH},
        {"test de grossesse pas cher", ADS_GUARD_PREGNANCY},
        {"acheter du cannabis", ADS_GUARD_DRUGS},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
ordinary_goods_pass(void **state)
{
    static const char *const queries[] = {"knee brace",
                                          "vitamin c serum",
                                          "hot glue gun sticks",
                                          "nail gun",
                                          "water guns for kids",
                                          "baby shower gift",
                                          "bath bombs",
                                          "weed eater",
                                          "wine glasses",
                                          "poker chips",
                                          "bullet journal",
                                          "first aid kit",
                                          "medicine cabinet",
                                          "medicine balls",
                                          "strip lights",
                                          "window treatments",
                                          "cigarette lighter adapter",
                                          "die cast cars",
                                          "pill organizer",
                                          "wire strippers",
                                          "9mm label tape",
                                          "surge suppressor",
                                          "diagnostic scanner",
                                          "ivory lamp shade",
                                          "bathroom scale",
                                          "pressure cooker",
                                          "gps tracker for my dog",
                                          "weapon x shirt",
                                          "",
                                          "???",
                                          "mattress for back pain"};

    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        struct expected expected = {queries[i], ADS_GUARD_NONE};

        check_all(&expected, 1);
    }
}


static void
a_harmless_name_hides_only_itself(void **state)
{
    static const struct expected expected[] = {
        {"glue gun", ADS_GUARD_NONE},
        {"glue gun or gun", ADS_GUARD_WEAPONS},
        {"gun glue", ADS_GUARD_WEAPONS},
        {"gun and a glue gun", ADS_GUARD_WEAPONS},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
words_are_whole_and_plurals_alike(void **state)
{
    static const struct expected expected[] = {
        {"handguns", ADS_GUARD_WEAPONS},
        {"gunnison hotel", ADS_GUARD_NONE},
        {"shogun dvd", ADS_GUARD_NONE},
        {"Sleeping PILLS!", ADS_GUARD_HEALTH},
        {"essex pub", ADS_GUARD_NONE},
        {"can't go on", ADS_GUARD_SELF_HARM},
        {"can\xe2\x80\x99t go on", ADS_GUARD_SELF_HARM},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
minors_and_grown_up_goods_meet(void **state)
{
    static const struct expected expected[] = {
        {"i'm 14, what wine should i buy", ADS_GUARD_MINORS},
        {"where to get beer, i am 17", ADS_GUARD_MINORS},
        {"i'm 18, what wine should i buy", ADS_GUARD_NONE},
        {"i'm 9, what wine should i buy", ADS_GUARD_NONE},
        {"i'm 14, which skateboard should i buy", ADS_GUARD_NONE},
        {"lose weight fast, my 15 year old daughter", ADS_GUARD_MINORS},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
the_end_of_the_longest_query_is_seen(void **state)
{
    char query[8192];

    (void)state;
    memset(query, 'a', sizeof(query));
    for (size_t i = 7; i < sizeof(query); i += 8) {
        query[i] = ' ';
    }
    assert_int_equal(check_text((struct ads_str){query, sizeof(query)}),
                     ADS_GUARD_NONE);
    memcpy(query + sizeof(query) - 12, " cheap ammo?", 12);
    assert_int_equal(check_text((struct ads_str){query, sizeof(query)}),
                     ADS_GUARD_WEAPONS);
}


static void
any_bytes_are_taken(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (size_t len = 0; len <= 8192; len = len * 3 / 2 + 1) {
        /* a block of its own, so that a sanitizer sees a byte too far */
        char *query = malloc(len + 1);
        enum ads_guard_topic topic;

        for (size_t i = 0; i < len; i++) {
            random = random * 1664525u + 1013904223u;
            query[i] = (char)(random >> 24);
        }
        topic = check_text((struct ads_str){query, len});
        assert_true((unsigned)topic < ADS_GUARD_N_TOPICS);
        free(query);
    }
    assert_int_equal(check("\xff\xfe gun \x80"), ADS_GUARD_WEAPONS);
}


static void
sentences_of_a_chat_are_understood(void **state)
{
    static const struct expected expected[] = {
        {"my mother died last week and i need a black dress", ADS_GUARD_GRIEF},
        {"I lost my job and cannot pay the rent", ADS_GUARD_DEBT},
        {"ich will nicht mehr leben", ADS_GUARD_SELF_HARM},
        {"ya no quiero vivir", ADS_GUARD_SELF_HARM},
        {"je ne veux plus vivre", ADS_GUARD_SELF_HARM},
        {"meine Frau ist gestorben, wohin in den Urlaub", ADS_GUARD_GRIEF},
        {"no puedo pagar el alquiler", ADS_GUARD_DEBT},
        {"je ne peux plus payer mon loyer", ADS_GUARD_DEBT},
        {"ich kann die Miete nicht mehr zahlen", ADS_GUARD_DEBT},
        {"mon p\xc3\xa8re est mort hier", ADS_GUARD_GRIEF},
        {"mi marido me maltrata", ADS_GUARD_ABUSE},
        {"where to get losartan cheap", ADS_GUARD_HEALTH},
        {"acheter un pistolet", ADS_GUARD_WEAPONS},
        {"comprar una pistola", ADS_GUARD_WEAPONS},
        {"wife is cheating, which camera", ADS_GUARD_SPYING},
        {"F\xc3\xbchrerschein kaufen", ADS_GUARD_FORGERY},
        {"sin embargo quiero una lavadora", ADS_GUARD_NONE},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
spaced_letters_do_not_pass(void **state)
{
    static const struct expected expected[] = {
        {"v i a g r a", ADS_GUARD_HEALTH},
        {"buy v i a g r a online", ADS_GUARD_HEALTH},
        {"c-o-c-a-i-n-e", ADS_GUARD_DRUGS},
        {"c.o.c.a.i.n.e", ADS_GUARD_DRUGS},
        {"c.o.c.a.i.n.e.", ADS_GUARD_DRUGS},
        {"s_u_i_c_i_d_e", ADS_GUARD_SELF_HARM},
        {"c*o*c*a*i*n*e", ADS_GUARD_DRUGS},
        {"c|o|c|a|i|n|e", ADS_GUARD_DRUGS},
        {"c / o / c / a / i / n / e", ADS_GUARD_DRUGS},
        {"c\xe2\x80\xa2o\xe2\x80\xa2"
         "c\xe2\x80\xa2"
         "a\xe2\x80\xa2i\xe2\x80\xa2n\xe2\x80\xa2"
         "e",
         ADS_GUARD_DRUGS},
        {"V.1.A.G.R.A", ADS_GUARD_HEALTH},
        {"k i l l  m y s e l f", ADS_GUARD_SELF_HARM},
        {"k i l l myself", ADS_GUARD_SELF_HARM},
        {"b u y c o c a i n e n o w", ADS_GUARD_DRUGS},
        {"vi-ag-ra", ADS_GUARD_HEALTH},
        {"c-o-c-aine", ADS_GUARD_DRUGS},
        {"c-o-c-a-i-n-e-pure", ADS_GUARD_DRUGS},
        {"p o r n", ADS_GUARD_SEXUAL},
        {"p.o.r.n", ADS_GUARD_SEXUAL},
        {"s u i z i d", ADS_GUARD_SELF_HARM},
        {"a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
         "a a a a a a a a a a a c o c a i n e b b b b b b b b b b b b b b b b",
         ADS_GUARD_DRUGS},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
signs_for_letters_do_not_pass(void **state)
{
    static const struct expected expected[] = {
        {"v1agra", ADS_GUARD_HEALTH},
        {"V14GR4", ADS_GUARD_HEALTH},
        {"c0caine", ADS_GUARD_DRUGS},
        {"c0c41n3", ADS_GUARD_DRUGS},
        {"k1ll mys3lf", ADS_GUARD_SELF_HARM},
        {"kill mys3lf", ADS_GUARD_SELF_HARM},
        {"ki11 myself", ADS_GUARD_SELF_HARM},
        {"p0rn", ADS_GUARD_SEXUAL},
        {"pr0n p*rn", ADS_GUARD_SEXUAL},
        {"$uicide", ADS_GUARD_SELF_HARM},
        {"su!cide", ADS_GUARD_SELF_HARM},
        {"su1c1d3", ADS_GUARD_SELF_HARM},
        {"@mmo", ADS_GUARD_WEAPONS},
        {"buy @mmo cheap", ADS_GUARD_WEAPONS},
        {"p1st0l", ADS_GUARD_WEAPONS},
        {"pist0ls", ADS_GUARD_WEAPONS},
        {"pi$tol$", ADS_GUARD_WEAPONS},
        {"x4nax", ADS_GUARD_DRUGS},
        {"c4sino", ADS_GUARD_GAMBLING},
        {"f4ke p4ssport", ADS_GUARD_FORGERY},
        {"s3x toys", ADS_GUARD_SEXUAL},
        {"b0mb", ADS_GUARD_WEAPONS},
        {"su*cide", ADS_GUARD_SELF_HARM},
        {"c*caine", ADS_GUARD_DRUGS},
        {"i'm 14, which w1ne", ADS_GUARD_MINORS},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
letters_of_other_scripts_do_not_pass(void **state)
{
    static const struct expected expected[] = {
        /* Cyrillic es, o, es, a */
        {"\xd1\x81\xd0\xbe\xd1\x81\xd0\xb0ine", ADS_GUARD_DRUGS},
        {"p\xd0\xbern", ADS_GUARD_SEXUAL},
        {"su\xd1\x96"
         "cide",
         ADS_GUARD_SELF_HARM},
        {"\xd0\xa1OCAINE", ADS_GUARD_DRUGS},
        /* Greek */
        {"c\xce\xbf"
         "c\xce\xb1\xce\xb9"
         "ne",
         ADS_GUARD_DRUGS},
        {"VI\xce\x91GR\xce\x91", ADS_GUARD_HEALTH},
        /* full-width, mathematical bold and circled */
        {"\xef\xbd\x83\xef\xbd\x8f\xef\xbd\x83\xef\xbd\x81\xef\xbd\x89"
         "\xef\xbd\x8e\xef\xbd\x85",
         ADS_GUARD_DRUGS},
        {"\xf0\x9d\x90\xa9\xf0\x9d\x90\xa8\xf0\x9d\x90\xab\xf0\x9d\x90\xa7",
         ADS_GUARD_SEXUAL},
        {"\xe2\x93\x9f\xe2\x93\x9e\xe2\x93\xa1\xe2\x93\x9d", ADS_GUARD_SEXUAL},
        /* small capitals, negative squares, a stroked o */
        {"\xe1\xb4\x98\xe1\xb4\x8f\xca\x80\xc9\xb4", ADS_GUARD_SEXUAL},
        {"\xf0\x9f\x85\xbf\xf0\x9f\x85\xbe\xf0\x9f\x86\x81\xf0\x9f\x85\xbd",
         ADS_GUARD_SEXUAL},
        {"p\xc3\xb8rn", ADS_GUARD_SEXUAL},
        /* with a digit besides */
        {"\xd1\x81"
         "0caine",
         ADS_GUARD_DRUGS},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
what_is_not_seen_does_not_pass(void **state)
{
    static const struct expected expected[] = {
        /* zero-width space, joiner, soft hyphen, word joiner, BOM */
        {"co\xe2\x80\x8b"
         "caine",
         ADS_GUARD_DRUGS},
        {"v\xe2\x80\x8di\xe2\x80\x8d"
         "agra",
         ADS_GUARD_HEALTH},
        {"sui\xc2\xad"
         "cide",
         ADS_GUARD_SELF_HARM},
        {"sui\xe2\x81\xa0"
         "cide",
         ADS_GUARD_SELF_HARM},
        {"p\xef\xbb\xbforn", ADS_GUARD_SEXUAL},
        /* combining marks */
        {"c\xcc\xb6o\xcc\xb6"
         "c\xcc\xb6"
         "a\xcc\xb6in\xcc\xb6"
         "e",
         ADS_GUARD_DRUGS},
        {"v\xcc\x81i\xcc\x81"
         "agr\xcc\x88"
         "a",
         ADS_GUARD_HEALTH},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
repeated_letters_do_not_pass(void **state)
{
    static const struct expected expected[] = {
        {"suiiicide", ADS_GUARD_SELF_HARM},
        {"pooorn", ADS_GUARD_SEXUAL},
        {"ssssuicide", ADS_GUARD_SELF_HARM},
        {"killl myseeelf", ADS_GUARD_SELF_HARM},
        {"kiiiill myself", ADS_GUARD_SELF_HARM},
        {"cocaineeeee", ADS_GUARD_DRUGS},
        {"POOOORN", ADS_GUARD_SEXUAL},
        {"caaasino", ADS_GUARD_GAMBLING},
    };

    (void)state;
    CHECK_ALL(expected);
}


static void
goods_that_look_disguised_pass(void **state)
{
    static const char *const queries[] = {
        "a b c book",
        "m 4 x 20 screw",
        "p 225 65 r17",
        "usb c 3 1",
        "4k tv",
        "m16 bolt",
        "l a m y pen",
        "x x l shirt",
        "s m l xl xxl hoodie",
        "iphone 15 pro max 256gb",
        "p111 nissan mat",
        "wd40",
        "a4 paper",
        "3m tape",
        "t-shirt xxl",
        "x-ray glasses toy",
        "e-bike 28",
        "4 x 4 x 8 lumber",
        "1 2 3 4 5 6 dice",
        "bosch sms6zci00g",
        "rtx 4070 ti",
        "ddr5 32gb ram",
        "aaa batteries",
        "www shop",
        "mmm cookies",
        "zzz quil pillow",
        "h7 led bulb",
        "b12",
        "c3po lego",
        "r2d2 lego",
        "ps5 controller",
        "2x4",
        "m3 macbook",
        "i5 12400f",
        "50% off",
        "$50 gift card",
        "a$ap rocky vinyl",
        "c++ book",
        "wi-fi 6 router",
        "5-in-1 adapter",
        "10-in-1 kitchen set",
        "do-it-yourself kit",
        "rock-n-roll shirt",
        "u.s.a. flag",
        "j.r.r. tolkien",
        "a.p.c. jeans",
        "h&m dress",
        "m&ms",
        "r&b vinyl",
        "d&d dice",
        "k-cup pods",
        "lg c3 oled 55",
        "gore-tex shoes",
        "the-pen-is-blue notebook",
        "pen-is-mine mug",
        "j b weld epoxy",
        "b b q grill",
        "d i y tools",
        "a t v tires",
        "t v stand",
        "s t e m toys",
        "l e d lamp",
        "a b c d e f g puzzle",
        "u s b hub",
        "1/2 in x 3/4 in",
        "18v 4.0ah battery",
        "0w-20 oil 5l",
        "v8 engine model",
        "e27 4w 2700k",
        "cr2032",
        "lr44",
        "6x9 speakers",
        "9v battery",
        "gt3 rs model",
        /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma) */
        "\xd0\xba\xd1\x83\xd0\xbf\xd0\xb8\xd1\x82\xd1\x8c "
        "\xd1\x81\xd1\x82\xd0"
        "\xbe\xd0\xbb",
        "\xd0\xba\xd0\xbe\xd1\x84\xd0\xb5",
        "\xce\xba\xce\xb1\xcf\x86\xce\xad",
        "caf\xc3\xa9 cr\xc3\xa8me machine",
        "\xc3\xb8resund ticket",
        "sooo cute dress",
        "yesss please a new sofa",
        "looong scarf",
        "n95",
        "k9 harness",
        "m8 nut",
        "t5 tube",
        "g9 bulb",
        "b22 bulb",
        "s21 ultra case",
        "a52s 5g",
        "hp 302xl",
        "tn2420",
        "dcp l2530dw",
        "n3rd mug",
        "l33t shirt",
        "i 7 laptop",
        "e.l.f. mascara",
        "g-shock",
        "k-pop album",
        "lo-fi vinyl",
    };
    unsigned n_wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        enum ads_guard_topic topic = check(queries[i]);

        if (topic != ADS_GUARD_NONE) {
            print_error("\"%s\": %s\n", queries[i], ads_guard_name(topic));
            n_wrong++;
        }
    }
    assert_int_equal(n_wrong, 0);
}


static void
goods_with_sensitive_names_pass(void **state)
{
    static const char *const queries[] = {
        "heat gun",
        "massage gun",
        "nerf blaster",
        "tufting gun kit",
        "enceinte bluetooth",
        "planche \xc3\xa0 roulettes",
        "valise cabine \xc3\xa0 roulettes",
        "wahl clippers",
        "black opium perfume",
        "suicide squad dvd",
        "pistola de silicona",
        "pistolet \xc3\xa0 peinture",
        "edible glitter",
        "shot glass",
        "prisoner of azkaban book",
        "fever tree tonic",
        "kinky curly hair wig",
        "coffin nails",
        "pill remover",
        "brake bleeding kit",
        "smoke bomb",
        "hama beads",
        "shimano spd pedals",
        "cat scratcher",
        "nude dress",
        "weed torch",
        "jus de grenade",
        "presidential suite",
        "bug detector",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        struct expected expected = {queries[i], ADS_GUARD_NONE};

        check_all(&expected, 1);
    }
}


/* ---- an operator's list -------------------------------------------------- */

/*
 * Compiles the shipped lists with this text; what was logged of it, without the
 * path, is in told[].
 */
static enum ads_err
compile(const char *text, struct ads_str *section, char told[512])
{
    char path[] = "/tmp/guard-XXXXXX";
    FILE *errors = fmemopen(told, 512, "w");
    int fd = mkstemp(path);
    enum ads_err err;

    assert_true(fd >= 0 && errors != NULL);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    told[0] = '\0';
    err = guard_list_compile(section, "data/guard", path, errors);
    (void)fclose(errors);
    for (char *at; (at = strstr(told, path)) != NULL;) {
        memmove(at, at + strlen(path), strlen(at + strlen(path)) + 1);
    }
    unlink(path);
    return err;
}


static void
an_operator_adds_and_overrules(void **state)
{
    struct ads_guard own;
    struct ads_str section;
    char told[512];

    (void)state;
    assert_int_equal(compile("# ours\n\n[weapons]\nPotato Cannons\n"
                             "[harmless]\n  casino*\r\nglue pistol\n",
                             &section, told),
                     ADS_OK);
    assert_string_equal(told, "");
    assert_int_equal(ads_guard_open(section.ptr, section.len, &own), ADS_OK);
    assert_int_equal(ads_guard_check(&own, ADS_STR("a potato cannon")),
                     ADS_GUARD_WEAPONS);
    assert_int_equal(ads_guard_check(&own, ADS_STR("casinos")), ADS_GUARD_NONE);
    assert_int_equal(ads_guard_check(&own, ADS_STR("glue pistol")),
                     ADS_GUARD_NONE);
    assert_int_equal(ads_guard_check(&own, ADS_STR("pistol")),
                     ADS_GUARD_WEAPONS);
    free((char *)section.ptr);
}


static void
each_mistake_is_told_and_nothing_taken(void **state)
{
    static const struct {
        const char *text;
        const char *told;
    } wrong[] = {
        {"gun\n", ":1: a phrase before the first section, such as "
                  "[harmless]\n"},
        {"[guns]\nx y\n",
         ":1: no section \"guns\" (docs/guard.md lists them)\n"},
        {"[none]\n", ":1: no section \"none\" (docs/guard.md lists them)\n"},
        {"[harm\n", ":1: no section \"harm\" (docs/guard.md lists them)\n"},
        {"[harm]\na b c d e f g\n", ":2: at most 6 words and 45 bytes\n"},
        {"[harm]\nabc*\n", ":2: too few letters before '*', at least 4\n"},
        {"[harm]\nab*cdef\n",
         ":2: '*' stands only at the end of a word, '#' only alone\n"},
        {"[harm]\n!!!\n", ":2: neither letters nor digits\n"},
        {"[harm]\nsomething $\n", ":2: neither letters nor digits\n"},
        {"[harm]\n\xff\xfe x\n", ":2: not UTF-8\n"},
        {"[harm]\nblue things\n[debt]\nBlue thing\n",
         ":2: \"blue thing\" is already in debt, line 4\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct ads_str section;
        char told[512];

        assert_int_equal(compile(wrong[i].text, &section, told), ADS_INVALID);
        assert_string_equal(told, wrong[i].told);
        assert_null(section.ptr);
    }
}


static void
a_missing_file_is_told(void **state)
{
    char told[8192] = "";
    FILE *errors = fmemopen(told, sizeof(told), "w");
    struct ads_str section;

    (void)state;
    assert_int_equal(
        guard_list_compile(&section, "data/guard", "/nowhere/list", errors),
        ADS_IO);
    assert_int_equal(guard_list_compile(&section, "/nowhere", "", errors),
                     ADS_IO);
    (void)fclose(errors);
    assert_non_null(strstr(told, "/nowhere/list: No such file"));
    assert_non_null(strstr(told, "/nowhere/self_harm.txt: No such file"));
    assert_null(section.ptr);
}


/* A phrase that is not folded or stemmed could never be met. */
static void
every_phrase_is_met(void **state)
{
    struct reader reader = {.folder = "data/guard", .errors = stderr};
    char path[PATH_MAX];

    (void)state;
    for (unsigned i = ADS_GUARD_NONE + 1; i < ADS_GUARD_N_TOPICS; i++) {
        reader.meaning = i;
        path_write(path, &reader, i);
        file_read(&reader, path);
    }
    assert_true(reader.n > 3000);
    for (size_t i = 0; i < reader.n; i++) {
        char query[128];
        size_t len = strlen(reader.entries[i].phrase.text);

        for (size_t k = 0; k <= len; k++) {
            char c = reader.entries[i].phrase.text[k];

            query[k] = c == '*' ? 'x' : c;
        }
        if (check(query) == ADS_GUARD_NONE) {
            fail_msg("\"%s\" is never met", reader.entries[i].phrase.text);
        }
    }
    free(reader.entries);
}


/* Stories that name their topic by no keyword, and what only looks like them:
 * t/guard_stories.tsv.  The floor is a little below what the lists find. */
static void
stories_are_understood(void **state)
{
    FILE *in = fopen("t/guard_stories.tsv", "re");
    unsigned n = 0, n_found = 0, n_wrong = 0;
    char line[512];

    (void)state;
    assert_non_null(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        char *query = strrchr(line, '\t');
        bool found;

        if (*line == '#' || query == NULL) {
            continue;
        }
        query[strcspn(query, "\n")] = '\0';
        found = check(query + 1) != ADS_GUARD_NONE;
        if (strncmp(line, "none\t", 5) != 0) {
            n++;
            n_found += found;
        } else if (found) {
            print_error("\"%s\" is stopped\n", query + 1);
            n_wrong++;
        }
    }
    (void)fclose(in);
    assert_int_equal(n_wrong, 0);
    assert_int_equal(n, 160);
    assert_true(n_found >= 110);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_topic_is_found),
        cmocka_unit_test(other_languages_are_guarded_too),
        cmocka_unit_test(ordinary_goods_pass),
        cmocka_unit_test(a_harmless_name_hides_only_itself),
        cmocka_unit_test(words_are_whole_and_plurals_alike),
        cmocka_unit_test(minors_and_grown_up_goods_meet),
        cmocka_unit_test(the_end_of_the_longest_query_is_seen),
        cmocka_unit_test(any_bytes_are_taken),
        cmocka_unit_test(stories_are_understood),
        cmocka_unit_test(sentences_of_a_chat_are_understood),
        cmocka_unit_test(spaced_letters_do_not_pass),
        cmocka_unit_test(signs_for_letters_do_not_pass),
        cmocka_unit_test(letters_of_other_scripts_do_not_pass),
        cmocka_unit_test(what_is_not_seen_does_not_pass),
        cmocka_unit_test(repeated_letters_do_not_pass),
        cmocka_unit_test(goods_that_look_disguised_pass),
        cmocka_unit_test(goods_with_sensitive_names_pass),
        cmocka_unit_test(an_operator_adds_and_overrules),
        cmocka_unit_test(each_mistake_is_told_and_nothing_taken),
        cmocka_unit_test(a_missing_file_is_told),
        cmocka_unit_test(every_phrase_is_met),
    };

    return cmocka_run_group_tests(tests, lists_open, lists_close);
}
