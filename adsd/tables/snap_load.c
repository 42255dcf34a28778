/*
 * Reads from PostgreSQL the rows behind the ad tables.
 */
#include "tables/snap_load.h"

#include <stdlib.h>

#include "tables/snap_carry.h"

static const struct db_stmt STMT_STATE = {
    .name = "snap_state",
    .sql = "select c.n, now(),"
           "    exists (select from ads.products p"
           "        where p.sale_price_micros is not null"
           "        and p.price_valid_until > $1"
           "        and p.price_valid_until <= now()) "
           "from ads.change c",
    .n_params = 1,
};

enum state_column { STATE_CHANGE, STATE_AS_OF, STATE_SALE_ENDED };

/* Each arm has an index.  Which of these ads are served, and how, is read by
 * their ids: so that PostgreSQL never walks all ads for the sake of few. */
static const struct db_stmt STMT_CHANGED = {
    .name = "snap_changed",
    .sql = "select c.id, max(c.n) from ("
           "select d.id, d.changed_n as n from ads.ads d "
           "where d.changed_n > $1 "
           "union all "
           "select d.id, p.changed_n from ads.products p "
           "join ads.ads d on d.account_id = p.account_id"
           "    and d.product_id = p.id "
           "where p.changed_n > $1 "
           "union all "
           "select d.id, 0 from ads.products p "
           "join ads.ads d on d.account_id = p.account_id"
           "    and d.product_id = p.id "
           "where p.sale_price_micros is not null"
           "    and p.price_valid_until > $2 and p.price_valid_until <= now()"
           ") c group by c.id",
    .n_params = 2,
};

enum change_column { CHANGE_ID, CHANGE_N };

#define AD_COLUMNS                                                    \
    "select a.ad_id, a.campaign_id, a.product_id, a.title,"           \
    "    a.description, a.brand,"                                     \
    "    lower(array_to_string(a.category, E'\\n')), a.url,"          \
    "    a.image_url, case when a.price_valid_until <= now()"         \
    "        then a.price_micros"                                     \
    "        else coalesce(a.sale_price_micros, a.price_micros) end," \
    "    a.currency::text, array_to_string(a.keywords, E'\\n'),"      \
    "    lower(split_part(a.language, '-', 1)),"                      \
    "    a.attributes ->> 'item_group_id' "                           \
    "from ads.publish_ads a "

static const struct db_stmt STMT_ADS = {
    .name = "snap_ads",
    .sql = AD_COLUMNS "where a.state = 'live'",
    .n_params = 0,
};

static const struct db_stmt STMT_ADS_OF = {
    .name = "snap_ads_of",
    .sql = AD_COLUMNS "where a.ad_id = any($1) and a.state = 'live'",
    .n_params = 1,
};

enum ad_column {
    AD_ID,
    AD_CAMPAIGN,
    AD_PRODUCT,
    AD_TITLE,
    AD_DESCRIPTION,
    AD_BRAND,
    AD_CATEGORIES,
    AD_URL,
    AD_IMAGE_URL,
    AD_PRICE,
    AD_CURRENCY,
    AD_KEYWORDS,
    AD_LANGUAGE,
    AD_GROUP
};

/* Held back or retired: not shown, but links that are out still work. */
#define RETIRED_COLUMNS \
    "select a.ad_id, a.campaign_id, a.url from ads.publish_ads a "

static const struct db_stmt STMT_RETIRED = {
    .name = "snap_retired",
    .sql = RETIRED_COLUMNS "where a.state <> 'live'",
    .n_params = 0,
};

static const struct db_stmt STMT_RETIRED_OF = {
    .name = "snap_retired_of",
    .sql = RETIRED_COLUMNS "where a.ad_id = any($1) and a.state <> 'live'",
    .n_params = 1,
};

enum retired_column { RETIRED_ID, RETIRED_CAMPAIGN, RETIRED_URL };

