/*
 * Keeps the best candidates while the postings are walked: the best overall,
 * and of one account at most its share.
 *
 * Which are kept does not depend on the order they come in: an account that
 * has its share gives up its own worst, otherwise the worst of all goes.
 */
#include "ads_match_parts.h"


/* Moves the entry at i of the heap (least key first) down to its place. */
static void
heap_down(struct ads_match_keep *keep, uint32_t i)
{
    uint64_t entry = keep->heap[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= keep->n) {
            break;
        }
        /* either is as likely: added, not branched to */
        if (child + 1 < keep->n) {
            child += keep->heap[child + 1] < keep->heap[child];
        }
        if (keep->heap[child] >= entry) {
            break;
        }
        keep->heap[i] = keep->heap[child];
        i = child;
    }
    keep->heap[i] = entry;
}


static void
heap_up(struct ads_match_keep *keep, uint32_t i)
{
    uint64_t entry = keep->heap[i];

    while (i > 0) {
        uint32_t parent = (i - 1) / 2;

        if (keep->heap[parent] <= entry) {
            break;
        }
        keep->heap[i] = keep->heap[parent];
        i = parent;
    }
    keep->heap[i] = entry;
}


/* The candidate takes the place of the one at i of the heap. */
static void
heap_replace(struct ads_match_keep *keep, uint32_t i,
             const struct ads_match_candidate *item)
{
    uint32_t place = (uint32_t)keep->heap[i];

    keep->items[place] = *item;
    keep->heap[i] = (uint64_t)item->key << 32 | place;
    heap_down(keep, i);
}


/* Where the account is counted.  At most ADS_MATCH_DEPTH accounts have a
 * candidate, so there is always a slot that is free or stale. */
static uint32_t *
count_find(struct ads_match_keep *keep, int32_t account)
{
    uint32_t slot = (uint32_t)account * 0x9e3779b1u >> 24;
    uint32_t spare = ADS_MATCH_SLOTS;

    for (uint32_t i = 0; i < ADS_MATCH_SLOTS; i++) {
        if (keep->account[slot] == account) {
            return &keep->count[slot];
        }
        if (spare == ADS_MATCH_SLOTS
            && (keep->account[slot] == -1 || keep->count[slot] == 0))
        {
            spare = slot;
        }
        if (keep->account[slot] == -1) {
            break;
        }
        slot = (slot + 1) % ADS_MATCH_SLOTS;
    }
    keep->account[spare] = account;
    keep->count[spare] = 0;
    return &keep->count[spare];
}


/* The account has its share: its worst candidate gives way to a better one. */
static void
account_replace(struct ads_match_keep *keep,
                const struct ads_match_candidate *item)
{
    uint64_t worst = UINT64_MAX;
    uint32_t at = 0;

    for (uint32_t i = 0; i < keep->n; i++) {
        uint32_t place = (uint32_t)keep->heap[i];

        if (keep->items[place].account == item->account
            && keep->heap[i] < worst) {
            worst = keep->heap[i];
            at = i;
        }
    }
    if (worst >> 32 < item->key) {
        heap_replace(keep, at, item);
    }
}


void
ads_match_keep_init(struct ads_match_keep *keep,
                    const struct ads_match_filter *filter, uint32_t depth)
{
    keep->filter = filter;
    keep->counted = filter != NULL && filter->per_account < depth;
    keep->depth = depth;
    keep->n = 0;
    keep->threshold = 0;
    if (keep->counted) {
        memset(keep->account, 0xff, sizeof(keep->account));
    }
}


void
ads_match_keep_offer(struct ads_match_keep *keep,
                     struct ads_match_candidate *item,
                     struct ads_match_stats *stats)
{
    const struct ads_match_filter *filter = keep->filter;

    stats->candidates++;
    if (filter != NULL) {
        item->account = filter->account(filter->ctx, item->doc);
        if (item->account < 0 || filter->per_account == 0) {
            stats->refused++;
            return;
        }
    }
    if (keep->counted) {
        uint32_t *count = count_find(keep, item->account);

        /* only a filter makes it count */
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        if (*count >= filter->per_account) {
            account_replace(keep, item);
            goto done;
        }
        ++*count;
    }

    if (keep->n < keep->depth) {
        keep->items[keep->n] = *item;
        keep->heap[keep->n] = (uint64_t)item->key << 32 | keep->n;
        heap_up(keep, keep->n++);
    } else {
        if (keep->counted) {
            uint32_t place = (uint32_t)keep->heap[0];

            --*count_find(keep, keep->items[place].account);
        }
        heap_replace(keep, 0, item);
    }

done:
    if (keep->n == keep->depth) {
        keep->threshold = (uint32_t)(keep->heap[0] >> 32);
    }
}
