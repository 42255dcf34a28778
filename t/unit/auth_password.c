/*
 * Passwords: which may be one, that hashing and comparing agree, and that who
 * finds no slot is refused instead of waiting for ever.
 */
#include "adsd/auth/password.c"
#include "adsd/auth/common.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>


static struct ads_str
str(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


static void
the_list_is_sorted(void **state)
{
    const char *line = auth_common_list, *end;
    struct ads_str before = {"", 0};
    unsigned n = 0;

    (void)state;
    while (line < auth_common_last) {
        size_t len;
        int order;

        end = memchr(line, '\n', (size_t)(auth_common_last - line));
        assert_non_null(end);
        len = (size_t)(end - line);
        order = memcmp(before.ptr, line, before.len < len ? before.len : len);
        assert_true(order < 0 || (order == 0 && before.len < len));
        assert_true(is_listed(line, len));
        before = (struct ads_str){line, len};
        line = end + 1;
        n++;
    }
    assert_true(n >= 3000);
}


static void
common_ones_are_known(void **state)
{
    static const char *const common[] = {
        "qwertyuiop",   "1234567890",   "PASSWORD123",  "Password1234",
        "iloveyou2026", "dragon!!!!",   "aaaaaaaaaaaa", "abababababab",
        "abcdabcdabcd", "123123123123", "basketball",   "1q2w3e4r5t",
    };
    static const char *const others[] = {
        "correct-horse-demo-staple",
        "a long enough secret",
        "zzyqdragon!!!!",
        "dragon!!!!!",
        "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f umlaute",
        "",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
        if (!auth_common_check(str(common[i]))) {
            fail_msg("%s", common[i]);
        }
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (auth_common_check(str(others[i]))) {
            fail_msg("%s", others[i]);
        }
    }
}


static void
length_counts_characters(void **state)
{
    struct ads_str none = {NULL, 0};
    char text[600];

    (void)state;
    assert_non_null(auth_password_fault(str("nine char"), none, none));
    assert_null(auth_password_fault(str("ten chars!"), none, none));
    assert_non_null(
        auth_password_fault(str("\xc3\xa4\xc3\xb6\xc3\xbc 123"), none, none));
    for (size_t i = 0; i < 129; i++) {
        memcpy(text + 2 * i, i % 3 == 0 ? "\xc3\xa4" : "\xc3\xb6", 2);
        memcpy(text + 2 * i, i % 7 == 0 ? "\xc3\xbc" : text + 2 * i, 2);
    }
    assert_null(auth_password_fault((struct ads_str){text, 256}, none, none));
    assert_non_null(
        auth_password_fault((struct ads_str){text, 258}, none, none));
    assert_non_null(
        auth_password_fault(str("\xff\xfe invalid utf-8"), none, none));
}


static void
names_and_addresses_are_too_close(void **state)
{
    struct ads_str email = ADS_STR("ada.lovelace@shop.example");
    struct ads_str name = ADS_STR("Ada King");

    (void)state;
    assert_non_null(
        auth_password_fault(str("ADA.lovelace@shop.example"), email, name));
    assert_non_null(auth_password_fault(str("ada.Lovelace1"), email, name));
    assert_non_null(auth_password_fault(str("1815ada king"), email, name));
    assert_null(auth_password_fault(str("ada king went to sea"), email, name));
    assert_null(auth_password_fault(str("something else"), email, name));
    assert_null(auth_password_fault(str("abcdefghij-ada"),
                                    str("ada@shop.example"), str("Ada")));
}


static void
what_was_hashed_is_right(void **state)
{
    /* "Zurich" with a composed, then with a combining umlaut */
    struct ads_str composed = ADS_STR("Z\xc3\xbcrich password");
    struct ads_str combined = ADS_STR("Zu\xcc\x88rich password");
    char hash[AUTH_PASSWORD_HASH_MAX];
    struct auth_hasher *hasher;
    bool outdated;

    (void)state;
    assert_int_equal(auth_password_start(&hasher), ADS_OK);
    assert_int_equal(auth_password_hash(hasher, hash, composed), ADS_OK);
    assert_memory_equal(hash, "$argon2id$v=19$m=65536,t=2,p=1$", 31);
    assert_int_equal(
        auth_password_check(hasher, str(hash), combined, &outdated), ADS_OK);
    assert_false(outdated);
    assert_int_equal(auth_password_check(hasher, str(hash),
                                         str("Zurich password"), &outdated),
                     ADS_DENIED);
    assert_int_equal(auth_password_check(hasher, (struct ads_str){NULL, 0},
                                         composed, &outdated),
                     ADS_DENIED);
    assert_int_equal(
        auth_password_check(hasher, str(hash), str("\xff"), &outdated),
        ADS_DENIED);
    assert_int_equal(
        auth_password_check(hasher, str("no hash at all"), composed, &outdated),
        ADS_DENIED);
    auth_password_stop(hasher);
}


static void
weaker_parameters_are_outdated(void **state)
{
    char hash[AUTH_PASSWORD_HASH_MAX];
    struct auth_hasher *hasher;
    bool outdated;

    (void)state;
    assert_int_equal(crypto_pwhash_str_alg(hash, "an older one", 12, 2,
                                           19u * 1024 * 1024,
                                           crypto_pwhash_ALG_ARGON2ID13),
                     0);
    assert_int_equal(auth_password_start(&hasher), ADS_OK);
    assert_int_equal(
        auth_password_check(hasher, str(hash), str("an older one"), &outdated),
        ADS_OK);
    assert_true(outdated);
    auth_password_stop(hasher);
}


static void
a_full_queue_says_so(void **state)
{
    char hash[AUTH_PASSWORD_HASH_MAX];
    struct auth_hasher *hasher;
    struct job jobs[AUTH_PASSWORD_QUEUE];
    struct timespec from, to;

    (void)state;
    hasher = calloc(1, sizeof(*hasher)); /* no thread takes anything */
    (void)pthread_mutex_init(&hasher->lock, NULL);
    (void)pthread_cond_init(&hasher->filled, NULL);
    {
        pthread_condattr_t monotonic;

        (void)pthread_condattr_init(&monotonic);
        (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        (void)pthread_cond_init(&hasher->done, &monotonic);
    }

    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    assert_int_equal(auth_password_hash(hasher, hash, str("ten chars!")),
                     ADS_BUSY);
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    assert_true(to.tv_sec - from.tv_sec >= AUTH_PASSWORD_WAIT_MS / 1000 - 1);
    assert_int_equal(hasher->n, 0);

    for (size_t i = 0; i < AUTH_PASSWORD_QUEUE; i++) {
        hasher->queue[hasher->n++] = &jobs[i];
    }
    assert_int_equal(auth_password_hash(hasher, hash, str("ten chars!")),
                     ADS_BUSY);
    assert_int_equal(hasher->n, AUTH_PASSWORD_QUEUE);
    hasher->n = 0;
    auth_password_stop(hasher);
}


int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_sorted),
        cmocka_unit_test(common_ones_are_known),
        cmocka_unit_test(length_counts_characters),
        cmocka_unit_test(names_and_addresses_are_too_close),
        cmocka_unit_test(what_was_hashed_is_right),
        cmocka_unit_test(weaker_parameters_are_outdated),
        cmocka_unit_test(a_full_queue_says_so),
    };

    if (sodium_init() < 0) {
        return 1;
    }
    if (argc == 1 && strcmp(argv[0], AUTH_HASH_NAME) == 0) {
        return auth_hash_main(); /* it is this program that is started */
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
