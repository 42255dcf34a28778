/*
 * Bodies as forms: every mistake is noted, at its place, and nothing that was
 * not asked for gets through.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/base/form.c"

#include "http/body.h"

static struct request *
request_of(struct pool *pool, const char *body)
{
    struct request *request = pool_alloc(pool, sizeof(*request));

    request->pool = pool;
    request->body_len = strlen(body);
    request->body = pool_text(pool, (struct ads_str){body, strlen(body)});
    return request;
}


static void
expect_error(const struct form *form, uint32_t i, const char *pointer,
             const char *code)
{
    assert_true(i < form->errors->n);
    assert_string_equal(form->errors->list[i].pointer, pointer);
    assert_string_equal(form->errors->list[i].code, code);
}


static void
expect_detail(const struct form *form, uint32_t i, const char *detail)
{
    assert_true(i < form->errors->n);
    assert_string_equal(form->errors->list[i].detail, detail);
}


static void
expect_text(struct ads_str text, const char *expected)
{
    assert_non_null(text.ptr);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}


static void
test_all_kinds_of_fields(void **state)
{
    static const char *const kinds[] = {"cpc", "cpm", NULL};
    struct pool *pool = pool_new();
    struct request *request;
    struct form form, inner;
    struct ads_uuid id;
    struct ads_str *texts;
    int64_t number = 0, at = 0, micros = 0;
    bool truth = false;
    size_t n;

    (void)state;
    request =
        request_of(pool, "{\"name\":\" A\\u0042 \",\"n\":3e1,\"bid\":0.5,"
                         "\"on\":true,\"at\":\"2026-01-01T00:00:00.5Z\","
                         "\"id\":\"01e84572-bd4b-4a6e-a32b-641d6d0f62c8\","
                         "\"kind\":\"cpm\",\"words\":[\"a\",\"b\"],"
                         "\"none\":null,\"budget\":{\"daily\":2},"
                         "\"any\":{\"x\":[1]}}");
    assert_int_equal(body_begin(&form, request), ADS_OK);
    expect_text(form_text(&form, "name", FORM_REQUIRED, 1, 10), "AB");
    assert_true(form_int(&form, "n", FORM_REQUIRED, 0, 30, &number));
    assert_int_equal(number, 30);
    assert_true(form_money(&form, "bid", FORM_REQUIRED, 1, 1000000, &micros));
    assert_int_equal(micros, 500000);
    assert_true(form_bool(&form, "on", FORM_REQUIRED, &truth) && truth);
    assert_true(form_time(&form, "at", FORM_REQUIRED, &at));
    assert_int_equal(at, INT64_C(1767225600500000));
    assert_true(form_uuid(&form, "id", FORM_REQUIRED, &id));
    assert_int_equal(form_choice(&form, "kind", FORM_REQUIRED, kinds), 1);
    assert_true(form_texts(&form, "words", 0, 2, 1, &texts, &n));
    assert_int_equal(n, 2);
    expect_text(texts[1], "b");
    assert_null(form_text(&form, "none", FORM_OPTIONAL, 1, 9).ptr);
    assert_true(form_is_null(&form, "none"));
    assert_false(form_has(&form, "none"));
    assert_true(form_object(&form, "budget", FORM_REQUIRED, &inner));
    assert_true(form_money(&inner, "daily", 0, 1, INT64_MAX, &micros));
    assert_int_equal(micros, 2000000);
    assert_int_equal(form_any(&form, "any", 0)->type, ADS_JSON_OBJECT);
    assert_null(form_text(&form, "absent", 0, 1, 9).ptr);
    assert_int_equal(body_end(&form, request), ADS_OK);
    pool_free(pool);
}


static void
test_every_mistake_has_its_pointer(void **state)
{
    static const char *const kinds[] = {"cpc", "cpm", NULL};
    struct pool *pool = pool_new();
    struct form form, inner;
    struct request *request;
    struct ads_str *texts;
    int64_t number = 7;
    size_t n;

    (void)state;
    request =
        request_of(pool, "{\"name\":\"\",\"long\":\"abc\",\"nul\":\"a\\u0000\","
                         "\"bidi\":\"a\\u202eb\",\"n\":1.5,\"big\":1e30,"
                         "\"bid\":0.0000001,\"kind\":\"x\",\"words\":[\"a\",1],"
                         "\"none\":null,\"unseen\":\" \\u200b\\u3164\","
                         "\"budget\":{\"daily\":\"2\",\"more\":1}}");
    assert_int_equal(body_begin(&form, request), ADS_OK);
    (void)form_text(&form, "name", 0, 1, 2);
    (void)form_text(&form, "long", 0, 1, 2);
    (void)form_text(&form, "nul", 0, 1, 9);
    (void)form_text(&form, "bidi", 0, 1, 9);
    assert_false(form_int(&form, "n", 0, 0, 9, &number));
    assert_false(form_int(&form, "big", 0, 0, 9, &number));
    assert_int_equal(number, 7);
    assert_false(form_money(&form, "bid", 0, 1, 9, &number));
    assert_int_equal(form_choice(&form, "kind", 0, kinds), -1);
    assert_false(form_texts(&form, "words", 0, 5, 5, &texts, &n));
    (void)form_text(&form, "none", FORM_REQUIRED, 1, 2);
    (void)form_text(&form, "unseen", 0, 1, 9);
    assert_true(form_object(&form, "budget", 0, &inner));
    assert_false(form_money(&inner, "daily", 0, 1, 9, &number));
    (void)form_text(&form, "needed", FORM_REQUIRED, 1, 2);
    (void)form_text(&form, "none", FORM_KEPT, 1, 2);
    assert_int_equal(body_end(&form, request), ADS_ANSWERED);

    expect_error(&form, 0, "/name", "empty");
    expect_error(&form, 1, "/long", "too_long");
    expect_error(&form, 2, "/nul", "nul_not_allowed");
    expect_error(&form, 3, "/bidi", "control_characters");
    expect_error(&form, 4, "/n", "not_an_integer");
    expect_error(&form, 5, "/big", "out_of_range");
    expect_error(&form, 6, "/bid", "invalid_format");
    expect_error(&form, 7, "/kind", "not_allowed");
    expect_error(&form, 8, "/words/1", "wrong_type");
    expect_error(&form, 9, "/none", "required");
    expect_error(&form, 10, "/unseen", "empty");
    expect_error(&form, 11, "/budget/daily", "wrong_type");
    expect_error(&form, 12, "/needed", "required");
    expect_error(&form, 13, "/none", "wrong_type");
    expect_error(&form, 14, "/budget", "unknown_field");
    expect_detail(&form, 1, "must have at most 2 characters");
    expect_detail(&form, 5, "must be from 0 to 9");
    expect_detail(&form, 7, "must be one of cpc, cpm");
    expect_detail(&form, 14, "has no field more");
    assert_int_equal(form.errors->n, 15);
    assert_int_equal(request->answer.status, 400);
    pool_free(pool);
}


/* Amounts in units of money, and what has no upper bound. */
static void
test_ranges_are_said(void **state)
{
    struct pool *pool = pool_new();

    (void)state;
    assert_string_equal(form_range_said(pool, 10000, 1000000000, true),
                        "must be from 0.01 to 1000");
    assert_string_equal(form_range_said(pool, -5, 7, false),
                        "must be from -5 to 7");
    assert_string_equal(form_range_said(pool, 1, INT64_MAX, false),
                        "must be at least 1");
    assert_string_equal(form_range_said(pool, INT64_MIN, 1500000, true),
                        "must be at most 1.5");
    pool_free(pool);
}


