/*
 * Validates destination URLs, and makes the address a click goes to.
 *
 * The URL is cut once into host, port and the rest; each part is then held to
 * its own alphabet.  Nothing is decoded: a byte that two readers could take
 * for different things is refused.
 */
#include "ads_url.h"
#include "ads_idna.h"

#define HOST_MAX 253
#define LABEL_MAX 63
#define UUID_LEN 36
#define PLACEMENT_MAX 64
#define PARAMETER "ads_click_id="

_Static_assert(sizeof("?" PARAMETER) - 1 + UUID_LEN == ADS_URL_PARAMETER_LEN,
               "the parameter's parts fill it");

struct parts {
    struct ads_str host;
    struct ads_str port; /* with its colon; empty when there is none */
    struct ads_str rest; /* path, query and fragment */
};

/* A macro: its name, where its value is, and how long that may be. */
struct macro {
    struct ads_str name;
    size_t offset;
    size_t max;
};

static const struct macro macros[] = {
    {ADS_STR("{click_id}"), offsetof(struct ads_url_click, click_id), UUID_LEN},
    {ADS_STR("{campaign_id}"), offsetof(struct ads_url_click, campaign_id),
     UUID_LEN},
    {ADS_STR("{ad_id}"), offsetof(struct ads_url_click, ad_id), UUID_LEN},
    {ADS_STR("{placement}"), offsetof(struct ads_url_click, placement),
     PLACEMENT_MAX},
};

#define N_MACROS (sizeof(macros) / sizeof(macros[0]))

/* Last labels of names that are not of the public DNS: RFC 6761 and its
 * registry, .internal, and what private networks use. */
static const struct ads_str special_names[] = {
    ADS_STR("alt"),         ADS_STR("arpa"),      ADS_STR("corp"),
    ADS_STR("home"),        ADS_STR("internal"),  ADS_STR("intranet"),
    ADS_STR("invalid"),     ADS_STR("lan"),       ADS_STR("local"),
    ADS_STR("localdomain"), ADS_STR("localhost"), ADS_STR("mail"),
    ADS_STR("onion"),       ADS_STR("private"),   ADS_STR("test"),
};

#define N_SPECIAL (sizeof(special_names) / sizeof(special_names[0]))


/* What a character may stand for, as bits. */
#define LOWER 1
#define DIGIT 2
#define HEX 4
#define UNRESERVED 8 /* RFC 3986: never percent-encoded */
#define PLAIN 16     /* in path, query and fragment, but "%" */

static const uint8_t classes[256] = {
    ['0' ... '9'] = DIGIT | HEX | UNRESERVED | PLAIN,
    ['A' ... 'F'] = HEX | UNRESERVED | PLAIN,
    ['G' ... 'Z'] = UNRESERVED | PLAIN,
    ['a' ... 'f'] = LOWER | HEX | UNRESERVED | PLAIN,
    ['g' ... 'z'] = LOWER | UNRESERVED | PLAIN,
    ['-'] = UNRESERVED | PLAIN,
    ['.'] = UNRESERVED | PLAIN,
    ['_'] = UNRESERVED | PLAIN,
    ['~'] = UNRESERVED | PLAIN,
    [':'] = PLAIN,
    ['/'] = PLAIN,
    ['?'] = PLAIN,
    ['['] = PLAIN,
    [']'] = PLAIN,
    ['@'] = PLAIN,
    ['!'] = PLAIN,
    ['$'] = PLAIN,
    ['&'] = PLAIN,
    ['\''] = PLAIN,
    ['('] = PLAIN,
    [')'] = PLAIN,
    ['*'] = PLAIN,
    ['+'] = PLAIN,
    [','] = PLAIN,
    [';'] = PLAIN,
    ['='] = PLAIN,
};


static inline bool
is(char c, uint8_t class)
{
    return (classes[(uint8_t)c] & class) != 0;
}


/* Cuts what follows the scheme. */
static struct parts
parts_of(struct ads_str text)
{
    struct parts parts = {text, {text.ptr, 0}, {text.ptr, 0}};
    size_t at = 0;

    while (at < text.len && text.ptr[at] != '/' && text.ptr[at] != '?'
           && text.ptr[at] != '#')
    {
        at++;
    }
    parts.rest = ads_str_tail(text, at);
    parts.host.len = at;
    for (size_t i = 0; i < at; i++) {
        if (text.ptr[i] == ':') {
            parts.host.len = i;
            parts.port = (struct ads_str){text.ptr + i, at - i};
            break;
        }
    }
    return parts;
}


