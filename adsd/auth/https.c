/*
 * Sends HTTPS requests to identity providers.  One easy handle a call: nothing
 * is kept between two, so nothing leaks from one provider to another.
 */
#include "auth/https.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#define AGENT "ngx-ads"
#define ACCEPT "Accept: application/json"

/* what one call knows while curl works */
struct call {
    const struct https_rules *rules;
    struct pool *pool;
    struct https_answer *answer;
    size_t room;
    size_t headers_len;
    bool plain; /* http */
    bool refused;
    bool too_large;
};

struct range {
    uint8_t bytes[4];
    uint8_t bits;
};

/* IANA's special-purpose registry: what is not of the public internet */
static const struct range special4[] = {
    {{0}, 8},
    {{10}, 8},
    {{100, 64}, 10},
    {{127}, 8},
    {{169, 254}, 16},
    {{172, 16}, 12},
    {{192, 0, 0}, 24},
    {{192, 0, 2}, 24},
    {{192, 88, 99}, 24},
    {{192, 168}, 16},
    {{198, 18}, 15},
    {{198, 51, 100}, 24},
    {{203, 0, 113}, 24},
    {{224}, 4},
    {{240}, 4},
};

/* the same inside 2000::/3, outside of which nothing is public */
static const struct range special6[] = {
    {{0x20, 0x01, 0x00}, 23},
    {{0x20, 0x01, 0x0d, 0xb8}, 32},
    {{0x20, 0x02}, 16},
    {{0x3f, 0xff, 0x00}, 20},
};

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0,    0,
                                          0, 0, 0, 0, 0xff, 0xff};
static const uint8_t nat64_prefix[12] = {0x00, 0x64, 0xff, 0x9b};


static bool
in_range(const uint8_t *ip, const struct range *range)
{
    size_t whole = range->bits / 8, rest = range->bits % 8;

    return memcmp(ip, range->bytes, whole) == 0
           && (rest == 0
               || (ip[whole] ^ range->bytes[whole]) >> (8 - rest) == 0);
}


static bool
in_ranges(const uint8_t *ip, const struct range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (in_range(ip, &ranges[i])) {
            return true;
        }
    }
    return false;
}


bool
https_is_public(const uint8_t *ip, size_t len)
{
    if (len == 16
        && (memcmp(ip, mapped_prefix, 12) == 0
            || memcmp(ip, nat64_prefix, 12) == 0))
    {
        ip += 12;
        len = 4;
    }
    if (len == 4) {
        return !in_ranges(ip, special4, sizeof(special4) / sizeof(special4[0]));
    }
    return len == 16 && ip[0] >> 5 == 1
           && !in_ranges(ip, special6, sizeof(special6) / sizeof(special6[0]));
}


static bool
is_loopback(const uint8_t *ip, size_t len)
{
    static const uint8_t one[16] = {[15] = 1};

    return len == 4 ? ip[0] == 127 : memcmp(ip, one, 16) == 0;
}


static bool
address_allowed(const struct call *call, const struct sockaddr *address)
{
    const uint8_t *ip;
    size_t len;

    if (address->sa_family == AF_INET) {
        ip = (const uint8_t *)&((const struct sockaddr_in *)address)->sin_addr;
        len = 4;
    } else if (address->sa_family == AF_INET6) {
        ip =
            (const uint8_t *)&((const struct sockaddr_in6 *)address)->sin6_addr;
        len = 16;
    } else {
        return false;
    }
    if (call->plain) {
        return call->rules->allow_private && is_loopback(ip, len);
    }
    return call->rules->allow_private || https_is_public(ip, len);
}


/* curl asks for a socket to the address that it will connect to. */
static curl_socket_t
open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct call *call = data;

    (void)purpose;
    if (!address_allowed(call, &address->addr)) {
        call->refused = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC,
                  address->protocol);
}


static size_t
take_header(char *bytes, size_t size, size_t n, void *data)
{
    struct call *call = data;

    (void)bytes;
    call->headers_len += size * n;
    if (call->headers_len > HTTPS_LEN_MAX) {
        call->too_large = true;
        return 0;
    }
    return size * n;
}


