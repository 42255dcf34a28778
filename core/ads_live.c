/*
 * Reads and writes the shared file `live`: places and atomics.  Relaxed order
 * suffices for counters; a generation is stored after the files it names are on
 * disk, and a slot's tag before anything names the slot, both with release
 * order.
 */
#include "ads_live.h"

#include <stdatomic.h>

#define BOM 0x01020304u
#define CHECKED_LEN 128
#define WORDS_AT 512
#define COUNTERS_AT 2048
#define FILTER_WAYS 2

typedef _Atomic uint64_t word;

struct ads_live_slot {
    word tag;
    word allowance;
    word throttle;
    word rate;
    uint64_t adsd_zero[4];
    word spent;
    word clicks;
    word served;
    word promised;
    uint64_t worker_zero[4];
};

_Static_assert(sizeof(struct ads_live_slot) == ADS_LIVE_SLOT_LEN, "layout 1");
_Static_assert(sizeof(word) == 8 && ATOMIC_LLONG_LOCK_FREE == 2,
               "shared words need lock-free atomics");
_Static_assert(COUNTERS_AT + 8 * ADS_COUNT_END <= ADS_LIVE_FIXED_LEN,
               "the counters fit the fixed part");
_Static_assert(WORDS_AT + 8 * ADS_LIVE_WORDS <= COUNTERS_AT,
               "the words fit before the counters");


static word *
at(const struct ads_live *live, uint64_t offset)
{
    return (word *)(void *)(live->bytes + offset);
}


static uint32_t
checksum(const uint8_t *bytes)
{
    uint8_t fixed[CHECKED_LEN];

    memcpy(fixed, bytes, sizeof(fixed));
    memset(fixed + 12, 0, 4);
    return ads_crc32c(0, fixed, sizeof(fixed));
}


uint64_t
ads_live_measure(uint64_t n_slots, uint64_t n_filter)
{
    return ADS_LIVE_FIXED_LEN + n_slots * ADS_LIVE_SLOT_LEN + 2 * n_filter * 8;
}


void
ads_live_write(uint8_t *bytes, uint64_t n_slots, uint64_t n_filter,
               uint64_t node, uint64_t id, uint64_t now_us)
{
    const uint64_t fields[] = {
        ads_live_measure(n_slots, n_filter),
        node,
        id,
        now_us,
        ADS_LIVE_FIXED_LEN + 2 * n_filter * 8,
        n_slots,
        ADS_LIVE_FIXED_LEN,
        n_filter,
        ADS_LIVE_FIXED_LEN + n_filter * 8,
        n_filter,
    };
    const uint64_t slots_word = WORDS_AT + 8 * (uint64_t)ADS_LIVE_SLOTS;
    uint32_t layout = ADS_LIVE_LAYOUT, bom = BOM, crc;

    memcpy(bytes, "ADSL", 4);
    memcpy(bytes + 4, &layout, 4);
    memcpy(bytes + 8, &bom, 4);
    memcpy(bytes + 16, fields, sizeof(fields));
    memcpy(bytes + slots_word, &n_slots, sizeof(n_slots));
    crc = checksum(bytes);
    memcpy(bytes + 12, &crc, 4);
}


/* Slots, filter, caps: the order of the layouts whose files never grow. */
static bool
fits_fixed(const struct ads_live *live)
{
    return live->slots_off == ADS_LIVE_FIXED_LEN
           && live->filter_off
                  == live->slots_off + live->n_slots * ADS_LIVE_SLOT_LEN
           && live->n_caps == (live->layout == 1 ? 0 : live->n_filter)
           && (live->n_caps == 0
               || live->caps_off == live->filter_off + live->n_filter * 8)
           && live->filter_off + (live->n_filter + live->n_caps) * 8
                  == live->len;
}


/* Filter, caps, slots, and behind them what is being allocated. */
static bool
fits_growing(const struct ads_live *live)
{
    return live->filter_off == ADS_LIVE_FIXED_LEN
           && live->n_caps == live->n_filter
           && live->caps_off == live->filter_off + live->n_filter * 8
           && live->slots_off == live->caps_off + live->n_caps * 8
           && live->slots_off + live->n_slots * ADS_LIVE_SLOT_LEN <= live->len;
}


/* How many slots there are by now, as far as they are mapped. */
static uint64_t
slots_now(const struct ads_live *live)
{
    uint64_t n = ads_live_get(live, ADS_LIVE_SLOTS);
    uint64_t mapped = (live->len - live->slots_off) / ADS_LIVE_SLOT_LEN;

    if (n < live->n_slots) {
        return live->n_slots;
    }
    return n < mapped ? n : mapped;
}