#define CAMPAIGN_COLUMNS                                            \
    "select c.campaign_id, c.account_id, c.bid_micros, c.start_at," \
    "    c.end_at, c.version, c.live, c.pricing = 'cpm',"           \
    "    array(select jsonb_array_elements_text("                   \
    "        c.targeting -> 'locations')),"                         \
    "    array(select jsonb_array_elements_text("                   \
    "        c.targeting -> 'not_locations')),"                     \
    "    array(select jsonb_array_elements_text("                   \
    "        c.targeting -> 'placements'))," SNAP_TARGET_COLUMNS    \
    " from ads.publish_campaigns c "

static const struct db_stmt STMT_CAMPAIGNS = {
    .name = "snap_campaigns",
    .sql = CAMPAIGN_COLUMNS "where c.archived_at is null "
                            "order by c.campaign_id",
    .n_params = 0,
};

/* Of some that may be archived by now. */
static const struct db_stmt STMT_CAMPAIGNS_OF = {
    .name = "snap_campaigns_of",
    .sql = CAMPAIGN_COLUMNS "where c.campaign_id = any($1)"
                            "    and c.archived_at is null "
                            "order by c.campaign_id",
    .n_params = 1,
};

/* Whatever a row of a campaign says comes from it and from its account. */
static const struct db_stmt STMT_CAMPAIGNS_CHANGED = {
    .name = "snap_campaigns_changed",
    .sql = "select c.id from ads.campaigns c where c.changed_n > $1 "
           "union "
           "select c.id from ads.accounts a "
           "join ads.campaigns c on c.account_id = a.id "
           "where a.changed_n > $1",
    .n_params = 1,
};

enum campaign_column {
    CAMPAIGN_ID,
    CAMPAIGN_ACCOUNT,
    CAMPAIGN_BID,
    CAMPAIGN_START,
    CAMPAIGN_END,
    CAMPAIGN_VERSION,
    CAMPAIGN_ACTIVE,
    CAMPAIGN_CPM,
    CAMPAIGN_PLACES,
    CAMPAIGN_NOT_PLACES,
    CAMPAIGN_PLACEMENTS,
    CAMPAIGN_TARGET /* the first of SNAP_TARGET_COLUMNS */
};

static const struct db_stmt STMT_ACCOUNTS = {
    .name = "snap_accounts",
    .sql = "select a.id, a.name, a.type = 'publisher', a.status = 'active',"
           "    coalesce(s.floor_micros, 0), s.blocked_advertisers,"
           "    array(select lower(x) from unnest(s.blocked_categories) x) "
           "from ads.accounts a "
           "left join ads.publisher_settings s on s.account_id = a.id "
           "order by a.id",
    .n_params = 0,
};

enum account_column {
    ACCOUNT_ID,
    ACCOUNT_NAME,
    ACCOUNT_PUBLISHER,
    ACCOUNT_ACTIVE,
    ACCOUNT_FLOOR,
    ACCOUNT_BLOCKED,
    ACCOUNT_BLOCKED_CATEGORIES
};

static const struct db_stmt STMT_KEYS = {
    .name = "snap_keys",
    .sql = "select k.hash, k.account_id, k.expires_at, k.type::text,"
           "    k.mode = 'test', k.explain, k.cidrs::text[] "
           "from ads.publish_keys k "
           "where k.live and (k.expires_at is null or k.expires_at > now()) "
           "order by k.hash",
    .n_params = 0,
};

enum key_column {
    KEY_HASH,
    KEY_ACCOUNT,
    KEY_EXPIRES,
    KEY_TYPE,
    KEY_TEST,
    KEY_EXPLAIN,
    KEY_RANGES
};

/* Rows of one kind while they arrive: a growing array in the pool. */
struct gather {
    struct pool *pool;
    uint8_t *rows;
    uint32_t n;
    uint32_t room;
    size_t row_len;
    struct ads_text text; /* of campaigns: reads their keywords */
};


