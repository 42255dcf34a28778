/*
 * Compiling a base: which ads, in index order, with their ready-made text.
 */
#include "snap_build.h"

#include <stdio.h>
#include <stdlib.h>

#include "ads_money.h"
#include "ads_url.h"
#include "index_build.h"
#include "snap_text.h"

/* What the sections are made of while they grow. */
struct base {
    const struct snap_base_rows *rows;
    uint32_t *kept; /* rows whose URL is good */
    uint32_t n;
    struct ads_uuid *campaigns; /* sorted, each once */
    uint32_t n_campaigns;
    uint32_t *products; /* per row: number of its product */
    struct index_image index;
    struct ads_snap_ad *ads;
    struct ads_snap_retired *retired;
    uint32_t n_retired;
    uint32_t *lookup;
    uint32_t n_lookup;
    struct snap_text text;
};

/* An id with the row it came from, for sorting. */
struct numbered {
    struct ads_uuid id;
    uint32_t row;
};


static int
by_id(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ads_uuid));
}


static uint32_t
ads_keep(struct base *base)
{
    const struct snap_base_rows *rows = base->rows;

    base->kept = xcalloc(rows->n_ads, sizeof(*base->kept));
    for (uint32_t i = 0; i < rows->n_ads; i++) {
        if (ads_url_check(rows->ads[i].url, ADS_URL_DESTINATION, NULL)
            == ADS_OK) {
            base->kept[base->n++] = i;
        }
    }
    return rows->n_ads - base->n;
}


/* The campaigns that ads name, sorted, each once. */
static void
campaigns_collect(struct base *base)
{
    uint32_t n = 0;

    base->campaigns = xcalloc(base->n, sizeof(*base->campaigns));
    for (uint32_t i = 0; i < base->n; i++) {
        const struct ads_uuid *id = &base->rows->ads[base->kept[i]].campaign;

        /* rows come campaign by campaign: most repeats are neighbours */
        if (n == 0 || !ads_uuid_equal(&base->campaigns[n - 1], id)) {
            base->campaigns[n++] = *id;
        }
    }
    qsort(base->campaigns, n, sizeof(*base->campaigns), by_id);

    for (uint32_t i = 0; i < n; i++) {
        if (i == 0
            || !ads_uuid_equal(&base->campaigns[base->n_campaigns - 1],
                               &base->campaigns[i]))
        {
            base->campaigns[base->n_campaigns++] = base->campaigns[i];
        }
    }
}


static uint32_t
campaign_find(const struct base *base, const struct ads_uuid *id)
{
    const struct ads_uuid *found =
        bsearch(id, base->campaigns, base->n_campaigns, sizeof(*id), by_id);

    return (uint32_t)(found - base->campaigns);
}


/* Numbers the products, so that two ads of one can be told. */
static void
products_number(struct base *base)
{
    struct numbered *sorted = xcalloc(base->n, sizeof(*sorted));
    uint32_t number = 0;

    base->products = xcalloc(base->rows->n_ads, sizeof(*base->products));
    for (uint32_t i = 0; i < base->n; i++) {
        sorted[i].id = base->rows->ads[base->kept[i]].product;
        sorted[i].row = base->kept[i];
    }
    qsort(sorted, base->n, sizeof(*sorted), by_id);

    for (uint32_t i = 0; i < base->n; i++) {
        if (i > 0 && !ads_uuid_equal(&sorted[i - 1].id, &sorted[i].id)) {
            number++;
        }
        base->products[sorted[i].row] = number;
    }
    free(sorted);
}


