/*
 * Opens and reads the ad tables: checked when loaded, and every offset again
 * when used.  The encoder is in ads_snap_write.c.
 */
#include "ads_snap.h"

#include "ads_index.h"

#include <sodium.h>

/* The rows are the layout: their sizes are part of the format. */
_Static_assert(sizeof(struct ads_snap_ad) == 48, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_offer) == 24, "layout");
_Static_assert(sizeof(struct ads_snap_retired) == 48, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_campaign) == 96, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_account) == 32, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_publisher) == 32, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_key) == 64, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_place) == 8, "layout 1 and 2");
_Static_assert(sizeof(struct ads_placement) == 25, "layout 1 and 2");
_Static_assert(sizeof(struct ads_ip_range) == 18, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_target) == 40, "layout 1 and 2");
_Static_assert(sizeof(struct ads_snap_keyword) == 32, "layout 1 and 2");

#define HEADER_ID_AT 24
#define HEADER_CRC_AT 60

struct file {
    const uint8_t *bytes;
    uint64_t len;
    uint32_t layout;
    uint32_t n_sections;
    uint64_t id;
    uint64_t made_us;
    uint64_t change;
    uint64_t base_id;
    uint32_t base_checksum;
    uint32_t checksum;
    uint32_t floor;
};

/* Where a section of some kind is kept, and the rows it must consist of. */
struct wanted {
    uint32_t kind;
    uint32_t row_len; /* 0: bytes */
    struct ads_snap_section *section;
};


static enum ads_err
header_read(struct file *file, const void *bytes, uint64_t len,
            const char *magic)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    const uint8_t *found = ads_cursor_peek(&cursor, 4);
    uint32_t layout = ads_cursor_u32(&cursor);
    uint32_t bom = ads_cursor_u32(&cursor);
    uint8_t header[ADS_SNAP_HEADER_LEN];
    uint64_t table_len;

    if (len < ADS_SNAP_HEADER_LEN || memcmp(found, magic, 4) != 0) {
        return ADS_DAMAGED;
    }
    if ((layout != ADS_SNAP_LAYOUT && layout != ADS_SNAP_LAYOUT_BEFORE)
        || bom != ADS_SNAP_BOM)
    {
        return ADS_UNSUPPORTED;
    }

    file->bytes = bytes;
    file->layout = layout;
    file->n_sections = ads_cursor_u32(&cursor);
    file->len = ads_cursor_u64(&cursor);
    file->id = ads_cursor_u64(&cursor);
    file->made_us = ads_cursor_u64(&cursor);
    file->change = ads_cursor_u64(&cursor);
    file->base_id = ads_cursor_u64(&cursor);
    file->base_checksum = ads_cursor_u32(&cursor);
    file->checksum = ads_cursor_u32(&cursor);
    (void)ads_cursor_u64(&cursor); /* the node */
    file->floor = ads_cursor_u32(&cursor);

    table_len = (uint64_t)file->n_sections * ADS_SNAP_SECTION_LEN;
    if (file->len != len || file->n_sections > ADS_SNAP_SECTIONS_MAX
        || len - ADS_SNAP_HEADER_LEN < table_len)
    {
        return ADS_DAMAGED;
    }

    memcpy(header, bytes, sizeof(header));
    memset(header + HEADER_CRC_AT, 0, 4);
    if (ads_crc32c(ads_crc32c(0, header, sizeof(header)),
                   file->bytes + ADS_SNAP_HEADER_LEN, table_len)
        != file->checksum)
    {
        return ADS_DAMAGED;
    }
    return ADS_OK;
}


/* Section i of the table, its bounds checked. */
static enum ads_err
section_read(const struct file *file, uint32_t i, uint32_t *kind, uint32_t *crc,
             struct ads_snap_section *section, uint32_t *row_len)
{
    struct ads_cursor cursor = ads_cursor_init(file->bytes + ADS_SNAP_HEADER_LEN
                                                   + i * ADS_SNAP_SECTION_LEN,
                                               ADS_SNAP_SECTION_LEN);
    uint64_t offset;

    *kind = ads_cursor_u32(&cursor);
    *crc = ads_cursor_u32(&cursor);
    offset = ads_cursor_u64(&cursor);
    section->len = ads_cursor_u64(&cursor);
    section->rows = ads_cursor_u32(&cursor);
    *row_len = ads_cursor_u32(&cursor);

    if (offset % 8 != 0 || offset > file->len
        || section->len > file->len - offset
        || (*row_len != 0
            && section->len != (uint64_t)section->rows * *row_len))
    {
        return ADS_DAMAGED;
    }

