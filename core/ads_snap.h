/*
 * The ad tables: two immutable files that adsd writes and every worker maps
 * read-only.
 *
 * `base-<16 hex id>` holds products: the ads, their ready-made JSON and URLs,
 * the inverted index, the intent model, the guard's phrases, and the ads
 * retired within 30 days.
 * `head` holds all that changes often: campaigns, accounts, publishers, keys,
 * and the ads that changed since the base was made: those that are served in
 * sections like the base's, of the same kinds, those that are not among its
 * retired ones, and in a bitmap which ads of the base they replace.  It names
 * its base by id and checksum, so that the two are always read as a pair.
 * Everything is an offset from the start of the file or section; nothing
 * points.  Numbers are little-endian.
 *
 * File header, 128 bytes:
 *
 *      0  4  "ADSB" (base) or "ADSH" (head)
 *      4  4  layout: ADS_SNAP_LAYOUT.  Readers accept this one and the one
 *            before it.  In layout 1 heads have no ads, and the look-up
 *            table hashes the second half of an id alone
 *      8  4  byte order mark 0x01020304
 *     12  4  number of sections
 *     16  8  length of the file
 *     24  8  id: of a base random, of a head its generation
 *     32  8  made at, realtime us
 *     40  8  change: the last management change it includes
 *     48  8  head only: id of its base
 *     56  4  head only: header checksum of its base
 *     60  4  CRC-32C of this header with this field 0, then of the section
 *            table
 *     64  8  node id that made it
 *     72  4  head only: the relevance floor, of 65536; 0: the usual one
 *     76 52  zero
 *
 * Section table, 32 bytes a section, then the sections, each 8-byte aligned:
 *
 *      0  4  kind (ads_snap_kind)
 *      4  4  CRC-32C of the section
 *      8  8  offset
 *     16  8  length
 *     24  4  rows
 *     28  4  bytes a row (0: not rows)
 *
 * Rows are the structs below, byte for byte (asserted there).  A section of a
 * kind not known is ignored: that is how the layout grows.
 *
 * What is checked when: adsd re-reads a new file and checks every checksum
 * before it is renamed into place.  A worker checks header, section table and
 * the whole head at load; of a base the header and section bounds; then every
 * offset again at each use, through the functions here, which answer NULL or
 * an empty text for an offset that leads outside.
 */
#ifndef ADS_SNAP_H
#define ADS_SNAP_H

#include "ads_bytes.h"
#include "ads_err.h"
#include "ads_id.h"
#include "ads_ip.h"
#include "ads_key.h"
#include "ads_place.h"
#include "ads_placement.h"

#define ADS_SNAP_LAYOUT 2
#define ADS_SNAP_LAYOUT_BEFORE 1
#define ADS_SNAP_BOM 0x01020304u
#define ADS_SNAP_HEADER_LEN 128
#define ADS_SNAP_SECTION_LEN 32
#define ADS_SNAP_SECTIONS_MAX 64
#define ADS_SNAP_NONE UINT32_MAX

