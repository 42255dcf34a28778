/*
 * Parses and masks IP addresses.
 */
#include "ads_ip.h"

#define GROUPS 8

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};


/* Reads four numbers with dots between them and nothing else. */
static bool
ipv4_read(uint8_t ip[4], struct ads_str text)
{
    size_t at = 0;

    for (int part = 0; part < 4; part++) {
        unsigned number = 0;
        size_t begin;

        if (part > 0 && (at >= text.len || text.ptr[at++] != '.')) {
            return false;
        }
        begin = at;
        while (at < text.len && at - begin < 4 && text.ptr[at] >= '0'
               && text.ptr[at] <= '9')
        {
            number = number * 10 + (unsigned)(text.ptr[at++] - '0');
        }
        if (at == begin || number > 255
            || (text.ptr[begin] == '0' && at - begin > 1)) {
            return false;
        }
        ip[part] = (uint8_t)number;
    }
    return at == text.len;
}


static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


/* Reads one to four hex digits at *at. */
static bool
group_read(uint16_t *group, struct ads_str text, size_t *at)
{
    size_t begin = *at;

    *group = 0;
    while (*at < text.len && *at - begin < 4 && hex_digit(text.ptr[*at]) >= 0) {
        *group = (uint16_t)(*group << 4 | hex_digit(text.ptr[(*at)++]));
    }
    return *at > begin;
}


/* Where the dotted tail begins that ends the text; its length if there is
 * none. */
static size_t
tail_find(struct ads_str text)
{
    size_t colon = text.len;

    if (memchr(text.ptr, '.', text.len) == NULL) {
        return text.len;
    }
    while (colon > 0 && text.ptr[colon - 1] != ':') {
        colon--;
    }
    return colon;
}


/*
 * Reads the groups of [*at, last) up to a "::" or the end; what stands before
 * `last` may be the colon of a dotted tail.
 */
static bool
groups_read(uint16_t *groups, int *n, struct ads_str text, size_t *at)
{
    while (*at < text.len) {
        if (*n == GROUPS || !group_read(&groups[*n], text, at)) {
            return false;
        }
        (*n)++;
        if (*at == text.len) {
            return true;
        }
        if (text.ptr[(*at)++] != ':') {
            return false;
        }
        if (*at < text.len && text.ptr[*at] == ':') {
            (*at)--; /* leave "::" to the caller */
            return true;
        }
        if (*at == text.len) {
            return false; /* a colon that nothing follows */
        }
    }
    return true;
}


static bool
ipv6_read(uint8_t ip[16], struct ads_str text)
{
    uint16_t head[GROUPS];
    uint16_t rest[GROUPS];
    uint8_t tail[4];
    size_t tail_at = tail_find(text);
    bool dotted = tail_at < text.len;
    int room = GROUPS - (dotted ? 2 : 0);
    int n_head = 0;
    int n_rest = 0;
    bool gap;
    size_t at = 0;

    if (dotted) {
        if (tail_at < 2
            || !ipv4_read(
                tail, (struct ads_str){text.ptr + tail_at, text.len - tail_at}))
        {
            return false;
        }
        /* the colon before the tail belongs to "::" or to a group */
        text.len = text.ptr[tail_at - 2] == ':' ? tail_at : tail_at - 1;
    }

    if ((text.len < 2 || text.ptr[0] != ':' || text.ptr[1] != ':')
        && !groups_read(head, &n_head, text, &at))
    {
        return false;
    }
    gap = text.len - at >= 2 && text.ptr[at] == ':' && text.ptr[at + 1] == ':';
    if (gap) {
        at += 2;
        if (!groups_read(rest, &n_rest, text, &at)) {
            return false;
        }
    }
    if (at != text.len || n_head + n_rest > room - gap
        || (!gap && n_head != room)) {
        return false;
    }

    memset(ip, 0, 16);
    for (int i = 0; i < n_head; i++) {
        ip[2 * i] = (uint8_t)(head[i] >> 8);
        ip[2 * i + 1] = (uint8_t)head[i];
    }
    for (int i = 0; i < n_rest; i++) {
        ip[2 * (room - n_rest + i)] = (uint8_t)(rest[i] >> 8);
        ip[2 * (room - n_rest + i) + 1] = (uint8_t)rest[i];
    }
    if (dotted) {
        memcpy(ip + 12, tail, sizeof(tail));
    }
    return true;
}


size_t
ads_ip_read(uint8_t ip[16], struct ads_str text)
{
    if (text.len == 0 || text.len > ADS_IP_TEXT_MAX) {
        return 0;
    }
    if (memchr(text.ptr, ':', text.len) != NULL) {
        return ipv6_read(ip, text) ? 16 : 0;
    }
    return ipv4_read(ip, text) ? 4 : 0;
}


static bool
is_mapped(const uint8_t *ip, size_t len)
{
    return len == 16 && memcmp(ip, mapped, sizeof(mapped)) == 0;
}


/* Are the bits of ip from number `from` on all zero? */
static bool
zero_from(const uint8_t *ip, size_t len, unsigned from)
{
    for (size_t bit = from; bit < 8 * len; bit++) {
        if ((ip[bit / 8] & 0x80 >> bit % 8) != 0) {
            return false;
        }
    }
    return true;
}


/* The digits behind a slash: 0 to max, no sign, no leading zero. */
static bool
bits_read(uint8_t *bits, struct ads_str text, unsigned max)
{
    unsigned number = 0;

    if (text.len == 0 || text.len > 3 || (text.len > 1 && *text.ptr == '0')) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (!ads_char_is_digit(text.ptr[i])) {
            return false;
        }
        number = number * 10 + (unsigned)(text.ptr[i] - '0');
    }
    *bits = (uint8_t)number;
    return number <= max;
}


bool
ads_ip_range_read(struct ads_ip_range *range, struct ads_str text)
{
    const char *slash = text.len == 0 ? NULL : memchr(text.ptr, '/', text.len);
    struct ads_str ip = {text.ptr, text.len};

    *range = (struct ads_ip_range){{0}, 0, 0};
    if (slash != NULL) {
        ip.len = (size_t)(slash - text.ptr);
    }
    range->len = (uint8_t)ads_ip_read(range->ip, ip);
    if (range->len == 0 || is_mapped(range->ip, range->len)) {
        return false;
    }

    range->bits = (uint8_t)(8 * range->len);
    if (slash != NULL
        && !bits_read(&range->bits,
                      (struct ads_str){slash + 1, text.len - ip.len - 1},
                      range->bits))
    {
        return false;
    }
    return zero_from(range->ip, range->len, range->bits);
}


bool
ads_ip_range_holds(const struct ads_ip_range *range, const uint8_t *ip,
                   size_t len)
{
    size_t whole = range->bits / 8;
    unsigned rest = range->bits % 8;

    if (len != range->len || (len != 4 && len != 16) || range->bits > 8 * len) {
        return false;
    }
    return memcmp(range->ip, ip, whole) == 0
           && (rest == 0 || (range->ip[whole] ^ ip[whole]) >> (8 - rest) == 0);
}


size_t
ads_ip_unmap(uint8_t ip[16], size_t len)
{
    if (!is_mapped(ip, len)) {
        return len;
    }
    memmove(ip, ip + 12, 4);
    memset(ip + 4, 0, 12);
    return 4;
}


void
ads_ip_mask(uint8_t ip[16], size_t len)
{
    if (len == 4) {
        ip[3] = 0;
    } else if (is_mapped(ip, len)) {
        ip[15] = 0;
    } else {
        memset(ip + 6, 0, 10);
    }
}
