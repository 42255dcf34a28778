/*
 * Connects to PostgreSQL and waits for it.  libpq without its blocking calls
 * but one: every wait is a poll() with a deadline, so that a stopped server
 * cannot hold a thread.  Connecting is left to libpq, since only its blocking
 * call gives each of several hosts a deadline of its own and goes on to the
 * next.  The connection is dropped whenever its state is not known for certain.
 *
 * A duty with settings of its own is piped: what is sent waits in libpq for a
 * statement whose answer somebody wants (db/pipe.c).
 */
#include "db/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

#define CONNECT_TIMEOUT_S "3" /* of each host */
#define CONNECT_TIMEOUT_MS 3000
#define PAUSE_LEAST_MS 100
#define PAUSE_MOST_MS 3000
#define BEAT_MS 1000 /* signs of life while it waits */
#define STOP_MS 1500 /* of work at hand when the process stops */

#define STATEMENT_S "5s"
#define LOCK_S "3s"
#define IDLE_S "30s"

#define SHORT_TX                                        \
    "set local statement_timeout = '" STATEMENT_S "'; " \
    "set local lock_timeout = '" LOCK_S "'; "           \
    "set local idle_in_transaction_session_timeout = '" IDLE_S "'"

/* Its statements are short: compiling one takes longer than running it. */
#define API_SETTINGS                                             \
    "select set_config('role', 'ads_api', true),"                \
    " set_config('jit', 'off', true),"                           \
    " set_config('statement_timeout', '" STATEMENT_S "', true)," \
    " set_config('lock_timeout', '" LOCK_S "', true),"           \
    " set_config('idle_in_transaction_session_timeout', '" IDLE_S "', true)"

#define LOAD_TX                              \
    "set local statement_timeout = '300s'; " \
    "set local lock_timeout = '10s'; "       \
    "set local idle_in_transaction_session_timeout = '300s'"

#define LONG_TX                             \
    "set local statement_timeout = '60s'; " \
    "set local lock_timeout = '10s'; "      \
    "set local idle_in_transaction_session_timeout = '120s'"

static const struct db_terms terms[DB_DUTIES] = {
    [DB_CHECK] = {"check", "adsd/check", "begin; " SHORT_TX, 6000, NULL},
    [DB_API] = {"api", "adsd/api", "begin", 6000, API_SETTINGS},
    [DB_INGEST] = {"ingest", "adsd/ingest",
                   "begin; set local role ads_ingest; " LONG_TX, 65000, NULL},
    [DB_PUBLISH] = {"publish", "adsd/publish",
                    "begin transaction isolation level repeatable read; set "
                    "local role ads_publish; " LOAD_TX,
                    305000, NULL},
    [DB_MAINTAIN] = {"maintain", "adsd/maintain",
                     "begin; set local role ads_ops; " SHORT_TX, 6000, NULL},
    [DB_IMPORT] = {"import", "adsd/import",
                   "begin; set local role ads_ops; " LOAD_TX, 305000, NULL},
    [DB_CTL] = {"ctl", "adsctl", "begin; set local role ads_ops; " LOAD_TX,
                305000, NULL},
    [DB_PAY] = {"pay", "adsctl/pay", "begin; set local role ads_pay; " LOAD_TX,
                305000, NULL},
    [DB_MIGRATE] = {"migrate", "adsctl/migrate",
                    "begin; set local role ads_owner; "
                    "set local lock_timeout = '30s'",
                    605000, NULL},
};

/* The first prefix that fits decides. */
static const struct {
    const char *prefix;
    enum ads_err err;
} states[] = {
    {"40001", ADS_BUSY},     {"40P01", ADS_BUSY},
    {"55P03", ADS_BUSY},     {"23505", ADS_CONFLICT},
    {"23P01", ADS_CONFLICT}, {"AD", ADS_CONFLICT},
    {"42501", ADS_DENIED},   {"22", ADS_INVALID},
    {"23", ADS_INVALID},     {"25006", ADS_UNAVAILABLE},
    {"08", ADS_UNAVAILABLE}, {"53", ADS_UNAVAILABLE},
    {"57", ADS_UNAVAILABLE},
};


