/*
 * Walks the postings of the query's terms: windows of documents, best bound
 * first; inside a window column by column, the terms that can lift a document
 * over the threshold first.
 */
#include "ads_match_parts.h"

/* A list longer than this many times the survivors is searched, not walked. */
#define SEARCH_FACTOR 16

/* Sums are cleared one by one up to this share of a window. */
#define CLEAR_FACTOR 8

/* Windows that are known before they are visited. */
#define WINDOWS_AHEAD 2

/* One group: one list, or alternatives (the second of a pair beside it). */
struct column {
    uint32_t idf;
    uint32_t factor; /* idf << ADS_MATCH_SUM_SHIFT */
    uint8_t n;
    bool plain;           /* one dense list of full weight */
    const uint8_t *maxes; /* by window */
    struct ads_match_list lists[ADS_MATCH_ALTERNATIVES];
    struct ads_match_list
        seconds[ADS_MATCH_ALTERNATIVES]; /* n is 0: not a pair */
};

/* What a walk looks for.  Products of the wanted kind are looked for by
 * themselves, so that those that only share a word with the request, however
 * many, leave them their places. */
enum part {
    ALL, /* no kind is wanted */
    OF_KIND,
    OTHERS
};

struct run {
    const struct ads_index *index;
    struct ads_match_stats *stats;
    uint32_t options;
    uint32_t first_doc; /* its number among those of both */
    uint32_t window;    /* documents of one */
    uint32_t n_columns;

    /* memory that follows in scratch */
    uint32_t *bounds;   /* by window: highest possible sum */
    uint64_t *queue;    /* bound << 32 | window, a heap */
    uint32_t *sums;     /* by document of the window */
    uint16_t *low;      /* documents in play: 2 x window */
    uint8_t *maxes;     /* columns x n_windows */
    uint8_t *best;      /* by document: of the alternatives */
    uint8_t *first;     /* by document: first of a pair */
    uint16_t *made_low; /* a slice made of alternatives: window */
    uint8_t *made_impact;

    /* what is not 0 in sums[] */
    bool all_dirty;
    uint32_t n_dirty; /* postings */
    uint32_t n_used;
    struct ads_match_slice used[ADS_MATCH_GROUPS];

    enum part part;
    uint32_t budget;
    struct ads_match_keep keep; /* of the part */
    uint32_t n_found;           /* of the parts that are done */
    struct ads_match_candidate found[ADS_MATCH_DEPTH];
    struct ads_match_keep refused; /* the best that the filter refused */
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
    at[1] = take(&used, 8 * n_windows);
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
        run->queue = (uint64_t *)(void *)(base + at[1]);
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
    size_t len = scratch_lay(index, NULL);
    size_t more = index->more == NULL ? 0 : scratch_lay(index->more, NULL);

    return len > more ? len : more;
}


/* ---- columns ------------------------------------------------------------- */

static uint32_t
weigh(uint32_t impact, uint32_t weight)
{
    return (impact * weight + 255) >> 8;
}


