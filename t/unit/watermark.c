/*
 * The watermark beside the journal: which databases wait for the operator, and
 * a file that is read as it was written or refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adsd/journal/watermark.c"

#define HOUR_US (INT64_C(3600) * 1000000)
#define NOW_US (INT64_C(1795242279) * 1000000)
#define LAG_S 3600

struct fixture {
    struct conf conf;
    struct log *log;
    char folder[32];
    char file[64];
};


static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    (void)stpcpy(f->folder, "/tmp/adsmarkXXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->conf.state_path = f->folder;
    (void)snprintf(f->file, sizeof(f->file), "%s/committed", f->folder);
    assert_int_equal(log_open(&f->log, "/dev/null", LOG_INFO), ADS_OK);
    *state = f;
    return 0;
}


static int
tear_down(void **state)
{
    struct fixture *f = *state;

    (void)unlink(f->file);
    (void)rmdir(f->folder);
    log_close(f->log);
    free(f);
    return 0;
}


static void
test_an_older_database_waits(void **state)
{
    static const struct {
        const char *database;
        int64_t behind_us;
        int64_t removed_us; /* before the watermark; 0: nothing was */
        enum watermark_state expected;
    } cases[] = {
        {"7/5", 0, 0, WATERMARK_LEVEL},
        {"7/5", -HOUR_US, 0, WATERMARK_LEVEL},
        {"8/5", 0, 0, WATERMARK_LEVEL},
        {"7/5", 1, 0, WATERMARK_LAGGED},
        {"7/5", HOUR_US, 0, WATERMARK_LAGGED},
        {"7/5", HOUR_US + 1, 0, WATERMARK_BEHIND},
        {"8/5", 1, 0, WATERMARK_BEHIND},
        {"7/6", 1, 0, WATERMARK_BEHIND},
        {"7/5", HOUR_US, HOUR_US + 1, WATERMARK_LAGGED},
        {"7/5", HOUR_US, HOUR_US / 2, WATERMARK_GAP},
        {"8/5", 3 * HOUR_US, HOUR_US, WATERMARK_GAP},
        {"7/5", 0, HOUR_US, WATERMARK_LEVEL},
    };
    struct watermark mark = {.database = "7/5", .drained_us = NOW_US}, there;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        mark.removed_us =
            cases[i].removed_us == 0 ? 0 : NOW_US - cases[i].removed_us;
        there = (struct watermark){.drained_us = NOW_US - cases[i].behind_us};
        (void)stpcpy(there.database, cases[i].database);
        assert_int_equal(watermark_compare(&mark, &there, LAG_S),
                         cases[i].expected);
    }
}


static void
test_what_is_written_is_read(void **state)
{
    struct fixture *f = *state;
    const struct watermark mark = {"7311223344556677889/4294967295", NOW_US, 5};
    struct watermark found;

    assert_int_equal(watermark_read(&found, &f->conf, f->log), ADS_ABSENT);
    assert_int_equal(watermark_write(&mark, &f->conf, f->log), ADS_OK);
    assert_int_equal(watermark_read(&found, &f->conf, f->log), ADS_OK);
    assert_string_equal(found.database, mark.database);
    assert_int_equal(found.drained_us, mark.drained_us);
    assert_int_equal(found.removed_us, mark.removed_us);
}


static void
test_another_text_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "1 7/5 12",
        "1 7/5 12 0",
        "2 7/5 1 0",
        "1 7/5 x 0\n",
        "1 7/5 1 0 0\n",
        "1 123456789012345678901234567890123456789012345678 1 0\n",
    };
    struct fixture *f = *state;
    struct watermark found;
    int fd;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fd = open(f->file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, texts[i], strlen(texts[i])),
                         strlen(texts[i]));
        (void)close(fd);
        assert_int_equal(watermark_read(&found, &f->conf, f->log), ADS_DAMAGED);
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(test_an_older_database_waits),
        TEST(test_what_is_written_is_read),
        TEST(test_another_text_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
