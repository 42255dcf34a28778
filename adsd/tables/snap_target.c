/*
 * Targeting on its way into the ad tables.
 */
#include "tables/snap_target.h"

#include <stdlib.h>

#include "ads_target.h"
#include "db/db.h"


/* ---- from the database --------------------------------------------------- */

/* A text[] of keywords.  Those that cannot match, for they have no word or too
 * many, are left out, but none left must not come to mean any words. */
static struct ads_snap_keyword *
keywords_read(const struct db_rows *rows, int column,
              const struct ads_text *text, struct pool *pool, bool needed,
              uint16_t *n_keywords)
{
    size_t n;
    struct ads_str *texts = db_texts(rows, 0, column, pool, &n);
    struct ads_snap_keyword *keywords =
        pool_array(pool, n + 1, sizeof(*keywords));
    uint16_t good = 0;

    for (size_t i = 0; i < n && good < UINT16_MAX; i++) {
        good += ads_target_keyword_read(&keywords[good], text, texts[i]);
    }
    if (good == 0 && n > 0 && needed) {
        keywords[good++] = (struct ads_snap_keyword){0};
    }
    *n_keywords = good;
    return keywords;
}


struct ads_str
snap_target_lines_read(const struct db_rows *rows, int column,
                       struct pool *pool)
{
    size_t n, len = 0;
    struct ads_str *texts = db_texts(rows, 0, column, pool, &n);
    char *lines;

    for (size_t i = 0; i < n; i++) {
        len += texts[i].len + 1;
    }
    lines = pool_alloc(pool, len);
    len = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(lines + len, texts[i].ptr, texts[i].len);
        len += texts[i].len;
        lines[len++] = '\n';
    }
    return (struct ads_str){lines, len};
}


void
snap_target_read(struct snap_target_row *row, const struct db_rows *rows,
                 int column, const struct ads_text *text, struct pool *pool)
{
    size_t n;

    row->publishers = db_uuids(rows, 0, column++, pool, &n);
    row->n_publishers = (uint16_t)n;
    row->keywords =
        keywords_read(rows, column++, text, pool, true, &row->n_keywords);
    row->not_keywords =
        keywords_read(rows, column++, text, pool, false, &row->n_not_keywords);
    row->languages = snap_target_lines_read(rows, column++, pool);
    row->categories = snap_target_lines_read(rows, column++, pool);
    row->frequency_count = (uint16_t)db_int(rows, 0, column++);
    row->frequency_s = (uint32_t)db_int(rows, 0, column);
}


/* ---- from a head --------------------------------------------------------- */

bool
snap_has_rows(const struct ads_snap_section *section, uint32_t first,
              uint32_t n)
{
    return first <= section->rows && n <= section->rows - first;
}


const void *
snap_rows_from(const struct ads_snap_section *section, uint32_t first,
               size_t row_len)
{
    return section->bytes == NULL ? NULL : section->bytes + first * row_len;
}


bool
snap_target_carry(struct snap_target_row *row, const struct ads_head *head,
                  const struct ads_snap_target *target)
{
    const uint32_t not_keywords = target->keywords + target->n_keywords;

    if (!snap_has_rows(&head->target_ids, target->publishers,
                       target->n_publishers)
        || !snap_has_rows(&head->keywords, target->keywords, target->n_keywords)
        || !snap_has_rows(&head->keywords, not_keywords,
                          target->n_not_keywords))
    {
        return false;
    }
    row->publishers = snap_rows_from(&head->target_ids, target->publishers,
                                     sizeof(*row->publishers));
    row->n_publishers = target->n_publishers;
    row->keywords = snap_rows_from(&head->keywords, target->keywords,
                                   sizeof(*row->keywords));
    row->n_keywords = target->n_keywords;
    row->not_keywords = snap_rows_from(&head->keywords, not_keywords,
                                       sizeof(*row->not_keywords));
    row->n_not_keywords = target->n_not_keywords;
    row->languages = ads_head_languages(head, target);
    row->categories = ads_head_categories(head, target);
    row->frequency_count = target->frequency_count;
    row->frequency_s = target->frequency_s;
    return true;
}


/* ---- into a head --------------------------------------------------------- */

void
snap_targets_count(struct snap_targets *targets,
                   const struct snap_target_row *row)
{
    size_t most = row->n_keywords > row->n_not_keywords ? row->n_keywords
                                                        : row->n_not_keywords;

    targets->room.rows++;
    targets->room.ids += row->n_publishers;
    targets->room.categories += ads_target_lines(row->categories);
    targets->room.keywords += (size_t)row->n_keywords + row->n_not_keywords;
    if (most > targets->room.keywords_most) {
        targets->room.keywords_most = most;
    }
}