/* Raises row[] to the list's highest impact by window. */
static void
row_raise(const struct run *run, const struct ads_match_list *list,
          uint8_t *row)
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
        uint32_t w = ads_match_doc(list->postings, i) >> index->window_bits;
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
            ads_match_list_open(index, alternative->term, alternative->weight);
        column->seconds[k].n = 0;
        if (alternative->second != ADS_INDEX_NONE) {
            column->seconds[k] = ads_match_list_open(index, alternative->second,
                                                     alternative->weight);
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


/* Puts one alternative's impacts into best[], new documents into made_low. */
static uint32_t
alternative_merge(struct run *run, const struct column *column, uint32_t k,
                  uint32_t w, uint32_t n)
{
    uint32_t mask = run->window - 1, weight = column->lists[k].weight;
    bool pair = column->seconds[k].n > 0;
    uint16_t *copy = run->low + run->window; /* free while slices are made */
    struct ads_match_slice slice =
        ads_match_list_slice(run->index, &column->lists[k], w, copy);

    run->stats->postings += slice.n;
    if (pair) {
        memset(run->first, 0, run->window);
        for (uint32_t i = 0; i < slice.n; i++) {
            run->first[ads_match_low(slice.low, i) & mask] = slice.impact[i];
        }
        slice = ads_match_list_slice(run->index, &column->seconds[k], w, copy);
        run->stats->postings += slice.n;
    }

    for (uint32_t i = 0; i < slice.n; i++) {
        uint32_t low = ads_match_low(slice.low, i) & mask;
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
static struct ads_match_slice
column_slice(struct run *run, const struct column *column, uint32_t w)
{
    struct ads_match_slice slice;
    uint32_t n = 0;

    if (column->plain) {
        slice = ads_match_list_slice(run->index, &column->lists[0], w, NULL);
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


/* ---- one window ---------------------------------------------------------- */

/* Makes all sums 0: by the postings that were added where they are few. */
static void
sums_clear(struct run *run)
{
    uint32_t mask = run->window - 1;

    if (run->all_dirty || run->n_dirty > run->window / CLEAR_FACTOR) {
        memset(run->sums, 0, 4 * (size_t)run->window);
    } else {
        for (uint32_t k = 0; k < run->n_used; k++) {
            for (uint32_t i = 0; i < run->used[k].n; i++) {
                run->sums[ads_match_low(run->used[k].low, i) & mask] = 0;
            }
        }
    }
    run->all_dirty = false;
    run->n_dirty = 0;
    run->n_used = 0;
}


/* Notes what sums_clear() must undo; slices that were made do not last. */
static void
slice_note(struct run *run, const struct column *column,
           const struct ads_match_slice *slice)
{
    run->all_dirty = run->all_dirty || !column->plain;
    run->n_dirty += slice->n;
    run->used[run->n_used++] = *slice;
}


/* Adds the slice; documents met for the first time are appended to low[]. */
static uint32_t
slice_add(struct run *run, const struct ads_match_slice *slice,
          const struct column *column, uint32_t n)
{
    uint32_t mask = run->window - 1;
    uint32_t len = slice->n;

    if (n + len > 2 * run->window) { /* only where the index is damaged */
        return n;
    }
    for (uint32_t i = 0; i < len; i++) {
        uint32_t low = ads_match_low(slice->low, i) & mask;
        uint32_t sum = run->sums[low];

        run->low[n] = (uint16_t)low;
        n += sum == 0;
        run->sums[low] = sum + slice->impact[i] * column->factor + column->idf;
    }
    return n;
}


/* Adds the slice to all documents: those not in play do not matter. */
static void
slice_walk(struct run *run, const struct ads_match_slice *slice,
           const struct column *column)
{
    uint32_t mask = run->window - 1;

    for (uint32_t i = 0; i < slice->n; i++) {
        run->sums[ads_match_low(slice->low, i) & mask] +=
            slice->impact[i] * column->factor + column->idf;
    }
}


/* Looks each of n documents up in the slice. */
static void
slice_search(struct run *run, const struct ads_match_slice *slice,
             const struct column *column, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = run->low[i], from = 0, len = slice->n;

        while (len > 1) {
            uint32_t half = len / 2;

            from += ads_match_low(slice->low, from + half) <= low ? half : 0;
            len -= half;
        }
        if (len == 1 && ads_match_low(slice->low, from) == low) {
            run->sums[low] +=
                slice->impact[from] * column->factor + column->idf;
        }
    }
}


/* Drops the documents that cannot pass the threshold with `rest` added. */
static uint32_t
survivors_keep(struct run *run, uint32_t n, uint32_t rest)
{
    uint32_t threshold = run->keep.threshold, kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = run->low[i];

        run->low[kept] = (uint16_t)low;
        kept += ads_match_key(run->sums[low] + rest) > threshold;
    }
    return kept;
}


static bool
is_dead(const struct ads_index *index, uint32_t doc)
{
    return doc < index->n_dead && (index->dead[doc / 8] >> doc % 8 & 1) != 0;
}


/* Has the search, with its filter, done as much as it may? */
static bool
is_spent(const struct run *run)
{
    const struct ads_match_filter *filter = run->keep.filter;
    uint32_t work = filter == NULL || filter->work == NULL ? 0 : *filter->work;

    return (uint64_t)run->stats->postings + run->stats->refused + work
               > run->budget
           && (run->options & ADS_MATCH_EXHAUSTIVE) == 0;
}


/* Asks the filter about a document, and keeps it if it may be. */
static void
item_offer(struct run *run, struct ads_match_candidate *item)
{
    uint32_t refused = run->stats->refused;

    ads_match_keep_offer(&run->keep, item, run->stats);
    if (run->stats->refused > refused && item->key > run->refused.threshold) {
        struct ads_match_stats apart = {0};

        ads_match_keep_offer(&run->refused, item, &apart);
    }
}


/* Offers the documents of the window that are still in play. */
static void
survivors_offer(struct run *run, uint32_t n, uint32_t w)
{
    for (uint32_t i = 0; i < n; i++) {
        struct ads_match_candidate item = {.sum = run->sums[run->low[i]],
                                           .doc = (w << run->index->window_bits)
                                                  + run->low[i]};

        item.key = ads_match_key(item.sum);
        if (item.key > run->keep.threshold && item.doc < run->index->n_docs
            && !is_dead(run->index, item.doc))
        {
            if (run->keep.filter != NULL && is_spent(run)) {
                run->stats->cut = true;
                return;
            }
            item.doc += run->first_doc;
            item_offer(run, &item);
        }
    }
}


/* Drops the documents of the wanted kind: another part looks for them. */
static void
kind_drop(struct run *run, uint32_t w)
{
    const struct column *column = &run->columns[run->n_columns];
    uint32_t mask = run->window - 1;
    struct ads_match_slice slice;

    if (column->maxes[w] == 0) {
        return;
    }
    slice = column_slice(run, column, w);
    for (uint32_t i = 0; i < slice.n; i++) {
        run->sums[ads_match_low(slice.low, i) & mask] = 0;
    }
}


static void
window_visit(struct run *run, uint32_t w)
{
    uint32_t rest[ADS_MATCH_GROUPS + 1];
    const uint32_t n_columns = run->n_columns;
    uint32_t essential = n_columns, n = 0;
    bool prune = (run->options & ADS_MATCH_EXHAUSTIVE) == 0;

    rest[n_columns] = 0;
    for (uint32_t i = n_columns; i-- > 0;) {
        const struct column *column = &run->columns[i];
        uint32_t most = column->maxes[w];

        rest[i] =
            rest[i + 1] + (most == 0 ? 0 : most * column->factor + column->idf);
        if (prune && ads_match_key(rest[i]) <= run->keep.threshold) {
            essential = i;
        }
    }
    if (run->part == OF_KIND && essential > 1) {
        essential = 1; /* what the first column has not is no candidate */
    }

    run->stats->windows++;
    sums_clear(run);
    for (uint32_t i = 0; i < n_columns; i++) {
        const struct column *column = &run->columns[i];
        struct ads_match_slice slice;

        if (column->maxes[w] == 0) {
            continue;
        }
        if (i < essential) {
            slice = column_slice(run, column, w);
            slice_note(run, column, &slice);
            n = slice_add(run, &slice, column, n);
            continue;
        }
        n = survivors_keep(run, n, rest[i]);
        if (n == 0) {
            return;
        }
        slice = column_slice(run, column, w);
        if (!column->plain || slice.n < SEARCH_FACTOR * n) {
            slice_note(run, column, &slice);
            slice_walk(run, &slice, column);
        } else {
            run->stats->postings += n;
            slice_search(run, &slice, column, n);
        }
    }

    if (run->part == OTHERS && n > 0) {
        kind_drop(run, w);
    }
    survivors_offer(run, n, w);
}


/* ---- all windows --------------------------------------------------------- */

static uint32_t
bound_of(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}


static void
queue_down(uint64_t *queue, uint32_t n, uint32_t i)
{
    uint64_t item = queue[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= n) {
            break;
        }
        /* either is as likely: added, not branched to */
        if (child + 1 < n) {
            child += bound_of(queue[child + 1]) > bound_of(queue[child]);
        }
        if (bound_of(queue[child]) <= bound_of(item)) {
            break;
        }
        queue[i] = queue[child];
        i = child;
    }
    queue[i] = item;
}


/* Fills queue[]; returns how many windows are worth a visit. */
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
        uint32_t bound = ads_match_key(run->bounds[w]);

        if (run->part == OF_KIND && run->columns[0].maxes[w] == 0) {
            bound = 0;
        }
        run->queue[n] = (uint64_t)bound << 32 | w;
        n += bound > 0;
    }
    for (uint32_t i = n / 2; i-- > 0;) {
        queue_down(run->queue, n, i);
    }
    return n;
}


