/*
 * Who may be shown to a request: campaign by campaign, then class of products
 * by class, then product by product.
 *
 * What is found out of a campaign, and of products that are alike in currency,
 * language and categories, is kept in a byte of scratch memory each, so it is
 * found out once; the match asks about a document only when it is good enough
 * to be kept, so that a huge or exhausted advertiser costs nothing.  What it
 * costs to find out is counted, for the match to stop at its budget.
 */
#include "ads_decide_parts.h"

/* Work of the filter, in postings of some 4 ns: of a campaign, of an advertiser
 * that may be excluded, of a product that is looked at, and whose text is, of
 * each line that is looked for, of a step of a search, and of a publisher.
 * Then how many places, bytes that are hashed or names that are compared cost
 * one. */
#define WORK_CAMPAIGN 14
#define WORK_ADVERTISER 24
#define WORK_PRODUCT 4
#define WORK_TEXT 20
#define WORK_LINE 4
#define WORK_STEP 2
#define WORK_PUBLISHER 2
#define WORK_PLACES 2
#define WORK_HASHED 4
#define WORK_NAMES 8


static bool
advertiser_excluded(struct ads_request *req,
                    const struct ads_snap_account *account)
{
    char id[ADS_UUID_TEXT_LEN];

    if (req->blocks != NULL) {
        req->work += req->blocks->n_publishers * WORK_PUBLISHER;
    }
    if (req->blocks != NULL
        && ads_target_publisher_fits(&req->tables->head, req->blocks,
                                     &account->id))
    {
        return true;
    }
    if (req->not_advertisers->n == 0) {
        return false;
    }

    req->work += WORK_ADVERTISER;
    ads_uuid_write(id, &account->id);
    return ads_names_hold(req->not_advertisers,
                          (struct ads_str){id, sizeof(id)})
           || ads_names_hold_escaped(
               req->not_advertisers,
               ads_head_account_name(&req->tables->head, account));
}


/* Money: what `live` still allows this campaign to sell here. */
static enum ads_reason
budget_check(const struct ads_request *req,
             const struct ads_snap_campaign *campaign)
{
    const struct ads_live_slot *slot;

    if (req->ask->test) {
        return ADS_REASON_NONE;
    }
    if (req->live == NULL) {
        return ADS_REASON_NO_BUDGET;
    }

    slot = ads_live_slot(req->live, campaign->slot, campaign->tag);
    if (slot == NULL || ads_live_spent(slot) >= ads_live_allowance(slot)) {
        return ADS_REASON_NO_BUDGET;
    }
    return ads_live_open_for(slot, req->ask->hash ^ campaign->tag)
               ? ADS_REASON_NONE
               : ADS_REASON_PACED;
}


/* A look through so many sorted rows, which lie anywhere. */
static uint32_t
work_of_search(uint32_t n)
{
    return n == 0 ? 0 : WORK_STEP * (32 - (uint32_t)__builtin_clz(n));
}


/* Is what the campaign asks of the words of a request there? */
static enum ads_reason
words_check(struct ads_request *req, const struct ads_snap_target *target)
{
    const struct ads_head *head = &req->tables->head;
    uint32_t first_not = target->keywords + target->n_keywords;

    if (target->n_keywords == 0 && target->n_not_keywords == 0) {
        return ADS_REASON_NONE;
    }
    if (!req->has_target) {
        ads_target_words_read(req->target, req->text, req->words);
        req->has_target = true;
    }
    req->work += WORK_CAMPAIGN
                 + req->target->n
                       * (work_of_search(target->n_keywords)
                          + work_of_search(target->n_not_keywords));
    if (ads_target_keywords_fit(head, first_not, target->n_not_keywords,
                                req->target))
    {
        return ADS_REASON_BLOCKED;
    }
    return target->n_keywords == 0
                   || ads_target_keywords_fit(head, target->keywords,
                                              target->n_keywords, req->target)
               ? ADS_REASON_NONE
               : ADS_REASON_NO_MATCH;
}