/* A zeroed next row. */
static void *
gather_next(struct gather *gather)
{
    if (gather->n == gather->room) {
        uint32_t room = gather->room == 0 ? 256 : 2 * gather->room;
        uint8_t *rows = pool_array(gather->pool, room, gather->row_len);

        if (gather->n > 0) {
            memcpy(rows, gather->rows, gather->n * gather->row_len);
        }
        gather->rows = rows;
        gather->room = room;
    }
    return gather->rows + gather->n++ * gather->row_len;
}


static enum ads_err
gather_run(struct gather *gather, struct db_tx *tx, const struct db_stmt *stmt,
           enum ads_err (*each)(void *arg, const struct db_rows *rows))
{
    struct db_args args;

    db_args_init(&args, gather->pool);
    return db_run_each(tx, stmt, &args, each, gather);
}


static struct ads_str
keep(const struct gather *gather, struct ads_str text)
{
    return (struct ads_str){pool_text(gather->pool, text), text.len};
}


enum ads_err
snap_load_state(struct snap_state *state, struct db_tx *tx, struct pool *pool,
                int64_t since_us)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, pool);
    db_arg_time(&args, since_us);
    err = db_run(tx, &STMT_STATE, &args, &rows);
    if (err == ADS_OK) {
        state->change = (uint64_t)db_int(rows, 0, STATE_CHANGE);
        state->as_of_us = db_time(rows, 0, STATE_AS_OF);
        state->sale_ended = db_bool(rows, 0, STATE_SALE_ENDED);
    }
    return err;
}


static enum ads_err
ad_each(void *arg, const struct db_rows *rows)
{
    struct gather *gather = arg;
    struct snap_ad_row *ad = gather_next(gather);
    struct ads_str categories = db_text(rows, 0, AD_CATEGORIES);
    struct ads_str currency = db_text(rows, 0, AD_CURRENCY);
    struct ads_str keywords = db_text(rows, 0, AD_KEYWORDS);
    struct ads_str language = db_text(rows, 0, AD_LANGUAGE);

    ad->id = db_uuid(rows, 0, AD_ID);
    ad->campaign = db_uuid(rows, 0, AD_CAMPAIGN);
    ad->product = db_uuid(rows, 0, AD_PRODUCT);
    ad->title = keep(gather, db_text(rows, 0, AD_TITLE));
    ad->description = keep(gather, db_text(rows, 0, AD_DESCRIPTION));
    ad->group = keep(gather, db_text(rows, 0, AD_GROUP));
    ad->brand = keep(gather, db_text(rows, 0, AD_BRAND));
    ad->url = keep(gather, db_text(rows, 0, AD_URL));
    ad->image_url = keep(gather, db_text(rows, 0, AD_IMAGE_URL));
    ad->price_micros = db_int(rows, 0, AD_PRICE);
    if (keywords.len > 0) {
        ad->further.ptr =
            pool_format(gather->pool, &ad->further.len, "%.*s\n%.*s",
                        (int)ad->description.len, ad->description.ptr,
                        (int)keywords.len, keywords.ptr);
    }

    if (categories.len > 0) {
        ad->categories.ptr =
            pool_format(gather->pool, &ad->categories.len, "%.*s\n",
                        (int)categories.len, categories.ptr);
    }
    if (currency.len != sizeof(ad->currency)) {
        return ADS_DAMAGED;
    }
    memcpy(ad->currency, currency.ptr, sizeof(ad->currency));
    if (language.len <= sizeof(ad->language) && language.len > 0) {
        memcpy(ad->language, language.ptr, language.len);
    }
    return ADS_OK;
}


static enum ads_err
retired_each(void *arg, const struct db_rows *rows)
{
    struct gather *gather = arg;
    struct snap_retired_row *retired = gather_next(gather);

    retired->id = db_uuid(rows, 0, RETIRED_ID);
    retired->campaign = db_uuid(rows, 0, RETIRED_CAMPAIGN);
    retired->url = keep(gather, db_text(rows, 0, RETIRED_URL));
    return ADS_OK;
}


