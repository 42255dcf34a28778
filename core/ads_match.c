/*
 * The walk over the postings: windows of documents, best bound first; inside
 * a window column by column, the terms that can lift a document over the
 * threshold first.
 */
#include "ads_match_parts.h"

/* A list longer than this many times the survivors is searched, not walked. */
#define SEARCH_FACTOR 16

#define SLOTS 256 /* of the account table, over twice the depth */

/* A term's postings, its numbers checked against the sections. */
struct list {
    const uint8_t *postings;
    const uint32_t *windows; /* NULL: not dense */
    const uint8_t *maxes;
    uint32_t n;
    uint32_t weight;
};

/* One group: one list, or alternatives (the second of a pair beside it). */
struct column {
    uint32_t idf;
    uint32_t factor; /* idf << ADS_MATCH_SUM_SHIFT */
    uint8_t n;
    bool plain;           /* one dense list of full weight */
    const uint8_t *maxes; /* by window */
    struct list lists[ADS_MATCH_ALTERNATIVES];
    struct list seconds[ADS_MATCH_ALTERNATIVES]; /* n is 0: not a pair */
};

/* The postings of a column in one window. */
struct slice {
    const uint8_t *low; /* u16 each */
    const uint8_t *impact;
    uint32_t n;
};

struct heap {
    uint32_t n;
    bool full;
    struct ads_match_candidate items[ADS_MATCH_DEPTH]; /* least key first */
    int32_t account[SLOTS];
    uint32_t count[SLOTS];
};

struct run {
    const struct ads_index *index;
    const struct ads_match_filter *filter;
    struct ads_match_stats *stats;
    uint32_t options;
    uint32_t window; /* documents of one */
    uint32_t n_columns;
    uint32_t threshold; /* a key must be above it */

    /* memory that follows in scratch */
    uint32_t *bounds;   /* by window: highest possible sum */
    uint32_t *queue;    /* windows, a heap by bound */
    uint32_t *sums;     /* by document of the window */
    uint16_t *low;      /* documents in play: 2 x window */
    uint8_t *maxes;     /* columns x n_windows */
    uint8_t *best;      /* by document: of the alternatives */
    uint8_t *first;     /* by document: first of a pair */
    uint16_t *made_low; /* a slice made of alternatives: window */
    uint8_t *made_impact;

    struct heap heap;
    struct column columns[ADS_MATCH_GROUPS];
};


/* ---- scratch ------------------------------------------------------------- */

static size_t
take(size_t *used, size_t len)
{
    size_t at = *used;

    *used += (len + 63) & ~(size_t)63;
    return at;
}


/* Lays the arrays out behind the run; `run` NULL only counts. */
static size_t
scratch_lay(const struct ads_index *index, struct run *run)
{
    size_t window = (size_t)1 << index->window_bits;
    size_t n_windows = index->n_windows;
    size_t used = 0;
    size_t at[9];

    (void)take(&used, sizeof(struct run));
    at[0] = take(&used, 4 * n_windows);
    at[1] = take(&used, 4 * n_windows);
    at[2] = take(&used, 4 * window);
    at[3] = take(&used, 2 * 2 * window);
    at[4] = take(&used, n_windows * ADS_MATCH_GROUPS);
    at[5] = take(&used, window);
    at[6] = take(&used, window);
    at[7] = take(&used, 2 * window);
    at[8] = take(&used, window);
    if (run != NULL) {
        uint8_t *base = (uint8_t *)run;

        run->bounds = (uint32_t *)(void *)(base + at[0]);
        run->queue = (uint32_t *)(void *)(base + at[1]);
        run->sums = (uint32_t *)(void *)(base + at[2]);
        run->low = (uint16_t *)(void *)(base + at[3]);
        run->maxes = base + at[4];
        run->best = base + at[5];
        run->first = base + at[6];
        run->made_low = (uint16_t *)(void *)(base + at[7]);
        run->made_impact = base + at[8];
    }
    return used;
}


