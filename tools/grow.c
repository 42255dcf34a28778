/*
 * Products are sorted by category, so that those of one stand side by side;
 * those without are put by the last word of their title, which mostly names
 * what they are.
 */
#include "grow.h"

#include <stdio.h>
#include <stdlib.h>

#include "ads_index.h"

#define GROUP_MIN 8 /* products of a category to make others of */
#define TITLE_MAX 150
#define TRIES 4 /* at a title that is new */

struct member {
    uint64_t group; /* what its category hashes to */
    uint32_t doc;
};

struct grower {
    struct pool *pool;
    const struct index_doc *docs;
    struct member *members; /* by group */
    uint32_t n;
    uint64_t dice;
    uint64_t *titles; /* hashes of those that there are; 0: free */
    uint64_t mask;
};


static uint32_t
roll(struct grower *grower, uint32_t n)
{
    grower->dice =
        grower->dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return n == 0 ? 0 : (uint32_t)((grower->dice >> 33) % n);
}


static uint64_t
group_of(const struct index_doc *doc)
{
    struct ads_str text = doc->category;

    if (text.len == 0) {
        text = doc->title;
        for (size_t i = text.len; i > 0; i--) {
            if (text.ptr[i - 1] == ' ') {
                text = ads_str_tail(text, i);
                break;
            }
        }
    }
    return ads_index_hash(text.ptr, text.len);
}


static int
by_group(const void *a, const void *b)
{
    const struct member *one = a, *other = b;

    if (one->group != other->group) {
        return one->group < other->group ? -1 : 1;
    }
    return one->doc < other->doc ? -1 : one->doc > other->doc;
}


/* False: the title was there before. */
static bool
title_note(struct grower *grower, struct ads_str title)
{
    uint64_t hash = ads_index_hash(title.ptr, title.len) | 1;
    uint64_t at = hash >> 20 & grower->mask;

    while (grower->titles[at] != 0 && grower->titles[at] != hash) {
        at = (at + 1) & grower->mask;
    }
    if (grower->titles[at] == hash) {
        return false;
    }
    grower->titles[at] = hash;
    return true;
}


/* A place behind a `stop` near the middle of the text, or its end. */
static size_t
cut_find(struct grower *grower, struct ads_str text, char stop)
{
    size_t at = text.len / 4 + roll(grower, (uint32_t)(text.len / 2 + 1));

    while (at < text.len && text.ptr[at] != stop) {
        at++;
    }
    return at < text.len ? at + 1 : text.len;
}


/* The first part of one text and the last of another. */
static struct ads_str
texts_join(struct grower *grower, struct ads_str one, struct ads_str other,
           char stop)
{
    size_t begin = cut_find(grower, one, stop);
    size_t end = cut_find(grower, other, stop);
    struct ads_str text;

    text.ptr = pool_format(grower->pool, &text.len, "%.*s%s%.*s", (int)begin,
                           one.ptr, begin == one.len ? " " : "",
                           (int)(other.len - end), other.ptr + end);
    return text;
}


/* Other digits in all numbers. */
static void
digits_change(struct grower *grower, char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (ads_char_is_digit(text[i]) && text[i] != '0') {
            text[i] = (char)('1' + roll(grower, 9));
        }
    }
}


/* A product of those from `first` to `last` of members[]. */
static const struct index_doc *
pick(struct grower *grower, uint32_t first, uint32_t last)
{
    uint32_t i = first + roll(grower, last - first);

    return &grower->docs[grower->members[i].doc];
}


static struct ads_str
title_make(struct grower *grower, const struct index_doc *one,
           const struct index_doc *other)
{
    struct ads_str title = texts_join(grower, one->title, other->title, ' ');

    title.len = title.len > TITLE_MAX ? TITLE_MAX : title.len;
    while (title.len > 1
           && (title.ptr[title.len - 1] == ' '
               || (title.ptr[title.len - 1] & 0x80) != 0))
    {
        title.len--;
    }
    digits_change(grower, (char *)title.ptr, title.len);
    return title;
}


/* False: none that is new was found. */
static bool
doc_make(struct grower *grower, struct index_doc *doc)
{
    uint32_t at = roll(grower, grower->n), first = at, last = at + 1;
    uint64_t group = grower->members[at].group;
    const struct index_doc *one = &grower->docs[grower->members[at].doc];
    bool is_new = false;

    while (first > 0 && at - first < 500
           && grower->members[first - 1].group == group)
    {
        first--;
    }
    while (last < grower->n && last - at < 500
           && grower->members[last].group == group)
    {
        last++;
    }
    if (last - first < GROUP_MIN) {
        return false;
    }
    doc->brand = one->brand;
    doc->category = one->category;
    for (int i = 0; i < TRIES && !is_new; i++) {
        doc->title = title_make(grower, one, pick(grower, first, last));
        is_new = title_note(grower, doc->title);
    }
    doc->description =
        texts_join(grower, pick(grower, first, last)->description,
                   pick(grower, first, last)->description, '.');
    return is_new;
}


void
grow_docs(struct pool *pool, struct index_doc *docs, uint32_t n,
          uint32_t n_wanted)
{
    struct grower grower = {.pool = pool, .docs = docs, .n = n, .mask = 1023};

    while (grower.mask < 2 * (uint64_t)n_wanted) {
        grower.mask = 2 * grower.mask + 1;
    }
    grower.titles = xcalloc(grower.mask + 1, sizeof(*grower.titles));
    grower.members = xcalloc(n, sizeof(*grower.members));
    for (uint32_t i = 0; i < n; i++) {
        grower.members[i] = (struct member){group_of(&docs[i]), i};
        (void)title_note(&grower, docs[i].title);
    }
    qsort(grower.members, n, sizeof(*grower.members), by_group);
    for (uint32_t i = n; i < n_wanted;) {
        docs[i] = (struct index_doc){0};
        i += doc_make(&grower, &docs[i]);
    }
    free(grower.members);
    free(grower.titles);
}
