/*
 * Compiler of the two files of the ad tables (core/ads_snap.h) from rows.
 * Pure: rows in, bytes out, the same rows give the same bytes; no database, no
 * clock.
 *
 * The base is compiled from ads and retired ads; the head from campaigns,
 * accounts, publishers and keys, and from the ads that changed since its base.
 * An ad is a row of PostgreSQL, or is carried over from earlier tables with its
 * text and its words; either way it becomes the same bytes.
 */
#ifndef ADSD_SNAP_BUILD_H
#define ADSD_SNAP_BUILD_H

#include "ads_index.h"
#include "ads_snap.h"
#include "ads_doc_words.h"
#include "base/pool.h"
#include "tables/snap_target.h"

#define SNAP_TITLE_CHARS 150       /* a longer one is cut at a word */
#define SNAP_DESCRIPTION_CHARS 200 /* likewise */

/* Ads to carry over from, of a base or of a head. */
struct snap_source {
    struct ads_base base;
    struct ads_index index;
    struct ads_doc_words tokens;
    const uint32_t *shared; /* of a head: its terms' numbers in its base, or
                               ADS_INDEX_NONE */
};

/*
 * Carried over (source is not 0): title, description, brand, image and price
 * are not read, but what row `doc` of that source has ready-made.
 */
struct snap_ad_row {
    struct ads_uuid id;
    struct ads_uuid campaign;
    struct ads_uuid product;
    struct ads_str title;
    struct ads_str description;
    struct ads_str further; /* indexed instead of it, with the keywords; or
                               ptr NULL: it has none */
    struct ads_str brand;
    struct ads_str group;      /* that its variants share; len 0: none said */
    struct ads_str categories; /* each followed by a newline */
    struct ads_str url;
    struct ads_str image_url;
    int64_t price_micros;
    char currency[3];
    char language[3]; /* lower case, zero padded; zeros: not known */
    uint32_t source;  /* 0, or of sources[source - 1] */
    uint32_t doc;
};

struct snap_retired_row {
    struct ads_uuid id;
    struct ads_uuid campaign;
    struct ads_str url;
};

struct snap_base_rows {
    const struct snap_ad_row *ads;
    uint32_t n_ads;
    const struct snap_retired_row *retired;
    uint32_t n_retired;
    const struct snap_source *sources;
    uint32_t n_sources;
    struct ads_str intent_model; /* of a base, as is the guard */
    struct ads_str guard;
    struct ads_str goods; /* likewise; what ads carried over were taken for
                             stands, so then it is that of their base */
};

struct snap_campaign_row {
    struct ads_uuid id;
    struct ads_uuid account;
    int64_t bid_micros;
    int64_t start_ms;
    int64_t end_ms;
    uint32_t version;
    bool active;
    bool cpm;
    uint32_t slot;
    uint64_t tag;
    const struct ads_snap_place *places;
    uint16_t n_places;
    const struct ads_snap_place *not_places;
    uint16_t n_not_places;
    const struct ads_placement *placements;
    uint16_t n_placements;
    struct snap_target_row target;
    bool carried; /* from a head: its keywords are sorted */
};

struct snap_account_row {
    struct ads_uuid id;
    struct ads_str name;
    bool publisher; /* else an advertiser or a platform */
    bool active;
    int64_t floor_micros; /* of a publisher, as are these: never shown there */
    const struct ads_uuid *blocked;
    uint16_t n_blocked;
    struct ads_str blocked_categories; /* lower case, a newline behind each */
};

struct snap_key_row {
    uint8_t hash[ADS_KEY_HASH_LEN];
    struct ads_uuid account;
    int64_t expires_ms;
    char type;
    bool test;
    bool explain;
    const struct ads_ip_range *ranges;
    uint8_t n_ranges; /* 0: from everywhere */
};

struct snap_head_rows {
    const struct snap_campaign_row *campaigns;
    uint32_t n_campaigns;
    const struct snap_account_row *accounts;
    uint32_t n_accounts;
    const struct snap_key_row *keys;
    uint32_t n_keys;
    /* since the base: ads and retired ones; or, when their rows are still
     * right, the head before, of the same base */
    struct snap_base_rows changed;
    const struct ads_head *before;
};

/* What a file says of itself. */
struct snap_stamp {
    uint64_t id; /* of a base random, of a head its generation */
    uint64_t made_us;
    uint64_t change;
    uint64_t node;
    uint32_t floor; /* of a head: the relevance floor, ADS_FIT_UNIT */
};

/* A finished file; free(bytes). */
struct snap_image {
    uint8_t *bytes;
    uint64_t len;
};

/*
 * Compiles a base.  Ads whose URL no visitor may be sent to are left out:
 * *n_refused says how many.
 */
void
snap_base_build(struct snap_image *image, uint32_t *n_refused,
                const struct snap_base_rows *rows,
                const struct snap_stamp *stamp);

/*
 * Opens what can be carried over from a base, or from `more` of a head.
 * ADS_UNSUPPORTED, ADS_DAMAGED; then nothing can, nor can a head have ads
 * beside it.
 */
ADS_MUST enum ads_err
snap_source_open(struct snap_source *source, const struct ads_base *base);

/*
 * Do two bases hold the same ads, to the byte?  Retired ads, which expire, the
 * intent model and the guard are not compared.
 */
bool
snap_base_same(const struct ads_base *a, const struct ads_base *b);

/* Compiles the head that belongs to a base. */
void
snap_head_build(struct snap_image *image, const struct snap_head_rows *rows,
                const struct snap_source *base, const struct snap_stamp *stamp);

#endif