static enum ads_err
id_each(void *arg, const struct db_rows *rows)
{
    *(struct ads_uuid *)gather_next(arg) = db_uuid(rows, 0, DB_ONLY);
    return ADS_OK;
}


/* Live and retired ads: of the ids, or all when that is NULL. */
static enum ads_err
ads_read(struct snap_base_rows *rows, struct db_tx *tx, struct pool *pool,
         const struct ads_uuid *ids, uint32_t n)
{
    struct gather ads = {.pool = pool, .row_len = sizeof(struct snap_ad_row)};
    struct gather retired = {.pool = pool,
                             .row_len = sizeof(struct snap_retired_row)};
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, pool);
    if (ids != NULL) {
        db_arg_uuids(&args, ids, NULL, n);
    }
    err = db_run_each(tx, ids == NULL ? &STMT_ADS : &STMT_ADS_OF, &args,
                      ad_each, &ads);
    if (err == ADS_OK) {
        err = db_run_each(tx, ids == NULL ? &STMT_RETIRED : &STMT_RETIRED_OF,
                          &args, retired_each, &retired);
    }

    rows->ads = (const void *)ads.rows;
    rows->n_ads = ads.n;
    rows->retired = (const void *)retired.rows;
    rows->n_retired = retired.n;
    return err;
}


enum ads_err
snap_load_base(struct snap_base_rows *rows, struct db_tx *tx, struct pool *pool)
{
    return ads_read(rows, tx, pool, NULL, 0);
}


static enum ads_err
change_each(void *arg, const struct db_rows *rows)
{
    struct snap_change *change = gather_next(arg);

    change->id = db_uuid(rows, 0, CHANGE_ID);
    change->n = (uint64_t)db_int(rows, 0, CHANGE_N);
    return ADS_OK;
}


enum ads_err
snap_load_changes(struct snap_change **changes, uint32_t *n, struct db_tx *tx,
                  struct pool *pool, const struct snap_load_since *since)
{
    struct gather found = {.pool = pool, .row_len = sizeof(struct snap_change)};
    struct db_args args;
    enum ads_err err;

    for (uint32_t i = 0; i < since->n_waiting; i++) {
        *(struct snap_change *)gather_next(&found) = since->waiting[i];
    }
    db_args_init(&args, pool);
    db_arg_int8(&args, (int64_t)since->change);
    db_arg_time(&args, since->as_of_us);
    err = db_run_each(tx, &STMT_CHANGED, &args, change_each, &found);
    *changes = (void *)found.rows;
    *n = found.n;
    return err;
}


enum ads_err
snap_load_ads(struct snap_base_rows *rows, struct db_tx *tx, struct pool *pool,
              const struct snap_change *changes, uint32_t n)
{
    struct ads_uuid *ids;

    if (n == 0) {
        return ADS_OK;
    }
    ids = pool_array(pool, n, sizeof(*ids));
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = changes[i].id;
    }
    return ads_read(rows, tx, pool, ids, n);
}


/* A text[] of locations; one that is not known here is left out: it was
 * checked when it was written. */
static const struct ads_snap_place *
places_read(const struct gather *gather, const struct db_rows *rows, int column,
            uint16_t *n_places)
{
    size_t n;
    struct ads_str *texts = db_texts(rows, 0, column, gather->pool, &n);
    struct ads_snap_place *places =
        pool_array(gather->pool, n, sizeof(*places));
    uint32_t known = 0;

    for (size_t i = 0; i < n && known < UINT16_MAX; i++) {
        if (ads_place_read(&places[known].place, texts[i])) {
            known++;
        }
    }
    /* none of them known must not come to mean everywhere */
    if (known == 0 && n > 0) {
        memcpy(places[known++].place.country, "??", 2);
    }
    *n_places = (uint16_t)known;
    return places;
}