enum ads_err
db_err_of(const char *sqlstate)
{
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (strncmp(sqlstate, states[i].prefix, strlen(states[i].prefix)) == 0)
        {
            return states[i].err;
        }
    }
    return ADS_IO;
}


/* libpq's messages end in a line break; keep the first line. */
static void
message_keep(struct db *db, const char *text)
{
    size_t len = strcspn(text, "\n");

    if (len >= sizeof(db->message)) {
        len = sizeof(db->message) - 1;
    }
    memcpy(db->message, text, len);
    db->message[len] = '\0';
}


static void
notice_ignore(void *arg, const char *message)
{
    (void)arg;
    (void)message;
}


struct db *
db_new(const struct db_options *options)
{
    struct db *db = xcalloc(1, sizeof(*db));

    db->duty = options->duty;
    db->terms = &terms[options->duty];
    db->conninfo = options->conninfo;
    db->log = options->log;
    db->breaker = options->breaker != NULL ? options->breaker : &db->own;
    db->actor = options->actor;
    db->stop_fd = options->stop_fd > 0 ? options->stop_fd : -1;
    db->pulse = options->pulse;
    db->tx.db = db;
    return db;
}


void
db_close(struct db *db)
{
    if (db->conn != NULL) {
        PQfinish(db->conn);
        db->conn = NULL;
    }
    db->n_sent = 0;
}


void
db_free(struct db *db)
{
    if (db != NULL) {
        db_close(db);
        free(db);
    }
}


uint64_t
db_n_connects(const struct db *db)
{
    return db->n_connects;
}


const char *
db_sqlstate(const struct db *db)
{
    return db->sqlstate;
}


const char *
db_message(const struct db *db)
{
    return db->message;
}


const char *
db_hint(const struct db *db)
{
    return db->hint;
}


/* Notes when the process stops, from then on once. */
static bool
stopping(struct db *db)
{
    struct pollfd fd = {.fd = db->stop_fd, .events = POLLIN};

    if (db->stop_ms == 0 && poll(&fd, 1, 0) > 0) {
        db->stop_ms = clock_monotonic_ms() + STOP_MS;
    }
    return db->stop_ms != 0;
}


/* Waits for the socket; false when the deadline passed first. */
static bool
socket_wait(struct db *db, short events, int64_t deadline_ms)
{
    struct pollfd fds[2] = {
        {.fd = PQsocket(db->conn), .events = events},
        {.events = POLLIN},
    };
    int64_t left_ms;
    int n;

    do {
        fds[1].fd = db->stop_ms == 0 ? db->stop_fd : -1; /* -1: ignored */
        left_ms = deadline_ms - clock_monotonic_ms();
        if (stopping(db) && deadline_ms > db->stop_ms) {
            left_ms = db->stop_ms - clock_monotonic_ms();
        }
        if (left_ms <= 0) {
            n = 0;
            break;
        }
        pulse_asked(db->pulse);
        n = poll(fds, 2, left_ms < BEAT_MS ? (int)left_ms : BEAT_MS);
    } while (n == 0 || (n < 0 && errno == EINTR)
             || (n > 0 && fds[0].revents == 0));

    pulse_answered(db->pulse);
    return n > 0;
}


/* ---- connecting ---- */

/* The database does not answer: let all who share the breaker pause. */
static void
breaker_trip(struct db *db)
{
    struct db_breaker *breaker = db->breaker;
    int pause_ms = breaker->pause_ms * 2;

    if (pause_ms < PAUSE_LEAST_MS) {
        pause_ms = PAUSE_LEAST_MS;
    } else if (pause_ms > PAUSE_MOST_MS) {
        pause_ms = PAUSE_MOST_MS;
    }
    breaker->pause_ms = pause_ms;
    breaker->open_until_ms = clock_monotonic_ms() + pause_ms;

    if (!atomic_exchange(&breaker->down, true)) {
        log_error(db->log, db->terms->name, "database does not answer: %s",
                  db->message);
    }
}


static void
breaker_close(struct db *db)
{
    struct db_breaker *breaker = db->breaker;

    breaker->pause_ms = 0;
    breaker->open_until_ms = 0;
    breaker->hung_until_ms = 0;
    if (atomic_exchange(&breaker->down, false)) {
        log_info(db->log, db->terms->name, "database answers again");
    }
}