void
snap_targets_count_blocks(struct snap_targets *targets, uint32_t n_blocked,
                          struct ads_str categories)
{
    targets->room.rows++;
    targets->room.ids += n_blocked;
    targets->room.categories += ads_target_lines(categories);
}


void
snap_targets_make_room(struct snap_targets *targets)
{
    targets->rows = xcalloc(targets->room.rows, sizeof(*targets->rows));
    targets->ids = xcalloc(targets->room.ids, sizeof(*targets->ids));
    targets->keywords =
        xcalloc(targets->room.keywords, sizeof(*targets->keywords));
    targets->categories =
        xcalloc(targets->room.categories, sizeof(*targets->categories));
    targets->count =
        xcalloc(targets->room.keywords_most * ADS_SNAP_KEYWORD_WORDS,
                sizeof(*targets->count));
}


void
snap_targets_parts(const struct snap_targets *targets,
                   struct ads_snap_part parts[SNAP_TARGET_PARTS])
{
    const struct ads_snap_part own[SNAP_TARGET_PARTS] = {
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_TARGETS, targets->rows, targets->n),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_TARGET_IDS, targets->ids, targets->n_ids),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_KEYWORDS, targets->keywords,
                      targets->n_keywords),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_CATEGORIES, targets->categories,
                      targets->n_categories),
    };

    memcpy(parts, own, sizeof(own));
}


void
snap_targets_free(struct snap_targets *targets)
{
    free(targets->rows);
    free(targets->ids);
    free(targets->keywords);
    free(targets->categories);
    free(targets->count);
    *targets = (struct snap_targets){0};
}


static void
ids_put(struct snap_targets *targets, struct ads_snap_target *target,
        const struct ads_uuid *ids, uint16_t n)
{
    target->publishers = targets->n_ids;
    target->n_publishers = n;
    for (uint32_t i = 0; i < n; i++) {
        targets->ids[targets->n_ids++] = ids[i];
    }
}


static void
categories_put(struct snap_targets *targets, struct snap_text *text,
               struct ads_snap_target *target, struct ads_str list)
{
    uint32_t *hashes = targets->categories + targets->n_categories;
    uint32_t n = ads_target_categories_hash(list, hashes);

    target->categories_off = (uint32_t)text->len;
    target->categories_len = (uint32_t)list.len;
    snap_text_put(text, list.ptr, list.len);
    if (n <= UINT16_MAX) {
        target->categories = targets->n_categories;
        target->n_categories = (uint16_t)n;
        targets->n_categories += n;
    }
}


static void
keywords_put(struct snap_targets *targets,
             const struct ads_snap_keyword *keywords, uint32_t n, bool sorted)
{
    struct ads_snap_keyword *own = targets->keywords + targets->n_keywords;

    if (n > 0) {
        memcpy(own, keywords, n * sizeof(*own));
    }
    if (!sorted) {
        ads_target_keywords_sort(own, n, targets->count);
    }
    targets->n_keywords += n;
}


uint32_t
snap_target_blocks_put(struct snap_targets *targets, struct snap_text *text,
                       const struct ads_uuid *blocked, uint16_t n_blocked,
                       struct ads_str categories)
{
    struct ads_snap_target *blocks;

    if (n_blocked == 0 && categories.len == 0) {
        return 0;
    }
    blocks = &targets->rows[targets->n++];
    ids_put(targets, blocks, blocked, n_blocked);
    categories_put(targets, text, blocks, categories);
    return targets->n;
}


uint32_t
snap_target_put(struct snap_targets *targets, struct snap_text *text,
                const struct snap_target_row *row, bool sorted)
{
    struct ads_snap_target *target;

    if (row->n_publishers == 0 && row->n_keywords == 0
        && row->n_not_keywords == 0 && row->languages.len == 0
        && row->categories.len == 0 && row->frequency_count == 0)
    {
        return 0;
    }
    target = &targets->rows[targets->n++];
    ids_put(targets, target, row->publishers, row->n_publishers);
    target->keywords = targets->n_keywords;
    target->n_keywords = row->n_keywords;
    target->n_not_keywords = row->n_not_keywords;
    keywords_put(targets, row->keywords, row->n_keywords, sorted);
    keywords_put(targets, row->not_keywords, row->n_not_keywords, sorted);
    target->languages_off = (uint32_t)text->len;
    target->languages_len = (uint16_t)row->languages.len;
    snap_text_put(text, row->languages.ptr, row->languages.len);
    categories_put(targets, text, target, row->categories);
    target->frequency_count = row->frequency_count;
    target->frequency_s = row->frequency_s;
    return targets->n;
}