static void
test_more_mistakes_than_fit(void **state)
{
    struct pool *pool = pool_new();
    struct request *request = request_of(pool, "{}");
    struct form form;
    char name[8];

    (void)state;
    assert_int_equal(body_begin(&form, request), ADS_OK);
    for (int i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof(name), "n%d", i);
        (void)form_text(&form, name, FORM_REQUIRED, 1, 2);
    }
    assert_int_equal(body_end(&form, request), ADS_ANSWERED);
    assert_int_equal(form.errors->n, FORM_ERRORS_MAX);
    pool_free(pool);
}


static void
test_what_is_no_object_is_malformed(void **state)
{
    static const char *const bodies[] = {"[]", "1", "{\"a\":1,\"a\":2}",
                                         "{\"a\":", "{} x"};
    struct pool *pool = pool_new();
    struct request *request;
    struct form form;

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        request = request_of(pool, bodies[i]);
        assert_int_equal(body_begin(&form, request), ADS_ANSWERED);
        assert_int_equal(request->answer.status, 400);
    }
    request = request_of(pool, "");
    assert_int_equal(body_begin(&form, request), ADS_OK);
    assert_int_equal(body_end(&form, request), ADS_OK);
    pool_free(pool);
}


static void
test_an_item_of_an_array_is_told_by_its_index(void **state)
{
    struct form_errors errors = {0};
    struct pool *pool = pool_new();
    char text[] = "[{\"a\":1},2]";
    const char *why;
    struct doc *array = doc_read(pool, text, strlen(text), &why);
    struct form form;

    (void)state;
    form_begin_at(&form, pool, array->first, &errors, 0);
    assert_false(form_check(&form));
    expect_error(&form, 0, "/0", "unknown_field");
    errors.n = 0;
    form_begin_at(&form, pool, array->first->next, &errors, 1);
    (void)form_text(&form, "a", FORM_REQUIRED, 1, 9);
    assert_false(form_check(&form));
    expect_error(&form, 0, "/1", "wrong_type");
    assert_int_equal(errors.n, 1); /* what it lacks is not noted as well */
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_of_fields),
        cmocka_unit_test(test_every_mistake_has_its_pointer),
        cmocka_unit_test(test_ranges_are_said),
        cmocka_unit_test(test_more_mistakes_than_fit),
        cmocka_unit_test(test_what_is_no_object_is_malformed),
        cmocka_unit_test(test_an_item_of_an_array_is_told_by_its_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
