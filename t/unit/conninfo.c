/*
 * Which connection strings lead over a network to a server that is not checked.
 */
#include "adsd/db/verified.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>


static void
verified(bool wanted, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (db_conninfo_verified(texts[i]) != wanted) {
            fail_msg("%s", texts[i]);
        }
    }
}


static void
what_stays_on_this_machine(void **state)
{
    static const char *const texts[] = {
        "dbname=ads",
        "host=/run/postgresql dbname=ads",
        "host=localhost sslmode=disable",
        "host=127.0.0.1",
        "host=::1",
        "host=/run/a,localhost",
        "host=db.example hostaddr=127.0.0.1",
        "postgresql:///ads",
        "postgresql://ads@localhost:5433/ads",
        "no string",
    };

    (void)state;
    verified(true, texts, sizeof(texts) / sizeof(texts[0]));
}


static void
what_is_verified(void **state)
{
    static const char *const texts[] = {
        "host=db.example sslmode=verify-full",
        "postgresql://ads@db.example/ads?sslmode=verify-full",
    };

    (void)state;
    verified(true, texts, sizeof(texts) / sizeof(texts[0]));
}


static void
what_is_not(void **state)
{
    static const char *const texts[] = {
        "host=db.example",
        "host=192.0.2.1 sslmode=require",
        "host=db.example sslmode=verify-ca",
        "host=localhost,db.example",
        "host=localhost hostaddr=192.0.2.1",
        "host=localhost.example",
        "postgresql://ads@db.example/ads?sslmode=prefer",
    };

    (void)state;
    verified(false, texts, sizeof(texts) / sizeof(texts[0]));
}


static void
the_environment_counts(void **state)
{
    (void)state;
    setenv("PGHOST", "db.example", 1);
    assert_false(db_conninfo_verified("dbname=ads"));
    setenv("PGSSLMODE", "verify-full", 1);
    assert_true(db_conninfo_verified("dbname=ads"));
    unsetenv("PGHOST");
    unsetenv("PGSSLMODE");
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_on_this_machine),
        cmocka_unit_test(what_is_verified),
        cmocka_unit_test(what_is_not),
        cmocka_unit_test(the_environment_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
