/*
 * Compiles the sections of ads, of a base or of the delta in a head: which ads,
 * in index order, with their ready-made text.
 *
 * Rows are put in order of campaign and id first, so that the same ads give the
 * same bytes however they come: read from PostgreSQL, or carried over from
 * earlier tables.
 */
#include "tables/snap_ads.h"

#include <stdio.h>
#include <stdlib.h>

#include "ads_money.h"
#include "ads_url.h"
#include "tables/goods_taken.h"
#include "tables/snap_class.h"

/* A row with what it is sorted by. */
struct sorted {
    struct ads_uuid first;
    struct ads_uuid second;
    uint32_t row;
};


static int
by_id(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ads_uuid));
}


static int
by_both(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(struct ads_uuid));
}


static void
ads_keep(struct snap_ads *ads)
{
    const struct snap_base_rows *rows = ads->rows;
    struct sorted *sorted = xcalloc(rows->n_ads, sizeof(*sorted));

    for (uint32_t i = 0; i < rows->n_ads; i++) {
        const struct snap_ad_row *row = &rows->ads[i];

        /* what is carried over was checked before */
        if (row->source != 0
            || ads_url_check(row->url, ADS_URL_DESTINATION, NULL) == ADS_OK)
        {
            sorted[ads->n++] = (struct sorted){row->campaign, row->id, i};
        }
    }
    qsort(sorted, ads->n, sizeof(*sorted), by_both);

    ads->kept = xcalloc(ads->n, sizeof(*ads->kept));
    for (uint32_t i = 0; i < ads->n; i++) {
        ads->kept[i] = sorted[i].row;
    }
    ads->n_refused = rows->n_ads - ads->n;
    free(sorted);
}


static const struct snap_ad_row *
kept_row(const struct snap_ads *ads, uint32_t i)
{
    return &ads->rows->ads[ads->kept[i]];
}


/* The number of the id among sorted ones, or ADS_SNAP_NONE. */
static uint32_t
id_find(const struct ads_uuid *id, const void *ids, uint32_t n)
{
    const struct ads_uuid *found =
        n == 0 ? NULL : bsearch(id, ids, n, sizeof(*id), by_id);

    return found == NULL ? ADS_SNAP_NONE
                         : (uint32_t)(found - (const struct ads_uuid *)ids);
}


static struct ads_snap_section
beside_section(const struct snap_ads *ads, bool products)
{
    if (ads->beside == NULL) {
        return (struct ads_snap_section){0};
    }
    return products ? ads->beside->base.products : ads->beside->base.campaigns;
}


/* The campaigns that ads name, sorted, each once. */
static void
campaigns_collect(struct snap_ads *ads)
{
    const struct ads_snap_section beside = beside_section(ads, false);

    ads->campaigns = xcalloc(ads->n, sizeof(*ads->campaigns));
    for (uint32_t i = 0; i < ads->n; i++) {
        const struct ads_uuid *id = &kept_row(ads, i)->campaign;

        /* rows come campaign by campaign */
        if ((i == 0 || !ads_uuid_equal(&kept_row(ads, i - 1)->campaign, id))
            && id_find(id, beside.bytes, beside.rows) == ADS_SNAP_NONE)
        {
            ads->campaigns[ads->n_campaigns++] = *id;
        }
    }
}


/* Numbers the products, so that two ads of one are recognised. */
static void
products_number(struct snap_ads *ads)
{
    const struct ads_snap_section beside = beside_section(ads, true);
    uint32_t n = 0;

    ads->products = xcalloc(ads->n, sizeof(*ads->products));
    ads->product = xcalloc(ads->n, sizeof(*ads->product));
    for (uint32_t i = 0; i < ads->n; i++) {
        const struct ads_uuid *id = &kept_row(ads, i)->product;

        ads->product[i] = id_find(id, beside.bytes, beside.rows);
        if (ads->product[i] == ADS_SNAP_NONE) {
            ads->products[n++] = *id;
        }
    }
    qsort(ads->products, n, sizeof(*ads->products), by_id);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || !ads_uuid_equal(&ads->products[i - 1], &ads->products[i]))
        {
            ads->products[ads->n_products++] = ads->products[i];
        }
    }
}


