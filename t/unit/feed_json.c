/*
 * Which documents of JSON hold products, and which objects of them those are.
 */
#define _GNU_SOURCE /* memfd_create */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adsd/catalog/feed_json.c"


/* The objects of a document, each with its line, and how it ended. */
static enum ads_err
read_all(const char *text, char *all, size_t room)
{
    int fd = memfd_create("feed", MFD_CLOEXEC);
    struct feed *feed;
    struct feed_json *json;
    struct ads_str object;
    uint64_t line;
    const char *why;
    size_t len = 0;
    enum ads_err err;

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(feed_open_fd(&feed, fd, UINT64_MAX), ADS_OK);
    json = feed_json_open(feed);
    all[0] = '\0';
    while ((err = feed_json_next(json, &object, &line, &why)) == ADS_OK) {
        len += (size_t)snprintf(all + len, room - len, "%d%.*s ", (int)line,
                                (int)object.len, object.ptr);
    }
    feed_json_close(json);
    feed_close(feed);
    return err;
}


static void
test_documents(void **state)
{
    static const struct {
        const char *text;
        bool is;
        const char *objects;
        enum ads_err end;
    } cases[] = {
        {"[{\"a\":1},\n{\"b\":{}}]\n", true, "1{\"a\":1} 2{\"b\":{}} ",
         ADS_ABSENT},
        {"{\"products\":[{}]}", true, "1{} ", ADS_ABSENT},
        {"{\"data\":{\"items\":[{}]}}", true, "1{} ", ADS_ABSENT},
        {"{\"links\":[{\"x\":1}],\"products\":\n[{\"y\":\"]}\\\"\"}]}", true,
         "2{\"y\":\"]}\\\"\"} ", ADS_ABSENT},
        {"[{\"items\":[{}]}]", true, "1{\"items\":[{}]} ", ADS_ABSENT},
        {"[]", true, "", ADS_ABSENT},
        {"[1,\"{\",[{}]]", true, "", ADS_ABSENT},
        {"{\"sku\":\"1\"}\n{\"products\":[{}]}", false, NULL, ADS_OK},
        {"{\"products\":{}}", false, NULL, ADS_OK},
        {"[{\"a\":1},{\"b\"", true, "1{\"a\":1} ", ADS_DAMAGED},
        {"[{]}", true, "", ADS_DAMAGED},
        {"[{}] x", true, "1{} ", ADS_DAMAGED},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", true, "", ADS_DAMAGED},
    };
    char all[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = cases[i].text;
        enum ads_err end = read_all(text, all, sizeof(all));

        assert_int_equal(feed_json_is(text, strlen(text)), cases[i].is);
        if (!cases[i].is) {
            continue;
        }
        if (end != cases[i].end || strcmp(all, cases[i].objects) != 0) {
            print_error("%s: %s %d\n", text, all, end);
            fail();
        }
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
