/*
 * Reads prices.  What stands before the first digit and behind the last is a
 * currency or nothing; what is between is made a plain row of digits and marks
 * first, and then validated.
 */
#include "catalog/import_price.h"

#include <stdio.h>
#include <strings.h>

#include "ads_money.h"
#include "ads_utf8.h"

#define AMOUNT_MAX 32
#define GROUP ' '   /* any mark that can only be between groups */
#define DECIMAL '@' /* any that can only be before decimals */

/* An amount as digits, '.', ',', GROUP and DECIMAL. */
struct amount {
    char text[AMOUNT_MAX + 4];
    size_t len;
    size_t n_points, n_commas, n_groups, n_decimals;
};

/*
 * Symbols, and the currencies that have them; `one` is whether the first is
 * meant where nothing else is said.
 */
static const struct {
    const char *symbol;
    const char *codes;
    bool one;
} symbols[] = {
    {"€", "EUR", true},
    {"£", "GBP EGP FKP GIP LBP SHP SSP SYP", true},
    {"$",
     "USD ARS AUD BBD BMD BND BSD BZD CAD CLP COP CVE DOP FJD GYD HKD JMD KYD"
     " LRD MXN NAD NZD SBD SGD SRD TTD TWD UYU XCD ZWL",
     false},
    {"US$", "USD", true},
    {"A$", "AUD", true},
    {"AU$", "AUD", true},
    {"C$", "CAD NIO", false},
    {"CA$", "CAD", true},
    {"HK$", "HKD", true},
    {"MX$", "MXN", true},
    {"NT$", "TWD", true},
    {"NZ$", "NZD", true},
    {"R$", "BRL", true},
    {"S$", "SGD", true},
    {"¥", "JPY CNY", false},
    {"￥", "JPY CNY", false},
    {"CN¥", "CNY", true},
    {"JP¥", "JPY", true},
    {"円", "JPY", true},
    {"元", "CNY TWD", false},
    {"₹", "INR", true},
    {"Rs", "INR PKR LKR NPR MUR SCR", false},
    {"Rs.", "INR PKR LKR NPR MUR SCR", false},
    {"₩", "KRW KPW", true},
    {"₪", "ILS", true},
    {"₫", "VND", true},
    {"đ", "VND", true},
    {"₱", "PHP", true},
    {"฿", "THB", true},
    {"₺", "TRY", true},
    {"TL", "TRY", true},
    {"₴", "UAH", true},
    {"₽", "RUB", true},
    {"руб.", "RUB BYN", false},
    {"₸", "KZT", true},
    {"₾", "GEL", true},
    {"₼", "AZN", true},
    {"֏", "AMD", true},
    {"₦", "NGN", true},
    {"₡", "CRC", true},
    {"₲", "PYG", true},
    {"kr", "SEK DKK ISK NOK", false},
    {"kr.", "DKK ISK NOK SEK", false},
    {"Kč", "CZK", true},
    {"zł", "PLN", true},
    {"Ft", "HUF", true},
    {"lei", "RON MDL", false},
    {"лв", "BGN", true},
    {"лв.", "BGN", true},
    {"din.", "RSD", true},
    {"KM", "BAM", true},
    {"R", "ZAR", true},
    {"RM", "MYR", true},
    {"Rp", "IDR", true},
    {"S/", "PEN", true},
    {"Fr.", "CHF XOF XAF", false},
    {"SFr.", "CHF", true},
};

/* Where the ten digits of other scripts begin. */
static const uint32_t zeros[] = {0x0660, 0x06f0, 0x0966,
                                 0x09e6, 0x0e50, 0xff10};

enum sign { SIGN_OTHER, SIGN_DIGIT, SIGN_SPACE, SIGN_NOTHING, SIGN_MARK };

static const struct {
    uint32_t code;
    enum sign sign;
    char plain;
} signs[] = {
    {' ', SIGN_SPACE, GROUP},    {'\t', SIGN_SPACE, GROUP},
    {0xa0, SIGN_SPACE, GROUP},   {0x2009, SIGN_SPACE, GROUP},
    {0x202f, SIGN_SPACE, GROUP}, {0x2007, SIGN_SPACE, GROUP},
    {0x061c, SIGN_NOTHING, 0},   {0x200e, SIGN_NOTHING, 0},
    {0x200f, SIGN_NOTHING, 0},   {'.', SIGN_MARK, '.'},
    {',', SIGN_MARK, ','},       {'\'', SIGN_MARK, GROUP},
    {0x2019, SIGN_MARK, GROUP},  {0x02bc, SIGN_MARK, GROUP},
    {0x066c, SIGN_MARK, GROUP},  {0x066b, SIGN_MARK, DECIMAL},
};


