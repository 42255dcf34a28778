/*
 * Makes and verifies ids.
 *
 * Between the time and the end, a version 8 UUID has 74 free bits: 4 + 8 + 6 +
 * 56 around the version and variant bits.  They are handled as 10 high bits
 * and 64 low ones.
 */
#include "ads_id.h"

#define MASK(bits) ((UINT64_C(1) << (bits)) - 1)

/* What the MAC of each kind covers begins with its letter, so that one kind of
 * id never passes as another. */
enum { LABEL_REQUEST = 'r', LABEL_CLICK = 'c', LABEL_CLICK_MAC = 'm' };


char *
ads_uuid_write(char *dst, const struct ads_uuid *id)
{
    char hex[32];

    (void)ads_hex_write(hex, id->b, sizeof(id->b));
    memcpy(dst, hex, 8);
    memcpy(dst + 9, hex + 8, 4);
    memcpy(dst + 14, hex + 12, 4);
    memcpy(dst + 19, hex + 16, 4);
    memcpy(dst + 24, hex + 20, 12);
    dst[8] = dst[13] = dst[18] = dst[23] = '-';
    return dst + ADS_UUID_TEXT_LEN;
}


bool
ads_uuid_read(struct ads_uuid *id, struct ads_str text)
{
    static const uint8_t groups[] = {4, 2, 2, 2, 6};
    const char *at = text.ptr;
    uint8_t *dst = id->b;

    if (text.len != ADS_UUID_TEXT_LEN) {
        return false;
    }

    for (unsigned i = 0; i < sizeof(groups); i++) {
        if (i > 0 && *at++ != '-') {
            return false;
        }
        if (!ads_hex_read(dst, groups[i], (struct ads_str){at, 2u * groups[i]}))
        {
            return false;
        }
        at += 2 * groups[i];
        dst += groups[i];
    }
    return true;
}


bool
ads_uuid_equal(const struct ads_uuid *a, const struct ads_uuid *b)
{
    return memcmp(a->b, b->b, sizeof(a->b)) == 0;
}


int
ads_uuid_compare(const struct ads_uuid *a, const struct ads_uuid *b)
{
    return memcmp(a->b, b->b, sizeof(a->b));
}


struct ads_uuid
ads_uuid_random(const uint8_t random[16])
{
    struct ads_uuid id;

    memcpy(id.b, random, sizeof(id.b));
    id.b[6] = (uint8_t)(0x40 | (id.b[6] & 0x0f));
    id.b[8] = (uint8_t)(0x80 | (id.b[8] & 0x3f));
    return id;
}


static uint64_t
big_endian(const uint8_t bytes[8])
{
    uint64_t value;

    memcpy(&value, bytes, sizeof(value));
    return __builtin_bswap64(value);
}


uint64_t
ads_id_ms(const struct ads_uuid *id)
{
    return big_endian(id->b) >> 16;
}


static struct ads_uuid
pack(uint64_t ms, uint64_t high10, uint64_t low64)
{
    const uint64_t halves[2] = {
        __builtin_bswap64(ms << 16 | UINT64_C(8) << 12 | high10 << 2
                          | low64 >> 62),
        __builtin_bswap64(UINT64_C(2) << 62 | (low64 & MASK(62))),
    };
    struct ads_uuid id;

    memcpy(id.b, halves, sizeof(id.b));
    return id;
}


/* False when the version or variant bits are not ours. */
static bool
unpack(const struct ads_uuid *id, uint64_t *high10, uint64_t *low64)
{
    uint64_t high = big_endian(id->b);
    uint64_t low = big_endian(id->b + 8);

    *low64 = high << 62 | (low & MASK(62));
    *high10 = high >> 2 & MASK(10);
    return (high >> 12 & 15) == 8 && low >> 62 == 2;
}


static uint64_t
request_mac(const struct ads_ring_key *key, uint64_t ms, uint64_t random34,
            const struct ads_uuid *publisher)
{
    uint8_t bytes[1 + 8 + 8 + 16] = {LABEL_REQUEST};

    memcpy(bytes + 1, &ms, 8);
    memcpy(bytes + 9, &random34, 8);
    memcpy(bytes + 17, publisher->b, 16);
    return ads_ring_hash(key->request, bytes, sizeof(bytes)) & MASK(40);
}


struct ads_uuid
ads_request_id_make(const struct ads_ring_key *key,
                    const struct ads_uuid *publisher, uint64_t now_ms,
                    uint64_t random)
{
    uint64_t mac;

    now_ms &= MASK(48);
    random &= MASK(34);
    mac = request_mac(key, now_ms, random, publisher);
    return pack(now_ms, random >> 24, (random & MASK(24)) << 40 | mac);
}


const struct ads_ring_key *
ads_request_id_check(const struct ads_ring *ring, const struct ads_uuid *id,
                     const struct ads_uuid *publisher)
{
    uint64_t high10, low64, random, ms = ads_id_ms(id);

    if (!unpack(id, &high10, &low64)) {
        return NULL;
    }

    random = high10 << 24 | low64 >> 40;
    for (uint32_t i = 0; i < ring->n; i++) {
        const struct ads_ring_key *key = &ring->keys[i];

        if (request_mac(key, ms, random, publisher) == (low64 & MASK(40))) {
            return key;
        }
    }
    return NULL;
}


static uint64_t
pair_hash(const struct ads_ring_key *key, char label,
          const struct ads_uuid *request, const struct ads_uuid *ad)
{
    uint8_t bytes[1 + 16 + 16] = {(uint8_t)label};

    memcpy(bytes + 1, request->b, 16);
    memcpy(bytes + 17, ad->b, 16);
    return ads_ring_hash(key->click, bytes, sizeof(bytes));
}


static uint64_t
click_mac(const struct ads_ring_key *key, uint64_t ms, uint64_t hash42)
{
    uint8_t bytes[1 + 8 + 8] = {LABEL_CLICK_MAC};

    memcpy(bytes + 1, &ms, 8);
    memcpy(bytes + 9, &hash42, 8);
    return ads_ring_hash(key->click, bytes, sizeof(bytes)) & MASK(32);
}


struct ads_uuid
ads_click_id_make(const struct ads_ring_key *key,
                  const struct ads_uuid *request, const struct ads_uuid *ad)
{
    uint64_t ms = ads_id_ms(request);
    uint64_t hash = pair_hash(key, LABEL_CLICK, request, ad) & MASK(42);

    return pack(ms, hash >> 32, hash << 32 | click_mac(key, ms, hash));
}


bool
ads_click_id_check(const struct ads_ring *ring, const struct ads_uuid *id)
{
    uint64_t high10, low64, hash, ms = ads_id_ms(id);

    if (!unpack(id, &high10, &low64)) {
        return false;
    }

    hash = high10 << 32 | low64 >> 32;
    for (uint32_t i = 0; i < ring->n; i++) {
        if (click_mac(&ring->keys[i], ms, hash) == (low64 & MASK(32))) {
            return true;
        }
    }
    return false;
}


struct ads_uuid
ads_event_id_make(const struct ads_ring_key *key, char kind,
                  const struct ads_uuid *request, const struct ads_uuid *ad)
{
    uint8_t high = (uint8_t)(kind | 0x80);

    return pack(ads_id_ms(request),
                pair_hash(key, (char)high, request, ad) & MASK(10),
                pair_hash(key, kind, request, ad));
}
