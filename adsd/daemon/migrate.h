/*
 * Schema version and migrations.
 *
 * sql/migrations/NNNN_name.sql run once each, in order, without a gap, each in
 * a transaction of its own under one advisory lock, and are recorded with
 * their SHA-256: a file that changed after it ran is refused.  Then the files
 * of sql/code/ are run again, all in one transaction, whenever one of them
 * changed.
 */
#ifndef ADSD_MIGRATE_H
#define ADSD_MIGRATE_H

#include "base/conf.h"
#include "db/db.h"

struct migrate_result {
    int n_applied;     /* migrations this call ran */
    int version;       /* of the schema now */
    bool code_applied; /* functions were replaced */
};

/*
 * Brings the schema to what the files say; `db` has the duty DB_MIGRATE.
 * ADS_CONFLICT: a changed file, a gap, or a schema newer than the files.
 * ADS_ABSENT: no files.  Told to the log.
 */
ADS_MUST enum ads_err
migrate_run(struct migrate_result *result, struct db *db,
            const struct conf *conf, struct log *log);

/*
 * Is the schema what the files say?  ADS_OK, or why not, as a constant text
 * that says what to do: ADS_ABSENT (not migrated, or not far enough),
 * ADS_CONFLICT (newer than the files, or other ones), ADS_UNAVAILABLE.  `db`
 * has the duty DB_CHECK.  *version, when not NULL, is how many migrations ran.
 */
ADS_MUST enum ads_err
migrate_check(struct db *db, const struct conf *conf, struct log *log,
              const char **why, int *version);

#endif