size_t
ads_match_scratch_len(const struct ads_index *index)
{
    return scratch_lay(index, NULL);
}


static uint32_t
low_read(const uint8_t *low, uint32_t i)
{
    uint16_t value;

    memcpy(&value, low + 2 * (size_t)i, sizeof(value));
    return value;
}


static uint32_t
doc_read(const uint8_t *docs, uint32_t i)
{
    uint32_t value;

    memcpy(&value, docs + 4 * (size_t)i, sizeof(value));
    return value;
}


/* ---- columns ------------------------------------------------------------- */

/* The list of a term; n is 0 where the index is damaged. */
static struct list
list_open(const struct ads_index *index, uint32_t number, uint32_t weight)
{
    const struct ads_index_term *term;
    struct list list = {.weight = weight};
    uint64_t each;

    if (number >= index->n_terms) {
        return list;
    }

    term = &index->terms[number];
    each = number < index->n_dense ? 3 : 5;
    if (term->start > index->postings_len
        || term->n > (index->postings_len - term->start) / each)
    {
        return list;
    }
    list.postings = index->postings + term->start;
    list.n = term->n;
    if (number < index->n_dense) {
        list.windows = index->windows + (size_t)number * (index->n_windows + 1);
        list.maxes = index->maxes + (size_t)number * index->n_windows;
    }
    return list;
}


static uint32_t
weigh(uint32_t impact, uint32_t weight)
{
    return (impact * weight + 255) >> 8;
}


/* Raises row[] to the list's highest impact by window. */
static void
row_raise(const struct run *run, const struct list *list, uint8_t *row)
{
    const struct ads_index *index = run->index;

    if (list->windows != NULL) {
        for (uint32_t w = 0; w < index->n_windows; w++) {
            uint32_t most = weigh(list->maxes[w], list->weight);

            row[w] = most > row[w] ? (uint8_t)most : row[w];
        }
        return;
    }
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t w = doc_read(list->postings, i) >> index->window_bits;
        uint32_t most =
            weigh(list->postings[4 * (size_t)list->n + i], list->weight);

        if (w < index->n_windows && most > row[w]) {
            row[w] = (uint8_t)most;
        }
    }
}


static void
column_open(struct run *run, const struct ads_match_group *group, uint32_t i)
{
    const struct ads_index *index = run->index;
    struct column *column = &run->columns[i];
    uint8_t *row = run->maxes + (size_t)i * index->n_windows;

    column->idf = group->idf;
    column->factor = (uint32_t)group->idf << ADS_MATCH_SUM_SHIFT;
    column->n = group->n_alternatives;
    for (uint32_t k = 0; k < group->n_alternatives; k++) {
        const struct ads_match_alternative *alternative =
            &group->alternatives[k];

        column->lists[k] =
            list_open(index, alternative->term, alternative->weight);
        column->seconds[k].n = 0;
        if (alternative->second != ADS_INDEX_NONE) {
            column->seconds[k] =
                list_open(index, alternative->second, alternative->weight);
            if (column->seconds[k].n == 0) {
                column->lists[k].n = 0; /* both or nothing */
                column->lists[k].windows = NULL;
            }
        }
    }

    column->plain = column->n == 1 && column->seconds[0].n == 0
                    && column->lists[0].windows != NULL
                    && column->lists[0].weight == 256;
    if (column->plain) {
        column->maxes = column->lists[0].maxes;
        return;
    }

    /* of a pair either half bounds the mean of both from above together with
     * the other: the larger is enough */
    memset(row, 0, index->n_windows);
    for (uint32_t k = 0; k < column->n; k++) {
        row_raise(run, &column->lists[k], row);
        if (column->seconds[k].n > 0) {
            row_raise(run, &column->seconds[k], row);
        }
    }
    column->maxes = row;
}


/* The list's own slice of a window, with documents as u16.  A list that is
 * not dense is copied to `low`. */
