/*
 * PostgreSQL access: nothing else includes libpq.
 *
 * One struct db is one connection for one duty, used by one thread.  It is
 * opened when first needed and again after it was lost, with a growing pause
 * between tries.  Every wait has a deadline, so a hung server costs no more
 * than a dead one; once the process stops, a near one for all that follows.
 *
 * Nothing relies on session state, so a pooler in transaction mode may sit in
 * between: all work happens inside a transaction, which begins by taking the
 * duty's role and time-outs for itself, and statements are unnamed.  No SQL is
 * built out of strings: a statement is a constant, its values are parameters.
 *
 *     static const struct db_stmt STMT_PAUSE = {
 *         .name = "campaign_pause",
 *         .sql = "select ads.campaign_pause($1, $2)",
 *         .n_params = 2,
 *     };
 *
 *     err = db_begin(db, &tx);
 *     if (err != ADS_OK) {
 *         return err;
 *     }
 *     db_args_init(&args, pool);
 *     db_arg_uuid(&args, &account);
 *     db_arg_uuid(&args, &campaign);
 *     err = db_run(tx, &STMT_PAUSE, &args, &rows);
 *     if (err == ADS_OK) {
 *         err = db_commit(tx);
 *     }
 *     db_end(tx);
 *
 * Errors, by SQLSTATE: 40001, 40P01, 55P03 ADS_BUSY (run the transaction
 * again: db_transact) | 23505, 23P01 and our own AD... ADS_CONFLICT (ask
 * db_sqlstate which) | 22..., 23... ADS_INVALID | 42501 ADS_DENIED | lost,
 * hung, starting, read-only, cancelled ADS_UNAVAILABLE | else ADS_IO.  They are
 * logged here, once, but for ADS_BUSY and ADS_CONFLICT.
 */
#ifndef ADSD_DB_H
#define ADSD_DB_H

#include <stdatomic.h>

#include "ads_err.h"
#include "ads_id.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/pulse.h"

/* What a connection is for: it decides the role, the time-outs and the
 * application_name. */
enum db_duty {
    DB_CHECK, /* in no role: what does the database hold? */
    DB_API,
    DB_INGEST,
    DB_PUBLISH,
    DB_MAINTAIN,
    DB_IMPORT,
    DB_CTL,     /* adsctl on behalf of the operator */
    DB_PAY,     /* the same where it books money; not adsd's login */
    DB_MIGRATE, /* as the owner of the schema */
    DB_DUTIES
};

struct db;
struct db_tx;
struct db_rows;

struct db_stmt {
    const char *name; /* for the log */
    const char *sql;
    int n_params;
};

/*
 * Shared by the connections of one kind: while the database is known to be
 * away, they refuse at once instead of each finding out for itself.  Zeroed is
 * ready.
 */
struct db_breaker {
    _Atomic int64_t open_until_ms; /* no new connections; monotonic, 0: none */
    _Atomic int64_t hung_until_ms; /* nothing at all: the server hangs */
    _Atomic int pause_ms;
    _Atomic bool down; /* said so in the log */
};

struct db_options {
    enum db_duty duty;
    const char *conninfo; /* borrowed for the life of the db */
    struct log *log;
    struct db_breaker *breaker; /* or NULL */
    const char *actor;   /* who the audit log names in every transaction, or
                        * NULL; borrowed likewise */
    int stop_fd;         /* readable for good once the process stops; 0: none */
    struct pulse *pulse; /* of the thread, which beats while it waits; NULL */
};

/*
 * False when that connection string leads over a network and does not say
 * sslmode=verify-full: then anyone on the way may be the server.  True also
 * for one that libpq cannot read, which connecting reports.
 */
bool
db_conninfo_verified(const char *conninfo);

/* Makes one, not connected yet.  Never NULL. */
struct db *
db_new(const struct db_options *options);

void
db_free(struct db *db);

/*
 * Connects when not connected.  ADS_UNAVAILABLE, at once, inside the pause
 * after a failed try.  Changes of state are logged once.
 */
ADS_MUST enum ads_err
db_connect(struct db *db);

/* How many connections there were: another number, perhaps another database. */
uint64_t
db_n_connects(const struct db *db);

/* How long until the next try makes sense: 0 when connected. */
int
db_pause_ms(const struct db *db);

/* Closes the connection, for instance when it may be in an unknown state. */
void
db_close(struct db *db);

/* Connects when needed and begins a transaction in the duty's role. On failure
 * *tx is NULL, which db_end takes.  DB_API only sends it with the first
 * statement. */
ADS_MUST enum ads_err
db_begin(struct db *db, struct db_tx **tx);

ADS_MUST enum ads_err
db_commit(struct db_tx *tx);

/* Rolls back whatever was not committed. */
void
db_end(struct db_tx *tx);