static size_t
take_body(char *bytes, size_t size, size_t n, void *data)
{
    struct call *call = data;
    struct https_answer *answer = call->answer;
    size_t len = size * n;
    char *old = answer->body;

    if (len > HTTPS_LEN_MAX - answer->len) {
        call->too_large = true;
        return 0;
    }
    if (len >= call->room - answer->len) {
        call->room = 2 * (answer->len + len + 1);
        answer->body = pool_alloc(call->pool, call->room);
        memcpy(answer->body, old, answer->len);
    }
    memcpy(answer->body + answer->len, bytes, len);
    answer->len += len;
    answer->body[answer->len] = '\0';
    return len;
}


/* Called about once a second at least; not 0 ends the call. */
static int
look_up(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct call *call = data;

    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return call->rules->stop != NULL && atomic_load(call->rules->stop);
}


/* Is `host` one of the names in `hosts`? */
static bool
host_listed(const char *hosts, const char *host)
{
    size_t len = strlen(host), n;

    for (const char *at = hosts; *at != '\0'; at += n) {
        at += strspn(at, " \t");
        n = strcspn(at, " \t");
        if (n == len && n > 0 && memcmp(at, host, n) == 0) {
            return true;
        }
    }
    return false;
}


static void
free_url(void *url)
{
    curl_url_cleanup(url);
}


static void
free_handle(void *handle)
{
    curl_easy_cleanup(handle);
}


static void
free_list(void *list)
{
    curl_slist_free_all(list);
}


/* Reads the URL as curl does; false when it is none or the rules forbid it.
 * *plain: it is http. */
static bool
url_read(CURLU *url, const struct https_rules *rules, const char *text,
         bool *plain)
{
    char *host = NULL, *scheme = NULL;
    bool allowed = false;

    if (curl_url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER) == CURLUE_OK
        && curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK
        && curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK)
    {
        *plain = strcmp(scheme, "http") == 0;
        allowed = host_listed(rules->hosts, host)
                  && (strcmp(scheme, "https") == 0
                      || (*plain && rules->allow_private));
    }
    curl_free(host);
    curl_free(scheme);
    return allowed;
}


bool
https_allowed(const struct https_rules *rules, const char *text)
{
    CURLU *url = curl_url();
    bool plain, allowed;

    allowed = url != NULL && url_read(url, rules, text, &plain);
    curl_url_cleanup(url);
    return allowed;
}


static struct curl_slist *
headers_make(struct call *call, const struct https_request *request)
{
    struct curl_slist *list = curl_slist_append(NULL, ACCEPT), *longer = list;

    if (list != NULL && request->bearer != NULL) {
        longer = curl_slist_append(list, pool_format(call->pool, NULL,
                                                     "Authorization: Bearer %s",
                                                     request->bearer));
    }
    if (list != NULL) {
        pool_defer(call->pool, free_list, list);
    }
    return longer;
}


/* Everything but what depends on the request. */
static bool
limits_set(CURL *handle, struct call *call)
{
    const char *ca_file = call->rules->ca_file;
    const struct {
        CURLoption option;
        long value;
    } numbers[] = {
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_CONNECTTIMEOUT_MS, HTTPS_CONNECT_MS},
        {CURLOPT_TIMEOUT_MS, HTTPS_TOTAL_MS},
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
        {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
        {CURLOPT_FORBID_REUSE, 1},
        {CURLOPT_NETRC, CURL_NETRC_IGNORED},
        {CURLOPT_MAXFILESIZE, HTTPS_LEN_MAX},
        {CURLOPT_NOPROGRESS, 0},
    };
    bool ok = true;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        ok = ok
             && curl_easy_setopt(handle, numbers[i].option, numbers[i].value)
                    == CURLE_OK;
    }
    /* an empty proxy: none, whatever the environment says */
    ok = ok && curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR,
                             call->plain ? "http" : "https")
                == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_USERAGENT, AGENT) == CURLE_OK;
    if (ok && ca_file != NULL && *ca_file != '\0') {
        ok = curl_easy_setopt(handle, CURLOPT_CAINFO, ca_file) == CURLE_OK
             && curl_easy_setopt(handle, CURLOPT_CAPATH, NULL) == CURLE_OK;
    }
    return ok;
}


