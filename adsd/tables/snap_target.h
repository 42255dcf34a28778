/*
 * What a campaign asks of a request beyond place and placement, and what a
 * publisher never shows: from the database into a head, and from one head into
 * the next.
 *
 *     snap_target_read()   columns of ads.publish_campaigns to a row
 *     snap_target_put()    a row to ADS_SNAP_HEAD_TARGETS and the sections
 *                          that it points into
 *     snap_target_carry()  back, from a head that is there
 *
 * A new targeting rule is a column and a member here and a line in each of the
 * three.  core/ads_snap.h describes the bytes, core/ads_eligible.c the rules.
 */
#ifndef ADSD_SNAP_TARGET_H
#define ADSD_SNAP_TARGET_H

#include "ads_snap.h"
#include "ads_text.h"
#include "base/pool.h"
#include "tables/snap_text.h"

struct db_rows;

/* All zero: it asks for nothing. */
struct snap_target_row {
    const struct ads_uuid *publishers;
    uint16_t n_publishers;
    const struct ads_snap_keyword *keywords;
    uint16_t n_keywords;
    const struct ads_snap_keyword *not_keywords;
    uint16_t n_not_keywords;
    struct ads_str languages;  /* lower case, each followed by a newline */
    struct ads_str categories; /* likewise */
    uint16_t frequency_count;  /* 0: no cap */
    uint32_t frequency_s;
};

/* The columns that snap_target_read() expects, of ads.publish_campaigns c. */
#define SNAP_TARGET_COLUMNS                                    \
    "    array(select x::uuid from jsonb_array_elements_text(" \
    "        c.targeting -> 'publishers') x),"                 \
    "    array(select jsonb_array_elements_text("              \
    "        c.targeting -> 'keywords')),"                     \
    "    array(select jsonb_array_elements_text("              \
    "        c.targeting -> 'negative_keywords')),"            \
    "    array(select lower(jsonb_array_elements_text("        \
    "        c.targeting -> 'languages'))),"                   \
    "    array(select lower(jsonb_array_elements_text("        \
    "        c.targeting -> 'categories'))),"                  \
    "    c.frequency_count, c.frequency_window_s"

/* From the first row, where `column` is the first of the columns above.  What
 * *row points to is in the pool. */
void
snap_target_read(struct snap_target_row *row, const struct db_rows *rows,
                 int column, const struct ads_text *text, struct pool *pool);

/* A text[] of the first row as lines, in the pool. */
struct ads_str
snap_target_lines_read(const struct db_rows *rows, int column,
                       struct pool *pool);

/* From a head, which *row then points into.  False when what the target says
 * leads outside. */
bool
snap_target_carry(struct snap_target_row *row, const struct ads_head *head,
                  const struct ads_snap_target *target);

/* The sections of a head that is being compiled; zeros are none.  First each
 * row is counted, then there is room for as many; snap_targets_free(). */
struct snap_targets {
    struct ads_snap_target *rows;
    uint32_t n;
    struct ads_uuid *ids;
    uint32_t n_ids;
    struct ads_snap_keyword *keywords;
    uint32_t n_keywords;
    uint32_t *categories; /* hashes */
    uint32_t n_categories;
    uint32_t *count; /* scratch for the longest list of keywords */
    struct {
        size_t rows;
        size_t ids;
        size_t keywords;
        size_t keywords_most; /* of one list */
        size_t categories;
    } room;
};

void
snap_targets_count(struct snap_targets *targets,
                   const struct snap_target_row *row);
void
snap_targets_count_blocks(struct snap_targets *targets, uint32_t n_blocked,
                          struct ads_str categories);
void
snap_targets_make_room(struct snap_targets *targets);

/* The sections, borrowed. */
#define SNAP_TARGET_PARTS 4
void
snap_targets_parts(const struct snap_targets *targets,
                   struct ads_snap_part parts[SNAP_TARGET_PARTS]);
void
snap_targets_free(struct snap_targets *targets);

/* The number of the row, plus 1; 0 when it asks for nothing.  Lists go into
 * `text`.  `sorted`: its keywords are, as those of a head. */
uint32_t
snap_target_put(struct snap_targets *targets, struct snap_text *text,
                const struct snap_target_row *row, bool sorted);

/* The same of the advertisers and categories that a publisher never shows; 0
 * when it shows all. */
uint32_t
snap_target_blocks_put(struct snap_targets *targets, struct snap_text *text,
                       const struct ads_uuid *blocked, uint16_t n_blocked,
                       struct ads_str categories);

/* Has the section rows [first, first + n)? */
bool
snap_has_rows(const struct ads_snap_section *section, uint32_t first,
              uint32_t n);

/* Its rows from `first` on; NULL: it is not there. */
const void *
snap_rows_from(const struct ads_snap_section *section, uint32_t first,
               size_t row_len);

#endif
