/*
 * Any bytes as a URL of an advertiser: what is accepted has the same host for
 * libcurl, and the address that a click goes to has it too, holds nothing that
 * could end a header and is as long as was promised.
 */
#define _GNU_SOURCE /* memmem */
#include "ads_url.h"

#include <curl/curl.h>

#include "fuzz.h"

#define CLICK_ID "01234567-89ab-8cde-8f01-23456789abcd"

static const struct ads_url_click click = {
    ADS_STR(CLICK_ID),
    ADS_STR("11111111-2222-4333-8444-555555555555"),
    ADS_STR("66666666-7777-4888-8999-aaaaaaaaaaaa"),
    ADS_STR("search_results"),
};


static void
part_must(CURLU *handle, CURLUPart part, struct ads_str want,
          const char *promise)
{
    char *text = NULL;

    fuzz_must(curl_url_get(handle, part, &text, 0) == CURLUE_OK
                  && fuzz_equal((struct ads_str){text, strlen(text)}, want),
              promise);
    curl_free(text);
}


/* libcurl reads the same scheme and host, and no user. */
static void
curl_must(struct ads_str url, struct ads_str host, struct ads_str scheme)
{
    CURLU *handle = curl_url();
    char *text = malloc(url.len + 1), *user = NULL;

    memcpy(text, url.ptr, url.len);
    text[url.len] = '\0';
    fuzz_must(curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK,
              "libcurl accepts it");
    part_must(handle, CURLUPART_HOST, host, "libcurl sees the same host");
    part_must(handle, CURLUPART_SCHEME, scheme, "and the same scheme");
    fuzz_must(curl_url_get(handle, CURLUPART_USER, &user, 0) == CURLUE_NO_USER,
              "and no user");
    free(text);
    curl_url_cleanup(handle);
}


static void
click_must(struct ads_str url, struct ads_str host)
{
    char *out = malloc(ADS_URL_CLICK_MAX);
    struct ads_str target = {out, 0};
    const char *id;

    fuzz_must(
        ads_url_click_write(out, ADS_URL_CLICK_MAX, &target.len, url, &click)
            == ADS_OK,
        "an accepted URL has an address to click to");
    for (size_t i = 0; i < target.len; i++) {
        fuzz_must(out[i] > 0x20 && out[i] < 0x7f, "fit for a header");
    }
    fuzz_must(fuzz_equal(ads_url_host_find(target), host), "on the same host");
    curl_must(target, host, ADS_STR("https"));
    id = memmem(out, target.len, CLICK_ID, sizeof(CLICK_ID) - 1);
    fuzz_must(id != NULL || memchr(url.ptr, '{', url.len) != NULL,
              "with the click's id");

    fuzz_must(ads_url_click_write(out, target.len - 1, &target.len, url, &click)
                  == ADS_TOO_LARGE,
              "a room too small is reported");
    free(out);
}


static void
check(struct ads_str url, enum ads_url_use use)
{
    const char *why = "unset";
    enum ads_err err = ads_url_check(url, use, &why);
    struct ads_str host;

    fuzz_must((err == ADS_OK) == (why == NULL), "a refusal says why");
    if (err != ADS_OK) {
        fuzz_must(err == ADS_INVALID || err == ADS_TOO_LARGE,
                  "a known verdict");
        return;
    }
    host = ads_url_host_find(url);
    fuzz_must(url.len <= ADS_URL_MAX && fuzz_inside(host, url.ptr, url.len)
                  && host.len > 0,
              "the host is a part of it");
    curl_must(url, host,
              url.ptr[4] == 's' ? ADS_STR("https") : ADS_STR("http"));
    if (use == ADS_URL_DESTINATION) {
        fuzz_must(ads_url_check(url, ADS_URL_IMAGE, NULL) == ADS_OK
                      || memchr(url.ptr, '{', url.len) != NULL,
                  "what visitors go to can be an image's, but for macros");
        click_must(url, host);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *copy = fuzz_copy(bytes, len);
    char *out = malloc(ADS_URL_CLICK_MAX);
    struct ads_str url = {copy, len};
    size_t out_len;

    check(url, ADS_URL_DESTINATION);
    check(url, ADS_URL_IMAGE);
    if (ads_url_click_write(out, 256, &out_len, url, &click) == ADS_OK) {
        fuzz_must(out_len <= 256, "never more than there is room for");
    }
    free(out);
    free(copy);
    return 0;
}