static struct slice
list_slice(const struct run *run, const struct list *list, uint32_t w,
           uint16_t *low)
{
    uint32_t bits = run->index->window_bits;
    struct slice slice = {.n = 0};
    uint32_t from, to;

    if (list->n == 0) {
        return slice;
    }
    if (list->windows != NULL) {
        from = list->windows[w];
        to = list->windows[w + 1];
        if (from > to || to > list->n || to - from > run->window) {
            return slice;
        }
        slice.n = to - from;
        slice.low = list->postings + 3 * (size_t)from;
        slice.impact = slice.low + 2 * (size_t)slice.n;
        return slice;
    }

    from = 0;
    for (to = list->n; from < to;) {
        uint32_t mid = from + (to - from) / 2;

        if (doc_read(list->postings, mid) >> bits < w) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    slice.low = (const uint8_t *)low;
    slice.impact = list->postings + 4 * (size_t)list->n + from;
    while (from + slice.n < list->n && slice.n < run->window) {
        uint32_t doc = doc_read(list->postings, from + slice.n);

        if (doc >> bits != w) {
            break;
        }
        low[slice.n++] = (uint16_t)(doc & (run->window - 1));
    }
    return slice;
}


/* Puts one alternative's impacts into best[], new documents into made_low. */
static uint32_t
alternative_merge(struct run *run, const struct column *column, uint32_t k,
                  uint32_t w, uint32_t n)
{
    uint32_t mask = run->window - 1, weight = column->lists[k].weight;
    bool pair = column->seconds[k].n > 0;
    uint16_t *copy = run->low + run->window; /* free while slices are made */
    struct slice slice = list_slice(run, &column->lists[k], w, copy);

    run->stats->postings += slice.n;
    if (pair) {
        memset(run->first, 0, run->window);
        for (uint32_t i = 0; i < slice.n; i++) {
            run->first[low_read(slice.low, i) & mask] = slice.impact[i];
        }
        slice = list_slice(run, &column->seconds[k], w, copy);
        run->stats->postings += slice.n;
    }

    for (uint32_t i = 0; i < slice.n; i++) {
        uint32_t low = low_read(slice.low, i) & mask;
        uint32_t impact = slice.impact[i];

        if (pair) {
            impact = run->first[low] == 0 ? 0 : (impact + run->first[low]) / 2;
        }
        impact = weigh(impact, weight);
        if (impact == 0) {
            continue;
        }
        if (run->best[low] == 0 && n < run->window) {
            run->made_low[n++] = (uint16_t)low;
        }
        if (impact > run->best[low]) {
            run->best[low] = (uint8_t)impact;
        }
    }
    return n;
}


/* The column's slice of a window; of alternatives the best impact counts. */
static struct slice
column_slice(struct run *run, const struct column *column, uint32_t w)
{
    struct slice slice;
    uint32_t n = 0;

    if (column->plain) {
        slice = list_slice(run, &column->lists[0], w, NULL);
        run->stats->postings += slice.n;
        return slice;
    }

    memset(run->best, 0, run->window);
    for (uint32_t k = 0; k < column->n; k++) {
        n = alternative_merge(run, column, k, w, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        run->made_impact[i] = run->best[run->made_low[i]];
    }
    slice.low = (const uint8_t *)run->made_low;
    slice.impact = run->made_impact;
    slice.n = n;
    return slice;
}


/* ---- the candidates that are kept ---------------------------------------- */

static void
heap_down(struct heap *heap, uint32_t i)
{
    struct ads_match_candidate item = heap->items[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= heap->n) {
            break;
        }
        if (child + 1 < heap->n
            && heap->items[child + 1].key < heap->items[child].key) {
            child++;
        }
        if (heap->items[child].key >= item.key) {
            break;
        }
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = item;
}


static void
heap_up(struct heap *heap, uint32_t i)
{
    struct ads_match_candidate item = heap->items[i];

    while (i > 0 && heap->items[(i - 1) / 2].key > item.key) {
        heap->items[i] = heap->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->items[i] = item;
}


/* Where the account is counted: at most ADS_MATCH_DEPTH of SLOTS are used by
 * accounts that still have a candidate, stale ones are taken over. */
static uint32_t *
heap_count(struct heap *heap, int32_t account)
{
    uint32_t slot = (uint32_t)account * 0x9e3779b1u >> 24;
    uint32_t free = SLOTS;

    for (uint32_t i = 0; i < SLOTS; i++, slot = (slot + 1) % SLOTS) {
        if (heap->account[slot] == account) {
            return &heap->count[slot];
        }
        if (heap->account[slot] == -1) {
            if (free == SLOTS) {
                free = slot;
            }
            break;
        }
        if (heap->count[slot] == 0 && free == SLOTS) {
            free = slot;
        }
    }
    heap->account[free] = account;
    heap->count[free] = 0;
    return &heap->count[free];
}


/* Keeps the candidate when it is among the best; its account gives way to
 * itself when it has its share. */
static void
heap_offer(struct run *run, struct ads_match_candidate *item)
{
    const struct ads_match_filter *filter = run->filter;
    struct heap *heap = &run->heap;
    uint32_t at = 0;
    uint32_t *count;

    run->stats->candidates++;
    if (filter != NULL) {
        item->account = filter->account(filter->ctx, item->doc);
        if (item->account < 0) {
            run->stats->refused++;
            return;
        }
        count = heap_count(heap, item->account);
        if (*count >= filter->per_account) {
            at = ADS_MATCH_DEPTH;
            for (uint32_t i = 0; i < heap->n; i++) {
                if (heap->items[i].account == item->account
                    && (at == ADS_MATCH_DEPTH
                        || heap->items[i].key < heap->items[at].key))
                {
                    at = i;
                }
            }
            if (at == ADS_MATCH_DEPTH || heap->items[at].key >= item->key) {
                return;
            }
            heap->items[at] = *item;
            heap_down(heap, at);
        } else {
            ++*count;
            at = ADS_MATCH_DEPTH;
        }
    } else {
        at = ADS_MATCH_DEPTH;
    }

    if (at == ADS_MATCH_DEPTH && heap->n < ADS_MATCH_DEPTH) {
        heap->items[heap->n++] = *item;
        heap_up(heap, heap->n - 1);
    } else if (at == ADS_MATCH_DEPTH) {
        if (filter != NULL) {
            --*heap_count(heap, heap->items[0].account);
        }
        heap->items[0] = *item;
        heap_down(heap, 0);
    }
    if (heap->n == ADS_MATCH_DEPTH) {
        run->threshold = heap->items[0].key;
    }
}


/* ---- one window ---------------------------------------------------------- */

/* Adds the slice; documents met for the first time are appended to low[]. */
static uint32_t
slice_add(struct run *run, const struct slice *slice,
          const struct column *column, uint32_t n)
{
    uint32_t mask = run->window - 1;
    uint32_t len = slice->n;

    if (n + len > 2 * run->window) { /* only where the index is damaged */
        return n;
    }
    for (uint32_t i = 0; i < len; i++) {
        uint32_t low = low_read(slice->low, i) & mask;
        uint32_t sum = run->sums[low];

        run->low[n] = (uint16_t)low;
        n += sum == 0;
        run->sums[low] = sum + slice->impact[i] * column->factor + column->idf;
    }
    return n;
}


/* Adds the slice to all documents: those not in play do not matter. */
static void
slice_walk(struct run *run, const struct slice *slice,
           const struct column *column)
{
    uint32_t mask = run->window - 1;

    for (uint32_t i = 0; i < slice->n; i++) {
        run->sums[low_read(slice->low, i) & mask] +=
            slice->impact[i] * column->factor + column->idf;
    }
}


/* Looks each of n documents up in the slice. */
static void
slice_search(struct run *run, const struct slice *slice,
             const struct column *column, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = run->low[i], from = 0, len = slice->n;

        while (len > 1) {
            uint32_t half = len / 2;

            from += low_read(slice->low, from + half) <= low ? half : 0;
            len -= half;
        }
        if (len == 1 && low_read(slice->low, from) == low) {
            run->sums[low] +=
                slice->impact[from] * column->factor + column->idf;
        }
    }
}


/* Drops the documents that cannot pass the threshold with `rest` added. */
static uint32_t
survivors_keep(struct run *run, uint32_t n, uint32_t rest)
{
    uint32_t threshold = run->threshold, kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = run->low[i];

        run->low[kept] = (uint16_t)low;
        kept += ads_match_key(run->sums[low] + rest) > threshold;
    }
    return kept;
}


static void
window_visit(struct run *run, uint32_t w)
{
    uint32_t rest[ADS_MATCH_GROUPS + 1];
    uint32_t essential = run->n_columns, n = 0;
    bool prune = (run->options & ADS_MATCH_EXHAUSTIVE) == 0;

    rest[run->n_columns] = 0;
    for (uint32_t i = run->n_columns; i-- > 0;) {
        const struct column *column = &run->columns[i];
        uint32_t most = column->maxes[w];

        rest[i] =
            rest[i + 1] + (most == 0 ? 0 : most * column->factor + column->idf);
        if (prune && ads_match_key(rest[i]) <= run->threshold) {
            essential = i;
        }
    }

    run->stats->windows++;
    memset(run->sums, 0, 4 * (size_t)run->window);
    for (uint32_t i = 0; i < run->n_columns; i++) {
        const struct column *column = &run->columns[i];
        struct slice slice;

        if (column->maxes[w] == 0) {
            continue;
        }
        if (i < essential) {
            slice = column_slice(run, column, w);
            n = slice_add(run, &slice, column, n);
            continue;
        }
        n = survivors_keep(run, n, rest[i]);
        if (n == 0) {
            return;
        }
        slice = column_slice(run, column, w);
        if (!column->plain || slice.n < SEARCH_FACTOR * n) {
            slice_walk(run, &slice, column);
        } else {
            run->stats->postings += n;
            slice_search(run, &slice, column, n);
        }
    }

    for (uint32_t i = 0; i < n; i++) {
        struct ads_match_candidate item = {.sum = run->sums[run->low[i]],
                                           .doc = (w << run->index->window_bits)
                                                  + run->low[i]};

        item.key = ads_match_key(item.sum);
        if (item.key > run->threshold && item.doc < run->index->n_docs) {
            heap_offer(run, &item);
        }
    }
}


/* ---- all windows --------------------------------------------------------- */

static void
queue_down(struct run *run, uint32_t n, uint32_t i)
{
    uint32_t item = run->queue[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= n) {
            break;
        }
        if (child + 1 < n
            && run->bounds[run->queue[child + 1]]
                   > run->bounds[run->queue[child]])
        {
            child++;
        }
        if (run->bounds[run->queue[child]] <= run->bounds[item]) {
            break;
        }
        run->queue[i] = run->queue[child];
        i = child;
    }
    run->queue[i] = item;
}