/* Validates one label; `letters` says whether it is of letters only. */
static enum ads_idna
label_check(struct ads_str label, bool *letters)
{
    *letters = true;
    if (label.len == 0 || label.len > LABEL_MAX || label.ptr[0] == '-'
        || label.ptr[label.len - 1] == '-')
    {
        return ADS_IDNA_BAD;
    }
    for (size_t i = 0; i < label.len; i++) {
        char c = label.ptr[i];

        if (!is(c, LOWER | DIGIT) && c != '-') {
            return ADS_IDNA_BAD;
        }
        *letters = *letters && is(c, LOWER);
    }
    if (ads_str_starts(label, "xn--")) {
        return ads_idna_label_check(label);
    }
    return is(label.ptr[0], LOWER) ? ADS_IDNA_LTR : ADS_IDNA_WEAK;
}


static bool
special_is(struct ads_str label)
{
    for (size_t i = 0; i < N_SPECIAL; i++) {
        if (ads_str_equal(label, special_names[i])) {
            return true;
        }
    }
    return false;
}


/* NULL when the host is a public DNS name, else what is wrong with it. */
static const char *
host_fault(struct ads_str host)
{
    struct ads_str label;
    bool letters = false;
    bool rtl = false;
    bool weak = false;
    enum ads_idna kind;
    size_t n = 0;
    size_t at = 0;

    if (host.len == 0 || host.len > HOST_MAX) {
        return "the host is missing or too long";
    }
    for (;;) {
        label = ads_str_tail(host, at);
        label.len = 0;
        while (at < host.len && host.ptr[at] != '.') {
            at++;
            label.len++;
        }
        kind = label_check(label, &letters);
        if (kind == ADS_IDNA_BAD) {
            return "the host is not a DNS name in lower case";
        }
        rtl = rtl || kind == ADS_IDNA_RTL;
        weak = weak || kind == ADS_IDNA_WEAK;
        n++;
        if (at == host.len) {
            break;
        }
        at++;
    }

    if (rtl && weak) {
        return "the host mixes directions of writing";
    }
    if (n < 2 || special_is(label)) {
        return "the host is not a public DNS name";
    }
    if (label.len < 2 || (!letters && !ads_str_starts(label, "xn--"))) {
        return "the host is an address, or its last label is none";
    }
    return NULL;
}


/* The macro that the text begins with, or NULL. */
static const struct macro *
macro_find(struct ads_str text)
{
    for (size_t i = 0; i < N_MACROS; i++) {
        if (ads_str_starts(text, macros[i].name.ptr)) {
            return &macros[i];
        }
    }
    return NULL;
}


/* NULL when path, query and fragment are good; *filled grows by what macros
 * add at most. */
static const char *
rest_fault(struct ads_str rest, enum ads_url_use use, size_t *filled)
{
    bool fragment = false;

    for (size_t i = 0; i < rest.len; i++) {
        const struct macro *macro;

        if (is(rest.ptr[i], PLAIN)) {
            continue;
        }
        switch (rest.ptr[i]) {
        case '%':
            if (rest.len - i < 3 || !is(rest.ptr[i + 1], HEX)
                || !is(rest.ptr[i + 2], HEX)) {
                return "a percent sign is not followed by two hex digits";
            }
            break;
        case '#':
            if (fragment) {
                return "there are two fragments";
            }
            fragment = true;
            break;
        case '{':
            macro = macro_find(ads_str_tail(rest, i));
            if (macro == NULL || fragment || use != ADS_URL_DESTINATION) {
                return "braces are only for {click_id}, {campaign_id}, "
                       "{ad_id} and {placement} in path and query";
            }
            *filled += macro->max;
            i += macro->name.len - 1;
            break;
        default:
            return "a character must be percent-encoded";
        }
    }
    return NULL;
}


static const char *
url_fault(struct ads_str url, enum ads_url_use use)
{
    size_t filled = url.len + ADS_URL_PARAMETER_LEN;
    struct ads_str port = ADS_STR(":443");
    struct parts parts;
    const char *fault;

    if (ads_str_starts(url, "https://")) {
        parts = parts_of(ads_str_tail(url, 8));
    } else if (use == ADS_URL_IMAGE && ads_str_starts(url, "http://")) {
        parts = parts_of(ads_str_tail(url, 7));
        port = ADS_STR(":80");
    } else {
        return use == ADS_URL_IMAGE ? "must begin with https:// or http://"
                                    : "must begin with https://";
    }

    fault = host_fault(parts.host);
    if (fault != NULL) {
        return fault;
    }
    if (parts.port.len > 0 && !ads_str_equal(parts.port, port)) {
        return "a port is not allowed";
    }
    fault = rest_fault(parts.rest, use, &filled);
    if (fault == NULL && filled > ADS_URL_CLICK_MAX) {
        return "has too many macros";
    }
    return fault;
}


