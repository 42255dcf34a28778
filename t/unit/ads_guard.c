/*
 * The guard: its table is in order, sensitive topics are found whatever stands
 * around them, and ordinary goods with such words in their names are not.
 */
#include "core/ads_guard.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct expected {
    const char *query;
    enum ads_guard_topic topic;
};


static enum ads_guard_topic
check_text(struct ads_str query)
{
    static struct ads_guard guard;

    ads_guard_init(&guard);
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
    for (size_t i = 0; i < n; i++) {
        enum ads_guard_topic topic = check(expected[i].query);

        if (topic != expected[i].topic) {
            fail_msg("\"%s\": %s instead of %s", expected[i].query,
                     ads_guard_name(topic), ads_guard_name(expected[i].topic));
        }
    }
}


static void
the_table_is_in_byte_order(void **state)
{
    (void)state;
    for (size_t i = 1; i < ads_guard_table_len; i++) {
        if (strcmp(ads_guard_table[i - 1].phrase, ads_guard_table[i].phrase)
            >= 0) {
            fail_msg("\"%s\" is out of order", ads_guard_table[i].phrase);
        }
    }
}


/* A phrase that is not folded or stemmed could never fit. */
static void
every_phrase_can_be_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < ads_guard_table_len; i++) {
        const char *phrase = ads_guard_table[i].phrase;
        char query[128];
        size_t len = strlen(phrase);
        struct window window = {.rest = {query, len}};

        assert_true(len < sizeof(query));
        for (size_t k = 0; k <= len; k++) {
            query[k] = phrase[k] == '*' ? 'x' : phrase[k];
        }
        if (strchr(phrase, '#') != NULL) {
            assert_int_not_equal(*phrase, '#');
            continue; /* numbers have a test of their own */
        }
        window_fill(&window);
        if (phrase_fits(&window, phrase) == 0) {
            fail_msg("\"%s\" can never fit", phrase);
        }
    }
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
    check_all(expected, sizeof(expected) / sizeof(*expected));
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
    check_all(expected, sizeof(expected) / sizeof(*expected));
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
    check_all(expected, sizeof(expected) / sizeof(*expected));
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
    check_all(expected, sizeof(expected) / sizeof(*expected));
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
    check_all(expected, sizeof(expected) / sizeof(*expected));
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
every_topic_has_a_name(void **state)
{
    (void)state;
    for (unsigned topic = 0; topic < ADS_GUARD_N_TOPICS; topic++) {
        assert_non_null(ads_guard_name((enum ads_guard_topic)topic));
    }
    assert_string_equal(ads_guard_name(ADS_GUARD_SELF_HARM), "self_harm");
    assert_string_equal(ads_guard_name((enum ads_guard_topic)99), "none");
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_in_byte_order),
        cmocka_unit_test(every_phrase_can_be_met),
        cmocka_unit_test(each_topic_is_found),
        cmocka_unit_test(other_languages_are_guarded_too),
        cmocka_unit_test(ordinary_goods_pass),
        cmocka_unit_test(a_harmless_name_hides_only_itself),
        cmocka_unit_test(words_are_whole_and_plurals_alike),
        cmocka_unit_test(minors_and_grown_up_goods_meet),
        cmocka_unit_test(the_end_of_the_longest_query_is_seen),
        cmocka_unit_test(any_bytes_are_taken),
        cmocka_unit_test(every_topic_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
