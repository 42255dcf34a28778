/*
 * Who may be shown to a request: campaign by campaign, then product by product.
 *
 * What is found out of a campaign is kept in a byte of scratch memory, so it is
 * found out once; the match asks about a document only when it is good enough
 * to be kept, so that a huge or exhausted advertiser costs nothing.
 */
#include "ads_decide_parts.h"

/* Work of the filter, in postings: for a text that lies anywhere, and bytes of
 * it that cost as much as one when they are hashed, or compared line by line */
#define WORK_TEXT 8
#define WORK_HASHED 4
#define WORK_COMPARED 8


static bool
advertiser_excluded(const struct ads_request *req,
                    const struct ads_snap_account *account)
{
    char id[ADS_UUID_TEXT_LEN];

    if (req->blocks != NULL
        && ads_target_publisher_fits(&req->tables->head, req->blocks,
                                     &account->id))
    {
        return true;
    }
    if (req->not_advertisers->n == 0) {
        return false;
    }

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
    if (advertiser_excluded(req, account)
        || !ads_head_placement_allowed(head, campaign, &req->ask->placement))
    {
        return ADS_REASON_BLOCKED;
    }
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


static uint32_t
lines_of(struct ads_str list)
{
    uint32_t n = 0;

    for (size_t i = 0; i < list.len; i++) {
        n += list.ptr[i] == '\n';
    }
    return n;
}


/* Does the request or its publisher not want the product's categories?  What
 * it costs to find out is counted where they do not: of those that are wanted
 * few are asked about. */
static bool
category_excluded(struct ads_request *req, const struct ads_base *from,
                  const struct ads_snap_ad *ad)
{
    struct ads_str list, rest, blocked = {NULL, 0};
    bool excluded = false;

    if (req->blocks != NULL) {
        blocked = ads_head_categories(&req->tables->head, req->blocks);
    }
    if (req->not_categories->n == 0 && blocked.len == 0) {
        return false;
    }

    list = ads_base_categories(from, ad);
    for (rest = list; rest.len > 0 && req->not_categories->n > 0 && !excluded;)
    {
        excluded = ads_names_hold(req->not_categories, ads_target_line(&rest));
    }
    excluded = excluded || ads_target_category_fits(blocked, list);
    if (excluded) {
        req->work += WORK_TEXT + (uint32_t)(list.len / WORK_HASHED)
                     + lines_of(list) * (uint32_t)(blocked.len / WORK_COMPARED);
    }
    return excluded;
}


/* Is the product one of those that its campaign is for, in a language that is
 * understood? */
static bool
ad_aimed(struct ads_request *req, const struct ads_base *from,
         const struct ads_snap_ad *ad, const struct ads_snap_campaign *campaign)
{
    const struct ads_tables *tables = req->tables;
    const struct ads_snap_target *target =
        ads_head_target(&tables->head, campaign);
    struct ads_str wanted, list;

    if (!ads_target_speaks(ad->language, req->ask->language)) {
        return false;
    }
    if (target == NULL || target->categories_len == 0) {
        return true;
    }
    wanted = ads_head_categories(&tables->head, target);
    list = ads_base_categories(from, ad);
    if (ads_target_category_fits(wanted, list)) {
        return true;
    }
    req->work +=
        WORK_TEXT + lines_of(list) * (uint32_t)(wanted.len / WORK_COMPARED);
    return false;
}


/* Does it cost what the request says it may, as far as that can be told? */
static bool
price_fits(const struct ads_request *req, const struct ads_snap_ad *ad,
           uint32_t doc)
{
    const struct ads_wish *wish = &req->understood->wish;
    const struct ads_snap_offer *offer = ads_tables_offer(req->tables, doc);

    if ((wish->least_micros < 0 && wish->most_micros < 0) || offer == NULL
        || offer->price_micros < 0
        || (wish->currency[0] != '\0'
            && memcmp(wish->currency, ad->currency, 3) != 0))
    {
        return true;
    }
    return (wish->least_micros < 0 || offer->price_micros >= wish->least_micros)
           && (wish->most_micros < 0
               || offer->price_micros <= wish->most_micros);
}


/* May this product of an eligible campaign be shown to this request? */
static enum ads_reason
product_check(struct ads_request *req, const struct ads_base *from,
              const struct ads_snap_ad *ad, uint32_t doc,
              const struct ads_snap_campaign *campaign)
{
    if (req->ask->currency[0] != '\0'
        && memcmp(req->ask->currency, ad->currency, 3) != 0)
    {
        return ADS_REASON_CURRENCY;
    }
    if (!price_fits(req, ad, doc)) {
        return ADS_REASON_NO_MATCH;
    }
    if (!ad_aimed(req, from, ad, campaign) || category_excluded(req, from, ad))
    {
        return ADS_REASON_BLOCKED;
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
    enum ads_reason reason;
    uint8_t *memo;

    if (ad == NULL || ad->campaign >= tables->head.map.rows) {
        return ADS_REASON_NO_MATCH;
    }

    campaign = ads_head_campaign_of(&tables->head, ad->campaign);
    memo = &req->memo[ad->campaign];
    if (*memo == ADS_MEMO_UNKNOWN) {
        *memo = memo_begin(req, ad->campaign, campaign);
    }
    if ((*memo & ADS_MEMO_ELIGIBLE) == 0) {
        return (enum ads_reason)(*memo & ADS_MEMO_BELOW);
    }

    *account = -1;
    if (req->again
        && ads_rank_places(req->decision, campaign->account)
               >= ADS_ACCOUNT_ADS_MAX)
    {
        return ADS_REASON_NONE;
    }

    reason = product_check(req, from, ad, doc, campaign);
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
    int32_t account = -1;
    enum ads_reason reason = ads_eligible_check(req, doc, &account);

    if (reason != ADS_REASON_NONE) {
        req->decision->trace.refused[reason]++;
        return -1;
    }
    return account;
}
