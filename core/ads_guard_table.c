/*
 * Encodes and opens the guard's table of phrases.
 */
#include "ads_guard_table.h"

#define BYTE_ORDER_MARK 0x01020304u
#define VERSION 1
#define CRC_POS 28
#define BITS_MIN 4
#define BITS_MAX 15

_Static_assert(sizeof(struct ads_guard_place) == 8, "version 1");
_Static_assert(sizeof(struct ads_guard_phrase) == 48, "version 1");

static const char magic[8] = "ADSGUARD";


/* The key of a phrase; what ends a word in one, ' ', '*' or NUL, lies below
 * every letter and digit. */
static uint32_t
phrase_key(const char *text)
{
    size_t len = 0;

    while (len < ADS_GUARD_KEY_LEN && (uint8_t)text[len] > '*') {
        len++;
    }
    return ads_guard_key(text, len);
}


/* The phrases of one key stand together: how many from this one on? */
static size_t
alike(const struct ads_guard_phrase *phrases, size_t n)
{
    uint32_t key = phrase_key(phrases[0].text);
    size_t same = 1;

    while (same < n && phrase_key(phrases[same].text) == key) {
        same++;
    }
    return same;
}


/* For twice as many places as there are keys, or more. */
static uint32_t
bits_for(const struct ads_guard_phrase *phrases, size_t n)
{
    uint32_t bits = BITS_MIN;
    size_t keys = 0;

    for (size_t i = 0; i < n; i += alike(phrases + i, n - i)) {
        keys++;
    }
    while (((size_t)1 << bits) < 2 * keys) {
        bits++;
    }
    return bits;
}


size_t
ads_guard_measure(const struct ads_guard_phrase *phrases, size_t n)
{
    return ADS_GUARD_HEADER_LEN
           + sizeof(struct ads_guard_place)
                 * ((size_t)1 << bits_for(phrases, n))
           + sizeof(struct ads_guard_phrase) * n;
}


static void
put(uint8_t *bytes, size_t at, uint32_t value)
{
    memcpy(bytes + at, &value, sizeof(value));
}


void
ads_guard_write(void *bytes, const struct ads_guard_phrase *phrases, size_t n)
{
    uint8_t *out = bytes;
    uint32_t bits = bits_for(phrases, n), crc;
    size_t len = ads_guard_measure(phrases, n);
    struct ads_guard_place *places = (void *)(out + ADS_GUARD_HEADER_LEN);
    struct ads_guard_phrase *copies;
    struct ads_guard guard = {.places = places, .mask = (1u << bits) - 1};

    memset(out, 0, len);
    memcpy(out, magic, sizeof(magic));
    put(out, 8, BYTE_ORDER_MARK);
    put(out, 12, VERSION | bits << 16);
    put(out, 16, (uint32_t)n);

    for (size_t i = 0; i < n;) {
        uint32_t key = phrase_key(phrases[i].text);
        size_t same = alike(phrases + i, n - i);

        places[ads_guard_find(&guard, key) - places] =
            (struct ads_guard_place){key, (uint16_t)i, (uint16_t)same};
        i += same;
    }
    copies = (void *)(places + guard.mask + 1);
    for (size_t i = 0; i < n; i++) {
        const char *space = strchr(phrases[i].text, ' ');

        copies[i] = phrases[i];
        copies[i].second =
            space == NULL ? 0 : (uint8_t)(space + 1 - phrases[i].text);
    }

    crc = ads_crc32c(0, out, CRC_POS);
    crc =
        ads_crc32c(crc, out + ADS_GUARD_HEADER_LEN, len - ADS_GUARD_HEADER_LEN);
    put(out, CRC_POS, crc);
}


/* Can every place and phrase be used without a further look? */
static bool
is_sound(const struct ads_guard *guard, uint32_t n)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i <= guard->mask; i++) {
        const struct ads_guard_place *place = &guard->places[i];

        used += place->key != 0;
        if (place->first > n || place->n > n - place->first) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct ads_guard_phrase *phrase = &guard->phrases[i];

        if (phrase->text[ADS_GUARD_PHRASE_MAX] != '\0'
            || phrase->second > ADS_GUARD_PHRASE_MAX
            || phrase->meaning == ADS_GUARD_NONE
            || phrase->meaning >= ADS_GUARD_N_MEANINGS)
        {
            return false;
        }
    }
    return used <= guard->mask / 2 + 1;
}


enum ads_err
ads_guard_open(const void *bytes, size_t len, struct ads_guard *guard)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    const uint8_t *found = ads_cursor_peek(&cursor, sizeof(magic));
    uint32_t order = ads_cursor_u32(&cursor);
    uint16_t version = ads_cursor_u16(&cursor);
    uint32_t bits, n, checksum, crc;
    size_t places_len;

    if (!cursor.ok || memcmp(found, magic, sizeof(magic)) != 0
        || order != BYTE_ORDER_MARK || version != VERSION)
    {
        return ADS_UNSUPPORTED;
    }

    bits = ads_cursor_u16(&cursor);
    n = ads_cursor_u32(&cursor);
    (void)ads_cursor_peek(&cursor, 8);
    checksum = ads_cursor_u32(&cursor);
    if (!cursor.ok || bits < BITS_MIN || bits > BITS_MAX
        || n > ADS_GUARD_PHRASES_MAX)
    {
        return ADS_DAMAGED;
    }
    places_len = sizeof(struct ads_guard_place) << bits;
    if (len
        != ADS_GUARD_HEADER_LEN + places_len
               + n * sizeof(struct ads_guard_phrase))
    {
        return ADS_DAMAGED;
    }

    crc = ads_crc32c(0, bytes, CRC_POS);
    crc = ads_crc32c(crc, cursor.pos, (size_t)(cursor.last - cursor.pos));
    guard->places = (const void *)cursor.pos;
    guard->phrases = (const void *)(cursor.pos + places_len);
    guard->mask = (1u << bits) - 1;
    return crc == checksum && is_sound(guard, n) ? ADS_OK : ADS_DAMAGED;
}