/* Makes the transaction act for that account: row-level security shows its
 * rows only. */
ADS_MUST enum ads_err
db_act_for(struct db_tx *tx, const struct ads_uuid *account, struct pool *pool);

/* A point to come back to inside a transaction, for halving a batch. */
ADS_MUST enum ads_err
db_savepoint(struct db_tx *tx);
ADS_MUST enum ads_err
db_rollback_to_savepoint(struct db_tx *tx);
ADS_MUST enum ads_err
db_release_savepoint(struct db_tx *tx);

/*
 * Runs the work in a transaction and commits it; up to five times while
 * PostgreSQL says ADS_BUSY.  The work must be able to start afresh.
 */
ADS_MUST enum ads_err
db_transact(struct db *db, enum ads_err (*work)(struct db_tx *tx, void *arg),
            void *arg);

/* SQLSTATE of the last statement that failed on this connection, five
 * characters, "" when none did; db_message is PostgreSQL's primary text, and
 * db_hint its hint, "" when it has none. */
const char *
db_sqlstate(const struct db *db);
const char *
db_message(const struct db *db);
const char *
db_hint(const struct db *db);

/*
 * The error a SQLSTATE stands for; ADS_IO for what is not in the list above.
 */
enum ads_err
db_err_of(const char *sqlstate);

/* ---- parameters ---------------------------------------------------------- */

#define DB_ARGS_MAX 32

/* Filled in order, $1 first.  All values are copied or encoded into the pool.
 * Types are sent along, so SQL needs no casts. */
struct db_args {
    struct pool *pool;
    int n;
    uint32_t types[DB_ARGS_MAX];
    const char *values[DB_ARGS_MAX];
    int lengths[DB_ARGS_MAX];
};

void
db_args_init(struct db_args *args, struct pool *pool);

void
db_arg_null(struct db_args *args);
void
db_arg_bool(struct db_args *args, bool value);
void
db_arg_int2(struct db_args *args, int16_t value);
void
db_arg_int4(struct db_args *args, int32_t value);
void
db_arg_int8(struct db_args *args, int64_t value);
void
db_arg_text(struct db_args *args, struct ads_str text); /* ptr NULL: null */
void
db_arg_uuid(struct db_args *args, const struct ads_uuid *id); /* or NULL */
void
db_arg_bytea(struct db_args *args, const void *bytes, size_t len);
void
db_arg_time(struct db_args *args, int64_t unix_us); /* timestamptz */
void
db_arg_date(struct db_args *args, int32_t unix_days);
void
db_arg_json(struct db_args *args, struct ads_str json); /* jsonb */

/* One-dimensional arrays without nulls; those with `nulls` mark them there
 * (NULL: none).  Any may be empty. */
void
db_arg_int4s(struct db_args *args, const int32_t *values, size_t n);
void
db_arg_int8s(struct db_args *args, const int64_t *values, size_t n);
void
db_arg_uuids(struct db_args *args, const struct ads_uuid *values,
             const bool *nulls, size_t n);
/* ptr NULL: null */
void
db_arg_texts(struct db_args *args, const struct ads_str *values, size_t n);
void
db_arg_byteas(struct db_args *args, const struct ads_str *values, size_t n);
void
db_arg_times(struct db_args *args, const int64_t *unix_us, const bool *nulls,
             size_t n);

/*
 * Rows of a composite type, for a parameter that is an array of them.
 * Each is begun with the number of its fields, which follow in the type's
 * order, and ended.  Zeroed is empty; bytes are the rows' own.  With `copy`
 * set they are written as COPY takes them: for db_copy_put() instead of
 * db_arg_records().
 */
struct db_records {
    char *bytes;
    size_t len;
    size_t room;
    size_t open; /* where the row that was begun stands */
    uint32_t n;
    bool copy;
};

/* A place between two rows. */
struct db_records_at {
    size_t len;
    uint32_t n;
};

void
db_records_free(struct db_records *records);

/* Empties them, and keeps the memory. */
void
db_records_reset(struct db_records *records);

/* The place behind the last row. */
struct db_records_at
db_records_end_at(const struct db_records *records);

void
db_records_begin(struct db_records *records, uint32_t n_fields);
void
db_records_end(struct db_records *records);

/* A null of int8 or timestamptz; of a text, ptr NULL. */
void
db_records_int8_null(struct db_records *records);
void
db_records_time_null(struct db_records *records);
void
db_records_bool(struct db_records *records, bool value);
void
db_records_int2(struct db_records *records, int16_t value);
void
db_records_int4(struct db_records *records, int32_t value);
void
db_records_int8(struct db_records *records, int64_t value);
void
db_records_uuid(struct db_records *records, const struct ads_uuid *id);
void
db_records_text(struct db_records *records, struct ads_str text); /* or null */
void
db_records_bytea(struct db_records *records, const void *bytes, size_t len);
void
db_records_time(struct db_records *records, int64_t unix_us);
void
db_records_json(struct db_records *records, struct ads_str json); /* jsonb */
void
db_records_texts(struct db_records *records, const struct ads_str *texts,
                 size_t n); /* text[] without nulls */

