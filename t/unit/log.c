/*
 * The log: one JSON object a line, whatever goes into it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/base/log.c"

#include "ads_json.h"

struct fixture {
    char path[64];
    struct log *log;
};


static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    int fd;

    (void)stpcpy(f->path, "/tmp/adslogXXXXXX");
    fd = mkstemp(f->path);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(log_open(&f->log, f->path, LOG_INFO), ADS_OK);
    *state = f;
    return 0;
}


static int
tear_down(void **state)
{
    struct fixture *f = *state;

    log_close(f->log);
    (void)unlink(f->path);
    free(f);
    return 0;
}


/* All of the file, with a NUL. */
static size_t
read_all(const struct fixture *f, char *dst, size_t room)
{
    int fd = open(f->path, O_RDONLY);
    ssize_t n = read(fd, dst, room - 1);

    (void)close(fd);
    assert_true(n >= 0);
    dst[n] = '\0';
    return (size_t)n;
}


/* One line, one object, by the strict scanner. */
static void
expect_line(const char *text, size_t len)
{
    static char copy[LOG_LINE_MAX + 1];
    struct ads_json_value value;
    struct ads_json json;

    assert_in_range(len, 2, LOG_LINE_MAX);
    assert_int_equal(text[len - 1], '\n');
    assert_null(memchr(text, '\n', len - 1));
    memcpy(copy, text, len);
    ads_json_init(&json, copy, len);
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_OBJECT);
    ads_json_skip(&json, &value);
    assert_int_equal(ads_json_end(&json), ADS_OK);
}


static void
test_a_line_has_its_members(void **state)
{
    static char text[LOG_LINE_MAX * 2];
    const struct log_field fields[] = {
        {.name = "segment", .text = ADS_STR("m-1")},
        {.name = "offset", .number = -64},
    };
    const struct log_line line = {LOG_WARN, "ingest", fields, 2};
    size_t len;

    log_write(((struct fixture *)*state)->log, &line, "could not %s", "x");
    len = read_all(*state, text, sizeof(text));
    expect_line(text, len);
    assert_int_equal(strncmp(text, "{\"at\":\"20", 9), 0);
    assert_non_null(strstr(text, "\"level\":\"warn\",\"duty\":\"ingest\","
                                 "\"segment\":\"m-1\",\"offset\":-64,"
                                 "\"msg\":\"could not x\"}\n"));
}


static void
test_lesser_levels_are_left_out(void **state)
{
    char text[64];

    log_debug(((struct fixture *)*state)->log, "main", "nothing");
    assert_int_equal(read_all(*state, text, sizeof(text)), 0);
}


static void
test_hostile_bytes_stay_one_json_line(void **state)
{
    static char text[LOG_LINE_MAX * 2];

    log_error(((struct fixture *)*state)->log, "main", "%s",
              "a\n\"b\"\\\x01\x7f\xff\xc3\xa9\xf4\x90");
    expect_line(text, read_all(*state, text, sizeof(text)));
}


static void
test_a_long_line_is_cut_and_still_json(void **state)
{
    static char text[LOG_LINE_MAX * 2], value[LOG_LINE_MAX * 2];
    struct fixture *f = *state;
    struct log_field fields[3];
    struct log_line line = {LOG_INFO, "main", fields, 3};
    size_t len;

    for (size_t n = 0; n < sizeof(value); n += 61) {
        memset(value, n % 2 == 0 ? '"' : 'x', n);
        for (int i = 0; i < 3; i++) {
            fields[i] = (struct log_field){.name = "value", .text = {value, n}};
        }
        fields[1].name = "value2";
        fields[2] = (struct log_field){.name = "n", .number = INT64_MIN};
        assert_int_equal(truncate(f->path, 0), 0);
        log_write(f->log, &line, "%s", value + sizeof(value) - 1 - n);
        len = read_all(f, text, sizeof(text));
        expect_line(text, len);
    }
}


static void
test_a_rotated_log_goes_on_in_a_new_file(void **state)
{
    struct fixture *f = *state;
    char moved[80], text[512];

    (void)snprintf(moved, sizeof(moved), "%s.1", f->path);
    assert_int_equal(rename(f->path, moved), 0);
    log_info(f->log, "main", "to the old one");
    log_reopen(f->log);
    log_info(f->log, "main", "to the new one");
    assert_true(read_all(f, text, sizeof(text)) > 0);
    assert_non_null(strstr(text, "new"));
    assert_null(strstr(text, "old"));
    (void)unlink(moved);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(test_a_line_has_its_members),
        TEST(test_lesser_levels_are_left_out),
        TEST(test_hostile_bytes_stay_one_json_line),
        TEST(test_a_long_line_is_cut_and_still_json),
        TEST(test_a_rotated_log_goes_on_in_a_new_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