struct ads_cap
ads_eligible_cap(const struct ads_request *req,
                 const struct ads_snap_campaign *campaign)
{
    const struct ads_snap_target *target =
        ads_head_target(&req->tables->head, campaign);
    struct ads_cap cap = {0};

    if (target != NULL && target->frequency_count > 0 && req->ask->session != 0
        && !req->ask->test)
    {
        cap.key =
            (req->ask->session ^ campaign->tag) * UINT64_C(0x9e3779b97f4a7c15);
        cap.key ^= cap.key >> 32;
        cap.window_s = target->frequency_s;
    }
    return cap;
}


/* What a campaign asks beyond place and placement. */
static enum ads_reason
target_check(struct ads_request *req, const struct ads_snap_campaign *campaign)
{
    const struct ads_head *head = &req->tables->head;
    const struct ads_snap_target *target = ads_head_target(head, campaign);
    struct ads_cap cap;

    if (campaign->target == 0) {
        return ADS_REASON_NONE;
    }
    if (target == NULL) {
        return ADS_REASON_NO_MATCH;
    }
    req->work += target->n_publishers * WORK_PUBLISHER;
    if ((target->n_publishers > 0
         && !ads_target_publisher_fits(head, target, &req->ask->publisher))
        || (target->languages_len > 0
            && !ads_target_language_fits(ads_head_languages(head, target),
                                         req->ask->language)))
    {
        return ADS_REASON_BLOCKED;
    }
    cap = ads_eligible_cap(req, campaign);
    if (cap.window_s > 0 && req->live != NULL
        && ads_live_shown(req->live, cap.key, req->ask->now_ms / 1000,
                          cap.window_s)
               >= target->frequency_count)
    {
        return ADS_REASON_FREQUENCY_CAPPED;
    }
    return words_check(req, target);
}


/* Does it run now, whatever is asked? */
static bool
campaign_runs(const struct ads_snap_campaign *campaign, int64_t now_ms)
{
    return ads_snap_is_active(campaign)
           && (campaign->start_ms == 0 || now_ms >= campaign->start_ms)
           && (campaign->end_ms == 0 || now_ms < campaign->end_ms);
}


bool
ads_eligible_is_previewed(const struct ads_request *req,
                          const struct ads_snap_campaign *campaign)
{
    return req->ask->as_if != NULL
           && ads_uuid_equal(&campaign->id, req->ask->as_if);
}


static enum ads_reason
campaign_check(struct ads_request *req,
               const struct ads_snap_campaign *campaign)
{
    const struct ads_head *head = &req->tables->head;
    const struct ads_snap_account *account;
    enum ads_reason reason;
    bool as_if;

    req->work += WORK_CAMPAIGN;
    if (campaign == NULL
        || campaign->cpm) /* impressions are not billed yet: never give away */
    {
        return ADS_REASON_NO_MATCH;
    }
    as_if = ads_eligible_is_previewed(req, campaign);
    if (!as_if
        && (req->ask->alone
            || !campaign_runs(campaign, (int64_t)req->ask->now_ms)))
    {
        return ADS_REASON_NO_MATCH;
    }

    account = ads_head_account(head, campaign->account);
    if (account == NULL || !account->active) {
        return ADS_REASON_NO_MATCH;
    }
    req->work += campaign->n_placements;
    if (advertiser_excluded(req, account)
        || !ads_head_placement_allowed(head, campaign, &req->ask->placement))
    {
        return ADS_REASON_BLOCKED;
    }
    req->work +=
        ((uint32_t)campaign->n_places + campaign->n_not_places) / WORK_PLACES;
    if (!ads_head_place_allowed(head, campaign, &req->ask->place)) {
        return ADS_REASON_LOCATION;
    }
    if (campaign->bid_micros < req->floor_micros) {
        return ADS_REASON_BELOW_FLOOR;
    }
    reason = target_check(req, campaign);
    return reason != ADS_REASON_NONE || as_if ? reason
                                              : budget_check(req, campaign);
}