static bool
request_set(CURL *handle, struct call *call, CURLU *url,
            const struct https_request *request)
{
    struct curl_slist *headers = headers_make(call, request);
    bool ok = headers != NULL;

    ok = ok && curl_easy_setopt(handle, CURLOPT_CURLU, url) == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers) == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket)
                == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, call) == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, look_up)
                == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_XFERINFODATA, call) == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header)
                == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_HEADERDATA, call) == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body)
                == CURLE_OK
         && curl_easy_setopt(handle, CURLOPT_WRITEDATA, call) == CURLE_OK;
    if (ok && request->form != NULL) {
        ok = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE,
                              (long)strlen(request->form))
                 == CURLE_OK
             && curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request->form)
                    == CURLE_OK;
    }
    return ok;
}


static enum ads_err
failed(struct https_answer *answer, enum ads_err err, const char *why)
{
    answer->why = why;
    return err;
}


static enum ads_err
call_err(const struct call *call, CURLcode code)
{
    struct https_answer *answer = call->answer;

    if (call->too_large) {
        return failed(answer, ADS_TOO_LARGE, "its answer is too large");
    }
    switch (code) {
    case CURLE_OK:
        break;
    case CURLE_FILESIZE_EXCEEDED:
        return failed(answer, ADS_TOO_LARGE, "its answer is too large");
    case CURLE_OPERATION_TIMEDOUT:
        return failed(answer, ADS_BUSY, "it did not answer in time");
    case CURLE_ABORTED_BY_CALLBACK:
        return failed(answer, ADS_UNAVAILABLE, "adsd stops");
    case CURLE_COULDNT_RESOLVE_HOST:
        return failed(answer, ADS_UNAVAILABLE, "its name is not known");
    case CURLE_COULDNT_CONNECT:
        return call->refused
                   ? failed(answer, ADS_DENIED, "its address is not public")
                   : failed(answer, ADS_UNAVAILABLE, "connection refused");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return failed(answer, ADS_FORGED, "its TLS certificate is not good");
    default:
        return failed(answer, ADS_UNAVAILABLE, "its answer broke off");
    }
    return answer->status / 100 == 2
               ? ADS_OK
               : failed(answer, ADS_CONFLICT, "it answered with an error");
}


enum ads_err
https_ask(struct https_answer *answer, struct pool *pool,
          const struct https_rules *rules, const struct https_request *request)
{
    struct call call = {.rules = rules, .pool = pool, .answer = answer};
    long status = 0;
    CURLcode code;
    CURL *handle;
    CURLU *url;

    *answer = (struct https_answer){.body = pool_alloc(pool, 1)};
    url = curl_url();
    if (url != NULL) {
        pool_defer(pool, free_url, url);
    }
    if (url == NULL || !url_read(url, rules, request->url, &call.plain)) {
        return failed(answer, ADS_DENIED, "its address is not configured");
    }
    handle = curl_easy_init();
    if (handle == NULL) {
        return failed(answer, ADS_UNAVAILABLE, "libcurl does not start");
    }
    pool_defer(pool, free_handle, handle);
    if (!limits_set(handle, &call) || !request_set(handle, &call, url, request))
    {
        return failed(answer, ADS_UNAVAILABLE, "libcurl lacks an option");
    }

    code = curl_easy_perform(handle);
    if (curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK)
    {
        answer->status = (unsigned)status;
    }
    return call_err(&call, code);
}


bool
https_init(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}


static char *
encode(char *dst, struct ads_str text)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.ptr[i];

        if (ads_char_is_alnum(text.ptr[i]) || c == '-' || c == '.' || c == '_'
            || c == '~')
        {
            *dst++ = (char)c;
        } else {
            *dst++ = '%';
            *dst++ = hex[c >> 4];
            *dst++ = hex[c & 15];
        }
    }
    return dst;
}


char *
https_param(struct pool *pool, const char *text, const char *name,
            struct ads_str value)
{
    size_t before = text == NULL ? 0 : strlen(text), name_len = strlen(name);
    char *whole = pool_alloc(pool, before + name_len + 3 * value.len + 3);
    char *at = whole;

    if (before > 0) {
        memcpy(at, text, before);
        at += before;
        *at++ = '&';
    }
    memcpy(at, name, name_len);
    at += name_len;
    *at++ = '=';
    *encode(at, value) = '\0';
    return whole;
}