/* The windows that are visited next, best bound first.  Their lists lie
 * anywhere: they are asked for two visits ahead, first where they begin, then
 * what is there. */
struct line {
    uint32_t n;      /* left in the queue */
    uint32_t n_next; /* taken off it */
    uint64_t next[WINDOWS_AHEAD + 1];
};


static void
line_fill(struct run *run, struct line *line)
{
    while (line->n > 0 && line->n_next <= WINDOWS_AHEAD) {
        uint32_t w = (uint32_t)run->queue[0];

        line->next[line->n_next++] = run->queue[0];
        run->queue[0] = run->queue[--line->n];
        queue_down(run->queue, line->n, 0);
        for (uint32_t i = 0; i < run->n_columns; i++) {
            if (run->columns[i].plain) {
                __builtin_prefetch(&run->columns[i].lists[0].windows[w]);
            }
        }
    }
    for (uint32_t i = 0; i < run->n_columns && line->n_next > 1; i++) {
        if (run->columns[i].plain) {
            ads_match_list_prefetch(&run->columns[i].lists[0],
                                    (uint32_t)line->next[1]);
        }
    }
}


/* Takes the first one off. */
static void
line_step(struct line *line)
{
    line->n_next--;
    for (uint32_t i = 0; i < line->n_next; i++) {
        line->next[i] = line->next[i + 1];
    }
}


