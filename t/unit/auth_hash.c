/*
 * The process that hashes: its answers, what becomes of work when it dies, and
 * that it steps back behind everybody and leaves nothing behind.
 */
#include "adsd/auth/hash.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define PASSWORD "four words of nonsense"


static bool
right(struct auth_hash *helper, const char *hash, const char *text)
{
    bool ok;

    assert_int_equal(auth_hash_do(helper, text, strlen(text), hash, NULL, &ok),
                     ADS_OK);
    return ok;
}


static void
it_makes_and_compares(void **state)
{
    struct auth_hash *helper = auth_hash_new();
    char hash[AUTH_HASH_MAX], other[AUTH_HASH_MAX];
    bool ok;

    (void)state;
    assert_int_equal(
        auth_hash_do(helper, PASSWORD, strlen(PASSWORD), NULL, hash, &ok),
        ADS_OK);
    assert_true(ok);
    assert_int_equal(crypto_pwhash_str_verify(hash, PASSWORD, strlen(PASSWORD)),
                     0);
    assert_false(auth_hash_outdated(hash));
    assert_true(right(helper, hash, PASSWORD));
    assert_false(right(helper, hash, "four words of nonsens"));

    /* and takes what was made elsewhere */
    assert_true(auth_hash_make(other, PASSWORD, strlen(PASSWORD)));
    assert_true(right(helper, other, PASSWORD));
    auth_hash_free(helper);
}


static void
what_does_not_fit_is_refused(void **state)
{
    static const char text[AUTH_HASH_TEXT_MAX + 1];
    char hash[AUTH_HASH_MAX + 1];
    struct auth_hash *helper = auth_hash_new();
    bool ok = true;

    (void)state;
    assert_int_equal(auth_hash_do(helper, text, sizeof(text), NULL, hash, &ok),
                     ADS_INVALID);
    assert_false(ok);
    memset(hash, 'x', sizeof(hash) - 1);
    hash[sizeof(hash) - 1] = '\0';
    assert_int_equal(auth_hash_do(helper, "x", 1, hash, NULL, &ok),
                     ADS_INVALID);
    assert_int_equal(helper->fd, -1);
    auth_hash_free(helper);
}


static void
another_one_takes_over(void **state)
{
    struct auth_hash *helper = auth_hash_new();
    char hash[AUTH_HASH_MAX];
    pid_t first;

    (void)state;
    assert_true(auth_hash_make(hash, PASSWORD, strlen(PASSWORD)));
    assert_true(right(helper, hash, PASSWORD));
    first = helper->pid;
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_true(right(helper, hash, PASSWORD));
    assert_int_not_equal(helper->pid, first);
    auth_hash_free(helper);

    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
}


static void
it_steps_back(void **state)
{
    struct auth_hash *helper = auth_hash_new();
    char hash[AUTH_HASH_MAX], path[64];

    (void)state;
    assert_true(auth_hash_make(hash, PASSWORD, strlen(PASSWORD)));
    assert_true(right(helper, hash, PASSWORD));
    /* the second where Linux makes no groups of sessions */
    assert_true(sched_getscheduler(helper->pid) == SCHED_IDLE
                || getpriority(PRIO_PROCESS, (id_t)helper->pid) == 5);
    assert_int_equal(getsid(helper->pid), helper->pid);
    (void)snprintf(path, sizeof(path), "/proc/%d/fd/4", (int)helper->pid);
    assert_int_equal(access(path, F_OK), -1); /* nothing came along */
    auth_hash_free(helper);
}


int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_makes_and_compares),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(another_one_takes_over),
        cmocka_unit_test(it_steps_back),
    };

    if (sodium_init() < 0) {
        return 1;
    }
    if (argc == 1 && strcmp(argv[0], AUTH_HASH_NAME) == 0) {
        return auth_hash_main(); /* it is this program that is started */
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
