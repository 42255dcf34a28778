/*
 * Picks the type a client prefers from its Accept header.
 *
 * Each type walks through the header: a handful of types, and a header of at
 * most some kilobytes.
 */
#include "ads_accept.h"

#define SPACES " \t"
#define WEIGHT_MOST 1000

/* How well a range fits a type. */
enum fit { FIT_NONE, FIT_ALL, FIT_FAMILY, FIT_EXACT };

struct verdict {
    enum fit fit;
    int weight; /* in thousandths */
    int place;  /* of the range in the header */
};


/* Takes what stands before the next separator, which no quoted string hides,
 * off the front; false at the end. */
static bool
part_take(struct ads_str *rest, char separator, struct ads_str *part)
{
    bool quoted = false;
    size_t len = 0;

    if (rest->ptr == NULL) {
        return false;
    }
    for (; len < rest->len && (quoted || rest->ptr[len] != separator); len++) {
        if (rest->ptr[len] == '"') {
            quoted = !quoted;
        } else if (quoted && rest->ptr[len] == '\\' && len + 1 < rest->len) {
            len++;
        }
    }
    *part = ads_str_trim((struct ads_str){rest->ptr, len}, SPACES);
    *rest = len < rest->len ? ads_str_tail(*rest, len + 1)
                            : (struct ads_str){NULL, 0};
    return true;
}


/* "0.25" as 250; at most 1 and three decimals.  -1: it is none. */
static int
weight_read(struct ads_str text)
{
    int weight = 0, unit = WEIGHT_MOST;

    if (text.len < 1 || text.len > 5 || (text.len > 1 && text.ptr[1] != '.')) {
        return -1;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (i == 1) {
            continue; /* the point */
        }
        if (!ads_char_is_digit(text.ptr[i])) {
            return -1;
        }
        weight += (text.ptr[i] - '0') * unit;
        unit /= 10;
    }
    return weight <= WEIGHT_MOST ? weight : -1;
}


/* Of the parameters of a range. */
static int
weight_find(struct ads_str params)
{
    struct ads_str param;

    while (part_take(&params, ';', &param)) {
        if (param.len >= 2 && ads_char_lower(param.ptr[0]) == 'q'
            && param.ptr[1] == '=')
        {
            return weight_read(ads_str_tail(param, 2));
        }
    }
    return WEIGHT_MOST;
}


static enum fit
range_fits(struct ads_str range, const char *type)
{
    size_t family = strcspn(type, "/") + 1;

    if (ads_str_is(range, "*/*")) {
        return FIT_ALL;
    }
    if (range.len < family) {
        return FIT_NONE;
    }
    for (size_t i = 0; i < range.len; i++) {
        if (i == family && range.len == family + 1 && range.ptr[i] == '*') {
            return FIT_FAMILY;
        }
        if (ads_char_lower(range.ptr[i]) != type[i] || type[i] == '\0') {
            return FIT_NONE;
        }
    }
    return type[range.len] == '\0' ? FIT_EXACT : FIT_NONE;
}


/* Of ranges that fit as exactly, that of the highest weight counts. */
static struct verdict
type_check(struct ads_str header, const char *type)
{
    struct verdict best = {FIT_NONE, 0, 0}, here = {FIT_NONE, 0, 0};
    struct ads_str element, range;

    for (; part_take(&header, ',', &element); here.place++) {
        if (!part_take(&element, ';', &range)) {
            continue;
        }
        here.fit = range_fits(range, type);
        here.weight = weight_find(element);
        if (here.fit != FIT_NONE && here.weight >= 0
            && (here.fit > best.fit
                || (here.fit == best.fit && here.weight > best.weight)))
        {
            best = here;
        }
    }
    return best;
}


static bool
is_better(const struct verdict *a, const struct verdict *b)
{
    if (a->weight != b->weight) {
        return a->weight > b->weight;
    }
    if (a->fit != b->fit) {
        return a->fit > b->fit;
    }
    return a->place < b->place;
}


int
ads_accept_choose(struct ads_str header, const char *const *types)
{
    struct verdict best = {FIT_NONE, 0, 0}, verdict;
    int chosen = -1;

    if (header.ptr == NULL) {
        return 0;
    }
    for (int i = 0; types[i] != NULL; i++) {
        verdict = type_check(header, types[i]);
        if (verdict.weight > 0 && (chosen < 0 || is_better(&verdict, &best))) {
            best = verdict;
            chosen = i;
        }
    }
    return chosen;
}