    section->bytes = file->bytes + offset;
    return ADS_OK;
}


static enum ads_err
sections_find(const struct file *file, const struct wanted *wanted, size_t n,
              bool check)
{
    for (uint32_t i = 0; i < file->n_sections; i++) {
        struct ads_snap_section section;
        uint32_t kind, crc, row_len;
        enum ads_err err;

        err = section_read(file, i, &kind, &crc, &section, &row_len);
        if (err != ADS_OK) {
            return err;
        }
        if (check && ads_crc32c(0, section.bytes, section.len) != crc) {
            return ADS_DAMAGED;
        }

        for (size_t k = 0; k < n; k++) {
            if (wanted[k].kind != kind) {
                continue;
            }
            if (wanted[k].row_len != row_len) {
                return ADS_UNSUPPORTED;
            }
            *wanted[k].section = section;
        }
    }
    return ADS_OK;
}


/* A probe steps with a mask. */
static bool
lookup_fits(const struct ads_base *base)
{
    return (base->lookup.rows & (base->lookup.rows - 1)) == 0
           && (base->lookup.rows > 0 || base->ads.rows == 0);
}


/* A class has two ads at least, so there are never more than half as many. */
static uint32_t
classes_count(const struct ads_snap_section *classes)
{
    uint32_t n = classes->rows == 0
                     ? 0
                     : *(const uint16_t *)(const void *)classes->bytes;

    return n <= classes->rows / 2 ? n : 0;
}


enum ads_err
ads_base_open(struct ads_base *base, const void *bytes, uint64_t len)
{
    const struct wanted wanted[] = {
        {ADS_SNAP_BASE_ADS, sizeof(struct ads_snap_ad), &base->ads},
        {ADS_SNAP_BASE_LOOKUP, sizeof(uint32_t), &base->lookup},
        {ADS_SNAP_BASE_TEXT, 0, &base->text},
        {ADS_SNAP_BASE_CAMPAIGNS, sizeof(struct ads_uuid), &base->campaigns},
        {ADS_SNAP_BASE_INDEX, 0, &base->index},
        {ADS_SNAP_BASE_INTENT, 0, &base->intent},
        {ADS_SNAP_BASE_GUARD, 0, &base->guard},
        {ADS_SNAP_BASE_GOODS, 0, &base->goods},
        {ADS_SNAP_BASE_OFFERS, sizeof(struct ads_snap_offer), &base->offers},
        {ADS_SNAP_BASE_CLASSES, sizeof(uint16_t), &base->classes},
        {ADS_SNAP_BASE_RETIRED, sizeof(struct ads_snap_retired),
         &base->retired},
        {ADS_SNAP_BASE_PRODUCTS, sizeof(struct ads_uuid), &base->products},
        {ADS_SNAP_BASE_TOKENS, 0, &base->tokens},
    };
    struct file file;
    enum ads_err err;

    *base = (struct ads_base){0};
    err = header_read(&file, bytes, len, "ADSB");
    if (err != ADS_OK) {
        return err;
    }

    base->id = file.id;
    base->made_us = file.made_us;
    base->change = file.change;
    base->checksum = file.checksum;
    base->layout = file.layout;
    err =
        sections_find(&file, wanted, sizeof(wanted) / sizeof(wanted[0]), false);
    if (err != ADS_OK) {
        return err;
    }

    base->n_classes = classes_count(&base->classes);
    return lookup_fits(base) && base->lookup.rows > 0 ? ADS_OK : ADS_DAMAGED;
}