/* One of those who share the breaker may try when the pause is over. */
static bool
breaker_lets_try(struct db *db)
{
    int64_t until_ms = db->breaker->open_until_ms;
    int64_t at_ms = clock_monotonic_ms();

    if (until_ms == 0) {
        return true;
    }
    return at_ms >= until_ms
           && atomic_compare_exchange_strong(
               &db->breaker->open_until_ms, &until_ms,
               at_ms + CONNECT_TIMEOUT_MS + PAUSE_LEAST_MS);
}


int
db_pause_ms(const struct db *db)
{
    int64_t left_ms;

    if (db->conn != NULL) {
        return 0;
    }
    left_ms = db->breaker->open_until_ms - clock_monotonic_ms();
    return left_ms < PAUSE_LEAST_MS ? PAUSE_LEAST_MS : (int)left_ms;
}


enum ads_err
db_connect(struct db *db)
{
    /* what stands before dbname may be overridden by it */
    const char *const names[] = {
        "tcp_user_timeout", "keepalives_idle", "keepalives_interval",
        "keepalives_count", "dbname",          "connect_timeout",
        "application_name", "client_encoding", NULL};
    const char *const values[] = {"10000",
                                  "10",
                                  "5",
                                  "3",
                                  db->conninfo,
                                  CONNECT_TIMEOUT_S,
                                  db->terms->application,
                                  "UTF8",
                                  NULL};

    if (db->conn != NULL && PQstatus(db->conn) == CONNECTION_OK) {
        return ADS_OK;
    }
    db_close(db);
    if (stopping(db) || !breaker_lets_try(db)) {
        return ADS_UNAVAILABLE;
    }

    db->conn = PQconnectdbParams(names, values, 1);
    if (PQstatus(db->conn) != CONNECTION_OK
        || PQsetnonblocking(db->conn, 1) != 0
        || (db->terms->settings != NULL && PQenterPipelineMode(db->conn) == 0))
    {
        message_keep(db, PQerrorMessage(db->conn));
        db_close(db);
        breaker_trip(db);
        return ADS_UNAVAILABLE;
    }
    (void)PQsetNoticeProcessor(db->conn, notice_ignore, NULL);
    breaker_close(db);
    db->n_connects++;
    db->n_types = 0; /* perhaps another database */
    return ADS_OK;
}


/* ---- statements ---- */

enum ads_err
db_lost(struct db *db, const char *what)
{
    message_keep(db, PQerrorMessage(db->conn));
    log_warn(db->log, db->terms->name,
             "connection to the database lost in %s: %s", what, db->message);
    db_close(db);
    return ADS_UNAVAILABLE;
}


static enum ads_err
hung(struct db *db, const char *what)
{
    (void)snprintf(db->message, sizeof(db->message), "no answer to %s in time",
                   what);
    db_close(db);
    db->breaker->hung_until_ms = clock_monotonic_ms() + PAUSE_MOST_MS;
    breaker_trip(db);
    return ADS_UNAVAILABLE;
}


int64_t
db_deadline_ms(const struct db *db)
{
    return clock_monotonic_ms() + db->terms->deadline_ms;
}


/* Sends what libpq still holds, reading meanwhile so that neither side can
 * wait for the other. */
enum ads_err
db_flush(struct db *db, const char *what, int64_t deadline_ms)
{
    int n;

    while ((n = PQflush(db->conn)) > 0) {
        if (!socket_wait(db, POLLIN | POLLOUT, deadline_ms)) {
            return hung(db, what);
        }
        if (PQconsumeInput(db->conn) == 0) {
            return db_lost(db, what);
        }
    }
    return n < 0 ? db_lost(db, what) : ADS_OK;
}


/* The next result; NULL at the end of the statement. */
enum ads_err
db_result_next(struct db *db, const char *what, int64_t deadline_ms,
               PGresult **result)
{
    *result = NULL;
    while (PQisBusy(db->conn)) {
        if (!socket_wait(db, POLLIN, deadline_ms)) {
            return hung(db, what);
        }
        if (PQconsumeInput(db->conn) == 0) {
            return db_lost(db, what);
        }
    }
    *result = PQgetResult(db->conn);
    return ADS_OK;
}