/* What an ad carried over offered. */
static struct ads_snap_offer
offer_carry(const struct snap_ads *ads, const struct snap_ad_row *row)
{
    const struct ads_snap_offer *offer =
        ads_base_offer(&ads->rows->sources[row->source - 1].base, row->doc);

    return offer != NULL ? *offer
                         : (struct ads_snap_offer){.price_micros = -1,
                                                   .kind = ADS_SNAP_NONE};
}


/* What the shop says, or else what the titles of variants have in common. */
static uint32_t
group_of(const struct snap_ad_row *row, struct goods_taker *taker,
         const struct goods_product *product)
{
    return row->group.len > 0 ? (
               uint32_t)(ads_index_hash(row->group.ptr, row->group.len) >> 32)
                              : goods_group(taker, product);
}


static struct ads_snap_offer
offer_take(const struct snap_ad_row *row, struct goods_taker *taker)
{
    const struct goods_product product = {.title = row->title,
                                          .brand = row->brand,
                                          .categories = row->categories,
                                          .description = row->description};
    const struct goods_taken taken = goods_take(taker, &product);

    return (struct ads_snap_offer){.price_micros = row->price_micros,
                                   .kind = taken.kind,
                                   .sure = taken.sure,
                                   .group = group_of(row, taker, &product)};
}


/* Says what each ad is taken for, and writes the words that stand for that. */
static void
offers_take(struct snap_ads *ads, struct index_doc *docs)
{
    struct ads_str image = ads->rows->goods;
    struct ads_goods goods;
    struct goods_taker *taker;

    if (ads->beside != NULL) {
        image.ptr = (const char *)ads->beside->base.goods.bytes;
        image.len = ads->beside->base.goods.len;
    }
    if (ads_goods_open(image.ptr, image.len, &goods) != ADS_OK) {
        goods = (struct ads_goods){0}; /* damaged: products without kinds */
    }
    taker = goods_taker_new(&goods);
    ads->offers = xcalloc(ads->n, sizeof(*ads->offers));
    for (uint32_t i = 0; i < ads->n; i++) {
        const struct snap_ad_row *row = kept_row(ads, i);

        if (row->source != 0) {
            ads->offers[i] = offer_carry(ads, row);
            continue;
        }
        ads->offers[i] = offer_take(row, taker);
        docs[i].kinds_at = ads->kinds.len;
        goods_words_put(&goods, ads->offers[i].kind, &ads->kinds);
        goods_attributes_put(taker, &ads->kinds);
        docs[i].kinds_len = ads->kinds.len - docs[i].kinds_at;
    }
    goods_taker_free(taker);
}


static void
index_make(struct snap_ads *ads)
{
    struct index_doc *docs = xcalloc(ads->n, sizeof(*docs));
    struct index_source *sources =
        xcalloc(ads->rows->n_sources, sizeof(*sources));
    struct index_input input = {
        .docs = docs,
        .n = ads->n,
        .sources = sources,
        .n_sources = ads->rows->n_sources,
        .supplements = ads->beside == NULL ? NULL : &ads->beside->tokens,
        .keep_tokens = true,
    };

    for (uint32_t i = 0; i < ads->n; i++) {
        const struct snap_ad_row *row = kept_row(ads, i);

        docs[i] = (struct index_doc){
            .title = row->title,
            .brand = row->brand,
            .category = row->categories,
            .description =
                row->further.ptr != NULL ? row->further : row->description,
            .source = row->source,
            .doc = row->doc,
        };
    }
    for (uint32_t i = 0; i < ads->rows->n_sources; i++) {
        sources[i].index = &ads->rows->sources[i].index;
        sources[i].tokens = &ads->rows->sources[i].tokens;
    }
    offers_take(ads, docs);
    input.kinds = ads->kinds.bytes;
    index_build_from(&input, &ads->index);
    free(sources);
    free(docs);
}


static void
put_lit(struct snap_text *text, const char *lit)
{
    snap_text_put(text, lit, strlen(lit));
}