enum ads_err
ads_url_check(struct ads_str url, enum ads_url_use use, const char **why)
{
    bool fits = url.len <= ADS_URL_MAX;
    const char *fault =
        fits ? url_fault(url, use) : "is longer than 2048 bytes";

    if (why != NULL) {
        *why = fault;
    }
    if (fault == NULL) {
        return ADS_OK;
    }
    return fits ? ADS_INVALID : ADS_TOO_LARGE;
}


struct ads_str
ads_url_host_find(struct ads_str url)
{
    size_t scheme = ads_str_starts(url, "http://") ? 7 : 8;

    return parts_of(ads_str_tail(url, scheme)).host;
}


/* What is written so far; len goes on past cap. */
struct out {
    char *dst;
    size_t cap;
    size_t len;
};


static void
put(struct out *out, struct ads_str text)
{
    if (out->len < out->cap && text.len > 0) {
        size_t room = out->cap - out->len;

        memcpy(out->dst + out->len, text.ptr,
               text.len < room ? text.len : room);
    }
    out->len += text.len;
}


static void
put_encoded(struct out *out, struct ads_str text)
{
    static const char digits[] = "0123456789ABCDEF";

    while (text.len > 0) {
        size_t n = 0;

        while (n < text.len && is(text.ptr[n], UNRESERVED)) {
            n++;
        }
        put(out, (struct ads_str){text.ptr, n});
        if (n < text.len) {
            uint8_t c = (uint8_t)text.ptr[n++];
            char triple[3] = {'%', digits[c >> 4], digits[c & 15]};

            put(out, (struct ads_str){triple, 3});
        }
        text = ads_str_tail(text, n);
    }
}


static size_t
find(struct ads_str text, char c)
{
    const char *at = text.len > 0 ? memchr(text.ptr, c, text.len) : NULL;

    return at == NULL ? text.len : (size_t)(at - text.ptr);
}


/* Writes path and query with macros filled; false when there was none. */
static bool
put_filled(struct out *out, struct ads_str text,
           const struct ads_url_click *click)
{
    bool any = false;

    while (text.len > 0) {
        size_t brace = find(text, '{');
        const struct macro *macro = macro_find(ads_str_tail(text, brace));

        if (macro != NULL) {
            put(out, (struct ads_str){text.ptr, brace});
            put_encoded(out, *(const struct ads_str *)((const char *)click
                                                       + macro->offset));
            text = ads_str_tail(text, brace + macro->name.len);
            any = true;
        } else {
            brace += brace < text.len;
            put(out, (struct ads_str){text.ptr, brace});
            text = ads_str_tail(text, brace);
        }
    }
    return any;
}


static void
put_parameter(struct out *out, struct ads_str path, struct ads_str click_id)
{
    size_t query = find(path, '?');
    char last = path.len > 0 ? path.ptr[path.len - 1] : '\0';

    if (query == path.len) {
        put(out, ADS_STR("?"));
    } else if (query + 1 < path.len && last != '&') {
        put(out, ADS_STR("&"));
    }
    put(out, ADS_STR(PARAMETER));
    put(out, click_id); /* a UUID needs no encoding */
}


enum ads_err
ads_url_click_write(char *dst, size_t cap, size_t *len, struct ads_str url,
                    const struct ads_url_click *click)
{
    struct out out = {dst, cap, 0};
    struct ads_str path = {url.ptr, find(url, '#')};

    *len = 0;
    for (size_t i = 0; i < url.len; i++) {
        if ((uint8_t)url.ptr[i] < 0x21 || (uint8_t)url.ptr[i] > 0x7e) {
            return ADS_INVALID;
        }
    }

    if (!put_filled(&out, path, click)) {
        put_parameter(&out, path, click->click_id);
    }
    put(&out, ads_str_tail(url, path.len));
    *len = out.len;
    return out.len > cap ? ADS_TOO_LARGE : ADS_OK;
}
