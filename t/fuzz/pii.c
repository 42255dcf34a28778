/*
 * Any bytes as a value that may be personal data, an address or a time.
 * Space around it changes nothing of what it is; addresses are what inet_pton
 * takes for one; work is bounded by the length.
 */
#include "ads_pii.h"

#include <arpa/inet.h>

#include "ads_ip.h"
#include "ads_time.h"
#include "fuzz.h"

#define LEN_MAX 65536
#define WORK_US 100000 /* many times what 64 KiB take, sanitized */


static void
address_must(struct ads_str text)
{
    /* an IPv4 address within IPv6 is as short as an IPv4 one */
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    uint8_t ip[16] = {0}, other[16] = {0}, whole[16];
    size_t len = ads_ip_read(ip, text), want = 0;
    char copy[64];
    bool short_one;

    if (text.len < sizeof(copy) && memchr(text.ptr, 0, text.len) == NULL) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
        want = inet_pton(AF_INET, copy, other) == 1    ? 4
               : inet_pton(AF_INET6, copy, other) == 1 ? 16
                                                       : 0;
    }
    fuzz_must(len == want, "an address is what the system takes for one");
    fuzz_must(len == 0 || memcmp(ip, other, len) == 0, "the same address");
    if (len == 0) {
        return;
    }
    memcpy(whole, ip, sizeof(whole));
    short_one = len == 4 || memcmp(ip, mapped, sizeof(mapped)) == 0;
    ads_ip_mask(ip, len);
    fuzz_must(ip[len - 1] == 0 && (short_one || ip[len - 2] == 0)
                  && (memcmp(ip, whole, 3) == 0),
              "a masked address has lost its end");
}


static void
time_must(struct ads_str text)
{
    char again[32];
    int64_t ms, back;
    time_t seconds;
    struct tm tm;
    size_t len;

    if (!ads_time_read(&ms, text)) {
        return;
    }
    seconds = (time_t)(ms / 1000);
    fuzz_must(gmtime_r(&seconds, &tm) != NULL && tm.tm_year < 8101,
              "a time of the calendar");
    if (ms < 0) {
        return; /* before 1970 in its zone's day only */
    }
    len = strftime(again, sizeof(again), "%Y-%m-%dT%H:%M:%S", &tm);
    len += (size_t)snprintf(again + len, sizeof(again) - len, ".%03dZ",
                            (int)(ms % 1000));
    fuzz_must(tm.tm_year >= 8100
                  || (ads_time_read(&back, (struct ads_str){again, len})
                      && back == ms),
              "the same time in UTC");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text, *spaced;
    int64_t begin;
    bool found;

    if (len > LEN_MAX) {
        return 0;
    }
    text = fuzz_copy(bytes, len);
    begin = fuzz_cpu_us();
    found = ads_pii_find((struct ads_str){text, len});
    fuzz_must(fuzz_cpu_us() - begin < WORK_US, "work is bounded");

    spaced = malloc(len + 2);
    spaced[0] = ' ';
    memcpy(spaced + 1, text, len);
    spaced[len + 1] = ' ';
    fuzz_must(ads_pii_find((struct ads_str){spaced, len + 2}) == found
                  || len + 2 > ADS_PII_FOLD_MAX / 4,
              "space around it changes nothing");
    address_must((struct ads_str){text, len});
    time_must((struct ads_str){text, len});
    free(spaced);
    free(text);
    return 0;
}