static void
put_string(struct snap_text *text, const char *before, struct ads_str value)
{
    put_lit(text, before);
    snap_text_put_escaped(text, value);
    put_lit(text, "\"");
}


/* The members of an ad's JSON that never change while it lives. */
static void
json_put(struct snap_text *text, const struct snap_ad_row *row)
{
    char id[ADS_UUID_TEXT_LEN];
    char price[ADS_MONEY_TEXT_MAX];
    char micros[ADS_MONEY_TEXT_MAX + 1];
    int len =
        snprintf(micros, sizeof(micros), "%lld", (long long)row->price_micros);

    ads_uuid_write(id, &row->id);
    put_lit(text, "\"ad_id\":\"");
    snap_text_put(text, id, sizeof(id));
    put_string(text, "\",\"title\":\"",
               snap_text_cut(row->title, SNAP_TITLE_CHARS));
    put_lit(text, ",\"price\":");
    snap_text_put(text, price,
                  (size_t)(ads_money_write(price, row->price_micros) - price));
    put_lit(text, ",\"price_micros\":");
    snap_text_put(text, micros, (size_t)len);
    put_string(text, ",\"currency\":\"", (struct ads_str){row->currency, 3});

    if (row->description.len > 0) {
        put_string(text, ",\"description\":\"",
                   snap_text_cut(row->description, SNAP_DESCRIPTION_CHARS));
    }
    if (row->brand.len > 0) {
        put_string(text, ",\"brand\":\"", row->brand);
    }
    if (row->image_url.len > 0) {
        put_string(text, ",\"image_url\":\"", row->image_url);
    }
}


/* The same members, as they were made before. */
static void
json_carry(struct snap_text *text, const struct snap_base_rows *rows,
           const struct snap_ad_row *row)
{
    const struct ads_base *from = &rows->sources[row->source - 1].base;
    const struct ads_snap_ad *ad = ads_base_ad(from, row->doc);
    struct ads_str json =
        ad == NULL ? (struct ads_str){"", 0} : ads_base_json(from, ad);

    snap_text_put(text, json.ptr, json.len);
}


/* The number that the base has for the campaign, else one behind those. */
static uint32_t
campaign_number(const struct snap_ads *ads, const struct ads_uuid *id)
{
    const struct ads_snap_section beside = beside_section(ads, false);
    uint32_t number = id_find(id, beside.bytes, beside.rows);

    return number != ADS_SNAP_NONE
               ? number
               : beside.rows + id_find(id, ads->campaigns, ads->n_campaigns);
}


/* Likewise of the product of row i. */
static uint32_t
product_number(const struct snap_ads *ads, uint32_t i)
{
    return ads->product[i] != ADS_SNAP_NONE
               ? ads->product[i]
               : beside_section(ads, true).rows
                     + id_find(&kept_row(ads, i)->product, ads->products,
                               ads->n_products);
}


static void
ads_write(struct snap_ads *ads)
{
    struct ads_snap_offer *offers = xcalloc(ads->n, sizeof(*offers));
    struct snap_text *text = &ads->text;

    ads->ads = xcalloc(ads->n, sizeof(*ads->ads));
    for (uint32_t doc = 0; doc < ads->n; doc++) {
        const struct snap_ad_row *row = kept_row(ads, ads->index.order[doc]);
        struct ads_snap_ad *ad = &ads->ads[doc];

        offers[doc] = ads->offers[ads->index.order[doc]];
        ad->id = row->id;
        ad->text_off = text->len;
        ad->campaign = campaign_number(ads, &row->campaign);
        ad->product = product_number(ads, ads->index.order[doc]);
        memcpy(ad->currency, row->currency, sizeof(ad->currency));
        memcpy(ad->language, row->language, sizeof(ad->language));

        if (row->source == 0) {
            json_put(text, row);
        } else {
            json_carry(text, ads->rows, row);
        }
        ad->json_len = (uint32_t)(text->len - ad->text_off);
        ad->url_len = (uint16_t)row->url.len;
        snap_text_put(text, row->url.ptr, row->url.len);
        ad->category_len =
            (uint16_t)(row->categories.len <= UINT16_MAX ? row->categories.len
                                                         : 0);
        snap_text_put(text, row->categories.ptr, ad->category_len);
    }
    free(ads->offers);
    ads->offers = offers;
    ads->classes = snap_classes_make(ads->ads, ads->n, text);
}