static void
index_make(struct base *base)
{
    struct index_doc *docs = xcalloc(base->n, sizeof(*docs));

    for (uint32_t i = 0; i < base->n; i++) {
        const struct snap_ad_row *row = &base->rows->ads[base->kept[i]];

        docs[i].title = row->title;
        docs[i].brand = row->brand;
        docs[i].category = row->categories;
        docs[i].description =
            row->further.ptr != NULL ? row->further : row->description;
    }

    index_build(docs, base->n, &base->index);
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


/* The members of an ad's JSON that never change while the base lives. */
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


static void
ads_write(struct base *base)
{
    struct snap_text *text = &base->text;

    base->ads = xcalloc(base->n, sizeof(*base->ads));
    for (uint32_t doc = 0; doc < base->n; doc++) {
        uint32_t i = base->kept[base->index.order[doc]];
        const struct snap_ad_row *row = &base->rows->ads[i];
        struct ads_snap_ad *ad = &base->ads[doc];

        ad->id = row->id;
        ad->text_off = text->len;
        ad->campaign = campaign_find(base, &row->campaign);
        ad->product = base->products[i];
        memcpy(ad->currency, row->currency, sizeof(ad->currency));
        memcpy(ad->language, row->language, sizeof(ad->language));

        json_put(text, row);
        ad->json_len = (uint32_t)(text->len - ad->text_off);
        ad->url_len = (uint16_t)row->url.len;
        snap_text_put(text, row->url.ptr, row->url.len);
        ad->category_len =
            (uint16_t)(row->categories.len <= UINT16_MAX ? row->categories.len
                                                         : 0);
        snap_text_put(text, row->categories.ptr, ad->category_len);
    }
}


static void
lookup_make(struct base *base)
{
    base->n_lookup = 16;
    while (base->n_lookup < 2 * base->n) {
        base->n_lookup *= 2;
    }
    base->lookup = xcalloc(base->n_lookup, sizeof(*base->lookup));
    ads_snap_lookup_write(base->lookup, base->n_lookup, base->ads, base->n);
}


static void
retired_write(struct base *base)
{
    const struct snap_base_rows *rows = base->rows;

    base->retired = xcalloc(rows->n_retired, sizeof(*base->retired));
    for (uint32_t i = 0; i < rows->n_retired; i++) {
        const struct snap_retired_row *row = &rows->retired[i];
        struct ads_snap_retired *retired = &base->retired[base->n_retired];

        if (ads_url_check(row->url, ADS_URL_DESTINATION, NULL) != ADS_OK) {
            continue;
        }
        retired->id = row->id;
        retired->campaign = row->campaign;
        retired->text_off = base->text.len;
        retired->url_len = (uint16_t)row->url.len;
        snap_text_put(&base->text, row->url.ptr, row->url.len);
        base->n_retired++;
    }
    qsort(base->retired, base->n_retired, sizeof(*base->retired), by_id);
}


static void
file_write(struct snap_image *image, const struct base *base,
           const struct snap_stamp *stamp)
{
    const struct ads_snap_part parts[] = {
        {ADS_SNAP_BASE_ADS, base->ads, base->n * sizeof(*base->ads), base->n,
         sizeof(*base->ads)},
        {ADS_SNAP_BASE_LOOKUP, base->lookup,
         base->n_lookup * sizeof(*base->lookup), base->n_lookup,
         sizeof(*base->lookup)},
        {ADS_SNAP_BASE_TEXT, base->text.bytes, base->text.len, 0, 0},
        {ADS_SNAP_BASE_CAMPAIGNS, base->campaigns,
         base->n_campaigns * sizeof(*base->campaigns), base->n_campaigns,
         sizeof(*base->campaigns)},
        {ADS_SNAP_BASE_INDEX, base->index.bytes, base->index.len, 0, 0},
        {ADS_SNAP_BASE_INTENT, base->rows->intent_model.ptr,
         base->rows->intent_model.len, 0, 0},
        {ADS_SNAP_BASE_RETIRED, base->retired,
         base->n_retired * sizeof(*base->retired), base->n_retired,
         sizeof(*base->retired)},
    };
    const struct ads_snap_file file = {
        .id = stamp->id,
        .made_us = stamp->made_us,
        .change = stamp->change,
        .node = stamp->node,
        .n_parts = sizeof(parts) / sizeof(parts[0]),
        .parts = parts,
    };

    image->len = ads_snap_measure(&file);
    image->bytes = xmalloc(image->len);
    ads_snap_write(image->bytes, &file);
}


void
snap_base_build(struct snap_image *image, uint32_t *n_refused,
                const struct snap_base_rows *rows,
                const struct snap_stamp *stamp)
{
    struct base base = {.rows = rows};

    *n_refused = ads_keep(&base);
    campaigns_collect(&base);
    products_number(&base);
    index_make(&base);
    ads_write(&base);
    lookup_make(&base);
    retired_write(&base);
    file_write(image, &base, stamp);

    free(base.kept);
    free(base.campaigns);
    free(base.products);
    free(base.index.bytes);
    free(base.index.order);
    free(base.ads);
    free(base.lookup);
    free(base.retired);
    free(base.text.bytes);
}
