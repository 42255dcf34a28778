/*
 * Products of a file as ad tables, by the code that adsd makes its own with.
 */
#include "shop.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "ads_decide.h"
#include "tables/goods.h"
#include "tables/guard_list.h"

#define ACCOUNTS 8
#define CAMPAIGNS (2 * ACCOUNTS)
#define DEAR 100 /* units of currency */
#define MODEL_MAX (4 << 20)
#define SCRATCH_ALIGN 64


static _Noreturn void
fail(const char *what)
{
    fprintf(stderr, "shop: %s\n", what);
    exit(1);
}


struct ads_uuid
shop_id(uint8_t what, uint32_t number)
{
    struct ads_uuid id = {.b = {what}};

    memcpy(id.b + 12, &number, sizeof(number));
    return id;
}


/* ---- products ------------------------------------------------------------ */

static struct ads_str
text_of(struct shop *shop, const json_t *value)
{
    struct ads_str text = {"", 0};

    if (json_is_string(value)) {
        text = (struct ads_str){json_string_value(value),
                                json_string_length(value)};
        text.ptr = pool_text(shop->pool, text);
    }
    return text;
}


static struct ads_str
categories_of(struct shop *shop, const json_t *value)
{
    struct ads_str text = text_of(shop, value);
    const json_t *part;
    size_t i;

    json_array_foreach(value, i, part)
    {
        text.ptr = pool_format(shop->pool, &text.len, "%s%s\n", text.ptr,
                               json_string_value(part));
    }
    return text;
}


static uint32_t
campaign_of(const struct snap_ad_row *row)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < row->brand.len; i++) {
        sum = sum * 31 + (uint8_t)ads_char_lower(row->brand.ptr[i]);
    }
    return 2 * (sum % ACCOUNTS)
           + (row->price_micros >= DEAR * INT64_C(1000000));
}


static void
ad_add(struct shop *shop, const json_t *product)
{
    struct ads_str currency =
        text_of(shop, json_object_get(product, "currency"));
    struct snap_ad_row *row;

    if (shop->n_ads == shop->room) {
        shop->room = 2 * shop->room + 1024;
        shop->ads = xrealloc(shop->ads, shop->room * sizeof(*shop->ads));
    }
    row = &shop->ads[shop->n_ads];
    *row = (struct snap_ad_row){
        .id = shop_id(SHOP_AD, shop->n_ads),
        .product = shop_id(SHOP_PRODUCT, shop->n_ads),
        .title = text_of(shop, json_object_get(product, "title")),
        .description = text_of(shop, json_object_get(product, "description")),
        .brand = text_of(shop, json_object_get(product, "brand")),
        .categories = categories_of(shop, json_object_get(product, "category")),
        .url = ADS_STR("https://shop.example/p"),
        .price_micros =
            (int64_t)(json_number_value(json_object_get(product, "price"))
                      * 1e6),
        .currency = {'U', 'S', 'D'},
    };
    if (currency.len == 3) {
        memcpy(row->currency, currency.ptr, 3);
    }
    row->campaign = shop_id(SHOP_CAMPAIGN, campaign_of(row));
    shop->n_ads++;
}


void
shop_campaigns(struct shop *shop, uint32_t n_campaigns, uint32_t n_accounts)
{
    shop->n_campaigns = n_campaigns;
    shop->n_accounts = n_accounts;
    shop->campaigns =
        pool_array(shop->pool, n_campaigns, sizeof(*shop->campaigns));
    shop->accounts =
        pool_array(shop->pool, n_accounts, sizeof(*shop->accounts));
    for (uint32_t i = 0; i < n_accounts; i++) {
        shop->accounts[i] =
            (struct snap_account_row){.id = shop_id(SHOP_ACCOUNT, i),
                                      .name = ADS_STR("Shop"),
                                      .active = true};
    }
    /* as in the demo: dear products have dear campaigns */
    static const int64_t bids[] = {220000, 480000, 180000, 400000, 200000,
                                   520000, 150000, 350000, 120000, 300000};

    for (uint32_t i = 0; i < n_campaigns; i++) {
        uint32_t account = (uint32_t)((uint64_t)i * n_accounts / n_campaigns);

        shop->campaigns[i] = (struct snap_campaign_row){
            .id = shop_id(SHOP_CAMPAIGN, i),
            .account = shop_id(SHOP_ACCOUNT, account),
            .bid_micros = bids[i % (sizeof(bids) / sizeof(*bids))],
            .version = 1,
            .active = true,
            .slot = i};
    }
}