static enum ads_err
campaign_each(void *arg, const struct db_rows *rows)
{
    struct gather *gather = arg;
    struct snap_campaign_row *campaign = gather_next(gather);
    struct ads_placement *placements;
    struct ads_str *names;
    size_t n;

    campaign->id = db_uuid(rows, 0, CAMPAIGN_ID);
    campaign->account = db_uuid(rows, 0, CAMPAIGN_ACCOUNT);
    campaign->bid_micros = db_int(rows, 0, CAMPAIGN_BID);
    campaign->start_ms = db_time(rows, 0, CAMPAIGN_START) / 1000;
    campaign->end_ms = db_time(rows, 0, CAMPAIGN_END) / 1000;
    campaign->version = (uint32_t)db_int(rows, 0, CAMPAIGN_VERSION);
    campaign->active = db_bool(rows, 0, CAMPAIGN_ACTIVE);
    campaign->cpm = db_bool(rows, 0, CAMPAIGN_CPM);
    campaign->places =
        places_read(gather, rows, CAMPAIGN_PLACES, &campaign->n_places);
    campaign->not_places =
        places_read(gather, rows, CAMPAIGN_NOT_PLACES, &campaign->n_not_places);

    names = db_texts(rows, 0, CAMPAIGN_PLACEMENTS, gather->pool, &n);
    placements = pool_array(gather->pool, n, sizeof(*placements));
    for (size_t i = 0; i < n && campaign->n_placements < UINT16_MAX; i++) {
        placements[campaign->n_placements++] = ads_placement_make(names[i]);
    }
    campaign->placements = placements;
    snap_target_read(&campaign->target, rows, CAMPAIGN_TARGET, &gather->text,
                     gather->pool);
    return ADS_OK;
}


static enum ads_err
account_each(void *arg, const struct db_rows *rows)
{
    struct gather *gather = arg;
    struct snap_account_row *account = gather_next(gather);
    size_t n;

    account->id = db_uuid(rows, 0, ACCOUNT_ID);
    account->name = keep(gather, db_text(rows, 0, ACCOUNT_NAME));
    account->publisher = db_bool(rows, 0, ACCOUNT_PUBLISHER);
    account->active = db_bool(rows, 0, ACCOUNT_ACTIVE);
    account->floor_micros = db_int(rows, 0, ACCOUNT_FLOOR);
    account->blocked = db_uuids(rows, 0, ACCOUNT_BLOCKED, gather->pool, &n);
    account->n_blocked = (uint16_t)n;
    account->blocked_categories =
        snap_target_lines_read(rows, ACCOUNT_BLOCKED_CATEGORIES, gather->pool);
    return ADS_OK;
}


/* A text[] of ranges.  One that cannot be read becomes one that holds no
 * address: leaving it out could leave none, and none means everywhere. */
static enum ads_err
ranges_read(struct snap_key_row *key, struct pool *pool,
            const struct db_rows *rows, int column)
{
    size_t n;
    struct ads_str *texts = db_texts(rows, 0, column, pool, &n);
    struct ads_ip_range *ranges = pool_array(pool, n, sizeof(*ranges));

    if (n > UINT8_MAX) {
        return ADS_DAMAGED;
    }
    for (size_t i = 0; i < n; i++) {
        if (!ads_ip_range_read(&ranges[i], texts[i])) {
            ranges[i] = (struct ads_ip_range){.len = 0};
        }
    }
    key->ranges = ranges;
    key->n_ranges = (uint8_t)n;
    return ADS_OK;
}


static enum ads_err
key_each(void *arg, const struct db_rows *rows)
{
    struct gather *gather = arg;
    struct snap_key_row *key = gather_next(gather);
    struct ads_str hash = db_bytea(rows, 0, KEY_HASH);
    struct ads_str type = db_text(rows, 0, KEY_TYPE);

    if (hash.len != sizeof(key->hash) || type.len != 1) {
        return ADS_DAMAGED;
    }
    memcpy(key->hash, hash.ptr, sizeof(key->hash));
    key->account = db_uuid(rows, 0, KEY_ACCOUNT);
    key->expires_ms = db_time(rows, 0, KEY_EXPIRES) / 1000;
    key->type = *type.ptr;
    key->test = db_bool(rows, 0, KEY_TEST);
    key->explain = db_bool(rows, 0, KEY_EXPLAIN);
    return ranges_read(key, gather->pool, rows, KEY_RANGES);
}