/* The sign that the text begins with, its length, and what it is as ASCII. */
static enum sign
sign_at(struct ads_str text, size_t *len, char *plain)
{
    uint32_t code = (uint8_t)text.ptr[0];

    *len = ads_utf8_len(text);
    if (*len == 0) {
        *len = 1;
        return SIGN_OTHER;
    }
    if (*len > 1) {
        code &= 0x7fU >> *len;
        for (size_t i = 1; i < *len; i++) {
            code = code << 6 | ((uint8_t)text.ptr[i] & 0x3fU);
        }
    } else if (ads_char_is_digit(text.ptr[0])) {
        *plain = text.ptr[0];
        return SIGN_DIGIT;
    }
    for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++) {
        if (code >= zeros[i] && code < zeros[i] + 10) {
            *plain = (char)('0' + (code - zeros[i]));
            return SIGN_DIGIT;
        }
    }
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (signs[i].code == code) {
            *plain = signs[i].plain;
            return signs[i].sign;
        }
    }
    return SIGN_OTHER;
}


/* Without spaces of any kind and direction marks at its ends. */
static struct ads_str
blank_trim(struct ads_str text)
{
    size_t from = text.len, to = 0, len;
    char plain;

    for (size_t i = 0; i < text.len; i += len) {
        const struct ads_str rest = {text.ptr + i, text.len - i};
        const enum sign sign = sign_at(rest, &len, &plain);

        if (sign != SIGN_SPACE && sign != SIGN_NOTHING) {
            from = from < i ? from : i;
            to = i + len;
        }
    }
    return from < to ? (struct ads_str){text.ptr + from, to - from}
                     : (struct ads_str){text.ptr, 0};
}


/* ---- currencies ---- */

/* A code, or the index of a symbol; false: neither. */
static bool
currency_find(struct ads_str text, size_t *symbol)
{
    for (*symbol = 0; *symbol < sizeof(symbols) / sizeof(symbols[0]);
         (*symbol)++) {
        if (ads_str_is(text, symbols[*symbol].symbol)) {
            return true;
        }
    }
    return text.len == 3 && ads_char_is_letter(text.ptr[0])
           && ads_char_is_letter(text.ptr[1])
           && ads_char_is_letter(text.ptr[2]);
}


static struct ads_str
code_upper(struct ads_str text, struct pool *pool)
{
    char *upper = pool_text(pool, text);

    for (size_t i = 0; i < text.len; i++) {
        upper[i] = (char)(upper[i] & ~0x20);
    }
    return (struct ads_str){upper, text.len};
}


bool
import_currency_read(struct ads_str *code, struct ads_str text,
                     struct pool *pool)
{
    size_t i;

    text = blank_trim(text);
    if (!currency_find(text, &i)) {
        return false;
    }
    if (i == sizeof(symbols) / sizeof(symbols[0])) {
        *code = code_upper(text, pool);
        return true;
    }
    if (symbols[i].one) {
        *code = (struct ads_str){symbols[i].codes, 3};
    }
    return symbols[i].one;
}


bool
import_symbol_fits(const char *symbol_of, struct ads_str code)
{
    for (const char *p = symbol_of; p != NULL && *p != '\0';
         p += p[3] == ' ' ? 4 : 3)
    {
        if (ads_str_equal(code, (struct ads_str){p, 3})) {
            return true;
        }
    }
    return symbol_of == NULL;
}


/* The currency on one side of an amount into `price`; false: it is none, or
 * another one than on the other side. */
static bool
side_take(struct import_price *price, struct ads_str side, struct pool *pool)
{
    struct ads_str code = {NULL, 0};
    size_t i;

    side = blank_trim(side);
    if (side.len == 0) {
        return true;
    }
    if (!currency_find(side, &i)) {
        return false;
    }
    if (i == sizeof(symbols) / sizeof(symbols[0])) {
        code = code_upper(side, pool);
    } else if (price->symbol_of != NULL) {
        return false;
    } else {
        price->symbol_of = symbols[i].codes;
        if (symbols[i].one) {
            code = (struct ads_str){symbols[i].codes, 3};
        }
    }
    if (code.ptr != NULL && price->currency.ptr != NULL
        && !ads_str_equal(code, price->currency))
    {
        return false;
    }
    price->currency = code.ptr != NULL ? code : price->currency;
    return price->currency.ptr == NULL
           || import_symbol_fits(price->symbol_of, price->currency);
}


/* ---- amounts ---- */

/* Where digits begin and end. */
static bool
digits_find(struct ads_str text, size_t *from, size_t *to)
{
    size_t len;
    char plain;

    *to = 0;
    for (size_t i = 0; i < text.len; i += len) {
        const struct ads_str rest = {text.ptr + i, text.len - i};

        if (sign_at(rest, &len, &plain) == SIGN_DIGIT) {
            if (*to == 0) {
                *from = i;
            }
            *to = i + len;
        }
    }
    return *to > 0;
}


