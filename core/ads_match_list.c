/*
 * Postings of one term: where they are, window by window, and whether a
 * document is among them.  The only file that reads POSTINGS and WINDOWS, so
 * every bound that a damaged index could break is checked here.
 */
#include "ads_match_parts.h"


/* The list of a term; n is 0 where the index is damaged. */
struct ads_match_list
ads_match_list_open(const struct ads_index *index, uint32_t number,
                    uint32_t weight)
{
    const struct ads_index_term *term;
    struct ads_match_list list = {.weight = weight};
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


/* The list's own slice of a window, with documents as u16.  A list that is
 * not dense is copied to `low`. */
struct ads_match_slice
ads_match_list_slice(const struct ads_index *index,
                     const struct ads_match_list *list, uint32_t w,
                     uint16_t *low)
{
    uint32_t bits = index->window_bits;
    uint32_t window = (uint32_t)1 << bits;
    struct ads_match_slice slice = {.n = 0};
    uint32_t from, to;

    if (list->n == 0) {
        return slice;
    }
    if (list->windows != NULL) {
        from = list->windows[w];
        to = list->windows[w + 1];
        if (from > to || to > list->n || to - from > window) {
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

        if (ads_match_doc(list->postings, mid) >> bits < w) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    slice.low = (const uint8_t *)low;
    slice.impact = list->postings + 4 * (size_t)list->n + from;
    while (from + slice.n < list->n && slice.n < window) {
        uint32_t doc = ads_match_doc(list->postings, from + slice.n);

        if (doc >> bits != w) {
            break;
        }
        low[slice.n++] = (uint16_t)(doc & (window - 1));
    }
    return slice;
}


void
ads_match_list_prefetch(const struct ads_match_list *list, uint32_t w)
{
    uint32_t from = list->windows[w], to = list->windows[w + 1];

    if (from <= to && to <= list->n) {
        const uint8_t *at = list->postings + 3 * (size_t)from;

        __builtin_prefetch(at);
        __builtin_prefetch(at + 64);
        __builtin_prefetch(at + 2 * (size_t)(to - from));
    }
}


/* Does the list have the document? */
static bool
list_has(const struct ads_index *index, uint32_t term, uint32_t doc)
{
    struct ads_match_list list = ads_match_list_open(index, term, 256);
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
        bool less = list.windows != NULL ? ads_match_low(at, mid) < low
                                         : ads_match_doc(at, mid) < doc;

        if (less) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    if (list.windows != NULL) {
        uint32_t n = list.windows[w + 1] - list.windows[w];

        return from < n && ads_match_low(at, from) == low;
    }
    return from < list.n && ads_match_doc(at, from) == doc;
}


void
ads_match_localize(const struct ads_index *index,
                   const struct ads_match_query *query,
                   struct ads_match_query *local)
{
    memcpy(local, query, sizeof(*local));
    for (uint32_t i = 0; i < local->n_refused; i++) {
        local->refused[i] = ads_index_term_more(index, local->refused[i]);
    }
    for (uint32_t i = 0; i < local->n_against; i++) {
        local->against[i] = ads_index_term_more(index, local->against[i]);
    }
    for (uint32_t i = 0; i < local->n_within; i++) {
        local->within[i].term =
            ads_index_term_more(index, local->within[i].term);
    }
    for (uint32_t i = 0; i < local->n_longer; i++) {
        local->longer[i] = ads_index_term_more(index, local->longer[i]);
    }
    for (uint32_t g = 0; g < local->n_groups; g++) {
        struct ads_match_group *group = &local->groups[g];

        for (uint32_t i = 0; i < group->n_alternatives; i++) {
            struct ads_match_alternative *a = &group->alternatives[i];

            a->term = ads_index_term_more(index, a->term);
            if (a->second != ADS_INDEX_NONE) {
                a->second = ads_index_term_more(index, a->second);
            }
        }
    }
}


uint32_t
ads_match_groups(const struct ads_index *index,
                 const struct ads_match_query *query, uint32_t doc)
{
    struct ads_match_query local;
    uint32_t groups = 0;

    if (doc >= index->n_docs) {
        if (index->more == NULL) {
            return 0;
        }
        ads_match_localize(index, query, &local);
        return ads_match_groups(index->more, &local, doc - index->n_docs);
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
