/*
 * Eligibility rules: which ads may be shown to a request.  One row of the table
 * below is one rule: rules of the campaign first, then of what its products
 * have in common, then of a product.
 *
 * The first rule that refuses gives the reason, so their order is part of the
 * answer; within that, what costs less stands first.
 *
 * What is found out of a campaign, and of products that are alike in currency,
 * language and categories, is kept in a byte of scratch memory each, so it is
 * found out once; the match asks about a document only when it is good enough
 * to be kept, so that a huge or exhausted advertiser costs nothing.  What it
 * costs to find out is counted, for the match to stop at its budget.
 */
#include "ads_decide_parts.h"

/* Work of the filter, in postings of some 4 ns: of a campaign, of an advertiser
 * that may be excluded, of a product that is checked, and whose text is, of
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

/* What a rule checks.  Rules of a campaign know no product. */
struct candidate {
    const struct ads_snap_campaign *campaign;
    const struct ads_snap_account *account; /* NULL: unknown, or of a product */
    const struct ads_snap_target *target;   /* zeros: it asks for nothing */
    const struct ads_snap_ad *ad;
    const struct ads_base *from; /* has the ad's texts */
    uint32_t doc;
};

/* What a rule depends on beside the request, and so how long its answer is
 * kept; those of TARGET only where the campaign has one. */
enum scope { CAMPAIGN, TARGET, CLASS, PRODUCT };

/* A previewed campaign takes part as if it were active, in its time and
 * funded: those rules are waived for it. */
enum preview { ASKED, WAIVED };

struct rule {
    const char *name; /* of the field where there is one */
    enum ads_reason reason;
    enum scope scope;
    enum preview preview;
    bool (*refuses)(struct ads_request *req, const struct candidate *one);
};

/* ---- rules of a campaign ---- */

/* Impressions are not billed yet: never give them away. */
static bool
is_unbilled(struct ads_request *req, const struct candidate *one)
{
    (void)req;
    return one->campaign->cpm;
}


static bool
is_previewed(const struct ads_request *req,
             const struct ads_snap_campaign *campaign)
{
    return req->ask->as_if != NULL
           && ads_uuid_equal(&campaign->id, req->ask->as_if);
}


/* A preview may ask for one campaign and no other. */
static bool
is_beside_preview(struct ads_request *req, const struct candidate *one)
{
    return req->ask->alone && !is_previewed(req, one->campaign);
}


static bool
does_not_run(struct ads_request *req, const struct candidate *one)
{
    const struct ads_snap_campaign *campaign = one->campaign;
    int64_t now_ms = (int64_t)req->ask->now_ms;

    return !ads_snap_is_active(campaign)
           || (campaign->start_ms != 0 && now_ms < campaign->start_ms)
           || (campaign->end_ms != 0 && now_ms >= campaign->end_ms);
}


static bool
account_is_closed(struct ads_request *req, const struct candidate *one)
{
    (void)req;
    return one->account == NULL || !one->account->active;
}


static bool
placement_differs(struct ads_request *req, const struct candidate *one)
{
    req->work += one->campaign->n_placements;
    return !ads_head_placement_allowed(&req->tables->head, one->campaign,
                                       &req->ask->placement);
}


/* By the publisher, or by the request. */
static bool
advertiser_is_excluded(struct ads_request *req, const struct candidate *one)
{
    const struct ads_head *head = &req->tables->head;
    const struct ads_snap_account *account = one->account;
    char id[ADS_UUID_TEXT_LEN];

    if (req->blocks != NULL) {
        req->work += req->blocks->n_publishers * WORK_PUBLISHER;
        if (ads_target_publisher_fits(head, req->blocks, &account->id)) {
            return true;
        }
    }
    if (req->not_advertisers->n == 0) {
        return false;
    }

    req->work += WORK_ADVERTISER;
    ads_uuid_write(id, &account->id);
    return ads_names_hold(req->not_advertisers,
                          (struct ads_str){id, sizeof(id)})
           || ads_names_hold_escaped(req->not_advertisers,
                                     ads_head_account_name(head, account));
}