enum ads_err
ads_head_open(struct ads_head *head, const void *bytes, uint64_t len)
{
    const struct wanted wanted[] = {
        {ADS_SNAP_HEAD_CAMPAIGNS, sizeof(struct ads_snap_campaign),
         &head->campaigns},
        {ADS_SNAP_HEAD_MAP, sizeof(uint32_t), &head->map},
        {ADS_SNAP_HEAD_ACCOUNTS, sizeof(struct ads_snap_account),
         &head->accounts},
        {ADS_SNAP_HEAD_PUBLISHERS, sizeof(struct ads_snap_publisher),
         &head->publishers},
        {ADS_SNAP_HEAD_KEYS, sizeof(struct ads_snap_key), &head->keys},
        {ADS_SNAP_HEAD_PLACES, sizeof(struct ads_snap_place), &head->places},
        {ADS_SNAP_HEAD_PLACEMENTS, sizeof(struct ads_placement),
         &head->placements},
        {ADS_SNAP_HEAD_TEXT, 0, &head->text},
        {ADS_SNAP_HEAD_BOUND_KEYS, sizeof(struct ads_snap_key),
         &head->bound_keys},
        {ADS_SNAP_HEAD_RANGES, sizeof(struct ads_ip_range), &head->ranges},
        {ADS_SNAP_HEAD_TARGETS, sizeof(struct ads_snap_target), &head->targets},
        {ADS_SNAP_HEAD_TARGET_IDS, sizeof(struct ads_uuid), &head->target_ids},
        {ADS_SNAP_HEAD_KEYWORDS, sizeof(struct ads_snap_keyword),
         &head->keywords},
        {ADS_SNAP_HEAD_CATEGORIES, sizeof(uint32_t), &head->categories},
        {ADS_SNAP_HEAD_DEAD, 0, &head->dead},
        {ADS_SNAP_HEAD_SHARED, sizeof(uint32_t), &head->shared},
        {ADS_SNAP_HEAD_LINKS, sizeof(struct ads_index_link), &head->links},
        {ADS_SNAP_BASE_ADS, sizeof(struct ads_snap_ad), &head->more.ads},
        {ADS_SNAP_BASE_LOOKUP, sizeof(uint32_t), &head->more.lookup},
        {ADS_SNAP_BASE_TEXT, 0, &head->more.text},
        {ADS_SNAP_BASE_CAMPAIGNS, sizeof(struct ads_uuid),
         &head->more.campaigns},
        {ADS_SNAP_BASE_INDEX, 0, &head->more.index},
        {ADS_SNAP_BASE_RETIRED, sizeof(struct ads_snap_retired),
         &head->more.retired},
        {ADS_SNAP_BASE_OFFERS, sizeof(struct ads_snap_offer),
         &head->more.offers},
        {ADS_SNAP_BASE_CLASSES, sizeof(uint16_t), &head->more.classes},
        {ADS_SNAP_BASE_PRODUCTS, sizeof(struct ads_uuid), &head->more.products},
        {ADS_SNAP_BASE_TOKENS, 0, &head->more.tokens},
    };
    struct file file;
    enum ads_err err;

    *head = (struct ads_head){0};
    err = header_read(&file, bytes, len, "ADSH");
    if (err != ADS_OK) {
        return err;
    }

    head->generation = file.id;
    head->made_us = file.made_us;
    head->change = file.change;
    head->base_id = file.base_id;
    head->base_checksum = file.base_checksum;
    head->floor = file.floor;
    head->more.layout = file.layout;
    err =
        sections_find(&file, wanted, sizeof(wanted) / sizeof(wanted[0]), true);
    head->more.n_classes = classes_count(&head->more.classes);
    return err == ADS_OK && !lookup_fits(&head->more) ? ADS_DAMAGED : err;
}


uint64_t
ads_snap_id(const void *bytes)
{
    uint64_t id;

    memcpy(&id, (const uint8_t *)bytes + HEADER_ID_AT, sizeof(id));
    return id;
}


enum ads_err
ads_snap_verify(const void *bytes, uint64_t len)
{
    struct file file;
    enum ads_err err;

    err =
        header_read(&file, bytes, len,
                    len > 3 && memcmp(bytes, "ADSH", 4) == 0 ? "ADSH" : "ADSB");
    if (err != ADS_OK) {
        return err;
    }
    return sections_find(&file, NULL, 0, true);
}


enum ads_err
ads_snap_pair(const struct ads_head *head, const struct ads_base *base)
{
    return head->base_id == base->id && head->base_checksum == base->checksum
               ? ADS_OK
               : ADS_CONFLICT;
}


/* Row i of a section whose rows were checked at load; NULL outside. */
static const void *
row(const struct ads_snap_section *section, uint32_t i, size_t row_len)
{
    return i < section->rows ? section->bytes + i * row_len : NULL;
}


const struct ads_snap_ad *
ads_base_ad(const struct ads_base *base, uint32_t i)
{
    return row(&base->ads, i, sizeof(struct ads_snap_ad));
}


const struct ads_snap_campaign *
ads_head_campaign(const struct ads_head *head, uint32_t i)
{
    return row(&head->campaigns, i, sizeof(struct ads_snap_campaign));
}


const struct ads_snap_account *
ads_head_account(const struct ads_head *head, uint32_t i)
{
    return row(&head->accounts, i, sizeof(struct ads_snap_account));
}


const struct ads_snap_publisher *
ads_head_publisher(const struct ads_head *head, uint32_t i)
{
    return row(&head->publishers, i, sizeof(struct ads_snap_publisher));
}


