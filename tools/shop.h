/*
 * A catalogue as ad tables, for tools that decide over one without a database:
 * products of a file, who sells them, and the tables that adsd would make of
 * both.  Whatever goes wrong ends the program.
 */
#ifndef TOOLS_SHOP_H
#define TOOLS_SHOP_H

#include "ads_tables.h"
#include "tables/snap_build.h"

/* Every product is an ad of one campaign.  Filled by shop_read(), and the
 * caller's to change until the tables are made. */
struct shop {
    struct pool *pool;
    struct snap_ad_row *ads;
    uint32_t n_ads;
    uint32_t room;
    struct snap_campaign_row *campaigns;
    uint32_t n_campaigns;
    struct snap_account_row *accounts;
    uint32_t n_accounts;
    struct snap_image base; /* shop_base() made it */
};

/* The id of something made up: of kind `what` that number. */
struct ads_uuid
shop_id(uint8_t what, uint32_t number);

#define SHOP_AD 1
#define SHOP_PRODUCT 2
#define SHOP_CAMPAIGN 3
#define SHOP_ACCOUNT 4

/* Campaigns of that number, dealt to as many accounts: all run, without
 * conditions. */
void
shop_campaigns(struct shop *shop, uint32_t n_campaigns, uint32_t n_accounts);

/*
 * Reads products, packed by zstd or not: a JSON object a line (title, price,
 * currency, url and, where known, brand, category, description).  They go to
 * eight advertisers by brand, cheap and dear ones to two campaigns each.
 * shop_free() frees it, with all tables.
 */
void
shop_read(struct shop *shop, const char *path);

void
shop_free(struct shop *shop);

/* Compiles the products, with the ontology of that folder; once. */
void
shop_base(struct shop *shop, const char *goods);

/* Opens tables of the base and of the campaigns as they are now. */
void
shop_tables(struct ads_tables *tables, struct shop *shop);

/* Scratch for decisions over them; free(). */
void *
shop_scratch(const struct ads_tables *tables);

#endif
