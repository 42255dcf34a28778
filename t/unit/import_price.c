/*
 * Prices of shops in all countries: read as they mean it or refused, and never
 * read as another amount.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adsd/catalog/import_price.c"

/* How CLDR writes prices, one locale for each way there is. */
struct locale {
    const char *name;
    const char *decimal;
    const char *group;
    const char *currency;
    const char *code;
    bool before;     /* the currency is in front */
    const char *gap; /* between it and the amount */
    unsigned indian; /* groups of two, but for the last */
    uint32_t zero;   /* of its digits */
};

#define NBSP "\xc2\xa0"
#define THIN "\xe2\x80\xaf"

static const struct locale locales[] = {
    {"en-US", ".", ",", "$", "USD", true, "", 0, '0'},
    {"en-GB", ".", ",", "£", "GBP", true, "", 0, '0'},
    {"en-IN", ".", ",", "₹", "INR", true, "", 1, '0'},
    {"hi", ".", ",", "₹", "INR", true, "", 1, '0'},
    {"en-ZA", ",", NBSP, "R", "ZAR", true, NBSP, 0, '0'},
    {"en-CH", ".", "’", "CHF", "CHF", true, NBSP, 0, '0'},
    {"de", ",", ".", "€", "EUR", false, NBSP, 0, '0'},
    {"de-AT", ",", ".", "€", "EUR", true, NBSP, 0, '0'},
    {"de-CH", ".", "’", "CHF", "CHF", true, NBSP, 0, '0'},
    {"de-CH typed", ".", "'", "CHF", "CHF", true, " ", 0, '0'},
    {"fr", ",", THIN, "€", "EUR", false, NBSP, 0, '0'},
    {"fr-CH", ",", THIN, "CHF", "CHF", false, NBSP, 0, '0'},
    {"fr-CA", ",", NBSP, "$", "CAD", false, NBSP, 0, '0'},
    {"es", ",", ".", "€", "EUR", false, NBSP, 0, '0'},
    {"es-MX", ".", ",", "$", "MXN", true, "", 0, '0'},
    {"it", ",", ".", "€", "EUR", false, NBSP, 0, '0'},
    {"it-CH", ".", "’", "CHF", "CHF", true, NBSP, 0, '0'},
    {"nl", ",", ".", "€", "EUR", true, NBSP, 0, '0'},
    {"pt-BR", ",", ".", "R$", "BRL", true, NBSP, 0, '0'},
    {"pt-PT", ",", NBSP, "€", "EUR", false, NBSP, 0, '0'},
    {"da", ",", ".", "kr.", "DKK", false, NBSP, 0, '0'},
    {"sv", ",", NBSP, "kr", "SEK", false, NBSP, 0, '0'},
    {"nb", ",", NBSP, "kr", "NOK", false, NBSP, 0, '0'},
    {"fi", ",", NBSP, "€", "EUR", false, NBSP, 0, '0'},
    {"pl", ",", NBSP, "zł", "PLN", false, NBSP, 0, '0'},
    {"cs", ",", NBSP, "Kč", "CZK", false, NBSP, 0, '0'},
    {"hu", ",", NBSP, "Ft", "HUF", false, NBSP, 0, '0'},
    {"bg", ",", NBSP, "лв.", "BGN", false, NBSP, 0, '0'},
    {"ru", ",", NBSP, "₽", "RUB", false, NBSP, 0, '0'},
    {"uk", ",", NBSP, "₴", "UAH", false, NBSP, 0, '0'},
    {"tr", ",", ".", "₺", "TRY", true, "", 0, '0'},
    {"el", ",", ".", "€", "EUR", false, NBSP, 0, '0'},
    {"ro", ",", ".", "RON", "RON", false, NBSP, 0, '0'},
    {"hr", ",", ".", "€", "EUR", false, NBSP, 0, '0'},
    {"sl", ",", ".", "€", "EUR", false, NBSP, 0, '0'},
    {"et", ",", NBSP, "€", "EUR", false, NBSP, 0, '0'},
    {"ja", ".", ",", "￥", "JPY", true, "", 0, '0'},
    {"zh-CN", ".", ",", "¥", "CNY", true, "", 0, '0'},
    {"ko", ".", ",", "₩", "KRW", true, "", 0, '0'},
    {"vi", ",", ".", "₫", "VND", false, NBSP, 0, '0'},
    {"id", ",", ".", "Rp", "IDR", true, NBSP, 0, '0'},
    {"th", ".", ",", "฿", "THB", true, "", 0, '0'},
    {"he", ".", ",", "‏₪", "ILS", false, NBSP "‏", 0, '0'},
    {"ar-TN", ",", ".", "TND", "TND", true, NBSP, 0, '0'},
    {"ar-EG", "٫", "٬", "EGP", "EGP", true, "‏" NBSP, 0, 0x0660},
    {"fa", "٫", "٬", "IRR", "IRR", true, "‎" NBSP, 0, 0x06f0},
    {"mr", ".", ",", "₹", "INR", true, "", 1, 0x0966},
    {"bn", ".", ",", "BDT", "BDT", false, "", 1, 0x09e6},
    /* seen, though no longer in CLDR */
    {"en-IE typed", ".", " ", "EUR", "EUR", false, " ", 0, '0'},
    {"nl-BE old", ",", " ", "EUR", "EUR", true, " ", 0, '0'},
};