static const struct ads_snap_publisher *
publisher_find(const struct ads_head *head, const struct ads_uuid *id)
{
    uint32_t low = 0, high = head->publishers.rows;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct ads_snap_publisher *publisher =
            ads_head_publisher(head, middle);
        int order = publisher == NULL
                        ? 1
                        : memcmp(publisher->id.b, id->b, sizeof(id->b));

        if (order == 0) {
            return publisher;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}


const struct ads_snap_target *
ads_head_blocks(const struct ads_head *head, const struct ads_uuid *id,
                int64_t *floor_micros)
{
    const struct ads_snap_publisher *publisher = publisher_find(head, id);

    if (publisher == NULL) {
        return NULL;
    }
    if (publisher->floor_micros > *floor_micros) {
        *floor_micros = publisher->floor_micros;
    }
    return publisher->blocks == 0 ? NULL
                                  : row(&head->targets, publisher->blocks - 1,
                                        sizeof(struct ads_snap_target));
}


const struct ads_snap_target *
ads_head_target(const struct ads_head *head,
                const struct ads_snap_campaign *campaign)
{
    return campaign->target == 0 ? NULL
                                 : row(&head->targets, campaign->target - 1,
                                       sizeof(struct ads_snap_target));
}


const struct ads_uuid *
ads_head_target_id(const struct ads_head *head, uint32_t i)
{
    return row(&head->target_ids, i, sizeof(struct ads_uuid));
}


const struct ads_snap_keyword *
ads_head_keyword(const struct ads_head *head, uint32_t i)
{
    return row(&head->keywords, i, sizeof(struct ads_snap_keyword));
}


const struct ads_snap_campaign *
ads_head_campaign_of(const struct ads_head *head, uint32_t base_campaign)
{
    const uint32_t *at = row(&head->map, base_campaign, sizeof(uint32_t));

    return at == NULL ? NULL : ads_head_campaign(head, *at);
}


/* Of all bytes: ids that begin with a time, or count, differ in few. */
static uint64_t
id_hash(const struct ads_uuid *id, uint32_t layout)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t first, hash;

    memcpy(&hash, id->b + 8, 8);
    if (layout >= 2) {
        memcpy(&first, id->b, 8);
        hash = (hash ^ first * factor) * factor;
    }
    return hash ^ hash >> 32;
}


const struct ads_snap_ad *
ads_base_find(const struct ads_base *base, const struct ads_uuid *id,
              uint32_t *found)
{
    const uint32_t *slots = (const uint32_t *)(const void *)base->lookup.bytes;
    uint32_t mask = base->lookup.rows - 1;
    uint32_t at = (uint32_t)id_hash(id, base->layout) & mask;

    /* bounded: a damaged table may have no empty slot, or none at all */
    for (uint32_t n = 0; n < base->lookup.rows && slots[at] != 0; n++) {
        const struct ads_snap_ad *ad = ads_base_ad(base, slots[at] - 1);

        if (ad != NULL && ads_uuid_equal(&ad->id, id)) {
            if (found != NULL) {
                *found = slots[at] - 1;
            }
            return ad;
        }
        at = (at + 1) & mask;
    }
    return NULL;
}


void
ads_snap_lookup_write(uint32_t *slots, uint32_t n_slots,
                      const struct ads_snap_ad *ads, uint32_t n)
{
    memset(slots, 0, (size_t)n_slots * sizeof(*slots));

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at =
            (uint32_t)id_hash(&ads[i].id, ADS_SNAP_LAYOUT) & (n_slots - 1);

        while (slots[at] != 0) {
            at = (at + 1) & (n_slots - 1);
        }
        slots[at] = i + 1;
    }
}


/* Binary search for `key` at the head of rows sorted by it. */
static const uint8_t *
find(const struct ads_snap_section *section, size_t row_len, const uint8_t *key,
     size_t key_len)
{
    uint32_t low = 0, high = section->rows;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const uint8_t *at = section->bytes + middle * row_len;
        int order = memcmp(at, key, key_len);

        if (order == 0) {
            return at;
        }
        if (order < 0) {
            low = middle + 1;

        } else {
            high = middle;
        }
    }
    return NULL;
}


const struct ads_snap_retired *
ads_base_find_retired(const struct ads_base *base, const struct ads_uuid *id)
{
    return (const void *)find(&base->retired, sizeof(struct ads_snap_retired),
                              id->b, sizeof(id->b));
}


const struct ads_snap_key *
ads_head_find_key(const struct ads_head *head, const uint8_t *hash)
{
    /* The search leaks only how the hash of what the client sent sorts, which
     * does not help to find a text that has a wanted hash. */
    const void *key =
        find(&head->keys, sizeof(struct ads_snap_key), hash, ADS_KEY_HASH_LEN);

    if (key == NULL) {
        key = find(&head->bound_keys, sizeof(struct ads_snap_key), hash,
                   ADS_KEY_HASH_LEN);
    }
    return key;
}


