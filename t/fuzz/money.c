/*
 * Any bytes as an amount, checked a second time digit by digit in 128 bits.
 * What is written reads back; what is read exactly is also its own nearest
 * micro.
 */
#include "ads_money.h"

#include "fuzz.h"

#define DIGITS_MAX 60

/* A number as JSON writes it, taken apart. */
struct decimal {
    bool negative;
    size_t n; /* digits */
    uint8_t digits[DIGITS_MAX];
    long point; /* the value is 0.d1d2d3... x 10^point */
    bool vast;  /* more digits or exponent than kept here */
};


static bool
is_digit(struct ads_str text, size_t at)
{
    return at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9';
}


static void
digit_add(struct decimal *number, char digit)
{
    if (number->n == 0 && digit == '0') {
        number->point--;
    } else if (number->n < DIGITS_MAX) {
        number->digits[number->n++] = (uint8_t)(digit - '0');
    } else {
        number->vast = number->vast || digit != '0';
    }
}


/* False when the text is no JSON number. */
static bool
decimal_read(struct decimal *number, struct ads_str text)
{
    size_t at = 0;
    long exponent = 0, sign = 1;

    memset(number, 0, sizeof(*number));
    if (at < text.len && text.ptr[at] == '-') {
        number->negative = true;
        at++;
    }
    if (!is_digit(text, at) || (text.ptr[at] == '0' && is_digit(text, at + 1)))
    {
        return false;
    }
    for (; is_digit(text, at); at++) {
        number->point++;
        digit_add(number, text.ptr[at]);
    }
    if (at < text.len && text.ptr[at] == '.') {
        if (!is_digit(text, ++at)) {
            return false;
        }
        for (; is_digit(text, at); at++) {
            digit_add(number, text.ptr[at]);
        }
    }
    if (at < text.len && (text.ptr[at] | 0x20) == 'e') {
        at++;
        if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-')) {
            sign = text.ptr[at] == '-' ? -1 : 1;
            at++;
        }
        if (!is_digit(text, at)) {
            return false;
        }
        for (; is_digit(text, at); at++) {
            exponent = exponent * 10 + (text.ptr[at] - '0');
            exponent = exponent > 1000000 ? 1000000 : exponent;
        }
    }
    number->point += sign * exponent;
    return at == text.len;
}


static int
digit_at(const struct decimal *number, long i)
{
    return i >= 0 && i < (long)number->n ? number->digits[i] : 0;
}


/* Is there a digit other than 0 from that one on? */
static bool
goes_on(const struct decimal *number, long from)
{
    for (size_t i = 0; i < number->n; i++) {
        if ((long)i >= from && number->digits[i] != 0) {
            return true;
        }
    }
    return false;
}


/*
 * The value x 10^shift; ADS_INVALID when that is no whole number, nor, with
 * `noisy`, within a thousandth of one.
 */
static enum ads_err
decimal_scale(__int128 *value, const struct decimal *number, long shift,
              __int128 most, bool noisy)
{
    long places = number->point + shift; /* digits before the point */
    int milli = digit_at(number, places) * 100
                + digit_at(number, places + 1) * 10
                + digit_at(number, places + 2);

    *value = 0;
    if (number->vast || number->n == 0) {
        return number->vast ? ADS_INVALID : ADS_OK;
    }
    if (goes_on(number, places)
        && (!noisy
            || (milli != 0 && milli != 999
                && (milli != 1 || goes_on(number, places + 3)))))
    {
        return ADS_INVALID;
    }
    for (long i = 0; i < places; i++) {
        *value = *value * 10 + digit_at(number, i);
        if (*value > most) {
            return ADS_TOO_LARGE;
        }
    }
    if (*value == most && goes_on(number, places)) {
        return ADS_TOO_LARGE;
    }
    *value += noisy && milli == 999;
    if (*value == 0) {
        return ADS_INVALID;
    }
    *value = number->negative ? -*value : *value;
    return ADS_OK;
}


static void
check(struct ads_str text, enum ads_money_sign sign)
{
    struct decimal number;
    enum ads_err err, want = ADS_INVALID;
    __int128 value = 0;
    int64_t micros = 0;

    err = ads_money_read(&micros, text, sign);
    if (decimal_read(&number, text)) {
        want = decimal_scale(&value, &number, 6, ADS_MONEY_MAX, true);
        if (value < 0 && sign == ADS_MONEY_UNSIGNED) {
            want = ADS_INVALID;
        }
        if (number.vast) {
            return;
        }
    }
    fuzz_must((err == ADS_OK) == (want == ADS_OK), "the same verdict");
    fuzz_must(err != ADS_OK || micros == value, "the same amount");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *copy = fuzz_copy(bytes, len);
    struct ads_str text = {copy, len};
    char written[ADS_MONEY_TEXT_MAX];
    int64_t micros, again, whole;
    struct decimal number;
    __int128 value;
    char *end;

    check(text, ADS_MONEY_UNSIGNED);
    check(text, ADS_MONEY_SIGNED);

    if (ads_money_integer_read(&whole, text) == ADS_OK) {
        fuzz_must(decimal_read(&number, text), "a whole number is one");
        fuzz_must(number.vast
                      || (decimal_scale(&value, &number, 0,
                                        (__int128)1000000000000000000, false)
                              == ADS_OK
                          && value == whole),
                  "the same whole number");
    }
    if (ads_money_read(&micros, text, ADS_MONEY_SIGNED) == ADS_OK) {
        fuzz_must(ads_money_round(&again, text, ADS_MONEY_SIGNED) == ADS_OK
                      && again == micros,
                  "an amount is its own nearest micro");
        end = ads_money_write(written, micros);
        fuzz_must(end > written && end <= written + sizeof(written),
                  "an amount fits its room");
        fuzz_must(
            ads_money_read(&again,
                           (struct ads_str){written, (size_t)(end - written)},
                           ADS_MONEY_SIGNED)
                    == ADS_OK
                && again == micros,
            "what is written reads back");
    }
    free(copy);
    return 0;
}
