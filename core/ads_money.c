/*
 * Converts decimal text to integers and back, exactly.
 *
 * A number is taken apart into a mantissa without trailing zeros and a power
 * of ten; both are all that its value is, however it was spelt.  18 digits of
 * mantissa fit an int64, and any bound we have is within them.
 */
#include "ads_money.h"

#define MANTISSA_DIGITS 18
#define UNIT_MAX INT64_C(1000000000000000000) /* 10 ^ MANTISSA_DIGITS */
#define MICRO_DIGITS 6
#define NOISE_PARTS 1000 /* of a micro */
#define EXPONENT_CLAMP \
    INT64_C(1000000000000000) /* 1e15: no text is that long */

/* Each with the space behind it. */
static const char currencies[] =
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF "
    "BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF "
    "CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB "
    "EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF "
    "IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD "
    "KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU "
    "MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN "
    "PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD "
    "SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY "
    "TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST "
    "XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU "
    "XUA YER ZAR ZMW ZWG ZWL ";

struct decimal {
    bool negative;
    bool wide;        /* digits were cut: the value is a little larger */
    int64_t mantissa; /* its last digit is not 0, or it is 0 */
    int64_t exponent; /* value = mantissa * 10 ^ exponent */
};

/* What a run of digits adds up to while it is read. */
struct digits {
    int64_t mantissa;
    int n;         /* digits in mantissa */
    int64_t zeros; /* seen after them and not in it: zeros, or cut digits */
    bool wide;     /* some were cut */
};


static bool
digit_is(struct ads_cursor *cursor)
{
    return cursor->pos < cursor->last && *cursor->pos >= '0'
           && *cursor->pos <= '9';
}


/* Reads the digits at the cursor.  Returns how many there were. */
static int64_t
digits_read(struct ads_cursor *cursor, struct digits *digits)
{
    int64_t n = 0;

    for (; digit_is(cursor); n++) {
        int digit = ads_cursor_u8(cursor) - '0';

        if (digit == 0) {
            digits->zeros += digits->n > 0;
            continue;
        }
        if (digits->n + digits->zeros >= MANTISSA_DIGITS) {
            digits->wide = true;
            digits->zeros++;
            continue;
        }
        for (; digits->zeros > 0; digits->zeros--) {
            digits->mantissa *= 10;
            digits->n++;
        }
        digits->mantissa = digits->mantissa * 10 + digit;
        digits->n++;
    }
    return n;
}


static bool
cursor_take(struct ads_cursor *cursor, uint8_t c)
{
    if (cursor->pos < cursor->last && *cursor->pos == c) {
        cursor->pos++;
        return true;
    }
    return false;
}


/* Reads "e+12"; 0 and true when there is none. */
static bool
exponent_read(struct ads_cursor *cursor, int64_t *exponent)
{
    bool negative;

    *exponent = 0;
    if (!cursor_take(cursor, 'e') && !cursor_take(cursor, 'E')) {
        return true;
    }

    negative = cursor_take(cursor, '-');
    if (!negative) {
        cursor_take(cursor, '+');
    }
    if (!digit_is(cursor)) {
        return false;
    }
    while (digit_is(cursor)) {
        *exponent = *exponent * 10 + (ads_cursor_u8(cursor) - '0');
        if (*exponent > EXPONENT_CLAMP) {
            *exponent = EXPONENT_CLAMP;
        }
    }
    *exponent = negative ? -*exponent : *exponent;
    return true;
}


static bool
decimal_read(struct decimal *decimal, struct ads_str text)
{
    struct ads_cursor cursor = ads_cursor_init(text.ptr, text.len);
    struct digits digits = {0};
    int64_t fraction = 0;
    int64_t exponent;
    bool zero_first;
    int64_t n;

    decimal->negative = cursor_take(&cursor, '-');
    zero_first = cursor.pos < cursor.last && *cursor.pos == '0';
    n = digits_read(&cursor, &digits);
    if (n == 0 || (zero_first && n > 1)) {
        return false;
    }
    if (cursor_take(&cursor, '.')) {
        fraction = digits_read(&cursor, &digits);
        if (fraction == 0) {
            return false;
        }
    }
    if (!exponent_read(&cursor, &exponent) || cursor.pos != cursor.last) {
        return false;
    }

    decimal->wide = digits.wide;
    decimal->mantissa = digits.mantissa;
    decimal->exponent = exponent - fraction + digits.zeros;
    return true;
}


/* The decimal times 10 ^ scale, which must be whole and at most `max`; of one
 * that was cut, what is left of it. */
