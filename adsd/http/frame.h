/*
 * Transaction of a management request:
 *
 *     begin as ads_api; tenant, actor and request id are set for row-level
 *     security and the audit log; the Idempotency-Key is claimed; the handler
 *     works; its answer is kept under the key; commit
 *
 * so that there is never an effect without its answer or its trace.  A handler
 * that did its work returns ADS_OK, with the answer set; one that has refused,
 * or told of an error, returns ADS_ANSWERED, and any other error is answered
 * here: both are rolled back.  A transaction that PostgreSQL asks to repeat is
 * run again from the start: a handler may touch nothing but its transaction and
 * its pool.
 *
 * What a test key asks for is worked out and answered like anything else, and
 * then rolled back: nothing of it is kept.
 *
 * A write is answered once the ad tables with it are served on this node, at
 * most API_PUBLISH_MS later; then X-Ads-Generation tells which ones.
 */
#ifndef ADSD_API_H
#define ADSD_API_H

#include "http/request.h"

#define API_PUBLISH_MS 1000

/* What runs within the frame. */
struct api_job {
    enum ads_err (*handle)(struct request *request);
    bool creates; /* makes something: takes an Idempotency-Key */
};

void
api_run(struct request *request, const struct api_job *job);

/* Has a new connection look up what most of management needs: a request that
 * does not find it there takes several times as long. */
void
api_warm(struct db *db, struct pool *pool);

/* Sets tenant, actor and request id of a transaction that a handler with
 * ROUTE_OWN_TX opened, or of one without a credential (account NULL). */
ADS_MUST enum ads_err
api_act(struct request *request, struct db_tx *tx,
        const struct ads_uuid *account);

/* One statement in such a transaction of its own. */
ADS_MUST enum ads_err
api_run_alone(struct request *request, const struct ads_uuid *account,
              const struct db_stmt *stmt, struct db_args *args,
              struct db_rows **rows);

/* After such a handler's commit: waits until change `n` is served and adds
 * X-Ads-Generation; 0: nothing that is served was changed. */
void
api_publish_wait(struct request *request, int64_t n);

/* Commits what such a handler wrote.  *change is its number, for
 * api_publish_wait; 0: nothing that is served. */
ADS_MUST enum ads_err
api_commit(struct request *request, struct db_tx *tx, int64_t *change);

#endif