#define LOCALES (sizeof(locales) / sizeof(locales[0]))


static struct ads_str
str(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


/* Writes an amount of micros with so many decimals as the locale does. */
static void
price_write(char *text, const struct locale *locale, int64_t micros,
            unsigned decimals, bool grouped)
{
    char plain[64];
    int n =
        snprintf(plain, sizeof(plain), "%lld.%06lld",
                 (long long)(micros / 1000000), (long long)(micros % 1000000));
    int whole = n - 7;
    char *p = text;

    if (locale->before) {
        p = stpcpy(stpcpy(p, locale->currency), locale->gap);
    }
    for (int i = 0; i < whole + 1 + (int)decimals; i++) {
        int left = whole - i;

        if (i == whole) {
            if (decimals == 0) {
                break;
            }
            p = stpcpy(p, locale->decimal);
            continue;
        }
        if (grouped && i > 0 && left > 0
            && (left == 3
                || (left > 3
                    && (locale->indian ? (left - 3) % 2 : left % 3) == 0)))
        {
            p = stpcpy(p, locale->group);
        }
        p = ads_utf8_write(p, locale->zero + (uint32_t)(plain[i] - '0'));
        *p = '\0';
    }
    if (!locale->before) {
        p = stpcpy(stpcpy(p, locale->gap), locale->currency);
    }
    *p = '\0';
}


static int64_t
micros_of(const struct import_price *price)
{
    int64_t micros = -1;

    assert_int_equal(ads_money_read(&micros, price->number, ADS_MONEY_UNSIGNED),
                     ADS_OK);
    return micros;
}


static int64_t
random_micros(unsigned *decimals)
{
    static const int64_t units[] = {1000000, 100000, 10000, 1000, 100};
    int64_t most = 10;

    for (long i = random() % 10; i > 0; i--) {
        most *= 10;
    }
    *decimals = (unsigned)(random() % 5);
    return (random() % most) * units[*decimals] % ADS_MONEY_MAX;
}


/* One price, with what is known of its column: right or refused. */
static bool
reads_right(const struct locale *locale, const char *text, int64_t micros,
            enum import_decimal decimal, struct pool *pool)
{
    struct import_price price;
    const char *why;

    if (!import_price_read(&price, str(text), decimal, pool, &why)) {
        return false;
    }
    if (micros_of(&price) != micros
        || (price.currency.ptr != NULL
            && !ads_str_is(price.currency, locale->code)
            && !import_symbol_fits(price.symbol_of, str(locale->code))))
    {
        print_error("%s: %s is read as %.*s %.*s\n", locale->name, text,
                    (int)price.number.len, price.number.ptr,
                    (int)price.currency.len, price.currency.ptr);
        fail();
    }
    return true;
}


static void
test_no_price_of_any_locale_is_read_wrong(void **state)
{
    struct pool *pool = pool_new();
    unsigned n_read = 0, n = 0;

    (void)state;
    for (size_t l = 0; l < LOCALES; l++) {
        for (int i = 0; i < 3000; i++) {
            unsigned decimals;
            int64_t micros = random_micros(&decimals);
            char text[256];

            price_write(text, &locales[l], micros, decimals, i % 3 != 0);
            n++;
            n_read += reads_right(&locales[l], text, micros,
                                  IMPORT_DECIMAL_UNKNOWN, pool);
        }
        pool_reset(pool);
    }
    print_message("%u of %u read alone\n", n_read, n);
    assert_in_range(n_read, n * 3 / 4, n);
    pool_free(pool);
}


/* A column in one locale, by its own evidence: none wrong; and with cents in
 * it, all are read. */
static void
test_columns_of_any_locale(void **state)
{
    struct pool *pool = pool_new();

    (void)state;
    for (size_t l = 0; l < LOCALES; l++) {
        for (int round = 0; round < 60; round++) {
            struct import_evidence evidence = {.n_point = 0};
            char texts[20][256];
            int64_t micros[20];
            bool cents = round % 2 == 0;

            for (int i = 0; i < 20; i++) {
                unsigned decimals;

                micros[i] = random_micros(&decimals);
                decimals = cents && i == 7 ? 2 : decimals;
                micros[i] -= cents && i == 7 ? micros[i] % 10000 : 0;
                price_write(texts[i], &locales[l], micros[i], decimals, true);
                import_evidence_put(&evidence, str(texts[i]), 1, pool);
            }
            assert_int_not_equal(import_evidence_decimal(&evidence),
                                 IMPORT_DECIMAL_MIXED);
            for (int i = 0; i < 20; i++) {
                bool read =
                    reads_right(&locales[l], texts[i], micros[i],
                                import_evidence_decimal(&evidence), pool);

                if (cents && !read) {
                    print_error("%s: %s is refused\n", locales[l].name,
                                texts[i]);
                    fail();
                }
            }
            pool_reset(pool);
        }
    }
    pool_free(pool);
}


static void
test_prices(void **state)
{
    static const struct {
        const char *text;
        enum import_decimal decimal; /* of the column */
        const char *number;          /* NULL: refused */
        const char *currency;
        enum import_decimal shown;
    } cases[] = {
        {"12.99", 0, "12.99", NULL, IMPORT_DECIMAL_POINT},
        {"12,9", 0, "12.9", NULL, IMPORT_DECIMAL_COMMA},
        {"1.234 EUR", 0, NULL, NULL, 0},
        {"1.234 EUR", IMPORT_DECIMAL_COMMA, "1234", "EUR", 0},
        {"1.234 EUR", IMPORT_DECIMAL_POINT, "1.234", "EUR", 0},
        {"1.234 EUR", IMPORT_DECIMAL_MIXED, NULL, NULL, 0},
        {"1,234", IMPORT_DECIMAL_POINT, "1234", NULL, 0},
        {"12,99", IMPORT_DECIMAL_POINT, NULL, NULL, 0},
        {"1234.567", 0, "1234.567", NULL, IMPORT_DECIMAL_POINT},
        {"0,500", 0, "0.500", NULL, IMPORT_DECIMAL_COMMA},
        {"1.234.567", 0, "1234567", NULL, IMPORT_DECIMAL_COMMA},
        {"1,234,567", 0, "1234567", NULL, IMPORT_DECIMAL_POINT},
        {"12,34,567.50", 0, "1234567.50", NULL, IMPORT_DECIMAL_POINT},
        {"1 234,567 kr", 0, "1234.567", NULL, IMPORT_DECIMAL_COMMA},
        {"CHF 1'299.-", 0, "1299.00", "CHF", IMPORT_DECIMAL_POINT},
        {"12,– €", 0, "12.00", "EUR", IMPORT_DECIMAL_COMMA},
        {"US$5", 0, "5", "USD", 0},
        {"$5 CAD", 0, "5", "CAD", 0},
        {"$5 EUR", 0, NULL, NULL, 0},
        {"5 € USD", 0, NULL, NULL, 0},
        {"EUR 5 USD", 0, NULL, NULL, 0},
        {"EUR", 0, NULL, NULL, 0},
        {"", 0, NULL, NULL, 0},
        {"-5", 0, NULL, NULL, 0},
        {"(5)", 0, NULL, NULL, 0},
        {"5%", 0, NULL, NULL, 0},
        {"from 5", 0, NULL, NULL, 0},
        {"5 - 10", 0, NULL, NULL, 0},
        {"1e3", 0, NULL, NULL, 0},
        {"1.2.3", 0, NULL, NULL, 0},
        {"1,2,3", 0, NULL, NULL, 0},
        {"12 99", 0, NULL, NULL, 0},
        {"1 234.567,8", 0, NULL, NULL, 0},
        {"1.234,567.8", 0, NULL, NULL, 0},
        {"0,123,456", 0, NULL, NULL, 0},
        {"1234,567,890", 0, NULL, NULL, 0},
        {"12.", 0, NULL, NULL, 0},
        {".99", 0, NULL, NULL, 0},
        {"123456789012345678901234567890123456", 0, NULL, NULL, 0},
        {"12\xff", 0, NULL, NULL, 0},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct import_price price;
        const char *why = NULL;
        bool read = import_price_read(&price, str(cases[i].text),
                                      cases[i].decimal, pool, &why);

        if (read != (cases[i].number != NULL)
            || (read
                && (!ads_str_is(price.number, cases[i].number)
                    || price.decimal != cases[i].shown
                    || (cases[i].currency == NULL
                            ? price.currency.ptr != NULL
                            : !ads_str_is(price.currency, cases[i].currency)))))
        {
            print_error("%s: %d %.*s %.*s %s\n", cases[i].text, read,
                        (int)price.number.len, price.number.ptr,
                        (int)price.currency.len, price.currency.ptr, why);
            fail();
        }
    }
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_no_price_of_any_locale_is_read_wrong),
        cmocka_unit_test(test_columns_of_any_locale),
    };

    srandom(17);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
