/*
 * Any bytes as changes to a good pair of ad tables, whose checksums are then
 * made right, so that only what is checked at use stands between them and a
 * worker.  The changed pair is opened, everything in it is looked up, and
 * queries are decided: no access outside the files, no endless loop, and
 * nothing decided that the rows do not hold.
 *
 * A change is 12 bytes: which file, what kind, which section, where, and the
 * new value.  The rest of the input, behind the changes that its first byte
 * counts, is one more query.
 */
#include "tables.h"

#define CHANGES_MAX 16
#define HEADER_CRC_AT 60

static const char *const queries[] = {
    "laser printer",
    "buy wireless headphones",
    "noise cancelling headphones",
    "acme",
    "headphnes",
    "laserprinter",
    "print er",
    "office laser printer 100",
    "studio kids gaming running",
    "corvo mono laser printer mini duplex color",
    "printer",
    "bolt",
    "the of and",
    "zzz",
    "2 x 4",
    "delta delta delta",
    "fine thing to own",
    "electronics",
    "acme laser printer 100 bolt wireless headphones corvo duplex",
};

#define N_QUERIES (sizeof(queries) / sizeof(queries[0]))

enum change_kind {
    CHANGE_U8,
    CHANGE_U16,
    CHANGE_U32,
    CHANGE_U64,
    CHANGE_ADD,     /* to a 32-bit number */
    CHANGE_SECTION, /* a field of the section table */
    CHANGE_HEADER,  /* a field of the file header */
    CHANGE_KINDS
};

struct file {
    uint8_t *bytes;
    uint64_t len;
};

static struct t_tables t;


/* A section by its place in the table: where it lies, and how long it is. */
static bool
section_find(const struct file *file, uint32_t number, uint64_t *off,
             uint64_t *len)
{
    uint32_t n;

    memcpy(&n, file->bytes + 12, 4);
    if (number >= n || n > ADS_SNAP_SECTIONS_MAX) {
        return false;
    }
    memcpy(off,
           file->bytes + ADS_SNAP_HEADER_LEN + number * ADS_SNAP_SECTION_LEN
               + 8,
           8);
    memcpy(len,
           file->bytes + ADS_SNAP_HEADER_LEN + number * ADS_SNAP_SECTION_LEN
               + 16,
           8);
    return *off <= file->len && *len <= file->len - *off;
}


static void
change(struct file *file, uint8_t kind, uint8_t section, uint32_t place,
       uint32_t value)
{
    static const size_t widths[CHANGE_KINDS] = {1, 2, 4, 8, 4, 4, 4};
    uint64_t off = 0, len = 0, wide = (uint64_t)(int64_t)(int32_t)value;
    size_t width = widths[kind];
    uint32_t old;

    if (kind == CHANGE_SECTION) {
        off = ADS_SNAP_HEADER_LEN;
        len = 24 * ADS_SNAP_SECTION_LEN;
    } else if (kind == CHANGE_HEADER) {
        len = ADS_SNAP_HEADER_LEN;
    } else if (!section_find(file, section % 24, &off, &len)) {
        return;
    }
    if (len < width) {
        return;
    }
    /* in steps of the width, so that numbers are met whole */
    off += place % (len / width) * width;
    if (off + width > file->len) {
        return;
    }
    if (kind == CHANGE_ADD) {
        memcpy(&old, file->bytes + off, 4);
        wide = old + value;
    }
    memcpy(file->bytes + off, &wide, width);
}


/* Signs the header, and what is checked when the file is opened: the sections
 * of a head, intent model and guard of a base. */
