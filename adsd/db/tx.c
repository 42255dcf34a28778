/*
 * Transactions as they are commonly run.
 */
#include "db/db.h"

#include <poll.h>

#include "db/inner.h"

#define TRANSACT_TRIES 5


enum ads_err
db_act_for(struct db_tx *tx, const struct ads_uuid *account, struct pool *pool)
{
    static const struct db_stmt stmt = {
        .name = "act_for",
        .sql = "select set_config('ads.tenant', $1::text, true)",
        .n_params = 1,
    };
    char text[ADS_UUID_TEXT_LEN];
    struct db_args args;

    (void)ads_uuid_write(text, account);
    db_args_init(&args, pool);
    db_arg_text(&args, (struct ads_str){text, sizeof(text)});
    return db_queue(tx, &stmt, &args);
}


enum ads_err
db_transact(struct db *db, enum ads_err (*work)(struct db_tx *tx, void *arg),
            void *arg)
{
    enum ads_err err = ADS_BUSY;
    struct db_tx *tx;

    for (int i = 0; i < TRANSACT_TRIES && err == ADS_BUSY; i++) {
        (void)poll(NULL, 0, 5 * i); /* lets the other one finish */
        err = db_begin(db, &tx);
        if (err != ADS_OK) {
            break;
        }
        err = work(tx, arg);
        if (err == ADS_OK) {
            err = db_commit(tx);
        }
        db_end(tx);
    }
    return err;
}


enum ads_err
db_run_last(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
            struct db_rows **rows)
{
    enum ads_err err;

    if (db_is_piped(tx->db)) {
        return db_pipe_run_last(tx, stmt, args, rows);
    }
    err = db_run(tx, stmt, args, rows);
    return err == ADS_OK ? db_commit(tx) : err;
}


enum ads_err
db_run_alone(struct db *db, const struct db_stmt *stmt, struct db_args *args,
             struct db_rows **rows)
{
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(db, &tx);
    if (err == ADS_OK) {
        err = db_run_last(tx, stmt, args, rows);
    }
    db_end(tx);
    return err;
}