void
shop_read(struct shop *shop, const char *path)
{
    bool piped = strcmp(path, "-") != 0;
    FILE *file = stdin;
    char *line = NULL;
    size_t size = 0;

    *shop = (struct shop){.pool = pool_new()};
    if (piped) { /* which leaves alone what is not packed */
        const char *command =
            pool_format(shop->pool, NULL, "zstd -dcqf -- '%s'", path);

        file = popen(command, "r"); /* NOLINT(cert-env33-c) */
    }
    if (file == NULL) {
        fail("the products cannot be opened");
    }
    while (getline(&line, &size, file) > 0) {
        json_t *product = json_loads(line, 0, NULL);

        if (product == NULL) {
            fail("a line of the products is not JSON");
        }
        ad_add(shop, product);
        json_decref(product);
    }
    free(line);
    if ((piped && pclose(file) != 0) || shop->n_ads == 0) {
        fail("no products");
    }
    shop_campaigns(shop, CAMPAIGNS, ACCOUNTS);
}


/* ---- tables -------------------------------------------------------------- */

static struct ads_str
model_read(struct shop *shop)
{
    FILE *file = fopen("data/intent.model", "rb");
    struct ads_str text;
    char *bytes = pool_alloc(shop->pool, MODEL_MAX);

    if (file == NULL) {
        fail("data/intent.model cannot be opened");
    }
    text = (struct ads_str){bytes, fread(bytes, 1, MODEL_MAX, file)};
    (void)fclose(file);
    return text;
}


void
shop_base(struct shop *shop, const char *goods)
{
    struct snap_base_rows rows = {.ads = shop->ads, .n_ads = shop->n_ads};
    const struct snap_stamp stamp = {.id = 1};
    uint32_t refused;

    rows.intent_model = model_read(shop);
    if (guard_list_compile(&rows.guard, "data/guard", "", stderr) != ADS_OK
        || goods_load(goods, NULL, &rows.goods, stderr) != ADS_OK)
    {
        fail("no guard or no ontology");
    }
    snap_base_build(&shop->base, &refused, &rows, &stamp);
    pool_defer(shop->pool, free, (void *)rows.guard.ptr);
    pool_defer(shop->pool, free, (void *)rows.goods.ptr);
    pool_defer(shop->pool, free, shop->base.bytes);
}


void
shop_tables(struct ads_tables *tables, struct shop *shop)
{
    const struct snap_head_rows rows = {.campaigns = shop->campaigns,
                                        .n_campaigns = shop->n_campaigns,
                                        .accounts = shop->accounts,
                                        .n_accounts = shop->n_accounts};
    const struct snap_stamp stamp = {.id = 1};
    struct snap_source source;
    struct snap_image image;
    struct ads_base base;
    struct ads_head head;

    if (ads_base_open(&base, shop->base.bytes, shop->base.len) != ADS_OK
        || snap_source_open(&source, &base) != ADS_OK)
    {
        fail("the base that was built cannot be opened");
    }
    snap_head_build(&image, &rows, &source, &stamp);
    pool_defer(shop->pool, free, image.bytes);
    if (ads_head_open(&head, image.bytes, image.len) != ADS_OK
        || ads_tables_open(tables, shop->base.bytes, shop->base.len, &head)
               != ADS_OK)
    {
        fail("the tables that were built cannot be opened");
    }
}


void *
shop_scratch(const struct ads_tables *tables)
{
    size_t len = ads_decide_scratch_len(tables) + SCRATCH_ALIGN;
    void *scratch = aligned_alloc(SCRATCH_ALIGN, len & -(size_t)SCRATCH_ALIGN);

    if (scratch == NULL) {
        fail("out of memory");
    }
    return scratch;
}


void
shop_free(struct shop *shop)
{
    free(shop->ads);
    pool_free(shop->pool);
}
