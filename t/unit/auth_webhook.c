/*
 * The signature of a webhook is HMAC-SHA256 as published, over parts that may
 * be cut anywhere, and its time has to be near.
 */
#include "adsd/auth/webhook.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "vectors.h"

#define MESSAGE_MAX 512


/* The member's bytes, which fit. */
static size_t
hex(const json_t *item, const char *name, void *bytes, size_t cap)
{
    const char *text = json_string_value(json_object_get(item, name));
    size_t len = strlen(text) / 2;

    assert_true(len <= cap);
    assert_true(ads_hex_read(bytes, len, (struct ads_str){text, strlen(text)}));
    return len;
}


static void
case_check(const json_t *item)
{
    uint8_t mac[crypto_auth_hmacsha256_BYTES], tag[sizeof(mac)];
    char message[MESSAGE_MAX];
    struct secret secret = {0};
    size_t len = hex(item, "msg", message, sizeof(message));
    size_t tag_len = hex(item, "tag", tag, sizeof(tag));
    bool valid =
        strcmp(json_string_value(json_object_get(item, "result")), "valid")
        == 0;

    secret.len = hex(item, "key", secret.text, sizeof(secret.text));
    for (size_t cut = 0; cut <= len; cut++) {
        const struct ads_str parts[] = {{message, cut},
                                        {message + cut, len - cut}};

        sign(&secret, parts, 2, mac);
        assert_int_equal(memcmp(mac, tag, tag_len) == 0, valid);
    }
}


static void
wycheproof_is_classified_right(void **state)
{
    json_t *document = vectors_load("public/wycheproof_hmac_sha256.json");
    size_t i, k, n = 0;
    json_t *group, *item;

    (void)state;
    json_array_foreach(json_object_get(document, "testGroups"), i, group)
    {
        json_array_foreach(json_object_get(group, "tests"), k, item)
        {
            case_check(item);
            n++;
        }
    }
    print_message("# %zu cases of Wycheproof\n", n);
    assert_true(document == NULL || n >= 90);
    json_decref(document);
}


static void
a_webhook_is_signed_with_its_time(void **state)
{
    static const struct ads_str body = ADS_STR("{\"a\":1}");
    const struct ads_str parts[] = {ADS_STR("1700000000"), ADS_STR("."), body};
    struct auth_webhook *webhook = calloc(1, sizeof(*webhook));
    uint8_t mac[crypto_auth_hmacsha256_BYTES];
    char header[128];
    struct ads_str said = {header, 0};

    (void)state;
    webhook->n = 1;
    webhook->secrets[0].len = 32;
    memset(webhook->secrets[0].text, 'k', 32);
    sign(&webhook->secrets[0], parts, 3, mac);
    said.len = (size_t)snprintf(header, sizeof(header), "t=1700000000,v1=");
    (void)sodium_bin2hex(header + said.len, sizeof(header) - said.len, mac,
                         sizeof(mac));
    said.len += 2 * sizeof(mac);

    assert_true(auth_webhook_check(webhook, said, body, 1700000000));
    assert_true(auth_webhook_check(webhook, said, body,
                                   1700000000 + AUTH_WEBHOOK_TOLERANCE_S));
    assert_false(auth_webhook_check(webhook, said, body,
                                    1700000001 + AUTH_WEBHOOK_TOLERANCE_S));
    assert_false(auth_webhook_check(webhook, said, body,
                                    1699999999 - AUTH_WEBHOOK_TOLERANCE_S));
    assert_false(
        auth_webhook_check(webhook, said, ADS_STR("{\"a\":2}"), 1700000000));
    header[3] = '8';
    assert_false(auth_webhook_check(webhook, said, body, 1700000000));
    free(webhook);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wycheproof_is_classified_right),
        cmocka_unit_test(a_webhook_is_signed_with_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