bool
ads_head_key_allowed(const struct ads_head *head,
                     const struct ads_snap_key *key, const uint8_t *ip,
                     size_t len)
{
    if (key->n_ranges == 0) {
        return true;
    }

    for (uint32_t i = 0; i < key->n_ranges; i++) {
        const struct ads_ip_range *range =
            row(&head->ranges, key->ranges + i, sizeof(*range));

        if (range != NULL && ads_ip_range_holds(range, ip, len)) {
            return true;
        }
    }
    return false;
}


const struct ads_snap_offer *
ads_base_offer(const struct ads_base *base, uint32_t i)
{
    return row(&base->offers, i, sizeof(struct ads_snap_offer));
}


uint32_t
ads_base_class(const struct ads_base *base, uint32_t i)
{
    const uint16_t *classes = (const void *)base->classes.bytes;
    uint32_t class = 0;

    /* the first row is how many there are */
    if (i + UINT64_C(1) < base->classes.rows) {
        class = classes[i + 1];
    }
    return class <= base->n_classes ? class : 0;
}


static struct ads_str
text(const struct ads_snap_section *section, uint64_t offset, uint64_t len)
{
    if (offset > section->len || len > section->len - offset) {
        return (struct ads_str){"", 0};
    }
    return (struct ads_str){(const char *)section->bytes + offset, len};
}


struct ads_str
ads_base_json(const struct ads_base *base, const struct ads_snap_ad *ad)
{
    return text(&base->text, ad->text_off, ad->json_len);
}


struct ads_str
ads_base_url(const struct ads_base *base, const struct ads_snap_ad *ad)
{
    return text(&base->text, ad->text_off + ad->json_len, ad->url_len);
}


struct ads_str
ads_base_categories(const struct ads_base *base, const struct ads_snap_ad *ad)
{
    return text(&base->text, ad->text_off + ad->json_len + ad->url_len,
                ad->category_len);
}


struct ads_str
ads_base_retired_url(const struct ads_base *base,
                     const struct ads_snap_retired *retired)
{
    return text(&base->text, retired->text_off, retired->url_len);
}


struct ads_str
ads_head_account_name(const struct ads_head *head,
                      const struct ads_snap_account *account)
{
    return text(&head->text, account->name_off, account->name_len);
}


struct ads_str
ads_head_languages(const struct ads_head *head,
                   const struct ads_snap_target *target)
{
    return text(&head->text, target->languages_off, target->languages_len);
}


struct ads_str
ads_head_categories(const struct ads_head *head,
                    const struct ads_snap_target *target)
{
    return text(&head->text, target->categories_off, target->categories_len);
}


const uint32_t *
ads_head_category_hashes(const struct ads_head *head,
                         const struct ads_snap_target *target, uint32_t *n)
{
    *n = 0;
    if (target->categories > head->categories.rows
        || target->n_categories > head->categories.rows - target->categories)
    {
        return NULL;
    }
    *n = target->n_categories;
    return (const uint32_t *)(const void *)head->categories.bytes
           + target->categories;
}


static bool
place_listed(const struct ads_head *head, uint32_t first, uint32_t n,
             const struct ads_place *place)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct ads_snap_place *target =
            row(&head->places, first + i, sizeof(*target));

        if (target != NULL && ads_place_covers(&target->place, place)) {
            return true;
        }
    }
    return false;
}


bool
ads_head_place_allowed(const struct ads_head *head,
                       const struct ads_snap_campaign *campaign,
                       const struct ads_place *place)
{
    bool known = place->country[0] != '\0';
    uint32_t first_not = campaign->places + campaign->n_places;

    if (campaign->n_places == 0 && campaign->n_not_places == 0) {
        return true;
    }

    /* an unknown place never matches a campaign that asks for places */
    return known
           && (campaign->n_places == 0
               || place_listed(head, campaign->places, campaign->n_places,
                               place))
           && !place_listed(head, first_not, campaign->n_not_places, place);
}


bool
ads_head_placement_allowed(const struct ads_head *head,
                           const struct ads_snap_campaign *campaign,
                           const struct ads_placement *placement)
{
    if (campaign->n_placements == 0) {
        return true;
    }

    for (uint32_t i = 0; i < campaign->n_placements; i++) {
        const struct ads_placement *target =
            row(&head->placements, campaign->placements + i, sizeof(*target));

        if (target != NULL && ads_placement_equal(target, placement)) {
            return true;
        }
    }
    return false;
}