static void
sign(struct file *file)
{
    uint32_t n, crc, kind;
    uint64_t off, len;
    uint8_t *row;

    memcpy(&n, file->bytes + 12, 4);
    for (uint32_t i = 0; section_find(file, i, &off, &len); i++) {
        row = file->bytes + ADS_SNAP_HEADER_LEN + i * ADS_SNAP_SECTION_LEN;
        memcpy(&kind, row, 4);
        if ((kind == ADS_SNAP_BASE_INTENT || kind == ADS_SNAP_BASE_GUARD)
            && len > 32) {
            fuzz_model_sign(file->bytes + off, len); /* both alike */
        }
        if (memcmp(file->bytes, "ADSH", 4) == 0) {
            crc = ads_crc32c(0, file->bytes + off, len);
            memcpy(row + 4, &crc, 4);
        }
    }
    len = ADS_SNAP_HEADER_LEN + (uint64_t)n * ADS_SNAP_SECTION_LEN;
    if (n <= ADS_SNAP_SECTIONS_MAX && len <= file->len) {
        memset(file->bytes + HEADER_CRC_AT, 0, 4);
        crc = ads_crc32c(0, file->bytes, len);
        memcpy(file->bytes + HEADER_CRC_AT, &crc, 4);
    }
}


/* The ads by their ids, in base and head. */
static void
find_all(const struct ads_tables *tables)
{
    for (uint32_t i = 0; i < T_ADS; i++) {
        const struct ads_base *from;
        const struct ads_snap_retired *retired;
        const struct ads_snap_ad *ad;

        ad = ads_tables_find(tables, &t.ads[i].id, &from);
        if (ad != NULL) {
            (void)ads_crc32c(0, ads_base_url(from, ad).ptr,
                             ads_base_url(from, ad).len);
            (void)ads_tables_campaign_id(tables, ad);
        }
        retired = ads_tables_find_retired(tables, &t.ads[i].id, &from);
        if (retired != NULL) {
            (void)ads_crc32c(0, ads_base_retired_url(from, retired).ptr,
                             ads_base_retired_url(from, retired).len);
        }
    }
}


/* Everything that a worker may look up, with numbers inside and outside. */
static void
look_up(const struct ads_tables *tables)
{
    const struct ads_base *base = &tables->base;
    const struct ads_head *head = &tables->head;
    struct ads_place place = {.country = {'U', 'S'}};
    struct ads_placement placement = ads_placement_make(ADS_STR("inline"));
    static const uint8_t ip[16] = {192, 0, 2, 1};
    uint8_t hash[ADS_KEY_HASH_LEN] = {1, 2, 3};
    const struct ads_snap_key *key;
    const struct ads_snap_ad *ad;
    uint32_t row;

    for (uint32_t i = 0; i < 2 * T_ADS; i++) {
        ad = ads_base_ad(base, i);
        if (ad != NULL) {
            (void)ads_crc32c(0, ads_base_json(base, ad).ptr,
                             ads_base_json(base, ad).len);
            (void)ads_crc32c(0, ads_base_url(base, ad).ptr,
                             ads_base_url(base, ad).len);
            (void)ads_crc32c(0, ads_base_categories(base, ad).ptr,
                             ads_base_categories(base, ad).len);
            fuzz_must(ads_tables_class(tables, i)
                          < ads_tables_n_classes(tables),
                      "a class is one of those that there are");
            (void)ads_base_find(base, &ad->id, &row);
            (void)ads_base_find_retired(base, &ad->id);
            (void)ads_head_campaign_of(head, ad->campaign);
        }
        if (ads_head_campaign(head, i) != NULL) {
            (void)ads_head_place_allowed(head, ads_head_campaign(head, i),
                                         &place);
            (void)ads_head_placement_allowed(head, ads_head_campaign(head, i),
                                             &placement);
        }
        if (ads_head_account(head, i) != NULL) {
            struct ads_str name =
                ads_head_account_name(head, ads_head_account(head, i));

            (void)ads_crc32c(0, name.ptr, name.len);
        }
        (void)ads_head_publisher(head, i);
    }
    find_all(tables);
    (void)ads_tables_n_ads(tables);
    ad = ads_base_find(base, &t.ads[0].id, &row);
    fuzz_must(ad == NULL || ad == ads_base_ad(base, row),
              "an ad that is found is its row");
    for (uint8_t i = 0; i < T_KEYS; i++) {
        hash[2] = (uint8_t)(3 + i);
        key = ads_head_find_key(head, hash);
        if (key != NULL) {
            (void)ads_head_key_allowed(head, key, ip, 4);
            (void)ads_head_key_allowed(head, key, ip, 16);
        }
    }
}