enum ads_snap_kind {
    ADS_SNAP_BASE_ADS = 1,       /* struct ads_snap_ad, in index order */
    ADS_SNAP_BASE_LOOKUP = 2,    /* u32: row + 1, open addressing by ad id */
    ADS_SNAP_BASE_TEXT = 3,      /* JSON fragments and URLs */
    ADS_SNAP_BASE_CAMPAIGNS = 4, /* struct ads_uuid: campaigns ads name */
    ADS_SNAP_BASE_INDEX = 5,     /* core/ads_index.h */
    ADS_SNAP_BASE_INTENT = 6,    /* core/ads_intent.h */
    ADS_SNAP_BASE_RETIRED = 7,   /* struct ads_snap_retired, by ad id */
    /* Read when a base and a head are merged; workers do not read them. */
    ADS_SNAP_BASE_PRODUCTS = 8, /* struct ads_uuid by product number, rising */
    ADS_SNAP_BASE_TOKENS = 9,   /* core/ads_doc_words.h */
    /* Without it a base is refused by readers that know of it; those that do
     * not have phrases of their own. */
    ADS_SNAP_BASE_GUARD = 10, /* core/ads_guard.h */
    /* Readers that do not know of these compare words alone, as do those that
     * read a base without them. */
    ADS_SNAP_BASE_GOODS = 11,  /* core/ads_goods.h */
    ADS_SNAP_BASE_OFFERS = 12, /* struct ads_snap_offer, row by row of ADS */
    /* u16: how many classes of ads there are, then the class of each row of
     * ADS, from 1 on; 0: of none.  Ads of a class, two at least, are of one
     * campaign and have the same currency, language and categories: what holds
     * of these for one holds for all.  Without it each is checked by itself. */
    ADS_SNAP_BASE_CLASSES = 13,
    /* A head has these kinds too, of the ads that changed.  Its campaigns and
     * products are those that its base has not, numbered behind them. */
    ADS_SNAP_HEAD_CAMPAIGNS = 32,
    ADS_SNAP_HEAD_MAP = 33, /* u32 per campaign that ads of base and head
                               name: row here, or NONE */
    ADS_SNAP_HEAD_ACCOUNTS = 34,
    ADS_SNAP_HEAD_PUBLISHERS = 35,
    ADS_SNAP_HEAD_KEYS = 36,       /* by hash */
    ADS_SNAP_HEAD_PLACES = 37,     /* struct ads_snap_place */
    ADS_SNAP_HEAD_PLACEMENTS = 38, /* struct ads_placement, 25 bytes */
    ADS_SNAP_HEAD_TEXT = 39,
    /* Keys for some addresses only, by hash.  Apart from the others, so that a
     * reader that does not know of ranges does not know these keys either. */
    ADS_SNAP_HEAD_BOUND_KEYS = 40,
    ADS_SNAP_HEAD_RANGES = 41,     /* struct ads_ip_range, 18 bytes */
    ADS_SNAP_HEAD_TARGETS = 42,    /* struct ads_snap_target */
    ADS_SNAP_HEAD_TARGET_IDS = 43, /* struct ads_uuid */
    ADS_SNAP_HEAD_KEYWORDS = 44,   /* struct ads_snap_keyword */
    ADS_SNAP_HEAD_DEAD = 45,      /* a bit per ad of the base: served no more */
    ADS_SNAP_HEAD_SHARED = 46,    /* u32 per term here: the base's, or NONE */
    ADS_SNAP_HEAD_LINKS = 47,     /* struct ads_index_link, by base term */
    ADS_SNAP_HEAD_CATEGORIES = 48 /* u32: hashes of categories */
};

/* One (campaign, product) pair.  At text_off: json_len bytes of JSON members
 * from "ad_id" on, without braces, then url_len bytes of URL, then category_len
 * bytes: the product's categories in lower case, each followed by a newline. */
struct ads_snap_ad {
    struct ads_uuid id;
    uint64_t text_off;
    uint32_t json_len;
    uint32_t campaign; /* row of ADS_SNAP_BASE_CAMPAIGNS; in a head behind
                          those of its base: row of ADS_SNAP_HEAD_MAP */
    uint32_t product;  /* same number = same product */
    uint16_t url_len;
    char currency[3];
    uint8_t zero;
    uint16_t category_len;
    char language[3]; /* lower case, zero padded; zeros: not known */
    uint8_t zeros;
};

/* What an ad offers, beside what it says of itself. */
struct ads_snap_offer {
    int64_t price_micros; /* in the currency of the ad */
    uint32_t kind;        /* of ADS_SNAP_BASE_GOODS; ADS_SNAP_NONE: not known */
    uint32_t group;       /* same number = variants of one product, if they are
                             of one account; 0: of none */
    uint8_t sure;         /* how sure the kind is, 255 is most */
    uint8_t zero[7];
};

struct ads_snap_retired {
    struct ads_uuid id;
    struct ads_uuid campaign;
    uint64_t text_off;
    uint16_t url_len;
    uint8_t zero[6];
};