/* Does the request or its publisher not want the product's categories? */
static bool
category_excluded(struct ads_request *req, struct ads_str list)
{
    struct ads_str rest = list;

    while (rest.len > 0 && req->not_categories->n > 0) {
        if (ads_names_hold(req->not_categories, ads_target_line(&rest))) {
            return true;
        }
    }
    return req->blocks != NULL && req->blocks->categories_len > 0
           && ads_target_category_fits(&req->tables->head, req->blocks, list);
}


/* Is the product one of those that its campaign is for, and of a category that
 * is not excluded? */
static bool
categories_fit(struct ads_request *req, const struct ads_base *from,
               const struct ads_snap_ad *ad,
               const struct ads_snap_campaign *campaign)
{
    const struct ads_snap_target *target =
        ads_head_target(&req->tables->head, campaign);
    bool aimed = target != NULL && target->categories_len > 0;
    bool blocked = req->blocks != NULL && req->blocks->categories_len > 0;
    uint32_t each = 2 * WORK_LINE + req->not_categories->n / WORK_NAMES;
    struct ads_str list;

    if (!aimed && !blocked && req->not_categories->n == 0) {
        return true;
    }
    list = ads_base_categories(from, ad);
    req->work += WORK_TEXT + (uint32_t)(list.len / WORK_HASHED)
                 + ads_target_lines(list) * each;
    return (!aimed
            || ads_target_category_fits(&req->tables->head, target, list))
           && !category_excluded(req, list);
}


/* What is the same of all products of a class: language and categories, and
 * before these the currency. */
static enum ads_reason
class_check(struct ads_request *req, const struct ads_base *from,
            const struct ads_snap_ad *ad,
            const struct ads_snap_campaign *campaign)
{
    if (req->ask->currency[0] != '\0'
        && memcmp(req->ask->currency, ad->currency, 3) != 0)
    {
        return ADS_REASON_CURRENCY;
    }
    return ads_target_speaks(ad->language, req->ask->language)
                   && categories_fit(req, from, ad, campaign)
               ? ADS_REASON_NONE
               : ADS_REASON_BLOCKED;
}


static bool
has_price_bound(const struct ads_request *req)
{
    const struct ads_wish *wish = &req->understood->wish;

    return wish->least_micros >= 0 || wish->most_micros >= 0;
}


/* Does it cost what the request says it may, as far as that can be told? */
static bool
price_fits(const struct ads_request *req, uint32_t doc)
{
    const struct ads_wish *wish = &req->understood->wish;
    const struct ads_snap_offer *offer = ads_tables_offer(req->tables, doc);
    const struct ads_snap_ad *ad;
    const struct ads_base *from;

    if (offer == NULL || offer->price_micros < 0
        || ((wish->least_micros < 0
             || offer->price_micros >= wish->least_micros)
            && (wish->most_micros < 0
                || offer->price_micros <= wish->most_micros)))
    {
        return true;
    }
    ad = ads_tables_ad(req->tables, doc, &from);
    return wish->currency[0] != '\0' && ad != NULL
           && memcmp(wish->currency, ad->currency, 3) != 0;
}


/* May this product of an eligible campaign be shown to this request?  `class`
 * is what is known of its class. */
static enum ads_reason
product_check(struct ads_request *req, const struct ads_base *from,
              const struct ads_snap_ad *ad, uint32_t doc,
              const struct ads_snap_campaign *campaign, uint8_t *class)
{
    if (*class == ADS_CLASS_UNKNOWN) {
        enum ads_reason reason = class_check(req, from, ad, campaign);

        *class =
            (uint8_t)(reason == ADS_REASON_NONE ? ADS_CLASS_FINE
                                                : ADS_CLASS_REFUSED + reason);
    }
    if (*class != ADS_CLASS_REFUSED + ADS_REASON_CURRENCY
        && has_price_bound(req) && !price_fits(req, doc))
    {
        return ADS_REASON_NO_MATCH;
    }
    if (*class != ADS_CLASS_FINE) {
        return (enum ads_reason)(*class - ADS_CLASS_REFUSED);
    }
    for (uint32_t i = 0; i < req->ask->n_not_ads; i++) {
        if (ads_uuid_equal(&req->ask->not_ads[i], &ad->id)) {
            return ADS_REASON_BLOCKED;
        }
    }
    return ADS_REASON_NONE;
}