static bool
amount_put(struct amount *amount, char c)
{
    if (amount->len == AMOUNT_MAX) {
        return false;
    }
    amount->text[amount->len++] = c;
    amount->n_points += c == '.';
    amount->n_commas += c == ',';
    amount->n_groups += c == GROUP;
    amount->n_decimals += c == DECIMAL;
    return true;
}


static bool
amount_plain(struct amount *amount, struct ads_str text)
{
    size_t len;
    char plain;

    *amount = (struct amount){.len = 0};
    for (size_t i = 0; i < text.len; i += len) {
        const struct ads_str rest = {text.ptr + i, text.len - i};
        const enum sign sign = sign_at(rest, &len, &plain);

        if (sign == SIGN_OTHER
            || (sign != SIGN_NOTHING && !amount_put(amount, plain))) {
            return false;
        }
    }
    return true;
}


/* "12.-" and "12,--" are whole amounts: the dashes become decimals. */
static bool
dashes_take(struct amount *amount, struct ads_str *behind)
{
    static const char *const dashes[] = {"--", "-", "–", "—"};

    if (behind->len < 2 || (behind->ptr[0] != '.' && behind->ptr[0] != ',')) {
        return true;
    }
    for (size_t i = 0; i < sizeof(dashes) / sizeof(dashes[0]); i++) {
        size_t len = strlen(dashes[i]);

        if (behind->len > len && memcmp(behind->ptr + 1, dashes[i], len) == 0) {
            const char mark = behind->ptr[0];

            behind->ptr += 1 + len;
            behind->len -= 1 + len;
            return amount_put(amount, mark) && amount_put(amount, '0')
                   && amount_put(amount, '0');
        }
    }
    return true;
}


/* Digits from `from` to the next mark or `to`. */
static size_t
run_len(const struct amount *amount, size_t from, size_t to)
{
    size_t n = 0;

    while (from + n < to && ads_char_is_digit(amount->text[from + n])) {
        n++;
    }
    return n;
}


/* Are the digits before `to` in groups, all of the same mark: three each, or
 * but for the last two each?  A lone group is fine. */
static bool
groups_check(const struct amount *amount, size_t to)
{
    size_t first = run_len(amount, 0, to), at = first, inner = 0;

    if (first == to) {
        return true;
    }
    if (first == 0 || first > 3 || amount->text[0] == '0') {
        return false;
    }
    while (at < to) {
        size_t len = run_len(amount, at + 1, to);
        bool last = at + 1 + len == to;

        if (amount->text[at] != amount->text[first] || (last && len != 3)
            || (!last && len != 2 && len != 3)
            || (!last && inner != 0 && inner != len)
            || (!last && len == 2 && first == 3))
        {
            return false;
        }
        inner = last ? inner : len;
        at += 1 + len;
    }
    return true;
}


/* The place of the only or the last of a mark; len: there is none. */
static size_t
mark_last(const struct amount *amount, char mark)
{
    for (size_t i = amount->len; i > 0; i--) {
        if (amount->text[i - 1] == mark) {
            return i - 1;
        }
    }
    return amount->len;
}


/*
 * Which mark is the decimal one, by the amount alone: '\0' none, '?' either.
 * What cannot be any amount is found out later.
 */
static char
mark_find(const struct amount *amount)
{
    const char mark = amount->n_points > 0 ? '.' : ',';
    const size_t n = amount->n_points + amount->n_commas;
    const size_t at = mark_last(amount, mark);

    if (amount->n_decimals > 0) {
        return DECIMAL;
    }
    if (amount->n_points > 0 && amount->n_commas > 0) {
        return mark_last(amount, '.') > mark_last(amount, ',') ? '.' : ',';
    }
    if (n != 1) {
        return '\0';
    }
    return amount->n_groups == 0 && amount->len - at - 1 == 3 && at <= 3
                   && amount->text[0] != '0'
               ? '?'
               : mark;
}


/* What the amount shows of the decimal mark when that is `mark`. */
static enum import_decimal
decimal_shown(const struct amount *amount, char mark)
{
    if (mark == '.' || (mark == '\0' && amount->n_commas > 1)) {
        return IMPORT_DECIMAL_POINT;
    }
    return mark == ',' || (mark == '\0' && amount->n_points > 1)
               ? IMPORT_DECIMAL_COMMA
               : IMPORT_DECIMAL_UNKNOWN;
}


/* The amount with that decimal mark as JSON writes it; false: it is none. */
static bool
number_write(struct import_price *price, const struct amount *amount, char mark,
             struct pool *pool)
{
    const size_t to = mark == '\0' ? amount->len : mark_last(amount, mark);
    char number[AMOUNT_MAX + 4];
    size_t len = 0;

