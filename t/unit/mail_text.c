/*
 * Mails: nothing that somebody wrote adds a header or a line; addresses that
 * mean something to a mail server are no addresses; links lead to us.
 */
#include "adsd/auth/email.c"
#include "adsd/mail/text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sodium.h>


#define SEED "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"


static struct ads_str
str(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


/* A mail of that kind, as a text with a NUL. */
static const char *
mail_of(struct pool *pool, const char *kind)
{
    struct auth_keys *keys;
    struct mail_text mail = {
        .id = {{0xde, 0xad, 0xbe, 0xef}},
        .kind = str(kind),
        .to = ADS_STR("ada@shop.example"),
        .from = "Ads <ads@ads.example>",
        .base_url = "https://ads.example:8443",
        .unix_s = 1893456000,
    };
    struct ads_str text;

    assert_int_equal(auth_keys_parse(&keys, ADS_STR("k " SEED " sign")),
                     ADS_OK);
    text = mail_text_write(pool, keys, &mail);
    auth_keys_free(keys);
    return text.ptr == NULL ? NULL : pool_text(pool, text);
}


static void
every_kind_is_a_mail(void **state)
{
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const char *text = mail_of(pool, kinds[i].name);
        const char *body = strstr(text, "\r\n\r\n");
        unsigned headers = 1;

        assert_non_null(body);
        for (const char *at = text; at < body; at++) {
            headers += at[0] == '\n';
            assert_true(at[0] != '\n' || at[-1] == '\r');
        }
        assert_int_equal(headers, 9);
        assert_non_null(strstr(text, "\r\nTo: ada@shop.example\r\n"));
        assert_non_null(strstr(text, "\r\nFrom: Ads <ads@ads.example>\r\n"));
        assert_non_null(strstr(text, "Date: Tue, 01 Jan 2030 00:00:00 +0000"));
        assert_non_null(strstr(text, "@ads.example>\r\n"));
        assert_non_null(strstr(body, "https://ads.example:8443"));
        assert_true((kinds[i].link != NULL)
                    == (strstr(body, "/dashboard/#") != NULL
                        && strstr(body, "#forgot") == NULL));
        assert_null(strchr(body, '%'));
    }
    assert_null(mail_of(pool, "gift"));
    pool_free(pool);
}


static void
addresses(void **state)
{
    static const char *const good[] = {
        "a@b.example",
        "ada.lovelace+ads@mail.shop.example",
        "o'neill@shop.example",
        "UPPER@SHOP.Example",
        "x@xn--bcher-kva.example",
    };
    static const char *const bad[] = {
        "",
        "@",
        "a@",
        "@b.example",
        "a@b",
        "a b@c.example",
        "a@b..example",
        ".a@b.example",
        "a.@b.example",
        "a..b@c.example",
        "a@-b.example",
        "a@b-.example",
        "a@b.example.",
        "a@b.123",
        "a@[127.0.0.1]",
        "\"a\"@b.example",
        "a@b.example\r\nBcc: c@d.example",
        "a,c@b.example",
        "<a@b.example>",
        "a@b@c.example",
        "a\xc3\xa9@b.example",
        "a@b.ex\xc3\xa9mple",
        "a(c)@b.example",
        "a;b@c.example",
        "a\\@b.example",
        "a:b@c.example",
        ("a1234567890123456789012345678901234567890123456789012345678901234"
         "@b.example"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (!auth_email_check(str(good[i]))) {
            fail_msg("%s", good[i]);
        }
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (auth_email_check(str(bad[i]))) {
            fail_msg("%s", bad[i]);
        }
    }
}


static void
a_code_is_of_its_row(void **state)
{
    struct ads_uuid id = {{7}}, read;
    char code[AUTH_CODE_LEN];
    struct auth_keys *keys;

    (void)state;
    assert_int_equal(auth_keys_parse(&keys, ADS_STR("k " SEED " sign")),
                     ADS_OK);
    auth_code_write(code, keys, &id);
    assert_true(
        auth_code_read(&read, keys, (struct ads_str){code, sizeof(code)}));
    assert_true(ads_uuid_equal(&id, &read));
    for (size_t i = 0; i < sizeof(code); i++) {
        char kept = code[i];

        code[i] = kept == 'A' ? 'B' : 'A';
        assert_false(
            auth_code_read(&read, keys, (struct ads_str){code, sizeof(code)}));
        code[i] = kept;
    }
    auth_keys_free(keys);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_a_mail),
        cmocka_unit_test(addresses),
        cmocka_unit_test(a_code_is_of_its_row),
    };

    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