/* Aimed: active, under the conditions of its target.  A reader that does not
 * know of targets takes it for not active, so that nothing is shown where it
 * must not be. */
enum ads_snap_status {
    ADS_SNAP_PAUSED = 0,
    ADS_SNAP_ACTIVE = 1,
    ADS_SNAP_AIMED = 2
};

struct ads_snap_campaign {
    struct ads_uuid id;
    uint64_t tag;       /* of its slot in `live`: see ads_live.h */
    int64_t bid_micros; /* per click (cpc) or per 1,000 impressions (cpm) */
    int64_t start_ms;   /* 0: no bound */
    int64_t end_ms;     /* 0: no bound; exclusive */
    uint32_t slot;      /* in `live` */
    uint32_t account;   /* row of ADS_SNAP_HEAD_ACCOUNTS */
    uint32_t version;   /* sealed into links */
    uint32_t places;    /* first row of ADS_SNAP_HEAD_PLACES */
    uint16_t n_places;  /* 0: everywhere */
    uint16_t n_not_places;
    uint32_t placements;   /* first row of ADS_SNAP_HEAD_PLACEMENTS */
    uint16_t n_placements; /* 0: all */
    uint8_t status;
    uint8_t cpm;
    uint32_t target; /* row of ADS_SNAP_HEAD_TARGETS, plus 1; 0: none */
    uint8_t zero[16];
};

/* Further conditions of a campaign; core/ads_target.h says what they mean. */
struct ads_snap_target {
    uint32_t publishers;      /* first row of ADS_SNAP_HEAD_TARGET_IDS */
    uint32_t keywords;        /* first row of ADS_SNAP_HEAD_KEYWORDS */
    uint16_t n_publishers;    /* 0: all */
    uint16_t n_keywords;      /* 0: any words */
    uint16_t n_not_keywords;  /* behind the others */
    uint16_t frequency_count; /* times a session is shown it; 0: no cap */
    uint32_t frequency_s;     /* within so many seconds */
    uint32_t languages_off;   /* ADS_SNAP_HEAD_TEXT: lower case, each with a
                                 newline behind; as are categories */
    uint32_t categories_off;
    uint32_t categories_len; /* 0: all */
    uint16_t languages_len;  /* 0: all */
    uint16_t n_categories;   /* 0: they are not in ADS_SNAP_HEAD_CATEGORIES */
    uint32_t categories;     /* first row there; the hashes are ascending */
};

#define ADS_SNAP_KEYWORD_WORDS 8

/* Hashes of its words, zero padded. */
struct ads_snap_keyword {
    uint32_t words[ADS_SNAP_KEYWORD_WORDS];
};

struct ads_snap_account {
    struct ads_uuid id;
    uint32_t name_off; /* ADS_SNAP_HEAD_TEXT, JSON-escaped, no quotes */
    uint16_t name_len;
    uint8_t active;
    uint8_t zero[9];
};

struct ads_snap_publisher {
    struct ads_uuid id;
    uint8_t active;
    uint8_t zero[3];
    uint32_t blocks;      /* row of ADS_SNAP_HEAD_TARGETS, plus 1; 0: none.  Its
                        publishers are advertisers, and they and its categories
                        are what is never shown here */
    int64_t floor_micros; /* no bid below is */
};

struct ads_snap_key {
    uint8_t hash[ADS_KEY_HASH_LEN];
    int64_t expires_ms; /* 0: never */
    uint32_t owner;     /* row of PUBLISHERS for type 'p', else of ACCOUNTS */
    char type;          /* enum ads_key_type */
    uint8_t test;
    uint8_t explain;
    uint8_t n_ranges; /* 0: from everywhere; only of ADS_SNAP_HEAD_KEYS */
    uint32_t ranges;  /* first row of ADS_SNAP_HEAD_RANGES */
    uint8_t zero[12];
};

struct ads_snap_place {
    struct ads_place place;
    uint8_t zero[3];
};