    if (!groups_check(amount, to)
        || (to < amount->len
            && run_len(amount, to + 1, amount->len) != amount->len - to - 1))
    {
        return false;
    }
    for (size_t i = 0; i < amount->len; i++) {
        const char c = amount->text[i];

        if (ads_char_is_digit(c)) {
            /* JSON knows no 007 */
            if (len == 1 && number[0] == '0') {
                len = 0;
            }
            number[len++] = c;
        } else if (i == to) {
            number[len++] = '.';
        }
    }
    price->number =
        (struct ads_str){pool_text(pool, (struct ads_str){number, len}), len};
    return true;
}


/* ---- prices ---- */

static const char not_an_amount[] =
    "must be an amount such as 12.99 or 12.99 USD";


static bool
amount_read(struct import_price *price, const struct amount *amount,
            enum import_decimal decimal, struct pool *pool, const char **why)
{
    char mark = mark_find(amount);

    if (mark == '?') {
        const char own = amount->n_points > 0 ? '.' : ',';
        const char asked = decimal == IMPORT_DECIMAL_POINT ? '.' : ',';

        price->doubtful = true;
        if (decimal != IMPORT_DECIMAL_POINT && decimal != IMPORT_DECIMAL_COMMA)
        {
            *why = "can be read in two ways: say decimal=comma or"
                   " decimal=point";
            return false;
        }
        mark = own == asked ? own : '\0';
    } else {
        price->decimal = decimal_shown(amount, mark);
    }
    if ((decimal == IMPORT_DECIMAL_POINT
         && price->decimal == IMPORT_DECIMAL_COMMA)
        || (decimal == IMPORT_DECIMAL_COMMA
            && price->decimal == IMPORT_DECIMAL_POINT))
    {
        *why = "has another decimal mark than asked for";
        return false;
    }
    return number_write(price, amount, mark, pool);
}


bool
import_price_read(struct import_price *price, struct ads_str text,
                  enum import_decimal decimal, struct pool *pool,
                  const char **why)
{
    struct ads_str behind;
    struct amount amount;
    size_t from = 0, to;

    *price = (struct import_price){.decimal = IMPORT_DECIMAL_UNKNOWN};
    *why = not_an_amount;
    if (!digits_find(text, &from, &to)) {
        return false;
    }
    behind = (struct ads_str){text.ptr + to, text.len - to};
    return amount_plain(&amount, (struct ads_str){text.ptr + from, to - from})
           && dashes_take(&amount, &behind)
           && side_take(price, (struct ads_str){text.ptr, from}, pool)
           && side_take(price, behind, pool)
           && amount_read(price, &amount, decimal, pool, why);
}


/* ---- columns ---- */

void
import_evidence_put(struct import_evidence *evidence, struct ads_str text,
                    uint64_t line, struct pool *pool)
{
    struct import_price price;
    const char *why;

    if (!import_price_read(&price, text, IMPORT_DECIMAL_UNKNOWN, pool, &why)) {
        evidence->n_doubtful += price.doubtful;
        return;
    }
    if (price.decimal == IMPORT_DECIMAL_UNKNOWN) {
        return;
    }
    evidence->n_point += price.decimal == IMPORT_DECIMAL_POINT;
    evidence->n_comma += price.decimal == IMPORT_DECIMAL_COMMA;
    if (evidence->line == 0 && text.len < sizeof(evidence->sample)) {
        evidence->line = line;
        (void)snprintf(evidence->sample, sizeof(evidence->sample), "%.*s",
                       (int)text.len, text.ptr);
    }
}


enum import_decimal
import_evidence_decimal(const struct import_evidence *evidence)
{
    if (evidence->n_point > 0 && evidence->n_comma > 0) {
        return IMPORT_DECIMAL_MIXED;
    }
    if (evidence->n_point > 0) {
        return IMPORT_DECIMAL_POINT;
    }
    return evidence->n_comma > 0 ? IMPORT_DECIMAL_COMMA
                                 : IMPORT_DECIMAL_UNKNOWN;
}


static const char *const decimal_names[IMPORT_DECIMALS] = {
    [IMPORT_DECIMAL_POINT] = "point",
    [IMPORT_DECIMAL_COMMA] = "comma",
    [IMPORT_DECIMAL_MIXED] = "mixed",
};


enum import_decimal
import_decimal_find(struct ads_str name)
{
    int i = IMPORT_DECIMAL_POINT;

    while (i < IMPORT_DECIMAL_MIXED && !ads_str_is(name, decimal_names[i])) {
        i++;
    }
    return i < IMPORT_DECIMAL_MIXED ? (enum import_decimal)i
                                    : IMPORT_DECIMAL_UNKNOWN;
}


const char *
import_decimal_name(enum import_decimal decimal)
{
    return decimal_names[decimal];
}