enum ads_err
ads_live_open(struct ads_live *live, void *bytes, uint64_t len)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    const uint8_t *magic = ads_cursor_peek(&cursor, 4);
    uint32_t layout = ads_cursor_u32(&cursor);
    uint32_t bom = ads_cursor_u32(&cursor);
    uint32_t crc = ads_cursor_u32(&cursor);
    uint64_t made_len;

    if (len < ADS_LIVE_FIXED_LEN || memcmp(magic, "ADSL", 4) != 0) {
        return ADS_DAMAGED;
    }
    if (layout < 1 || layout > ADS_LIVE_LAYOUT || bom != BOM) {
        return ADS_UNSUPPORTED;
    }

    live->bytes = bytes;
    live->len = len;
    live->layout = layout;
    made_len = ads_cursor_u64(&cursor);
    live->node = ads_cursor_u64(&cursor);
    live->id = ads_cursor_u64(&cursor);
    (void)ads_cursor_u64(&cursor);
    live->slots_off = ads_cursor_u64(&cursor);
    live->n_slots = ads_cursor_u64(&cursor);
    live->filter_off = ads_cursor_u64(&cursor);
    live->n_filter = ads_cursor_u64(&cursor);
    live->caps_off = ads_cursor_u64(&cursor);
    live->n_caps = ads_cursor_u64(&cursor);

    if (checksum(bytes) != crc || made_len > len
        || live->n_slots > len / ADS_LIVE_SLOT_LEN || live->n_filter > len / 8
        || live->n_filter < FILTER_WAYS
        || (live->n_filter & (live->n_filter - 1)) != 0)
    {
        return ADS_DAMAGED;
    }
    if (layout < ADS_LIVE_LAYOUT_GROWS) {
        return fits_fixed(live) ? ADS_OK : ADS_DAMAGED;
    }
    if (!fits_growing(live)) {
        return ADS_DAMAGED;
    }
    live->n_slots = slots_now(live);
    return ADS_OK;
}


bool
ads_live_has_grown(const struct ads_live *live)
{
    return live->layout >= ADS_LIVE_LAYOUT_GROWS
           && ads_live_get(live, ADS_LIVE_SLOTS) > live->n_slots;
}


uint64_t
ads_live_get(const struct ads_live *live, enum ads_live_word name)
{
    return atomic_load_explicit(at(live, WORDS_AT + 8 * (uint64_t)name),
                                memory_order_acquire);
}


void
ads_live_set(struct ads_live *live, enum ads_live_word name, uint64_t value)
{
    atomic_store_explicit(at(live, WORDS_AT + 8 * (uint64_t)name), value,
                          memory_order_release);
}


uint64_t
ads_live_counter(const struct ads_live *live, uint32_t counter)
{
    return counter < ADS_COUNT_END ? atomic_load_explicit(
               at(live, COUNTERS_AT + 8ull * counter), memory_order_relaxed)
                                   : 0;
}


void
ads_live_count(struct ads_live *live, uint32_t counter, uint64_t n)
{
    if (counter < ADS_COUNT_END) {
        atomic_fetch_add_explicit(at(live, COUNTERS_AT + 8ull * counter), n,
                                  memory_order_relaxed);
    }
}


void
ads_live_append(struct ads_live *live, uint64_t n, uint64_t bytes,
                uint64_t now_us)
{
    if (bytes > 0 && ads_live_pending(live) == 0) {
        atomic_store_explicit(at(live, COUNTERS_AT + 8ull * ADS_COUNT_FIRST_US),
                              now_us, memory_order_relaxed);
    }
    ads_live_count(live, ADS_COUNT_APPENDED, n);
    ads_live_count(live, ADS_COUNT_APPENDED_BYTES, bytes);
}


uint64_t
ads_live_pending(const struct ads_live *live)
{
    uint64_t seen = ads_live_get(live, ADS_LIVE_SEEN);
    uint64_t pending = ads_live_get(live, ADS_LIVE_PENDING);
    uint64_t now = ads_live_counter(live, ADS_COUNT_APPENDED_BYTES);

    return now > seen ? pending + (now - seen) : pending;
}


uint64_t
ads_live_oldest_us(const struct ads_live *live)
{
    uint64_t oldest_us = ads_live_get(live, ADS_LIVE_OLDEST_US);

    if (ads_live_pending(live) == 0) {
        return 0;
    }
    return oldest_us != 0 ? oldest_us
                          : ads_live_counter(live, ADS_COUNT_FIRST_US);
}


uint64_t
ads_live_quota_pressure(uint64_t pending, uint64_t quota)
{
    if (pending >= quota) {
        return 3;
    }
    if (pending >= quota / 100 * 95) {
        return 2;
    }
    return pending >= quota / 100 * 80 ? 1 : 0;
}


