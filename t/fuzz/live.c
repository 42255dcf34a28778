/*
 * Any bytes as `live`, its checksum made right: every function stays inside
 * the file, whatever is asked of it.
 */
#include "ads_live.h"

#include "fuzz.h"

#define LEN_MAX 65536
#define ASKED 64
#define SLOTS_AT 48
#define WINDOW_S 60


/* Makes a file of a layout that had its slots first. */
static void
order(uint8_t *bytes, uint64_t n_slots, uint64_t n_filter, uint8_t layout)
{
    const uint64_t filter_at = ADS_LIVE_FIXED_LEN + n_slots * ADS_LIVE_SLOT_LEN;
    const uint64_t places[] = {
        ADS_LIVE_FIXED_LEN,
        n_slots,
        filter_at,
        n_filter,
        filter_at + n_filter * 8,
        layout == 1 ? 0 : n_filter,
    };

    memcpy(bytes + SLOTS_AT, places, sizeof(places));
}


/* Makes beginning, layout and size right. */
static void
repair(uint8_t *bytes, size_t len, uint8_t layout)
{
    const uint8_t begin[] = {'A', 'D', 'S', 'L', layout, 0, 0, 0, 4, 3, 2, 1};
    uint64_t size = len;
    uint32_t crc = 0;

    memcpy(bytes, begin, sizeof(begin));
    memcpy(bytes + 12, &crc, 4);
    memcpy(bytes + 16, &size, 8);
    crc = ads_crc32c(0, bytes, 128);
    memcpy(bytes + 12, &crc, 4);
}


static void
slot_use(struct ads_live *live, uint32_t number, uint64_t value)
{
    struct ads_live_slot *slot;
    uint64_t tag;

    slot = ads_live_slot_at(live, number, &tag);
    fuzz_must(slot == NULL || (number < live->n_slots && tag != 0),
              "a slot is in the file and has a tag");
    if (slot == NULL) {
        return;
    }
    fuzz_must(ads_live_slot(live, number, tag) == slot,
              "a slot is found by its tag");
    fuzz_must(ads_live_slot(live, number, tag + 1) == NULL,
              "and by no other tag");
    ads_live_allow(slot, (int64_t)value, value & 0x1ffff);
    fuzz_must(ads_live_allowance(slot) == (int64_t)value, "what was allowed");
    ads_live_spend(slot, (int64_t)(value & 0xffffff));
    ads_live_expect(slot, value & 0x1ffff);
    ads_live_serve(slot, (int64_t)value);
    (void)ads_live_pays(slot, (int64_t)value);
    (void)ads_live_open_for(slot, value);
}


static void
use(struct ads_live *live, const uint8_t *bytes, size_t len)
{
    uint32_t used = ads_live_used(live), slot;
    uint64_t value;

    fuzz_must(used <= live->n_slots, "no more slots than there are");
    for (int i = 0; i < ASKED; i++) {
        value = fuzz_u64(&bytes, &len);
        slot_use(live, (uint32_t)value % ((uint32_t)live->n_slots + 2), value);
        slot_use(live, (uint32_t)value, value);
        ads_live_remember(live, value);
        fuzz_must(ads_live_seen(live, value), "what was remembered is seen");
        ads_live_show(live, value, value >> 7, WINDOW_S);
        fuzz_must((ads_live_shown(live, value, value >> 7, WINDOW_S) > 0)
                      == (live->n_caps > 0),
                  "what was shown is counted where there is a place for it");
        ads_live_count(live, (uint32_t)value, 1);
        ads_live_count(live, (uint32_t)value % (ADS_COUNT_END + 2), 1);
        (void)ads_live_counter(live, (uint32_t)value);
        ads_live_set(live, value % ADS_LIVE_WORDS, value);
        fuzz_must(ads_live_get(live, value % ADS_LIVE_WORDS) == value,
                  "what was set");
        if (value != 0 && ads_live_claim(live, value, &used, &slot) == ADS_OK) {
            fuzz_must(slot < used && used <= live->n_slots
                          && ads_live_slot(live, slot, value) != NULL,
                      "a claimed slot is ours");
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ads_live live;
    bool repaired = fuzz_u8(&bytes, &len) & 1;
    uint8_t slots = fuzz_u8(&bytes, &len);
    uint64_t n_slots = slots & 15, n_filter = UINT64_C(2) << (slots >> 6);
    uint64_t size = ads_live_measure(n_slots, n_filter);
    uint8_t layout = (uint8_t)(1 + (slots >> 4 & 3) % ADS_LIVE_LAYOUT);
    uint8_t *file;

    if (len > LEN_MAX) {
        return 0;
    }
    if (!repaired) {
        size = len;
    }
    file = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    memset(file, 0, size);
    if (repaired) {
        /* the input lies over a good file, so that few bytes reach far */
        ads_live_write(file, n_slots, n_filter, 1, 2, 3);
        for (size_t i = 0; i < len && i < size; i++) {
            file[i] ^= bytes[i];
        }
        if (layout < ADS_LIVE_LAYOUT_GROWS) {
            order(file, n_slots, n_filter, layout);
        }
        if (layout == 1) {
            size -= n_filter * 8;
        }
        repair(file, size, layout);
    } else {
        memcpy(file, bytes, len);
    }
    if (ads_live_open(&live, file, size) == ADS_OK) {
        fuzz_must(ads_live_measure(live.n_slots, live.n_filter)
                      <= size + (live.n_filter - live.n_caps) * 8,
                  "an opened file holds all its slots");
        use(&live, bytes, len);
    }
    free(file);
    return 0;
}