static void
decide(const struct ads_tables *tables, void *scratch, struct ads_str query)
{
    static struct ads_decision decision;
    struct ads_ask ask = {
        .query = query,
        .placement = ads_placement_make(ADS_STR("inline")),
        .max = ADS_DECIDE_MAX,
        .now_ms = 1,
    };

    ads_decide(&decision, tables, &t.live, &ask, &t.text, scratch);
    fuzz_must(decision.n <= ADS_DECIDE_MAX
                  && (decision.reason == ADS_REASON_NONE) == (decision.n > 0)
                  && ads_reason_name(decision.reason) != NULL,
              "ads are shown, or there is a reason");
    for (uint32_t i = 0; i < decision.n; i++) {
        const struct ads_pick *pick = &decision.picks[i];
        const struct ads_base *from;

        fuzz_must(pick->ad == ads_tables_ad(tables, pick->doc, &from)
                      && pick->from == from,
                  "an ad of base or head");
        fuzz_must(
            pick->campaign
                == ads_head_campaign_of(&tables->head, pick->ad->campaign),
            "in its campaign");
        fuzz_must(pick->price_micros >= 0, "at no negative price");
        fuzz_must(decision.words_len[i] <= ADS_TOKEN_WORDS_MAX,
                  "words that fit a link");
    }
}


static void
use(const struct file *base, const struct file *head, struct ads_str last)
{
    struct ads_tables tables;
    struct ads_head opened;
    char *query;
    void *scratch;

    if (ads_head_open(&opened, head->bytes, head->len) != ADS_OK
        || ads_tables_open(&tables, base->bytes, base->len, &opened) != ADS_OK)
    {
        return;
    }
    look_up(&tables);
    scratch =
        aligned_alloc(64, (ads_decide_scratch_len(&tables) + 63) & ~(size_t)63);
    for (size_t i = 0; i < N_QUERIES; i++) {
        decide(&tables, scratch,
               (struct ads_str){queries[i], strlen(queries[i])});
    }
    query = fuzz_copy(last.ptr, last.len);
    decide(&tables, scratch, (struct ads_str){query, last.len});
    free(query);
    free(scratch);
}


/* A copy to be changed, nothing behind its last byte. */
static struct file
file_copy(const struct snap_image *image)
{
    struct file file = {NULL, image->len};

    fuzz_must(posix_memalign((void **)&file.bytes, 64, image->len) == 0,
              "there is memory");
    memcpy(file.bytes, image->bytes, image->len);
    return file;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct file base, head;
    uint8_t n = fuzz_u8(&bytes, &len) % (CHANGES_MAX + 1);
    uint32_t checksum;

    if (t.base.bytes == NULL) {
        fuzz_tables_build(&t);
    }
    base = file_copy(&t.base);
    head = file_copy(&t.head);
    for (uint8_t i = 0; i < n && len >= 12; i++) {
        uint8_t in_head = fuzz_u8(&bytes, &len) & 1;
        uint8_t kind = fuzz_u8(&bytes, &len) % CHANGE_KINDS;
        uint8_t section = fuzz_u8(&bytes, &len);
        uint32_t place, value;

        (void)fuzz_u8(&bytes, &len);
        place = fuzz_u32(&bytes, &len);
        value = fuzz_u32(&bytes, &len);
        change(in_head ? &head : &base, kind, section, place, value);
    }
    sign(&base);
    memcpy(&checksum, base.bytes + HEADER_CRC_AT, 4);
    memcpy(head.bytes + 48, base.bytes + 24, 8);
    memcpy(head.bytes + 56, &checksum, 4);
    sign(&head);

    use(&base, &head, (struct ads_str){(const char *)bytes, len});
    free(base.bytes);
    free(head.bytes);
    return 0;
}
