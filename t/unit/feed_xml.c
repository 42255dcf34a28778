/*
 * Items of RSS and Atom, one by one, and documents that are not what they
 * should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "adsd/catalog/feed_xml.c"


static size_t most_held;

/* Items as "line(name=value,...)", bad ones as "line!"; how it ended. */
static enum ads_err
read_all(const char *text, size_t len, char *out, size_t room)
{
    char path[] = "/tmp/ads-xml-XXXXXX";
    struct feed_record names, values;
    struct feed_xml *xml;
    struct feed *feed;
    const char *why;
    size_t n = 0;
    enum ads_err err;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    close(fd);
    assert_int_equal(feed_open(&feed, path), ADS_OK);
    unlink(path);
    xml = feed_xml_open(feed);
    out[0] = '\0';
    do {
        err = feed_xml_next(xml, &names, &values, &why);
        if (pool_len(xml->pool) + expat_len > most_held) {
            most_held = pool_len(xml->pool) + expat_len;
        }
        if (err == ADS_INVALID) {
            n += (size_t)snprintf(out + n, room - n, "%d!", (int)names.line);
        } else if (err == ADS_OK) {
            n += (size_t)snprintf(out + n, room - n, "%d(", (int)names.line);
            for (unsigned i = 0; i < names.n; i++) {
                n += (size_t)snprintf(
                    out + n, room - n, "%s%.*s=%.*s", i > 0 ? "," : "",
                    (int)names.cells[i].len, names.cells[i].ptr,
                    (int)values.cells[i].len, values.cells[i].ptr);
            }
            n += (size_t)snprintf(out + n, room - n, ")");
        }
    } while (err == ADS_OK || err == ADS_INVALID);
    feed_xml_close(xml);
    assert_int_equal(expat_len, 0);
    feed_close(feed);
    return err;
}


static void
expect(const char *text, enum ads_err end, const char *items)
{
    static char out[1 << 16];

    assert_int_equal(read_all(text, strlen(text), out, sizeof(out)), end);
    assert_string_equal(out, items);
}


static void
test_items(void **state)
{
    (void)state;
    expect("<?xml version='1.0' encoding='UTF-16'?>\n"
           "<rss xmlns:g='x'><channel><title>Shop</title>\n"
           "<item><g:id>1</g:id><title>A &amp; <![CDATA[B<]]></title></item>\n"
           "<item><g:id>2</g:id><g:type>a</g:type><g:type>b</g:type>"
           "<g:shipping><g:price>1</g:price></g:shipping></item>"
           "</channel></rss>",
           ADS_ABSENT, "3(id=1,title=A & B<)4(id=2,type=a\nb,shipping=)");
    expect("<feed><entry><id>1</id><link href='https://a.example/'/></entry>"
           "</feed>",
           ADS_ABSENT, "1(id=1,link=https://a.example/)");
    expect("<rss/>", ADS_ABSENT, "");
    expect("<a:feed xmlns:a='x'/>", ADS_ABSENT, "");
    expect("<products><item><id>1</id></item></products>", ADS_ABSENT,
           "1(id=1)");
}


static void
test_what_is_broken(void **state)
{
    (void)state;
    expect("", ADS_DAMAGED, "");
    expect("<html><body>Not found</body></html>", ADS_DAMAGED, "");
    expect("<products/>", ADS_DAMAGED, "");
    expect("<rss><item><id>1</id></item><item>", ADS_DAMAGED, "1(id=1)");
    expect("<rss><item><id>1</id></item><x></rss>", ADS_DAMAGED, "1(id=1)");
    expect("<!DOCTYPE r [<!ENTITY a 'b'>]><rss><item><id>&a;</id></item></rss>",
           ADS_DAMAGED, "");
    expect("<!DOCTYPE r [<!ENTITY a SYSTEM '/etc/passwd'>]><rss/>", ADS_DAMAGED,
           "");
}


static void
test_too_deep_and_too_big(void **state)
{
    static char text[3 << 20], out[1 << 16];
    char *p = text;

    (void)state;
    for (int i = 0; i < 100; i++) {
        p = stpcpy(p, "<a>");
    }
    assert_int_equal(read_all(text, (size_t)(p - text), out, sizeof(out)),
                     ADS_DAMAGED);

    p = stpcpy(text, "<rss><item><id>1</id><t>");
    memset(p, 'x', FEED_ITEM_MAX);
    p = stpcpy(p + FEED_ITEM_MAX, "</t></item><item><id>2</id></item></rss>");
    assert_int_equal(read_all(text, (size_t)(p - text), out, sizeof(out)),
                     ADS_ABSENT);
    assert_string_equal(out, "1!1(id=2)");
}


/* Copies the text with `number` for each "#"; returns the end. */
static char *
numbered(char *dst, const char *text, int number)
{
    for (; *text != '\0'; text++) {
        if (*text == '#') {
            dst += snprintf(dst, 16, "%d", number);
        } else {
            *dst++ = *text;
        }
    }
    return dst;
}


/* Before `times` copies of `repeated`, numbered, stands `first`, and `last`
 * behind them. */
static void
expect_flat(const char *first, const char *repeated, int times,
            const char *last, enum ads_err end)
{
    static char text[12 << 20], out[1 << 16];
    char *p = stpcpy(text, first);

    for (int i = 0; i < times; i++) {
        p = numbered(p, repeated, i);
    }
    p = stpcpy(p, last);
    assert_true(p < text + sizeof(text));
    most_held = 0;
    assert_int_equal(read_all(text, (size_t)(p - text), out, sizeof(out)), end);
    assert_in_range(most_held, 1, EXPAT_MAX + 8 * FEED_ITEM_MAX);
}


static void
test_memory_is_flat(void **state)
{
    static char text[1024];

    (void)state;
    memset(text, 'x', sizeof(text) - 100);
    memcpy(text, "<t>", 3);
    memcpy(text + sizeof(text) - 100, "</t>", 4);
    expect_flat("<rss><item>", text, 1000, "</item></rss>", ADS_ABSENT);

    memcpy(text, "<t href='", 9);
    memcpy(text + sizeof(text) - 100, "'/>", 4);
    expect_flat("<rss><item>", text, 1000, "</item></rss>", ADS_ABSENT);

    expect_flat("<rss>", "<a#x/><b#x/>", 500000, "</rss>", ADS_DAMAGED);
    expect_flat("<rss><!--", "# comments#", 500000, "--></rss>", ADS_DAMAGED);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_what_is_broken),
        cmocka_unit_test(test_too_deep_and_too_big),
        cmocka_unit_test(test_memory_is_flat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