static bool
place_differs(struct ads_request *req, const struct candidate *one)
{
    const struct ads_snap_campaign *campaign = one->campaign;

    req->work +=
        ((uint32_t)campaign->n_places + campaign->n_not_places) / WORK_PLACES;
    return !ads_head_place_allowed(&req->tables->head, campaign,
                                   &req->ask->place);
}


/* A test key, which anybody can make, would read bids by trying floors. */
static bool
bids_below_floor(struct ads_request *req, const struct candidate *one)
{
    return !req->ask->test && one->campaign->bid_micros < req->floor_micros;
}


/* Tables that lack what the campaign asks for: better not shown than to
 * everybody. */
static bool
target_is_missing(struct ads_request *req, const struct candidate *one)
{
    return ads_head_target(&req->tables->head, one->campaign) == NULL;
}


static bool
publisher_differs(struct ads_request *req, const struct candidate *one)
{
    req->work += one->target->n_publishers * WORK_PUBLISHER;
    return one->target->n_publishers > 0
           && !ads_target_publisher_fits(&req->tables->head, one->target,
                                         &req->ask->publisher);
}


static bool
language_differs(struct ads_request *req, const struct candidate *one)
{
    return one->target->languages_len > 0
           && !ads_target_language_fits(
               ads_head_languages(&req->tables->head, one->target),
               req->ask->language);
}


static struct ads_cap
cap_of(const struct ads_request *req, const struct ads_snap_campaign *campaign,
       const struct ads_snap_target *target)
{
    struct ads_cap cap = {0};

    if (target->frequency_count > 0 && req->ask->session != 0
        && !req->ask->test) {
        cap.key =
            (req->ask->session ^ campaign->tag) * UINT64_C(0x9e3779b97f4a7c15);
        cap.key ^= cap.key >> 32;
        cap.window_s = target->frequency_s;
    }
    return cap;
}


static bool
was_seen_enough(struct ads_request *req, const struct candidate *one)
{
    struct ads_cap cap = cap_of(req, one->campaign, one->target);

    return cap.window_s > 0 && req->live != NULL
           && ads_live_shown(req->live, cap.key, req->ask->now_ms / 1000,
                             cap.window_s)
                  >= one->target->frequency_count;
}


/* Is one of the n keywords from row `first` on said?  A look through sorted
 * rows, which lie anywhere. */
static bool
keyword_is_said(struct ads_request *req, uint32_t first, uint32_t n)
{
    if (n == 0) {
        return false;
    }
    if (!req->has_target) {
        ads_target_words_read(req->target, req->text, req->words);
        req->has_target = true;
    }
    req->work += req->target->n * WORK_STEP * (32 - (uint32_t)__builtin_clz(n));
    return ads_target_keywords_fit(&req->tables->head, first, n, req->target);
}


static bool
negative_keyword_is_said(struct ads_request *req, const struct candidate *one)
{
    const struct ads_snap_target *target = one->target;

    if (target->n_keywords > 0 || target->n_not_keywords > 0) {
        req->work += WORK_CAMPAIGN; /* of both lists of keywords */
    }
    return keyword_is_said(req, target->keywords + target->n_keywords,
                           target->n_not_keywords);
}


static bool
no_keyword_is_said(struct ads_request *req, const struct candidate *one)
{
    return one->target->n_keywords > 0
           && !keyword_is_said(req, one->target->keywords,
                               one->target->n_keywords);
}


/* What `live` still allows this campaign to sell here; NULL: nothing. */
static const struct ads_live_slot *
slot_of(const struct ads_request *req, const struct candidate *one)
{
    return req->live == NULL ? NULL
                             : ads_live_slot(req->live, one->campaign->slot,
                                             one->campaign->tag);
}