/* The memo of a campaign that was not looked at yet. */
static uint8_t
memo_begin(struct ads_request *req, uint32_t row,
           const struct ads_snap_campaign *campaign)
{
    enum ads_reason reason = campaign_check(req, campaign);

    if (req->ask->auctions != NULL && reason != ADS_REASON_NO_MATCH) {
        ads_auction_note(req->ask->auctions, row);
    }
    return (uint8_t)(reason == ADS_REASON_NONE
                         ? ADS_MEMO_SEEN | ADS_MEMO_ELIGIBLE
                         : ADS_MEMO_SEEN | reason);
}


enum ads_reason
ads_eligible_check(struct ads_request *req, uint32_t doc, int32_t *account)
{
    const struct ads_tables *tables = req->tables;
    const struct ads_base *from;
    const struct ads_snap_ad *ad = ads_tables_ad(tables, doc, &from);
    const struct ads_snap_campaign *campaign;
    uint32_t class = ads_tables_class(tables, doc);
    enum ads_reason reason;
    uint8_t alone = ADS_CLASS_UNKNOWN;
    uint8_t *memo, *of_class = class == 0 ? &alone : &req->classes[class];

    if (ad == NULL || ad->campaign >= tables->head.map.rows) {
        return ADS_REASON_NO_MATCH;
    }

    campaign = ads_head_campaign_of(&tables->head, ad->campaign);
    memo = &req->memo[ad->campaign];
    if (*memo == ADS_MEMO_UNKNOWN) {
        *memo = memo_begin(req, ad->campaign, campaign);
    }
    if ((*memo & ADS_MEMO_ELIGIBLE) == 0) {
        reason = (enum ads_reason)(*memo & ADS_MEMO_BELOW);
        *of_class = (uint8_t)(ADS_CLASS_REFUSED + reason);
        return reason;
    }

    *account = -1;
    if (req->again
        && ads_rank_places(req->decision, campaign->account)
               >= ADS_ACCOUNT_ADS_MAX)
    {
        return ADS_REASON_NONE;
    }

    reason = product_check(req, from, ad, doc, campaign, of_class);
    if ((*memo & ADS_MEMO_PASSED) == 0) {
        *memo = (uint8_t)(ADS_MEMO_SEEN | ADS_MEMO_ELIGIBLE
                          | (reason == ADS_REASON_NONE ? ADS_MEMO_PASSED
                                                       : (int)reason));
    }
    if (reason == ADS_REASON_NONE) {
        *account = (int32_t)campaign->account;
    }
    return reason;
}


int32_t
ads_eligible_account(void *ctx, uint32_t doc)
{
    struct ads_request *req = ctx;
    uint8_t class = req->classes[ads_tables_class(req->tables, doc)];
    int32_t account = -1;
    enum ads_reason reason;

    /* both cost a look alone: whose product it is need not be known */
    if (has_price_bound(req) && !price_fits(req, doc)) {
        req->decision->trace.refused[ADS_REASON_NO_MATCH]++;
        return -1;
    }
    if (class >= ADS_CLASS_REFUSED) {
        req->decision->trace.refused[class - ADS_CLASS_REFUSED]++;
        return -1;
    }
    req->work += WORK_PRODUCT;
    reason = ads_eligible_check(req, doc, &account);
    if (reason != ADS_REASON_NONE) {
        req->decision->trace.refused[reason]++;
        return -1;
    }
    return account;
}