static void
lookup_make(struct snap_ads *ads)
{
    ads->n_lookup = 16;
    while (ads->n_lookup < 2 * ads->n) {
        ads->n_lookup *= 2;
    }
    ads->lookup = xcalloc(ads->n_lookup, sizeof(*ads->lookup));
    ads_snap_lookup_write(ads->lookup, ads->n_lookup, ads->ads, ads->n);
}


static void
retired_write(struct snap_ads *ads)
{
    const struct snap_base_rows *rows = ads->rows;
    struct sorted *sorted = xcalloc(rows->n_retired, sizeof(*sorted));
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows->n_retired; i++) {
        if (ads_url_check(rows->retired[i].url, ADS_URL_DESTINATION, NULL)
            == ADS_OK) {
            sorted[n++] =
                (struct sorted){.first = rows->retired[i].id, .row = i};
        }
    }
    qsort(sorted, n, sizeof(*sorted), by_id);

    ads->retired = xcalloc(n, sizeof(*ads->retired));
    for (uint32_t i = 0; i < n; i++) {
        const struct snap_retired_row *row = &rows->retired[sorted[i].row];
        struct ads_snap_retired *retired = &ads->retired[ads->n_retired++];

        retired->id = row->id;
        retired->campaign = row->campaign;
        retired->text_off = ads->text.len;
        retired->url_len = (uint16_t)row->url.len;
        snap_text_put(&ads->text, row->url.ptr, row->url.len);
    }
    free(sorted);
}


void
snap_ads_build(struct snap_ads *ads, const struct snap_base_rows *rows,
               const struct snap_source *beside)
{
    *ads = (struct snap_ads){.rows = rows, .beside = beside};
    ads_keep(ads);
    campaigns_collect(ads);
    products_number(ads);
    index_make(ads);
    ads_write(ads);
    lookup_make(ads);
    retired_write(ads);
}


void
snap_ads_free(struct snap_ads *ads)
{
    free(ads->kept);
    free(ads->campaigns);
    free(ads->products);
    free(ads->product);
    free(ads->index.bytes);
    free(ads->index.order);
    free(ads->index.tokens);
    free(ads->ads);
    free(ads->offers);
    free(ads->classes);
    free(ads->kinds.bytes);
    free(ads->lookup);
    free(ads->retired);
    free(ads->text.bytes);
}


void
snap_ads_parts(const struct snap_ads *ads,
               struct ads_snap_part parts[SNAP_ADS_PARTS])
{
    const struct ads_snap_part all[SNAP_ADS_PARTS] = {
        ADS_SNAP_ROWS(ADS_SNAP_BASE_ADS, ads->ads, ads->n),
        ADS_SNAP_ROWS(ADS_SNAP_BASE_LOOKUP, ads->lookup, ads->n_lookup),
        {ADS_SNAP_BASE_TEXT, ads->text.bytes, ads->text.len, 0, 0},
        ADS_SNAP_ROWS(ADS_SNAP_BASE_CAMPAIGNS, ads->campaigns,
                      ads->n_campaigns),
        {ADS_SNAP_BASE_INDEX, ads->index.bytes, ads->index.len, 0, 0},
        ADS_SNAP_ROWS(ADS_SNAP_BASE_RETIRED, ads->retired, ads->n_retired),
        ADS_SNAP_ROWS(ADS_SNAP_BASE_PRODUCTS, ads->products, ads->n_products),
        {ADS_SNAP_BASE_TOKENS, ads->index.tokens, ads->index.tokens_len, 0, 0},
        ADS_SNAP_ROWS(ADS_SNAP_BASE_OFFERS, ads->offers, ads->n),
        ADS_SNAP_ROWS(ADS_SNAP_BASE_CLASSES, ads->classes, ads->n + 1),
    };

    memcpy(parts, all, sizeof(all));
}
