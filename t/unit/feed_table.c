/*
 * Tables as text, as spreadsheets and shops write them; a bad row costs that
 * row alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "adsd/catalog/feed_table.c"


/* Records as "line:cell|cell;", bad ones as "line!;". */
static enum ads_err
read_all(const char *text, char *out, size_t room)
{
    char path[] = "/tmp/ads-table-XXXXXX";
    struct feed_table *table;
    struct feed_record record;
    struct feed *feed;
    const char *why;
    size_t n = 0;
    enum ads_err err;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    assert_int_equal(feed_open(&feed, path), ADS_OK);
    unlink(path);
    out[0] = '\0';
    err = feed_table_open(&table, feed);
    while (err == ADS_OK || err == ADS_INVALID) {
        err = feed_table_next(table, &record, &why);
        if (err == ADS_INVALID) {
            n += (size_t)snprintf(out + n, room - n, "%d!;", (int)record.line);
        } else if (err == ADS_OK) {
            n += (size_t)snprintf(out + n, room - n, "%d:", (int)record.line);
            for (unsigned i = 0; i < record.n; i++) {
                n += (size_t)snprintf(
                    out + n, room - n, "%s%.*s", i > 0 ? "|" : "",
                    (int)record.cells[i].len, record.cells[i].ptr);
            }
            n += (size_t)snprintf(out + n, room - n, ";");
        }
    }
    feed_table_close(table);
    feed_close(feed);
    return err;
}


static void
expect(const char *text, const char *records)
{
    char out[4096];

    assert_int_equal(read_all(text, out, sizeof(out)), ADS_ABSENT);
    assert_string_equal(out, records);
}


static void
test_separators(void **state)
{
    (void)state;
    expect("a,b\n1,2\n", "2:1|2;");
    expect("a;b,c;d\r\n1;2;3\r\n", "2:1|2|3;");
    expect("a\tb\n1\t\n\n\t2", "2:1|;4:|2;");
    expect("a|b\n1|2", "2:1|2;");
    expect("\"a,b,c\";d\n1;2", "2:1|2;");
    expect("\xef\xbb\xbf"
           "a,b\n1,2",
           "2:1|2;");
    expect("a\n1\n", "2:1;");
}


static void
test_quotes(void **state)
{
    (void)state;
    expect("a,b\n\"1,5\",\"say \"\"hi\"\"\"\n", "2:1,5|say \"hi\";");
    expect("a,b\n\"x\ny\",2\n3,4", "2:x\ny|2;4:3|4;");
    expect("a,b\n55\",2\n", "2:55\"|2;");
    expect("a,b\n\"x\"y,2\n", "2:xy|2;");
    expect("a,b\n\"\",\"\"\"\"\n", "2:|\";");
}


static void
test_tabs_know_inches(void **state)
{
    (void)state;
    expect("a\tb\n\"55 TV\t2\n3\t4\n", "2:\"55 TV|2;3:3|4;");
    expect("a\tb\n\"x\ty\"\t2\n", "2:x\ty|2;");
    expect("a\tb\n\"x\"\t\"2\n", "2:x|\"2;");
}


static void
test_a_bad_row_costs_itself(void **state)
{
    (void)state;
    expect("a,b\n1\n2,3\n4,5,6\n7,8", "2!;3:2|3;4!;5:7|8;");
    expect("a,b\n\"1,2\n3,4\n5,6", "2!;3:3|4;4:5|6;");
    expect("a,b\n\"1,2\n3,\"4\"\n5,6", "2!;3:3|4;4:5|6;");
    expect("a,b\n\"1,2\n\"3,4\n\"x\ny\",6", "2!;3!;4:x\ny|6;");
    expect("a,b\n1,\"2", "2!;");
}


static void
test_no_header_no_table(void **state)
{
    char out[64];

    (void)state;
    assert_int_equal(read_all("", out, sizeof(out)), ADS_ABSENT);
    expect("a,b\n", "");
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_tabs_know_inches),
        cmocka_unit_test(test_a_bad_row_costs_itself),
        cmocka_unit_test(test_no_header_no_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