/* The rows between two places.  `type` is PostgreSQL's number of their type,
 * another in each database: '...'::regtype::oid, or db_type_find(). */
void
db_arg_records(struct db_args *args, uint32_t type,
               const struct db_records *records, struct db_records_at from,
               struct db_records_at to);

/* ---- results ------------------------------------------------------------- */

/*
 * Runs one statement.  `rows`, when not NULL, is tied to the pool of `args`
 * (which may hold no arguments, but is never NULL).
 */
ADS_MUST enum ads_err
db_run(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
       struct db_rows **rows);

/*
 * A statement whose rows are not read.  On a connection for DB_API it goes out
 * together with the next one that is run, or the commit, which then answers for
 * both: its failure and db_sqlstate may be this one's.
 */
ADS_MUST enum ads_err
db_queue(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args);

/* The last statement of a transaction, and its commit. */
ADS_MUST enum ads_err
db_run_last(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
            struct db_rows **rows);

/*
 * db_run, handing over row by row as they arrive, for results too large to
 * hold; not for DB_API.  `each` sees rows of one, row 0; anything but ADS_OK
 * from it drops the connection and is returned.
 */
ADS_MUST enum ads_err
db_run_each(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
            enum ads_err (*each)(void *arg, const struct db_rows *rows),
            void *arg);

/*
 * COPY ... FROM STDIN (FORMAT BINARY), not for DB_API: begin, put any pieces of
 * the stream, end.  What PostgreSQL says against a row is reported by the end.
 * A copy that is not ended must not go on: close the connection.
 */
ADS_MUST enum ads_err
db_copy_begin(struct db_tx *tx, const struct db_stmt *stmt);
ADS_MUST enum ads_err
db_copy_put(struct db_tx *tx, const struct db_stmt *stmt, const void *bytes,
            size_t len);
ADS_MUST enum ads_err
db_copy_end(struct db_tx *tx, const struct db_stmt *stmt);

/* db_begin, db_run, db_commit, db_end in one, for a single statement. */
ADS_MUST enum ads_err
db_run_alone(struct db *db, const struct db_stmt *stmt, struct db_args *args,
             struct db_rows **rows);

/*
 * PostgreSQL's number of one of our types such as "ads.product_in".
 * It is asked once on each connection.
 */
ADS_MUST enum ads_err
db_type_find(struct db_tx *tx, const char *name, struct pool *pool,
             uint32_t *type);

int
db_n_rows(const struct db_rows *rows);

#define DB_ONLY 0 /* the column of a result that has but one */

/* The column of that name.  None is our own mistake and ends the process. */
int
db_column(const struct db_rows *rows, const char *name);

/*
 * Values by row and column, both from 0.  A null reads as 0, false, empty or
 * ptr NULL.  A column of a type that the accessor cannot read is our own
 * mistake and ends the process.  Borrowed bytes live as long as the rows.
 */
bool
db_is_null(const struct db_rows *rows, int row, int column);
bool
db_bool(const struct db_rows *rows, int row, int column);
int64_t
db_int(const struct db_rows *rows, int row, int column); /* int2, 4, 8 */
struct ads_str
db_text(const struct db_rows *rows, int row, int column); /* text, json(b) */
struct ads_str
db_bytea(const struct db_rows *rows, int row, int column);
struct ads_uuid
db_uuid(const struct db_rows *rows, int row, int column);
int64_t
db_time(const struct db_rows *rows, int row, int column); /* unix us */
int64_t
db_date(const struct db_rows *rows, int row, int column); /* unix days */

/* The bytes as PostgreSQL sent them, with their type; NULL for a null.  For
 * db/result.c, which knows what they mean. */
struct db_cell {
    uint32_t type;
    size_t len;
};

const char *
db_cell(const struct db_rows *rows, int row, int column, struct db_cell *cell);

/* A text[] into the pool; *n is 0 for a null. */
struct ads_str *
db_texts(const struct db_rows *rows, int row, int column, struct pool *pool,
         size_t *n);
/* A uuid[] likewise. */
struct ads_uuid *
db_uuids(const struct db_rows *rows, int row, int column, struct pool *pool,
         size_t *n);

/* Runs a whole script of several statements inside the transaction;
 * only for migrate. */
ADS_MUST enum ads_err
db_run_script(struct db_tx *tx, const char *name, const char *sql);

#endif