uint64_t
ads_live_pressure(const struct ads_live *live)
{
    uint64_t quota = ads_live_get(live, ADS_LIVE_QUOTA);
    uint64_t said = ads_live_get(live, ADS_LIVE_PRESSURE);
    uint64_t own =
        quota == 0 ? 0 : ads_live_quota_pressure(ads_live_pending(live), quota);

    return own > said ? own : said;
}


uint64_t
ads_live_tag(const struct ads_uuid *campaign)
{
    uint64_t tag;

    /* the last 8 bytes of a UUID are its random ones */
    memcpy(&tag, campaign->b + 8, 8);
    return tag != 0 ? tag : 1;
}


static struct ads_live_slot *
slot_at(const struct ads_live *live, uint64_t slot)
{
    return (void *)(live->bytes + live->slots_off + slot * ADS_LIVE_SLOT_LEN);
}


struct ads_live_slot *
ads_live_slot(const struct ads_live *live, uint32_t slot, uint64_t tag)
{
    struct ads_live_slot *found;

    if (slot >= live->n_slots) {
        return NULL;
    }

    found = slot_at(live, slot);
    return atomic_load_explicit(&found->tag, memory_order_acquire) == tag
               ? found
               : NULL;
}


struct ads_live_slot *
ads_live_slot_at(const struct ads_live *live, uint32_t slot, uint64_t *tag)
{
    struct ads_live_slot *found;

    if (slot >= live->n_slots) {
        return NULL;
    }

    found = slot_at(live, slot);
    *tag = atomic_load_explicit(&found->tag, memory_order_acquire);
    return *tag != 0 ? found : NULL;
}


uint32_t
ads_live_used(const struct ads_live *live)
{
    uint32_t used = 0;

    while (used < live->n_slots && slot_at(live, used)->tag != 0) {
        used++;
    }
    return used;
}


enum ads_err
ads_live_claim(struct ads_live *live, uint64_t tag, uint32_t *used,
               uint32_t *slot)
{
    if (*used >= live->n_slots) {
        return ADS_FULL;
    }

    *slot = (*used)++;
    atomic_store_explicit(&slot_at(live, *slot)->throttle,
                          ADS_LIVE_THROTTLE_OPEN, memory_order_relaxed);
    atomic_store_explicit(&slot_at(live, *slot)->tag, tag,
                          memory_order_release);
    return ADS_OK;
}


int64_t
ads_live_spent(const struct ads_live_slot *slot)
{
    return (int64_t)atomic_load_explicit(&((struct ads_live_slot *)slot)->spent,
                                         memory_order_acquire);
}


int64_t
ads_live_allowance(const struct ads_live_slot *slot)
{
    return (int64_t)atomic_load_explicit(
        &((struct ads_live_slot *)slot)->allowance, memory_order_relaxed);
}


uint64_t
ads_live_throttle(const struct ads_live_slot *slot)
{
    return atomic_load_explicit(&((struct ads_live_slot *)slot)->throttle,
                                memory_order_relaxed);
}


void
ads_live_allow(struct ads_live_slot *slot, int64_t allowance_micros,
               uint64_t throttle)
{
    atomic_store_explicit(&slot->allowance, (uint64_t)allowance_micros,
                          memory_order_relaxed);
    atomic_store_explicit(&slot->throttle, throttle, memory_order_relaxed);
}


void
ads_live_spend(struct ads_live_slot *slot, int64_t price_micros)
{
    atomic_fetch_add_explicit(&slot->spent, (uint64_t)price_micros,
                              memory_order_release);
    atomic_fetch_add_explicit(&slot->clicks, 1, memory_order_relaxed);
}


int64_t
ads_live_served(const struct ads_live_slot *slot)
{
    return (int64_t)atomic_load_explicit(
        &((struct ads_live_slot *)slot)->served, memory_order_relaxed);
}


int64_t
ads_live_promised(const struct ads_live_slot *slot)
{
    return (int64_t)atomic_load_explicit(
        &((struct ads_live_slot *)slot)->promised, memory_order_relaxed);
}


void
ads_live_expect(struct ads_live_slot *slot, uint64_t rate)
{
    atomic_store_explicit(&slot->rate, rate, memory_order_relaxed);
}


void
ads_live_serve(struct ads_live_slot *slot, int64_t price_micros)
{
    uint64_t price = (uint64_t)price_micros;
    uint64_t rate = atomic_load_explicit(&slot->rate, memory_order_relaxed);

    /* in two parts, so that no price is too large; never nothing */
    atomic_fetch_add_explicit(&slot->served, price, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->promised,
                              (price >> 16) * rate
                                  + ((price & 0xffff) * rate >> 16) + 1,
                              memory_order_relaxed);
}


