/*
 * Reads and writes the refresh cookie.
 */
#define _GNU_SOURCE /* memrchr */

#include "auth/cookie.h"

#include <string.h>
#include <strings.h>

#define NAME_SECURE "__Host-ads_refresh"
#define NAME_PLAIN "ads_refresh"


static bool
is_https(const struct request *request)
{
    return strncmp(request->adsd->conf.base_url, "https://", 8) == 0;
}


struct ads_str
auth_cookie_find(const struct request *request)
{
    const char *name = is_https(request) ? NAME_SECURE : NAME_PLAIN;
    struct ads_str rest = request_find(request, "HTTP_COOKIE"), one;
    size_t len = strlen(name);
    const char *end;

    while (rest.len > 0) {
        end = memchr(rest.ptr, ';', rest.len);
        one = rest;
        if (end != NULL) {
            one.len = (size_t)(end - rest.ptr);
        }
        rest.ptr += one.len + (end != NULL);
        rest.len -= one.len + (end != NULL);
        while (one.len > 0 && *one.ptr == ' ') {
            one.ptr++;
            one.len--;
        }
        if (one.len > len && memcmp(one.ptr, name, len) == 0
            && one.ptr[len] == '=') {
            return (struct ads_str){one.ptr + len + 1, one.len - len - 1};
        }
    }
    return (struct ads_str){NULL, 0};
}


void
auth_cookie_set(struct request *request, struct ads_str token, int64_t life_s)
{
    bool secure = is_https(request);
    struct ads_str value;

    value.ptr =
        pool_format(request->pool, &value.len,
                    "%s=%.*s; Path=/; Max-Age=%lld; HttpOnly;%s "
                    "SameSite=Strict",
                    secure ? NAME_SECURE : NAME_PLAIN, (int)token.len,
                    token.ptr, (long long)life_s, secure ? " Secure;" : "");
    request_header(request, "Set-Cookie", value);
}


/* The host of an http origin, its port in *port; ptr NULL for anything else. */
static struct ads_str
plain_host(struct ads_str origin, struct ads_str *port)
{
    struct ads_str host = {NULL, 0};
    const char *last = origin.ptr + origin.len, *colon;

    if (origin.len <= 7 || strncasecmp(origin.ptr, "http://", 7) != 0) {
        return host;
    }
    host = (struct ads_str){origin.ptr + 7, origin.len - 7};
    colon = memrchr(host.ptr, ':', host.len);
    *port = ADS_STR("80");
    if (colon != NULL && memchr(colon, ']', (size_t)(last - colon)) == NULL) {
        *port = (struct ads_str){colon + 1, (size_t)(last - colon - 1)};
        host.len = (size_t)(colon - host.ptr);
    }
    return host;
}


static bool
is_loopback(struct ads_str host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

    for (size_t i = 0; host.ptr != NULL && i < 3; i++) {
        if (host.len == strlen(names[i])
            && strncasecmp(host.ptr, names[i], host.len) == 0)
        {
            return true;
        }
    }
    return false;
}


static bool
is_own(struct ads_str origin, struct ads_str base)
{
    struct ads_str port = {NULL, 0}, base_port = {NULL, 0};

    if (origin.len == base.len
        && strncasecmp(origin.ptr, base.ptr, base.len) == 0) {
        return true;
    }
    return is_loopback(plain_host(origin, &port))
           && is_loopback(plain_host(base, &base_port))
           && ads_str_equal(port, base_port);
}


enum ads_err
auth_cookie_origin_check(struct request *request)
{
    struct ads_str origin = request_find(request, "HTTP_ORIGIN");
    const char *url = request->adsd->conf.base_url;
    const char *host = strstr(url, "://") + 3;
    struct ads_str base = {url, (size_t)(host - url) + strcspn(host, "/")};

    if (origin.ptr == NULL || is_own(origin, base)) {
        return ADS_OK;
    }
    return request_answer_problem(request, ADS_PROBLEM_ORIGIN_MISMATCH, NULL);
}