/* All campaigns, or those of the ids when they are not NULL. */
static enum ads_err
campaigns_read(struct gather *campaigns, struct db_tx *tx,
               const struct snap_ids *ids)
{
    struct db_args args;
    enum ads_err err;

    campaigns->text.stemmer = sb_stemmer_new("english", NULL);
    if (campaigns->text.stemmer == NULL) {
        return ADS_IO;
    }
    db_args_init(&args, campaigns->pool);
    if (ids != NULL) {
        db_arg_uuids(&args, ids->ids, NULL, ids->n);
    }
    err = db_run_each(tx, ids == NULL ? &STMT_CAMPAIGNS : &STMT_CAMPAIGNS_OF,
                      &args, campaign_each, campaigns);
    sb_stemmer_delete(campaigns->text.stemmer);
    return err;
}


/* Those that changed since a head was made, and the others as they are there.
 * ADS_DAMAGED when that cannot be. */
static enum ads_err
campaigns_carry(struct snap_head_rows *rows, struct db_tx *tx,
                struct pool *pool, const struct ads_head *before)
{
    struct gather found = {.pool = pool, .row_len = sizeof(struct ads_uuid)};
    struct gather changed = {.pool = pool,
                             .row_len = sizeof(struct snap_campaign_row)};
    struct snap_campaign_row *all;
    struct snap_ids ids;
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, pool);
    db_arg_int8(&args, (int64_t)before->change);
    err = db_run_each(tx, &STMT_CAMPAIGNS_CHANGED, &args, id_each, &found);
    ids = (struct snap_ids){.ids = (void *)found.rows, .n = found.n};
    snap_ids_sort(&ids);
    if (err == ADS_OK && ids.n > 0) {
        err = campaigns_read(&changed, tx, &ids);
    }
    if (err != ADS_OK) {
        return err;
    }

    all = pool_array(pool, (size_t)before->campaigns.rows + changed.n,
                     sizeof(*all));
    rows->n_campaigns = snap_carry_campaigns(
        all, before, &ids, (const void *)changed.rows, changed.n);
    rows->campaigns = all;
    return rows->n_campaigns == ADS_SNAP_NONE ? ADS_DAMAGED : ADS_OK;
}


static enum ads_err
campaigns_load(struct snap_head_rows *rows, struct db_tx *tx, struct pool *pool,
               const struct ads_head *before)
{
    struct gather all = {.pool = pool,
                         .row_len = sizeof(struct snap_campaign_row)};
    enum ads_err err = ADS_DAMAGED;

    if (before != NULL) {
        err = campaigns_carry(rows, tx, pool, before);
    }
    if (err == ADS_DAMAGED) {
        err = campaigns_read(&all, tx, NULL);
        rows->campaigns = (const void *)all.rows;
        rows->n_campaigns = all.n;
    }
    return err;
}


enum ads_err
snap_load_head(struct snap_head_rows *rows, struct db_tx *tx, struct pool *pool,
               const struct ads_head *before)
{
    struct gather accounts = {.pool = pool,
                              .row_len = sizeof(struct snap_account_row)};
    struct gather keys = {.pool = pool, .row_len = sizeof(struct snap_key_row)};
    enum ads_err err = campaigns_load(rows, tx, pool, before);

    if (err == ADS_OK) {
        err = gather_run(&accounts, tx, &STMT_ACCOUNTS, account_each);
    }
    if (err == ADS_OK) {
        err = gather_run(&keys, tx, &STMT_KEYS, key_each);
    }

    rows->accounts = (const void *)accounts.rows;
    rows->n_accounts = accounts.n;
    rows->keys = (const void *)keys.rows;
    rows->n_keys = keys.n;
    return err;
}