static enum ads_err
scaled_read(int64_t *value, const struct decimal *decimal, int scale,
            int64_t max)
{
    int64_t exponent = decimal->exponent + scale;
    int64_t result = decimal->mantissa;

    *value = 0;
    if (result == 0) {
        return ADS_OK;
    }
    if (exponent < 0) {
        return ADS_INVALID;
    }

    for (; exponent > 0; exponent--) {
        if (result > max / 10) {
            return ADS_TOO_LARGE;
        }
        result *= 10;
    }
    if (result > max) {
        return ADS_TOO_LARGE;
    }
    *value = decimal->negative ? -result : result;
    return ADS_OK;
}


/*
 * A decimal that has digits behind its micros.  Its nearest micro, other than
 * 0, where what is over is noise or `rounds` allows more.
 */
static enum ads_err
nearest_read(int64_t *micros, const struct decimal *decimal, bool rounds)
{
    int64_t exponent = decimal->exponent + MICRO_DIGITS;
    int64_t whole = decimal->mantissa;
    int64_t unit = 1;
    int64_t rest;

    for (; exponent < -MANTISSA_DIGITS && whole > 0; exponent++) {
        whole /= 10;
    }
    for (; exponent < 0 && unit < UNIT_MAX; exponent++) {
        unit *= 10;
    }
    rest = whole % unit;
    whole /= unit;
    if (!rounds && rest + decimal->wide > unit / NOISE_PARTS
        && unit - rest > unit / NOISE_PARTS)
    {
        return ADS_INVALID;
    }
    whole += rest >= unit - rest;
    if (whole == 0) {
        return ADS_INVALID;
    }
    if (whole > ADS_MONEY_MAX || (whole == ADS_MONEY_MAX && rest < unit / 2)) {
        return ADS_TOO_LARGE;
    }
    *micros = decimal->negative ? -whole : whole;
    return ADS_OK;
}


static enum ads_err
micros_read(int64_t *micros, struct ads_str text, enum ads_money_sign sign,
            bool rounds)
{
    struct decimal decimal;
    enum ads_err err;

    *micros = 0;
    if (!decimal_read(&decimal, text)) {
        return ADS_INVALID;
    }
    err = decimal.mantissa != 0 && decimal.exponent < -MICRO_DIGITS
              ? nearest_read(micros, &decimal, rounds)
              : scaled_read(micros, &decimal, MICRO_DIGITS,
                            ADS_MONEY_MAX - decimal.wide);
    if (sign == ADS_MONEY_UNSIGNED && *micros < 0) {
        *micros = 0;
        return ADS_INVALID;
    }
    return err;
}


enum ads_err
ads_money_read(int64_t *micros, struct ads_str text, enum ads_money_sign sign)
{
    return micros_read(micros, text, sign, false);
}


enum ads_err
ads_money_round(int64_t *micros, struct ads_str text, enum ads_money_sign sign)
{
    return micros_read(micros, text, sign, true);
}


enum ads_err
ads_money_integer_read(int64_t *value, struct ads_str text)
{
    struct decimal decimal;

    *value = 0;
    if (!decimal_read(&decimal, text)) {
        return ADS_INVALID;
    }
    if (decimal.wide) {
        return decimal.exponent < 0 ? ADS_INVALID : ADS_TOO_LARGE;
    }
    return scaled_read(value, &decimal, 0, UNIT_MAX);
}


char *
ads_money_write(char *dst, int64_t micros)
{
    uint64_t rest = micros < 0 ? 0 - (uint64_t)micros : (uint64_t)micros;
    uint64_t units = rest / ADS_MONEY_UNIT;
    uint64_t fraction = rest % ADS_MONEY_UNIT;
    char digits[20];
    size_t n = 0;

    if (micros < 0) {
        *dst++ = '-';
    }

    do {
        digits[n++] = (char)('0' + units % 10);
        units /= 10;
    } while (units > 0);
    while (n > 0) {
        *dst++ = digits[--n];
    }

    if (fraction > 0) {
        uint64_t place = ADS_MONEY_UNIT;

        *dst++ = '.';
        do {
            place /= 10;
            *dst++ = (char)('0' + fraction / place);
            fraction %= place;
        } while (fraction > 0);
    }
    return dst;
}


bool
ads_currency_check(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < 'A' || text.ptr[i] > 'Z') {
            return false;
        }
    }
    return text.len == 3;
}


bool
ads_currency_known(struct ads_str text)
{
    for (size_t i = 0; ads_currency_check(text) && currencies[i] != '\0';
         i += 4) {
        if (memcmp(currencies + i, text.ptr, 3) == 0) {
            return true;
        }
    }
    return false;
}
