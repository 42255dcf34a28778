/*
 * Import of a feed (import_source.h) into a campaign: all products in one
 * transaction (sql/code/76_imports.sql), so that there is the old catalogue or
 * the new one and nothing between.  One bad row never loses the others.
 */
#ifndef ADSD_IMPORT_H
#define ADSD_IMPORT_H

#include "catalog/import_source.h"
#include "db/db.h"

#define IMPORT_FAULTS_MAX 100000 /* that are kept; all are counted */
#define IMPORT_GONE_MAX 20       /* percent, by default */

#define IMPORT_HEAD_ROWS 1000 /* all bad: it is no feed of products */

enum import_phase {
    IMPORT_READING,
    IMPORT_COMPARING,
    IMPORT_WRITING,
    IMPORT_PHASES
};

/* How it ended; all but the first leave everything as it was. */
enum import_verdict {
    IMPORT_DONE,
    IMPORT_UNREADABLE, /* no products can be read from it */
    IMPORT_DAMAGED,    /* cut, or not what its first bytes promised */
    IMPORT_NOT_READ,   /* totals->read_errno */
    IMPORT_TOO_LARGE,  /* unpacked */
    IMPORT_TOO_MANY_GONE,
    IMPORT_ALL_BAD,       /* the first IMPORT_HEAD_ROWS, where given up */
    IMPORT_TOO_MANY_ROWS, /* over rows_max */
    IMPORT_TOO_SLOW,      /* deadline_ms passed */
    IMPORT_VERDICTS
};

struct import_totals {
    enum import_phase phase;
    bool scanned; /* its prices are known, and it is read a second time */
    enum import_verdict verdict;
    int read_errno;
    uint64_t rows; /* read, good and bad */
    uint64_t bad;
    uint64_t unread; /* of those: the product is not known */
    uint64_t added;
    uint64_t changed;
    uint64_t unchanged;
    uint64_t repeated;  /* a later row has the same key, and counts */
    uint64_t present;   /* what the campaign showed before */
    uint64_t gone;      /* of them, not in the feed */
    uint64_t archived;  /* of those */
    struct ads_uuid id; /* of the row that tells of it, when there is one */
};

struct import_options {
    struct ads_uuid account;
    struct ads_uuid campaign;
    struct ads_str base_url;     /* of the shop, for feeds without links */
    struct ads_str currency;     /* for prices without one */
    struct ads_str map;          /* columns by name (import_columns.h) */
    enum import_decimal decimal; /* of prices; unknown: as the feed shows */
    enum import_format format;   /* IMPORT_FORMATS: whatever it is */
    bool dry_run; /* read, validate and compare, change nothing */
    bool archive_gone;
    int gone_max; /* percent of what is shown that may be archived at once */

    /* what somebody else's feed may cost; of a file of the operator's 0 */
    bool gives_up;       /* when all of the first rows are bad */
    uint64_t rows_max;   /* good and bad */
    int64_t deadline_ms; /* monotonic, until which it must be read */

    struct ads_str actor;      /* whom the audit log names; ptr NULL: the
                           * connection's */
    const struct ads_uuid *id; /* that waits in the database; NULL: a file */
    int attempt;               /* of that one */

    /* called once, with how the feed is read: its format's name and, of a
     * table, which column is which field (import_column_name) */
    void (*mapping)(void *ctx, const char *format, struct ads_str map,
                    const struct feed_record *header);
    void (*fault)(void *ctx, const struct import_fault *fault);
    /* called now and then; false: stop, which is ADS_UNAVAILABLE */
    bool (*progress)(void *ctx, const struct import_totals *totals);
    void *ctx;
};

/*
 * Imports everything the feed still holds.  ADS_OK: totals->verdict tells what
 * came of it.  Else the database did not do it, and nothing was changed:
 * ADS_CONFLICT when the campaign is none any more (ADN01) or another daemon
 * took it up (ADI02).  Importing again is safe.
 */
ADS_MUST enum ads_err
import_run(struct import_totals *totals, struct feed *feed, struct db *db,
           const struct import_options *options);

/* "reading", "comparing", "writing" */
const char *
import_phase_name(enum import_phase phase);

/* A stable word for how it ended, and what it means; NULL for IMPORT_DONE. */
const char *
import_verdict_code(enum import_verdict verdict);
const char *
import_verdict_text(enum import_verdict verdict);

/* The share of the products shown that is gone, rounded up: the smallest
 * gone_max that archives them. */
uint64_t
import_gone_percent(const struct import_totals *totals);

/* How far, of a hundred: `permille` is the feed's. */
unsigned
import_percent(const struct import_totals *totals, unsigned permille);

#endif
