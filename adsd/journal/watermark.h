/*
 * How far the database was, kept beside the journal: <state>/committed.
 *
 * A database that knows less was restored from a backup, or is a replica that
 * lagged.  Its journal's clicks can be replayed, but not what people entered
 * meanwhile: so a restored one waits for the operator (adsctl journal replay).
 *
 * One line of text: "1 DATABASE DRAINED REMOVED", times in microseconds of the
 * database's clock since 1970, REMOVED that of the newest segment that was
 * deleted, since what it held cannot be replayed.  DATABASE tells a restored
 * one from a replica, whose cluster has the same number.
 */
#ifndef ADSD_WATERMARK_H
#define ADSD_WATERMARK_H

#include "base/conf.h"
#include "db/db.h"

#define WATERMARK_DATABASE_MAX 48

struct watermark {
    char database[WATERMARK_DATABASE_MAX];
    int64_t drained_us; /* all before this is committed; 0: nothing */
    int64_t removed_us; /* 0: nothing was deleted */
};

/* How a database stands to the watermark. */
enum watermark_state {
    WATERMARK_LEVEL,  /* it knows as much */
    WATERMARK_LAGGED, /* a replica that lagged: replay, and go on */
    WATERMARK_BEHIND, /* an older one: wait for the operator */
    WATERMARK_GAP,    /* likewise, and deleted segments are missing there */
};

/* Reads the file.  ADS_ABSENT, not logged, when there is none; ADS_IO or
 * ADS_DAMAGED, logged. */
ADS_MUST enum ads_err
watermark_read(struct watermark *mark, const struct conf *conf,
               struct log *log);

/* Replaces the file as a whole; ADS_IO, logged. */
ADS_MUST enum ads_err
watermark_write(const struct watermark *mark, const struct conf *conf,
                struct log *log);

/* Asks the database how far it is in this node's journal; removed_us is 0.
 * `db` has the duty DB_INGEST or DB_CTL. */
ADS_MUST enum ads_err
watermark_ask(struct watermark *there, struct db *db, uint64_t node,
              struct pool *pool);

/* Compares them; lag_s is how far a replica may be behind. */
enum watermark_state
watermark_compare(const struct watermark *mark, const struct watermark *there,
                  int64_t lag_s);

#endif