static bool
has_no_funds(struct ads_request *req, const struct candidate *one)
{
    const struct ads_live_slot *slot;

    if (req->ask->test) {
        return false;
    }
    slot = slot_of(req, one);
    return slot == NULL || !ads_live_pays(slot, one->campaign->bid_micros);
}


static bool
is_throttled(struct ads_request *req, const struct candidate *one)
{
    const struct ads_live_slot *slot;

    if (req->ask->test) {
        return false;
    }
    slot = slot_of(req, one);
    return slot == NULL
           || !ads_live_open_for(slot, req->ask->hash ^ one->campaign->tag);
}


/* ---- rules of products ---- */

static bool
currency_differs(struct ads_request *req, const struct candidate *one)
{
    return req->ask->currency[0] != '\0'
           && memcmp(req->ask->currency, one->ad->currency, 3) != 0;
}


static bool
has_price_bound(const struct ads_request *req)
{
    const struct ads_wish *wish = &req->understood->wish;

    return wish->least_micros >= 0 || wish->most_micros >= 0;
}


/* Does it cost what the request says it may, as far as is known? */
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


static bool
price_is_out(struct ads_request *req, const struct candidate *one)
{
    return has_price_bound(req) && !price_fits(req, one->doc);
}


static bool
product_language_differs(struct ads_request *req, const struct candidate *one)
{
    return !ads_target_speaks(one->ad->language, req->ask->language);
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


/* Its campaign is for products of other categories, or one of its own is
 * excluded. */
static bool
category_differs(struct ads_request *req, const struct candidate *one)
{
    bool aimed = one->target->categories_len > 0;
    bool blocked = req->blocks != NULL && req->blocks->categories_len > 0;
    uint32_t each = 2 * WORK_LINE + req->not_categories->n / WORK_NAMES;
    struct ads_str list;

    if (!aimed && !blocked && req->not_categories->n == 0) {
        return false;
    }
    list = ads_base_categories(one->from, one->ad);
    req->work += WORK_TEXT + (uint32_t)(list.len / WORK_HASHED)
                 + ads_target_lines(list) * each;
    return (aimed
            && !ads_target_category_fits(&req->tables->head, one->target, list))
           || category_excluded(req, list);
}


static bool
product_is_excluded(struct ads_request *req, const struct candidate *one)
{
    for (uint32_t i = 0; i < req->ask->n_not_ads; i++) {
        if (ads_uuid_equal(&req->ask->not_ads[i], &one->ad->id)) {
            return true;
        }
    }
    return false;
}


/* Does the request ask anything of a product by itself?  Few do, and the
 * others need not pay for it. */
static bool
asks_of_products(const struct ads_request *req)
{
    return has_price_bound(req) || req->ask->n_not_ads > 0;
}


/* ---- the table ---- */

static const struct rule rules[] = {
    {"billing", ADS_REASON_NO_MATCH, CAMPAIGN, ASKED, is_unbilled},
    {"preview", ADS_REASON_NO_MATCH, CAMPAIGN, ASKED, is_beside_preview},
    {"schedule", ADS_REASON_NO_MATCH, CAMPAIGN, WAIVED, does_not_run},
    {"account", ADS_REASON_NO_MATCH, CAMPAIGN, ASKED, account_is_closed},
    {"placements", ADS_REASON_BLOCKED, CAMPAIGN, ASKED, placement_differs},
    {"advertisers", ADS_REASON_BLOCKED, CAMPAIGN, ASKED,
     advertiser_is_excluded},
    {"locations", ADS_REASON_LOCATION, CAMPAIGN, ASKED, place_differs},
    {"floor", ADS_REASON_BELOW_FLOOR, CAMPAIGN, ASKED, bids_below_floor},
    {"target", ADS_REASON_NO_MATCH, TARGET, ASKED, target_is_missing},
    {"publishers", ADS_REASON_BLOCKED, TARGET, ASKED, publisher_differs},
    {"languages", ADS_REASON_BLOCKED, TARGET, ASKED, language_differs},
    {"frequency_cap", ADS_REASON_FREQUENCY_CAPPED, TARGET, ASKED,
     was_seen_enough},
    {"negative_keywords", ADS_REASON_BLOCKED, TARGET, ASKED,
     negative_keyword_is_said},
    {"keywords", ADS_REASON_NO_MATCH, TARGET, ASKED, no_keyword_is_said},
    {"funds", ADS_REASON_NO_BUDGET, CAMPAIGN, WAIVED, has_no_funds},
    {"pace", ADS_REASON_PACED, CAMPAIGN, WAIVED, is_throttled},
    {"currency", ADS_REASON_CURRENCY, CLASS, ASKED, currency_differs},
    {"price", ADS_REASON_NO_MATCH, PRODUCT, ASKED, price_is_out},
    {"language", ADS_REASON_BLOCKED, CLASS, ASKED, product_language_differs},
    {"categories", ADS_REASON_BLOCKED, CLASS, ASKED, category_differs},
    {"ad_ids", ADS_REASON_BLOCKED, PRODUCT, ASKED, product_is_excluded},
};

#define N_RULES (uint8_t)(sizeof(rules) / sizeof(rules[0]))
#define N_OF_CAMPAIGN 16 /* those before are of campaigns, the rest is not */

/* What is known of a class beside ADS_CLASS_UNKNOWN: that none of its rules
 * refuses it; else the number of the rule that does, above these. */
#define CLASS_FINE 1
#define CLASS_REFUSED 2


static const struct ads_snap_target *
target_of(const struct ads_request *req,
          const struct ads_snap_campaign *campaign)
{
    static const struct ads_snap_target nothing;
    const struct ads_snap_target *target =
        ads_head_target(&req->tables->head, campaign);

    return target == NULL ? &nothing : target;
}


struct ads_cap
ads_eligible_cap(const struct ads_request *req,
                 const struct ads_snap_campaign *campaign)
{
    return cap_of(req, campaign, target_of(req, campaign));
}


/* The rule that refuses the campaign; N_RULES: none. */
static uint8_t
campaign_refused(struct ads_request *req,
                 const struct ads_snap_campaign *campaign)
{
    const struct candidate one = {
        .campaign = campaign,
        .account = ads_head_account(&req->tables->head, campaign->account),
        .target = target_of(req, campaign),
    };
    bool previewed = is_previewed(req, campaign);
    bool aimed = campaign->target != 0;

    for (uint8_t i = 0; i < N_OF_CAMPAIGN; i++) {
        const struct rule *rule = &rules[i];
        bool asked = (aimed || rule->scope != TARGET)
                     && (!previewed || rule->preview != WAIVED);

        if (asked && rule->refuses(req, &one)) {
            return i;
        }
    }
    return N_RULES;
}


/* The memo of a campaign that was not checked yet; NULL is none. */
static uint8_t
memo_begin(struct ads_request *req, uint32_t row,
           const struct ads_snap_campaign *campaign)
{
    enum ads_reason reason = ADS_REASON_NO_MATCH;
    uint8_t refused;

    req->work += WORK_CAMPAIGN;
    if (campaign != NULL) {
        refused = campaign_refused(req, campaign);
        reason = refused == N_RULES ? ADS_REASON_NONE : rules[refused].reason;
    }
    if (req->ask->auctions != NULL && reason != ADS_REASON_NO_MATCH) {
        ads_auction_note(req->ask->auctions, row);
    }
    return (uint8_t)(reason == ADS_REASON_NONE
                         ? ADS_MEMO_SEEN | ADS_MEMO_ELIGIBLE
                         : ADS_MEMO_SEEN | reason);
}


/* What a refused campaign makes of its classes: a rule with its reason, which
 * is all that its memo keeps. */
static uint8_t
class_of_refused(enum ads_reason reason)
{
    uint8_t i = 0;

    while (i < N_OF_CAMPAIGN && rules[i].reason != reason) {
        i++;
    }
    return (uint8_t)(CLASS_REFUSED + i);
}


static uint8_t
class_begin(struct ads_request *req, const struct candidate *one)
{
    for (uint8_t i = N_OF_CAMPAIGN; i < N_RULES; i++) {
        if (rules[i].scope == CLASS && rules[i].refuses(req, one)) {
            return (uint8_t)(CLASS_REFUSED + i);
        }
    }
    return CLASS_FINE;
}


/* May this product of an eligible campaign be shown to this request?  `class`
 * is what is known of its class. */
static enum ads_reason
product_check(struct ads_request *req, const struct candidate *one,
              uint8_t *class)
{
    if (*class == ADS_CLASS_UNKNOWN) {
        *class = class_begin(req, one);
    }
    if (*class == CLASS_FINE && !asks_of_products(req)) {
        return ADS_REASON_NONE;
    }
    for (uint8_t i = N_OF_CAMPAIGN; i < N_RULES; i++) {
        if (rules[i].scope == CLASS ? *class == CLASS_REFUSED + i
                                    : rules[i].refuses(req, one))
        {
            return rules[i].reason;
        }
    }
    return ADS_REASON_NONE;
}


/* ads_eligible_check() of a document of this class. */
static enum ads_reason
document_check(struct ads_request *req, uint32_t doc, uint32_t class,
               int32_t *account)
{
    const struct ads_tables *tables = req->tables;
    const struct ads_base *from;
    const struct ads_snap_ad *ad = ads_tables_ad(tables, doc, &from);
    const struct ads_snap_campaign *campaign;
    enum ads_reason reason = ADS_REASON_NONE;
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
        *of_class = class_of_refused(reason);
        return reason;
    }

    *account = -1;
    if (req->again
        && ads_rank_places(req->decision, campaign->account)
               >= ADS_ACCOUNT_ADS_MAX)
    {
        return ADS_REASON_NONE;
    }

    if (*of_class != CLASS_FINE || asks_of_products(req)) {
        const struct candidate one = {.campaign = campaign,
                                      .target = target_of(req, campaign),
                                      .ad = ad,
                                      .from = from,
                                      .doc = doc};

        reason = product_check(req, &one, of_class);
    }
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


enum ads_reason
ads_eligible_check(struct ads_request *req, uint32_t doc, int32_t *account)
{
    return document_check(req, doc, ads_tables_class(req->tables, doc),
                          account);
}


int32_t
ads_eligible_account(void *ctx, uint32_t doc)
{
    struct ads_request *req = ctx;
    uint32_t class = ads_tables_class(req->tables, doc);
    uint8_t known = req->classes[class];
    int32_t account = -1;
    enum ads_reason reason;

    /* both cost a look alone: whose product it is need not be known */
    if (has_price_bound(req) && !price_fits(req, doc)) {
        req->decision->trace.refused[ADS_REASON_NO_MATCH]++;
        return -1;
    }
    if (known >= CLASS_REFUSED) {
        reason = rules[known - CLASS_REFUSED].reason;
        req->decision->trace.refused[reason]++;
        return -1;
    }
    req->work += WORK_PRODUCT;
    reason = document_check(req, doc, class, &account);
    if (reason != ADS_REASON_NONE) {
        req->decision->trace.refused[reason]++;
        return -1;
    }
    return account;
}


int32_t
ads_eligible_previewed(void *ctx, uint32_t doc)
{
    const struct ads_request *req = ctx;
    const struct ads_base *from;
    const struct ads_snap_ad *ad = ads_tables_ad(req->tables, doc, &from);
    const struct ads_snap_campaign *campaign =
        ad == NULL ? NULL
                   : ads_head_campaign_of(&req->tables->head, ad->campaign);

    return campaign != NULL && is_previewed(req, campaign)
               ? (int32_t)campaign->account
               : -1;
}