struct ads_snap_section {
    const uint8_t *bytes;
    uint64_t len;
    uint32_t rows;
};

struct ads_base {
    uint64_t id;
    uint64_t made_us;
    uint64_t change;
    uint32_t checksum;
    uint32_t layout;
    uint32_t n_classes; /* as it was opened: whatever becomes of the file */
    struct ads_snap_section ads;
    struct ads_snap_section lookup;
    struct ads_snap_section text;
    struct ads_snap_section campaigns;
    struct ads_snap_section index;
    struct ads_snap_section intent;
    struct ads_snap_section guard;
    struct ads_snap_section goods;
    struct ads_snap_section offers;
    struct ads_snap_section classes;
    struct ads_snap_section retired;
    struct ads_snap_section products;
    struct ads_snap_section tokens;
};

struct ads_head {
    uint64_t generation;
    uint64_t made_us;
    uint64_t change;
    uint64_t base_id;
    uint32_t base_checksum;
    uint32_t floor; /* probability of a good answer, ADS_FIT_UNIT; 0: usual */
    struct ads_snap_section campaigns;
    struct ads_snap_section map;
    struct ads_snap_section accounts;
    struct ads_snap_section publishers;
    struct ads_snap_section keys;
    struct ads_snap_section places;
    struct ads_snap_section placements;
    struct ads_snap_section text;
    struct ads_snap_section bound_keys;
    struct ads_snap_section ranges;
    struct ads_snap_section targets;
    struct ads_snap_section target_ids;
    struct ads_snap_section keywords;
    struct ads_snap_section categories;
    struct ads_snap_section dead;
    struct ads_snap_section shared;
    struct ads_snap_section links;
    struct ads_base more; /* the ads that changed: its sections alone */
};

/* Both borrow `bytes`, which must be 8-byte aligned and outlive them. */
ADS_MUST enum ads_err
ads_base_open(struct ads_base *base, const void *bytes, uint64_t len);
ADS_MUST enum ads_err
ads_head_open(struct ads_head *head, const void *bytes, uint64_t len);

/* The id that an opened file has in its header now: another one than it was
 * opened with tells that somebody writes over it in place. */
uint64_t
ads_snap_id(const void *bytes);

/* Checks every section's checksum of either file: seconds for a big one. */
ADS_MUST enum ads_err
ads_snap_verify(const void *bytes, uint64_t len);

/* ADS_OK when this head was made for this base. */
ADS_MUST enum ads_err
ads_snap_pair(const struct ads_head *head, const struct ads_base *base);

/* Row i of the section, or NULL: all borrowed from the file. */
const struct ads_snap_ad *
ads_base_ad(const struct ads_base *base, uint32_t row);
const struct ads_snap_campaign *
ads_head_campaign(const struct ads_head *head, uint32_t row);
const struct ads_snap_account *
ads_head_account(const struct ads_head *head, uint32_t row);
const struct ads_snap_publisher *
ads_head_publisher(const struct ads_head *head, uint32_t row);

/* What the publisher of that id never shows; NULL: it shows all.  *floor_micros
 * rises to its floor. */
const struct ads_snap_target *
ads_head_blocks(const struct ads_head *head, const struct ads_uuid *id,
                int64_t *floor_micros);

/* The row of the campaign that an ad's campaign i is today; NULL: archived. */
const struct ads_snap_campaign *
ads_head_campaign_of(const struct ads_head *head, uint32_t base_campaign);

/* May it be sold, as far as its status goes? */
static inline bool
ads_snap_is_active(const struct ads_snap_campaign *campaign)
{
    return campaign->status == ADS_SNAP_ACTIVE
           || campaign->status == ADS_SNAP_AIMED;
}

/* The campaign's further conditions; NULL: none. */
const struct ads_snap_target *
ads_head_target(const struct ads_head *head,
                const struct ads_snap_campaign *campaign);
const struct ads_uuid *
ads_head_target_id(const struct ads_head *head, uint32_t row);
const struct ads_snap_keyword *
ads_head_keyword(const struct ads_head *head, uint32_t row);