/* The wanted kind first where all must be of it, then the rarest column: the
 * common ones are the ones to skip. */
static void
columns_open(struct run *run, const struct ads_match_query *query)
{
    uint8_t order[ADS_MATCH_GROUPS];
    uint32_t n = 0, first = 0;

    if (run->part == OF_KIND) {
        order[n++] = query->kind;
        first = 1;
    }
    for (uint32_t i = 0; i < query->n_groups; i++) {
        uint32_t at = n;

        if (i == query->kind) {
            continue;
        }
        for (; at > first
               && query->groups[order[at - 1]].idf < query->groups[i].idf;
             at--)
        {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)i;
        n++;
    }
    run->n_columns = n;
    for (uint32_t i = 0; i < n; i++) {
        column_open(run, &query->groups[order[i]], i);
    }
    if (run->part == OTHERS) { /* behind them: what is left out */
        column_open(run, &query->groups[query->kind], n);
    }
}


/* Walks one index; what is kept so far sets the threshold. */
static void
index_walk(struct run *run, const struct ads_index *index,
           const struct ads_match_query *query, uint32_t first_doc)
{
    struct line line = {0};

    (void)scratch_lay(index, run);
    run->index = index;
    run->first_doc = first_doc;
    run->window = (uint32_t)1 << index->window_bits;
    run->all_dirty = true;
    run->n_dirty = 0;
    run->n_used = 0;
    columns_open(run, query);

    line.n = queue_fill(run);
    line_fill(run, &line);
    for (; line.n_next > 0; line_fill(run, &line)) {
        if ((run->options & ADS_MATCH_EXHAUSTIVE) == 0) {
            if (bound_of(line.next[0]) <= run->keep.threshold) {
                break;
            }
            if (is_spent(run)) {
                run->stats->cut = true;
                break;
            }
        }
        window_visit(run, (uint32_t)line.next[0]);
        line_step(&line);
    }
}


/* What changed first: it is little, and a budget that is spent on the rest must
 * not hide it. */
static void
more_walk(struct run *run, const struct ads_index *index,
          const struct ads_match_query *query)
{
    struct ads_match_query local;

    ads_match_localize(index, query, &local);
    index_walk(run, index->more, &local, index->n_docs);
}


/* Looks for one part of what is to be found, and keeps at most `depth`
 * documents of it. */
static void
part_walk(struct run *run, enum part part, const struct ads_index *index,
          const struct ads_match_query *query,
          const struct ads_match_filter *filter, uint32_t depth)
{
    run->part = part;
    run->budget = part == OF_KIND ? ADS_MATCH_BUDGET / 2 : ADS_MATCH_BUDGET;
    ads_match_keep_init(&run->keep, filter, depth);
    if (index->more != NULL) {
        more_walk(run, index, query);
    }
    index_walk(run, index, query, 0);
    memcpy(run->found + run->n_found, run->keep.items,
           run->keep.n * sizeof(*run->found));
    run->n_found += run->keep.n;
}


uint32_t
ads_match_run(const struct ads_index *index,
              const struct ads_match_query *query,
              const struct ads_match_filter *filter, uint32_t options,
              void *scratch, struct ads_match_hit *hits, uint32_t max,
              struct ads_match_stats *stats)
{
    struct run *run = scratch;

    memset(stats, 0, sizeof(*stats));
    if (query->n_groups == 0 || (index->n_docs == 0 && index->more == NULL)) {
        return 0;
    }

    run->stats = stats;
    run->options = options;
    run->n_found = 0;
    ads_match_keep_init(&run->refused, NULL, ADS_MATCH_DEPTH);
    if (query->kind == ADS_MATCH_NO_GROUP) {
        part_walk(run, ALL, index, query, filter, ADS_MATCH_DEPTH);
    } else {
        part_walk(run, OF_KIND, index, query, filter, ADS_MATCH_OF_KIND);
        part_walk(run, OTHERS, index, query, filter,
                  ADS_MATCH_DEPTH - run->n_found);
    }
    return ads_match_rank(index, query, run->found, run->n_found, hits, max);
}


uint32_t
ads_match_met(const struct ads_index *index,
              const struct ads_match_query *query, void *scratch,
              struct ads_match_hit *hits, uint32_t max)
{
    struct run *run = scratch;
    struct ads_match_stats stats = {0};

    for (uint32_t i = 0; i < run->n_found; i++) {
        struct ads_match_candidate item = run->found[i];

        if (item.key > run->refused.threshold) {
            ads_match_keep_offer(&run->refused, &item, &stats);
        }
    }
    return ads_match_rank(index, query, run->refused.items, run->refused.n,
                          hits, max);
}