/* What a failed result means; logged where no caller will. */
enum ads_err
db_result_err(struct db *db, const char *what, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
    enum ads_err err;

    (void)snprintf(db->sqlstate, sizeof(db->sqlstate), "%s",
                   state == NULL ? "08006" : state);
    message_keep(db, text == NULL ? PQresultErrorMessage(result) : text);
    (void)snprintf(db->hint, sizeof(db->hint), "%s", hint == NULL ? "" : hint);
    err = db_err_of(db->sqlstate);

    if (err == ADS_BUSY || err == ADS_CONFLICT) {
        log_debug(db->log, db->terms->name, "statement %s: %s", what,
                  db->sqlstate);
    } else {
        /* messages of class 22 may quote a client's value */
        log_error(db->log, db->terms->name, "statement %s failed: %s %s", what,
                  db->sqlstate,
                  strncmp(db->sqlstate, "22", 2) == 0 && db->duty == DB_API
                      ? "(a value)"
                      : db->message);
    }
    return err;
}


/* Notes a statement that was sent. */
static void
pipe_note(struct db *db, const char *what)
{
    if (db->n_sent == DB_SENT_MAX) {
        abort(); /* who queues so many forgot to run one */
    }
    db->sent[db->n_sent++] = what;
}


static enum ads_err
sql_send(struct db *db, const char *what, const char *sql,
         const struct db_args *args)
{
    int formats[DB_ARGS_MAX];

    if (db->conn == NULL) {
        return ADS_UNAVAILABLE;
    }
    for (int i = 0; i < args->n; i++) {
        formats[i] = 1;
    }
    if (PQsendQueryParams(db->conn, sql, args->n, args->types, args->values,
                          args->lengths, formats, 1)
        == 0)
    {
        return db_lost(db, what);
    }
    if (db_is_piped(db)) {
        pipe_note(db, what);
    }
    return ADS_OK;
}


enum ads_err
db_command_send(struct db *db, const char *what, const char *sql)
{
    static const struct db_args none = {.n = 0};

    if (db->conn == NULL) {
        return ADS_UNAVAILABLE;
    }
    if (db_is_piped(db)) {
        return sql_send(db, what, sql, &none);
    }
    return PQsendQuery(db->conn, sql) == 0 ? db_lost(db, what) : ADS_OK;
}


enum ads_err
db_send(struct db *db, const struct db_stmt *stmt, const struct db_args *args)
{
    if (args->n != stmt->n_params) {
        log_error(db->log, db->terms->name,
                  "statement %s takes %d parameters, not %d", stmt->name,
                  stmt->n_params, args->n);
        abort();
    }
    return sql_send(db, stmt->name, stmt->sql, args);
}


int
db_column(const struct db_rows *rows, const char *name)
{
    for (int i = 0; i < PQnfields(rows->result); i++) {
        if (strcmp(PQfname(rows->result, i), name) == 0) {
            return i;
        }
    }
    (void)fprintf(stderr, "adsd: a result has no column \"%s\"\n", name);
    abort(); /* a statement and the C around it disagree */
}


const char *
db_cell(const struct db_rows *rows, int row, int column, struct db_cell *cell)
{
    cell->type = PQftype(rows->result, column);
    cell->len = (size_t)PQgetlength(rows->result, row, column);
    return PQgetisnull(rows->result, row, column) != 0
               ? NULL
               : PQgetvalue(rows->result, row, column);
}


int
db_n_rows(const struct db_rows *rows)
{
    return PQntuples(rows->result);
}


static void
result_free(void *result)
{
    PQclear(result);
}


enum ads_err
db_rows_keep(enum ads_err err, PGresult *result, struct pool *pool,
             struct db_rows **rows)
{
    if (err != ADS_OK || rows == NULL) {
        PQclear(result);
        return err;
    }
    *rows = pool_alloc(pool, sizeof(**rows));
    (*rows)->result = result;
    pool_defer(pool, result_free, result);
    return ADS_OK;
}