/* The ad of that id; NULL when unknown.  *row is its number when not NULL. */
const struct ads_snap_ad *
ads_base_find(const struct ads_base *base, const struct ads_uuid *id,
              uint32_t *row);

const struct ads_snap_retired *
ads_base_find_retired(const struct ads_base *base, const struct ads_uuid *id);

/* The key of that hash; NULL: unknown.  A caller that lets a key in asks
 * ads_head_key_allowed() too. */
const struct ads_snap_key *
ads_head_find_key(const struct ads_head *head, const uint8_t *hash);

/* May the key be used from this address?  len is 4 or 16, an IPv4 address has
 * 4; 0: no address at all, which is in no range. */
bool
ads_head_key_allowed(const struct ads_head *head,
                     const struct ads_snap_key *key, const uint8_t *ip,
                     size_t len);

/* The class of the ad of that row, at most base->n_classes; 0: it has none. */
uint32_t
ads_base_class(const struct ads_base *base, uint32_t row);

/* What the ad of that row offers; NULL: the base does not say. */
const struct ads_snap_offer *
ads_base_offer(const struct ads_base *base, uint32_t row);

/* Ready-made text; empty when its offset leads outside. */
struct ads_str
ads_base_json(const struct ads_base *base, const struct ads_snap_ad *ad);
struct ads_str
ads_base_url(const struct ads_base *base, const struct ads_snap_ad *ad);
/* The product's categories, lower case, each followed by a newline. */
struct ads_str
ads_base_categories(const struct ads_base *base, const struct ads_snap_ad *ad);
struct ads_str
ads_base_retired_url(const struct ads_base *base,
                     const struct ads_snap_retired *retired);
struct ads_str
ads_head_account_name(const struct ads_head *head,
                      const struct ads_snap_account *account);

struct ads_str
ads_head_languages(const struct ads_head *head,
                   const struct ads_snap_target *target);
struct ads_str
ads_head_categories(const struct ads_head *head,
                    const struct ads_snap_target *target);

/* The hashes of its categories, ascending, *n of them; none when the head has
 * none, or they lead outside. */
const uint32_t *
ads_head_category_hashes(const struct ads_head *head,
                         const struct ads_snap_target *target, uint32_t *n);

/* Does the campaign's targeting allow this place (zeros: unknown) and
 * placement? */
bool
ads_head_place_allowed(const struct ads_head *head,
                       const struct ads_snap_campaign *campaign,
                       const struct ads_place *place);
bool
ads_head_placement_allowed(const struct ads_head *head,
                           const struct ads_snap_campaign *campaign,
                           const struct ads_placement *placement);

/*
 * The encoder.  Give it sections in any order; ads_snap_measure says how long
 * the file will be, ads_snap_write fills `dst` (8-byte aligned, that long) and
 * computes every checksum.
 */
struct ads_snap_part {
    uint32_t kind;
    const void *bytes;
    uint64_t len;
    uint32_t rows;
    uint32_t row_len;
};

/* A section of n rows that are all alike. */
#define ADS_SNAP_ROWS(kind, rows, n)                                \
    {                                                               \
        (kind), (rows), (n) * sizeof(*(rows)), (n), sizeof(*(rows)) \
    }

struct ads_snap_file {
    bool head; /* else a base */
    uint64_t id;
    uint64_t made_us;
    uint64_t change;
    uint64_t base_id;
    uint32_t base_checksum;
    uint64_t node;
    uint32_t floor; /* of a head */
    uint32_t n_parts;
    const struct ads_snap_part *parts;
};

uint64_t
ads_snap_measure(const struct ads_snap_file *file);
void
ads_snap_write(uint8_t *dst, const struct ads_snap_file *file);

/* Fills the look-up table of a base: `n_slots` is a power of two, at least
 * twice n. */
void
ads_snap_lookup_write(uint32_t *slots, uint32_t n_slots,
                      const struct ads_snap_ad *ads, uint32_t n);

#endif