bool
ads_live_pays(const struct ads_live_slot *slot, int64_t price_micros)
{
    int64_t left;

    return !__builtin_sub_overflow(ads_live_allowance(slot),
                                   ads_live_spent(slot), &left)
           && !__builtin_sub_overflow(left, ads_live_promised(slot), &left)
           && left >= price_micros;
}


bool
ads_live_open_for(const struct ads_live_slot *slot, uint64_t hash)
{
    return (hash & 0xffff) < ads_live_throttle(slot);
}


/* The two neighbouring places of a fingerprint. */
static word *
ways(const struct ads_live *live, uint64_t fingerprint)
{
    uint64_t first =
        fingerprint & (live->n_filter - 1) & ~(uint64_t)(FILTER_WAYS - 1);

    return at(live, live->filter_off + 8 * first);
}


void
ads_live_fetch(const struct ads_live *live, uint64_t fingerprint)
{
    __builtin_prefetch(ways(live, fingerprint), 1);
}


bool
ads_live_seen(const struct ads_live *live, uint64_t fingerprint)
{
    word *places = ways(live, fingerprint);

    return atomic_load_explicit(&places[0], memory_order_relaxed) == fingerprint
           || atomic_load_explicit(&places[1], memory_order_relaxed)
                  == fingerprint;
}


void
ads_live_remember(struct ads_live *live, uint64_t fingerprint)
{
    word *places = ways(live, fingerprint);
    uint64_t newer = atomic_load_explicit(&places[0], memory_order_relaxed);

    atomic_store_explicit(&places[1], newer, memory_order_relaxed);
    atomic_store_explicit(&places[0], fingerprint, memory_order_relaxed);
}


/* ---- session caps ---- */

#define CAP_HASH_SHIFT 36
#define CAP_COUNT_SHIFT 24
#define CAP_COUNT_MAX 0xfffu
#define CAP_TIME_MAX 0xffffffu


static word *
cap_ways(const struct ads_live *live, uint64_t key)
{
    uint64_t first = key & (live->n_caps - 1) & ~(uint64_t)(FILTER_WAYS - 1);

    return at(live, live->caps_off + 8 * first);
}


/* The place of that key, or FILTER_WAYS. */
static uint32_t
cap_find(word *ways, uint64_t key)
{
    uint32_t i = 0;

    while (i < FILTER_WAYS
           && (atomic_load_explicit(&ways[i], memory_order_relaxed)
               >> CAP_HASH_SHIFT)
                  != key >> CAP_HASH_SHIFT)
    {
        i++;
    }
    return i;
}


static uint32_t
cap_age(uint64_t cap, uint64_t now_s)
{
    return (uint32_t)(now_s - cap) & CAP_TIME_MAX;
}


/* How often, 0 when its window is over. */
static uint32_t
cap_count(uint64_t cap, uint64_t now_s, uint32_t window_s)
{
    return cap_age(cap, now_s) < window_s
               ? (uint32_t)(cap >> CAP_COUNT_SHIFT) & CAP_COUNT_MAX
               : 0;
}


uint32_t
ads_live_shown(const struct ads_live *live, uint64_t key, uint64_t now_s,
               uint32_t window_s)
{
    word *ways;
    uint32_t i;

    if (live->n_caps == 0) {
        return 0;
    }
    ways = cap_ways(live, key);
    i = cap_find(ways, key);
    return i == FILTER_WAYS
               ? 0
               : cap_count(atomic_load_explicit(&ways[i], memory_order_relaxed),
                           now_s, window_s);
}


void
ads_live_show(struct ads_live *live, uint64_t key, uint64_t now_s,
              uint32_t window_s)
{
    word *ways;
    uint64_t old, cap;
    uint32_t i, count;

    if (live->n_caps == 0) {
        return;
    }
    ways = cap_ways(live, key);
    i = cap_find(ways, key);
    if (i == FILTER_WAYS) {
        i = cap_age(atomic_load_explicit(&ways[0], memory_order_relaxed), now_s)
                    >= cap_age(
                        atomic_load_explicit(&ways[1], memory_order_relaxed),
                        now_s)
                ? 0
                : 1;
    }
    old = atomic_load_explicit(&ways[i], memory_order_relaxed);
    do {
        bool same = old >> CAP_HASH_SHIFT == key >> CAP_HASH_SHIFT;

        count = same ? cap_count(old, now_s, window_s) : 0;
        cap = key >> CAP_HASH_SHIFT << CAP_HASH_SHIFT
              | (uint64_t)(count < CAP_COUNT_MAX ? count + 1 : count)
                    << CAP_COUNT_SHIFT
              | (count > 0 ? old & CAP_TIME_MAX : now_s & CAP_TIME_MAX);
    } while (!atomic_compare_exchange_weak_explicit(
        &ways[i], &old, cap, memory_order_relaxed, memory_order_relaxed));
}