/* Fills bounds[] (as keys) and queue[]; returns the windows worth a visit. */
static uint32_t
queue_fill(struct run *run)
{
    uint32_t n_windows = run->index->n_windows, n = 0;

    memset(run->bounds, 0, 4 * (size_t)n_windows);
    for (uint32_t i = 0; i < run->n_columns; i++) {
        const struct column *column = &run->columns[i];
        uint32_t factor = column->factor, idf = column->idf;

        for (uint32_t w = 0; w < n_windows; w++) {
            uint32_t most = column->maxes[w];

            run->bounds[w] += most * factor + (most == 0 ? 0 : idf);
        }
    }
    for (uint32_t w = 0; w < n_windows; w++) {
        run->bounds[w] = ads_match_key(run->bounds[w]);
        run->queue[n] = w;
        n += run->bounds[w] > 0;
    }
    for (uint32_t i = n / 2; i-- > 0;) {
        queue_down(run, n, i);
    }
    return n;
}


/* The rarest column first: the common ones are the ones to skip. */
static void
columns_open(struct run *run, const struct ads_match_query *query)
{
    uint8_t order[ADS_MATCH_GROUPS];

    run->n_columns = query->n_groups;
    for (uint32_t i = 0; i < query->n_groups; i++) {
        uint32_t at = i;

        for (;
             at > 0 && query->groups[order[at - 1]].idf < query->groups[i].idf;
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < query->n_groups; i++) {
        column_open(run, &query->groups[order[i]], i);
    }
}


uint32_t
ads_match_run(const struct ads_index *index,
              const struct ads_match_query *query,
              const struct ads_match_filter *filter, uint32_t options,
              void *scratch, struct ads_match_hit *hits, uint32_t max,
              struct ads_match_stats *stats)
{
    struct run *run = scratch;
    uint32_t n;

    memset(stats, 0, sizeof(*stats));
    if (query->n_groups == 0 || index->n_docs == 0) {
        return 0;
    }

    (void)scratch_lay(index, run);
    run->index = index;
    run->filter = filter;
    run->stats = stats;
    run->options = options;
    run->window = (uint32_t)1 << index->window_bits;
    run->threshold = 0;
    run->heap.n = 0;
    memset(run->heap.account, 0xff, sizeof(run->heap.account));
    columns_open(run, query);

    for (n = queue_fill(run); n > 0; n--) {
        uint32_t w = run->queue[0];

        if ((options & ADS_MATCH_EXHAUSTIVE) == 0) {
            if (run->bounds[w] <= run->threshold) {
                break;
            }
            if (stats->postings > ADS_MATCH_BUDGET) {
                stats->cut = true;
                break;
            }
        }
        run->queue[0] = run->queue[n - 1];
        queue_down(run, n - 1, 0);
        window_visit(run, w);
    }
    return ads_match_rank(index, query, run->heap.items, run->heap.n, hits,
                          max);
}


/* ---- one document -------------------------------------------------------- */

/* Does the list have the document? */
static bool
list_has(const struct ads_index *index, uint32_t term, uint32_t doc)
{
    struct list list = list_open(index, term, 256);
    uint32_t w = doc >> index->window_bits, from = 0, to = list.n;
    uint32_t low = doc & (((uint32_t)1 << index->window_bits) - 1);
    const uint8_t *at = list.postings;

    if (list.n == 0) {
        return false;
    }
    if (list.windows != NULL) {
        from = list.windows[w];
        to = list.windows[w + 1];
        if (from > to || to > list.n) {
            return false;
        }
        at += 3 * (size_t)from;
        to -= from;
        from = 0;
    }
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        bool less = list.windows != NULL ? low_read(at, mid) < low
                                         : doc_read(at, mid) < doc;

        if (less) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    if (list.windows != NULL) {
        uint32_t n = list.windows[w + 1] - list.windows[w];

        return from < n && low_read(at, from) == low;
    }
    return from < list.n && doc_read(at, from) == doc;
}


uint32_t
ads_match_groups(const struct ads_index *index,
                 const struct ads_match_query *query, uint32_t doc)
{
    uint32_t groups = 0;

    if (doc >= index->n_docs) {
        return 0;
    }
    for (uint32_t g = 0; g < query->n_groups; g++) {
        const struct ads_match_group *group = &query->groups[g];

        for (uint32_t i = 0; i < group->n_alternatives; i++) {
            const struct ads_match_alternative *a = &group->alternatives[i];

            if (list_has(index, a->term, doc)
                && (a->second == ADS_INDEX_NONE
                    || list_has(index, a->second, doc)))
            {
                groups |= (uint32_t)1 << g;
            }
        }
    }
    return groups;
}
